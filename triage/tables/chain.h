/*
 * chain.h - why did this goroutine wait: the wake-ups backwards, as links and as text.
 *
 * The first link is the wait asked for. Each further link is the goroutine that ended the wait before it,
 * with what that goroutine did for most of the wait: if it waited itself, the chain goes on with who woke it.
 * Who woke whom is recorded; that this one held what was waited for is inferred.
 */
#ifndef GOTOP_TRIAGE_CHAIN_H
#define GOTOP_TRIAGE_CHAIN_H

#include "triage/text.h"

#define CHAIN_MAX 8
struct chain_link {
    uint32_t g;     /* lane */
    uint8_t state;  /* what it did for most of [t0,t1) */
    int64_t ns;     /* for how long */
    int64_t t0, t1; /* the wait (first link), or the span of `state` that took longest in the wait before */
    uint32_t reason, stack; /* of that span, 0 unknown */
    uint32_t wake_stack;    /* where this one woke the goroutine of the link before; 0 for the first */
};
/*
 * chain_follow - from goroutine g's wait (or runnable time) at t. Returns the number of links, 0 if g does
 * not wait at t. A chain that ends with a waiting goroutine was ended by the scheduler (timer, network) or
 * the trace's end.
 */
uint32_t chain_follow(const struct trace *tr, uint32_t g, int64_t t, struct chain_link out[CHAIN_MAX]);
/* chain_text - "G12 main.f waited 8.01ms (sync) at X <- woken by G9 main.g at Y, which was 8.00ms in a system
 * call
 * .." */
void chain_text(struct text *t, const struct trace *tr, const struct chain_link *c, uint32_t n);
/* chain_doing - what g did for most of [t0,t1): into *k, as in a link but without wake_stack.
 * chain_doing_text - "8.00ms in a system call at .." */
void chain_doing(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1, struct chain_link *k);
void chain_doing_text(struct text *t, const struct trace *tr, const struct chain_link *k);

#endif
