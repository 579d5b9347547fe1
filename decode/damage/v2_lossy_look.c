/*
 * v2_lossy_look.c - see v2_damage.h: finds which steps a generation has of which events may be missing,
 * before its first event.
 */
#include "decode/damage/v2_damage.h"
#include "decode/v2/v2_raw.h"

struct noted { /* a batch whose steps are being noted */
    const uint8_t *p, *end;
    int64_t until; /* all its events are earlier */
    int64_t t;     /* time of the last event that was read */
    bool broken;   /* the rest of it can't be read */
};

static bool note_batch(struct v2_order *o, struct noted *b, uint64_t *proc)
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
        if (!v2_steps_event(o, e.type, e.arg, proc))
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
        struct v2_batch *b = o->list[c->batch + k];
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
    const struct v2_batch *b = o->list[c->batch + k];
    *rest = !k && c->at >= b->p && c->at < b->end;
    return (struct noted){.p = *rest ? c->at : b->p,
                          .end = b->end,
                          .until = v2_until(o, c->batch + k, k + 1 == c->nbatch),
                          .t = *rest ? c->before : v2_ns(b->time, o->unit)};
}

struct behind { /* the first batch after the last hole in the file of which nothing is known */
    size_t hole;
    uint64_t off;
    int64_t t; /* when it ends; INT64_MAX: there is none */
};

/* Note the steps in a thread's batches, and when its events may be missing. *least: nothing was lost before
 * this time. Returns false if out of memory. */
static bool note_thread(struct v2_order *o, const struct v2_cursor *c, int64_t *least, struct behind *last)
{
    uint64_t p = v2_p_of(o, c->m);
    int64_t t = v2_ns(o->gen->min_time, o->unit), lost = INT64_MAX; /* since when, in the batch before */
    enum { LEFT_AFTER = 64 };
    for (uint32_t k = 0; k < c->nbatch; k++) {
        if (k % LEFT_AFTER == 0 && source_left(o->s))
            return false;
        struct v2_batch *b = o->list[c->batch + k];
        const int64_t opened = v2_ns(b->time, o->unit);
        bool rest;
        struct noted x = note_of(o, c, k, &rest);
        if (rest && c->gap)
            lost = c->before_gap;
        else if (b->gap && !rest && lost == INT64_MAX && opened - t > V2_CLOSE_NS)
            lost = t;
        if (lost != INT64_MAX)
            v2_hole(o, lost, rest ? c->t : opened);
        if (b->gap && !rest)
            *least = t < *least ? t : *least;
        if (!note_batch(o, &x, &p))
            return false;
        t = x.t;
        const uint64_t off = source_off(o->s, b->p);
        if (off >= last->hole && off < last->off) {
            last->off = off;
            last->t = t;
        }
        b->spoilt |= x.broken && !b->torn;
        lost = x.broken ? t : INT64_MAX;
        if (x.broken)
            *least = t < *least ? t : *least;
    }
    if (c->cut)
        *least = t < *least ? t : *least;
    if (c->cut || lost != INT64_MAX)
        v2_hole(o, lost < t ? lost : t, INT64_MAX);
    return true;
}

/* It is unknown whose batches were in a hole of the file. A lost batch may have been the only one of its
 * thread in this generation: its events may be of any time before it was written, which was before the
 * batch after it ended. Returns false if there is no such hole. */
static bool last_unknown(const struct v2_gen *gen, struct behind *last)
{
    *last = (struct behind){0, UINT64_MAX, INT64_MAX};
    bool any = false;
    for (size_t i = 0; i < gen->nhole && i < V2_HOLES; i++)
        if (!gen->hole[i].known && !gen->hole[i].tables) {
            last->hole = gen->hole[i].off > last->hole ? gen->hole[i].off : last->hole;
            any = true;
        }
    return any;
}

bool v2_lossy_begin(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    int64_t least = INT64_MAX;
    t->least = t->gc_last = INT64_MIN;
    t->nhole = t->breaks = 0;
    v2_steps_free(o);
    struct behind last;
    const bool unknown = last_unknown(o->gen, &last);
    for (size_t i = 0; i < o->ncur; i++) {
        note_holes(o, &o->cur[i]);
        if (!mem_noted(&o->oom, note_thread(o, &o->cur[i], &least, &last)))
            return false;
    }
    if (!o->gen->has_stacks || o->gen->nhole > V2_HOLES)
        last.t = INT64_MAX;
    else if (!unknown)
        last.t = INT64_MIN;
    v2_hole(o, INT64_MIN, last.t);
    t->of_file = t->nhole;
    for (size_t i = 0; i < t->nhole; i++)
        least = t->hole[i].from < least ? t->hole[i].from : least;
    if (o->gen->has_stacks && !t->rough && least != INT64_MAX)
        t->least = least;
    return true;
}
