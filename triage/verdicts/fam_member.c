/*
 * fam_member.c - a few goroutines of one kind hold up all that wait for that kind: one shard of eight is
 * slow, or one worker's queue is full while the others have nothing to do.
 *
 * It examines the waits at one place that goroutines of another kind end. That kind has several members,
 * which live for most of the trace. If its members are alike, each of them ends its part of the waiting
 * time. The verdict is told if few of them end most of it and are busy at least twice as long as the
 * others. Waits for more work do not count.
 */
#include "decode/base/mem.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/ways.h"

#include <stdlib.h>

enum { PLACES = 32, MEMBERS = 256, WAITERS = 64, STEPS = 8192, WAITS = 65536 };

struct member { /* one of those that others wait for */
    uint32_t g, n;
    int64_t ns, longest; /* of the waits that it ended */
    double busy;
};
struct kind {
    const struct causes *c;
    const struct works *w;
    uint32_t by, waiter, user, stack; /* groups; string: the place, and one stack there */
    enum wait_kind wait;
    struct member *v; /* those that ended most of the time first */
    uint32_t n, few;  /* few: of them have most of it */
    int64_t ns, few_ns, life;
    struct stretch *at; /* the waits that these few ended */
    size_t nat, cap;
    bool failed;
};

static int cmp_ns_most(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : (x->g > y->g) - (x->g < y->g);
}

static int cmp_busy(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->busy != y->busy ? (x->busy < y->busy ? -1 : 1) : (x->g > y->g) - (x->g < y->g);
}

static struct member *member_at(const struct kind *k, uint32_t n, uint32_t g)
{
    for (uint32_t i = 0; i < n; i++)
        if (k->v[i].g == g)
            return &k->v[i];
    return NULL;
}

/* Adds the waits of one goroutine there to the members that ended them; again: to k->at, if one of the few
 * did. */
static void waits_of(struct kind *k, uint32_t g, bool again)
{
    const uint32_t name = k->c->tg->groups[k->waiter].name;
    struct walk w;
    struct span s;
    const struct span *next = walk_first(&w, k->c->tr, g, STEPS);
    while (walk_pair(&w, &s, &next)) {
        if (s.state != ST_WAITING || !s.stack || !next || next->state != ST_RUNNABLE ||
            verdict_place(k->w, s.stack).user != k->user ||
            stacks_wait_kind(k->c->tr, s.reason, s.stack) != k->wait ||
            (k->wait != WK_SEND && waits_for_more(k->c->tr, name, s.reason, s.stack)))
            continue;
        struct member *m = member_at(k, again ? k->few : k->n, next->who);
        const int64_t ns = s.t1 - s.t0;
        if (m && again && k->nat < WAITS) {
            struct stretch *v = mem_grow(k->at, &k->cap, k->nat + 1, sizeof *v);
            k->failed |= !v;
            k->at = v ? v : k->at;
            if (v)
                v[k->nat++] = (struct stretch){s.t0, ns};
        } else if (m && !again) {
            m->n++;
            m->ns = ns_add(m->ns, ns);
            m->longest = ns > m->longest ? ns : m->longest;
            k->ns = ns_add(k->ns, ns);
        }
    }
}

static void all_waits(struct kind *k, bool again)
{
    const uint32_t n = k->c->of[k->waiter].n < WAITERS ? k->c->of[k->waiter].n : WAITERS;
    for (uint32_t i = 0; i < n && !k->failed && slices_tick(); i++) {
        const uint32_t g = causes_member(k->c, k->waiter, i, WAITERS);
        const struct lane_info li = trace_lane(k->c->tr, (struct lane){LANE_G, g});
        k->life = again ? k->life : ns_add(k->life, li.last - li.first);
        waits_of(k, g, again);
    }
}

/* Whether few members end most of the time. A member that ends a single wait may be late by chance. A full
 * queue is no chance: much was sent to it before. */
