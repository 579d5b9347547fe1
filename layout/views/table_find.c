/*
 * table_find.c - the things of a table as its provider adds them, by type, with totals and quantiles. If
 * there are too many, only the longest stay listed. See table.h.
 */
#include "layout/views/table.h"

#include <string.h>

#include "decode/base/mem.h"

/* Gives a type its own histogram, so that quantiles include things that are not listed. */
static void count_own_lengths(struct table *t, struct ttype *k)
{
    if (t->hists < TABLE_HISTS && (k->lengths = mem_zalloc(sizeof *k->lengths)))
        t->hists++;
}

uint32_t table_type(struct table *t, uint64_t a, uint64_t b)
{
    uint32_t at = tab_put(&t->map, a, b, t->ntypes);
    if (at != t->ntypes)
        return at;
    if (!mem_room(t->type, t->types_cap, (size_t)t->ntypes + 1))
        return TAB_NONE;
    t->type[t->ntypes] = (struct ttype){.a = a, .b = b, .p50 = -1, .p90 = -1, .p99 = -1};
    if (t->shed)
        count_own_lengths(t, &t->type[t->ntypes]);
    return t->ntypes++;
}

/* Before things are dropped for the first time: all are still listed, so count them. */
static void first_shed(struct table *t)
{
    for (uint32_t i = 0; i < t->ntypes; i++)
        count_own_lengths(t, &t->type[i]);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct thing *x = &t->thing[i];
        if (t->type[x->type].lengths && !x->open)
            hist_add(t->type[x->type].lengths, x->t1 - x->t0);
    }
    t->shed = true;
}

/* The list is full: drops the shorter half. */
static void table_shed(struct table *t)
{
    if (!t->shed)
        first_shed(t);
    int64_t half = hist_quantile(t->lengths, 0.5), least = half > t->least ? half : t->least + 1;
    uint32_t n = 0;
    memset(t->lengths, 0, sizeof *t->lengths);
    for (uint32_t i = 0; i < t->n; i++) {
        struct thing x = t->thing[i];
        if (x.t1 - x.t0 < least)
            continue;
        hist_add(t->lengths, x.t1 - x.t0);
        t->thing[n++] = x;
    }
    t->n = n;
    t->least = least;
}

bool table_add(struct table *t, uint32_t type, struct thing x)
{
    x.type = type;
    if (x.type == TAB_NONE || (t->all % 64 == 0 && !slices_tick()))
        return false;
    x.t1 = x.t1 < x.t0 ? x.t0 : x.t1;
    if (x.t1 - x.t0 < 0)
        x.t1 = x.t0;
    struct ttype *k = &t->type[x.type];
    int64_t d = x.t1 - x.t0;
    t->all++;
    k->n++;
    k->open += x.open;
    k->untimed += x.untimed;
    if (!x.untimed) {
        k->total = ns_add(k->total, d);
        k->max = d > k->max ? d : k->max;
    }
    if (k->lengths && !x.open)
        hist_add(k->lengths, d);
    if (d < t->least)
        return true;
    if (!mem_add(t->thing, t->cap, t->n, x))
        return false;
    hist_add(t->lengths, d);
    if (t->n >= TABLE_THINGS)
        table_shed(t);
    return true;
}

bool table_items(struct table *t)
{
    struct item x;
    for (size_t i = 0; item_next(t->tr, t->from->item, &i, &x);)
        if (!table_add(
                t, table_type(t, t->from->types ? x.name : 0, 0),
                (struct thing){
                    .t0 = x.t0, .t1 = x.t1, .g = x.g, .index = x.index, .open = x.open_start || x.open_end}))
            return false;
    return true;
}

/* Sorts things by type, each type's in the order they were found. */
static bool by_type(struct table *t)
{
    struct thing *to = mem_alloc(((size_t)t->n + 1) * sizeof *to);
    if (!to)
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        t->type[t->thing[i].type].kept++;
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->ntypes; i++) {
        t->type[i].first = at;
        at += t->type[i].kept;
        t->type[i].kept = 0;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        struct ttype *k = &t->type[t->thing[i].type];
        to[k->first + k->kept++] = t->thing[i];
    }
    to[t->n] = (struct thing){.g = NO_LANE}; /* the longest of a type of which none is listed */
    mem_free(t->thing);
    t->thing = to;
    t->cap = (size_t)t->n + 1;
    return true;
}

static bool quantiles(struct table *t)
{
    int64_t *v = mem_alloc(((size_t)t->n + 1) * sizeof *v);
    if (!v)
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->ntypes; i++) {
        struct ttype *k = &t->type[i];
        struct dist d;
        size_t n = 0;
        k->longest = k->kept ? k->first : t->n;
        for (uint32_t j = k->first; j < k->first + k->kept; j++) {
            const struct thing *x = &t->thing[j], *y = &t->thing[k->longest];
            if (x->t1 - x->t0 > y->t1 - y->t0)
                k->longest = j;
            if (!x->open)
                v[n++] = x->t1 - x->t0;
        }
        if (k->kept == k->n && n) {
            dist_of(&d, v, n);
            k->p50 = d.p50, k->p90 = d.p90, k->p99 = d.p99;
        } else if (k->lengths && k->lengths->n) {
            hist_dist(k->lengths, &d);
            k->p50 = d.p50, k->p90 = d.p90, k->p99 = d.p99;
        }
        ok = slices_tick();
    }
    mem_free(v);
    return ok;
}

void table_forget_lengths(struct table *t)
{
    mem_free(t->lengths);
    t->lengths = NULL;
    for (uint32_t i = 0; i < t->ntypes; i++) {
        mem_free(t->type[i].lengths);
        t->type[i].lengths = NULL;
    }
    t->hists = 0;
    t->shed = false;
}

bool table_list(struct table *t)
{
    t->lengths = mem_zalloc(sizeof *t->lengths);
    bool ok = t->lengths && t->from->list(t) && by_type(t) && quantiles(t);
    table_forget_lengths(t);
    return ok;
}
