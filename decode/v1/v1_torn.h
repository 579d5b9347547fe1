/*
 * v1_torn.h - what of a first-family trace is not known because events are missing or contradict each other.
 *
 * A P's chain of batches with a gap says nothing of the P and of what it ran until it goes on. All others may have been changed by
 * the lost events: what is told next of a goroutine says whether they were (sequence numbers, states). If so, what it did
 * since it was last told of is not recorded (EVK_LOST); of whom nothing is told any more, since the gap. Nothing is invented.
 */
#ifndef GOTOP_DECODE_V1_TORN_H
#define GOTOP_DECODE_V1_TORN_H

#include "decode/v1/v1_emit.h"

/* v1_torn_g, _p - events of the goroutine (a row) or P (an index) are missing before this one: unknown since last told of. */
void v1_torn_g(struct v1_emit *em, uint32_t g);
void v1_torn_p(struct v1_emit *em, uint32_t p);
/* v1_torn_gap - a P's events are missing from em->now to the time of these ticks (UINT64_MAX: to the end). */
void v1_torn_gap(struct v1_emit *em, uint32_t p, uint64_t until);
/* v1_torn_local - an event that follows, unnumbered, the goroutine's last one on this P, of which some are missing. */
void v1_torn_local(struct v1_emit *em, uint32_t p, uint32_t g);
/* v1_torn_end - nothing is told from here on, though the trace goes on: who is in a system call may have left it already. */
void v1_torn_end(struct v1_emit *em);
/* v1_torn_rest - all events are told: those of whom nothing was told since a gap. Writes as v1_emit_listed() does; false: more. */
bool v1_torn_rest(struct v1_emit *em, size_t cap);

#endif
