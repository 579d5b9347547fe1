/*
 * popup.h - boxes over the lanes: a span with its stacks, or lines handed in.
 */
#ifndef GOTOP_LAYOUT_POPUP_H
#define GOTOP_LAYOUT_POPUP_H

#include <stdio.h>

#include "layout/draw/cells.h"
#include "layout/move/view.h"

/* popup_draw - if one is open. Clamps v->popup_top and sets popup_lines, popup_rows. popup_measure - sets
 * these alone. */
void popup_draw(struct grid *g, struct view *v);
void popup_measure(struct view *v);

/* popup_span - a span's times and stacks without a box, in rows [y, y + h). */
void popup_span(struct grid *g, struct view *v, struct lane l, int64_t t, int y, int h);
/* popup_print - all lines of the pop-up as text: nothing is shortened, stacks stand one below the other. */
void popup_print(struct view *v, FILE *out);

/*
 * Words are found in a pop-up of text. popup_finds - are some looked for? popup_find_begin - a prompt for
 * them opens; popup_typed - its line changed; popup_find_end - it was given up; popup_find_accept - it was
 * entered. popup_find_next - to the n-th line from there that has them.
 */
bool popup_finds(const struct view *v);
void popup_find_begin(struct view *v);
unsigned popup_typed(struct view *v);
void popup_find_end(struct view *v);
unsigned popup_find_accept(struct view *v);
unsigned popup_find_next(struct view *v, int n);

#endif
