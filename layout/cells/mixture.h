/*
 * mixture.h - the time per state of the goroutines of some groups, summed per group, in each column of a
 * window.
 *
 * Goroutines are added one at a time; each is examined only in the columns in which it lives. A pure
 * computation, owned by its creator.
 */
#ifndef GOTOP_LAYOUT_MIXTURE_H
#define GOTOP_LAYOUT_MIXTURE_H

#include "triage/activity/gstate.h"
#include "layout/cells/window.h"

struct mixture;

/* mixture_new - creates a mixture of n groups, given by start functions (strings). Copies edges, the cols +
 * 1 edges of the columns. Returns NULL if out of memory. */
struct mixture *mixture_new(const struct trace *tr, struct window win, const int64_t *edges, int cols,
                            const uint32_t *names, uint32_t n);
void mixture_free(struct mixture *m); /* NULL is allowed */
/* mixture_add - adds goroutine g to its group. Returns true if that took long. */
bool mixture_add(struct mixture *m, struct gstate *gs, uint32_t g);
/* mixture_end - ends the additions; call it once. Returns false if any step ran out of memory: the mixture
 * is unusable then. */
bool mixture_end(struct mixture *m);
/* mixture_columns - returns, after mixture_end(), the time per state of group i in each column, summed over
 * its goroutines. ST_NONE is 0, so the sum over states is how long they existed. */
const struct shares *mixture_columns(const struct mixture *m, uint32_t i);

#endif
