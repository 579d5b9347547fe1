/*
 * links.c - finds the waits that are links: other goroutines have what is waited for and could release it
 * sooner. That is a lock, one of a set, the one server, or the one of several that delays all.
 */
#include "decode/base/mem.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/ways.h"

#include <math.h>
#include <string.h>

/* ---- links --------------------------------------------------------------------------------------------- */

double busy_of(const struct causes *c, uint32_t g)
{
    const uint32_t name = c->tg->groups[c->tg->group_of[g]].name;
    int64_t rest = 0, seen = 0;
    each_walked(s, c->tr, g, BUSY_SPANS) {
        if (s->state == ST_WAITING && s->open_start) /* what for is not recorded */
            continue;
        const bool rests = s->state == ST_WAITING && waits_for_more(c->tr, name, s->reason, s->stack);
        seen = ns_add(seen, s->t1 - s->t0);
        rest = ns_add(rest, rests ? s->t1 - s->t0 : 0);
    }
    return seen > 0 ? (double)(seen - rest) / (double)seen : 0;
}

/* Finds how busy the busiest goroutine of a group is, and about how many are equally busy. */
struct served *served_of(struct follow *f, uint32_t group)
{
    struct served *v = &f->served[group];
    double busy[SERVERS];
    uint32_t n = 0;
    if (v->asked || !f->c->of[group].n)
        return v;
    v->asked = true;
    each_member(g, f->c, group, SERVERS) {
        busy[n] = busy_of(f->c, g);
        v->busy = busy[n] > v->busy ? busy[n] : v->busy;
        n++;
    }
    for (uint32_t i = 0; i < n; i++)
        v->n += busy[i] >= v->busy / 2;
    v->n *= n ? (double)f->c->of[group].n / n : 0;
    const double there = causes_at_once(f->c, group); /* short-lived goroutines do not all exist at once */
    v->n = v->n < there || there < 1 ? v->n : there;
    return v;
}

/* Whether goroutines of that group wait at that function, too: the one that ends a wait there returns what
 * it had taken. */
static bool waits_there(const struct follow *f, uint32_t group_name, uint32_t user)
{
    const struct pair_row *p = f->c->tg->pairs;
    return any_of(i, works_pairs(f->c), verdict_waits_at(f->all, &p[i], group_name, user));
}

/* Whether it is a library's semaphore, by name: one that is passed around. */
static bool semaphore(const struct follow *f, uint32_t leaf)
{
    const struct str s = trace_str(f->c->tr, leaf);
    return str_has(s, "emaphore") || str_has(s, ").Acquire");
}

/* Whether it is the remote end's time: a wait for it, or a system call that reads or writes what is there. */
static bool of_remote(const struct trace *tr, const struct tree_node *n)
{
    return explain_waits_outside(n->cat) ||
           (n->cat == EX_SYSCALL && n->stack && stacks_may(tr, n->stack, STACK_CONN));
}

/* Whether most of the time below n is in such nodes. */
static bool mostly(const struct follow *f, const struct tree_node *n,
                   bool is(const struct follow *, const struct tree_node *n, const struct tree_node *below))
{
    const struct tree_node *v = f->w->tree.v;
    int64_t such = 0, all = 0;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        const int64_t ns = tree_both(&v[k]);
        all = ns_add(all, ns);
        such = ns_add(such, is(f, n, &v[k]) ? ns : 0);
    }
    return such * 2 > all;
}

/* The goroutine that ends a link waited for the network or disk in a library: it passes answers on. */
static bool passes_on(const struct follow *f, const struct tree_node *n, const struct tree_node *below)
{
    (void)n;
    return (of_remote(f->c->tr, below) || below->cat == EX_TIMER) && below->owner != OWNER_PROGRAM;
}

/* Counts the others that wait there when the longest wait ends, and those that the same goroutine lets go at
 * that moment. */
struct let_go {
    uint32_t same, waited;
};

static struct let_go let_go(const struct follow *f, const struct tree_node *n)
{
    struct let_go l = {0, 0};
    each_member(g, f->c, causes_group(f->c, n->who), 64) {
        struct span before, s;
        const bool here = g != n->g && trace_span_at(f->c->tr, lane_g(g), n->t1 - TOGETHER, &before) &&
                          before.state == ST_WAITING && before.stack &&
                          stacks_wait_kind(f->c->tr, before.reason, before.stack) == n->kind &&
                          owner_func(f->all->own, before.stack) == n->user;
        l.waited += here;
        /* the span after the wait names the goroutine that ended it */
        l.same += here && trace_span_at(f->c->tr, lane_g(g), before.t1, &s) && s.who == n->by &&
                  before.t1 <= n->t1 + TOGETHER;
    }
    return l;
}

