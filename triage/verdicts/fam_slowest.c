/*
 * fam_slowest.c - who starts several goroutines and waits for all is as slow as the slowest: a row of waits
 * for a WaitGroup (or for as many answers), during most of which only one of those that it started is left.
 * If they do different things and the same one is last each time, that one is told.
 */
#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/verdict.h"

enum { WAITS = 64, STEPS = 4000, BRIEF = 64, MEMBERS = 2000, LANES = 50000, SEEN = 64 };

struct last { /* where the last one waits longest, and where the one before it does; lines: verdict_lines() */
    uint32_t stack, lines, before, before_lines;
};
struct lots {   /* of one who waits */
    uint32_t n; /* waits looked at */
    bool mixed;
    double started, alone; /* goroutines, summed; ns with one left */
    double waited;
    struct last last[WAITS];
};

/*
 * What one goroutine waits for: the lives of those that it started, whatever they are for (a helper may begin
 * them all in one function); or, where they stand ready for more, the pieces that they do.
 */
struct parts {
    struct lifetime v[MEMBERS];
    uint32_t g[MEMBERS];
    uint32_t n;
    bool mixed; /* of several groups: each does something else */
};

/* Are they of several groups, not one and a few others that it starts beside? */
static bool is_mixed(const struct causes *c, const struct parts *p)
{
    struct by_name of = {{0}, {0}};
    for (uint32_t i = 0; i < p->n; i++)
        by_name_add(&of, trace_g_name(c->tr, p->g[i]), 1);
    return (double)of.ns[find_most(i, 8, of.ns[i])] < (1 - threshold(TH_SHARE)) * p->n;
}

static void parts_of(const struct causes *c, const struct works *w, uint32_t g, struct parts *out)
{
    const uint32_t end = c->tg->ng - g < LANES ? c->tg->ng : g + LANES;
    out->n = 0;
    for (uint32_t m = g + 1; m < end && out->n < MEMBERS && slices_tick(); m++) {
        const struct lane_info li = trace_lane_who(c->tr, lane_g(m));
        if (li.creator != g || !li.created || !li.ended ||
            (li.create_stack && !verdict_own(w, verdict_place(w, li.create_stack))))
            continue; /* or by a library on its own account */
        trace_lives(c->tr, LANE_G, m, 1, &out->v[out->n]);
        out->g[out->n++] = m;
    }
    out->mixed = is_mixed(c, out);
}

static void pieces_of(const struct works *w, uint32_t group, struct parts *out)
{
    *out = (struct parts){.n = 0};
    each_of(k, w->v, w->n) {
        for (uint32_t j = 0;
             k->kind == WORK_ITEMS && !k->single && k->group == group && j < k->looked && out->n < MEMBERS;
             j++) {
            out->g[out->n] = k->v[j].g;
            out->v[out->n++] = (struct lifetime){.first = k->v[j].t0, .last = k->v[j].t1, .over = true};
        }
    }
}

/* The stack of the longest wait of g in [t0,t1). */
static uint32_t waits_at(const struct causes *c, uint32_t g, int64_t t0, int64_t t1)
{
    uint32_t stack = 0;
    int64_t longest = 0;
    each_between(s, c->tr, g, t0, t1, BRIEF) {
        if (s->state == ST_WAITING && s->stack && s->t1 - s->t0 > longest) {
            longest = s->t1 - s->t0;
            stack = s->stack;
        }
    }
    return stack;
}

