/*
 * tab.c - see tab.h. The map is open addressing with linear probing, at most 70 % full; rows are never removed.
 */
#include "triage/tables/tab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "triage/tables/slices.h"

#define SORT_MANY 4096

void tab_free(struct tab *m)
{
    mem_free(m->slot);
    *m = (struct tab){0};
}

static struct tab_slot *tab_find(const struct tab *m, uint64_t a, uint64_t b)
{
    uint32_t i = (uint32_t)hash_last(hash_next(hash_first(a), b)) & (m->cap - 1);
    while (m->slot[i].row && (m->slot[i].a != a || m->slot[i].b != b)) {
        i = (i + 1) & (m->cap - 1);
    }
    return &m->slot[i];
}

static bool tab_widen(struct tab *m)
{
    struct tab big = {.cap = m->cap ? m->cap * 2 : 64, .used = m->used};
    if (m->cap > UINT32_MAX / 4 || !(big.slot = mem_zalloc(big.cap * sizeof *big.slot))) {
        return false;
    }
    for (uint32_t i = 0; i < m->cap; i++) {
        if (m->slot[i].row) {
            *tab_find(&big, m->slot[i].a, m->slot[i].b) = m->slot[i];
        }
    }
    mem_free(m->slot);
    *m = big;
    return true;
}

uint32_t tab_get(const struct tab *m, uint64_t a, uint64_t b)
{
    return m->cap ? tab_find(m, a, b)->row - 1 : TAB_NONE; /* a free slot's 0 wraps to TAB_NONE */
}

uint32_t tab_put(struct tab *m, uint64_t a, uint64_t b, uint32_t fresh)
{
    struct tab_slot *s;
    if (m->used >= m->cap / 10 * 7 && !tab_widen(m)) {
        return TAB_NONE;
    }
    s = tab_find(m, a, b);
    if (!s->row) {
        *s = (struct tab_slot){a, b, fresh + 1};
        m->used++;
    }
    return s->row - 1;
}

int64_t dist_avg(const struct dist *d)
{
    return d->n ? d->total / (int64_t)d->n : 0;
}

double dist_sd(const struct dist *d)
{
    double n = (double)d->n, mean, var;
    if (d->n < 2) {
        return 0;
    }
    mean = (double)d->total / n;
    var = (d->sumsq - n * mean * mean) / (n - 1);
    return var > 0 ? sqrt(var) : 0;
}

/* By byte from the lowest on, those that all share left out. */
bool rows_sort(struct keyed_row *v, size_t n)
{
    uint64_t all = UINT64_MAX, any = 0;
    struct keyed_row *t = mem_alloc((n + 1) * sizeof *t), *from = v, *to = t;
    bool ok = t != NULL;
    for (size_t i = 0; i < n; i++) {
        all &= v[i].key;
        any |= v[i].key;
    }
    for (int b = 0; b < 64 && ok; b += 8) {
        size_t at[257] = {0};
        if (((all ^ any) >> b & 255) == 0) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            at[(from[i].key >> b & 255) + 1]++;
        }
        for (int j = 0; j < 256; j++) {
            at[j + 1] += at[j];
        }
        for (size_t i = 0; i < n; i++) {
            to[at[from[i].key >> b & 255]++] = from[i];
            ok &= i % 4096 != 0 || slices_tick();
        }
        struct keyed_row *swap = from;
        from = to;
        to = swap;
    }
    if (ok && from != v) {
        memcpy(v, from, n * sizeof *v);
    }
    mem_free(t);
    return ok;
}

static int cmp_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The same for many numbers: a comparison each would take seconds. */
static void sort_i64(int64_t *v, size_t n)
{
    struct keyed_row *k = n > SORT_MANY ? mem_alloc(n * sizeof *k) : NULL;
    for (size_t i = 0; i < n && k; i++) {
        k[i].key = (uint64_t)v[i] ^ (uint64_t)1 << 63;
    }
    if (k && rows_sort(k, n)) {
        for (size_t i = 0; i < n; i++) {
            v[i] = (int64_t)(k[i].key ^ (uint64_t)1 << 63);
        }
    } else if (slices_tick()) {
        qsort(v, n, sizeof *v, cmp_i64);
    }
    mem_free(k);
}

