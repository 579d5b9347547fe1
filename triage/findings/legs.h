/*
 * legs.h - whose time a piece of work is: goroutines and intervals ("legs") that cover it from begin to end
 * without gap or overlap.
 *
 * A region, a goroutine's life and a request that one goroutine answers are one leg each. A task may be
 * handed from goroutine to goroutine; its legs follow it. A trace records no hand-over, so it is inferred,
 * from the task's end backwards:
 *
 *   evidence   the begin and end of the task and its subtasks, and regions and log messages that name it.
 *              A goroutine has a task from its first piece of evidence to its last, unless it worked for
 *              another task in between.
 *   hand-over  the moment at which the goroutine with the evidence was unblocked from waiting for more
 *              work, was unblocked by a goroutine that had the task before, or was created. If the
 *              goroutine that unblocked or created it has no evidence of its own, it is followed in the
 *              same way back to one that has: so helpers without evidence have their legs.
 *   queued     no such moment: the goroutine was at work for another task until it took this one up. No
 *              goroutine had the task from the moment the previous one was done with it (it waited for
 *              more, or turned to another task) until then. That leg is `queued`: g is the goroutine that
 *              took the task up, and what it did meanwhile is why the task waited.
 *
 * If several goroutines work for a task at once, the legs are of the one whose work its end followed. A
 * goroutine that had the task and waits for another one that works for it keeps it: the explanation of the
 * wait (explain.h) covers the rest.
 */
#ifndef GOTOP_TRIAGE_LEGS_H
#define GOTOP_TRIAGE_LEGS_H

#include "decode/trace.h"

/* A piece of work: what goroutine g did in [t0,t1), or a task, by its index in trace_tasks(). */
struct workpiece {
    int64_t t0, t1;
    /* of a task: the goroutine that began it, else the one that ended it; NO_LANE: the trace has neither */
    uint32_t g;
    uint32_t task; /* NO_TASK: none */
};
#define NO_TASK UINT32_MAX
static inline struct workpiece workpiece_of_g(uint32_t g, int64_t t0, int64_t t1)
{
    return (struct workpiece){t0, t1, g, NO_TASK};
}
struct workpiece workpiece_of_task(const struct trace *tr,
                                   size_t task); /* task must be below the count from trace_tasks() */
/* workpiece_at - Returns the task that goroutine g had in exactly [t0,t1), if there is one, else that
 * interval of g. */
struct workpiece workpiece_at(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);

struct leg {
    int64_t t0, t1; /* t0 < t1 */
    uint32_t g;
    bool queued;
};
struct legs {      /* sorted by time; they cover the piece from begin to end */
    struct leg *v; /* legs_free() */
    size_t n, cap; /* n = 0: the piece is empty or the trace names no goroutine for it */
    bool cut;      /* the span budget ran out: the first leg may be several */
    bool failed;   /* out of memory */
};
void legs_free(struct legs *l);

struct trails; /* the evidence of a trace's tasks (trails.h) */
/* legs_of - Store the legs of a piece in *out, whose memory is reused. Reads at most *spans spans and
 * pieces of evidence, and subtracts them. x may be NULL if the piece is no task. Returns false if out of
 * memory. */
bool legs_of(struct trails *x, const struct workpiece *p, uint64_t *spans, struct legs *out);

#endif
