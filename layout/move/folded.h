/*
 * folded.h - the time that all goroutines of a folded group spend in each state, per column: the picture of
 * the row that stands for the group. A hundred thousand goroutines are added up in steps; there is no
 * picture until all are.
 */
#ifndef GOTOP_LAYOUT_FOLDED_H
#define GOTOP_LAYOUT_FOLDED_H

#include "layout/move/view.h"

struct folded;

/* folded_follow - updates v->cache.folded to the groups whose rows show and the view's window and columns;
 * it restarts where they changed. Call it per frame. It does a fraction of a millisecond of the work at
 * once, which is enough for small groups. */
void folded_follow(struct view *v);
bool folded_pending(const struct view *v);
/* folded_work - adds up for about budget_ns; VR_WORK while more remains. */
unsigned folded_work(struct view *v, int64_t budget_ns);
/* folded_members - the number of goroutines the row stands for, its own included; 0: only itself. */
uint32_t folded_members(const struct view *v, uint32_t lane);
/* folded_share - the share that is added up, in per cent */
int folded_share(const struct view *v);
/* folded_of - for the row of a group, per column: time per state summed over its goroutines (the sum of
 * ST_NONE is the time in which they did not exist). NULL: the row is no group, or not all is added up yet. */
const struct shares *folded_of(const struct view *v, uint32_t lane);
void folded_free(struct folded *f); /* NULL is allowed */

#endif
