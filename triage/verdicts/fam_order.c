/*
 * fam_order.c - what order costs: short work that waits behind long (one goroutine takes things as they come,
 * and few of them take most of its time), and results that are ready but are taken in another order.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

/*
 * The user's function with most of the slow pieces' time; .user 0: they don't take it themselves, but wait
 * for a processor, or for a thread that the host had elsewhere.
 */
static struct site slow_place(const struct work *k)
{
    struct site p = {0};
    bool own = false;
    int64_t most = 0;
    for (uint32_t i = 1; i < k->tree.n; i++) {
        const struct tree_node *n = &k->tree.v[i];
        if (n->first == NO_LANE && n->ns[TREE_SLOW] > most) {
            most = n->ns[TREE_SLOW];
            p = (struct site){n->leaf, n->user, n->stack, n->frame};
            own = n->cat != EX_SCHED && n->cat != EX_NOBODY && n->cat != EX_STOPPED &&
                  (n->cat != EX_RUN || n->t1 - n->t0 < threshold_ns(TH_HOST_RUN));
        }
    }
    return own ? p : (struct site){0};
}

/* Do others wait for goroutines of that group, to hand something over or for an answer? */
static bool awaited(const struct causes *c, uint32_t name)
{
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waker == name && p->waiter != name && !p->from_scheduler && wait_passes_on(p->kind) &&
            (double)p->count >= threshold(TH_MANY))
            return true;
    }
    return false;
}

/* ---- results taken in order ---------------------------------------------------------------------------- */

enum { MOMENTS = 64, STEPS = 4000, MEMBERS = 64 };

/* Do some of a group stand at t, each with something that goroutine g takes later? */
static bool has_ready(const struct causes *c, uint32_t group, int64_t t, uint32_t g)
{
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        const struct lane one = {LANE_G, causes_member(c, group, i, MEMBERS)};
        struct span s, after;
        if (trace_span_at(c->tr, one, t, &s) && s.state == ST_WAITING && !s.open_end &&
            stacks_wait_kind(c->tr, s.reason, s.stack) == WK_SEND &&
            trace_span_at(c->tr, one, s.t1, &after) && after.who == g)
            return true;
    }
    return false;
}

/* Of the moments at which goroutine n->g waits there for one of a group, the share at which others of the
 * group have something ready. */
static double ahead(const struct causes *c, const struct works *w, const struct tree_node *n, uint32_t group)
{
    uint32_t moments = 0, ready = 0;
    struct walk k;
    struct span s;
    const struct span *next = walk_first(&k, c->tr, n->g, STEPS);
    while (moments < MOMENTS && walk_pair(&k, &s, &next)) {
        if (s.state == ST_WAITING && s.stack && next && next->who < c->tg->ng &&
            gstat_group(c->tg->g, next->who) == group && verdict_place(w, s.stack).user == n->user) {
            moments++;
            ready += has_ready(c, group, s.t0 + (s.t1 - s.t0) / 2, n->g);
        }
    }
    return moments >= threshold(TH_SEVERAL) ? (double)ready / moments : 0;
}

static bool in_order(struct causes *c, const struct works *w, const struct work *k, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 1; ok && i < k->tree.n; i++) {
        const struct tree_node *n = &k->tree.v[i];
        const uint32_t group = n->by < c->tg->ng ? gstat_group(c->tg->g, n->by) : UINT32_MAX;
        const double share = tree_share(&k->tree, i, TREE_ALL);
        if (n->cat != EX_WAIT || (n->kind != WK_RECV && n->kind != WK_SELECT) ||
            share < threshold(TH_SHARE) || group == UINT32_MAX || c->of[group].n < threshold(TH_SEVERAL))
            continue;
        const double part = ahead(c, w, n, group);
        if (part < threshold(TH_SEVERE))
            continue;
        struct verdict v = verdict_new(RULE_IN_ORDER, share);
        v.where = (struct site){n->leaf, n->user, n->stack, n->frame};
        v.holder = (struct role){trace_g_name(c->tr, n->by), n->by, verdict_place(w, n->by_stack), 0};
        v.g = n->g;
        v.t0 = n->t0;
        v.t1 = n->t1;
        verdict_ev(&v, EV_SHARE, part);
        ok = verdict_add(out, &v);
    }
    return ok;
}

static bool behind(struct causes *c, const struct work *k, struct verdicts *out)
{
    const double usual = (double)k->d.p50, all = (double)k->d.total;
    uint32_t few = 0;
    double ns = 0;
    while (few < k->looked && (double)(k->v[few].t1 - k->v[few].t0) >= threshold(TH_LINE_TIMES) * usual) {
        ns += (double)(k->v[few].t1 - k->v[few].t0);
        few++;
    }
    const struct site at = slow_place(k);
    if (k->kind != WORK_ITEMS || k->looked < threshold(TH_MANY) || few * 3 > k->looked || few < 3 ||
        !at.user || ns < threshold(TH_LINE_SHARE) * all || (double)k->d.max < (double)threshold_ns(TH_FELT) ||
        !awaited(c, k->name))
        return true;
    struct verdict v = verdict_new(RULE_LINE, ns / all);
    v.where = at;
    v.waiter.group = k->name;
    v.g = k->v[0].g;
    v.t0 = k->v[0].t0;
    v.t1 = k->v[0].t1;
    verdict_ev(&v, EV_SHARE, ns / all);
    verdict_ev(&v, EV_LONGEST, (double)k->d.max);
    verdict_ev(&v, EV_EACH, usual);
    return verdict_add(out, &v);
}

bool fam_order(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->n; i++) {
        const struct work *k = &w->v[i];
        ok = k->background || (behind(c, k, out) && (k->inner || in_order(c, w, k, out)));
    }
    return ok;
}
