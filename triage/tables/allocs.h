/*
 * allocs.h - who allocates, by evidence. A trace records no allocation; it catches some, each kind in its
 * own way:
 *
 *   starts     a collection begins in the goroutine whose allocation lets the heap reach the goal. So of
 *              many begins each function has its part of the bytes, large blocks and small ones alike.
 *              They are few, but the only evidence that is fair to all.
 *   assist_ns  who allocates while the collector marks pays for it in proportion to the bytes. Fair for
 *              that time alone, and only while marking is behind; how *many* assists somebody has tells
 *              little, as one pays for 64 KB or for a large block.
 *   samples    CPU samples within the allocator: what allocating costs, which goes by objects more than
 *              by bytes. They are there while nothing is collected, too.
 *   sweeps     who needs a new span sweeps for it. It goes by spans: many small objects sweep often, a
 *              large block hardly.
 *
 * Collections that were asked for (runtime.GC, debug.FreeOSMemory, package testing) are no evidence.
 *
 * `share` puts these together: the part of the starts, with the next of the others that there is (in the
 * order above) counted as ALLOCS_PRIOR starts, or as many as there are pieces of it. So where there are 20
 * collections the starts decide, and where there is none the other evidence alone does.
 */
#ifndef GOTOP_TRIAGE_ALLOCS_H
#define GOTOP_TRIAGE_ALLOCS_H

#include "decode/trace.h"

#define ALLOCS_PRIOR 5

/* gc_begun_at - the stack of the goroutine that started a cycle, an entry of trace_ranges(RANGE_GC). 0: not
 * recorded. */
uint32_t gc_begun_at(const struct trace *tr, const struct range *gc);

struct alloc_row {
    uint32_t func;  /* the program's innermost function, as stacks_place() returns it */
    uint32_t stack; /* the function's stack with the largest share, */
    double most;    /* ... which is this */
    double share;   /* of all allocation, 0 to 1 */
};
struct allocs {
    struct alloc_row *row; /* by share, the largest first */
    uint32_t n;
    /* the first row allocates most: its share is a third larger than the next one's, and there are three
     * starts or ten other pieces of evidence */
    bool clear;
};
/* allocs_of - computes the table of a loaded trace. Of very much evidence it samples every n-th piece.
 * Returns false when out of memory or unwanted (slices.h). */
bool allocs_of(const struct trace *tr, struct allocs *out);
void allocs_free(struct allocs *a);

#endif
