/* causes.c - see causes.h. */
#include "triage/findings/apart.h"
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/won.h"
#include "triage/findings/story.h"
#include "triage/tables/slices.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define BUDGET 1500000 /* spans that all explanations for the findings may pass */

uint32_t causes_place(const struct trace *tr, uint32_t stack)
{
    uint32_t f = trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
    return stacks_is_program(tr, f) ? f : 0;
}

bool causes_told_at(const struct causes *c, enum rule rule, uint32_t place)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == rule && f->stack && causes_place(c->tr, f->stack) == place) {
            return true;
        }
    }
    return false;
}

bool causes_told_of(const struct causes *c, uint32_t group)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        const bool its = f->lane.kind == LANE_G && f->lane.i < c->tg->ng && gstat_group(c->tg->g, f->lane.i) == group;
        if (its && !f->note && !story_is_sign(c->rs, f)) {
            return true;
        }
    }
    return false;
}

uint32_t causes_member(const struct causes *c, uint32_t group, uint32_t i, uint32_t most)
{
    const struct member_of *m = &c->of[group];
    return c->member[m->at + (uint64_t)i * m->n / (m->n < most ? m->n : most)];
}

bool causes_sends(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        if (stacks_sends(tr, trace_frame(tr, stack, i).func)) {
            return true;
        }
    }
    return false;
}

bool causes_writes(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const struct str s = trace_str(tr, trace_frame(tr, stack, i).func);
        if (str_starts(s, "internal/poll.(*FD).Write") || str_starts(s, "internal/poll.SendFile") ||
            str_starts(s, "net.(*netFD).Write")) {
            return true;
        }
    }
    return false;
}

void waits_at_add(struct waits_at *v, uint32_t *n, uint32_t most, uint32_t place, const struct pair_row *p)
{
    uint32_t k = 0;
    while (k < *n && v[k].place != place) {
        k++;
    }
    if (k == most) {
        return;
    }
    if (k == *n) {
        v[(*n)++] = (struct waits_at){.place = place, .most = p};
    }
    v[k].total = ns_add(v[k].total, p->total);
    v[k].count += p->count;
    v[k].most = p->total > v[k].most->total ? p : v[k].most;
}

#define CALLS_SAID 4
#define NEARLY_ALL 0.95

void waits_at_text(struct text *t, const struct causes *c, const struct waits_at *p)
{
    const uint32_t stack = p->most->stack, frame = stacks_user_frame(c->tr, stack);
    int64_t alike[CALLS_SAID + 1] = {0}, all = 0; /* [k]: of those whose first k functions are the same */
    struct callers by = {0};
    unsigned said = CALLS_SAID;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->kind != p->most->kind || causes_place(c->tr, q->stack) != p->place) {
            continue;
        }
        const uint32_t its = stacks_user_frame(c->tr, q->stack), caller = text_caller(c->tr, q->stack, its, 1);
        all = ns_add(all, q->total);
        for (unsigned k = 1; k <= CALLS_SAID && text_calls_alike(c->tr, stack, frame, q->stack, its, k); k++) {
            alike[k] = ns_add(alike[k], q->total);
        }
        if (caller) {
            callers_add(&by, caller, q->total);
        }
    }
    while (said > 1 && (double)alike[said] < NEARLY_ALL * (double)all) {
        said--;
    }
    text_calls(t, c->tr, stack, frame, said);
    if (said == 1) {
        const struct caller most = callers_most(&by, all);
        caller_text(t, c->tr, &most);
    }
}

uint32_t causes_group(const struct causes *c, uint32_t name)
{
    return tab_get(&c->by_name, name, 0);
}

