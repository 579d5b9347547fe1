/*
 * groups.c - after all goroutines are counted: sorts the groups and the tables.
 */
#include "triage/tri.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

static int cmp_big(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int cmp_group(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    int c = cmp_big(x->d[GM_EXEC].total, y->d[GM_EXEC].total);
    return c ? c : (x->first_member > y->first_member) - (x->first_member < y->first_member);
}

/* Places each goroutine's value with those of its group. Most goroutines do little, so most values are 0. */
static void values_by_group(const struct triage *tg, enum gmetric m, int64_t *v, size_t *next)
{
    int64_t ns[GSTATS_ROWS];
    for (uint32_t g = 0, n; g < tg->ng; g += n) {
        if (gstats_none(tg->g, g, m, &n))
            continue;
        n = gstats_ns(tg->g, g, m, ns);
        for (uint32_t i = 0; i < n; i++)
            if (ns[i])
                v[next[gstat_group(tg->g, g + i)]++] = ns[i];
        if (!slices_tick())
            return;
    }
}

struct dist *triage_group_dists(const struct triage *tg, enum gmetric m)
{
    struct dist *d = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *d);
    size_t *next = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *next), at = 0;
    int64_t *v = mem_zalloc(((size_t)tg->ng + 1) * sizeof *v);
    const bool ok = d && next && v;
    for (uint32_t i = 0; ok && i < tg->ngroups; at += tg->groups[i++].count)
        next[i] = at;
    if (ok)
        values_by_group(tg, m, v, next);
    at = 0;
    for (uint32_t i = 0; ok && i < tg->ngroups; at += tg->groups[i++].count)
        dist_of(&d[i], v + at, tg->groups[i].count);
    mem_free(next);
    mem_free(v);
    if (!ok)
        mem_free(d);
    return ok ? d : NULL;
}

static bool groups_sort(struct triage *tg)
{
    uint32_t *to = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *to);
    if (!to)
        return false;
    if (tg->ngroups)
        qsort(tg->groups, tg->ngroups, sizeof *tg->groups, cmp_group);
    for (uint32_t i = 0; i < tg->ngroups; i++)
        to[gstat_group(tg->g, tg->groups[i].first_member)] = i;
    gstats_regroup(tg->g, 0, tg->ng, to);
    mem_free(to);
    return true;
}

/* A row of wait_of and its group: sorted by group, then largest first. */
struct of_group {
    uint32_t group;
    const struct wait_of *w;
};

static int cmp_of_group(const void *a, const void *b)
{
    const struct of_group *x = a, *y = b;
    if (x->group != y->group)
        return (x->group > y->group) - (x->group < y->group);
    const int c = cmp_big(x->w->total, y->w->total);
    return c ? c : (x->w->reason > y->w->reason) - (x->w->reason < y->w->reason);
}

static bool rows_of_groups(const struct triage *tg, struct of_group *rows)
{
    const struct triage_work *wk = tg->work;
    struct tab by_name = {0};
    bool ok = true;
    for (uint32_t i = 0; i < tg->ngroups && ok; i++)
        ok = tab_put(&by_name, tg->groups[i].name, 0, i) != TAB_NONE;
    for (uint32_t i = 0; i < wk->nwait_of && ok; i++)
        rows[i] = (struct of_group){tab_get(&by_name, wk->wait_of[i].name, 0), &wk->wait_of[i]};
    tab_free(&by_name);
    if (ok && wk->nwait_of)
        qsort(rows, wk->nwait_of, sizeof *rows, cmp_of_group);
    return ok;
}

static bool group_waits(struct triage *tg)
{
    const uint32_t n = tg->work->nwait_of;
    struct of_group *rows = mem_alloc(((size_t)n + 1) * sizeof *rows);
    struct group_wait *v = mem_alloc(((size_t)n + 1) * sizeof *v);
    const bool ok = rows && v && rows_of_groups(tg, rows);
    for (uint32_t i = 0; i < n && ok; i++) {
        const struct wait_of *w = rows[i].w;
        struct group *g = &tg->groups[rows[i].group];
        v[i] = (struct group_wait){w->reason, w->count, w->total, w->longest};
        if (g->nwaits++ == 0)
            g->waits = i;
    }
    mem_free(rows);
    tg->group_waits = v;
    return ok;
}

static int cmp_wait(const void *a, const void *b)
{
    const struct wait_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c                        ? c
           : x->reason != y->reason ? (x->reason > y->reason) - (x->reason < y->reason)
                                    : (x->stack > y->stack) - (x->stack < y->stack);
}

static bool waits_sort(struct triage *tg)
{
    const size_t n = tg->nwaits;
    struct keyed_row *order = mem_alloc((n + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < n; i++)
        order[i] = (struct keyed_row){most_first(tg->waits[i].total), i};
    const bool ok = order && rows_sort(order, n) && rows_order(tg->waits, sizeof *tg->waits, order, n);
    for (size_t i = 0, end; ok && i < n; i = end) { /* of those that lasted as long */
        for (end = i + 1; end < n && order[end].key == order[i].key;)
            end++;
        if (end - i > 1)
            qsort(tg->waits + i, end - i, sizeof *tg->waits, cmp_wait);
    }
    mem_free(order);
    return ok;
}

static int cmp_syscall(const void *a, const void *b)
{
    const struct syscall_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c ? c : (x->stack > y->stack) - (x->stack < y->stack);
}

bool triage_groups_end(struct triage *tg)
{
    if (!groups_sort(tg) || !group_waits(tg) || !waits_sort(tg))
        return false;
    if (tg->nsyscalls)
        qsort(tg->syscalls, tg->nsyscalls, sizeof *tg->syscalls, cmp_syscall);
    return true;
}
