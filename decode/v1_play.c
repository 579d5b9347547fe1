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

/* Events on the P of a system call that don't say at once that it did not block. */
#define ASK (UINT64_C(1) << V1_SYS_BLOCK | UINT64_C(1) << V1_GC_START | UINT64_C(1) << V1_GC_DONE | \
             UINT64_C(1) << V1_STW_START | UINT64_C(1) << V1_STW_DONE | UINT64_C(1) << V1_SYS_EXIT | \
             UINT64_C(1) << V1_SYS_EXIT_LOCAL | UINT64_C(1) << V1_GO_WAITING | UINT64_C(1) << V1_GO_IN_SYSCALL | \
             UINT64_C(1) << V1_CPU_SAMPLE)

/* What the loop needs of the emitter, kept out of memory's way; as it stands there between load() and save(). */
struct hot {
    struct ev *v;            /* the next neutral event */
    struct v1_g *rows;
    const uint64_t *stacks;
    uint64_t nstacks, base, far;
    int64_t max, now, last, clock;
    double ns_per_tick;
};

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void load(struct hot *h, const struct v1_emit *em)
{
    *h = (struct hot){ .v = em->out + em->n, .rows = em->o->d.g, .stacks = em->ix->stacks.dense,
                       .nstacks = em->ix->stacks.ndense, .base = em->base, .far = em->far, .max = em->max,
                       .now = em->now, .last = em->last, .clock = em->clock, .ns_per_tick = em->ns_per_tick };
}

ALWAYS void save(const struct hot *h, struct v1_emit *em)
{
    em->n = (size_t)(h->v - em->out);
    em->max = h->max;
    em->now = h->now;
    em->last = h->last;
}

/* at_time - the event's time, unless that needs a closer look. */
ALWAYS bool at_time(struct hot *h, uint64_t ticks)
{
    uint64_t d = ticks - h->base;
    if ((int64_t)ticks < h->max || d > h->far)
        return false;
    h->max = (int64_t)ticks;
    h->now = (int64_t)((double)(int64_t)d * h->ns_per_tick);
    h->last = h->now > h->last ? h->now : h->last + h->clock;
    return true;
}

ALWAYS uint32_t stack_of(const struct hot *h, struct v1_emit *em, const struct v1_ev *e)
{
    _Static_assert(V1_KNOWN == UINT64_C(1) << 63, "known ids are negative numbers, and -1 is none");
    int64_t val = e->stack < h->nstacks ? (int64_t)h->stacks[e->stack] : 0;
    return val < -1 ? (uint32_t)val : v1_stack(em->vn, v1_ev_stack(&em->o->d, e));
}

