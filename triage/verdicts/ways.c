/*
 * ways.c - follows each tree of a work from what waits to what is waited for, and puts what lies behind a link that others can mend (a lock, a
 * set, one that serves all) under that link; what lies behind none under what it is itself. The innermost link counts: who holds a lock while
 * it waits for another one is a waiter.
 */
#include "decode/base/mem.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/verdict.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 512, DEEP = 40, SERVERS = 16, BUSY_SPANS = 4000, TOGETHER = 100000 /* ns: wake-ups that are one */ };

struct way { /* what lies under one link, or one place, of one work */
    enum family family;
    uint32_t key;
    uint32_t at, leaf; /* nodes: the link or place; the largest end under it */
    int64_t leaf_ns;
    int64_t ns[TREE_SETS];
    uint32_t path[LINKS], npath; /* links on the way to the largest end */
    struct {                     /* what was done in the end */
        uint32_t node, at;       /* the end; the node of the program's own around it */
        int64_t ns;
    } doing[8];
    unsigned ndoing;
};
struct served { /* goroutines of a group that others wait for */
    bool asked;
    double busy, n;
};
struct link_memo {
    bool asked, queue; /* queue: only behind another link */
    uint8_t family;
};
struct follow {
    struct causes *c;
    const struct works *all;
    const struct work *w;
    struct way *way;
    uint32_t n;
    uint32_t path[DEEP], depth; /* nodes from the root on */
    struct served *served;      /* by group */
    struct link_memo *memo;     /* by node */
    struct tab enders;          /* of a goroutine's waits at a function: ender_of() */
    bool failed;
};

/* ---- links ---------------------------------------------------------------------------------------------------- */

/* Of its life the share in which a goroutine does not wait for more work. */
static double busy_of(const struct causes *c, uint32_t g)
{
    const uint32_t name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    int64_t rest = 0, seen = 0;
    struct walk w;
    walk_g(&w, c->tr, g, BUSY_SPANS);
    for (const struct span *s; (s = walk_next(&w));) {
        const bool rests = s->state == ST_WAITING && instance_wants_more(c->tr, name, s->reason, s->stack);
        seen = ns_add(seen, s->t1 - s->t0);
        rest = ns_add(rest, rests ? s->t1 - s->t0 : 0);
    }
    return seen > 0 ? (double)(seen - rest) / (double)seen : 0;
}

/* Of a group: how busy the busiest of it are, and how many are as busy as that, about. */
static struct served *served_of(struct follow *f, uint32_t group)
{
    struct served *v = &f->served[group];
    const uint32_t n = f->c->of[group].n, look = n < SERVERS ? n : SERVERS;
    double busy[SERVERS];
    if (v->asked || !n) {
        return v;
    }
    v->asked = true;
    for (uint32_t i = 0; i < look && slices_tick(); i++) {
        busy[i] = busy_of(f->c, causes_member(f->c, group, i, SERVERS));
        v->busy = busy[i] > v->busy ? busy[i] : v->busy;
    }
    for (uint32_t i = 0; i < look; i++) {
        v->n += busy[i] >= v->busy / 2;
    }
    v->n *= (double)n / look;
    const double there = f->c->life[group].n; /* those that come and go are not all there at once */
    v->n = v->n < there || there < 1 ? v->n : there;
    return v;
}

/* Do goroutines of that group wait at that function, too? Then who ends a wait there gives back what he had taken. */
static bool waits_there(const struct follow *f, uint32_t group_name, uint32_t user)
{
    for (uint32_t i = 0; i < works_pairs(f->c); i++) {
        const struct pair_row *p = &f->c->tg->pairs[i];
        if (p->waiter == group_name && p->stack &&
            trace_frame(f->c->tr, p->stack, owner_user(f->all->own, p->stack)).func == user) {
            return true;
        }
    }
    return false;
}

/* A library's semaphore, by its name: one that is passed round. */
static bool semaphore(const struct follow *f, uint32_t leaf)
{
    const struct str s = trace_str(f->c->tr, leaf);
    return s.len && (memmem(s.p, s.len, "emaphore", 8) || memmem(s.p, s.len, ").Acquire", 9));
}

