/*
 * log_view.c - view 9: all events as text, in step with the lanes.
 */
#include "layout/views/evlog.h"
#include "layout/draw/frame_rows.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"

enum { ENDLESS = 1000 }; /* as many rows as there is room for */

static unsigned log_open(struct view *v, int no)
{
    move_leave(v);
    move_push(v, STEP_JUMP);
    if (v->at.focus.kind < LANE_KINDS)
        v->trail.focus[v->at.focus.kind] = v->at.focus.i;
    v->at.view = (uint8_t)no;
    move_settle(v);
    return VR_DRAW;
}

static void log_settle(struct view *v, bool recenter)
{
    struct plan p;
    (void)recenter;
    plan_view(&p, v, ENDLESS);
    v->scr.rows = p.n[ROW_LANES];
}

static void log_show(struct view *v, uint32_t g, int64_t t)
{
    (void)t;
    v->at.focus = (struct lane){LANE_G, g};
}

static void log_draw(struct grid *g, struct view *v, const struct plan *p)
{
    rows_bands(g, v, p);
    const int rows = p->n[ROW_LANES];
    const size_t top = evlog_draw(g, v, p->y[ROW_LANES], rows), n = v->cache.log ? v->cache.log->of.n : 0;
    for (int i = 0; i < rows && top + (size_t)i < n; i++)
        kind_listed(v, (uint32_t)top + (uint32_t)i, p->y[ROW_LANES] + i, 1);
}

static void log_speak(const struct view *v, int w, struct rich *out)
{
    evlog_status(v, w, out);
}

/* The event's goroutine, then. */
static bool log_span(const struct view *v, struct lane *l, int64_t *t)
{
    *l = (struct lane){LANE_G, evlog_goroutine(v)};
    *t = v->at.cursor;
    return l->i != NO_LANE;
}

static unsigned log_details(struct view *v, int n)
{
    (void)n;
    return view_popup_span(v) ? VR_DRAW : move_fail(v, "no goroutine belongs to this");
}

static unsigned log_swap(struct view *v, int n)
{
    const uint32_t g = evlog_goroutine(v);
    (void)n;
    return g == NO_LANE ? move_fail(v, "no goroutine belongs to this")
                        : view_focus(v, (struct lane){LANE_G, g});
}

const struct view_kind kind_log = {
    .lanes = LANE_KINDS,
    .plan = PLAN_LOG,
    .gutter = GUTTER_SHORT,
    .open = log_open,
    .settle = log_settle,
    .show = log_show,
    .draw = log_draw,
    .speak = log_speak,
    .span = log_span,
    .refuse = "the log has events only; t shows the goroutine's lane",
    .answer = {ANSWER_TIME, [REQ_LANE] = evlog_move, [REQ_FIRST] = view_start, [REQ_LAST] = view_finish,
               [REQ_SPAN] = evlog_move, [REQ_DETAILS] = log_details, [REQ_SWAP] = log_swap},
    .word = {[REQ_LANE] = "event", [REQ_SWAP] = "goroutine"},
};
