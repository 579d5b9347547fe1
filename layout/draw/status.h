/*
 * status.h - what is under the cursor, in words: the exact mixture of a cell, or the one span that covers it.
 */
#ifndef GOTOP_LAYOUT_STATUS_H
#define GOTOP_LAYOUT_STATUS_H

#include "layout/draw/rich.h"
#include "layout/move/view.h"

/* status_rich - what is to be said about what the cursor is on; w: columns there are, names take no more. */
void status_rich(const struct view *v, int w, struct rich *out);
/* status_lane_rich - the same of a view of lanes; out is empty. */
void status_lane_rich(const struct view *v, int w, struct rich *out);
/* status_draw - into rows [y, y + n) of the grid. false: some of it is left out. */
bool status_draw(struct grid *g, const struct view *v, int y, int n);
/* status_range - the selected range instead of the column [*t0,*t1), if there is one. */
bool status_range(const struct view *v, int64_t *t0, int64_t *t1);
/* status_text - all of it as one line of safe text, nothing shortened. */
void status_text(const struct view *v, char *out, size_t size);
/* status_procs - the fewest and the most processors at a time: where GOMAXPROCS isn't recorded, those that
 * show. */
void status_procs(const struct view *v, uint64_t *least, uint64_t *most);
/* status_lane - "P2", "G412", "M1234" (never more than 24 bytes). */
void status_lane(const struct view *v, struct lane l, char out[32]);
/* status_state - of a lane of that kind, where there is nothing as well: a P that nothing is told of is "not
 * recorded". */
const char *status_state(enum lane_kind k, enum state s);
/* status_works - the state of a span: a mark worker's running is work for the collector. */
enum state status_works(const struct view *v, struct lane l, const struct span *s);
/* status_bracketed - a reason or a label as it is put in brackets: "dedicated" of "GC (dedicated)". */
struct str status_bracketed(struct str why);
/* status_name - a goroutine as "G412 http.(*conn).serve" in at most w columns. */
void status_name(const struct view *v, uint32_t g, int w, char *out, size_t size);
/* status_open - which of a span's ends were not seen: there the trace ends, or what was recorded does. 0:
 * none. */
enum { OPEN_START = 1, OPEN_END = 2 };
unsigned status_open(const struct view *v, struct lane lane, const struct span *s);
/* status_untimed - is it a system call of which only the beginning was recorded? How long it is in the model
 * tells nothing. */
bool status_untimed(const struct view *v, const struct span *s);
/* status_known - until when a lane's record goes: known_until(). */
int64_t status_known(const struct view *v, struct lane l);
/* status_shares - as gstate_shares(), that time apart. */
void status_shares(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct shares *out);
/*
 * status_stopped - how long the world was stopped by the stops that touch [t0, t1), whole: of a GC cycle,
 * whose mark phase ends within the stop that terminates it.
 */
int64_t status_stopped(const struct trace *tr, int64_t t0, int64_t t1);
/* status_stack - does this stack name a place: a function, or at least an address? Some are a frame of zeros.
 */
bool status_stack(const struct view *v, uint32_t stack);
/* status_function - the innermost frame of a stack that is not the runtime's, as a function's string; 0 =
 * none. */
uint32_t status_function(const struct view *v, uint32_t stack);

#endif
