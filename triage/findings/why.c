/*
 * why.c - see why.h.
 */
#include "triage/findings/why.h"

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/tables/slices.h"
#include "triage/tables/tab.h"

#define DEEP 8            /* number of levels with rows */
#define BUDGET 500000     /* spans that give an answer at once */
#define BUDGET_GROWS 5000 /* for a growing trace, which cannot be held up longer */
#define LONG_GROWS 8000   /* and the bound on spans in the interval itself, which are all walked */

static uint8_t state_of(const struct explain_part *p)
{
    switch ((enum explain_cat)p->cat) {
    case EX_RUN: return ST_RUNNING;
    case EX_ASSIST: return ST_ASSIST;
    case EX_SYSCALL: return ST_SYSCALL;
    case EX_RUNNABLE:
    case EX_NOBODY: return ST_RUNNABLE;
    case EX_STOPPED: return ST_STW;
    case EX_ABSENT: return ST_NONE;
    case EX_UNKNOWN: return ST_UNKNOWN;
    default: return ST_WAITING;
    }
}

static bool leaves_of(struct why *y, const struct explain_list *l)
{
    y->leaf = mem_alloc((l->n + 1) * sizeof *y->leaf);
    for (size_t i = 0; y->leaf && i < l->n; i++) {
        const struct explain_part *p = &l->v[i].part;
        if (!p->followed)
            y->leaf[y->nleaves++] = (struct why_leaf){p->t0, p->t1, p->g, state_of(p)};
    }
    return y->leaf;
}

ORDER(cmp_member, struct why_member, LEAST(r->depth) MOST(r->ns) LEAST(r->g))

/* Sort the goroutines by distance from the one asked for, then by time; drop those with less than half a
 * percent. */
static bool chain_of(struct why *y, const struct explain_list *l)
{
    struct tab by = {0};
    struct why_member *m = NULL;
    uint32_t n = 0;
    bool ok = true, made;
    for (size_t i = 0; i < l->n && ok && slices_tick(); i++) {
        const struct explain_part *p = &l->v[i].part;
        struct why_member *k = tab_row(&by, m, n, p->g, 0, &made);
        ok = k;
        if (!ok)
            break;
        if (made)
            *k = (struct why_member){p->g, p->depth, 0, p->t0, p->t1};
        k->depth = p->depth < k->depth ? p->depth : k->depth;
        k->ns += p->followed ? 0 : p->t1 - p->t0;
        k->first = p->t0 < k->first ? p->t0 : k->first;
        k->last = p->t1 > k->last ? p->t1 : k->last;
    }
    if (ok && n)
        sort(m, n, cmp_member);
    for (uint32_t i = 0; ok && i < n && y->nchain < WHY_CHAIN; i++)
        if (!m[i].depth || m[i].ns >= (y->t1 - y->t0) / 200)
            y->chain[y->nchain++] = m[i];
    tab_free(&by);
    mem_free(m);
    return ok;
}

static void rows_of(struct why *y, uint32_t node, int depth)
{
    const struct work_tree *t = &y->tree;
    for (uint32_t k = t->v[node].first; k != NO_LANE && y->nrows < WHY_ROWS; k = t->v[k].next) {
        if (t->v[k].ns[TREE_ALL] < t->v[0].ns[TREE_ALL] / 200)
            continue;
        y->row[y->nrows].node = k;
        y->row[y->nrows++].depth = depth;
        if (depth + 1 < DEEP)
            rows_of(y, k, depth + 1);
    }
}

struct why_job {
    const struct trace *tr;
    struct why *y;
    struct slices *run; /* NULL: no thread could be created, or nothing is left to do */
    uint64_t budget;    /* spans */
};

/* Returns false if out of memory or cancelled. */
static bool make(void *arg)
{
    struct why_job *j = arg;
    struct why *y = j->y;
    struct explainer *x = explain_new(j->tr, NULL);
    struct explain_list l = {0};
    const struct workpiece p = workpiece_at(j->tr, y->g, y->t0, y->t1);
    bool ok = x && tree_explain(&y->tree, j->tr, x, &p, 1, 1, j->budget);
    y->task = p.task;
    if (ok) {
        explain_budget(x, j->budget);
        ok = explain_list(x, p, &l) && slices_tick() && leaves_of(y, &l) && slices_tick() && chain_of(y, &l);
        y->cut = y->tree.cut || l.cut;
        explain_list_free(&l);
    }
    explain_free(x);
    if (!ok)
        return false;
    rows_of(y, 0, 0);
    return true;
}

static bool grows(const struct trace *tr)
{
    return !trace_info(tr)->done || trace_info(tr)->more;
}

bool why_long(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    return grows(tr) && trace_count(tr, lane_g(g), t0, t1) > LONG_GROWS;
}

struct why_job *why_begin(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct why_job *j = mem_zalloc(sizeof *j);
    if (!j || !(j->y = mem_zalloc(sizeof *j->y))) {
        mem_free(j);
        return NULL;
    }
    j->tr = tr;
    j->y->g = g;
    j->y->t0 = t0;
    j->y->t1 = t1;
    j->budget = grows(tr) ? BUDGET_GROWS : BUDGET;
    j->run = grows(tr) ? NULL : slices_new(make, j);
    return j;
}

bool why_step(struct why_job *j, int64_t budget_ns, struct why **out)
{
    const enum slices_state now = j->run    ? slices_run(j->run, budget_ns)
                                  : make(j) ? SLICES_DONE
                                            : SLICES_FAILED;
    *out = NULL;
    if (now == SLICES_MORE)
        return false;
    if (now == SLICES_DONE) {
        *out = j->y;
        j->y = NULL;
    }
    return true;
}

void why_end(struct why_job *j)
{
    if (j) {
        slices_free(j->run);
        why_free(j->y);
        mem_free(j);
    }
}

void why_free(struct why *y)
{
    if (y) {
        tree_free(&y->tree);
        mem_free(y->leaf);
        mem_free(y);
    }
}

uint32_t why_leaf_from(const struct why *y, int64_t t)
{
    return bisected(y->nleaves, i, y->leaf[i].t1 <= t);
}
