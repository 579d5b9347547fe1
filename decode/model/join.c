/*
 * join.c - see join.h. First the segment is checked against the state before it, then it is appended.
 */
#include "decode/model/join.h"

#include <string.h>

#include "decode/model/fold_priv.h"
#include "decode/base/mem.h"
#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"
#include "decode/v2/v2_state.h"

uint16_t join_hint(void *join, uint64_t id, uint32_t *name)
{
    const struct join *j = join;
    const uint32_t g = idmap_get(&j->ids[LANE_G], id);
    if (g == IDMAP_NONE)
        return 0;
    const struct home h = join_home(j, g);
    const struct ginfo *gi = fold_info_at(h.f, h.local);
    *name = gi->name;
    return gi->flags & (GI_GCWORK | GI_SYSTEM | GI_INFERRED);
}

uint8_t join_holder(void *join, uint64_t id, uint64_t *m, uint64_t *g)
{
    const struct join *j = join;
    uint32_t p = idmap_get(&j->ids[LANE_P], id);
    const uint8_t status = p == IDMAP_NONE ? 0 : j->p[p].status;
    if (status != V2_PS_SYSCALL && status != V2_PS_RUNNING)
        return status;
    for (size_t i = 0; i < j->nm; i++)
        if (j->m[i].p == p && j->m[i].g != NO_LANE) {
            const struct home h = join_home(j, j->m[i].g);
            *m = j->m[i].id;
            *g = fold_g_id(h.f, h.local);
            return status;
        }
    return status == V2_PS_RUNNING ? status : 0;
}

/* ---- checking against the state before ----------------------------------------------------------------- */

static uint32_t live_of(const struct join *j, const struct segment *s, uint32_t local)
{
    return idmap_get(&j->ids[LANE_G], fold_g_id(s->f, local));
}

/* Returns whether the hint that the decoding used for a goroutine that existed before (*used) was right, or
 * did not matter. */
static bool hint_held(const struct join *j, const struct segment *s, const struct carried *used,
                      const struct ginfo *gi)
{
    uint32_t name = 0;
    const uint16_t flags = join_hint((void *)(uintptr_t)j, gi->id, &name);
    struct spanlane lane;
    bool touched =
        fold_g_lane(s->f, used->g, &lane)->started || used->state == ST_RUNNING || used->state == ST_SYSCALL;
    if ((flags ^ used->flags) & GI_GCWORK && touched)
        return false;
    if (!(gi->flags & GI_LABELLED || (gi->flags ^ used->flags) & GI_GCWORK))
        return true;
    if (s->f->others_named &&
        !used->name) /* it was assumed to have a name, and to be no worker until the segment showed that */
        return name && !((gi->flags | flags) & GI_GCWORK);
    return name == used->name;
}

static enum joined goroutines_agree(const struct join *j, const struct segment *s)
{
    enum joined rc = JOINED;
    for (size_t i = 0; i < s->f->ncarried; i++) {
        const struct carried *c = &s->f->carried[i];
        struct ginfo room;
        const struct ginfo *gi = fold_g_info(s->f, c->g, &room);
        const uint32_t g = idmap_get(&j->ids[LANE_G], gi->id);
        if (g == IDMAP_NONE)
            return JOIN_NOT;
        const struct home was = join_home(j, g);
        const bool assisted = fold_info_at(was.f, was.local)->assist != NO_TIME;
        if (fold_lane_at(was.f, was.local)->state != c->state || !(gi->flags & GI_ASSISTED) == assisted)
            return JOIN_NOT;
        if (!hint_held(j, s, c, gi))
            rc = JOIN_REDO;
    }
    return rc;
}

static enum joined procs_agree(const struct join *j, const struct segment *s)
{
    const struct v2_order *o = &s->order;
    if (s->f->procs_known && s->f->procs_known != j->procs)
        return JOIN_NOT;
    for (size_t i = 0; i < o->np; i++) {
        const struct v2_p *p = &o->p[i];
        uint32_t g = idmap_get(&j->ids[LANE_P], p->id);
        bool lost = p->lost &&
                    (g == IDMAP_NONE || j->p[g].status == V2_PS_SYSCALL || j->p[g].status == V2_PS_ABANDONED);
        if (g == IDMAP_NONE || (!lost && j->p[g].status != p->was) || j->p[g].sweeps != p->swept)
            return p->was == V2_PS_SYSCALL || p->was == V2_PS_ABANDONED ? JOIN_REDO : JOIN_NOT;
        if ((j->procs && p->id >= j->procs) != (s->procs && p->id >= s->procs))
            return JOIN_REDO;
    }
    return JOINED;
}

