/*
 * v2_doubt.h - finding batches that are wrong: where the next one begins behind broken bytes; and which of a
 * generation's stand there twice, stand in another order than they were written, or have a time outside of
 * the generation.
 *
 * A batch that is left out is reported as damage and leaves a hole (v2_gen.hole): what its thread did
 * meanwhile is not recorded.
 */
#ifndef GOTOP_DECODE_V2_DOUBT_H
#define GOTOP_DECODE_V2_DOUBT_H

#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"

/* How far the clocks of a host's processors may differ, ns; and a difference that they never have. */
#define DOUBT_SKEW_NS INT64_C(1000000)
#define DOUBT_LATE_NS INT64_C(10000000)
/*
 * How long before a generation's clock batch a thread of it may have begun to write: on a host with much else
 * to do, who opens that batch may have to wait for a processor. If the generation can't be put in order,
 * less.
 */
#define DOUBT_EARLY_NS INT64_C(1000000000)
#define DOUBT_EARLY_BAD_NS INT64_C(100000000)
/* How long an event waits for one that has happened already, where the system has one clock: of whole traces
 * none waits for a fifth of it. */
#define DOUBT_WAIT_NS INT64_C(100000)

/*
 * v2_resync - the next place from `from` on where a batch of generation `number` or number + 1 (0: of any)
 * seems to begin (v2_raw_likely()), at a time not far from `near` (0: any), with a batch, an end mark or the
 * end of the file behind it. NULL: none.
 */
const uint8_t *v2_resync(const struct source *s, const uint8_t *from, uint64_t number, uint64_t near);
/* v2_hole_note - batches were lost or left out at this place of the file; known: thread m's. */
void v2_hole_note(struct v2_gen *g, size_t off, uint64_t m, bool known);
/* v2_doubt_time - called with each batch of any kind: keeps v2_gen.min_time and first. */
void v2_doubt_time(struct v2_gen *g, const struct v2_raw_batch *b, size_t off);
/* v2_doubt_bounds - called with each batch of tables or of the clock: keeps v2_gen.lo, hi. */
void v2_doubt_bounds(struct v2_gen *g, const struct v2_raw_batch *b);
/* v2_doubt_latest - no event of the generation can be at this time or later, ns. SOURCE_TIME_MAX: not known.
 */
int64_t v2_doubt_latest(const struct v2_gen *g);
/* v2_doubt_skew_ns - how far its processors' clocks may differ: less where the system has one clock for all.
 */
static inline int64_t v2_doubt_skew_ns(const struct v2_gen *g)
{
    return g->freq == V2_ASSUMED_HZ ? DOUBT_SKEW_NS : DOUBT_LATE_NS;
}
/* v2_doubt_batch - called with each batch of events before it counts. v2_doubt - all are there: check them,
 * leave out the wrong ones. */
void v2_doubt_batch(struct v2_gen *g, const struct v2_batch *b);
bool v2_doubt(struct source *s, struct v2_gen *g); /* false: out of memory */

#endif
