/*
 * fold_hot.h - what nearly all events do to the model: a known goroutine starts on a P, enters or leaves a
 * system call with it, stops, blocks, is unblocked. For fold_stream.c, and for a reader that folds as it
 * goes (fast_path.c).
 *
 * All that would make an event more than a few stores is tested first: a special lane, a long duration, a
 * new bucket of the counts, a tag that is not cached, a thread that changes its P. In these cases the
 * functions return false, nothing has changed, and the event takes the long way as a struct ev. So there
 * are hardly any calls in here. A loop over events knows more than fits into registers: that is kept in
 * memory, in structs that outlive the loop's function.
 */
#ifndef GOTOP_DECODE_FOLD_HOT_H
#define GOTOP_DECODE_FOLD_HOT_H

#include "decode/model/fold_priv.h"

#define HOT static inline __attribute__((always_inline))

/* These do not change while only these functions fold. Call hot_take() after any other event. */
struct hot {
    struct fold *f;
    const struct gseg *seg; /* goroutines' lanes: hot_g() */
    struct spanlane *p;     /* the Ps' lanes */
    struct pinfo *pi;
    struct minfo *mi;
    uint32_t ng, np, nm;
    struct gbucket *gb; /* the counts' last bucket, and its end */
    int64_t gb_end;
    uint64_t run, work, assist, sys, sched, runnable; /* waitspan.rest of spans without stack and reason */
    bool first;                                       /* the trace's first stacks are still being collected */
};

HOT struct hot hot_take(struct fold *f)
{
    return (struct hot){f,
                        f->seg,
                        f->lane[LANE_P],
                        f->p,
                        f->m,
                        (uint32_t)f->nlane[LANE_G],
                        (uint32_t)f->nlane[LANE_P],
                        (uint32_t)f->nlane[LANE_M],
                        f->gb_last,
                        f->gb_end,
                        (uint64_t)f->tag[ST_RUNNING] << 32,
                        (uint64_t)f->tag[ST_GCWORK] << 32,
                        (uint64_t)f->tag[ST_ASSIST] << 32,
                        (uint64_t)f->tag[ST_SYSCALL] << 32,
                        (uint64_t)f->tag[ST_SCHED] << 32,
                        (uint64_t)f->tag[ST_RUNNABLE] << 32,
                        f->nfirst < FIRST_STACKS};
}

HOT struct spanlane *hot_g(const struct hot *h, uint32_t g)
{
    return &h->seg[g / RETIRED_GS].lane[g % RETIRED_GS];
}

/*
 * hot_count_out, hot_count_in - a goroutine that was counted leaves this state at t; a goroutine enters it
 * at t.
 * hot_count - both: fold_gcount_move() between two different counted states.
 */
HOT void hot_count_out(const struct hot *h, enum gcount from, int64_t t)
{
    h->gb->ns[from] -= (uint64_t)(h->gb_end - t);
    h->f->gnow[from]--;
}

HOT void hot_count_in(const struct hot *h, enum gcount to, int64_t t)
{
    h->gb->ns[to] += (uint64_t)(h->gb_end - t);
    if (++h->f->gnow[to] > h->gb->max[to])
        h->gb->max[to] = (uint32_t)h->f->gnow[to];
}

HOT void hot_count(const struct hot *h, enum gcount from, enum gcount to, int64_t t)
{
    hot_count_out(h, from, t);
    hot_count_in(h, to, t);
}

/* Load word by word, as it was stored: loading both at once would have to wait for that. */
HOT void hot_copy(struct waitspan *to, const struct waitspan *from)
{
    to->dur_who = from->dur_who;
    to->rest = from->rest;
}

/* Write a closed span. The open one may have a duration already
 * (hot_run.gopen); the sum must be below 2^32. */
HOT void hot_put(struct waitspan *w, const struct waitspan *open, uint64_t dur)
{
    uint64_t rest = open->rest;
    w->dur_who = open->dur_who + dur;
    w->rest = rest;
}

/* hot_open - an open span: its `who`, as waitspan has it, and its waitspan.rest. */
HOT struct waitspan hot_open(uint32_t who, uint64_t rest)
{
    return (struct waitspan){(uint64_t)who << 32, rest};
}

/*
 * ---- a run of events on one P and M ----
 *
 * Which goroutine, P and M belong together, and the open spans of the P's lane and of the goroutine on it,
 * are written only when the run ends: a goroutine that comes and goes within a run writes its lane once. A
 * run is kept in memory: it has too many fields for registers.
 */
