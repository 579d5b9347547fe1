/*
 * v1_fast.c - see v1_emit.h.
 *
 * It relies on two invariants of v1_emit.c: a goroutine that is runnable, running, waiting or in a system
 * call has a lane, and a P that has a goroutine has begun.
 */
#include "decode/v1/v1_emit.h"

#include "decode/base/mem.h"

/* This part of the emitter's state is what the loop needs, in registers between load() and save(). */
struct hot {
    struct ev_half *v; /* where the stream goes on */
    struct v1_g *rows;
    const uint64_t *stacks;
    uint64_t nstacks, base, ask;
    int64_t max, last, clock;
    double ns_per_tick;
};

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void load(struct hot *h, const struct v1_emit *em)
{
    *h = (struct hot){.v = em->out + em->n,
                      .rows = em->o->d.g,
                      .stacks = em->ix->stacks.dense,
                      .nstacks = em->ix->stacks.ndense,
                      .base = em->base,
                      .ask = em->o->d.ask,
                      .max = em->max,
                      .last = em->last,
                      .clock = em->clock,
                      .ns_per_tick = em->ns_per_tick};
}

ALWAYS void save(const struct hot *h, struct v1_emit *em)
{
    em->n = (size_t)(h->v - em->out);
    em->max = h->max;
    em->last = h->last;
}

struct v1_at {
    struct v1_emit *em;
    const struct v1_ev *e;
    struct v1_p *q;
    struct hot *h;
};

ALWAYS uint32_t at_stack(const struct v1_at *at)
{
    _Static_assert(V1_KNOWN == UINT64_C(1) << 63, "known ids are negative numbers, and -1 is none");
    int64_t val = at->e->stack < at->h->nstacks ? (int64_t)at->h->stacks[at->e->stack] : 0;
    return val < -1 ? (uint32_t)val : v1_emit_stack(at->em, at->e);
}

/* The caller has checked that the event's time is a plain product of its ticks. */
ALWAYS void at_put(const struct v1_at *at, const struct v1_g *s, struct v1_into to)
{
    struct hot *h = at->h;
    const int64_t now = (int64_t)((double)(int64_t)(at->e->ticks - h->base) * h->ns_per_tick);
    h->last = now > h->last ? now : h->last + h->clock;
    *h->v++ = (struct ev_half){.t = h->last,
                               .kind = EVK_G_STATE,
                               .state = to.state,
                               .flags = to.flags | EVF_SURE,
                               .g = s->lane,
                               .p = at->q->lane,
                               .m = at->q->m,
                               .by = to.by,
                               .stack = to.stack};
}

ALWAYS void at_put_back(const struct v1_at *at, const struct v1_g *s)
{
    struct ev_half *back = at->h->v++;
    (void)s;
    *back = back[-1];
    back->t = ++at->h->last;
    back->state = ST_RUNNING;
    back->flags = EVF_SURE;
    back->stack = 0;
}

#include "decode/v1/v1_rules.h"

/* This is the cursor with the earliest event. */
struct side {
    uint32_t cur, head;
    struct v1_cursor *c;
    struct v1_p *q;
    const struct v1_ev *e; /* its next event */
};

/* Emit a's event if it is a common one. x is the next event on its P. Returns false if it needs the long way;
 * nothing has changed then. */
ALWAYS bool common(struct hot *h, struct v1_emit *em, const struct side *a, const struct v1_ev *x)
{
    const struct v1_ev *e = a->e;
    struct v1_p *q = a->q;
    const struct v1_at at = {em, e, q, h};
    struct v1_g *s = &h->rows[e->rule_g];
    switch (e->tag.means) {
    case V1_MEANS_START:
        if (!can_start(s, q))
            return false;
        rule_start(&at, s);
        return true;
    case V1_MEANS_STOP:
        s = &h->rows[e->g]; /* events that end something have no rule, so no rule_g */
        if (!runs(s, q, e))
            return false;
        rule_stop(&at, s);
        return true;
    case V1_MEANS_WAKE:
        if (!waits(s) || e->g != q->g)
            return false;
        rule_wake(&at, s, h->rows[q->g].lane);
        return true;
    case V1_MEANS_CALL:
        s = &h->rows[e->g];
        if (!runs(s, q, e))
            return false;
        rule_call(&at, s, (!x || h->ask >> x->tag.type & 1) && v1_blocks(&em->o->d, a->c));
        return true;
    default: return false;
    }
}

