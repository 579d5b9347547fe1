/*
 * sums_text.h - the sums of a range (triage/activity/sums.h) as lines.
 */
#ifndef GOTOP_LAYOUT_SUMS_TEXT_H
#define GOTOP_LAYOUT_SUMS_TEXT_H

#include "layout/cells/lines.h"
#include "layout/move/view.h"
#include "triage/activity/sums.h"

/* sums_text - adds what is known so far to t, in lines of at most w columns. */
void sums_text(const struct sums *s, const struct view *v, struct lines *t, int w);

#endif
