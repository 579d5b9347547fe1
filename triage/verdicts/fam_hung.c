/*
 * fam_hung.c - one to a few pieces that hang at the end of the trace, in a place where others waited only for
 * a short time. A flight recorder is read for these. See `hung` in work.h. If there are more of them, other
 * families tell more: a leak, a lock, or a crew that is stuck.
 */
#include "triage/verdicts/verdict.h"

bool fam_hung(struct causes *c, const struct works *w, uint32_t work, struct verdicts *out)
{
    const struct work *k = &w->v[work];
    bool ok = true;
    for (uint32_t j = 0; ok && j < k->nhung && work_counts(k); j++) {
        const struct stand *s = stand_of(w, k->hung[j].g);
        const int64_t n = sum_over(o, k->hung, k->nhung, stand_of(w, o->g)->user == s->user);
        struct verdict v = verdict_standing(c, w, RULE_OPEN, s, (uint32_t)n);
        v.waiter = (struct role){.group = k->user ? k->user : k->name, .g = s->g};
        v.harm.share = v.clock = v.score = 0;
        v.grows = true;
        v.level = LEVEL_WARN;
        if (k->d.n)
            verdict_ev(&v, EV_P99, (double)k->d.p99);
        /* the oldest in each place tells of all */
        ok = any_of(o, j, stand_of(w, k->hung[o].g)->user == s->user) || verdict_add(out, &v);
    }
    return ok;
}
