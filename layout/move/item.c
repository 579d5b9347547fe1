/*
 * item.c - see item.h.
 */
#include "layout/move/item.h"

size_t item_count(const struct trace *tr, enum item_kind k)
{
    const struct task *t;
    const struct region *g;
    const struct logmsg *m;
    const struct range *r;
    return k == ITEM_TASK     ? trace_tasks(tr, &t)
           : k == ITEM_REGION ? trace_regions(tr, &g)
           : k == ITEM_LOG    ? trace_logs(tr, &m)
                              : trace_ranges(tr, (enum range_kind)k, &r);
}

static struct item of_task(const struct task *t, uint32_t at)
{
    return (struct item){t->t0,    t->t1, t->id,     at, t->name,
                         t->stack, t->g,  ITEM_TASK, 0,  t->open_start || t->open_end};
}

static struct item of_region(const struct region *r, uint32_t at)
{
    const int depth = r->depth > 8 ? 9 : r->depth + 1;
    return (struct item){r->t0,    r->t1, r->task,     at,    r->name,
                         r->stack, r->g,  ITEM_REGION, depth, r->open_start || r->open_end};
}

static struct item of_range(const struct range *r, enum item_kind k, uint32_t at)
{
    const bool by_g = (k == ITEM_STW || k == ITEM_ASSIST) && !r->scope_p;
    return (struct item){r->t0,
                         r->t1,
                         k,
                         at,
                         r->name,
                         r->stack,
                         by_g ? r->owner : NO_LANE,
                         k,
                         0,
                         r->open_start || r->open_end};
}

bool item_next(const struct trace *tr, enum item_kind k, size_t *i, struct item *out)
{
    const struct task *t;
    const struct region *g;
    const struct logmsg *m;
    const struct range *r;
    struct range one;
    const size_t n = item_count(tr, k), at = *i;
    if (at >= n)
        return false;
    *i = at + 1;
    if (k == ITEM_TASK && trace_tasks(tr, &t)) {
        *out = of_task(&t[at], (uint32_t)at);
    } else if (k == ITEM_REGION && trace_regions(tr, &g)) {
        *out = of_region(&g[at], (uint32_t)at);
    } else if (k == ITEM_LOG && trace_logs(tr, &m)) {
        m += at;
        *out = (struct item){m->t, m->t, m->task, (uint32_t)at, m->message, m->stack, m->g, k, 1, false};
    } else {
        (void)trace_ranges(tr, (enum range_kind)k, &r);
        one = r[at];
        *i = k == ITEM_STW ? trace_stop(r, n, at, &one) : at + 1;
        *out = of_range(&one, k, (uint32_t)at);
    }
    return true;
}
