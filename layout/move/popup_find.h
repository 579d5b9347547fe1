/*
 * popup_find.h - search for words in a pop-up of text.
 */
#ifndef GOTOP_LAYOUT_POPUP_FIND_H
#define GOTOP_LAYOUT_POPUP_FIND_H

#include "layout/move/view.h"

/* popup_finds - whether a search is active. popup_find_begin - opens the prompt. popup_typed - the prompt's
 * line changed. popup_find_end - cancels. popup_find_accept - accepts the line. popup_find_next - goes to
 * the n-th matching line from here. */
bool popup_finds(const struct view *v);
void popup_find_begin(struct view *v);
unsigned popup_typed(struct view *v);
void popup_find_end(struct view *v);
unsigned popup_find_accept(struct view *v);
unsigned popup_find_next(struct view *v, int n);

#endif
