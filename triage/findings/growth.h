/*
 * growth.h - goroutines that are begun all along and do not end: when those of a leak's creation came, how many ended, and for how long
 * those that are left have waited. A group is walked once, for all places at which its goroutines are left.
 */
#ifndef GOTOP_TRIAGE_GROWTH_H
#define GOTOP_TRIAGE_GROWTH_H

#include "triage/findings/causes.h"

enum { GROWTH_ROWS = 64 }; /* of those that are left, the largest: more are not asked about */

struct growths { /* what one rule has found out; all-zero at first */
    struct grown *v;
    size_t n, cap;
};
struct growth {
    uint32_t quarter[4], begun, ended; /* of one creation stack, by the quarter of the trace they came in */
    uint32_t still;                    /* wait at the leak's place at the end */
    uint32_t alone;                    /* of those that have not ended: who began them has */
};

/*
 * growth_of - of those of a group that the leak's stack created; still: for `least` ns and a 20th of the trace. Without memory for it, which
 * c->rs knows then, and where it is no longer wanted, what has been found. growths_free() lets go of it.
 */
struct growth growth_of(struct growths *k, struct causes *c, const struct leak_row *r, uint32_t group, double least);
void growths_free(struct growths *k);
/* growth_all_along - do many come in each quarter, hardly any of which ends? growth_for_good - most of them left by who began them? */
bool growth_all_along(const struct growth *w);
bool growth_for_good(const struct growth *w);
/* growth_begun - says all of it but `still`. */
void growth_begun(struct draft *d, const struct causes *c, const struct growth *w);

#endif
