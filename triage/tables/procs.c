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

int64_t tri_procs_at(const struct trace *tr, int64_t t, int64_t *until)
{
    const size_t all = trace_npoints(tr, METRIC_PROCS), n = trace_points_before(tr, METRIC_PROCS, t + 1);
    const uint64_t seen = trace_nlanes(tr, LANE_P), given = trace_info(tr)->gomaxprocs,
                   v = all            ? trace_point(tr, METRIC_PROCS, n ? n - 1 : 0).v
                       : given > seen ? given
                                      : seen;
    *until = n < all ? trace_point(tr, METRIC_PROCS, n).t : INT64_MAX;
    return v < 1 ? 1 : v < 1 << 20 ? (int64_t)v : 1 << 20;
}

/* Sums up what all did, and how much processor time there was. */
bool triage_procs(struct triage *tg)
{
    for (uint32_t p = 0; p < tg->np; p++) {
        struct shares s;
        trace_shares(tg->tr, lane_p(p), 0, tg->end, &s);
        ns_sum(tg->p_sum.ns, s.ns, ST_COUNT);
    }
    int64_t counted = 0;
    for (int64_t at = 0, until; at < tg->end; at = until) {
        const int64_t n = tri_procs_at(tg->tr, at, &until);
        until = until < tg->end ? until : tg->end;
        tg->capacity = ns_add(tg->capacity, ns_mul(until - at, n));
    }
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
