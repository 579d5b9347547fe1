/*
 * groups.c - once all goroutines are counted: they are put into groups, and the tables are sorted.
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

/*
 * A value of all goroutines, by group: those of small groups in one array; large ones, of which there are
 * few, are gone through twice where they stand.
 */
struct by_group {
    const struct triage *tg;
    enum gmetric what;
    struct dist_many **large; /* by group; NULL: a small one */
    uint32_t *begin, *at; /* where its values begin in v, and where the next one goes; at: of a large one how
                             many there are */
    int64_t *v;
};

static bool is_large(const struct triage *tg, uint32_t group)
{
    enum { PARTS = 16, LEAST = 8192 };
    return tg->groups[group].count > tg->ng / PARTS && tg->groups[group].count > LEAST;
}

/* large: may groups be? false: out of memory. */
static bool by_group_init(struct by_group *b, bool large)
{
    const uint32_t n = b->tg->ngroups;
    size_t small = 0;
    bool ok = true;
    b->large = mem_zalloc(((size_t)n + 1) * sizeof(struct dist_many *));
    b->begin = mem_zalloc(((size_t)n + 1) * sizeof *b->begin);
    b->at = mem_zalloc(((size_t)n + 1) * sizeof *b->at);
    for (uint32_t i = 0; i < n && b->large && b->begin && b->at && ok; i++) {
        b->begin[i] = b->at[i] = (uint32_t)small;
        if (large && is_large(b->tg, i)) {
            b->at[i] = 0;
            b->large[i] = dist_many_new();
            ok = b->large[i];
        } else {
            small += b->tg->groups[i].count;
        }
    }
    b->v = mem_alloc((small + 1) * sizeof *b->v);
    return ok && b->large && b->begin && b->at && b->v;
}

static void by_group_free(struct by_group *b)
{
    for (uint32_t i = 0; b->large && i < b->tg->ngroups; i++)
        dist_many_free(b->large[i]);
    mem_free(b->large);
    mem_free(b->begin);
    mem_free(b->at);
    mem_free(b->v);
}

/* To those of their group. Most goroutines do little, so most of these are 0, which dist_of_rest() needs not
 * see. */
static bool values_add(struct by_group *b, uint32_t group, const int64_t *ns, uint32_t n)
{
    if (b->large[group]) {
        b->at[group] += n;
        return dist_many_add(b->large[group], ns, n);
    }
    int64_t *to = b->v + b->at[group];
    for (uint32_t i = 0; i < n; i++) {
        *to = ns[i];
        to += ns[i] != 0;
    }
    b->at[group] = (uint32_t)(to - b->v);
    return true;
}

static bool values_pick(struct by_group *b, uint32_t group, const int64_t *ns, uint32_t n)
{
    if (b->large[group])
        dist_many_pick(b->large[group], ns, n);
    return true;
}

/* All goroutines for whom it is not 0, neighbours of one group at a time. */
static bool each_value(struct by_group *b,
                       bool (*f)(struct by_group *b, uint32_t group, const int64_t *ns, uint32_t n))
{
    const struct gstats *s = b->tg->g;
    int64_t ns[GSTATS_ROWS];
    uint32_t group;
    bool ok = true;
    for (uint32_t g = 0, n; g < b->tg->ng && ok; g += n) {
        if (gstats_none(s, g, b->what, &n))
            continue;
        n = gstats_ns(s, g, b->what, ns);
        if (gstats_alike(s, g, &group))
            ok = f(b, group, ns, n);
        else
            for (uint32_t i = 0; i < n && ok; i++)
                ok = f(b, gstat_group(s, g + i), &ns[i], 1);
        ok = ok && slices_tick();
    }
    return ok;
}

static bool any_large(const struct by_group *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->tg->ngroups; i++)
        any |= b->large[i] != NULL;
    return any;
}

/* false: out of memory, or there is a value that large groups don't take. */
static bool group_dists(const struct triage *tg, enum gmetric m, bool large, struct dist *d)
{
    struct by_group b = {.tg = tg, .what = m};
    bool ok = by_group_init(&b, large) && each_value(&b, values_add);
    for (uint32_t i = 0; i < tg->ngroups && ok; i++) {
        const uint32_t some = b.at[i] - b.begin[i], all = tg->groups[i].count;
        if (b.large[i]) {
            dist_many_zeros(b.large[i], all - b.at[i]);
            ok = dist_many_ranks(b.large[i]);
        } else {
            dist_of_rest(&d[i], b.v + b.begin[i], some, all - some);
        }
    }
    if (ok && any_large(&b)) {
        ok = each_value(&b, values_pick);
        for (uint32_t i = 0; i < tg->ngroups && ok; i++)
            if (b.large[i])
                dist_many_end(b.large[i], &d[i]);
    }
    by_group_free(&b);
    return ok;
}

