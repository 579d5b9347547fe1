/*
 * popup_find.h - words are found in a pop-up of text.
 */
#ifndef GOTOP_LAYOUT_POPUP_FIND_H
#define GOTOP_LAYOUT_POPUP_FIND_H

#include "layout/move/view.h"

/*
 * popup_finds - are some looked for? popup_find_begin - a prompt for them opens; popup_typed - its line
 * changed; popup_find_end - it was given up; popup_find_accept - it was entered. popup_find_next - to the
 * n-th line from there that has them.
 */
bool popup_finds(const struct view *v);
void popup_find_begin(struct view *v);
unsigned popup_typed(struct view *v);
void popup_find_end(struct view *v);
unsigned popup_find_accept(struct view *v);
unsigned popup_find_next(struct view *v, int n);

#endif
