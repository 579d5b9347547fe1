/*
 * finding_parts.h - the findings of a trace that is read part by part (decode/trace.h), put together.
 *
 * The rules are run over each part alone. The same rule about the same subject in several parts is one finding: what
 * it cost adds up, the place to look at, the numbers and the words are those of the part where it cost most. What is
 * no cost (a percentile, a share) is said of that part alone.
 */
#ifndef GOTOP_TRIAGE_FINDING_PARTS_H
#define GOTOP_TRIAGE_FINDING_PARTS_H

#include "triage/findings/findings.h"

struct finding_parts {
    struct findings all; /* in no order, until finding_parts_end() */
    size_t cap;
    uint32_t parts;
};

/* finding_parts_add - the findings of the next part; of[] is emptied. The tables are still there. false: out of memory. */
bool finding_parts_add(struct finding_parts *p, const struct triage *tg, struct findings *of);
/* finding_parts_end - rank them and say in their texts what they are of. false: out of memory. */
bool finding_parts_end(struct finding_parts *p);
void finding_parts_free(struct finding_parts *p);

#endif
