/*
 * v2_mend_put.c - see v2_mend_priv.h: what is written of a generation that is made whole: its events by thread, numbered anew, and the
 * batches that they become.
 */
#include "decode/write/v2_mend_priv.h"

#include <string.h>

#include "decode/base/mem.h"

struct known *mend_known(struct v2_mend_work *w, struct idmap *map, uint64_t id)
{
    static struct known nobody;
    uint32_t i = idmap_get(map, id);
    if (i == IDMAP_NONE) {
        if (!mem_room(w->known, w->cknown, w->nknown + 1) || !idmap_put(map, id, (uint32_t)w->nknown)) {
            w->s.o.oom = true;
            return &nobody;
        }
        w->known[i = (uint32_t)w->nknown++] = (struct known){0};
    }
    return &w->known[i];
}

/* counted - the number of its next event in what is written. */
static uint64_t counted(struct v2_mend_work *w, struct idmap *map, uint64_t id)
{
    struct known *k = mend_known(w, map, id);
    k->seq = k->gen == w->s.ordinal ? k->seq + 1 : 1;
    k->gen = w->s.ordinal;
    return k->seq;
}

static void told(struct v2_mend_work *w, struct idmap *map, uint64_t id, bool new)
{
    struct known *k = mend_known(w, map, id);
    k->seq = 0;
    k->gen = w->s.ordinal;
    if (new)
        k->region = 0, k->gap = false;
}

/* region - does the event fit the regions that are open? */
static bool region(struct v2_mend_work *w, const struct v2_raw_ev *e, uint64_t g)
{
    struct known *k = mend_known(w, &w->gs, g);
    w->regions = true;
    const bool ends = v2_means(e->type) == V2_MEANS_region_end;
    if (ends && k->region) {
        const struct within *r = &w->region[k->region - 1];
        if (r->task != e->arg[0] || r->name != e->arg[1])
            return false;
        k->region = r->below;
        return true;
    }
    if (ends)
        return !k->gap;
    if (!v2_room(&w->s.o, w->region, w->cregion, w->nregion + 1))
        return false;
    w->region[w->nregion++] = (struct within){e->arg[0], e->arg[1], k->region};
    k->region = (uint32_t)w->nregion;
    return true;
}

bool mend_renumber(struct v2_mend_work *w, uint32_t m, uint32_t g, struct v2_raw_ev *e)
{
    uint64_t p = v2_p_of(&w->s.o, m);
    const struct v2_step step = v2_step(e->type, e->arg, &p);
    switch (step.of) {
    case V2_STEP_G: e->arg[step.seq] = counted(w, &w->gs, step.id); return true;
    case V2_STEP_P: e->arg[step.seq] = counted(w, &w->ps, step.id); return true;
    case V2_STEP_GC: e->arg[step.seq] = ++w->gc_seq; return true;
    case V2_STEP_G_TOLD: told(w, &w->gs, e->arg[0], !(v2_specs[e->type].context & V2_TELLS)); return true;
    case V2_STEP_P_TOLD: told(w, &w->ps, e->arg[0], false); return true;
    default: break;
    }
    const bool ranges = v2_means(e->type) == V2_MEANS_region_begin || v2_means(e->type) == V2_MEANS_region_end;
    return !ranges || g == EV_NONE || region(w, e, v2_g_at(&w->s.o, g)->id);
}

void mend_write(struct v2_mend_work *w, uint32_t m, const struct v2_raw_ev *e, uint64_t units)
{
    struct thread *t = &w->thread[m == EV_NONE ? 0 : m + 1];
    if (!v2_room(&w->s.o, t->p, t->cap, t->n + V2_EVENT_MAX))
        return;
    if (!t->any)
        t->base = t->last = units;
    t->any = true;
    t->n += v2_put_encode(t->p + t->n, e, units > t->last ? units - t->last : 0);
    t->last = units > t->last ? units : t->last;
}

