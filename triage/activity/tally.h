/*
 * tally.h - what goroutines do at a moment and did in a time range before it, by start function.
 *
 * The results are exact: times are those of the lanes (gstate_shares), states at the moment those of the
 * spans there. They are counted in steps, O(log spans) per goroutine that lives in the range. It is a pure
 * computation, owned by its creator.
 */
#ifndef GOTOP_TRIAGE_TALLY_H
#define GOTOP_TRIAGE_TALLY_H

#include "decode/model/alive.h"
#include "triage/activity/gstate.h"
#include "triage/tables/tab.h"

enum tally_now { NOW_OTHER, NOW_RUN, NOW_READY, NOW_BLOCKED, NOW_CALL, NOW_COUNT };
enum tally_time { TIME_RAN, TIME_ASSIST, TIME_READY, TIME_WAITED, TIME_CALLED, TIME_COUNT };

struct tally_row {
    uint32_t name;           /* string: the start function */
    uint32_t g;              /* goroutines that live in the range */
    uint32_t now[NOW_COUNT]; /* goroutines in each state at the moment */
    uint32_t there;          /* goroutines that live at the moment: the sum of now[] */
    uint32_t created;        /* goroutines created in the range */
    int64_t ns[TIME_COUNT];
    uint32_t most; /* the goroutine that ran most or existed at the moment; never NO_LANE */
    int64_t most_ns;
    uint32_t why, nwhy; /* its rows in why[], those with most goroutines first */
};

struct tally_why { /* goroutines blocked at the moment, by reason and function */
    uint32_t row, reason, func, n;
};

struct tally {
    const struct trace *tr;
    int64_t t0, t1, at; /* the range [t0,t1), and the moment */
    struct tally_row *row, all;
    uint32_t n;
    struct tally_why *why;
    uint32_t nwhy;
    struct tab by_name, by_place;
    uint32_t next; /* the next goroutine to examine */
    bool done, failed;
};

/* tally_new - starts a tally. Returns NULL if out of memory. tally_step - returns true when complete or out
 * of memory (`failed`). */
struct tally *tally_new(const struct trace *tr, int64_t t0, int64_t t1, int64_t at);
bool tally_step(struct tally *t, struct alive *alive, struct gstate *gs, int64_t budget_ns);
void tally_free(struct tally *t);

#endif
