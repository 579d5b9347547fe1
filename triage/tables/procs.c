/*
 * procs.c - processors: what each did, how much processor time there was, and which goroutines assisted the collector
 * (a goroutine's lane shows that as running).
 */
#include "triage/tri.h"

#include "decode/base/mem.h"
#include "triage/tables/assists.h"

bool triage_proc(struct triage *tg, uint32_t p)
{
    struct lane l = {LANE_P, p};
    trace_shares(tg->tr, l, 0, tg->end, &tg->p[p].s);
    tg->p[p].spans = trace_lane(tg->tr, l).nspans;
    for (int i = 0; i < ST_COUNT; i++) {
        tg->p_sum.ns[i] = ns_add(tg->p_sum.ns[i], tg->p[p].s.ns[i]);
    }
    return true;
}

/* A goroutine assists while it runs within an assist. */
static bool assist(void *arg, const struct assist_run *a)
{
    struct triage *tg = arg;
    int64_t t0 = a->r->t0, t1 = a->r->t1;
    if (a->state != ST_RUNNING || a->r->owner >= tg->ng || !tri_clip(tg, &t0, &t1)) {
        return true;
    }
    t0 = a->t0 > t0 ? a->t0 : t0;
    t1 = a->t1 < t1 ? a->t1 : t1;
    return t1 <= t0 || gstats_assist(tg->g, a->r->owner, t1 - t0);
}

/* GOMAXPROCS over time where it is recorded, else the Ps that were seen. */
bool triage_procs_end(struct triage *tg)
{
    const struct point *pt;
    size_t n = trace_points(tg->tr, METRIC_PROCS, &pt);
    uint64_t first = n ? pt[0].v : tg->np;
    int64_t at = 0, cap = 0, told = 0;
    if (!assists_each(tg->tr, assist, tg)) {
        return false;
    }
    if (n == 0 && trace_info(tg->tr)->gomaxprocs > first) {
        first = trace_info(tg->tr)->gomaxprocs;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t v = i ? pt[i - 1].v : first;
        if (pt[i].t > at) {
            cap = ns_add(cap, ns_mul(pt[i].t - at, (int64_t)(v < 65536 ? v : 65536)));
            at = pt[i].t;
        }
    }
    first = n ? pt[n - 1].v : first;
    tg->capacity = ns_add(cap, ns_mul(tg->end - at, (int64_t)(first < 65536 ? first : 65536)));
    /* Ps that the trace never starts have no lane; a P may outlive a lower GOMAXPROCS for a moment. The parts shall
       make a whole. */
    for (int i = ST_IDLE; i <= ST_SYSCALL; i++) {
        told = ns_add(told, tg->p_sum.ns[i]);
    }
    tg->capacity = tg->capacity > told ? tg->capacity : told;
    tg->unused = tg->capacity - told;
    return true;
}
