/*
 * ruler.h - tick marks and labels at 1-2-5 steps of time.
 */
#ifndef GOTOP_LAYOUT_RULER_H
#define GOTOP_LAYOUT_RULER_H

#include "decode/trace.h"
#include "layout/cells/cells.h"
#include "layout/cells/glyphs.h"
#include "layout/cells/window.h"

/* ruler_draw - draw into n columns from x on of row y. clock: labels are times of day, if the trace has
 * them. */
void ruler_draw(struct grid *g, const struct trace *tr, enum tier tier, struct window w, int x, int y, int n,
                bool clock);

#endif
