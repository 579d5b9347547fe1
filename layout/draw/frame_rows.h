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
/* rows_busiest - finds the program's goroutines that ran longest, longest first, without those that ran
 * little compared to the first; at most `most`, which is at most VIEW_BUSY. Returns their number. */
struct triage;
int rows_busiest(const struct triage *tg, uint32_t *lane, int most);

#endif