static void life_of(struct causes *c, uint32_t i)
{
    const struct group *g = &c->tg->groups[i];
    struct group_life *l = &c->life[i];
    int64_t idle = 0;
    for (uint32_t k = 0; k < g->nwaits; k++) {
        const struct group_wait *w = &c->tg->group_waits[g->waits + k];
        enum wait_kind kind = stacks_wait_kind(c->tr, w->reason, 0);
        kind = str_is(trace_str(c->tr, w->reason), "sync") ? WK_LOCK : kind;
        l->by[kind] = ns_add(l->by[kind], w->d.total);
    }
    bool fed = l->by[WK_RECV] + l->by[WK_SELECT] >
               0; /* takes work from a channel, so waiting for the network is part of it */
    for (int k = 0; k < WK_KINDS; k++) {
        idle = k == WK_GC || k == WK_OTHER || (k == WK_NET && fed) ? idle : ns_add(idle, l->by[k]);
    }
    l->life = g->d[GM_LIFE].total;
    l->program = !g->is_system && stacks_is_program(c->tr, g->name);
    l->n = l->last > l->first ? (double)l->life / (double)(l->last - l->first) : 0;
    l->busy = l->life > 0 ? (double)(l->life - idle) / (double)l->life : 0;
}

static bool members(struct causes *c)
{
    const struct triage *tg = c->tg;
    c->life = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *c->life);
    c->of = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *c->of);
    c->member = mem_alloc(((size_t)tg->ng + 1) * sizeof *c->member);
    if (!c->life || !c->of || !c->member) {
        return false;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tab_put(&c->by_name, tg->groups[i].name, 0, i) == TAB_NONE) {
            return false;
        }
    }
    for (uint32_t i = 0, at = 0; i < tg->ngroups; i++) {
        c->of[i].at = at;
        at += tg->groups[i].count;
        c->life[i].first = tg->groups[i].first;
        c->life[i].last = tg->groups[i].last;
    }
    if (!mem_is_spilled(c->member)) {
        mem_touch(c->member);
    }
    for (uint32_t g = 0, n, group; g < tg->ng; g += n) { /* neighbours of one group at once */
        const bool alike = gstats_alike(tg->g, g, &group);
        struct member_of *m = &c->of[group];
        (void)gstats_none(tg->g, g, GM_ASSIST, &n);
        n = alike ? n : 1;
        for (uint32_t i = 0; i < n; i++) {
            c->member[m->at + m->n++] = g + i;
        }
    }
    return true;
}

bool causes_init(struct causes *c, struct rules *rs)
{
    const struct gbucket *counts;
    int64_t width;
    *c = (struct causes){.rs = rs, .tg = rs->tg, .tr = rs->tr};
    c->x = explain_new(rs->tr);
    c->caught = caught_new(rs->out);
    c->lines = in_lines_new(c->tg);
    (void)trace_gcounts(c->tr, &width, &counts); /* sums them up when it is first asked */
    if (!c->x || !c->caught || !c->lines || !members(c)) {
        causes_free(c);
        return false;
    }
    explain_budget(c->x, BUDGET);
    int64_t exec = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        life_of(c, i);
        exec = ns_add(exec, c->tg->groups[i].is_system ? 0 : c->tg->groups[i].d[GM_EXEC].total);
    }
    c->procs = c->tg->end > 0 && c->tg->capacity > 0 ? (double)c->tg->capacity / (double)c->tg->end : 1;
    c->running = c->tg->end > 0 ? (double)exec / (double)c->tg->end : 0;
    int64_t busy = 0;
    for (int s = ST_SCHED; s <= ST_SYSCALL; s++) {
        busy = ns_add(busy, c->tg->p_sum.ns[s]);
    }
    c->idle = c->procs - (double)busy / (double)c->tg->end;
    c->idle = c->idle > 0 ? c->idle : 0;
    return true;
}

void causes_free(struct causes *c)
{
    explain_free(c->x);
    caught_free(c->caught);
    in_lines_free(c);
    tab_free(&c->by_name);
    mem_free(c->life);
    mem_free(c->of);
    mem_free(c->member);
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */

static int cmp_leaf(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->func > y->func) - (x->func < y->func);
}

/* A leaf of the library alone is put down to the innermost wait of the program that it explains. */
static const struct explain_node *told_by(const struct explain_tree *t, uint32_t i)
{
    const struct explain_node *n = &t->v[i];
    while (!stacks_is_program(t->tr, n->func) && n->up != NO_LANE && n->up != 0) {
        n = &t->v[n->up];
    }
    return stacks_is_program(t->tr, n->func) ? n : &t->v[i];
}

