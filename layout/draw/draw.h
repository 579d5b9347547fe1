/*
 * draw.h - the rows of the time axis, between ruler and status: one (a lane, a band, a plot), those below
 * the lane of the goroutine with the cursor, all of them. A row is drawn into the view's plot columns, which
 * start at column x of the grid. Call draw_prepare() first, once per frame.
 */
#ifndef GOTOP_LAYOUT_DRAW_H
#define GOTOP_LAYOUT_DRAW_H

#include "layout/cells/cells.h"
#include "layout/move/plan.h"
#include "layout/move/view.h"

struct triage;

/* draw_prepare - makes column edges and scratch memory; false: out of memory. draw_free - frees both. */
bool draw_prepare(struct view *v);
void draw_free(struct view *v);
/* draw_lane - a processor, goroutine or thread: cells, then names in spans wide enough. y: the lowest of
 * its lines (v->lane_h of a processor). */
void draw_lane(struct grid *g, struct view *v, struct lane l, int x, int y);
/* draw_group - the row of a folded group: col[] is what its goroutines did per column (folded.h). Where
 * they mostly wait, the height is the share of time in which they did something. */
void draw_group(struct grid *g, const struct view *v, const struct shares *col, int x, int y);
/* draw_matches - underlines the cells of spans that pass the filter. */
void draw_matches(struct grid *g, const struct view *v, struct lane l, int x, int y);
/* draw_samples - a tick in each cell with a CPU sample of this lane. O(columns * log samples). */
void draw_samples(struct grid *g, const struct view *v, struct lane l, int x, int y);
void draw_band(struct grid *g, struct view *v, enum band b, int x, int y);
/* draw_level - the level of a value on a scale, 1 to `most`; 0: there is no value. It is `last`, that of the
 * column before, unless the value is more than a quarter of a level beyond it. */
int draw_level(uint64_t val, uint64_t scale, int most, int last);
/* draw_heap, draw_count - plots of `h` rows from (x,y) on: the heap and its goal; the maximum number of
 * goroutines in a state. *here: the value at the cursor; *most: the maximum in the window. */
struct draw_at {
    int x, y, h;
};
struct draw_count {
    enum gcount of;
    enum style style, over; /* over: that of what is more than there are processors; 0: none */
};
bool draw_heap(struct grid *g, struct view *v, struct draw_at at, uint64_t *here, uint64_t *goal);
bool draw_count(struct grid *g, struct view *v, const struct draw_count *k, struct draw_at at, uint64_t *here,
                uint64_t *most);
/* draw_dark - marks in rows [y, y + h) the columns of a damaged trace in which no processor has a record. */
void draw_dark(struct grid *g, const struct view *v, int x, int y, int h);
/* draw_unloaded - marks the columns that are not decoded yet, in rows [y, y + h). */
void draw_unloaded(struct grid *g, const struct view *v, int x, int y, int h);

/* Below that lane: its goroutine's regions, its calls (the stacks at its spans' ends), its CPU samples.
 * unfold_lines - the number of lines they take of the `room` lines for lanes; 0: they don't show. */
int unfold_lines(const struct view *v, int room);
/* unfold_draw - draws into n lines from y on: time from column x on, the rows' names in the columns before
 * it. */
void unfold_draw(struct grid *g, struct view *v, int x, int y, int n);

/* rows_bands - draws GC, STW and other bands, heap, run queue. rows_lanes - draws the bands and the lanes
 * of the view. */
void rows_bands(struct grid *g, struct view *v, const struct plan *p);
void rows_lanes(struct grid *g, struct view *v, const struct plan *p);
/* rows_busiest - finds the program's goroutines that ran longest, longest first, without those that ran
 * little compared to the first; at most `most`, which is at most VIEW_BUSY. Returns their number. */
int rows_busiest(const struct triage *tg, uint32_t *lane, int most);

#endif
