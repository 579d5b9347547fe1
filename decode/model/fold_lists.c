/*
 * fold_lists.c - the parts of the model that are no lanes: ranges (and the bands they make), tasks,
 * regions, logs, samples, metrics.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"

bool fold_range_open(struct fold *f, struct vec_range *v, struct range *r, uint32_t *slot)
{
    if (!fold_room(f, v->open, v->capopen, v->nopen + 1))
        return false;
    r->b = v->nopen;
    v->open[v->nopen++] = (uint32_t)(r - v->v);
    if (slot)
        *slot = (uint32_t)(r - v->v) + 1;
    return true;
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

#define OPEN_T INT64_MAX /* t1 while open; fold_patch_open() replaces it before reading */

static uint32_t *range_slot(struct fold *f, const struct ev *e)
{
    switch (e->state) {
    case RANGE_GC: return &f->gc_open;
    case RANGE_SWEEP: return e->p != EV_NONE ? &f->p[e->p].sweep : NULL;
    case RANGE_ASSIST: return e->g != EV_NONE ? &fold_info_at(f, e->g)->assist : NULL;
    case RANGE_STW:
        if (e->flags & EVF_EXTRA) /* the range belongs to its P */
            return e->p != EV_NONE ? &f->p[e->p].stw : NULL;
        return e->g != EV_NONE ? &fold_info_at(f, e->g)->stw : &f->stw_open;
    default: return NULL;
    }
}

static const uint8_t band_state[BAND_COUNT] = {ST_GC, ST_STW, ST_SWEEP, ST_ASSIST};

static void band_show(struct fold *f, enum band b, int64_t t, uint32_t name, uint32_t g)
{
    bool on = f->band_open[b] > 0;
    struct spanlane *l = &f->lane[LANE_BAND][b];
    if (f->carrying && l->started) {
        f->late |= (uint8_t)(1 << b);
        return;
    }
    if (on && f->pool.tags[wait_tag(&l->open)].state == band_state[b])
        return; /* a second range within the first */
    fold_lane_set(f, LANE_BAND, b, t, on ? fold_tag(f, band_state[b], name) : f->tag[ST_NONE],
                  on ? g + 1 : 0);
}

static void range_show(struct fold *f, const struct ev *e)
{
    if (e->state == RANGE_SWEEP && e->p != EV_NONE) {
        fold_special_p(f, e->p);
        fold_p_show(f, e->p, e->t);
    } else if (e->state == RANGE_ASSIST && e->g != EV_NONE) {
        fold_special_g(f, e->g);
        fold_show_on(f, fold_lane_at(f, e->g)->p, fold_lane_at(f, e->g)->m, e->t);
    }
}

/* Append a range with the event's values. early: it was open before. Returns NULL when out of memory. */
static struct range *range_add(struct fold *f, const struct ev *e, bool early)
{
    struct vec_range *v = &f->range[e->state];
    const bool of_p = e->state == RANGE_SWEEP || (e->state == RANGE_STW && e->flags & EVF_EXTRA);
    if (!fold_room(f, v->v, v->cap, v->n + 1))
        return NULL;
    v->unsorted |= early && v->n;
    v->v[v->n] = (struct range){.t0 = early ? f->began : e->t,
                                .kind = e->state,
                                .open_start = early,
                                .scope_p = of_p && e->state == RANGE_STW,
                                .owner = e->state == RANGE_GC ? NO_LANE
                                         : of_p               ? e->p
                                                              : e->g,
                                .name = e->str,
                                .a = e->state == RANGE_ASSIST ? 0 : e->arg};
    return &v->v[v->n++];
}

/* Sets *ns to how long the owner of an assist ran from its begin to t. */
static bool ran_until(const struct fold *f, const struct range *r, int64_t t, int64_t *ns)
{
    struct span_sums sums = {0};
    const bool known = spans_since(&f->pool, LANE_G, fold_lane_at(f, r->owner), r->t0, t, &sums);
    *ns = sums.tot[f->pool.slot[LANE_G][ST_RUNNING]];
    return known;
}

