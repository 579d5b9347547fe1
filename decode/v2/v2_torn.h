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

/* v2_torn_begin - note which numbered events the generation has. false: out of memory (o->oom). */
bool v2_torn_begin(struct v2_order *o);
/*
 * v2_torn_try - the cursor's event, to which v2_adv() said `a`: ADV_WAIT, what it waits for is still to come; else it is done,
 * or left out. force: nothing can come any more.
 */
enum adv v2_torn_try(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force);
/* v2_torn_before - the cursor's event is about to be tried: what may be lost before it is not recorded. true: so it says. */
bool v2_torn_before(struct v2_order *o, struct v2_cursor *c);
/* v2_torn_over - a thread has no more events. */
void v2_torn_over(struct v2_order *o, uint32_t thread);
/* v2_torn_due - the moment has come for v2_torn_silent(). */
bool v2_torn_due(struct v2_order *o);
/* v2_torn_silent - as that, for some of those of which nothing at all is told in this generation. false: that was all. */
bool v2_torn_silent(struct v2_order *o);
/* v2_torn_after - the cursor's event is done, o->out[at] on is what it made: whose next event was lost is unknown from here on. */
void v2_torn_after(struct v2_order *o, const struct v2_cursor *c, size_t at);
/* v2_torn_rest - all threads are done: a GC that is open. false: there is no more. */
bool v2_torn_rest(struct v2_order *o);
void v2_torn_say(struct v2_order *o);

#endif
