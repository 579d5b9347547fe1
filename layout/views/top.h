/*
 * top.h - view 11: what the goroutines do at the cursor's moment, and did in the interval before it, by
 * start function. For a live program the moment is now. It does not need triage's tables, so it is ready at
 * once.
 */
#ifndef GOTOP_LAYOUT_TOP_H
#define GOTOP_LAYOUT_TOP_H

#include "layout/move/view.h"

struct top;

void top_free(struct top *t); /* NULL is allowed */
/* top_asks - whether to recompute triage's tables now: from time to time, for a live program while this
 * view shows. */
bool top_asks(const struct view *v);

#endif
