/* tree.c - explains the pieces of a work and merges them: see work.h. */

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/text.h"
#include "triage/work/sampled.h"
#include "triage/work/work.h"

enum {
    SAMPLE = 240,         /* pieces explained for `all` */
    EACH_END = 48,        /* for the usual ones and for the slow ones */
    LONG = 100000,        /* spans that the pieces of one work may cost */
    BRIEF = 10000,        /* the same for a work that no page shows: for its kind and owner */
    LOOKED = 64,          /* spans of a piece, for its handler */
    COUNT_MOST = 1 << 29, /* of the parts of one kind: sums of several fit into 32 bits */
    STACKS = 1000000      /* looked at for other handlers */
};

struct making {
    const struct trace *tr;
    struct explainer *x;
    struct owners *own;
    struct sampled *sampled; /* NULL: the trace has no CPU samples */
    struct work_tree *t;
    double spans;   /* what a piece may cost, a ns of its length */
    int64_t times;  /* each ns that is explained stands for so many */
    int64_t t0, t1; /* of the stretch that is explained */
    bool begins;    /* the piece begins there, too */
    unsigned sets;  /* sets of the piece being explained, one bit each */
    bool rests; /* outside, timer and pipe waits of the piece itself are no cost, unless it writes or, if it
                   asks, reads */
    bool asks;
    bool whole; /* all of a piece's time counts: tree_explain() */
    bool failed;
    int64_t left; /* parts to come, at most: of tasks that last all along each has all of its goroutine */
};

static bool counts_not(const struct making *m, uint32_t up, const struct explain_part *p)
{
    if (p->cat == EX_ABSENT || p->cat == EX_UNKNOWN || m->whole)
        return !m->whole;
    const bool rest = explain_waits_outside(p->cat) ? !m->asks && !causes_writes(m->tr, p->stack)
                                                    : p->cat == EX_TIMER || p->cat == EX_OPEN;
    return up == 0 && m->rests && rest;
}

static void idle_add(struct making *m, int64_t part, bool rests)
{
    const int64_t ns = ns_mul(part, m->times);
    m->t->rest = ns_add(m->t->rest, rests ? ns : 0);
    for (int s = 0; s < TREE_SETS; s++)
        m->t->idle[s] = ns_add(m->t->idle[s], m->sets >> s & 1 ? ns : 0);
}

/* What a part is attributed to. */
static struct tree_node of_part(struct making *m, const struct explain_part *p)
{
    struct tree_node n = {
        .cat = p->cat, .kind = p->kind, .who = trace_g_name(m->tr, p->g), .g = p->g, .by = p->by};
    uint32_t frame;
    n.user = explain_place(m->tr, p, &n.stack, &frame, &n.ran);
    if (n.stack) {
        const bool ran = p->cat == EX_RUN;
        n.leaf = ran ? n.user : trace_frame(m->tr, n.stack, owner_leaf(m->own, n.stack)).func;
        n.frame = ran ? owner_user_from(m->own, n.stack, frame) : owner_user(m->own, n.stack);
        const struct frame f = trace_frame(m->tr, n.stack, n.frame);
        n.user = f.func;
        n.owner = (uint8_t)owner_of(m->own, &f);
    }
    n.by_stack = p->by_stack;
    return n;
}

