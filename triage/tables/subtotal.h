/*
 * subtotal.h - what a run of neighbouring goroutines adds to the tables: counted apart from all others, so
 * that threads may count side by side, then added to struct triage in the goroutines' order. What a run is
 * doesn't depend on how many threads there are, so neither do the tables.
 *
 * Who includes it: goroutines.c, which counts, and subtotal.c, which adds. Rows are numbered within the
 * subtotal.
 */
#ifndef GOTOP_TRIAGE_SUBTOTAL_H
#define GOTOP_TRIAGE_SUBTOTAL_H

#include "triage/tri.h"

struct worst_wait { /* a scheduler latency; was: the state before it */
    int64_t t0, t1;
    uint32_t g;
    uint8_t was;
};
struct start_name {
    uint32_t g, name; /* g: + 1 */
};
enum { START_NAMES = 512 };

/* Rows lately asked for, each where its key says: before a table is asked. */
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

/* A wait that is over, until its pair's row is at hand (g_pairs.c). */
enum { PUT_OFF = 32 };
#define NOBODY UINT32_MAX
struct ended_wait { /* or several that ended alike: t0, t1 and who are of the longest */
    int64_t t0, t1, ns;
    uint32_t count;
    uint32_t g, who;                   /* whose it was; who ended it, NO_LANE: none */
    uint32_t reason, stack, by, waker; /* by: the stack there; waker: who's start function, NOBODY: none */
    uint32_t waiter, hash;             /* g's start function; pair_hash() */
};

struct subtotal {
    struct tab by_name, by_syscall, by_wait_of, by_birth;
    struct rowtab by_wait, by_pair;
    struct group *groups;
    struct wait_row *waits;
    struct pair_row *pairs;
    struct syscall_row *syscalls;
    struct lock_wait *locks; /* the LOCK_WAITS longest: in no order until they are so many, then a heap */
    struct wait_of *wait_of;
    struct wake *wakes;
    struct birth *births;
    uint32_t *alive;
    size_t nalive, cap_alive, cap_births;
    uint32_t nbirths;
    uint32_t ngroups, nwaits, npairs, nsyscalls, nlocks, nworst, nwait_of;
    size_t nwakes, nchanges, cap_changes;
    size_t cap_groups, cap_waits, cap_pairs, cap_syscalls, cap_locks, cap_wakes, cap_wait_of;
    struct hist sched;
    struct worst_wait worst[WORST]; /* longest first */
    int64_t worst_least;            /* what is longer is among them: -1 until there are so many */
    int64_t label_ns[GC_MODES];
    uint64_t lock_waits_all, *changes;
    uint32_t nrows, g1;
    uint32_t group, birth; /* of the goroutine before */
    bool has_system;       /* sched_system is anything, as in few runs: else it isn't kept, see kept_of() */
    struct hist sched_system;
    struct lately lately_wait_of[LATELY]; /* from here on only while it is counted */
    struct start_name name[START_NAMES];  /* names lately asked for */
    struct gstat_rows
        rows; /* of goroutines behind one another, until there are so many; the last one is g1 - 1 */
    int64_t life[GSTATS_ROWS]; /* theirs */
    struct lately lately_pair[LATELY], lately_call[LATELY];
    struct ended_wait later[PUT_OFF];
    uint32_t nlater;
};

/* subtotal_goroutines - count goroutines g0 .. g1-1 into an empty subtotal, and to gstats.h. false: out of
 * memory, or unwanted. */
bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1);
/* subtotal_change - for idle.c: from t0 to t1 one more is so. false: out of memory. */
bool subtotal_change(struct subtotal *y, enum counted what, int64_t t0, int64_t t1);
/* subtotal_rows_put - the rows of goroutines up to the last one go to gstats.h and to their groups. false:
 * out of memory, or unwanted. */
bool subtotal_rows_put(struct subtotal *y, struct gstats *to, uint32_t last);
/*
 * subtotal_wait - the row of `waits` for a reason at a stack. subtotal_pair - that of `pairs` for who waited
 * and was woken as `like` says; hash: its pair_hash(). *made: it is new, and has nothing yet but these. NULL:
 * out of memory.
 */
struct wait_row *subtotal_wait(struct subtotal *y, uint32_t reason, uint32_t stack, bool *made);
struct pair_row *subtotal_pair(struct subtotal *y, const struct pair_row *like, uint32_t hash, bool *made);
/* pair_hash - what pairs are found by; waker: NOBODY if none ended it. */
static inline uint32_t pair_hash(uint32_t reason, uint32_t stack, uint32_t waker, uint32_t waker_stack)
{
    return rowtab_hash((uint64_t)reason << 32 | stack, (uint64_t)waker << 32 | waker_stack);
}
/* subtotal_wait_of - the row of `wait_of` for a start function and a reason; TAB_NONE: out of memory. */
uint32_t subtotal_wait_of(struct subtotal *y, uint32_t name, uint32_t reason);
/* subtotal_lock - a wait for a lock, if it is among the longest. subtotal_worst - a scheduler latency, if it
 * is among the worst. */
bool subtotal_lock(struct subtotal *y, const struct lock_wait *lw);
void subtotal_worst(struct subtotal *y, const struct worst_wait *x);

#endif
