/*
 * unfold.h - rows below the lane of the goroutine with the cursor: its regions, what it called (the stacks at
 * its spans' ends), its CPU samples.
 */
#ifndef GOTOP_LAYOUT_UNFOLD_H
#define GOTOP_LAYOUT_UNFOLD_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

struct unfold; /* the regions of one goroutine, kept while it has the cursor */

/* unfold_lines - how many lines they take of `room` that lanes have; 0: they don't show. */
int unfold_lines(const struct view *v, int room);
/* unfold_draw - into n lines from y on, the time from column x on; names of the rows in the columns before
 * it. */
void unfold_draw(struct grid *g, struct view *v, int x, int y, int n);
void unfold_free(struct unfold *u); /* NULL is allowed */

#endif
