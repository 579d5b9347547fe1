/*
 * rules_in_order.c - one that takes from several goroutines in a fixed order, not from whichever is ready: these wait
 * to hand over what they have, or have no work until it takes more.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"

#define GROUPS 24 /* the largest */

/* Begins a finding: who takes, and how much of its life it waits. life: the share that those it takes from wait. */
static void draft_taker(struct draft *d, struct causes *c, const struct pair_row *takes, double taker, double life)
{
    draft_start(d, RULE_IN_ORDER, (int64_t)(life * (double)c->tg->end));
    draft_about(d, c->rs, causes_place(c->tr, takes->stack), takes->stack);
    draft_moment(d, &takes->longest);
    d->f.inferred = true;
    text_say(&d->text, c->tr, t_place(takes->stack, 3), " takes from one goroutine of ", t_func(takes->waker),
             " after the other, not from whichever is ready (inferred): it waits for one of them for ",
             t_share(taker, 1), " of its life");
}

static void in_order_finding(struct causes *c, const struct pair_row *takes, const struct pair_row *gives,
                             double taker, double life, double waiting)
{
    struct draft d;
    draft_taker(&d, c, takes, taker, life);
    text_add(&d.amount, "%.1f wait", waiting);
    text_say(&d.text, c->tr, ", while ", t_f1(waiting), " others wait on average to send to it at ",
             t_where(gives->stack, 0), ", ", t_share(life, 1), " of theirs.");
    text_lit(&d.next, "Take what comes first and reorder it afterwards, or buffer the channels for what is ahead.");
    draft_end(c->rs, &d);
}

struct windowed {
    const struct pair_row *takes, *room, *work; /* waits of x for the ys, of z for x, of the ys for z */
    double taker, life, full;                   /* shares of the lives of x, of the ys, of z */
};

/*
 * x takes from the ys in order, z gives them work and waits until x has room for what will be ready: so the ys have
 * nothing to do.
 */
static void window_finding(struct causes *c, const struct windowed *w)
{
    struct draft d;
    draft_taker(&d, c, w->takes, w->taker, w->life);
    text_share(&d.amount, w->taker, 1);
    text_say(&d.text, c->tr, ". Meanwhile ", t_func(w->room->waiter), " waits at ", t_where(w->room->stack, 0),
             " until it takes more, ", t_share(w->full, 1),
             " of its life, and the others have no work: they wait for it at ", t_where(w->work->stack, 0), ", ",
             t_share(w->life, 1), " of their lives.");
    text_lit(&d.next, "Allow more in flight (a larger window), take what comes first and reorder it afterwards, or "
                      "split long work.");
    draft_end(c->rs, &d);
}

static void in_order_window(struct causes *c, uint32_t x, uint32_t y, const struct pair_row *takes, double taker)
{
    for (uint32_t z = 0; z < c->tg->ngroups && z < GROUPS; z++) {
        int64_t room, work;
        uint64_t nroom, nwork;
        if (z == x || z == y || !c->life[z].program || c->life[z].life <= 0) {
            continue;
        }
        const struct pair_row *p = waits_between(c, z, x, &room, &nroom), *q = waits_between(c, y, z, &work, &nwork);
        double full = (double)room / (double)c->life[z].life, life = (double)work / (double)c->life[y].life;
        if (p && q && p->kind == WK_SEND && q->kind == WK_RECV && (double)nroom >= threshold(TH_BOTTLE_WAITS) &&
            (double)nwork >= threshold(TH_BOTTLE_WAITS) && full >= threshold(TH_ORDER_WINDOW) &&
            life >= threshold(TH_ORDER_LIFE)) {
            window_finding(c, &(struct windowed){takes, p, q, taker, life, full});
            return;
        }
    }
}

void rules_in_order(struct causes *c)
{
    for (uint32_t a = 0; a < c->tg->ngroups && a < GROUPS; a++) {
        for (uint32_t b = 0; b < c->tg->ngroups && b < GROUPS; b++) {
            int64_t taken, given;
            uint64_t ntaken, ngiven;
            const struct group_life *x = &c->life[a], *y = &c->life[b]; /* x takes from y */
            if (a == b || !x->program || !y->program || x->n > 1.5 || y->n < threshold(TH_ORDER_MEMBERS) ||
                c->idle < threshold(TH_BOTTLE_IDLE) || x->life <= 0 || y->life <= 0) {
                continue;
            }
            const struct pair_row *takes = waits_between(c, a, b, &taken, &ntaken),
                                  *gives = waits_between(c, b, a, &given, &ngiven);
            double taker = (double)taken / (double)x->life, life = (double)given / (double)y->life;
            double waiting = ((double)given - (double)(x->life - taken) * y->n) / (double)x->life;
            if (takes && gives && takes->kind == WK_RECV && gives->kind == WK_SEND &&
                (double)ngiven >= threshold(TH_BOTTLE_WAITS) && (double)ntaken >= threshold(TH_BOTTLE_WAITS) &&
                taker >= threshold(TH_ORDER_TAKER) && life >= threshold(TH_ORDER_LIFE) &&
                waiting >= threshold(TH_ORDER_WAITING)) {
                in_order_finding(c, takes, gives, taker, life, waiting);
            } else if (takes && takes->kind == WK_RECV && (double)ntaken >= threshold(TH_BOTTLE_WAITS) &&
                       taker >= threshold(TH_ORDER_TAKER)) {
                in_order_window(c, a, b, takes, taker);
            }
        }
    }
}
