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

struct worst_wait { /* one scheduler latency; was: the state before it */
    int64_t t0, t1;
    uint32_t g;
    uint8_t was;
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

/* A finished wait whose pair's row is not fetched yet (g_pairs.c). */
enum { PUT_OFF = 32 };
#define NOBODY UINT32_MAX
struct ended_wait {
    int64_t t0, t1;
    /* the waiting goroutine; the one that ended the wait, NO_LANE if none */
    uint32_t g, who;
    /* by: the waker's stack; waker: who's start function, NOBODY if none */
    uint32_t reason, stack, by, waker;
    uint32_t waiter, hash; /* g's start function; pair_hash() */
};

struct subtotal {
    struct tab by_name, by_syscall, by_wait_of, by_birth;
    struct rowtab by_wait, by_pair;
    struct group *groups;
    struct wait_row *waits;
    struct pair_row *pairs;
    struct syscall_row *syscalls;
    struct wait_of *wait_of;
    struct wake *wakes;
    struct birth *births;
    uint32_t *alive;
    size_t nalive, cap_alive, cap_births;
    uint32_t nbirths;
    uint32_t ngroups, nwaits, npairs, nsyscalls, nworst, nwait_of;
    size_t nwakes;
    size_t cap_groups, cap_waits, cap_pairs, cap_syscalls, cap_wakes, cap_wait_of;
    struct hist sched;
    struct worst_wait worst[WORST]; /* longest first */
    int64_t worst_least;            /* a longer latency is added to them; -1 until the array is full */
    int64_t label_ns[GC_MODES];
    uint32_t nrows, g1;
    uint32_t group, birth;                /* of the previous goroutine */
    struct lately lately_wait_of[LATELY]; /* the fields from here on are only used during the counting */
    struct gstat_rows rows; /* of consecutive goroutines, until the block is full; the last one is g1 - 1 */
    int64_t life[GSTATS_ROWS]; /* their lives */
    struct lately lately_pair[LATELY], lately_call[LATELY];
    struct ended_wait later[PUT_OFF];
    uint32_t nlater;
};

/* subtotal_goroutines - counts goroutines g0 .. g1-1 into an empty subtotal and into gstats. Returns false
 * when out of memory or unwanted. */
bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1);
/* subtotal_rows_put - moves the rows of the goroutines up to `last` to gstats and to their groups. Returns
 * false when out of memory or unwanted. */
bool subtotal_rows_put(struct subtotal *y, struct gstats *to, uint32_t last);
/* subtotal_wait - returns the row of `waits` for a reason at a stack. subtotal_pair - returns the row of
 * `pairs` with the waiter and the waker of `like`; hash: its pair_hash(). *made: the row is new and only
 * its key is set. Both return NULL when out of memory. */
struct wait_row *subtotal_wait(struct subtotal *y, uint32_t reason, uint32_t stack, bool *made);
struct pair_row *subtotal_pair(struct subtotal *y, const struct pair_row *like, uint32_t hash, bool *made);
/* subtotal_pair_ahead - fetches the row of a pair whose slot is fetched: it is asked for soon. */
void subtotal_pair_ahead(const struct subtotal *y, uint32_t hash);
/* pair_hash - returns the hash of a pair's key; waker: NOBODY if no goroutine ended the wait. */
static inline uint32_t pair_hash(uint32_t reason, uint32_t stack, uint32_t waker, uint32_t waker_stack)
{
    return rowtab_hash((uint64_t)reason << 32 | stack, (uint64_t)waker << 32 | waker_stack);
}
/* subtotal_wait_of - returns the row of `wait_of` for a start function and a reason; TAB_NONE when out of
 * memory. */
uint32_t subtotal_wait_of(struct subtotal *y, uint32_t name, uint32_t reason);
/* subtotal_worst - keeps a scheduler latency if it is among the worst. */
void subtotal_worst(struct subtotal *y, const struct worst_wait *x);

#endif
