/*
 * v2_order.c - see v2_order.h.
 *
 * Each thread has a cursor over its batches; a heap holds the cursors by the time of their current event. The
 * earliest event is tried; if the state it needs isn't there yet (say a goroutine it starts has not been
 * unblocked), the next earliest is tried. What an event needs and changes is in v2_adv.c and v2_rules.h. The
 * commonest events the sink carries out itself (v2_order.h).
 */
#include <inttypes.h>

#include "decode/base/bytes.h"
#include "decode/base/order.h"
#include "decode/damage/v2_damage.h"
#include "decode/v2/v2_state.h"

/* ---- cursors ------------------------------------------------------------------------------------------- */

static void damage_at(struct v2_order *o, const uint8_t *p, enum err_code code, const char *what, uint64_t a)
{
    source_damage(o->s, code, o->gen->ordinal, source_off(o->s, p), "%s %" PRIu64, what, a);
}

static void batch_open(const struct v2_order *o, struct v2_cursor *c)
{
    const struct v2_batch *b = o->list[c->batch];
    c->p = b->p;
    c->end = b->end;
    c->t = v2_ns(b->time, o->unit);
    c->until = v2_until(o, c->batch, c->nbatch == 1);
}

/* Go to the thread's next batch. If events before it may be lost there is a gap; sure: some are known to be
 * lost. */
static void batch_next(struct v2_order *o, struct v2_cursor *c, bool sure)
{
    const int64_t before = c->gap ? c->before_gap : c->t;
    c->batch++;
    const struct v2_batch *b = o->list[c->batch];
    batch_open(o, c);
    const bool back = c->t < before - DAMAGE_SKEW_NS;
    if (back)
        source_damage(o->s, ERR_CLOCK, o->gen->ordinal, source_off(o->s, b->p),
                      "a thread's time runs backwards here, by %" PRId64 " ns", before - c->t);
    o->hurt |= back;
    if (!c->gap && !sure && !back && !(o->lossy && b->gap))
        return;
    c->sure = (c->gap && c->sure) || sure || back;
    c->gap = true;
    c->before_gap = before;
}

/* Go to the next batch, as the rest of this one can't be read. Returns false if there is none. */
static bool batch_lost(struct v2_order *o, struct v2_cursor *c)
{
    o->hurt |= !o->list[c->batch]->torn;
    o->consumed += (uint64_t)(c->end - c->p);
    c->p = c->end;
    c->cut |= c->nbatch == 1;
    if (!--c->nbatch)
        return false;
    batch_next(o, c, true);
    return true;
}

/* Decode the event at c->p. Returns false if it is invalid, which is noted. */
static bool cursor_decode(struct v2_order *o, struct v2_cursor *c)
{
    struct v2_raw_ev e;
    const uint8_t *p = v2_raw_ev(c->p, c->end, &e);
    c->at = c->p;
    c->type = *c->p;
    if (!v2_specs[c->type].nargs)
        damage_at(o, c->at, ERR_FORMAT, "unknown event type", c->type);
    else if (!p && !o->list[c->batch]->torn)
        damage_at(o, c->at, ERR_FORMAT, "an event ends beyond its batch, of type", c->type);
    if (!p)
        return false;
    const uint64_t dt = e.dt;
    memcpy(c->arg, e.arg, e.nargs * sizeof *e.arg);
    const int64_t step = v2_delta(dt, o->unit, o->whole);
    const int64_t t = c->t + step;
    if (v2_no_time(o, t, step, c->until)) {
        damage_at(o, c->at, ERR_CLOCK,
                  t >= SOURCE_TIME_MAX
                      ? "an event's time is none that a clock can have, so many units after the one before:"
                  : t >= o->latest
                      ? "an event is behind the end of its generation, so many units after the one before:"
                      : "an event is behind the begin of its thread's next batch, so many units after the "
                        "one before:",
                  dt);
        return false;
    }
    c->p = p;
    c->before = c->t;
    c->t = t;
    return true;
}

