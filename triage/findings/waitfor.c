/* waitfor.c - see waitfor.h. */
#include "triage/sentence.h"
#include "triage/findings/waitfor.h"
#include "triage/findings/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/causes.h"

#define NODES 64 /* of knots */
#define ENDS 16  /* number of groups that are followed to the end of their waits */

static struct waitfor_edge *edge_of(struct waitfor *w, uint32_t from, uint32_t to, enum waitfor_what what)
{
    uint32_t i = 0;
    while (i < w->nedges && !(w->edge[i].from == from && w->edge[i].to == to && w->edge[i].what == what))
        i++;
    if (i == WAITFOR_EDGES)
        return NULL;
    if (i == w->nedges) {
        w->edge[w->nedges++] =
            (struct waitfor_edge){.from = from, .to = to, .what = what, .longest = {0, 0, NO_LANE, NO_LANE}};
    }
    return &w->edge[i];
}

static void edge_add(struct waitfor_edge *e, int64_t ns, uint64_t count, const struct moment *longest)
{
    if (e) {
        e->ns = ns_add(e->ns, ns);
        e->count += count;
        e->longest = longest->t1 - longest->t0 > e->longest.t1 - e->longest.t0 ? *longest : e->longest;
    }
}

static void edges_of(struct waitfor *w, const struct triage *tg)
{
    for (uint32_t i = 0; i < tg->npairs; i++) { /* the largest come first, so the bound drops the smallest */
        const struct pair_row *p = &tg->pairs[i];
        enum waitfor_what what = !p->from_scheduler              ? WF_GROUP
                                 : p->kind != WK_NET             ? WF_TIMER
                                 : stacks_pipe(tg->tr, p->stack) ? WF_PIPE
                                                                 : WF_NETWORK;
        edge_add(edge_of(w, p->waiter, what == WF_GROUP ? p->waker : 0, what), p->total, p->count,
                 &p->longest);
    }
    for (uint32_t i = 0; i < tg->nleaks; i++) {
        const struct leak_row *r = &tg->leaks[i];
        struct moment m = {r->since, r->since + r->oldest, r->example, NO_LANE};
        bool within = wait_on_channel(r->kind) || r->kind == WK_LOCK || r->kind == WK_COND;
        if (within && r->lost) {
            edge_add(edge_of(w, r->name, 0, WF_NOBODY), (r->oldest + r->youngest) / 2 * (int64_t)r->lost,
                     r->lost, &m);
        }
    }
}

static int cmp_edge(const void *a, const void *b)
{
    const struct waitfor_edge *x = a, *y = b;
    return x->ns != y->ns       ? (x->ns < y->ns) - (x->ns > y->ns)
           : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                                : (x->to > y->to) - (x->to < y->to);
}

/* ---- knots --------------------------------------------------------------------------------------------- */

static uint32_t node_of(uint32_t *node, uint32_t *n, uint32_t name)
{
    uint32_t i = 0;
    while (i < *n && node[i] != name)
        i++;
    if (i == *n && i < NODES)
        node[(*n)++] = name;
    return i;
}

/* Find which groups reach each other by edges of enough weight; two that reach each other are in one knot. */
static void knots_of(struct waitfor *w)
{
    uint32_t node[NODES] = {0}, n = 0, knot[NODES] = {0};
    uint64_t to[NODES] = {0};
    for (uint32_t i = 0; i < w->nedges; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        if (e->what == WF_GROUP && e->from != e->to && e->share >= WAITFOR_KNOT && e->again) {
            uint32_t a = node_of(node, &n, e->from), b = node_of(node, &n, e->to);
            if (a < NODES && b < NODES)
                to[a] |= 1ull << b;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            to[i] |= to[i] >> k & 1 ? to[k] : 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n && !knot[i]; k++) {
            bool each = k != i && to[i] >> k & 1 && to[k] >> i & 1;
            knot[i] = each ? (knot[k] ? knot[k] : ++w->knots) : 0;
        }
    }
    for (uint32_t i = 0; i < w->nedges; i++) {
        struct waitfor_edge *e = &w->edge[i];
        for (uint32_t a = 0; a < n && e->what == WF_GROUP; a++)
            for (uint32_t b = 0; b < n && node[a] == e->from; b++)
                e->knot = node[b] == e->to && a != b && knot[a] && knot[a] == knot[b] ? knot[a] : e->knot;
    }
}

/* ---- where it ends ------------------------------------------------------------------------------------- */

/* The goroutine's own wait that a goroutine of the runtime ended (finalizers, the collector) is a leaf: it
 * waited for that one. */
