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
    c->before = c->t;
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
    c->before = c->t;
    c->t += (int64_t)(dt * o->unit64);
    if (__builtin_expect(c->t > V2_TIME_MAX, 0))
        c->t = V2_TIME_MAX;
    return true;
}

/* Decode the event at `at`, which is the cursor's next one; `before`: time of the one before it. */
static bool cursor_load(struct v2_order *o, struct v2_cursor *c, const uint8_t *at, int64_t before)
{
    c->lazy = false;
    c->p = at;
    c->t = before;
    return cursor_next(o, c);
}

/* The cursor's current event, all of it. false: it was damaged, the cursor has no more. */
static bool cursor_whole(struct v2_order *o, struct v2_cursor *c)
{
    return !c->lazy || cursor_load(o, c, c->at, c->before);
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
        if (n > 1 && cursor_whole(o, &o->cur[i])) { /* the first is the one that has been tried */
            a = v2_adv(o, &o->cur[i]);
        } else if (n > 1) {
            cursor_done(o, &o->cur[i]);
            n--;
        }
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

#define HOT static inline __attribute__((always_inline))

/* A look-up in a table that nobody adds to meanwhile: nearly always the id stands where it is looked for first. */
struct lookup {
    const uint64_t *key;
    const uint32_t *val;
    uint64_t mask;
    const struct idmap *map;
};

HOT struct lookup lookup_take(const struct idmap *m)
{
    return (struct lookup){m->key, m->val, (uint64_t)m->cap - 1, m};
}

static __attribute__((noinline)) uint32_t lookup_far(const struct idmap *m, uint64_t key)
{
    return idmap_get(m, key);
}

HOT uint32_t lookup(const struct lookup *l, uint64_t key)
{
    uint64_t at = key & l->mask;
    uint32_t v = l->val[at] - 1; /* not free, not IDMAP_GONE */
    return v < IDMAP_GONE - 1 && l->key[at] == key ? v : lookup_far(l->map, key);
}

/* Same, of ids whose 0 is 0. */
HOT bool lookup_or_0(const struct lookup *l, uint64_t key, uint32_t *out)
{
    *out = key ? lookup(l, key) : 0;
    return *out != IDMAP_NONE;
}

/* Turns of the commonest events. All of it stands in memory: there is too much of it for registers. */
struct turns {
    bool ready;                /* none of the tables is empty */
    uint32_t ordinal;          /* of the generation */
    uint64_t unit;
    int64_t base;
    struct lookup gs, stacks;
    const uint32_t *reason;
    struct v2_g *g;
    size_t n;                  /* folded, by them */
    int64_t last;              /* time of the last of these */
    struct turn {              /* the current one; times as they are handed over: since the trace's first event */
        const uint8_t *at;     /* the event, the first one that isn't part of it */
        const uint8_t *args;   /* of that, if its time is known, and that time; else NULL */
        int64_t now;
        const uint8_t *behind; /* no event that begins here can end beyond its batch */
        int64_t before, last;  /* the thread's last one's time; that of the trace's */
        int64_t limit, until;
        size_t n, room;        /* how many; may be */
        struct v2_p *p;
        uint8_t status;        /* of what runs there; its own is written when it leaves */
    } turn;
    struct hot_run r;
    struct hot h;
    struct ev *out;            /* NULL: they are folded */
    struct v2_order *o;
};

/* Before the first turn, and after any event that is not one of theirs. */
HOT void turns_take(struct turns *ts, const struct v2_order *o, struct fold *f)
{
    const struct v2_gen *gen = o->gen;
    ts->ready = o->have_base && o->unit64 && o->gs.cap && gen->stacks.cap;
    ts->ordinal = gen->ordinal;
    ts->unit = o->unit64;
    ts->base = o->base;
    ts->gs = lookup_take(&o->gs);
    ts->stacks = lookup_take(&gen->stacks);
    ts->reason = gen->reason;
    ts->g = o->g;
    if (f)
        ts->h = hot_take(f);
}

HOT bool reason_quick(const struct turns *ts, uint64_t id, uint32_t *out)
{
    if (id >= V2_REASONS)
        return false;
    *out = ts->reason[id];
    return *out || !id;
}

/* One varint: v, behind which p stands then. */
struct far_varint {
    const uint8_t *p;
    uint64_t v;
};

static __attribute__((noinline)) struct far_varint varint_far(const uint8_t *p)
{
    struct far_varint f;
    f.p = bytes_varint_slow(p, p + 10, &f.v);
    return f;
}

#define ARG(x)                                                      \
    do {                                                            \
        (x) = p[0];                                                 \
        if ((x) < 0x80) {                                           \
            p += 1;                                                 \
        } else if (p[1] < 0x80) {                                   \
            (x) = ((x) & 0x7f) | (uint64_t)p[1] << 7;               \
            p += 2;                                                 \
        } else if (p[2] < 0x80) {                                   \
            (x) = ((x) & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14; \
            p += 3;                                                 \
        } else {                                                    \
            struct far_varint far_ = varint_far(p);                 \
            if (!far_.p)                                            \
                goto out;                                           \
            p = far_.p;                                             \
            (x) = far_.v;                                           \
        }                                                           \
    } while (0)

/*
 * Seldomer events that a turn goes on after: a goroutine comes or ends, a metric changes. false: not so simple, and nothing has changed.
 */
static __attribute__((noinline)) void turn_metric(struct turns *ts, enum metric metric, int64_t t, uint64_t value)
{
    struct hot_run *r = &ts->r;
    if (ts->out) {
        *ts->out++ = (struct ev){.t = t, .kind = EVK_METRIC, .state = (uint8_t)metric, .g = r->g, .p = r->p, .m = r->m,
                                 .by = EV_NONE, .arg = value};
        return;
    }
    struct fold *f = ts->h.f;
    fold_point(f, metric, t, value);
    f->count[EC_METRIC]++;
    f->count[EC_TRANSITION]--; /* as which all of a turn's events are counted */
    ts->o->oom |= f->oom;
}

static __attribute__((noinline)) bool turn_end(struct turns *ts, int64_t t)
{
    struct hot_run *r = &ts->r;
    const uint32_t g = r->g;
    if (ts->turn.status != ST_RUNNING)
        return false;
    if (ts->out) {
        *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = ST_NONE, .g = g, .p = EV_NONE, .m = EV_NONE,
                                 .by = EV_NONE, .on_p = r->p + 1, .on_m = r->m + 1};
        r->g = EV_NONE;
    } else if (!hot_on_end(r, &ts->h, t)) {
        return false;
    }
    ts->turn.status = ST_NONE;
    v2_g_forget(ts->o, g);
    return true;
}

static __attribute__((noinline)) bool turn_create(struct turns *ts, int64_t t, uint64_t id, uint64_t start, uint64_t own)
{
    struct hot_run *r = &ts->r;
    struct v2_order *o = ts->o;
    uint32_t stack, stack2;
    if (idmap_get(&o->gs, id) != IDMAP_NONE || (r->g != EV_NONE && ts->turn.status != ST_RUNNING) ||
        !lookup_or_0(&ts->stacks, start, &stack2) || !lookup_or_0(&ts->stacks, own, &stack))
        return false;
    const uint32_t g = v2_g_new(o, id, ST_RUNNABLE);
    ts->g = o->g;
    ts->gs = lookup_take(&o->gs);
    if (g == EV_NONE)
        return false;
    const struct ev e = {.t = t, .kind = EVK_G_CREATE, .state = ST_RUNNABLE, .flags = EVF_OWN_STACK, .g = g, .p = r->p, .m = r->m,
                         .by = r->g, .stack = stack, .stack2 = stack2, .arg = id};
    if (ts->out) {
        *ts->out++ = e;
        return true;
    }
    o->oom |= !fold_created(ts->h.f, &e);
    hot_created(r, &ts->h);
    return true;
}

/* The events of a turn. */
HOT void turn_events(struct turns *ts, bool direct)
{
    struct turn *const u = &ts->turn;
    struct hot_run *const r = &ts->r;
    const uint8_t *at = u->at, *p;
    int64_t last = u->last, now, t;
    uint64_t a0, a1, a2;
    uint32_t str, stack;
    if (u->args) { /* its time is known */
        p = u->args;
        now = u->now;
        goto timed;
    }
next:
    p = at + 1;
    ARG(a0);
    if (a0 >= (uint64_t)1 << 40)
        goto out;
    now = u->before + (int64_t)(a0 * ts->unit);
timed:
    t = now > last ? now : last + 1;
    if (t > u->limit) { /* somebody else's turn; only ever the time of this one may be asked for before it is ours again */
        if (now > u->until) {
            u->args = p;
            u->now = now;
            u->at = at;
            u->last = last;
            return;
        }
        goto out;
    }
    const uint8_t type = *at;
    if (type == V2_GO_START) {
        ARG(a0);
        ARG(a1);
        uint32_t k = lookup(&ts->gs, a0);
        if (r->g != EV_NONE || k == IDMAP_NONE)
            goto out;
        struct v2_g *vg = &ts->g[k];
        if (vg->status != ST_RUNNABLE || vg->seqgen != ts->ordinal || a1 != vg->seq + 1 ||
            (direct && !hot_on_start(r, &ts->h, t, k)))
            goto out;
        u->status = ST_RUNNING;
        vg->seq = a1;
        if (!direct) {
            *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = k, .p = r->p, .m = r->m, .by = EV_NONE,
                                     .on_p = r->p + 1, .on_m = r->m + 1};
            r->g = k;
        }
    } else if (type == V2_GO_STOP || type == V2_GO_BLOCK) {
        ARG(a0);
        ARG(a1);
        const uint32_t g = r->g;
        if (u->status != ST_RUNNING || !reason_quick(ts, a0, &str) || !lookup_or_0(&ts->stacks, a1, &stack))
            goto out;
        const uint8_t state = type == V2_GO_STOP ? ST_RUNNABLE : ST_WAITING;
        if (direct && !(type == V2_GO_STOP ? hot_on_leave(r, &ts->h, t, ST_RUNNABLE, str, stack) :
                        hot_on_leave(r, &ts->h, t, ST_WAITING, str, stack)))
            goto out;
        ts->g[g].status = state;
        u->status = ST_NONE;
        if (!direct) {
            *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = state, .g = g, .p = EV_NONE, .m = EV_NONE,
                                     .by = EV_NONE, .str = str, .stack = stack,
                                     .flags = EVF_OWN_STACK | (state == ST_RUNNABLE ? EVF_STOPPED : 0), .on_p = r->p + 1,
                                     .on_m = r->m + 1};
            r->g = EV_NONE;
        }
    } else if (type == V2_GO_UNBLOCK) {
        ARG(a0);
        ARG(a1);
        ARG(a2);
        uint32_t k = lookup(&ts->gs, a0);
        if (k == IDMAP_NONE || !lookup_or_0(&ts->stacks, a2, &stack))
            goto out;
        struct v2_g *vg = &ts->g[k];
        if (vg->status != ST_WAITING || vg->seqgen != ts->ordinal || a1 != vg->seq + 1 ||
            (direct && !hot_wake(r, &ts->h, t, k, r->g, stack)))
            goto out;
        vg->status = ST_RUNNABLE;
        vg->seq = a1;
        if (!direct)
            *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = ST_RUNNABLE, .g = k, .p = EV_NONE, .m = EV_NONE,
                                     .by = r->g, .stack = stack, .flags = EVF_WOKEN, .on_p = r->p + 1, .on_m = r->m + 1};
    } else if (type == V2_GO_SYSCALL_BEGIN) {
        ARG(a0);
        ARG(a1);
        if (u->status != ST_RUNNING || u->p->seqgen != ts->ordinal || a0 != u->p->seq + 1 ||
            !lookup_or_0(&ts->stacks, a1, &stack) || (direct && (r->call || !hot_on_call(r, &ts->h, t, ST_SYSCALL, stack))))
            goto out;
        u->status = ST_SYSCALL;
        u->p->status = V2_PS_SYSCALL;
        u->p->seq = a0;
        if (!direct)
            *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = ST_SYSCALL, .g = r->g, .p = r->p, .m = r->m, .by = EV_NONE,
                                     .stack = stack, .flags = EVF_OWN_STACK, .on_p = r->p + 1, .on_m = r->m + 1};
    } else if (type == V2_GO_SYSCALL_END) {
        if (u->status != ST_SYSCALL || u->p->status != V2_PS_SYSCALL ||
            (direct && (!r->call || !hot_on_call(r, &ts->h, t, ST_RUNNING, 0))))
            goto out;
        u->status = ST_RUNNING;
        u->p->status = V2_PS_RUNNING;
        if (!direct)
            *ts->out++ = (struct ev){.t = t, .kind = EVK_G_STATE, .state = ST_RUNNING, .g = r->g, .p = r->p, .m = r->m, .by = EV_NONE,
                                     .on_p = r->p + 1, .on_m = r->m + 1};
    } else if (type == V2_HEAP_ALLOC) {
        ARG(a0);
        turn_metric(ts, METRIC_HEAP, t, a0);
    } else if (type == V2_GO_CREATE) {
        ARG(a0);
        ARG(a1);
        ARG(a2);
        if (!turn_create(ts, t, a0, a1, a2))
            goto out;
    } else if (type != V2_GO_DESTROY || !turn_end(ts, t)) {
        goto out;
    }
    at = p;
    u->before = now;
    last = t;
    if (++u->n < u->room && at <= u->behind)
        goto next;