/* Decode the cursor's next event, skipping what can't be read. Returns false if there are no more. */
static bool cursor_next(struct v2_order *o, struct v2_cursor *c)
{
    for (;;) {
        if (c->p < c->end) {
            if (cursor_decode(o, c))
                return true;
            if (!batch_lost(o, c))
                return false;
            continue;
        }
        o->consumed += (uint64_t)(c->end - o->list[c->batch]->p);
        if (!--c->nbatch)
            return false;
        batch_next(o, c, false);
    }
}

bool v2_cursor_load(struct v2_order *o, struct v2_cursor *c, const uint8_t *at, int64_t before)
{
    c->lazy = false;
    c->p = at;
    c->t = before;
    return cursor_next(o, c);
}

/* Decode the rest of the cursor's current event if it is lazy. Returns false if it is damaged and no other
 * follows. */
static bool cursor_whole(struct v2_order *o, struct v2_cursor *c)
{
    return !c->lazy || v2_cursor_load(o, c, c->at, c->before);
}

static void push(struct v2_order *o, uint32_t cursor)
{
    heap_push(o->heap, &o->nheap, (struct heap){.t = o->cur[cursor].t, .cursor = cursor});
}

static uint32_t heap_pop(struct v2_order *o)
{
    uint32_t x = o->heap[0].cursor;
    heap_drop(o->heap, &o->nheap);
    return x;
}

/* ---- a generation -------------------------------------------------------------------------------------- */

/* Sort by thread, or by time; then by place in the file. */
ORDER(batch_by_m, struct v2_batch *const, LEAST((*r)->m) LEAST(*r))
ORDER(batch_by_time, struct v2_batch *const, LEAST((*r)->time) LEAST(*r))

/* Returns whether a batch stands behind a later one: a thread writes one after the other. If clocks differ by
 * a little, the order of the file is right. */
static bool moved(const struct v2_order *o, struct v2_batch *const *list, size_t n)
{
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t t = v2_ns(list[i]->time, o->unit);
        if (t < last - DAMAGE_SKEW_NS) {
            source_damage(o->s, ERR_FORMAT, o->gen->ordinal, source_off(o->s, list[i]->p),
                          "batches of thread %" PRId64
                          " stand in another order than they were written: taken by their times",
                          (int64_t)list[i]->m);
            return true;
        }
        last = t > last ? t : last;
    }
    return false;
}

/* Returns whether batch b is a copy of a. */
static bool doubled(const struct v2_order *o, const struct v2_batch *a, const struct v2_batch *b)
{
    const size_t n = (size_t)(a->end - a->p);
    if (a->m != b->m || a->time != b->time || (size_t)(b->end - b->p) != n || memcmp(a->p, b->p, n))
        return false;
    source_damage(o->s, ERR_FORMAT, o->gen->ordinal, source_off(o->s, b->p),
                  "a batch of thread %" PRId64 " stands there twice: the second one is left out",
                  (int64_t)b->m);
    return true;
}

/* Set up what doesn't depend on events. */
static void begin_clean(struct v2_order *o, struct v2_gen *gen)
{
    o->gen = gen;
    o->first_gen = gen->ordinal == 1 || gen->after_gap;
    o->unit = v2_gen_unit(gen);
    o->whole = v2_whole(o->unit);
    o->consumed = 0;
    o->loss_from = INT64_MAX;
    o->sample = 0;
    for (size_t i = 0; i < o->ncur; i++) /* not all threads that ever existed */
        if (o->cur[i].m != EV_NONE)
            o->m[o->cur[i].m].cur = 0;
    o->ncur = o->nheap = 0;
    o->loss.resting = o->loss.rested = o->loss.started = o->hurt = false;
    o->latest = v2_batches_latest(gen);
    o->skew = v2_batches_skew_ns(gen);
    o->step = gen->freq == V2_ASSUMED_HZ ? 0 : DAMAGE_SKEW_NS;
    o->patience = gen->freq == V2_ASSUMED_HZ ? DAMAGE_WAIT_NS : DAMAGE_LATE_NS;
    o->loss.rest_m = o->loss.rest_g = o->loss.rest_p = 0;
    o->loss.before = o->last;
    o->loss.since = INT64_MIN;
    o->loss.gaps = o->loss.dropped = 0;
}

