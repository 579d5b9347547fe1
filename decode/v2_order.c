/*
 * v2_order.c - see v2_order.h.
 *
 * Each thread has a cursor over its batches; a heap holds the cursors by the time of their current event. The
 * earliest event is tried; if the state it needs isn't there yet (a goroutine it starts has not been unblocked,
 * say), the next earliest is. What an event needs and changes stands in v2_adv.c; for the commonest ones it stands here
 * again, where a thread's events can be handed over one after another.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "decode/bytes.h"
#include "decode/fold_hot.h"
#include "decode/v2_state.h"

/* ---- cursors ---------------------------------------------------------------------------------------------- */

static bool batch_open(struct v2_order *o, struct v2_cursor *c)
{
    const struct v2_batch *b = &o->gen->batch[o->list[c->batch]];
    c->p = b->p;
    c->end = b->end;
    c->t = v2_ns(b->time, o->unit);
    return true;
}

static void damage_at(struct v2_order *o, const uint8_t *p, enum err_code code, const char *what, uint64_t a)
{
    source_damage(o->s, code, o->gen->ordinal, (uint64_t)(p - o->s->data), "%s %" PRIu64, what, a);
}

/* Decode the cursor's next event. false: it has none (or the rest of its batch is damaged, which is noted). */
static __attribute__((noinline)) bool cursor_next_slow(struct v2_order *o, struct v2_cursor *c)
{
    while (c->p == c->end) {
        if (!c->nbatch)
            return false;
        const struct v2_batch *b = &o->gen->batch[o->list[c->batch]];
        o->consumed += (uint64_t)(b->end - b->p);
        if (!--c->nbatch)
            return false;
        c->batch++;
        batch_open(o, c);
    }
    const uint8_t *p = c->p, *end = c->end;
    c->at = p;
    c->type = *p++;
    int n = v2_specs[c->type].nargs;
    uint64_t dt;
    if (!n) {
        damage_at(o, c->at, ERR_FORMAT, "unknown event type", c->type);
        goto stop;
    }
    if (!(p = bytes_varint(p, end, &dt)))
        goto bad;
    for (int i = 0; i < n - 1; i++)
        if (!(p = bytes_varint(p, end, &c->arg[i])))
            goto bad;
    c->p = p;
    c->t += dt < (uint64_t)1 << 40 && o->unit64 ? (int64_t)(dt * o->unit64) : v2_ns(dt, o->unit);
    if (__builtin_expect(c->t > V2_TIME_MAX, 0))
        c->t = V2_TIME_MAX;
    return true;
bad:
    if (!o->gen->batch[o->list[c->batch]].torn)
        damage_at(o, c->at, ERR_FORMAT, "an event ends beyond its batch, of type", c->type);
stop:
    c->nbatch = 0;
    c->p = c->end;
    return false;
}

/* The longest event: its type, the time, and all arguments. */
#define EVENT_MAX (1 + 10 + 10 * (ptrdiff_t)(sizeof((struct v2_cursor *)0)->arg / sizeof(uint64_t)))

/* Far enough from the batch's end nothing needs to look for it. What is damaged is left to cursor_next_slow(). */
static inline __attribute__((always_inline)) bool cursor_next(struct v2_order *o, struct v2_cursor *c)
{
    const uint8_t *p = c->p;
    uint64_t dt;
    if (__builtin_expect(c->end - p < EVENT_MAX || !o->unit64, 0))
        return cursor_next_slow(o, c);
    uint8_t type = *p++;
    int n = v2_specs[type].nargs;
    if (!n || !(p = bytes_varint_within(p, &dt)))
        return cursor_next_slow(o, c);
    uint64_t *arg = c->arg;
    while (--n)
        if (!(p = bytes_varint_within(p, arg++)))
            return cursor_next_slow(o, c);
    if (__builtin_expect(dt >= (uint64_t)1 << 40, 0))
        return cursor_next_slow(o, c);
    c->at = c->p;
    c->type = type;
    c->p = p;
    c->t += (int64_t)(dt * o->unit64);
    if (__builtin_expect(c->t > V2_TIME_MAX, 0))
        c->t = V2_TIME_MAX;
    return true;
}