static void node_add(struct making *m, struct tree_node *n, const struct tree_node *like,
                     const struct explain_part *p)
{
    const int64_t part = p->t1 - p->t0, ns = ns_mul(part, m->times);
    const bool unstopped = p->cat == EX_RUN && part >= threshold_ns(TH_HOST_RUN), first = n->t1 < 0;
    /* what lasts longer than the stretch counts where it begins; where the piece begins, once */
    const bool on = p->t0 <= m->t0 && !m->begins, once = p->t1 >= m->t1 && m->begins;
    const int64_t count = on ? 0 : once ? 1 : m->times;
    for (int s = 0; s < TREE_SETS; s++) {
        if (m->sets >> s & 1) {
            n->ns[s] = ns_add(n->ns[s], ns);
            n->n[s] = n->n[s] + count < COUNT_MOST ? (uint32_t)(n->n[s] + count) : COUNT_MOST;
            n->pieces[s] += n->last[s] != m->t->pieces[s];
            n->last[s] = m->t->pieces[s];
            n->unstopped = ns_add(n->unstopped, unstopped && s != TREE_USUAL ? ns : 0);
        }
    }
    if (p->followed && p->by_stack) { /* the one with most of it: a majority vote by time */
        const uint32_t f = owner_func(m->own, p->by_stack);
        n->let_go = n->let_go_ns > 0 ? n->let_go : f;
        n->let_go_ns += n->let_go == f ? ns : -ns;
    }
    n->mixed |= !n->mixed && n->t1 > n->t0 &&
                !text_calls_alike(m->tr, like->stack, like->frame, n->stack, n->frame, NODE_CALLS);
    if (part > n->t1 - n->t0) {
        n->t0 = p->t0;
        n->t1 = p->t1;
        n->stack = like->stack;
        n->frame = like->frame;
        n->by_stack = like->by_stack;
        n->by = like->by;
        n->g = like->g;
        n->reason = p->reason;
    }
    if (first)
        n->ran = like->ran;
    else
        ran_join(&n->ran, &like->ran);
}

/* Running in a stack, if the trace has CPU samples. */
static struct tree_node of_stack(struct making *m, const struct explain_part *p, uint32_t stack,
                                 uint32_t frame)
{
    const struct frame f = trace_frame(m->tr, stack, frame);
    struct tree_node n = {.cat = p->cat, .who = trace_g_name(m->tr, p->g), .g = p->g, .by = NO_LANE};
    n.leaf = n.user = f.func;
    n.owner = (uint8_t)owner_of(m->own, &f);
    n.stack = stack;
    n.frame = frame;
    n.ran = (struct ran){.how = RAN_IN};
    return n;
}

static uint32_t like_add(struct making *m, uint32_t up, const struct tree_node *like,
                         const struct explain_part *p)
{
    const uint64_t a = (uint64_t)up << 32 | like->user, b = (uint64_t)like->who << 32 |
                                                            (uint64_t)like->leaf << 9 |
                                                            (uint64_t)p->kind << 4 | p->cat;
    struct work_tree *t = m->t;
    bool made;
    struct tree_node *n = tab_row(&t->by, t->v, t->n, a, b, &made);
    if (!n) {
        m->failed = true;
        return up;
    }
    const uint32_t i = (uint32_t)(n - t->v);
    if (made) {
        *n = *like;
        n->up = up;
        n->first = NO_LANE;
        n->next = t->v[up].first;
        n->t1 = -1;
        t->v[up].first = i;
    }
    node_add(m, n, like, p);
    return i;
}

/* Running time by its samples, and the rest by where it stopped; adjacent equal parts are joined. */
static void running_add(struct making *m, uint32_t up, const struct explain_part *p)
{
    struct explain_part one = *p;
    struct tree_node is = {.cat = EX_CATS};
    struct sampled_by by;
    for (int64_t t = p->t0; t < p->t1; t = by.t1) {
        struct explain_part q = *p;
        by = sampled_part(m->sampled, p, t);
        q.t0 = t;
        q.t1 = by.t1;
        struct tree_node like = by.stack ? of_stack(m, &q, by.stack, by.frame) : of_part(m, &q);
        if (!by.stack && like.ran.how == RAN_IN && like.stack && !p->region) /* stopped in there */
            like = of_stack(m, &q, like.stack, sampled_frame(m->sampled, like.stack));
        if (is.cat != EX_CATS && (is.user != like.user || is.ran.how != like.ran.how)) {
            ran_lasts(&is.ran, one.t1 - one.t0);
            (void)like_add(m, up, &is, &one);
            is.cat = EX_CATS;
        }
        one.t0 = is.cat == EX_CATS ? q.t0 : one.t0;
        one.t1 = q.t1;
        is = is.cat == EX_CATS ? like : is;
    }
    ran_lasts(&is.ran, one.t1 - one.t0);
    (void)like_add(m, up, &is, &one);
}

