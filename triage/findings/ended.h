/*
 * ended.h - how a goroutine's wait ended, as a category of explain.h: unblocked by a goroutine, the
 * network, a timer or the runtime, or never. Explanations, views, SQL and verdicts all use it.
 *
 * A trace records who ended a wait, which is nobody for both the network and timers. A goroutine that is
 * unblocked because data arrived reads it at once with a system call; one that is unblocked by a deadline
 * does not. EX_DEADLINE is returned only if nobody ended the wait, the next span is recorded, and the trace
 * has read system calls at all.
 *
 * Use: ended_init(), ended_how() for any number of waits. Single-threaded.
 */
#ifndef GOTOP_TRIAGE_ENDED_H
#define GOTOP_TRIAGE_ENDED_H

#include "decode/trace.h"

struct ended {
    const struct trace *tr;
    uint32_t ng;
    int8_t recorded; /* whether the trace has read system calls; -1: unknown yet */
    struct span_iter it;
};
void ended_init(struct ended *e, const struct trace *tr);

/* What a goroutine does after a wait, once it has run: the next span of another kind. */
struct then {
    uint8_t state; /* ST_NONE: unknown, ended_how() finds it */
    uint32_t stack;
};
/* then_is - Update with the span before; true if that changes what comes next for the spans before it. */
static inline void then_is(struct then *k, const struct span *s)
{
    if (s->state != ST_RUNNABLE && s->state != ST_RUNNING)
        *k = (struct then){s->state, s->stack};
}

/* ended_how - Returns how wait s of goroutine g ended, as an enum explain_cat. next is the span after it
 * (ST_NONE: none). Stores the enum wait_kind in *kind. */
uint8_t ended_how(struct ended *e, uint32_t g, const struct span *s, const struct span *next,
                  struct then then, uint8_t *kind);

#endif
