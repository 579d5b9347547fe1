/* mem.c - see mem.h. */
#include "decode/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GROW_SLOWLY ((size_t)2 << 20)
#define HUGE_FROM ((size_t)4 << 20)

static atomic_long fail_in = -1;
static atomic_size_t live, peak;

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

/* Large blocks on huge pages, where the host has them to give: fewer faults while a model grows. */
static void advise(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t huge = (uintptr_t)2 << 20;
    uintptr_t a = ((uintptr_t)p + huge - 1) & ~(huge - 1), b = ((uintptr_t)p + n) & ~(huge - 1);
    if (p && b > a)
        madvise((void *)a, b - a, MADV_HUGEPAGE);
#else
    (void)p, (void)n;
#endif
}

static void *count(void *p)
{
    if (p) {
        size_t now = atomic_fetch_add_explicit(&live, malloc_usable_size(p), memory_order_relaxed) + malloc_usable_size(p);
        if (now > atomic_load_explicit(&peak, memory_order_relaxed))
            atomic_store_explicit(&peak, now, memory_order_relaxed);
    }
    return p;
}

static void uncount(void *p)
{
    if (p)
        atomic_fetch_sub_explicit(&live, malloc_usable_size(p), memory_order_relaxed);
}

void *mem_alloc(size_t n)
{
    void *p = refuse() ? NULL : count(malloc(n ? n : 1));
    if (n >= HUGE_FROM)
        advise(p, n);
    return p;
}

void *mem_zalloc(size_t n)
{
    return refuse() ? NULL : count(calloc(1, n ? n : 1));
}

void *mem_resize(void *p, size_t n)
{
    if (refuse())
        return NULL;
    size_t old = p ? malloc_usable_size(p) : 0;
    void *q = realloc(p, n ? n : 1);
    if (q) {
        atomic_fetch_sub_explicit(&live, old, memory_order_relaxed);
        count(q);
    }
    return q;
}

void mem_free(void *p)
{
    uncount(p);
    free(p);
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap && p)
        return p;
    size_t n = *cap ? *cap : 8;
    while (n < need) {
        if (n > SIZE_MAX / 2)
            return NULL;
        n += size && n > GROW_SLOWLY / size ? n / 4 : n; /* a large block is moved by its pages, at little cost */
    }
    if (size && n > SIZE_MAX / size)
        return NULL;
    void *q = mem_resize(p, n * size);
    if (q)
        *cap = n;
    return q;
}

void mem_fail_after(long n)
{
    atomic_store(&fail_in, n);
}

size_t mem_live(void)
{
    return atomic_load(&live);
}

size_t mem_peak(void)
{
    return atomic_load(&peak);
}
