/*
 * leak_why.h - why goroutines that wait for good do so: who was there for them, and is not any more. Inferred.
 *
 * Who sends wakes who receives, so the receivers of a channel are known by the function that sends: if all of them ended before
 * the first send got stuck, nobody is left. And where some waits for a condition ended for good, those of whom one Signal after the
 * other let go just one, the others were forgotten.
 */
#ifndef GOTOP_TRIAGE_LEAK_WHY_H
#define GOTOP_TRIAGE_LEAK_WHY_H

#include "triage/findings/rules.h"

/*
 * leak_gone - goroutines wait to send at `stack`, the first of them since then: had all ended by then that were woken from that
 * function? leak_gone_text - says so, and what to do.
 */
struct leak_gone {
    const struct pair_row *most; /* their waits */
    uint32_t g, kinds;           /* who ended last; start functions of these */
    int64_t last;                /* when */
};
bool leak_gone(const struct triage *tg, uint32_t stack, int64_t since, struct leak_gone *out);
void leak_gone_text(struct text *t, struct text *next, const struct rules *rs, const struct leak_gone *k);
/* leak_one_signalled - of those that wait for a condition as r says: does one function wake one of them for good, and leave the rest? */
bool leak_one_signalled(struct text *t, const struct rules *rs, const struct leak_row *r);

#endif