/* Whether that is an event for all: it ends most waits there. */
static bool for_all(const struct follow *f, const struct tree_node *n)
{
    const struct let_go l = let_go(f, n);
    return l.waited > 0 && l.same * 2 >= l.waited;
}

/* Counts a goroutine's waits at one place in a function that one of its group ended; finds who ended most
 * of them, and how many. */
struct ends {
    uint32_t n, by, same;
};

static struct ends ends_at(const struct follow *f, uint32_t g, const struct tree_node *n)
{
    const uint32_t own = trace_g_name(f->c->tr, g), by = trace_g_name(f->c->tr, n->by);
    struct by_name ended = {{0}, {0}};
    struct ends e = {.n = 0};
    uint32_t stack = 0;
    each_pair(s, next, f->c->tr, g, BUSY_SPANS) {
        const uint32_t who = next->state == ST_RUNNABLE ? trace_g_name(f->c->tr, next->who) : 0;
        const bool here = who && (who == own || who == by) && s->state == ST_WAITING && s->stack &&
                          (stack ? s->stack == stack
                                 : stacks_wait_kind(f->c->tr, s->reason, s->stack) == n->kind &&
                                       verdict_place(f->all, s->stack).user == n->user);
        if (here) {
            stack = s->stack;
            by_name_add(&ended, next->who + 1, 1);
            e.n++;
        }
    }
    e.same = (uint32_t)ended.ns[find_most(i, 8, ended.ns[i])];
    e.by = by_name_most(&ended) - 1;
    return e;
}

/* Whether goroutines of one group end each other's waits at one function. A slot that is passed around
 * returns: the goroutine that ends a wait there has waited there itself, or found a slot free. Different
 * goroutines end the waits of one; in a pipeline or a ring one predecessor ends them all. A goroutine that
 * waits for parts of its work created them. */
static bool of_set(const struct follow *f, const struct tree_node *n)
{
    enum { STEPS = 12, OFTEN = 3, LEAST_WAITS = 8 };
    uint32_t g = n->g, often = 0, varied = 0;
    if (n->n[TREE_ALL] + n->n[TREE_SLOW] < LEAST_WAITS)
        return false; /* too few to tell */
    for (int i = 0; i < STEPS && (i == 0 || g != n->g); i++) {
        const struct ends e = ends_at(f, g, n);
        if (e.n == 0) { /* the first one found a free slot */
            return (trace_g_name(f->c->tr, g) == n->who ||
                    waits_there(f, trace_g_name(f->c->tr, g), n->user)) &&
                   varied * 2 >= often;
        }
        if (trace_lane_who(f->c->tr, lane_g(e.by)).creator == g && e.same < OFTEN)
            return false;
        often += e.n >= OFTEN;
        varied += e.n >= OFTEN && (e.same < e.n || ends_at(f, e.by, n).by == g);
        g = e.by;
    }
    return n->kind == WK_SEND ||
           varied * 2 >= often; /* who all wait for room in a ring would wait for good */
}

/* Sums the time below a node by what it ends in: sleeps, waits for the outside, all. */
struct pace {
    int64_t sleeps, outside, all;
};

static void pace_of(const struct trace *tr, const struct tree_node *v, uint32_t node, int depth,
                    struct pace *out)
{
    for (uint32_t k = v[node].first; k != NO_LANE; k = v[k].next) {
        int64_t own = tree_both(&v[k]);
        out->all = depth ? out->all : ns_add(out->all, own);
        for (uint32_t j = v[k].first; j != NO_LANE; j = v[j].next)
            own -= tree_both(&v[j]);
        out->sleeps = ns_add(out->sleeps, v[k].cat == EX_TIMER ? own : 0);
        out->outside = ns_add(out->outside, of_remote(tr, &v[k]) ? own : 0);
        if (depth < DEEP)
            pace_of(tr, v, k, depth + 1, out);
    }
}

/* Whether the goroutine waited for sleeps a good part of that time, or mostly waits for the outside, itself
 * or through others, where it asks for nothing, and hardly for its waiters. It then delivers at its own pace,
 * or as input arrives: the waiters are idle. */
static bool paces(const struct follow *f, const struct tree_node *n, uint32_t by)
{
    struct pace to = {0, 0, 0};
    pace_of(f->c->tr, f->w->tree.v, (uint32_t)(n - f->w->tree.v), 0, &to);
    const bool paced = n->kind != WK_SEND && ((double)to.sleeps > threshold(TH_ROOM) * (double)to.all ||
                                              (to.outside * 2 > to.all && !calls_asks(f->c, n->by)));
    const uint32_t group = causes_group(f->c, by);
    const int64_t back = sum_over(
        p, f->c->tg->pairs, works_pairs(f->c), /* it waits for its waiters */
        p->waiter == by && p->waker == n->who && p->kind != WK_SEND && wait_passes_on(p->kind) ? p->total
                                                                                               : 0);
    return paced && (double)back < threshold(TH_SHARE) * (double)f->c->tg->groups[group].ns[GM_LIFE];
}

