/* limit.c - whether waits end at a time limit because the first address asked never answers, because a batch
 * is not full, or one at a time at even distances, as a limit of a rate lets them. See verdict.h. */
#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/ways.h"

struct asked { /* waits at one place: those that a limit ended, and those that an answer ended */
    uint32_t vain, vain_pieces, answered_pieces;
    uint32_t brought_pieces; /* by goroutines that wait for the same place themselves, or through others */
};

static void ended_as(const struct tree_node *n, struct asked *a)
{
    const bool limit = n->cat == EX_DEADLINE || (n->cat == EX_TIMER && !verdict_sleeps(n));
    const bool answer = n->cat == EX_NET || n->cat == EX_PIPE;
    a->vain += limit ? n->n[TREE_ALL] : 0;
    a->vain_pieces += limit ? n->pieces[TREE_ALL] : 0;
    a->answered_pieces += answer ? n->pieces[TREE_ALL] : 0;
}

/* Whether a goroutine of group `who` ends the wait at node i, or a wait that this one waits for. */
static bool brought_by(const struct trace *tr, const struct work_tree *t, uint32_t i, uint32_t who)
{
    bool is = t->v[i].by != NO_LANE && trace_g_name(tr, t->v[i].by) == who;
    for (uint32_t k = t->v[i].first; k != NO_LANE && !is; k = t->v[k].next)
        is = brought_by(tr, t, k, who);
    return is;
}

/* Counts the waits in `leaf`, called by `user`, and what ended them where others waited for that. */
static struct asked asked_at(const struct works *all, const struct verdict *v)
{
    const struct work_tree *t = &all->v[v->harm.work].tree;
    struct asked a = {0};
    for (uint32_t i = 1; i < t->n; i++) {
        const struct tree_node *n = &t->v[i];
        if (n->leaf != v->where.leaf || n->user != v->where.user)
            continue;
        ended_as(n, &a);
        const uint32_t top = tree_top(t, i);
        const bool brought = n->who != t->v[top].who && brought_by(all->tr, t, i, t->v[top].who);
        a.brought_pieces += brought ? n->pieces[TREE_ALL] : 0;
        for (uint32_t k = n->first; k != NO_LANE && !brought; k = t->v[k].next)
            ended_as(&t->v[k], &a);
    }
    return a;
}

static bool nearly(uint32_t n, uint32_t of)
{
    const double most = 1 - threshold(TH_SHARE);
    return n >= most * of && of >= most * n;
}

enum rule verdict_limit_of(const struct works *all, const struct verdict *v)
{
    const struct asked a = asked_at(all, v);
    if (!work_awaited(&all->v[v->harm.work]) || a.vain < threshold(TH_MANY) || !nearly(a.vain, a.vain_pieces))
        return RULE_LIMIT;
    return nearly(a.vain_pieces, a.answered_pieces) ? RULE_DEAD
           : a.brought_pieces * 2 >= a.vain_pieces  ? RULE_FILL
                                                    : RULE_LIMIT;
}

bool verdict_by_timer(const struct trace *tr, uint32_t who)
{
    const struct lane_info li = trace_lane_who(tr, lane_g(who));
    return who == NO_LANE || tri_by_timer(tr, lane_g(who), &li);
}

/* ---- a limit of a rate --------------------------------------------------------------------------------- */

enum { MEMBERS = 512, STEPS = 4000 };

struct fired { /* waits at one place that a timer ended, or a goroutine that a ticker wakes */
    int64_t *end, waited, first;
    size_t n, cap;
    uint32_t stack; /* of one */
    bool failed;
};

static void fired_add(struct fired *f, const struct span *s)
{
    f->failed |= !mem_room(f->end, f->cap, f->n + 1);
    if (f->failed)
        return;
    f->end[f->n++] = s->t1;
    f->waited = ns_add(f->waited, s->t1 - s->t0);
    f->first = s->t0 < f->first ? s->t0 : f->first;
    f->stack = s->stack;
}