/* Sets a and b of an assist that has ended (trace.h). Computed now, while most of its spans wait to be
 * packed. */
static void ran_in_assist(const struct fold *f, struct range *r)
{
    int64_t all, first, until;
    r->a = r->b = 0;
    if (r->open_start || r->seen == NO_TIME || r->owner == EV_NONE || !ran_until(f, r, r->t1, &all))
        return;
    const struct spanlane *l = fold_lane_at(f, r->owner);
    const int64_t since = l->t0 > r->t0 ? l->t0 : r->t0; /* it has run since then */
    r->a = 1 + (uint64_t)all;
    first = all - (r->t1 - since);
    if (l->state == ST_RUNNING && first > 0 && ran_until(f, r, r->t0 + first, &until) && until == first)
        r->b = 1 + (uint64_t)first;
}

void fold_range_begin(struct fold *f, const struct ev *e)
{
    uint32_t *slot = range_slot(f, e);
    if (!slot || *slot)
        return; /* already open: the reader noted that, or it was reported repeatedly as active */
    struct vec_range *v = &f->range[e->state];
    const bool early = e->flags & EVF_BACKDATE, carried = e->flags & EVF_CARRIED;
    struct range *r = range_add(f, e, early);
    if (!r)
        return;
    if (!fold_range_open(f, v, r, slot)) {
        v->n--;
        return;
    }
    f->carrying = carried;
    r->t1 = OPEN_T;
    r->open_end = true;
    r->seen = carried ? NO_TIME : e->t;
    r->stack = e->stack;
    f->band_open[e->state]++;
    /* A band is drawn from where it is known to be on; a back-dated range that is not the first one is
     * drawn from the event's time. */
    band_show(f, (enum band)e->state, early && f->lane[LANE_BAND][e->state].t0 <= f->began ? f->began : e->t,
              e->str, e->g);
    range_show(f, e);
    f->carrying = false;
}

struct range *fold_range_close(struct vec_range *v, uint32_t *slot, int64_t t)
{
    struct range *r = &v->v[*slot - 1];
    const uint32_t last = v->open[--v->nopen];
    if (r->b < v->nopen) {
        v->open[r->b] = last;
        v->v[last].b = r->b;
    }
    *slot = 0;
    r->t1 = t;
    return r;
}

void fold_range_end(struct fold *f, const struct ev *e)
{
    uint32_t *slot = range_slot(f, e);
    if (!slot || (!*slot && f->lossy))
        return;   /* lossy: fold_range_lost() has kept what is certain of the ranges that were open */
    if (!*slot) { /* it began before the trace, and no event reported it */
        struct range *r = range_add(f, e, true);
        if (r) {
            r->t1 = e->t;
            r->b = e->arg2;
        }
        return;
    }
    struct range *r = fold_range_close(&f->range[e->state], slot, e->t);
    r->open_end = false;
    r->b = e->arg2;
    if (e->state == RANGE_ASSIST)
        ran_in_assist(f, r);
    else if (e->state != RANGE_GC)
        r->a = e->arg;
    if (f->band_open[e->state])
        f->band_open[e->state]--;
    band_show(f, (enum band)e->state, e->t, r->name, r->owner);
    range_show(f, e);
}

void fold_range_lost(struct fold *f, enum range_kind k, uint32_t *slot, int64_t since)
{
    if (!*slot)
        return;
    struct range *r = fold_range_close(&f->range[k], slot, since); /* open_end stays set */
    if (r->t1 < r->t0)
        r->t1 = r->t0;
    r->b = 0;
    if (f->band_open[k])
        f->band_open[k]--;
    struct spanlane *l = &f->lane[LANE_BAND][k];
    f->late |= (uint8_t)(1 << k); /* it may be drawn beyond r->t1: fold_bands_reopen() corrects that */
    if (!f->band_open[k] && l->started && l->t0 >= r->t1)
        l->open = waitspan(0, 0, 0, f->tag[ST_NONE]);
    else
        band_show(f, (enum band)k, r->t1 > l->t0 ? r->t1 : l->t0, r->name, r->owner);
}