/* Of those that were there in [t0,t1): when the last but one of them ended. */
static void lot_of(const struct causes *c, const struct works *w, const struct parts *p, int64_t t0,
                   int64_t t1, struct lots *l)
{
    int64_t last = INT64_MIN, before = INT64_MIN;
    uint32_t n = 0, g = NO_LANE, other = NO_LANE; /* whose is the last, and the one before */
    uint32_t seen[SEEN];
    for (uint32_t i = 0; i < p->n; i++) {
        const struct lifetime *life = &p->v[i];
        if (life->last <= t0 || life->last > t1 + 1000000 || life->first >= t1)
            continue;
        /* one goroutine does its pieces one after the other */
        const bool known = any_of(k, n < SEEN ? n : SEEN, seen[k] == p->g[i]);
        if (!known && n < SEEN)
            seen[n] = p->g[i];
        n += !known;
        if (life->last > last) {
            before = p->g[i] == g ? before : last;
            other = p->g[i] == g ? other : g;
            g = p->g[i];
            last = life->last;
        } else if (p->g[i] != g && life->last > before) {
            before = life->last;
            other = p->g[i];
        }
    }
    if (n < threshold(TH_SEVERAL))
        return;
    const uint32_t stack = waits_at(c, g, t0, t1);
    if (stack && !verdict_own(w, verdict_place(w, stack)))
        return; /* a library began it for itself */
    const uint32_t with = other != NO_LANE ? waits_at(c, other, t0, t1) : 0;
    l->last[l->n] =
        (struct last){stack, stack ? verdict_lines(w, stack) : 0, with, with ? verdict_lines(w, with) : 0};
    before = before > t0 ? before : t0;
    l->n++;
    l->started += n;
    l->alone += before < t1 ? (double)(t1 - before) : 0;
    l->waited += (double)(t1 - t0);
}

/* Whether one of them is still there at t, when `by` has ended a wait for them. */
static bool others_left(const struct parts *p, int64_t t, uint32_t by)
{
    return any_of(i, p->n, p->v[i].first < t && p->v[i].last > t && p->g[i] != by);
}

static struct lots lots_of(const struct causes *c, const struct works *w, const struct tree_node *n)
{
    struct lots l = {0};
    struct parts *p = mem_alloc(sizeof *p);
    if (!p)
        return l;
    parts_of(c, w, n->g, p);
    if (!p->n)
        pieces_of(w, causes_group_of(c, n->by), p);
    int64_t since = NO_TIME; /* of a row of waits there, one for each answer */
    each_pair(s, next, c->tr, n->g, STEPS) {
        if (!p->n || l.n == WAITS)
            break;
        if (s->state != ST_WAITING || !s->stack || s->open_end)
            continue;
        const bool there = owner_func(w->own, s->stack) == n->user;
        since = !there ? NO_TIME : since == NO_TIME ? s->t0 : since;
        if (there && !others_left(p, s->t1, next->who)) {
            lot_of(c, w, p, since, s->t1, &l);
            since = NO_TIME;
        }
    }
    l.mixed = p->mixed;
    mem_free(p);
    return l;
}

/* The end of a node with most of its time; *own: the last on the way to it at which the program's own
 * function stands. */
static const struct tree_node *end_of(const struct work_tree *t, const struct tree_node *n,
                                      const struct tree_node **own)
{
    *own = NULL;
    while (n->first != NO_LANE) {
        n = &t->v[n->first];
        *own = n->owner == OWNER_PROGRAM || !*own ? n : *own;
    }
    *own = *own ? *own : n;
    return n;
}

/* Main waits for the end: what it waits for matters if these goroutines do work that counts,
 * in rounds. */
static bool joins_work(const struct causes *c, const struct works *w, uint32_t by)
{
    const uint32_t group = causes_group_of(c, by);
    return group != UINT32_MAX && any_of(i, w->n, work_counts(&w->v[i]) && w->v[i].group == group);
}

/* For what share of the wait only one of n is left by chance, if none is slower than the others: their
 * durations are exponentially distributed, and the last one takes 1/1 of 1/1 + 1/2 + .. + 1/n. */
static double by_chance(double n)
{
    double sum = 0;
    for (int i = 1; i <= n; i++)
        sum += 1.0 / i;
    return sum > 0 ? 1 / sum : 1;
}

/* Whether it waits for goroutines that it started: for all of them, or for the answer of one after the
 * other. */