struct dist *triage_group_dists(const struct triage *tg, enum gmetric m)
{
    struct dist *d = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *d);
    if (d && !group_dists(tg, m, true, d) && !group_dists(tg, m, false, d)) {
        mem_free(d);
        d = NULL;
    }
    return d;
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

static int cmp_group_wait(const void *a, const void *b)
{
    const struct group_wait *x = a, *y = b;
    int c = cmp_big(x->d.total, y->d.total);
    return c ? c : (x->reason > y->reason) - (x->reason < y->reason);
}

/* The goroutines' waits, those of one row of wait_of behind those of another, where they stand; at[i]: where
 * those of row i end. */
static void by_row(struct triage_work *wk, size_t *at, size_t *next)
{
    for (size_t i = 0; i < wk->ngw; i++)
        at[wk->gw[i].of]++;
    for (uint32_t i = 0; i < wk->nwait_of; i++) {
        next[i] = i ? at[i - 1] : 0;
        at[i] += next[i];
    }
    for (uint32_t i = 0; i < wk->nwait_of; i++) {
        while (next[i] < at[i]) {
            struct gwait *x = &wk->gw[next[i]], *y;
            if (x->of == i) {
                next[i]++;
                continue;
            }
            y = &wk->gw[next[x->of]++];
            const struct gwait swap = *x;
            *x = *y;
            *y = swap;
        }
        (void)slices_tick();
    }
}

/* A row of wait_of, and whose: groups in their order. */
struct of_group {
    uint32_t group, row;
};

static int cmp_of_group(const void *a, const void *b)
{
    const struct of_group *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->row > y->row) - (x->row < y->row);
}

static bool rows_of_groups(const struct triage *tg, struct of_group *rows)
{
    const struct triage_work *wk = tg->work;
    struct tab by_name = {0};
    bool ok = true;
    for (uint32_t i = 0; i < tg->ngroups && ok; i++)
        ok = tab_put(&by_name, tg->groups[i].name, 0, i) != TAB_NONE;
    for (uint32_t i = 0; i < wk->nwait_of && ok; i++)
        rows[i] = (struct of_group){tab_get(&by_name, wk->wait_of[i].name, 0), i};
    tab_free(&by_name);
    if (ok && wk->nwait_of)
        qsort(rows, wk->nwait_of, sizeof *rows, cmp_of_group);
    return ok;
}

static bool group_waits(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    const size_t n = wk->nwait_of;
    size_t *end = mem_zalloc((n + 1) * sizeof *end), *next = mem_alloc((n + 1) * sizeof *next), most = 0;
    struct of_group *rows = mem_alloc((n + 1) * sizeof *rows);
    const bool ok = end && next && rows && rows_of_groups(tg, rows);
    if (ok)
        by_row(wk, end, next);
    for (size_t i = 0; i < n && ok; i++) {
        const size_t k = end[i] - (i ? end[i - 1] : 0);
        most = k > most ? k : most;
    }
    int64_t *v = ok ? mem_alloc((most + 1) * sizeof *v) : NULL; /* of one row */
    tg->group_waits = v ? mem_alloc((n + 1) * sizeof *tg->group_waits) : NULL;
    for (uint32_t i = 0; i < n && tg->group_waits; i++) {
        const uint32_t k = rows[i].row;
        const size_t from = k ? end[k - 1] : 0;
        struct group *grp = &tg->groups[rows[i].group];
        struct group_wait *p = &tg->group_waits[i];
        *p = (struct group_wait){.reason = wk->wait_of[k].reason,
                                 .count = wk->wait_of[k].count,
                                 .longest = wk->wait_of[k].longest};
        for (size_t j = from; j < end[k]; j++)
            v[j - from] = gwait_ns(&wk->gw[j]);
        dist_of(&p->d, v, end[k] - from);
        if (grp->nwaits++ == 0)
            grp->waits = i;
    }
    for (uint32_t i = 0; i < tg->ngroups && tg->group_waits; i++) {
        if (tg->groups[i].nwaits > 1) {
            qsort(tg->group_waits + tg->groups[i].waits, tg->groups[i].nwaits, sizeof *tg->group_waits,
                  cmp_group_wait);
        }
    }
    mem_free(v);
    mem_free(rows);
    mem_free(end);
    mem_free(next);
    mem_free(wk->gw); /* nobody else asks for them */
    wk->gw = NULL;
    wk->ngw = 0;
    return tg->group_waits != NULL;
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

static int cmp_lock(const void *a, const void *b)
{
    const struct lock_wait *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

bool triage_groups_end(struct triage *tg)
{
    if (!groups_sort(tg) || !group_waits(tg) || !waits_sort(tg))
        return false;
    if (tg->nsyscalls)
        qsort(tg->syscalls, tg->nsyscalls, sizeof *tg->syscalls, cmp_syscall);
    if (tg->nlock_waits)
        qsort(tg->lock_waits, tg->nlock_waits, sizeof *tg->lock_waits, cmp_lock);
    return true;
}