struct hot_run {
    uint32_t p, m, g;         /* g: EV_NONE = nothing runs */
    bool call;                /* g is in a system call */
    bool tells;               /* its stacks are needed, for its name or as first stacks of the trace */
    bool sweeps;              /* the P sweeps: until that ends, g and the P's lane stay as they are */
    uint8_t proom, groom;     /* free waiting spans in the lanes; while sweeping, proom is 0 */
    int64_t t0;               /* start of the P's open span; g's starts then or earlier: see gopen */
    int64_t limit;            /* the run may last until here, if the counts' bucket does: see hot_limit() */
    uint64_t who;             /* waitspan.dur_who for this P */
    uint64_t run;             /* waitspan.rest for the P's lane while g runs */
    struct spanlane *pl, *l;  /* the P's lane; g's lane */
    struct waitspan *pw, *gw; /* where their next waiting span goes */
    struct waitspan popen;
    /* g's open span; its duration is how long before t0 it began: the P assisted or swept meanwhile */
    struct waitspan gopen;
};

/* hot_g_t0 - start of g's open span. */
HOT int64_t hot_g_t0(const struct hot_run *r)
{
    return r->t0 - (uint32_t)r->gopen.dur_who;
}

/* hot_g_open - g's open span in the form its lane stores. */
HOT struct waitspan hot_g_open(const struct hot_run *r)
{
    return (struct waitspan){r->gopen.dur_who & ~(uint64_t)UINT32_MAX, r->gopen.rest};
}

/* These functions can fold some special goroutines nevertheless: those that may get a name, work for the
 * collector, or assist. */
enum { HOT_SPECIAL = SPECIAL_NAME | SPECIAL_WORK | SPECIAL_RANGE };

/* hot_run_g - update what the run knows of g's lane, because g has changed. */
HOT void hot_run_g(struct hot_run *r, const struct hot *h, struct spanlane *l)
{
    r->l = l;
    r->tells = l->special & SPECIAL_NAME || h->first;
    r->run = l->special & SPECIAL_RANGE ? h->assist : l->special & SPECIAL_WORK ? h->work : h->run;
}

/* hot_run_p - update what the run knows of the P's lane, and gopen. */
HOT void hot_run_p(struct hot_run *r)
{
    struct spanlane *pl = r->pl;
    r->sweeps = pl->special & SPECIAL_RANGE;
    r->t0 = pl->t0;
    hot_copy(&r->popen, &pl->open);
    r->pw = pl->wait.next;
    r->proom = r->sweeps ? 0 : pl->room;
    if (r->g == EV_NONE)
        return;
    hot_copy(&r->gopen, &r->l->open);
    r->gopen.dur_who += (uint64_t)(pl->t0 - r->l->t0);
}

/*
 * hot_run_begin - begin a run of g (EV_NONE: nothing) on p and m; none of its events is earlier than `last`.
 * Returns false if something there is unusual.
 */
HOT bool hot_run_begin(struct hot_run *r, const struct hot *h, uint32_t p, uint32_t m, uint32_t g,
                       int64_t last)
{
    if (p >= h->np || m >= h->nm)
        return false;
    const struct pinfo *pi = &h->pi[p];
    const struct minfo *mi = &h->mi[m];
    struct spanlane *pl = &h->p[p];
    int64_t since = pl->t0;
    uint8_t special = pl->special;
    if (mi->p != p || pi->m != m || pi->state != ST_SCHED || pi->g != g || mi->g != g || pl->t0 > last)
        return false;
    if (g != EV_NONE) {
        if (g >= h->ng)
            return false;
        struct spanlane *l = hot_g(h, g);
        const uint64_t older = (uint64_t)(pl->t0 - l->t0);
        if (l->p != p || l->m != m || older > UINT32_MAX ||
            (l->state != ST_RUNNING && l->state != ST_SYSCALL))
            return false;
        since = l->t0;
        special |= (uint8_t)(l->special & ~HOT_SPECIAL);
        hot_run_g(r, h, l);
        r->gw = l->wait.next;
        r->groom = l->room;
        r->call = l->state == ST_SYSCALL;
    }
    r->p = p;
    r->m = m;
    r->g = g;
    r->who = (uint64_t)(p + 1) << 32;
    r->pl = pl;
    r->limit = since + UINT32_MAX;
    hot_run_p(r);
    return !(special & ~SPECIAL_RANGE);
}

HOT int64_t hot_limit(const struct hot_run *r, const struct hot *h)
{
    return r->limit < h->gb_end ? r->limit : h->gb_end - 1;
}

/* hot_bucket - go on to the counts' bucket for t >= gb_end. */
HOT void hot_bucket(struct hot *h, int64_t t)
{
    fold_gcount_next_bucket(h->f, t);
    h->gb = h->f->gb_last;
    h->gb_end = h->f->gb_end;
}

