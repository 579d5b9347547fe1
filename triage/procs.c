/*
 * procs.c - processors: what each did, how much processor time there was, and which goroutines assisted the collector
 * (only a P's lane tells running from assisting; a goroutine's lane shows both as running).
 */
#include "triage/tri.h"

#include "decode/mem.h"

bool triage_proc(struct triage *tg, uint32_t p) {
    struct lane l = {LANE_P, p};
    struct span_iter it;
    trace_shares(tg->tr, l, 0, tg->end, &tg->p[p].s);
    for (int i = 0; i < ST_COUNT; i++) {
        tg->p_sum.ns[i] = ns_add(tg->p_sum.ns[i], tg->p[p].s.ns[i]);
    }
    if (!span_seek_index(&it, tg->tr, l, 0)) {
        return true;
    }
    do {
        const struct span *s = span_get(&it);
        tg->p[p].runs += tri_is_exec(s->state);
        if (s->state == ST_ASSIST && s->who < tg->ng) {
            tg->g[s->who].ns[GM_ASSIST] = ns_add(tg->g[s->who].ns[GM_ASSIST], tri_len(s));
        }
    } while (span_next(&it));
    return true;
}

/* GOMAXPROCS over time where it is recorded, else the Ps that were seen. */
bool triage_procs_end(struct triage *tg) {
    const struct point *pt;
    size_t n = trace_points(tg->tr, METRIC_PROCS, &pt);
    uint64_t first = n ? pt[0].v : tg->np;
    int64_t at = 0, cap = 0;
    if (n == 0 && trace_info(tg->tr)->gomaxprocs > first) {
        first = trace_info(tg->tr)->gomaxprocs;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t v = i ? pt[i - 1].v : first;
        cap = ns_add(cap, ns_mul(pt[i].t - at, (int64_t)(v < 65536 ? v : 65536)));
        at = pt[i].t;
    }
    first = n ? pt[n - 1].v : first;
    tg->capacity = ns_add(cap, ns_mul(tg->end - at, (int64_t)(first < 65536 ? first : 65536)));
    return true;
}
