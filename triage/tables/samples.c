/*
 * samples.c - CPU samples: top functions, by state and by goroutine group. A function counts once per sample
 * in `cum` however often it recurs on the stack.
 */
#include "triage/tri.h"

#include <stdlib.h>

#include "decode/base/mem.h"

struct tally {
    struct triage *tg;
    struct tab stacks, funcs;
    uint64_t *count; /* by row of `stacks` */
    uint32_t *stack;
    uint32_t n;
    size_t cap_count, cap_stack, cap_rows;
};

static bool count_stack(struct tally *y, uint32_t stack)
{
    uint32_t i = tab_put(&y->stacks, stack, 0, y->n);
    if (i == TAB_NONE)
        return false;
    if (i == y->n) {
        uint64_t *c = mem_grow(y->count, &y->cap_count, (size_t)i + 1, sizeof *c);
        uint32_t *s;
        if (!c)
            return false;
        y->count = c;
        s = mem_grow(y->stack, &y->cap_stack, (size_t)i + 1, sizeof *s);
        if (!s)
            return false;
        y->stack = s;
        c[i] = 0;
        s[i] = stack;
        y->n++;
    }
    y->count[i]++;
    return true;
}

static struct sample_row *row_of(struct tally *y, uint32_t func)
{
    struct triage *tg = y->tg;
    uint32_t i = tab_put(&y->funcs, func, 0, tg->nsamples);
    if (i == TAB_NONE)
        return NULL;
    if (i == tg->nsamples) {
        struct sample_row *p = mem_grow(tg->samples, &y->cap_rows, (size_t)i + 1, sizeof *p);
        if (!p)
            return NULL;
        tg->samples = p;
        p[i] = (struct sample_row){.func = func};
        tg->nsamples++;
    }
    return &tg->samples[i];
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
        uint32_t depth = trace_stack(tr, y->stack[i]);
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t func = trace_frame(tr, y->stack[i], k).func;
            struct sample_row *r;
            if (seen_deeper(tr, y->stack[i], k, func))
                continue;
            r = row_of(y, func);
            if (!r)
                return false;
            r->cum += y->count[i];
            r->flat += k == 0 ? y->count[i] : 0;
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

static int cmp_sample_group(const void *a, const void *b)
{
    const struct sample_group *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->group > y->group) - (x->group < y->group);
}

static bool count_groups(struct triage *tg, const struct sample *s, size_t n)
{
    uint32_t k = 0;
    struct sample_group *sg = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *sg);
    if (!sg)
        return false;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        sg[i].group = i;
    for (size_t i = 0; i < n; i++) {
        struct span sp;
        if (s[i].g < tg->ng)
            sg[gstat_group(tg->g, s[i].g)].count++;
        if (s[i].g < tg->ng && trace_span_at(tg->tr, (struct lane){LANE_G, s[i].g}, s[i].t, &sp))
            tg->sample_states[sp.state < ST_COUNT ? sp.state : 0]++;
        else
            tg->sample_states[ST_NONE]++;
    }
    qsort(sg, tg->ngroups, sizeof *sg, cmp_sample_group);
    while (k < tg->ngroups && sg[k].count)
        k++;
    tg->sample_groups = sg;
    tg->nsample_groups = k;
    return true;
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
    ok = ok && (n == 0 || count_groups(tg, s, n));
    tab_free(&y.stacks);
    tab_free(&y.funcs);
    mem_free(y.count);
    mem_free(y.stack);
    return ok;
}
