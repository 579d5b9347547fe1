/*
 * top.h - view 11: what the goroutines do at the cursor's moment, and did in the time before it, by start
 * function. Of a program that runs the moment is now. It needs no tables of triage's, so it is there at once.
 */
#ifndef GOTOP_LAYOUT_TOP_H
#define GOTOP_LAYOUT_TOP_H

#include "layout/move/view.h"

struct top;

/* top_forget - goroutines have other indices now: what was counted goes, the order stays. */
void top_forget(struct top *t);
void top_free(struct top *t); /* NULL is allowed */
/* top_asks - of a program that runs, while this view is shown: it wants triage's tables, now and then. */
bool top_asks(const struct view *v);

#endif
