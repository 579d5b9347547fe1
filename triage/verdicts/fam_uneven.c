/*
 * fam_uneven.c - of several goroutines that share some work, one has most of it. They begin together, and the
 * others are done long before; or they are there all along, and who gives each of them work waits until that
 * one takes more, while the others have time to spare.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

enum { GROUPS = 64, MEMBERS = 256, STAND = 64, STEPS = 8192 };

static bool has_room(const struct causes *c)
{
    return c->idle >= threshold(TH_ROOM) * c->procs;
}

/* Who began most of a group: a majority vote. */
static uint32_t biggest_lot(const struct causes *c, uint32_t group, uint32_t n)
{
    uint32_t creator = NO_LANE;
    int votes = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t by = trace_lane_who(c->tr, (struct lane){LANE_G, causes_nth(c, group, i)}).creator;
        creator = votes ? creator : by;
        votes += creator == by ? 1 : -1;
    }
    return creator;
}

static bool uneven(struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    const uint32_t all = c->of[group].n < MEMBERS ? c->of[group].n : MEMBERS;
    const uint32_t creator = biggest_lot(c, group, all);
    uint32_t most = NO_LANE, n = 0;
    int64_t sum = 0, longest = 0, first = INT64_MAX, begun = 0, last = 0;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t g = causes_nth(c, group, i);
        const int64_t ran = gstat_ns(c->tg->g, g, GM_EXEC);
        struct lifetime l;
        if (trace_lane_who(c->tr, (struct lane){LANE_G, g}).creator != creator)
            continue;
        n++;
        trace_lives(c->tr, LANE_G, g, 1, &l);
        sum = ns_add(sum, ran);
        first = l.first < first ? l.first : first;
        begun = l.first > begun ? l.first : begun;
        last = l.last > last ? l.last : last;
        most = ran > longest ? g : most;
        longest = ran > longest ? ran : longest;
    }
    const double mean = n ? (double)sum / n : 0;
    if (n < threshold(TH_SEVERAL) || most == NO_LANE || (double)longest < threshold(TH_DOUBLE) * mean ||
        (double)longest - mean < threshold(TH_SHARE) * (double)c->tg->end ||
        (double)(begun - first) > threshold(TH_SHARE) * (double)(last - first))
        return true;
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, most});
    struct span held;
    const bool stood = trace_longest(c->tr, (struct lane){LANE_G, most}, 0, c->tg->end, &held) &&
                       held.state == ST_RUNNING && held.t1 - held.t0 >= threshold_ns(TH_HOST_RUN);
    if (stood || (double)longest < threshold(TH_SEVERE) * (double)(li.last - li.first))
        return true; /* the host had its thread elsewhere; or it has time to spare */
    struct verdict v = verdict_new(RULE_UNEVEN, ((double)longest - mean) / (double)c->tg->end);
    v.waiter.group = c->tg->groups[group].name;
    v.where.user = v.waiter.group;
    for (uint32_t i = 0; i < w->n; i++) { /* what its goroutines mostly do */
        const struct work *k = &w->v[i];
        if (k->group == group && k->user)
            v.where.user = k->user;
    }
    v.g = most;
    v.t0 = li.first;
    v.t1 = li.last;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SHARE, sum > 0 ? (double)longest / (double)sum : 0);
    verdict_ev(&v, EV_LONGEST, (double)longest);
    verdict_ev(&v, EV_EACH, n > 1 ? (double)(sum - longest) / (n - 1) : 0);
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}

/* ---- they are there all along -------------------------------------------------------------------------- */

struct fed { /* by one goroutine, the feeder */
    uint32_t feeder;
    uint32_t others;       /* goroutines of the group that it wakes, but the one */
    int64_t waited, sends; /* until that one took what it sent; until any did */
    struct moment longest;
    uint32_t stack; /* of that wait */
};

/* Who ends most of a goroutine's waits: a majority vote. */
static uint32_t feeder_of(const struct causes *c, uint32_t g)
{
    uint32_t by = NO_LANE;
    int votes = 0;
    struct walk w;
    struct span s;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    while (walk_pair(&w, &s, &next)) {
        if (s.state != ST_WAITING || !next || next->state != ST_RUNNABLE || next->who == NO_LANE)
            continue;
        by = votes <= 0 ? next->who : by;
        votes += by == next->who ? 1 : -1;
    }
    return by;
}

