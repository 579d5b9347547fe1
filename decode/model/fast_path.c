/*
 * fast_path.c - see fast_path.h.
 *
 * Nearly all events of a trace pass through here, so the cost on the processor matters. Functions that are
 * seldom called are kept out of the loop, which has the place in the batch and the time in registers.
 */
#include "decode/model/fast_path.h"

#include <string.h>

#include "decode/base/bytes.h"
#include "decode/v2/v2_state.h"

#define HOT static inline __attribute__((always_inline))

/* ---- look-ups ------------------------------------------------------------------------------------------ */

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
    uint32_t v = l->val[at] - 1; /* IDMAP_NONE: free */
    return __builtin_expect(v != IDMAP_NONE && l->key[at] == key, 1) ? v : lookup_far(l->map, key);
}

/* This is the same for ids where 0 means 0. */
HOT bool lookup_or_0(const struct lookup *l, uint64_t key, uint32_t *out)
{
    *out = key ? lookup(l, key) : 0;
    return *out != IDMAP_NONE;
}

/* ---- the rules, carried out on lanes ------------------------------------------------------------------- */

struct v2_at {
    struct fast_path *ts;
    struct fast_thread *u;
    int64_t t;
};

#define AT_G(at, i) g_at((at)->ts, i)
#define AT_P(at) ((at)->u->p)
#define AT_OWN(at) ((at)->u->own)

HOT struct v2_g *g_at(const struct fast_path *ts, uint32_t g)
{
    return &ts->gs_at[g / V2_GS].g[g % V2_GS];
}

HOT struct v2_order *at_order(const struct v2_at *at)
{
    return at->ts->k.o;
}

HOT uint32_t at_g(const struct v2_at *at)
{
    return at->u->r.g;
}

/* Returns the goroutine with this id. Its entry holds the id, and is read next in any case. */
HOT uint32_t at_find(const struct v2_at *at, uint64_t id)
{
    const struct lookup *l = &at->ts->gs;
    uint32_t v = l->val[id & l->mask] - 1;
    if (__builtin_expect(v != IDMAP_NONE && g_at(at->ts, v)->id == id, 1))
        return v;
    return v == IDMAP_NONE && !l->map->mixed ? IDMAP_NONE
                                             : lookup_far(l->map, id); /* it is about to be created */
}

HOT bool at_follows(const struct v2_at *at, uint32_t gen, uint64_t have, uint64_t want)
{
    return gen == at->ts->ordinal && want == have + 1;
}

HOT enum adv at_bad(const struct v2_at *at, const char *what, uint64_t id)
{
    (void)at, (void)what, (void)id;
    return ADV_LONG;
}

HOT bool at_can_start(const struct v2_at *at) /* the fast path has a thread and a P */
{
    return at_g(at) == EV_NONE;
}

HOT void at_runs(const struct v2_at *at, uint32_t g, struct v2_g *e)
{
    (void)g; /* the run has this value */
    at->u->own = e;
}

HOT bool put_start(const struct v2_at *at, uint32_t g)
{
    return hot_on_start(&at->u->r, &at->ts->h, at->t, g);
}

static __attribute__((noinline)) uint64_t reason_far(struct fast_path *ts, uint8_t state, uint64_t id)
{
    uint64_t rest;
    if ((id && !ts->reason[id]) || !hot_reason(&ts->h, state, ts->reason[id], &rest))
        return 0;
    return ts->rest[state == ST_RUNNABLE][id] = rest;
}

HOT bool put_leave(const struct v2_at *at, uint8_t state, uint64_t reason, uint64_t stack_id)
{
    uint32_t stack;
    uint64_t rest;
    if (at->u->r.call)
        return false;
    if (state == ST_NONE)
        return hot_on_end(&at->u->r, &at->ts->h, at->t);
    if (reason >= V2_REASONS || !lookup_or_0(&at->ts->stacks, stack_id, &stack) ||
        (!(rest = at->ts->rest[state == ST_RUNNABLE][reason]) && !(rest = reason_far(at->ts, state, reason))))
        return false;
    return hot_on_leave(&at->u->r, &at->ts->h, at->t, state, rest, stack);
}

HOT bool put_wake(const struct v2_at *at, uint32_t g, uint64_t stack_id)
{
    uint32_t stack;
    return lookup_or_0(&at->ts->stacks, stack_id, &stack) &&
           hot_wake(&at->ts->h, at->t, g, at->u->r.g, stack);
}

