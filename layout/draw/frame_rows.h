/*
 * frame_rows.h - what stands between ruler and status in views with a time axis.
 */
#ifndef GOTOP_LAYOUT_FRAME_ROWS_H
#define GOTOP_LAYOUT_FRAME_ROWS_H

#include "layout/cells/cells.h"
#include "layout/move/plan.h"
#include "layout/move/view.h"

/* rows_bands - GC, STW and the like, heap, run queue. rows_lanes - these, and the lanes of the view shown. */
void rows_bands(struct grid *g, struct view *v, const struct plan *p);
void rows_lanes(struct grid *g, struct view *v, const struct plan *p);
/* The busiest goroutines of the window, below processors that leave lines free: v->busy, for view_work(). */
void rows_busy_follow(struct view *v);
/* rows_busy_pending - is the list of the busiest goroutines not done yet? rows_busy_work - go on with it, for
 * view_work(): VR_WORK: it isn't done; VR_DRAW: there is more to show. */
bool rows_busy_pending(const struct view *v);
unsigned rows_busy_work(struct view *v, int64_t budget_ns);

#endif
