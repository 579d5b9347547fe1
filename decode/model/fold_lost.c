/*
 * fold_lost.c - see fold_priv.h.
 *
 * From some moment on what a goroutine, a P, a thread or the collector did is not recorded: its lane shows
 * that from then on, the length of what was open is unknown, and what was bound to it becomes unbound.
 */
#include "decode/model/fold_priv.h"

#include "decode/model/retired.h"

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the time from which something is unknown: never later than now. */
static int64_t lost_since(const struct ev *e)
{
    return e->arg < (uint64_t)e->t ? (int64_t)e->arg : e->t;
}

/* Note that a thread has no P, as far as is known. */
static void on_m_lost(struct fold *f, const struct ev *e)
{
    struct minfo *mi = &f->m[e->m];
    const struct mlane *l = &mi->lane;
    if (mi->p != EV_NONE || !l->n)
        return;
    mi->g = EV_NONE;
    mi->lost = true;
    fold_m_show(f, e->m, later_of(lost_since(e), l->h[l->n - 1].t0));
}

/* From `since` on it is unknown how long what is open of g lasted. */
static void open_lost(struct fold *f, uint32_t g, int64_t since)
{
    fold_range_lost(f, RANGE_STW, g, since);
    fold_range_lost(f, RANGE_ASSIST, g, since);
    fold_regions_lost(f, g, since);
    fold_info_at(f, g)->assist = NO_TIME;
}

/* From `since` on it is unknown how long g's open span lasted; its state at the start of the span is
 * known. */
static void on_g_lost(struct fold *f, const struct ev *e)
{
    struct spanlane *l = fold_lane_at(f, e->g);
    if (!l->started || l->ended || l->state == ST_UNKNOWN)
        return;
    if ((e->arg2 && (uint64_t)l->t0 >= e->arg2) || (e->state && l->t0 <= f->began))
        return;
    const int64_t since = later_of(lost_since(e), l->t0);
    const uint8_t from = l->state;
    const uint32_t p = l->p, m = l->m;
    fold_g_bind(f, e->g, EV_NONE, EV_NONE);
    if (p != EV_NONE) /* the P's lane has shown g up to now */
        fold_p_show(f, p, later_of(since, f->lane[LANE_P][p].t0));
    if (m != EV_NONE && p == EV_NONE) /* it was in a call without a P */
        on_m_lost(f, &(struct ev){.t = e->t, .m = m, .arg = e->arg});
    else
        fold_show_on(f, EV_NONE, m, e->t);
    if (from == ST_SYSCALL)
        fold_info_at(f, e->g)->no_p_since = NO_TIME;
    fold_g_count(f, from, ST_UNKNOWN);
    fold_gcount_lost(f, from, since, f->end);
    open_lost(f, e->g, since);
    l->state = ST_UNKNOWN;
    const struct waitspan unknown = waitspan(0, 0, 0, f->tag[ST_UNKNOWN]);
    if (since > l->t0)
        spans_push(&f->pool, LANE_G, l, since, unknown);
    else
        l->open = unknown;
    fold_special_g(f, e->g);
}

static void on_p_lost(struct fold *f, const struct ev *e)
{
    struct spanlane *l = &f->lane[LANE_P][e->p];
    struct pinfo *pi = &f->p[e->p];
    if (!l->started || (pi->state == ST_NONE && pi->g == EV_NONE))
        return;
    if (e->arg2 && (uint64_t)l->t0 >= e->arg2)
        return;
    const int64_t since = later_of(lost_since(e), pi->held);
    const uint32_t g = pi->g, m = pi->m;
    if (g != EV_NONE && fold_lane_at(f, g)->p == e->p)
        fold_lane_at(f, g)->p = EV_NONE;
    fold_range_lost(f, RANGE_SWEEP, e->p, since);
    pi->sweep = false;
    pi->state = ST_NONE;
    pi->lost = true;
    pi->g = pi->m = EV_NONE;
    fold_lane_set(f, LANE_P, e->p, later_of(since, l->t0), f->tag[ST_NONE], 0);
    fold_p_off_m(f, e->p, m, true, e->t);
}

/* Nothing is recorded from e->arg to e->t. */
static void gap_begins(struct fold *f, const struct ev *e)
{
    f->lossy = true;
    const int64_t since = lost_since(e);
    for (uint32_t m = 0; m < f->nlane[LANE_M]; m++) {
        struct minfo *mi = &f->m[m];
        mi->p = mi->g = EV_NONE;
        fold_m_show(f, m, mi->lane.n ? later_of(since, mi->lane.h[mi->lane.n - 1].t0) : since);
    }
    fold_all_regions_lost(f, since);
    for (uint32_t g = 0; g < f->nlane[LANE_G]; g++) {
        if (fold_g_retired(f, g))
            continue;
        on_g_lost(f, &(struct ev){.t = e->t, .g = g, .arg = e->arg});
    }
    for (uint32_t p = 0; p < f->nlane[LANE_P]; p++)
        on_p_lost(f, &(struct ev){.t = e->t, .p = p, .arg = e->arg});
    fold_range_lost(f, RANGE_GC, NO_LANE, since);
    f->began = e->t;
}

/* A goroutine that is still unknown after the gap ended in it. */
static void gap_over(struct fold *f, const struct ev *e)
{
    for (uint32_t g = 0; g < f->nlane[LANE_G]; g++) {
        if (fold_g_retired(f, g))
            continue;
        const struct spanlane *l = fold_lane_at(f, g);
        if (l->started && !l->ended && l->state == ST_UNKNOWN && l->t0 <= f->began)
            fold_g_transition(f, &(struct ev){.t = e->t, .g = g, .p = EV_NONE, .m = EV_NONE}, f->began, 0, 0);
    }
}

void fold_lost(struct fold *f, const struct ev *e)
{
    f->unsure |= f->segment; /* what was open when it began may end here */
    if (e->kind == EVK_GAP && e->state) {
        gap_over(f, e);
    } else if (e->kind == EVK_GAP) {
        gap_begins(f, e);
    } else {
        f->lossy = true;
        if (e->g != EV_NONE) {
            if (!fold_g_over(f, e->g))
                fold_info_at(f, e->g)->flags |= GI_LOST;
            on_g_lost(f, e);
        } else if (e->p != EV_NONE)
            on_p_lost(f, e);
        else if (e->m != EV_NONE)
            on_m_lost(f, e);
        else
            fold_range_lost(f, RANGE_GC, NO_LANE, lost_since(e));
    }
}

void fold_g_unknown(struct fold *f, const struct ev *e)
{
    f->lossy = true;
    f->unsure |= f->segment;
    open_lost(f, e->g, e->t);
}