/* Cursors by time; the time stands in the heap, so that sifting reads nothing else. */
static void heap_down(struct v2_order *o, size_t i)
{
    struct v2_heap *h = o->heap, x = h[i];
    size_t n = o->nheap;
    for (;;) {
        size_t k = 2 * i + 1;
        if (k + 1 < n) {
            k += h[k + 1].t < h[k].t;
        } else if (k >= n) {
            break;
        }
        if (h[k].t >= x.t)
            break;
        h[i] = h[k];
        i = k;
    }
    h[i] = x;
}

static void heap_push(struct v2_order *o, uint32_t cursor)
{
    struct v2_heap x = {o->cur[cursor].t, cursor};
    size_t i = o->nheap++;
    while (i && x.t < o->heap[(i - 1) / 2].t) {
        o->heap[i] = o->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    o->heap[i] = x;
}

static uint32_t heap_pop(struct v2_order *o)
{
    uint32_t x = o->heap[0].cursor;
    o->heap[0] = o->heap[--o->nheap];
    if (o->nheap)
        heap_down(o, 0);
    return x;
}

/* ---- a generation ----------------------------------------------------------------------------------------- */

static int batch_by_m(const void *a, const void *b, void *arg)
{
    const struct v2_batch *v = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v[x].m != v[y].m)
        return v[x].m < v[y].m ? -1 : 1;
    return x < y ? -1 : 1;
}

bool v2_order_begin(struct v2_order *o, struct v2_gen *gen)
{
    o->gen = gen;
    o->first_gen = gen->ordinal == 1;
    o->unit = v2_gen_unit(gen);
    o->unit64 = o->unit == (double)(uint64_t)o->unit && o->unit < 1e6 ? (uint64_t)o->unit : 0;
    o->consumed = 0;
    o->torn_from = INT64_MAX;
    o->sample = 0;
    o->ncur = o->nheap = 0;
    size_t n = gen->nbatch;
    uint32_t *list = v2_room(o, o->list, &o->caplist, n + 1, sizeof *list);
    if (!list)
        return false;
    o->list = list;
    for (size_t i = 0; i < n; i++)
        list[i] = (uint32_t)i;
    if (n)
        qsort_r(list, n, sizeof *list, batch_by_m, gen->batch);
    for (size_t i = 0; i < n;) {
        size_t k = i;
        while (k < n && gen->batch[list[k]].m == gen->batch[list[i]].m)
            k++;
        struct v2_cursor *c = v2_room(o, o->cur, &o->capcur, o->ncur + 1, sizeof *c);
        if (!c)
            return false;
        o->cur = c;
        uint64_t mid = gen->batch[list[i]].m;
        c[o->ncur] = (struct v2_cursor){.batch = (uint32_t)i, .nbatch = (uint32_t)(k - i), .m = v2_m_get(o, mid)};
        if (o->oom)
            return false;
        o->ncur++;
        i = k;
    }
    struct v2_heap *heap = v2_room(o, o->heap, &o->capheap, o->ncur + 1, sizeof *heap);
    uint32_t *aside = v2_room(o, o->aside, &o->capaside, o->ncur + 1, sizeof *aside);
    if (heap)
        o->heap = heap;
    if (aside)
        o->aside = aside;
    if (!heap || !aside)
        return false;
    for (size_t i = 0; i < o->ncur; i++) {
        batch_open(o, &o->cur[i]);
        if (cursor_next(o, &o->cur[i]))
            heap_push(o, (uint32_t)i);
    }
    /* Go's reader puts a Sync event before each generation; it takes part in making times differ. */
    int64_t t = v2_ns(gen->min_time, o->unit);
    o->sync = o->last = o->have_base && t <= o->last ? o->last + 1 : t;
    return true;
}

static void sample_out(struct v2_order *o)
{
    const struct v2_sample *q = &o->gen->sample[o->sample++];
    uint32_t m = q->m == V2_NO_THREAD ? IDMAP_NONE : idmap_get(&o->ms, q->m);
    uint32_t p = q->p == UINT64_MAX ? IDMAP_NONE : idmap_get(&o->ps, q->p);
    uint32_t g = q->g ? idmap_get(&o->gs, q->g) : IDMAP_NONE;
    struct v2_cursor c = {.t = q->ns};
    struct v2_ctx x = {m, p, g}; /* IDMAP_NONE is EV_NONE */
    struct ev *e = v2_emit(o, &c, &x, EVK_SAMPLE, 0);
    e->stack = v2_gen_stack(o->gen, q->stack);
}
_Static_assert(IDMAP_NONE == EV_NONE, "an unknown id is no lane");