/* Returns whether the thread holds a P that the segment could not assign to a thread, and nothing happened to
 * that P. */
static bool holds_lost(const struct join *j, const struct segment *s, const struct v2_m *m, uint32_t at)
{
    uint32_t p =
        j->m[at].p != EV_NONE && m->p == EV_NONE ? idmap_get(&s->order.ps, j->p[j->m[at].p].id) : IDMAP_NONE;
    return p != IDMAP_NONE && s->order.p[p].lost;
}

static bool threads_agree(const struct join *j, const struct segment *s)
{
    const struct v2_order *o = &s->order;
    for (size_t i = 0; i < o->nm; i++) {
        const struct v2_m *m = &o->m[i];
        if (!m->reported && m->was_p == EV_NONE && m->was_g == EV_NONE)
            continue;
        uint32_t at = idmap_get(&j->ids[LANE_M], m->id), p = EV_NONE, g = EV_NONE;
        if (m->was_p != EV_NONE)
            p = idmap_get(&j->ids[LANE_P], o->p[m->was_p].id);
        if (m->was_g != EV_NONE)
            g = live_of(j, s, m->was_g);
        if (at != IDMAP_NONE && m->was_p == EV_NONE && holds_lost(j, s, m, at))
            p = j->m[at].p;
        if (p != (at == IDMAP_NONE ? EV_NONE : j->m[at].p) || g != (at == IDMAP_NONE ? EV_NONE : j->m[at].g))
            return false;
    }
    return true;
}

static bool gc_agrees(const struct join *j, const struct segment *s)
{
    const struct v2_order *o = &s->order;
    bool next = o->gc_first_seq == j->gc_seq + 1;
    if (o->gc_first == V2_MEANS_gc_active)
        return j->gc == GC_ON && next;
    return o->gc_first != V2_MEANS_gc_begin || j->gc == GC_UNKNOWN || (j->gc == GC_OFF && next);
}

static enum joined agree(const struct join *j, const struct segment *s)
{
    if (s->before != j->last)
        return JOIN_REDO;
    if (s->order.redo)
        return JOIN_REDO;
    if (s->order.bad || s->f->unsure)
        return JOIN_NOT;
    enum joined rc = goroutines_agree(j, s), procs = rc == JOIN_NOT ? rc : procs_agree(j, s);
    if (procs == JOIN_NOT || !gc_agrees(j, s))
        return JOIN_NOT;
    if (!threads_agree(j, s))
        return JOIN_REDO;
    return rc == JOINED ? procs : rc;
}

/* ---- indices ------------------------------------------------------------------------------------------- */

static bool maps_make(struct join *j, struct segment *s)
{
    const struct fold *f = s->f;
    const struct v2_order *o = &s->order;
    const size_t ng = f->nlane[LANE_G];
    s->base = j->ng;
    s->nnew = (uint32_t)ng;
    if (!s->n)
        return true;
    s->pmap = mem_alloc((o->np + 1) * sizeof *s->pmap);
    s->mmap = mem_alloc((o->nm + 1) * sizeof *s->mmap);
    s->old = mem_alloc((f->ncarried + 1) * sizeof *s->old);
    if (!s->pmap || !s->mmap || !s->old)
        return false;
    for (; s->nold < f->ncarried; s->nold++)
        s->old[s->nold] = f->carried[s->nold].g;
    s->nnew -= s->nold;
    if (!(s->gmap = gmap_new((uint32_t)ng, s->base, s->old, s->nold)))
        return false;
    for (uint32_t k = 0; k < s->nold; k++)
        gmap_set(s->gmap, s->old[k], live_of(j, s, s->old[k]));
    for (size_t i = 0; i < o->np; i++)
        s->pmap[i] = idmap_get(&j->ids[LANE_P], o->p[i].id);
    return true;
}

