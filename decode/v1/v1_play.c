/*
 * v1_play.c - see v1_play.h.
 *
 * Relies on: a goroutine that is runnable, running, waiting or in a system call has a lane (v1_emit.c gives it one
 * first), and the goroutine a P is noted to run is noted to run on a P that has begun.
 */
#include "decode/v1/v1_play.h"

#include "decode/base/mem.h"

struct stop {
    uint8_t next, state; /* V1S_*, enum state */
    uint16_t flags;
};
static const struct stop STOP[V1_TYPES] = {
#define NONE_ \
    { \
        V1S_ENDED, ST_NONE, 0 \
    }
#define WAITING_ \
    { \
        V1S_WAITING, ST_WAITING, EVF_OWN_STACK \
    }
#define RUNNABLE_ \
    { \
        V1S_RUNNABLE, ST_RUNNABLE, EVF_OWN_STACK | EVF_STOPPED \
    }
#define V1_STOPS(id, state, reason) [V1_##id] = state##_,
#include "decode/v1/events_v1.def"
};

/* Events on the P of a system call that don't say at once that it did not block. */
#define ASK \
    (UINT64_C(1) << V1_SYS_BLOCK | UINT64_C(1) << V1_GC_START | UINT64_C(1) << V1_GC_DONE | \
     UINT64_C(1) << V1_STW_START | UINT64_C(1) << V1_STW_DONE | UINT64_C(1) << V1_SYS_EXIT | \
     UINT64_C(1) << V1_SYS_EXIT_LOCAL | UINT64_C(1) << V1_GO_WAITING | UINT64_C(1) << V1_GO_IN_SYSCALL | \
     UINT64_C(1) << V1_CPU_SAMPLE)

