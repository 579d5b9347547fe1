/*
 * wrap.h - texts longer than a line: broken between words, lists behind an item (a comma), cut only where
 * told to.
 */
#ifndef GOTOP_LAYOUT_WRAP_H
#define GOTOP_LAYOUT_WRAP_H

#include "layout/cells/cells.h"

/*
 * wrap_next - how many bytes of a text stand in its first line of w columns (at least one); what follows
 * begins at *next, behind the blanks.
 */
uint32_t wrap_next(struct str text, int w, uint32_t *next);
/* wrap_cut - where a text that is too long is best cut: behind the last item that fits with " ..", or behind
 * a word where that is less than half of what fits; never behind one that leads on ("by", "in"). */
uint32_t wrap_cut(struct str s, int w);
/*
 * wrap_fold - how a text that does not fit into n lines of w columns is told: its first *head bytes, then on
 * a new line
 * ".. " and what begins at *tail, to its end. What is left out is the middle, as little as can be, and whole
 * sentences or items of a list: the first and the last one are always there. Only where one of these is too
 * long itself it is cut between words. false: it fits, or there is one line only.
 */
enum { WRAP_FOLD = 3 }; /* columns of ".. " */
bool wrap_fold(struct str text, int w, int n, uint32_t *head, uint32_t *tail);
/*
 * wrap_draw - in at most n lines of w columns; of what does not fit the middle is left out (wrap_fold()), in
 * a single line the end, behind an item, with " ..". Returns the lines used. g NULL: only counts.
 */
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
