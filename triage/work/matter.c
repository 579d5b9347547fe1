/*
 * matter.c - which works count: those that somebody outside waits for. Others are part of one of these, or in
 * the background. See work.h.
 */
#include "decode/base/mem.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/work/work.h"

enum {
    ASKED = 16, /* pieces of a work that are checked for the goroutine they are on */
    PLAYED = 64 /* and for sleeping */,
    STEPS = 256
};

/* ---- which works wait for which ------------------------------------------------------------------------ */

enum matters { NOT_AWAITED, OUTER, INNER }; /* OUTER: counts itself; INNER: one of these waits for it */

/* True if the goroutine that waits there only joins those it created, or hands things to them. Then they are
 * its work, in parallel. */
static bool joins(const struct causes *c, const struct pair_row *p, uint32_t to)
{
    return p->kind == WK_WAITGROUP || p->kind == WK_SEND ||
           (wait_on_channel(p->kind) && p->count <= 2 * (uint64_t)c->of[to].n);
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
        const struct lane_info li = trace_lane_who(c->tr, lane_g(causes_nth(c, i, 0)));
        if (li.created && causes_group_of(c, li.creator) == from) {
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
        each_of(p, c->tg->pairs, works_pairs(c)) {
            const uint32_t from = causes_group(c, p->waiter), to = causes_group(c, p->waker);
            if (p->from_scheduler || from == UINT32_MAX || to == UINT32_MAX || !is[from] || is[to] == OUTER ||
                p->total < least || from == to || waits_for_more(c->tr, p->waiter, p->reason, p->stack))
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
    return ns_share(sum_over(p, k->v, k->slow, p->t1 - p->t0), sum_over(p, k->v, k->looked, p->t1 - p->t0));
}

bool work_outside(const struct causes *c, const struct work *w)
{
    return work_awaited(w) && (double)w->total >= threshold(TH_OUTSIDE) * (double)c->tg->end;
}

/* Whether some goroutine waits for answers to what the program asks over the network: in none of the places
 * where requests are waited for. */
static bool asks(const struct causes *c, const struct works *all)
{
    const double least = threshold(TH_AWAITED) * (double)c->tg->end;
    each_of(r, c->tg->waits, c->tg->nwaits) {
        const struct work *w = all->v;
        const uint32_t at = stacks_place(c->tr, r->stack);
        if (r->kind == WK_NET && r->stack && (double)r->total >= least && !causes_writes(c->tr, r->stack) &&
            !stacks_may(c->tr, r->stack, STACK_ACCEPTS) &&
            !stacks_has(c->tr, r->stack, "net/http.(*connReader)") &&
            !any_of(k, all->n,
                    w[k].kind == WORK_REQUESTS && w[k].more && at && stacks_place(c->tr, w[k].more) == at))
            return true;
    }
    return false;
}

/* Whether goroutines of that group wait until peers take what they write to connections: these wait for
 * it. */
static bool writes(const struct causes *c, uint32_t group)
{
    const uint32_t name = c->tg->groups[group].name;
    const int64_t ns = sum_over(
        p, c->tg->pairs, works_pairs(c),
        p->waiter == name && p->kind == WK_NET && p->stack && causes_writes(c->tr, p->stack) ? p->total : 0);
    return threshold_reached(TH_AWAITED, ns, c->tg->end);
}

/* Whether most requests only sleep: they wait for nobody, so a peer is played, whom the program asks. */
static bool only_sleeps(const struct causes *c, const struct work *w)
{
    uint32_t asleep = 0, n = 0;
    for (uint32_t i = 0; i < w->looked && w->kind == WORK_REQUESTS; i += w->looked / PLAYED + 1, n++) {
        const struct workpiece *p = &w->v[i];
        int64_t ns = 0;
        each_between(s, c->tr, p->g, p->t0, p->t1, STEPS)
            if (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP)
                ns = ns_add(ns, s->t1 - s->t0);
        asleep += ns * 2 > p->t1 - p->t0;
    }
    return asleep * 2 > n;
}

/* Requests to a peer that is played in the same process are not the program's purpose, if it has another
 * one. */
bool works_matter(struct causes *c, struct works *all, uint32_t mains)
{
    uint8_t *is = mem_zalloc((size_t)c->tg->ngroups + 1);
    if (!is)
        return false;
    const bool may = asks(c, all);
    bool outside = false;
    each_of(w, all->v, all->n) {
        w->played = may && only_sleeps(c, w);
        outside |= !w->played && work_outside(c, w);
        if ((w->kind == WORK_REQUESTS && !w->played) || (w->kind == WORK_ITEMS && writes(c, w->group)))
            is[w->group] = OUTER;
        for (uint32_t k = 0; w->kind == WORK_TASKS && k < w->looked && k < ASKED; k++)
            is[c->tg->group_of[w->v[k].g]] = OUTER;
    }
    if (mains != UINT32_MAX && !outside)
        is[mains] = OUTER;
    const bool any = spread(c, is, mains);
    each_of(w, all->v, all->n) {
        const uint8_t how = w->kind == WORK_TASKS ? OUTER : w->played ? NOT_AWAITED : is[w->group];
        w->background = how == NOT_AWAITED && (outside || any);
        w->background |= outside && w->kind == WORK_MAIN; /* it waits for the end */
        w->inner = how == INNER;
    }
    mem_free(is);
    return true;
}
