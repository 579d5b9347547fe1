/*
 * rules_kept.c - goroutines wait for what one of them, or of another kind, keeps: it takes of the same set, again and
 * again, and gives back all of it at once. Where so many wait that the set is too small, that is told by the rules
 * about sets, which ask the same.
 */
#include "triage/findings/causes.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/let_go.h"
#include "triage/findings/thresholds.h"

#define PLACES 32

static void finding(struct causes *c, const struct waits_at *p, uint32_t group, const struct let_go *go)
{
    const struct group_life *l = &c->life[group];
    const double share = (double)p->total / (double)l->life;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)((share < 1 ? share : 1) * (double)(l->last - l->first)));
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_share(&d.amount, share, 1);
    let_go_together_text(&d.text, &d.next, c, go);
    text_say(&d.text, c->tr, t_place(d.f.stack, 3), ": goroutines of ", t_func(p->most->waiter), " waited there for ",
             t_share(share, 1), " of their lives (", p->count, " waits of ", t_dur(p->total / (int64_t)p->count),
             " on average); ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    draft_titled(c->rs, &d, LET_GO_KEEPS);
}

static bool hands(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return !p->from_scheduler && wait_on_channel(p->kind);
}

/* The waits there of those that wait there longest, without the keeper's own. */
static struct waits_at of_most(const struct causes *c, const struct waits_at *all)
{
    struct waits_at w = {.place = all->place, .most = all->most};
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (hands(c, p) && p->waiter == all->most->waiter && causes_place(c->tr, p->stack) == all->place) {
            w.total = ns_add(w.total, p->total);
            w.count += p->count;
        }
    }
    return w;
}

void rules_kept(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ASKED, hands);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        const struct waits_at w = of_most(c, &v[i]);
        struct let_go go;
        if (g != UINT32_MAX && c->life[g].program && c->life[g].life > 0 &&
            (double)w.count >= threshold(TH_BOTTLE_WAITS) &&
            threshold_reached(TH_POOL_REQUESTS, w.total, c->life[g].life) &&
            c->idle >= threshold(TH_POOL_IDLE) * c->procs && !causes_told_at(c, RULE_POOL, w.place) &&
            let_go_together(c, g, w.place, &go) && !go.for_all) {
            finding(c, &w, g, &go);
        }
    }
}
