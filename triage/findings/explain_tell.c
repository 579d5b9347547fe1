/*
 * explain_tell.c - what running or runnable time is attributed to: its regions, a STW, or a processor that
 * came late.
 */
#include "triage/findings/explain_priv.h"

#include "decode/base/rows.h"
#include "triage/tables/tab.h"

#define LATE 50000 /* ns that waking a processor's thread may take */

uint32_t explain_tell(struct explainer *x, const struct level *l, struct explain_part p)
{
    return p.t1 > p.t0 && x->visit ? x->visit(x->arg, l->up, &p) : l->up;
}

/* The innermost region that covers t, and from when it is the innermost one. */
static const struct region *region_at(const struct explainer *x, uint32_t g, int64_t t, int64_t *since)
{
    const struct region *r;
    const uint32_t *by = x->region;
    (void)trace_regions(x->tr, &r);
    size_t at = bisected(x->nregions, i, r[by[i]].g < g || (r[by[i]].g == g && r[by[i]].t0 <= t));
    for (int steps = 0; at-- > 0 && r[by[at]].g == g && steps < 64; steps++) {
        const struct region *k = &r[by[at]];
        if (k->t1 > t) {
            *since = k->t0 > *since ? k->t0 : *since;
            return k;
        }
        *since = k->t1 > *since ? k->t1 : *since;
    }
    return NULL;
}

/* The assist that goroutine g is in at t, and from when it is in it, or in none. */
static const struct range *assist_at(const struct explainer *x, uint32_t g, int64_t t, int64_t *since)
{
    const struct range *r;
    const uint32_t *by = x->assist;
    (void)trace_ranges(x->tr, RANGE_ASSIST, &r);
    const size_t at =
        bisected(x->nassists, i, r[by[i]].owner < g || (r[by[i]].owner == g && r[by[i]].t0 <= t));
    const struct range *k = at && r[by[at - 1]].owner == g ? &r[by[at - 1]] : NULL;
    const bool in = k && k->t1 > t;
    if (k && (in ? k->t0 : k->t1) > *since)
        *since = in ? k->t0 : k->t1;
    return in ? k : NULL;
}

/* Running is attributed to the assists and regions it was in, if any; what is not running is passed as it
 * is. */
static void tell_in_regions(struct explainer *x, const struct level *l, struct explain_part p)
{
    const int64_t t0 = p.t0;
    if (p.cat != EX_RUN) {
        (void)explain_tell(x, l, p);
        return;
    }
    while (p.t1 > t0) {
        struct explain_part q = p;
        q.t0 = t0;
        const struct range *assist = assist_at(x, l->g, p.t1 - 1, &q.t0);
        const struct region *r = x->nregions && !assist ? region_at(x, l->g, p.t1 - 1, &q.t0) : NULL;
        q.cat = assist ? EX_ASSIST : EX_RUN;
        q.region = r;
        q.stack = assist ? assist->stack : r ? r->stack : q.stack;
        q.stack_end = assist || r ? 0 : q.stack_end;
        (void)explain_tell(x, l, q);
        p.t1 = q.t0;
        x->left -= x->left > 0;
    }
}

bool explain_nobody_ran(const struct explainer *x, int64_t t0, int64_t t1)
{
    int64_t idle = 0;
    if (t1 - t0 < LATE)
        return false;
    for (uint32_t p = 0; p < x->np && p < 256 && idle <= (t1 - t0) / 2; p++) {
        struct shares s;
        trace_shares(x->tr, lane_p(p), t0, t1, &s);
        idle = ns_add(idle, s.ns[ST_IDLE]);
    }
    return idle > (t1 - t0) / 2;
}

/* The part of runnable time that was STW is attributed to it, as is a STW within running time. */
void explain_tell_unless_stopped(struct explainer *x, const struct level *l, struct explain_part p,
                                 const struct span *s)
{
    const struct range *stops;
    const size_t n = trace_ranges(x->tr, RANGE_STW, &stops);
    const int64_t t0 = p.t0;
    for (size_t before = bisected(n, i, stops[i].t0 < p.t1); before > 0 && p.t1 > t0 && x->left;
         before--, x->left--) {
        const struct range *r = &stops[before - 1];
        int64_t a = r->t0 > t0 ? r->t0 : t0, z = r->t1 < p.t1 ? r->t1 : p.t1;
        bool through = s->state == ST_RUNNABLE || (s->t0 <= r->t0 && s->t1 >= r->t1);
        if (r->t1 <= t0)
            break; /* stops don't overlap, so none before does */
        if (z <= a || r->scope_p || r->owner == l->g || !through)
            continue;
        struct explain_part after = p, stop = p;
        after.t0 = z;
        stop.t0 = a;
        stop.t1 = z;
        stop.cat = EX_STOPPED;
        stop.by = r->owner;
        stop.by_stack = r->stack;
        stop.reason = r->name;
        tell_in_regions(x, l, after);
        (void)explain_tell(x, l, stop);
        p.t1 = a;
    }
    tell_in_regions(x, l, p);
}
