/*
 * lane_views.c - the views whose rows are lanes: processors, goroutines, threads. They differ in which lanes
 * these are; only goroutines are sorted, grouped, and hidden when they don't live in the window.
 */
#include <inttypes.h>
#include <stdio.h>

#include "layout/draw/draw.h"
#include "layout/move/kind.h"
#include "layout/move/lanes.h"
#include "layout/move/idle_beside.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/views/evlog.h"
#include "layout/draw/status.h"

/* If there are more goroutines than anybody pages through, the groups come first. */
static void group_many(struct view *v)
{
    enum { MANY = 1000 };
    struct lanes *l = &v->lanes[LANE_G];
    if (v->scr.grouped || l->kind != LANE_G || trace_nlanes(v->tr, LANE_G) <= MANY ||
        !trace_info(v->tr)->done)
        return;
    v->scr.grouped = true;
    if (l->group || l->filter || l->only)
        return;
    l->group = true;
    l->stale = true;
    pick_say_groups(v);
}

/* ---- coming here --------------------------------------------------------------------------------------- */

static unsigned lane_open(struct view *v, int no)
{
    enum lane_kind k = kind_of(no)->lanes;
    uint32_t to = move_arrive(v, k);
    move_switch(v, no);
    v->at.top = 0;
    if (k == LANE_G)
        group_many(v);
    move_lane(v, (struct lane){k, to});
    move_settle(v);
    return move_lanes(v)->making ? VR_DRAW | VR_WORK : VR_DRAW;
}

/* Returns the number of lines of lanes under a long message: the cursor's lane must be above it. */
static int covered_lines(const struct view *v, const struct plan *p)
{
    int last, n = plan_message(p, v, &last), over = p->y[ROW_LANES] + p->n[ROW_LANES] - (last + 1 - n);
    return !v->msg.text[0] || over < 0 ? 0 : over > p->n[ROW_LANES] ? p->n[ROW_LANES] : over;
}

static void lane_settle(struct view *v, bool recenter)
{
    struct lanes *l = move_lanes(v);
    uint32_t lane = v->at.focus.kind == l->kind ? v->at.focus.i : NO_LANE;
    if (!lanes_update(l, v->tr, v->at.win, lane))
        view_message(v, true, "out of memory: the lanes are not in order");
    struct plan p;
    plan_view(&p, v, l->n);
    v->scr.lane_h = p.lane_h;
    v->scr.unfold_n = unfold_lines(v, p.n[ROW_LANES]);
    v->scr.rows = (p.n[ROW_LANES] - v->scr.unfold_n - covered_lines(v, &p)) / p.lane_h;
    v->scr.rows = v->scr.rows < 1 && p.n[ROW_LANES] ? 1 : v->scr.rows;
    if (!l->n) {
        v->at.top = 0;
        return;
    }
    uint32_t row = lanes_row(l, lane);
    if (row == NO_LANE) {
        v->at.focus = (struct lane){l->kind, lanes_at(l, 0)};
        row = 0;
    }
    if (!recenter && v->at.lined == v->at.focus.i + 1 && v->at.line >= 0)
        v->at.top = row > (uint32_t)v->at.line ? row - (uint32_t)v->at.line : 0;
    move_top(v, row, l->n, recenter);
    v->at.lined = v->at.focus.i + 1;
    v->at.line = view_row_line(v, row);
}

/* Shows a goroutine on its processor if it runs then, else on its own lane. */
static void proc_show(struct view *v, uint32_t g, int64_t t)
{
    struct span run;
    if (move_running(v, g, t, &run) && run.t1 >= t && run.who != NO_LANE) {
        move_to(v, t < run.t1 ? t : run.t1 - 1, true); /* with its end the processor does something else */
        move_lane(v, lane_p(run.who));
    } else
        move_lane(v, lane_g(g));
}

static void lane_where(const struct view *v, const struct plan *p, char *out, size_t size)
{
    const struct lanes *l = move_lanes_const(v);
    if (l->n > (uint32_t)v->scr.rows && p->n[ROW_LANES] > 0)
        snprintf(out, size, "lanes %" PRIu32 "-%" PRIu32 " of %" PRIu32 "%s", v->at.top + 1,
                 v->at.top + (uint32_t)v->scr.rows, l->n, l->n < l->total ? " shown" : "");
    else if (l->n < l->total)
        snprintf(out, size, "%" PRIu32 " of %" PRIu32 " lanes", l->n, l->total);
}

/* ---- over lanes ---------------------------------------------------------------------------------------- */

static unsigned lane_move(struct view *v, int n)
{
    const struct lanes *l = move_lanes_const(v);
    const uint32_t now = lanes_row(l, v->at.focus.i);
    if (!l->n) {
        unsigned f = move_fail(v, "no lanes here");
        v->msg.soon = trace_info(v->tr)->done ? SOON_NOT : SOON_LANES;
        return f;
    }
    int64_t row = (now == NO_LANE ? 0 : (int64_t)now) + n;
    row = row < 0 ? 0 : row >= l->n ? l->n - 1 : row;
    uint32_t lane = lanes_at(l, (uint32_t)row);
    if (lane == v->at.focus.i)
        return move_fail(v, n > 0 ? "this is the last lane" : "this is the first lane");
    move_push(v, move_rows(n));
    v->at.focus.i = lane;
    v->at.exact = false;
    return move_settle(v);
}

