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

struct time_of { /* one scheduler latency; was: the state before it. Or [0, t1): how long a goroutine ran. */
    int64_t t0, t1;
    uint32_t g;
    uint8_t was;
};
struct longest { /* the longest first */
    struct time_of v[WORST];
    uint32_t n;
    int64_t least; /* longer ones are added; -1 until the array is full */
};
/* A cache of recently used rows, indexed by their key, that is searched before the table. */
struct lately {
    uint64_t key[2];
    uint32_t row; /* + 1 */
};
enum { LATELY = 256 };
static inline struct lately *lately_of(struct lately v[LATELY], uint32_t a, uint32_t b, uint32_t c,
                                       uint32_t d)
{
    return &v[(a * 0x9e3779b1u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u ^ d * 0x27d4eb2fu) >> 24];
}
static inline bool lately_is(const struct lately *l, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return l->key[0] == ((uint64_t)a << 32 | b) && l->key[1] == ((uint64_t)c << 32 | d) && l->row;
}
static inline void lately_set(struct lately *l, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t row)
{
    *l = (struct lately){{(uint64_t)a << 32 | b, (uint64_t)c << 32 | d}, row + 1};
}

struct pair_key {
    /* waker: start function of who ended the wait, or one of those below; by: the stack it did so in */
    uint32_t reason, stack, waker, by;
};
/* A wait whose pair's row is not fetched yet (g_pairs.c). */
enum { PUT_OFF = 32 };
struct ended_wait {
    int64_t t0, t1;
    /* the waiting goroutine; the one that ended the wait, NO_LANE if none */
    uint32_t g, who;
    struct pair_key k;
    uint32_t waiter, hash; /* g's start function; pair_hash() */
};

struct group_part { /* what goroutines of one group did */
    uint32_t group;
    bool timed;
    uint64_t moves;
    int64_t ns[GM_COUNT];
};

/* While pairs are counted, every wait has one. In place of a waker's start function: */
#define NOBODY UINT32_MAX          /* the timer or the poller ended it */
#define WAIT_OVER (UINT32_MAX - 1) /* it is over, and nothing says by whom */
#define WAIT_LOST (UINT32_MAX - 2) /* its end was not recorded */
#define WAIT_OPEN (UINT32_MAX - 3) /* it is not over when the trace ends */

struct subtotal {
    struct tab by_group, by_syscall, by_wait_of;
    struct rowtab by_pair;
    struct group_part *groups;
    struct pair_row *pairs;
    struct syscall_row *syscalls;
    struct wait_of *wait_of;
    struct wake *wakes;
    uint32_t ngroups, npairs, nsyscalls, nwait_of;
    size_t nwakes;
    size_t cap_groups, cap_pairs, cap_syscalls, cap_wakes, cap_wait_of;
    struct hist sched;
    struct longest worst; /* scheduler latencies */
    struct longest busy;  /* goroutines, by how long they ran */
    int64_t label_ns[GC_MODES];
    uint32_t group;                       /* row of the present goroutine's */
    struct lately lately_wait_of[LATELY]; /* the fields from here on are only used during the counting */
    struct lately lately_pair[LATELY], lately_call[LATELY];
    struct ended_wait later[PUT_OFF];
    uint32_t nlater;
};

/* subtotal_goroutines - counts goroutines g0 .. g1-1 into an empty subtotal. Returns false when out of memory
 * or unwanted. */
bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1);
/* subtotal_pair - returns the row of `pairs` with that key; hash: its pair_hash(). *made: the row is new and
 * only its key is set. Returns NULL when out of memory. */
struct pair_row *subtotal_pair(struct subtotal *y, const struct pair_key *k, uint32_t hash, bool *made);
/* subtotal_pair_ahead - fetches the row of a pair whose slot is fetched: it is asked for soon. */
void subtotal_pair_ahead(const struct subtotal *y, uint32_t hash);
static inline uint32_t pair_hash(const struct pair_key *k)
{
    return rowtab_hash((uint64_t)k->reason << 32 | k->stack, (uint64_t)k->waker << 32 | k->by);
}
/* subtotal_wait_of - returns the row of `wait_of` for a group and a reason; TAB_NONE when out of memory. */
uint32_t subtotal_wait_of(struct subtotal *y, uint32_t group, uint32_t reason);
/* longest_add - keeps a time if it is among the longest. */
void longest_add(struct longest *l, const struct time_of *x);

#endif
