/*
 * tabs.h - the views and their keys in the title, with the one shown marked.
 */
#ifndef GOTOP_LAYOUT_TABS_H
#define GOTOP_LAYOUT_TABS_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

/* enum tabs - the form: all names; the shown view's name among the others' numbers; that name alone. */
enum {
    TABS_MOST = 160, /* columns, and the NUL */
    TABS_USUAL = 30
}; /* width of TABS_NUMBERS with the longest name */

/* tabs_text - writes "1 2 [3 goroutines] 4 ..": ASCII, NUL-terminated. Returns the number of columns. */
int tabs_text(const struct view *v, enum tabs form, char out[TABS_MOST]);
/* tabs_draw - draws the tabs in row 0 from column x on and records their position for tabs_at(). Returns
 * the column after them. */
int tabs_draw(struct grid *g, struct view *v, enum tabs form, int x);
/* tabs_at - the view whose tab is in that column of row 0, as last drawn; or VIEW_NONE. */
int tabs_at(const struct view *v, int x);

#endif