/* Rebuild a band from its ranges: some were reported late but had been open all along, or were lost and
 * ended earlier than drawn. */
static void band_reopen(struct fold *f, enum band b)
{
    const struct vec_range *v = &f->range[b];
    struct spanlane *l = &f->lane[LANE_BAND][b];
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < v->nopen; i++)
        v->v[v->open[i]].t1 = OPEN_T; /* fold_patch_open() may have replaced it */
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].seen == NO_TIME && v->v[i].t1 > until)
            until = v->v[i].t1;
    spans_free(l);
    *l = (struct spanlane){.p = EV_NONE, .m = EV_NONE};
    bool on = until != INT64_MIN;
    l->open = waitspan(0, 0, 0, f->tag[on ? band_state[b] : ST_NONE]);
    if (!f->segment)
        spans_begin(l, 0, waitspan(0, 0, 0, f->tag[ST_NONE]));
    for (size_t i = 0; i < v->n; i++) {
        const struct range *r = &v->v[i];
        if (r->seen == NO_TIME || (on && r->t1 <= until) || (r->open_end && r->t1 <= r->t0))
            continue;
        if (!on || r->t0 > until) {
            if (on)
                fold_lane_set(f, LANE_BAND, b, until, f->tag[ST_NONE], 0);
            fold_lane_set(f, LANE_BAND, b, r->t0, fold_tag(f, band_state[b], r->name),
                          b == BAND_SWEEP ? 0 : r->owner + 1);
        }
        on = true;
        until = r->t1;
    }
    if (on && until != OPEN_T)
        fold_lane_set(f, LANE_BAND, b, until, f->tag[ST_NONE], 0);
}

void fold_bands_reopen(struct fold *f)
{
    for (int b = 0; b < BAND_COUNT; b++)
        if (f->late >> b & 1)
            band_reopen(f, (enum band)b);
}

/* ---- tasks, regions, logs, samples --------------------------------------------------------------------- */

void fold_task_begin(struct fold *f, const struct ev *e)
{
    struct vec_task *v = &f->tasks;
    if (idmap_get(&f->opentasks, e->arg) != IDMAP_NONE || !fold_room(f, v->v, v->cap, v->n + 1))
        return;
    if (!idmap_put(&f->opentasks, e->arg, (uint32_t)v->n)) {
        f->oom = true;
        return;
    }
    v->v[v->n++] = (struct task){.id = e->arg,
                                 .parent = e->arg2,
                                 .t0 = e->t,
                                 .t1 = OPEN_T,
                                 .open_end = true,
                                 .name = e->str,
                                 .g = e->g,
                                 .g_end = NO_LANE,
                                 .stack = e->stack};
}

/* Count a misuse of an annotation. A segment does not know what was before it, so the trace is then read as
 * one. */
static void misused(struct fold *f, enum misuse_kind kind, const struct ev *e, uint32_t name, uint32_t inner)
{
    struct misuse *m = &f->misuse[kind];
    f->unsure |= f->segment;
    if (!m->n++)
        *m = (struct misuse){.n = 1,
                             .t = e->t,
                             .g = e->g == EV_NONE ? 0 : fold_info_at(f, e->g)->id,
                             .task = e->arg,
                             .name = name,
                             .inner = inner,
                             .stack = e->stack};
}

bool fold_task_close(struct fold *f, uint64_t id, int64_t t, uint32_t g)
{
    const uint32_t open = idmap_get(&f->opentasks, id);
    if (open == IDMAP_NONE)
        return false;
    struct task *task = &f->tasks.v[open];
    task->t1 = t;
    task->open_end = false;
    task->g_end = g;
    idmap_del(&f->opentasks, id);
    return true;
}

