/*
 * record.h - what the trace recorded of a lane and a span, where the model's numbers need a second look:
 * spans whose ends were not seen, lanes whose record ends early, calls that have no length.
 */
#ifndef GOTOP_LAYOUT_RECORD_H
#define GOTOP_LAYOUT_RECORD_H

#include "layout/move/view.h"

/* record_open - which of a span's ends were not seen: there the trace ends, or what was recorded does. 0:
 * none. */
enum { OPEN_START = 1, OPEN_END = 2 };
unsigned record_open(const struct view *v, struct lane lane, const struct span *s);
/* record_untimed - is it a system call of which only the beginning was recorded? How long it is in the model
 * tells nothing. */
bool record_untimed(const struct view *v, const struct span *s);
/* record_state - the state of a span: a mark worker's running is work for the collector. */
enum state record_state(const struct view *v, struct lane l, const struct span *s);
/* record_until - until when a lane's record goes, ns: known_until(). */
int64_t record_until(const struct view *v, struct lane l);
/* record_shares - as gstate_shares(); the time behind record_until() is not recorded, instead of idle. */
void record_shares(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct shares *out);
/* record_procs - the fewest and the most processors at a time: where GOMAXPROCS isn't recorded, those that
 * show. */
void record_procs(const struct view *v, uint64_t *least, uint64_t *most);
/*
 * record_stopped - how long the world was stopped by the stops that touch [t0, t1), whole, ns: of a GC cycle,
 * whose mark phase ends within the stop that terminates it.
 */
int64_t record_stopped(const struct trace *tr, int64_t t0, int64_t t1);

#endif
