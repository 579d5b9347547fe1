/* explain_list.c - an explanation as a list of its parts: see explain.h. */
#include "triage/findings/explain.h"

#include "decode/base/mem.h"

struct listing {
    struct explain_list *l;
    bool failed;
};

static uint32_t list_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct listing *k = arg;
    struct explain_list *l = k->l;
    struct explain_item *v = l->n < EXPLAIN_ITEMS ? mem_grow(l->v, &l->cap, l->n + 1, sizeof *v) : NULL;
    (void)up;
    if (!v) {
        k->failed |= l->n < EXPLAIN_ITEMS;
        l->cut = true;
        return 0;
    }
    l->v = v;
    v[l->n++] = (struct explain_item){*p, NO_LANE};
    return 0;
}

/* Sort by time, a wait before what explains it. Parts of one level are adjacent, so a part explains the last
 * one before it that is a level higher. Returns false if out of memory. */
static bool list_sort(struct explain_list *l)
{
    uint32_t last[EXPLAIN_DEPTH + 1] = {0};
    struct keyed_row *k = mem_alloc((l->n + 1) * sizeof *k);
    for (size_t i = 0; k && i < l->n; i++)
        k[i] = (struct keyed_row){l->v[i].part.depth, (uint32_t)i};
    bool ok = k && rows_sort(k, l->n);
    for (size_t i = 0; ok && i < l->n; i++)
        k[i].key = (uint64_t)l->v[k[i].row].part.t0 ^ (uint64_t)1 << 63;
    ok = ok && rows_sort(k, l->n) && rows_order(l->v, sizeof *l->v, k, l->n);
    for (uint32_t i = 0; ok && i < l->n; i++) {
        const unsigned depth = l->v[i].part.depth;
        l->v[i].up = depth ? last[depth - 1] : NO_LANE;
        last[depth] = i;
    }
    mem_free(k);
    return ok;
}

bool explain_list(struct explainer *x, struct workpiece p, struct explain_list *out)
{
    struct listing k = {.l = out};
    *out = (struct explain_list){0};
    const bool ok = explain_walk(x, p, list_part, &k, &out->cut) && !k.failed && list_sort(out);
    if (!ok)
        explain_list_free(out);
    return ok;
}

void explain_list_free(struct explain_list *l)
{
    mem_free(l->v);
    *l = (struct explain_list){0};
}
