/*
 * leaves.c - see leaves.h.
 */
#include "triage/sentence.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

static int cmp_leaf(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->func > y->func) - (x->func < y->func);
}

/* A leaf that is in the library only is attributed to the innermost wait of the program that it explains. */
static const struct explain_node *told_by(const struct explain_tree *t, uint32_t i)
{
    const struct explain_node *n = &t->v[i];
    while (!stacks_is_program(t->tr, n->func) && n->up != NO_LANE && n->up != 0)
        n = &t->v[n->up];
    return stacks_is_program(t->tr, n->func) ? n : &t->v[i];
}

/* All leaves of a tree, from which the largest are taken. */
struct leaf_rows {
    struct leaf *v;
    uint32_t n;
    size_t cap;
    struct tab by; /* rows by category and name */
};

static void rows_of_free(struct leaf_rows *p)
{
    mem_free(p->v);
    tab_free(&p->by);
}

/* Of `at`, a part explains n: take its callers in proportion. */
static void callers_part(struct callers *to, struct callers by, const struct explain_node *n,
                         const struct explain_node *at)
{
    for (int k = 0; k < CALLERS && n != at && at->ns > 0; k++)
        by.ns[k] = (int64_t)((double)by.ns[k] * (double)n->ns / (double)at->ns);
    callers_merge(to, &by);
}

/* name: merges leaves of a category. Returns false if out of memory. */
static bool rows_of_add(struct leaf_rows *p, const struct trace *tr, const struct explain_node *n,
                        const struct explain_node *at, uint32_t name)
{
    struct leaf *v = mem_grow(p->v, &p->cap, (size_t)p->n + 1, sizeof *v);
    const uint32_t i = v ? tab_put(&p->by, n->cat, name, p->n) : TAB_NONE;
    p->v = v ? v : p->v;
    if (i == TAB_NONE)
        return false;
    struct leaf *l = &p->v[i];
    if (i == p->n) {
        p->n++;
        *l = (struct leaf){.cat = n->cat, .kind = n->kind, .func = name, .t1 = -1};
    }
    struct ran ran = {.how = RAN_FOR};
    ran_lasts(&ran, n->ns);
    ran = at == n ? n->ran : ran;
    if (l->count)
        ran_join(&l->ran, &ran);
    else
        l->ran = ran;
    l->mixed |= at->mixed ||
                (l->count && !text_calls_alike(tr, at->stack, at->frame, l->stack, l->frame, EXPLAIN_CALLS));
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

/* Take the largest of them, and free the rest. */
static void rows_of_take(struct leaf_rows *p, struct leaves *out)
{
    if (p->n) {
        qsort(p->v, p->n, sizeof p->v[0], cmp_leaf);
        out->n = p->n < LEAVES ? p->n : LEAVES;
        memcpy(out->v, p->v, out->n * sizeof out->v[0]);
    }
    rows_of_free(p);
}

/* Whether it is a leaf. A task that no goroutine has waits: what delayed the one that took it up is other
 * work's. */
static bool is_end(const struct explain_tree *t, uint32_t i)
{
    if (t->v[i].cat != EX_QUEUED && t->v[i].first != NO_LANE)
        return false;
    for (uint32_t up = t->v[i].up; up != NO_LANE; up = t->v[up].up)
        if (t->v[up].cat == EX_QUEUED)
            return false;
    return t->v[i].cat != EX_ABSENT;
}

void causes_leaves(const struct explain_tree *t, struct leaves *out)
{
    struct leaf_rows p = {0};
    bool ok = true;
    *out = (struct leaves){.all = t->v[0].ns};
    for (uint32_t i = 1; ok && i < t->n; i++) {
        if (is_end(t, i)) {
            const struct explain_node *at = told_by(t, i);
            ok = rows_of_add(&p, t->tr, &t->v[i], at, at->func);
        }
    }
    rows_of_take(&p, out);
}

void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at)
{
    const bool writes = explain_waits_outside(cat) && at->stack && causes_writes(tr, at->stack);
    const bool torn = cat == EX_OPEN && trace_info(tr)->ndamages; /* its end may be in the missing part */
    text_add(t, "%s",
             torn             ? "waiting without a recorded end"
             : !writes        ? explain_cat_name(cat)
             : cat == EX_PIPE ? "waiting to write to a pipe"
                              : "waiting to write to the network");
    const unsigned calls = at->mixed ? 1 : EXPLAIN_CALLS;
    if (at->stack && cat == EX_RUN) {
        ran_text(t, tr, &at->ran, at->stack, at->frame, calls);
    } else if (at->stack) {
        text_add(t, "%s", cat == EX_QUEUED ? " by " : " in ");
        text_calls(t, tr, at->stack, at->frame, calls);
    }
    if (at->stack && at->mixed)
        caller_text(t, tr, &at->by);
}
