/*
 * life.c - a view begins, works between frames, follows the trace that is loaded or another one, and ends.
 * Everything that it owns is listed here, and all its work.
 *
 * A trace may be replaced by another one of the same program, or be decoded again (trace_info.epoch): lanes
 * then have other indices, or are gone. In another trace of the program places and pins go on with the lanes
 * of the same ids; decoded again, they start anew. What was derived from the old lanes is made again: orders,
 * the results of filter and search, the log. Hidden lanes show again.
 */
#include <string.h>

#include "decode/base/mem.h"
#include "layout/draw/draw.h"
#include "triage/query/filter.h"
#include "layout/move/idle_beside.h"
#include "layout/move/lanes.h"
#include "layout/move/folded.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/move/search.h"
#include "layout/views/evlog.h"
#include "layout/views/sql_view.h"
#include "layout/views/table.h"
#include "layout/views/top.h"
#include "triage/activity/gstate.h"
#include "triage/activity/samples.h"
#include "triage/findings/why.h"
#include "triage/triage.h"

bool view_init(struct view *v, const struct trace *tr)
{
    memset(v, 0, sizeof *v);
    v->tr = tr;
    v->torn = INT64_MAX;
    v->scr.tier = TIER_EIGHTH;
    v->scr.names = true;
    v->trail.kind = -1;
    for (int k = 0; k < LANE_KINDS; k++)
        v->lanes[k] = (struct lanes){
            .kind = (enum lane_kind)k, .sort = k == LANE_G ? SORT_SEEN : SORT_ID, .stale = true};
    v->at.view = VIEW_PROCS;
    v->at.focus = lane_p(0);
    v->scr.w = 80;
    v->scr.h = 24;
    v->lanes[LANE_G].here = true;
    v->all_end = view_end(v);
    v->at.win = window_of(0, v->all_end);
    bool ok = true;
    for (int k = 0; k < LANE_BAND; k++)
        ok = lanes_update(&v->lanes[k], tr, v->at.win, NO_LANE) && ok;
    if (!ok) {
        view_free(v);
        return false;
    }
    v->at.focus.i = lanes_at(&v->lanes[LANE_P], 0);
    move_settle(v);
    return true;
}

/* Drops lists and searches about lanes that are gone. */
static void life_forget(struct view *v)
{
    table_stop(v);
    mem_free(v->items.row);
    v->items = (struct items){.stale = true};
    evlog_free(v->cache.log);
    idle_reason_free(v->cache.idle);
    samples_free(v->cache.samples);
    gstate_free(v->cache.gstate);
    folded_free(v->cache.folded);
    why_free(v->why);
    job_stop(v);
    v->cache.log = NULL;
    v->cache.idle = NULL;
    v->cache.samples = NULL;
    v->cache.gstate = NULL;
    v->cache.folded = NULL;
    v->why = NULL;
}

void view_free(struct view *v)
{
    life_forget(v);
    for (int k = 0; k < LANE_KINDS; k++)
        lanes_free(&v->lanes[k]);
    search_free(v->search);
    filter_free(v->filters.all);
    top_free(v->top);
    rich_free(&v->cache.own);
    table_free(v->table);
    sql_view_free(v->asked);
    draw_free(v);
    memset(v, 0, sizeof *v);
}

unsigned view_loaded(struct view *v)
{
    const bool all = v->at.win.t0 <= 0 && v->at.win.t1 >= v->all_end; /* it still shows everything */
    v->torn = known_torn(v->tr);
    alive_know(&v->lanes[LANE_G].alive, v->tr, LANE_G, 256);
    (void)gstate_update(&v->cache.gstate, v->tr);
    v->all_end = view_end(v);
    if (all)
        v->at.win = window_of(0, v->all_end);
    pick_loaded(v);
    hits_loaded(v);
    move_settle(v);
    if (v->msg.soon == SOON_LANES && move_lanes(v) && move_lanes(v)->n)
        view_message(v, false, "%s", "");
    return v->filters.all || (v->search && !v->search->done) ? VR_DRAW | VR_WORK : VR_DRAW;
}

/* ---- work between frames: each gets a part of the time ------------------------------------------------- */

static unsigned kind_work(struct view *v, int64_t budget_ns)
{
    return kind_here(v)->work ? kind_here(v)->work(v, budget_ns) : VR_NONE;
}

unsigned view_work(struct view *v, int64_t budget_ns)
{
    static unsigned (*const works[])(struct view *, int64_t) = {hits_work, pick_work,   kind_work,
                                                                idle_work, folded_work, job_work};
    const int64_t began = move_began(budget_ns);
    unsigned r = VR_NONE;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        r |= works[i](v, move_left(budget_ns, began));
    return r;
}

bool view_pending(const struct view *v)
{
    return (kind_here(v)->pending && kind_here(v)->pending(v)) || idle_pending(v) || folded_pending(v);
}

