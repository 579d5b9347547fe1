/* carry.c - see carry.h. */
#include "decode/model/carry.h"

#include <string.h>

#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"
#include "decode/model/past.h"

static bool array(void *to, size_t *cap, size_t n, size_t size)
{
    void *p = n ? mem_zalloc(n * size) : NULL;
    memcpy(to, &p, sizeof p);
    *cap = p ? n : 0;
    return p || !n;
}

/* Tags keep their numbers: they are made again in the same order. */
static bool carry_tags(struct span_pool *dst, const struct span_pool *src)
{
    for (size_t i = dst->ntags; i < src->ntags; i++)
        if (pool_tag(dst, src->tags[i].state, src->tags[i].reason, src->tags[i].label) != i)
            return false;
    return !dst->oom;
}

static void carry_lane(struct spanlane *d, const struct spanlane *s, uint32_t who)
{
    *d = (struct spanlane){.backdated = s->backdated && spans_count(s) == 1, .p = s->p, .m = s->m, .state = s->state};
    if (s->begun)
        spans_begin(d, s->t0, wait_tag(&s->open), who, wait_stack(&s->open));
}

static uint32_t who_of(const struct gmap *map, uint32_t who)
{
    return gmap_to(map, who - 1) + 1; /* NO_LANE + 1 is 0: none */
}

static bool carry_goroutines(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    size_t n = map->to ? map->live : src->nlane[LANE_G];
    if (!array(&dst->lane[LANE_G], &dst->caplane[LANE_G], n, sizeof(struct spanlane)) ||
        !array(&dst->g, &dst->capg, n, sizeof *dst->g) ||
        !array(&dst->seg, &dst->capseg, n / PAST_GS + 1, sizeof *dst->seg))
        return false;
    dst->nlane[LANE_G] = n;
    for (size_t i = 0; i < n; i++)
        dst->g[i] = (struct ginfo){.no_p_since = NO_TIME, .creator = NO_LANE};
    for (uint32_t i = 0; i < src->nlane[LANE_G]; i++) {
        uint32_t to = gmap_to(map, i);
        if (to >= n)
            continue;
        struct spanlane lane;
        struct ginfo info;
        const struct spanlane *l = fold_g_lane(src, i, &lane);
        uint32_t who = wait_who(&l->open);
        bool woken = src->pool.tags[wait_tag(&l->open)].state == ST_RUNNABLE; /* else `who` is a P */
        carry_lane(&dst->lane[LANE_G][to], l, woken ? who_of(map, who) : who);
        dst->g[to] = *fold_g_info(src, i, &info);
        dst->g[to].creator = gmap_to(map, dst->g[to].creator);
        dst->g[to].no_p = 0; /* what is asked for is that of a part */
        dst->g[to].region = 0;
        dst->g[to].depth = 0;
    }
    return true;
}

static bool carry_procs(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    size_t np = src->nlane[LANE_P], nm = src->nlane[LANE_M];
    if (!array(&dst->lane[LANE_P], &dst->caplane[LANE_P], np, sizeof(struct spanlane)) ||
        !array(&dst->p, &dst->capp, np, sizeof *dst->p) || !array(&dst->m, &dst->capm, nm, sizeof *dst->m))
        return false;
    dst->nlane[LANE_P] = np;
    dst->nlane[LANE_M] = nm;
    for (size_t i = 0; i < np; i++) {
        carry_lane(&dst->lane[LANE_P][i], &src->lane[LANE_P][i], who_of(map, wait_who(&src->lane[LANE_P][i].open)));
        dst->p[i] = src->p[i];
        dst->p[i].g = gmap_to(map, src->p[i].g);
    }
    for (size_t i = 0; i < nm; i++) {
        dst->m[i] = (struct minfo){.id = src->m[i].id, .g = gmap_to(map, src->m[i].g), .p = src->m[i].p};
        const struct mlane *l = &src->m[i].lane;
        if (l->n && !holds_set(dst, (uint32_t)i, src->end, l->h[l->n - 1].p, gmap_to(map, l->h[l->n - 1].g)))
            return false;
    }
    for (size_t i = 0; i < np; i++) /* taking hold of it would begin anew */
        dst->p[i].longest = src->p[i].longest;
    return true;
}

