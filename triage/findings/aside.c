/*
 * aside.c - goroutines that work beside what a program is for: a server whose requests wait neither for them nor for those that wait for
 * them. That they take one thing after the other may be meant, so that what is asked has the processors.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"

bool causes_aside(const struct causes *c, uint32_t works, uint32_t waits)
{
    const uint32_t main_lane = trace_find_lane(c->tr, LANE_G, 1);
    const uint32_t own = main_lane < c->tg->ng ? trace_g_name(c->tr, main_lane) : 0;
    const uint32_t a = c->tg->groups[works].name, b = c->tg->groups[waits].name;
    int64_t others = 0, mains = 0;
    if (!calls_accept(c) || a == own || b == own || calls_serves(c, causes_nth(c, waits, 0))) {
        return false;
    }
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->from_scheduler || (p->waker != a && p->waker != b) || p->waiter == a || p->waiter == b) {
            continue;
        }
        if (p->waiter == own && p->count == 1) { /* the program's end waits until they are done */
            mains = ns_add(mains, p->total);
        } else {
            others = ns_add(others, p->total);
        }
    }
    return !threshold_reached(TH_CALLS_FOR, others, c->tg->end) &&
           !threshold_reached(TH_CALLS_OTHERS, mains, c->tg->end);
}

void causes_aside_text(struct draft *d, const struct causes *c, uint32_t waits)
{
    d->f.note = true;
    d->f.severity_ns = 0;
    text_say(&d->text, c->tr, " The process answers connections, and none of these waits for ",
             t_func(c->tg->groups[waits].name), ": in the background, one after the other may be intended.");
}

#define CHAIN 8     /* start functions: one waits for the one before */
#define WAITERS 16  /* of one link */
#define SERVERS 128 /* groups asked whether they serve */

struct waiters {
    struct {
        uint32_t name;
        int64_t ns;
    } v[WAITERS];
    uint32_t n;
};

static bool among(const uint32_t *name, uint32_t n, uint32_t one)
{
    uint32_t i = 0;
    while (i < n && name[i] != one) {
        i++;
    }
    return i < n;
}

/* Who waits for those, being none of them. false: too many. */
static bool who_waits(const struct causes *c, const uint32_t *name, uint32_t n, struct waiters *w)
{
    w->n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t k = 0;
        if (p->from_scheduler || !among(name, n, p->waker) || among(name, n, p->waiter)) {
            continue;
        }
        while (k < w->n && w->v[k].name != p->waiter) {
            k++;
        }
        if (k == WAITERS) {
            return false;
        }
        if (k == w->n) {
            w->v[w->n].name = p->waiter;
            w->v[w->n++].ns = 0;
        }
        w->v[k].ns = ns_add(w->v[k].ns, p->total);
    }
    return true;
}

/* Does a group answer what comes over connections? */
static bool serves(const struct causes *c, uint32_t group)
{
    return c->of[group].n && (request_serves(c->tr, c->tg->groups[group].name) ||
                              (c->life[group].by[WK_NET] > 0 && calls_serves(c, causes_nth(c, group, 0))));
}

static bool anybody_serves(const struct causes *c, const uint32_t *name, uint32_t n)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < SERVERS; i++) {
        double waits = 0;
        if (!among(name, n, c->tg->groups[i].name) && !c->tg->groups[i].is_system && serves(c, i)) {
            for (uint32_t k = 0; k < c->of[i].n && k < 64; k++) {
                waits += (double)gstat_waits(c->tg->g, causes_member(c, i, k, 64));
            }
            if (waits >= threshold(TH_CALLS_WAITS)) {
                return true;
            }
        }
    }
    return false;
}

bool causes_beside_requests(const struct causes *c, uint32_t group)
{
    const uint32_t main_lane = trace_find_lane(c->tr, LANE_G, 1);
    const uint32_t own = main_lane < c->tg->ng ? trace_g_name(c->tr, main_lane) : 0;
    uint32_t name[CHAIN] = {c->tg->groups[group].name}, n = 1;
    for (uint32_t at = 0; at < n; at++) { /* each link may add others */
        const uint32_t g = causes_group(c, name[at]);
        struct waiters w;
        if (g == UINT32_MAX || name[at] == own || serves(c, g) || !who_waits(c, name, n, &w)) {
            return false;
        }
        for (uint32_t i = 0; i < w.n; i++) {
            if (threshold_reached(TH_CALLS_FOR, w.v[i].ns, c->tg->end)) {
                if (n == CHAIN) {
                    return false;
                }
                name[n++] = w.v[i].name;
            }
        }
    }
    return anybody_serves(c, name, n);
}
