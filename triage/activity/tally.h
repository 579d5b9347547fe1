/*
 * tally.h - what goroutines do at a moment, and did in the time before it, by start function.
 *
 * Exact: times are those of the lanes (gstate_shares), states at the moment those of the spans there. Counted
 * in steps: O(log spans) per goroutine that lives in the time. Pure; belongs to who made it.
 */
#ifndef GOTOP_TRIAGE_TALLY_H
#define GOTOP_TRIAGE_TALLY_H

#include "decode/model/alive.h"
#include "triage/activity/gstate.h"

enum tally_now { NOW_RUN, NOW_READY, NOW_BLOCKED, NOW_CALL, NOW_OTHER, NOW_COUNT };
enum tally_time { TIME_RAN, TIME_ASSIST, TIME_READY, TIME_COUNT };

struct tally_row {
    uint32_t name;           /* string: the start function */
    uint32_t g;              /* that live in the time */
    uint32_t now[NOW_COUNT]; /* that are so at the moment */
    uint32_t there;          /* that live at the moment: the sum of now[] */
    uint32_t created;        /* within the time */
    int64_t ns[TIME_COUNT];
    uint32_t most; /* the goroutine that ran most, or was there at the moment; NO_LANE never */
    int64_t most_ns;
    uint32_t why, nwhy; /* its rows in why[], most goroutines first */
};

struct tally_why { /* blocked at the moment, on what */
    uint32_t row, reason, func, n;
};

struct tally {
    const struct trace *tr;
    int64_t t0, t1, at; /* the time [t0,t1), the moment */
    uint64_t events;    /* of the trace when it was begun */
    struct tally_row *row, all;
    uint32_t n, cap;
    struct tally_why *why;
    uint32_t nwhy;
    size_t cap_why;
    uint32_t *of_name, nnames; /* row + 1 by name */
    uint32_t next;             /* the next goroutine to look at */
    bool done, failed;
};

/* tally_new - NULL: out of memory. tally_step - true: complete (or out of memory, `failed`). */
struct tally *tally_new(const struct trace *tr, int64_t t0, int64_t t1, int64_t at);
bool tally_step(struct tally *t, struct alive *alive, struct gstate *gs, int64_t budget_ns);
void tally_free(struct tally *t);

#endif
