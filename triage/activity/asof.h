/*
 * asof.h - whether sums over a range of a growing trace are still valid. Everything before the trace's end
 * is final (trace.h), so new data changes only ranges that reached that end. A fixed view of a running
 * program is therefore summed only once, however much the trace grows.
 */
#ifndef GOTOP_TRIAGE_ASOF_H
#define GOTOP_TRIAGE_ASOF_H

#include "decode/trace.h"

struct asof {
    uint64_t events;
    int64_t end; /* ns: the trace's end at that time */
    uint32_t epoch;
};

static inline struct asof asof_now(const struct trace *tr)
{
    const struct trace_info *ti = trace_info(tr);
    return (struct asof){.events = ti->events, .end = ti->end, .epoch = ti->epoch};
}

/* asof_holds - returns whether sums over a range that ends at t1 (ns) are still valid. */
static inline bool asof_holds(const struct asof *a, const struct trace *tr, int64_t t1)
{
    const struct trace_info *ti = trace_info(tr);
    return a->epoch == ti->epoch && (a->events == ti->events || t1 < a->end);
}

#endif
