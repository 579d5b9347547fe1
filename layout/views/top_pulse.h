/*
 * top_pulse.h - for view 11, how long the program's repeated work takes: the pieces of work
 * (triage/work/pulse.h) that ended in the view's interval. Counted in slices; a growing trace is counted
 * only once.
 */
#ifndef GOTOP_LAYOUT_TOP_PULSE_H
#define GOTOP_LAYOUT_TOP_PULSE_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

struct top_pulse;
void top_pulse_free(struct top_pulse *t); /* NULL is allowed */
/* top_pulse_follow - starts counting the part of the trace that is not counted yet. top_pulse_pending -
 * whether there is more to count. top_pulse_work - continues; true: done. */
void top_pulse_follow(struct top_pulse **t, const struct view *v);
bool top_pulse_pending(const struct top_pulse *t);
bool top_pulse_work(struct top_pulse *t, int64_t budget_ns);
/* top_pulse_asks - whether triage's tables are wanted for a live program: their works tell which goroutines
 * work in pieces. */
bool top_pulse_asks(const struct top_pulse *t, const struct view *v);
/* top_pulse_lines - the number of lines it takes of `rows`, its title included; 0: nothing to show, or no
 * room. top_pulse_draw - draws them in n lines from y on; when: [t0,t1) in words. */
int top_pulse_lines(struct top_pulse *t, const struct view *v, int64_t t0, int64_t t1, int rows);
void top_pulse_draw(const struct top_pulse *t, struct grid *g, const struct view *v, int y, int n,
                    const char *when);

#endif
