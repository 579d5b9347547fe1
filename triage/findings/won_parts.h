/*
 * won_parts.h - what the files about possible gains share: shares of the trace's length, what is said of them, and who held a lock when.
 */
#ifndef GOTOP_TRIAGE_WON_PARTS_H
#define GOTOP_TRIAGE_WON_PARTS_H

#include "triage/findings/causes.h"
#include "triage/findings/holder.h"
#include "triage/findings/thresholds.h"

#define LEAST threshold(TH_WON_LEAST)
#define SPREAD threshold(TH_WON_SPREAD)

struct span_of_won {
    double lo, hi; /* shares of the trace */
    bool more;     /* hi is what the trace shows: it may be more */
    const char *words;
    enum {
        FREE,
        ON_WAY,
        BEYOND
    } bound;   /* what bounds lo: a share of the main goroutine's way, or that it is not followed */
    double on; /* that share */
};

struct held { /* holdings of the lock, by goroutine, then time; none overlap */
    struct holding *v;
    size_t n, cap;
};

/* won_held - won_held.c: when goroutines held a lock. `h`, of another one before or zeroed, is filled anew. false: out of memory. */
bool won_held(const struct triage *tg, uint32_t lock, struct held *h);
/* won_while_there - won_held.c: ns by the clock in which one of these groups, which are put in order, was there. */
int64_t won_while_there(const struct causes *c, uint32_t *group, uint32_t n);
/* won_text - won_text.c: the sentence about it. */
void won_text(struct text *t, const struct finding *f, const struct causes *c, const struct span_of_won *o);

#endif
