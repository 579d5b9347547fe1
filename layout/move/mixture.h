/*
 * mixture.h - what the goroutines of a folded group do, all of them together, column by column: the picture
 * of the row that stands for them. A hundred thousand goroutines are added up in steps; until all are there
 * is no picture.
 */
#ifndef GOTOP_LAYOUT_MIXTURE_H
#define GOTOP_LAYOUT_MIXTURE_H

#include "layout/move/view.h"

struct mixture;

/*
 * mixture_follow - v->mixture is of the groups whose rows show, in the window and columns of v->edges; where
 * they changed it begins anew. For a frame: of many goroutines a fraction of a millisecond of the work is
 * done at once; few are mostly done then.
 */
void mixture_follow(struct view *v);
bool mixture_pending(const struct view *v);
/* mixture_work - add up for about budget_ns; VR_WORK while there is more. */
unsigned mixture_work(struct view *v, int64_t budget_ns);
/* mixture_members - how many goroutines that row stands for, its own among them; 0: for itself alone. */
uint32_t mixture_members(const struct view *v, uint32_t lane);
/* mixture_share - how much is added up, in per cent. */
int mixture_share(const struct view *v);
/*
 * mixture_of - of the row that stands for a group, per column: times per state summed over its goroutines
 * (ST_NONE is 0, so the sum is how long they were there). NULL: it stands for itself, or not all is added up
 * yet.
 */
const struct shares *mixture_of(const struct view *v, uint32_t lane);
void mixture_free(struct mixture *m); /* NULL is allowed */

#endif
