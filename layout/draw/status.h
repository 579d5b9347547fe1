/*
 * status.h - what is under the cursor, in words: the exact mixture of a cell, or the one span that covers it.
 */
#ifndef GOTOP_LAYOUT_STATUS_H
#define GOTOP_LAYOUT_STATUS_H

#include "layout/cells/rich.h"
#include "layout/move/view.h"

/* status_rich - what is to be said about what the cursor is on; w: columns there are, names take no more. */
void status_rich(const struct view *v, int w, struct rich *out);
/* status_lane_rich - the same of a view of lanes; out is empty. */
void status_lane_rich(const struct view *v, int w, struct rich *out);
/* status_draw - into rows [y, y + n) of the grid. false: some of it is left out. */
bool status_draw(struct grid *g, const struct view *v, int y, int n);
/* status_text - all of it as one line of safe text, nothing shortened. */
void status_text(const struct view *v, char *out, size_t size);

#endif
