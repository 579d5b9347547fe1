/*
 * life.h - the whole life of a goroutine as text: who created it where, how much it ran and waited, for what,
 * the longest of each, and the spans around a moment.
 */
#ifndef GOTOP_LAYOUT_LIFE_H
#define GOTOP_LAYOUT_LIFE_H

#include "layout/cells/lines.h"
#include "layout/move/view.h"

/* life_text - goroutine lane g; t: the moment whose spans are listed; w: columns. Sums are exact; reasons are
   counted over at most a million spans, and the text says when that was not all. */
void life_text(const struct view *v, uint32_t g, int64_t t, struct lines *out, int w);

#endif
