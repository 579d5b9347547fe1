/*
 * fam_fine.c - two that hand over one by one: each waits for the other by turns, though neither is busy all
 * the time; and work so fine that handing it over takes as long as doing it.
 */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { PAIRS = 512 };

/* What group b ends of a's waits, on channels and conditions. */
static const struct pair_row *between(const struct causes *c, uint32_t a, uint32_t b, int64_t *ns,
                                      uint64_t *count)
{
    const struct pair_row *most = NULL;
    *ns = 0;
    *count = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == a && p->waker == b && wait_passes_on(p->kind)) {
            *ns = ns_add(*ns, p->total);
            *count += p->count;
            most = most ? most : p;
        }
    }
    return most;
}

static double life(const struct causes *c, uint32_t name)
{
    const uint32_t g = causes_group(c, name);
    return g == UINT32_MAX ? 0 : (double)c->life[g].life;
}

static bool turns(struct causes *c, const struct works *w, struct verdicts *out, const struct pair_row *p,
                  bool *told)
{
    int64_t a, b;
    uint64_t na, nb;
    const struct pair_row *there = between(c, p->waiter, p->waker, &a, &na),
                          *back = between(c, p->waker, p->waiter, &b, &nb);
    const double la = life(c, p->waiter), lb = life(c, p->waker), part = threshold(TH_HANDOFF_SHARE);
    if (!there || !back || (double)na < threshold(TH_HANDOFF_TURNS) ||
        (double)nb < threshold(TH_HANDOFF_TURNS) || (double)a < part * la || (double)b < part * lb ||
        a / (int64_t)na > threshold_ns(TH_FELT) || b / (int64_t)nb > threshold_ns(TH_FELT))
        return true;
    struct verdict v = verdict_new(RULE_HANDOFF, (double)(a < b ? a : b) / (double)c->tg->end);
    v.where = verdict_place(w, there->stack);
    v.waiter = (struct role){.group = p->waiter, .g = there->longest.g, .at = v.where};
    v.holder =
        (struct role){.group = p->waker, .g = there->longest_waker, .at = verdict_place(w, back->stack)};
    v.g = there->longest.g;
    v.t0 = there->longest.t0;
    v.t1 = there->longest.t1;
    verdict_ev(&v, EV_COUNT, (double)(na < nb ? na : nb));
    verdict_ev(&v, EV_IDLE, c->idle);
    verdict_ev(&v, EV_PROCS, c->procs);
    verdict_in_works(w, &v, v.where.user, 0);
    v.level = LEVEL_NOTE;
    *told = true;
    return verdict_add(out, &v);
}

/* ---- fine grains --------------------------------------------------------------------------------------- */

#define SWITCH 1000.0 /* ns: what it takes about to wake a goroutine and to go over to it */

struct grains { /* what a group is handed by those that hand over several: how often, by whom most often */
    uint64_t n;
    const struct pair_row *most;
};

/* Is that place in the program's own code? How a library hands things over nobody changes. */
static bool is_program(const struct works *w, uint32_t stack)
{
    const struct frame f = stack ? trace_frame(w->tr, stack, owner_user(w->own, stack)) : (struct frame){0};
    return stack && owner_of(w->own, &f) == OWNER_PROGRAM;
}

static struct grains grains_of(const struct causes *c, const struct works *w, uint32_t name)
{
    struct grains g = {0, NULL};
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t by = causes_group(c, p->waker);
        const bool once = by != UINT32_MAX && 2 * (uint64_t)c->tg->groups[by].created > p->count;
        if (p->waiter == name && !p->from_scheduler && !once && wait_passes_on(p->kind) &&
            is_program(w, p->stack)) {
            g.n += p->count;
            g.most = !g.most || p->count > g.most->count ? p : g.most;
        }
    }
    return g;
}

/* Groups that do little each time they are handed something, and take much of the processors with that.
 * turns: two that hand over by turns are told already: that warns, then. */
static bool grains(struct causes *c, const struct works *w, struct verdicts *out, bool turns)
{
    double cost = 0, n = 0, ran = 0, largest = 0;
    const struct pair_row *most = NULL;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *k = &c->tg->groups[i];
        const struct grains g = k->is_system ? (struct grains){0, NULL} : grains_of(c, w, k->name);
        const double exec = (double)k->d[GM_EXEC].total, each = g.n ? exec / (double)g.n : 0;
        if ((double)g.n < threshold(TH_CHURN_COUNT) || g.n < 2 * (uint64_t)k->created ||
            each > (double)threshold_ns(TH_CHURN_RUN))
            continue;
        const double takes = exec + SWITCH * (double)g.n;
        cost += takes;
        n += (double)g.n;
        ran += exec;
        most = takes > largest ? g.most : most;
        largest = takes > largest ? takes : largest;
    }
    const double share = c->tg->capacity > 0 ? cost / (double)c->tg->capacity : 0;
    if (!most || share < threshold(TH_SHARE))
        return true;
    if (turns) {
        out->v[out->n - 1].level = LEVEL_WARN;
        return true;
    }
    struct verdict v = verdict_new(RULE_GRAIN, share < 1 ? share : 1);
    v.where = verdict_place(w, most->stack);
    v.waiter = (struct role){.group = most->waiter, .g = most->longest.g, .at = v.where};
    v.holder = (struct role){
        .group = most->waker, .g = most->longest_waker, .at = verdict_place(w, most->waker_stack)};
    v.g = most->longest.g;
    v.t0 = most->longest.t0;
    v.t1 = most->longest.t1;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_RATE, n * 1e9 / (double)c->tg->end);
    verdict_ev(&v, EV_EACH, ran / n);
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}

bool fam_fine(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true, told = false;
    for (uint32_t i = 0;
         ok && !told && i < c->tg->npairs && i < PAIRS && c->idle >= threshold(TH_ROOM) * c->procs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool may = !p->from_scheduler && p->waiter < p->waker && wait_passes_on(p->kind);
        ok = !may || turns(c, w, out, p, &told);
    }
    return ok && grains(c, w, out, told);
}
