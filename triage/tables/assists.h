/*
 * assists.h - when goroutines ran within a mark assist: they may be stopped there, and may wait for work to
 * assist with.
 *
 * A goroutine assists again and again, so its assists are gone through together: what it did is unpacked
 * once, not once for each.
 */
#ifndef GOTOP_TRIAGE_ASSISTS_H
#define GOTOP_TRIAGE_ASSISTS_H

#include "decode/trace.h"
#include "triage/tables/tab.h"

/* A goroutine's assist, and a time that overlaps it in which it ran, on which P (NO_LANE: not known). */
struct assist_run {
    const struct range *r;
    int64_t t0, t1;
    uint8_t state;
    uint32_t p;
};
/* assists_each - all of them, one goroutine after another, by time. Returns false as soon as f does, or is
 * unwanted, or without memory. */
bool assists_each(const struct trace *tr, bool (*f)(void *arg, const struct assist_run *a), void *arg);

/*
 * The same for who goes through all goroutines' spans anyway. assist_rows_init - which assists there are;
 * false: out of memory, or unwanted. assist_rows_of - those of goroutines g0 .. g1-1: before anybody walks.
 * assist_walk_of - a goroutine's, told to f; *from: 0 at first, for goroutines in ascending order.
 * assist_walk_run - its next spans, if assist_walk_wants() those before `end`; walk->ok: false as soon as f
 * returns that. Parts of the rows may be walked at once.
 */
struct assist_rows {
    const struct range *r;
    uint32_t *row; /* by owner, by number */
    size_t n;
};
static inline uint32_t assist_owner(const struct assist_rows *a, size_t i)
{
    return a->r[a->row[i]].owner;
}
bool assist_rows_init(struct assist_rows *a, const struct trace *tr);
struct assist_rows assist_rows_of(const struct assist_rows *a, uint32_t g0, uint32_t g1);
void assist_rows_free(struct assist_rows *a);

struct assist_walk { /* along one goroutine */
    const struct range *r;
    uint32_t *row; /* its assists: rows of r */
    size_t n, i;   /* those before i are told */
    bool further;  /* the next one is further on than a block */
    bool (*f)(void *arg, const struct assist_run *a);
    void *arg;
    bool ok;
};
struct assist_walk assist_walk_of(const struct assist_rows *a, size_t *from, uint32_t g,
                                  bool (*f)(void *arg, const struct assist_run *a), void *arg);
static inline bool assist_walk_wants(const struct assist_walk *w, int64_t end)
{
    return w->i < w->n && w->r[w->row[w->i]].t0 < end;
}
void assist_walk_run(struct assist_walk *w, const struct span_run *run);

/*
 * When goroutines ran within an assist, and where, in some bytes each: in lists, within which no time begins
 * before the last one is over. assist_times_add - one more, t0 < t1; assist_times_join - another's lists
 * behind these; false: out of memory. assist_list - the i-th, for assist_list_next(), which is false behind
 * its end.
 */
struct assist_time {
    int64_t t0, t1;
    uint32_t p; /* NO_LANE: not known */
};
struct assist_times {
    uint8_t *bytes;
    size_t n, cap;
    size_t *list; /* where each begins */
    size_t nlists, caplists, ntimes;
    int64_t last; /* the end of the last one's last time */
};
struct assist_list {
    const uint8_t *at, *end;
    int64_t t;
};
bool assist_times_add(struct assist_times *a, const struct assist_time *x);
bool assist_times_join(struct assist_times *a, const struct assist_times *more);
void assist_times_free(struct assist_times *a);
struct assist_list assist_list(const struct assist_times *a, size_t i);
bool assist_list_next(struct assist_list *l, struct assist_time *x);

#endif