/* Most of what a link's ender did was to wait for the outside itself, in a library: it passes answers on. */
static bool passes_on(const struct follow *f, const struct tree_node *n)
{
    const struct tree_node *v = f->w->tree.v;
    int64_t outside = 0, all = 0;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        const int64_t ns = ns_add(v[k].ns[TREE_ALL], v[k].ns[TREE_SLOW]);
        all = ns_add(all, ns);
        outside =
            ns_add(outside,
                   (explain_waits_outside(v[k].cat) || v[k].cat == EX_TIMER) && v[k].owner != OWNER_PROGRAM ? ns : 0);
    }
    return outside * 2 > all;
}

/* Does who ends the longest of these waits end most of those there at that moment? Then it was for something that happens to all. */
static bool for_all(const struct follow *f, const struct tree_node *n)
{
    const uint32_t group = causes_group(f->c, n->who);
    uint32_t same = 0, waited = 0;
    for (uint32_t i = 0; group != UINT32_MAX && i < f->c->of[group].n && i < 64; i++) {
        const uint32_t g = causes_member(f->c, group, i, 64);
        struct span before, s;
        const bool here = g != n->g && trace_span_at(f->c->tr, (struct lane){LANE_G, g}, n->t1 - TOGETHER, &before) &&
                          before.state == ST_WAITING && before.stack &&
                          trace_frame(f->c->tr, before.stack, owner_user(f->all->own, before.stack)).func == n->user;
        waited += here;
        /* the span behind the wait tells who ended it */
        same += here && trace_span_at(f->c->tr, (struct lane){LANE_G, g}, before.t1, &s) && s.who == n->by &&
                before.t1 <= n->t1 + TOGETHER;
    }
    return waited > 0 && same * 2 >= waited;
}

/* Who ended most of a goroutine's waits at that function; NO_LANE: it did not wait there. Each is looked at once. */
static uint32_t ender_of(struct follow *f, uint32_t g, uint32_t user)
{
    uint32_t ender = NO_LANE;
    const uint32_t known = tab_get(&f->enders, g, user);
    if (known != TAB_NONE) {
        return known ? known - 1 : NO_LANE;
    }
    int votes = 0;
    struct walk w;
    struct span s;
    const struct span *next = walk_first(&w, f->c->tr, g, BUSY_SPANS);
    while (walk_pair(&w, &s, &next)) {
        const bool here = next && s.state == ST_WAITING && s.stack && next->state == ST_RUNNABLE &&
                          next->who < f->c->tg->ng &&
                          trace_frame(f->c->tr, s.stack, owner_user(f->all->own, s.stack)).func == user;
        ender = here && votes <= 0 ? next->who : ender;
        votes += !here ? 0 : ender == next->who ? 1 : -1;
    }
    f->failed |= tab_put(&f->enders, g, user, ender == NO_LANE ? 0 : ender + 1) == TAB_NONE;
    return ender;
}

/*
 * Waits at one function that goroutines of one kind end for each other. What is passed round comes back: whoever ends a wait there has waited
 * there, for one that has waited there, and so on. Stages in a row begin with one that does not wait; parts of a work were begun by the one
 * that waits for them.
 */
static bool of_set(struct follow *f, const struct tree_node *n)
{
    enum { STEPS = 12 };
    uint32_t g = n->by;
    if (trace_lane_who(f->c->tr, (struct lane){LANE_G, g}).creator == n->g) {
        return false;
    }
    for (int i = 0; i < STEPS && g != n->g; i++) {
        const uint32_t by = ender_of(f, g, n->user);
        if (by == NO_LANE) {
            return i > 2; /* the first of all found some left */
        }
        g = by;
    }
    return true;
}

/*
 * Does who is waited for sleep a good part of that time, or wait for the outside for most of it, and never wait for those who wait for it?
 * Then it brings what they take at its own pace, or as it comes: they are idle.
 */
static bool paces(const struct follow *f, const struct tree_node *n, uint32_t by)
{
    const struct tree_node *v = f->w->tree.v;
    int64_t sleeps = 0, outside = 0, all = 0;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        const int64_t ns = ns_add(v[k].ns[TREE_ALL], v[k].ns[TREE_SLOW]);
        all = ns_add(all, ns);
        sleeps = ns_add(sleeps, v[k].cat == EX_TIMER ? ns : 0);
        outside = ns_add(outside, explain_waits_outside(v[k].cat) ? ns : 0);
    }
    const bool paced = n->kind != WK_SEND && (sleeps * 5 > all || outside * 2 > all);
    for (uint32_t i = 0; paced && i < works_pairs(f->c); i++) {
        const struct pair_row *p = &f->c->tg->pairs[i];
        if (p->waiter == by && p->waker == n->who && p->kind != WK_SEND && wait_passes_on(p->kind)) {
            return false;
        }
    }
    return paced;
}

