/*
 * onset.c - whether the slow pieces of a work begin at some moment and most pieces are slow from then on:
 * something became slower then. See verdict.h.
 */
#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

#include <stdlib.h>

enum { PARTS = 4, LEAST = 3 };

/* Whether a piece is slow: at least half as long as the slow ones of the tree are on average. */
static bool is_slow(const struct work *w, const struct workpiece *p)
{
    const double n = w->tree.pieces[TREE_SLOW];
    return (double)(p->t1 - p->t0) * n * threshold(TH_DOUBLE) >= (double)tree_ns(&w->tree, TREE_SLOW);
}

static int cmp_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns when the slow pieces begin, without the earliest LEAST, which may be chance. NO_TIME: there are not
 * many, or out of memory. */
static int64_t first_slow(const struct work *w)
{
    int64_t *at = mem_alloc(((size_t)w->looked + 1) * sizeof *at), t = NO_TIME;
    uint32_t n = 0;
    for (uint32_t i = 0; at && i < w->looked; i++)
        if (is_slow(w, &w->v[i]))
            at[n++] = w->v[i].t0;
    if (n >= threshold(TH_MANY)) {
        qsort(at, n, sizeof *at, cmp_time);
        t = at[LEAST];
    }
    mem_free(at);
    return t;
}

bool verdict_began_at(const struct causes *c, const struct work *w, int64_t *since)
{
    uint32_t slow[PARTS] = {0}, all[PARTS] = {0}, before = 0;
    const int64_t t = first_slow(w), end = c->tg->end;
    if (t == NO_TIME || t < (int64_t)(threshold(TH_SHARE) * (double)end))
        return false;
    for (uint32_t i = 0; i < w->looked; i++) {
        const int64_t at = w->v[i].t0;
        const int64_t part = (at - t) / ((end - t) / PARTS + 1);
        before += at < t;
        if (at >= t) {
            all[part]++;
            slow[part] += is_slow(w, &w->v[i]);
        }
    }
    for (int i = 0; i < PARTS; i++)
        if (slow[i] * 2 < all[i])
            return false; /* it comes and goes, or hits a few */
    *since = t;
    return before >= threshold(TH_MANY);
}
