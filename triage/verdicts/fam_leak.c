/*
 * fam_leak.c - what grows: goroutines that stay, tickers that go on, a heap of which ever more survives.
 *
 * Goroutines stay where one creation stack starts them all along and hardly any ends. Each waits where it
 * never waited before (or, woken by a timer again and again, does not go on from there). Whether more will
 * come only the program knows; that they come in each quarter warns.
 */
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 256, MEMBERS = 4096 };

/* When goroutines of one creation stack began, by quarter of the time since the first of them did, and how
 * many of them are over. */
struct births {
    int64_t since;
    uint32_t quarter[4], all, over;
};

/* Is that a goroutine of the creation stack, one that the trace saw begin? */
static bool born(const struct causes *c, const struct leak_row *r, uint32_t g, struct lane_info *li)
{
    *li = trace_lane(c->tr, (struct lane){LANE_G, g});
    return li->created && li->create_stack == r->create_stack;
}

static struct births births_of(const struct causes *c, const struct leak_row *r)
{
    struct births b = {.since = c->tg->end};
    struct lane_info li;
    const uint32_t group = causes_group(c, r->name), n = group == UINT32_MAX ? 0 : c->of[group].n;
    for (uint32_t i = 0; i < n && i < MEMBERS && slices_tick(); i++)
        if (born(c, r, causes_member(c, group, i, MEMBERS), &li) && li.first < b.since)
            b.since = li.first;
    for (uint32_t i = 0; i < n && i < MEMBERS && slices_tick(); i++) {
        if (!born(c, r, causes_member(c, group, i, MEMBERS), &li))
            continue;
        const int64_t q = (li.first - b.since) / ((c->tg->end - b.since) / 4 + 1);
        b.quarter[q < 0 ? 0 : q > 3 ? 3 : q]++;
        b.all++;
        b.over += li.ended;
    }
    return b;
}

/* Do they come again and again, for half of the trace at least? */
static bool all_along(const struct causes *c, const struct births *b)
{
    bool all = b->all > 0 && b->since <= c->tg->end / 2;
    for (int i = 0; i < 4; i++)
        all &= b->quarter[i] >= b->all / 8;
    return all;
}

static bool from_within(const struct leak_row *r)
{
    return r->kind == WK_LOCK || r->kind == WK_COND || wait_on_channel(r->kind);
}

/* Does a timer wake those that stay, again and again, where they stand now? */
static bool ticks(const struct causes *c, const struct leak_row *r)
{
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == r->name && p->stack == r->stack && p->from_scheduler && p->kind != WK_NET &&
            p->count >= r->count)
            return true;
    }
    return false;
}

static struct verdict leak_new(const struct causes *c, const struct works *w, const struct leak_row *r,
                               enum rule rule, const struct births *b)
{
    struct verdict v = verdict_new(rule, 0);
    v.where = verdict_place(w, r->stack);
    v.creator.at = verdict_place(w, r->create_stack);
    v.waiter.group = r->name;
    v.g = r->example;
    v.t0 = r->since;
    v.t1 = r->since + r->oldest;
    v.grows = true;
    verdict_ev(&v, EV_CREATED, r->created);
    verdict_ev(&v, EV_ENDED, r->ended);
    verdict_ev(&v, EV_COUNT, r->count);
    verdict_ev(&v, EV_LONGEST, (double)r->oldest);
    v.level = all_along(c, b) && b->over * 20 <= b->all && b->all >= 4 * threshold(TH_LEAK_COUNT)
                  ? LEVEL_WARN
                  : LEVEL_NOTE;
    return v;
}

static bool old(const struct causes *c, const struct leak_row *r)
{
    const double half = (double)c->tg->end / 2, time = (double)threshold_ns(TH_LEAK_TIME);
    return (double)r->oldest >= (half < time ? half : time);
}

static bool leaks(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nleaks && i < ROWS; i++) {
        const struct leak_row *r = &c->tg->leaks[i];
        if (r->count < threshold(TH_LEAK_COUNT) || !r->create_stack)
            continue;
        const struct births b = births_of(c, r);
        const bool few_ended = r->ended <= threshold(TH_LEAK_ENDED) * r->created;
        const bool lost = r->lost >= threshold(TH_LEAK_COUNT) && r->lost > r->count / 2;
        const bool ticker = few_ended && all_along(c, &b) && ticks(c, r);
        const bool stuck = old(c, r) && from_within(r) &&
                           (lost ? few_ended || all_along(c, &b) : few_ended && all_along(c, &b));
        if (stuck || ticker) {
            const struct verdict v = leak_new(c, w, r, ticker && !lost ? RULE_TICKERS : RULE_LEAK, &b);
            ok = verdict_add(out, &v);
        }
    }
    return ok;
}

static bool heap(struct causes *c, const struct works *w, struct verdicts *out)
{
    const struct heap_stat *h = &c->tg->heap;
    if (!h->known || (double)c->tg->gc_cycles < threshold(TH_HEAP_CYCLES) || h->low_first == 0 ||
        (double)h->low_last < threshold(TH_DOUBLE) * (double)h->low_first ||
        (double)h->low_last - (double)h->low_first < threshold(TH_HEAP_GROWN))
        return true;
    struct verdict v = verdict_new(RULE_HEAP, 0);
    v.grows = true;
    v.lane = LANE_BAND;
    v.g = BAND_GC;
    v.t1 = c->tg->end;
    v.where = allocates_most(c, w);
    v.sure = v.where.user ? SURE_INFERRED : SURE_RECORDED;
    verdict_ev(&v, EV_BEFORE, (double)h->low_first);
    verdict_ev(&v, EV_AFTER, (double)h->low_last);
    verdict_ev(&v, EV_COUNT, (double)c->tg->gc_cycles);
    return verdict_add(out, &v);
}

bool fam_leak(struct causes *c, const struct works *w, struct verdicts *out)
{
    return leaks(c, w, out) && heap(c, w, out);
}
