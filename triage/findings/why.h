/*
 * why.h - an explanation (explain.h) that is stored: its rows, the goroutines whose time it is, and which
 * of them it was at any moment.
 *
 * An interval that is exactly a task's is taken as that task: its goroutines are followed (legs.h).
 *
 * The leaves of an explanation are adjacent, so at each moment of [t0,t1) there is one goroutine that all
 * others waited for. why_leaf_from() finds it. Lanes are marked and the explanation's page is drawn from
 * it.
 */
#ifndef GOTOP_TRIAGE_WHY_H
#define GOTOP_TRIAGE_WHY_H

#include "triage/work/work.h"

enum { WHY_CHAIN = 64, WHY_ROWS = 400 };

struct why_member {          /* a goroutine of an explanation */
    uint32_t g, depth;       /* depth: goroutines between it and the one asked for */
    int64_t ns, first, last; /* sum of its leaves; first and last time that is spoken of */
};
struct why_leaf {
    int64_t t0, t1;
    uint32_t g;
    uint8_t state; /* enum state that its lane shows */
};
struct why {
    uint32_t g;
    uint32_t task; /* index in trace_tasks() if it is a task; NO_TASK */
    int64_t t0, t1;
    struct work_tree tree;
    struct {
        uint32_t node;
        int depth;
    } row[WHY_ROWS]; /* largest first, each before what explains it; none below half a percent */
    uint32_t nrows;
    struct why_leaf *leaf; /* by time */
    uint32_t nleaves;
    /* the goroutine asked for first, then those it waited for, then those these waited for */
    struct why_member chain[WHY_CHAIN];
    uint32_t nchain;
    bool cut; /* some waits are not followed to their end */
};

/* why_begin - Start an explanation of goroutine g in [t0,t1) that is made in steps. For a growing trace it
 * is made at once, with a smaller bound. why_step - Continue for about budget_ns; returns true at the end,
 * with *out the explanation, owned by the caller (NULL: out of memory). why_end - Free it, finished or not
 * (NULL is allowed). */
struct why_job;
/* why_long - True for a growing trace if the interval has too many spans for that. */
bool why_long(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
struct why_job *why_begin(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
bool why_step(struct why_job *j, int64_t budget_ns, struct why **out);
void why_end(struct why_job *j);
void why_free(struct why *y);
/* why_leaf_from - Returns the first leaf that ends after t, or nleaves. */
uint32_t why_leaf_from(const struct why *y, int64_t t);

#endif
