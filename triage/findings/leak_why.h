/*
 * leak_why.h - why goroutines that wait for good do so: who was there for them, and is not any more.
 * Inferred.
 *
 * Who sends wakes who receives, so the receivers of a channel are known by the function that sends: if all of
 * them ended before the first send got stuck, nobody is left.
 */
#ifndef GOTOP_TRIAGE_LEAK_WHY_H
#define GOTOP_TRIAGE_LEAK_WHY_H

#include "triage/triage.h"

/* leak_gone - goroutines wait to send at `stack`, the first of them since then: had all ended by then that
 * were woken from that function? */
struct leak_gone {
    const struct pair_row *most; /* their waits */
    uint32_t g, kinds;           /* who ended last; start functions of these */
    int64_t last;                /* when */
};
bool leak_gone(const struct triage *tg, uint32_t stack, int64_t since, struct leak_gone *out);

#endif
