/*
 * why.h - where the time went, of what is under the cursor: an explanation (explain.h) that stays until the
 * next one, its rows, the goroutines whose time it is, and which of them it was at any moment.
 *
 * What is exactly a task's time is that task: its goroutines are followed (legs.h).
 *
 * The leaves of an explanation lie side by side, so at each moment of [t0,t1) there is one goroutine that all
 * waited for. why_leaf_from() finds it; the lanes are marked by it, and the page of the explanation draws it.
 */
#ifndef GOTOP_LAYOUT_WHY_H
#define GOTOP_LAYOUT_WHY_H

#include "layout/move/view.h"
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
 * why_here - what is asked for: the selected range of the goroutine under the cursor; the task, region, thing
 * or finding of the row, or the longest wait of it; the thing of a table one came from to the lane, while the
 * cursor stays there; else the span under it. false: nothing of a goroutine is there, so there is nothing to
 * explain.
 */
bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);
/*
 * why_begin - an explanation that takes its time: of goroutine g in [t0,t1), asked for from a place. Of a
 * trace that grows it is made at once, and cut sooner. why_step - go on with it for about budget_ns; true: it
 * is over, and *out is the explanation, the caller's (NULL: out of memory). why_end - it is no longer wanted
 * (NULL is allowed).
 */
struct why_job;
/* why_long - of a trace that grows: its own spans there are too many for that. */
bool why_long(const struct view *v, uint32_t g, int64_t t0, int64_t t1);
struct why_job *why_begin(const struct view *v, uint32_t g, int64_t t0, int64_t t1);
bool why_step(struct why_job *j, int64_t budget_ns, struct why **out);
const struct place *why_from(const struct why_job *j);
void why_end(struct why_job *j);
/* why_work - for view_work(). */
unsigned why_work(struct view *v, int64_t budget_ns);
void why_free(struct why *y);
/* why_leaf_from - the first leaf that ends behind t, nleaves: none. */
uint32_t why_leaf_from(const struct why *y, int64_t t);
/* why_lanes - the goroutines' view shows the chain alone, in its order. false: out of memory. */
bool why_lanes(struct view *v);
/* why_shown - do the lanes show it? */
bool why_shown(const struct view *v);

#endif
