/*
 * limit.c - whether waits end at a time limit because the first address asked never answers. See verdict.h.
 */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

struct asked { /* waits at one place: those that a limit ended, and those that an answer ended */
    uint32_t vain, vain_pieces, answered_pieces;
};

static void ended_as(const struct tree_node *n, struct asked *a)
{
    const bool limit = n->cat == EX_DEADLINE || (n->cat == EX_TIMER && !verdict_sleeps(n));
    const bool answer = n->cat == EX_NET || n->cat == EX_PIPE;
    a->vain += limit ? n->n[TREE_ALL] : 0;
    a->vain_pieces += limit ? n->pieces[TREE_ALL] : 0;
    a->answered_pieces += answer ? n->pieces[TREE_ALL] : 0;
}

/* Counts the waits in `leaf`, called by `user`, and what ended them where others waited for that. */
static struct asked asked_at(const struct work_tree *t, uint32_t leaf, uint32_t user)
{
    struct asked a = {0};
    for (uint32_t i = 1; i < t->n; i++) {
        const struct tree_node *n = &t->v[i];
        if (n->leaf != leaf || n->user != user)
            continue;
        ended_as(n, &a);
        for (uint32_t k = n->first; k != NO_LANE; k = t->v[k].next)
            ended_as(&t->v[k], &a);
    }
    return a;
}

static bool nearly(uint32_t n, uint32_t of)
{
    const double most = 1 - threshold(TH_SHARE);
    return n >= most * of && of >= most * n;
}

bool verdict_asks_dead(const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const struct asked a = asked_at(&w->tree, v->where.leaf, v->where.user);
    return work_awaited(w) && a.vain >= threshold(TH_MANY) && nearly(a.vain, a.vain_pieces) &&
           nearly(a.vain_pieces, a.answered_pieces);
}

bool verdict_by_timer(const struct trace *tr, uint32_t who)
{
    const struct lane l = {LANE_G, who};
    const struct lane_info li = who != NO_LANE ? trace_lane_who(tr, l) : (struct lane_info){0};
    return who == NO_LANE || tri_by_timer(tr, l, &li);
}