static size_t rank_of(double q, size_t n)
{
    double r = ceil(q * (double)n);
    return r < 1 ? 0 : r > (double)n ? n - 1 : (size_t)r - 1;
}

void dist_of(struct dist *d, int64_t *v, size_t n)
{
    *d = (struct dist){.n = n};
    if (n == 0) {
        return;
    }
    sort_i64(v, n);
    for (size_t i = 0; i < n; i++) {
        d->total = ns_add(d->total, v[i]);
        d->sumsq += (double)v[i] * (double)v[i];
    }
    d->min = v[0];
    d->max = v[n - 1];
    d->p50 = v[rank_of(0.5, n)];
    d->p90 = v[rank_of(0.9, n)];
    d->p99 = v[rank_of(0.99, n)];
}

static uint32_t hist_slot(int64_t ns)
{
    uint32_t e;
    if (ns < 64) {
        return ns < 0 ? 0 : (uint32_t)ns;
    }
    e = 63 - (uint32_t)__builtin_clzll((uint64_t)ns); /* 6..62 */
    return (e - 5) * 32 + (uint32_t)(ns >> (e - 5));  /* 64.. */
}

static int64_t slot_low(uint32_t i)
{
    return i < 64 ? (int64_t)i : i >= HIST_BUCKETS ? INT64_MAX : (int64_t)(i % 32 + 32) << (i / 32 - 1);
}

void hist_add(struct hist *h, int64_t ns)
{
    uint32_t i;
    ns = ns < 0 ? 0 : ns;
    i = hist_slot(ns);
    h->count[i < HIST_BUCKETS ? i : HIST_BUCKETS - 1]++;
    h->min = h->n == 0 || ns < h->min ? ns : h->min;
    h->max = ns > h->max ? ns : h->max;
    h->total = ns_add(h->total, ns);
    h->sumsq += (double)ns * (double)ns;
    h->n++;
}

void hist_sum(struct hist *h, const struct hist *more)
{
    if (!more->n) {
        return;
    }
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        h->count[i] += more->count[i];
    }
    h->min = h->n == 0 || more->min < h->min ? more->min : h->min;
    h->max = more->max > h->max ? more->max : h->max;
    h->total = ns_add(h->total, more->total);
    h->sumsq += more->sumsq;
    h->n += more->n;
}

int64_t hist_quantile(const struct hist *h, double q)
{
    uint64_t want, seen = 0;
    if (h->n == 0) {
        return 0;
    }
    want = rank_of(q, h->n) + 1;
    if (want >= h->n) {
        return h->max;
    }
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        seen += h->count[i];
        if (seen >= want) {
            int64_t mid = i < 64 ? (int64_t)i : slot_low(i) + (slot_low(i + 1) - slot_low(i)) / 2;
            return mid < h->min ? h->min : mid > h->max ? h->max : mid;
        }
    }
    return h->max;
}

void hist_dist(const struct hist *h, struct dist *d)
{
    *d = (struct dist){.n = h->n, .min = h->min, .max = h->max, .total = h->total, .sumsq = h->sumsq};
    d->p50 = hist_quantile(h, 0.5);
    d->p90 = hist_quantile(h, 0.9);
    d->p99 = hist_quantile(h, 0.99);
}

uint64_t hist_between(const struct hist *h, int64_t lo, int64_t hi)
{
    uint64_t n = 0;
    for (uint32_t i = hist_slot(lo); i < HIST_BUCKETS && slot_low(i) < hi; i++) {
        n += h->count[i];
    }
    return n;
}