out:
    u->args = NULL;
    u->at = at;
    u->last = last;
}
#undef ARG

/* (Of their own: nothing else takes registers.) */
static __attribute__((noinline)) void turn_out(struct turns *ts)
{
    turn_events(ts, false);
}

static __attribute__((noinline)) void turn_fold(struct turns *ts)
{
    turn_events(ts, true);
}

/*
 * A cursor's events, one after another, as long as they are of the commonest kinds, are where they should be, and are
 * the earliest (t <= until): what v2_adv() does, without what can't matter then. The event it stops at is the cursor's
 * current one, untried; false: there is none. room: how many events may be handed over at most.
 */
HOT bool hot_turn(struct v2_order *o, struct turns *ts, struct v2_cursor *c, int64_t until, size_t room, bool direct)
{
    const uint32_t m = c->m;
    struct turn *const u = &ts->turn;
    struct hot_run *const r = &ts->r;
    r->full = NULL;
    if (!ts->ready || m == EV_NONE || c->end - c->at < EVENT_MAX || !room)
        return true;
    struct v2_m *const vm = &o->m[m];
    const int64_t base = ts->base;
    if (!vm->told || vm->p == EV_NONE)
        return true;
    u->last = o->last - base;
    u->limit = until = (until < V2_TIME_MAX ? until : V2_TIME_MAX) - base;
    if (!direct) {
        r->p = vm->p;
        r->m = m;
        r->g = vm->g;
    } else if (!hot_run_begin(r, &ts->h, vm->p, m, vm->g, u->last)) {
        return true;
    } else if (r->limit < until) {
        u->limit = r->limit;
    }
    u->until = until;
    u->at = c->at;
    u->behind = c->end - EVENT_MAX;
    u->before = c->before - base;
    u->args = c->lazy ? c->p : NULL;
    u->now = c->t - base;
    u->n = 0;
    u->room = room;
    u->p = &o->p[vm->p];
    u->status = vm->g == EV_NONE ? ST_NONE : ts->g[vm->g].status;
    if (direct) {
        turn_fold(ts);
    } else {
        ts->out = &o->out[o->nout];
        turn_out(ts);
    }
    if (!u->n)
        return true;
    vm->g = r->g;
    if (r->g != EV_NONE)
        ts->g[r->g].status = u->status;
    o->last = u->last + base;
    if (direct) {
        hot_run_end(r, &ts->h);
        ts->last = u->last;
        ts->n += u->n;
    } else {
        o->nout = (size_t)(ts->out - o->out);
    }
    c->lazy = u->args;
    if (!c->lazy)
        return cursor_load(o, c, u->at, u->before + base);
    c->at = u->at;
    c->p = u->args;
    c->before = u->before + base;
    c->t = u->now + base;
    c->type = *u->at;
    return true;
}