/*
 * fold_run_room - make room in the P's lane and in that of the goroutine on it. false: out of memory, or the
 * P sweeps.
 */
bool fold_run_room(struct fold *f, struct hot_run *r);

/* hot_run_end - write the run's state back. The run may go on: r does not change. */
HOT void hot_run_end(const struct hot_run *r, const struct hot *h)
{
    struct pinfo *pi = &h->pi[r->p];
    pi->g = h->mi[r->m].g = r->g;
    r->pl->t0 = r->t0;
    hot_copy(&r->pl->open, &r->popen);
    r->pl->wait.next = r->pw;
    if (!r->sweeps)
        r->pl->room = r->proom;
    if (r->g != EV_NONE) {
        struct spanlane *l = r->l;
        l->t0 = hot_g_t0(r);
        l->open = hot_g_open(r);
        l->wait.next = r->gw;
        l->room = r->groom;
        l->state = r->call ? ST_SYSCALL : ST_RUNNING;
        l->p = r->p;
        l->m = r->m;
    }
}

/*
 * hot_run_room, hot_room - make room for one more waiting span in the lanes of the P and of the goroutine on
 * it, if there is one; of another goroutine. false: out of memory; for the first also: the P sweeps.
 */
HOT bool hot_run_room(struct hot_run *r, const struct hot *h)
{
    return (r->proom && (r->g == EV_NONE || r->groom)) || fold_run_room(h->f, r);
}

HOT bool hot_room(const struct hot *h, struct spanlane *l)
{
    return l->room || spans_room(&h->f->pool, LANE_G, l);
}

/* hot_wake - unblock g, which is waiting without a P; `by` unblocked it (EV_NONE: not known). t must be <
 * gb_end. */
HOT bool hot_wake(const struct hot *h, int64_t t, uint32_t g, uint32_t by, uint32_t stack)
{
    by++; /* EV_NONE + 1 is 0 */
    if (g >= h->ng || by > h->ng)
        return false;
    struct spanlane *l = hot_g(h, g);
    uint64_t dur = (uint64_t)(t - l->t0);
    if (l->special & ~HOT_SPECIAL || l->state != ST_WAITING || dur >> 32 || (l->p & l->m) != EV_NONE)
        return false;
    if (!hot_room(h, l))
        return false;
    hot_put(l->wait.next++, &l->open, dur);
    l->open = hot_open(by, h->runnable | stack);
    l->t0 = t;
    l->room--;
    l->state = ST_RUNNABLE;
    hot_count(h, GC_WAITING, GC_RUNNABLE, t);
    return true;
}

/*
 * hot_on_p - close the P's open span at t, which must be later than its start, and open `next`. Returns its
 * duration.
 */
HOT uint64_t hot_on_p(struct hot_run *r, int64_t t, struct waitspan next)
{
    int64_t dur = t - r->t0;
    r->t0 = t;
    hot_put(r->pw++, &r->popen, (uint64_t)dur);
    r->proom--;
    r->popen = next;
    return (uint64_t)dur;
}

/* hot_on_start - start runnable g on the P, which runs nothing. This and the next functions need t <=
 * hot_limit(). */
HOT bool hot_on_start(struct hot_run *r, const struct hot *h, int64_t t, uint32_t g)
{
    if (g >= h->ng)
        return false;
    struct spanlane *l = hot_g(h, g);
    uint64_t dur = (uint64_t)(t - l->t0);
    if (l->special & ~HOT_SPECIAL || l->state != ST_RUNNABLE || dur >> 32 || (l->p & l->m) != EV_NONE)
        return false;
    if (!hot_room(h, l) || !hot_run_room(r, h))
        return false;
    r->call = false;
    r->g = g;
    hot_run_g(r, h, l);
    hot_put(l->wait.next, &l->open, dur);
    r->gw = l->wait.next + 1;
    r->groom = (uint8_t)(l->room - 1);
    r->gopen = (struct waitspan){r->who, h->run};
    hot_on_p(r, t, hot_open(g + 1, r->run));
    hot_count(h, GC_RUNNABLE, GC_RUNNING, t);
    return true;
}

/* hot_on_call - let the running goroutine enter (to: ST_SYSCALL) or leave (ST_RUNNING) a system call. It
 * keeps the P. */
HOT bool hot_on_call(struct hot_run *r, const struct hot *h, int64_t t, uint8_t to, uint32_t stack)
{
    if (r->tells && stack)
        return false;
    if (!hot_run_room(r, h))
        return false;
    const uint64_t rest = to == ST_SYSCALL ? h->sys : h->run;
    const uint64_t dur = hot_on_p(r, t, hot_open(r->g + 1, to == ST_SYSCALL ? h->sys : r->run));
    hot_put(r->gw++, &r->gopen, dur);
    r->groom--;
    r->gopen = (struct waitspan){r->who, rest | stack};
    r->call = to == ST_SYSCALL;
    if (to == ST_SYSCALL)
        hot_count(h, GC_RUNNING, GC_SYSCALL, t);
    else
        hot_count(h, GC_SYSCALL, GC_RUNNING, t);
    return true;
}