static bool carry_ranges(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct vec_range *s = &src->range[k];
        struct vec_range *d = &dst->range[k];
        if (!array(&d->v, &d->cap, s->nopen, sizeof *d->v) ||
            !array(&d->open, &d->capopen, s->nopen, sizeof *d->open))
            return false;
        d->n = d->nopen = s->nopen;
        d->unsorted = s->nopen > 1;
        for (size_t i = 0; i < s->nopen; i++) {
            d->v[i] = s->v[s->open[i]]; /* its b is i, in both */
            d->open[i] = (uint32_t)i;
            if (!d->v[i].scope_p && k != RANGE_SWEEP)
                d->v[i].owner = gmap_to(map, d->v[i].owner);
        }
    }
    return true;
}

/* An open range's index + 1, in its list of what is open. */
static uint32_t range_to(const struct fold *src, enum range_kind k, uint32_t slot)
{
    return slot ? (uint32_t)src->range[k].v[slot - 1].b + 1 : 0;
}

static void carry_slots(struct fold *dst, const struct fold *src)
{
    dst->gc_open = range_to(src, RANGE_GC, src->gc_open);
    dst->stw_open = range_to(src, RANGE_STW, src->stw_open);
    for (size_t i = 0; i < dst->nlane[LANE_G]; i++) {
        dst->g[i].assist = range_to(src, RANGE_ASSIST, dst->g[i].assist);
        dst->g[i].stw = range_to(src, RANGE_STW, dst->g[i].stw);
    }
    for (size_t i = 0; i < dst->nlane[LANE_P]; i++) {
        dst->p[i].sweep = range_to(src, RANGE_SWEEP, dst->p[i].sweep);
        dst->p[i].stw = range_to(src, RANGE_STW, dst->p[i].stw);
    }
}

static bool carry_tasks(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    struct opentask *o, *tmp;
    HASH_ITER(hh, src->opentasks, o, tmp)
    {
        struct vec_task *v = &dst->tasks;
        struct task *t = mem_grow(v->v, &v->cap, v->n + 1, sizeof *t);
        if (t)
            v->v = t;
        struct opentask *mine = t ? mem_alloc(sizeof *mine) : NULL;
        if (!mine)
            return false;
        *mine = (struct opentask){.id = o->id, .index = (uint32_t)v->n};
        HASH_ADD(hh, dst->opentasks, id, sizeof mine->id, mine);
        if (mine->lost) {
            mem_free(mine);
            return false;
        }
        t[v->n] = src->tasks.v[o->index];
        t[v->n].g = gmap_to(map, t[v->n].g);
        v->n++;
    }
    dst->tasks.unsorted = dst->tasks.n > 1;
    return true;
}

static bool carry_regions(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    struct vec_region *v = &dst->regions;
    for (uint32_t g = 0; g < src->nlane[LANE_G]; g++) {
        uint32_t to = gmap_to(map, g);
        if (to == NO_LANE || fold_g_past(src, g) || !src->g[g].region)
            continue;
        dst->g[to].region = (uint32_t)v->n + 1;
        dst->g[to].depth = src->g[g].depth;
        for (uint32_t r = src->g[g].region; r; r = src->regions.prev[r - 1]) { /* innermost first */
            struct region *a = mem_grow(v->v, &v->cap, v->n + 1, sizeof *a);
            if (a)
                v->v = a;
            uint32_t *b = a ? mem_grow(v->prev, &v->capprev, v->n + 1, sizeof *b) : NULL;
            if (!b)
                return false;
            v->prev = b;
            a[v->n] = src->regions.v[r - 1];
            a[v->n].g = to;
            b[v->n] = src->regions.prev[r - 1] ? (uint32_t)v->n + 2 : 0;
            v->n++;
        }
    }
    v->unsorted = v->n > 1;
    return true;
}