static void waits_of(const struct causes *c, uint32_t feeder, uint32_t one, struct fed *f)
{
    struct walk w;
    struct span s;
    const struct span *next = walk_first(&w, c->tr, feeder, STEPS);
    while (walk_pair(&w, &s, &next)) {
        if (s.state != ST_WAITING || !next || stacks_wait_kind(c->tr, s.reason, s.stack) != WK_SEND)
            continue;
        f->sends = ns_add(f->sends, s.t1 - s.t0);
        if (next->who != one)
            continue;
        f->waited = ns_add(f->waited, s.t1 - s.t0);
        if (s.t1 - s.t0 > f->longest.t1 - f->longest.t0) {
            f->longest = (struct moment){s.t0, s.t1, feeder, NO_LANE};
            f->stack = s.stack;
        }
    }
}

/* How busy each of a group is, which of them most, and the mean. */
static double mean_busy(struct causes *c, uint32_t group, double busy[STAND], uint32_t *one)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        busy[i] = busy_of(c, causes_nth(c, group, i));
        sum += busy[i];
        *one = busy[i] > busy[*one] ? i : *one;
    }
    return sum / c->of[group].n;
}

/* Does it mostly wait for the other side, while it is busy? Then that side is slow. */
static bool waits_outside(const struct causes *c, uint32_t g, double busy)
{
    int64_t outside = 0, seen = 0;
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const bool is =
            s->state == ST_WAITING && s->stack && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
        seen = ns_add(seen, s->t1 - s->t0);
        outside = ns_add(outside, is ? s->t1 - s->t0 : 0);
    }
    return (double)outside >= threshold(TH_MOST) * busy * (double)seen;
}

/* Do they get their work from one goroutine, which waits until `one` of them takes more? */
static bool fed_by(const struct causes *c, uint32_t group, uint32_t one, struct fed *f)
{
    const uint32_t n = c->of[group].n, g = causes_nth(c, group, one);
    f->feeder = feeder_of(c, g);
    for (uint32_t i = 0; i < n && f->feeder != NO_LANE; i++)
        f->others += i != one && feeder_of(c, causes_nth(c, group, i)) == f->feeder;
    if (f->feeder == NO_LANE || f->others * 2 < n)
        return false;
    waits_of(c, f->feeder, g, f);
    return (double)f->waited >= threshold(TH_SHARE) * (double)c->tg->end;
}

static bool routed(struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    double busy[STAND];
    uint32_t one = 0, n = c->of[group].n;
    struct fed f = {.feeder = NO_LANE};
    if (n < threshold(TH_SEVERAL) || n > STAND || c->life[group].n * 2 < n)
        return true;
    const double mean = mean_busy(c, group, busy, &one), others = (mean * n - busy[one]) / (n - 1);
    const double life = (double)c->life[group].life / n;
    const uint32_t g = causes_nth(c, group, one);
    const bool runs = (double)gstat_ns(c->tg->g, g, GM_EXEC) >= threshold(TH_MOST) * busy[one] * life;
    if (busy[one] < threshold(TH_DOUBLE) * others || (runs && !has_room(c)) || !fed_by(c, group, one, &f))
        return true;
    const bool full = waits_outside(c, g, busy[one]);
    const struct role member = {.group = c->tg->groups[group].name, .g = g},
                      feeder = {.group = trace_g_name(c->tr, f.feeder), .g = f.feeder};
    struct verdict v = verdict_new(full ? RULE_FULL : RULE_UNEVEN, busy[one] - mean);
    v.where = verdict_place(w, f.stack);
    v.waiter = full ? feeder : member;
    v.holder = full ? member : feeder;
    v.g = f.feeder;
    v.t0 = f.longest.t0;
    v.t1 = f.longest.t1;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SHARE, full ? (double)f.waited / (double)f.sends : busy[one] / (mean * n));
    verdict_ev(&v, EV_LONGEST, busy[one] * life);
    verdict_ev(&v, EV_EACH, others * life);
    verdict_ev(&v, EV_CROWDS, 1);
    verdict_ev(&v, EV_BUSY, busy[one]);
    verdict_ev(&v, EV_ROOM, others);
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}

bool fam_uneven(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++)
        ok = c->tg->groups[i].is_system || ((!has_room(c) || uneven(c, w, out, i)) && routed(c, w, out, i));
    return ok;
}
