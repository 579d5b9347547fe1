/*
 * ways.c - follows each tree of a work from each wait to what it waits for. Time within a link that others
 * can release sooner (a lock, a set, one server) counts for that link; other time counts for what the work
 * itself does. The innermost link counts: a goroutine that holds a lock while it waits for another one is a
 * waiter.
 */
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

#include <string.h>

/* ---- ways ---------------------------------------------------------------------------------------------- */

static struct way *way_at(struct follow *f, enum family family, uint32_t key, uint8_t cat, uint32_t at)
{
    const struct way *w = f->way;
    const uint32_t i = find_first(k, f->n, w[k].family == family && w[k].key == key && w[k].cat == cat);
    if (i == WAYS || i < f->n)
        return i == WAYS ? NULL : &f->way[i];
    f->way[f->n] =
        (struct way){.family = family, .cat = cat, .key = key, .at = at, .leaf = at, .leaf_ns = -1};
    return &f->way[f->n++];
}

static void deed_add(const struct tree_node *v, struct way *w, uint32_t node, uint32_t at, int64_t ns)
{
    unsigned least = 0, i = 0;
    while (i < w->ndoing &&
           !(v[w->doing[i].node].cat == v[node].cat && v[w->doing[i].at].user == v[at].user)) {
        least = w->doing[i].ns < w->doing[least].ns ? i : least;
        i++;
    }
    const bool is_new = i == w->ndoing, full = i == 8;
    if (full && w->doing[least].ns >= ns)
        return;
    i = full ? least : i;
    if (is_new) {
        w->doing[i].at = at;
        w->doing[i].node = node;
        w->doing[i].ns = 0;
        w->ndoing += !full;
    }
    w->doing[i].ns = ns_add(w->doing[i].ns, ns);
}

/* Returns the nearest node on the path to an end that is a function of the program's own; else the nearest
 * one that has a name. */
static uint32_t told_at(const struct follow *f)
{
    uint32_t named = NO_LANE;
    for (uint32_t d = f->depth; d-- > 1;) {
        const struct tree_node *n = &f->w->tree.v[f->path[d]];
        if (n->owner == OWNER_PROGRAM)
            return f->path[d];
        named = named == NO_LANE && n->user ? f->path[d] : named;
    }
    return named != NO_LANE ? named : f->path[f->depth - 1];
}

/* Returns the position on the path of the program's own node that waits through a goroutine of a library for
 * the one at position d; d if there is none. */
static uint32_t own_before(const struct follow *f, uint32_t d)
{
    uint32_t k = d;
    while (k > 1 && f->w->tree.v[f->path[k]].owner != OWNER_PROGRAM)
        k--;
    return f->w->tree.v[f->path[k]].owner == OWNER_PROGRAM ? k : d;
}

/* How often a piece of a set that goes there does so. */
static double times_in(const struct tree_node *n, enum tree_set s)
{
    return n->pieces[s] ? (double)n->n[s] / n->pieces[s] : 0;
}

/* Whether the path goes through a wait for several goroutines. These ask side by side. */
static bool by_several(const struct follow *f)
{
    const struct tree_node *v = f->w->tree.v;
    const uint32_t *path = f->path;
    return any_of(d, f->depth, d > 0 && v[path[d]].cat == EX_WAIT && v[path[d]].kind == WK_WAITGROUP);
}

/* Whether the goroutine of the program's that waits for an answer is the one that asked. One that only reads,
 * for all that ask on its connection, reads many answers while one piece waits for its own. */
static bool asks_itself(const struct follow *f, const struct tree_node *at)
{
    return at->up == 0 || at->g >= f->c->tg->ng || calls_asks(f->c, at->g);
}

/* Whether what a library reads from outside only cancels that wait, and no timer does: who asked has gone. */
static bool asker_gone(const struct trace *tr, const struct tree_node *n, const struct tree_node *at)
{
    return explain_waits_outside(n->cat) && n->owner != OWNER_PROGRAM && at->by != NO_LANE &&
           trace_g_name(tr, at->by) == n->who &&
           str_is(trace_str(tr, at->let_go), "context.(*cancelCtx).cancel");
}