/* Make a cursor for each thread, whose batches are then adjacent in o->list. Returns false if out of
 * memory. */
static bool cursors_new(struct v2_order *o, const struct v2_gen *gen)
{
    const size_t n = gen->nbatch;
    o->nlist = 0;
    if (!v2_room(o, o->list, o->caplist, n + 1))
        return false;
    struct v2_batch **const list = o->list;
    for (size_t i = 0; i < n; i++)
        list[i] = &gen->batch[i];
    sort(list, n, batch_by_m);
    for (size_t i = 0, k; i < n; i = k) {
        const uint64_t mid = list[i]->m;
        for (k = i; k < n && list[k]->m == mid;)
            k++;
        if (moved(o, list + i, k - i))
            sort(list + i, k - i, batch_by_time);
        if (!v2_room(o, o->cur, o->capcur, o->ncur + 1))
            return false;
        const size_t at = o->nlist;
        for (; i < k; i++)
            if (o->nlist == at || !doubled(o, list[o->nlist - 1], list[i]))
                list[o->nlist++] = list[i];
        const uint32_t m = v2_m_get(o, mid);
        if (o->oom)
            return false;
        o->cur[o->ncur++] =
            (struct v2_cursor){.batch = (uint32_t)at, .nbatch = (uint32_t)(o->nlist - at), .m = m};
        if (m != EV_NONE) {
            o->m[m].cur = (uint32_t)o->ncur;
            v2_stirs(&o->blank_m, m);
        }
    }
    return true;
}

bool v2_order_begin(struct v2_order *o, struct v2_gen *gen)
{
    begin_clean(o, gen);
    if (!cursors_new(o, gen))
        return false;
    if (!v2_room(o, o->heap, o->capheap, o->ncur + 1) ||
        !v2_room(o, o->stalled, o->capstalled, o->ncur + 1) || !v2_park_begin(o))
        return false;
    if (o->lossy && !v2_lossy_begin(o))
        return false;
    const int64_t t = v2_ns(gen->min_time, o->unit);
    for (size_t i = 0; i < o->ncur; i++) {
        struct v2_cursor *c = &o->cur[i];
        c->before_gap = t;
        batch_open(o, c);
        c->gap = o->lossy && o->list[c->batch]->gap;
        c->sure = c->gap; /* only a hole in this generation makes one here */
        if (cursor_next(o, c))
            push(o, (uint32_t)i);
        else
            c->over = true;
    }
    /* Go's reader puts a Sync event before each generation, which counts when times are made to differ. */
    o->gap_since = o->last;
    o->back = o->have_base && t < o->last ? o->last - t : 0;
    o->sync = o->last = o->have_base && t <= o->last ? o->last + 1 : t;
    return true;
}

static void forget_g(struct v2_order *o, uint32_t g)
{
    struct v2_g *vg = v2_g_at(o, g);
    if (vg->status == ST_NONE) /* its page may be gone */
        return;
    vg->status = ST_UNKNOWN;
    vg->stw = vg->assist = false;
}

static void forget_p(struct v2_order *o, uint32_t p)
{
    o->p[p].status = V2_PS_LOST;
    o->p[p].m = EV_NONE;
    o->p[p].sweep = false;
}

static void forget_m(struct v2_order *o, uint32_t m)
{
    o->m[m].g = o->m[m].p = EV_NONE;
}

void v2_order_forget(struct v2_order *o)
{
    v2_look(o, &(struct v2_look){V2_ALL_G, V2_BLANK, SIZE_MAX, forget_g}, &(size_t){0});
    v2_look(o, &(struct v2_look){V2_ALL_P, V2_BLANK, SIZE_MAX, forget_p}, &(size_t){0});
    v2_look(o, &(struct v2_look){V2_ALL_M, V2_BLANK, SIZE_MAX, forget_m}, &(size_t){0});
    o->gc = GC_UNKNOWN;
    o->gap_due = o->gap_over = o->have_base;
}

/* A goroutine that is still unknown after a gap ended in it. */
static void gap_ended(struct v2_order *o, uint32_t g)
{
    if (v2_g_at(o, g)->status == ST_UNKNOWN)
        v2_g_forget(o, g);
}