uint32_t fold_task_known(struct fold *f, uint64_t id)
{
    for (; f->nknown < f->tasks.n; f->nknown++)
        if (!idmap_put(&f->knowntasks, f->tasks.v[f->nknown].id, (uint32_t)f->nknown)) {
            f->oom = true;
            return IDMAP_NONE;
        }
    return idmap_get(&f->knowntasks, id);
}

void fold_task_end(struct fold *f, const struct ev *e)
{
    struct vec_task *v = &f->tasks;
    if (fold_task_close(f, e->arg, e->t, e->g))
        return;
    const uint32_t known = fold_task_known(f, e->arg);
    if (known != IDMAP_NONE) {
        misused(f, MISUSE_TASK, e, v->v[known].name, 0);
        return;
    }
    if (!fold_room(f, v->v, v->cap, v->n + 1))
        return;
    v->unsorted |= v->n > 0;
    v->v[v->n++] = (struct task){.id = e->arg,
                                 .parent = e->arg2,
                                 .t0 = f->began,
                                 .t1 = e->t,
                                 .open_start = true,
                                 .name = e->str,
                                 .g = NO_LANE,
                                 .g_end = e->g};
}

bool fold_region_room(struct fold *f)
{
    struct vec_region *v = &f->regions;
    return fold_room(f, v->v, v->cap, v->n + 1) && fold_room(f, v->prev, v->capprev, v->n + 1);
}

void fold_region_begin(struct fold *f, const struct ev *e)
{
    struct vec_region *v = &f->regions;
    if (e->g == EV_NONE || !fold_region_room(f))
        return;
    struct ginfo *gi = fold_info_at(f, e->g);
    v->prev[v->n] = gi->region;
    v->v[v->n++] = (struct region){.task = e->arg,
                                   .t0 = e->t,
                                   .t1 = OPEN_T,
                                   .open_end = true,
                                   .g = e->g,
                                   .name = e->str,
                                   .stack = e->stack,
                                   .depth = gi->depth};
    gi->region = (uint32_t)v->n;
    if (gi->depth < UINT16_MAX - 1)
        gi->depth++;
}

/* Returns the goroutine's open region that an event ends, index + 1; 0 if it is none of the innermost FAR. */
static uint32_t region_find(const struct fold *f, const struct ginfo *gi, const struct ev *e)
{
    enum { FAR = 256 };
    uint32_t at = gi->region;
    for (int i = 0; at && i < FAR; i++, at = f->regions.prev[at - 1])
        if (f->regions.v[at - 1].task == e->arg && f->regions.v[at - 1].name == e->str)
            return at;
    return 0;
}

/* Remove a region from the goroutine's open regions. */
static void region_unlink(struct fold *f, struct ginfo *gi, uint32_t at)
{
    uint32_t *of = &gi->region, *prev = f->regions.prev;
    while (*of != at)
        of = &prev[*of - 1];
    *of = prev[at - 1];
    gi->depth = gi->region ? (uint16_t)(f->regions.v[gi->region - 1].depth + 1) : 0;
}

bool fold_region_close(struct fold *f, struct ginfo *gi, uint32_t at, int64_t t, uint32_t stack_end)
{
    if (!at)
        return false;
    struct region *r = &f->regions.v[at - 1];
    r->t1 = t;
    r->open_end = false;
    r->stack_end = stack_end;
    region_unlink(f, gi, at);
    return true;
}

bool fold_region_before(struct fold *f, const struct ginfo *gi, uint64_t of)
{
    const uint32_t task = gi->flags & GI_CREATED || !of ? IDMAP_NONE : fold_task_known(f, of);
    return !(gi->flags & GI_CREATED) && !gi->region && (task == IDMAP_NONE || f->tasks.v[task].open_start);
}

