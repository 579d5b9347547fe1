/*
 * fam_leak.c - what grows: goroutines that stay, and tickers that go on.
 *
 * Goroutines stay where one creation stack starts them all along and hardly any ends. Each waits where it
 * never waited before (or, woken by a timer again and again, does not go on from there). Whether more will
 * come only the program knows; that they still come at the end warns.
 */
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 256, MEMBERS = 4096 };

/* Goroutines of one creation stack, those that the trace saw begin. */
struct born {
    uint32_t g, by; /* by: which goroutine created it */
    struct lifetime life;
};
ORDER(cmp_born, struct born, LEAST(r->by) LEAST(r->g))

struct births {
    struct born *v;
    uint32_t n;
    /* of some of them: how many, how many of these are over, how many were born in each quarter of the time
     * since the first; the first one, and when the last one was born */
    uint32_t some, over, quarter[4], eldest;
    int64_t since, last;
};

static bool births_of(const struct causes *c, const struct leak_row *r, struct births *out)
{
    const uint32_t group = causes_group(c, r->name);
    *out = (struct births){.v = mem_alloc(((size_t)causes_look(c, group, MEMBERS) + 1) * sizeof *out->v)};
    if (!out->v)
        return false;
    each_member(g, c, group, MEMBERS) {
        const struct lane_info li = trace_lane(c->tr, lane_g(g));
        if (li.created && li.create_stack == r->create_stack)
            out->v[out->n++] =
                (struct born){g, li.creator, {.first = li.first, .last = li.last, .over = li.ended}};
    }
    return true;
}

/* Counts those that were born until `till`, or, of these, those that stay. */
static void births_count(struct births *b, int64_t till, bool stay)
{
    b->since = till;
    for (int round = 0; round < 2; round++) { /* the second one knows the first one's birth */
        each_of(k, b->v, b->n) {
            const int64_t first = k->life.first;
            if (first > till || (stay && k->life.over))
                continue;
            if (!round) {
                b->eldest = !b->some || first < b->since ? k->g : b->eldest;
                b->since = first < b->since ? first : b->since;
                b->last = first > b->last ? first : b->last;
                b->over += k->life.over;
                b->some++;
            } else {
                b->quarter[(first - b->since) / ((till - b->since) / 4 + 1)]++;
            }
        }
    }
}

/* Do they come again and again, for half of the trace at least? Each quarter of that time has its part of
 * them; what slows the program down may let fewer come later. */
static bool all_along(const struct causes *c, const struct births *b)
{
    return b->some > 0 && b->since <= c->tg->end / 2 &&
           !any_of(i, 4, !b->quarter[i] || b->quarter[i] < threshold(TH_NOTED) * b->some);
}

/* Do more come at the end? If not, those that are there may be all that the program wants. */
static bool go_on(const struct causes *c, const struct births *b)
{
    return (double)(c->tg->end - b->last) < threshold(TH_SHARE) * (double)(c->tg->end - b->since);
}

/* Does a timer (or do other goroutines) wake those that stay, n of them, again and again, where some stand at
 * the end? */
static bool wakes(const struct causes *c, const struct leak_row *r, uint32_t n, bool timer)
{
    const struct pair_row *p = c->tg->pairs;
    return any_of(i, works_pairs(c),
                  p[i].waiter == r->name && p[i].stack == r->stack && p[i].from_scheduler == timer &&
                      p[i].kind != WK_NET && p[i].count >= n);
}

/* Has each goroutine that created them several? Who has one, as a connection has a writer, may still need
 * it. */
static bool several_each(struct births *b)
{
    uint32_t creators = 0;
    sort(b->v, b->n, cmp_born);
    for (uint32_t i = 0; i < b->n; i++)
        creators += !i || b->v[i].by != b->v[i - 1].by;
    return b->n >= threshold(TH_SEVERAL) * creators;
}

static bool old(const struct causes *c, const struct leak_row *r)
{
    const double half = (double)c->tg->end / 2, time = (double)threshold_ns(TH_LEAK_TIME);
    return (double)r->oldest >= (half < time ? half : time);
}

static struct verdict leak_new(const struct causes *c, const struct works *w, const struct leak_row *r,
                               enum rule rule, const struct births *b)
{
    struct verdict v = verdict_new(rule, 0, verdict_place(w, r->stack));
    v.creator.at = verdict_place_of(w, r->create_stack, trace_lane_who(c->tr, lane_g(r->example)).creator);
    v.waiter.group = v.holder.group = r->name; /* what they hold, others wait for */
    verdict_shows(&v, r->example, r->since, r->since + r->oldest);
    v.grows = true;
    verdict_ev(&v, EV_CREATED, r->created);
    verdict_ev(&v, EV_ENDED, r->ended);
    verdict_ev(&v, EV_COUNT, rule == RULE_TICKERS ? r->created - r->ended : r->count);
    if (old(c, r))
        verdict_ev(&v, EV_LONGEST, (double)r->oldest);
    v.level = all_along(c, b) && go_on(c, b) && b->over <= threshold(TH_LEAK_ENDED) * b->some &&
                      b->some >= 4 * threshold(TH_LEAK_COUNT)
                  ? LEVEL_WARN
                  : LEVEL_NOTE;
    return v;
}

