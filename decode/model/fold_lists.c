/*
 * fold_lists.c - the parts of the model that are no lanes: ranges (and the bands they make), tasks,
 * regions, logs, samples, metrics.
 */
#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "decode/model/item.h"
#include "decode/model/retired.h"

/* ---- ranges -------------------------------------------------------------------------------------------- */

#define OPEN_T INT64_MAX /* t1 while open; fold_patch_open() replaces it before reading */

static void band_show(struct fold *f, enum band b, int64_t t, uint32_t name, uint32_t g)
{
    bool on = f->band_open[b] > 0;
    struct spanlane *l = &f->lane[LANE_BAND][b];
    if (on && f->pool.tags[wait_tag(&l->open)].state == item_state(b))
        return; /* a second range within the first */
    fold_lane_set(f, LANE_BAND, b, t, on ? fold_tag(f, item_state(b), name) : f->tag[ST_NONE],
                  on ? g + 1 : 0);
}

enum { OF_P = 1, OF_G = 2 };

/* Returns whose range it is: a P's, a goroutine's, or 0 for neither. */
static int range_owner(const struct ev *e)
{
    if (e->state == RANGE_SWEEP || (e->state == RANGE_STW && e->flags & EVF_EXTRA))
        return OF_P;
    return e->state == RANGE_GC ? 0 : OF_G;
}

static uint64_t range_key(const struct ev *e)
{
    const int of = range_owner(e);
    const uint64_t ps = e->state == RANGE_STW ? (uint64_t)1 << 32 : 0; /* besides the goroutines' */
    return of == OF_P ? ps | e->p : of == OF_G ? e->g : NO_LANE;
}

/* Append a range with the event's values. early: it was open before. Returns NULL when out of memory. */
static struct range *range_add(struct fold *f, const struct ev *e, bool early)
{
    struct vec_range *v = &f->range[e->state];
    const int of = range_owner(e);
    if (!fold_room(f, v->v, v->cap, v->n + 1))
        return NULL;
    v->unsorted |= early && v->n;
    v->v[v->n] = (struct range){.t0 = early ? f->began : e->t,
                                .kind = e->state,
                                .open_start = early,
                                .scope_p = of == OF_P && e->state == RANGE_STW,
                                .owner = of == OF_P   ? e->p
                                         : of == OF_G ? e->g
                                                      : NO_LANE,
                                .name = e->str,
                                .a = e->state == RANGE_ASSIST ? 0 : e->arg};
    return &v->v[v->n++];
}

/* Sets *ns to how long goroutine g ran from t0 to t1. */
static bool ran(const struct fold *f, uint32_t g, int64_t t0, int64_t t1, int64_t *ns)
{
    struct span_sums sums = {0};
    const bool known = spans_since(&f->pool, LANE_G, fold_lane_at(f, g), t0, t1, &sums);
    *ns = sums.tot[f->pool.slot[LANE_G][ST_RUNNING]];
    return known;
}

/* Sets arg and arg2 of the end of an assist that began at t0 to range.a and range.b (trace.h). This is done
 * now, while most of the goroutine's spans wait to be packed. */
static void ran_in_assist(const struct fold *f, struct ev *e, int64_t t0)
{
    int64_t all, first, until;
    e->arg = e->arg2 = 0;
    if (t0 < 0 || !ran(f, e->g, t0, e->t, &all))
        return;
    const struct spanlane *l = fold_lane_at(f, e->g);
    const int64_t since = l->t0 > t0 ? l->t0 : t0; /* it has run since then */
    e->arg = 1 + (uint64_t)all;
    first = all - (e->t - since);
    if (l->state == ST_RUNNING && first > 0 && ran(f, e->g, t0, t0 + first, &until) && until == first)
        e->arg2 = 1 + (uint64_t)first;
}

/* Show that a P sweeps, or that its goroutine assists, in the lane of the P. */
static void sweep_show(struct fold *f, const struct ev *e, bool on)
{
    if (f->p[e->p].sweep == on)
        return;
    f->p[e->p].sweep = on;
    fold_special_p(f, e->p);
    fold_p_show(f, e->p, e->t);
}

