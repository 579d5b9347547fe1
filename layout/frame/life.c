/*
 * life.c - a view begins, follows the trace that is loaded, and ends. Everything that it owns is listed
 * here.
 */
#include <string.h>

#include "decode/base/mem.h"
#include "layout/draw/draw.h"
#include "layout/draw/unfold.h"
#include "layout/frame/life.h"
#include "triage/query/filter.h"
#include "layout/move/idle_beside.h"
#include "layout/move/lanes.h"
#include "layout/move/folded.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/move/search.h"
#include "layout/views/evlog.h"
#include "layout/views/items.h"
#include "layout/views/sql_view.h"
#include "layout/views/table.h"
#include "layout/views/top.h"
#include "triage/activity/gstate.h"
#include "triage/activity/samples.h"
#include "triage/findings/why.h"
#include "triage/tables/known.h"

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
    v->at.focus = (struct lane){LANE_P, 0};
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

void life_forget(struct view *v)
{
    table_stop(v);
    items_free(&v->items);
    v->items.stale = true;
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
    unfold_free(v->cache.unfold);
    mem_free(v->cache.edges);
    mem_free(v->cache.extents);
    draw_free(v);
    memset(v, 0, sizeof *v);
}

/* The window showed everything, so it still does. */
static bool shows_all(const struct view *v)
{
    return v->at.win.t0 <= 0 && v->at.win.t1 >= v->all_end;
}

unsigned view_loaded(struct view *v)
{
    bool all = shows_all(v);
    v->torn = known_torn(v->tr);
    alive_know(&v->lanes[LANE_G].alive, v->tr, LANE_G, 256);
    gstate_know(&v->cache.gstate, v->tr);
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
