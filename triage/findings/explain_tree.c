/* explain_tree.c - explanations merged top-down: see explain.h. */
#include "triage/findings/explain.h"

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/text.h"

bool explain_tree_init(struct explain_tree *t, const struct trace *tr)
{
    *t = (struct explain_tree){.tr = tr};
    t->v = mem_grow(NULL, &t->cap, 1, sizeof *t->v);
    if (t->v) {
        t->v[t->n++] = (struct explain_node){
            .up = NO_LANE, .first = NO_LANE, .next = NO_LANE, .g = NO_LANE, .by = NO_LANE};
    }
    return t->v != NULL;
}

static uint32_t tree_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct explain_tree *t = arg;
    struct ran ran;
    uint32_t stack, frame, func = explain_place(t->tr, p, &stack, &frame, &ran);
    uint32_t who = trace_g_name(t->tr, p->g);
    uint32_t i = tab_put(&t->by, (uint64_t)up << 32 | func,
                         (uint64_t)who << 16 | (uint64_t)p->kind << 8 | p->cat, t->n);
    struct explain_node *n;
    if (i == TAB_NONE || t->failed) {
        t->failed = true;
        return up;
    }
    if (i == t->n) {
        n = mem_grow(t->v, &t->cap, (size_t)i + 1, sizeof *n);
        if (!n) {
            t->failed = true;
            return up;
        }
        t->v = n;
        n[i] = (struct explain_node){.up = up,
                                     .first = NO_LANE,
                                     .next = n[up].first,
                                     .cat = p->cat,
                                     .kind = p->kind,
                                     .func = func,
                                     .who = who,
                                     .longest = -1};
        n[up].first = i;
        t->n++;
    }
    n = &t->v[i];
    n->mixed |=
        n->count && !n->mixed && !text_calls_alike(t->tr, stack, frame, n->stack, n->frame, EXPLAIN_CALLS);
    if (n->count)
        ran_join(&n->ran, &ran);
    else
        n->ran = ran;
    n->count++;
    n->ns = ns_add(n->ns, p->t1 - p->t0);
    if (p->t1 - p->t0 > n->longest) {
        n->longest = p->t1 - p->t0;
        n->t0 = p->t0;
        n->t1 = p->t1;
        n->g = p->g;
        n->by = p->by;
        n->stack = stack;
        n->frame = frame;
        n->reason = p->reason;
    }
    return i;
}

bool explain_add(struct explainer *x, struct explain_tree *t, struct workpiece p)
{
    const bool ok = explain_walk(x, p, tree_part, t, &t->cut);
    t->handed |= explain_handed(x);
    t->v[0].ns = ns_add(t->v[0].ns, p.t1 > p.t0 ? p.t1 - p.t0 : 0);
    t->v[0].count++;
    return ok && !t->failed;
}

static int cmp_node(const void *a, const void *b, void *arg)
{
    const struct explain_tree *t = arg;
    const struct explain_node *x = &t->v[*(const uint32_t *)a], *y = &t->v[*(const uint32_t *)b];
    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns)
                          : (*(const uint32_t *)a > *(const uint32_t *)b) -
                                (*(const uint32_t *)a < *(const uint32_t *)b);
}

void explain_tree_sort(struct explain_tree *t)
{
    uint32_t *v = mem_alloc(((size_t)t->n + 1) * sizeof *v);
    for (uint32_t i = 0; v && i < t->n; i++) {
        uint32_t n = 0;
        for (uint32_t k = t->v[i].first; k != NO_LANE; k = t->v[k].next)
            v[n++] = k;
        if (n > 1) {
            host_sort(v, n, sizeof *v, cmp_node, t);
            for (uint32_t k = 0; k < n; k++)
                t->v[v[k]].next = k + 1 < n ? v[k + 1] : NO_LANE;
            t->v[i].first = v[0];
        }
    }
    mem_free(v);
}

void explain_tree_free(struct explain_tree *t)
{
    mem_free(t->v);
    tab_free(&t->by);
    *t = (struct explain_tree){0};
}
