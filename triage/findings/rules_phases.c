/*
 * rules_phases.c - steps that don't overlap: for a while several goroutines wait for the network and none works, then several work and none
 * waits, and so on by turns, since one waits for all of a step before it begins the next.
 *
 * Goroutines that each ask and then work, for themselves, would be at both at most moments. So moments are looked at, evenly over the trace.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"

#define MOMENTS 256
#define LANES 1024 /* goroutines of the program that there may be */

struct moments {
    uint32_t works, waits, both; /* moments: some work and none waits for the network, the other way round, both */
    uint32_t working, waiting;   /* goroutines at these */
    uint32_t turns;              /* from one to the other */
};

/* Where one waits longest for goroutines of another kind to be done. false: nowhere. */
static bool barrier(const struct causes *c, struct waits_at *out)
{
    enum { PLACES = 8 };
    struct waits_at v[PLACES];
    uint32_t n = 0, best = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g = p->kind == WK_WAITGROUP && p->waker != p->waiter ? causes_group(c, p->waker) : UINT32_MAX;
        const uint32_t place = g != UINT32_MAX && c->life[g].program ? causes_place(c->tr, p->stack) : 0;
        if (place) {
            waits_at_add(v, &n, PLACES, place, p);
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        best = v[i].total > v[best].total ? i : best;
    }
    if (n) {
        *out = v[best];
    }
    return n > 0;
}

static uint32_t lanes_of(const struct causes *c, uint32_t *v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        if (!c->life[i].program) {
            continue;
        }
        if (c->of[i].n > LANES - n) {
            return 0; /* too many to look at each */
        }
        for (uint32_t k = 0; k < c->of[i].n; k++) {
            v[n++] = causes_nth(c, i, k);
        }
    }
    return n;
}

static void look(const struct causes *c, const uint32_t *lanes, uint32_t n, struct moments *m)
{
    int last = 0;
    for (int k = 0; k < MOMENTS; k++) {
        const int64_t t = (int64_t)((double)c->tg->end * (k + 0.5) / MOMENTS);
        uint32_t works = 0, waits = 0;
        for (uint32_t i = 0; i < n; i++) {
            const struct lane l = {LANE_G, lanes[i]};
            const struct lane_info li = trace_lane(c->tr, l);
            struct span s;
            if (t < li.first || t >= li.last || !trace_span_at(c->tr, l, t, &s)) {
                continue;
            }
            works += s.state == ST_RUNNING || s.state == ST_ASSIST || s.state == ST_RUNNABLE || s.state == ST_SYSCALL;
            waits += s.state == ST_WAITING && stacks_wait_kind(c->tr, s.reason, s.stack) == WK_NET;
        }
        const int now = works && waits ? 0 : works ? 1 : waits ? 2 : 0;
        m->both += works && waits;
        m->works += now == 1;
        m->waits += now == 2;
        m->working += now == 1 ? works : 0;
        m->waiting += now == 2 ? waits : 0;
        m->turns += now && last && now != last;
        last = now ? now : last;
    }
}

static void phases_finding(struct causes *c, const struct pair_row *p, const struct moments *m)
{
    const uint32_t least = m->works < m->waits ? m->works : m->waits;
    struct draft d;
    draft_start(&d, RULE_PHASES, (int64_t)((double)c->tg->end * least / MOMENTS));
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%u turns", m->turns);
    text_say(&d.text, c->tr, t_place(p->stack, 3),
             " seems to finish all of one step before the next begins (inferred): for ", t_share(m->works, MOMENTS),
             " of the trace goroutines work (", t_f1((double)m->working / m->works),
             " at once) and none waits for the network, for ", t_share(m->waits, MOMENTS),
             " they wait for the network (", t_f1((double)m->waiting / m->waits),
             " at once) and none works, alternating ", m->turns, " times or more; both happen together for only ",
             t_share(m->both, MOMENTS), " (of ", MOMENTS, " moments spread evenly over the trace).");
    text_lit(&d.next, "Overlap the steps: pass on each item when it is done (a pipeline), or fetch the next batch "
                      "while this one is processed.");
    draft_end(c->rs, &d);
}

void rules_phases(struct causes *c)
{
    uint32_t lanes[LANES];
    struct waits_at p;
    struct moments m = {0};
    if (!barrier(c, &p) || calls_accept(c) || (double)p.count < threshold(TH_PHASES_TURNS) ||
        !threshold_reached(TH_PHASES_BARRIER, p.total, c->tg->end)) {
        return;
    }
    look(c, lanes, lanes_of(c, lanes), &m);
    if (m.works >= threshold(TH_PHASES_PART) * MOMENTS && m.waits >= threshold(TH_PHASES_PART) * MOMENTS &&
        m.both <= threshold(TH_PHASES_BOTH) * MOMENTS && m.turns >= threshold(TH_PHASES_TURNS) &&
        m.working >= threshold(TH_PHASES_AT_ONCE) * m.works && m.waiting >= threshold(TH_PHASES_AT_ONCE) * m.waits) {
        phases_finding(c, p.most, &m);
    }
}