/* Emit EVK_GAP for fold: before the first event after it, and (over) when the statuses have shown all that
 * continues after it. */
static void gap_out(struct v2_order *o, bool over)
{
    struct ev *e = v2_quiet(o, EVK_GAP);
    e->state = over;
    e->arg = o->gap_since > o->base ? (uint64_t)(o->gap_since - o->base) : 0;
    if (over)
        v2_look(o, &(struct v2_look){V2_ALL_G, V2_NONE_BLANK, SIZE_MAX, gap_ended}, &(size_t){0});
    if (over)
        o->gap_over = false;
    else
        o->gap_due = false;
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
    e->arg = q->g;
    e->arg2 = q->p;
    e->spare = q->m;
}
_Static_assert(IDMAP_NONE == EV_NONE, "an unknown id is no lane");

static void say_stuck(struct v2_order *o)
{
    const struct v2_cursor *c = &o->cur[o->heap[0].cursor];
    source_damage(o->s, ERR_ORDER, o->gen->ordinal, source_off(o->s, c->at),
                  "no event can come next; the earliest is: %s", v2_specs[c->type].name);
}

/* Handle the end of a thread's events. If it is still busy and the generation is incomplete, the rest of
 * its events was lost. */
static void cursor_done(struct v2_order *o, struct v2_cursor *c)
{
    c->over = true;
    if (o->gen->torn && c->m != EV_NONE && (o->m[c->m].p != EV_NONE || o->m[c->m].g != EV_NONE) &&
        c->t < o->loss_from)
        o->loss_from = c->t;
    if (o->lossy)
        v2_lossy_over(o, c->m, o->last);
}

/* Continue with v2_lossy.c, as events turn out to be missing. Returns false if this order has to stop
 * instead. */
static bool become_lossy(struct v2_order *o)
{
    if (!o->goes_on) {
        o->stopped = true;
        return false;
    }
    o->lossy = true;
    o->loss.started = true;
    o->loss.since = o->last; /* threads that waited in vain are late */
    return v2_lossy_begin(o);
}

static void push_woken(struct v2_order *o)
{
    while (o->park.nwoken)
        push(o, o->park.woken[--o->park.nwoken]);
}

/* Put the first n of o->stalled back into the heap; park: if they are many, park those that can be parked. */
static void come_back(struct v2_order *o, size_t n, bool park)
{
    enum { WAIT_FEW = 16 };
    park = park && n > WAIT_FEW;
    while (n) {
        uint32_t i = o->stalled[--n];
        if (!park || !v2_park(o, i))
            push(o, i);
    }
}

struct able { /* the result of first_able() */
    enum adv a;
    uint32_t i; /* the cursor */
    size_t n;   /* number of cursors in o->stalled, this one last */
    bool anew;  /* another event is the earliest now, and all cursors are back in the heap */
};

/* Returns whether the cursor's event would wait longer than any event does. */
static bool waits_long(const struct v2_order *o, const struct v2_cursor *c)
{
    return o->lossy && c->t >= o->loss.least && o->heap[0].t > c->t + o->patience;
}

/* Carry out the first event by time that can come. tried: the heap's first cursor was tried already and
 * can't. */
static struct able first_able(struct v2_order *o, bool tried)
{
    struct able x = {.a = ADV_WAIT};
    for (; o->nheap && x.a == ADV_WAIT; tried = false) {
        if (x.n && waits_long(o, &o->cur[o->stalled[0]]))
            break;
        x.i = heap_pop(o);
        o->stalled[x.n++] = x.i;
        struct v2_cursor *c = &o->cur[x.i];
        if (tried)
            continue;
        const bool whole = cursor_whole(o, c);
        if (!whole) {
            cursor_done(o, c);
            x.n--;
        }
        x.anew = !whole || (o->lossy && v2_lossy_before(o, c));
        if (x.anew) {
            come_back(o, x.n, true);
            break;
        }
        x.a = v2_adv(o, c);
        if (x.a != ADV_OK && o->lossy)
            x.a = v2_lossy_lacks(o, c, x.a, false);
    }
    return x;
}

