/*
 * v1_play.h - the first family's common events, from the ring to the neutral event in one loop.
 *
 * v1_order.c and v1_emit.c know every case; most events are none: a goroutine starts, stops, is woken or makes a
 * system call, is in the state this needs, and its event is the earliest. This loop does those alone, by the rules of v1_rules.h,
 * and leaves the rest to them. Whether it is called or not, the same events come out.
 */
#ifndef GOTOP_DECODE_V1_PLAY_H
#define GOTOP_DECODE_V1_PLAY_H

#include "decode/v1/v1_emit.h"

/*
 * v1_play - write neutral events to em->out as long as they are of that kind and leave room for V1_EMIT_ROOM before
 * `cap`. The listing has to be over, and the order to be one of 1.7 or later.
 */
void v1_play(struct v1_emit *em, size_t cap);

#endif
