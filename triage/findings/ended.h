/*
 * ended.h - how a goroutine's wait ended, as a category of explain.h: by a goroutine, by the network, by a
 * timer, by the runtime, or not at all. Explanations, views, SQL and verdicts all take it from here.
 *
 * What a trace records is who ended a wait, and that is nobody for the network and for timers alike. Who
 * waits to read, and is woken because there is something, reads it by a system call at once; who is woken by
 * a deadline does not. That is told (EX_DEADLINE) where nobody ended the wait, what follows is recorded, and
 * the trace has system calls that read at all.
 *
 * Use: ended_init(), ended_how() for as many waits as wanted, ended_free(). Memory: a byte for each stack.
 * One thread.
 */
#ifndef GOTOP_TRIAGE_ENDED_H
#define GOTOP_TRIAGE_ENDED_H

#include "decode/trace.h"

struct ended {
    const struct trace *tr;
    uint8_t *reads; /* by stack: 0 not asked yet, 1 no, 2 a read from the network or a file */
    uint32_t nstacks, ng;
    int8_t recorded; /* are there system calls that read? -1: not asked yet */
    struct span_iter it;
};
bool ended_init(struct ended *e, const struct trace *tr); /* false: out of memory */
void ended_free(struct ended *e);

/* What a goroutine does after a wait, when it has run: the next span of another kind. */
struct then {
    uint8_t state; /* ST_NONE: not known, ended_how() looks for itself */
    uint32_t stack;
};
/* then_is - one span earlier: does it change what comes next for those before it? */
static inline void then_is(struct then *k, const struct span *s)
{
    if (s->state != ST_RUNNABLE && s->state != ST_RUNNING)
        *k = (struct then){s->state, s->stack};
}

/*
 * ended_how - goroutine g waited, s; next follows it (ST_NONE: nothing does). The category is an enum
 * explain_cat; *kind: an enum wait_kind.
 */
uint8_t ended_how(struct ended *e, uint32_t g, const struct span *s, const struct span *next,
                  struct then then, uint8_t *kind);

#endif
