/*
 * v1_place.h - where in the file a batch seems to begin.
 *
 * Nothing in the bytes says so for sure. Whoever goes on from such a place sees by what follows whether it was one.
 */
#ifndef GOTOP_DECODE_V1_PLACE_H
#define GOTOP_DECODE_V1_PLACE_H

#include "decode/v1/v1_index.h"

#define V1_BATCH_BYTES 65536             /* what a writer's buffer holds */
#define V1_PLACE_P 4096                  /* processors there may be, where nothing tells */
#define V1_PLACE_MORE 4                  /* times what it was so far a program may set GOMAXPROCS to */
#define V1_NEAR_TICKS (INT64_C(1) << 32) /* a minute or more */

/* v1_place_work - what it took to read the events from..to, behind which `last` was read or not: about a byte's for each value. */
static inline uint64_t v1_place_work(const uint8_t *from, const uint8_t *to, const struct v1_raw *last)
{
    return (uint64_t)(to - from) + (last->type == V1_STACK ? 4 * (uint64_t)last->len : 1);
}

/* v1_place_next - the first in [off, end) from which some events make sense, or end. */
uint64_t v1_place_next(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end);

/* v1_place_proc - may this be the number of a batch's processor? */
static inline bool v1_place_proc(uint64_t p, uint64_t limit)
{
    return p == UINT64_MAX || p < limit;
}

#endif
