/*
 * fam_stampede.c - what is kept gets old, and all who find it so make it anew. Seen from outside: most pieces
 * of a work pass by a place; but again and again many that come after one another go there: more than pass,
 * and half of them are there at once.
 *
 * By chance no row of pieces goes where few go. A client that sends many such pieces in a row asks nothing
 * else: in a stampede those go there that pass at other times. Where goroutines have one piece each, no more
 * come than otherwise. What takes long for all (a lock, a stop) has none that pass.
 */
#include <math.h>
#include <stdlib.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/ways.h"

enum { MOST = 40000, PIECE_STEPS = 200, LEAST_CROWDS = 2 };

struct turn { /* one that goes there, or passes */
    int64_t t0, t1;
    uint32_t g;
    bool goes;
};
struct turns {
    struct turn *v; /* by t0 */
    size_t n, cap;
    uint32_t goers[2]; /* that go there, of goroutines that mostly pass; that mostly go there */
    bool failed;
};
struct stampede {
    uint32_t crowds, n, most; /* n: went there in crowds; most: at once */
    uint32_t came;            /* in the windows in which the crowds came */
    int64_t window;           /* ns, summed: of the windows */
    int64_t each, all;        /* ns, summed: of those in crowds, of all that went there */
    double first;             /* `each`, if all had taken as long as the first of their crowd to be done */
    struct turn example;
};

static void turn_add(struct turns *k, const struct workpiece *p, bool goes)
{
    if (k->n == MOST)
        return;
    if (mem_room(k->v, k->cap, k->n + 1))
        k->v[k->n++] = (struct turn){p->t0, p->t1, p->g, goes};
    else
        k->failed = true;
}

ORDER(cmp_turn, struct turn, LEAST(r->t0) LEAST(r->t1))

ORDER(cmp_goroutine, struct turn, LEAST(r->g) LEAST(r->t0) LEAST(r->t1))

/* Sorts the turns by time, and counts those that go there by what their goroutines do otherwise. */
static void sort_turns(struct turns *k)
{
    sort(k->v, k->n, cmp_goroutine);
    for (size_t i = 0, end; i < k->n; i = end) {
        uint32_t go = 0;
        for (end = i; end < k->n && k->v[end].g == k->v[i].g; end++)
            go += k->v[end].goes;
        k->goers[go * 2 > end - i] += end - i > 1 ? go : 0;
    }
    sort(k->v, k->n, cmp_turn);
}

/* Does it go there itself: wait there, or run for much longer than a usual one takes? Who waits for one that
 * does, does not. */
static bool goes(const struct causes *c, const struct works *all, const struct work *w,
                 const struct workpiece *p, const struct tree_node *at)
{
    if (at->cat == EX_RUN || at->cat == EX_RUNNABLE) {
        struct shares of;
        trace_shares(c->tr, lane_g(p->g), p->t0, p->t1, &of);
        return (double)of.ns[ST_RUNNING] >= threshold(TH_TAIL) * (double)w->d.p50;
    }
    each_between(s, c->tr, p->g, p->t0, p->t1, PIECE_STEPS)
        if ((s->state == ST_WAITING || s->state == ST_SYSCALL) && s->stack &&
            verdict_place(all, s->stack).user == at->user)
            return true;
    return false;
}

/* Pieces much longer than usual may go there; the others pass. */
static void pieces(const struct causes *c, const struct works *all, const struct work *w,
                   const struct tree_node *at, struct turns *out)
{
    const double usual = (double)w->d.p50;
    for (uint32_t i = 0; i < w->looked && !out->failed && slices_tick(); i++) {
        const struct workpiece *p = &w->v[i];
        const double ns = (double)(p->t1 - p->t0);
        turn_add(out, p,
                 ns >= threshold(TH_TAIL) * usual && ns - usual >= (double)threshold_ns(TH_FELT) &&
                     goes(c, all, w, p, at));
    }
}

