/*
 * wrap.h - texts longer than a line: broken between words, lists after an item (a comma), and cut only at
 * certain places.
 */
#ifndef GOTOP_LAYOUT_WRAP_H
#define GOTOP_LAYOUT_WRAP_H

#include "layout/cells/cells.h"

/* wrap_next - the number of bytes in the first line of w columns, at least one. The next line begins at
 * *next, after the blanks. */
uint32_t wrap_next(struct str text, int w, uint32_t *next);
/* wrap_cut - the best place to cut a text that is too long: after the last item that fits with " ..", or
 * after a word where that wastes half of the room; never after a word that needs what follows ("by",
 * "in"). */
uint32_t wrap_cut(struct str s, int w);
/* wrap_line - takes the first line of w columns off the text and returns its number of bytes. If it is the
 * last that has room and more follows (*cut), it ends where wrap_cut() says. */
enum { WRAP_MARK = 3 }; /* columns of " .." */
uint32_t wrap_line(struct str *text, int w, bool last, bool *cut);
/* wrap_draw - draw it into at most n lines of w columns; a text that is longer ends with " ..". Returns the
 * lines used. wrap_lines - the lines it takes in all. */
int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text);
int wrap_lines(struct str text, int w);

#endif
