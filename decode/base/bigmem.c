/* bigmem.c - see bigmem.h. */
#include "decode/base/bigmem.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/base/spill.h"

/* The existing blocks: open addressing by address. They are few, and look-ups are rare. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct big {
    uintptr_t at;  /* 0: free */
    size_t n;      /* size in bytes, whole pages */
    uint64_t file; /* a spilled block's range in the file: offset and length; 0: none */
    size_t room;
} * table;
static size_t used, cap; /* cap: a power of two */

static size_t whole_pages(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return n > SIZE_MAX / 2 ? 0 : (n + page - 1) & ~(page - 1);
}

static size_t place(uintptr_t at)
{
    size_t i = (size_t)(at / BIG_PAGE * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);
    while (table[i].at && table[i].at != at)
        i = (i + 1) & (cap - 1);
    return i;
}

static bool note(struct big b)
{
    if (used * 2 >= cap) {
        struct big *old = table, *t = calloc(cap ? cap * 2 : 64, sizeof *t);
        size_t was = cap;
        if (!t)
            return false;
        table = t;
        cap = cap ? cap * 2 : 64;
        for (size_t i = 0; i < was; i++)
            if (old[i].at)
                table[place(old[i].at)] = old[i];
        free(old);
    }
    table[place(b.at)] = b;
    used++;
    return true;
}

static void forget(uintptr_t at)
{
    size_t i = place(at);
    table[i].at = 0;
    used--;
    for (size_t k = (i + 1) & (cap - 1); table[k].at;
         k = (k + 1) & (cap - 1)) { /* insert the blocks that followed it once more */
        struct big b = table[k];
        table[k].at = 0;
        table[place(b.at)] = b;
    }
}

/* Reserve n bytes of address space from a multiple of BIG_PAGE on. */
static void *map(size_t n, int prot)
{
    size_t more = n + BIG_PAGE;
    if (more < n)
        return NULL;
    uint8_t *p = mmap(NULL, more, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (BIG_PAGE - ((uintptr_t)p & (BIG_PAGE - 1))) & (BIG_PAGE - 1);
    if (before)
        munmap(p, before);
    munmap(p + before + n, more - before - n);
    return p + before;
}

void *bigmem_new(size_t n)
{
    n = whole_pages(n);
    void *p = n ? map(n, PROT_READ | PROT_WRITE) : NULL;
    if (!p)
        return NULL;
    pthread_mutex_lock(&lock);
    bool ok = note((struct big){.at = (uintptr_t)p, .n = n});
    pthread_mutex_unlock(&lock);
    if (!ok) {
        munmap(p, n);
        return NULL;
    }
    return p;
}

/* Returns the entry of p; all zeros: it is none of these blocks. */
static struct big known(const void *p)
{
    struct big b = {0};
    if (!p || (uintptr_t)p & (BIG_PAGE - 1))
        return b;
    pthread_mutex_lock(&lock);
    if (used && table[place((uintptr_t)p)].at)
        b = table[place((uintptr_t)p)];
    pthread_mutex_unlock(&lock);
    return b;
}

size_t bigmem_size(const void *p)
{
    return known(p).n;
}

size_t bigmem_held(const void *p)
{
    struct big b = known(p);
    return b.room ? 0 : b.n;
}

/* ---- spilled ------------------------------------------------------------------------------------------- */

/* Map n bytes of a range of `room` bytes. */
static void *spilled_new(size_t n, size_t room)
{
    struct big b = {.n = n, .room = room};
    void *p = n ? map(n, PROT_NONE) : NULL;
    if (!p || !spill_take(room, &b.file)) {
        if (p)
            munmap(p, n);
        return NULL;
    }
    b.at = (uintptr_t)p;
    bool ok =
        mmap(p, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, spill_fd(), (off_t)b.file) != MAP_FAILED;
    pthread_mutex_lock(&lock);
    ok = ok && note(b);
    pthread_mutex_unlock(&lock);
    if (ok)
        return p;
    munmap(p, n);
    spill_give(b.file, room);
    return NULL;
}

void *bigmem_spilled(size_t n)
{
    n = whole_pages(n);
    return spilled_new(n, n);
}

bool bigmem_is_spilled(const void *p)
{
    return known(p).room;
}

/* Its range is too short and can't grow in place: it becomes another block. */
static void *spilled_move(void *p, const struct big *b, size_t n)
{
    void *q = spilled_new(n, whole_pages(n + n / 2)); /* a growing block goes on growing */
    if (!q)
        return NULL;
    memcpy(q, p, b->n);
    bigmem_free(p);
    return q;
}

/* Adjust the range of a block to n bytes. Returns false if it can't grow in place. */
static bool spilled_room(struct big *b, size_t n)
{
    if (n > b->room && !spill_more(b->file + b->room, n - b->room))
        return false;
    if (n < b->n)
        spill_give(b->file + n, b->room - n);
    b->room = n < b->n || n > b->room ? n : b->room;
    return true;
}

void bigmem_rest(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < cap; i++)
        if (table[i].at && table[i].room)
            (void)madvise((void *)table[i].at, table[i].n, MADV_DONTNEED);
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------------------------------------------- */

void *bigmem_resize(void *p, size_t n)
{
    struct big b = known(p);
    const size_t was = b.n, room = b.room;
    void *q = p;
    n = whole_pages(n);
    if (!n || n == was)
        return n ? p : NULL;
    if (b.room && !spilled_room(&b, n))
        return spilled_move(p, &b, n);
    pthread_mutex_lock(&lock);                /* bigmem_rest() must find it, at the old or the new address */
    if (mremap(p, was, n, 0) == MAP_FAILED) { /* other memory follows it */
        q = map(n, PROT_NONE);
        if (q && mremap(p, was, n, MREMAP_MAYMOVE | MREMAP_FIXED, q) == MAP_FAILED) {
            munmap(q, n);
            q = NULL;
        }
        if (!q) { /* no address space: the block stays as it was, and so does the file */
            pthread_mutex_unlock(&lock);
            if (b.room > room)
                spill_give(b.file + room, b.room - room);
            return NULL;
        }
    }
    b.at = (uintptr_t)q;
    b.n = n;
    if (q != p) {
        forget((uintptr_t)p);
        note(b); /* there is room: an entry was just removed */
    } else {
        table[place(b.at)] = b;
    }
    pthread_mutex_unlock(&lock);
    return q;
}

void bigmem_touch(void *p, size_t n)
{
#ifdef MADV_POPULATE_WRITE /* before Linux 5.14: pages come when they are written */
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)p & ~(page - 1);
    (void)madvise((void *)at, whole_pages((uintptr_t)p - at + n), MADV_POPULATE_WRITE);
#else
    (void)p, (void)n;
#endif
}

void bigmem_free(void *p)
{
    struct big b = known(p);
    pthread_mutex_lock(&lock);
    forget((uintptr_t)p);
    pthread_mutex_unlock(&lock);
    munmap(p, b.n);
    if (b.room)
        spill_give(b.file, b.room);
}
