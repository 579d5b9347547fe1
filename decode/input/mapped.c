/* mapped.c - see mapped.h. The table is small and never locked: a signal handler reads it, in any thread. */
#include "decode/input/mapped.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 32 }; /* at once; what is mapped beyond that is not mended */

static struct {
    _Atomic uintptr_t at;
    _Atomic size_t n; /* 0: free */
} table[MOST];
static atomic_bool lost;

void *mapped_new(int fd, uint64_t n)
{
    if (n > SIZE_MAX) {
        errno = EFBIG;
        return NULL;
    }
    void *p = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return NULL;
    for (int i = 0; i < MOST; i++)
        if (!atomic_load(&table[i].n)) {
            atomic_store(&table[i].at, (uintptr_t)p);
            atomic_store(&table[i].n, (size_t)n);
            break;
        }
    return p;
}

void mapped_free(void *p, size_t n)
{
    if (!p)
        return;
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&table[i].n) && atomic_load(&table[i].at) == (uintptr_t)p)
            atomic_store(&table[i].n, 0);
    munmap(p, n);
}

bool mapped_mend(void *addr)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t a = (uintptr_t)addr;
    for (int i = 0; i < MOST; i++) {
        size_t n = atomic_load(&table[i].n);
        uintptr_t at = atomic_load(&table[i].at);
        if (!n || a < at || a - at >= n)
            continue;
        int saved = errno;
        void *p = mmap((void *)(a & ~(uintptr_t)(size - 1)), size, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        errno = saved;
        atomic_store(&lost, true);
        return p != MAP_FAILED;
    }
    return false;
}

bool mapped_lost(void)
{
    return atomic_load(&lost);
}
