/*
 * folded.h - what the goroutines of a folded group do, all of them together, column by column: the picture
 * of the row that stands for them. A hundred thousand goroutines are added up in steps; until all are there
 * is no picture (triage/activity/mixture.h).
 */
#ifndef GOTOP_LAYOUT_FOLDED_H
#define GOTOP_LAYOUT_FOLDED_H

#include "layout/move/view.h"

struct folded;

/*
 * folded_follow - v->cache.folded is of the groups whose rows show, in the window and columns that the view
 * has now; where they changed it begins anew. For a frame: of many goroutines a fraction of a millisecond of
 * the work is done at once; few are mostly done then.
 */
void folded_follow(struct view *v);
bool folded_pending(const struct view *v);
/* folded_work - add up for about budget_ns; VR_WORK while there is more. */
unsigned folded_work(struct view *v, int64_t budget_ns);
/* folded_members - how many goroutines that row stands for, its own among them; 0: for itself alone. */
uint32_t folded_members(const struct view *v, uint32_t lane);
/* folded_share - how much is added up, in per cent. */
int folded_share(const struct view *v);
/*
 * folded_of - of the row that stands for a group, per column: times per state summed over its goroutines
 * (ST_NONE is 0, so the sum is how long they were there). NULL: it stands for itself, or not all is added up
 * yet.
 */
const struct shares *folded_of(const struct view *v, uint32_t lane);
void folded_free(struct folded *f); /* NULL is allowed */

#endif
