/* mem.c - see mem.h. */
#include "decode/base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/bigmem.h"
#include "decode/base/host.h"
#include "decode/base/spill.h"

#define GROW_SLOWLY ((size_t)64 << 10)
#define GROW_LEAST ((size_t)1 << 20)

/* The sanitizers only check what malloc returns. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PLAIN 1
#endif
#endif
#ifdef PLAIN
#define BIG_FROM SIZE_MAX
#else
#define BIG_FROM BIG_PAGE
#endif

static atomic_long fail_in = -1;
static atomic_size_t live, peak;
static atomic_bool ran_out;
static atomic_size_t limit; /* 0: none */
static atomic_bool spilling;

static int refuse(void)
{
    long n = atomic_load_explicit(&fail_in, memory_order_relaxed);
    if (n < 0)
        return 0;
    if (n == 0)
        return 1;
    atomic_fetch_sub(&fail_in, 1);
    return n == 1;
}

static size_t size_of(void *p)
{
    return bigmem_size(p) ? bigmem_held(p) : malloc_usable_size(p);
}

static void count(size_t more, size_t less)
{
    size_t now = atomic_fetch_add_explicit(&live, more - less, memory_order_relaxed) + more - less;
    if (now > atomic_load_explicit(&peak, memory_order_relaxed))
        atomic_store_explicit(&peak, now, memory_order_relaxed);
}

/* Whether a block of n bytes, of which `less` are counted already, should be in the file. */
static bool spills(size_t n, size_t less)
{
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    return most && n >= MEM_SPILLS && n > less && atomic_load_explicit(&spilling, memory_order_relaxed) &&
           (n > most / 2 || atomic_load_explicit(&live, memory_order_relaxed) - less > most / 2 - n);
}

static void *block(size_t n, bool zeros, bool spilled)
{
    void *p = spilled ? bigmem_spilled(n) : NULL;
    return p ? p : n >= BIG_FROM ? bigmem_new(n) : zeros ? calloc(1, n ? n : 1) : malloc(n ? n : 1);
}

static void *block_new(size_t n, bool zeros)
{
    void *p = refuse() ? NULL : block(n, zeros, spills(n, 0));
    if (p)
        count(size_of(p), 0);
    else
        atomic_store_explicit(&ran_out, true, memory_order_relaxed);
    return p;
}

void *mem_zalloc(size_t n)
{
    return block_new(n, true);
}

void *mem_alloc(size_t n)
{
    return block_new(n, false);
}

/* Move a block that becomes large or spilled, or no longer is. */
static void *move(void *p, size_t n, bool spilled)
{
    size_t was = bigmem_size(p) ? bigmem_size(p) : malloc_usable_size(p);
    void *q = block(n, false, spilled);
    if (!q)
        return NULL;
    memcpy(q, p, was < n ? was : n);
    if (bigmem_size(p))
        bigmem_free(p);
    else
        free(p);
    return q;
}

void *mem_resize(void *p, size_t n)
{
    if (!p)
        return mem_alloc(n);
    size_t was = size_of(p);
    bool big = bigmem_size(p), spilled = big && bigmem_is_spilled(p), spill = !spilled && spills(n, was);
    bool stays = spilled ? n >= MEM_SPILLS : big == (n >= BIG_FROM);
    void *q = refuse()          ? NULL
              : spill || !stays ? move(p, n, spill)
              : big             ? bigmem_resize(p, n)
                                : realloc(p, n ? n : 1);
    if (!q && spilled && n <= atomic_load_explicit(&limit, memory_order_relaxed)) /* the file can't grow */
        q = move(p, n, false);
    if (q)
        count(size_of(q), was);
    else
        atomic_store_explicit(&ran_out, true, memory_order_relaxed);
    return q;
}

void mem_free(void *p)
{
    if (!p)
        return;
    count(0, size_of(p));
    if (bigmem_size(p))
        bigmem_free(p);
    else
        free(p);
}

size_t mem_cut(void *p, size_t n)
{
    const size_t was = bigmem_held(p);
    if (was <= n || !bigmem_resize(p, n))
        return 0;
    const size_t less = was - bigmem_held(p);
    count(0, less);
    return less;
}

void mem_touch(void *p)
{
    const size_t big = bigmem_size(p);
    if (p)
        bigmem_touch(p, big ? big : malloc_usable_size(p));
}

void *mem_table(size_t n)
{
    enum { FEW = 16 << 10 }; /* fewer bytes than this are not worth a system call */
    void *p = mem_zalloc(n);
    if (n > FEW && !bigmem_is_spilled(p))
        mem_touch(p);
    return p;
}

/* Returns by how many elements an array of n grows. The larger it is, the less: its excess is wasted
 * memory, and a large block costs no copying. */
static size_t more(void *p, size_t n, size_t size)
{
    if (!p || !size || n <= GROW_SLOWLY / size)
        return n;
    if (!bigmem_size(p))
        return n / 4;
    size_t most = bigmem_is_spilled(p) ? bigmem_size(p) / 4 : size_of(p) / 16;
    return (most > GROW_LEAST ? most : GROW_LEAST) / size + 1;
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap && p)
        return p;
    size_t n = *cap ? *cap : 8;
    while (n < need) {
        if (n > SIZE_MAX / 2)
            return NULL;
        n += more(p, n, size);
    }
    if (size && n > SIZE_MAX / size)
        return NULL;
    void *q = mem_resize(p, n * size);
    if (q)
        *cap = n;
    return q;
}

bool mem_room_zeros_of(void *array, size_t *cap, size_t need, size_t size)
{
    const size_t had = *cap;
    if (!mem_room_of(array, cap, need, size))
        return false;
    char *p;
    memcpy(&p, array, sizeof p);
    memset(p + had * size, 0, (*cap - had) * size);
    return true;
}

void mem_limit(uint64_t bytes)
{
    atomic_store(&limit, bytes < SIZE_MAX / 2 ? (size_t)bytes : SIZE_MAX / 2);
    atomic_store(&spilling, bytes && spill_open());
}

uint64_t mem_limited(void)
{
    return atomic_load(&limit);
}

bool mem_spills(void)
{
    return atomic_load(&spilling) && spill_works();
}

bool mem_over(size_t more)
{
    size_t most = atomic_load(&limit);
    return most && atomic_load(&live) + more > most + (mem_spills() ? most / 8 : 0);
}

uint64_t mem_spilled(void)
{
    return spill_bytes();
}

bool mem_is_spilled(const void *p)
{
    return bigmem_is_spilled(p);
}

void mem_rest(void)
{
    if (spill_bytes() && host_mapped() > atomic_load(&limit) / 4)
        bigmem_rest();
}

void mem_fail_after(long n)
{
    atomic_store(&fail_in, n);
}

bool mem_ran_out(void)
{
    return atomic_load_explicit(&ran_out, memory_order_relaxed);
}

size_t mem_live(void)
{
    return atomic_load(&live);
}

size_t mem_peak(void)
{
    return atomic_load(&peak);
}
