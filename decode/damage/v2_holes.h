/*
 * v2_holes.h - when events of a generation may be missing, and what is therefore unknown at its end.
 *
 * A goroutine whose next number is in the file keeps its state up to that event. If the generation has no
 * later number of it, it may still have had events that were lost: its state is unknown from the first hole
 * that ends after the last event that names it. The same holds for a P and for an open GC cycle. What a
 * status without a thread names, after all threads have written their events, has done nothing.
 */
#ifndef GOTOP_DECODE_V2_HOLES_H
#define GOTOP_DECODE_V2_HOLES_H

#include "decode/v2/v2_state.h"

/*
 * v2_holes_begin - Start without holes. v2_holes_add - Events may be missing between these times
 * (absolute). v2_holes_before - A batch at `off` ends at t. v2_holes_settle - All holes are known.
 * v2_holes_drop - An event of this time was left out.
 *
 * v2_holes_rest - Call before the queries below: if no hole has a time, and there are more gaps than
 * impossible events, the loss may have been at any time.
 *
 * They return false if out of memory.
 */
void v2_holes_begin(struct v2_order *o);
bool v2_holes_add(struct v2_order *o, int64_t from, int64_t to);
void v2_holes_before(struct v2_order *o, uint64_t off, int64_t t);
bool v2_holes_settle(struct v2_order *o);
bool v2_holes_drop(struct v2_order *o, int64_t at);
void v2_holes_rest(struct v2_order *o);
/* v2_holes_note - Note the times of what o->out[at] and following name. */
void v2_holes_note(struct v2_order *o, size_t at);
/* v2_holes_g, v2_holes_p - Return from when on (absolute) the state of a goroutine, a P is unknown.
 * INT64_MAX: it is known up to the end. */
int64_t v2_holes_g(const struct v2_order *o, uint32_t g);
int64_t v2_holes_p(const struct v2_order *o, uint32_t p);
int64_t v2_holes_gc(const struct v2_order *o); /* The same for the GC. */

#endif
