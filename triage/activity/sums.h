/*
 * sums.h - what happened in [t0,t1): exact sums per state, per goroutine, per start function, and where
 * goroutines waited. The states of processors and of the lane with the cursor are there at once; the rest is
 * added up in steps (O(log spans) per goroutine that lives in the range, then its spans there for the
 * places).
 */
#ifndef GOTOP_TRIAGE_SUMS_H
#define GOTOP_TRIAGE_SUMS_H

#include "decode/model/alive.h"
#include "triage/activity/asof.h"
#include "triage/activity/gstate.h"

enum { SUMS_KEPT = 40 };
enum { BY_RUNNING, BY_RUNNABLE, BY_WAITING, BY_SYSCALL, BY_COUNT };

enum { COLLECTS = 3 };
extern const enum state sums_collects[COLLECTS]; /* in which states goroutines work for the collector */

struct sums_row {
    int64_t ns[BY_COUNT];
    int64_t collected[COLLECTS]; /* of its running */
    uint32_t count, key;
    bool timed; /* of its system calls one at least (triage.h) */
};

struct sums {
    const struct trace *tr;
    struct gstate *const *gs;
    struct alive *alive;
    struct lane lane;
    bool group; /* whose row stands for all of its start function */
    int64_t t0, t1;
    bool mine_timed, procs_timed, all_timed; /* one of the system calls in these at least */
    int64_t runtime_ready;     /* runnable, of the runtime's own goroutines: the rest is the program's */
    struct shares mine, procs; /* the lane with the cursor; all processors */
    struct shares all;         /* all goroutines */
    struct sums_row top[BY_COUNT][SUMS_KEPT];
    int ntop[BY_COUNT];
    struct sums_row *func;  /* by name */
    struct sums_row *place; /* by function in which they waited */
    uint32_t nstr;
    uint32_t proc, at; /* the next processor, goroutine */
    bool in_lane;      /* lane `at` is half walked */
    uint64_t sub, walked, lanes;
    uint64_t moves;   /* how often goroutines ran on another P than before, within the range */
    uint32_t on;      /* where the half walked one ran last, NO_LANE: not yet */
    struct asof asof; /* when it was begun */
    bool cut, done;
    bool light; /* goroutines alone: no names, no places */
};

/* sums_new - for [t0,t1); sums_lane() says for which lane apart. NULL: out of
 * memory. alive: the goroutines'. */
struct sums *sums_new(const struct trace *tr, struct gstate *const *gs, struct alive *alive, int64_t t0,
                      int64_t t1);
/* sums_light - of goroutines alone. sums_top - the i-th that ran longest, how
 * long it did, and was runnable. */
struct sums *sums_light(const struct trace *tr, struct gstate *const *gs, struct alive *alive, int64_t t0,
                        int64_t t1);
uint32_t sums_top(const struct sums *s, int i, int64_t *ran, int64_t *ready);
bool sums_stale(const struct sums *s); /* what came since it was begun is of its range */
/* sums_lane - which lane is told of apart; group: its row stands for all goroutines of its start function, so
 * these are. */
void sums_lane(struct sums *s, struct lane l, bool group);
void sums_free(struct sums *s);
bool sums_step(struct sums *s, int64_t budget_ns); /* true: complete */
int sums_share(const struct sums *s);
bool sums_is(const struct sums *s, int64_t t0, int64_t t1); /* made for just that? */

#endif