HOT bool put_call(const struct v2_at *at, uint64_t stack_id)
{
    uint32_t stack;
    return !at->u->r.call && lookup_or_0(&at->ts->stacks, stack_id, &stack) &&
           hot_on_call(&at->u->r, &at->ts->h, at->t, ST_SYSCALL, stack);
}

HOT bool put_return(const struct v2_at *at)
{
    return at->u->r.call && hot_on_call(&at->u->r, &at->ts->h, at->t, ST_RUNNING, 0);
}

static __attribute__((noinline)) enum adv create(struct fast_path *ts, const struct hot_run *r, int64_t t,
                                                 uint64_t id, uint64_t start, uint64_t own)
{
    struct v2_order *o = ts->k.o;
    uint32_t stack, stack2;
    if (!lookup_or_0(&ts->stacks, start, &stack2) || !lookup_or_0(&ts->stacks, own, &stack))
        return ADV_LONG;
    const uint32_t g = v2_g_new(o, id, ST_RUNNABLE);
    ts->gs_at = o->gs_at;
    ts->gs = lookup_take(&o->gs);
    if (g == EV_NONE)
        return ADV_BAD;
    if (hot_create(&ts->h, t, &(struct hot_new){id, g, r->g, stack, stack2}))
        return ADV_OK;
    const struct ev e = {.t = t,
                         .kind = EVK_G_CREATE,
                         .state = ST_RUNNABLE,
                         .flags = EVF_OWN_STACK,
                         .g = g,
                         .p = r->p,
                         .m = r->m,
                         .by = r->g,
                         .stack = stack,
                         .stack2 = stack2,
                         .arg = id};
    o->oom |= !fold_created(ts->h.f, &e);
    ts->h = hot_take(ts->h.f);
    return ADV_OK;
}

HOT enum adv put_create(const struct v2_at *at, uint8_t state, uint64_t id, uint64_t start, uint64_t own)
{
    return state == ST_RUNNABLE ? create(at->ts, &at->u->r, at->t, id, start, own) : ADV_LONG;
}

HOT enum adv put_metric(const struct v2_at *at, enum metric metric, uint64_t value)
{
    struct fast_path *ts = at->ts;
    fold_point(ts->h.f, metric, at->t, value);
    ts->k.o->oom |= ts->h.f->oom;
    ts->metrics++;
    return ADV_OK;
}

static __attribute__((noinline)) bool range(struct fast_path *ts, struct hot_run *r, const struct ev *e)
{
    ts->k.o->oom |= !hot_range(r, &ts->h, e);
    ts->ranges++;
    return true;
}

HOT bool put_range(const struct v2_at *at, const struct v2_range *r)
{
    uint32_t stack;
    const bool sweep = r->what == RANGE_SWEEP;
    if (!lookup_or_0(&at->ts->stacks, r->stack, &stack))
        return false;
    const struct ev e = {.t = at->t,
                         .kind = (uint8_t)r->kind,
                         .state = (uint8_t)r->what,
                         .g = sweep ? EV_NONE : at_g(at),
                         .p = sweep ? at->u->r.p : EV_NONE,
                         .m = at->u->r.m,
                         .by = EV_NONE,
                         .stack = stack,
                         .arg = r->a,
                         .arg2 = r->b};
    return range(at->ts, &at->u->r, &e);
}

#include "decode/v2/v2_rules.h"

/* ---- a thread's events --------------------------------------------------------------------------------- */

/* Returns false if there is no valid varint. */
HOT bool varint(const uint8_t **at, uint64_t *v)
{
    const uint8_t *p = bytes_varint_within(*at, v);
    *at = p ? p : *at;
    return p;
}

/* These are the entries of the table of events for these events. */
enum { CM = V2_CM, CP = V2_CP, CG = V2_CG, NG = V2_NG, SELF = V2_SELF, OWN = V2_OWN, TELLS = V2_TELLS };
enum {
#define X(n, id, name, since, nargs, context, ...) NARGS_##id = nargs, NEEDS_##id = context,
#include "decode/v2/events_v2.def"
};

