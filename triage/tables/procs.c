/*
 * procs.c - processors: what each did, how much processor time there was, and until when a damaged trace
 * records it.
 */
#include "triage/tri.h"

#include "decode/base/rows.h"

bool triage_part_missing(const struct trace *tr)
{
    const struct trace_info *in = trace_info(tr);
    bool behind = in->second_family && !in->more_damages;
    for (uint32_t i = 0; behind && i < in->ndamages; i++)
        behind = trace_damage(tr, i)->gen > in->generations;
    return in->ndamages && !behind;
}

/* Sums up what all did, and how much processor time there was: GOMAXPROCS over time where it is recorded,
 * else the Ps that were seen. */
bool triage_procs(struct triage *tg)
{
    for (uint32_t p = 0; p < tg->np; p++) {
        struct shares s;
        trace_shares(tg->tr, lane_p(p), 0, tg->end, &s);
        ns_sum(tg->p_sum.ns, s.ns, ST_COUNT);
    }
    const size_t n = trace_npoints(tg->tr, METRIC_PROCS);
    uint64_t first = n ? trace_point(tg->tr, METRIC_PROCS, 0).v : tg->np;
    int64_t at = 0, cap = 0, counted = 0;
    if (n == 0 && trace_info(tg->tr)->gomaxprocs > first)
        first = trace_info(tg->tr)->gomaxprocs;
    for (size_t i = 0; i < n; i++) {
        const struct point p = trace_point(tg->tr, METRIC_PROCS, i);
        if (p.t > at) {
            cap = ns_add(cap, ns_mul(p.t - at, (int64_t)(first < 65536 ? first : 65536)));
            at = p.t;
        }
        first = p.v;
    }
    tg->capacity = ns_add(cap, ns_mul(tg->end - at, (int64_t)(first < 65536 ? first : 65536)));
    /* Ps that the trace never starts have no lane, and a P may briefly outlive a lower GOMAXPROCS; the
     * parts must still add up to the whole. */
    for (int i = ST_IDLE; i <= ST_SYSCALL; i++)
        counted = ns_add(counted, tg->p_sum.ns[i]);
    tg->capacity = tg->capacity > counted ? tg->capacity : counted;
    tg->unused = tg->capacity - counted;
    tg->lost = triage_part_missing(tg->tr) ? tg->unused : 0;
    return true;
}

/* ---- a damaged trace ----------------------------------------------------------------------------------- */

int64_t known_torn(const struct trace *tr)
{
    const int64_t end = trace_info(tr)->end;
    int64_t from = INT64_MAX;
    for (uint32_t p = 0, n = triage_part_missing(tr) ? trace_nlanes(tr, LANE_P) : 0; p < n; p++) {
        int64_t lo = 0; /* by the recorded part of [0, t): unrecorded time only grows with t */
        struct shares s;
        bisect(lo, end, t,
               (trace_shares(tr, lane_p(p), 0, t + 1, &s), s.ns[ST_NONE] + s.ns[ST_UNKNOWN] == 0));
        from = lo < end && lo < from ? lo : from;
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
