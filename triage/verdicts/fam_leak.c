/*
 * fam_leak.c - what grows: goroutines that stay, tickers that go on, a heap of which ever more survives.
 *
 * Goroutines stay where one creation stack starts them all along and hardly any ends. Each waits where it
 * never waited before (or, woken by a timer again and again, does not go on from there). Whether more will
 * come only the program knows; that they still come at the end warns.
 */
#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 256, MEMBERS = 4096 };

/* When goroutines of one creation stack began: the first, the last, and how many in each quarter of the time
 * since the first; and how many of them are over. */
struct births {
    int64_t since, last;
    uint32_t quarter[4], all, over;
};

/* Is that a goroutine of the creation stack, one that the trace saw begin? */
static bool born(const struct causes *c, const struct leak_row *r, uint32_t g, struct lane_info *li)
{
    *li = trace_lane(c->tr, lane_g(g));
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
        b.last = li.first > b.last ? li.first : b.last;
        b.all++;
        b.over += li.ended;
    }
    return b;
}

/* Do they come again and again, for half of the trace at least? Each quarter of that time has its part of
 * them; what slows the program down may let fewer come later. */
static bool all_along(const struct causes *c, const struct births *b)
{
    return b->all > 0 && b->since <= c->tg->end / 2 &&
           !any_of(i, 4, !b->quarter[i] || b->quarter[i] < threshold(TH_NOTED) * b->all);
}

/* Do more come at the end? If not, those that are there may be all that the program wants. */
static bool go_on(const struct causes *c, const struct births *b)
{
    return (double)(c->tg->end - b->last) < threshold(TH_SHARE) * (double)(c->tg->end - b->since);
}

static bool from_within(const struct leak_row *r)
{
    return r->kind == WK_LOCK || r->kind == WK_COND || wait_on_channel(r->kind);
}

/* Does a timer wake those that stay, n of them, again and again, where some stand at the end? */
static bool ticks(const struct causes *c, const struct leak_row *r, uint32_t n)
{
    const struct pair_row *p = c->tg->pairs;
    return any_of(i, works_pairs(c),
                  p[i].waiter == r->name && p[i].stack == r->stack && p[i].from_scheduler &&
                      p[i].kind != WK_NET && p[i].count >= n);
}

static struct verdict leak_new(const struct causes *c, const struct works *w, const struct leak_row *r,
                               enum rule rule, const struct births *b)
{
    struct verdict v = verdict_new(rule, 0, verdict_place(w, r->stack));
    v.creator.at = verdict_place(w, r->create_stack);
    v.waiter.group = r->name;
    verdict_shows(&v, r->example, r->since, r->since + r->oldest);
    v.grows = true;
    verdict_ev(&v, EV_CREATED, r->created);
    verdict_ev(&v, EV_ENDED, r->ended);
    verdict_ev(&v, EV_COUNT, rule == RULE_TICKERS ? r->created - r->ended : r->count);
    verdict_ev(&v, EV_LONGEST, (double)r->oldest);
    v.level = all_along(c, b) && go_on(c, b) && b->over <= threshold(TH_LEAK_ENDED) * b->all &&
                      b->all >= 4 * threshold(TH_LEAK_COUNT)
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
        const uint32_t stay = r->created - r->ended;
        if (stay < threshold(TH_LEAK_COUNT) || !r->create_stack)
            continue;
        const struct births b = births_of(c, r);
        const bool few_ended = r->ended <= threshold(TH_LEAK_ENDED) * r->created;
        const bool lost = r->lost >= threshold(TH_LEAK_COUNT) && r->lost > r->count / 2;
        const bool ticker = few_ended && all_along(c, &b) && ticks(c, r, stay);
        const bool stuck = r->count >= threshold(TH_LEAK_COUNT) && old(c, r) && from_within(r) &&
                           (lost ? few_ended || all_along(c, &b) : few_ended && all_along(c, &b));
        if (stuck || ticker) {
            const struct verdict v = leak_new(c, w, r, ticker && !lost ? RULE_TICKERS : RULE_LEAK, &b);
            ok = verdict_add(out, &v);
        }
    }
    return ok;
}

/* ---- a few of many stay ------------------------------------------------------------------------------- */

/*
 * Of goroutines that one creation stack begins for one thing each most end soon, and all of these within a
 * known time. Others are there still, for much longer than any that ended took.
 */
struct stay {
    uint32_t group, stack, created, n, eldest, quarter[4];
    int64_t since; /* the eldest was born */
    struct dist d; /* lives of those that ended */
};

/* The i-th of a group that is looked at: is it of the creation stack? */
static bool of_stack(const struct causes *c, const struct stay *s, uint32_t i, uint32_t *g,
                     struct lifetime *l)
{
    *g = causes_member(c, s->group, i, MEMBERS);
    const struct lane_info li = trace_lane(c->tr, lane_g(*g));
    trace_lives(c->tr, LANE_G, *g, 1, l);
    return li.created && li.create_stack == s->stack && slices_tick();
}

static uint32_t looked_at(const struct causes *c, uint32_t group)
{
    return c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
}

