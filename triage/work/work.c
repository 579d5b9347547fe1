/* work.c - the works of a program with their trees and weights: see work.h. */
#include "triage/work/work.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/work/sampled.h"

/* Returns the time of all pieces of a work that counts, estimated from the explained sample. */
static double counted(const struct work *w)
{
    const int64_t all = w->tree.n ? w->tree.v[0].ns[TREE_ALL] : 0;
    return all > 0 ? (double)w->total * (double)tree_ns(&w->tree, TREE_ALL) / (double)all : 0;
}

static int cmp_work(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    return x->background != y->background ? x->background - y->background
           : x->weight != y->weight       ? (x->weight < y->weight ? 1 : -1)
           : x->kind != y->kind           ? (int)x->kind - (int)y->kind
                                          : (x->name > y->name) - (x->name < y->name);
}

static void weigh(struct works *all)
{
    double most = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        struct work *w = &all->v[i];
        w->weight = counted(w);
        w->background |=
            (!work_awaited(w) || w->lives) &&
            !w->user; /* a library's own work: what it does for the program is in the program's trees */
        most = !w->background && w->weight > most ? w->weight : most;
    }
    for (uint32_t i = 0; i < all->n; i++) {
        all->v[i].weight = most > 0 ? all->v[i].weight / most : 0;
        all->v[i].weight = all->v[i].weight < 1 ? all->v[i].weight : 1;
    }
    if (all->n)
        qsort(all->v, all->n, sizeof *all->v, cmp_work);
}

bool works_new(struct causes *c, struct works *out)
{
    *out = (struct works){.tr = c->tr, .own = owners_new(c->tr)};
    struct sampled *sampled = out->own ? sampled_new(c->tr, out->own) : NULL;
    bool ok = out->own && sampled && stands_find(c, out) && works_find(c, out);
    explain_owners(c->x, out->own);
    explain_budget(c->x, WORKS_SPANS);
    for (uint32_t i = 0; ok && i < out->n; i++) {
        ok = tree_make(c, out, sampled, &out->v[i]);
        if (ok) {
            struct work *w = &out->v[i];
            w->at_once = c->tg->end > 0 ? (double)w->total / (double)c->tg->end : 0;
        }
    }
    explain_owners(c->x, NULL);
    sampled_free(sampled);
    if (ok)
        weigh(out);
    else
        works_free(out);
    return ok;
}

void works_free(struct works *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        work_free(&w->v[i]);
    mem_free(w->v);
    mem_free(w->stand);
    owners_free(w->own);
    *w = (struct works){0};
}