/* common - the neutral events of a common one; x is the next on its P. false: it is none, and nothing was done. */
ALWAYS bool common(struct hot *h, struct v1_emit *em, const struct v1_ev *e, struct v1_p *q, const struct v1_cursor *c,
                   const struct v1_ev *x)
{
    struct v1_g *s = &h->rows[e->rule_g];
    const struct stop *stop;
    uint32_t by;
    switch (e->tag.way) {
    case V1_WAY_START:
        if (s->state != V1S_RUNNABLE || !q->begun || q->g || !at_time(h, e->ticks))
            return false;
        *h->v++ = (struct ev){ .t = h->last, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = s->lane, .p = q->lane,
                               .m = q->m, .by = EV_NONE, .on_p = q->lane + 1, .on_m = q->m + 1 };
        s->state = V1S_RUNNING;
        s->p = e->p;
        q->g = e->g;
        return true;
    case V1_WAY_STOP:
        if (s->state != V1S_RUNNING || q->g != e->rule_g || !at_time(h, e->ticks))
            return false;
        stop = &STOP[e->tag.type];
        *h->v++ = (struct ev){ .t = h->last, .kind = EVK_G_STATE, .state = stop->state, .flags = stop->flags,
                               .g = s->lane, .p = EV_NONE, .m = EV_NONE, .by = EV_NONE,
                               .stack = stack_of(h, em, e), .str = em->reason[e->tag.type],
                               .on_p = q->lane + 1, .on_m = q->m + 1 };
        s->state = stop->next;
        s->p = EV_NONE;
        q->g = 0;
        if (stop->next == V1S_ENDED)
            v1_emit_note_end(em, e->g);
        return true;
    case V1_WAY_WAKE:
        by = h->rows[e->g].lane;
        if (s->state != V1S_WAITING || (by == EV_NONE && e->g) || !at_time(h, e->ticks))
            return false;
        *h->v++ = (struct ev){ .t = h->last, .kind = EVK_G_STATE, .state = ST_RUNNABLE, .flags = EVF_WOKEN,
                               .g = s->lane, .p = EV_NONE, .m = EV_NONE, .by = by,
                               .stack = stack_of(h, em, e), .on_p = q->lane + 1, .on_m = q->m + 1 };
        s->state = V1S_RUNNABLE;
        s->p = EV_NONE;
        return true;
    case V1_WAY_CALL:
        s = &h->rows[e->g];
        if (s->state != V1S_RUNNING || q->g != e->g || !at_time(h, e->ticks))
            return false;
        *h->v++ = (struct ev){ .t = h->last, .kind = EVK_G_STATE, .state = ST_SYSCALL, .flags = EVF_OWN_STACK,
                               .g = s->lane, .p = q->lane, .m = q->m, .by = EV_NONE,
                               .stack = stack_of(h, em, e), .on_p = q->lane + 1, .on_m = q->m + 1 };
        if ((!x || ASK >> x->tag.type & 1) && v1_blocks(&em->o->d, c)) {
            s->state = V1S_SYSCALL;
            return true;
        }
        h->last++;
        *h->v++ = (struct ev){ .t = h->last, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = s->lane, .p = q->lane,
                               .m = q->m, .by = EV_NONE, .on_p = q->lane + 1, .on_m = q->m + 1 };
        return true;
    default:
        return false;
    }
}

void v1_play(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    struct v1_decoder *d = &o->d;
    if (o->by_time || o->head || d->oom || em->listing || em->n + V1_EMIT_MAX > cap)
        return;
    const struct ev *full = em->out + (cap - V1_EMIT_MAX);
    int64_t side = o->side;
    struct hot h;
    load(&h, em);
    /* Each turn is of the P whose event is the earliest, and lasts as long as that is so. */
    while (o->nheap && o->work <= o->max_work && !em->vn->oom) {
        uint32_t cur = o->heap[v1_order_top(o)].cur;
        struct v1_cursor *c = &d->cur[cur];
        struct v1_p *q = &em->p[cur];
        struct v1_ev *ring = c->ring;
        const struct v1_ev *e = &ring[c->head & d->mask], *x;
        int64_t limit = v1_order_limit(o);
        if (c->forced || (int64_t)e->ticks > side || !v1_ready(d, e))
            break;
        limit = limit <= side ? limit : side + 1;
        for (;;) {
            if (h.v > full || e->tag.way == V1_WAY_ODD) {
                o->heap[v1_order_top(o)].key = (int64_t)e->ticks;
                save(&h, em);
                return;
            }
            x = &ring[++c->head & d->mask];
            if (c->head == c->fill) {
                if (!v1_fill(d, c))
                    x = NULL;
                h.rows = d->g;
                if (d->oom) {
                    save(&h, em);
                    return;
                }
            }
            struct v1_g *g = &h.rows[e->rule_g];
            g->key += (uint64_t)(int64_t)e->tag.delta;
            uint32_t waiters = g->waiters;
            if (!common(&h, em, e, q, c, x)) {
                save(&h, em);
                v1_emit_event(em, e);
                load(&h, em);
            }
            if (!x || waiters || ((h.rows[x->rule_g].key ^ x->want) & (uint64_t)(int64_t)x->tag.mask)) {
                v1_order_settle(o, e->rule_g, cur, x != NULL);
                break;
            }
            if ((int64_t)x->ticks >= limit) {
                v1_order_replace(o, (int64_t)x->ticks);
                break;
            }
            e = x;
        }
    }
    save(&h, em);
}
