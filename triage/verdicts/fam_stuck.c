/*
 * fam_stuck.c - goroutines that wait to the end of the trace for a lock that nobody lets go, or, in a ring,
 * for each other: who would take what one sends stands to send as well, and so on, back to the first.
 *
 * Who has a lock is inferred: of the functions that let it go before, or wait for it, the one in which a
 * goroutine has waited for something else since before all these, to the end as well.
 */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

/* Goroutines that stand in one function of the user's: for a lock, or all of one group. */
struct stuck {
    uint32_t n;
    const struct stand *first;
};
enum { PLACES = 32 };

static uint32_t stuck_of(const struct causes *c, const struct works *w, struct stuck v[PLACES])
{
    uint32_t n = 0;
    each_of(s, w->stand, w->nstands) {
        const bool lock = s->kind == WK_LOCK;
        const uint32_t name = lock ? 0 : trace_g_name(c->tr, s->g);
        const uint32_t k = find_first(i, n,
                                      v[i].first->user == s->user && (v[i].first->kind == WK_LOCK) == lock &&
                                          (lock || trace_g_name(c->tr, v[i].first->g) == name));
        if (!s->user || k == PLACES || (!lock && (s->more || !wait_passes_on((enum wait_kind)s->kind))))
            continue;
        if (k == n)
            v[n++] = (struct stuck){0, s};
        v[k].first = s->since < v[k].first->since ? s : v[k].first;
        v[k].n++;
    }
    return n;
}

/* Is it a function of the program that waits for the lock that others wait for in `user`, or lets it go?
 * One in which others wait for a lock for good as well does, too. */
static bool uses_lock(const struct causes *c, const struct works *w, const struct stuck *s, uint32_t n,
                      uint32_t user, uint32_t func)
{
    if (any_of(i, n, s[i].first->user == func && s[i].first->kind == WK_LOCK))
        return true;
    each_of(p, c->tg->pairs, works_pairs(c)) {
        if (p->kind != WK_LOCK || p->from_scheduler || !p->stack || !p->waker_stack)
            continue;
        const uint32_t waits = verdict_place(w, p->stack).user, lets = verdict_place(w, p->waker_stack).user;
        if ((waits == user && lets == func) || (waits == func && lets == user))
            return true;
    }
    return false;
}

/* The last one who stands since before these wait for a lock, and may have it; NULL: none is seen. */
static const struct stand *who_has_it(const struct causes *c, const struct works *w, const struct stuck *s,
                                      uint32_t n, const struct stand *first)
{
    return largest_of(r, w->stand, w->nstands,
                      (wait_passes_on((enum wait_kind)r->kind) || r->kind == WK_WAITGROUP) && !r->more &&
                              r->since <= first->since && uses_lock(c, w, s, n, first->user, r->user)
                          ? r->since + 1
                          : 0);
}

/* Waits that ended in that function of the user's, of goroutines of that group. Who stands to send went on
 * from there without a wait: other waits there don't count. */
static uint64_t waited_before(const struct causes *c, const struct works *w, uint32_t name,
                              const struct stuck *s)
{
    return (uint64_t)sum_over(p, c->tg->pairs, works_pairs(c),
                              (s->first->kind != WK_SEND || p->kind == WK_SEND) &&
                                      verdict_waits_at(w, p, name, s->first->user)
                                  ? p->count
                                  : 0);
}

/* Are those that stand there all of their group, which had worked, and hardly ever waited there? */
static bool is_whole(const struct causes *c, const struct works *w, const struct stuck *s)
{
    const struct group *g = &c->tg->groups[c->tg->group_of[s->first->g]];
    const uint64_t waits = (uint64_t)sum_over(k, c->tg->group_waits + g->waits, g->nwaits, k->count);
    return s->first->kind != WK_LOCK && s->n == g->count - g->ended && s->n * 2 >= g->count &&
           waits >= threshold(TH_PIECES) * s->n &&
           (double)waited_before(c, w, g->name, s) < threshold(TH_STUCK_PART) * (double)waits;
}

/* Those who take what these would send, if all of them stand to send as well; n: there are none. */
static uint32_t taker_of(const struct causes *c, const struct works *w, const struct stuck *v, uint32_t n,
                         uint32_t from)
{
    const uint32_t sends = trace_g_name(c->tr, v[from].first->g);
    each_of(p, c->tg->pairs, works_pairs(c)) {
        for (uint32_t k = 0; k < n && p->waker == sends && wait_passes_on(p->kind); k++)
            if (k != from && v[k].first->kind == WK_SEND && p->waiter == trace_g_name(c->tr, v[k].first->g) &&
                is_whole(c, w, &v[k]))
                return k;
    }
    return n;
}

/* How many goroutines are in a ring in which each stands to send to the next one; 0: it is none, or others
 * of it stand longer. */
static uint32_t ring_of(const struct causes *c, const struct works *w, const struct stuck *v, uint32_t n,
                        uint32_t i)
{
    uint32_t k = i, all = 0, steps = v[i].first->kind == WK_SEND && is_whole(c, w, &v[i]) ? n : 0;
    while (steps-- > 0) {
        k = taker_of(c, w, v, n, k);
        if (k == n || v[k].first->since < v[i].first->since)
            return 0;
        all += v[k].n;
        if (k == i)
            return all;
    }
    return 0;
}

/* How many of a group stand to send at the line of `first`, where none of them had waited, if the others go
 * on; 0: too few, or all do. They had worked before: else they leak. */
static uint32_t lost_of(const struct causes *c, const struct works *w, const struct stand *first)
{
    const struct group *g = &c->tg->groups[c->tg->group_of[first->g]];
    const uint32_t n =
        (uint32_t)sum_over(s, w->stand, w->nstands,
                           s->stack == first->stack && c->tg->group_of[s->g] == c->tg->group_of[first->g] &&
                               gstat_waits(c->tg, s->g, threshold(TH_PIECES)));
    const struct pair_row *p = c->tg->pairs;
    const bool others = any_of(i, works_pairs(c), p[i].waiter == g->name && p[i].stack == first->stack);
    return first->kind == WK_SEND && !first->more && n >= threshold(TH_SEVERAL) && n < g->count && !others
               ? n
               : 0;
}

bool fam_stuck(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct stuck s[PLACES];
    const uint32_t n = stuck_of(c, w, s);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        const struct stand *first = s[i].first;
        const bool lock = first->kind == WK_LOCK;
        if (!threshold_reached(TH_STUCK_PART, c->tg->end - first->since, c->tg->end))
            continue;
        const uint32_t ring = ring_of(c, w, s, n, i), lost = ring || lock ? 0 : lost_of(c, w, first);
        if (lost) {
            struct verdict v = verdict_standing(c, w, RULE_LOST, first, lost);
            verdict_ev(&v, EV_CREATED, c->tg->groups[c->tg->group_of[first->g]].count);
            v.grows = true;
            ok = verdict_add(out, &v);
        }
        if (!ring && (!lock || s[i].n < threshold(TH_STUCK_COUNT)))
            continue;
        const struct stand *has = lock ? who_has_it(c, w, s, n, first) : s[taker_of(c, w, s, n, i)].first;
        struct verdict v = verdict_standing(c, w, lock ? RULE_STUCK : RULE_RING, first, ring ? ring : s[i].n);
        v.sure = lock && !has ? SURE_RECORDED : SURE_INFERRED;
        v.grows = true;
        if (has)
            v.holder = (struct role){trace_g_name(c->tr, has->g), has->g, verdict_place(w, has->stack), 0};
        ok = verdict_add(out, &v);
    }
    return ok;
}
