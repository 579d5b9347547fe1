/*
 * rules_deals.c - one goroutine has nearly all the work, and the workers it hands the rest to wait for it: it runs nearly all the time, they
 * hardly ever, and processors idle. It never waits, and nobody queues to hand it something: what others call a pool is a helper or two.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"

#define GROUPS 64

struct takers { /* goroutines of a group, that wait for what one hands on */
    uint32_t group;
    uint64_t ends, waits; /* of their waits those that it ended, all */
    int64_t ns;           /* of those that it ended */
    const struct pair_row *most;
};

static bool for_work(enum wait_kind k)
{
    return k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/* Waits of a group for others, but for the collector. */
static struct takers takers_in(const struct causes *c, uint32_t group, uint32_t dealer)
{
    struct takers t = {.group = group};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter != c->tg->groups[group].name || p->kind == WK_GC || p->kind == WK_SYSTEM) {
            continue;
        }
        t.waits += p->count;
        if (!p->from_scheduler && p->waker == c->tg->groups[dealer].name && for_work(p->kind)) {
            t.ends += p->count;
            t.ns = ns_add(t.ns, p->total);
            t.most = !t.most || p->total > t.most->total ? p : t.most;
        }
    }
    return t;
}

static int64_t runs(const struct group *g)
{
    return ns_add(g->d[GM_EXEC].total, ns_add(g->d[GM_SYSCALL].total, g->d[GM_SYSBLOCK].total));
}

/* Do they wait for it, and have little to do? */
static bool wait_for_it(const struct causes *c, const struct takers *t, uint32_t dealer)
{
    const struct group *g = &c->tg->groups[t->group], *d = &c->tg->groups[dealer];
    return (double)t->ends >= threshold(TH_BOTTLE_WAITS) &&
           c->life[t->group].n >= threshold(TH_DEALS_TAKERS) * 0.75 && c->of[t->group].n &&
           (double)c->of[t->group].n >= threshold(TH_DEALS_TAKERS) &&
           threshold_reached(TH_DEALS_ENDS, (int64_t)t->ends, (int64_t)t->waits) &&
           threshold_reached(TH_DEALS_WAIT, ns_add(t->ns, g->d[GM_SCHED].total), g->d[GM_LIFE].total) &&
           (double)runs(g) <= threshold(TH_DEALS_RUN) * (double)d->d[GM_EXEC].total &&
           threshold_reached(TH_DEALS_LEAST, runs(g), d->d[GM_EXEC].total);
}

static void deals_finding(struct causes *c, uint32_t dealer, const struct takers *t)
{
    const struct group *g = &c->tg->groups[t->group], *d = &c->tg->groups[dealer];
    struct leaves v = {0};
    struct draft f;
    c->rs->failed |= !causes_doing(c, dealer, &v);
    draft_start(&f, RULE_BOTTLENECK, (int64_t)((double)d->d[GM_EXEC].total * c->idle / (1 + c->idle)));
    f.f.won_hi = f.f.severity_ns;
    draft_subject(&f, c->rs, d->name);
    draft_at(&f, c->life[dealer].first, c->life[dealer].last, LANE_G, causes_nth(c, dealer, 0));
    text_share(&f.amount, (double)d->d[GM_EXEC].total, (double)c->tg->end);
    text_say(&f.text, c->tr, t_func(d->name), ", a single goroutine, runs for ",
             t_share((double)d->d[GM_EXEC].total, (double)c->tg->end), " of the trace, and ", c->of[t->group].n,
             " goroutines of ", t_func(g->name), " wait for what it passes on: it ended ", t->ends, " of their ",
             t->waits, " waits, most of all in ", t_where(t->most->stack, 0), ", and they run for ",
             t_dur(runs(g) / (int64_t)c->of[t->group].n), " each, on average. ", t_f1(c->idle), " of ",
             t_f0(c->procs), " processors were idle.");
    leaves_work(&f, c->tr, &v);
    text_lit(&f.next, "Move work out of it: let the waiting goroutines do what it does first (each for its own part "
                      "of the input), or make that cheaper.");
    draft_end(c->rs, &f);
}

static bool has_the_work(const struct causes *c, uint32_t group)
{
    return c->of[group].n == 1 && c->life[group].program &&
           threshold_reached(TH_BOTTLE_BUSY, c->tg->groups[group].d[GM_EXEC].total, c->tg->end);
}

void rules_deals(struct causes *c)
{
    if (c->idle < causes_idle_least(c)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS; i++) {
        struct takers most = {0};
        if (!has_the_work(c, i) || causes_told_of(c, i)) {
            continue;
        }
        for (uint32_t k = 0; k < c->tg->ngroups && k < GROUPS; k++) {
            const struct takers t = takers_in(c, k, i);
            most = k != i && c->life[k].program && wait_for_it(c, &t, i) && t.ends > most.ends ? t : most;
        }
        if (most.ends) {
            deals_finding(c, i, &most);
        }
    }
}