static enum family family_of_end(const struct follow *f, const struct tree_node *n,
                                 const struct tree_node *at)
{
    const struct trace *tr = f->c->tr;
    const struct work *w = f->w;
    const double all = times_in(at, TREE_ALL), slow = times_in(at, TREE_SLOW),
                 times = all > slow ? all : slow;
    if (at->stack && (explain_waits_outside(n->cat) || n->cat == EX_SYSCALL) &&
        stacks_may(tr, at->stack, STACK_CHILD))
        return FAM_CHILDREN;
    if (asker_gone(tr, n, at))
        return FAM_LIMIT;
    switch (n->cat) {
    case EX_NET:
    case EX_PIPE:
        return n->stack && !causes_writes(tr, n->stack) && times >= threshold(TH_SEVERAL) && !by_several(f) &&
                       (!w->standing || ((w->kind == WORK_MAIN || w->asks) && at->up == 0)) &&
                       asks_itself(f, at)
                   ? FAM_SERIAL
                   : FAM_BACKEND;
    case EX_DEADLINE: return FAM_LIMIT;
    case EX_TIMER: return verdict_sleeps(n) ? FAM_POLLING : FAM_LIMIT;
    case EX_SYSCALL: return FAM_SYSCALL;
    case EX_STOPPED: return FAM_STOP;
    case EX_GC: /* what only a finalizer gives back lacks until a collection lets it run */
        return trace_lane_who(tr, lane_g(n->g)).is_system ? FAM_SET : FAM_GC;
    case EX_ASSIST: return FAM_GC;
    case EX_RUNNABLE:
    case EX_NOBODY: return FAM_PROCS;
    case EX_OPEN: return FAM_STUCK;
    default: return FAM_HOT;
    }
}

static uint32_t key_of(const struct follow *f, enum family family, const struct tree_node *at)
{
    switch (family) {
    case FAM_GC:
    case FAM_PROCS: return 0;
    case FAM_LOCK: return at->let_go ? at->let_go : at->user;
    case FAM_SET:
        return at->owner == OWNER_PROGRAM && at->leaf ? at->leaf : at->user; /* a library's pool: once */
    case FAM_SERVER: return at->by != NO_LANE ? trace_g_name(f->c->tr, at->by) : at->user;
    case FAM_STOP: return at->by_stack ? owner_func(f->all->own, at->by_stack) : 0;
    default: return at->user;
    }
}

/* Where a goroutine reads the questions it is asked (calls_questions()), looked up once. */
static uint32_t questions_of(struct follow *f, uint32_t g)
{
    const uint32_t known = tab_get(&f->questions, g, 0);
    if (known != TAB_NONE)
        return known;
    const uint32_t place = calls_questions(f->c, g);
    f->failed |= tab_put(&f->questions, g, 0, place) == TAB_NONE;
    return place;
}

/* Whether it waits for the next question from the outside while another goroutine's piece waits for it:
 * then there is no work. */
static bool has_no_work(struct follow *f, const struct tree_node *n)
{
    if (n->up == 0 || !explain_waits_outside(n->cat) || !n->stack)
        return false;
    const uint32_t place = stacks_place(f->c->tr, n->stack);
    return request_next(f->c->tr, n->stack) ||
           (place && n->g < f->c->tg->ng && questions_of(f, n->g) == place);
}

struct ending { /* of a path: the node that is told, and the program's function nearest to the end */
    uint32_t at, told, npath;
    const uint32_t *path;
    uint8_t cat; /* of what slows a few: EX_RUN is all that a goroutine does itself, calls, too; else 0 */
};

