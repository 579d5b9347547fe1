/*
 * wakeups.h - which goroutine unblocked or created which, starting from one goroutine, and when a lane next
 * enters a state. Uses indexes instead of walks where it can; long searches run in steps.
 */
#ifndef GOTOP_TRIAGE_WAKEUPS_H
#define GOTOP_TRIAGE_WAKEUPS_H

#include "decode/model/alive.h"
#include "decode/trace.h"

/* wakeups_newborn - returns whether this span of goroutine g began with its creation. The goroutine that it
 * names created g and unblocked nobody. */
bool wakeups_newborn(const struct trace *tr, uint32_t g, const struct span *s);

struct wakeup {
    uint32_t g, by; /* by is NO_LANE if the trace does not record it */
    int64_t t;
    bool created; /* created, not unblocked */
};
/* wakeups_cause - returns the goroutine that caused what g does at t: the one that unblocked it, that ends
 * its current wait or call, or that created it. *most is the number of spans to examine; 0 on return if
 * they ran out. */
struct wakeup wakeups_cause(const struct trace *tr, uint32_t g, int64_t t, int *most);

/* Search for the first goroutine that `by` unblocked from a moment on, in growing windows. Set by, from and
 * len (of the first window), and the rest to 0. */
struct wakeups_next {
    uint32_t by;
    int64_t from, len;
    bool found, cut; /* cut: the search ended at its limit of spans */
    struct wakeup w; /* the result */
    int64_t spans;   /* number of spans examined */
    uint32_t at;     /* the next goroutine to examine in the window */
};
/* wakeups_step - searches for about budget_ns (INT64_MAX: to the end). Returns true when done. alive
 * belongs to the goroutines. */
bool wakeups_step(struct wakeups_next *n, const struct trace *tr, struct alive *alive, int64_t budget_ns);

/* The goroutines related to g: its creator, those it created, those that unblocked it, and those it
 * unblocks in [t0,t1). Set g, t0 and t1. */
enum { RELATED_MOST = 400 };
struct related {
    uint32_t g;
    int64_t t0, t1;
    uint32_t lane[RELATED_MOST], n;
    uint32_t created; /* how many of those g created */
    bool cut, few;    /* not all wake-ups were examined; g created more than fit */
    uint32_t next;    /* the next goroutine to examine as a possible child of g */
};
bool related_step(struct related *r, const struct trace *tr, struct alive *alive, int64_t budget_ns);

/* wakeups_state - returns the next time after `from` and before `until` at which a lane is in a state; if
 * until < from, the last time before `from`. Returns NO_TIME if there is none. */
int64_t wakeups_state(const struct trace *tr, struct lane l, enum state st, int64_t from, int64_t until);

#endif
