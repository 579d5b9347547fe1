/*
 * wrap.h - texts longer than a line: broken between words, lists behind an item (a comma), cut only where told to.
 */
#ifndef GOTOP_LAYOUT_WRAP_H
#define GOTOP_LAYOUT_WRAP_H

#include "layout/draw/cells.h"

/*
 * wrap_next - how many bytes of a text stand in its first line of w columns (at least one); what follows begins at
 * *next, behind the blanks.
 */
uint32_t wrap_next(struct str text, int w, uint32_t *next);
/* wrap_cut - where a text that is too long is best cut: behind the last item that fits with " ..", else a word. */
uint32_t wrap_cut(struct str s, int w);
/*
 * wrap_draw - in at most n lines of w columns; what is left over is cut behind an item, with " ..". Returns the lines
 * used. g NULL: only counts.
 */
int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text);

#endif
