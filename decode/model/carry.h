/*
 * carry.h - what a fold knows of everything that is alive, without what is over: where decoding can go on.
 *
 * Used where a trace is larger than the memory for it (decode/model/parts.h): a mark keeps such a copy, and another copy of
 * it becomes the fold that the events behind the mark are folded into. Its size goes with what is alive, not with
 * what has been.
 */
#ifndef GOTOP_DECODE_CARRY_H
#define GOTOP_DECODE_CARRY_H

#include "decode/model/fold.h"

/* Goroutines by their index before -> after: those that are over have none, the rest keep their order. */
struct gmap {
    uint32_t *to;  /* NO_LANE: over; NULL: all stay as they are */
    size_t n;      /* indices before */
    uint32_t live; /* indices after */
};
static inline uint32_t gmap_to(const struct gmap *m, uint32_t g)
{
    return !m->to || g == NO_LANE ? g : g < m->n ? m->to[g] : NO_LANE;
}

/*
 * fold_carry - dst (not initialised) becomes what src would be if it held nothing but what is open: each lane its open
 * span with its true start, open ranges, tasks and regions, the last value of each metric. Threads begin at src->end.
 * The counts of goroutines by state are left behind: dst->gb is NULL, and no event may be folded before it is set.
 * false: out of memory; dst is then empty.
 */
bool fold_carry(struct fold *dst, const struct fold *src, const struct gmap *map);

/*
 * fold_strip - give back the spans that are over, and what else fold_carry() doesn't ask for: before it, where there is
 * no room for both. The fold is then of no other use.
 */
void fold_strip(struct fold *f);

#endif