/* How many of them are there at once. ends: when each is done, sorted. */
static uint32_t most_at_once(const struct turns *k, size_t from, size_t to, const int64_t *ends)
{
    uint32_t begun = 0, over = 0, most = 0;
    for (size_t j = from; j < to; j++) {
        begun += k->v[j].goes;
        while (over < begun && ends[over] <= k->v[j].t0)
            over++;
        most = begun - over > most ? begun - over : most;
    }
    return most;
}

/* Counts a crowd: the turns of that window, if half of those that go are there at once. ends: room. */
static void crowd_add(const struct turns *k, size_t from, size_t to, int64_t *ends, struct stampede *s)
{
    struct turn all = {.t0 = k->v[from].t0, .g = k->v[from].g};
    int64_t ns = 0, done = INT64_MAX, first = 0;
    uint32_t n = 0;
    for (size_t j = from; j < to; j++) {
        const struct turn *t = &k->v[j];
        if (!t->goes)
            continue;
        ns = ns_add(ns, t->t1 - t->t0);
        first = t->t1 < done ? t->t1 - t->t0 : first;
        done = t->t1 < done ? t->t1 : done;
        all.t1 = t->t1 > all.t1 ? t->t1 : all.t1;
        ends[n++] = t->t1;
    }
    sort(ends, n, cmp_ns);
    const uint32_t most = most_at_once(k, from, to, ends);
    if (most * 2 < n)
        return;
    s->crowds++;
    s->n += n;
    s->came += (uint32_t)(to - from);
    s->window = ns_add(s->window, k->v[to - 1].t0 - all.t0);
    s->first += (double)first * n;
    s->each = ns_add(s->each, ns);
    s->example = most > s->most ? all : s->example;
    s->most = most > s->most ? most : s->most;
}

/* Of the turns by time, so many more go than pass in a window that chance makes one in a trace of twenty. */
static double by_chance(const struct turns *k, uint32_t go)
{
    const double pass = (double)k->n - go;
    const double more =
        go && pass > go ? log((double)k->n / threshold(TH_NOTED)) / log(pass / go) : (double)k->n;
    return more > threshold(TH_SEVERAL) ? more : threshold(TH_SEVERAL);
}

/* Finds the windows in which more go than pass, and most so. */
static bool stampede_of(const struct turns *k, struct stampede *s)
{
    *s = (struct stampede){.all = sum_over(t, k->v, k->n, t->goes ? t->t1 - t->t0 : 0)};
    int64_t *ends = mem_alloc((k->n + 1) * sizeof *ends);
    const double least = by_chance(k, (uint32_t)sum_over(t, k->v, k->n, t->goes));
    for (size_t i = 0, end; ends && i < k->n; i = end) {
        int more = 0, most = 0; /* go than pass */
        size_t to = i;
        end = i + 1;
        for (size_t j = i; j < k->n && more >= 0; j++) {
            more += k->v[j].goes ? 1 : -1;
            to = more > most ? j + 1 : to;
            most = more > most ? more : most;
        }
        if (most >= least) {
            crowd_add(k, i, to, ends, s);
            end = to;
        }
    }
    mem_free(ends);
    return ends != NULL;
}

/* Do those go there that pass at other times, or do no more come than otherwise? */
static bool are_usual(const struct turns *k, const struct stampede *s)
{
    const uint32_t known = k->goers[0] + k->goers[1];
    if (known >= s->n)
        return k->goers[0] > k->goers[1];
    const int64_t else_ns = k->v[k->n - 1].t0 - k->v[0].t0 - s->window;
    const double rate = else_ns > 0 ? ((double)k->n - s->came) / (double)else_ns : 0;
    return s->came - s->crowds <= threshold(TH_DOUBLE) * rate * (double)s->window + s->crowds;
}