ALWAYS int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns the number of ticks after the trace's first event from which on an event's time needs a closer
 * look. `from` is the time of the turn's first event. 0: all of them need it. */
ALWAYS uint64_t until(const struct hot *h, const struct v1_emit *em, const struct v1_p *q, int64_t from)
{
    return from < h->max || !q->started ? 0 : em->far + 1;
}

ALWAYS struct side side_of(struct v1_emit *em, uint32_t cur)
{
    struct v1_cursor *c = &em->o->d.cur[cur];
    return (struct side){cur, c->head, c, &em->p[cur], &c->ring[c->head & em->o->d.mask]};
}

struct turn {
    struct side a;
    int64_t limit; /* the time up to which a's events are the earliest */
};

/* Begin the turn of the cursor with the earliest event. Returns false if that is not for this loop. */
ALWAYS bool turn_begin(struct turn *t, struct v1_emit *em, int64_t stalled)
{
    const struct v1_order *o = em->o;
    const int64_t before = least(stalled, v1_order_patience(o)); /* later events are not for this loop */
    t->limit = heap_until(o->heap, o->nheap, before);
    t->a = side_of(em, o->heap[0].cursor);
    return (int64_t)t->a.e->ticks < before || before == INT64_MAX;
}

/* Set *x to the event after a's, NULL if there is none. Returns false when out of memory. */
ALWAYS bool side_next(struct side *a, struct hot *h, struct v1_decoder *d, const struct v1_ev **x)
{
    *x = &a->c->ring[++a->head & d->mask];
    if (a->head != a->c->fill)
        return true;
    a->c->head = a->head;
    if (!v1_fill(d, a->c))
        *x = NULL;
    h->rows = d->g;
    return !d->oom;
}

ALWAYS void tell_any(struct hot *h, struct v1_emit *em, const struct v1_ev *e)
{
    save(h, em);
    v1_emit_event(em, e);
    load(h, em);
}

/* Emit a's events as long as they are the earliest. Returns false if the next one is not for this loop. */
ALWAYS bool events_of_a(struct turn *t, struct hot *h, struct v1_emit *em, const struct ev_half *full)
{
    struct v1_order *o = em->o;
    struct side a = t->a;
    const int64_t limit = t->limit;
    const struct v1_ev *x;
    if (a.c->forced || !v1_ready(&o->d, a.e))
        return false;
    uint64_t quick = until(h, em, a.q, (int64_t)a.e->ticks);
    for (;; a.e = x) {
        const struct v1_ev *e = a.e;
        if (h->v > full || e->tag.means >= V1_MEANS_EXIT) {
            o->heap[0].t = (int64_t)e->ticks;
            a.c->head = a.head;
            return false;
        }
        if (!side_next(&a, h, &o->d, &x))
            return false;
        struct v1_g *g = &h->rows[e->rule_g];
        g->key += (uint64_t)(int64_t)e->tag.delta;
        const uint32_t waiters = g->waiters;
        a.c->head = a.head;
        if (e->ticks - h->base >= quick || !common(h, em, &a, x)) {
            tell_any(h, em, e);
            quick = until(h, em, a.q, (int64_t)e->ticks);
        } else {
            h->max = (int64_t)e->ticks;
        }
        if (!x || waiters || ((h->rows[x->rule_g].key ^ x->want) & (uint64_t)(int64_t)x->tag.mask)) {
            v1_order_settle(o, e->rule_g, a.cur, x != NULL);
            return true;
        }
        if ((int64_t)x->ticks >= limit) {
            v1_order_replace(o, (int64_t)x->ticks);
            return true;
        }
    }
}

void v1_fast(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    if (o->by_time || o->head || o->d.oom || em->listing || em->n + V1_EMIT_ROOM >= cap)
        return;
    const struct ev_half *full = em->out + (cap - V1_EMIT_ROOM);
    const int64_t stalled = o->side < INT64_MAX ? o->side + 1 : o->side;
    struct hot h;
    struct turn t;
    load(&h, em);
    while (o->nheap && o->work <= o->max_work && !em->vn->oom && turn_begin(&t, em, stalled) &&
           events_of_a(&t, &h, em, full)) {
    }
    save(&h, em);
}