static void stop(struct v2_order *o, const char *why)
{
    const struct v2_cursor *c = o->nheap ? &o->cur[o->heap[0].cursor] : NULL;
    if (why)
        source_damage(o->s, ERR_ORDER, o->gen->ordinal, c ? (uint64_t)(c->at - o->s->data) : o->gen->start, "%s: %s", why,
                      c ? v2_specs[c->type].name : "nothing");
    o->stopped = true;
}

/* A thread has no more events. If it is in the middle of something and the generation isn't whole, the rest was lost. */
static void cursor_done(struct v2_order *o, const struct v2_cursor *c)
{
    if (o->gen->torn && c->m != EV_NONE && (o->m[c->m].p != EV_NONE || o->m[c->m].g != EV_NONE) && c->t < o->torn_from)
        o->torn_from = c->t;
}

/* The earliest event can't be next: try the others by time. false: nobody can advance, or damage. */
static bool step_aside(struct v2_order *o)
{
    size_t n = 0;
    enum adv a = ADV_WAIT;
    uint32_t i = 0;
    while (o->nheap && a == ADV_WAIT) {
        i = heap_pop(o);
        o->aside[n++] = i;
        a = n > 1 ? v2_adv(o, &o->cur[i]) : ADV_WAIT; /* the first is the one that has been tried */
    }
    if (a == ADV_OK && !cursor_next(o, &o->cur[i])) {
        cursor_done(o, &o->cur[i]);
        n--;
    }
    while (n)
        heap_push(o, o->aside[--n]);
    if (a == ADV_WAIT) {
        if (o->gen->torn) { /* what it waits for was cut off: say how much that costs */
            uint64_t all = 0;
            for (size_t k = 0; k < o->gen->nbatch; k++)
                all += (uint64_t)(o->gen->batch[k].end - o->gen->batch[k].p);
            source_damage(o->s, ERR_TRUNCATED, o->gen->ordinal, (uint64_t)(o->cur[o->heap[0].cursor].at - o->s->data),
                          "from %.6f s on events of threads that were cut off are needed: %" PRIu64 " of the generation's %" PRIu64
                          " bytes can't be put in order", (double)(o->last - o->base) * 1e-9, all - o->consumed, all);
        }
        stop(o, o->gen->torn ? NULL : "no event can come next; the earliest is");
    } else if (a == ADV_BAD) {
        stop(o, NULL);
    }
    return a == ADV_OK;
}

/* Until when the first cursor may go on alone: up to then its events are the earliest, whatever it does. */
static inline int64_t alone_until(const struct v2_order *o)
{
    int64_t t = INT64_MAX;
    if (o->nheap > 1)
        t = o->heap[1].t;
    if (o->nheap > 2 && o->heap[2].t < t)
        t = o->heap[2].t;
    if (o->sample < o->gen->nsample && o->gen->sample[o->sample].ns < t)
        t = o->gen->sample[o->sample].ns;
    return t;
}

/* ---- the commonest events --------------------------------------------------------------------------------- */

/* Where a turn's events go: into o->out, or right into a model. */
struct sink {
    struct fold *f;            /* NULL: into o->out */
    struct hot h;
    int64_t last;              /* time of the last event folded here */
    uint64_t n;                /* how many */
};

#define HOT static inline __attribute__((always_inline))

HOT struct ev *put(struct v2_order *o, int64_t t, uint32_t g, uint8_t state)
{
    struct ev *e = &o->out[o->nout++];
    *e = (struct ev){.t = t, .kind = EVK_G_STATE, .state = state, .g = g, .p = EV_NONE, .m = EV_NONE, .by = EV_NONE};
    return e;
}

HOT bool give_run(struct v2_order *o, struct sink *to, bool direct, int64_t t, uint32_t g, uint32_t p, uint32_t m, uint8_t state,
                  uint32_t stack, uint16_t flags)
{
    if (direct)
        return hot_run(to->f, &to->h, t, g, p, m, state, 0, stack);
    struct ev *e = put(o, t, g, state);
    e->p = p;
    e->m = m;
    e->stack = stack;
    e->flags = flags;
    return true;
}

