/*
 * why_here.h - which goroutine and interval under the cursor `W` explains.
 */
#ifndef GOTOP_LAYOUT_WHY_HERE_H
#define GOTOP_LAYOUT_WHY_HERE_H

#include "layout/move/view.h"

/* why_here - gets the goroutine and interval to explain: the selected range of the goroutine under the
 * cursor; in a list the task, region, thing or finding of the row, or its longest wait; the thing whose
 * table row led to the lane, while the cursor stays on it; else the span under the cursor. false: there is
 * no goroutine. */
bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

#endif
