/*
 * idle_reason.h - why a processor was idle in an interval: how much of its idle time the world was stopped,
 * goroutines were runnable elsewhere, or nothing was runnable; and which goroutines those were.
 *
 * The sums are exact, not sampled: idle = stopped + ready + none. They are computed in steps, because all
 * goroutines that live in the interval are examined.
 */
#ifndef GOTOP_TRIAGE_IDLE_REASON_H
#define GOTOP_TRIAGE_IDLE_REASON_H

#include "decode/model/alive.h"

enum { IDLE_REASON_TOP = 24 };
struct idle_reason_wait {
    uint32_t g;
    int64_t ns;     /* the part of the wait within the idle time while the world was not stopped */
    int64_t t0, t1; /* the whole runnable span */
};
struct idle_reason_sum {
    int64_t idle, stopped, ready, none;
    uint32_t least, most;                         /* average number of runnable goroutines during `ready` */
    uint64_t waits;                               /* number of runnable spans with such a part */
    struct idle_reason_wait top[IDLE_REASON_TOP]; /* the longest ones, by ns; equal ones by time */
    uint32_t ntop;
    bool failed; /* out of memory: the sums stay incomplete */
};

struct idle_reason {
    const struct trace *tr;
    struct alive *alive;
    uint32_t p;
    int64_t t0, t1;
    struct idle_reason_sum sum;
    bool done;  /* it is complete or failed */
    int64_t at; /* up to here it is summed up */
    /* the trace as it was when this was started */
    uint64_t events;
    int64_t end;
    uint32_t epoch;
    /* a piece of the interval, while it is gathered: see idle_reason.c */
    struct slices *slices;
    int64_t w0, w1;
    uint32_t g; /* who is looked at */
    bool many;  /* changes: more than fit */
    struct idle_change *d;
    size_t n, cap;
};
/* idle_reason_new - starts the sums for processor p in [t0,t1). alive belongs to the goroutines. Returns
 * NULL if out of memory. The result becomes stale when the trace grows. */
struct idle_reason *idle_reason_new(const struct trace *tr, struct alive *alive, uint32_t p, int64_t t0,
                                    int64_t t1);
void idle_reason_free(struct idle_reason *l);
bool idle_reason_step(struct idle_reason *l, int64_t budget_ns); /* returns true when complete or failed */
int idle_reason_share(const struct idle_reason *l);              /* progress in per cent */

/* idle_reason_holds - returns whether l is not stale. All before a trace's end is final (trace.h), so only an
 * interval that reached that end may be. idle_reason_is - returns whether l (NULL: no) covers exactly that
 * processor and interval and is not stale. */
bool idle_reason_holds(const struct idle_reason *l);
bool idle_reason_is(const struct idle_reason *l, uint32_t p, int64_t t0, int64_t t1);

#endif
