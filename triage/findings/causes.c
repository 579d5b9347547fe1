/* causes.c - see causes.h. */
#include "triage/findings/causes.h"

#include "decode/base/mem.h"
#include "triage/findings/asks.h"

uint32_t causes_group(const struct causes *c, uint32_t name)
{
    return tab_get(&c->by_name, name, 0);
}

static void life_of(struct causes *c, uint32_t i)
{
    const struct group *g = &c->tg->groups[i];
    struct group_life *l = &c->life[i];
    for (uint32_t k = 0; k < g->nwaits; k++) {
        const struct group_wait *w = &c->tg->group_waits[g->waits + k];
        enum wait_kind kind = stacks_wait_kind(c->tr, w->reason, 0);
        kind = str_is(trace_str(c->tr, w->reason), "sync") ? WK_LOCK : kind;
        l->by[kind] = ns_add(l->by[kind], w->total);
    }
    l->life = g->d[GM_LIFE].total;
    l->program = !g->is_system && stacks_is_program(c->tr, g->name);
    l->n = l->last > l->first ? (double)l->life / (double)(l->last - l->first) : 0;
}

static bool groups(struct causes *c)
{
    const struct triage *tg = c->tg;
    c->life = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *c->life);
    if (!c->life || !causes_members(c))
        return false;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        if (tab_put(&c->by_name, tg->groups[i].name, 0, i) == TAB_NONE)
            return false;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        c->life[i].first = tg->groups[i].first;
        c->life[i].last = tg->groups[i].last;
    }
    return true;
}

/* Find those among the rows with the most time. */
static bool accepts(struct causes *c)
{
    enum { ROWS = 4096 };
    const uint32_t waits = c->tg->nwaits < ROWS ? c->tg->nwaits : ROWS,
                   pairs = c->tg->npairs < ROWS ? c->tg->npairs : ROWS;
    c->accepts = mem_alloc(((size_t)waits + pairs + 1) * sizeof *c->accepts);
    for (uint32_t i = 0; c->accepts && i < waits; i++)
        if (c->tg->waits[i].kind == WK_NET && calls_accepting(c->tr, c->tg->waits[i].stack))
            c->accepts[c->naccept_waits++] = i;
    for (uint32_t i = 0; c->accepts && i < pairs; i++)
        if (c->tg->pairs[i].kind == WK_NET && calls_accepting(c->tr, c->tg->pairs[i].stack))
            c->accepts[c->naccept_waits + c->naccept_pairs++] = i;
    return c->accepts;
}

bool causes_init(struct causes *c, const struct triage *tg)
{
    const struct gbucket *counts;
    int64_t width;
    *c = (struct causes){.tg = tg, .tr = tg->tr};
    (void)trace_gcounts(c->tr, &width, &counts); /* the first call sums them up */
    if (!groups(c) || !accepts(c)) {
        causes_free(c);
        return false;
    }
    int64_t exec = 0, busy = 0;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        life_of(c, i);
        exec = ns_add(exec, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_EXEC].total);
    }
    for (int s = ST_SCHED; s <= ST_SYSCALL; s++)
        busy = ns_add(busy, tg->p_sum.ns[s]);
    const double end = tg->end > 0 ? (double)tg->end : 1;
    c->procs = tg->capacity > 0 ? (double)tg->capacity / end : 1;
    c->running = (double)exec / end;
    c->idle = c->procs - (double)ns_add(busy, tg->lost) / end;
    c->idle = c->idle > 0 ? c->idle : 0;
    return true;
}

void causes_free(struct causes *c)
{
    tab_free(&c->by_name);
    mem_free(c->life);
    mem_free(c->of);
    mem_free(c->member);
    mem_free(c->accepts);
}
