/* fam_nobody.c - goroutines that go on with work that nobody waits for any more, as who began them goes on
 * with the first answer. */
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum {
    GROUPS = 256,
    FEW = 32, /* members that are asked first */
    LOOKED = 512,
    QUARTERS = 4,
    STEPS = 4000,
    PIECE = 256 /* spans of a piece that begins goroutines */
};

/* When the goroutine that created g is back for more work, if others that it created for the same, alike,
 * ended its waits meanwhile: what g does then is for nobody. INT64_MAX: g is no such goroutine. */
static int64_t answered(const struct causes *c, uint32_t g)
{
    const struct lane_info li = trace_lane(c->tr, lane_g(g));
    bool has = false;
    if (!li.created || li.creator >= c->tg->ng)
        return INT64_MAX;
    const uint32_t name = trace_g_name(c->tr, li.creator);
    each_between(s, c->tr, li.creator, li.first, INT64_MAX, PIECE) {
        const uint32_t who = s->state == ST_RUNNABLE && s->t0 > li.first ? s->who : NO_LANE;
        if (has && s->state == ST_WAITING && waits_for_more(c->tr, name, s->reason, s->stack))
            return s->t0;
        has |= who != g && causes_group_of(c, who) == c->tg->group_of[g] &&
               trace_lane_who(c->tr, lane_g(who)).creator == li.creator;
    }
    return INT64_MAX;
}

/* What goroutines of a group run for nobody: how many of those that are looked at do, in all and by the
 * quarter of the trace that they begin in, how long, and the longest run. */
struct ran_on {
    uint32_t n, in[QUARTERS], one;
    int64_t ns;
    struct span longest;
};

static void ran_on_add(const struct causes *c, uint32_t g, struct ran_on *r)
{
    const int64_t since = answered(c, g);
    bool runs = false;
    each_between(s, c->tr, g, since, INT64_MAX, STEPS) {
        if (s->state != ST_RUNNING || s->t1 <= since)
            continue;
        runs = true;
        r->ns = ns_add(r->ns, s->t1 - (s->t0 > since ? s->t0 : since));
        if (s->t1 - s->t0 > r->longest.t1 - r->longest.t0) {
            r->longest = *s;
            r->one = g;
        }
    }
    r->n += runs;
    r->in[trace_lane(c->tr, lane_g(g)).first / (c->tg->end / QUARTERS + 1)] += runs;
}

/* Of a group whose goroutines begin all along. If all begin at one time, they are workers that serve more
 * than the piece that began them. */
static bool for_nobody(const struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    const struct group *g = c->tg->groups;
    struct ran_on few = {.n = 0}, r = {.n = 0};
    each_member(k, c, group, FEW)
        ran_on_add(c, k, &few);
    if (!few.n)
        return true;
    each_member(k, c, group, LOOKED)
        ran_on_add(c, k, &r);
    const double all = (double)r.ns * c->of[group].n / causes_look(c, group, LOOKED);
    const double share = c->ran > 0 ? all / c->ran : 0, most = (double)r.in[find_most(q, QUARTERS, r.in[q])];
    if (r.n < threshold(TH_MANY) || most > (1 - threshold(TH_ROOM)) * r.n || share < threshold(TH_SHARE))
        return true;
    const struct site at = verdict_place(w, r.longest.stack_end);
    struct verdict v =
        verdict_new(RULE_NOBODY, share, verdict_own(w, at) ? at : verdict_runs_at(c, w, g[group].name));
    v.waiter.group = g[group].name;
    v.creator.at = verdict_place(w, trace_lane(c->tr, lane_g(r.one)).create_stack);
    verdict_shows(&v, r.one, r.longest.t0, r.longest.t1);
    verdict_ev(&v, EV_TOTAL, all);
    verdict_ev(&v, EV_SHARE, share);
    v.level =
        share >= threshold(TH_SET_SHARE) && c->idle < threshold(TH_ROOM) * c->procs ? LEVEL_WARN : LEVEL_NOTE;
    return verdict_add(out, &v);
}

bool fam_nobody(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++)
        ok = c->tg->groups[i].is_system || c->tg->groups[i].created < threshold(TH_MANY) ||
             for_nobody(c, w, out, i);
    return ok;
}