/* hot_reason - set *rest to waitspan.rest for a reason. Returns false if its tag is not cached. */
HOT bool hot_reason(const struct hot *h, uint8_t to, uint32_t str, uint64_t *rest)
{
    const uint32_t k = str % RECENT_TAGS;
    *rest = (uint64_t)h->f->recent[to][k].tag << 32;
    return h->f->recent[to][k].reason == str;
}

/* hot_off - take the running goroutine off the P at t, into state `to`. Its open span is closed; the caller
 * opens the next one. */
HOT void hot_off(struct hot_run *r, const struct hot *h, int64_t t, uint8_t to)
{
    struct spanlane *l = r->l;
    hot_put(r->gw, &r->gopen, hot_on_p(r, t, hot_open(0, h->sched)));
    l->wait.next = r->gw + 1;
    l->room = (uint8_t)(r->groom - 1);
    l->t0 = t;
    l->state = to;
    l->p = l->m = EV_NONE;
}

/* hot_on_leave - stop or block the running goroutine; rest is from hot_reason(). */
HOT bool hot_on_leave(struct hot_run *r, const struct hot *h, int64_t t, uint8_t to, uint64_t rest,
                      uint32_t stack)
{
    if (r->tells && stack)
        return false;
    if (!hot_run_room(r, h))
        return false;
    hot_off(r, h, t, to);
    r->l->open = hot_open(0, rest | stack);
    r->g = EV_NONE;
    if (to == ST_WAITING)
        hot_count(h, GC_RUNNING, GC_WAITING, t);
    else
        hot_count(h, GC_RUNNING, GC_RUNNABLE, t);
    return true;
}

/* hot_on_end - end the running goroutine. */
HOT bool hot_on_end(struct hot_run *r, const struct hot *h, int64_t t)
{
    if (!hot_run_room(r, h))
        return false;
    hot_off(r, h, t, ST_NONE);
    r->l->open = hot_g_open(r);
    hot_count_out(h, GC_RUNNING, t);
    fold_ended(h->f, r->g, r->l);
    r->g = EV_NONE;
    return true;
}

/* hot_create - fold_created() of a runnable goroutine without a reason, at t < gb_end. Returns false unless
 * it has the next index and the cache knows its start stack. */
struct hot_new {
    uint64_t id;
    uint32_t g, by;
    uint32_t stack, start; /* the creator's stack; the stack that it starts with */
};
HOT bool hot_create(struct hot *h, int64_t t, const struct hot_new *x)
{
    struct fold *f = h->f;
    const struct fold_start *k = &f->start[x->start % STARTS];
    if (k->stack != x->start || (x->start && h->first) || x->g != h->ng || x->g >= f->nseg * RETIRED_GS ||
        f->end > t)
        return false;
    struct gseg *seg = &f->seg[x->g / RETIRED_GS];
    seg->info[x->g % RETIRED_GS] = (struct ginfo){.id = x->id,
                                                  .seen = t,
                                                  .no_p_since = NO_TIME,
                                                  .assist = NO_TIME,
                                                  .name = k->name,
                                                  .creator = x->by,
                                                  .create_stack = x->stack,
                                                  .start_stack = x->start,
                                                  .flags = (uint16_t)(GI_KNOWN | GI_CREATED | k->flags)};
    seg->lane[x->g % RETIRED_GS] = (struct spanlane){
        .t0 = t,
        .wait_t0 = t,
        .open = hot_open(x->by + 1, h->runnable | x->stack),
        .started = true,
        .state = ST_RUNNABLE,
        .p = EV_NONE,
        .m = EV_NONE,
        .special = (uint8_t)((k->vague ? SPECIAL_NAME : 0) | (k->flags & GI_GCWORK ? SPECIAL_WORK : 0))};
    f->end = t;
    f->nlane[LANE_G] = ++h->ng;
    hot_count_in(h, GC_RUNNABLE, t);
    return true;
}

/* hot_range - fold e, which begins or ends a range of the P or its g. Returns false when out of memory. */
HOT bool hot_range(struct hot_run *r, const struct hot *h, const struct ev *e)
{
    hot_run_end(r, h);
    const bool ok = fold_any(h->f, e);
    hot_run_p(r);
    if (r->g != EV_NONE)
        hot_run_g(r, h, r->l);
    return ok;
}

#undef HOT
#endif
