/*
 * status.h - describes what is under the cursor: the exact mixture of a cell, or the one span that covers
 * it.
 */
#ifndef GOTOP_LAYOUT_STATUS_H
#define GOTOP_LAYOUT_STATUS_H

#include "layout/cells/rich.h"
#include "layout/move/view.h"

/* status_lane_rich - describes what the cursor is on in a view of lanes, in w columns; names take no more.
 * `out` must be empty. */
void status_lane_rich(const struct view *v, int w, struct rich *out);
/* status_draw - draws what the view says of it into rows [y, y + n). false: some of it is omitted. */
bool status_draw(struct grid *g, const struct view *v, int y, int n);
/* status_text - all of it as one line of safe text, unshortened, with two blanks between paragraphs. */
enum { STATUS_MOST = 4000 };
void status_text(const struct view *v, char *out, size_t size);

#endif
