/* allocs.c - see allocs.h. */
#include "triage/tables/allocs.h"

#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/slices.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

#define LOOKS 200000 /* the most pieces of evidence of one kind that are examined */

enum kind { STARTS, ASSISTS, SAMPLES, SWEEPS, KINDS };
struct seen { /* by stack */
    uint32_t stack, func;
    uint64_t n[KINDS];
    int64_t assist_ns;
};
struct look {
    const struct trace *tr;
    struct seen *v;
    uint32_t n;
    struct tab by_stack, by_func;
};

static bool see(struct look *k, enum kind what, uint32_t stack, int64_t ns)
{
    struct seen *v = stack ? tab_row_with(&k->by_stack, k->v, k->n, stack, 0, .stack = stack,
                                          .func = stacks_place(k->tr, stack))
                           : NULL;
    if (v) {
        v->n[what]++;
        v->assist_ns = ns_add(v->assist_ns, ns);
    }
    return v || !stack;
}

/* Up to Go 1.9, and wherever a cycle has no stack of its own, the stop of the world that starts it has one.
 * Other stops come from the goroutine that ends the marking, which says little about allocation. */
uint32_t gc_begun_at(const struct trace *tr, const struct range *gc)
{
    const struct range *stw;
    const size_t n = trace_ranges(tr, RANGE_STW, &stw);
    if (gc->open_start || gc->stack)
        return gc->open_start ? 0 : gc->stack;
    const size_t lo = bisected(n, i, stw[i].t0 < gc->t0);
    if (lo && stw[lo - 1].t1 >= gc->t0)
        return stw[lo - 1].stack;
    return lo < n && stw[lo].t0 == gc->t0 ? stw[lo].stack : 0;
}

/* Looks at all evidence of a kind. A start or a sample counts only where its stack allocates. */
static bool allocs_look(struct look *k, enum kind what)
{
    static const enum range_kind kinds[] = {
        [STARTS] = RANGE_GC, [ASSISTS] = RANGE_ASSIST, [SWEEPS] = RANGE_SWEEP};
    const struct range *r = NULL;
    const struct sample *s = NULL;
    const size_t n = what == SAMPLES ? trace_samples(k->tr, &s) : trace_ranges(k->tr, kinds[what], &r);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i += n / LOOKS + 1) {
        const uint32_t stack = s ? s[i].stack : what == STARTS ? gc_begun_at(k->tr, &r[i]) : r[i].stack;
        const bool is = what == ASSISTS || what == SWEEPS || stacks_may(k->tr, stack, STACK_ALLOCATES);
        ok = (!is || see(k, what, stack, what == ASSISTS ? r[i].t1 - r[i].t0 : 0)) &&
             (i % 256 || slices_tick());
    }
    return ok;
}

/* One stack's share of all evidence. */
static double share_of(const struct seen *v, const struct seen *all)
{
    const enum kind next = all->assist_ns > 0 ? ASSISTS : all->n[SAMPLES] ? SAMPLES : SWEEPS;
    const uint64_t many = all->n[next];
    const double other = next == ASSISTS ? (double)v->assist_ns / (double)all->assist_ns
                         : many          ? (double)v->n[next] / (double)many
                                         : 0;
    const double prior = (double)(many < ALLOCS_PRIOR ? many : ALLOCS_PRIOR);
    const double n = (double)all->n[STARTS] + prior;
    return n > 0 ? ((double)v->n[STARTS] + prior * other) / n : 0;
}

ORDER(cmp_row, struct alloc_row, MOST(r->share) LEAST(r->func))

static bool allocs_rows(struct look *k, struct allocs *out)
{
    struct seen all = {0}; /* the evidence that has a function */
    each_of(v, k->v, k->n) {
        for (int what = 0; v->func && what < KINDS; what++)
            all.n[what] += v->n[what];
        all.assist_ns = ns_add(all.assist_ns, v->func ? v->assist_ns : 0);
    }
    each_of(v, k->v, k->n) {
        const double share = share_of(v, &all);
        if (!v->func)
            continue;
        struct alloc_row *r =
            tab_row_with(&k->by_func, out->row, out->n, v->func, 0, .func = v->func, .stack = v->stack);
        if (!r)
            return false;
        r->share += share;
        r->stack = share > r->most ? v->stack : r->stack;
        r->most = share > r->most ? share : r->most;
    }
    sort(out->row, out->n, cmp_row);
    const bool enough = all.n[STARTS] >= 3 || all.n[ASSISTS] + all.n[SAMPLES] + all.n[SWEEPS] >= 10;
    out->clear = out->n && enough && (out->n == 1 || out->row[0].share > 1.33 * out->row[1].share);
    return true;
}

bool allocs_of(const struct trace *tr, struct allocs *out)
{
    struct look k = {.tr = tr};
    *out = (struct allocs){0};
    const bool ok = allocs_look(&k, STARTS) && allocs_look(&k, ASSISTS) && allocs_look(&k, SWEEPS) &&
                    allocs_look(&k, SAMPLES) && allocs_rows(&k, out);
    tab_free(&k.by_stack);
    tab_free(&k.by_func);
    mem_free(k.v);
    if (!ok)
        allocs_free(out);
    return ok;
}

void allocs_free(struct allocs *a)
{
    mem_free(a->row);
    *a = (struct allocs){0};
}
