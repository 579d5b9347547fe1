/*
 * why.h - an explanation (explain.h) that is kept: its rows, the goroutines whose time it is, and which of
 * them it was at any moment.
 *
 * What is exactly a task's time is that task: its goroutines are followed (legs.h).
 *
 * The leaves of an explanation lie side by side, so at each moment of [t0,t1) there is one goroutine that all
 * waited for. why_leaf_from() finds it; the lanes are marked by it, and the page of the explanation draws it.
 */
#ifndef GOTOP_TRIAGE_WHY_H
#define GOTOP_TRIAGE_WHY_H

#include "triage/findings/explain.h"

enum { WHY_CHAIN = 64, WHY_ROWS = 400 };

struct why_leaf {
    int64_t t0, t1;
    uint32_t g;
    uint8_t state; /* enum state: how its lane shows it */
};
struct why {
    uint32_t g;
    uint32_t task; /* its index in trace_tasks(), if it is a task; NO_TASK */
    int64_t t0, t1;
    struct explain_tree tree;
    struct {
        uint32_t node;
        int depth;
    } row[WHY_ROWS]; /* largest first, each before what explains it; below half a per cent none */
    uint32_t nrows;
    struct why_leaf *leaf; /* by time */
    uint32_t nleaves;
    struct {
        uint32_t g;
        int64_t ns, first, last; /* of the leaves that are its; from when to when it is spoken of */
    } chain[WHY_CHAIN]; /* who was asked for first, then whom it waited for, then whom these waited for */
    uint32_t nchain;
    bool cut; /* some waits are not followed to their end */
};

/*
 * why_begin - an explanation that takes its time: of goroutine g in [t0,t1). Of a
 * trace that grows it is made at once, and cut sooner. why_step - go on with it for about budget_ns; true: it
 * is over, and *out is the explanation, the caller's (NULL: out of memory). why_end - it is no longer wanted
 * (NULL is allowed).
 */
struct why_job;
/* why_long - of a trace that grows: its own spans there are too many for that. */
bool why_long(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
struct why_job *why_begin(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
bool why_step(struct why_job *j, int64_t budget_ns, struct why **out);
void why_end(struct why_job *j);
void why_free(struct why *y);
/* why_leaf_from - the first leaf that ends behind t, nleaves: none. */
uint32_t why_leaf_from(const struct why *y, int64_t t);

#endif
