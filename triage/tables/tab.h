/*
 * tab.h - the small structures of triage's tables: a map from two 64-bit words to a row number, a histogram
 * of durations, and exact quantiles of an array. All allocate through decode/base/mem.h; an all-zero one is
 * empty.
 */
#ifndef GOTOP_TRIAGE_TAB_H
#define GOTOP_TRIAGE_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/wide.h"

/* ---- map ----------------------------------------------------------------------------------------------- */

struct tab {
    struct tab_item *items; /* uthash's, in tab.c */
    size_t room;            /* of the array of tab_row() */
};
#define TAB_NONE UINT32_MAX
void tab_free(struct tab *m);
uint32_t tab_get(const struct tab *m, uint64_t a, uint64_t b); /* TAB_NONE if the key is missing */
/* tab_put - returns the row of a key; a new key gets `fresh`, so an answer other than `fresh` means that
 * the key was there. Returns TAB_NONE when out of memory. */
uint32_t tab_put(struct tab *m, uint64_t a, uint64_t b, uint32_t fresh);

/* tab_row - returns the row of a key in an array of n rows, always the same one; a new row is all zero, and
 * *made is true. Returns NULL when out of memory. */
#define tab_row(tab, rows, n, a, b, made) tab_row_of(tab, (void **)&(rows), sizeof *(rows), &(n), a, b, made)
/* tab_row_with - the same; a new row has the members that follow. */
#define tab_row_with(tab, rows, n, a, b, ...) \
    __extension__({ \
        bool made_; \
        __typeof__(rows) row_ = tab_row(tab, rows, n, a, b, &made_); \
        if (row_ && made_) \
            *row_ = (__typeof__(*row_)){__VA_ARGS__}; \
        row_; \
    })
void *tab_row_of(struct tab *m, void **rows, size_t size, uint32_t *n, uint64_t a, uint64_t b, bool *made);

/* Sums of times saturate at 2^60 ns (36 years), so that a hostile trace cannot make them wrap around and a
 * few of them can still be added without a check. */
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
/* ns_more - ns_add() for sums that are at least 0. */
static inline int64_t ns_more(int64_t sum, int64_t ns)
{
    const uint64_t more = (uint64_t)sum + (uint64_t)ns;
    return more <= NS_MAX ? (int64_t)more : ns_add(sum, ns);
}
/* sum_over - the sum of `value`, an expression of the pointer p, over n rows, as ns_add() adds. */
#define sum_over(p, rows, n, value) \
    __extension__({ \
        int64_t sum_##p = 0; \
        each_of(p, rows, n) \
            sum_##p = ns_add(sum_##p, (int64_t)(value)); \
        sum_##p; \
    })
/* ns_sum - ns_more() of each of n sums. */
static inline void ns_sum(int64_t *sum, const int64_t *more, int n)
{
    for (int i = 0; i < n; i++)
        sum[i] = ns_more(sum[i], more[i]);
}
static inline int64_t ns_mul(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? ((a > 0) == (b > 0) ? NS_MAX : -NS_MAX) : ns_clamp(r);
}

/* ns_share - returns part / whole; 0 if there is no whole. */
static inline double ns_share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* ---- durations ----------------------------------------------------------------------------------------- */

/* A summary of a set of durations in ns. If n is 0, all else is 0. sumsq is for the standard deviation
 * (dist_sd). */
struct dist {
    uint64_t n;
    int64_t min, max, total;
    union { /* nearest rank; p999: the 99.9th percentile */
        struct {
            int64_t p50, p90, p95, p99, p999;
        };
        int64_t p[5];
    };
    double sumsq;
};
int64_t dist_avg(const struct dist *d); /* 0 for n = 0 */
double dist_sd(const struct dist *d);   /* standard deviation of the sample, 0 for n < 2 */
/* dist_of - computes the exact summary; sorts v[0..n). */
void dist_of(struct dist *d, int64_t *v, size_t n);

/* cmp_ns - compares two int64_t for qsort(), smallest first. ns_sort - sorts so. */
int cmp_ns(const void *a, const void *b);
void ns_sort(int64_t *v, size_t n);

/* rows_sort - sorts rows by a number, stably. Returns false when out of memory or no longer wanted
 * (slices.h). */
struct keyed_row {
    uint64_t key;
    uint32_t row;
};
bool rows_sort(struct keyed_row *v, size_t n);
/* most_first - returns a key that sorts the largest value first. */
static inline uint64_t most_first(int64_t v)
{
    return (uint64_t)INT64_MAX - (uint64_t)v;
}
/* MOST_ROWS - defines a key for rows_by() that sorts the rows of a type with the largest MEMBER first. */
#define MOST_ROWS(NAME, TYPE, MEMBER) \
    static uint64_t NAME(const void *row) \
    { \
        return most_first(((const TYPE *)row)->MEMBER); \
    }
/* rows_by - sorts rows where they stand by key(row), those alike by tie() or (NULL) as they stood. `to`, if
 * any, gets for each place the one that its row got; not with tie(). Returns as rows_sort(). */
bool rows_by(void *rows, size_t size, size_t n, uint64_t (*key)(const void *row),
             int (*tie)(const void *, const void *), uint32_t *to);

/* lane_order - returns the places of n rows sorted by lane, then time; free with mem_free(). Rows are `size`
 * bytes apart and have their lane (uint32_t) and their time (int64_t) at these offsets. NULL: out of memory,
 * or no longer wanted. */
uint32_t *lane_order(const void *rows, size_t size, size_t n, size_t lane, size_t time);

/* A histogram of durations is exact below 64 ns and has 32 steps per doubling above, so a quantile is off by
 * at most 1.6 %. Count, total, smallest and largest are exact. It takes 15 KB. */
#define HIST_BUCKETS 1888
struct hist {
    uint64_t n, count[HIST_BUCKETS];
    int64_t min, max, total;
    double sumsq;
};
static inline uint32_t hist_slot(int64_t ns) /* ns >= 0; below HIST_BUCKETS */
{
    const uint32_t e = 63 ^ (uint32_t)__builtin_clzll((uint64_t)ns | 32); /* 5..62 */
    return (e - 5) * 32 + (uint32_t)(ns >> (e - 5));
}
/* hist_add - adds one duration; a negative one counts as 0. */
static inline void hist_add(struct hist *h, int64_t ns)
{
    ns = ns < 0 ? 0 : ns;
    h->count[hist_slot(ns)]++;
    if (ns < h->min || !h->n)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
    h->total = ns_more(h->total, ns);
    h->sumsq += (double)ns * (double)ns;
    h->n++;
}
void hist_sum(struct hist *h, const struct hist *more); /* adds `more` to h */
/* hist_quantile - returns the nearest rank for 0 <= q <= 1: the middle of its bucket (at most 1.6 % off),
 * exact for the largest; 0 if it is empty. hist_dist - fills a whole dist, with quantiles of that
 * precision. */
int64_t hist_quantile(const struct hist *h, double q);
void hist_dist(const struct hist *h, struct dist *d);
/* hist_between - returns how many are in [lo, hi), by whole buckets: exact for powers of two, else
 * approximate. */
uint64_t hist_between(const struct hist *h, int64_t lo, int64_t hi);

#endif
