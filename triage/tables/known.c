/*
 * known.c - until when a damaged trace records a thread.
 */
#include "triage/tables/known.h"

#include "decode/base/bisect.h"
#include "triage/triage.h"

/* Finds when a processor's record first ends, by the recorded part of [0, t): unrecorded time only grows
 * with t. */
static int64_t torn_of(const struct trace *tr, uint32_t p, int64_t end)
{
    int64_t lo = 0;
    struct shares s;
    bisect(lo, end, t,
           (trace_shares(tr, (struct lane){LANE_P, p}, 0, t + 1, &s), s.ns[ST_NONE] + s.ns[ST_UNKNOWN] == 0));
    return lo < end ? lo : INT64_MAX;
}

int64_t known_torn(const struct trace *tr)
{
    int64_t from = INT64_MAX;
    for (uint32_t p = 0, n = triage_part_missing(tr) ? trace_nlanes(tr, LANE_P) : 0; p < n; p++) {
        const int64_t t = torn_of(tr, p, trace_info(tr)->end);
        from = t < from ? t : from;
    }
    return from;
}

int64_t known_until(const struct trace *tr, int64_t torn, struct lane l)
{
    struct span_iter it;
    if (l.kind != LANE_M || torn == INT64_MAX || !span_seek(&it, tr, l, trace_info(tr)->end))
        return INT64_MAX;
    struct span last = *span_get(&it);
    while (span_next(&it)) /* spans without length at the end */
        last = span_get(&it)->t0 < trace_info(tr)->end ? *span_get(&it) : last;
    if (last.state == ST_UNKNOWN)
        return last.t0;
    if (last.state != ST_IDLE || last.t0 >= trace_info(tr)->end)
        return INT64_MAX;
    return last.t0 > torn ? last.t0 : torn;
}
