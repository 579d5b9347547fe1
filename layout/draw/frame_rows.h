/*
 * frame_rows.h - the rows between ruler and status in views with a time axis.
 */
#ifndef GOTOP_LAYOUT_FRAME_ROWS_H
#define GOTOP_LAYOUT_FRAME_ROWS_H

#include "layout/cells/cells.h"
#include "layout/move/plan.h"
#include "layout/move/view.h"

/* rows_bands - draws GC, STW and other bands, heap, run queue. rows_lanes - draws the bands and the lanes
 * of the view. */
void rows_bands(struct grid *g, struct view *v, const struct plan *p);
void rows_lanes(struct grid *g, struct view *v, const struct plan *p);
/* The list of the window's busiest goroutines (v->busy), shown below the processors where lines are free. */
void rows_busy_follow(struct view *v);
/* rows_busy_pending - whether the list of the busiest goroutines is incomplete. rows_busy_work - continues
 * it, for view_work(). VR_WORK: incomplete; VR_DRAW: there is more to show. */
bool rows_busy_pending(const struct view *v);
unsigned rows_busy_work(struct view *v, int64_t budget_ns);

#endif
