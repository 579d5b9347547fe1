/*
 * fam_uneven.c - of several goroutines that begin together to share some work, one has most of it, and the
 * others are done long before. Those that are there all along are in fam_member.c.
 */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { GROUPS = 64, MEMBERS = 256 };

/* Who began most of a group: a majority vote. */
static uint32_t biggest_lot(const struct causes *c, uint32_t group, uint32_t n)
{
    uint32_t creator = NO_LANE;
    int votes = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t by = trace_lane_who(c->tr, (struct lane){LANE_G, causes_nth(c, group, i)}).creator;
        creator = votes ? creator : by;
        votes += creator == by ? 1 : -1;
    }
    return creator;
}

static bool uneven(struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    const uint32_t all = c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
    const uint32_t creator = biggest_lot(c, group, all);
    uint32_t most = NO_LANE, n = 0;
    int64_t sum = 0, longest = 0, first = INT64_MAX, begun = 0, last = 0;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t g = causes_nth(c, group, i);
        const int64_t ran = gstat_ns(c->tg->g, g, GM_EXEC);
        struct lifetime l;
        if (trace_lane_who(c->tr, (struct lane){LANE_G, g}).creator != creator)
            continue;
        n++;
        trace_lives(c->tr, LANE_G, g, 1, &l);
        sum = ns_add(sum, ran);
        first = l.first < first ? l.first : first;
        begun = l.first > begun ? l.first : begun;
        last = l.last > last ? l.last : last;
        most = ran > longest ? g : most;
        longest = ran > longest ? ran : longest;
    }
    const double mean = n ? (double)sum / n : 0;
    if (n < threshold(TH_SEVERAL) || most == NO_LANE || (double)longest < threshold(TH_DOUBLE) * mean ||
        (double)longest - mean < threshold(TH_SHARE) * (double)c->tg->end ||
        (double)(begun - first) > threshold(TH_SHARE) * (double)(last - first))
        return true;
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, most});
    struct span held;
    const bool stood = trace_longest(c->tr, (struct lane){LANE_G, most}, 0, c->tg->end, &held) &&
                       held.state == ST_RUNNING && held.t1 - held.t0 >= threshold_ns(TH_HOST_RUN);
    if (stood || (double)longest < threshold(TH_SEVERE) * (double)(li.last - li.first))
        return true; /* the host had its thread elsewhere; or it has time to spare */
    struct verdict v = verdict_new(RULE_UNEVEN, ((double)longest - mean) / (double)c->tg->end);
    v.waiter.group = c->tg->groups[group].name;
    v.where.user = v.waiter.group;
    for (uint32_t i = 0; i < w->n; i++) { /* what its goroutines mostly do */
        const struct work *k = &w->v[i];
        if (k->group == group && k->user)
            v.where.user = k->user;
    }
    v.g = most;
    v.t0 = li.first;
    v.t1 = li.last;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SHARE, sum > 0 ? (double)longest / (double)sum : 0);
    verdict_ev(&v, EV_LONGEST, (double)longest);
    verdict_ev(&v, EV_EACH, n > 1 ? (double)(sum - longest) / (n - 1) : 0);
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}

bool fam_uneven(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS && c->idle >= threshold(TH_ROOM) * c->procs;
         i++)
        ok = c->tg->groups[i].is_system || uneven(c, w, out, i);
    return ok;
}
