/*
 * idle_beside.h - the text beside the cursor that explains why the processor under it was idle, with the
 * goroutines that were runnable meanwhile. The reason comes from triage/activity/idle_reason.h.
 */
#ifndef GOTOP_LAYOUT_IDLE_BESIDE_H
#define GOTOP_LAYOUT_IDLE_BESIDE_H

#include "layout/cells/rich.h"
#include "layout/move/view.h"
#include "triage/activity/idle_reason.h"

/* idle_follow - makes v->cache.idle the sum for the idle time under the cursor (NULL if nothing there is
 * idle) and starts it. */
void idle_follow(struct view *v);
bool idle_pending(const struct view *v);
unsigned idle_work(struct view *v, int64_t budget_ns); /* for view_work() */
/* idle_speaks - whether the second line beside the cursor is about idleness: most of the time under it is
 * idle. */
bool idle_speaks(const struct view *v);
/* idle_text - the sentence beside the cursor: "646us: 556us with 1 to 6 runnable (longest G38), 90us nothing
 * to do". */
void idle_text(const struct view *v, char *out, size_t size);
/* idle_lines - adds it and the goroutines that were runnable meanwhile, one a line; w: its columns. */
void idle_lines(const struct view *v, struct rich *out, int w);

#endif
