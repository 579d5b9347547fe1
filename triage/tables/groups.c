/*
 * groups.c - who the goroutines are: a group for each start function, a birth for each place they are created
 * at. Once all are counted, it sorts the groups and the tables.
 */
#include "triage/tri.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"

/* ---- who they are -------------------------------------------------------------------------------------- */

struct who {
    struct triage *tg;
    struct tab by_name, by_birth;
    size_t cap_alive, cap_workers;
};

/* A goroutine of the program that was created within the trace has a birth. */
static bool who_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    enum { EACH = 1024 };
    struct who *w = arg;
    struct triage *tg = w->tg;
    struct triage_work *wk = tg->work;
    const bool born = li->created && !li->is_system;
    struct group *p = tab_row_with(&w->by_name, tg->groups, tg->ngroups, li->name, 0, .name = li->name,
                                   .is_system = li->is_system, .first = INT64_MAX, .last = INT64_MIN);
    struct birth *b = born ? tab_row_with(&w->by_birth, wk->births, wk->nbirths, li->create_stack, li->name,
                                          .create_stack = li->create_stack, .name = li->name)
                           : NULL;
    if (!p || (born && !b) || (born && !li->ended && !mem_add(wk->alive, w->cap_alive, wk->nalive, g)) ||
        (li->is_worker && !mem_add(tg->workers, w->cap_workers, tg->nworkers, g)))
        return false;
    tg->group_of[g] = (uint32_t)(p - tg->groups);
    p->count++;
    p->created += li->created;
    p->ended += li->ended;
    if (b) {
        b->created++;
        b->ended += li->ended;
    }
    return g % EACH || slices_tick();
}

bool triage_groups(struct triage *tg)
{
    struct who w = {.tg = tg};
    const bool ok = trace_walk(tg->tr, 0, tg->ng, &(struct span_walk){.begin = who_begin, .arg = &w});
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        tg->g_created += tg->groups[i].created;
        tg->g_ended += tg->groups[i].ended;
    }
    tg->g_at_end = tg->ng - tg->g_ended;
    tab_free(&w.by_name);
    tab_free(&w.by_birth);
    return ok;
}

/* ---- once they are counted ----------------------------------------------------------------------------- */

struct dist *triage_group_dists(const struct triage *tg, enum gmetric m)
{
    struct dist *d = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *d);
    size_t *next = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *next), at = 0;
    int64_t *v = mem_zalloc(((size_t)tg->ng + 1) * sizeof *v);
    bool ok = d && next && v;
    for (uint32_t i = 0; ok && i < tg->ngroups; at += tg->groups[i++].count)
        next[i] = at;
    for (uint32_t g = 0; ok && g < tg->ng; g++) { /* each value goes to those of its group */
        v[next[tg->group_of[g]]++] = gstat_of(tg, g).ns[m];
        ok = g % 64 || slices_tick();
    }
    at = 0;
    for (uint32_t i = 0; ok && i < tg->ngroups; at += tg->groups[i++].count)
        dist_of(&d[i], v + at, tg->groups[i].count);
    mem_free(next);
    mem_free(v);
    if (!ok)
        mem_free(d);
    return ok ? d : NULL;
}

MOST_ROWS(by_exec, struct group, ns[GM_EXEC])

static bool groups_sort(struct triage *tg)
{
    uint32_t *to = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *to);
    const bool ok = to && rows_by(tg->groups, sizeof *tg->groups, tg->ngroups, by_exec, NULL, to);
    for (uint32_t g = 0; ok && g < tg->ng; g++)
        tg->group_of[g] = to[tg->group_of[g]];
    for (uint32_t i = 0; ok && i < tg->work->ngroup_waits; i++)
        tg->group_waits[i].group = to[tg->group_waits[i].group];
    mem_free(to);
    return ok;
}

/* Sorts by group, then the largest first. */
ORDER(cmp_wait_of, struct group_wait, LEAST(r->group) MOST(r->total) LEAST(r->reason))

MOST_ROWS(by_wait, struct wait_row, total)

ORDER(cmp_wait, struct wait_row, LEAST(r->reason) LEAST(r->stack))

bool triage_groups_end(struct triage *tg)
{
    if (!groups_sort(tg))
        return false;
    const uint32_t n = tg->work->ngroup_waits;
    sort(tg->group_waits, n, cmp_wait_of);
    for (uint32_t i = 0; i < n; i++) {
        struct group *g = &tg->groups[tg->group_waits[i].group];
        if (g->nwaits++ == 0)
            g->waits = i;
    }
    return rows_by(tg->waits, sizeof *tg->waits, tg->nwaits, by_wait, cmp_wait, NULL) &&
           rows_by(tg->syscalls, sizeof *tg->syscalls, tg->nsyscalls, by_wait, cmp_wait, NULL);
}

/* ---- what one goroutine did ---------------------------------------------------------------------------- */

struct gstat gstat_make(const int64_t *ns, int64_t no_p_ns, int64_t life)
{
    const int64_t calls = ns_clamp(ns[ST_SYSCALL]), blocked = no_p_ns < calls ? no_p_ns : calls;
    return (struct gstat){{[GM_EXEC] = ns_clamp(ns[ST_RUNNING] + ns[ST_GCWORK] + ns[ST_ASSIST]),
                           [GM_RUNNABLE] = ns_clamp(ns[ST_RUNNABLE]),
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
    struct gstat st = gstat_make(s.ns, li.no_p_ns, li.nspans ? li.last - li.first : 0);
    st.ns[GM_ASSIST] = tg->assist ? tg->assist[g] : 0;
    return st;
}

static bool count_run(void *arg, const struct span_run *r)
{
    struct gcounts *c = arg;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint8_t is = r->kind[r->tag[i]].state;
        c->n[is]++;
        c->runs += tri_is_exec(is) && !tri_is_exec(c->was);
        c->was = is;
    }
    return (double)c->n[ST_WAITING] < c->most_waits;
}

struct gcounts gstat_counts(const struct triage *tg, uint32_t g, double most_waits)
{
    struct gcounts c = {.was = ST_NONE, .most_waits = most_waits};
    trace_states(tg->tr, lane_g(g),
                 &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .f = count_run, .arg = &c});
    return c;
}

/* ---- how often it moved -------------------------------------------------------------------------------- */

struct moving {
    uint32_t n, on; /* on: the P that it ran on last; NO_LANE: none */
};

/* An unrecorded P does not count. */
static bool count_moves(void *arg, const struct span_run *r)
{
    struct moving *m = arg;
    uint32_t was = 0; /* the last P within these spans, as span_run_p() returns it; 0: none */
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t p = tri_is_exec(r->kind[r->tag[i]].state) ? span_run_p(r, i) : 0;
        if (!p || p == was)
            continue;
        const uint32_t on = span_run_who(r, i);
        m->n += m->on != NO_LANE && on != m->on;
        m->on = on;
        was = p;
    }
    return slices_tick();
}

uint32_t gstat_moves(const struct triage *tg, uint32_t g)
{
    struct moving m = {.on = NO_LANE};
    trace_states(
        tg->tr, lane_g(g),
        &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .all = true, .f = count_moves, .arg = &m});
    return m.n;
}