static bool few_end_most(struct kind *k)
{
    uint32_t n = 0;
    int64_t longest = 0;
    qsort(k->v, k->n, sizeof *k->v, cmp_ns_most);
    while (k->few < k->n && (double)k->few_ns < (1 - threshold(TH_ROOM)) * (double)k->ns) {
        const struct member *m = &k->v[k->few++];
        k->few_ns = ns_add(k->few_ns, m->ns);
        longest = m->longest > longest ? m->longest : longest;
        n += m->n;
    }
    const bool often = k->wait == WK_SEND ? n > 0 : n >= threshold(TH_MANY) && longest * 2 < k->few_ns;
    return often && k->few * 3 <= k->n && (double)k->few_ns >= threshold(TH_SHARE) * (double)k->life &&
           k->few_ns / n >= threshold_ns(TH_FELT);
}

/* Whether these few are busy for much longer than the others, most of which have nothing to do. *busy and
 * *others receive the shares of their lives. */
static bool others_rest(struct kind *k, double *busy, double *others)
{
    *busy = 1;
    for (uint32_t i = 0; i < k->n && slices_tick(); i++) {
        k->v[i].busy = busy_of(k->c, k->v[i].g);
        *busy = i < k->few && k->v[i].busy < *busy ? k->v[i].busy : *busy;
    }
    qsort(k->v + k->few, k->n - k->few, sizeof *k->v, cmp_busy);
    *others = k->v[k->few + (k->n - k->few) / 2].busy;
    return *others < threshold(TH_MOST) && *busy >= threshold(TH_DOUBLE) * *others;
}

/* The end of a node with most of its time. */
static uint32_t end_of(const struct work_tree *t, uint32_t node)
{
    while (t->v[node].first != NO_LANE) {
        uint32_t most = t->v[node].first;
        for (uint32_t i = most; i != NO_LANE; i = t->v[i].next)
            most = t->v[i].ns[TREE_ALL] + t->v[i].ns[TREE_SLOW] >
                           t->v[most].ns[TREE_ALL] + t->v[most].ns[TREE_SLOW]
                       ? i
                       : most;
        node = most;
    }
    return node;
}

/* Whether that node mostly waits for other goroutines of the program. Those are the ones to look at then. */
static bool waits_on(const struct work_tree *t, uint32_t node)
{
    int64_t ns = 0;
    for (uint32_t i = t->v[node].first; i != NO_LANE; i = t->v[i].next)
        ns = ns_add(ns, t->v[i].cat == EX_WAIT || t->v[i].cat == EX_QUEUED ? t->v[i].ns[TREE_ALL] : 0);
    return ns * 2 > t->v[node].ns[TREE_ALL];
}

/* Finds the work that waits there most, itself or through others, and what the few do meanwhile. Returns
 * false if they wait for others. */
static bool in_works(const struct kind *k, struct verdict *v)
{
    bool own = true;
    for (uint32_t i = 0; i < k->w->n; i++) {
        const struct work *w = &k->w->v[i];
        double all = 0, slow = 0;
        uint32_t best = 0;
        for (uint32_t j = 1; work_counts(w) && j < w->tree.n; j++) {
            const struct tree_node *n = &w->tree.v[j];
            if (n->cat != EX_WAIT || n->user != k->user || n->by >= k->c->tg->ng ||
                k->c->tg->group_of[n->by] != k->by)
                continue;
            all += tree_share(&w->tree, j, TREE_ALL);
            slow += w->standing ? 0 : tree_share(&w->tree, j, TREE_SLOW);
            best = !best || n->ns[TREE_ALL] > w->tree.v[best].ns[TREE_ALL] ? j : best;
        }
        const double more = all > slow ? all : slow;
        if (!best || more <= v->harm.share)
            continue;
        v->harm = (struct harm){.work = i, .all = all, .slow = slow, .share = more};
        const struct tree_node *end = &w->tree.v[end_of(&w->tree, best)];
        v->doing[0] = (struct did){.cat = end->cat,
                                   .kind = end->kind,
                                   .at = {end->leaf, end->user, end->stack, end->frame},
                                   .share = 1,
                                   .who = end->who,
                                   .g = end->g};
        v->ndoing = end->user ? 1 : 0;
        own = !waits_on(&w->tree, best);
    }
    return own;
}

