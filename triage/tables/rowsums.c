/*
 * rowsums.c - hands the counts of neighbouring goroutines to gstats.h and adds them to their groups: see
 * subtotal.h.
 */
#include "triage/tables/subtotal.h"

#include <string.h>

static void sum_add(struct group_sum *to, const int64_t *v, uint32_t n)
{
    int64_t sum = 0, max = to->max, any = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < n; i++) {
        any |= v[i];
        sum = (int64_t)((uint64_t)sum + (uint64_t)v[i]);
        max = v[i] > max ? v[i] : max;
    }
    for (uint32_t i = 0; (uint64_t)any >= (uint64_t)NS_MAX / GSTATS_ROWS && i < n;
         i++) /* too much for a sum */
        sum = i ? ns_add(sum, v[i]) : v[i];
    to->total = ns_add(to->total, sum);
    to->max = max;
}

/* Adds the values of goroutines g .. g+n-1, which were just put, to the sums of their groups. */
static void put_sums(struct subtotal *y, uint32_t n)
{
    for (uint32_t i = 0, k; i < n; i += k) {
        struct group_sum *to = y->groups[y->rows.group[i]].d;
        for (k = 1; i + k < n && y->rows.group[i + k] == y->rows.group[i];)
            k++;
        for (int m = GM_EXEC; m <= GM_UNKNOWN; m++)
            if (y->rows.used >> m & 1)
                sum_add(&to[m], (const int64_t *)&y->rows.v[m][i], k);
        sum_add(&to[GM_LIFE], &y->life[i], k);
    }
}

/* Sets GM_LIFE to the part of their lives outside the first six metrics. */
static void rows_end(struct subtotal *y)
{
    struct gstat_rows *r = &y->rows;
    uint64_t *const rest = r->v[GM_LIFE], longest = 0, left = 0;
    const uint32_t n = y->nrows;
    memcpy(rest, y->life, n * sizeof *rest);
    for (int m = GM_EXEC; m <= GM_UNKNOWN; m++) {
        const uint64_t *const v = r->v[m];
        for (uint32_t i = 0; i < n && r->used >> m & 1; i++) {
            longest |= v[i];
            rest[i] -= v[i];
        }
    }
    for (int m = GM_EXEC; longest >= (uint64_t)NS_MAX && m <= GM_UNKNOWN; m++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t was = r->v[m][i];
            r->v[m][i] = (uint64_t)ns_clamp((int64_t)was);
            rest[i] += was - r->v[m][i];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        left |= rest[i];
    r->used |= (unsigned)(left > 0) << GM_LIFE;
}

bool subtotal_rows_put(struct subtotal *y, struct gstats *to, uint32_t last)
{
    const uint32_t n = y->nrows;
    rows_end(y);
    const bool ok = gstats_put(to, last + 1 - n, &y->rows, n);
    put_sums(y, n);
    for (int v = GM_EXEC; v < GV_COUNT; v++)
        if (y->rows.used >> v & 1)
            memset(y->rows.v[v], 0, n * sizeof y->rows.v[v][0]);
    y->nrows = 0;
    y->rows.used = 0;
    return ok && slices_tick();
}