/* Read an event's arguments. Also returns false if it needs a goroutine and there is none. */
#define READ(id) \
    (!(NEEDS_##id & V2_CG && at_g(x) == EV_NONE) && (NARGS_##id < 1 || varint(&p, &a0)) && \
     (NARGS_##id < 2 || varint(&p, &a1)) && (NARGS_##id < 3 || varint(&p, &a2)))
#define TRY(id, rule) return __builtin_expect(READ(id) && (rule) == ADV_OK, 1) ? p : NULL

/* Carry out an event whose first argument is at p. Returns the place after its arguments; NULL if the event
 * is not for the fast path. */
HOT const uint8_t *fast_event(const struct v2_at *x, uint8_t type, const uint8_t *p)
{
    uint64_t a0 = 0, a1 = 0, a2 = 0;
    if (type == V2_GO_START)
        TRY(GO_START, rule_start(x, a0, a1));
    if (type == V2_GO_BLOCK)
        TRY(GO_BLOCK, rule_leave(x, ST_WAITING, a0, a1));
    if (type == V2_GO_STOP)
        TRY(GO_STOP, rule_leave(x, ST_RUNNABLE, a0, a1));
    if (type == V2_GO_UNBLOCK)
        TRY(GO_UNBLOCK, rule_wake(x, a0, a1, a2));
    if (type == V2_GO_SYSCALL_BEGIN)
        TRY(GO_SYSCALL_BEGIN, rule_call(x, a0, a1));
    if (type == V2_GO_SYSCALL_END)
        TRY(GO_SYSCALL_END, rule_return(x));
    if (type == V2_HEAP_ALLOC)
        TRY(HEAP_ALLOC, put_metric(x, METRIC_HEAP, a0));
    if (type == V2_GO_CREATE)
        TRY(GO_CREATE, rule_create(x, ST_RUNNABLE, a0, a1, a2));
    if (type == V2_GO_DESTROY)
        TRY(GO_DESTROY, rule_leave(x, ST_NONE, 0, 0));
    if (type == V2_GC_ASSIST_BEGIN)
        TRY(GC_ASSIST_BEGIN, rule_range_begin(x, RANGE_ASSIST, a0));
    if (type == V2_GC_ASSIST_END)
        TRY(GC_ASSIST_END, rule_range_end(x, RANGE_ASSIST, 0, 0));
    if (type == V2_GC_SWEEP_BEGIN)
        TRY(GC_SWEEP_BEGIN, rule_range_begin(x, RANGE_SWEEP, a0));
    if (type == V2_GC_SWEEP_END)
        TRY(GC_SWEEP_END, rule_range_end(x, RANGE_SWEEP, a0, a1));
    return NULL;
}

/* Read the time of the event at `at`, and set *p to the place after it. */
HOT bool fast_time(const struct fast_path *ts, const struct fast_thread *u, const uint8_t *at,
                   const uint8_t **p, int64_t *now)
{
    uint64_t dt;
    *p = at + 1;
    if (!varint(p, &dt) || dt >= V2_SHORT)
        return false;
    *now = u->before + (int64_t)(dt * ts->unit);
    return true;
}

/* Carry out up to k.room events. Returns true if the next event's time is known and later than ts->until.
 * Returns false if the next event is not for the fast path or is later than ts->limit (its time is then in
 * ts->over), or if the batch ends. */
HOT bool fast_events(struct fast_path *ts, struct fast_thread *u)
{
    const uint8_t *at = u->at, *p = u->args;
    int64_t last = ts->last, now = u->now;
    size_t room = ts->k.room;
    if (p)
        goto timed;
next:
    if (!fast_time(ts, u, at, &p, &now))
        goto out;
timed:;
    const struct v2_at x = {ts, u, now > last ? now : last + 1};
    /* Another thread is due; until it is done this thread only needs the time of its next event. */
    if (x.t > ts->limit) {
        ts->over = x.t;
        if (now <= ts->until || now > u->clock || !v2_specs[*at].nargs) /* what can't be is found at once */
            goto out;
        u->args = p;
        u->now = now;
        u->at = at;
        ts->last = last;
        ts->k.room = room;
        return true;
    }
    if (__builtin_expect(!(p = fast_event(&x, *at, p)), 0))
        goto out;
    at = p;
    u->before = now;
    last = x.t;
    if (__builtin_expect(--room && at <= u->behind, 1))
        goto next;
out:
    u->args = NULL;
    u->at = at;
    ts->last = last;
    ts->k.room = room;
    return false;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static struct fast_path *path_of(struct v2_sink *k)
{
    return (struct fast_path *)(void *)k;
}

/* Read the tables' addresses: at the beginning, and after any event that was not on the fast path. ranges:
 * only events that begin or end ranges came, which move no table. */
static void tables_take(struct fast_path *ts, bool ranges)
{
    const struct v2_order *o = ts->k.o;
    const struct v2_gen *gen = o->gen;
    ts->ready = !o->park.n && !o->lossy && o->have_base && o->whole && o->gs.cap && gen->stacks.cap;
    ts->last = o->last - o->base;
    if (ranges)
        return;
    ts->ordinal = gen->ordinal;
    ts->unit = o->whole;
    ts->base = o->base;
    ts->gs = lookup_take(&o->gs);
    ts->stacks = lookup_take(&gen->stacks);
    ts->reason = gen->reason;
    ts->gs_at = o->gs_at;
    ts->h = hot_take(ts->h.f);
    ts->vps = o->p;
}

static bool sink_begin(struct v2_sink *k)
{
    struct fast_path *ts = path_of(k);
    ts->nopen = 0;
    ts->metrics = ts->ranges = 0;
    memset(ts->rest, 0, sizeof ts->rest);
    if (!fold_begin(ts->h.f))
        return false;
    tables_take(ts, false);
    return true;
}

static void sink_end(struct v2_sink *k)
{
    struct fast_path *ts = path_of(k);
    fold_end(ts->h.f, k->n ? ts->last : 0, k->n - ts->metrics - ts->ranges);
    ts->h.f->events += ts->metrics;
    ts->h.f->count[EC_METRIC] += ts->metrics;
}

/* Take a thread off the fast path, and write its state back. Returns false if it has no more events. */
static bool fast_close(struct fast_path *ts, struct fast_thread *u)
{
    struct v2_cursor *c = u->c;
    const int64_t base = ts->base;
    u->c = NULL;
    u->cursor = UINT32_MAX;
    if (u->at == c->at)
        return true;
    hot_run_end(&u->r, &ts->h);
    v2_m_has(ts->k.o, c->m, u->r.g);
    if (!u->args)
        return v2_cursor_load(ts->k.o, c, u->at, u->before + base);
    c->lazy = true;
    c->at = u->at;
    c->p = u->args;
    c->before = u->before + base;
    c->t = u->now + base;
    c->type = *u->at;
    return true;
}

static void sink_pause(struct v2_sink *k)
{
    const struct fast_path *ts = path_of(k);
    if (ts->ready)
        k->o->last = ts->last + ts->base;
}

/* Take all threads off the fast path. Each of them knows the time of its next event. */
static void sink_close(struct v2_sink *k)
{
    struct fast_path *ts = path_of(k);
    for (uint32_t i = 0; i < ts->nopen; i++)
        if (ts->open[i].c)
            fast_close(ts, &ts->open[i]);
    ts->nopen = 0;
    sink_pause(k);
}

/* Arrays may have moved while threads are open: update their pointers. */
static void fast_moved(struct fast_path *ts)
{
    struct v2_order *o = ts->k.o;
    for (uint32_t i = 0; i < ts->nopen; i++) {
        struct fast_thread *u = &ts->open[i];
        if (!u->c)
            continue;
        u->p = &o->p[u->r.p];
        u->r.pl = &ts->h.p[u->r.p];
    }
}

static bool sink_take(struct v2_sink *k)
{
    struct fast_path *ts = path_of(k);
    struct v2_order *o = k->o;
    for (size_t i = 0; i < o->nout && ts->nopen; i++) { /* close the threads that the events concern */
        const struct ev *e = &o->out[i];
        for (uint32_t j = 0; j < ts->nopen; j++) {
            struct fast_thread *u = &ts->open[j];
            if (u->c && (u->r.p == e->p || u->r.m == e->m || (u->r.g == e->g && e->g != EV_NONE)))
                fast_close(ts, u);
        }
    }
    const struct spanlane *const p = ts->h.p;
    const struct v2_p *const vps = ts->vps;
    bool ok = true, ranges = o->nout;
    for (size_t i = 0; i < o->nout && ok; i++) {
        ranges &= o->out[i].kind == EVK_RANGE_BEGIN || o->out[i].kind == EVK_RANGE_END;
        ok = fold_any(ts->h.f, &o->out[i]);
    }
    o->nout = 0;
    tables_take(ts, ranges);
    if (p != ts->h.p || vps != ts->vps)
        fast_moved(ts);
    return ok;
}

/* Put the first cursor's thread on the fast path. Returns NULL if its next events are not for the fast
 * path. */
static __attribute__((noinline)) struct fast_thread *fast_open(struct fast_path *ts, struct heap *first)
{
    struct v2_order *o = ts->k.o;
    struct v2_cursor *c = &o->cur[first->cursor];
    const uint32_t m = c->m;
    first->t = c->t;
    if (!ts->ready || m == EV_NONE || c->end - c->at < V2_EVENT_MAX)
        return NULL;
    struct v2_m *const vm = &o->m[m];
    if (!vm->reported || vm->p == EV_NONE || o->p[vm->p].m != m)
        return NULL;
    const bool back = first->slot < ts->nopen && !ts->open[first->slot].c; /* reuse its previous place */
    const uint32_t i = back                       ? first->slot
                       : ts->nopen < FAST_THREADS ? ts->nopen
                                                  : (uint32_t)(ts->k.room % FAST_THREADS);
    struct fast_thread *u = &ts->open[i];
    if (i < ts->nopen && u->c)
        fast_close(ts, u);
    u->c = NULL;
    ts->nopen += i == ts->nopen;
    if (!hot_run_begin(&u->r, &ts->h, vm->p, m, vm->g, ts->last)) {
        u->r.g = EV_NONE;
        return NULL;
    }
    first->slot = i;
    vm->fresh = false;
    u->c = c;
    u->cursor = first->cursor;
    u->own = vm->g == EV_NONE ? NULL : v2_g_at(o, vm->g);
    u->p = &o->p[vm->p];
    u->at = c->at;
    u->args = c->lazy ? c->p : NULL;
    u->behind = c->end - V2_EVENT_MAX;
    u->now = c->t - ts->base;
    u->before = c->before - ts->base;
    u->clock = c->until - 1 - ts->base;
    return u;
}

/* Returns the first cursor's thread, opened if necessary; NULL as fast_open(). */
HOT struct fast_thread *fast_thread_of(struct fast_path *ts, struct heap *first)
{
    struct fast_thread *u = &ts->open[first->slot];
    return u->cursor == first->cursor ? u : fast_open(ts, first);
}

/* Carry out events up to ts->until. Returns false if the next one is not for the fast path, or if there are
 * no more. */
HOT bool fast_go(struct fast_path *ts, struct fast_thread *u)
{
    for (;;) {
        int64_t most = hot_limit(&u->r, &ts->h);
        most = most < u->clock ? most : u->clock;
        ts->limit = most < ts->until ? most : ts->until;
        ts->over = 0;
        if (fast_events(ts, u))
            return true;
        if (ts->over < ts->h.gb_end || ts->over > u->clock)
            return false;
        hot_bucket(&ts->h, ts->over);
    }
}

static enum fast_rc sink_fast(struct v2_sink *k, int64_t *until)
{
    struct fast_path *ts = path_of(k);
    struct v2_order *o = k->o;
    struct heap *const h = o->heap;
    const int64_t sample = v2_next_sample(o), base = ts->base;
    const size_t room = k->room, n = o->nheap;
    struct fast_thread *u = &ts->open[h[0].slot]; /* the one that is probably due */
    enum fast_rc rc = FAST_OUT;
    for (;; rc = FAST_OUT) {
        *until = heap_until(h, n, sample);
        if (u->cursor != h[0].cursor && !(u = fast_thread_of(ts, h)))
            break;
        ts->until = *until - base;
        if (!fast_go(ts, u)) {
            struct v2_cursor *c = u->c;
            rc = fast_close(ts, u) ? FAST_OUT : FAST_OVER;
            h[0].t = c->t;
            break;
        }
        h[0].t = u->now + base;
        rc = FAST_ON;
        if (n < 2 || o->oom || !k->room)
            break;
        /* This is most likely, and known before the heap, which was just written, can be read. */
        u = &ts->open[h[1].slot];
        heap_down(h, n, false);
        if (sample < h[0].t) {
            rc = FAST_DONE;
            break;
        }
    }
    k->n += room - k->room;
    return rc;
}

void fast_path_init(struct fast_path *ts, struct fold *f)
{
    ts->k = (struct v2_sink){.begin = sink_begin,
                             .end = sink_end,
                             .fast = sink_fast,
                             .pause = sink_pause,
                             .close = sink_close,
                             .take = sink_take};
    ts->h.f = f;
    for (uint32_t i = 0; i < FAST_THREADS; i++) {
        ts->open[i].c = NULL;
        ts->open[i].cursor = UINT32_MAX;
    }
}
