/*
 * asof.h - what was added up of a range of a trace that goes on: does it still hold? Everything before the
 * trace's end is known (trace.h), so what has come since changes a range that reached that end, and no other.
 * A held picture of a program that runs is added up once, however many seconds come behind it.
 */
#ifndef GOTOP_TRIAGE_ASOF_H
#define GOTOP_TRIAGE_ASOF_H

#include "decode/trace.h"

struct asof {
    uint64_t events;
    int64_t end; /* ns: of the trace, as it was then */
    uint32_t epoch;
};

static inline struct asof asof_now(const struct trace *tr)
{
    const struct trace_info *ti = trace_info(tr);
    return (struct asof){.events = ti->events, .end = ti->end, .epoch = ti->epoch};
}

/* asof_holds - of a range that ends at t1, ns. */
static inline bool asof_holds(const struct asof *a, const struct trace *tr, int64_t t1)
{
    const struct trace_info *ti = trace_info(tr);
    return a->epoch == ti->epoch && (a->events == ti->events || t1 < a->end);
}

#endif