/* What the loop needs of the emitter, kept out of memory's way; as it stands there between load() and save(). */
struct hot {
    struct ev *v; /* the next in the stream */
    struct v1_g *rows;
    const uint64_t *stacks;
    uint64_t nstacks, base;
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

ALWAYS uint32_t stack_of(const struct hot *h, struct v1_emit *em, const struct v1_ev *e)
{
    _Static_assert(V1_KNOWN == UINT64_C(1) << 63, "known ids are negative numbers, and -1 is none");
    int64_t val = e->stack < h->nstacks ? (int64_t)h->stacks[e->stack] : 0;
    return val < -1 ? (uint32_t)val : v1_stack(em->vn, v1_ev_stack(&em->o->d, e));
}

/* put - a transition on a P, whose time is one that needs no closer look. */
ALWAYS struct ev *put(struct hot *h, uint64_t ticks, const struct v1_p *q, uint8_t state, uint16_t flags, uint32_t g,
                      uint32_t stack)
{
    const int64_t now = (int64_t)((double)(int64_t)(ticks - h->base) * h->ns_per_tick);
    const bool on = state == ST_RUNNING || state == ST_SYSCALL;
    h->last = now > h->last ? now : h->last + h->clock;
    *h->v = (struct ev){.t = h->last,
                        .kind = EVK_G_STATE,
                        .state = state,
                        .flags = flags | EVF_SURE,
                        .g = g,
                        .p = on ? q->lane : EV_NONE,
                        .m = on ? q->m : EV_NONE,
                        .by = EV_NONE,
                        .stack = stack,
                        .arg = q->lane,
                        .arg2 = q->m};
    return h->v++;
}

/* common - the neutral event of a common one; x is the next on its P. false: it is none, and nothing was done. */
ALWAYS bool common(struct hot *h, struct v1_emit *em, const struct v1_ev *e, struct v1_p *q,
                   const struct v1_cursor *c, const struct v1_ev *x)
{
    struct v1_g *s = &h->rows[e->rule_g];
    const struct stop *stop;
    bool whole;
    switch (e->tag.way) {
    case V1_WAY_START:
        if (s->state != V1S_RUNNABLE || q->g)
            return false;
        put(h, e->ticks, q, ST_RUNNING, 0, s->lane, 0);
        s->state = V1S_RUNNING;
        s->p = e->p;
        q->g = e->g;
        return true;
    case V1_WAY_STOP:
        s = &h->rows[e->g]; /* ends have no rule */
        if (s->state != V1S_RUNNING || q->g != e->g)
            return false;
        stop = &STOP[e->tag.type];
        put(h, e->ticks, q, stop->state, stop->flags, s->lane, stack_of(h, em, e))->str = em->reason[e->tag.type];
        s->state = stop->next;
        s->p = EV_NONE;
        q->g = 0;
        if (stop->next == V1S_ENDED)
            v1_emit_note_end(em, e->g);
        return true;
    case V1_WAY_WAKE:
        if (s->state != V1S_WAITING || e->g != q->g)
            return false;
        put(h, e->ticks, q, ST_RUNNABLE, EVF_WOKEN, s->lane, stack_of(h, em, e))->by = h->rows[q->g].lane;
        s->state = V1S_RUNNABLE;
        s->p = EV_NONE;
        return true;
    case V1_WAY_CALL:
        s = &h->rows[e->g];
        if (s->state != V1S_RUNNING || q->g != e->g)
            return false;
        whole = (x && !(ASK >> x->tag.type & 1)) || !v1_blocks(&em->o->d, c);
        put(h, e->ticks, q, ST_SYSCALL, EVF_OWN_STACK, s->lane, stack_of(h, em, e));
        if (whole) {
            struct ev *back = h->v++;
            *back = back[-1];
            back->t = ++h->last;
            back->state = ST_RUNNING;
            back->flags = EVF_SURE;
            back->stack = 0;
        }
        s->state = whole ? V1S_RUNNING : V1S_SYSCALL;
        return true;
    default: return false;
    }
}

ALWAYS int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*
 * until - how many ticks behind the first an event's time is no longer a product; from: no event of the turn is earlier, but
 * where the file's numbers go round. 0: all need a closer look.
 */
ALWAYS uint64_t until(const struct hot *h, const struct v1_emit *em, const struct v1_p *q, int64_t from)
{
    return from < h->max || !q->begun ? 0 : em->far + 1;
}

/* A cursor at its turn, or next to it. */
struct side {
    uint32_t cur, head;
    struct v1_cursor *c;
    struct v1_p *q;
    const struct v1_ev *e; /* the next one */
};

ALWAYS struct side side_of(struct v1_emit *em, uint32_t cur)
{
    struct v1_cursor *c = &em->o->d.cur[cur];
    return (struct side){cur, c->head, c, &em->p[cur], &c->ring[c->head & em->o->d.mask]};
}

void v1_play(struct v1_emit *em, size_t cap)
{
    struct v1_order *o = em->o;
    struct v1_decoder *d = &o->d;
    if (o->by_time || o->head || d->oom || em->listing || em->n + V1_EMIT_ROOM >= cap)
        return;
    const struct ev *full = em->out + (cap - V1_EMIT_ROOM);
    const int64_t aside = o->side < INT64_MAX ? o->side + 1 : o->side;
    const uint32_t mask = d->mask;
    struct hot h;
    load(&h, em);
    /* Each turn is of the P whose event is the earliest, and lasts as long as that is so. */
    while (o->nheap && o->work <= o->max_work && !em->vn->oom) {
        /* Mostly two take turns: who comes after them matters when one gets behind him. */
        const size_t n = o->nheap;
        const int64_t side = least(aside, v1_order_patience(o));
        struct side a = side_of(em, o->heap[v1_order_top(o)].cur), b = a;
        bool two = o->sorted && n > 1;
        int64_t third = INT64_MIN, limit = least(v1_order_limit(o), side);
        if (two) {
            b = side_of(em, o->heap[n - 2].cur);
            third = n > 2 ? o->heap[n - 3].key : INT64_MAX;
        }
        const struct v1_ev *e = a.e, *x;
        if ((int64_t)e->ticks >= side && side < INT64_MAX)
            break;
    turns:
        if (a.c->forced || !v1_ready(d, e))
            break;
        uint64_t quick = until(&h, em, a.q, (int64_t)e->ticks);
        for (;;) {
            if (h.v > full || e->tag.way == V1_WAY_ODD) {
                o->heap[v1_order_top(o)].key = (int64_t)e->ticks;
                a.c->head = a.head;
                save(&h, em);
                return;
            }
            x = &a.c->ring[++a.head & mask];
            if (a.head == a.c->fill) {
                a.c->head = a.head;
                if (!v1_fill(d, a.c))
                    x = NULL;
                h.rows = d->g;
                if (d->oom) {
                    save(&h, em);
                    return;
                }
            }
            struct v1_g *g = &h.rows[e->rule_g];
            g->key += (uint64_t)(int64_t)e->tag.delta;
            const uint32_t waiters = g->waiters;
            a.c->head = a.head;
            if (e->ticks - h.base >= quick || !common(&h, em, e, a.q, a.c, x)) {
                save(&h, em);
                v1_emit_event(em, e);
                load(&h, em);
                quick = until(&h, em, a.q, (int64_t)e->ticks);
                two = two && !em->vn->oom;
            } else {
                h.max = (int64_t)e->ticks;
            }
            if (!x || waiters || ((h.rows[x->rule_g].key ^ x->want) & (uint64_t)(int64_t)x->tag.mask)) {
                v1_order_settle(o, e->rule_g, a.cur, x != NULL);
                break;
            }
            const int64_t now = (int64_t)x->ticks;
            if (now >= limit) {
                e = b.e;
                const int64_t key = (int64_t)e->ticks;
                if (!two || now >= third || key >= side) {
                    v1_order_replace(o, now);
                    break;
                }
                struct v1_slot *slot = &o->heap[n - 2];
                slot[0].key = now;
                slot[0].cur = a.cur;
                slot[1].key = key;
                slot[1].cur = b.cur;
                const struct side was = a;
                a = b;
                b = was;
                b.e = x;
                limit = least(now, side);
                goto turns;
            }
            e = x;
        }
    }
    save(&h, em);
}
