/*
 * rules_crew.c - stages whose goroutines begin in one function (a helper begins them, or a generic type's method):
 * some of them are at work all the time, and the others wait to hand something to them.
 *
 * By their start function they are one group, that seems to wait for itself. Who takes what is handed over hardly
 * ever waits there.
 */
#include "triage/findings/asks.h"
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/let_go.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"

#define PLACES 16

struct crew {
    uint32_t g[LET_GO_CREW], n;
    double busy; /* the share of their lives at work */
    int64_t first, last;
};

/*
 * Are those that end the waits there at work nearly all the time, as goroutines of the program that began where the
 * others did?
 */
static bool crew_of(struct causes *c, uint32_t group, uint32_t place, struct crew *v)
{
    int64_t exec = 0, life = 0;
    v->n = let_go_crew(c, group, place, v->g);
    v->first = INT64_MAX;
    v->last = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, v->g[i]});
        exec = ns_add(exec, gstat_of(c->tg->g, v->g[i]).ns[GM_EXEC]);
        life = ns_add(life, li.last - li.first);
        v->first = li.first < v->first ? li.first : v->first;
        v->last = li.last > v->last ? li.last : v->last;
    }
    v->busy = life > 0 ? (double)exec / (double)life : 0;
    return v->n >= 2 && v->busy >= threshold(TH_BOTTLE_BUSY);
}

/* What they do, all together. */
static bool doing(struct causes *c, const struct crew *v, struct leaves *out)
{
    struct explain_tree t;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; ok && i < v->n; i++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, v->g[i]});
        ok = explain_add(c->x, &t, v->g[i], li.first, li.last);
    }
    if (ok) {
        causes_leaves(&t, out);
    }
    explain_tree_free(&t);
    return ok && out->n > 0 && out->all > 0;
}

static void finding(struct causes *c, const struct waits_at *p, const struct crew *v, double waiting, int64_t cost)
{
    const struct pair_row *m = p->most;
    struct leaves work;
    struct draft d;
    draft_start(&d, RULE_POOL, cost);
    draft_about(&d, c->rs, p->place, m->stack);
    draft_at(&d, v->first, v->last, LANE_G, v->g[0]);
    d.f.inferred = d.f.at_work = true;
    text_add(&d.amount, "%.0f wait", waiting);
    text_say(&d.text, c->tr, (uint64_t)v->n, " goroutines of ", t_func(m->waiter), " were at work for ",
             t_share(v->busy, 1), " of the time while ", t_f1(waiting),
             " others that began in the same function waited on average to hand something to them at ",
             t_where(m->stack, 0), " (", p->count, " waits); ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle.");
    if (doing(c, v, &work)) {
        for (uint32_t i = 0; i < work.n && i < 3 && (i == 0 || work.v[i].ns > work.all / 20); i++) {
            text_add(&d.text, "%s", i ? "; " : " Their work: ");
            causes_leaf_text(&d.text, c->tr, &work.v[i], work.all);
        }
        text_lit(&d.text, ".");
    }
    text_lit(&d.next, "More of these goroutines would use the idle processors; or make their longest step cheaper.");
    draft_end(c->rs, &d);
}

static bool among_themselves(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return !p->from_scheduler && p->waker == p->waiter && p->kind == WK_SEND;
}

void rules_crew(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, among_themselves);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        const double waiting = l && l->last > l->first ? (double)v[i].total / (double)(l->last - l->first) : 0;
        struct crew crew;
        if (!l || !l->program || (double)v[i].count < threshold(TH_BOTTLE_WAITS) ||
            waiting < threshold(TH_POOL_QUEUE) || c->idle < causes_idle_least(c) ||
            causes_told_at(c, RULE_POOL, v[i].place) || causes_told_at(c, RULE_BOTTLENECK, v[i].place) ||
            !crew_of(c, g, v[i].place, &crew)) {
            continue;
        }
        const double share = waiting < 1 ? waiting : 1;
        const int64_t cost =
            (int64_t)((double)(crew.last - crew.first) * share * c->idle / ((double)crew.n + c->idle));
        if (threshold_reached(TH_BOTTLE_SHARE, cost, c->tg->end)) {
            finding(c, &v[i], &crew, waiting, cost);
        }
    }
}
