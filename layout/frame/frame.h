/*
 * frame.h - one screen: a view as a grid of cells. It depends on the trace, the view, the texts and the
 * size alone.
 *
 * It costs columns times visible lanes (times the logarithm of spans), at any zoom. Only the view's scratch
 * memory is allocated, once per size.
 */
#ifndef GOTOP_LAYOUT_FRAME_H
#define GOTOP_LAYOUT_FRAME_H

#include <stdbool.h>

#include "layout/cells/cells.h"
#include "layout/move/view.h"

struct frame_text {     /* what the viewer knows and layout does not; each may be NULL or 0 */
    const char *name;   /* the trace's name in the title; NULL: the last part of its path */
    const char *footer; /* the main keys, for the last line; a tab stands between a key and what it does */
    /* writes `footer` once it is known what is under the cursor; NULL: footer is final */
    void (*foot)(void *arg);
    void *foot_arg;
    const char *more;  /* the key that shows what is cut, shown at the last line's right end */
    const char *debug; /* at the title's right end: bytes per frame, a remark about the terminal */
    bool live;         /* the trace grows, so its end is not final */
    bool unsaved;      /* what comes should be saved but is not: shown as long as that is so */
    bool loading;      /* show progress, by trace_info(), and */
    int screen_x,
        screen_y; /* set by frame_draw(): the best place for a terminal's own cursor (in a prompt), or -1 */
};

/* frame_draw - compose the screen. Resizes g to v->w x v->h. Changes only derived fields of the view
 * (scratch, scrolling of a pop-up). Returns false when out of memory; g is then unchanged. */
bool frame_draw(struct grid *g, struct view *v, struct frame_text *txt);

#endif
