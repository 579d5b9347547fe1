/* work.c - the works of a program with their trees and weights: see work.h. */
#include "triage/work/work.h"

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/tables/slices.h"
#include "triage/work/sampled.h"

ORDER(cmp_work, struct work, LEAST(r->background) MOST(r->weight) LEAST(r->kind) LEAST(r->name))

static void weigh(struct works *all)
{
    double most = 0;
    each_of(w, all->v, all->n) {
        w->weight = work_counted(w);
        w->background |=
            (!work_awaited(w) || w->lives) &&
            !w->own; /* a library's own work: what it does for the program is in the program's trees */
        most = work_counts(w) && w->weight > most ? w->weight : most;
    }
    for (uint32_t i = 0; i < all->n; i++) {
        all->v[i].weight = most > 0 ? all->v[i].weight / most : 0;
        all->v[i].weight = all->v[i].weight < 1 ? all->v[i].weight : 1;
    }
    sort(all->v, all->n, cmp_work);
}

struct trees { /* the works' trees, made by several threads */
    struct causes *c;
    struct works *all;
    uint32_t next; /* the first work that no thread has taken */
};

/* Make trees until every work has one. */
static bool trees_some(void *arg, size_t i, void **kept)
{
    struct trees *t = arg;
    struct explainer *x = explain_new(t->c->tr, t->all->own);
    struct sampled *sampled = sampled_new(t->c->tr, t->all->own);
    bool ok = x && sampled;
    (void)i;
    *kept = NULL;
    for (uint32_t k; ok && (k = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) < t->all->n;) {
        explain_budget(x, TREE_SPANS);
        ok = tree_make(t->c, t->all, x, sampled, &t->all->v[k]);
    }
    sampled_free(sampled);
    explain_free(x);
    return ok;
}

uint64_t works_passed(const struct causes *c, uint32_t waiter, uint32_t waker)
{
    return (uint64_t)sum_over(p, c->tg->pairs, works_pairs(c),
                              p->waiter == waiter && p->waker == waker && wait_passes_on(p->kind) ? p->count
                                                                                                  : 0);
}

bool works_new(struct causes *c, struct works *out)
{
    *out = (struct works){.tr = c->tr, .own = owners_new(c->tr)};
    const int threads = trace_threads(c->tr);
    struct trees trees = {.c = c, .all = out};
    const bool ok = out->own && stands_find(c, out) && works_find(c, out) &&
                    slices_each(threads, (size_t)threads, &(struct slices_job){trees_some, .arg = &trees});
    for (uint32_t i = 0; ok && i < out->n; i++)
        out->v[i].at_once = c->tg->end > 0 ? (double)out->v[i].total / (double)c->tg->end : 0;
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
