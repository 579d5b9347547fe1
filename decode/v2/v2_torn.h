/*
 * v2_torn.h - ordering what is left of a generation of which events were lost: a program was killed, and what its threads had
 * not yet written is gone; or a file lost a part in its middle.
 *
 * Which sequence numbers are in the file is known beforehand. An event whose predecessor is there waits for it, as always;
 * one whose predecessor is not goes on at its time, and what the goroutine or P did since it was last told of is a gap
 * (EVK_LOST: not recorded). A thread whose events end leaves what it ran unknown from there on; at the end so is all that
 * the lost events may have changed. Nothing is invented but the order.
 */
#ifndef GOTOP_DECODE_V2_TORN_H
#define GOTOP_DECODE_V2_TORN_H

#include "decode/v2/v2_state.h"

extern const struct v2_loose v2_torn;
/* v2_torn_say - the generation is over: what was missing is damage. */
void v2_torn_say(struct v2_order *o);

#endif