/* Who releases stands there itself until a timer fires: if that is most of it, nothing is held. */
static bool idles(const struct follow *f, const struct tree_node *n, const struct tree_node *below)
{
    (void)f;
    return below->cat == EX_TIMER && below->kind == n->kind && below->user == n->user;
}

/* Whether more goroutines on average wait at that function for a group, or to send to it, than it has
 * members. If not, each is served at once and its wait is the service time. */
static bool queued(struct follow *f, const struct tree_node *n, uint32_t group)
{
    const struct group *l = &f->c->tg->groups[group];
    int64_t ns = 0;
    each_of(p, f->c->tg->pairs, works_pairs(f->c)) {
        const bool here = p->stack && verdict_place(f->all, p->stack).user == n->user;
        if (!p->from_scheduler && causes_group(f->c, p->waker) == group && (here || p->kind == WK_SEND))
            ns = ns_add(ns, p->total);
    }
    const double at_once = l->last > l->first ? (double)ns / (double)(l->last - l->first) : 0;
    const double serve = served_of(f, group)->n;
    return at_once >= threshold(TH_QUEUE) * (serve > 1 ? serve : 1);
}

/* Whether some who end these waits come by a function by which others come to wait there: a slot is passed on
 * among those that want one. Who comes another way only brings news. */
static bool same_way(const struct follow *f, const struct tree_node *n)
{
    const struct pair_row *const p = f->c->tg->pairs;
    const uint32_t all = works_pairs(f->c);
    for (uint32_t i = 0; i < all; i++) {
        if (!verdict_waits_at(f->all, &p[i], n->who, n->user))
            continue;
        const uint32_t by = p[i].waker_stack ? owner_root(f->all->own, p[i].waker_stack) : 0;
        if (!p[i].waker_stack || (by && any_of(j, all,
                                               p[j].stack && owner_func(f->all->own, p[j].stack) == n->user &&
                                                   owner_root(f->all->own, p[j].stack) == by)))
            return true;
    }
    return false;
}

/* Whether goroutines of the waiter's kind end some of these waits: what they wait for is passed on among
 * them, though others pass on most of it. An answer to one of them never comes from another one. */
static bool among_them(const struct follow *f, const struct tree_node *n)
{
    const int64_t own = sum_over(p, f->c->tg->pairs, works_pairs(f->c),
                                 p->waker == n->who && wait_passes_on(p->kind) &&
                                         verdict_waits_at(f->all, p, n->who, n->user) &&
                                         verdict_place(f->all, p->stack).leaf == n->leaf
                                     ? (int64_t)p->count
                                     : 0);
    return (double)own >= threshold(TH_MANY);
}

/* Whether most others of that group wait for more to do while one of them has no room: each has a queue of
 * its own, and the one who fills them all waits for one that is full. */
static bool others_rest(const struct follow *f, const struct tree_node *n, uint32_t group)
{
    uint32_t others = 0, rest = 0;
    const uint32_t own = causes_group(f->c, n->who);
    const bool fills = n->kind == WK_SEND && own != UINT32_MAX && f->c->of[own].n == 1;
    each_member(g, f->c, fills ? group : UINT32_MAX, SERVERS) {
        struct span s;
        const bool there = g != n->by && trace_span_at(f->c->tr, lane_g(g), n->t0 + (n->t1 - n->t0) / 2, &s);
        others += there;
        rest += there && s.state == ST_WAITING &&
                waits_for_more(f->c->tr, trace_g_name(f->c->tr, g), s.reason, s.stack);
    }
    return others >= threshold(TH_SEVERAL) && rest * 2 > others;
}