static void fired_of(const struct causes *c, const struct works *w, uint32_t g, const struct site *at,
                     struct fired *out)
{
    each_pair(s, next, c->tr, g, STEPS) {
        if (s->state != ST_WAITING || !s->stack || next->who != NO_LANE || s->open_end ||
            stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP) /* which ends when its own time is up */
            continue;
        const struct site p = verdict_place(w, s->stack);
        if (p.user == at->user && p.leaf == at->leaf)
            fired_add(out, s);
    }
}

/* What pieces wait for goroutine `by`, once in each or a little more: for leave to go on. Who waits for it
 * again and again gets what it brings. */
static void let_by(const struct causes *c, const struct work *w, uint32_t by, struct fired *out)
{
    const uint32_t n = w->looked < MEMBERS ? w->looked : MEMBERS;
    uint32_t pieces = 0; /* that wait for it */
    for (uint32_t i = 0; i < n && slices_tick(); i++) {
        const struct workpiece *p = &w->v[i];
        const size_t before = out->n;
        each_pair_between(s, next, c->tr, p->g, p->t0, p->t1, STEPS)
            if (s->state == ST_WAITING && s->stack && next->state == ST_RUNNABLE && next->who == by)
                fired_add(out, s);
        pieces += out->n > before;
    }
    out->failed |= (double)out->n > threshold(TH_SEVERAL) * pieces;
}

/* Whether most of these times, which are sorted, are as far apart as the median distance. Makes them
 * distances. */
static bool is_even(int64_t *v, size_t n, int64_t *distance)
{
    size_t even = 0;
    for (size_t i = 0; i + 1 < n; i++)
        v[i] = v[i + 1] - v[i];
    qsort(v, n - 1, sizeof *v, cmp_ns);
    *distance = v[(n - 1) / 2];
    for (size_t i = 0; i + 1 < n; i++)
        even += (double)llabs(v[i] - *distance) <= threshold(TH_ROOM) * (double)*distance;
    return (double)even >= threshold(TH_MOST) * (double)(n - 1);
}

bool verdict_rate_limited(const struct causes *c, const struct works *w, struct verdict *v)
{
    const uint32_t group = causes_group(c, v->waiter.group), n = causes_look(c, group, UINT32_MAX);
    const struct work *k = &w->v[v->harm.work];
    const bool lets = v->waiter.group != k->name && n == 1;
    struct fired f = {.first = INT64_MAX};
    int64_t each = 0;
    if (lets)
        let_by(c, k, v->g, &f);
    each_member(g, c, n <= MEMBERS && !lets ? group : UINT32_MAX, MEMBERS)
        fired_of(c, w, g, &v->where, &f);
    bool is = !f.failed && (double)f.n >= threshold(TH_MANY);
    if (is) {
        qsort(f.end, f.n, sizeof *f.end, cmp_ns);
        const int64_t clock = f.end[f.n - 1] - f.first;
        const double crowd = clock > 0 ? (double)f.waited / (double)clock : 0;
        size_t times = 1; /* several may go at once */
        for (size_t i = 1; i < f.n; i++)
            if (f.end[i] - f.end[times - 1] > TOGETHER)
                f.end[times++] = f.end[i];
        const double go = (double)f.n / (double)times; /* who has collected lets all go */
        is = crowd >= threshold(TH_SEVERAL) && crowd >= threshold(TH_DOUBLE) * go &&
             times >= threshold(TH_MANY) && is_even(f.end, times, &each);
        if (is) {
            verdict_ev(v, EV_CROWD, crowd);
            verdict_ev(v, EV_LONGEST, lets ? (double)f.waited / (double)f.n : v->ev[EV_EACH]);
            verdict_ev(v, EV_EACH, lets ? (double)clock / (double)f.n : (double)each);
            v->where = lets ? verdict_place(w, f.stack) : v->where;
        }
    }
    mem_free(f.end);
    return is;
}
