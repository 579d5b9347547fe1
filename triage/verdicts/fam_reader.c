/*
 * fam_reader.c - one goroutine writes to several connections, one after the other, and stands where one peer
 * does not read: the others get theirs after that, and so does who hands it more. A trace does not show which
 * connection a write is for; but for one connection it would write once for each thing that it is handed.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

enum { HANDED = 64, STEPS = 4000, WRITES = 2000 };

struct writes { /* of one goroutine, while others wait for it */
    uint32_t handed, calls, waits;
    int64_t ns; /* of the waits */
};

/* Adds what goroutine g writes in `user` from t0 to t1. */
static void writes_in(const struct causes *c, const struct works *w, const struct tree_node *n, int64_t t0,
                      int64_t t1, struct writes *out)
{
    each_between(s, c->tr, n->g, t0, t1, WRITES) {
        const bool call = s->state == ST_SYSCALL, waits = s->state == ST_WAITING;
        if (!(waits || (call && s->t0 >= t0)) || s->t1 <= t0 || !s->stack || !causes_sends(c->tr, s->stack) ||
            verdict_place(w, s->stack).user != n->user)
            continue;
        out->calls += call;
        out->waits += waits;
        out->ns = ns_add(out->ns, waits ? s->t1 - s->t0 : 0);
    }
}

/* What the goroutine that writes at node n does for its own items, or while `waiter` waits for it, from one
 * thing that it takes to the next. */
static struct writes writes_for(const struct causes *c, const struct works *w, const struct work *k,
                                const struct tree_node *n, uint32_t waiter)
{
    struct writes out = {0};
    for (; n->up == 0 && out.handed < HANDED && out.handed < k->looked; out.handed++)
        writes_in(c, w, n, k->v[out.handed].t0, k->v[out.handed].t1, &out);
    each_pair(s, next, c->tr, waiter, STEPS) {
        if (out.handed == HANDED || s->state != ST_WAITING || next->who != n->g)
            continue;
        out.handed++;
        writes_in(c, w, n, s->t0, s->t1, &out);
    }
    return out;
}

/* Whether a node is a wait until a peer reads, of a goroutine alone of its kind, for its items or while
 * another one waits to hand it something. Who has a goroutine for each connection has no such. */
static bool may(const struct causes *c, const struct work *k, uint32_t node)
{
    const struct work_tree *t = &k->tree;
    const struct tree_node *n = &t->v[node], *up = &t->v[n->up];
    const bool handed = up->cat == EX_WAIT && (up->kind == WK_SEND || up->kind == WK_SELECT);
    return explain_waits_outside(n->cat) && n->stack && causes_sends(c->tr, n->stack) && n->g < c->tg->ng &&
           c->of[c->tg->group_of[n->g]].n < threshold(TH_SEVERAL) &&
           (n->up ? handed : k->kind == WORK_ITEMS) && tree_share(t, node, TREE_ALL) >= threshold(TH_SHARE);
}

bool fam_reader(struct causes *c, const struct works *w, uint32_t work, uint32_t node, struct verdicts *out)
{
    const struct work_tree *t = &w->v[work].tree;
    const struct tree_node *n = &t->v[node], *up = &t->v[n->up];
    if (!work_counts(&w->v[work]) || !may(c, &w->v[work], node))
        return true;
    const struct writes k = writes_for(c, w, &w->v[work], n, up->g);
    const double messages = (double)k.calls - k.waits; /* a write that waits is tried again */
    if (k.handed < threshold(TH_SEVERAL) || messages < threshold(TH_SEVERAL) * k.handed ||
        k.waits * 3.0 > messages)
        return true;
    struct verdict v = verdict_new(RULE_READER, 0, node_site(n));
    if (n->up)
        v.waiter = (struct role){up->who, up->g, verdict_place(w, up->stack), 0};
    v.holder = (struct role){n->who, n->g, v.where, 0};
    verdict_shows(&v, n->g, n->t0, n->t1);
    v.sure = SURE_INFERRED;
    v.harm = (struct harm){.work = work};
    verdict_share_at(t, n->user, 1u << n->cat, &v.harm);
    verdict_ev(&v, EV_TIMES, messages / k.handed);
    verdict_ev(&v, EV_EACH, (double)k.ns / (k.waits ? k.waits : 1));
    return verdict_add(out, &v);
}
