/*
 * matter.c - which works count: those that somebody outside waits for. Others are part of one of these, or in
 * the background. See work.h.
 */
#include "decode/base/mem.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/work/work.h"

enum { ASKED = 16 }; /* pieces of a work that are checked for the goroutine they are on */

/* ---- which works wait for which ------------------------------------------------------------------------ */

enum matters { NOT_AWAITED, OUTER, INNER }; /* OUTER: counts itself; INNER: one of these waits for it */

/* True if the goroutine that waits there only joins those it created. Then they are its work, in parallel. */
static bool joins(const struct causes *c, const struct pair_row *p, uint32_t to)
{
    return p->kind == WK_WAITGROUP || (wait_on_channel(p->kind) && p->count <= 2 * (uint64_t)c->of[to].n);
}

/* A goroutine that waits for a WaitGroup joins all that it created: the last one ends the wait, for the
 * others as well. */
static bool join_all(const struct causes *c, uint8_t *is, uint32_t from)
{
    bool more = false;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        if (is[i] || g->is_system || !g->ended || !c->of[i].n)
            continue;
        const struct lane_info li = trace_lane_who(c->tr, (struct lane){LANE_G, causes_nth(c, i, 0)});
        if (li.created && li.creator < c->tg->ng && gstat_group(c->tg->g, li.creator) == from) {
            is[i] = OUTER;
            more = true;
        }
    }
    return more;
}

/* Spread marks along the waits: a group that is waited for matters as well. Returns true if main or another
 * one waits for any. */
static bool spread(const struct causes *c, uint8_t *is, uint32_t mains)
{
    const int64_t least = (int64_t)(threshold(TH_AWAITED) * (double)c->tg->end);
    bool any = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < works_pairs(c); i++) {
            const struct pair_row *p = &c->tg->pairs[i];
            const uint32_t from = causes_group(c, p->waiter), to = causes_group(c, p->waker);
            if (p->from_scheduler || from == UINT32_MAX || to == UINT32_MAX || !is[from] || is[to] == OUTER ||
                p->total < least || from == to || instance_wants_more(c->tr, p->waiter, p->reason, p->stack))
                continue;
            const uint8_t how = from == mains && joins(c, p, to) ? OUTER : INNER;
            more |= is[to] != how;
            more |= from == mains && p->kind == WK_WAITGROUP && join_all(c, is, from);
            any = true;
            is[to] = how;
        }
    }
    return any;
}

double work_slow_part(const struct work *k)
{
    double slow = 0, all = 0;
    for (uint32_t i = 0; i < k->looked; i++) {
        const double ns = (double)(k->v[i].t1 - k->v[i].t0);
        all += ns;
        slow += i < k->slow ? ns : 0;
    }
    return all > 0 ? slow / all : 0;
}

bool work_outside(const struct causes *c, const struct work *w)
{
    return work_awaited(w) && (double)w->total >= threshold(TH_OUTSIDE) * (double)c->tg->end;
}

/* Returns how long goroutines of a group wait for locks. */
static int64_t lock_ns(const struct causes *c, uint32_t group)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind == WK_LOCK && causes_group(c, p->waiter) == group)
            ns = ns_add(ns, p->total);
    }
    return ns;
}

/* Decide which works count, which are part of another one, and which are in the background: no request,
 * task or main waits for them. A work that waits for locks longer than all requests take is not in the
 * background: those requests are not the program's purpose, such as those of a peer in the same process. */
bool works_matter(struct causes *c, struct works *all, uint32_t mains)
{
    uint8_t *is = mem_zalloc((size_t)c->tg->ngroups + 1);
    if (!is)
        return false;
    bool outside = false;
    int64_t asked = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        outside |= work_outside(c, w);
        asked = ns_add(asked, work_awaited(w) ? w->total : 0);
        if (w->kind == WORK_REQUESTS)
            is[w->group] = OUTER;
        for (uint32_t k = 0; w->kind == WORK_TASKS && k < w->looked && k < ASKED; k++)
            is[gstat_group(c->tg->g, w->v[k].g)] = OUTER;
    }
    if (mains != UINT32_MAX && !outside)
        is[mains] = OUTER;
    const bool any = spread(c, is, mains);
    for (uint32_t i = 0; i < all->n; i++) {
        struct work *w = &all->v[i];
        uint8_t how = w->kind == WORK_TASKS ? OUTER : is[w->group];
        if (how == NOT_AWAITED && outside && lock_ns(c, w->group) > asked)
            how = OUTER;
        w->background = how == NOT_AWAITED && (outside || any);
        w->background |= outside && w->kind == WORK_MAIN; /* it waits for the end */
        w->inner = how == INNER;
    }
    mem_free(is);
    return true;
}