void fold_region_end(struct fold *f, const struct ev *e)
{
    struct vec_region *v = &f->regions;
    if (e->g == EV_NONE)
        return;
    struct ginfo *gi = fold_info_at(f, e->g);
    const uint32_t at = region_find(f, gi, e);
    if (at && at != gi->region && !f->lossy)
        misused(f, MISUSE_NESTING, e, e->str, v->v[gi->region - 1].name);
    if (fold_region_close(f, gi, at, e->t, e->stack))
        return;
    if (!f->lossy && !fold_region_before(f, gi, e->arg)) {
        misused(f, MISUSE_REGION, e, e->str, 0);
        return;
    }
    if (!fold_region_room(f))
        return;
    v->unsorted |= v->n > 0;
    v->prev[v->n] = 0;
    v->v[v->n++] = (struct region){.task = e->arg,
                                   .t0 = gi->flags & GI_LOST ? fold_lane_at(f, e->g)->t0 : f->began,
                                   .t1 = e->t,
                                   .open_start = true,
                                   .g = e->g,
                                   .name = e->str,
                                   .stack_end = e->stack};
}

void fold_regions_lost_of(struct fold *f, struct ginfo *gi, int64_t since)
{
    struct vec_region *v = &f->regions;
    for (uint32_t at = gi->region, next; at; at = next) {
        next = v->prev[at - 1];
        v->prev[at - 1] = REGION_LOST;
        v->v[at - 1].t1 = since > v->v[at - 1].t0 ? since : v->v[at - 1].t0;
    }
    gi->region = 0;
    gi->depth = 0;
}

void fold_regions_lost_before(struct fold *f, uint32_t g, int64_t since)
{
    struct vec_region *v = &f->regions;
    if (!fold_region_room(f))
        return;
    v->unsorted |= v->n > 0;
    v->prev[v->n] = REGION_LOST;
    v->v[v->n++] = (struct region){.t0 = f->began, .t1 = since, .open_start = true, .open_end = true, .g = g};
}

void fold_regions_end(struct fold *f, struct ginfo *gi, int64_t t)
{
    while (fold_region_close(f, gi, gi->region, t, 0))
        ;
}

void fold_regions_lost(struct fold *f, int64_t since)
{
    for (size_t i = 0; i < f->regions.n; i++)
        if (f->regions.v[i].open_end && f->regions.v[i].t0 >= f->began)
            f->regions.v[i].t1 = since > f->regions.v[i].t0 ? since : f->regions.v[i].t0;
}

void fold_log(struct fold *f, const struct ev *e)
{
    struct vec_log *v = &f->logs;
    if (fold_room(f, v->v, v->cap, v->n + 1))
        v->v[v->n++] = (struct logmsg){e->t, e->arg, e->g, e->str, e->stack2, e->stack};
}

void fold_sample(struct fold *f, const struct ev *e)
{
    struct vec_sample *v = &f->samples;
    if (!fold_room(f, v->v, v->cap, v->n + 1))
        return;
    v->v[v->n++] = (struct sample){e->t, e->g, e->p, e->m, e->stack};
    if (!f->segment || !((e->g == EV_NONE && e->arg) || e->p == EV_NONE || e->m == EV_NONE))
        return;
    if (fold_room(f, f->ids, f->capids, f->nids + 1))
        f->ids[f->nids++] = (struct sample_ids){v->n - 1, e->arg, e->arg2, e->spare};
}

/* Apply GOMAXPROCS = n: Ps from n on do not exist, those below do. A P that still runs disappears when it
 * stops. */
static void procs_set(struct fold *f, uint64_t n, int64_t t)
{
    bool same = n == f->procs;
    if (f->segment) { /* the lanes depend on what was before the segment: the join changes them */
        f->procs_known = f->procs_known ? f->procs_known : n;
        f->unsure |= n != f->procs_known;
        f->procs = n;
        return;
    }
    if (!f->procs)
        f->procs_first = n;
    if (!same)
        f->procs_at = t;
    f->procs = n;
    f->procs_work += f->nlane[LANE_P];
    if (same ||
        f->procs_work > ((uint64_t)1 << 20) + 16 * f->events) /* a file may change it with every event */
        return;
    for (uint32_t i = 0; i < f->nlane[LANE_P]; i++) {
        struct pinfo *pi = &f->p[i];
        bool there = pi->id < n;
        if (!f->lane[LANE_P][i].started || pi->state != (there ? ST_NONE : ST_IDLE) || pi->lost)
            continue;
        pi->state = there ? ST_IDLE : ST_NONE;
        fold_p_show(f, i, t);
    }
}

