/*
 * samples.c - CPU samples by function. A function counts once per sample in `cum` however often it recurs on
 * the stack.
 */
#include "triage/tri.h"

#include <stdlib.h>

#include "decode/base/mem.h"

struct tally {
    struct triage *tg;
    struct tab stacks, funcs;
    struct of_stack {
        uint64_t count;
        uint32_t stack;
    } * row; /* by row of `stacks` */
    uint32_t n;
    size_t cap, cap_rows;
};

static bool count_stack(struct tally *y, uint32_t stack)
{
    bool made;
    struct of_stack *r = tab_row(&y->stacks, y->row, y->n, y->cap, stack, 0, &made);
    if (!r)
        return false;
    r->stack = stack;
    r->count++;
    return true;
}

static struct sample_row *row_of(struct tally *y, uint32_t func)
{
    bool made;
    struct sample_row *r = tab_row(&y->funcs, y->tg->samples, y->tg->nsamples, y->cap_rows, func, 0, &made);
    if (r)
        r->func = func;
    return r;
}

static bool seen_deeper(const struct trace *tr, uint32_t stack, uint32_t i, uint32_t func)
{
    for (uint32_t k = 0; k < i; k++)
        if (trace_frame(tr, stack, k).func == func)
            return true;
    return false;
}

static bool count_functions(struct tally *y)
{
    const struct trace *tr = y->tg->tr;
    for (uint32_t i = 0; i < y->n; i++) {
        const struct of_stack *s = &y->row[i];
        uint32_t depth = trace_stack(tr, s->stack);
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t func = trace_frame(tr, s->stack, k).func;
            struct sample_row *r;
            if (seen_deeper(tr, s->stack, k, func))
                continue;
            r = row_of(y, func);
            if (!r)
                return false;
            r->cum += s->count;
            r->flat += k == 0 ? s->count : 0;
        }
    }
    return true;
}

static int cmp_sample(const void *a, const void *b)
{
    const struct sample_row *x = a, *y = b;
    return x->flat != y->flat ? (x->flat < y->flat) - (x->flat > y->flat)
           : x->cum != y->cum ? (x->cum < y->cum) - (x->cum > y->cum)
                              : (x->func > y->func) - (x->func < y->func);
}

bool triage_samples(struct triage *tg)
{
    const struct sample *s;
    size_t n = trace_samples(tg->tr, &s);
    struct tally y = {.tg = tg};
    bool ok = true;
    tg->sample_count = n;
    for (size_t i = 0; i < n && ok; i++)
        ok = count_stack(&y, s[i].stack);
    ok = ok && count_functions(&y);
    if (ok && tg->nsamples)
        qsort(tg->samples, tg->nsamples, sizeof *tg->samples, cmp_sample);
    tab_free(&y.stacks);
    tab_free(&y.funcs);
    mem_free(y.row);
    return ok;
}
