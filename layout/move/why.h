/*
 * why.h - where the time went, of what is under the cursor: `gotop explain` in a pop-up.
 */
#ifndef GOTOP_LAYOUT_WHY_H
#define GOTOP_LAYOUT_WHY_H

#include "layout/draw/lines.h"
#include "layout/move/view.h"

/* why_text - goroutine g's [t0,t1). false: out of memory. */
bool why_text(const struct view *v, uint32_t g, int64_t t0, int64_t t1, struct lines *out);
/* why_here - what is asked for: the selected range of the goroutine under the cursor, the task, region or thing of the row, else the
 * span under the cursor. false: no goroutine is there. */
bool why_here(struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

#endif