/* Is that so again and again, and takes a part of the time of those that go there? */
static bool is_stampede(const struct turns *k, const struct stampede *s)
{
    return s->crowds >= LEAST_CROWDS && (double)s->each >= threshold(TH_ROOM) * (double)s->all &&
           are_usual(k, s);
}

/* What takes most of the slow pieces' time and what hardly any of the usual
 * ones do; NO_LANE: nothing takes a good part of it that they do themselves, or have another one do for
 * them. */
static uint32_t place_of(struct causes *c, const struct works *all, const struct work *w)
{
    const struct work_tree *t = &w->tree;
    uint32_t best = NO_LANE;
    for (uint32_t k = t->v[0].first; k != NO_LANE; k = t->v[k].next) {
        const struct tree_node *n = &t->v[k];
        if (tree_share(t, k, TREE_SLOW) < threshold(TH_SHARE) ||
            n->pieces[TREE_USUAL] * 2 >= t->pieces[TREE_USUAL] ||
            (best != NO_LANE && n->ns[TREE_SLOW] <= t->v[best].ns[TREE_SLOW]))
            continue;
        /* runnable where the usual ones are not: it runs there, as far as the crowd lets it */
        const bool load = explain_waits_outside(n->cat) || n->cat == EX_SYSCALL || n->cat == EX_RUN ||
                          (n->cat == EX_RUNNABLE && n->owner == OWNER_PROGRAM);
        const bool does =
            load && !(n->stack && causes_writes(c->tr, n->stack)); /* what is kept is no write */
        const bool asks = n->cat == EX_WAIT && n->by != NO_LANE && n->owner >= OWNER_LIBRARY &&
                          wait_passes_on((enum wait_kind)n->kind) &&
                          (trace_g_name(c->tr, n->by) != n->who || link_at(c, all, w, k) == FAM_SET);
        best = does || asks ? k : best;
    }
    return best;
}

/* Do they keep each other up: does it take much longer than for the one that is done first, or do more run
 * than there are processors? Else they may do different things. */
static bool keeps_up(const struct causes *c, const struct tree_node *n, const struct stampede *s)
{
    return (double)s->each >= threshold(TH_STAMPEDE) * s->first ||
           ((n->cat == EX_RUN || n->cat == EX_RUNNABLE) && s->most > c->procs);
}

bool fam_stampede(struct causes *c, const struct works *all, uint32_t work, struct verdicts *out)
{
    const struct work *w = &all->v[work];
    const bool may = work_counts(w) && w->tree.n && !w->standing;
    const uint32_t at = may ? place_of(c, all, w) : NO_LANE;
    struct turns k = {0};
    struct stampede s;
    if (at == NO_LANE)
        return true;
    const struct tree_node *n = &w->tree.v[at];
    pieces(c, all, w, n, &k);
    sort_turns(&k);
    bool ok = !k.failed && stampede_of(&k, &s);
    if (ok && k.n && is_stampede(&k, &s) && keeps_up(c, n, &s)) {
        struct verdict v = verdict_new(RULE_STAMPEDE, 0, node_site(n));
        v.waiter = (struct role){.group = n->who, .g = n->g, .at = v.where};
        v.doing[v.ndoing++] = (struct did){.cat = n->cat, .kind = n->kind, .at = v.where, .share = 1};
        verdict_shows(&v, n->g, s.example.t0, s.example.t1);
        v.sure = SURE_INFERRED;
        v.harm = (struct harm){.work = work};
        verdict_share_at(&w->tree, n->user, 0, &v.harm);
        verdict_ev(&v, EV_CROWD, s.most);
        verdict_ev(&v, EV_COUNT, s.n);
        verdict_ev(&v, EV_CROWDS, s.crowds);
        verdict_ev(&v, EV_EACH, (double)s.each / s.n);
        verdict_ev(&v, EV_FIRST, s.first / s.n);
        ok = verdict_add(out, &v);
    }
    mem_free(k.v);
    return ok;
}
