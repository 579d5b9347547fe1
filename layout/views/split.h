/*
 * split.h - the part below the lanes: the event log, the stacks of the span under the cursor, or sums of
 * the selected range (or of the window). Also the pop-ups made of lines: sums and a goroutine's life.
 */
#ifndef GOTOP_LAYOUT_SPLIT_H
#define GOTOP_LAYOUT_SPLIT_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* split_draw - draws rows [y, y + n); the first is a heading. */
void split_draw(struct grid *g, struct view *v, int y, int n);
/* split_work - continues the sums for about budget_ns; VR_WORK while more remains. */
bool split_pending(const struct view *v); /* whether it has more work */
unsigned split_work(struct view *v, int64_t budget_ns);

/* split_idle - opens a pop-up with the goroutines that were runnable while the processor under the cursor
 * was idle. */
unsigned split_idle(struct view *v);

#endif
