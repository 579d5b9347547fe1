/* fam_crowd.c - many goroutines at once: woken for little, or begun for tiny work. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { GROUPS = 256, MEMBERS = 4096 };

static bool herds(struct causes *c, const struct works *w, struct verdicts *out)
{
    each_of(h, c->tg->herds, c->tg->nherds) {
        const struct pair_row *p = &c->tg->pairs[h->pair];
        if (h->bursts < threshold(TH_SEVERAL) || h->futile * 2 < h->wakes ||
            (double)h->clock < threshold(TH_LITTLE) * (double)c->tg->end)
            continue;
        struct verdict v =
            verdict_new(RULE_HERD, (double)h->clock / (double)c->tg->end, verdict_place(w, p->stack));
        v.waiter.group = p->waiter;
        v.holder =
            (struct role){.group = p->waker, .g = p->longest_waker, .at = verdict_place(w, p->waker_stack)};
        verdict_shows(&v, h->at.g, h->at.t0, h->at.t1);
        verdict_ev(&v, EV_CROWD, h->largest);
        verdict_ev(&v, EV_COUNT, (double)h->wakes);
        verdict_ev(&v, EV_SHARE, (double)h->futile / (double)h->wakes);
        v.level = LEVEL_WARN;
        if (!verdict_add(out, &v))
            return false;
    }
    return true;
}

/* How many goroutines of a group there are at once, at most. */
static uint32_t most_at_once(const struct causes *c, uint32_t group)
{
    enum { AT = 64 };
    uint32_t at[AT] = {0}, most = 0;
    const int64_t part = c->tg->end / AT + 1;
    const uint32_t look = causes_look(c, group, MEMBERS);
    each_member(g, c, group, MEMBERS) {
        struct lifetime l;
        trace_lives(c->tr, LANE_G, g, 1, &l);
        for (int k = 0; k < AT; k++)
            at[k] += l.first <= k * part && (l.last > k * part || !l.over);
    }
    for (int k = 0; k < AT; k++)
        most = at[k] > most ? at[k] : most;
    return look ? (uint32_t)((uint64_t)most * c->of[group].n / look) : 0;
}

static bool begun(struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    const struct group *g = &c->tg->groups[group];
    const double life = (double)g->ns[GM_LIFE], span = (double)(g->last - g->first),
                 rate = span > 0 ? (double)g->created * 1e9 / span : 0;
    const int64_t run = g->ns[GM_EXEC] / (int64_t)g->count;
    const double queue = life > 0 ? (double)g->ns[GM_RUNNABLE] / life : 0;
    enum rule rule = RULE_COUNT;
    uint32_t crowd = 0;
    if (queue >= threshold(TH_SEVERE) && (double)g->created >= threshold(TH_EXPLOSION_CROWD)) {
        crowd = most_at_once(c, group);
        rule = crowd >= threshold(TH_EXPLOSION_CROWD) ? RULE_EXPLOSION : rule;
    }
    if (rule == RULE_COUNT && (double)g->created >= threshold(TH_CHURN_COUNT) &&
        rate >= threshold(TH_CHURN_RATE) && run <= threshold_ns(TH_CHURN_RUN))
        rule = RULE_CHURN;
    if (rule == RULE_COUNT)
        return true;
    const uint32_t one = causes_nth(c, group, c->of[group].n / 2);
    const struct lane_info li = trace_lane(c->tr, lane_g(one));
    const double cost = ((double)g->ns[GM_EXEC] + threshold(TH_CHURN_COST) * g->created) /
                        (double)(c->tg->capacity > 0 ? c->tg->capacity : 1);
    struct verdict v =
        verdict_new(rule, rule == RULE_CHURN ? cost : queue, verdict_place(w, li.create_stack));
    v.clock = cost < 1 ? cost : 1;
    v.creator.at = v.where;
    if (owner_at(w->own, li.create_stack, v.where.frame) < OWNER_LIBRARY)
        return true; /* the standard library's own */
    v.waiter.group = g->name;
    verdict_shows(&v, one, li.first, li.last);
    verdict_ev(&v, EV_COUNT, g->created);
    verdict_ev(&v, EV_RATE, rate);
    verdict_ev(&v, EV_EACH, (double)run);
    verdict_ev(&v, EV_CROWD, crowd);
    verdict_ev(&v, EV_PROCS, c->procs);
    verdict_ev(&v, EV_SHARE, queue);
    v.level = v.harm.share >= threshold(TH_SHARE) ? LEVEL_WARN : LEVEL_NOTE;
    return verdict_add(out, &v);
}

bool fam_crowd(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = herds(c, w, out);
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++)
        ok = c->tg->groups[i].is_system || c->tg->groups[i].created < 100 || begun(c, w, out, i);
    return ok;
}
