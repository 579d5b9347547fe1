/*
 * far.h - what isn't found in the part of a trace that is held, looked for beyond it: part after part.
 *
 * A trace larger than its memory is held in part (decode/trace.h). An action that finds nothing there calls
 * far_begin(). The viewer then holds one stretch after another, as view_wants() says, and calls view_brought(); `look`
 * looks there: at what begins behind `edge`, or, backwards, at it and before. It ends when that has found it, when all
 * parts have been looked through (only then it isn't there), when the reader moves on, or stops it.
 */
#ifndef GOTOP_LAYOUT_FAR_H
#define GOTOP_LAYOUT_FAR_H

#include "layout/move/view.h"

/* far_can - is there more of the trace than what is held, in that direction? */
bool far_can(const struct view *v, int dir);
/* far_held - is the moment in the part that is held, all of it? Of a trace that isn't bounded always. */
bool far_held(const struct view *v, int64_t t);
/*
 * far_begin - look, dir, kind, id and t as they are set; from and edge as well if `from` is >= 0, else where the part
 * that is held ends. what: "the next span of G12"; none: what to say when it isn't anywhere.
 */
unsigned far_begin(struct view *v, const struct far *f, const char *what, const char *none);
/* far_went - `look` had said FAR_WORKING: now it is known. */
unsigned far_went(struct view *v, enum far_saw saw);
void far_drop(struct view *v);
/* far_stop - the reader wants no more of it, and is told how far it came. false: nothing was under way. */
bool far_stop(struct view *v);

#endif