/* All leaves of a tree, before the largest are taken. */
struct pile {
    struct leaf *v;
    uint32_t n;
    size_t cap;
    struct tab by; /* rows by category and name */
};

static void pile_free(struct pile *p)
{
    mem_free(p->v);
    tab_free(&p->by);
}

/* Of `at` a part explains n: its callers in proportion. */
static void callers_part(struct callers *to, struct callers by, const struct explain_node *n,
                         const struct explain_node *at)
{
    for (int k = 0; k < CALLERS && n != at && at->ns > 0; k++) {
        by.ns[k] = (int64_t)((double)by.ns[k] * (double)n->ns / (double)at->ns);
    }
    callers_merge(to, &by);
}

/* name: what leaves of a category are put together by. false: out of memory. */
static bool pile_add(struct pile *p, const struct trace *tr, const struct explain_node *n,
                     const struct explain_node *at, uint32_t name)
{
    struct leaf *v = mem_grow(p->v, &p->cap, (size_t)p->n + 1, sizeof *v);
    const uint32_t i = v ? tab_put(&p->by, n->cat, name, p->n) : TAB_NONE;
    p->v = v ? v : p->v;
    if (i == TAB_NONE) {
        return false;
    }
    struct leaf *l = &p->v[i];
    if (i == p->n) {
        p->n++;
        *l = (struct leaf){.cat = n->cat, .kind = n->kind, .func = name, .t1 = -1};
    }
    const struct ran ran = at == n ? n->ran : (struct ran){.how = RAN_FOR, .ns = n->ns};
    if (l->count) {
        ran_join(&l->ran, &ran);
    } else {
        l->ran = ran;
    }
    l->mixed |=
        at->mixed || (l->count && !text_calls_alike(tr, at->stack, at->frame, l->stack, l->frame, EXPLAIN_CALLS));
    if (l->t1 < 0 || n->longest > l->t1 - l->t0) {
        l->who = n->who;
        l->stack = at->stack;
        l->frame = at->frame;
        l->reason = n->reason;
        l->g = n->g;
        l->t0 = n->t0;
        l->t1 = n->t1;
    }
    callers_part(&l->callers, at->callers, n, at);
    callers_part(&l->beyond, at->beyond, n, at);
    l->ns = ns_add(l->ns, n->ns);
    l->count += n->count;
    return true;
}

/* The largest of them; the pile is gone. */
static void pile_take(struct pile *p, struct leaves *out)
{
    if (p->n) {
        qsort(p->v, p->n, sizeof p->v[0], cmp_leaf);
        out->n = p->n < LEAVES ? p->n : LEAVES;
        memcpy(out->v, p->v, out->n * sizeof out->v[0]);
    }
    pile_free(p);
}

static void leaves_by(const struct explain_tree *t, bool who, struct leaves *out)
{
    struct pile p = {0};
    bool ok = true;
    *out = (struct leaves){.all = t->v[0].ns};
    for (uint32_t i = 1; ok && i < t->n; i++) {
        if (t->v[i].first == NO_LANE && t->v[i].cat != EX_ABSENT) {
            const struct explain_node *at = told_by(t, i);
            ok = pile_add(&p, t->tr, &t->v[i], at, who ? t->v[i].who : at->func);
        }
    }
    pile_take(&p, out);
}

void causes_leaves(const struct explain_tree *t, struct leaves *out)
{
    leaves_by(t, false, out);
}

void causes_leaves_of(const struct explain_tree *t, struct leaves *out)
{
    leaves_by(t, true, out);
}

void causes_tops(const struct explain_tree *t, struct leaves *out)
{
    struct pile p = {0};
    bool ok = true;
    *out = (struct leaves){.all = t->v[0].ns};
    for (uint32_t k = t->v[0].first; ok && k != NO_LANE; k = t->v[k].next) {
        ok = pile_add(&p, t->tr, &t->v[k], &t->v[k], t->v[k].func);
    }
    pile_take(&p, out);
}

