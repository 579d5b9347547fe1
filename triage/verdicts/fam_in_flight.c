/*
 * fam_in_flight.c - a client lets so many calls be in flight at once, and the others wait before they have
 * asked for anything: streams of a connection, a library's own bound. Who reads the answers lets them go on,
 * and no goroutine holds what they wait for: links.c sees nothing. But as many others are further on each
 * time, and never more.
 */
#include "triage/activity/wakeups.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

enum { PIECES = 64, SAMPLES = 32, MEMBERS = 128, STEPS = 256 };

struct crowds { /* at one moment: who waits at the place, and who waits further on in what it is part of */
    uint32_t at, behind;
};

static struct crowds crowds_at(const struct causes *c, const struct works *w, const struct tree_node *n,
                               int64_t t)
{
    const uint32_t group = causes_group(c, n->who), root = owner_root(w->own, n->stack);
    const uint32_t all = group == UINT32_MAX ? 0 : (uint32_t)c->of[group].n,
                   end = all ? members_by(c, group, t) : 0;
    struct crowds k = {0};
    for (uint32_t i = end > MEMBERS ? end - MEMBERS : 0; i < end; i++) {
        const struct lane l = {LANE_G, causes_member(c, group, i, all)};
        struct span s;
        if (!trace_span_at(c->tr, l, t, &s) || s.state != ST_WAITING || !s.stack)
            continue;
        k.at += s.stack == n->stack;
        k.behind += s.stack != n->stack && owner_root(w->own, s.stack) == root;
    }
    return k;
}

/* Of a piece: the middle of a wait at the place before which it asked for nothing, and that it did not begin
 * who ended it for; NO_TIME: there is none, *asked: because it had asked. */
static int64_t unasked(const struct causes *c, const struct tree_node *n, const struct workpiece *p,
                       struct alive *alive, bool *asked)
{
    const struct trace *tr = c->tr;
    const uint32_t g = n->up == 0 ? p->g : n->g;
    int64_t since = p->t0;
    bool wrote = false;
    struct span s;
    struct walk w;
    walk_at(&w, tr, g, p->t0, STEPS);
    const struct span *next = walk_next(&w);
    while (walk_pair(&w, &s, &next) && s.t0 < p->t1) {
        if (s.state != ST_WAITING && s.state != ST_SYSCALL)
            continue;
        if (s.state == ST_WAITING && s.stack == n->stack && s.t0 >= p->t0) {
            *asked = wrote || wakeups_any(tr, alive, g, since, s.t0, false) ||
                     (next && next->who < c->tg->ng &&
                      trace_lane_who(tr, (struct lane){LANE_G, next->who}).creator == g);
            return *asked ? NO_TIME : s.t0 + (s.t1 - s.t0) / 2;
        }
        const enum wait_kind kind =
            s.state == ST_WAITING ? stacks_wait_kind(tr, s.reason, s.stack) : WK_OTHER;
        wrote = kind == WK_SEND || kind == WK_SELECT || (s.stack && causes_writes(tr, s.stack));
        since = s.t1;
    }
    return NO_TIME;
}

/* Whether the pieces wait at a node for nothing that they asked for, while always the same number of others
 * is further on. Sets how many, and how many wait at once. */
static bool is_full(const struct causes *c, const struct works *all, const struct work *k,
                    const struct tree_node *n, struct verdict *v)
{
    const uint32_t step = k->looked / PIECES + 1;
    uint32_t seen = 0, after = 0, most = 0, queue = 0, full = 0, behind[SAMPLES];
    struct alive alive = {0};
    for (uint32_t i = 0; i < k->looked && seen < SAMPLES; i += step) {
        bool asked = false;
        const int64_t t = unasked(c, n, &k->v[i], &alive, &asked);
        after += asked;
        if (t == NO_TIME)
            continue;
        const struct crowds at = crowds_at(c, all, n, t);
        behind[seen++] = at.behind;
        most = at.behind > most ? at.behind : most;
        queue += at.at;
    }
    alive_free(&alive);
    for (uint32_t i = 0; i < seen; i++)
        full += behind[i] + 1 >= most;
    if (seen < threshold(TH_PIECES) || seen < 2 * after || most < threshold(TH_SEVERAL) ||
        queue < threshold(TH_SEVERAL) * seen || full < (1 - threshold(TH_SHARE)) * seen)
        return false;
    verdict_ev(v, EV_COUNT, most);
    verdict_ev(v, EV_CROWD, (double)queue / seen);
    return true;
}

/* Whether who ends the wait waits for the remote end meanwhile, itself or through others. */
static bool by_remote(const struct work_tree *t, uint32_t at)
{
    while (t->v[at].first != NO_LANE) /* the largest one */
        at = t->v[at].first;
    return explain_waits_outside(t->v[at].cat);
}

bool fam_in_flight(struct causes *c, const struct works *all, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < all->n; i++) {
        const struct work *k = &all->v[i];
        const struct work_tree *t = &k->tree;
        for (uint32_t at = work_counts(k) && t->n ? t->v[0].first : NO_LANE; ok && at != NO_LANE;
             at = t->v[at].next) {
            const struct tree_node *n = &t->v[at];
            struct verdict v = verdict_new(RULE_IN_FLIGHT, 0);
            v.harm.work = i;
            v.harm.all = tree_share(t, at, TREE_ALL);
            v.harm.slow = tree_share(t, at, TREE_SLOW);
            v.harm.usual = tree_share(t, at, TREE_USUAL);
            v.harm.share = v.harm.all > v.harm.slow ? v.harm.all : v.harm.slow;
            if (v.harm.share < threshold(TH_SET_SHARE) || n->cat != EX_WAIT || !n->stack ||
                n->kind == WK_LOCK || !by_remote(t, at) || link_at(c, all, k, at) != FAM_NONE ||
                !is_full(c, all, k, n, &v))
                continue;
            v.where = node_site(n);
            v.waiter = (struct role){.group = n->who, .g = n->g, .at = v.where};
            verdict_shows(&v, n->g, n->t0, n->t1);
            v.sure = SURE_INFERRED;
            ways_counts(t, n, n->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW, &v);
            ok = verdict_add(out, &v);
        }
    }
    return ok;
}