static void assist_show(struct fold *f, struct ev *e, bool on)
{
    struct ginfo *gi = fold_info_at(f, e->g);
    int64_t *since = &gi->assist;
    if (f->carrying && *since == NO_TIME) { /* no other one can have been open then */
        f->unsure |= gi->flags & GI_ASSISTED || !(gi->flags & GI_CARRIED);
        gi->flags |= GI_ASSISTED;
    }
    if (!on)
        ran_in_assist(f, e, *since);
    if ((*since != NO_TIME) == on)
        return;
    *since = !on ? NO_TIME : e->flags & (EVF_CARRIED | EVF_BACKDATE) ? -1 : e->t;
    fold_special_g(f, e->g);
    fold_show_on(f, fold_lane_at(f, e->g)->p, fold_lane_at(f, e->g)->m, e->t);
}

void fold_range(struct fold *f, const struct ev *e)
{
    struct ev x = *e;
    f->carrying = e->flags & EVF_CARRIED;
    if (e->state == RANGE_SWEEP && e->p != EV_NONE)
        sweep_show(f, e, e->kind != EVK_RANGE_END);
    else if (e->state == RANGE_ASSIST && e->g != EV_NONE && !fold_g_over(f, e->g))
        assist_show(f, &x, e->kind != EVK_RANGE_END);
    if (!f->carrying)
        fold_listed(f, &x);
    f->carrying = false;
}

static void range_begin(struct fold *f, const struct ev *e)
{
    struct vec_range *v = &f->range[e->state];
    const uint64_t key = range_key(e);
    if (idmap_get(&f->openranges[e->state], key) != IDMAP_NONE)
        return; /* already open: the reader noted that, or it was reported repeatedly as active */
    const bool early = e->flags & EVF_BACKDATE;
    struct range *r = range_add(f, e, early);
    if (!r)
        return;
    if (!mem_noted(&f->oom, idmap_put(&f->openranges[e->state], key, (uint32_t)v->n - 1))) {
        v->n--;
        return;
    }
    r->t1 = OPEN_T;
    r->open_end = true;
    r->seen = e->t;
    r->stack = e->stack;
    f->band_open[e->state]++;
    /* A band is drawn from where it is known to be on; a back-dated range that is not the first one is
     * drawn from the event's time. */
    band_show(f, (enum band)e->state, early && f->lane[LANE_BAND][e->state].t0 <= f->began ? f->began : e->t,
              e->str, e->g);
}

/* End the open range with this key at t. Returns NULL if there is none. */
static struct range *range_close(struct fold *f, enum range_kind k, uint64_t key, int64_t t)
{
    const uint32_t at = idmap_get(&f->openranges[k], key);
    if (at == IDMAP_NONE)
        return NULL;
    idmap_del(&f->openranges[k], key);
    f->range[k].v[at].t1 = t;
    f->band_open[k]--;
    return &f->range[k].v[at];
}

static void range_end(struct fold *f, const struct ev *e)
{
    struct range *r = range_close(f, e->state, range_key(e), e->t);
    if (r) {
        r->open_end = false;
        if (e->state != RANGE_GC)
            r->a = e->arg;
        band_show(f, (enum band)e->state, e->t, r->name, r->owner);
    } else if (f->lossy) {
        return; /* fold_range_lost() has kept what is certain of the ranges that were open */
    } else if ((r = range_add(f, e, true))) { /* it began before the trace, and no event reported it */
        r->t1 = e->t;
    }
    if (r)
        r->b = e->arg2;
}

void fold_range_lost(struct fold *f, enum range_kind k, uint32_t owner, int64_t since)
{
    struct range *r = range_close(f, k, owner, since); /* open_end stays set */
    if (!r)
        return;
    if (r->t1 < r->t0)
        r->t1 = r->t0;
    struct spanlane *l = &f->lane[LANE_BAND][k];
    f->late |= (uint8_t)(1 << k); /* it may be drawn beyond r->t1: fold_bands_reopen() corrects that */
    if (!f->band_open[k] && l->started && l->t0 >= r->t1)
        l->open = waitspan(0, 0, 0, f->tag[ST_NONE]);
    else
        band_show(f, (enum band)k, r->t1 > l->t0 ? r->t1 : l->t0, r->name, r->owner);
}

