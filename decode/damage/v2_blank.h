/*
 * v2_blank.h - of which goroutines, Ps and threads nothing is known any more.
 *
 * Where events are missing, all of a kind are looked at in each generation. Once many were lost, or have
 * ended, generation after generation would look at them in vain: of each V2_GS it is kept whether there is
 * anything to look at.
 */
#ifndef GOTOP_DECODE_V2_BLANK_H
#define GOTOP_DECODE_V2_BLANK_H

#include "decode/v2/v2_order.h"

/* v2_stirs - something becomes known of number i, or there is one now. */
static inline void v2_stirs(struct v2_blank *b, uint32_t i)
{
    if (i / V2_GS < b->n)
        b->is[i / V2_GS] = 0;
}

/*
 * v2_look - look at all goroutines, Ps or threads from number *i on but those that are blank, and at
 * goroutines that have ended only if others of their V2_GS have not. As soon as o->nout is `room` it stops;
 * it goes on if it is called again. *i: up to which it has come.
 */
struct v2_look {
    enum v2_kind { V2_ALL_G, V2_ALL_P, V2_ALL_M } of;
    enum v2_pass {
        V2_BLANK = 1, /* each is unknown or has ended; of threads: has nothing */
        V2_BLANKED,   /* threads: and that was said of each */
        V2_NONE_BLANK /* none is passed over as blank */
    } pass;
    size_t room;
    void (*at)(struct v2_order *o, uint32_t i); /* looks at one */
};
void v2_look(struct v2_order *o, const struct v2_look *k, size_t *i);

#endif
