/*
 * v1_play.c - see v1_play.h.
 *
 * Relies on: a goroutine that is runnable, running, waiting or in a system call has a lane (v1_emit.c gives it one
 * first), and the goroutine a P is noted to run is noted to run on a P that has begun.
 */
#include "decode/v1_play.h"

#include "decode/mem.h"

struct stop { uint8_t next, state; }; /* V1S_*, enum state */
static const struct stop STOP[V1_TYPES] = {
#define NONE_ { V1S_ENDED, ST_NONE }
#define WAITING_ { V1S_WAITING, ST_WAITING }
#define RUNNABLE_ { V1S_RUNNABLE, ST_RUNNABLE }
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
    struct evs *v;           /* the next in the stream */
    bool on;                 /* which holds an EVS_ON for the turn */
    struct v1_g *rows;
    const uint64_t *stacks;
    uint64_t nstacks, base, far;
    int64_t max, now, last, clock;
    uint32_t dt;             /* of the event at_time() saw */
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
    int64_t now = (int64_t)((double)(int64_t)d * h->ns_per_tick), last = now > h->last ? now : h->last + h->clock;
    if ((uint64_t)(last - h->last) > UINT32_MAX)
        return false;
    h->dt = (uint32_t)(last - h->last);
    h->max = (int64_t)ticks;
    h->now = now;
    h->last = last;
    return true;
}

ALWAYS uint32_t stack_of(const struct hot *h, struct v1_emit *em, const struct v1_ev *e)
{
    _Static_assert(V1_KNOWN == UINT64_C(1) << 63, "known ids are negative numbers, and -1 is none");
    int64_t val = e->stack < h->nstacks ? (int64_t)h->stacks[e->stack] : 0;
    return val < -1 ? (uint32_t)val : v1_stack(em->vn, v1_ev_stack(&em->o->d, e));
}

ALWAYS void put(struct hot *h, uint8_t kind, uint8_t state, uint32_t g, uint32_t stack)
{
    *h->v++ = (struct evs){ .dt = h->dt, .stack = stack, .kind = kind, .state = state, .g = g };
}

/* common - the neutral events of a common one; x is the next on its P. false: it is none, and nothing was done. */
ALWAYS bool common(struct hot *h, struct v1_emit *em, const struct v1_ev *e, struct v1_p *q, const struct v1_cursor *c,
                   const struct v1_ev *x)
{
    struct v1_g *s = &h->rows[e->rule_g];
    const struct stop *stop;
    bool whole;
    if (!h->on && e->tag.way != V1_WAY_LONG) {
        *h->v++ = (struct evs){ .dt = q->lane, .stack = q->m, .kind = EVS_ON, .g = h->rows[q->g].lane };
        h->on = true;
    }
    switch (e->tag.way) {
    case V1_WAY_START:
        if (s->state != V1S_RUNNABLE || !q->begun || q->g || !at_time(h, e->ticks))
            return false;
        put(h, EVS_START, 0, s->lane, 0);
        s->state = V1S_RUNNING;
        s->p = e->p;
        q->g = e->g;
        return true;
    case V1_WAY_STOP:
        s = &h->rows[e->g]; /* ends have no rule */
        if (s->state != V1S_RUNNING || q->g != e->g || !at_time(h, e->ticks))
            return false;
        stop = &STOP[e->tag.type];
        put(h, EVS_LEAVE, stop->state, em->reason[e->tag.type], stack_of(h, em, e));
        s->state = stop->next;
        s->p = EV_NONE;
        q->g = 0;
        if (stop->next == V1S_ENDED)
            v1_emit_note_end(em, e->g);
        return true;
    case V1_WAY_WAKE:
        if (s->state != V1S_WAITING || e->g != q->g || !at_time(h, e->ticks))
            return false;
        put(h, EVS_WAKE, 0, s->lane, stack_of(h, em, e));
        s->state = V1S_RUNNABLE;
        s->p = EV_NONE;
        return true;
    case V1_WAY_CALL:
        s = &h->rows[e->g];
        if (s->state != V1S_RUNNING || q->g != e->g || !at_time(h, e->ticks))
            return false;
        whole = (x && !(ASK >> x->tag.type & 1)) || !v1_blocks(&em->o->d, c);
        put(h, whole ? EVS_CALL : EVS_ENTER, 0, 0, stack_of(h, em, e));
        h->last += whole;
        s->state = whole ? V1S_RUNNING : V1S_SYSCALL;
        return true;
    default:
        return false;
    }
}

void v1_play(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    struct v1_decoder *d = &o->d;
    if (o->by_time || o->head || d->oom || em->listing || em->n + V1_EMIT_ROOM > cap)
        return;
    const struct evs *full = em->out + (cap - V1_EMIT_ROOM);
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
        h.on = false;
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
                bool on = h.on && (e->tag.type == V1_GO_CREATE || e->tag.type == V1_HEAP_ALLOC); /* the turn goes on */
                save(&h, em);
                v1_emit_event(em, e);
                load(&h, em);
                h.on = on;
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
