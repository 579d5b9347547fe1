/* explain_list.c - an explanation as a list of its parts: see explain.h. */
#include "triage/findings/explain.h"

#include "decode/base/mem.h"
#include "decode/base/order.h"

static uint32_t list_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct explain_list *l = arg;
    (void)up;
    if (l->n >= EXPLAIN_ITEMS || !mem_room(l->v, l->cap, l->n + 1)) {
        l->failed |= l->n < EXPLAIN_ITEMS;
        l->cut = true;
        return 0;
    }
    l->v[l->n++] = (struct explain_item){*p, NO_LANE};
    return 0;
}

ORDER(cmp_item, struct explain_item, LEAST(r->part.t0) LEAST(r->part.depth))

/* Sort by time, a wait before what explains it. Parts of one level are adjacent, so a part explains the last
 * one before it that is a level higher. */
static void list_sort(struct explain_list *l)
{
    uint32_t last[EXPLAIN_DEPTH + 1] = {0};
    sort(l->v, l->n, cmp_item);
    for (uint32_t i = 0; i < l->n; i++) {
        const unsigned depth = l->v[i].part.depth;
        l->v[i].up = depth ? last[depth - 1] : NO_LANE;
        last[depth] = i;
    }
}

bool explain_list(struct explainer *x, struct workpiece p, struct explain_list *out)
{
    *out = (struct explain_list){0};
    const bool ok = explain_walk(x, p, list_part, out, &out->cut) && !out->failed;
    if (ok)
        list_sort(out);
    else
        explain_list_free(out);
    return ok;
}

void explain_list_free(struct explain_list *l)
{
    mem_free(l->v);
    *l = (struct explain_list){0};
}