static void way_add(struct follow *f, enum family family, uint32_t key, const struct ending *e,
                    const int64_t own[TREE_SETS])
{
    const uint32_t end = f->path[f->depth - 1];
    struct way *w = way_at(f, family, key, e->cat, e->at);
    int64_t sum = 0;
    for (int s = 0; w && s < TREE_SETS; s++) {
        w->ns[s] = ns_add(w->ns[s], own[s]);
        sum = s == TREE_USUAL ? sum : ns_add(sum, own[s]);
    }
    if (!w)
        return;
    deed_add(f->w->tree.v, w, end, e->told, sum);
    if (sum > w->leaf_ns) {
        w->leaf_ns = sum;
        w->leaf = end;
        w->at = e->at;
        w->npath = e->npath;
        memcpy(w->path, e->path, sizeof w->path);
    }
}

/* Whether goroutines of that name work on items, which the trees of these items tell of. */
static bool has_items(const struct follow *f, uint32_t name)
{
    const struct works *all = f->all;
    return any_of(i, all->n, all->v[i].kind == WORK_ITEMS && all->v[i].name == name);
}

/* Adds the time of the path's last node that its children do not explain: an end. */
static void end_here(struct follow *f, const int64_t own[TREE_SETS])
{
    const struct tree_node *v = f->w->tree.v;
    const uint32_t end = f->path[f->depth - 1];
    const uint32_t told = told_at(f);
    uint32_t at = told, path[LINKS], npath = 0;
    enum family family = FAM_NONE;
    if (has_no_work(f, &v[end]))
        return;
    for (uint32_t d = 1; d < f->depth; d++) {
        const enum family l = link_of(f, f->path[d], family != FAM_NONE);
        if (f->memo[f->path[d]].news)
            return;
        if (l != FAM_NONE && npath < LINKS)
            path[npath++] = f->path[d];
        if (l != FAM_NONE) {
            family = l;
            at = f->path[own_before(f, d)];
        }
    }
    family = family == FAM_NONE ? family_of_end(f, &v[end], &v[at]) : family;
    /* What the taker of a full queue has to do is not of this piece, nor what it does for others before. */
    for (uint32_t d = 1; d < f->depth && family == FAM_SERIAL; d++)
        family = v[f->path[d]].kind == WK_SEND && v[f->path[d]].cat == EX_WAIT ? FAM_BACKEND : family;
    family = family == FAM_SERIAL && v[at].up != 0 && has_items(f, v[at].who) ? FAM_BACKEND : family;
    const bool outside = (family == FAM_BACKEND && !causes_writes(f->c->tr, v[end].stack)) ||
                         family == FAM_POLLING || family == FAM_LIMIT;
    const bool rests = f->w->standing && !(f->w->job && v[end].up == 0) && f->w->kind == WORK_LIVES &&
                       !f->w->asks && npath == 0 && outside;
    if (rests)
        return; /* between two of its pieces, which nothing parts */
    const struct ending e = {at, told, npath, path, 0};
    way_add(f, family, key_of(f, family, family == FAM_STOP ? &v[end] : &v[at]), &e, own);
    /* a processor that comes late is no function's, nor what the collector takes */
    const bool each =
        !f->w->standing && f->w->kind != WORK_MAIN && (f->w->kind != WORK_ITEMS || f->w->single);
    if (each && !family_contends(family) && family != FAM_STOP && family != FAM_PROCS && family != FAM_GC) {
        const uint8_t is = v[end].cat, cat = is <= EX_SYSCALL ? EX_RUN : is;
        way_add(f, FAM_SLOW, v[told].user, &(struct ending){told, told, npath, path, cat}, own);
    }
}

static void follow(struct follow *f, uint32_t node)
{
    const struct tree_node *v = f->w->tree.v, *n = &v[node];
    int64_t own[TREE_SETS];
    memcpy(own, n->ns, sizeof own);
    if (f->depth == DEEP)
        return;
    f->path[f->depth++] = node;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        if (v[k].next != NO_LANE) { /* it is in no cache */
            __builtin_prefetch(&v[v[k].next]);
            __builtin_prefetch(v[v[k].next].ns);
        }
        for (int s = 0; s < TREE_SETS; s++)
            own[s] -= v[k].ns[s];
        follow(f, k);
    }
    if (node && (own[TREE_ALL] > 0 || own[TREE_SLOW] > 0))
        end_here(f, own);
    f->depth--;
}

