/*
 * idle_reason.h - why a processor was idle: in an interval, for how long of its idle time the world was
 * stopped, goroutines were runnable elsewhere, or there was nothing to run; and which goroutines those were.
 *
 * A sum over the interval's every nanosecond, not a sample: idle = stopped + ready + none. It is added up in
 * steps, since it asks all goroutines that live in the interval.
 */
#ifndef GOTOP_TRIAGE_IDLE_REASON_H
#define GOTOP_TRIAGE_IDLE_REASON_H

#include "decode/model/alive.h"
#include "triage/activity/asof.h"

enum { IDLE_REASON_TOP = 24 };
struct idle_reason_wait {
    uint32_t g;
    int64_t ns;     /* of this wait, within the idle time, while the world was not stopped */
    int64_t t0, t1; /* the whole runnable span */
};
struct idle_reason_sum {
    int64_t idle, stopped, ready, none;
    uint32_t least, most; /* goroutines runnable at a time, while any was: of `ready` */
    uint64_t waits;       /* runnable spans that have such a part */
    struct idle_reason_wait top[IDLE_REASON_TOP]; /* the longest, by ns, earliest first among equals */
    uint32_t ntop;
    bool failed; /* out of memory: the sums are not complete, and will not be */
};

struct idle_reason;
/* idle_reason_new - of processor p in [t0,t1). alive: the goroutines'. NULL: out of memory. Void once the
 * trace goes on. */
struct idle_reason *idle_reason_new(const struct trace *tr, struct alive *alive, uint32_t p, int64_t t0,
                                    int64_t t1);
void idle_reason_free(struct idle_reason *l);
bool idle_reason_step(struct idle_reason *l, int64_t budget_ns); /* true: complete (or failed) */
int idle_reason_share(const struct idle_reason *l);              /* how far it is, in per cent */
const struct idle_reason_sum *idle_reason_get(const struct idle_reason *l);

/* idle_reason_is - is it (NULL: no) of just that, and still true of a trace that goes on? idle_reason_holds -
 * the latter alone. idle_reason_done - is it complete, or failed? */
bool idle_reason_is(const struct idle_reason *l, uint32_t p, int64_t t0, int64_t t1);
bool idle_reason_holds(const struct idle_reason *l);
bool idle_reason_done(const struct idle_reason *l);
/* idle_reason_most - was the processor idle for half of the interval or more? */
bool idle_reason_most(const struct idle_reason *l);

#endif
