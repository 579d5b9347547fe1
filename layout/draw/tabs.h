/*
 * tabs.h - where am I: the views by their keys in the title, the one that is shown marked.
 */
#ifndef GOTOP_LAYOUT_TABS_H
#define GOTOP_LAYOUT_TABS_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* enum tabs - how much of it: all names, the shown one's name among the others' numbers, that name alone. */
enum {
    TABS_MOST = 160, /* columns, and the NUL */
    TABS_USUAL = 30
}; /* what TABS_NUMBERS takes, of the longest name */

/* tabs_text - "1 2 [3:goroutines] 4 ..": ASCII, NUL-terminated. Returns columns. */
int tabs_text(const struct view *v, enum tabs form, char out[TABS_MOST]);
/* tabs_draw - in row 0 from column x on. The view remembers where, for tabs_at(). Returns the column behind
 * it. */
int tabs_draw(struct grid *g, struct view *v, enum tabs form, int x);
/* tabs_at - whose tab is in that column of row 0, as drawn last; VIEW_NONE: nobody's. */
int tabs_at(const struct view *v, int x);

#endif
