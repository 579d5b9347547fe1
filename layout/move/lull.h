/*
 * lull.h - why a processor was idle: in an interval, for how long of its idle time the world was stopped,
 * goroutines were runnable elsewhere, or there was nothing to run; and which goroutines those were.
 *
 * A sum over the interval's every nanosecond, not a sample: idle = stopped + ready + none. It is added up in
 * steps, since it asks all goroutines that live in the interval.
 */
#ifndef GOTOP_LAYOUT_LULL_H
#define GOTOP_LAYOUT_LULL_H

#include "layout/draw/lines.h"
#include "layout/move/view.h"

enum { LULL_TOP = 24 };
struct lull_wait {
    uint32_t g;
    int64_t ns;     /* of this wait, within the idle time, while the world was not stopped */
    int64_t t0, t1; /* the whole runnable span */
};
struct lull_sum {
    int64_t idle, stopped, ready, none;
    uint32_t least, most;           /* goroutines runnable at a time, while any was: of `ready` */
    uint64_t waits;                 /* runnable spans that have such a part */
    struct lull_wait top[LULL_TOP]; /* the longest, by ns, earliest first among equals */
    uint32_t ntop;
    bool failed; /* out of memory: the sums are not complete, and will not be */
};

struct lull;
/* lull_new - of processor p in [t0,t1). alive: the goroutines'. NULL: out of memory. Void once the trace goes
 * on. */
struct lull *lull_new(const struct trace *tr, struct alive *alive, uint32_t p, int64_t t0, int64_t t1);
void lull_free(struct lull *l);
bool lull_step(struct lull *l, int64_t budget_ns); /* true: complete (or failed) */
int lull_share(const struct lull *l);              /* how far it is, in per cent */
const struct lull_sum *lull_get(const struct lull *l);

/* lull_follow - make v->lull the sum for what the cursor is on (NULL if it is on nothing idle), and begin it.
 */
void lull_follow(struct view *v);
bool lull_pending(const struct view *v);
unsigned lull_work(struct view *v, int64_t budget_ns); /* for view_work() */
/* lull_speaks - is that what the second line beside the cursor is about: most of what it is on is idle? */
bool lull_speaks(const struct view *v);
/* lull_text - the sentence beside the cursor: "646us: 556us with 1 to 6 runnable (longest G38), 90us nothing
 * to do". */
void lull_text(const struct view *v, char *out, size_t size);
/* lull_lines - the goroutines that were runnable meanwhile, one a line of at most w columns. */
void lull_lines(const struct view *v, struct lines *out, int w);

#endif
