/* fam_trend.c - pieces of a work that take longer and longer as the trace goes on. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

/* Do the pieces mostly wait for others of the program? Then a queue grows: these others are what to look
 * at. */
static bool queues(const struct work_tree *t)
{
    int64_t ns = 0;
    for (uint32_t k = t->n ? t->v[0].first : NO_LANE; k != NO_LANE; k = t->v[k].next)
        ns = ns_add(ns, t->v[k].cat == EX_WAIT || t->v[k].cat == EX_QUEUED ? t->v[k].ns[TREE_ALL] : 0);
    return (double)ns >= threshold(TH_MOST) * (double)tree_ns(t, TREE_ALL);
}

bool fam_trend(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->n; i++) {
        const struct work *k = &w->v[i];
        double ns[4] = {0}, n[4] = {0}, mean[4];
        bool rises = !k->background && !k->standing && k->looked >= threshold(TH_MANY);
        for (uint32_t j = 0; rises && j < k->looked; j++) {
            const int64_t q = k->v[j].t0 / (c->tg->end / 4 + 1);
            ns[q < 0 ? 0 : q > 3 ? 3 : q] += (double)(k->v[j].t1 - k->v[j].t0);
            n[q < 0 ? 0 : q > 3 ? 3 : q]++;
        }
        for (int q = 0; q < 4; q++) {
            mean[q] = n[q] > 0 ? ns[q] / n[q] : 0;
            rises &=
                n[q] >= threshold(TH_SEVERAL) && (q == 0 || mean[q] > threshold(TH_TREND_RISE) * mean[q - 1]);
        }
        if (!rises || mean[3] < threshold(TH_DOUBLE) * mean[0] || mean[3] - mean[0] < threshold(TH_FELT))
            continue;
        struct verdict v = verdict_new(RULE_TREND, (mean[3] - mean[0]) / mean[3]);
        v.where.user = k->user ? k->user : k->name;
        v.g = k->v[0].g;
        v.waiter.group = trace_g_name(c->tr, v.g);
        v.t0 = k->v[0].t0;
        v.t1 = k->v[0].t1;
        verdict_ev(&v, EV_FIRST, mean[0]);
        verdict_ev(&v, EV_LAST, mean[3]);
        v.grows = true;
        v.level = queues(&k->tree) ? LEVEL_NOTE : LEVEL_WARN;
        ok = verdict_add(out, &v);
    }
    return ok;
}
