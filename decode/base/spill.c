/*
 * spill.c - see spill.h.
 *
 * No range is used twice: released ranges are punched out of the file, so that they take no room on the
 * disk, and offsets do not run out. A block begins with its sizes, which its owner does not see.
 */
#include "decode/base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/base/host.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int fd;
    bool tried, forbidden;
    atomic_bool works;
    char why[96];
    uint64_t end, bytes;    /* offset after all ranges used so far; bytes in use now */
    uint64_t most;          /* most bytes it may take: others use the disk too */
    _Atomic(uint8_t *) map; /* the address of offset 0; NULL: there has been no block */
    uint64_t mapped;        /* how many addresses there are from there on */
} file = {.fd = -1};

struct block {
    size_t n, room; /* its size for its owner; of its range in the file, whole pages */
    uint8_t pad[64 - 2 * sizeof(size_t)];
};

void spill_forbid(void)
{
    file.forbidden = true;
}

bool spill_open(void)
{
    const char *dirs[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    if (file.forbidden || file.tried)
        return file.fd >= 0 && !file.forbidden;
    file.tried = true;
    host_mapped_begin();
    snprintf(file.why, sizeof file.why, "no folder for a temporary file");
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs && file.fd < 0; i++)
        if (dirs[i] && dirs[i][0] == '/') {
            file.fd = host_unnamed_file(dirs[i]);
            if (file.fd < 0)
                snprintf(file.why, sizeof file.why, "no temporary file: %s",
                         errno == EMEDIUMTYPE ? "its folder is in memory" : strerror(errno));
        }
    if (file.fd >= 0)
        file.why[0] = 0;
    file.most = file.fd >= 0 ? host_disk_free(file.fd) / 8 * 7 : 0;
    atomic_store(&file.works, file.fd >= 0);
    return file.fd >= 0;
}

const char *spill_why(void)
{
    return file.forbidden ? "temporary files are forbidden (--no-spill)" : file.why;
}

bool spill_works(void)
{
    return atomic_load(&file.works);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* Reserve addresses: as many as there are, up to more than any file has. */
static void addresses(void)
{
    enum { LEAST = 1 << 24 };
    for (file.mapped = (uint64_t)1 << 42; !file.map && file.mapped > LEAST; file.mapped /= 2) {
        void *p = file.mapped > SIZE_MAX / 2 ? MAP_FAILED
                                             : mmap(NULL, (size_t)file.mapped, PROT_NONE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            file.map = p;
            return;
        }
    }
    file.mapped = 0;
}

/* Reserve the next n bytes of the file, on the disk, and map them. Needs the lock. */
static bool reserve(size_t n)
{
    if (!file.map)
        addresses();
    int rc = !file.map || file.end + n > file.mapped ? ENOMEM
             : file.bytes + n > file.most            ? ENOSPC
                                                     : posix_fallocate(file.fd, (off_t)file.end, (off_t)n);
    if (!rc && mmap(file.map + file.end, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.fd,
                    (off_t)file.end) == MAP_FAILED) {
        rc = errno;
        host_punch(file.fd, file.end, n);
    }
    if (rc && atomic_exchange(&file.works, false))
        snprintf(file.why, sizeof file.why, "the temporary file can't grow: %s", strerror(rc));
    if (rc)
        return false;
    file.end += n;
    file.bytes += n;
    return true;
}

/* Release n bytes at `at`. */
static void give_back(uint8_t *at, size_t n)
{
    (void)mmap(at, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    host_punch(file.fd, (uint64_t)(at - file.map), n);
    pthread_mutex_lock(&lock);
    file.bytes -= n;
    pthread_mutex_unlock(&lock);
}

/* Returns the size of a range for n bytes; 0: too large. */
static size_t range_size(size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return n > SIZE_MAX / 4 ? 0 : (n + sizeof(struct block) + page - 1) & ~(page - 1);
}

static struct block *block_of(void *p)
{
    return (struct block *)p - 1;
}

void *spill_new(size_t n, size_t most)
{
    const size_t room = range_size(most);
    if (!room || file.fd < 0 || file.forbidden)
        return NULL;
    pthread_mutex_lock(&lock);
    struct block *b = reserve(room) ? (struct block *)(void *)(file.map + file.end - room) : NULL;
    pthread_mutex_unlock(&lock);
    if (!b)
        return NULL;
    b->n = n;
    b->room = room;
    return b + 1;
}

/* Lengthen a range that ends the file. Returns false if it can't grow in place. */
static bool grow(struct block *b, size_t room)
{
    pthread_mutex_lock(&lock);
    const bool ok = (uint8_t *)b + b->room == file.map + file.end && reserve(room - b->room);
    pthread_mutex_unlock(&lock);
    b->room = ok ? room : b->room;
    return ok;
}

void *spill_resize(void *p, size_t n)
{
    struct block *b = block_of(p);
    const size_t room = range_size(n);
    if (!room)
        return NULL;
    if (n < b->n && room < b->room) {
        give_back((uint8_t *)b + room, b->room - room);
        b->room = room;
    }
    if (room <= b->room || grow(b, room)) {
        b->n = n;
        return p;
    }
    void *q = spill_new(n, n + n / 2); /* a growing block goes on growing */
    if (!q)
        return NULL;
    memcpy(q, p, b->n);
    spill_free(p);
    return q;
}

void spill_free(void *p)
{
    struct block *b = block_of(p);
    give_back((uint8_t *)b, b->room);
}

size_t spill_size(const void *p)
{
    const uintptr_t first = (uintptr_t)file.map, at = (uintptr_t)p;
    return first && at >= first && at - first < file.mapped ? ((const struct block *)p - 1)->n : 0;
}

void spill_rest(void)
{
    pthread_mutex_lock(&lock);
    const size_t n = (size_t)file.end;
    pthread_mutex_unlock(&lock);
    if (n)
        (void)madvise(file.map, n, MADV_DONTNEED);
}

uint64_t spill_bytes(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = file.bytes;
    pthread_mutex_unlock(&lock);
    return n;
}
