/*
 * rules_shared.c - a limit on how often that requests wait for, and others with them: what it costs is what the requests wait, and where
 * the others are let through more often, it is they who take it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/requests.h"
#include "triage/findings/works.h"
#include "triage/findings/thresholds.h"

struct shared { /* waits for timers at one function */
    int64_t waited;
    uint64_t requests, others;
    const struct pair_row *request, *most; /* most: of the others */
};

static struct shared shared_at(const struct causes *c, uint32_t place)
{
    struct shared s = {0};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler || causes_place(c->tr, p->stack) != place) {
            continue;
        }
        if (request_serves(c->tr, p->waiter)) {
            s.request = p;
            s.requests += p->count;
            s.waited = ns_add(s.waited, p->total);
        } else {
            s.others += p->count;
            s.most = !s.most || p->count > s.most->count ? p : s.most;
        }
    }
    return s;
}

static void no_more(void *arg, const struct workpiece *p)
{
    (void)arg;
    (void)p;
}

void shared_limit(struct causes *c, uint32_t place, struct draft *d)
{
    const struct shared s = shared_at(c, place);
    const uint32_t group = s.request ? causes_group(c, s.request->waiter) : UINT32_MAX;
    struct work_kind w = {0};
    if (group == UINT32_MAX || !work_each(c, group, &w, no_more, NULL) || w.n == 0 || w.merged ||
        !threshold_reached(TH_LIMIT_REQUESTS, s.waited, w.ns)) {
        return;
    }
    const double share = (double)s.waited / (double)w.ns;
    d->f.severity_ns = (int64_t)((share < 1 ? share : 1) * work_in_flight(&w));
    d->f.won_hi = d->f.severity_ns > d->f.won_hi ? d->f.severity_ns : d->f.won_hi;
    text_lit(&d->text, " There ");
    works_name(&d->text, c, &w);
    text_say(&d->text, c->tr, " wait for ", t_share(share < 1 ? share : 1, 1), " of their time (", s.requests,
             " waits)");
    if (s.most && s.others > s.requests) {
        text_say(&d->text, c->tr, "; but ", s.others, " of ", s.requests + s.others,
                 " waits are those of others, most of ", t_func(s.most->waiter));
        text_lit(&d->next, "Give the requests their own limit, or let those others take less of this one: the "
                           "requests wait while the others are let through. ");
    }
    text_lit(&d->text, ".");
}
