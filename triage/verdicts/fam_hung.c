/*
 * fam_hung.c - one to a few pieces that hang at the end of the trace, in a place where others waited only for
 * a short time. A flight recorder is read for these. See `hung` in work.h. If there are more of them, other
 * families tell more: a leak, a lock, or a crew that is stuck.
 */
#include "triage/verdicts/verdict.h"

static struct span last_of(const struct causes *c, uint32_t g)
{
    struct span s = {.state = ST_NONE};
    (void)trace_span_at(c->tr, (struct lane){LANE_G, g}, c->tg->end - 1, &s);
    return s;
}

/* The place in which the i-th of a work hangs. */
static uint32_t hangs_in(const struct causes *c, const struct works *w, const struct work *k, uint32_t i)
{
    return verdict_place(w, last_of(c, k->hung[i].g).stack).user;
}

static bool hung_at(struct causes *c, const struct works *w, const struct work *k, uint32_t i,
                    struct verdicts *out)
{
    const uint32_t g = k->hung[i].g, user = hangs_in(c, w, k, i);
    const struct span s = last_of(c, g);
    struct verdict v = verdict_new(RULE_OPEN, 0);
    uint32_t n = 0;
    for (uint32_t j = i; j < k->nhung; j++)
        n += hangs_in(c, w, k, j) == user;
    v.where = verdict_place(w, s.stack);
    v.waiter = (struct role){.group = k->user ? k->user : k->name, .g = g};
    v.g = g;
    v.t0 = s.t0;
    v.t1 = s.t1;
    v.grows = true;
    v.level = LEVEL_WARN;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SINCE, (double)s.t0);
    if (k->d.n)
        verdict_ev(&v, EV_P99, (double)k->d.p99);
    return verdict_add(out, &v);
}

bool fam_hung(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->n; i++) {
        const struct work *k = &w->v[i];
        for (uint32_t j = 0; ok && j < k->nhung && work_counts(k); j++) {
            bool told = false; /* the oldest in each place tells of all */
            for (uint32_t o = 0; o < j && !told; o++)
                told = hangs_in(c, w, k, o) == hangs_in(c, w, k, j);
            ok = told || hung_at(c, w, k, j, out);
        }
    }
    return ok;
}
