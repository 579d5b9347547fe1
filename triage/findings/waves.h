/*
 * waves.h - what goroutines of one start function ask for at one function, by time: rules_waves.c gathers it, and tells of what many
 * get at once; rules_crowds.c of the same where no pause parts the waves, rules_bursts.c of what comes in bursts.
 */
#ifndef GOTOP_TRIAGE_WAVES_H
#define GOTOP_TRIAGE_WAVES_H

#include "triage/findings/causes.h"

struct ask {
    uint32_t g, by; /* by: who woke the goroutine before it asked, or began it; NO_LANE */
    int64_t t0, t1, woken;
    uint32_t ended; /* by which goroutine, NO_LANE none */
    uint32_t round; /* of that goroutine */
};
struct asked { /* of a group, by place and who called that */
    uint32_t place, caller, stack;
    bool runs;
    struct ask *v;
    size_t n, cap;
    int64_t total;
};

/* waves_caused - were most of a wave's goroutines woken, or begun, by one at one moment, just before they asked? */
bool waves_caused(const struct ask *v, size_t n);
/* crowds_told - rules_crowds.c: with so many rounds in all; k->v by time. true: told. */
bool crowds_told(struct causes *c, uint32_t group, const struct asked *k, uint64_t rounds);
/* bursts_told - rules_bursts.c; k->v by time. */
void bursts_told(struct causes *c, uint32_t group, const struct asked *k);

#endif
