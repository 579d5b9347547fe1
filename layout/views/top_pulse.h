/*
 * top_pulse.h - in view 11, how long what the program does again and again takes: the pieces of work
 * (triage/work/pulse.h) that ended in the time that the view tells of. Counted in slices, and of a trace that
 * goes on nothing twice.
 */
#ifndef GOTOP_LAYOUT_TOP_PULSE_H
#define GOTOP_LAYOUT_TOP_PULSE_H

#include "layout/cells/cells.h"
#include "layout/move/view.h"

struct top_pulse;
void top_pulse_free(struct top_pulse *t); /* NULL is allowed */
/* top_pulse_follow - begins with what the trace has behind what was counted. top_pulse_pending,
 * top_pulse_work - there is more to count; go on with it: true: that was all. */
void top_pulse_follow(struct top_pulse **t, const struct view *v);
bool top_pulse_pending(const struct top_pulse *t);
bool top_pulse_work(struct top_pulse *t, int64_t budget_ns);
/* top_pulse_asks - of a program that runs: triage's tables are wanted, whose works tell who works piece by
 * piece. */
bool top_pulse_asks(const struct top_pulse *t, const struct view *v);
/* top_pulse_lines - of so many lines it takes these, its title's included; 0: there is nothing to tell, or no
 * room. top_pulse_draw - these, in n lines from y on; when: [t0,t1) in words. */
int top_pulse_lines(struct top_pulse *t, const struct view *v, int64_t t0, int64_t t1, int rows);
void top_pulse_draw(const struct top_pulse *t, struct grid *g, const struct view *v, int y, int n,
                    const char *when);

#endif
