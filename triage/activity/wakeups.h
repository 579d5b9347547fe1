/*
 * wakeups.h - who woke or created whom, from one goroutine on, and when a lane is in a state again. Nothing
 * is walked from end to end where an index can answer; what may take long is done in steps.
 */
#ifndef GOTOP_TRIAGE_WAKEUPS_H
#define GOTOP_TRIAGE_WAKEUPS_H

#include "decode/model/alive.h"
#include "decode/trace.h"

/* wakeups_newborn - is this span of goroutine g the one that began as it was created? Who it names woke
 * nobody. */
bool wakeups_newborn(const struct trace *tr, uint32_t g, const struct span *s);

struct wakeup {
    uint32_t g, by; /* by NO_LANE: the trace doesn't say */
    int64_t t;
    bool created; /* not woken */
};
/*
 * wakeups_cause - through whom goroutine g came to what it does at t: who woke it; who ends the wait, or the
 * call, that it is in then; or who created it. *most: how many spans to look at; 0 then: they ended first.
 */
struct wakeup wakeups_cause(const struct trace *tr, uint32_t g, int64_t t, int *most);

/*
 * Whom a goroutine woke first from a moment on: looked for in windows that grow. Set by, from and len (of the
 * first window), the rest 0.
 */
struct wakeups_next {
    uint32_t by;
    int64_t from, len;
    bool found, cut; /* cut: too many spans were looked at */
    struct wakeup w; /* what was found */
    int64_t spans;   /* looked at */
    uint32_t at;     /* goroutine to look at in the window */
};
/* wakeups_step - for about budget_ns (INT64_MAX: to its end); true: it is done. alive: of the goroutines. */
bool wakeups_step(struct wakeups_next *n, const struct trace *tr, struct alive *alive, int64_t budget_ns);

/*
 * Who is related to goroutine g: its creator, those that it created, those that woke it, and whom it wakes in
 * [t0,t1). Set g, t0, t1.
 */
enum { RELATED_MOST = 400 };
struct related {
    uint32_t g;
    int64_t t0, t1;
    uint32_t lane[RELATED_MOST], n;
    uint32_t created; /* of those, by g */
    bool cut, few;    /* not all wake-ups were looked at; it created more than that */
    uint32_t next;    /* the goroutine to look at next: did g create that one? */
};
bool related_step(struct related *r, const struct trace *tr, struct alive *alive, int64_t budget_ns);

/* wakeups_state - the next time behind `from`, before `until`, that a lane is in a state; until < from: the
 * last time before `from`. NO_TIME: never. */
int64_t wakeups_state(const struct trace *tr, struct lane l, enum state st, int64_t from, int64_t until);

#endif
