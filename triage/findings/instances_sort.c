/*
 * instances_sort.c - sorts what instances.c has found.
 */
#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/findings/instances_priv.h"
#include "triage/tri.h"

static int cmp_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int64_t p = x->one.t1 - x->one.t0, q = y->one.t1 - y->one.t0;
    return x->row != y->row         ? (x->row > y->row) - (x->row < y->row)
           : p != q                 ? (p < q) - (p > q)
           : x->one.t0 != y->one.t0 ? (x->one.t0 > y->one.t0) - (x->one.t0 < y->one.t0)
                                    : (x->one.g > y->one.g) - (x->one.g < y->one.g);
}

static int cmp_row(const void *a, const void *b)
{
    const struct instance_row *x = a, *y = b;
    return x->kind != y->kind         ? (x->kind > y->kind) - (x->kind < y->kind)
           : x->d.total != y->d.total ? (x->d.total < y->d.total) - (x->d.total > y->d.total)
           : x->name != y->name       ? (x->name > y->name) - (x->name < y->name)
                                      : (x->wait > y->wait) - (x->wait < y->wait);
}

/* They differ in their goroutine at most; cmp_found() decides. */
static bool found_alike(const struct found *x, const struct found *y)
{
    return x->row == y->row && x->one.t0 == y->one.t0 && x->one.t1 == y->one.t1;
}

/* Sort by one key after the other, the last key first, so that it can be interrupted between them. Returns
 * false if out of memory or cancelled. */
static bool found_by(struct keyed_row *k, const struct found *v, size_t n)
{
    const uint64_t sign = (uint64_t)1 << 63;
    for (size_t i = 0; i < n; i++)
        k[i] = (struct keyed_row){(uint64_t)v[i].one.t0 ^ sign, (uint32_t)i};
    bool ok = slices_tick_now() && rows_sort(k, n);
    for (size_t i = 0; ok && i < n; i++) {
        const struct workpiece *x = &v[k[i].row].one;
        k[i].key = ~((uint64_t)(x->t1 - x->t0) ^ sign);
    }
    ok = ok && slices_tick_now() && rows_sort(k, n);
    for (size_t i = 0; ok && i < n; i++)
        k[i].key = v[k[i].row].row;
    return ok && slices_tick_now() && rows_sort(k, n);
}

static bool found_sort(struct found *v, size_t n)
{
    struct keyed_row *k = mem_alloc((n + 1) * sizeof *k);
    const bool ok = k && found_by(k, v, n) && rows_order(v, sizeof *v, k, n) && slices_tick_now();
    mem_free(k);
    for (size_t i = 0, end; ok && i < n; i = end) {
        bool sorted = true;
        for (end = i + 1; end < n && found_alike(&v[i], &v[end]); end++)
            sorted &= v[end - 1].one.g <= v[end].one.g;
        if (!sorted)
            qsort(v + i, end - i, sizeof *v, cmp_found);
    }
    return ok;
}

/* Store each row's instances, which are adjacent, and their durations. */
static bool found_tell(struct instances *in)
{
    const struct instances_work *w = in->work;
    int64_t *ns = mem_alloc((w->nfound + 1) * sizeof *ns);
    in->one = mem_alloc((w->nfound + 1) * sizeof *in->one);
    bool ok = ns && in->one;
    for (size_t i = 0, n; ok && i < w->nfound; i += n) {
        struct instance_row *r = &in->row[w->found[i].row];
        for (n = 0; i + n < w->nfound && w->found[i + n].row == w->found[i].row; n++) {
            in->one[i + n] = w->found[i + n].one;
            ns[n] = in->one[i + n].t1 - in->one[i + n].t0;
        }
        r->at = (uint32_t)i;
        dist_of(&r->d, ns, n);
        ok = slices_tick_now();
    }
    in->none = w->nfound;
    mem_free(ns);
    return ok;
}

bool instances_sort(struct instances *in)
{
    struct instances_work *w = in->work;
    if (!found_sort(w->found, w->nfound) || !found_tell(in))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in->n; i++)
        if (in->row[i].d.n)
            in->row[kept++] = in->row[i];
    in->n = kept;
    if (kept)
        qsort(in->row, kept, sizeof *in->row, cmp_row);
    return true;
}
