/*
 * v2_holes.h - when events of a generation may be missing, and what is therefore not known at its end.
 *
 * A goroutine whose next number is in the file keeps its state up to there. If the generation has no later
 * number of it, it may have gone on all the same, in what was lost: from the first hole that ends after it
 * was last told of, nothing is known of it. So it is of a P, and of a collection that goes on. What was told
 * of once all threads had written their events (by no thread) has done nothing.
 */
#ifndef GOTOP_DECODE_V2_HOLES_H
#define GOTOP_DECODE_V2_HOLES_H

#include "decode/v2/v2_state.h"

/*
 * v2_holes_begin - none are known yet. v2_holes_add - events may be missing between these times (absolute).
 * v2_holes_before - a batch at `off` ends at t. v2_holes_settle - all are known. v2_holes_drop - an event of
 * this time was left out. v2_holes_rest - call before asking for what is known: if nothing tells when, and
 * there are more gaps than events whose numbers can't be, it may have been at any time. false: out of memory.
 */
void v2_holes_begin(struct v2_order *o);
bool v2_holes_add(struct v2_order *o, int64_t from, int64_t to);
void v2_holes_before(struct v2_order *o, uint64_t off, int64_t t);
bool v2_holes_settle(struct v2_order *o);
bool v2_holes_drop(struct v2_order *o, int64_t at);
void v2_holes_rest(struct v2_order *o);
/* v2_holes_note - o->out[at] and what follows tells how things are. */
void v2_holes_note(struct v2_order *o, size_t at);
/* v2_holes_g, v2_holes_p - from when on (absolute) it isn't known what a goroutine, a P does. INT64_MAX: it
 * is known up to the end. */
int64_t v2_holes_g(const struct v2_order *o, uint32_t g);
int64_t v2_holes_p(const struct v2_order *o, uint32_t p);
int64_t v2_holes_gc(const struct v2_order *o); /* the same of the collector */

#endif
