/* same_lock.c - see same_lock.h. */
#include "triage/findings/same_lock.h"

#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/tab.h"

struct passed {           /* waits in one place that were ended by a release in another that asks for locks */
    uint32_t asks, gives; /* rows of holders */
    uint64_t n;
};

static uint32_t root_of(const uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i];
    return i;
}

static bool is_lock(const struct triage *tg, const struct lock_wait *w)
{
    return w->waker < tg->ng && stacks_wait_kind(tg->tr, w->reason, w->stack) == WK_LOCK;
}

/* Count what passes from place to place: rows by place in `row`, pairs of them in `by`. */
static bool passes_of(const struct triage *tg, struct tab *row, struct tab *by, struct passed **v,
                      uint32_t *n)
{
    size_t cap = 0;
    bool ok = true;
    for (uint32_t i = 0; i < tg->nholders && ok; i++)
        ok = tab_put(row, tg->holders[i].place, 0, i) != TAB_NONE;
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        const uint32_t a = tab_get(row, w->place, 0), b = tab_get(row, w->let_go, 0);
        if (a == TAB_NONE || b == TAB_NONE || a == b || !is_lock(tg, w))
            continue;
        const uint32_t k = tab_put(by, a, b, *n);
        struct passed *p = k == *n ? mem_grow(*v, &cap, (size_t)k + 1, sizeof *p) : *v;
        if (k == TAB_NONE || !p)
            return false;
        *v = p;
        if (k == *n)
            p[(*n)++] = (struct passed){a, b, 0};
        p[k].n++;
    }
    return ok;
}

/* Rows are sorted by waiting time, so the earlier of two represents both. */
static void join_locks(const struct triage *tg, const struct tab *by, const struct passed *v, uint32_t n,
                       uint32_t *up)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t back = tab_get(by, v[i].gives, v[i].asks);
        if (back == TAB_NONE || (double)v[i].n < threshold(TH_SEVERAL) ||
            (double)v[back].n < threshold(TH_SEVERAL) ||
            !threshold_reached(TH_LOCK_SAME, (int64_t)v[i].n, (int64_t)tg->holders[v[i].asks].waits) ||
            !threshold_reached(TH_LOCK_SAME, (int64_t)v[back].n, (int64_t)tg->holders[v[i].gives].waits))
            continue;
        const uint32_t a = root_of(up, v[i].asks), b = root_of(up, v[i].gives);
        up[a > b ? a : b] = a > b ? b : a;
    }
}

bool same_locks(struct triage *tg)
{
    struct tab row = {0}, by = {0};
    struct passed *v = NULL;
    uint32_t n = 0, *up = mem_alloc(((size_t)tg->nholders + 1) * sizeof *up);
    bool ok = up && passes_of(tg, &row, &by, &v, &n);
    for (uint32_t i = 0; i < tg->nholders && ok; i++)
        up[i] = i;
    if (ok)
        join_locks(tg, &by, v, n, up);
    for (uint32_t i = 0; i < tg->nholders && ok; i++)
        tg->holders[i].lock = tg->holders[root_of(up, i)].place;
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++) {
        struct lock_wait *w = &tg->lock_waits[i];
        const uint32_t k = tab_get(&row, w->place, 0);
        w->lock = k == TAB_NONE ? w->place : tg->holders[k].lock;
    }
    tab_free(&row);
    tab_free(&by);
    mem_free(v);
    mem_free(up);
    return ok;
}