/* What general events left in o->out, into the model. false: out of memory. */
static bool turns_flush(struct v2_order *o, struct fold *f)
{
    bool ok = true;
    for (size_t i = 0; i < o->nout && ok; i++)
        ok = fold_any(f, &o->out[i]);
    o->nout = 0;
    return ok;
}

/* ---- whose turn it is ------------------------------------------------------------------------------------- */

/* Behind an event that was not one of the commonest: the time of the next one, if no more need be looked at now. */
HOT bool cursor_peek(struct v2_order *o, struct v2_cursor *c)
{
    const uint8_t *p = c->p;
    uint64_t dt;
    if (c->end - p < EVENT_MAX || !o->unit64 || !v2_specs[*p].nargs || (p[1] & p[2]) >= 0x80)
        return cursor_next(o, c);
    c->at = p++;
    c->type = *c->at;
    p = bytes_varint_within(p, &dt);
    c->p = p;
    c->before = c->t;
    c->t += (int64_t)(dt * o->unit64);
    c->lazy = true;
    return true;
}

/* Up to cap events; into o->out, or (direct) into the model. Returns how many: 0, the generation is done. */
HOT size_t order_run(struct v2_order *o, struct turns *ts, size_t cap, bool direct)
{
    size_t others = 0; /* direct: those that were not the commonest */
    struct fold *f = direct ? ts->h.f : NULL;
    for (bool ok = true; ok;) {
        size_t done = direct ? ts->n + others : o->nout;
        if (done + 8 > cap || o->stopped || o->oom)
            break;
        bool other = false;
        if (o->sample < o->gen->nsample && (!o->nheap || o->gen->sample[o->sample].ns < o->heap[0].t)) {
            sample_out(o);
            other = true;
        } else if (!o->nheap) {
            break;
        } else {
            struct v2_cursor *c = &o->cur[o->heap[0].cursor];
            const int64_t until = alone_until(o);
            bool more;
            enum adv a = ADV_OK;
            for (;;) { /* as long as it is its turn */
                more = hot_turn(o, ts, c, until, cap - 7 - done, direct);
                done = direct ? ts->n + others : o->nout;
                if (!more || c->t > until || done + 8 > cap)
                    break;
                if (direct && hot_room(&ts->r, &ts->h))
                    continue;
                other = true;
                if (!(more = cursor_whole(o, c)) || (a = v2_adv(o, c)) != ADV_OK || !(more = cursor_peek(o, c)))
                    break;
                if (direct) {
                    others += o->nout;
                    ok = turns_flush(o, f);
                }
                turns_take(ts, o, f);
                other = false;
                done = direct ? ts->n + others : o->nout;
                if (!ok || o->oom || c->t > until || done + 8 > cap)
                    break;
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
        if (!other)
            continue;
        if (direct && o->nout) {
            others += o->nout;
            ok = turns_flush(o, f) && ok;
        }
        turns_take(ts, o, f);
    }
    return direct ? ts->n + others : o->nout;
}

size_t v2_order_next(struct v2_order *o, struct ev *out, size_t cap)
{
    struct turns ts = {.o = o};
    o->out = out;
    o->nout = 0;
    turns_take(&ts, o, NULL);
    return order_run(o, &ts, cap, false);
}

size_t v2_order_fold(struct v2_order *o, struct fold *f, size_t cap)
{
    struct ev out[64]; /* the most that one event makes, and one that is put aside, are far fewer */
    struct turns ts = {.o = o};
    if (!fold_begin(f))
        return 0;
    o->out = out;
    o->nout = 0;
    turns_take(&ts, o, f);
    size_t n = order_run(o, &ts, cap, true);
    fold_end(f, ts.last, ts.n);
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
