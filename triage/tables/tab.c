/*
 * tab.c - see tab.h. The map is uthash's; rows are never removed.
 */
#include "triage/tables/tab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/table.h"
#include "triage/tables/slices.h"

#define SORT_MANY 4096
#define SIGN ((uint64_t)1 << 63) /* flipped, negative numbers come first */

struct tab_item {
    uint64_t key[2];
    uint32_t row;
    bool lost;
    UT_hash_handle hh;
};

void tab_free(struct tab *m)
{
    struct tab_item *next = m->items;
    HASH_CLEAR(hh, m->items);
    for (struct tab_item *it; (it = next);) {
        next = it->hh.next;
        mem_free(it);
    }
    *m = (struct tab){0};
}

static struct tab_item *tab_find(const struct tab *m, uint64_t a, uint64_t b)
{
    const uint64_t key[2] = {a, b};
    struct tab_item *it;
    HASH_FIND(hh, m->items, key, sizeof key, it);
    return it;
}

uint32_t tab_get(const struct tab *m, uint64_t a, uint64_t b)
{
    const struct tab_item *it = tab_find(m, a, b);
    return it ? it->row : TAB_NONE;
}

uint32_t tab_put(struct tab *m, uint64_t a, uint64_t b, uint32_t fresh)
{
    struct tab_item *it = tab_find(m, a, b);
    if (it)
        return it->row;
    if (!(it = mem_alloc(sizeof *it)))
        return TAB_NONE;
    *it = (struct tab_item){.key = {a, b}, .row = fresh};
    HASH_ADD(hh, m->items, key, sizeof it->key, it);
    if (!it->lost)
        return fresh;
    mem_free(it);
    return TAB_NONE;
}

void *tab_row_of(struct tab *m, void **rows, size_t size, uint32_t *n, uint64_t a, uint64_t b, bool *made)
{
    const uint32_t i = tab_put(m, a, b, *n);
    *made = false;
    if (i == *n && i != TAB_NONE) {
        if (!mem_room_of(rows, &m->room, (size_t)i + 1, size))
            return NULL;
        memset((char *)*rows + i * size, 0, size);
        ++*n;
        *made = true;
    }
    return i == TAB_NONE ? NULL : (char *)*rows + i * size;
}

int64_t dist_avg(const struct dist *d)
{
    return d->n ? d->total / (int64_t)d->n : 0;
}

double dist_sd(const struct dist *d)
{
    double n = (double)d->n, mean, var;
    if (d->n < 2)
        return 0;
    mean = (double)d->total / n;
    var = (d->sumsq - n * mean * mean) / (n - 1);
    return var > 0 ? sqrt(var) : 0;
}

/* Sorts elements that begin with their key, stably: by radix from the lowest digit on, without the digits
 * that all elements share. */
static inline __attribute__((always_inline)) bool sort_by_digits(void *elements, size_t n, size_t size)
{
    enum { DIGIT = 11, MASK = (1 << DIGIT) - 1, PART = 4096 };
#define KEY(rows, i) (*(const uint64_t *)((rows) + (i)*size))
    char *const v = elements, *const t = mem_alloc(n * size + 1), *from = v, *to = t;
    uint64_t all = UINT64_MAX, any = 0;
    bool ok = t;
    for (size_t i = 0; i < n; i++) {
        all &= KEY(v, i);
        any |= KEY(v, i);
    }
    for (unsigned b = n && all != any ? (unsigned)__builtin_ctzll(all ^ any) : 64; b < 64 && ok; b += DIGIT) {
        size_t at[MASK + 1] = {0}, sum = 0;
        if (((all ^ any) >> b & MASK) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            at[KEY(from, i) >> b & MASK]++;
        for (unsigned j = 0; j <= MASK; j++) {
            const size_t more = at[j];
            at[j] = sum;
            sum += more;
        }
        for (size_t i = 0; i < n && ok;) {
            for (const size_t end = n - i < PART ? n : i + PART; i < end; i++)
                memcpy(to + at[KEY(from, i) >> b & MASK]++ * size, from + i * size, size);
            ok = slices_tick();
        }
        char *const swap = from;
        from = to;
        to = swap;
    }
    if (ok && from != v)
        memcpy(v, from, n * size);
    mem_free(t);
    return ok;
#undef KEY
}

bool rows_sort(struct keyed_row *v, size_t n)
{
    return sort_by_digits(v, n, sizeof *v);
}

/* Moves row order[i].row to place i: saves the row at i, then fills each place of the cycle that leads back
 * to it from the place its row comes from. */
static bool rows_order(void *rows, size_t size, struct keyed_row *order, size_t n)
{
    enum { LOOK = 1024 };
    unsigned char *const v = rows, *aside = mem_alloc(size);
    unsigned moved = 0;
    bool ok = aside;
    for (size_t i = 0; ok && i < n; i++) {
        size_t to = i, from = order[i].row;
        if (from == i)
            continue;
        memcpy(aside, v + i * size, size);
        for (; ok && from != i; to = from, from = order[to].row) {
            memcpy(v + to * size, v + from * size, size);
            order[to].row = (uint32_t)to;
            ok = ++moved % LOOK || slices_tick();
        }
        memcpy(v + to * size, aside, size);
        order[to].row = (uint32_t)to;
    }
    mem_free(aside);
    return ok;
}

bool rows_by(void *rows, size_t size, size_t n, uint64_t (*key)(const void *row),
             int (*tie)(const void *, const void *), uint32_t *to)
{
    char *const v = rows;
    struct keyed_row *order = mem_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; order && i < n; i++)
        order[i] = (struct keyed_row){key(v + i * size), (uint32_t)i};
    bool ok = order && rows_sort(order, n);
    for (size_t i = 0; ok && to && i < n; i++)
        to[order[i].row] = (uint32_t)i;
    ok = ok && rows_order(rows, size, order, n);
    for (size_t i = 0, end; ok && tie && i < n; i = end) {
        for (end = i + 1; end < n && order[end].key == order[i].key;)
            end++;
        if (end - i > 1)
            qsort(v + i * size, end - i, size, tie);
    }
    mem_free(order);
    return ok;
}

