/*
 * fam_stuck.c - goroutines that wait to the end of the trace for a lock that nobody lets go, or, all of a
 * crew, for what nobody gives back.
 *
 * A crew does its work all along: most of it has not ended. It had not waited there; now all of it stands
 * there, so none of it is at what lies behind. An answer takes a wait each time: what was there at once
 * before is a slot, or room.
 *
 * Who has a lock is inferred: of the functions that let it go before, or wait for it, the one in which a
 * goroutine has waited for something else since before all these, to the end as well.
 */
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

/* Goroutines that wait for a lock at the end in one function of the user's: rows of its lines. */
struct stuck {
    uint32_t user, row;
    uint64_t n;
};
enum { PLACES = 32 };

static uint32_t stuck_of(const struct causes *c, const struct works *w, struct stuck v[PLACES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *r = &c->tg->waits[i];
        const struct site at = r->kind == WK_LOCK && r->open ? verdict_place(w, r->stack) : (struct site){0};
        uint32_t k = 0;
        while (k < n && v[k].user != at.user)
            k++;
        if (!at.user || k == PLACES || r->longest.t1 < c->tg->end - 1)
            continue;
        if (k == n)
            v[n++] = (struct stuck){at.user, i, 0};
        const struct moment *m = &c->tg->waits[v[k].row].longest;
        v[k].row = r->longest.t0 < m->t0 ? i : v[k].row;
        v[k].n += r->open;
    }
    return n;
}

/* Is it a function of the program that waits for the lock that others wait for in `user`, or lets it go?
 * One in which others wait for a lock for good as well does, too. */
static bool uses_lock(const struct causes *c, const struct works *w, const struct stuck *s, uint32_t n,
                      uint32_t user, uint32_t func)
{
    for (uint32_t i = 0; i < n; i++)
        if (s[i].user == func)
            return true;
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind != WK_LOCK || p->from_scheduler || !p->stack || !p->waker_stack)
            continue;
        const uint32_t waits = verdict_place(w, p->stack).user, lets = verdict_place(w, p->waker_stack).user;
        if ((waits == user && lets == func) || (waits == func && lets == user))
            return true;
    }
    return false;
}

/* The wait, since before t and to the end, of one who has the lock; NULL: none is seen. */
static const struct wait_row *who_has_it(const struct causes *c, const struct works *w, const struct stuck *s,
                                         uint32_t n, uint32_t user, int64_t t)
{
    const struct wait_row *best = NULL;
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *r = &c->tg->waits[i];
        const bool for_others = wait_passes_on(r->kind) || r->kind == WK_WAITGROUP;
        if (!r->open || !for_others || r->longest.t1 < c->tg->end - 1 || r->longest.t0 > t ||
            (best && r->longest.t0 <= best->longest.t0) || r->longest.g >= c->tg->ng ||
            instance_wants_more(c->tr, trace_g_name(c->tr, r->longest.g), r->reason, r->stack))
            continue;
        best = uses_lock(c, w, s, n, user, verdict_place(w, r->stack).user) ? r : best;
    }
    return best;
}

/* Waits that ended in that function of the user's, of goroutines of that kind. */
static uint64_t waited_before(const struct causes *c, const struct works *w, uint32_t name, uint32_t user)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        n += p->waiter == name && p->stack && verdict_place(w, p->stack).user == user ? p->count : 0;
    }
    return n;
}

/* Are those of a row a whole crew, which had worked, and hardly ever waited there? */
static bool is_crew(const struct causes *c, const struct works *w, const struct leak_row *r)
{
    const uint32_t group = causes_group(c, r->name);
    if (group == UINT32_MAX || !r->stack || !wait_passes_on(r->kind) || r->count < threshold(TH_SEVERAL) ||
        r->lost < r->count || !threshold_reached(TH_STUCK_PART, r->oldest, c->tg->end))
        return false;
    const struct group *g = &c->tg->groups[group];
    uint64_t waits = 0;
    for (uint32_t k = 0; k < g->nwaits; k++)
        waits += c->tg->group_waits[g->waits + k].count;
    return r->count == g->count - g->ended && r->count * 2 >= g->count &&
           waits >= threshold(TH_PIECES) * r->count &&
           (double)waited_before(c, w, r->name, verdict_place(w, r->stack).user) <
               threshold(TH_STUCK_PART) * (double)waits;
}

static bool crews(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nleaks && i < PLACES; i++) {
        const struct leak_row *r = &c->tg->leaks[i];
        if (!is_crew(c, w, r))
            continue;
        struct verdict v = verdict_new(RULE_CREW, (double)r->oldest / (double)c->tg->end);
        v.where = verdict_place(w, r->stack);
        v.waiter.group = r->name;
        v.g = r->example;
        v.t0 = r->since;
        v.t1 = r->since + r->oldest;
        v.grows = true;
        v.level = LEVEL_SEVERE;
        v.sure = SURE_INFERRED;
        verdict_ev(&v, EV_COUNT, r->count);
        verdict_ev(&v, EV_SINCE, (double)r->since);
        ok = verdict_add(out, &v);
    }
    return ok;
}

bool fam_stuck(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct stuck s[PLACES];
    const uint32_t n = stuck_of(c, w, s);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        const struct wait_row *r = &c->tg->waits[s[i].row];
        const int64_t ns = r->longest.t1 - r->longest.t0;
        if ((double)s[i].n < threshold(TH_STUCK_COUNT) || !threshold_reached(TH_STUCK_PART, ns, c->tg->end))
            continue;
        struct verdict v = verdict_new(RULE_STUCK, (double)ns / (double)c->tg->end);
        v.where = verdict_place(w, r->stack);
        v.g = r->longest.g;
        v.t0 = r->longest.t0;
        v.t1 = r->longest.t1;
        v.grows = true;
        v.level = LEVEL_SEVERE;
        verdict_ev(&v, EV_COUNT, (double)s[i].n);
        verdict_ev(&v, EV_SINCE, (double)r->longest.t0);
        const struct wait_row *has = who_has_it(c, w, s, n, v.where.user, r->longest.t0);
        if (has) {
            v.sure = SURE_INFERRED;
            v.holder = (struct role){trace_g_name(c->tr, has->longest.g), has->longest.g,
                                     verdict_place(w, has->stack), 0};
        }
        ok = verdict_add(out, &v);
    }
    return ok && crews(c, w, out);
}
