/*
 * rules_limits.c - limits of the library that are waited for: connections of net/http's (MaxConnsPerHost), tests that run at once
 * (-parallel). For connections, who ended the wait tells it from what takes long itself: one that came back, not a new one.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"

static const char reader[] = "net/http.(*persistConn).readLoop";

bool limits_back(const struct causes *c, const struct pair_row *p)
{
    return p->kind == WK_SELECT && !p->from_scheduler && str_is(trace_str(c->tr, p->waker), reader);
}

/* Goroutines that net/http begins to open a connection each. */
static bool opens(struct str s)
{
    static const char *const from[] = {"net/http.(*Transport).dialConn", "net/http.(*Transport).startDialConn",
                                       "net/http.(*Transport).queueForDial", "net/http.(*Transport).decConnsPerHost",
                                       "net/http.(*Transport).getConn"};
    bool is = false;
    for (size_t i = 0; !is && i < sizeof from / sizeof *from; i++) {
        is = str_starts(s, from[i]);
    }
    return is;
}

uint64_t limits_opened(const struct causes *c)
{
    uint64_t opened = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        opened += opens(trace_str(c->tr, c->tg->groups[i].name)) ? c->of[i].n : 0;
    }
    return opened;
}

double limits_kept(const struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        if (str_is(trace_str(c->tr, c->tg->groups[i].name), reader)) {
            return c->life[i].n;
        }
    }
    return 0;
}

bool limits_conns(const struct causes *c, uint64_t waits, int64_t waited, int64_t back)
{
    const uint64_t opened = limits_opened(c);
    /* where none comes back in time, each that waits has one opened for it */
    return threshold_reached(TH_CONNS_BACK, back, waited) &&
           (double)opened <= (1 - threshold(TH_CONNS_BACK)) * (double)waits;
}

void limits_tell(struct causes *c, uint32_t func, const struct pair_row *most, uint64_t waits, int64_t waited)
{
    const uint32_t g = causes_group(c, most->waiter), by = causes_group(c, most->waker);
    const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
    if (!l || l->life <= 0 || !threshold_reached(TH_POOL_REQUESTS, waited, l->life) ||
        c->idle < threshold(TH_POOL_IDLE) * c->procs || causes_told_at(c, RULE_POOL, func)) {
        return;
    }
    const double share = (double)waited / (double)l->life;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)((share < 1 ? share : 1) * (double)(l->last - l->first)));
    draft_about(&d, c->rs, func, most->stack);
    draft_moment(&d, &most->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%.1f wait", (double)waited / (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(most->stack, 3), " waits ", waits,
             " times for a connection that others are using, ", t_dur(waited / (int64_t)waits), " each on average, ",
             t_share(share, 1), " of the lives of goroutines of ", t_func(most->waiter),
             "; hardly any new one is opened meanwhile: the limit is reached (inferred)");
    if (by != UINT32_MAX) {
        text_add(&d.text, ". %u connections are in the trace", c->of[by].n);
    }
    text_add(&d.text, "; %.1f of %.0f processors were idle.", c->idle, c->procs);
    text_lit(&d.next, "Allow more connections per host (MaxConnsPerHost, and MaxIdleConnsPerHost as many), if the "
                      "other side can handle them; if the limit is intended, ask less often or for more at once.");
    draft_end(c->rs, &d);
}

/* ---- tests --------------------------------------------------------------------------------------------------------------- */

bool limits_test_slot(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    bool is = false;
    for (uint32_t i = 0; !is && i < n && i < 4; i++) {
        const struct str s = trace_str(tr, trace_frame(tr, stack, i).func);
        is = str_is(s, "testing.(*testState).waitParallel") || str_is(s, "testing.(*testContext).waitParallel");
    }
    return is;
}

static bool for_a_slot(const struct trace *tr, const struct pair_row *p)
{
    return p->kind == WK_RECV && limits_test_slot(tr, p->stack);
}

struct tests { /* that wait so: of all groups */
    uint64_t waits;
    int64_t waited, life, first, last;
    const struct pair_row *most;
};

static void tests_add(const struct causes *c, struct tests *v, const struct pair_row *p)
{
    const uint32_t g = causes_group(c, p->waiter);
    bool seen = false;
    for (const struct pair_row *q = c->tg->pairs; q < p && !seen; q++) {
        seen = q->waiter == p->waiter && for_a_slot(c->tr, q);
    }
    v->waits += p->count;
    v->waited = ns_add(v->waited, p->total);
    v->most = !v->most || p->total > v->most->total ? p : v->most;
    if (g != UINT32_MAX && !seen) {
        const struct group_life *l = &c->life[g];
        v->first = !v->life || l->first < v->first ? l->first : v->first;
        v->last = !v->life || l->last > v->last ? l->last : v->last;
        v->life = ns_add(v->life, l->life);
    }
}

static void tests_finding(struct causes *c, const struct tests *v, uint32_t place)
{
    const double share = (double)v->waited / (double)v->life;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)((share < 1 ? share : 1) * (double)(v->last - v->first)));
    draft_about(&d, c->rs, place, v->most->stack);
    draft_moment(&d, &v->most->longest);
    text_add(&d.amount, "%.1f wait", (double)v->waited / (double)(v->last - v->first));
    text_say(&d.text, c->tr, t_func(place), v->waited > v->most->total ? ", as others," : "",
             " waits until another test is over, since no more may run at once (-parallel): ", v->waits, " waits of ",
             t_dur(v->waited / (int64_t)v->waits), " on average, ", t_share(share, 1),
             " of the lives of these tests; ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    text_lit(&d.next, "Run more tests at once: go test -parallel (default GOMAXPROCS); tests that mostly wait may "
                      "outnumber the processors. It gains nothing if they all use one service that is slow itself.");
    draft_end(c->rs, &d);
}

void rules_limits(struct causes *c)
{
    struct tests v = {0};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        if (for_a_slot(c->tr, &c->tg->pairs[i])) {
            tests_add(c, &v, &c->tg->pairs[i]);
        }
    }
    const uint32_t place = v.most ? causes_place(c->tr, v.most->stack) : 0;
    if (place && v.life > 0 && v.last > v.first && (double)v.waits >= threshold(TH_POOL_TESTS) &&
        threshold_reached(TH_POOL_REQUESTS, v.waited, v.life) && c->idle >= threshold(TH_POOL_IDLE) * c->procs &&
        (double)v.waited >= threshold(TH_POOL_QUEUE) * (double)(v.last - v.first) &&
        !causes_told_at(c, RULE_POOL, place)) {
        tests_finding(c, &v, place);
    }
}
