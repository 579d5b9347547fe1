/* won_held.c - who held a lock, and when; when groups were there: see won_parts.h. */
#include "triage/findings/won_parts.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define HELD_WAITS 1024 /* waits whose holders are asked for: a queue's cover each other's */

static int cmp_holding(const void *a, const void *b)
{
    const struct holding *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* What lies upon one another becomes one. */
static void held_merge(struct held *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++) {
        if (n && h->v[n - 1].g == h->v[i].g && h->v[i].t0 <= h->v[n - 1].t1) {
            h->v[n - 1].t1 = h->v[i].t1 > h->v[n - 1].t1 ? h->v[i].t1 : h->v[n - 1].t1;
        } else {
            h->v[n++] = h->v[i];
        }
    }
    h->n = n;
}

bool won_held(const struct triage *tg, uint32_t lock, struct held *h)
{
    struct holding parts[HOLDINGS_MAX];
    uint32_t n = 0, seen = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        n += tg->lock_waits[i].lock == lock;
    }
    h->n = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *l = &tg->lock_waits[i];
        if (l->lock != lock || seen++ % (n / HELD_WAITS + 1)) {
            continue;
        }
        const uint32_t k = holder_parts(tg, l->g, l->t0, parts);
        struct holding *v = mem_grow(h->v, &h->cap, h->n + k, sizeof *v);
        if (!v) {
            return false;
        }
        h->v = v;
        memcpy(v + h->n, parts, k * sizeof *v);
        h->n += k;
    }
    if (h->n) {
        qsort(h->v, h->n, sizeof *h->v, cmp_holding);
        held_merge(h);
    }
    return true;
}

int64_t won_while_there(const struct causes *c, uint32_t *group, uint32_t n)
{
    int64_t ns = 0, until = 0;
    for (uint32_t i = 1; i < n; i++) { /* by when they begin */
        for (uint32_t k = i; k && c->life[group[k]].first < c->life[group[k - 1]].first; k--) {
            const uint32_t later = group[k - 1];
            group[k - 1] = group[k];
            group[k] = later;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct group_life *l = &c->life[group[i]];
        const int64_t from = l->first > until ? l->first : until;
        ns = l->last > from ? ns_add(ns, l->last - from) : ns;
        until = l->last > until ? l->last : until;
    }
    return ns;
}
