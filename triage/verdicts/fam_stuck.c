/* fam_stuck.c - goroutines that wait for a lock to the end of the trace, and nobody lets it go. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

bool fam_stuck(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nwaits; i++) {
        const struct wait_row *r = &c->tg->waits[i];
        const int64_t ns = r->longest.t1 - r->longest.t0;
        const bool stuck = r->kind == WK_LOCK && (double)r->open >= threshold(TH_STUCK_COUNT) && r->stack &&
                           r->longest.t1 >= c->tg->end - 1 && threshold_reached(TH_STUCK_PART, ns, c->tg->end);
        if (!stuck) {
            continue;
        }
        struct verdict v = verdict_new(RULE_STUCK, (double)ns / (double)c->tg->end);
        v.where = verdict_place(w, r->stack);
        v.g = r->longest.g;
        v.t0 = r->longest.t0;
        v.t1 = r->longest.t1;
        v.grows = true;
        v.level = LEVEL_SEVERE;
        verdict_ev(&v, EV_COUNT, (double)r->open);
        verdict_ev(&v, EV_SINCE, (double)r->longest.t0);
        ok = verdict_add(out, &v);
    }
    return ok;
}