/* ---- another trace ------------------------------------------------------------------------------------- */

/* Returns the lane of the same id, or NO_LANE if it is gone. */
static uint32_t same_lane(const struct trace *from, const struct trace *to, struct lane l)
{
    return from && l.kind < LANE_BAND && l.i < trace_nlanes(from, l.kind)
               ? trace_find_lane(to, l.kind, trace_lane_who(from, l).id)
               : NO_LANE;
}

static int64_t epoch_later(int64_t t, int64_t by)
{
    return time_sub(t, by) < 0 ? 0 : time_sub(t, by);
}

/* If `from` is NULL, the trace is decoded again. */
static void place_anew(struct place *p, const struct trace *from, const struct trace *to, int64_t by)
{
    const int64_t len = window_len(p->win);
    p->guest = 0;
    if (!from)
        return;
    const uint32_t i = same_lane(from, to, p->focus);
    p->focus.i = i == NO_LANE ? 0 : i;
    p->win.t0 = epoch_later(p->win.t0, by);
    p->win.t1 = time_add(p->win.t0, len);
    p->cursor = epoch_later(p->cursor, by);
}

static void places_anew(struct view *v, const struct trace *from, int64_t by)
{
    place_anew(&v->at, from, v->tr, by);
    place_anew(&v->prompt.from, from, v->tr, by);
    for (int i = 0; i < VIEW_UNDO; i++)
        place_anew(&v->trail.undo[i], from, v->tr, by);
    for (size_t i = 0; i < sizeof v->trail.mark / sizeof *v->trail.mark; i++)
        place_anew(&v->trail.mark[i], from, v->tr, by);
}

static void lanes_anew(struct lanes *l, const struct trace *from, const struct trace *to)
{
    struct lanes was = *l;
    lanes_free(l);
    *l = (struct lanes){.kind = was.kind,
                        .sort = was.sort,
                        .invert = was.invert,
                        .here = was.here,
                        .stale = true,
                        .group = was.group,
                        .nopen = from ? 0 : was.nopen, /* strings have other numbers in another trace */
                        .rows_stale = true};
    memcpy(l->open, was.open, sizeof l->open);
    for (int i = 0; i < was.npin; i++) {
        const uint32_t lane = same_lane(from, to, (struct lane){was.kind, was.pin[i]});
        if (lane != NO_LANE)
            l->pin[l->npin++] = lane;
    }
}

static void search_anew(struct view *v)
{
    char why[80];
    const struct search *was = v->search;
    struct search *s = was ? search_new(v->tr, was->query, why, sizeof why) : NULL;
    if (s) {
        s->hidden = was->hidden;
        s->landed = was->landed;
        s->typing = was->typing;
        if (!s->landed && (!was->done || s->typing)) { /* the jump is still to be made */
            s->jump = was->jump;
            s->origin = was->origin;
            s->at_too = was->at_too;
        }
        s->cur_t = NO_TIME;
    }
    search_free(v->search);
    v->search = s;
}

/* `from` is the trace that was shown before; if it is NULL, this one is decoded again. */
static unsigned anew(struct view *v, const struct trace *from, int64_t by)
{
    char why[FILTER_WHY];
    places_anew(v, from, by);
    v->trail.shown.t1 = v->trail.shown.t0;
    for (int k = 0; k < LANE_BAND; k++) {
        lanes_anew(&v->lanes[k], from, v->tr);
        v->trail.focus[k] = 0;
    }
    if (v->at.focus.kind < LANE_KINDS)
        v->trail.focus[v->at.focus.kind] = v->at.focus.i;
    const bool longest_first = v->items.longest_first;
    v->nbusiest = 0; /* lanes have other indices */
    life_forget(v);
    v->items.longest_first = longest_first;
    if (v->popup.kind == POPUP_SPAN)
        v->popup.kind = POPUP_NONE;
    pick_filter(v, v->filters.n ? filter_new(v->tr, v->filters.text, why) : NULL);
    search_anew(v);
    move_anew(v);
    return v->filters.all || v->search ? VR_DRAW | VR_WORK : VR_DRAW;
}

unsigned view_anew(struct view *v)
{
    return anew(v, NULL, 0);
}

unsigned view_exchange(struct view *v, const struct trace *tr, int64_t by)
{
    const struct trace *from = v->tr;
    view_guest(v, NO_LANE, 0); /* the reader has not pinned it, so it is dropped */
    v->sel.t0 = epoch_later(v->sel.t0, by);
    v->sel.t1 = epoch_later(v->sel.t1, by);
    v->sel.stands = v->sel.stands && v->sel.t0 < v->sel.t1;
    v->tr = tr;
    v->all_end = view_end(v);
    return anew(v, from, by);
}
