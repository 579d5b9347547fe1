/*
 * plan.h - which rows a screen of a given size has, and where. One table decides what a small screen drops.
 */
#ifndef GOTOP_LAYOUT_PLAN_H
#define GOTOP_LAYOUT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* in their order on the screen */
enum row {
    ROW_TITLE,
    ROW_FILTER,
    ROW_RULER,
    ROW_STRIP,
    ROW_GC,
    ROW_STW,
    ROW_SWEEP,
    ROW_ASSIST,
    ROW_NONE,
    ROW_HEAP,
    ROW_RUNQ,
    ROW_STATES,
    ROW_LANES,
    ROW_BUSY,
    ROW_SPLIT,
    ROW_STATUS,
    ROW_LEGEND,
    ROW_FOOTER,
    ROW_COUNT
};
/* ROW_NONE: one line for the bands that are empty in the whole trace. ROW_BUSY: a heading and the goroutines
 * that ran most. */

/* Which rows a view can have, and the width of the names beside them. PLAN_LOG is PLAN_TIME with an
 * unlimited number of rows. */
enum { PLAN_STATUS = 4 }; /* most status lines, unless a view sets its own limit */
enum plan_kind { PLAN_TIME, PLAN_LOG, PLAN_TABLE, PLAN_FINDINGS, PLANS };
enum plan_gutter { GUTTER_SHORT, GUTTER_NAMES, GUTTER_THREADS };

struct plan {
    int y[ROW_COUNT]; /* first line */
    int n[ROW_COUNT]; /* lines, 0 = not shown */
    int gutter, plot_w;
    int lane_h; /* lines per lane: more than one where lines would be blank */
};

struct view;

/* plan_columns - sets gutter and plot_w alone, which do not depend on the window or the trace's content. */
void plan_columns(struct plan *p, const struct view *v);

/* plan_view - the plan of a view in its present state, with the rows that show only at times: the filters'
 * line, the overview of the whole trace, the curves of states (view 8), the split below the lanes. Drawing
 * uses this plan. */
/* plan_empty - whether the whole trace has nothing for this row (a band, the heap) */
bool plan_empty(const struct view *v, enum row r);
void plan_view(struct plan *p, const struct view *v, uint32_t lanes);
/* plan_message - the number of lines the view's message takes, upwards from screen line *last: at most half
 * of the screen, or the status and a line. A message of several lines leaves the footer below it, which
 * says what to press next. */
int plan_message(const struct plan *p, const struct view *v, int *last);

#endif
