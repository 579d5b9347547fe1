/*
 * spectrum.h - the distribution of a number, and how it changed over time. A row is one step of its size,
 * the largest on top, with a bar for how often it occurred. Beside it time runs to the right: a cell is
 * darker the more often that size occurred then. So what recurs (a stall each second) shows as dots at
 * equal distances.
 */
#ifndef GOTOP_LAYOUT_SPECTRUM_H
#define GOTOP_LAYOUT_SPECTRUM_H

#include "layout/cells/cells.h"
#include "layout/cells/glyphs.h"
#include "layout/cells/window.h"

enum { SPECTRUM_ROWS = 24 };

struct spectrum {
    int rows, cols;
    /* [0]: the least step. A row holds values from its step up to the next one */
    int64_t from[SPECTRUM_ROWS];
    uint64_t count[SPECTRUM_ROWS], most;
    uint32_t *cell; /* rows x cols; row 0 is the least */
    size_t cap;
    uint32_t darkest;
    struct window win;
    uint64_t seen[4]; /* what it was made of; the caller's */
};

/* spectrum_value - returns the i-th value and its moment. */
typedef void spectrum_value(void *arg, uint32_t i, int64_t *t, int64_t *value);
/* spectrum_make - count n values in at most so many rows, and in cols columns for win. Returns false when
 * out of memory; it is empty then. */
bool spectrum_make(struct spectrum *s, uint32_t n, spectrum_value *get, void *arg, int rows, int cols,
                   struct window win);
void spectrum_free(struct spectrum *s);
/* spectrum_row - the row of a value. */
int spectrum_row(const struct spectrum *s, int64_t value);

/*
 * spectrum_draw - into s->rows lines from y on, the time from column x on; label: writes a step's size into
 * at most 8 columns.
 */
typedef void spectrum_label(void *arg, int64_t value, char *out, size_t size);
struct spectrum_look {
    enum tier tier;
    enum style style; /* of bars and cells: what these are numbers of */
    spectrum_label *label;
    void *arg;
    int64_t mark_t, mark; /* a value to mark, and its moment; mark_t NO_TIME: none */
};
void spectrum_draw(const struct spectrum *s, struct grid *g, int x, int y, const struct spectrum_look *k);
/* spectrum_gutter - the columns for labels, counts and bars on a screen of w columns. */
int spectrum_gutter(int w);

#endif