static bool add(struct kind *k, double busy, double others, struct verdicts *out)
{
    const double share = (double)k->few_ns / (double)k->life;
    struct verdict v = verdict_new(k->wait == WK_SEND ? RULE_FULL : RULE_MEMBER, share);
    int64_t since, end;
    all_waits(k, true);
    if (k->failed || !k->nat)
        return !k->failed;
    verdict_when(k->at, k->nat, &since, &end);
    v.where = verdict_place(k->w, k->stack);
    v.waiter = (struct role){.group = k->c->tg->groups[k->waiter].name, .g = NO_LANE, .at = v.where};
    v.holder = (struct role){.group = k->c->tg->groups[k->by].name, .g = k->v[0].g};
    verdict_shows(&v, k->v[0].g, since, end);
    if (!in_works(k, &v))
        return true;
    if (k->wait == WK_SEND)
        v.ndoing = 0;
    v.level = v.harm.share >= threshold(TH_SEVERE) ? LEVEL_SEVERE : LEVEL_WARN;
    v.score = v.harm.share;
    verdict_ev(&v, EV_COUNT, k->n);
    verdict_ev(&v, EV_CROWDS, k->few);
    verdict_ev(&v, EV_SHARE, (double)k->few_ns / (double)k->ns);
    verdict_ev(&v, EV_BUSY, busy);
    verdict_ev(&v, EV_ROOM, others);
    if (since > k->c->tg->end / 10)
        verdict_ev(&v, EV_SINCE, (double)since);
    return verdict_add(out, &v);
}

static bool look(struct causes *c, const struct works *w, const struct pair_row *p, struct verdicts *out)
{
    struct kind k = {.c = c,
                     .w = w,
                     .by = causes_group(c, p->waker),
                     .waiter = causes_group(c, p->waiter),
                     .user = verdict_place(w, p->stack).user,
                     .stack = p->stack,
                     .wait = p->kind};
    k.n = c->of[k.by].n;
    double busy, others;
    k.v = mem_zalloc(k.n * sizeof *k.v);
    for (uint32_t i = 0; k.v && i < k.n; i++)
        k.v[i].g = causes_nth(c, k.by, i);
    if (k.v)
        all_waits(&k, false);
    const bool ok =
        k.v && (!few_end_most(&k) || !others_rest(&k, &busy, &others) || add(&k, busy, others, out));
    mem_free(k.v);
    mem_free(k.at);
    return ok;
}

/* Whether these waits are for goroutines of the program's own, several of which live for most of the
 * trace. */
static bool may(const struct causes *c, const struct works *w, const struct pair_row *p)
{
    const uint32_t by = causes_group(c, p->waker), waiter = causes_group(c, p->waiter);
    const uint32_t frames = p->waker_stack ? trace_stack(c->tr, p->waker_stack) : 0;
    const struct frame start = frames ? trace_frame(c->tr, p->waker_stack, frames - 1) : (struct frame){0};
    return !p->from_scheduler && wait_passes_on(p->kind) && p->stack && p->waker != p->waiter &&
           by != UINT32_MAX && waiter != UINT32_MAX && !c->tg->groups[waiter].is_system &&
           owner_of(w->own, &start) == OWNER_PROGRAM && c->of[by].n >= threshold(TH_SEVERAL) &&
           c->of[by].n <= MEMBERS && causes_at_once(c, by) * 2 >= (double)c->of[by].n &&
           (double)p->total >= threshold(TH_NOTED) * (double)c->tg->groups[waiter].ns[GM_LIFE];
}

bool fam_member(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct {
        uint32_t by, waiter, user;
    } asked[PLACES];
    uint32_t n = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < works_pairs(c) && n < PLACES; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!may(c, w, p))
            continue;
        const uint32_t user = verdict_place(w, p->stack).user;
        bool known = false;
        for (uint32_t j = 0; j < n && !known; j++)
            known = asked[j].by == p->waker && asked[j].waiter == p->waiter && asked[j].user == user;
        if (known)
            continue;
        asked[n].by = p->waker;
        asked[n].waiter = p->waiter;
        asked[n++].user = user;
        ok = look(c, w, p, out);
    }
    return ok;
}