/* No event waits this long for one whose time has passed. If one does, the times are wrong and events may
 * be missing. */
static void doubt_late(struct v2_order *o, uint32_t i)
{
    const struct v2_cursor *first = &o->cur[o->stalled[0]];
    if (o->lossy || o->hurt || o->cur[i].t - first->t <= DAMAGE_LATE_NS)
        return;
    source_damage(o->s, ERR_ORDER, o->gen->ordinal, source_off(o->s, first->at),
                  "an event waits for one that by the clock is %" PRId64 " ns later", o->cur[i].t - first->t);
    o->hurt = true;
}

/* Advance the cursor of x, whose event was carried out and made o->out[at] and following; put the stalled
 * ones back. */
static void cursor_advance(struct v2_order *o, const struct able *x, size_t at)
{
    struct v2_cursor *c = &o->cur[x->i];
    const struct v2_cursor was = *c;
    if (o->lossy)
        v2_lossy_after(o, &was, at);
    if (cursor_next(o, c))
        push(o, x->i);
    else
        cursor_done(o, c);
    come_back(o, x->n - 1, true);
    if (o->park.n)
        v2_park_wake(o, &was, at);
}

/* Try cursors by time until an event can come. tried: skip the heap's first one. Returns false if none can,
 * or on damage. */
static bool stall(struct v2_order *o, bool tried)
{
    const size_t at = o->nout;
    struct able x = first_able(o, tried);
    if (x.anew)
        return true;
    if (x.a == ADV_WAIT && o->lossy && !o->park.n) { /* what the earliest of them waits for will never come */
        come_back(o, x.n, false);
        o->stalled[0] = x.i = heap_pop(o);
        x.n = 1;
        x.a = v2_lossy_lacks(o, &o->cur[x.i], x.a, true);
    }
    if (x.a == ADV_OK) {
        doubt_late(o, x.i);
        cursor_advance(o, &x, at);
        return true;
    }
    come_back(o, x.n, false);
    if (x.a == ADV_WAIT && o->park.n) { /* none of those in the heap can go on: try the parked ones too */
        v2_park_all(o);
        push_woken(o);
        return stall(o, false);
    }
    if (x.a == ADV_WAIT)
        say_stuck(o);
    return become_lossy(o);
}

static bool sample_is_next(struct v2_order *o)
{
    const int64_t t = v2_next_sample(o);
    return t != INT64_MAX && (!o->nheap || t < o->heap[0].t);
}

/* ---- which thread is next ------------------------------------------------------------------------------ */

enum {
    EV_MOST = 20,
    EV_ROOM = 64
}; /* most events that general() adds to o->out; the same when cursors are stalled */

/* Let the sink's fast path write back what it keeps: before an event of any thread, or (own) before one that
 * concerns only its own. */
static void fast_pause(struct v2_sink *k, bool own)
{
    if (k->fast)
        (own ? k->pause : k->close)(k);
}

static bool give_sink(struct v2_order *o, struct v2_sink *k)
{
    k->others += o->nout;
    return k->take(k);
}

/* Carry out the earliest cursor's event by v2_adv(). Returns true if the heap is in order; false if its
 * first cursor has become later, or (*over) has no more events. */
static bool general(struct v2_order *o, struct v2_sink *k, struct v2_cursor *c, int64_t until, bool *over,
                    bool *ok)
{
    fast_pause(k, v2_specs[c->type].context & V2_OWN);
    const bool more = cursor_whole(o, c);
    *over = false;
    if (more && o->lossy)
        (void)v2_lossy_before(o, c);
    enum adv a = more ? v2_adv(o, c) : ADV_OK;
    if (a != ADV_OK)
        fast_pause(k, false);
    if (a != ADV_OK && o->lossy)
        a = v2_lossy_lacks(o, c, a, false);
    if (more && a == ADV_OK && o->lossy)
        v2_lossy_after(o, c, 0);
    if (more && a == ADV_OK && o->park.n)
        v2_park_wake(o, c, 0);
    *over = !more || (a == ADV_OK && !cursor_next(o, c));
    o->heap[0].t = c->t;
    if (a == ADV_BAD)
        (void)become_lossy(o); /* and it is tried once more */
    *ok = a != ADV_WAIT || stall(o, true);
    *ok = give_sink(o, k) && *ok;
    return a != ADV_OK || (!*over && c->t <= until);
}

