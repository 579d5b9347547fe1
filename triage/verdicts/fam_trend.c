/* fam_trend.c - pieces of a work that take longer and longer as the trace goes on. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

/* Does a timer begin most items? None of them is several that stood in a queue then. */
static bool ticks(const struct causes *c, const struct work *k)
{
    enum { ASKED = 64 };
    uint32_t n = 0, by = 0;
    for (uint32_t i = 0; i < k->looked; i += k->looked / ASKED + 1) {
        const struct lane l = lane_g(k->v[i].g);
        struct span s;
        if (trace_span_at(c->tr, l, k->v[i].t0, &s) && s.state == ST_RUNNABLE) {
            n++;
            by += verdict_by_timer(c->tr, s.who);
        }
    }
    return by > 0 && by >= (1 - threshold(TH_SHARE)) * n;
}

enum { QUARTERS = 4 };

/* Of the pieces, which are sorted by duration, those that begin in one quarter of the trace: their number,
 * and how long the one takes that `of` of them take longer than. */
static uint32_t in_quarter(const struct causes *c, const struct work *k, int q, double of, double *ns)
{
    const int64_t quarter = c->tg->end / QUARTERS + 1;
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < k->looked; i++)
        n += k->v[i].t0 / quarter == q;
    *ns = 0;
    for (uint32_t i = 0; i < k->looked && at < of * n; i++) {
        at += k->v[i].t0 / quarter == q;
        *ns = (double)(k->v[i].t1 - k->v[i].t0);
    }
    return n;
}

/* Sets the median duration in each quarter of the trace. Returns whether it rises from each to the next, is
 * much longer in the last than in the first, and most pieces of the last take longer than most of the first.
 */
static bool rises(const struct causes *c, const struct work *k, double ns[QUARTERS])
{
    double most, least;
    for (int q = 0; q < QUARTERS; q++)
        if (in_quarter(c, k, q, 0.5, &ns[q]) < threshold(TH_SEVERAL) ||
            (q > 0 && ns[q] <= threshold(TH_TREND_RISE) * ns[q - 1]))
            return false;
    (void)in_quarter(c, k, 0, 0.25, &most);
    (void)in_quarter(c, k, QUARTERS - 1, 0.75, &least);
    return ns[QUARTERS - 1] >= threshold(TH_DOUBLE) * ns[0] && least > most;
}

bool fam_trend(struct causes *c, const struct works *w, uint32_t work, struct verdicts *out)
{
    const struct work *k = &w->v[work];
    double ns[QUARTERS];
    /* a worker whose queue is never empty does several things in one item: only items grow then */
    if (k->background || k->standing || (k->kind == WORK_ITEMS && !k->single && !ticks(c, k)) ||
        k->looked < threshold(TH_MANY) || !rises(c, k, ns))
        return true;
    if (ns[3] - ns[0] < threshold(TH_FELT))
        return true;
    const struct site does_it = {.user = k->user ? k->user : k->name};
    struct verdict v = verdict_new(RULE_TREND, (ns[3] - ns[0]) / ns[3], does_it);
    struct did does;
    if (verdict_slow_place(k, &does).user)
        v.doing[v.ndoing++] = does;
    v.g = k->v[0].g;
    v.waiter.group = trace_g_name(c->tr, v.g);
    v.t0 = k->v[0].t0;
    v.t1 = k->v[0].t1;
    verdict_ev(&v, EV_FIRST, ns[0]);
    verdict_ev(&v, EV_LAST, ns[3]);
    v.grows = true;
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}