static bool leaks(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nleaks && i < ROWS; i++) {
        const struct leak_row *r = &c->tg->leaks[i];
        const uint32_t stay = r->created - r->ended;
        if (stay < threshold(TH_LEAK_COUNT) || !r->create_stack)
            continue;
        struct births b;
        ok = births_of(c, r, &b);
        births_count(&b, c->tg->end, false);
        const bool few_ended = r->ended <= threshold(TH_LEAK_ENDED) * r->created;
        const bool lost = r->lost >= threshold(TH_LEAK_COUNT) && r->lost > r->count / 2;
        const bool ticker = few_ended && all_along(c, &b) && wakes(c, r, stay, true);
        const bool woken = few_ended && all_along(c, &b) && wakes(c, r, 2 * stay, false) && several_each(&b);
        const bool stuck = r->count >= threshold(TH_LEAK_COUNT) && old(c, r) &&
                           (r->kind == WK_LOCK || wait_passes_on(r->kind)) &&
                           (lost ? few_ended || all_along(c, &b) : few_ended && all_along(c, &b));
        if (stuck || ticker || woken) {
            const struct verdict v = leak_new(c, w, r, ticker && !lost ? RULE_TICKERS : RULE_LEAK, &b);
            ok &= verdict_add(out, &v);
        }
        mem_free(b.v);
    }
    return ok;
}

/* ---- a few of many stay ------------------------------------------------------------------------------- */

/*
 * Of goroutines that one creation stack begins for one thing each most end soon, and all of these within a
 * known time. Others are there still, for much longer than any that ended took.
 */
/* How long those that ended lived. false: out of memory. */
static bool ended_lives(const struct births *b, struct dist *d)
{
    int64_t *ns = mem_alloc(((size_t)b->n + 1) * sizeof *ns);
    uint32_t ended = 0;
    each_of(k, b->v, ns ? b->n : 0)
        if (k->life.over)
            ns[ended++] = k->life.last - k->life.first;
    if (ns)
        dist_of(d, ns, ended);
    mem_free(ns);
    return ns != NULL;
}

/* One that stays is that old at least. */
static int64_t old_enough(const struct dist *d)
{
    const double most = threshold(TH_DOUBLE) * (double)d->max,
                 usual = threshold(TH_LEAK_AGAIN) * (double)d->p50;
    return (int64_t)(most > usual ? most : usual);
}

static bool few_stay(struct causes *c, const struct works *w, const struct leak_row *r, struct births *b,
                     struct verdicts *out)
{
    struct dist d;
    if (!births_of(c, r, b) || !ended_lives(b, &d))
        return false;
    if (d.n < threshold(TH_MANY) || (double)d.n <= threshold(TH_LEAK_ENDED) * b->n)
        return true;
    births_count(b, c->tg->end - old_enough(&d), true);
    if (b->some < threshold(TH_LEAK_COUNT) || b->since > c->tg->end / 2 ||
        any_of(i, 4, !b->quarter[i] || b->quarter[i] < threshold(TH_MOST) * b->some / 4))
        return true;
    const struct stand *at = stand_of(w, b->eldest);
    struct verdict v = verdict_new(RULE_STAY, 0, verdict_place(w, at ? at->stack : 0));
    v.creator.at = verdict_place_of(w, r->create_stack, trace_lane_who(c->tr, lane_g(b->eldest)).creator);
    v.waiter.group = v.holder.group = r->name;
    verdict_shows(&v, b->eldest, b->since, c->tg->end);
    v.grows = true;
    v.level = LEVEL_WARN;
    verdict_ev(&v, EV_CREATED, b->n);
    verdict_ev(&v, EV_ENDED, (double)d.n);
    verdict_ev(&v, EV_COUNT, b->some);
    verdict_ev(&v, EV_SINCE, (double)b->since);
    verdict_ev(&v, EV_LONGEST, (double)d.max);
    return verdict_add(out, &v);
}

static bool late_leaks(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nleaks && i < ROWS;
         i++) { /* each creation stack of those that wait */
        const struct leak_row *all = c->tg->leaks, *r = &all[i];
        const bool known = !r->create_stack || r->ended < threshold(TH_MANY) ||
                           r->created - r->ended < threshold(TH_LEAK_COUNT);
        const bool again = any_of(k, i, all[k].create_stack == r->create_stack && all[k].name == r->name);
        struct births b = {.v = NULL};
        ok = known || again || few_stay(c, w, r, &b, out);
        mem_free(b.v);
    }
    return ok;
}

bool fam_leak(struct causes *c, const struct works *w, struct verdicts *out)
{
    return leaks(c, w, out) && late_leaks(c, w, out);
}
