/*
 * mixture.h - what goroutines of some groups do, all of a group together, in each of the columns of a window.
 *
 * Goroutines are added one by one, each is asked only for the columns in which it lives. Pure; belongs to who
 * made it.
 */
#ifndef GOTOP_TRIAGE_MIXTURE_H
#define GOTOP_TRIAGE_MIXTURE_H

#include "triage/activity/gstate.h"
#include "triage/activity/window.h"

struct mixture;

/* mixture_new - of n groups, which are start functions (strings); edges: of its columns, cols + 1 of them,
 * which it copies. NULL: out of memory. */
struct mixture *mixture_new(const struct trace *tr, struct window win, const int64_t *edges, int cols,
                            const uint32_t *names, uint32_t n);
void mixture_free(struct mixture *m); /* NULL is allowed */
/* mixture_add - what goroutine g does, to its group's. true: that took long. */
bool mixture_add(struct mixture *m, struct gstate *gs, uint32_t g);
/* mixture_end - no more come; once. false: out of memory, then or before: it is of no use. */
bool mixture_end(struct mixture *m);
/*
 * mixture_columns - of group i, per column, behind mixture_end(): times per state summed over its goroutines
 * (ST_NONE is 0, so the sum is how long they were there).
 */
const struct shares *mixture_columns(const struct mixture *m, uint32_t i);

#endif