void mend_still(struct v2_mend_work *w, const struct v2s_event *e)
{
    const struct v2_order *o = &w->s.o;
    const enum v2_means is = v2_means(e->ev.type);
    const bool gc = v2_specs[e->ev.type].after == V2_AFTER_GC;
    const bool sweep = is == V2_MEANS_sweep_begin || is == V2_MEANS_sweep_active || is == V2_MEANS_sweep_end;
    const bool assist = is == V2_MEANS_assist_begin || is == V2_MEANS_assist_active || is == V2_MEANS_assist_end;
    const bool end = is == V2_MEANS_gc_end || is == V2_MEANS_sweep_end || is == V2_MEANS_assist_end;
    struct v2_raw_ev on = {.nargs = 1};
    if (!gc && !sweep && !assist)
        return;
    if (!gc)
        on.arg[0] = is == V2_MEANS_sweep_active || is == V2_MEANS_assist_active ? e->ev.arg[0]
                    : sweep                                                     ? o->p[e->p].id
                                                                                : v2_g_at(o, e->g)->id;
    uint32_t *told = gc ? &w->gc_on : &mend_known(w, sweep ? &w->ps : &w->gs, on.arg[0])->on;
    if (end && *told != w->s.ordinal) {
        on.type = gc ? V2_GC_ACTIVE : sweep ? V2_GC_SWEEP_ACTIVE : V2_GC_ASSIST_ACTIVE;
        if (gc)
            on.arg[0] = ++w->gc_seq;
        mend_write(w, e->m, &on, e->units);
        w->m->put++;
    }
    *told = w->s.ordinal;
}

bool mend_room(struct v2_mend_work *w)
{
    const bool ok = mem_room_zeros(w->thread, w->cthread, w->s.o.nm + 1);
    w->s.o.oom |= !ok;
    return ok;
}

bool mend_put_in(struct v2_mend_work *w, uint32_t m, struct v2_raw_ev e)
{
    const uint32_t g = m == EV_NONE ? EV_NONE : w->s.o.m[m].g;
    if (!v2_sim_do(&w->s, m, &e) || !mend_room(w) || !mend_renumber(w, m, g, &e))
        return false;
    mend_write(w, m, &e,
               w->units - (m != w->asker &&
                           w->units > w->s.gen.min_time)); /* another thread's: before the event that needs it */
    w->m->put++;
    return true;
}

bool mend_told(struct v2_mend_work *w, const struct v2_raw_ev *e)
{
    const struct v2_spec *spec = &v2_specs[e->type];
    const bool of_g = spec->after == V2_AFTER_G_NEW;
    return spec->context & V2_TELLS && (of_g || spec->after == V2_AFTER_P_NEW) &&
           mend_known(w, of_g ? &w->gs : &w->ps, e->arg[0])->gen == w->s.ordinal;
}

static bool add_batch(struct v2_raw_gen *g, const struct v2_raw_batch *b)
{
    if (!mem_room(g->batch, g->cap, g->n + 1))
        return false;
    g->batch[g->n++] = *b;
    return true;
}

/* words - add a table with the string V2_NOT_RECORDED. */
static bool words(struct v2_mend_work *w, const struct v2_raw_gen *gen)
{
    static const char text[] = V2_NOT_RECORDED;
    size_t n = 0;
    w->words[n++] = V2R_STRINGS;
    w->words[n++] = V2R_STRING;
    n += v2_put_numbers(w->words + n, (uint64_t[]){w->reason, sizeof text - 1}, 2);
    memcpy(w->words + n, text, sizeof text - 1);
    n += sizeof text - 1;
    return add_batch(&w->m->gen, &(struct v2_raw_batch){.lead = V2R_EVENTS,
                                                        .first = V2R_STRINGS,
                                                        .gen = gen->number,
                                                        .m = V2_NO_THREAD,
                                                        .time = gen->min_time,
                                                        .size = n,
                                                        .p = w->words,
                                                        .end = w->words + n});
}

bool mend_result(struct v2_mend_work *w, const struct v2_raw_gen *gen)
{
    struct v2_raw_gen *to = &w->m->gen;
    struct v2_raw_batch *batch = to->batch;
    const size_t cap = to->cap;
    *to = *gen;
    to->batch = batch;
    to->cap = cap;
    to->n = 0;
    to->damage = (struct err){0};
    to->nhole = 0;
    to->lo = 0;
    to->hi = UINT64_MAX;
    to->min_time = w->s.gen.min_time; /* what lies is left out */
    for (size_t i = 0; i < gen->n; i++)
        if (!v2_raw_timed(&gen->batch[i]) && !add_batch(to, &gen->batch[i]))
            return false;
    for (size_t i = 0; i <= w->s.o.nm; i++) {
        const struct thread *t = &w->thread[i];
        if (t->any && !add_batch(to, &(struct v2_raw_batch){.lead = V2R_EVENTS,
                                                            .first = t->p[0],
                                                            .gen = gen->number,
                                                            .m = i ? w->s.o.m[i - 1].id : V2_NO_THREAD,
                                                            .time = t->base,
                                                            .size = t->n,
                                                            .p = t->p,
                                                            .end = t->p + t->n}))
            return false;
    }
    return words(w, gen);
}
