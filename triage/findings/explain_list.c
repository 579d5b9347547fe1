/* explain_list.c - an explanation as a list of its parts: see explain.h. */
#include "triage/findings/explain.h"

#include "decode/base/mem.h"
#include "triage/tables/slices.h"

struct listing {
    struct explain_list *l;
    bool failed;
};

static uint32_t list_part(void *arg, uint32_t up, const struct explain_part *p)
{
    struct listing *k = arg;
    struct explain_list *l = k->l;
    struct explain_item *v = l->n < EXPLAIN_ITEMS ? mem_grow(l->v, &l->cap, l->n + 1, sizeof *v) : NULL;
    if (!v) {
        k->failed |= l->n < EXPLAIN_ITEMS;
        l->cut = true;
        return NO_LANE;
    }
    l->v = v;
    v[l->n++] = (struct explain_item){*p, up};
    return (uint32_t)l->n;
}

/* Parts come last first, a wait before its own. Reverse them, with each wait before what explains it. */
static bool list_turn(struct explain_list *l)
{
    struct explain_item *v = mem_alloc((l->n + 1) * sizeof *v);
    uint32_t *to = mem_alloc((l->n + 1) * sizeof *to), *end = mem_zalloc((l->n + 1) * sizeof *end);
    if (v && to && end) {
        for (size_t i = l->n; i-- > 0;) { /* number of parts below each */
            end[i]++;
            if (l->v[i].up && l->v[i].up <= i)
                end[l->v[i].up - 1] += end[i];
        }
        size_t root = l->n;
        uint32_t *room = mem_alloc((l->n + 1) * sizeof *room);
        for (size_t i = 0; room && i < l->n; i++) {
            uint32_t up = l->v[i].up;
            if (up && up <= i) {
                room[up - 1] -= end[i];
                to[i] = room[up - 1];
            } else {
                root -= end[i];
                to[i] = (uint32_t)root;
            }
            room[i] = to[i] + end[i];
            v[to[i]] = l->v[i];
            v[to[i]].up = up && up <= i ? to[up - 1] : NO_LANE;
            (void)slices_tick(); /* run to the end even if cancelled */
        }
        l->cut |= !room;
        mem_free(room);
        mem_free(l->v);
        l->v = v;
        l->cap = l->n + 1;
        v = NULL;
    }
    mem_free(to);
    mem_free(end);
    bool ok = v == NULL;
    mem_free(v);
    return ok;
}

bool explain_list_piece(struct explainer *x, const struct workpiece *p, struct explain_list *out)
{
    struct listing k = {.l = out};
    *out = (struct explain_list){0};
    bool ok = explain_piece(x, p, list_part, &k, &out->cut) && !k.failed && list_turn(out);
    if (!ok)
        explain_list_free(out);
    return ok;
}

bool explain_list(struct explainer *x, uint32_t g, int64_t a, int64_t b, struct explain_list *out)
{
    const struct workpiece p = workpiece_of_g(g, a, b);
    return explain_list_piece(x, &p, out);
}

void explain_list_free(struct explain_list *l)
{
    mem_free(l->v);
    *l = (struct explain_list){0};
}
