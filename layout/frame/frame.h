/*
 * frame.h - one screen: a view as a grid of cells. A pure function of trace, view, texts and size.
 *
 * Cost: columns times visible lanes (times the logarithm of spans), whatever the zoom. Nothing is allocated
 * but the view's scratch, once per size.
 */
#ifndef GOTOP_LAYOUT_FRAME_H
#define GOTOP_LAYOUT_FRAME_H

#include <stdbool.h>

#include "layout/cells/cells.h"
#include "layout/move/view.h"

struct frame_text {          /* what the viewer knows and layout does not; all may be NULL or 0 */
    const char *name;        /* the file as the title shall name it; NULL: the last part of its path */
    const char *footer;      /* main keys, for the last line */
    void (*foot)(void *arg); /* writes into footer, once what the cursor is on is known; NULL: it stands */
    void *foot_arg;
    const char
        *more; /* the key that shows whole what is cut, at the last line's right end where something is */
    const char *debug; /* at the title's right end: bytes per frame, a remark about the terminal */
    bool live;         /* it grows: no end to wait for */
    bool unsaved;      /* what comes should be saved, and is not: said as long as it is so */
    bool loading;      /* show progress: share from trace_info(), and */
    double rate;       /* bytes per second, 0 = unknown */
    int screen_x,
        screen_y; /* filled by frame_draw(): where a terminal's own cursor best stands (prompt) or -1 */
};

/*
 * frame_draw - compose. Resizes g to v->w x v->h. The view changes only in derived fields (scratch, pop-up
 * scroll). false: out of memory, g is unchanged.
 */
bool frame_draw(struct grid *g, struct view *v, struct frame_text *txt);

#endif