/* ---- a verdict of a way -------------------------------------------------------------------------------- */

ORDER(cmp_deed, struct did, MOST(r->share))

static void deeds_of(const struct follow *f, const struct way *w, struct verdict *out)
{
    const struct tree_node *v = f->w->tree.v;
    const double all = (double)ns_add(w->ns[TREE_ALL], w->ns[TREE_SLOW]);
    struct did d[8];
    for (unsigned i = 0; i < w->ndoing; i++) {
        const double share = all > 0 ? (double)w->doing[i].ns / all : 0;
        d[i] = verdict_did(&v[w->doing[i].node], &v[w->doing[i].at], share);
    }
    sort(d, w->ndoing, cmp_deed);
    for (unsigned i = 0; i < w->ndoing && i < DOINGS && (i == 0 || d[i].share >= threshold(TH_NOTED)); i++)
        out->doing[out->ndoing++] = d[i];
}

enum { CROWD_ASKED = 1024 };

uint32_t members_by(const struct causes *c, uint32_t group, int64_t t)
{
    return bisected(c->of[group].n, i, trace_lane_who(c->tr, lane_g(causes_nth(c, group, i))).seen <= t);
}

/* Counts the goroutines of a group that wait at that function at one moment, among the last CROWD_ASKED
 * created before it. */
static uint32_t crowd_at(const struct follow *f, const struct tree_node *n, int64_t t)
{
    const uint32_t group = causes_group(f->c, n->who);
    if (group == UINT32_MAX)
        return 0;
    const uint32_t end = members_by(f->c, group, t);
    uint32_t crowd = 0;
    for (uint32_t i = end > CROWD_ASKED ? end - CROWD_ASKED : 0; i < end; i++) {
        struct span s;
        crowd += trace_span_at(f->c->tr, lane_g(causes_nth(f->c, group, i)), t, &s) &&
                 s.state == ST_WAITING && s.stack && owner_func(f->all->own, s.stack) == n->user;
    }
    return crowd;
}

static void links_of(const struct follow *f, const struct way *w, struct verdict *out)
{
    for (uint32_t i = 0; i < w->npath; i++) {
        const struct tree_node *n = &f->w->tree.v[w->path[i]];
        out->link[out->nlinks++] = (struct link){n->who, trace_g_name(f->c->tr, n->by), n->kind, node_site(n),
                                                 verdict_place(f->all, n->by_stack)};
    }
}

static const uint8_t rule_of[FAM_COUNT] = {
#define F(ID, id, SHAPE) RULE_##SHAPE,
#include "triage/verdicts/families.def"
};

void ways_counts(const struct work_tree *t, const struct tree_node *at, enum tree_set s, struct verdict *v)
{
    v->harm.hit = at->pieces[s];
    v->harm.of = t->pieces[s];
    v->harm.slow_only = s == TREE_SLOW;
    verdict_ev(v, EV_TIMES, times_in(at, s));
    verdict_ev(v, EV_EACH, at->n[s] ? (double)at->ns[s] / at->n[s] : 0);
}

/* Whether one of the same workers, begun at the same line, does another item for it there. Who is in the
 * waiter's function does its own, for all that need it (a flight). */
static bool is_nested(const struct follow *f, const struct tree_node *n)
{
    return has_items(f, n->who) && n->by_stack && n->by < f->c->tg->ng &&
           !stacks_passes(f->c->tr, n->by_stack, n->user) &&
           trace_lane(f->c->tr, lane_g(n->g)).create_stack ==
               trace_lane(f->c->tr, lane_g(n->by)).create_stack;
}

