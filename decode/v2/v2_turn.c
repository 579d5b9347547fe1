/*
 * v2_turn.c - see v2_turn.h.
 *
 * These are nearly all events of a trace, so here counts what a processor does. Functions that are seldom called are
 * kept out of the loop, and nothing else is in its function: what it keeps in registers are the place in the batch and
 * the time.
 */
#include "decode/v2/v2_turn.h"

#include "decode/base/bytes.h"

#define HOT static inline __attribute__((always_inline))

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

/* Same, of goroutines: what they are called stands where they do, which is read next. */
HOT uint32_t lookup_g(const struct lookup *l, const struct v2_g *g, uint64_t key)
{
    uint32_t v = l->val[key & l->mask] - 1;
    return v < IDMAP_GONE - 1 && g[v].id == key ? v : lookup_far(l->map, key);
}

/* Same, of ids whose 0 is 0. */
HOT bool lookup_or_0(const struct lookup *l, uint64_t key, uint32_t *out)
{
    *out = key ? lookup(l, key) : 0;
    return *out != IDMAP_NONE;
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

#define ARG(x) \
    do { \
        (x) = p[0]; \
        if ((x) < 0x80) { \
            p += 1; \
        } else if (p[1] < 0x80) { \
            (x) = ((x)&0x7f) | (uint64_t)p[1] << 7; \
            p += 2; \
        } else if (p[2] < 0x80) { \
            (x) = ((x)&0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14; \
            p += 3; \
        } else { \
            struct far_varint far_ = varint_far(p); \
            if (!far_.p) \
                goto out; \
            p = far_.p; \
            (x) = far_.v; \
        } \
    } while (0)

/* A short event into the stream; a long one. */
HOT void put(struct turns *ts, int64_t t, enum evs_kind kind, uint8_t state, uint32_t g, uint32_t stack)
{
    *ts->out++ = (struct evs){.dt = (uint32_t)(t - ts->told), .stack = stack, .kind = kind, .state = state, .g = g};
    ts->told = t;
}

static void put_long(struct turns *ts, const struct hot_run *r, const struct ev *e)
{
    memcpy(ts->out, e, sizeof *e);
    ts->out += EVS_LONG;
    ts->told = e->t;
    put_on(ts, r);
    ts->room = ts->room > EVS_LONG ? ts->room - EVS_LONG : 1;
}

/* GoStop's and GoBlock's reasons, once asked for; 0: not at hand. */
static __attribute__((noinline)) uint64_t turn_reason(struct turns *ts, bool stops, uint64_t id)
{
    uint32_t str;
    uint64_t rest;
    if (!reason_quick(ts, id, &str) || !hot_reason(&ts->h, stops ? ST_RUNNABLE : ST_WAITING, str, &rest))
        return 0;
    return ts->rest[stops][id] = rest;
}

/* Seldomer events that a turn goes on after. false: not so simple, and nothing has changed. */
static __attribute__((noinline)) void turn_metric(struct turns *ts, const struct turn *u, enum metric metric,
                                                  int64_t t, uint64_t value)
{
    const struct hot_run *r = &u->r;
    if (ts->out) {
        put_long(ts, r,
                 &(struct ev){.t = t,
                              .kind = EVK_METRIC,
                              .state = (uint8_t)metric,
                              .g = r->g,
                              .p = r->p,
                              .m = r->m,
                              .by = EV_NONE,
                              .arg = value});
        return;
    }
    struct fold *f = ts->h.f;
    fold_point(f, metric, t, value);
    f->count[EC_METRIC]++;
    f->count[EC_TRANSITION]--; /* as which all of a turn's events are counted */
    ts->o->oom |= f->oom;
}

static __attribute__((noinline)) bool turn_end(struct turns *ts, struct turn *u, int64_t t)
{
    struct hot_run *r = &u->r;
    const uint32_t g = r->g;
    if (u->status != ST_RUNNING)
        return false;
    if (ts->out) {
        put(ts, t, EVS_LEAVE, ST_NONE, 0, 0);
        r->g = EV_NONE;
    } else if (!hot_on_end(r, &ts->h, t)) {
        return false;
    }
    u->status = ST_NONE;
    v2_g_forget(ts->o, g);
    return true;
}

static __attribute__((noinline)) bool turn_create(struct turns *ts, const struct turn *u, int64_t t, uint64_t id,
                                                  uint64_t start, uint64_t own)
{
    const struct hot_run *r = &u->r;
    struct v2_order *o = ts->o;
    uint32_t stack, stack2;
    if (idmap_get(&o->gs, id) != IDMAP_NONE || (r->g != EV_NONE && u->status != ST_RUNNING) ||
        !lookup_or_0(&ts->stacks, start, &stack2) || !lookup_or_0(&ts->stacks, own, &stack))
        return false;
    const uint32_t g = v2_g_new(o, id, ST_RUNNABLE);
    ts->g = o->g;
    ts->gs = lookup_take(&o->gs);
    if (g == EV_NONE)
        return false;
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
    if (ts->out) {
        put_long(ts, r, &e);
        return true;
    }
    const struct spanlane *lanes = ts->h.g;
    o->oom |= !fold_created(ts->h.f, &e);
    hot_created(&ts->h);
    for (uint32_t i = 0; lanes != ts->h.g && i < ts->nopen; i++)
        if (ts->open[i].r.g != EV_NONE)
            ts->open[i].r.l = &ts->h.g[ts->open[i].r.g];
    return true;
}

/* GoStop and GoBlock; *p: their arguments. */
HOT bool turn_leave(struct turns *ts, struct turn *u, const uint8_t **args, int64_t t, bool stops, bool direct)
{
    struct hot_run *const r = &u->r;
    const uint8_t state = stops ? ST_RUNNABLE : ST_WAITING, *p = *args;
    const uint32_t g = r->g;
    uint64_t a0, a1, rest;
    uint32_t str, stack;
    ARG(a0);
    ARG(a1);
    if (u->status != ST_RUNNING || a0 >= V2_REASONS || !lookup_or_0(&ts->stacks, a1, &stack))
        goto out;
    if (direct) {
        if (!(rest = ts->rest[stops][a0]) && !(rest = turn_reason(ts, stops, a0)))
            goto out;
        if (!hot_on_leave(r, &ts->h, t, state, rest, stack))
            goto out;
    } else {
        if (!reason_quick(ts, a0, &str))
            goto out;
        put(ts, t, EVS_LEAVE, state, str, stack);
        r->g = EV_NONE;
    }
    ts->g[g].status = state;
    u->status = ST_NONE;
    *args = p;
    return true;
out:
    return false;
}

/* The events of a turn. false: the one it stops at is another kind of event; its time is not known. */
HOT bool turn_events(struct turns *ts, struct turn *u, bool direct)
{
    struct hot_run *const r = &u->r;
    const uint8_t *at = u->at, *p;
    int64_t last = ts->last, now, t;
    uint64_t a0, a1, a2;
    uint32_t stack;
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
    if (t >
        ts->limit) { /* somebody else's turn; only ever the time of this one may be asked for before it is ours again */
        ts->over = t;
        if (now <= ts->until)
            goto out;
        u->args = p;
        u->now = now;
        u->at = at;
        ts->last = last;
        return true;
    }
    const uint8_t type = *at;
    if (!direct && (uint64_t)(t - ts->told) > UINT32_MAX)
        goto out;
    if (type == V2_GO_START) {
        ARG(a0);
        ARG(a1);
        uint32_t k = lookup_g(&ts->gs, ts->g, a0);
        if (r->g != EV_NONE || k == IDMAP_NONE)
            goto out;
        struct v2_g *vg = &ts->g[k];
        if (vg->status != ST_RUNNABLE || vg->seqgen != ts->ordinal || a1 != vg->seq + 1 ||
            (direct && !hot_on_start(r, &ts->h, t, k)))
            goto out;
        u->status = vg->status = ST_RUNNING;
        vg->seq = a1;
        if (!direct) {
            put(ts, t, EVS_START, 0, k, 0);
            r->g = k;
        }
    } else if (type == V2_GO_BLOCK) {
        if (!turn_leave(ts, u, &p, t, false, direct))
            goto out;
    } else if (type == V2_GO_STOP) {
        if (!turn_leave(ts, u, &p, t, true, direct))
            goto out;
    } else if (type == V2_GO_UNBLOCK) {
        ARG(a0);
        ARG(a1);
        ARG(a2);
        uint32_t k = lookup_g(&ts->gs, ts->g, a0);
        if (k == IDMAP_NONE || !lookup_or_0(&ts->stacks, a2, &stack))
            goto out;
        struct v2_g *vg = &ts->g[k];
        if (vg->status != ST_WAITING || vg->seqgen != ts->ordinal || a1 != vg->seq + 1 ||
            (direct && !hot_wake(r, &ts->h, t, k, r->g, stack)))
            goto out;
        vg->status = ST_RUNNABLE;
        vg->seq = a1;
        if (!direct)
            put(ts, t, EVS_WAKE, 0, k, stack);
    } else if (type == V2_GO_SYSCALL_BEGIN) {
        ARG(a0);
        ARG(a1);
        if (u->status != ST_RUNNING || u->p->seqgen != ts->ordinal || a0 != u->p->seq + 1 ||
            !lookup_or_0(&ts->stacks, a1, &stack) ||
            (direct && (r->call || !hot_on_call(r, &ts->h, t, ST_SYSCALL, stack))))
            goto out;
        u->status = ts->g[r->g].status = ST_SYSCALL;
        u->p->status = V2_PS_SYSCALL;
        u->p->seq = a0;
        if (!direct)
            put(ts, t, EVS_ENTER, 0, 0, stack);
    } else if (type == V2_GO_SYSCALL_END) {
        if (u->status != ST_SYSCALL || u->p->status != V2_PS_SYSCALL ||
            (direct && (!r->call || !hot_on_call(r, &ts->h, t, ST_RUNNING, 0))))
            goto out;
        u->status = ts->g[r->g].status = ST_RUNNING;
        u->p->status = V2_PS_RUNNING;
        if (!direct)
            put(ts, t, EVS_EXIT, 0, 0, 0);
    } else if (type == V2_HEAP_ALLOC) {
        ARG(a0);
        turn_metric(ts, u, METRIC_HEAP, t, a0);
    } else if (type == V2_GO_CREATE) {
        ARG(a0);
        ARG(a1);
        ARG(a2);
        if (!turn_create(ts, u, t, a0, a1, a2))
            goto out;
    } else if (type != V2_GO_DESTROY || !turn_end(ts, u, t)) {
        goto out;
    }
    at = p;
    u->before = now;
    last = t;
    if (--ts->room && at <= u->behind)
        goto next;
out:
    u->args = NULL;
    u->at = at;
    ts->last = last;
    return false;
}
#undef ARG

bool v2_turn_out(struct turns *ts, struct turn *u)
{
    return turn_events(ts, u, false);
}

bool v2_turn_fold(struct turns *ts, struct turn *u)
{
    return turn_events(ts, u, true);
}