HOT bool give_leave(struct v2_order *o, struct sink *to, bool direct, int64_t t, uint32_t g, uint8_t state, uint32_t str, uint32_t stack)
{
    if (direct)
        return hot_leave(to->f, &to->h, t, g, state, str, stack);
    struct ev *e = put(o, t, g, state);
    e->str = str;
    e->stack = stack;
    e->flags = EVF_OWN_STACK | (state == ST_RUNNABLE ? EVF_STOPPED : 0);
    return true;
}

HOT bool give_wake(struct v2_order *o, struct sink *to, bool direct, int64_t t, uint32_t g, uint32_t by, uint32_t stack)
{
    if (direct)
        return hot_wake(to->f, &to->h, t, g, by, 0, stack);
    struct ev *e = put(o, t, g, ST_RUNNABLE);
    e->by = by;
    e->stack = stack;
    e->flags = EVF_WOKEN;
    return true;
}

HOT bool stack_quick(const struct v2_gen *gen, uint64_t id, uint32_t *out)
{
    *out = id ? idmap_get(&gen->stacks, id) : 0;
    return *out != IDMAP_NONE;
}

HOT bool reason_quick(const struct v2_gen *gen, uint64_t id, uint32_t *out)
{
    if (id >= V2_REASONS)
        return false;
    *out = gen->reason[id];
    return *out || !id;
}

/*
 * A cursor's events, one after another, as long as they are of the commonest kinds, are where they should be, and are
 * the earliest (t <= until): what v2_adv() does, without what can't matter then. The event it stops at is the cursor's
 * current one, untried; *more = false: there is none. room: how many events may be handed over at most.
 */
HOT void hot_turn(struct v2_order *o, struct v2_cursor *c, int64_t until, size_t room, struct sink *to, bool direct, bool *more)
{
    uint32_t m = c->m, str, stack;
    if (m == EV_NONE || !o->have_base || !o->m[m].told || o->m[m].p == EV_NONE)
        return;
    struct v2_m *vm = &o->m[m];
    const struct v2_gen *gen = o->gen;
    const uint32_t p = vm->p;
    struct v2_p *vp = &o->p[p];
    uint32_t g = vm->g;
    int64_t last = o->last;
    const int64_t base = o->base;
    size_t n = 0;
    for (; n < room; n++) {
        const int64_t t = c->t > last ? c->t : last + 1;
        switch (c->type) {
        case V2_GO_START: {
            uint32_t k = idmap_get(&o->gs, c->arg[0]);
            if (g != EV_NONE || k == IDMAP_NONE)
                goto out;
            struct v2_g *vg = &o->g[k];
            if (vg->status != ST_RUNNABLE || !v2_follows(o, vg->seqgen, vg->seq, c->arg[1]) ||
                !give_run(o, to, direct, t - base, k, p, m, ST_RUNNING, 0, 0))
                goto out;
            vg->status = ST_RUNNING;
            vg->seq = c->arg[1];
            vm->g = g = k;
            break;
        }
        case V2_GO_STOP:
        case V2_GO_BLOCK: {
            if (g == EV_NONE || o->g[g].status != ST_RUNNING || !reason_quick(gen, c->arg[0], &str) ||
                !stack_quick(gen, c->arg[1], &stack))
                goto out;
            uint8_t state = c->type == V2_GO_STOP ? ST_RUNNABLE : ST_WAITING;
            if (!give_leave(o, to, direct, t - base, g, state, str, stack))
                goto out;
            o->g[g].status = state;
            vm->g = g = EV_NONE;
            break;
        }
        case V2_GO_UNBLOCK: {
            uint32_t k = idmap_get(&o->gs, c->arg[0]);
            if (k == IDMAP_NONE || !stack_quick(gen, c->arg[2], &stack))
                goto out;
            struct v2_g *vg = &o->g[k];
            if (vg->status != ST_WAITING || !v2_follows(o, vg->seqgen, vg->seq, c->arg[1]) ||
                !give_wake(o, to, direct, t - base, k, g, stack))
                goto out;
            vg->status = ST_RUNNABLE;
            vg->seq = c->arg[1];
            break;
        }
        case V2_GO_SYSCALL_BEGIN:
            if (g == EV_NONE || o->g[g].status != ST_RUNNING || !v2_follows(o, vp->seqgen, vp->seq, c->arg[0]) ||
                !stack_quick(gen, c->arg[1], &stack) ||
                !give_run(o, to, direct, t - base, g, p, m, ST_SYSCALL, stack, EVF_OWN_STACK))
                goto out;
            o->g[g].status = ST_SYSCALL;
            vp->status = V2_PS_SYSCALL;
            vp->seq = c->arg[0];
            break;
        case V2_GO_SYSCALL_END:
            if (g == EV_NONE || o->g[g].status != ST_SYSCALL || vp->status != V2_PS_SYSCALL ||
                !give_run(o, to, direct, t - base, g, p, m, ST_RUNNING, 0, 0))
                goto out;
            o->g[g].status = ST_RUNNING;
            vp->status = V2_PS_RUNNING;
            break;
        default: goto out;
        }
        last = t;
        if (!(*more = cursor_next(o, c)) || c->t > until) {
            n++;
            break;
        }
    }
out:
    o->last = last;
    if (direct && n) {
        to->last = last - base;
        to->n += n;
    }
}

