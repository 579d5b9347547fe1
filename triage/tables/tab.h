/*
 * tab.h - the small structures triage's tables stand on: a map from two 64-bit words to a row number, a
 * histogram of durations, and exact quantiles of an array. All allocate through decode/base/mem.h; all-zero
 * is the empty one.
 */
#ifndef GOTOP_TRIAGE_TAB_H
#define GOTOP_TRIAGE_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- map ----------------------------------------------------------------------------------------------- */

struct tab_slot {
    uint64_t a, b;
    uint32_t row; /* 1 + the value; 0 = free */
};
struct tab {
    struct tab_slot *slot;
    uint32_t cap, used;
};
#define TAB_NONE UINT32_MAX
void tab_free(struct tab *m);
uint32_t tab_get(const struct tab *m, uint64_t a, uint64_t b); /* TAB_NONE: not there */
/*
 * tab_put - the row of a key; a new key gets `fresh`. TAB_NONE when out of memory. Compare the answer with
 * `fresh` to learn whether the key is new.
 */
uint32_t tab_put(struct tab *m, uint64_t a, uint64_t b, uint32_t fresh);

/*
 * The same without keys, for rows that have theirs in themselves: a third of the memory. rowtab_next - the
 * next row from slot *at on that may be the one (at first *at is the hash), for who has the rows to compare;
 * TAB_NONE: it isn't there. rowtab_put - so it becomes; false: out of memory. rowtab_room - n will be put.
 */
struct rowtab {
    struct rowtab_slot {
        uint32_t hash, row; /* row: + 1, 0 = free */
    } * slot;
    uint32_t cap, used;
};
uint32_t rowtab_hash(uint64_t a, uint64_t b);
static inline uint32_t rowtab_next(const struct rowtab *m, uint32_t hash, uint32_t *at)
{
    for (uint32_t i = *at; m->cap; i++) {
        const struct rowtab_slot *s = &m->slot[i & (m->cap - 1)];
        if (!s->row || s->hash == hash) {
            *at = i + 1;
            return s->row - 1;
        }
    }
    return TAB_NONE;
}
/* rowtab_ahead - a hash will be asked for soon; rowtab_near - a row that may have it, TAB_NONE: none, or not
 * known yet. */
static inline void rowtab_ahead(const struct rowtab *m, uint32_t hash)
{
    if (m->cap)
        __builtin_prefetch(&m->slot[hash & (m->cap - 1)]);
}
static inline uint32_t rowtab_near(const struct rowtab *m, uint32_t hash)
{
    const struct rowtab_slot *s = m->cap ? &m->slot[hash & (m->cap - 1)] : NULL;
    return s && s->hash == hash ? s->row - 1 : TAB_NONE;
}
bool rowtab_put(struct rowtab *m, uint32_t hash, uint32_t row);
bool rowtab_room(struct rowtab *m, uint32_t n);
void rowtab_free(struct rowtab *m);

/*
 * Sums of times stay within 2^60 ns (36 years): those of a hostile trace end there instead of wrapping
 * around, and a few of them may still be added without care.
 */
#define NS_MAX ((int64_t)1 << 60)
static inline int64_t ns_clamp(int64_t v)
{
    return v > NS_MAX ? NS_MAX : v < -NS_MAX ? -NS_MAX : v;
}
static inline int64_t ns_add(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? (b > 0 ? NS_MAX : -NS_MAX) : ns_clamp(r);
}
/* ns_more - ns_add() of sums that are no less than 0. */
static inline int64_t ns_more(int64_t sum, int64_t ns)
{
    return (uint64_t)ns <= (uint64_t)(NS_MAX - sum) ? sum + ns : ns_add(sum, ns);
}
/* ns_times - ns_mul() of what is no less than 0. */
static inline int64_t ns_times(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) || r > NS_MAX ? NS_MAX : r;
}
static inline int64_t ns_mul(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? ((a > 0) == (b > 0) ? NS_MAX : -NS_MAX) : ns_clamp(r);
}

/* ---- durations ----------------------------------------------------------------------------------------- */

