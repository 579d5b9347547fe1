/*
 * v1_play.c - see v1_play.h.
 *
 * Relies on: a goroutine that is runnable, running, waiting or in a system call has a lane (v1_emit.c gives it one
 * first), and the goroutine a P is noted to run is noted to run on a P that has begun.
 */
#include "decode/v1_play.h"

#include "decode/mem.h"

struct stop { uint8_t next, state; uint16_t flags; }; /* V1S_*, enum state */
static const struct stop STOP[V1_TYPES] = {
#define NONE_ { V1S_ENDED, ST_NONE, 0 }
#define WAITING_ { V1S_WAITING, ST_WAITING, EVF_OWN_STACK }
#define RUNNABLE_ { V1S_RUNNABLE, ST_RUNNABLE, EVF_OWN_STACK | EVF_STOPPED }
#define V1_STOPS(id, state, reason) [V1_##id] = state##_,
#include "decode/events_v1.def"
};

/* at_time - the event's time, unless that needs a closer look. */
static inline bool at_time(struct v1_emit *em, uint64_t ticks)
{
    uint64_t d = ticks - em->base;
    if ((int64_t)ticks < em->max || d > em->far)
        return false;
    em->max = (int64_t)ticks;
    int64_t t = (int64_t)((double)(int64_t)d * em->ns_per_tick);
    em->now = t;
    em->last = t > em->last ? t : em->last + em->clock;
    return true;
}

static inline uint32_t stack_of(const struct v1_emit *em, uint32_t id)
{
    uint64_t val = id < em->ix->stacks.ndense ? em->ix->stacks.dense[id] : 0;
    return val & V1_KNOWN && val != UINT64_MAX ? (uint32_t)val : v1_stack(em->vn, id);
}

/* common - the neutral events of a common one; false: it is none, and nothing was done. */
static inline bool common(struct v1_emit *em, const struct v1_ev *e, const struct v1_cursor *c)
{
    struct v1_g *rows = em->o->d.g, *s = &rows[e->rule_g];
    struct v1_p *q = &em->p[e->p];
    struct ev *v = &em->out[em->n];
    const struct stop *stop;
    uint32_t by;
    if (e->stack == V1_FAR_STACK)
        return false;
    switch (e->tag.way) {
    case V1_WAY_START:
        if (s->state != V1S_RUNNABLE || !q->begun || q->g || !at_time(em, e->ticks))
            return false;
        *v = (struct ev){ .t = em->last, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = s->lane, .p = q->lane, .m = q->m,
                          .by = EV_NONE };
        s->state = V1S_RUNNING;
        s->p = e->p;
        q->g = e->g;
        break;
    case V1_WAY_STOP:
        if (s->state != V1S_RUNNING || q->g != e->rule_g || !at_time(em, e->ticks))
            return false;
        stop = &STOP[e->tag.type];
        *v = (struct ev){ .t = em->last, .kind = EVK_G_STATE, .state = stop->state, .flags = stop->flags, .g = s->lane,
                          .p = EV_NONE, .m = EV_NONE, .by = EV_NONE, .stack = stack_of(em, e->stack),
                          .str = em->reason[e->tag.type] };
        s->state = stop->next;
        s->p = EV_NONE;
        q->g = 0;
        if (stop->next == V1S_ENDED)
            v1_emit_note_end(em, e->g);
        break;
    case V1_WAY_WAKE:
        by = rows[e->g].lane;
        if (s->state != V1S_WAITING || (by == EV_NONE && e->g) || !at_time(em, e->ticks))
            return false;
        *v = (struct ev){ .t = em->last, .kind = EVK_G_STATE, .state = ST_RUNNABLE, .flags = EVF_WOKEN, .g = s->lane,
                          .p = EV_NONE, .m = EV_NONE, .by = by, .stack = stack_of(em, e->stack) };
        s->state = V1S_RUNNABLE;
        s->p = EV_NONE;
        break;
    case V1_WAY_CALL:
        s = &rows[e->g];
        if (s->state != V1S_RUNNING || q->g != e->g || !at_time(em, e->ticks))
            return false;
        *v = (struct ev){ .t = em->last, .kind = EVK_G_STATE, .state = ST_SYSCALL, .flags = EVF_OWN_STACK, .g = s->lane,
                          .p = q->lane, .m = q->m, .by = EV_NONE, .stack = stack_of(em, e->stack) };
        if (v1_blocks(&em->o->d, c)) {
            s->state = V1S_SYSCALL;
            break;
        }
        em->last++;
        *++v = (struct ev){ .t = em->last, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = s->lane, .p = q->lane,
                            .m = q->m, .by = EV_NONE };
        em->n++;
        break;
    default:
        return false;
    }
    em->n++;
    return true;
}

/* one_p - as long as it is the one whose turn it is. false: the rest is not for this loop. */
static inline bool one_p(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    struct v1_decoder *d = &o->d;
    uint32_t cur = o->heap[v1_order_top(o)].cur;
    struct v1_cursor *c = &d->cur[cur];
    int64_t limit = v1_order_limit(o);
    const struct v1_ev *e = v1_ring(d, c, c->head);
    if (c->forced || !v1_ready(d, e))
        return false;
    for (;;) {
        if (em->n + V1_EMIT_MAX > cap || (int64_t)e->ticks > o->side || e->tag.way == V1_WAY_ODD)
            return false;
        bool more = ++c->head != c->fill || v1_fill(d, c);
        if (d->oom)
            return false;
        struct v1_g *g = &d->g[e->rule_g];
        g->key += (uint64_t)(int64_t)e->tag.delta;
        uint32_t waiters = g->waiters;
        if (!common(em, e, c))
            v1_emit_event(em, e);
        const struct v1_ev *x = v1_ring(d, c, c->head);
        if (!more || waiters || !v1_ready(d, x)) {
            v1_order_settle(o, e->rule_g, cur, more);
            return true;
        }
        if ((int64_t)x->ticks >= limit) {
            v1_order_replace(o, (int64_t)x->ticks);
            return true;
        }
        o->heap[v1_order_top(o)].key = (int64_t)x->ticks;
        e = x;
    }
}

void v1_play(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    if (o->by_time || o->head || o->d.oom || em->listing)
        return;
    while (o->nheap && o->work <= o->max_work && one_p(em, cap) && !em->vn->oom)
        ;
}
