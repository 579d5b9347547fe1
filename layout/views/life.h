/*
 * life.h - a goroutine's whole life as text: who created it and where, its running and waiting times, the
 * wait reasons, the longest of each, and the spans around a moment.
 */
#ifndef GOTOP_LAYOUT_LIFE_H
#define GOTOP_LAYOUT_LIFE_H

#include "layout/cells/lines.h"
#include "layout/move/view.h"

/* life_text - the text for goroutine lane g in w columns; t: the moment whose spans are listed. Sums are
 * exact; reasons are counted over at most a million spans, and the text says if there were more. */
void life_text(const struct view *v, uint32_t g, int64_t t, struct lines *out, int w);

#endif