/* Whether those that have it mostly wait for the same, in vain: they hold one, and want another. */
static bool wants_more(const struct work_tree *t, const struct tree_node *at, const struct tree_node *end,
                       const struct verdict *v)
{
    const struct tree_node *n = &t->v[end->up];
    return family_contends(verdict_family(v)) && v->ndoing && v->doing[0].share >= threshold(TH_MOST) &&
           end->cat == EX_TIMER && n != at && n->cat == EX_WAIT && n->kind == at->kind && n->leaf == at->leaf;
}

/* Who asked has gone: who ends the other waits there comes too late, if it is busy. */
static void gone_of(struct follow *f, const struct tree_node *at, struct verdict *v)
{
    const struct tree_node *t = f->w->tree.v, *late = NULL;
    v->rule = RULE_GONE;
    v->holder = (struct role){.g = NO_LANE};
    for (uint32_t k = at->first; k != NO_LANE; k = t[k].next)
        late = t[k].owner == OWNER_PROGRAM && (!late || t[k].n[TREE_ALL] > late->n[TREE_ALL]) ? &t[k] : late;
    const uint32_t group = late ? causes_group(f->c, late->who) : UINT32_MAX;
    const double busy = group != UINT32_MAX ? served_of(f, group)->busy : 0;
    verdict_ev(v, EV_BUSY, busy);
    if (busy < threshold(TH_BUSY))
        return;
    v->holder = (struct role){late->who, late->g, node_site(late), 0};
    v->doing[0] = verdict_did(late, late, 1);
    if (v->harm.all >= threshold(TH_MOST))
        verdict_ev(v, EV_SHARE, v->harm.all);
}

static struct verdict verdict_of(struct follow *f, const struct way *w, uint32_t work)
{
    const struct work_tree *t = &f->w->tree;
    const struct tree_node *at = &t->v[w->at], *end = &t->v[w->leaf];
    struct verdict v = {
        .rule = (enum rule)rule_of[w->family], .where = node_site(at), .lane = LANE_G, .g = at->g};
    v.waiter = (struct role){.group = at->who, .g = at->g, .at = node_site(at)};
    v.holder.g = NO_LANE;
    links_of(f, w, &v);
    deeds_of(f, w, &v);
    const struct tree_node *link = w->npath ? &t->v[w->path[w->npath - 1]] : at;
    v.rule = (v.rule == RULE_OWN && is_nested(f, link)) || wants_more(t, at, end, &v) ? RULE_NESTED : v.rule;
    if (at->cat == EX_WAIT && link->by != NO_LANE) {
        const uint32_t group = causes_group(f->c, trace_g_name(f->c->tr, link->by));
        v.holder = (struct role){trace_g_name(f->c->tr, link->by), link->by,
                                 verdict_place(f->all, link->by_stack), 0};
        if (group != UINT32_MAX) {
            v.holder.n = (uint32_t)(causes_at_once(f->c, group) + 0.5);
            if (v.rule == RULE_SERVER && v.holder.n >= threshold(TH_SEVERAL)) {
                v.rule = RULE_MEMBER;
                verdict_ev(&v, EV_COUNT, v.holder.n);
            }
            verdict_ev(&v, EV_BUSY, served_of(f, group)->busy);
        }
        uint32_t crowd = 0;
        for (uint32_t i = 0; i < w->npath; i++) { /* before the last link, or before one that leads to it */
            const struct tree_node *n = &t->v[w->path[i]];
            const uint32_t there = crowd_at(f, n, n->t0 + (n->t1 - n->t0) / 2);
            crowd = there > crowd ? there : crowd;
        }
        if (crowd > 1)
            verdict_ev(&v, EV_CROWD, crowd);
        v.sure = SURE_INFERRED;
    }
    if (w->family == FAM_STOP) {
        v.holder =
            (struct role){trace_g_name(f->c->tr, end->by), end->by, verdict_place(f->all, end->by_stack), 0};
    }
    if (w->family == FAM_CHILDREN)
        verdict_ev(&v, EV_COUNT, at->n[TREE_ALL] + at->n[TREE_SLOW]);
    verdict_ev(&v, EV_LONGEST, (double)(at->t1 - at->t0));
    /* one that was preempted there and went on is long by itself */
    v.held = v.ndoing && v.doing[0].cat == EX_RUN && tree_held(at) &&
             times_in(at, TREE_SLOW) < threshold(TH_SEVERAL);
    v.t0 = at->t0;
    v.t1 = at->t1;
    v.harm.work = work;
    v.harm.all = tree_part(t, w->ns[TREE_ALL], TREE_ALL);
    v.harm.slow = tree_part(t, w->ns[TREE_SLOW], TREE_SLOW);
    v.harm.usual = tree_part(t, w->ns[TREE_USUAL], TREE_USUAL);
    v.harm.share = v.harm.all > v.harm.slow ? v.harm.all : v.harm.slow;
    const struct tree_node *of = w->family == FAM_LIMIT ? end : at; /* others there are answered */
    ways_counts(t, of, of->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW, &v);
    if (v.rule == RULE_LIMIT && asker_gone(f->c->tr, end, at))
        gone_of(f, at, &v);
    return v;
}

