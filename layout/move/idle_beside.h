/*
 * idle_beside.h - why the processor under the cursor was idle, beside the cursor: the sentence, and the
 * goroutines that were runnable meanwhile. What is known: triage/activity/idle_reason.h.
 */
#ifndef GOTOP_LAYOUT_IDLE_BESIDE_H
#define GOTOP_LAYOUT_IDLE_BESIDE_H

#include "layout/cells/lines.h"
#include "layout/move/view.h"
#include "triage/activity/idle_reason.h"

/* idle_follow - make v->cache.idle the sum for what the cursor is on (NULL if it is on nothing idle), and
 * begin it.
 */
void idle_follow(struct view *v);
bool idle_pending(const struct view *v);
unsigned idle_work(struct view *v, int64_t budget_ns); /* for view_work() */
/* idle_speaks - is that what the second line beside the cursor is about: most of what it is on is idle? */
bool idle_speaks(const struct view *v);
/* idle_text - the sentence beside the cursor: "646us: 556us with 1 to 6 runnable (longest G38), 90us nothing
 * to do". */
void idle_text(const struct view *v, char *out, size_t size);
/* idle_lines - the goroutines that were runnable meanwhile, one a line of at most w columns. */
void idle_lines(const struct view *v, struct lines *out, int w);

#endif
