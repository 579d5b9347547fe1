/*
 * fam_uneven.c - of several goroutines that begin together to share some work, one has most of it, and the
 * others are done long before: once, or again and again the same one. Those that are there all along are in
 * links.c.
 */
#include <math.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { GROUPS = 64, MEMBERS = 256, LIVES = 8192, SEATS = 64 };

/* Who began most of a group. */
static uint32_t biggest_lot(const struct causes *c, uint32_t group, uint32_t n)
{
    struct by_name lots = {{0}, {0}};
    for (uint32_t i = 0; i < n; i++)
        by_name_add(&lots, trace_lane_who(c->tr, lane_g(causes_nth(c, group, i))).creator + 1, 1);
    return by_name_most(&lots) - 1;
}

/* How long a goroutine is at work: it runs, or waits for the answers to many things that it asks outside. Who
 * answers requests has as many as its peer asks. */
static int64_t at_work(const struct causes *c, uint32_t g, bool serves)
{
    enum { STEPS = 4000 };
    int64_t seen = 0, waits = 0;
    uint32_t n = 0;
    const struct gstat st = gstat_of(c->tg, g);
    if (serves || !calls_asks(c, g))
        return st.ns[GM_EXEC];
    each_walked(s, c->tr, g, STEPS) {
        const bool net =
            s->state == ST_WAITING && s->stack && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
        seen = ns_add(seen, s->t1 - s->t0);
        waits = ns_add(waits, net ? s->t1 - s->t0 : 0);
        n += net;
    }
    const double part = seen > 0 && n >= threshold(TH_MANY) ? (double)waits / (double)seen : 0;
    return ns_add(st.ns[GM_EXEC], (int64_t)(part * (double)st.ns[GM_LIFE]));
}

/* Who hands goroutines of that group most of what they wait for. */
static struct role giver_of(const struct causes *c, const struct works *w, uint32_t group)
{
    const uint32_t name = c->tg->groups[group].name;
    const struct pair_row *most = largest_of(
        p, c->tg->pairs, works_pairs(c),
        p->waiter == name && p->waker != name && p->waker_stack && wait_passes_on(p->kind) ? p->count : 0);
    return most ? (struct role){.group = most->waker,
                                .g = most->longest_waker,
                                .at = verdict_place(w, most->waker_stack)}
                : (struct role){.g = NO_LANE};
}

/* Of n goroutines, who are at work for `sum` ns in all, g has most of it, in each of so many rounds. */
static bool uneven_add(struct causes *c, const struct works *w, uint32_t group, double share, uint32_t g,
                       struct role giver, uint32_t n, double most, double sum, uint32_t rounds,
                       struct verdicts *out)
{
    const struct lane_info li = trace_lane(c->tr, lane_g(g));
    struct verdict v = verdict_new(RULE_UNEVEN, share, (struct site){.user = verdict_handler(w, group)});
    v.waiter.group = c->tg->groups[group].name;
    v.where.user = v.where.user ? v.where.user : v.waiter.group;
    v.holder = giver;
    verdict_shows(&v, g, li.first, li.last);
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SHARE, sum > 0 ? most / sum : 0);
    verdict_ev(&v, EV_LONGEST, most / rounds);
    verdict_ev(&v, EV_EACH, n > 1 ? (sum - most) / (n - 1) / rounds : 0);
    v.level = LEVEL_WARN;
    return verdict_add(out, &v);
}

static bool uneven(struct causes *c, const struct works *w, struct verdicts *out, uint32_t group)
{
    const uint32_t all = causes_look(c, group, MEMBERS);
    const uint32_t creator = biggest_lot(c, group, all);
    uint32_t most = NO_LANE, n = 0;
    const bool serves = any_of(i, w->n, w->v[i].group == group && w->v[i].kind == WORK_REQUESTS);
    int64_t sum = 0, longest = 0, first = INT64_MAX, begun = 0, last = 0;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t g = causes_nth(c, group, i);
        struct lifetime l;
        if (trace_lane_who(c->tr, lane_g(g)).creator != creator)
            continue;
        const int64_t ran = at_work(c, g, serves);
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
    const struct lane_info li = trace_lane(c->tr, lane_g(most));
    struct span held;
    const bool stood = trace_longest(c->tr, lane_g(most), 0, c->tg->end, &held) && held.state == ST_RUNNING &&
                       held.t1 - held.t0 >= threshold_ns(TH_HOST_RUN);
    if (stood || (double)longest < threshold(TH_SEVERE) * (double)(li.last - li.first))
        return true; /* the host had its thread elsewhere; or it has time to spare */
    return uneven_add(c, w, group, ((double)longest - mean) / (double)c->tg->end, most, giver_of(c, w, group),
                      n, (double)longest, (double)sum, 1, out);
}

/* ---- again and again ----------------------------------------------------------------------------------- */

struct life {
    uint32_t creator, g;
    int64_t first, last;
};
struct seats { /* of the rounds of one size: the k-th goroutine that is begun has seat k */
    uint32_t n, rounds;
    double ns[SEATS], clock, alone; /* lives; how long the rounds take, and of that, with one left: summed */
    double squares[SEATS];          /* of the lives, summed */
    uint32_t g[SEATS];              /* of the last round */
};

ORDER(cmp_life, struct life, LEAST(r->creator) LEAST(r->first) LEAST(r->g))