static uint32_t part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct making *m = arg;
    m->left--;
    if (counts_not(m, up, p)) {
        if (up == 0)
            idle_add(m, p->t1 - p->t0, p->cat == EX_TIMER || explain_waits_outside(p->cat));
        return up;
    }
    if (p->cat == EX_RUN && m->sampled) {
        running_add(m, up, p);
        return up;
    }
    const struct tree_node like = of_part(m, p);
    return like_add(m, up, &like, p);
}

/* The same, to count the functions its samples are under. */
static uint32_t part_count(void *arg, uint32_t up, const struct explain_part *p)
{
    struct making *m = arg;
    m->left--;
    m->failed |= p->cat == EX_RUN && !sampled_count(m->sampled, p->g, p->t0, p->t1, m->sets);
    return up;
}

/* Walk a piece; *ns: how much of it the parts stand for. If it would cost more than it may, stretches of it
 * are explained. */
static bool piece_walk(struct making *m, const struct workpiece *p, explain_visit *visit, int64_t *ns)
{
    struct stretches s = {1, 0, p->t1 - p->t0, 1};
    bool ok = m->whole || explain_stretches(m->x, *p, (uint64_t)(m->spans * (double)s.each), &s);
    m->times = s.times;
    for (int i = 0; ok && i < s.n; i++) {
        const int64_t t0 = p->t0 + i * s.step;
        m->t0 = t0;
        m->t1 = t0 + s.each;
        m->begins = i == 0;
        const struct workpiece one = s.times > 1 ? workpiece_of_g(p->g, t0, t0 + s.each) : *p;
        ok = explain_walk(m->x, one, visit, m, &m->t->cut) && !m->failed;
    }
    *ns = s.n * s.each * s.times;
    return ok;
}

static bool piece_add(struct making *m, const struct workpiece *p)
{
    int64_t ns;
    for (int k = 0; k < TREE_SETS; k++)
        m->t->pieces[k] += m->sets >> k & 1;
    const bool ok = piece_walk(m, p, part, &ns);
    for (int k = 0; k < TREE_SETS; k++) {
        struct tree_node *root = &m->t->v[0];
        root->n[k] = root->pieces[k] = m->t->pieces[k];
        root->ns[k] = m->sets >> k & 1 ? ns_add(root->ns[k], ns) : root->ns[k];
    }
    return ok;
}

ORDER_AT(cmp_node, struct tree_node, MOST(tree_both(r)))

static bool sort_children(struct work_tree *t)
{
    uint32_t *v = mem_alloc(((size_t)t->n + 1) * sizeof *v);
    for (uint32_t i = 0; v && i < t->n; i++) {
        uint32_t n = 0;
        for (uint32_t k = t->v[i].first; k != NO_LANE; k = t->v[k].next)
            v[n++] = k;
        if (n > 1)
            sort_at(v, n, t->v, cmp_node);
        for (uint32_t k = 0; k < n; k++)
            t->v[v[k]].next = k + 1 < n ? v[k + 1] : NO_LANE;
        t->v[i].first = n ? v[0] : NO_LANE;
    }
    mem_free(v);
    return v != NULL;
}

static bool begin(struct work_tree *t)
{
    *t = (struct work_tree){0};
    if (mem_room(t->v, t->by.room, 1))
        t->v[t->n++] =
            (struct tree_node){.up = NO_LANE, .first = NO_LANE, .next = NO_LANE, .g = NO_LANE, .by = NO_LANE};
    return t->v;
}

void tree_free(struct work_tree *t)
{
    mem_free(t->v);
    tab_free(&t->by);
    *t = (struct work_tree){0};
}

bool tree_explain(struct work_tree *t, const struct trace *tr, struct explainer *x, const struct workpiece *v,
                  size_t n, size_t step, uint64_t spans)
{
    struct making m = {.tr = tr, .x = x, .own = explain_owners(x), .t = t, .whole = true};
    bool ok = begin(t);
    for (size_t i = 0; ok && i < n; i += step) { /* what one leaves is for those after it */
        const uint64_t share = spans / ((n - i + step - 1) / step);
        explain_budget(x, share);
        m.sets = 1u << TREE_ALL | (n >= 20 && i < n / 10 ? 1u << TREE_SLOW : 0);
        ok = piece_add(&m, &v[i]);
        t->handed |= explain_handed(x);
        spans -= share - explain_left(x);
    }
    return ok && sort_children(t);
}

