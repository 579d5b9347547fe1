/*
 * procs.c - processors: what each did, and how much processor time there was.
 */
#include "triage/tri.h"

bool triage_part_missing(const struct trace *tr)
{
    const struct trace_info *in = trace_info(tr);
    bool behind = in->second_family && !in->more_damages;
    for (uint32_t i = 0; behind && i < in->ndamages; i++)
        behind = trace_damage(tr, i)->gen > in->generations;
    return in->ndamages && !behind;
}

/* What all did. */
static void procs_sum(struct triage *tg)
{
    for (uint32_t p = 0; p < tg->np; p++) {
        struct shares s;
        trace_shares(tg->tr, (struct lane){LANE_P, p}, 0, tg->end, &s);
        for (int i = 0; i < ST_COUNT; i++)
            tg->p_sum.ns[i] = ns_add(tg->p_sum.ns[i], s.ns[i]);
    }
}

/* Processor time there was: GOMAXPROCS over time where it is recorded, else the Ps that were seen. */
bool triage_procs(struct triage *tg)
{
    procs_sum(tg);
    const size_t n = trace_npoints(tg->tr, METRIC_PROCS);
    uint64_t first = n ? trace_point(tg->tr, METRIC_PROCS, 0).v : tg->np;
    int64_t at = 0, cap = 0, told = 0;
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
        told = ns_add(told, tg->p_sum.ns[i]);
    tg->capacity = tg->capacity > told ? tg->capacity : told;
    tg->unused = tg->capacity - told;
    tg->lost = triage_part_missing(tg->tr) ? tg->unused : 0;
    return true;
}
