/*
 * sums.h - exact sums over [t0,t1) per state, per goroutine and per start function, and the places where
 * goroutines waited. The states of processors and of the lane under the cursor are available at once; the
 * rest is summed in steps, O(log spans) per goroutine that lives in the range, then its spans there for the
 * places.
 */
#ifndef GOTOP_TRIAGE_SUMS_H
#define GOTOP_TRIAGE_SUMS_H

#include "decode/model/alive.h"
#include "triage/activity/gstate.h"

enum { SUMS_KEPT = 40 };
enum { BY_RUNNING, BY_RUNNABLE, BY_WAITING, BY_SYSCALL, BY_COUNT };

enum { COLLECTS = 3 };
extern const enum state sums_collects[COLLECTS]; /* the states in which goroutines work for the collector */

struct sums_row {
    int64_t ns[BY_COUNT];
    int64_t collected[COLLECTS]; /* part of its running time */
    uint32_t count, key;
    bool timed; /* the duration of at least one of its system calls is known (triage.h) */
};

struct sums {
    const struct trace *tr;
    struct gstate *const *gs;
    struct alive *alive;
    struct lane lane;
    bool group; /* `lane` stands for all goroutines of its start function */
    int64_t t0, t1;
    bool mine_timed, procs_timed, all_timed; /* the duration of at least one system call in these is known */
    int64_t runtime_ready;     /* runnable time of the runtime's own goroutines; the rest is the program's */
    struct shares mine, procs; /* the lane under the cursor; all processors */
    struct shares all;         /* all goroutines */
    struct sums_row top[BY_COUNT][SUMS_KEPT];
    int ntop[BY_COUNT];
    struct sums_row *func;  /* indexed by name */
    struct sums_row *place; /* indexed by the function that waited */
    uint32_t nstr;
    uint32_t proc, at; /* the next processor and goroutine */
    bool in_lane;      /* lane `at` is partly walked */
    uint64_t sub, walked, lanes;
    uint64_t moves; /* how often goroutines ran on another P than before, within the range */
    uint32_t on;    /* the last P of the partly walked lane; NO_LANE: none yet */
    bool cut, done;
};

/* sums_new - starts the sums over [t0,t1); sums_lane() selects the lane that is summed separately. Returns
 * NULL if out of memory. alive belongs to the goroutines. */
struct sums *sums_new(const struct trace *tr, struct gstate *const *gs, struct alive *alive, int64_t t0,
                      int64_t t1);
/* sums_lane - selects the lane that is summed separately; group: it stands for all goroutines of its start
 * function. */
void sums_lane(struct sums *s, struct lane l, bool group);
void sums_free(struct sums *s);
bool sums_step(struct sums *s, int64_t budget_ns); /* returns true when complete */
int sums_share(const struct sums *s);
bool sums_is(const struct sums *s, int64_t t0, int64_t t1); /* whether the sums cover exactly that range */

#endif