void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at)
{
    static const char *const word[EX_CATS] = {"running",
                                              "mark assist",
                                              "in a system call",
                                              "waiting for a processor",
                                              "waiting for a late processor",
                                              "stopped",
                                              "waiting for the network",
                                              "waiting for a timer",
                                              "waiting for the collector",
                                              "waiting to the end",
                                              "waiting",
                                              "absent",
                                              "unknown"};
    const bool writes = cat == EX_NET && at->stack && causes_writes(tr, at->stack);
    const bool pipe = cat == EX_NET && at->stack && stacks_pipe(tr, at->stack);
    text_add(t, "%s",
             writes ? (pipe ? "waiting to write to a pipe" : "waiting to write to the network")
             : pipe ? "waiting for a pipe"
                    : word[cat]);
    const unsigned calls = at->mixed ? 1 : EXPLAIN_CALLS;
    if (at->stack && cat == EX_RUN) {
        ran_text(t, tr, &at->ran, at->stack, at->frame, calls);
    } else if (at->stack) {
        text_add(t, cat == EX_SCHED || cat == EX_NOBODY ? " after " : " in ");
        text_calls(t, tr, at->stack, at->frame, calls);
    }
    if (at->stack && at->mixed) {
        caller_text(t, tr, &at->by);
    }
}

void causes_calls_text(struct text *t, const struct trace *tr, const struct leaf *l)
{
    const struct caller by = callers_beyond(&l->callers, &l->beyond, l->ns);
    text_calls(t, tr, l->stack, l->frame, l->mixed ? 1 : EXPLAIN_CALLS);
    if (l->mixed) {
        caller_text(t, tr, &by);
    }
}

void causes_leaf_text(struct text *t, const struct trace *tr, const struct leaf *l, int64_t of)
{
    const struct told_at at = {l->stack, l->frame, l->mixed, l->ran, callers_beyond(&l->callers, &l->beyond, l->ns)};
    causes_what_text(t, tr, (enum explain_cat)l->cat, &at);
    text_lit(t, " ");
    text_share(t, (double)l->ns, (double)of);
}

bool causes_doing(struct causes *c, uint32_t group, struct leaves *out)
{
    struct explain_tree t;
    const struct member_of *m = &c->of[group];
    if (!explain_tree_init(&t, c->tr)) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; i < m->n && i < 8 && ok; i++) {
        uint32_t g = causes_member(c, group, i, 8);
        struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        ok = explain_add(c->x, &t, g, li.first, li.last);
    }
    struct pile p = {0};
    *out = (struct leaves){0};
    for (uint32_t k = t.v[0].first; ok && k != NO_LANE; k = t.v[k].next) {
        const struct explain_node *n = &t.v[k];
        if (n->cat == EX_RUN || n->cat == EX_SYSCALL || n->cat == EX_NET || n->cat == EX_ASSIST) {
            ok = pile_add(&p, c->tr, n, n, n->func);
            out->all = ns_add(out->all, n->ns);
        }
    }
    pile_take(&p, out);
    explain_tree_free(&t);
    return ok;
}

static const struct step {
    rule_fn *f;
    enum { IN_TURN, APART, APART_ONCE, AHEAD } how;
} steps[] = {
#define X(rule, how) {rule, how},
#include "triage/findings/steps.def"
#undef X
};
enum { STEPS = sizeof steps / sizeof *steps };

static void all_steps(struct causes *c)
{
    rule_fn *apart[STEPS];
    size_t n = 0, next = 0;
    for (size_t i = 0; i < STEPS; i++) {
        if (steps[i].how != IN_TURN) {
            apart[n++] = steps[i].f;
        }
    }
    struct apart *all = aparts_do(c, apart, n);
    for (size_t i = 0; all && i < STEPS && slices_tick_now(); i++) {
        if (steps[i].how == IN_TURN) {
            steps[i].f(c);
        } else {
            apart_tell(c, all, next++, steps[i].how == APART_ONCE);
        }
    }
    aparts_free(all, n);
}

void rules_causes(struct rules *rs)
{
    struct causes c;
    if (!causes_init(&c, rs)) {
        rs->failed = true;
        return;
    }
    all_steps(&c);
    causes_free(&c);
}
