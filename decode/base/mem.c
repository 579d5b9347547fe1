/* mem.c - see mem.h. */
#include "decode/base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/spill.h"

/* The C library gives larger blocks mappings of their own, which grow in place or are moved by their page
 * tables. Its own threshold would rise with what has been freed, and below it an array that grows is
 * copied. */
#define BIG ((size_t)2 << 20)
#define GROW_SLOWLY ((size_t)64 << 10)
#define GROW_LEAST ((size_t)1 << 20)

static atomic_long fail_in = -1;
static atomic_size_t live, peak;
static atomic_bool ran_out;
static atomic_size_t limit; /* 0: none */
static atomic_bool spilling;

static int must_fail(void)
{
    long n = atomic_load_explicit(&fail_in, memory_order_relaxed);
    if (n < 0)
        return 0;
    if (n == 0)
        return 1;
    atomic_fetch_sub(&fail_in, 1);
    return n == 1;
}

size_t mem_size(void *p)
{
    const size_t spilled = p ? spill_size(p) : 0;
    return spilled ? spilled : malloc_usable_size(p);
}

/* Returns the memory that a block takes. */
static size_t size_of(void *p)
{
    return spill_size(p) ? 0 : malloc_usable_size(p);
}

static void count_live(size_t more, size_t less)
{
    size_t now = atomic_fetch_add_explicit(&live, more - less, memory_order_relaxed) + more - less;
    if (now > atomic_load_explicit(&peak, memory_order_relaxed))
        atomic_store_explicit(&peak, now, memory_order_relaxed);
}

/* Returns whether a block of n bytes, of which `less` are counted already, should be in the file. */
static bool spills(size_t n, size_t less)
{
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    return most && n >= MEM_SPILLS && n > less && atomic_load_explicit(&spilling, memory_order_relaxed) &&
           (n > most / 2 || atomic_load_explicit(&live, memory_order_relaxed) - less > most / 2 - n);
}

static void *block(size_t n, bool zeros, bool spilled)
{
    void *p = spilled ? spill_new(n, n) : NULL;
    return p ? p : zeros ? calloc(1, n ? n : 1) : malloc(n ? n : 1);
}

static void *block_new(size_t n, bool zeros)
{
    void *p = must_fail() ? NULL : block(n, zeros, spills(n, 0));
    if (p)
        count_live(size_of(p), 0);
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

static void block_free(void *p)
{
    if (spill_size(p))
        spill_free(p);
    else
        free(p);
}

/* Move a block into the file or out of it. */
static void *move(void *p, size_t n, bool spilled)
{
    const size_t was = mem_size(p);
    void *q = block(n, false, spilled);
    if (!q)
        return NULL;
    memcpy(q, p, was < n ? was : n);
    block_free(p);
    return q;
}

void *mem_resize(void *p, size_t n)
{
    if (!p)
        return mem_alloc(n);
    const size_t was = size_of(p);
    const bool spilled = spill_size(p), moves = spilled ? n < MEM_SPILLS : spills(n, was);
    void *q = must_fail() ? NULL
              : moves     ? move(p, n, !spilled)
              : spilled   ? spill_resize(p, n)
                          : realloc(p, n ? n : 1);
    if (!q && spilled && n <= atomic_load_explicit(&limit, memory_order_relaxed)) /* the file can't grow */
        q = move(p, n, false);
    if (q)
        count_live(size_of(q), was);
    else
        atomic_store_explicit(&ran_out, true, memory_order_relaxed);
    return q;
}

void mem_free(void *p)
{
    if (!p)
        return;
    count_live(0, size_of(p));
    block_free(p);
}

/* Returns by how many elements an array of n grows. The larger it is, the less: its excess is wasted
 * memory, and a large block costs no copying. */
static size_t grow_by(const void *p, size_t n, size_t size)
{
    if (!p || !size || n <= GROW_SLOWLY / size)
        return n;
    if (n < BIG / size)
        return n / 4;
    const size_t most = spill_size(p) ? n / 4 : n / 16, least = GROW_LEAST / size + 1;
    return most > least ? most : least;
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap && p)
        return p;
    size_t n = *cap ? *cap : 8;
    while (n < need) {
        if (n > SIZE_MAX / 2)
            return NULL;
        n += grow_by(p, n, size);
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
    host_heap(BIG);
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

/* An array in the temporary file that would be too small for it stays there, because moving it would take
 * memory. */
void mem_fit_of(void *array, size_t *cap, size_t n, size_t size)
{
    void *p;
    memcpy(&p, array, sizeof p);
    if (!p || !n || n >= *cap || (n * size < MEM_SPILLS && spill_size(p)))
        return;
    p = mem_resize(p, n * size);
    if (p) {
        memcpy(array, &p, sizeof p);
        *cap = n;
    }
}

void mem_rest(void)
{
    if (spill_bytes() && host_mapped() > atomic_load(&limit) / 4)
        spill_rest();
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
