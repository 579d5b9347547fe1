/*
 * v2_clock.h - a generation's clock: how many units a second has, and what the wall clock said meanwhile; and whether that can be.
 *
 * All times of a generation are told in these units, so a wrong rate moves and stretches everything without a contradiction among
 * events. Two things stand against it: from 1.25 on what the runtime's own clock said at the same moment (where the units are 64 ns of
 * that very clock, they say the same), and the generations before, for a running program's clock doesn't change.
 */
#ifndef GOTOP_DECODE_V2_CLOCK_H
#define GOTOP_DECODE_V2_CLOCK_H

#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"

/* v2_clock_read - of a Frequency batch, or a Sync batch, which has a clock snapshot too. Nothing else may stand there. */
void v2_clock_read(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h);
/*
 * v2_clock_settle - all batches were seen: what rate is taken. last: that of the generation before, 0: none; last_told: it stood there.
 * v2_clock_notes - what of it is told behind all that scanning notes.
 */
void v2_clock_settle(struct source *s, struct v2_gen *g, uint64_t last, bool last_told);
void v2_clock_notes(struct source *s, const struct v2_gen *g);

#endif
