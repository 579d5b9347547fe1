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
/* wrap_fold - shorten a text that does not fit into n lines of w columns: its first *head bytes, then on a
 * new line ".. " and what begins at *tail. The middle is left out, as little as possible, in whole
 * sentences or items: the first and the last one always stay. Only if one of these is too long itself is it
 * cut between words. Returns false if the text fits, or there is only one line. */
enum { WRAP_FOLD = 3 }; /* columns of ".. " */
bool wrap_fold(struct str text, int w, int n, uint32_t *head, uint32_t *tail);
/* wrap_draw - draw it into at most n lines of w columns. What does not fit is left out in the middle
 * (wrap_fold()); in a single line at the end, after an item, with " ..". Returns the lines used. g NULL: it
 * only counts. */
int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text);

/* wrap_with - the same for who puts the lines into the grid himself: put() returns the column behind one. */
struct wrap_how {
    struct grid *g;
    enum style mark; /* of ".." */
    bool fold;       /* the middle may be left out, not the end */
    int (*put)(const struct wrap_how *h, int x, int y, int w, struct str line);
    const void *arg; /* for put() */
};
int wrap_with(const struct wrap_how *h, int x, int y, int w, int n, struct str text);

#endif
