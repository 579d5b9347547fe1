/*
 * v2_doubt.h - batches that can't be as they stand: where the next one begins behind broken bytes, and which of a generation's
 * are doubled, stand in another order than they were written, or have a time that is not the generation's.
 *
 * What is left out is damage, and a hole (v2_gen.hole): what its thread did meanwhile is not recorded.
 */
#ifndef GOTOP_DECODE_V2_DOUBT_H
#define GOTOP_DECODE_V2_DOUBT_H

#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"

/* Differences of times, ns, that clocks of several processors have, and such that are none. */
#define DOUBT_SKEW_NS INT64_C(1000000)
#define DOUBT_LATE_NS INT64_C(10000000)

/*
 * v2_resync - the next place from `from` on where a batch of generation `number` or the one behind it (0: of any) seems to begin
 * (v2_raw_likely()), with another batch, an end mark, or the end of the file behind it. NULL: none.
 */
const uint8_t *v2_resync(const struct source *s, const uint8_t *from, uint64_t number, uint64_t near);
void v2_hole_note(struct v2_gen *g, size_t off, uint64_t m, bool known);
/* v2_doubt_time - of each batch, whatever it holds: v2_gen.min_time. */
void v2_doubt_time(struct v2_gen *g, const struct v2_raw_batch *b, size_t off);
/* v2_doubt_bounds - of each batch of tables, of the clock's, and of no thread's: v2_gen.lo, hi. */
void v2_doubt_bounds(struct v2_gen *g, const struct v2_raw_batch *b);
/* v2_doubt_latest - no event of the generation is at this time or behind it, ns. SOURCE_TIME_MAX: nobody knows. */
int64_t v2_doubt_latest(const struct v2_gen *g);
/* v2_doubt_skew_ns - so much may clocks of several processors differ: one clock for all, or each its own. */
static inline int64_t v2_doubt_skew_ns(const struct v2_gen *g)
{
    return g->freq == V2_ASSUMED_HZ ? DOUBT_SKEW_NS : DOUBT_LATE_NS;
}
/* v2_doubt_batch - a batch of events is about to be added. v2_doubt - all of them are there. */
void v2_doubt_batch(struct v2_gen *g, const struct v2_batch *b);
bool v2_doubt(struct source *s, struct v2_gen *g); /* false: out of memory */

#endif
