/*
 * split.h - the part below the lanes: the event log, or the stacks of the span under the cursor. Also the
 * pop-ups made of lines, as a goroutine's life.
 */
#ifndef GOTOP_LAYOUT_SPLIT_H
#define GOTOP_LAYOUT_SPLIT_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* split_draw - draws rows [y, y + n); the first is a heading. */
void split_draw(struct grid *g, struct view *v, int y, int n);
/* split_idle - opens a pop-up with the goroutines that were runnable while the processor under the cursor
 * was idle. */
unsigned split_idle(struct view *v);

#endif