/* Returns whether there is room for what general() makes. */
static bool has_room(const struct v2_sink *k, size_t cap)
{
    return k->n + k->others + EV_MOST <= cap;
}

/* Emit what comes before the next thread's event. Returns true if there was anything; then look once more.
 * *ok: false on failure. */
static bool something_else(struct v2_order *o, struct v2_sink *k, bool *ok)
{
    push_woken(o);
    const bool hurt = o->hurt && !o->lossy, due = o->lossy && !o->loss.started;
    if (!hurt && !due && !o->gap_due && !sample_is_next(o))
        return false;
    fast_pause(k, false);
    if (hurt)
        *ok = become_lossy(o);
    else if (due)
        v2_lossy_due(o);
    else if (o->gap_due)
        gap_out(o, false);
    else
        sample_out(o);
    *ok = *ok && give_sink(o, k);
    return true;
}

/* Emit what comes after all threads' events. Returns true if there was anything. */
static bool something_after(struct v2_order *o, struct v2_sink *k, bool *ok)
{
    fast_pause(k, false);
    const bool lossy = o->lossy && v2_lossy_rest(o);
    if (!lossy && (!o->gap_over || o->gen->torn))
        return false;
    if (!lossy)
        gap_out(o, true);
    *ok = give_sink(o, k);
    return true;
}

/* Let the sink take events, then carry out the one that it refused. */
static void threads_go(struct v2_order *o, struct v2_sink *k, size_t cap, bool *ok)
{
    int64_t until;
    k->room = cap - EV_MOST + 1 - k->n - k->others;
    if (!k->fast)
        until = heap_until(o->heap, o->nheap, v2_next_sample(o));
    enum fast_rc rc = k->fast ? k->fast(k, &until) : FAST_OUT;
    if (rc == FAST_DONE)
        return;
    struct v2_cursor *c = &o->cur[o->heap[0].cursor];
    if (rc == FAST_OUT && o->heap[0].t <= until) { /* it is still the first */
        bool over;
        if (!has_room(k, cap) || general(o, k, c, until, &over, ok))
            return;
        rc = over ? FAST_OVER : FAST_ON;
    }
    if (rc == FAST_OVER) {
        fast_pause(k, true);
        cursor_done(o, c);
        heap_drop(o->heap, &o->nheap);
        *ok = *ok && (!o->lossy || give_sink(o, k)); /* what it ran is unknown */
    } else if (o->nheap > 1) {
        heap_down(o->heap, o->nheap, false);
    }
}

size_t v2_order_run(struct v2_order *o, struct v2_sink *k, size_t cap)
{
    struct ev out[EV_ROOM];
    o->out = out;
    o->nout = 0;
    k->o = o;
    k->n = k->others = 0;
    bool ok = !k->begin || k->begin(k);
    while (ok && !o->stopped && !o->oom && has_room(k, cap)) {
        if (something_else(o, k, &ok))
            continue;
        if (!o->nheap && o->park.n)
            v2_park_all(o); /* none of them can go on: stall() reports that */
        push_woken(o);
        if (o->nheap)
            threads_go(o, k, cap, &ok);
        else if (!something_after(o, k, &ok))
            break;
    }
    fast_pause(k, false);
    if (k->end)
        k->end(k);
    return k->n + k->others;
}

void v2_order_free(struct v2_order *o)
{
    mem_free(o->gs_at);
    slabs_free(&o->places);
    mem_free(o->p);
    mem_free(o->m);
    mem_free(o->cur);
    mem_free(o->list);
    mem_free(o->heap);
    mem_free(o->stalled);
    v2_park_free(&o->park);
    v2_steps_free(o);
    mem_free(o->blank_g.is);
    mem_free(o->blank_p.is);
    mem_free(o->blank_m.is);
    idmap_free(&o->gs);
    idmap_free(&o->ps);
    idmap_free(&o->ms);
    idmap_free(&o->tasks);
    *o = (struct v2_order){0};
}
