/*
 * gstats.c - see gstats.h.
 */
#include "triage/tables/gstats.h"

#include <math.h>

#include "triage/tri.h"

struct gstat gstat_told(const int64_t *ns, int64_t no_p_ns, int64_t life)
{
    const int64_t calls = ns_clamp(ns[ST_SYSCALL]), blocked = no_p_ns < calls ? no_p_ns : calls;
    return (struct gstat){{[GM_EXEC] = ns_clamp(ns[ST_RUNNING] + ns[ST_GCWORK] + ns[ST_ASSIST]),
                           [GM_SCHED] = ns_clamp(ns[ST_RUNNABLE]),
                           [GM_WAIT] = ns_clamp(ns[ST_WAITING]),
                           [GM_SYSCALL] = calls - blocked,
                           [GM_SYSBLOCK] = blocked,
                           [GM_UNKNOWN] = ns_clamp(ns[ST_UNKNOWN]),
                           [GM_LIFE] = life}};
}

struct gstat gstat_of(const struct triage *tg, uint32_t g)
{
    const struct lane_info li = trace_lane(tg->tr, lane_g(g));
    struct shares s;
    trace_shares(tg->tr, lane_g(g), li.first, li.last, &s);
    struct gstat st = gstat_told(s.ns, li.no_p_ns, li.nspans ? li.last - li.first : 0);
    st.ns[GM_ASSIST] = tg->assist ? tg->assist[g] : 0;
    return st;
}

struct count {
    uint8_t was; /* the state of the last span */
    uint64_t n[ST_COUNT], runs;
    double most_waits; /* the walk ends there */
};

static bool count_run(void *arg, const struct span_run *r)
{
    struct count *c = arg;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint8_t is = r->kind[r->tag[i]].state;
        c->n[is]++;
        c->runs += tri_is_exec(is) && !tri_is_exec(c->was);
        c->was = is;
    }
    return (double)c->n[ST_WAITING] < c->most_waits;
}

static struct count count_of(const struct triage *tg, uint32_t g, double most_waits)
{
    struct count c = {.was = ST_NONE, .most_waits = most_waits};
    trace_states(tg->tr, lane_g(g),
                 &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .f = count_run, .arg = &c});
    return c;
}

struct gcounts gstat_counts(const struct triage *tg, uint32_t g)
{
    const struct count c = count_of(tg, g, INFINITY);
    return (struct gcounts){c.runs, c.n[ST_RUNNABLE], c.n[ST_WAITING], c.n[ST_SYSCALL]};
}

bool gstat_waits(const struct triage *tg, uint32_t g, double least)
{
    return (double)count_of(tg, g, least).n[ST_WAITING] >= least;
}
