/*
 * waits_at.h - waits at one function of the program, put together from the pairs of who waited for whom.
 */
#ifndef GOTOP_TRIAGE_WAITS_AT_H
#define GOTOP_TRIAGE_WAITS_AT_H

#include "triage/findings/causes.h"

/* Waits at one place, put together from the pairs; most: the pair that waited longest. */
struct waits_at {
    uint32_t place;
    int64_t total;
    uint64_t count;
    const struct pair_row *most;
};
#define PAIRS_ASKED 4096 /* rows of waits, the largest, of which a rule asks what costs a walk over others for each */
/*
 * waits_at_add - adds a pair to the row of its place among v[*n], of which there is room for `most`; else it is left
 * out.
 */
void waits_at_add(struct waits_at *v, uint32_t *n, uint32_t most, uint32_t place, const struct pair_row *p);
/*
 * waits_at_rows - the same of all pairs that `pick` says yes to, at functions of the program: how many rows. asked:
 * of so many of the largest only.
 */
typedef bool waits_pick(const struct causes *c, const struct pair_row *p);
#define PAIRS_ALL UINT32_MAX
uint32_t waits_at_rows(const struct causes *c, struct waits_at *v, uint32_t most, uint32_t asked, waits_pick *pick);
/* waits_at_share - of the lives of goroutines of the group that waits longest there; 0: it is none. */
double waits_at_share(const struct causes *c, const struct waits_at *p);
/* waits_timed - for waits_at_rows(): may a timer have ended these? */
bool waits_timed(const struct causes *c, const struct pair_row *p);
/*
 * waits_between - waits of group a that b ended, by channels and conditions: the row of most time, how long and how
 * many all are.
 */
const struct pair_row *waits_between(const struct causes *c, uint32_t a, uint32_t b, int64_t *ns, uint64_t *count);
/*
 * waits_at_brought - is what a group waits for at a place mostly brought by others, who do not wait there, not given
 * back by its own kind? Then it is work, not one of a set. Waits that are ended in vain don't count.
 */
bool waits_at_brought(const struct causes *c, uint32_t waiter, uint32_t place);
/*
 * waits_at_parts - do goroutines of a group wait at a place mostly for others that they began themselves? Then they join parts of their own
 * work (a recursion): nothing is passed round. waits_at_stages - do they stand in a row, each waiting mostly for one that does not wait, by way
 * of others, for it? What is passed round comes back. Of many goroutines that isn't looked at: false.
 */
bool waits_at_parts(const struct causes *c, uint32_t group, uint32_t place);
bool waits_at_stages(const struct causes *c, uint32_t group, uint32_t place);
/*
 * waits_at_text - "link.ask, called by main.notifyShop, by main.run": as many callers as nearly all of it had; where
 * it has several, the one of half of it or more, with its share.
 */
void waits_at_text(struct text *t, const struct causes *c, const struct waits_at *p);
/* What the waits at one place are by the clock. */
struct waits_seen {
    /* while at least one waits there: no more is won by ending all of them; upwards, by less than a part of 4096 */
    int64_t clock;
    int64_t each; /* how long those lasted, on average, whose end was looked at .. */
    /* .. and those of them at whose end a processor was free to look at the network, and nothing was marked */
    int64_t soon;
    uint32_t n, free; /* how many these are */
};
/*
 * waits_seen - walks the goroutines that wait there. The sum of waits that lie side by side is no time of the trace.
 * Nor is all of a wait the other side's where every processor is in use when it ends: the network is looked at by who
 * has nothing else to do, so the answer may have been there before.
 */
struct waits_seen waits_seen(const struct causes *c, const struct waits_at *p);

#endif
