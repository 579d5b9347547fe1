/* fam_order.c - results that are ready but are taken in another order. */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

enum { WAITS = 512, STEPS = 4000, MEMBERS = 64 };

/* Do some of a group stand at t, each with something that goroutine g takes later? */
static bool stand_ready(const struct causes *c, uint32_t group, int64_t t, uint32_t g)
{
    struct span s, after;
    each_member(one, c, group, MEMBERS)
        if (trace_span_at(c->tr, lane_g(one), t, &s) && s.state == ST_WAITING && !s.open_end &&
            stacks_wait_kind(c->tr, s.reason, s.stack) == WK_SEND &&
            trace_span_at(c->tr, lane_g(one), s.t1, &after) && after.who == g)
            return true;
    return false;
}

/* From t0 on goroutine g waits for one of a group. Of those that who began that one began after it, and that
 * were not done before, are several done at t, and most? What they made waits for it then: it did not wake
 * g. */
static bool ended_ready(const struct causes *c, uint32_t group, int64_t t0, int64_t t, uint32_t g,
                        uint32_t one)
{
    const uint32_t born = members_by(c, group, t);
    const struct lane_info li = trace_lane(c->tr, lane_g(one));
    uint32_t ended = 0, n = 0;
    for (uint32_t i = members_by(c, group, li.first);
         li.created && li.creator != g && i < born && n < MEMBERS; i++) {
        const struct lane_info m = trace_lane(c->tr, lane_g(causes_nth(c, group, i)));
        const bool beside = m.creator == li.creator && (!m.ended || m.last > t0);
        n += beside;
        ended += beside && m.ended && m.last <= t;
    }
    return ended >= threshold(TH_SEVERAL) && ended >= threshold(TH_MOST) * n;
}

/* Of the time in which goroutine n->g waits there for one of a group, the share in which others of the group
 * have something ready. */
static double ahead(const struct causes *c, const struct works *w, const struct tree_node *n, uint32_t group)
{
    uint32_t waits = 0;
    int64_t all = 0, ready = 0;
    each_pair(s, next, c->tr, n->g, STEPS) {
        if (waits == WAITS)
            break;
        if (s->state == ST_WAITING && s->stack && causes_group_of(c, next->who) == group &&
            verdict_place(w, s->stack).user == n->user) {
            const int64_t ns = s->t1 - s->t0, t = s->t0 + ns / 2;
            waits++;
            all = ns_add(all, ns);
            if (stand_ready(c, group, t, n->g) || ended_ready(c, group, s->t0, t, n->g, next->who))
                ready = ns_add(ready, ns);
        }
    }
    return waits >= threshold(TH_SEVERAL) && all > 0 ? (double)ready / (double)all : 0;
}

bool fam_order(struct causes *c, const struct works *w, uint32_t work, uint32_t node, struct verdicts *out)
{
    const struct work *k = &w->v[work];
    const struct tree_node *n = &k->tree.v[node];
    const uint32_t group = causes_group_of(c, n->by);
    const double share = tree_share(&k->tree, node, TREE_ALL);
    if (!work_counts(k) || n->cat != EX_WAIT || n->who == trace_g_name(c->tr, n->by) ||
        (n->kind != WK_RECV && n->kind != WK_SELECT) || share < threshold(TH_SHARE) || group == UINT32_MAX ||
        c->of[group].n < threshold(TH_SEVERAL))
        return true;
    const double part = ahead(c, w, n, group);
    struct verdict v = verdict_new(RULE_IN_ORDER, share, node_site(n));
    v.harm.of_work = work;
    v.holder = (struct role){trace_g_name(c->tr, n->by), n->by, verdict_place(w, n->by_stack), 0};
    verdict_shows(&v, n->g, n->t0, n->t1);
    verdict_ev(&v, EV_SHARE, part);
    v.level = c->idle >= threshold(TH_ROOM) * c->procs ? LEVEL_WARN : LEVEL_NOTE;
    return part < threshold(TH_SEVERE) || verdict_add(out, &v);
}
