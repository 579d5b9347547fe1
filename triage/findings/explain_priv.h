/*
 * explain_priv.h - the explainer's internals, for explain.c (goes from span to span), explain_tell.c
 * (attributes running and runnable time) and explain_stretch.c only.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_PRIV_H
#define GOTOP_TRIAGE_EXPLAIN_PRIV_H

#include "triage/findings/explain.h"
#include "triage/findings/untimed.h"

struct level {
    uint32_t g, up;
    int64_t lo, hi;   /* the interval still to be explained */
    int64_t first;    /* when its goroutine was created; INT64_MIN: not reached yet */
    uint32_t asked;   /* the function in which its parent waits */
    uint32_t at_hi;   /* its stack at hi, where it unblocked the goroutine that waited for it; 0: unknown */
    bool placed;      /* `it` stands at the span that covers hi - 1 */
    struct span next; /* the span after it; state ST_NONE if there is none */
    struct then then; /* what the goroutine does after it, as far as this level has read */
    struct span_iter it;
};

struct explainer {
    const struct trace *tr;
    struct level *level[EXPLAIN_DEPTH];
    uint32_t *region, *assist; /* their indices, by goroutine and begin */
    size_t nregions, nassists;
    uint64_t left, placed; /* placed: number of levels entered so far */
    struct ended ended;
    struct owners *own, *own_made; /* own_made: NULL, or that one */
    struct untimed *untimed;       /* NULL until a call without an end is met */
    uint32_t ng, np;
    explain_visit *visit; /* NULL: only the cost is asked for: what time is attributed to is not */
    void *arg;
    bool cut;
    struct trails *trails; /* NULL until a task is explained */
    struct legs legs;      /* of the piece being explained */
};

/* explain_tell - Pass a part to the visitor unless it is empty, and return the visitor's answer. */
uint32_t explain_tell(struct explainer *x, const struct level *l, struct explain_part p);
/* explain_tell_unless_stopped - Pass running or runnable time within span s, and pass the time of a STW in
 * it as EX_STOPPED. */
void explain_tell_unless_stopped(struct explainer *x, const struct level *l, struct explain_part p,
                                 const struct span *s);
/* explain_nobody_ran - True if a processor was idle for more than half of [t0,t1). */
bool explain_nobody_ran(const struct explainer *x, int64_t t0, int64_t t1);

#endif
