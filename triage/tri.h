/*
 * tri.h - what the files that fill struct triage share; nobody else includes it.
 *
 * Each triage_* function below is one phase: it returns false when out of memory.
 */
#ifndef GOTOP_TRIAGE_TRI_H
#define GOTOP_TRIAGE_TRI_H

#include "decode/base/hash.h"
#include "triage/tables/slices.h"
#include "triage/triage.h"

struct wake {        /* A wake-up in vain, for the herds. */
    int64_t t, lost; /* lost: in the scheduler, and running */
    uint32_t pair, waker, g;
};
#define WAKES_MAX (1u << 18)

struct birth { /* The program's goroutines created at one place with one start function. */
    uint32_t create_stack, name, created, ended;
};
struct triage_work {
    uint32_t next;         /* the next goroutine to count */
    struct slices *slices; /* NULL: runs without slices */
    uint32_t ngroup_waits;
    struct wake *wakes;
    size_t nwakes;
    struct birth *births;
    uint32_t nbirths;
    uint32_t *alive; /* those of the created goroutines that have not ended */
    size_t nalive;
};

/* These are the steps of counting. All return false when out of memory. */
/* triage_groups - finds who all goroutines are: their groups, births, and who is alive at the end (groups.c).
 * triage_goroutines - then counts what they did, on several threads (subtotal.c). triage_groups_end - then
 * sorts the groups and their waits (groups.c). */
bool triage_groups(struct triage *tg);
bool triage_goroutines(struct triage *tg);
bool triage_groups_end(struct triage *tg);
/* gc_mode_next - returns the mode in which a mark worker runs in a span of kind s; mode: its mode so far,
 * GC_UNLABELLED at first. The runtime labels a worker when it starts. A worker that resumes after it was
 * preempted or blocked gets no new label and keeps its mode. Between two cycles it has no mode. */
enum gc_mode gc_mode_next(const struct trace *tr, enum gc_mode mode, const struct span_tag *s);
/* procs.c. tri_procs_at - returns how many Ps there are at t, and until when: GOMAXPROCS (its first value
 * holds from the start on); where it is not recorded, the Ps that the trace mentions. */
bool triage_procs(struct triage *tg);
int64_t tri_procs_at(const struct trace *tr, int64_t t, int64_t *until);
/* gc.c: triage_gc() also makes the curve of the mutator utilisation, if anything was collected.
 * tri_stop_is_gc - whether a stop of that kind is for the collector: before Go 1.10 kinds have no names, and
 * nothing else stopped the world. */
bool triage_gc(struct triage *tg);
bool tri_stop_is_gc(const struct trace *tr, uint32_t kind);
/* mmu.c */
bool triage_mmu_curve(struct triage *tg);
/* leaks.c */
bool triage_leaks(struct triage *tg);
bool triage_herds(struct triage *tg);

/* tri_clip - clips [*t0,*t1) to the trace, since a range may have started before it. Returns false if
 * nothing remains. */
static inline bool tri_clip(const struct triage *tg, int64_t *t0, int64_t *t1)
{
    bool out = *t1 < 0 || *t0 > tg->end || (*t1 == 0 && *t0 < 0);
    *t0 = *t0 > 0 ? *t0 : 0;
    *t1 = *t1 < tg->end ? *t1 : tg->end;
    return !out;
}
static inline bool tri_is_exec(uint8_t state)
{
    return state == ST_RUNNING || state == ST_GCWORK || state == ST_ASSIST;
}

/* ---- subtotals ----------------------------------------------------------------------------------------- */

/*
 * A subtotal is what a run of neighbouring goroutines adds to the tables. Runs are counted separately, so
 * that threads can count in parallel, and then added to struct triage in the goroutines' order. The runs do
 * not depend on the number of threads, so neither do the tables.
 *
 * goroutines.c counts; subtotal.c adds. Rows are numbered within the subtotal.
 */
struct group_part { /* what goroutines of one group did */
    uint32_t group;
    bool timed;
    int64_t first, last;
    int64_t ns[GM_COUNT];
};

/* While pairs are counted, every wait and every system call (of reason 0) has one, and `waker` is the waker's
 * group. In place of a group: */
#define NOBODY UINT32_MAX          /* the timer or the poller ended it */
#define WAIT_OVER (UINT32_MAX - 1) /* it is over, and nothing says by whom */
#define WAIT_LOST (UINT32_MAX - 2) /* its end was not recorded */
#define WAIT_OPEN (UINT32_MAX - 3) /* it is not over when the trace ends */
#define CALL_OVER (UINT32_MAX - 4)
#define CALL_BLOCKED (UINT32_MAX - 5) /* it returned without a P */
#define NO_WAKER CALL_BLOCKED         /* the least of them */

struct pairs {
    /* At the hash of a pair's key: 1 + its row, which fits the mask, and the rest of the hash, so that rows
     * of others are not read; 0: none. */
    uint32_t *at, mask, n;
    struct pair_row *v;
    struct wake *wakes;
    size_t cap, nwakes, cap_wakes;
};
struct subtotal {
    struct tab by_group, by_wait_of;
    struct pairs pairs;
    struct group_part *groups;
    struct group_wait *wait_of;
    uint32_t ngroups, nwait_of;
    struct hist sched;
    struct longest_few longest_runnable, busiest; /* as in struct triage */
    int64_t label_ns[GC_MODES];
    struct long_runs long_runs;
};

/* subtotal_goroutines - counts goroutines g0 .. g1-1 into an empty subtotal. Returns false when out of memory
 * or unwanted. */
bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1);
/*
 * pairs_find - returns the pair of waits (reason << 32 | stack) that were ended so (waker << 32 | its
 * stack); NULL: there is none. pairs_new - adds it, but for what is counted. Returns NULL when out of
 * memory. Both are for loops over all waits of a trace: in a large table most look-ups wait for memory, so
 * the places are no more than numbers.
 */
static inline uint32_t pair_hash(uint64_t wait, uint64_t end)
{
    return (uint32_t)hash_fold(wait ^ hash_secret[0], end ^ hash_secret[1]);
}
/* pairs_fetch - fetches the rows of n places (in y->at), and the places before, side by side. */
static inline void pairs_fetch(const struct pairs *y, const uint32_t *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(at[i]);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = *at[i] & y->mask;
        if (!row)
            continue;
        __builtin_prefetch(&y->v[row - 1]);
        __builtin_prefetch(&y->v[row - 1].futile);
    }
}
static inline struct pair_row *pairs_find(const struct pairs *y, uint64_t wait, uint64_t end)
{
    const uint32_t h = pair_hash(wait, end), mask = y->mask;
    for (uint32_t i = h & mask, at; (at = y->at[i]); i = (i + 1) & mask) {
        struct pair_row *p = &y->v[(at & mask) - 1];
        if (((at ^ h) & ~mask) == 0 && p->stack == (uint32_t)wait && p->waker_stack == (uint32_t)end &&
            p->waker == end >> 32 && p->reason == wait >> 32)
            return p;
    }
    return NULL;
}
struct pair_row *pairs_new(struct pairs *y, uint64_t wait, uint64_t end);
/* subtotal_wait_of - returns the row of `wait_of` for a group and a reason; NULL when out of memory. */
struct group_wait *subtotal_wait_of(struct subtotal *y, uint32_t group, uint32_t reason);
/* longest_add - keeps a time if it is among the longest. */
void longest_add(struct longest_few *l, const struct sched_wait *x);

#endif
