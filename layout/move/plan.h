/*
 * plan.h - which rows a screen of a given size has, and where. What a small screen drops is decided by one
 * table.
 */
#ifndef GOTOP_LAYOUT_PLAN_H
#define GOTOP_LAYOUT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* in the order they stand on the screen */
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
/* ROW_NONE: bands that are empty in the whole trace, in one line. ROW_BUSY: a heading and the busiest
 * goroutines. */

/* Which rows a view can have, and how wide what stands beside them: PLAN_LOG is
 * PLAN_TIME with endless rows. */
enum { PLAN_STATUS = 4 }; /* lines of status, at most, where a view asks for no others */
enum plan_kind { PLAN_TIME, PLAN_LOG, PLAN_TABLE, PLAN_FINDINGS, PLANS };
enum plan_gutter { GUTTER_SHORT, GUTTER_NAMES, GUTTER_THREADS };

struct plan {
    int y[ROW_COUNT]; /* first line */
    int n[ROW_COUNT]; /* lines, 0 = dropped */
    int gutter, plot_w;
    int lane_h; /* lines a lane: more than one where lines would stay blank */
};

struct view;

/* plan_columns - the columns alone, which depend neither on the window nor on what there is to show. */
void plan_columns(struct plan *p, const struct view *v);

/*
 * plan_view - the same for a view as it is now, with the rows that it has only at times: the filters' line,
 * the overview of the whole trace, the curves of states (view 8), what stands below the lanes. This is what
 * is drawn.
 */
/* plan_empty - has the whole trace nothing for this row (a band, the heap)? */
bool plan_empty(const struct view *v, enum row r);
void plan_view(struct plan *p, const struct view *v, uint32_t lanes);
/*
 * plan_message - how many lines the view's message takes, up from the screen's line *last: at most half of
 * it, or the status and a line. One of several lines, which is read, leaves the footer below it: what to
 * press next.
 */
int plan_message(const struct plan *p, const struct view *v, int *last);

#endif
