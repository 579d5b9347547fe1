/*
 * popup.h - boxes over the lanes: a span with its stacks, or given lines of text.
 */
#ifndef GOTOP_LAYOUT_POPUP_H
#define GOTOP_LAYOUT_POPUP_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* popup_draw - draws the open pop-up, if any. Clamps v->popup_top and sets popup_lines and popup_rows.
 * popup_measure - only sets these. */
void popup_draw(struct grid *g, struct view *v);
void popup_measure(struct view *v);

/* popup_span - draws a span's times and stacks without a box, in rows [y, y + h). */
void popup_span(struct grid *g, struct view *v, struct lane l, int64_t t, int y, int h);
/* popup_print - all lines of the pop-up as text, unshortened, with stacks one below the other. */
void popup_print(struct view *v, struct text *out);

#endif