/* What general events left in o->out, into the model. false: out of memory. */
static bool sink_flush(struct v2_order *o, struct sink *to)
{
    struct fold *f = to->f;
    if (to->n && to->last > f->end)
        f->end = to->last;
    bool ok = true;
    for (size_t i = 0; i < o->nout && ok; i++)
        ok = fold_any(f, &o->out[i]);
    o->nout = 0;
    to->h = hot_take(f);
    return ok;
}

/* ---- whose turn it is ------------------------------------------------------------------------------------- */

/* Up to cap events; into o->out, or (direct) into the model. Returns how many: 0, the generation is done. */
HOT size_t order_run(struct v2_order *o, size_t cap, struct sink *to, bool direct)
{
    size_t others = 0; /* direct: those that were not the commonest */
    bool ok = true, tell = direct && to->f->nfirst < FIRST_STACKS;
    while (ok && (direct ? to->n + others : o->nout) + 8 <= cap && !o->stopped && !o->oom) {
        if (o->sample < o->gen->nsample && (!o->nheap || o->gen->sample[o->sample].ns < o->heap[0].t)) {
            sample_out(o);
        } else if (!o->nheap) {
            break;
        } else {
            struct v2_cursor *c = &o->cur[o->heap[0].cursor];
            int64_t until = alone_until(o);
            enum adv a = ADV_OK;
            bool more = true;
            if (!tell)
                hot_turn(o, c, until, cap - 7 - (direct ? (size_t)to->n + others : o->nout), to, direct, &more);
            if (more && c->t <= until && (direct ? to->n + others : o->nout) + 8 <= cap) {
                a = v2_adv(o, c);
                more = a != ADV_OK || cursor_next(o, c);
            }
            o->heap[0].t = c->t;
            if (a == ADV_OK) {
                if (!more) {
                    cursor_done(o, c);
                    o->heap[0] = o->heap[--o->nheap];
                }
                if (o->nheap > 1)
                    heap_down(o, 0);
            } else if (a == ADV_BAD) {
                stop(o, NULL);
            } else if (!step_aside(o)) {
                ok = false;
            }
        }
        if (direct && o->nout) {
            others += o->nout;
            ok = sink_flush(o, to) && ok;
            tell = to->f->nfirst < FIRST_STACKS;
        }
    }
    return direct ? to->n + others : o->nout;
}

size_t v2_order_next(struct v2_order *o, struct ev *out, size_t cap)
{
    o->out = out;
    o->nout = 0;
    return order_run(o, cap, NULL, false);
}

size_t v2_order_fold(struct v2_order *o, struct fold *f, size_t cap)
{
    struct ev out[64]; /* the most that one event makes, and one that is put aside, are far fewer */
    struct sink to = {.f = f, .h = hot_take(f)};
    if (!fold_begin(f))
        return 0;
    o->out = out;
    o->nout = 0;
    size_t n = order_run(o, cap, &to, true);
    fold_end(f, to.n ? to.last : 0, to.n);
    return n;
}

void v2_order_free(struct v2_order *o)
{
    mem_free(o->g);
    mem_free(o->p);
    mem_free(o->m);
    mem_free(o->region);
    mem_free(o->cur);
    mem_free(o->list);
    mem_free(o->heap);
    mem_free(o->aside);
    idmap_free(&o->gs);
    idmap_free(&o->ps);
    idmap_free(&o->ms);
    idmap_free(&o->tasks);
    *o = (struct v2_order){0};
}
