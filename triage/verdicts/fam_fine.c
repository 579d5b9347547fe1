/* fam_fine.c - two that hand over one by one: each waits for the other by turns, though neither is busy all
 * the time. */
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

bool fam_fine(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true, told = false;
    for (uint32_t i = 0;
         ok && !told && i < c->tg->npairs && i < PAIRS && c->idle >= threshold(TH_ROOM) * c->procs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool may = !p->from_scheduler && p->waiter < p->waker && wait_passes_on(p->kind);
        ok = !may || turns(c, w, out, p, &told);
    }
    return ok;
}
