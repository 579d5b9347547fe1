/*
 * v1_rules.h - the commonest events of the first family, each written once: what it needs, what it changes,
 * what it tells.
 *
 * Two files include them: v1_fast.c, which carries out an event if everything is as it needs it, and
 * v1_emit.c, which makes it so first. Each defines before:
 *
 *   struct v1_at       .em; .e the event; .q the P it happened on
 *   at_put()           write that a goroutine goes into a state; if it has a P then, that is the event's
 *   at_put_back()      write that it is back from a system call that did not block
 *   at_stack()         the event's stack
 */
#include "decode/v1/v1_emit.h"

#define RULE static inline __attribute__((always_inline))

/* A runnable goroutine starts on a P that runs none. */
RULE bool can_start(const struct v1_g *s, const struct v1_p *q)
{
    return s->state == V1S_RUNNABLE && !q->g;
}

/* The one that can_start() starts. */
RULE void rule_start(const struct v1_at *at, struct v1_g *s)
{
    at_put(at, s, (struct v1_into){.state = ST_RUNNING});
    s->state = V1_LEAVES_GO_START;
    s->p = at->e->p;
    at->q->g = at->e->g;
}

/* Returns whether the event's goroutine runs on its P. */
RULE bool runs(const struct v1_g *s, const struct v1_p *q, const struct v1_ev *e)
{
    return s->state == V1S_RUNNING && q->g == e->g;
}

/* It stops, blocks or ends. */
RULE void rule_stop(const struct v1_at *at, struct v1_g *s)
{
    const struct v1_left *left = &V1_LEFT[at->e->tag.type];
    at_put(at, s, (struct v1_into){left->state, left->flags, at_stack(at), at->em->reason[at->e->tag.type]});
    s->state = left->becomes;
    s->p = EV_NONE;
    at->q->g = 0;
    if (s->state == V1S_ENDED)
        v1_emit_note_end(at->em, at->e->g);
}

/* It enters a system call. If that doesn't block its end is not recorded, and it takes no time, as Go shows
 * it. */
RULE void rule_call(const struct v1_at *at, struct v1_g *s, bool blocks)
{
    at_put(at, s, (struct v1_into){ST_SYSCALL, EVF_OWN_STACK, at_stack(at), 0});
    s->state = blocks ? V1_LEAVES_SYS_CALL : V1S_RUNNING;
    if (!blocks)
        at_put_back(at, s);
}

/* A goroutine that waits is woken. */
RULE bool waits(const struct v1_g *s)
{
    return s->state == V1S_WAITING;
}

/* It becomes runnable. by: who woke it, or (nobody did) the reason. */
RULE void rule_wake(const struct v1_at *at, struct v1_g *s, uint32_t by)
{
    at_put(at, s, (struct v1_into){ST_RUNNABLE, EVF_WOKEN, at_stack(at), by});
    s->state = V1_LEAVES_GO_UNBLOCK;
    s->p = EV_NONE;
}

#undef RULE