/* Do those that give back mostly stand there themselves, until a timer is up? Then nothing is held. */
static bool idles(const struct follow *f, const struct tree_node *n)
{
    const struct tree_node *v = f->w->tree.v;
    int64_t timer = 0, all = 0;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        const int64_t ns = ns_add(v[k].ns[TREE_ALL], v[k].ns[TREE_SLOW]);
        all = ns_add(all, ns);
        timer = ns_add(timer, v[k].cat == EX_TIMER && v[k].user == n->user ? ns : 0);
    }
    return timer * 2 > all;
}

/*
 * Do more wait at that function for a group, on average, than it has goroutines? Else each is served at once, and its wait is the service.
 */
static bool queued(struct follow *f, const struct tree_node *n, uint32_t group)
{
    const struct group_life *l = &f->c->life[group];
    int64_t ns = 0;
    for (uint32_t i = 0; i < works_pairs(f->c); i++) {
        const struct pair_row *p = &f->c->tg->pairs[i];
        if (p->stack && !p->from_scheduler && causes_group(f->c, p->waker) == group &&
            trace_frame(f->c->tr, p->stack, owner_user(f->all->own, p->stack)).func == n->user) {
            ns = ns_add(ns, p->total);
        }
    }
    const double at_once = l->last > l->first ? (double)ns / (double)(l->last - l->first) : 0;
    const double serve = served_of(f, group)->n;
    return at_once >= threshold(TH_QUEUE) * (serve > 1 ? serve : 1);
}

/* What kind of link a wait is, and *queue: whether it is one only where many queue for whom it is for. */
static enum family link_kind(struct follow *f, const struct tree_node *n, bool *queue)
{
    *queue = false;
    if (n->cat == EX_QUEUED && n->first != NO_LANE) { /* nobody has it: who takes it up is busy with others */
        const uint32_t taker = causes_group(f->c, n->who);
        return taker != UINT32_MAX && served_of(f, taker)->n <= 1.5 ? FAM_SERVER : FAM_SET;
    }
    if (n->cat != EX_WAIT || n->first == NO_LANE) {
        return FAM_NONE;
    }
    if (n->kind == WK_LOCK) {
        return FAM_LOCK;
    }
    const uint32_t by = n->by != NO_LANE ? trace_g_name(f->c->tr, n->by) : 0, g = causes_group(f->c, by);
    if (n->kind == WK_WAITGROUP && by == n->who &&
        trace_lane_who(f->c->tr, (struct lane){LANE_G, n->by}).creator != n->g) {
        return FAM_SLOW_ONE; /* for what another one of them does for all (a flight) */
    }
    if (!wait_passes_on((enum wait_kind)n->kind) || g == UINT32_MAX) {
        return FAM_NONE;
    }
    if (semaphore(f, n->leaf) && n->let_go != n->user) {
        return FAM_LOCK; /* others take it, too, in another function, and perhaps the whole of it */
    }
    if (semaphore(f, n->leaf) || by == n->who || waits_there(f, by, n->user)) {
        return for_all(f, n) || !of_set(f, n) || idles(f, n) ? FAM_NONE : FAM_SET;
    }
    if (for_all(f, n) || served_of(f, g)->busy < threshold(TH_BUSY) || passes_on(f, n) || paces(f, n, by) ||
        f->c->tg->groups[g].is_system) {
        return FAM_NONE;
    }
    *queue = !queued(f, n, g);
    return served_of(f, g)->n <= 1.5 ? FAM_SERVER : FAM_SET;
}

#define FELT 0.001 /* of a work's time: who is waited for in less is not asked */
static bool felt(const struct follow *f, const struct tree_node *n)
{
    const struct tree_node *root = &f->w->tree.v[0];
    return (double)n->ns[TREE_ALL] >= FELT * (double)root->ns[TREE_ALL] ||
           (double)n->ns[TREE_SLOW] >= FELT * (double)root->ns[TREE_SLOW];
}