void fold_point(struct fold *f, enum metric m, int64_t t, uint64_t value)
{
    f->oom |= !points_add(&f->points[m], t, value);
}

void fold_points_pack(struct fold *f)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        f->oom |= !points_pack(&f->points[m], &f->pool);
}

void fold_metric(struct fold *f, const struct ev *e)
{
    if (e->state == METRIC_PROCS)
        procs_set(f, e->arg, e->t);
    if (e->state < METRIC_COUNT && !(e->flags & EVF_QUIET))
        fold_point(f, e->state, e->t, e->arg);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

#define BY_T0(type) \
    static int type##_by_t0(const void *a, const void *b) \
    { \
        const struct type *x = a, *y = b; \
        return x->t0 != y->t0 ? (x->t0 < y->t0 ? -1 : 1) : x->t1 < y->t1 ? -1 : x->t1 > y->t1; \
    }
BY_T0(range)
BY_T0(task)
BY_T0(region)

void fold_patch_open(struct fold *f, int64_t end)
{
    if (f->finished)
        return;
    for (int k = 0; k < RANGE_KINDS; k++)
        for (size_t i = 0; i < f->range[k].nopen; i++)
            f->range[k].v[f->range[k].open[i]].t1 = end;
    uint64_t id;
    for (uint32_t at = 0, task; idmap_next(&f->opentasks, &at, &id, &task);)
        f->tasks.v[task].t1 = end;
    for (size_t i = 0; i < f->regions.n; i++)
        if (f->regions.v[i].open_end && f->regions.v[i].t0 >= f->began && f->regions.prev[i] != REGION_LOST)
            f->regions.v[i].t1 = end; /* else it became unknown in a gap */
}

/* An array in the temporary file that would be too small for it stays there, because moving it would take
 * memory. */
void fold_shrink(void *arrayp, size_t *cap, size_t n, size_t size)
{
    void *p;
    memcpy(&p, arrayp, sizeof p);
    if (!p || !n || *cap == n || (n * size < MEM_SPILLS && mem_is_spilled(p)))
        return;
    p = mem_resize(p, n * size);
    if (p) {
        memcpy(arrayp, &p, sizeof p);
        *cap = n;
    }
}

void fold_lists_finish(struct fold *f)
{
    for (int k = 0; k < METRIC_COUNT; k++) {
        fold_shrink(&f->points[k].v, &f->points[k].cap, f->points[k].n, sizeof(struct point));
        fold_shrink(&f->points[k].blk, &f->points[k].capblk, f->points[k].nblk, sizeof(struct point_block));
    }
    for (int k = 0; k < RANGE_KINDS; k++) {
        struct vec_range *v = &f->range[k];
        fold_shrink(&v->v, &v->cap, v->n, sizeof *v->v);
        if (v->unsorted)
            qsort(v->v, v->n, sizeof *v->v, range_by_t0);
    }
    fold_gcount_trim(f);
    if (f->tasks.unsorted)
        qsort(f->tasks.v, f->tasks.n, sizeof *f->tasks.v, task_by_t0);
    if (f->regions.unsorted)
        qsort(f->regions.v, f->regions.n, sizeof *f->regions.v, region_by_t0);
}

void fold_lists_free(struct fold *f)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        mem_free(f->range[k].v);
        mem_free(f->range[k].open);
    }
    idmap_free(&f->opentasks);
    idmap_free(&f->knowntasks);
    mem_free(f->tasks.v);
    mem_free(f->regions.v);
    mem_free(f->regions.prev);
    mem_free(f->logs.v);
    mem_free(f->samples.v);
    for (int k = 0; k < METRIC_COUNT; k++)
        points_free(&f->points[k]);
}
