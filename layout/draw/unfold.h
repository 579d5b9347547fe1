/*
 * unfold.h - rows below the lane of the goroutine with the cursor: its regions, its calls (the stacks at
 * its spans' ends), its CPU samples.
 */
#ifndef GOTOP_LAYOUT_UNFOLD_H
#define GOTOP_LAYOUT_UNFOLD_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* unfold_lines - the number of lines they take of the `room` lines for lanes; 0: they don't show. */
int unfold_lines(const struct view *v, int room);
/* unfold_draw - draws into n lines from y on: time from column x on, the rows' names in the columns before
 * it. */
void unfold_draw(struct grid *g, struct view *v, int x, int y, int n);

#endif