/* Whether main only waits for one child, as for its end, while functions of the program do other work. */
static bool waits_for_end(const struct follow *f, const struct way *w)
{
    const struct work *v = f->all->v;
    const bool other = any_of(i, f->all->n, v[i].kind != WORK_MAIN && v[i].user && work_counts(&v[i]));
    return w->family == FAM_CHILDREN && f->w->kind == WORK_MAIN && other &&
           f->w->tree.v[w->at].n[TREE_ALL] <= 1;
}

/* Whether no stack shows a function of the program or of a library that could be told as where it runs. */
static bool runs_unseen(const struct follow *f, const struct way *w)
{
    const struct tree_node *at = &f->w->tree.v[w->at];
    return w->family == FAM_HOT && at->owner < OWNER_LIBRARY && ran_how(&at->ran) > RAN_WITHIN;
}

bool fam_ways(struct causes *c, const struct works *all, struct verdicts *out)
{
    struct follow f = {.c = c, .all = all};
    f.way = mem_alloc(WAYS * sizeof *f.way);
    f.served = mem_zalloc(((size_t)c->tg->ngroups + 1) * sizeof *f.served);
    bool ok = f.way && f.served;
    for (uint32_t i = 0; ok && i < all->n; i++) {
        f.w = &all->v[i];
        f.n = f.depth = 0;
        /* of main in the background only its start-up can be worth saying */
        const bool starts = f.w->background && f.w->kind == WORK_MAIN;
        if ((f.w->background && !starts) || f.w->inner || !f.w->tree.n)
            continue;
        f.memo = mem_zalloc(((size_t)f.w->tree.n + 1) * sizeof *f.memo);
        ok = f.memo != NULL;
        if (ok)
            follow(&f, 0);
        for (uint32_t k = 0; ok && k < f.n; k++) {
            struct verdict v = verdict_of(&f, &f.way[k], i);
            const enum family of = f.way[k].family; /* what a resource takes its family tells */
            const bool told = of == FAM_STOP || of == FAM_GC || of == FAM_STUCK;
            if ((v.rule == RULE_SERIAL || v.rule == RULE_BACKEND) && v.harm.share >= threshold(TH_NOTED))
                ways_repeats(&f, &f.w->tree.v[f.way[k].at], &v);
            ok = (starts && v.rule != RULE_SERIAL) || v.harm.share < threshold(TH_NOTED) || told ||
                 runs_unseen(&f, &f.way[k]) || waits_for_end(&f, &f.way[k]) || verdict_add(out, &v);
        }
        mem_free(f.memo);
    }
    tab_free(&f.questions);
    mem_free(f.way);
    mem_free(f.served);
    return ok && !f.failed;
}
