/*
 * subtotal.h - what a run of neighbouring goroutines adds to the tables. Runs are counted separately, so
 * that threads can count in parallel, and then added to struct triage in the goroutines' order. The runs do
 * not depend on the number of threads, so neither do the tables.
 *
 * goroutines.c counts; subtotal.c adds. Rows are numbered within the subtotal.
 */
#ifndef GOTOP_TRIAGE_SUBTOTAL_H
#define GOTOP_TRIAGE_SUBTOTAL_H

#include "triage/tri.h"

struct group_part { /* what goroutines of one group did */
    uint32_t group;
    bool timed;
    uint64_t moves;
    int64_t ns[GM_COUNT];
};

/* While pairs are counted, every wait and every system call (of reason 0) has one. In place of a waker's
 * start function: */
#define NOBODY UINT32_MAX          /* the timer or the poller ended it */
#define WAIT_OVER (UINT32_MAX - 1) /* it is over, and nothing says by whom */
#define WAIT_LOST (UINT32_MAX - 2) /* its end was not recorded */
#define WAIT_OPEN (UINT32_MAX - 3) /* it is not over when the trace ends */
#define CALL_OVER (UINT32_MAX - 4)
#define CALL_BLOCKED (UINT32_MAX - 5) /* it returned without a P */
#define NO_WAKER CALL_BLOCKED         /* the least of them */

struct subtotal {
    struct tab by_group, by_wait_of, by_pair;
    struct group_part *groups;
    struct pair_row *pairs;
    struct group_wait *wait_of;
    struct wake *wakes;
    uint32_t ngroups, npairs, nwait_of;
    size_t nwakes, cap_wakes;
    struct hist sched;
    struct longest_few worst, busiest; /* as in struct triage */
    int64_t label_ns[GC_MODES];
    struct long_runs long_runs;
};

/* subtotal_goroutines - counts goroutines g0 .. g1-1 into an empty subtotal. Returns false when out of memory
 * or unwanted. */
bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1);
/* subtotal_pair - returns the pair of waits for a reason at a stack that a waker (its start function, or one
 * of the above) ended in the stack `by`; *made: it is new. Returns NULL when out of memory. */
struct pair_row *subtotal_pair(struct subtotal *y, uint32_t reason, uint32_t stack, uint32_t waker,
                               uint32_t by, bool *made);
/* subtotal_wait_of - returns the row of `wait_of` for a group and a reason; NULL when out of memory. */
struct group_wait *subtotal_wait_of(struct subtotal *y, uint32_t group, uint32_t reason);
/* moment_before - whether a lasted longer, or as long and its goroutine's or its own start is before. */
bool moment_before(const struct moment *a, const struct moment *b);
/* longest_add - keeps a time if it is among the longest. */
void longest_add(struct longest_few *l, const struct sched_wait *x);

#endif
