/*
 * record.h - what the trace recorded of a lane and a span, where the model's numbers need a second look:
 * spans without a recorded end, lanes whose record ends early, calls without a length.
 */
#ifndef GOTOP_LAYOUT_RECORD_H
#define GOTOP_LAYOUT_RECORD_H

#include "layout/move/view.h"

/* record_open - which ends of a span are cut off by the end of the trace or of the lane's record. 0: none. */
enum { OPEN_START = 1, OPEN_END = 2 };
unsigned record_open(const struct view *v, struct lane lane, const struct span *s);
/* record_untimed - whether it is a system call of which only the start was recorded. Its length in the
 * model means nothing. */
bool record_untimed(const struct view *v, const struct span *s);
/* record_state - the state of a span; a mark worker's running counts as GC work. */
enum state record_state(const struct view *v, struct lane l, const struct span *s);
/* record_until - the end of a lane's record, ns: known_until() */
int64_t record_until(const struct view *v, struct lane l);
/* record_shares - as gstate_shares(), but time after record_until() is "not recorded", not idle. */
void record_shares(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct shares *out);
/* record_procs - the minimum and maximum of GOMAXPROCS; where it isn't recorded, of the processors that
 * show. */
void record_procs(const struct view *v, uint64_t *least, uint64_t *most);
/* record_stopped - the total STW time in ns of the stops that touch [t0, t1), each counted whole. For a GC
 * cycle this includes the mark termination, whose stop ends after the mark phase. */
int64_t record_stopped(const struct trace *tr, int64_t t0, int64_t t1);

#endif
