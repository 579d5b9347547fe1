/*
 * rules_pace.c - who asks at a pace: a clock that ticks, not the answers, decides how often. Where callers wait for
 * it themselves, or where who hands them their work does, quicker answers win nothing, or no more than is waited for
 * them.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"

/* A wait for a clock that ticks whether one is quick or slow; a pause of a given length is none. */
static bool for_a_clock(const struct leaf *l, uint32_t place)
{
    return l->cat == EX_TIMER && (l->kind == WK_RECV || (l->kind == WK_SELECT && l->func == place));
}

/*
 * Did a timer let that goroutine go on where it had waited for a channel? One look at its spans tells who needs no
 * explaining.
 */
static bool has_clock(const struct causes *c, uint32_t g)
{
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    while (more) {
        const struct span s = *span_get(&it);
        more = span_next(&it);
        const enum wait_kind kind = s.state == ST_WAITING ? stacks_wait_kind(c->tr, s.reason, s.stack) : WK_NET;
        const uint32_t by = span_get(&it)->who;
        if (more && (kind == WK_RECV || kind == WK_SELECT) && span_get(&it)->state == ST_RUNNABLE &&
            (by >= c->tg->ng || by == g || trace_lane_who(c->tr, (struct lane){LANE_G, by}).is_system)) {
            return true;
        }
    }
    return false;
}

/*
 * Of what the caller that waited longest waits, for the network there and for a clock, the clock's share: it asks at
 * a pace.
 */
double pace_of(struct causes *c, const struct waits_at *p)
{
    const uint32_t g = p->most->longest.g;
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    struct explain_tree t;
    struct leaves v;
    int64_t clock = 0, net = 0;
    if (!has_clock(c, g)) {
        return 0;
    }
    if (!explain_tree_init(&t, c->tr) || !explain_add(c->x, &t, g, li.first, li.last)) {
        c->rs->failed = true;
    } else {
        causes_tops(&t, &v);
        for (uint32_t i = 0; i < v.n; i++) {
            clock = for_a_clock(&v.v[i], p->place) ? ns_add(clock, v.v[i].ns) : clock;
            net = explain_waits_outside(v.v[i].cat) && v.v[i].func == p->place ? ns_add(net, v.v[i].ns) : net;
        }
    }
    explain_tree_free(&t);
    return clock ? (double)clock / (double)ns_add(clock, net) : 0;
}

/* Who hands these goroutines their work, if they wait for that most of their lives: a goroutine, NO_LANE none. */
static uint32_t feeder_of(const struct causes *c, uint32_t group)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind == WK_RECV && !p->from_scheduler && p->waker != p->waiter &&
            p->waiter == c->tg->groups[group].name && p->longest_waker < c->tg->ng &&
            threshold_reached(TH_CALLS_FED, p->total, c->life[group].life)) {
            return p->longest_waker;
        }
    }
    return NO_LANE;
}

/*
 * Who hands them work waits for a clock most of its life: how much it waits for them, as a share of that; 1: it is
 * not so.
 */
static double fed_at_a_pace(struct causes *c, const struct waits_at *p, double *clock)
{
    const uint32_t g = feeder_of(c, gstat_group(c->tg->g, p->most->longest.g));
    struct leaves v;
    int64_t timer = 0, its = 0;
    if (g == NO_LANE) {
        return 1;
    }
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    c->rs->failed |= !leaves_between(c, g, li.first, li.last, &v);
    for (uint32_t i = 0; i < v.n; i++) {
        timer = v.v[i].cat == EX_TIMER && v.v[i].g == g ? ns_add(timer, v.v[i].ns) : timer;
        its = explain_waits_outside(v.v[i].cat) && v.v[i].func == p->place ? ns_add(its, v.v[i].ns) : its;
    }
    *clock = v.all > 0 ? (double)timer / (double)v.all : 0;
    return *clock >= threshold(TH_CALLS_CLOCK) ? (double)its / (double)v.all : 1;
}

/* What is done by then costs no more than who hands it out waits for it. */
bool pace_fed(struct causes *c, const struct waits_at *p, struct draft *d)
{
    double clock = 0;
    const double its = fed_at_a_pace(c, p, &clock);
    const int64_t most = (int64_t)(its * (double)c->tg->end);
    if (most >= d->f.severity_ns) {
        return false;
    }
    text_say(&d->text, c->tr, " Whoever hands them their work does so at a fixed pace: for ", t_share(clock, 1),
             " of its life it waits for a clock, and for these calls only ", t_share(its, 1), ".");
    d->f.note |= !threshold_reached(TH_CALLS_SHARE, most, c->tg->end); /* they are done when the next are due */
    d->f.severity_ns = most;
    d->f.won_hi = most < d->f.won_hi ? most : d->f.won_hi;
    return true;
}
