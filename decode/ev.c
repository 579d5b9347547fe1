/* ev.c - see ev.h. */
#include "decode/ev.h"

#include <string.h>

#include "decode/trace.h"

/* What an event of one goroutine leaves open, where g runs on p and m. */
static struct ev on_lane(const struct ev_stream *s, uint32_t g, uint8_t state, uint16_t flags)
{
    bool there = state == ST_RUNNING || state == ST_SYSCALL;
    return (struct ev){.t = s->t, .kind = EVK_G_STATE, .state = state, .flags = flags, .g = g, .p = there ? s->p : EV_NONE,
                       .m = there ? s->m : EV_NONE, .by = EV_NONE};
}

bool ev_next(struct ev_stream *s, struct ev *e)
{
    if (s->back) {
        s->back = false;
        s->t++;
        *e = on_lane(s, s->g, ST_RUNNING, 0);
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
        *e = on_lane(s, v->g, ST_RUNNING, 0);
        break;
    case EVS_LEAVE:
        *e = on_lane(s, s->g, v->state, v->state == ST_NONE ? 0 : v->state == ST_RUNNABLE ? EVF_OWN_STACK | EVF_STOPPED : EVF_OWN_STACK);
        e->str = v->g;
        s->g = EV_NONE;
        break;
    case EVS_WAKE:
        *e = on_lane(s, v->g, ST_RUNNABLE, EVF_WOKEN);
        e->by = s->g;
        break;
    default:
        *e = on_lane(s, s->g, ST_SYSCALL, EVF_OWN_STACK);
        s->back = v->kind == EVS_CALL;
        break;
    }
    e->stack = v->stack;
    return true;
}
