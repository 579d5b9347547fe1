/*
 * v2_blank.h - of which goroutines, Ps and threads nothing is known any more.
 *
 * Where events are missing, all of a kind are looked at in each generation. Once many were lost, or have ended, generation after
 * generation would look at them in vain: of each V2_GS it is kept whether there is anything to look at.
 */
#ifndef GOTOP_DECODE_V2_BLANK_H
#define GOTOP_DECODE_V2_BLANK_H

#include "decode/v2/v2_order.h"

enum {
    V2_BLANK = 1, /* each of them is unknown or has ended; of threads: has nothing */
    V2_BLANKED    /* threads: and that was said of each */
};

/* v2_stirs - something becomes known of number i, or there is one now. */
static inline void v2_stirs(struct v2_blank *b, uint32_t i)
{
    if (i / V2_GS < b->n)
        b->is[i / V2_GS] = 0;
}

typedef bool v2_blank_fn(const struct v2_order *o, uint32_t i);
v2_blank_fn v2_blank_g, v2_blank_p, v2_blank_m;

/* v2_blank_skip - from i on, the first that may not be blank; n: none. `as`: at least as blank. */
size_t v2_blank_skip(const struct v2_blank *b, size_t i, size_t n, uint8_t as);
/* v2_blank_next - i was looked at: the next one. Behind the last of V2_GS it is noted if all of them are blank now. */
size_t v2_blank_next(struct v2_blank *b, size_t i, size_t n, uint8_t as, const struct v2_order *o, v2_blank_fn *f);

#endif