static bool carry_points(struct fold *dst, const struct fold *src)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct vec_point *s = &src->points[m];
        struct vec_point *d = &dst->points[m];
        if (!s->n)
            continue;
        if (!array(&d->v, &d->cap, 1, sizeof *d->v))
            return false;
        d->n = 1;
        d->v[0] = s->v[s->n - 1];
        for (unsigned l = 0; l < MM_LEVELS; l++) {
            if (!array(&d->mm[l], &d->capmm[l], 1, sizeof *d->mm[l]))
                return false;
            d->mm[l][0] = (struct minmax){d->v[0].v, d->v[0].v};
        }
    }
    return true;
}

bool fold_carry(struct fold *dst, const struct fold *src, const struct gmap *map)
{
    memset(dst, 0, sizeof *dst);
    dst->names = src->names;
    if (pool_init(&dst->pool)) {
        pool_free(&dst->pool);
        return false;
    }
    dst->end = src->end;
    dst->began = src->began;
    dst->past_from = src->past_from;
    memcpy(dst->tag, src->tag, sizeof dst->tag);
    memcpy(dst->recent, src->recent, sizeof dst->recent);
    memcpy(dst->band_open, src->band_open, sizeof dst->band_open);
    memcpy(dst->gnow, src->gnow, sizeof dst->gnow);
    memcpy(dst->glast, src->glast, sizeof dst->glast);
    memcpy(dst->count, src->count, sizeof dst->count);
    dst->events = src->events;
    dst->nfirst = FIRST_STACKS; /* they stand behind us */
    dst->ngb = src->ngb;
    dst->gb_shift = src->gb_shift;
    dst->gb_end = src->gb_end;
    dst->procs = src->procs;
    dst->procs_first = src->procs_first;
    dst->procs_at = src->procs_at;
    dst->procs_work = src->procs_work;
    dst->str_main = src->str_main;
    dst->str_gcworker = src->str_gcworker;
    bool ok = carry_tags(&dst->pool, &src->pool) && carry_goroutines(dst, src, map) && carry_procs(dst, src, map) &&
              carry_ranges(dst, src, map) && carry_tasks(dst, src, map) && carry_regions(dst, src, map) &&
              carry_points(dst, src) &&
              array(&dst->lane[LANE_BAND], &dst->caplane[LANE_BAND], BAND_COUNT, sizeof(struct spanlane));
    if (!ok) {
        fold_free(dst);
        return false;
    }
    dst->nlane[LANE_BAND] = BAND_COUNT;
    for (int b = 0; b < BAND_COUNT; b++)
        carry_lane(&dst->lane[LANE_BAND][b], &src->lane[LANE_BAND][b],
                   who_of(map, wait_who(&src->lane[LANE_BAND][b].open)));
    carry_slots(dst, src);
    for (uint32_t i = 0; i < dst->nlane[LANE_G]; i++)
        fold_special_g(dst, i);
    for (uint32_t i = 0; i < dst->nlane[LANE_P]; i++)
        fold_special_p(dst, i);
    return true;
}

void fold_strip(struct fold *f)
{
    struct span_pool *sp = &f->pool;
    struct span_pool tags = {
        .tags = sp->tags, .ntags = sp->ntags, .captags = sp->captags, .taghash = sp->taghash, .tagcap = sp->tagcap};
    for (int k = 0; k < LANE_KINDS; k++)
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++) {
            struct spanlane *l = &f->lane[k][i];
            if (k == LANE_G && fold_g_past(f, (uint32_t)i)) {
                past_strip(f->seg[i / PAST_GS].past);
                i |= PAST_GS - 1;
                continue;
            }
            l->backdated = l->backdated && spans_count(l) == 1; /* as long as that can be told */
            spans_free(l);
        }
    sp->tags = NULL;
    sp->taghash = NULL;
    pool_free(sp);
    sp->tags = tags.tags;
    sp->ntags = tags.ntags;
    sp->captags = tags.captags;
    sp->taghash = tags.taghash;
    sp->tagcap = tags.tagcap;
    mem_free(f->logs.v);
    mem_free(f->samples.v);
    f->logs = (struct vec_log){0};
    f->samples = (struct vec_sample){0};
}
