/*
 * status.h - what is under the cursor, in words: the exact mixture of a cell, or the one span that covers it.
 */
#ifndef GOTOP_LAYOUT_STATUS_H
#define GOTOP_LAYOUT_STATUS_H

#include "layout/cells.h"
#include "layout/view.h"

/* status_draw - into rows [y, y + n) of the grid, n is 1 or 2. */
void status_draw(struct grid *g, const struct view *v, int y, int n);
/* status_text - the same as one line of safe text. */
void status_text(const struct view *v, char *out, size_t size);
/* status_lane - "P2", "G412", "M1234" (never more than 24 bytes). */
void status_lane(const struct view *v, struct lane l, char out[32]);
/* status_name - a goroutine as "G412 http.(*conn).serve" in at most w columns. */
void status_name(const struct view *v, uint32_t g, int w, char *out, size_t size);
/* status_frame - the innermost frame of a stack that is not the runtime's, as a function's string; 0 = none. */
uint32_t status_function(const struct view *v, uint32_t stack);

#endif