uint32_t *lane_order(const void *rows, size_t size, size_t n, size_t lane, size_t time)
{
    const char *const v = rows;
    struct keyed_row *k = mem_alloc((n + 1) * sizeof *k);
    uint32_t *order = mem_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; k && i < n; i++)
        k[i] = (struct keyed_row){*(const uint64_t *)(v + i * size + time) ^ SIGN, (uint32_t)i};
    bool ok = k && order && rows_sort(k, n);
    for (size_t i = 0; ok && i < n; i++)
        k[i].key = *(const uint32_t *)(v + k[i].row * size + lane);
    ok = ok && rows_sort(k, n);
    for (size_t i = 0; ok && i < n; i++)
        order[i] = k[i].row;
    mem_free(k);
    if (!ok)
        mem_free(order);
    return ok ? order : NULL;
}

int cmp_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t rank_at(double q, size_t n)
{
    double r = ceil(q * (double)n);
    return r < 1 ? 0 : r > (double)n ? n - 1 : (size_t)r - 1;
}

enum { QUANTILES = sizeof((struct dist){0}).p / sizeof(int64_t) };
static const double quantile_share[QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};

/* Many values are radix-sorted with the sign bit flipped, so that negative ones come first. */
void ns_sort(int64_t *v, size_t n)
{
    uint64_t *const key = (uint64_t *)v;
    bool sorted = false;
    if (n > SORT_MANY) {
        for (size_t i = 0; i < n; i++)
            key[i] ^= SIGN;
        sorted = sort_by_digits(key, n, sizeof *key);
        for (size_t i = 0; i < n; i++)
            key[i] ^= SIGN;
    }
    if (!sorted && n) /* they are few, or there is no memory for a second array */
        qsort(v, n, sizeof *v, cmp_ns);
}

void dist_of(struct dist *d, int64_t *v, size_t n)
{
    *d = (struct dist){.n = n};
    if (!n)
        return;
    ns_sort(v, n);
    for (size_t i = 0; i < n; i++) {
        d->total = ns_add(d->total, v[i]);
        d->sumsq += (double)v[i] * (double)v[i];
    }
    d->min = v[0];
    d->max = v[n - 1];
    for (int q = 0; q < QUANTILES; q++)
        d->p[q] = v[rank_at(quantile_share[q], n)];
}

static int64_t slot_low(uint32_t i)
{
    return i < 64 ? (int64_t)i : i >= HIST_BUCKETS ? INT64_MAX : (int64_t)(i % 32 + 32) << (i / 32 - 1);
}

void hist_sum(struct hist *h, const struct hist *more)
{
    if (!more->n)
        return;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        h->count[i] += more->count[i];
    h->min = h->n == 0 || more->min < h->min ? more->min : h->min;
    h->max = more->max > h->max ? more->max : h->max;
    h->total = ns_add(h->total, more->total);
    h->sumsq += more->sumsq;
    h->n += more->n;
}

int64_t hist_quantile(const struct hist *h, double q)
{
    uint64_t want, seen = 0;
    if (h->n == 0)
        return 0;
    want = rank_at(q, h->n) + 1;
    if (want >= h->n)
        return h->max;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        seen += h->count[i];
        if (seen >= want) {
            const int64_t mid = slot_low(i) + (slot_low(i + 1) - slot_low(i)) / 2;
            return mid < h->min ? h->min : mid > h->max ? h->max : mid;
        }
    }
    return h->max;
}

void hist_dist(const struct hist *h, struct dist *d)
{
    *d = (struct dist){.n = h->n, .min = h->min, .max = h->max, .total = h->total, .sumsq = h->sumsq};
    for (int q = 0; q < QUANTILES; q++)
        d->p[q] = hist_quantile(h, quantile_share[q]);
}

uint64_t hist_between(const struct hist *h, int64_t lo, int64_t hi)
{
    uint64_t n = 0;
    for (uint32_t i = hist_slot(lo); i < HIST_BUCKETS && slot_low(i) < hi; i++)
        n += h->count[i];
    return n;
}