static uint32_t ender_of(const struct explain_tree *t, const struct explain_node *x)
{
    if (x->cat != EX_GC || x->up != 0 || x->by == NO_LANE)
        return 0;
    const struct lane_info by = trace_lane_who(t->tr, (struct lane){LANE_G, x->by});
    return by.is_system ? by.name : 0;
}

/* True if half of the time of a group's waits for others was followed to its end. What explains a wait adds
 * up to it if it was followed. */
static bool half_followed(const struct explain_tree *t)
{
    int64_t all = 0, left = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const struct explain_node *x = &t->v[i];
        int64_t ns = x->cat == EX_WAIT ? x->ns : 0;
        all = ns_add(all, x->up == 0 && (ns || ender_of(t, x)) ? x->ns : 0);
        for (uint32_t k = x->first; ns && k != NO_LANE; k = t->v[k].next)
            ns -= t->v[k].ns;
        left = ns_add(left, ns);
    }
    return left <= all / 2;
}

/* Of a group's tree: what its leaves are of one goroutine's kind and place. */
struct doing_at {
    uint32_t who, func, stack, frame;
    uint8_t cat;
    bool mixed, ended;
    struct ran ran;
    struct callers callers;
    int64_t ns;
};

/* Take the largest of them, at most WAITFOR_ENDS. */
static void ends_largest(struct waitfor_end *e, struct doing_at *v, uint32_t n, int64_t all)
{
    for (; n > 0 && e->n < WAITFOR_ENDS; e->n++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < n; k++)
            best = v[k].ns > v[best].ns ? k : best;
        if (v[best].ns < all / 20)
            break;
        e->of[e->n].who = v[best].who;
        e->of[e->n].func = v[best].func;
        e->of[e->n].stack = v[best].stack;
        e->of[e->n].frame = v[best].frame;
        e->of[e->n].cat = v[best].cat;
        e->of[e->n].mixed = v[best].mixed;
        e->of[e->n].ended = v[best].ended;
        e->of[e->n].ran = v[best].ran;
        e->of[e->n].by = callers_most(&v[best].callers, v[best].ns);
        e->of[e->n].share = (double)v[best].ns / (double)all;
        v[best].ns = 0;
    }
}

/* Merge a group tree's waits for others, by goroutine group and place of their leaves. */
static void end_of(struct waitfor_end *e, const struct explain_tree *t)
{
    struct doing_at v[64] = {0};
    uint32_t n = 0;
    int64_t all = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const struct explain_node *x = &t->v[i];
        uint32_t k = 0;
        const uint32_t ender = ender_of(t, x), who = ender ? ender : x->who, func = ender ? 0 : x->func;
        if (x->first != NO_LANE || (x->up == 0 && !ender) || x->up == NO_LANE || x->cat == EX_ABSENT)
            continue; /* not a leaf, or its own doing */
        all = ns_add(all, x->ns);
        while (k < n && !(v[k].who == who && v[k].func == func && v[k].cat == x->cat))
            k++;
        if (k == 64)
            continue;
        if (k == n) {
            n++;
            v[k].who = who;
            v[k].func = func;
            v[k].stack = x->stack;
            v[k].frame = x->frame;
            v[k].cat = x->cat;
            v[k].ended = ender > 0;
            v[k].ran = x->ran;
        }
        ran_join(&v[k].ran, &x->ran);
        v[k].mixed |=
            x->mixed || !text_calls_alike(t->tr, x->stack, x->frame, v[k].stack, v[k].frame, EXPLAIN_CALLS);
        callers_merge(&v[k].callers, &x->callers);
        v[k].ns = ns_add(v[k].ns, x->ns);
    }
    if (all > 0 && half_followed(t))
        ends_largest(e, v, n, all);
}

/* Explain an even sample of a group: lives, or stretches of them, at the cost of about so many spans. */
static bool lives_add(const struct triage *tg, struct explainer *x, struct explain_tree *t, uint32_t group,
                      uint64_t spans)
{
    const uint32_t count = tg->groups[group].count, step = count / WAITFOR_LOOK ? count / WAITFOR_LOOK : 1;
    const uint32_t looks = count < WAITFOR_LOOK ? count : WAITFOR_LOOK;
    uint32_t seen = 0, looked = 0;
    bool ok = true;
    explain_budget(x, 4 * spans);
    for (uint32_t g = gstats_next(tg->g, 0, group); g != NO_LANE && ok && looked < WAITFOR_LOOK;
         g = gstats_next(tg->g, g + 1, group)) {
        if (seen++ % step)
            continue;
        const struct lane_info li = trace_lane(tg->tr, (struct lane){LANE_G, g});
        const struct workpiece life = workpiece_of_g(g, li.first, li.last);
        struct stretches s = {0};
        ok = explain_stretches(x, &life, spans / looks, &s);
        for (int i = 0; i < s.n && ok; i++)
            ok = explain_add(x, t, g, li.first + i * s.step, li.first + i * s.step + s.each);
        looked++;
    }
    return ok;
}

