/*
 * v2_blank.h - which goroutines, Ps and threads are entirely unknown.
 *
 * Where events are missing, each generation walks over all of a kind. Once many were lost or have ended,
 * those walks would find nothing. So each block of V2_GS has a flag: whether it has anything to look at.
 */
#ifndef GOTOP_DECODE_V2_BLANK_H
#define GOTOP_DECODE_V2_BLANK_H

#include "decode/v2/v2_order.h"

/* v2_stirs - Note that something about number i is known from now on, or that it is new. */
static inline void v2_stirs(struct v2_blank *b, uint32_t i)
{
    if (i / V2_GS < b->n)
        b->is[i / V2_GS] = 0;
}

/* v2_look - Walk over all goroutines, Ps or threads from number *i on, except blank ones; over ended
 * goroutines only if others of their V2_GS have not ended. Stops when o->nout reaches `room`; the next call
 * continues. *i: how far it has come. */
struct v2_look {
    enum v2_kind { V2_ALL_G, V2_ALL_P, V2_ALL_M } of;
    enum v2_pass {
        V2_BLANK = 1, /* each is unknown or has ended; a thread: has nothing */
        V2_BLANKED,   /* threads: and an event says so of each */
        V2_NONE_BLANK /* none is skipped as blank */
    } pass;
    size_t room;
    void (*at)(struct v2_order *o, uint32_t i); /* handles one of them */
};
void v2_look(struct v2_order *o, const struct v2_look *k, size_t *i);

#endif
