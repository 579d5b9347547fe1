/*
 * v2_batches.h - finding wrong batches: where the next one begins after broken bytes; and which batches of
 * a generation have a time outside of it.
 *
 * A batch that is left out is reported as damage and leaves a hole (v2_gen.hole): what its thread did
 * meanwhile is not recorded.
 */
#ifndef GOTOP_DECODE_V2_BATCHES_H
#define GOTOP_DECODE_V2_BATCHES_H

#include "decode/damage/damage.h"
#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"

/* v2_resync - Returns the next place from `from` on where a batch of generation `number` or number + 1 (0:
 * of any) seems to begin (v2_raw_likely()), at a time not far from `near` (0: any), and is followed by a
 * batch, an end mark or the end of the file. NULL: none. */
const uint8_t *v2_resync(const struct source *s, const uint8_t *from, uint64_t number, uint64_t near);
/* v2_hole_note - Note that batches were lost or left out at this file offset; known: those of thread m. */
void v2_hole_note(struct v2_gen *g, size_t off, uint64_t m, bool known);
/* v2_batches_time - Called with each batch of any kind; updates v2_gen.min_time and first. */
void v2_batches_time(struct v2_gen *g, const struct v2_raw_batch *b, size_t off);
/* v2_batches_bounds - Called with each batch of tables or of the clock; updates v2_gen.lo and hi. */
void v2_batches_bounds(struct v2_gen *g, const struct v2_raw_batch *b);
/* v2_batches_latest - Returns a time (ns) that is later than all events of the generation. SOURCE_TIME_MAX:
 * unknown. */
int64_t v2_batches_latest(const struct v2_gen *g);
/* v2_batches_skew_ns - Returns how far the clocks of its processors may differ: less where the system has
 * one clock for all. */
static inline int64_t v2_batches_skew_ns(const struct v2_gen *g)
{
    return g->freq == V2_ASSUMED_HZ ? DAMAGE_SKEW_NS : DAMAGE_LATE_NS;
}
/* v2_batches_check - Called when all batches are known: leave out the wrong ones. */
void v2_batches_check(struct source *s, struct v2_gen *g);

#endif