static void threads_meet(struct join *j, struct segment *s)
{
    const struct v2_order *o = &s->order;
    for (size_t i = 0; i < o->nm; i++) {
        uint32_t at = idmap_get(&j->ids[LANE_M], o->m[i].id);
        if (at == IDMAP_NONE) {
            if (!mem_noted(&j->oom, idmap_row(&j->ids[LANE_M], o->m[i].id, j->m, j->capm, j->nm)))
                return;
            at = (uint32_t)j->nm++;
            j->m[at] = (struct jm){.id = o->m[i].id, .lane = {.cap = 1}, .p = EV_NONE, .g = EV_NONE};
        }
        if (s->mmap)
            s->mmap[i] = at;
        if (o->m[i].reported) {
            j->m[at].reported = true;
            j->nm_reported = at + 1 > j->nm_reported ? at + 1 : j->nm_reported;
        }
    }
}

static void procs_meet(struct join *j, const struct segment *s)
{
    for (size_t i = 0; !s->n && i < s->f->nlane[LANE_P]; i++) {
        uint64_t id = s->f->p[i].id;
        if (!mem_noted(&j->oom, idmap_row(&j->ids[LANE_P], id, j->p, j->capp, j->np)))
            return;
        j->p[j->np++] = (struct jp){.id = id, .lane = {.cap = 1}};
    }
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

/* Append a piece: from p.t0 on, lane l is lane p.i of the segment. */
static void append_piece(struct trace *tr, struct lane l, struct jlane *jl, struct jpiece p)
{
    struct join *j = &tr->join;
    int64_t tot[1][SPAN_SLOTS] = {{0}};
    if (pieces_totals(tr, l, &(struct totals){&p.t0, 1, tot, &p.index0}))
        memcpy(p.tot, tot[0], sizeof p.tot);

    j->oom |= !mem_add(jl->v, jl->cap, jl->n, p);
}

static struct jlane *cross_of(struct join *j, uint32_t g)
{
    uint32_t at = idmap_get(&j->crosses, g);
    if (at != IDMAP_NONE)
        return &j->cross[at];
    if (!mem_noted(&j->oom, idmap_row(&j->crosses, g, j->cross, j->capcross, j->ncross)))
        return NULL;
    j->cross[j->ncross] = (struct jlane){.cap = 1};
    return &j->cross[j->ncross++];
}

static void procs_join(struct trace *tr, const struct segment *s)
{
    struct join *j = &tr->join;
    const struct fold *f = s->f;
    for (uint32_t i = 0; i < f->nlane[LANE_P]; i++) {
        uint32_t at = segment_p(s, i);
        const struct v2_p *p = &s->order.p[i];
        if (f->lane[LANE_P][i].started)
            append_piece(tr, lane_p(at), &j->p[at].lane,
                         (struct jpiece){.seg = s->n, .i = i, .t0 = spans_first(&f->lane[LANE_P][i])});
        j->p[at].status = p->lost ? j->p[at].status : p->status;
        j->p[at].sweeps = p->sweep;
    }
}

static void threads_join(struct trace *tr, const struct segment *s)
{
    struct join *j = &tr->join;
    const struct fold *f = s->f;
    for (uint32_t i = 0; i < s->order.nm; i++) {
        uint32_t at = s->mmap ? s->mmap[i] : i;
        const struct v2_m *m = &s->order.m[i];
        if (i < f->nlane[LANE_M] && f->m[i].lane.n)
            append_piece(tr, lane_m(at), &j->m[at].lane,
                         (struct jpiece){.seg = s->n, .i = i, .t0 = f->m[i].lane.h[0].t0});
        if (!m->reported && m->was_p == EV_NONE && m->was_g == EV_NONE && s->n)
            continue;
        if (!s->n || !holds_lost(j, s, m, at))
            j->m[at].p = segment_p(s, m->p);
        j->m[at].g = segment_g(s, m->g);
    }
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

static void name_join(struct trace *tr, struct ginfo *gi, const struct ginfo *lo, const struct carried *used)
{
    const uint16_t kind = GI_INFERRED | GI_SYSTEM | GI_GCWORK;
    const bool same = used->name == gi->name, helper = names_helper(&tr->names, gi->name);
    if (!same && (lo->name == used->name || (gi->name && !helper)))
        return;
    if (helper && lo->name != gi->name)
        fold_runs(&tr->fold, gi->create_stack, lo->name);
    gi->name = lo->name;
    gi->flags = (uint16_t)((gi->flags & ~kind) | (lo->flags & kind));
    if (gi->start_stack)
        gi->flags &= (uint16_t)~GI_INFERRED;
}

/* Apply what the segment knows of a goroutine that existed before, by the last column of facts.def. */
static void facts_join(struct ginfo *gi, const struct ginfo *lo)
{
#define FIRST(old, newer, none) old
#define RULE FIRST
#define LAST(old, newer, none) (newer != none ? newer : old)
#define SUM(old, newer, none) (old + newer)
#define FACT(ID, field, type, none, join) gi->field = (type)join(gi->field, lo->field, none);
#include "decode/model/facts.def"
}

static void old_join(struct trace *tr, struct segment *s, uint32_t k)
{
    struct join *j = &tr->join;
    struct ginfo info;
    struct spanlane room;
    const uint32_t i = s->old[k], g = segment_g(s, i);
    const struct spanlane *l = fold_g_lane(s->f, i, &room);
    const struct ginfo *lo = fold_g_info(s->f, i, &info);
    const struct home was = join_home(j, g);
    struct ginfo *gi = fold_info_at(was.f, was.local);
    name_join(tr, gi, lo, &s->f->carried[k]);
    facts_join(gi, lo);
    gi->assist = lo->assist;
    fold_lane_at(was.f, was.local)->state = l->state;
    if (l->started) {
        const int64_t t0 = spans_first(l);
        struct jlane *jl = cross_of(j, g);
        if (jl)
            append_piece(tr, lane_g(g), jl, (struct jpiece){.seg = s->n, .i = i, .t0 = t0});
        gi->no_p_ns += gi->no_p_since != NO_TIME ? t0 - gi->no_p_since : 0;
        gi->no_p_since = lo->no_p_since;
    } else if (lo->no_p_since != NO_TIME) {
        gi->no_p_since = lo->no_p_since;
    }
    if (lo->flags & GI_ENDED) {
        gi->flags |= GI_ENDED;
        idmap_del(&j->ids[LANE_G], lo->id);
        fold_regions_end(&tr->fold, g, l->t0);
    }
}

/* Add the new goroutines that are still alive. */
static void new_join(struct join *j, const struct segment *s)
{
    uint64_t id;
    for (uint32_t at = 0, i; idmap_next(&s->order.gs, &at, &id, &i);) {
        const uint32_t g = segment_g(s, i);
        if (g >= s->base)
            j->oom |= !idmap_put(&j->ids[LANE_G], id, g);
    }
}

/* ---- lists --------------------------------------------------------------------------------------------- */

/* Returns the lane that had this id when the segment began, if it still has it at t; else NO_LANE. */
static uint32_t lane_by_id(const struct trace *tr, const struct segment *s, const struct idmap *over,
                           enum lane_kind k, uint64_t id, int64_t t)
{
    const struct join *j = &tr->join;
    uint32_t at = idmap_get(&j->ids[k], id), local = k == LANE_G ? idmap_get(over, id) : IDMAP_NONE;
    struct spanlane room;
    if (at == IDMAP_NONE || (local != IDMAP_NONE && fold_g_lane(s->f, local, &room)->t0 <= t))
        return NO_LANE;
    return at;
}

/* Turn the segment's indices of an event into the trace's. A sample has ids, too, for what the segment had
 * not reported yet. over: goroutines that existed before and end in the segment. */
static void ev_join(const struct trace *tr, const struct segment *s, const struct idmap *over, struct ev *e)
{
    const bool g = e->g != EV_NONE, p = e->p != EV_NONE, m = e->m != EV_NONE;
    e->g = segment_g(s, e->g);
    e->p = segment_p(s, e->p);
    e->m = m ? s->mmap[e->m] : EV_NONE;
    if (e->kind != EVK_SAMPLE)
        return;
    if (!g && e->arg)
        e->g = lane_by_id(tr, s, over, LANE_G, e->arg, e->t);
    if (!p && e->arg2 != UINT64_MAX)
        e->p = lane_by_id(tr, s, over, LANE_P, e->arg2, e->t);
    if (!m && e->spare != V2_NO_THREAD)
        e->m = lane_by_id(tr, s, over, LANE_M, e->spare, e->t);
}

/* Fold the events that waited for the segment's turn. Returns false if one trace would have refused them. */
static bool later_join(struct trace *tr, const struct segment *s)
{
    const struct vec_ev *v = &s->f->later;
    struct idmap over = {0};
    struct ginfo room;
    struct spanlane lane;
    for (uint32_t k = 0; s->f->count[EC_SAMPLE] && k < s->nold; k++) {
        const struct ginfo *gi = fold_g_info(s->f, s->old[k], &room);
        tr->join.oom |= gi->flags & GI_ENDED && !idmap_put(&over, gi->id, s->old[k]);
    }
    for (size_t i = 0; i < v->n; i++) {
        struct ev e = v->v[i];
        ev_join(tr, s, &over, &e);
        const struct home h = e.g == EV_NONE ? (struct home){0} : join_home(&tr->join, e.g);
        fold_list(&tr->fold, &e, h.f ? fold_g_info(h.f, h.local, &room) : NULL);
    }
    for (size_t i = 0; i < v->n; i++) {
        const uint32_t g = v->v[i].kind == EVK_REGION_BEGIN ? v->v[i].g : EV_NONE;
        const struct spanlane *l = g == EV_NONE ? NULL : fold_g_lane(s->f, g, &lane);
        if (l && l->ended)
            fold_regions_end(&tr->fold, segment_g(s, g), l->t0);
    }
    idmap_free(&over);
    return !tr->fold.unsure;
}

static void counts_join(struct trace *tr, const struct segment *s)
{
    struct fold *f = &tr->fold, *from = s->f;
    for (int m = 0; m < METRIC_COUNT; m++)
        f->oom |= !points_join(&f->points[m], &from->points[m], &f->pool);
    for (size_t i = 0; i < from->nfirst && f->nfirst < FIRST_STACKS; i++) {
        f->first[f->nfirst] = from->first[i];
        f->first[f->nfirst++].g = segment_g(s, from->first[i].g);
    }
    f->events += from->events;
    for (int c = 0; c < EC_COUNT; c++)
        f->count[c] += from->count[c];
    fold_counts_add(f, from);
}

/* Free what a segment's fold no longer needs. */
static void fold_light(struct fold *f)
{
    mem_free(f->later.v);
    f->later = (struct vec_ev){0};
    mem_free(f->carried);
    f->carried = NULL;
    mem_free(f->gb);
    f->gb = f->gb_last = NULL;
}

/* ---- one segment --------------------------------------------------------------------------------------- */

enum joined join_next(struct trace *tr, struct segment *s)
{
    struct join *j = &tr->join;
    struct fold *f = s->f;
    if (s->n && (s->gen.torn || s->gen.unnamed))
        return JOIN_NOT;
    if (s->oom || f->oom || f->pool.oom)
        return JOIN_OOM;
    if (!s->n && !s->order.have_base)
        return JOIN_NOT;
    enum joined rc = s->n ? agree(j, s) : JOINED;
    if (rc == JOINED && s->gen.closed && s->gen.missing > s->missing)
        rc = JOIN_NOT; /* reading it as one trace names what is missing */
    if (rc == JOINED && s->order.stopped)
        rc = JOIN_NOT;
    if (rc != JOINED)
        return rc;
    if (!maps_make(j, s) || !mem_add(j->seg, j->cap, j->n, s)) /* NOLINT(bugprone-sizeof-expression) */
        return JOIN_OOM;
    j->ng += s->nnew;
    j->end = f->end;
    j->last = s->order.last;
    threads_meet(j, s);
    procs_meet(j, s);
    if (j->oom)
        return JOIN_OOM;
    if (!later_join(tr, s))
        return JOIN_NOT;
    procs_join(tr, s);
    threads_join(tr, s);
    if (!s->n)
        j->procs = f->procs;
    for (uint32_t k = 0; k < s->nold; k++)
        old_join(tr, s, k);
    new_join(j, s);
    if (s->order.gc_first) {
        j->gc = (int)s->order.gc;
        j->gc_seq = s->order.gc_seq;
    }
    if (s->n) {
        counts_join(tr, s);
        fold_runs_join(&tr->fold, s->f);
        fold_light(f);
    }
    return j->oom || tr->fold.oom ? JOIN_OOM : JOINED;
}

void join_free(struct join *j)
{
    for (size_t i = 0; i < j->n; i++)
        segment_free(j->seg[i]);
    mem_free(j->seg);
    for (size_t i = 0; i < j->np; i++)
        mem_free(j->p[i].lane.v);
    for (size_t i = 0; i < j->nm; i++)
        mem_free(j->m[i].lane.v);
    for (size_t i = 0; i < j->ncross; i++)
        mem_free(j->cross[i].v);
    mem_free(j->p);
    mem_free(j->m);
    mem_free(j->cross);
    idmap_free(&j->crosses);
    for (int k = 0; k < LANE_KINDS; k++)
        idmap_free(&j->ids[k]);
    memset(j, 0, sizeof *j);
}