/*
 * inside: behind a link already. Who is waited for there need not be queued for by many: the one that waits is what they queue for. Each node is
 * asked once.
 */
static enum family link_of(struct follow *f, uint32_t node, bool inside)
{
    struct link_memo *m = &f->memo[node];
    if (!m->asked) {
        bool queue = false;
        const struct tree_node *n = &f->w->tree.v[node];
        m->family = (uint8_t)(felt(f, n) ? link_kind(f, n, &queue) : FAM_NONE);
        m->queue = queue;
        m->asked = true;
    }
    return m->queue && !inside ? FAM_NONE : (enum family)m->family;
}

/* ---- ways ------------------------------------------------------------------------------------------------------ */

static struct way *way_at(struct follow *f, enum family family, uint32_t key, uint32_t at)
{
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->way[i].family == family && f->way[i].key == key) {
            return &f->way[i];
        }
    }
    if (f->n == WAYS) {
        return NULL;
    }
    f->way[f->n] = (struct way){.family = family, .key = key, .at = at, .leaf = at, .leaf_ns = -1};
    return &f->way[f->n++];
}

static void deed_add(const struct tree_node *v, struct way *w, uint32_t node, uint32_t at, int64_t ns)
{
    unsigned least = 0, i = 0;
    while (i < w->ndoing && !(v[w->doing[i].node].cat == v[node].cat && v[w->doing[i].at].user == v[at].user)) {
        least = w->doing[i].ns < w->doing[least].ns ? i : least;
        i++;
    }
    if (i == 8) {
        if (w->doing[least].ns >= ns) {
            return;
        }
        w->doing[least].node = node;
        w->doing[least].at = at;
        w->doing[least].ns = ns;
        return;
    }
    if (i == w->ndoing) {
        w->doing[i].at = at;
        w->doing[w->ndoing++].node = node;
        w->doing[i].ns = 0;
    }
    w->doing[i].ns = ns_add(w->doing[i].ns, ns);
}

/* The node on the way to an end at which the program's own function stands, the nearest. */
static uint32_t told_at(const struct follow *f)
{
    for (uint32_t d = f->depth; d-- > 1;) {
        if (f->w->tree.v[f->path[d]].owner == OWNER_PROGRAM) {
            return f->path[d];
        }
    }
    return f->path[f->depth - 1];
}

static enum family family_of_end(const struct work *w, const struct tree_node *n, const struct tree_node *at)
{
    const double times = at->pieces[TREE_ALL]    ? (double)at->n[TREE_ALL] / at->pieces[TREE_ALL]
                         : at->pieces[TREE_SLOW] ? (double)at->n[TREE_SLOW] / at->pieces[TREE_SLOW]
                                                 : 0;
    switch (n->cat) {
    case EX_NET:
    case EX_PIPE:
        return times >= threshold(TH_ROW) && (!w->standing || (w->kind == WORK_MAIN && at->up == 0)) ? FAM_SERIAL
                                                                                                     : FAM_BACKEND;
    case EX_TIMER: return n->kind == WK_SLEEP ? FAM_POLLING : FAM_LIMIT;
    case EX_SYSCALL: return FAM_SYSCALL;
    case EX_STOPPED: return FAM_STOP;
    case EX_GC:
    case EX_ASSIST: return FAM_GC;
    case EX_SCHED:
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
    case FAM_SERVER: return at->by != NO_LANE ? trace_g_name(f->c->tr, at->by) : at->user;
    case FAM_STOP:
        return at->by_stack ? trace_frame(f->c->tr, at->by_stack, owner_user(f->all->own, at->by_stack)).func : 0;
    default: return at->user;
    }
}