static void patch_ranges(struct fold *f, int kind, int64_t end)
{
    uint64_t key;
    for (uint32_t at = 0, i; idmap_next(&f->openranges[kind], &at, &key, &i);)
        f->range[kind].v[i].t1 = end;
}

/* Rebuild a band from its ranges: some were lost and ended earlier than drawn. */
static void band_reopen(struct fold *f, enum band b)
{
    const struct vec_range *v = &f->range[b];
    struct spanlane *l = &f->lane[LANE_BAND][b];
    int64_t until = INT64_MIN;
    bool on = false;
    patch_ranges(f, b, OPEN_T);
    spans_free(l);
    *l = (struct spanlane){.p = EV_NONE, .m = EV_NONE};
    spans_begin(l, 0, waitspan(0, 0, 0, f->tag[ST_NONE]));
    for (size_t i = 0; i < v->n; i++) {
        const struct range *r = &v->v[i];
        if ((on && r->t1 <= until) || (r->open_end && r->t1 <= r->t0))
            continue;
        if (!on || r->t0 > until) {
            if (on)
                fold_lane_set(f, LANE_BAND, b, until, f->tag[ST_NONE], 0);
            fold_lane_set(f, LANE_BAND, b, r->t0, fold_tag(f, item_state(b), r->name),
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

static void task_begin(struct fold *f, const struct ev *e)
{
    struct vec_task *v = &f->tasks;
    if (idmap_get(&f->opentasks, e->arg) != IDMAP_NONE) {
        f->unsure = true; /* the reader noted that, unless it was opened in an earlier segment */
        return;
    }
    if (!mem_noted(&f->oom, idmap_row(&f->opentasks, e->arg, v->v, v->cap, v->n)))
        return;
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

/* Count a misuse of an annotation. */
static void misused(struct fold *f, enum misuse_kind kind, const struct ev *e, const struct ginfo *gi,
                    uint32_t name, uint32_t inner)
{
    struct misuse *m = &f->misuse[kind];
    if (!m->n++)
        *m = (struct misuse){.n = 1,
                             .t = e->t,
                             .g = gi ? gi->id : 0,
                             .task = e->arg,
                             .name = name,
                             .inner = inner,
                             .stack = e->stack};
}

/* Returns the index of a task, open or not; IDMAP_NONE if it is unknown. The first call goes through all
 * tasks. */
static uint32_t task_known(struct fold *f, uint64_t id)
{
    for (; f->nknown < f->tasks.n; f->nknown++)
        if (!mem_noted(&f->oom, idmap_put(&f->knowntasks, f->tasks.v[f->nknown].id, (uint32_t)f->nknown)))
            return IDMAP_NONE;
    return idmap_get(&f->knowntasks, id);
}

static void task_end(struct fold *f, const struct ev *e, const struct ginfo *gi)
{
    struct vec_task *v = &f->tasks;
    const uint32_t open = idmap_get(&f->opentasks, e->arg);
    if (open != IDMAP_NONE) {
        idmap_del(&f->opentasks, e->arg);
        v->v[open].t1 = e->t;
        v->v[open].open_end = false;
        v->v[open].g_end = e->g;
        return;
    }
    const uint32_t known = task_known(f, e->arg);
    if (known != IDMAP_NONE) {
        misused(f, MISUSE_TASK, e, gi, v->v[known].name, 0);
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

static bool region_room(struct fold *f)
{
    struct vec_region *v = &f->regions;
    return fold_room(f, v->v, v->cap, v->n + 1) && fold_room(f, f->around, f->caparound, v->n + 1);
}

/* Returns the goroutine's innermost open region, index + 1; 0: none. */
static uint32_t region_top(const struct fold *f, uint32_t g)
{
    return idmap_get(&f->openregions, g) + 1;
}

static void region_begin(struct fold *f, const struct ev *e)
{
    struct vec_region *v = &f->regions;
    if (!region_room(f))
        return;
    const uint32_t top = region_top(f, e->g), depth = top ? v->v[top - 1].depth + 1u : 0;
    f->around[v->n] = top;
    v->v[v->n] = (struct region){.task = e->arg,
                                 .t0 = e->t,
                                 .t1 = OPEN_T,
                                 .open_end = true,
                                 .g = e->g,
                                 .name = e->str,
                                 .stack = e->stack,
                                 .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX - 1)};
    f->oom |= !idmap_put(&f->openregions, e->g, (uint32_t)v->n++);
}

/* Returns the goroutine's open region that an event ends, index + 1; 0 if it is none of the innermost FAR. */
static uint32_t region_find(const struct fold *f, const struct ev *e)
{
    enum { FAR = 256 };
    uint32_t at = region_top(f, e->g);
    for (int i = 0; at && i < FAR; i++, at = f->around[at - 1])
        if (f->regions.v[at - 1].task == e->arg && f->regions.v[at - 1].name == e->str)
            return at;
    return 0;
}

/* End one of the goroutine's open regions, index + 1, the innermost or one around it. */
static void region_close(struct fold *f, uint32_t g, uint32_t at, int64_t t, uint32_t stack_end)
{
    struct region *r = &f->regions.v[at - 1];
    uint32_t top = region_top(f, g), *of = &top, *prev = f->around;
    r->t1 = t;
    r->open_end = false;
    r->stack_end = stack_end;
    while (*of != at)
        of = &prev[*of - 1];
    *of = prev[at - 1];
    if (!top)
        idmap_del(&f->openregions, g);
    else
        f->oom |= !idmap_put(&f->openregions, g, top - 1);
}

/* Returns whether the goroutine may have begun a region of this task before the trace: it existed before the
 * trace, has no open region, and the task, if it is known, began before the trace. */
static bool region_before(struct fold *f, const struct ev *e, const struct ginfo *gi)
{
    const uint32_t task = gi->flags & GI_CREATED || !e->arg ? IDMAP_NONE : task_known(f, e->arg);
    return !(gi->flags & GI_CREATED) && !region_top(f, e->g) &&
           (task == IDMAP_NONE || f->tasks.v[task].open_start);
}

static void region_end(struct fold *f, const struct ev *e, const struct ginfo *gi)
{
    struct vec_region *v = &f->regions;
    const uint32_t at = region_find(f, e), top = region_top(f, e->g);
    if (at && at != top && !f->lossy)
        misused(f, MISUSE_NESTING, e, gi, e->str, v->v[top - 1].name);
    if (at) {
        region_close(f, e->g, at, e->t, e->stack);
        return;
    }
    if (!f->lossy && !region_before(f, e, gi)) {
        misused(f, MISUSE_REGION, e, gi, e->str, 0);
        return;
    }
    if (!region_room(f))
        return;
    v->unsorted |= v->n > 0;
    f->around[v->n] = 0;
    v->v[v->n++] = (struct region){.task = e->arg,
                                   .t0 = gi->flags & GI_LOST ? fold_lane_at(f, e->g)->t0 : f->began,
                                   .t1 = e->t,
                                   .open_start = true,
                                   .g = e->g,
                                   .name = e->str,
                                   .stack_end = e->stack};
}

/* Open regions last until t, as far as is known: from one, index + 1, to the outermost. */
static void regions_until(struct fold *f, uint32_t at, int64_t t)
{
    struct region *v = f->regions.v;
    for (; at; at = f->around[at - 1])
        v[at - 1].t1 = t > v[at - 1].t0 ? t : v[at - 1].t0;
}

static void all_regions_until(struct fold *f, int64_t t)
{
    uint64_t g;
    for (uint32_t at = 0, top; idmap_next(&f->openregions, &at, &g, &top);)
        regions_until(f, top + 1, t);
}

void fold_regions_lost(struct fold *f, uint32_t g, int64_t since)
{
    regions_until(f, region_top(f, g), since);
    idmap_del(&f->openregions, g);
}

void fold_all_regions_lost(struct fold *f, int64_t since)
{
    all_regions_until(f, since);
    idmap_clear(&f->openregions);
}

void fold_regions_end(struct fold *f, uint32_t g, int64_t t)
{
    for (uint32_t top; f->openregions.used && (top = region_top(f, g));)
        region_close(f, g, top, t, 0);
}

void fold_list(struct fold *f, const struct ev *e, const struct ginfo *gi)
{
    switch (e->kind) {
    case EVK_RANGE_BEGIN:
    case EVK_RANGE_ACTIVE: range_begin(f, e); break;
    case EVK_RANGE_END: range_end(f, e); break;
    case EVK_TASK_BEGIN: task_begin(f, e); break;
    case EVK_TASK_END: task_end(f, e, gi); break;
    case EVK_REGION_BEGIN: region_begin(f, e); break;
    case EVK_REGION_END: region_end(f, e, gi); break;
    case EVK_LOG:
        f->oom |= !mem_add(f->logs.v, f->logs.cap, f->logs.n,
                           (struct logmsg){e->t, e->arg, e->g, e->str, e->stack2, e->stack});
        break;
    case EVK_SAMPLE:
        f->oom |= !mem_add(f->samples.v, f->samples.cap, f->samples.n,
                           (struct sample){e->t, e->g, e->p, e->m, e->stack});
        break;
    }
}

/* Returns whether the event names what it is about. */
static bool names_owner(const struct ev *e)
{
    switch (e->kind) {
    case EVK_RANGE_BEGIN:
    case EVK_RANGE_ACTIVE:
    case EVK_RANGE_END:
        return range_owner(e) == OF_P ? e->p != EV_NONE : e->state != RANGE_ASSIST || e->g != EV_NONE;
    case EVK_REGION_BEGIN:
    case EVK_REGION_END: return e->g != EV_NONE;
    default: return e->kind >= EVK_TASK_BEGIN && e->kind <= EVK_SAMPLE;
    }
}

void fold_listed(struct fold *f, const struct ev *e)
{
    if (!names_owner(e))
        return;
    struct ginfo room;
    if (!f->segment)
        fold_list(f, e, e->g == EV_NONE ? NULL : fold_g_info(f, e->g, &room));
    else
        f->oom |= !mem_add(f->later.v, f->later.cap, f->later.n, *e);
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
    struct points *p = &f->points[m];
    f->oom |= !mem_add(p->v, p->cap, p->n, (struct point){t, value});
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

ORDER(range_by_t0, struct range, LEAST(r->t0) LEAST(r->t1))
ORDER(task_by_t0, struct task, LEAST(r->t0) LEAST(r->t1))
ORDER(region_by_t0, struct region, LEAST(r->t0) LEAST(r->t1))

void fold_patch_open(struct fold *f, int64_t end)
{
    if (f->finished)
        return;
    for (int k = 0; k < RANGE_KINDS; k++)
        patch_ranges(f, k, end);
    uint64_t id;
    for (uint32_t at = 0, task; idmap_next(&f->opentasks, &at, &id, &task);)
        f->tasks.v[task].t1 = end;
    all_regions_until(f, end);
}

void fold_lists_finish(struct fold *f)
{
    for (int k = 0; k < METRIC_COUNT; k++) {
        mem_fit(f->points[k].v, f->points[k].cap, f->points[k].n);
        mem_fit(f->points[k].blk, f->points[k].capblk, f->points[k].nblk);
    }
    for (int k = 0; k < RANGE_KINDS; k++) {
        struct vec_range *v = &f->range[k];
        mem_fit(v->v, v->cap, v->n);
        if (v->unsorted)
            sort(v->v, v->n, range_by_t0);
    }
    fold_gcount_trim(f);
    if (f->tasks.unsorted)
        sort(f->tasks.v, f->tasks.n, task_by_t0);
    if (f->regions.unsorted)
        sort(f->regions.v, f->regions.n, region_by_t0);
}

void fold_lists_free(struct fold *f)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        mem_free(f->range[k].v);
        idmap_free(&f->openranges[k]);
    }
    idmap_free(&f->opentasks);
    idmap_free(&f->knowntasks);
    mem_free(f->tasks.v);
    mem_free(f->regions.v);
    mem_free(f->around);
    idmap_free(&f->openregions);
    mem_free(f->logs.v);
    mem_free(f->samples.v);
    mem_free(f->later.v);
    for (int k = 0; k < METRIC_COUNT; k++)
        points_free(&f->points[k]);
}