/* ---- at a span ----------------------------------------------------------------------------------------- */

static unsigned lane_fit(struct view *v, int n)
{
    (void)n;
    struct lane l;
    struct span s;
    if (v->sel.stands)
        return view_range(v, v->sel.t0, v->sel.t1);
    if (!view_span_here(v, &l, &s) || s.t1 <= s.t0)
        return move_fail(v, "no span under the cursor");
    struct window w = v->at.win;
    int64_t mid = s.t0 + (s.t1 - s.t0) / 2;
    struct window centred = window_clamp(window_center(w, mid), view_end(v), move_min(v));
    int64_t off = time_sub(centred.t0, w.t0), column = window_len(w) / v->scr.plot_w;
    bool there = off <= column && off >= -column;
    move_push(v, STEP_JUMP);
    v->at.win = there || window_len(w) < s.t1 - s.t0 ? window_fit(s.t0, s.t1) : centred;
    if (v->at.cursor < s.t0 || v->at.cursor >= s.t1)
        v->at.cursor = s.t0;
    v->at.exact = true;
    return move_settle(v);
}

/* Does it n times, or as far as it goes. */
static unsigned lane_repeat(struct view *v, int n, unsigned (*f)(struct view *))
{
    unsigned all = VR_NONE;
    for (int i = 0; i < n; i++) {
        unsigned one = f(v);
        if ((one & VR_WORK) && i + 1 < n)
            one = job_work(v, INT64_MAX);
        if ((one & VR_BELL) && i > 0)
            break;
        all |= one;
        if (one & VR_BELL)
            break;
    }
    return all;
}

static unsigned lane_cause(struct view *v, int n)
{
    return lane_repeat(v, n, view_cause);
}

static unsigned lane_effect(struct view *v, int n)
{
    return lane_repeat(v, n, view_effect);
}

static bool lane_span(const struct view *v, struct lane *l, int64_t *t)
{
    struct span s;
    if (!view_span_here(v, l, &s))
        return false;
    *t = v->at.cursor >= s.t0 && v->at.cursor < s.t1 ? v->at.cursor : s.t0;
    return true;
}

static unsigned lane_details(struct view *v, int n)
{
    (void)n;
    if (idle_speaks(v))
        return split_idle(v);
    if (!view_popup_span(v))
        return move_fail(v, "no span under the cursor");
    v->msg.text[0] = 0;
    return VR_DRAW;
}

/* ---- the goroutines' order ----------------------------------------------------------------------------- */

static unsigned resort(struct view *v)
{
    struct lanes *l = &v->lanes[LANE_G];
    move_push(v, STEP_JUMP);
    l->stale = true;
    if (!lanes_update(l, v->tr, v->at.win, v->at.focus.i))
        return move_fail(v, "out of memory: the order stays");
    if (l->making) { /* many lanes: view_work() goes on */
        v->job.to_top = true;
        return view_message(v, false, "sorting by %s..", sort_name(l->sort)) | VR_WORK;
    }
    v->at.focus.i = lanes_at(l, 0); /* the top of an order is what it was asked for */
    move_settle(v);
    return view_message(v, false, "goroutines by %s%s", sort_name(l->sort), l->invert ? ", backwards" : "");
}

static unsigned lane_sort(struct view *v, int n)
{
    int s = ((int)v->lanes[LANE_G].sort + move_times(n)) % SORT_COUNT;
    v->lanes[LANE_G].sort = (enum sort)(s < 0 ? s + SORT_COUNT : s);
    return resort(v);
}

static unsigned lane_invert(struct view *v, int n)
{
    (void)n;
    v->lanes[LANE_G].invert = !v->lanes[LANE_G].invert;
    return resort(v);
}

static unsigned lane_here(struct view *v, int n)
{
    struct lanes *l = &v->lanes[LANE_G];
    (void)n;
    l->here = !l->here;
    l->stale = true;
    move_anew(v);
    return view_message(v, false, l->here ? "goroutines that live in the window" : "all goroutines");
}

/* ---- the objects --------------------------------------------------------------------------------------- */

#define ANSWER_LANES \
    ANSWER_TIME, [REQ_LANE] = lane_move, [REQ_FIT] = lane_fit, [REQ_SPAN] = move_span, \
                 [REQ_SAME] = view_same, [REQ_CAUSE] = lane_cause, [REQ_EFFECT] = lane_effect, \
                 [REQ_SWAP] = move_swap, [REQ_DETAILS] = lane_details
#define IS_LANES \
    .plan = PLAN_TIME, .open = lane_open, .settle = lane_settle, .draw = rows_lanes, \
    .speak = status_lane_rich, .where = lane_where, .span = lane_span, \
    .refuse = "only view 3 sorts goroutines, and hides those that do not live in the window"

const struct view_kind kind_procs = {
    IS_LANES, .lanes = LANE_P, .gutter = GUTTER_SHORT, .show = proc_show, .answer = {ANSWER_LANES},
};
const struct view_kind kind_goroutines = {
    IS_LANES,
    .lanes = LANE_G,
    .gutter = GUTTER_NAMES,
    .answer = {ANSWER_LANES, [REQ_SORT] = lane_sort, [REQ_INVERT] = lane_invert, [REQ_HERE] = lane_here},
};
const struct view_kind kind_threads = {
    IS_LANES,
    .lanes = LANE_M,
    .gutter = GUTTER_THREADS,
    .answer = {ANSWER_LANES},
};
