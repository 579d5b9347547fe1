/*
 * v2_lossy_look.c - see v2_lossy.h: finds which steps a generation has of which events may be missing,
 * before its first event.
 */
#include "decode/damage/v2_holes.h"
#include "decode/damage/v2_batches.h"
#include "decode/v2/v2_raw.h"
#include "decode/damage/v2_lossy.h"

struct noted { /* a batch whose steps are being noted */
    const uint8_t *p, *end;
    int64_t until; /* all its events are earlier */
    int64_t t;     /* time of the last event that was read */
    bool broken;   /* the rest of it can't be read */
};

/* Note a status that shows a P or a goroutine running: on which thread. `m`: the thread that wrote it. */
static bool note_busy(struct v2_order *o, const struct v2_raw_ev *e, uint64_t m)
{
    const enum v2_means is = v2_means(e->type);
    if (is == V2_MEANS_proc_status && e->arg[1] != V2_PS_IDLE)
        return v2_steps_put(o, V2_STEP_P_BUSY, e->arg[0], e->arg[1] == V2_PS_RUNNING ? m : V2_NO_THREAD);
    if (is != V2_MEANS_go_status && is != V2_MEANS_go_status_stack)
        return true;
    const uint8_t state = v2_state_of(e->arg[2]);
    if (m == V2_NO_THREAD && !v2_steps_put(o, V2_STEP_G_STILL, e->arg[0], 0))
        return false;
    return (state != ST_RUNNING && state != ST_SYSCALL) ||
           v2_steps_put(o, V2_STEP_G_BUSY, e->arg[0], e->arg[1]);
}

static bool note_batch(struct v2_order *o, struct noted *b, uint64_t m, uint64_t *proc)
{
    while (b->p < b->end) {
        b->broken = true;
        struct v2_raw_ev e;
        if (!(b->p = v2_raw_ev(b->p, b->end, &e)))
            return true;
        const int64_t step = v2_delta(e.dt, o->unit, o->whole);
        if (v2_no_time(o, b->t + step, step, b->until))
            return true;
        b->t += step;
        b->broken = false;
        if (v2_specs[e.type].after == V2_AFTER_ANY && v2_means(e.type) != V2_MEANS_proc_stop)
            continue; /* nearly half of the events */
        if (!v2_steps_event(o, e.type, e.arg, proc) || !note_busy(o, &e, m))
            return false;
    }
    return true;
}

/* Mark where batches of a thread may be lost, between two (v2_batch.gap) or after the last one
 * (v2_cursor.cut). A thread starts another batch only when one is nearly full. */
static void note_holes(const struct v2_order *o, struct v2_cursor *c)
{
    enum { FULL = 32768 };
    const struct v2_gen *gen = o->gen;
    const uint8_t *data = o->s->data;
    const struct v2_batch *was = NULL;
    bool known = false;
    for (uint32_t k = 0; v2_gen_lossy(gen) && k < c->nbatch; k++) {
        struct v2_batch *b = &gen->batch[o->list[c->batch + k]];
        const size_t to = (size_t)(b->p - data), from = was ? (size_t)(was->end - data) : gen->start;
        const bool hole = v2_gen_hole(gen, from < to ? from : to, from < to ? to : from, b->m, &known);
        b->gap = hole && (was || known);
        was = b;
    }
    if (was && v2_gen_hole(gen, (size_t)(was->end - data), gen->end, was->m, &known))
        c->cut = known || was->end - was->p >= FULL;
}

/* Prepare to read the thread's batch k from where its cursor is. */
static struct noted note_of(const struct v2_order *o, const struct v2_cursor *c, uint32_t k, bool *rest)
{
    const struct v2_batch *b = &o->gen->batch[o->list[c->batch + k]];
    *rest = !k && c->at >= b->p && c->at < b->end;
    return (struct noted){.p = *rest ? c->at : b->p,
                          .end = b->end,
                          .until = v2_until(o, c->batch + k, k + 1 == c->nbatch),
                          .t = *rest ? c->before : v2_ns(b->time, o->unit)};
}

/* Note the steps in a thread's batches, and when its events may be missing. *least: nothing was lost before
 * this time. Returns false if out of memory. */
static bool note_thread(struct v2_order *o, const struct v2_cursor *c, int64_t *least)
{
    uint64_t p = v2_p_of(o, c->m);
    int64_t t = v2_ns(o->gen->min_time, o->unit),
            lost = INT64_MAX; /* lost: start of the loss, in the batch before */
    enum { LEFT_AFTER = 64 };
    bool ok = true;
    for (uint32_t k = 0; ok && k < c->nbatch; k++) {
        if (k % LEFT_AFTER == 0 && source_left(o->s))
            return false;
        struct v2_batch *b = &o->gen->batch[o->list[c->batch + k]];
        const int64_t opened = v2_ns(b->time, o->unit);
        bool rest;
        struct noted x = note_of(o, c, k, &rest);
        if (rest && c->gap)
            lost = c->before_gap;
        else if (b->gap && !rest && lost == INT64_MAX && opened - t > V2_CLOSE_NS)
            lost = t;
        ok = lost == INT64_MAX || v2_holes_add(o, lost, rest ? c->t : opened);
        if (b->gap && !rest)
            *least = t < *least ? t : *least;
        ok = ok && note_batch(o, &x, b->m, &p);
        t = x.t;
        b->spoilt |= x.broken && !b->torn;
        o->loss.odd |= x.broken;
        v2_holes_before(o, source_off(o->s, b->p), t);
        lost = x.broken ? t : INT64_MAX;
        if (x.broken)
            *least = t < *least ? t : *least;
    }
    if (c->cut)
        *least = t < *least ? t : *least;
    return ok && (!(c->cut || lost != INT64_MAX) || v2_holes_add(o, lost < t ? lost : t, INT64_MAX));
}

bool v2_lossy_begin(struct v2_order *o)
{
    int64_t least = INT64_MAX;
    bool ok = true;
    o->loss.least = INT64_MIN;
    o->loss.reached = o->loss.odd = false;
    v2_steps_free(o);
    v2_holes_begin(o);
    for (size_t i = 0; ok && i < o->ncur; i++) {
        note_holes(o, &o->cur[i]);
        ok = note_thread(o, &o->cur[i], &least);
    }
    if (!ok || !v2_holes_settle(o)) {
        o->oom = true;
        return false;
    }
    if (o->loss.nhole && o->loss.hole[0].from < least)
        least = o->loss.hole[0].from;
    if (o->gen->has_stacks && !o->loss.rough && least != INT64_MAX)
        o->loss.least = least;
    return true;
}
