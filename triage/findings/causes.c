/* causes.c - see causes.h. */
#include <string.h>

#include "triage/findings/causes.h"

#include "decode/base/mem.h"
#include "triage/findings/asks.h"

uint32_t causes_group(const struct causes *c, uint32_t name)
{
    return tab_get(&c->by_name, name, 0);
}

double causes_at_once(const struct causes *c, uint32_t group)
{
    const struct group *g = &c->tg->groups[group];
    return g->last > g->first ? (double)g->ns[GM_LIFE] / (double)(g->last - g->first) : 0;
}

static bool groups(struct causes *c)
{
    const struct triage *tg = c->tg;
    c->member = mem_alloc(((size_t)tg->ng + 1) * sizeof *c->member);
    c->of = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *c->of);
    bool ok = c->member && c->of;
    for (uint32_t i = 0, at = 0; ok && i < tg->ngroups; at += tg->groups[i++].count) {
        c->of[i] = (struct member_of){.at = at};
        ok = tab_put(&c->by_name, tg->groups[i].name, 0, i) != TAB_NONE;
    }
    for (uint32_t g = 0; ok && g < tg->ng; g++) {
        struct member_of *m = &c->of[tg->group_of[g]];
        c->member[m->at + m->n++] = g;
    }
    return ok;
}

enum { ROWS = 4096 }; /* those with the most time */

static bool hands_on(struct causes *c)
{
    struct {
        uint64_t handed, read;
    } *n = mem_zalloc(((size_t)c->tg->ngroups + 1) * sizeof *n);
    for (uint32_t i = 0; n && i < c->tg->npairs && i < ROWS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t by = causes_group(c, p->waker), of = causes_group(c, p->waiter);
        if (by != TAB_NONE && by != of && wait_passes_on(p->kind))
            n[by].handed += p->count;
        if (of != TAB_NONE && p->kind == WK_NET)
            n[of].read += p->count;
    }
    for (uint32_t i = 0; n && i < c->tg->ngroups; i++)
        c->of[i].hands_on = n[i].read && n[i].handed * 2 > n[i].read;
    mem_free(n);
    return n != NULL;
}

/* How many bytes of a function's name are its package's: up to the first dot of the last path element. */
static uint32_t package_len(struct str f)
{
    uint32_t from = str_dir(f);
    while (from < f.len && f.p[from] != '.')
        from++;
    return from;
}

/* The function in which a connection is accepted there, and, where that is a library's, those of its package
 * on that stack: one of them creates the goroutine that serves it. */
static bool accepts_in(struct causes *c, uint32_t stack, uint32_t row)
{
    const uint32_t place = stacks_place(c->tr, stack);
    const struct str in = trace_str(c->tr, place);
    const uint32_t len = package_len(in), n = trace_stack(c->tr, stack);
    const bool library = !str_starts(in, "main.");
    bool ok = tab_put(&c->accepts, place, 0, row) != TAB_NONE, called = false;
    for (uint32_t i = 0; ok && i < n; i++) {
        const uint32_t f = trace_frame(c->tr, stack, i).func;
        const struct str s = trace_str(c->tr, f);
        const bool same = library && package_len(s) == len && memcmp(s.p, in.p, len) == 0;
        ok = !(same || called) || tab_put(&c->accepts, f, 0, row) != TAB_NONE;
        /* a listener around another one: who calls it accepts */
        called = stacks_is_program(c->tr, f) && s.len > 7 && memcmp(s.p + s.len - 7, ".Accept", 7) == 0;
    }
    return ok;
}

static bool accepts(struct causes *c)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nwaits && i < ROWS; i++) {
        const struct wait_row *w = &c->tg->waits[i];
        if (w->kind == WK_NET && stacks_may(c->tr, w->stack, STACK_ACCEPTS))
            ok = accepts_in(c, w->stack, i);
    }
    return ok;
}

bool causes_init(struct causes *c, const struct triage *tg)
{
    const struct gbucket *counts;
    int64_t width;
    *c = (struct causes){.tg = tg, .tr = tg->tr};
    (void)trace_gcounts(c->tr, &width, &counts); /* the first call sums them up */
    if (!groups(c) || !hands_on(c) || !accepts(c)) {
        causes_free(c);
        return false;
    }
    int64_t busy = 0;
    for (int s = ST_SCHED; s <= ST_SYSCALL; s++)
        busy = ns_add(busy, tg->p_sum.ns[s]);
    const double end = tg->end > 0 ? (double)tg->end : 1;
    c->procs = tg->capacity > 0 ? (double)tg->capacity / end : 1;
    c->idle = c->procs - (double)ns_add(busy, tg->lost) / end;
    c->idle = c->idle > 0 ? c->idle : 0;
    c->ran = (double)sum_over(k, tg->groups, tg->ngroups, k->is_system ? 0 : k->ns[GM_EXEC]);
    return true;
}

void causes_free(struct causes *c)
{
    tab_free(&c->by_name);
    mem_free(c->of);
    mem_free(c->member);
    tab_free(&c->accepts);
}