static bool gathers(const struct causes *c, const struct tree_node *n)
{
    return n->kind == WK_WAITGROUP ||
           (n->kind == WK_RECV && trace_g_name(c->tr, trace_lane(c->tr, lane_g(n->by)).creator) == n->who);
}

/* How often the last one stands at the same lines and the one before it does not: the most there are of one
 * kind. *at receives an example. */
static uint32_t same_last(const struct lots *l, struct last *at)
{
    uint32_t most = 0;
    each_of(a, l->last, l->n) {
        uint32_t same = 0;
        each_of(b, l->last, l->n) {
            same += a->before && a->before_lines != a->lines && b->lines == a->lines && b->before &&
                    b->before_lines != a->lines;
        }
        if (same > most) {
            most = same;
            *at = *a;
        }
    }
    return most;
}

/* The innermost function of the program in the last one's stack that the other one is not in. */
static struct site own_part(const struct works *w, const struct last *at)
{
    struct site p = verdict_place(w, at->stack);
    for (uint32_t i = p.frame, n = trace_stack(w->tr, at->stack); i < n; i++) {
        const struct frame f = trace_frame(w->tr, at->stack, i);
        if (owner_of(w->own, &f) == OWNER_PROGRAM && !stacks_passes(w->tr, at->before, f.func)) {
            p.user = f.func;
            p.frame = i;
            break;
        }
    }
    return p;
}

bool fam_slowest(struct causes *c, const struct works *w, uint32_t work, uint32_t node, struct verdicts *out)
{
    const struct work *k = &w->v[work];
    const struct tree_node *n = &k->tree.v[node], *own, *end;
    const double share = tree_share(&k->tree, node, TREE_ALL);
    if (!(work_counts(k) || k->kind == WORK_MAIN) || n->cat != EX_WAIT || n->first == NO_LANE ||
        n->by == NO_LANE || share < threshold(TH_SLOWEST_PART) || !gathers(c, n))
        return true;
    const struct lots l = lots_of(c, w, n);
    const bool rounds = l.n >= threshold(TH_SEVERAL);
    struct last at = {0};
    const uint32_t times = same_last(&l, &at);
    const bool same = l.n >= threshold(TH_MANY) && times >= (1 - threshold(TH_ROOM)) * l.n &&
                      l.alone >= threshold(TH_SHARE) * l.waited;
    if (l.n == 0 || (!work_counts(k) && !(rounds && joins_work(c, w, n->by))) ||
        (!same && l.alone < threshold(TH_SLOWEST_ALONE) * l.waited) ||
        (!rounds && c->idle < threshold(TH_ROOM) * c->procs))
        return true;
    struct verdict v = verdict_new(same ? RULE_LAST : RULE_SLOWEST, share * l.alone / l.waited, node_site(n));
    v.harm.of_work = work;
    v.waiter.group = trace_g_name(c->tr, n->by);
    v.holder.g = n->by;
    verdict_shows(&v, n->g, n->t0, n->t1);
    end = end_of(&k->tree, n, &own);
    v.doing[v.ndoing++] = (struct did){.cat = end->cat,
                                       .kind = end->kind,
                                       .ran = (uint8_t)ran_how(&end->ran),
                                       .at = {end->leaf, own->user, own->stack, own->frame},
                                       .share = 1};
    verdict_ev(&v, EV_COUNT, l.started / l.n);
    verdict_ev(&v, EV_SHARE, l.alone / l.waited);
    if (same) {
        v.holder = (struct role){.group = v.waiter.group, .g = n->by, .at = own_part(w, &at)};
        verdict_ev(&v, EV_BUSY, (double)times / l.n);
    }
    const double least = same ? threshold(TH_SLOWEST_ALONE) : by_chance(l.started / l.n);
    v.level = rounds && !l.mixed && l.alone >= least * l.waited ? LEVEL_WARN : LEVEL_NOTE;
    return verdict_add(out, &v);
}