/* spans: what it may cost. */
static bool end_for(struct waitfor_end *e, const struct triage *tg, struct explainer *x, uint32_t group,
                    uint64_t spans)
{
    struct explain_tree t;
    const bool ok = explain_tree_init(&t, tg->tr) && lives_add(tg, x, &t, group, spans);
    if (ok)
        end_of(e, &t);
    explain_tree_free(&t);
    return ok;
}

static bool ends_of(struct waitfor *w, const struct triage *tg, uint64_t spans, uint32_t most)
{
    struct explainer *x = explain_new(tg->tr);
    bool ok = x != NULL;
    for (uint32_t i = 0; i < w->nedges && ok && w->nends < most; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        uint32_t k = 0, group = UINT32_MAX;
        while (k < w->nends && w->end[k].from != e->from)
            k++;
        if (e->what != WF_GROUP || !stacks_is_program(tg->tr, e->from))
            continue;
        if (k == w->nends) {
            for (uint32_t g = 0; g < tg->ngroups; g++)
                group = tg->groups[g].name == e->from ? g : group;
            w->end[w->nends++] = (struct waitfor_end){.from = e->from};
            ok = group == UINT32_MAX || end_for(&w->end[k], tg, x, group, spans);
        }
        w->end[k].ns = ns_add(w->end[k].ns, e->ns);
    }
    explain_free(x);
    return ok;
}

struct waitfor *waitfor_within(const struct triage *tg, uint64_t spans, uint32_t ends)
{
    struct waitfor *w = mem_zalloc(sizeof *w);
    if (!w)
        return NULL;
    edges_of(w, tg);
    if (w->nedges)
        qsort(w->edge, w->nedges, sizeof w->edge[0], cmp_edge);
    for (uint32_t i = 0; i < w->nedges; i++) {
        for (uint32_t g = 0; g < tg->ngroups; g++) {
            const struct group *from = &tg->groups[g];
            if (from->name == w->edge[i].from) {
                const int64_t life = from->d[GM_LIFE].total;
                w->edge[i].share = life > 0 ? (double)w->edge[i].ns / (double)life : w->edge[i].share;
                w->edge[i].again = w->edge[i].count > from->count;
            }
        }
    }
    knots_of(w);
    if (!ends_of(w, tg, spans, ends < ENDS ? ends : ENDS)) {
        waitfor_free(w);
        return NULL;
    }
    return w;
}

struct waitfor *waitfor_new(const struct triage *tg)
{
    return waitfor_within(tg, WAITFOR_SPANS, ENDS);
}

void waitfor_free(struct waitfor *w)
{
    mem_free(w);
}

const char *waitfor_whom(enum waitfor_what what)
{
    static const char *const whom[] = {[WF_GROUP] = "",
                                       [WF_NETWORK] = "the network",
                                       [WF_PIPE] = "a pipe",
                                       [WF_TIMER] = "timers",
                                       [WF_NOBODY] = "nobody that came until the end"};
    return whom[what];
}

void waitfor_edge_text(struct text *t, const struct trace *tr, const struct waitfor_edge *e)
{
    text_say(t, tr, t_func(e->from), " waits for ");
    if (e->what == WF_GROUP)
        text_func(t, tr, e->to, 0);
    else
        text_add(t, "%s", waitfor_whom(e->what));
}

void waitfor_end_text(struct text *t, const struct trace *tr, const struct waitfor_end *e)
{
    for (uint32_t i = 0; i < e->n; i++) {
        text_raw(t, "; ", i ? 2 : 0);
        text_say(t, tr, t_func(e->of[i].who));
        const struct told_at at = {e->of[i].stack, e->of[i].frame, e->of[i].mixed, e->of[i].ran, e->of[i].by};
        if (!e->of[i].ended) {
            text_lit(t, " ");
            causes_what_text(t, tr, (enum explain_cat)e->of[i].cat, &at);
        }
        text_say(t, tr, " ", t_share(e->of[i].share, 1));
    }
}
