/*
 * groups.c - once all goroutines are counted: they are put into groups, and the tables are sorted.
 */
#include "triage/tri.h"

#include <stdlib.h>

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

/* The members of all groups one group after another: at[i] is where group i begins, at[ngroups] the end. */
static bool members_of(const struct triage *tg, uint32_t **at, uint32_t **member)
{
    uint32_t *a = mem_zalloc(((size_t)tg->ngroups + 2) * sizeof *a), *m = mem_alloc(((size_t)tg->ng + 1) * sizeof *m);
    if (!a || !m) {
        mem_free(a);
        mem_free(m);
        return false;
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        a[tg->g[g].group + 2]++;
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    for (uint32_t i = 2; i < tg->ngroups + 2; i++) {
        a[i] += a[i - 1];
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        m[a[tg->g[g].group + 1]++] = g;
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    *at = a;
    *member = m;
    return true;
}

static bool group_dists(struct triage *tg)
{
    uint32_t *at, *member;
    int64_t *v = mem_alloc(((size_t)tg->ng + 1) * sizeof *v);
    if (!v || !members_of(tg, &at, &member)) {
        mem_free(v);
        return false;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        for (int m = 0; m < GM_COUNT; m++) {
            for (uint32_t k = at[i]; k < at[i + 1]; k++) {
                v[k - at[i]] = tg->g[member[k]].ns[m];
                if (k % 1024 == 0) {
                    (void)slices_tick();
                }
            }
            dist_of(&tg->groups[i].d[m], v, at[i + 1] - at[i]);
        }
    }
    mem_free(v);
    mem_free(at);
    mem_free(member);
    return slices_tick();
}

static bool groups_sort(struct triage *tg)
{
    uint32_t *to = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *to);
    if (!to) {
        return false;
    }
    if (tg->ngroups) {
        qsort(tg->groups, tg->ngroups, sizeof *tg->groups, cmp_group);
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        to[tg->g[tg->groups[i].first_member].group] = i;
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        tg->g[g].group = to[tg->g[g].group];
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    mem_free(to);
    return true;
}

/* By group, reason, goroutine: they stand by goroutine, and the sort is stable. In place: they are many. */
static bool gw_sort(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    struct keyed_row *k = mem_alloc((wk->ngw + 1) * sizeof *k);
    bool ok = k != NULL;
    size_t steps = 0;
    for (size_t i = 0; i < wk->ngw && ok; i++) {
        k[i] = (struct keyed_row){(uint64_t)tg->g[wk->gw[i].g].group << 32 | wk->gw[i].reason, (uint32_t)i};
        ok = i % 1024 || slices_tick();
    }
    ok = ok && rows_sort(k, wk->ngw);
    for (size_t i = 0; i < wk->ngw && ok; i++) {
        struct gwait first = wk->gw[i];
        size_t at = i, from;
        for (; (from = k[at].row) != i && ok;
             at = from) { /* round the circle that i is in; it may be as long as all */
            wk->gw[at] = wk->gw[from];
            k[at].row = (uint32_t)at;
            ok = ++steps % 1024 || slices_tick();
        }
        wk->gw[at] = first;
        k[at].row = (uint32_t)at;
        ok = ok && (i % 1024 || slices_tick());
    }
    mem_free(k);
    return ok;
}

static int cmp_group_wait(const void *a, const void *b)
{
    const struct group_wait *x = a, *y = b;
    int c = cmp_big(x->d.total, y->d.total);
    return c ? c : (x->reason > y->reason) - (x->reason < y->reason);
}

static bool group_waits(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    int64_t *v = gw_sort(tg) ? mem_alloc((wk->ngw + 1) * sizeof *v) : NULL;
    size_t rows = 0, cap = 0;
    if (!v) {
        return false;
    }
    for (size_t i = 0, j; i < wk->ngw; i = j) {
        uint32_t grp = tg->g[wk->gw[i].g].group;
        struct group_wait *p = mem_grow(tg->group_waits, &cap, rows + 1, sizeof *p);
        if (!p) {
            mem_free(v);
            return false;
        }
        tg->group_waits = p;
        p += rows;
        *p = (struct group_wait){.reason = wk->gw[i].reason};
        for (j = i; j < wk->ngw && tg->g[wk->gw[j].g].group == grp && wk->gw[j].reason == p->reason; j++) {
            v[j - i] = wk->gw[j].ns;
            p->count += wk->gw[j].count;
            p->longest = wk->gw[j].longest > p->longest ? wk->gw[j].longest : p->longest;
            if (j % 1024 == 0) {
                (void)slices_tick();
            }
        }
        dist_of(&p->d, v, j - i);
        if (tg->groups[grp].nwaits++ == 0) {
            tg->groups[grp].waits = (uint32_t)rows;
        }
        rows++;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tg->groups[i].nwaits > 1) {
            qsort(tg->group_waits + tg->groups[i].waits, tg->groups[i].nwaits, sizeof *tg->group_waits,
                  cmp_group_wait);
        }
    }
    mem_free(v);
    return true;
}

static int cmp_wait(const void *a, const void *b)
{
    const struct wait_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c                        ? c
           : x->reason != y->reason ? (x->reason > y->reason) - (x->reason < y->reason)
                                    : (x->stack > y->stack) - (x->stack < y->stack);
}

static int cmp_syscall(const void *a, const void *b)
{
    const struct syscall_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c ? c : (x->stack > y->stack) - (x->stack < y->stack);
}

static int cmp_lock(const void *a, const void *b)
{
    const struct lock_wait *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

bool triage_groups_end(struct triage *tg)
{
    if (!group_dists(tg) || !groups_sort(tg) || !group_waits(tg)) {
        return false;
    }
    if (tg->nwaits) {
        qsort(tg->waits, tg->nwaits, sizeof *tg->waits, cmp_wait);
    }
    if (tg->nsyscalls) {
        qsort(tg->syscalls, tg->nsyscalls, sizeof *tg->syscalls, cmp_syscall);
    }
    if (tg->nlock_waits) {
        qsort(tg->lock_waits, tg->nlock_waits, sizeof *tg->lock_waits, cmp_lock);
    }
    return true;
}
