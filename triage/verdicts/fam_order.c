/* fam_order.c - short work that waits behind long: one goroutine takes things as they come, and few of them take most of its time. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { LEAST = 20 };

/*
 * The user's function with most of the slow pieces' time; .user 0: they don't take it themselves, but wait for a processor, or for a thread that the
 * host had elsewhere.
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
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waker == name && p->waiter != name && !p->from_scheduler && wait_passes_on(p->kind) &&
            p->count >= LEAST) {
            return true;
        }
    }
    return false;
}

bool fam_order(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->n; i++) {
        const struct work *k = &w->v[i];
        const double usual = (double)k->d.p50, all = (double)k->d.total;
        uint32_t few = 0;
        double ns = 0;
        while (few < k->looked && (double)(k->v[few].t1 - k->v[few].t0) >= threshold(TH_LINE_TIMES) * usual) {
            ns += (double)(k->v[few].t1 - k->v[few].t0);
            few++;
        }
        if (k->kind != WORK_ITEMS || k->background || k->looked < LEAST || few * 3 > k->looked || few < 3 ||
            ns < threshold(TH_LINE_SHARE) * all || (double)k->d.max < (double)threshold_ns(TH_FELT) ||
            !awaited(c, k->name)) {
            continue;
        }
        struct verdict v = verdict_new(RULE_LINE, ns / all);
        v.where = slow_place(k);
        v.waiter.group = k->name;
        v.g = k->v[0].g;
        v.t0 = k->v[0].t0;
        v.t1 = k->v[0].t1;
        if (!v.where.user) {
            continue;
        }
        verdict_ev(&v, EV_SHARE, ns / all);
        verdict_ev(&v, EV_LONGEST, (double)k->d.max);
        verdict_ev(&v, EV_EACH, usual);
        v.level = LEVEL_NOTE;
        ok = verdict_add(out, &v);
    }
    return ok;
}