/* Summary of a set of durations in ns. n = 0: all else is 0. sumsq is for the spread (dist_sd). */
struct dist {
    uint64_t n;
    int64_t min, max, total;
    int64_t p50, p90, p95, p99, p999; /* nearest rank; p999: 99.9 of 100 are no more */
    double sumsq;
};
int64_t dist_avg(const struct dist *d); /* 0 for n = 0 */
double dist_sd(const struct dist *d);   /* standard deviation of the sample, 0 for n < 2 */
/* dist_of - exact; v[0..n) is sorted then. */
void dist_of(struct dist *d, int64_t *v, size_t n);

/* cmp_ns - for qsort() of int64_t: the smallest first. */
int cmp_ns(const void *a, const void *b);

/* Rows by a number; rows_sort is stable. false: out of memory, or no longer wanted (slices.h). */
struct keyed_row {
    uint64_t key;
    uint32_t row;
};
bool rows_sort(struct keyed_row *v, size_t n);
/* most_first - a key by which what has most comes first. */
static inline uint64_t most_first(int64_t v)
{
    return (uint64_t)INT64_MAX - (uint64_t)v;
}
/* rows_order - order[i].row comes to place i, for each of n rows, and is i afterwards. false: out of memory,
 * or no longer wanted. */
bool rows_order(void *rows, size_t size, struct keyed_row *order, size_t n);

/* keys_sort - numbers by themselves; those that differ in nothing but what is below a bit stay in the order
 * in which they stand. As rows_sort(). */
bool keys_sort(uint64_t *v, size_t n, unsigned bit);

/*
 * A histogram of durations: exact below 64 ns, above with 32 steps per doubling, so a quantile is off by at
 * most 1.6 %. Count, total, smallest and largest are exact. 15 KB.
 */
#define HIST_BUCKETS 1888
struct hist {
    uint64_t n, count[HIST_BUCKETS];
    int64_t min, max, total;
    double sumsq;
};
static inline uint32_t hist_slot(int64_t ns) /* ns >= 0 */
{
    const uint32_t e = 63 ^ (uint32_t)__builtin_clzll((uint64_t)ns | 32); /* 5..62 */
    return (e - 5) * 32 + (uint32_t)(ns >> (e - 5));
}
/* hist_add - negative counts as 0. */
static inline void hist_add(struct hist *h, int64_t ns)
{
    ns = ns < 0 ? 0 : ns;
    const uint32_t i = hist_slot(ns);
    h->count[i < HIST_BUCKETS ? i : HIST_BUCKETS - 1]++;
    if (ns < h->min || !h->n)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
    h->total = ns_more(h->total, ns);
    h->sumsq += (double)ns * (double)ns;
    h->n++;
}
/* The same of many, no less than 0: what changes with each of them stands apart until hist_part_end(), which
 * is told their sum. */
struct hist_part {
    uint64_t n;
    int64_t min, max;
    double sumsq;
};
static inline struct hist_part hist_part(const struct hist *h)
{
    return (struct hist_part){.min = h->n ? h->min : INT64_MAX, .max = h->max, .sumsq = h->sumsq};
}
static inline void hist_part_add(struct hist *h, struct hist_part *p, int64_t ns)
{
    h->count[hist_slot(ns)]++;
    p->min = ns < p->min ? ns : p->min;
    p->max = ns > p->max ? ns : p->max;
    p->n++;
    p->sumsq += (double)ns * (double)ns;
}
static inline void hist_part_end(struct hist *h, const struct hist_part *p, int64_t total)
{
    h->n += p->n;
    h->min = h->n ? p->min : 0;
    h->max = p->max;
    h->total = ns_more(h->total, total);
    h->sumsq = p->sumsq;
}
void hist_sum(struct hist *h, const struct hist *more); /* what both hold */
/* hist_quantile - nearest rank of 0 <= q <= 1: the middle of its bucket (1.6 % off at most), exact of the
 * largest; 0: it is empty. hist_dist - all of a dist, quantiles that way. */
int64_t hist_quantile(const struct hist *h, double q);
void hist_dist(const struct hist *h, struct dist *d);
/* hist_between - how many are in [lo, hi), by whole buckets: give powers of two, or the answer is
 * approximate. */
uint64_t hist_between(const struct hist *h, int64_t lo, int64_t hi);

#endif
