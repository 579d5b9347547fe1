/*
 * explain_priv.h - the explainer's internals, for explain.c (goes from span to span), explain_tell.c
 * (attributes running and runnable time) and explain_stretch.c only.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_PRIV_H
#define GOTOP_TRIAGE_EXPLAIN_PRIV_H

#include "triage/findings/explain.h"

struct level {
    uint32_t g, up;
    int64_t lo, hi; /* what is still to be explained of it */
    int64_t first;  /* its goroutine's birth, INT64_MIN: not come to yet */
    uint32_t creator, create_stack, start_stack;
    bool
        by_timer; /* begun by no goroutine: by a timer that went off (time.AfterFunc, a context's deadline) */
    uint32_t asked;   /* the function its parent waits in */
    uint32_t at_hi;   /* its stack at hi, 0 unknown: where it woke who waited for it */
    bool placed;      /* `it` stands at the span that covers hi - 1 */
    struct span next; /* the span behind, state ST_NONE if there is none */
    struct then then; /* what is done behind it, as far as the level was there */
    struct span_iter it;
};

struct by_g { /* regions by goroutine and begin */
    uint32_t g;
    uint32_t region;
};

struct explainer {
    const struct trace *tr;
    struct level *level[EXPLAIN_DEPTH];
    struct by_g *region;
    size_t nregions;
    uint16_t *user; /* stacks_user_frame() + 1 by stack, 0: not asked yet */
    uint32_t nstacks;
    uint64_t left, placed; /* placed: levels begun so far */
    struct ended ended;
    struct owners *own; /* explain_owners() */
    uint32_t ng, np;
    explain_visit *visit;
    void *arg;
    bool cut, failed;
    struct trails *trails; /* once a task was asked for */
    struct legs legs;      /* of the piece that is explained */
};

/* explain_tell - a part to the visitor, if it has any length. Its answer. */
uint32_t explain_tell(struct explainer *x, const struct level *l, struct explain_part p);
/* explain_tell_unless_stopped - running or runnable within span s, without what stops of the world took of
 * it: that is told as theirs. */
void explain_tell_unless_stopped(struct explainer *x, const struct level *l, struct explain_part p,
                                 const struct span *s);
/* explain_nobody_ran - was a processor idle for more than half of [t0,t1)? */
bool explain_nobody_ran(const struct explainer *x, int64_t t0, int64_t t1);
/* explain_user_frame - stacks_user_frame(), remembered. */
uint32_t explain_user_frame(struct explainer *x, uint32_t stack);

#endif
