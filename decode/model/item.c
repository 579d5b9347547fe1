/*
 * item.c - see item.h.
 */
#include "decode/model/item.h"

size_t item_count(const struct trace *tr, enum item_kind k)
{
    const struct task *t;
    const struct region *g;
    const struct logmsg *m;
    const struct sample *s;
    const struct range *r;
    return k == ITEM_TASK     ? trace_tasks(tr, &t)
           : k == ITEM_REGION ? trace_regions(tr, &g)
           : k == ITEM_LOG    ? trace_logs(tr, &m)
           : k == ITEM_SAMPLE ? trace_samples(tr, &s)
                              : trace_ranges(tr, (enum range_kind)k, &r);
}

static void of_task(const struct task *t, struct item *x)
{
    *x = (struct item){t->t0, t->t1,    t->id,   x->index,  t->name, t->stack,      0,
                       t->g,  t->g_end, NO_LANE, ITEM_TASK, 0,       t->open_start, t->open_end};
}

static void of_region(const struct region *r, struct item *x)
{
    const uint8_t depth = r->depth > 8 ? 9 : (uint8_t)(r->depth + 1);
    *x = (struct item){r->t0, r->t1, r->task, x->index,    r->name, r->stack,      r->stack_end,
                       r->g,  r->g,  NO_LANE, ITEM_REGION, depth,   r->open_start, r->open_end};
}

static void of_range(const struct range *r, struct item *x)
{
    const bool by_p = r->kind == RANGE_SWEEP || r->scope_p;
    const uint32_t g = by_p || r->kind == RANGE_GC ? NO_LANE : r->owner;
    *x = (struct item){r->t0, r->t1, r->kind, x->index, r->name, r->stack,      0,
                       g,     g,     NO_LANE, r->kind,  0,       r->open_start, r->open_end};
    x->p = by_p ? r->owner : NO_LANE;
}

bool item_at(const struct trace *tr, enum item_kind k, size_t i, struct item *x)
{
    const struct task *t;
    const struct region *g;
    const struct logmsg *m;
    const struct sample *s;
    const struct range *r;
    *x = (struct item){.index = (uint32_t)i, .kind = (uint8_t)k, .p = NO_LANE};
    if (i >= item_count(tr, k))
        return false;
    if (k == ITEM_TASK && trace_tasks(tr, &t)) {
        of_task(&t[i], x);
    } else if (k == ITEM_REGION && trace_regions(tr, &g)) {
        of_region(&g[i], x);
    } else if (k == ITEM_LOG && trace_logs(tr, &m)) {
        *x = (struct item){m[i].t, m[i].t,  m[i].task, x->index, m[i].message, m[i].stack, 0, m[i].g,
                           m[i].g, NO_LANE, ITEM_LOG,  1,        false,        false};
    } else if (k == ITEM_SAMPLE && trace_samples(tr, &s)) {
        *x = (struct item){s[i].t, s[i].t, 0,       x->index,    0, s[i].stack, 0,
                           s[i].g, s[i].g, NO_LANE, ITEM_SAMPLE, 0, false,      false};
    } else {
        (void)trace_ranges(tr, (enum range_kind)k, &r);
        of_range(&r[i], x);
    }
    return true;
}

bool item_next(const struct trace *tr, enum item_kind k, size_t *i, struct item *out)
{
    const struct range *r;
    struct range one;
    const size_t at = (*i)++;
    if (!item_at(tr, k, at, out))
        return false;
    if (k == ITEM_STW) {
        const size_t n = trace_ranges(tr, RANGE_STW, &r);
        one = r[at];
        *i = trace_stop(r, n, at, &one);
        of_range(&one, out);
    }
    return true;
}