/* Returns the kind of link a wait is. */
static enum family link_kind(struct follow *f, const struct tree_node *n, struct link_memo *m)
{
    /* nobody holds it: the goroutine that takes it is busy with others */
    if (n->cat == EX_QUEUED && n->first != NO_LANE) {
        const uint32_t taker = causes_group(f->c, n->who);
        return taker != UINT32_MAX && round(served_of(f, taker)->n) <= 1 ? FAM_SERVER : FAM_SET;
    }
    if (n->cat != EX_WAIT || n->first == NO_LANE || verdict_by_timer(f->c->tr, n->by))
        return FAM_NONE;
    if (n->kind == WK_LOCK)
        return FAM_LOCK;
    if (n->up != 0 && waits_for_more(f->c->tr, n->who, n->reason, n->stack))
        return FAM_NONE; /* it has nothing to do */
    const uint32_t by = trace_g_name(f->c->tr, n->by), g = causes_group(f->c, by);
    if (n->kind == WK_WAITGROUP && by == n->who && trace_lane_who(f->c->tr, lane_g(n->by)).creator != n->g)
        return FAM_SLOW_ONE; /* for what another goroutine of the group does for all (a flight) */
    if (!wait_passes_on((enum wait_kind)n->kind) || g == UINT32_MAX)
        return FAM_NONE;
    if (n->kind == WK_SEND && round(causes_at_once(f->c, g)) <= 1 && f->c->of[g].n >= threshold(TH_SEVERAL) &&
        n->n[TREE_ALL] <= 2 * f->c->of[g].n && trace_lane_who(f->c->tr, lane_g(n->by)).creator == n->g)
        return FAM_SET; /* it waits for room to start the next of them, and there is room for one */
    const bool taken = semaphore(f, n->leaf);
    if (verdict_conn_back(f->c, n))
        return FAM_SET;
    if (taken && n->owner != OWNER_PROGRAM && n->up && f->w->tree.v[n->up].user == n->let_go)
        return FAM_SET; /* a goroutine of the library waits for it, for one that gives it back itself */
    if (taken && n->let_go != n->user)
        return FAM_LOCK; /* others take it, too, in another function, and perhaps the whole of it */
    if (by == n->who && !taken && for_all(f, n) && !mostly(f, n, passes_on))
        return FAM_SLOW_ONE; /* as a flight */
    if (taken || by == n->who || waits_there(f, by, n->user)) {
        /* who returns one of a set lets one go; who did something for a batch lets the batch go */
        const bool batch = !taken && let_go(f, n).same + 1 >= threshold(TH_SEVERAL);
        m->news = !same_way(f, n);
        return batch || m->news || !of_set(f, n) || mostly(f, n, idles) ? FAM_NONE : FAM_SET;
    }
    if (among_them(f, n)) {
        m->news = !same_way(f, n);
        return m->news ? FAM_NONE : FAM_SET;
    }
    if (others_rest(f, n, g))
        return FAM_SERVER;
    if (for_all(f, n) || served_of(f, g)->busy < threshold(TH_BUSY) || mostly(f, n, passes_on) ||
        paces(f, n, by) || f->c->tg->groups[g].is_system)
        return FAM_NONE;
    m->queue = !queued(f, n, g);
    return round(served_of(f, g)->n) <= 1 ? FAM_SERVER : FAM_SET;
}

/* inside: within another link. Few may queue for the goroutine waited for, because the queue is for the
 * waiter. Each node is classified once. */
enum family link_of(struct follow *f, uint32_t node, bool inside)
{
    struct link_memo *m = &f->memo[node];
    if (!m->asked) {
        const struct work_tree *t = &f->w->tree;
        const bool large = tree_share(t, node, TREE_ALL) >= threshold(TH_NOTED) ||
                           tree_share(t, node, TREE_SLOW) >= threshold(TH_NOTED);
        m->family = (uint8_t)(large ? link_kind(f, &t->v[node], m) : FAM_NONE);
        m->asked = true;
    }
    return m->queue && !inside ? FAM_NONE : (enum family)m->family;
}

enum family link_at(struct causes *c, const struct works *all, const struct work *w, uint32_t node)
{
    struct follow f = {.c = c, .all = all, .w = w};
    f.served = mem_zalloc(((size_t)c->tg->ngroups + 1) * sizeof *f.served);
    f.memo = mem_zalloc(((size_t)w->tree.n + 1) * sizeof *f.memo);
    const enum family l = f.served && f.memo ? link_of(&f, node, false) : FAM_NONE;
    mem_free(f.served);
    mem_free(f.memo);
    return l;
}

/* Whether the program closes a channel there. A trace names the runtime's function that sends or receives,
 * but none for a close. */
static bool closes(const struct works *w, uint32_t stack)
{
    return owner_root(w->own, stack) &&
           !str_starts(trace_str(w->tr, trace_frame(w->tr, stack, 0).func), "runtime.");
}

bool link_news(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct pair_row *const q = c->tg->pairs;
    uint64_t ended = 0, news = 0;
    each_of(p, q, works_pairs(c)) {
        if (!verdict_waits_at(all, p, v->waiter.group, v->where.user) ||
            verdict_by_timer(c->tr, p->longest_waker))
            continue;
        const bool asked = p->waker != p->waiter &&
                           any_of(i, works_pairs(c), q[i].waiter == p->waker && q[i].waker == p->waiter);
        ended += p->count;
        news += !asked && closes(all, p->waker_stack) ? p->count : 0;
    }
    return news > 0 && (double)news >= (1 - threshold(TH_SHARE)) * (double)ended;
}