/* How long those that ended lived. false: out of memory. */
static bool ended_lives(const struct causes *c, struct stay *s)
{
    const uint32_t n = looked_at(c, s->group);
    int64_t *ns = mem_alloc(((size_t)n + 1) * sizeof *ns);
    uint32_t ended = 0, g;
    struct lifetime l;
    for (uint32_t i = 0; ns && i < n; i++) {
        if (!of_stack(c, s, i, &g, &l))
            continue;
        s->created++;
        if (l.over)
            ns[ended++] = l.last - l.first;
    }
    if (ns)
        dist_of(&s->d, ns, ended);
    mem_free(ns);
    return ns != NULL;
}

/* It is that old at least. */
static int64_t old_enough(const struct stay *s)
{
    const double most = threshold(TH_DOUBLE) * (double)s->d.max,
                 usual = threshold(TH_LEAK_AGAIN) * (double)s->d.p50;
    return (int64_t)(most > usual ? most : usual);
}

/* Who stays, and when these were born, by quarter of the time in which one of that age can have been. */
static void count_stay(const struct causes *c, struct stay *s)
{
    const uint32_t n = looked_at(c, s->group);
    const int64_t last = c->tg->end - old_enough(s);
    uint32_t g;
    struct lifetime l;
    s->since = c->tg->end;
    for (uint32_t i = 0; i < n; i++)
        if (of_stack(c, s, i, &g, &l) && !l.over && l.first <= last && l.first < s->since) {
            s->since = l.first;
            s->eldest = g;
        }
    for (uint32_t i = 0; i < n && last > s->since; i++)
        if (of_stack(c, s, i, &g, &l) && !l.over && l.first <= last) {
            s->quarter[(l.first - s->since) * 4 / (last - s->since + 1)]++;
            s->n++;
        }
}

/* Where one stands when the trace ends. */
static struct site stands(const struct causes *c, const struct works *w, uint32_t g)
{
    enum { BACK = 8 };
    struct span_iter it = {.tr = NULL};
    bool more = span_seek_at(&it, c->tr, lane_g(g), c->tg->end - 1);
    for (int i = 0; i < BACK && more; i++, more = span_prev(&it))
        if (span_get(&it)->stack)
            return verdict_place(w, span_get(&it)->stack);
    return (struct site){0};
}

static bool few_stay(struct causes *c, const struct works *w, struct stay *s, struct verdicts *out)
{
    if (!ended_lives(c, s))
        return false;
    if (s->d.n < threshold(TH_MANY) || (double)s->d.n <= threshold(TH_LEAK_ENDED) * s->created)
        return true;
    count_stay(c, s);
    if (s->n < threshold(TH_LEAK_COUNT) || s->since > c->tg->end / 2 ||
        any_of(i, 4, !s->quarter[i] || s->quarter[i] < threshold(TH_MOST) * s->n / 4))
        return true;
    const struct lane_info li = trace_lane(c->tr, lane_g(s->eldest));
    struct verdict v = verdict_new(RULE_STAY, 0, stands(c, w, s->eldest));
    v.creator.at = verdict_place(w, s->stack);
    v.waiter.group = v.holder.group = c->tg->groups[s->group].name;
    verdict_shows(&v, s->eldest, li.first, li.last);
    v.grows = true;
    v.level = LEVEL_WARN;
    verdict_ev(&v, EV_CREATED, s->created);
    verdict_ev(&v, EV_ENDED, (double)s->d.n);
    verdict_ev(&v, EV_COUNT, s->n);
    verdict_ev(&v, EV_SINCE, (double)s->since);
    verdict_ev(&v, EV_LONGEST, (double)s->d.max);
    return verdict_add(out, &v);
}

static bool late_leaks(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nleaks && i < ROWS;
         i++) { /* each creation stack of those that wait */
        const struct leak_row *r = &c->tg->leaks[i];
        const uint32_t group = causes_group(c, r->name);
        const bool known = !r->create_stack || group == UINT32_MAX || r->ended < threshold(TH_MANY) ||
                           r->created - r->ended < threshold(TH_LEAK_COUNT);
        const struct leak_row *all = c->tg->leaks;
        const bool again = any_of(k, i, all[k].create_stack == r->create_stack && all[k].name == r->name);
        struct stay s = {.group = group, .stack = r->create_stack, .eldest = NO_LANE};
        ok = known || again || few_stay(c, w, &s, out);
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
    struct verdict v = verdict_new(RULE_HEAP, 0, allocates_most(c, w));
    v.grows = true;
    v.lane = LANE_BAND;
    v.g = BAND_GC;
    v.t1 = c->tg->end;
    v.sure = v.where.user ? SURE_INFERRED : SURE_RECORDED;
    verdict_ev(&v, EV_BEFORE, (double)h->low_first);
    verdict_ev(&v, EV_AFTER, (double)h->low_last);
    verdict_ev(&v, EV_COUNT, (double)c->tg->gc_cycles);
    return verdict_add(out, &v);
}

bool fam_leak(struct causes *c, const struct works *w, struct verdicts *out)
{
    return leaks(c, w, out) && late_leaks(c, w, out) && heap(c, w, out);
}