/* Returns the end of the round that begins at v[i]. One goroutine begins them all, and the next round when
 * all of this one are over. */
static size_t round_end(const struct life *v, size_t n, size_t i)
{
    int64_t last = v[i].last;
    size_t k = i + 1;
    for (; k < n && v[k].creator == v[i].creator && v[k].first < last; k++)
        last = v[k].last > last ? v[k].last : last;
    return k;
}

static void round_add(struct seats *s, const struct life *v)
{
    int64_t last = 0, before = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const double ns = (double)(v[k].last - v[k].first);
        s->ns[k] += ns;
        s->squares[k] += ns * ns;
        s->g[k] = v[k].g;
        before = v[k].last > last ? last : v[k].last > before ? v[k].last : before;
        last = v[k].last > last ? v[k].last : last;
    }
    s->alone += (double)(last - before);
    s->clock += (double)(last - v[0].first);
    s->rounds++;
}

/* The rounds of the size that most have. */
static void seats_of(const struct life *v, size_t n, struct seats *out)
{
    uint32_t count[SEATS + 1] = {0};
    memset(out, 0, sizeof *out);
    for (size_t i = 0, end; i < n; i = end) {
        end = round_end(v, n, i);
        if (end - i <= SEATS)
            count[end - i]++;
    }
    out->n = find_most(k, SEATS + 1, count[k]);
    for (size_t i = 0, end; i < n; i = end) {
        end = round_end(v, n, i);
        if (end - i == out->n)
            round_add(out, &v[i]);
    }
}

/* Of the largest node of the lives' tree: how often one of them waits there for what is outside; 0 if it does
 * not, or runs. One that makes a call or two has what it has: *divisible. */
static double things_of(const struct work *k, bool *divisible)
{
    const struct work_tree *t = &k->tree;
    const struct tree_node *n = t->n && t->v[0].first != NO_LANE ? &t->v[t->v[0].first] : NULL, *end = n;
    const double times = n && n->pieces[TREE_ALL] ? (double)n->n[TREE_ALL] / n->pieces[TREE_ALL] : 0;
    *divisible = n && (n->cat == EX_RUN || times >= threshold(TH_SEVERAL));
    while (end && end->first != NO_LANE)
        end = &t->v[end->first];
    return end && explain_waits_outside(end->cat) ? times : 0;
}

/* Is a seat's mean more above that of all than its rounds vary? Of few rounds, than the sum of so many things
 * does, each of which varies by twice what it takes. */
static bool is_above(const struct seats *s, uint32_t seat, double all, double things)
{
    const double own = s->ns[seat] / s->rounds, mean = all / s->rounds;
    double varies = s->squares[seat] / s->rounds - own * own;
    if (s->rounds < threshold(TH_PIECES))
        varies = things > 0 ? pow(threshold(TH_DOUBLE) * mean, 2) / things : HUGE_VAL;
    return own - mean >= threshold(TH_UNEVEN_SIGMAS) * sqrt((varies > 0 ? varies : 0) / s->rounds);
}

/* Where again and again only one is left for most of a round, fam_slowest.c tells what that one does. */
static bool in_rounds(struct causes *c, const struct works *w, const struct work *k, double things,
                      struct verdicts *out)
{
    const uint32_t all = causes_look(c, k->group, LIVES);
    struct life *v = mem_alloc(((size_t)all + 1) * sizeof *v);
    struct seats s;
    size_t n = 0;
    if (!v)
        return false;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t g = causes_nth(c, k->group, i);
        const struct lane_info li = trace_lane(c->tr, lane_g(g));
        if (li.created && li.ended)
            v[n++] = (struct life){li.creator, g, li.first, li.last};
    }
    sort(v, n, cmp_life);
    seats_of(v, n, &s);
    mem_free(v);
    const uint32_t most = find_most(i, s.n, s.ns[i]);
    double sum = 0;
    for (uint32_t i = 0; i < s.n; i++)
        sum += s.ns[i];
    const double mean = s.n ? sum / s.n : 0, lost = mean > 0 ? 1 - mean / s.ns[most] : 0;
    const double clock = s.clock < (double)c->tg->end ? s.clock / (double)c->tg->end : 1;
    if (s.n < threshold(TH_SEVERAL) || lost * clock < threshold(TH_SHARE) ||
        !is_above(&s, most, mean, things) ||
        (s.rounds >= threshold(TH_PIECES) && s.alone >= threshold(TH_SLOWEST_ALONE) * s.clock))
        return true;
    return uneven_add(c, w, k->group, lost * clock, s.g[most], (struct role){.g = NO_LANE}, s.n, s.ns[most],
                      sum, s.rounds, out);
}

bool fam_uneven(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    if (c->idle < threshold(TH_ROOM) * c->procs)
        return true;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++) {
        const struct group *k = &c->tg->groups[i]; /* who hand things to each other are stages, not equals */
        const bool stages = (double)works_passed(c, k->name, k->name) >= threshold(TH_MANY);
        ok = k->is_system || (double)k->count < threshold(TH_SEVERAL) || stages || uneven(c, w, out, i);
    }
    for (uint32_t i = 0; ok && i < w->n; i++) {
        bool divisible;
        const double things = things_of(&w->v[i], &divisible);
        ok = !w->v[i].lives || !divisible || in_rounds(c, w, &w->v[i], things, out);
    }
    return ok;
}