/* Returns the sets of the i-th of n pieces, longest first. */
static unsigned sets_of(const struct work *w, uint32_t i, uint32_t n)
{
    const uint32_t step = n / SAMPLE + 1, slow = w->slow < EACH_END ? w->slow : EACH_END;
    const uint32_t quarter = n / 4, usual = quarter < EACH_END ? quarter : EACH_END, from = n / 2 - usual / 2;
    unsigned sets = (i + step / 2) % step == 0 ? 1u << TREE_ALL : 0;
    if (!w->standing && n >= 4) {
        sets |= i < slow ? 1u << TREE_SLOW : 0;
        sets |= i >= from && i < from + usual ? 1u << TREE_USUAL : 0;
    }
    return sets;
}

/* What the explained pieces may cost, divided evenly over their time. */
static double spans_a_ns(const struct work *w)
{
    int64_t ns = 1;
    for (uint32_t i = 0; i < w->looked; i++)
        ns = ns_add(ns, sets_of(w, i, w->looked) ? w->v[i].t1 - w->v[i].t0 : 0);
    return (work_counts(w) ? LONG : BRIEF) / (double)ns;
}

/* Count the functions that the CPU samples of its pieces are under. */
static bool samples_of(struct making m, const struct work *w)
{
    const uint64_t left = explain_left(m.x);
    int64_t ns;
    bool ok = true;
    sampled_begin(m.sampled);
    for (uint32_t i = 0; ok && i < w->looked && m.left > 0; i++) {
        m.sets = sets_of(w, i, w->looked);
        ok = !m.sets || piece_walk(&m, &w->v[i], part_count, &ns);
    }
    explain_budget(m.x, left);
    return ok;
}

void by_name_add(struct by_name *k, uint32_t name, int64_t ns)
{
    const uint32_t i = find_first(j, 8, !k->name[j] || k->name[j] == name);
    if (i < 8) {
        k->name[i] = name;
        k->ns[i] = ns_add(k->ns[i], ns);
    }
}

uint32_t by_name_most(const struct by_name *k)
{
    return k->name[find_most(i, 8, k->ns[i])];
}

/* Whether stacks of the trace that begin in that function have only this handler. */
static bool only_handler(struct works *all, uint32_t begin, uint32_t handler)
{
    for (uint32_t s = 1, n = trace_nstacks(all->tr); s < n; s += n / STACKS + 1) {
        const uint32_t depth = trace_stack(all->tr, s);
        const bool in = depth > 0 && trace_frame(all->tr, s, depth - 1).func == begin;
        const uint32_t root = in ? owner_root(all->own, s) : handler;
        if (root && root != handler)
            return false;
    }
    return true;
}

/* The outermost function of the program in a piece's first wait or call that shows one; 0: none. */
static uint32_t root_in(struct works *all, const struct workpiece *p)
{
    each_between(s, all->tr, p->g, p->t0, p->t1, LOOKED) {
        const bool own = s->t0 >= p->t0 && (s->state == ST_WAITING || s->state == ST_SYSCALL);
        const uint32_t root = own && s->stack ? owner_root(all->own, s->stack) : 0;
        if (root)
            return root;
    }
    return 0;
}

/* Sets the handler: that of most pieces, or else of what they run. If only a few show it, and there are
 * others in the trace, nobody knows who does the rest. */
static void handler_of(struct works *all, struct work *w)
{
    struct by_name shown = {{0}, {0}}, runs = {{0}, {0}};
    uint32_t n = 0, root;
    each_of(k, w->tree.v, w->tree.n)
        if (k->up == 0 && (root = owner_root(all->own, k->stack)) != 0)
            by_name_add(&runs, root, k->pieces[TREE_ALL] + k->pieces[TREE_SLOW]);
    for (uint32_t i = 0; i < w->looked; i += w->looked / SAMPLE + 1, n++)
        if ((root = root_in(all, &w->v[i])) != 0)
            by_name_add(&shown, root, 1);
    const uint32_t most = find_most(i, 8, shown.ns[i]);
    w->own = by_name_most(&runs) > 0;
    w->user = shown.name[most] ? shown.name[most] : by_name_most(&runs);
    if ((double)shown.ns[most] < threshold(TH_MOST) * n && !only_handler(all, w->name, w->user))
        w->user = 0;
}

