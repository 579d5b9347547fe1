/* fam_stuck.c - goroutines that wait for a lock to the end of the trace, and nobody lets it go. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

/* Goroutines that wait for a lock at the end in one function of the user's: rows of its lines. */
struct stuck {
    uint32_t user, row;
    uint64_t n;
};
enum { PLACES = 32 };

static uint32_t stuck_of(const struct causes *c, const struct works *w, struct stuck v[PLACES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *r = &c->tg->waits[i];
        const struct site at = r->kind == WK_LOCK && r->open ? verdict_place(w, r->stack) : (struct site){0};
        uint32_t k = 0;
        while (k < n && v[k].user != at.user)
            k++;
        if (!at.user || k == PLACES || r->longest.t1 < c->tg->end - 1)
            continue;
        if (k == n)
            v[n++] = (struct stuck){at.user, i, 0};
        const struct moment *m = &c->tg->waits[v[k].row].longest;
        v[k].row = r->longest.t0 < m->t0 ? i : v[k].row;
        v[k].n += r->open;
    }
    return n;
}

bool fam_stuck(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct stuck s[PLACES];
    const uint32_t n = stuck_of(c, w, s);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        const struct wait_row *r = &c->tg->waits[s[i].row];
        const int64_t ns = r->longest.t1 - r->longest.t0;
        if ((double)s[i].n < threshold(TH_STUCK_COUNT) || !threshold_reached(TH_STUCK_PART, ns, c->tg->end))
            continue;
        struct verdict v = verdict_new(RULE_STUCK, (double)ns / (double)c->tg->end);
        v.where = verdict_place(w, r->stack);
        v.g = r->longest.g;
        v.t0 = r->longest.t0;
        v.t1 = r->longest.t1;
        v.grows = true;
        v.level = LEVEL_SEVERE;
        verdict_ev(&v, EV_COUNT, (double)s[i].n);
        verdict_ev(&v, EV_SINCE, (double)r->longest.t0);
        ok = verdict_add(out, &v);
    }
    return ok;
}