/* Time of the last node of the path that none of its own nodes explain: an end. */
static void end_here(struct follow *f, const int64_t own[TREE_SETS])
{
    const struct tree_node *v = f->w->tree.v;
    const uint32_t end = f->path[f->depth - 1];
    const uint32_t told = told_at(f);
    uint32_t at = told, path[LINKS], npath = 0;
    enum family family = FAM_NONE;
    for (uint32_t d = 1; d < f->depth; d++) {
        const enum family l = link_of(f, f->path[d], family != FAM_NONE);
        if (l != FAM_NONE && npath < LINKS) {
            path[npath++] = f->path[d];
        }
        if (l != FAM_NONE) {
            family = l;
            at = f->path[d];
        }
    }
    family = family == FAM_NONE ? family_of_end(f->w, &v[end], &v[at]) : family;
    const bool rests = f->w->standing && f->w->kind == WORK_LIVES && npath == 0 &&
                       (family == FAM_BACKEND || family == FAM_POLLING || family == FAM_LIMIT);
    if (rests) {
        return; /* between two of its pieces, which nothing parts */
    }
    struct way *w = way_at(f, family, key_of(f, family, family == FAM_STOP ? &v[end] : &v[at]), at);
    if (!w) {
        return;
    }
    int64_t sum = 0;
    for (int s = 0; s < TREE_SETS; s++) {
        w->ns[s] = ns_add(w->ns[s], own[s]);
        sum = s == TREE_USUAL ? sum : ns_add(sum, own[s]);
    }
    deed_add(v, w, end, told, sum);
    if (sum > w->leaf_ns) {
        w->leaf_ns = sum;
        w->leaf = end;
        w->at = at;
        w->npath = npath;
        memcpy(w->path, path, sizeof path);
    }
}

static void follow(struct follow *f, uint32_t node)
{
    const struct tree_node *v = f->w->tree.v, *n = &v[node];
    int64_t own[TREE_SETS];
    memcpy(own, n->ns, sizeof own);
    if (f->depth == DEEP) {
        return;
    }
    f->path[f->depth++] = node;
    for (uint32_t k = n->first; k != NO_LANE; k = v[k].next) {
        for (int s = 0; s < TREE_SETS; s++) {
            own[s] -= v[k].ns[s];
        }
        follow(f, k);
    }
    if (node && (own[TREE_ALL] > 0 || own[TREE_SLOW] > 0)) {
        end_here(f, own);
    }
    f->depth--;
}

/* ---- a verdict of a way ------------------------------------------------------------------------------------------ */

static struct site place_at(const struct tree_node *n)
{
    return (struct site){n->leaf, n->user, n->stack, n->frame};
}

