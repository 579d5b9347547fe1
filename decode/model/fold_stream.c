/*
 * fold_stream.c - folds a stream of events into the model.
 *
 * Events that a reader vouches for (EVF_SURE) are folded as part of a run, see fold_hot.h. Runs stay open
 * until an event takes the long way. Until then nothing else reads what runs on their Ps, so it is neither
 * written back nor looked up between two events of a run.
 */
#include "decode/model/fold_hot.h"

struct runs {
    struct hot h;
    uint32_t open;        /* a bit for each open entry of r */
    struct hot_run r[32]; /* by P number, modulo 32 */
};

static void runs_close(struct runs *rs)
{
    for (; rs->open; rs->open &= rs->open - 1)
        hot_run_end(&rs->r[__builtin_ctz(rs->open)], &rs->h);
}

/* Open a run of this P and M. Returns NULL if something there is unusual. */
static __attribute__((noinline)) struct hot_run *run_open(struct runs *rs, uint32_t p, uint32_t m,
                                                          int64_t last)
{
    const uint32_t i = p % 32, bit = 1u << i;
    struct hot_run *r = &rs->r[i];
    if (rs->open & bit)
        hot_run_end(r, &rs->h);
    rs->open &= ~bit;
    if (p >= rs->h.np || !hot_run_begin(r, &rs->h, p, m, rs->h.pi[p].g, last))
        return NULL;
    rs->open |= bit;
    return r;
}

/* Fold an event as part of a run. Returns false if it can't be; then nothing has changed. */
static inline __attribute__((always_inline)) bool on_run(struct hot_run *r, const struct hot *h,
                                                         const struct ev_half *e)
{
    uint64_t rest;
    if (e->t > hot_limit(r, h) || e->t <= r->t0)
        return false;
    if (e->state == ST_RUNNING)
        return r->g == EV_NONE ? hot_on_start(r, h, e->t, e->g)
                               : r->g == e->g && r->call && hot_on_call(r, h, e->t, ST_RUNNING, 0);
    if (e->flags & EVF_WOKEN)
        return r->g == e->by && hot_wake(h, e->t, e->g, e->by, e->stack);
    if (r->g != e->g || r->g == EV_NONE || r->call)
        return false;
    if (e->state == ST_WAITING)
        return hot_reason(h, ST_WAITING, e->by, &rest) &&
               hot_on_leave(r, h, e->t, ST_WAITING, rest, e->stack);
    if (e->state == ST_RUNNABLE)
        return hot_reason(h, ST_RUNNABLE, e->by, &rest) &&
               hot_on_leave(r, h, e->t, ST_RUNNABLE, rest, e->stack);
    if (e->state == ST_SYSCALL)
        return hot_on_call(r, h, e->t, ST_SYSCALL, e->stack);
    return e->state == ST_NONE && !e->by && !e->stack && hot_on_end(r, h, e->t);
}

/* Fold an event that the reader vouches for. Returns false if it is unusual nevertheless. */
static inline bool on_sure(struct runs *rs, const struct ev_half *e, int64_t last)
{
    const uint32_t p = e->p, m = e->m, i = p % 32;
    struct hot_run *r = &rs->r[i];
    if ((!(rs->open >> i & 1) || r->p != p || r->m != m) && !(r = run_open(rs, p, m, last)))
        return false;
    if (on_run(r, &rs->h, e))
        return true;
    hot_run_end(r, &rs->h);
    rs->open &= ~(1u << i);
    return false;
}

/* Fold an event that concerns no run: a creation, a metric. Returns false for other kinds, and changes
 * nothing then. */
static __attribute__((noinline)) bool on_gap(struct runs *rs, const struct ev *e, uint64_t *plain)
{
    struct fold *f = rs->h.f;
    if (e->flags & (EVF_QUIET | EVF_EXTRA | EVF_BACKDATE) || e->t >= rs->h.gb_end)
        return false;
    if (e->kind == EVK_METRIC && e->state < METRIC_COUNT && e->state != METRIC_PROCS) {
        fold_point(f, e->state, e->t, e->arg);
        f->events++;
        f->count[EC_METRIC]++;
        return true;
    }
    if (e->kind != EVK_G_CREATE || e->state != ST_RUNNABLE || e->g < rs->h.ng || e->g == EV_NONE ||
        (e->by != EV_NONE && e->by >= rs->h.ng))
        return false;
    if (e->str || !hot_create(&rs->h, e->t, &(struct hot_new){e->arg, e->g, e->by, e->stack, e->stack2})) {
        (void)fold_created(f, e); /* out of memory: the next event that takes the long way finds out */
        rs->h = hot_take(f);
    }
    ++*plain;
    return true;
}

/* Fold any event the long way, with all runs closed. Returns false when out of memory. */
static __attribute__((noinline)) bool on_any(struct runs *rs, const struct ev_half *e, int64_t last)
{
    struct fold *f = rs->h.f;
    struct ev room;
    runs_close(rs);
    f->end = last > f->end ? last : f->end;
    const bool ok = fold_any(f, ev_whole(e, &room));
    rs->h = hot_take(f);
    return ok;
}

void fold_stream(struct fold *f, const struct ev_half *v, size_t n)
{
    if (!fold_begin(f))
        return;
    uint64_t plain = 0;
    int64_t last = f->end;
    struct runs rs;
    rs.h = hot_take(f);
    rs.open = 0;
    bool ok = true;
    for (const struct ev_half *e = v, *end = v + n; ok && e < end;) {
        if (e->flags & EVF_SURE) {
            if (on_sure(&rs, e, last))
                plain++;
            else
                ok = on_any(&rs, e, last);
            last = e++->t;
            continue;
        }
        const struct ev *whole = (const struct ev *)(const void *)e;
        if (!on_gap(&rs, whole, &plain))
            ok = on_any(&rs, e, last);
        last = whole->flags & EVF_QUIET ? last : whole->t;
        e += 2;
    }
    runs_close(&rs);
    f->end = last > f->end ? last : f->end;
    fold_end(f, f->end, plain);
}
