/*
 * v2_mark.c - the second family's reader stopped at one moment, to go on from there later (decode/events/source.h).
 *
 * A mark stands anywhere between two events, also within a generation: one generation's spans may be more than the
 * memory there is. The generation's tables are read again on resuming; what was done of it stands in the cursors.
 * Goroutines that are over are left out, the others close ranks; Ps and threads stay as they are.
 */
#include "decode/v2/v2_source.h"

#include <string.h>

#include "decode/model/carry.h"
#include "decode/base/mem.h"

struct v2_mark {
    struct v2_gen_before before;
    struct source_status st;
    size_t start, pos; /* of the generation; behind it */
    bool in_gen, last_gen, over, inferred, rough;
    uint32_t missing;
    uint32_t reason[V2_REASONS]; /* seen so far in this generation */
    struct v2_order order;       /* arrays of its own, maps without contents but for the tasks */
};

void v2_gen_keep(struct v2 *v)
{
    const struct v2_gen *g = &v->gen;
    struct v2_gen_before *b = &v->before;
    *b = (struct v2_gen_before){
        .number = g->number, .freq = g->freq, .ordinal = g->ordinal, .torn = g->torn, .hi = g->hi};
    memcpy(b->reason, g->reason, sizeof b->reason);
    memcpy(b->last_reason, g->last_reason, sizeof b->last_reason);
}

static bool copy(void *to, const void *from, size_t n, size_t size)
{
    void *p = n ? mem_alloc(n * size) : NULL;
    if (p)
        memcpy(p, from, n * size);
    memcpy(to, &p, sizeof p);
    return p || !n;
}

static bool copy_map(struct idmap *to, const struct idmap *from)
{
    *to = *from;
    to->key = NULL;
    to->val = NULL;
    return copy(&to->key, from->key, from->cap, sizeof *from->key) &&
           copy(&to->val, from->val, from->cap, sizeof *from->val);
}

static bool map_make(struct gmap *map, const struct v2_order *o)
{
    map->n = o->ng;
    map->live = 0;
    map->to = mem_alloc((o->ng + 1) * sizeof *map->to);
    for (size_t i = 0; map->to && i < o->ng; i++)
        map->to[i] = o->g[i].status == ST_NONE ? NO_LANE : map->live++;
    return map->to;
}

/* What of an order outlasts its generation's tables. Its `g` are those that live, by their new index. */
static bool order_copy(struct v2_order *d, const struct v2_order *s, const struct gmap *map)
{
    *d = *s;
    d->out = NULL;
    d->g = NULL;
    d->gone = NULL;
    d->capgone = d->ngone_due = 0;
    d->p = NULL;
    d->m = NULL;
    d->region = NULL;
    d->cur = NULL;
    d->list = NULL;
    d->heap = NULL;
    d->aside = NULL;
    d->caplist = d->capaside = 0;
    d->park = (struct v2_park){0};
    memset(&d->torn.has, 0, sizeof d->torn.has);
    memset(&d->gs, 0, sizeof d->gs);
    memset(&d->ps, 0, sizeof d->ps);
    memset(&d->ms, 0, sizeof d->ms);
    memset(&d->tasks, 0, sizeof d->tasks);
    d->ng = d->capg = map->live;
    d->capp = d->np;
    d->capm = d->nm;
    d->capregion = d->nregion;
    d->capcur = d->ncur;
    d->capheap = d->nheap;
    d->g = mem_alloc((map->live + 1) * sizeof *d->g);
    if (!d->g || !copy(&d->p, s->p, s->np, sizeof *s->p) || !copy(&d->m, s->m, s->nm, sizeof *s->m) ||
        !copy(&d->region, s->region, s->nregion, sizeof *s->region) ||
        !copy(&d->cur, s->cur, s->ncur, sizeof *s->cur) || !copy(&d->heap, s->heap, s->nheap, sizeof *s->heap) ||
        !copy_map(&d->tasks, &s->tasks) || !v2_park_copy(&d->park, &s->park, s->ncur) ||
        !copy_map(&d->torn.has, &s->torn.has))
        return false;
    for (uint32_t i = 0; i < s->ng; i++) {
        uint32_t to = gmap_to(map, i);
        if (to != NO_LANE)
            d->g[to] = s->g[i];
    }
    for (size_t i = 0; i < d->nm; i++)
        d->m[i].g = gmap_to(map, d->m[i].g);
    return true;
}

void v2_mark_free(void *mark)
{
    struct v2_mark *m = mark;
    if (m)
        v2_order_free(&m->order);
    mem_free(m);
}