static int cmp_deed(const void *a, const void *b)
{
    const struct did *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static void deeds_of(const struct follow *f, const struct way *w, struct verdict *out)
{
    const struct tree_node *v = f->w->tree.v;
    const double all = (double)ns_add(w->ns[TREE_ALL], w->ns[TREE_SLOW]);
    struct did d[8];
    for (unsigned i = 0; i < w->ndoing; i++) {
        const struct tree_node *n = &v[w->doing[i].node];
        struct site at = place_at(&v[w->doing[i].at]);
        at.leaf = n->leaf;
        d[i] = (struct did){n->cat, n->kind, at, all > 0 ? (double)w->doing[i].ns / all : 0};
    }
    qsort(d, w->ndoing, sizeof *d, cmp_deed);
    for (unsigned i = 0; i < w->ndoing && i < DOINGS && (i == 0 || d[i].share >= 0.05); i++) {
        out->doing[out->ndoing++] = d[i];
    }
}

/* How many of a group wait at that function at one moment. */
static uint32_t crowd_at(const struct follow *f, const struct tree_node *n)
{
    const uint32_t group = causes_group(f->c, n->who);
    const int64_t t = n->t0 + (n->t1 - n->t0) / 2;
    uint32_t crowd = 0, most = 256;
    for (uint32_t i = 0; group != UINT32_MAX && i < f->c->of[group].n && i < most; i++) {
        const uint32_t g = causes_member(f->c, group, i, most);
        struct span s;
        crowd += trace_span_at(f->c->tr, (struct lane){LANE_G, g}, t, &s) && s.state == ST_WAITING && s.stack &&
                 trace_frame(f->c->tr, s.stack, owner_user(f->all->own, s.stack)).func == n->user;
    }
    return crowd;
}

static void links_of(const struct follow *f, const struct way *w, struct verdict *out)
{
    for (uint32_t i = 0; i < w->npath; i++) {
        const struct tree_node *n = &f->w->tree.v[w->path[i]];
        out->link[out->nlinks++] = (struct link){n->who, n->by != NO_LANE ? trace_g_name(f->c->tr, n->by) : 0,
                                                 n->kind, place_at(n), verdict_place(f->all, n->by_stack)};
    }
}

static enum rule rule_of(enum family f)
{
    switch (f) {
    case FAM_LOCK: return RULE_LOCK;
    case FAM_SET: return RULE_SET;
    case FAM_SERVER: return RULE_SERVER;
    case FAM_SLOW_ONE: return RULE_OWN;
    case FAM_SERIAL: return RULE_SERIAL;
    case FAM_BACKEND: return RULE_BACKEND;
    case FAM_POLLING: return RULE_SLEEP;
    case FAM_LIMIT: return RULE_LIMIT;
    case FAM_SYSCALL: return RULE_CALLS;
    case FAM_STOP: return RULE_STW;
    case FAM_GC: return RULE_GC_SHARE;
    case FAM_STUCK: return RULE_OPEN;
    default: return RULE_HOT;
    }
}

static struct verdict verdict_of(struct follow *f, const struct way *w, uint32_t work)
{
    const struct work_tree *t = &f->w->tree;
    const struct tree_node *at = &t->v[w->at], *end = &t->v[w->leaf];
    struct verdict v = {.rule = rule_of(w->family), .where = place_at(at), .lane = LANE_G, .g = at->g};
    v.waiter = (struct role){.group = at->who, .g = at->g, .at = place_at(at)};
    v.holder.g = NO_LANE;
    links_of(f, w, &v);
    deeds_of(f, w, &v);
    if (at->cat == EX_WAIT && at->by != NO_LANE) {
        const uint32_t group = causes_group(f->c, trace_g_name(f->c->tr, at->by));
        v.holder = (struct role){trace_g_name(f->c->tr, at->by), at->by, verdict_place(f->all, at->by_stack), 0};
        if (group != UINT32_MAX) {
            v.holder.n = (uint32_t)(f->c->life[group].n + 0.5);
            verdict_ev(&v, EV_BUSY, served_of(f, group)->busy);
        }
        const uint32_t crowd = crowd_at(f, at);
        if (crowd > 1) {
            verdict_ev(&v, EV_CROWD, crowd);
        }
        v.sure = SURE_INFERRED;
    }
    if (w->family == FAM_STOP) {
        v.holder = (struct role){end->by != NO_LANE ? trace_g_name(f->c->tr, end->by) : 0, end->by,
                                 verdict_place(f->all, end->by_stack), 0};
    }
    verdict_ev(&v, EV_LONGEST, (double)(at->t1 - at->t0));
    v.t0 = at->t0;
    v.t1 = at->t1;
    const int64_t all = tree_ns(t, TREE_ALL), slow = tree_ns(t, TREE_SLOW), usual = tree_ns(t, TREE_USUAL);
    v.harm.work = work;
    v.harm.all = all > 0 ? (double)w->ns[TREE_ALL] / (double)all : 0;
    v.harm.slow = slow > 0 ? (double)w->ns[TREE_SLOW] / (double)slow : 0;
    v.harm.usual = usual > 0 ? (double)w->ns[TREE_USUAL] / (double)usual : 0;
    v.harm.share = v.harm.all > v.harm.slow ? v.harm.all : v.harm.slow;
    const enum tree_set s = at->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW;
    v.harm.hit = at->pieces[s];
    v.harm.of = t->pieces[s];
    v.harm.slow_only = s == TREE_SLOW;
    verdict_ev(&v, EV_TIMES, at->pieces[s] ? (double)at->n[s] / at->pieces[s] : 0);
    verdict_ev(&v, EV_EACH, at->n[s] ? (double)at->ns[s] / at->n[s] : 0);
    return v;
}

#define LEAST 0.03 /* of a work's time: less is no verdict */

/* What a resource takes, its own family tells, with its numbers. */
static bool told_elsewhere(enum family f)
{
    return f == FAM_STOP || f == FAM_GC;
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
        if (f.w->background || f.w->inner || !f.w->tree.n) {
            continue;
        }
        f.memo = mem_zalloc(((size_t)f.w->tree.n + 1) * sizeof *f.memo);
        ok = f.memo != NULL;
        if (ok) {
            follow(&f, 0);
        }
        for (uint32_t k = 0; ok && k < f.n; k++) {
            const struct verdict v = verdict_of(&f, &f.way[k], i);
            ok = v.harm.share < LEAST || told_elsewhere(f.way[k].family) || verdict_add(out, &v);
        }
        ok = ok && !f.failed;
        mem_free(f.memo);
    }
    tab_free(&f.enders);
    mem_free(f.way);
    mem_free(f.served);
    return ok;
}
