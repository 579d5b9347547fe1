/* ev.c - see ev.h. */
#include "decode/events/ev.h"

#include <string.h>

#include "decode/trace.h"

/* A transition of g, with what a short one says of it; where it runs: on p and m. */
static inline void put(struct ev *e, const struct ev_stream *s, uint32_t g, uint8_t state, uint16_t flags,
                       uint32_t stack)
{
    bool there = state == ST_RUNNING || state == ST_SYSCALL;
    memset(e, 0, sizeof *e);
    e->t = s->t;
    e->kind = EVK_G_STATE;
    e->state = state;
    e->flags = flags;
    e->g = g;
    e->p = there ? s->p : EV_NONE;
    e->m = there ? s->m : EV_NONE;
    e->by = EV_NONE;
    e->stack = stack;
}

bool ev_next(struct ev_stream *s, struct ev *e)
{
    if (s->back) {
        s->back = false;
        s->t++;
        put(e, s, s->g, ST_RUNNING, 0, 0);
        return true;
    }
    for (; s->v < s->end && s->v->kind == EVS_ON; s->v++) {
        s->p = s->v->dt;
        s->m = s->v->stack;
        s->g = s->v->g;
    }
    if (s->v >= s->end)
        return false;
    const struct evs *v = s->v++;
    if (v->kind < EVS_ON) {
        memcpy(e, v, sizeof *e);
        s->t = e->flags & EVF_QUIET ? s->t : e->t;
        s->v = v + EVS_LONG;
        return true;
    }
    s->t += v->dt;
    switch (v->kind) {
    case EVS_START:
        s->g = v->g;
        put(e, s, v->g, ST_RUNNING, 0, v->stack);
        break;
    case EVS_LEAVE:
        put(e, s, s->g, v->state,
            v->state == ST_NONE       ? 0
            : v->state == ST_RUNNABLE ? EVF_OWN_STACK | EVF_STOPPED
                                      : EVF_OWN_STACK,
            v->stack);
        e->str = v->g;
        s->g = EV_NONE;
        break;
    case EVS_WAKE:
        put(e, s, v->g, ST_RUNNABLE, EVF_WOKEN, v->stack);
        e->by = s->g;
        break;
    case EVS_EXIT: put(e, s, s->g, ST_RUNNING, 0, v->stack); break;
    default:
        put(e, s, s->g, ST_SYSCALL, EVF_OWN_STACK, v->stack);
        s->back = v->kind == EVS_CALL;
        break;
    }
    return true;
}
