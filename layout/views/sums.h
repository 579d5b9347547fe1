/*
 * sums.h - what happened in [t0,t1): exact sums per state, per goroutine, per start function, and where
 * goroutines waited. The states of processors and of the lane with the cursor are there at once; the rest is
 * added up in steps (O(log spans) per goroutine that lives in the range, then its spans there for the
 * places).
 */
#ifndef GOTOP_LAYOUT_SUMS_H
#define GOTOP_LAYOUT_SUMS_H

#include "layout/draw/lines.h"
#include "layout/move/view.h"

struct sums;

/* sums_new - for [t0,t1); sums_lane() says for which lane apart. NULL: out of memory. alive: the goroutines'.
 */
struct sums *sums_new(const struct view *v, struct alive *alive, int64_t t0, int64_t t1);
/* sums_light - of goroutines alone. sums_top - the i-th that ran longest, how long it did, and was runnable.
 */
struct sums *sums_light(const struct view *v, struct alive *alive, int64_t t0, int64_t t1);
uint32_t sums_top(const struct sums *s, int i, int64_t *ran, int64_t *ready);
bool sums_stale(const struct sums *s); /* what came since it was begun is of its range */
/* sums_lane - which lane is told of apart; group: its row stands for all goroutines of its start function, so
 * these are. */
void sums_lane(struct sums *s, struct lane l, bool group);
void sums_free(struct sums *s);
bool sums_step(struct sums *s, int64_t budget_ns); /* true: complete */
int sums_share(const struct sums *s);
bool sums_is(const struct sums *s, int64_t t0, int64_t t1); /* made for just that? */
/* sums_text - what is known so far as lines of at most w columns; they are added to t. */
void sums_text(const struct sums *s, const struct view *v, struct lines *t, int w);
/* sums_state - all goroutines' time in a state, once complete (for tests). */
int64_t sums_state(const struct sums *s, enum state st);

#endif
