/*
 * gstats.c - see gstats.h.
 */
#include "triage/tables/gstats.h"

#include <math.h>

#include "triage/tri.h"

struct gstat gstat_of(const struct triage *tg, uint32_t g)
{
    struct gstat st;
    int64_t *ns = st.ns;
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(tg->tr, l);
    struct shares s;
    trace_shares(tg->tr, l, li.first, li.last, &s);
    const int64_t calls = ns_clamp(s.ns[ST_SYSCALL]), blocked = li.no_p_ns < calls ? li.no_p_ns : calls;
    ns[GM_EXEC] = ns_clamp(s.ns[ST_RUNNING] + s.ns[ST_GCWORK] + s.ns[ST_ASSIST]);
    ns[GM_SCHED] = ns_clamp(s.ns[ST_RUNNABLE]);
    ns[GM_WAIT] = ns_clamp(s.ns[ST_WAITING]);
    ns[GM_SYSCALL] = calls - blocked;
    ns[GM_SYSBLOCK] = blocked;
    ns[GM_UNKNOWN] = ns_clamp(s.ns[ST_UNKNOWN]);
    ns[GM_ASSIST] = tg->assist ? tg->assist[g] : 0;
    ns[GM_LIFE] = li.nspans ? li.last - li.first : 0;
    return st;
}

int64_t gstat_ns(const struct triage *tg, uint32_t g, enum gmetric m)
{
    return gstat_of(tg, g).ns[m];
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
    trace_states(tg->tr, (struct lane){LANE_G, g},
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