/* Adds the time of node k to node i. */
static void node_join(struct work_tree *t, uint32_t i, uint32_t k)
{
    struct tree_node *to = &t->v[i];
    const struct tree_node *n = &t->v[k];
    for (int s = 0; s < TREE_SETS; s++) {
        const uint32_t pieces = to->pieces[s] + n->pieces[s];
        to->n[s] += n->n[s];
        to->pieces[s] = pieces < t->pieces[s] ? pieces : t->pieces[s];
    }
    ns_sum(to->ns, n->ns, TREE_SETS);
    to->unstopped = ns_add(to->unstopped, n->unstopped);
    ran_join(&to->ran, &n->ran);
    if (n->t1 - n->t0 > to->t1 - to->t0) {
        to->t0 = n->t0;
        to->t1 = n->t1;
        to->g = n->g;
    }
}

/* The node among those of the pieces themselves that is of running in the handler; NO_LANE: none. */
static uint32_t in_handler(const struct work_tree *t, uint32_t handler)
{
    uint32_t k = t->v[0].first;
    while (k != NO_LANE && !(t->v[k].cat == EX_RUN && t->v[k].user == handler && t->v[k].leaf == handler))
        k = t->v[k].next;
    return k;
}

/* What ran between the read of a request and the next stack of the program's ran in its handler, or around
 * it: no stack says more. */
static void around_handler(struct works *all, struct work *w)
{
    struct work_tree *t = &w->tree;
    uint32_t in = w->user ? in_handler(t, w->user) : NO_LANE, *link = &t->v[0].first;
    while (w->user && *link != NO_LANE) {
        const uint32_t k = *link;
        struct tree_node *n = &t->v[k];
        if (n->cat != EX_RUN || n->owner == OWNER_PROGRAM || !request_next(all->tr, n->stack)) {
            link = &n->next;
            continue;
        }
        n->ran = (struct ran){.how = RAN_ABOUT};
        ran_lasts(&n->ran, n->ns[TREE_ALL]);
        if (in == NO_LANE) {
            in = k;
            n->owner = OWNER_PROGRAM;
            n->leaf = n->user = w->user;
            link = &n->next;
        } else {
            *link = n->next;
            node_join(t, in, k);
        }
    }
}

bool tree_make(struct causes *c, struct works *all, struct explainer *x, struct sampled *sampled,
               struct work *w)
{
    struct work_tree *t = &w->tree;
    struct making m = {.tr = c->tr, .x = x, .own = all->own, .t = t};
    m.sampled = sampled_any(sampled) ? sampled : NULL;
    m.rests = w->background || (w->standing && !w->job);
    m.spans = spans_a_ns(w);
    m.left = (10 * (int64_t)TREE_SPANS + (int64_t)trace_info(c->tr)->events) / all->n;
    uint32_t asks = 0;
    bool ok = begin(t) && (!m.sampled || samples_of(m, w));
    for (uint32_t i = 0; ok && i < w->looked && m.left > 0; i++) {
        m.asks = w->standing && calls_asks(c, w->v[i].g);
        asks += m.asks;
        m.sets = sets_of(w, i, w->looked);
        ok = !m.sets || piece_add(&m, &w->v[i]);
    }
    m.sets = 1u << TREE_SLOW;
    for (uint32_t i = 0; ok && i < w->nhung && i < EACH_END && !w->standing && m.left > 0; i++)
        ok = piece_add(&m, &w->hung[i]);
    t->cut |= m.left <= 0;
    w->asks = asks * 2 > w->looked;
    handler_of(all, w);
    if (ok)
        around_handler(all, w);
    return ok && sort_children(t);
}
