/*
 * why_here.h - what `W` explains: which goroutine, and when, is under the cursor.
 */
#ifndef GOTOP_LAYOUT_WHY_HERE_H
#define GOTOP_LAYOUT_WHY_HERE_H

#include "layout/move/view.h"

/*
 * why_here - the selected range of the goroutine under the cursor; the task, region, thing or finding of the
 * row, or the longest wait of it; the thing of a table one came from to the lane, while the cursor stays
 * there; else the span under it. false: nothing of a goroutine is there, so there is nothing to explain.
 */
bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

#endif
