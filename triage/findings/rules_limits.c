/*
 * rules_limits.c - limits of the library that are waited for: connections of net/http's (MaxConnsPerHost). Who ended the wait tells
 * them from what takes long itself: one that came back, not a new one.
 */
#include "triage/findings/causes.h"
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

bool limits_conns(const struct causes *c, uint64_t waits, int64_t waited, int64_t back)
{
    uint64_t opened = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        opened += opens(trace_str(c->tr, c->tg->groups[i].name)) ? c->of[i].n : 0;
    }
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
    draft_subject(&d, c->rs, func);
    draft_at(&d, most->longest.t0, most->longest.t1, LANE_G, most->longest.g);
    d.f.stack = most->stack;
    d.f.inferred = true;
    text_add(&d.amount, "%.1f wait", (double)waited / (double)c->tg->end);
    text_calls(&d.text, c->tr, most->stack, stacks_user_frame(c->tr, most->stack), 3);
    text_add(&d.text, " waits %llu times until a connection that others have comes back, ",
             (unsigned long long)waits);
    text_dur(&d.text, waited / (int64_t)waits);
    text_lit(&d.text, " each on average, ");
    text_share(&d.text, share, 1);
    text_lit(&d.text, " of the lives of goroutines of ");
    text_func(&d.text, c->tr, most->waiter, 0);
    text_lit(&d.text, "; hardly any is opened for it meanwhile: there are as many as are allowed (inferred)");
    if (by != UINT32_MAX) {
        text_add(&d.text, ". %u connections are in the trace", c->of[by].n);
    }
    text_add(&d.text, "; of %.0f processors %.1f had nothing to do.", c->procs, c->idle);
    text_lit(&d.next, "Allow more connections for each host (MaxConnsPerHost, and MaxIdleConnsPerHost as many), if "
                      "the other side can "
                      "take them; if the limit is meant, ask less often or for more at once.");
    draft_end(c->rs, &d);
}
