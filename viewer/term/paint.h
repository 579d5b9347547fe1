/*
 * paint.h - a picture as bytes for a terminal: what changed since the one before, in as few bytes as can be. For
 * terminals that take ECMA-48 sequences; which of the optional ones, the caller says. Pure: no terminal, no curses.
 *
 * What saves: blanks are equal if their ground is, and are written in whatever colours are set; runs are erased or
 * repeated; what lies between two changes is written again where that is shorter than going around it; where colours
 * change all the time, a row is painted one colour after another, a run right through what is painted over later.
 * What has moved is moved: rows up or down, or the right part of rows, where the grid says that it may have (cells.h).
 */
#ifndef GOTOP_VIEWER_PAINT_H
#define GOTOP_VIEWER_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/draw/cells.h"
#include "viewer/term/theme.h"

struct paint_look { /* what is set while a cell is written */
    int32_t fg, bg; /* as enum depth says; INK_DEFAULT */
    uint32_t attrs; /* INK_* */
};

struct painter {
    enum depth depth;
    bool rep, bce;      /* CSI b repeats a character; erasing leaves the ground that is set */
    bool shift, scroll; /* CSI P and CSI @ move the rest of a row; CSI r limits what a line feed and ESC M scroll */
    bool sync;          /* wrapped into a synchronised update, if there is anything to say */
    int w, h;           /* of what is shown */
    struct paint_cell *shown;
    uint8_t *layer; /* scratch: one row */
    size_t cap_shown, cap_layer;
    struct paint_look pen;
    int x, y;  /* where the next character goes; -1: not known */
    char *out; /* the bytes, not NUL-terminated */
    size_t n, cap;
    bool failed;
};

/* paint_blank - the terminal has been cleared, with everything as by default: that is what is shown. false: memory. */
bool paint_blank(struct painter *p, int w, int h);
/*
 * paint_grid - p->out, p->n: what turns what is shown into g, as far as it fits; behind it everything is set as by
 * default. cx, cy: where the cursor shall stand, -1 = anywhere. false: out of memory; then what is shown isn't known.
 */
bool paint_grid(struct painter *p, const struct grid *g, const struct ink inks[STYLE_COUNT], int cx, int cy);
void paint_free(struct painter *p);

#endif
