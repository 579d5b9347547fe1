/*
 * draw.h - one row of the time axis: a lane, a band, a plot. Rows are drawn into the view's plot columns,
 * which begin at column x of the grid. draw_prepare() comes first, once per frame.
 */
#ifndef GOTOP_LAYOUT_DRAW_H
#define GOTOP_LAYOUT_DRAW_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* draw_prepare - column edges and scratch; false: out of memory. draw_free - that, and all that is kept. */
bool draw_prepare(struct view *v);
void draw_free(struct view *v);
/* draw_forget - drop what is kept from frame to frame: rows that would be drawn the same. draw_kept_extents -
 * are v->extents those of this window? From now on they are. */
void draw_forget(struct view *v);
bool draw_kept_extents(struct view *v);
/* draw_lane - a processor, goroutine or thread: cells, then names in spans that have room. y: the lowest of
 * its lines (v->lane_h of a processor). */
void draw_lane(struct grid *g, struct view *v, struct lane l, int x, int y);
/*
 * draw_group - the row of a folded group: col[] is what its goroutines did, column by column (folded.h).
 * Where most of their time is one of waiting, the height is the share in which they did something.
 */
void draw_group(struct grid *g, const struct view *v, const struct shares *col, int x, int y);
/* draw_matches - underline the cells in which spans pass the filter (all of them, or those a column wide). */
void draw_matches(struct grid *g, const struct view *v, struct lane l, int x, int y);
/* draw_samples - a tick in each cell that holds a CPU sample of this lane. O(columns * log samples). */
void draw_samples(struct grid *g, const struct view *v, struct lane l, int x, int y);
void draw_band(struct grid *g, struct view *v, enum band b, int x, int y);
/* draw_heap, draw_runq - plots of h rows. *here: the value at the cursor;
 * *most: the largest in the window. */
bool draw_heap(struct grid *g, struct view *v, int x, int y, int h, uint64_t *here, uint64_t *goal);
/* draw_states - row 0..3: how many goroutines run, are runnable, in system
 * calls, wait; at most, per column. */
bool draw_states(struct grid *g, struct view *v, int x, int y, int row, uint64_t *here, uint64_t *most);
bool draw_runq(struct grid *g, struct view *v, int x, int y, int h, uint64_t *here, uint64_t *most);
/* draw_dark - of a damaged trace mark the columns in which nothing is recorded of any processor, in row y. */
void draw_dark(struct grid *g, const struct view *v, int x, int y, const bool *dark);
/* draw_dark_columns - which these are, v->plot_w of them; NULL: none. The caller frees it (mem.h). */
bool *draw_dark_columns(const struct view *v);
/* draw_unloaded - mark the columns that are not decoded yet, in rows [y, y + h). */
void draw_unloaded(struct grid *g, const struct view *v, int x, int y, int h);

#endif