void *v2_mark(struct source *s, struct gmap *map)
{
    const struct v2 *v = s->self;
    struct v2_mark *m = mem_zalloc(sizeof *m);
    if (!m || !map_make(map, &v->order) || !order_copy(&m->order, &v->order, map)) {
        v2_mark_free(m);
        return NULL;
    }
    m->st = s->st;
    m->pos = v->pos;
    m->in_gen = v->in_gen;
    m->last_gen = v->last_gen;
    m->over = v->over;
    m->rough = v->rough;
    m->start = v->gen.start;
    m->missing = v->gen.missing;
    memcpy(m->reason, v->gen.reason, sizeof m->reason);
    m->inferred = v->gen.reason_inferred;
    m->before = v->before;
    return m;
}

static bool index_ids(struct v2_order *o)
{
    for (size_t i = 0; i < o->ng; i++)
        if (!idmap_put(&o->gs, o->g[i].id, (uint32_t)i))
            return false;
    for (size_t i = 0; i < o->np; i++)
        if (!idmap_put(&o->ps, o->p[i].id, (uint32_t)i))
            return false;
    for (size_t i = 0; i < o->nm; i++)
        if (!idmap_put(&o->ms, o->m[i].id, (uint32_t)i))
            return false;
    return true;
}

/* Read the generation's tables again, and set the cursors to where they were. What it notes has been noted. */
static bool gen_again(struct source *s, struct v2 *v, const struct v2_mark *m)
{
    struct v2_gen *g = &v->gen;
    g->number = m->before.number;
    g->freq = m->before.freq;
    g->ordinal = m->before.ordinal;
    g->torn = m->before.torn;
    g->hi = m->before.hi;
    memcpy(g->reason, m->before.reason, sizeof g->reason);
    memcpy(g->last_reason, m->before.last_reason, sizeof g->last_reason);
    v->before = m->before;
    v->rough = m->rough;
    if (!m->in_gen)
        return true;
    size_t pos = m->start;
    enum v2_gen_rc rc = v2_gen_read(s, g, &pos);
    if (rc == V2_GEN_OOM || rc == V2_GEN_NONE)
        return false;
    g->missing = m->missing;
    memcpy(g->reason, m->reason, sizeof g->reason);
    g->reason_inferred = m->inferred;
    return true;
}

bool v2_resume(struct source *s, const void *mark)
{
    struct v2 *v = s->self;
    const struct v2_mark *m = mark;
    struct v2_order *o = &v->order;
    v2_gen_free(&v->gen);
    v2_order_free(o);
    if (!m) {
        *v = (struct v2){.pos = s->header, .order.s = s, .order.goes_on = true};
        s->st = (struct source_status){.has_clock = true};
        return true;
    }
    struct gmap same = {.n = m->order.ng, .live = (uint32_t)m->order.ng};
    if (!gen_again(s, v, m) || !order_copy(o, &m->order, &same))
        return false;
    v->pos = m->pos;
    v->in_gen = m->in_gen;
    v->last_gen = m->last_gen;
    v->over = m->over;
    o->gen = &v->gen;
    if (!index_ids(o))
        return false;
    if (m->in_gen) { /* v2_order_begin() makes the list of batches; the rest is as it was */
        struct v2_order was = *o;
        o->cur = NULL;
        o->heap = NULL;
        o->capcur = o->capheap = 0;
        o->park = (struct v2_park){0};
        o->loose = false;
        memset(&o->torn.has, 0, sizeof o->torn.has);
        if (!v2_order_begin(o, &v->gen) || o->ncur != was.ncur) {
            mem_free(was.cur);
            mem_free(was.heap);
            v2_park_free(&was.park);
            idmap_free(&was.torn.has);
            return false;
        }
        if (was.ncur)
            memcpy(o->cur, was.cur, was.ncur * sizeof *o->cur);
        if (was.nheap)
            memcpy(o->heap, was.heap, was.nheap * sizeof *o->heap);
        mem_free(was.cur);
        mem_free(was.heap);
        o->nheap = was.nheap;
        o->park = was.park;
        o->loose = was.loose;
        o->sample = was.sample;
        o->consumed = was.consumed;
        o->torn_from = was.torn_from;
        o->last = was.last;
        o->gap_since = was.gap_since;
        o->sync = was.sync;
        o->stopped = was.stopped;
        o->hurt = was.hurt;
        o->torn = was.torn;
    }
    s->st = m->st;
    return true;
}
