/*
 * leak_why.h - why goroutines wait forever: which peers they had that have ended. Inferred.
 *
 * A sender unblocks a receiver, so a channel's receivers are known by the function that sends. If all of
 * them ended before the first send that blocked forever, no receiver is left.
 */
#ifndef GOTOP_TRIAGE_LEAK_WHY_H
#define GOTOP_TRIAGE_LEAK_WHY_H

#include "triage/triage.h"

/* leak_gone - For goroutines that wait to send at `stack`, the first of them since `since`: true if all
 * goroutines of the start functions that received from there had ended by then. */
struct leak_gone {
    const struct pair_row *most; /* their waits */
    uint32_t g, kinds;           /* the one that ended last; start functions of these */
    int64_t last;                /* when */
};
bool leak_gone(const struct triage *tg, uint32_t stack, int64_t since, struct leak_gone *out);

#endif
