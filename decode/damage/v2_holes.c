/* v2_holes.c - see v2_holes.h. */
#include "decode/damage/v2_holes.h"

#include <stdlib.h>

#include "decode/base/bisect.h"
#include "decode/damage/v2_batches.h"
#include "decode/damage/v2_step.h"

static void forget_times(struct v2_times *v)
{
    while (v->nset)
        v->t[v->set[--v->nset]] = INT64_MIN;
}

void v2_holes_begin(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    t->nhole = 0;
    t->explained = t->breaks = 0;
    for (size_t i = 0; i < t->capbehind; i++)
        t->behind[i] = (struct v2_end){UINT64_MAX, INT64_MAX};
    t->gc_last = INT64_MIN;
    forget_times(&t->g_last);
    forget_times(&t->p_last);
}

bool v2_holes_add(struct v2_order *o, int64_t from, int64_t to)
{
    struct v2_loss *t = &o->loss;
    if (from >= to)
        return true;
    if (!v2_room(o, t->hole, t->caphole, t->nhole + 1))
        return false;
    t->hole[t->nhole++] = (struct v2_span){from, to};
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const struct v2_span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Sort the holes and join those that overlap. */
static void join(struct v2_loss *t)
{
    size_t n = 0;
    if (t->nhole)
        qsort(t->hole, t->nhole, sizeof *t->hole, by_begin);
    for (size_t i = 1; i < t->nhole; i++)
        if (t->hole[i].from > t->hole[n].to)
            t->hole[++n] = t->hole[i];
        else if (t->hole[i].to > t->hole[n].to)
            t->hole[n].to = t->hole[i].to;
    t->nhole = t->nhole ? n + 1 : 0;
}

void v2_holes_before(struct v2_order *o, uint64_t off, int64_t t)
{
    struct v2_loss *w = &o->loss;
    for (size_t i = 0; i < o->gen->nhole && i < V2_HOLES; i++) {
        if (o->gen->hole[i].known || o->gen->hole[i].tables || o->gen->hole[i].off > off)
            continue;
        const size_t had = w->capbehind;
        if (!v2_room(o, w->behind, w->capbehind, i + 1))
            return;
        for (size_t k = had; k < w->capbehind; k++)
            w->behind[k] = (struct v2_end){UINT64_MAX, INT64_MAX};
        if (off < w->behind[i].off)
            w->behind[i] = (struct v2_end){off, t};
    }
}

/* It is unknown whose batches were in a hole of the file. A lost batch may have been the only one of its
 * thread in this generation: its events may be of any time before it was written, which was before the
 * batch after it ended. */
static int64_t last_unknown(const struct v2_order *o)
{
    const struct v2_gen *gen = o->gen;
    int64_t last = gen->nhole > V2_HOLES ? INT64_MAX : INT64_MIN;
    for (size_t i = 0; i < gen->nhole && i < V2_HOLES; i++) {
        const int64_t t = i < o->loss.capbehind ? o->loss.behind[i].t : INT64_MAX;
        if (!gen->hole[i].known && !gen->hole[i].tables && t > last)
            last = t;
    }
    return last;
}

bool v2_holes_settle(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    const int64_t last = o->gen->has_stacks ? last_unknown(o) : INT64_MAX;
    t->of_file = t->nhole || last != INT64_MIN;
    if (!v2_holes_add(o, INT64_MIN, last))
        return false;
    join(t);
    return true;
}

bool v2_holes_drop(struct v2_order *o, int64_t at)
{
    struct v2_loss *t = &o->loss;
    const size_t n = t->nhole;
    if (n && t->hole[n - 1].from <= at && at - DAMAGE_SKEW_NS <= t->hole[n - 1].to) {
        t->hole[n - 1].to = at < t->hole[n - 1].to ? t->hole[n - 1].to : at + 1;
        return true;
    }
    return v2_holes_add(o, at, at + 1);
}

void v2_holes_rest(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    if (!t->of_file && t->breaks > t->explained)
        (void)v2_holes_add(o, INT64_MIN, INT64_MAX);
    join(t);
}

static void note_time(struct v2_order *o, struct v2_times *v, uint32_t i, int64_t t)
{
    const size_t had = v->n;
    if (!v2_room(o, v->t, v->n, (size_t)i + 1))
        return;
    for (size_t k = had; k < v->n; k++)
        v->t[k] = INT64_MIN;
    if (v->t[i] == INT64_MIN) {
        if (!v2_room(o, v->set, v->capset, v->nset + 1))
            return;
        v->set[v->nset++] = i;
    }
    v->t[i] = t;
}

void v2_holes_note(struct v2_order *o, size_t at)
{
    for (; at < o->nout; at++) {
        const struct ev *e = &o->out[at];
        const int64_t t = e->t + o->base;
        if (e->flags & EVF_QUIET)
            continue;
        if (e->g != EV_NONE && (e->kind == EVK_G_STATE || e->kind == EVK_G_STATUS || e->kind == EVK_G_CREATE))
            note_time(o, &o->loss.g_last, e->g, t);
        if (e->p != EV_NONE && e->kind == EVK_P_STATE)
            note_time(o, &o->loss.p_last, e->p, t);
        if (e->state == RANGE_GC && (e->kind == EVK_RANGE_BEGIN || e->kind == EVK_RANGE_ACTIVE))
            o->loss.gc_last = t;
    }
}

/* Returns the start of the first hole that ends after t, at least t: the state at t may have changed
 * since. */
static int64_t since(const struct v2_order *o, int64_t t)
{
    const struct v2_loss *w = &o->loss;
    size_t at = 0;
    bisect(at, w->nhole, i, w->hole[i].to <= t);
    if (at == w->nhole)
        return INT64_MAX;
    return w->hole[at].from > t ? w->hole[at].from : t;
}

int64_t v2_holes_g(const struct v2_order *o, uint32_t g)
{
    const struct v2_g *vg = v2_g_at(o, g);
    if (vg->seqgen == o->gen->ordinal && !vg->seq && v2_steps_still(o, vg->id))
        return INT64_MAX;
    return since(o, g < o->loss.g_last.n ? o->loss.g_last.t[g] : INT64_MIN);
}

int64_t v2_holes_p(const struct v2_order *o, uint32_t p)
{
    return since(o, p < o->loss.p_last.n ? o->loss.p_last.t[p] : INT64_MIN);
}

int64_t v2_holes_gc(const struct v2_order *o)
{
    return since(o, o->loss.gc_last);
}
