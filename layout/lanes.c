/*
 * lanes.c - row <-> lane. An order is a sort by one 64-bit key per lane, ties by index, so it is stable and the
 * same on every run. While a trace loads a sorted order is renewed only now and then: see stale().
 */
#include "layout/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "decode/mem.h"
#include "layout/cells.h"

struct keyed {
    uint64_t key;
    uint32_t lane;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* The first bytes of a name as a number: enough order for a screen. */
static uint64_t name_key(struct str s)
{
    uint64_t k = 0;
    for (uint32_t i = 0; i < 8; i++)
        k = k << 8 | (i < s.len ? (unsigned char)s.p[i] : 0);
    return k;
}

static uint64_t key_of(const struct lanes *l, const struct trace *tr, uint32_t lane)
{
    struct lane at = {l->kind, lane};
    struct lane_info li = trace_lane(tr, at);
    if (l->sort == SORT_ID)
        return li.id;
    if (l->sort == SORT_NAME)
        return name_key(trace_str(tr, li.name));
    if (l->sort == SORT_SEEN)
        return lane;
    struct shares sh;
    trace_shares(tr, at, 0, trace_info(tr)->end, &sh);
    int64_t ns = l->sort == SORT_RUNNABLE ? sh.ns[ST_RUNNABLE]
               : l->sort == SORT_WAITING  ? sh.ns[ST_WAITING]
               : l->sort == SORT_SYSCALL  ? sh.ns[ST_SYSCALL]
               : sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST];
    return UINT64_MAX - (uint64_t)ns; /* the most first */
}

static bool identity(const struct lanes *l)
{
    return l->sort == SORT_SEEN && !l->invert;
}

/* Sorting a million goroutines at every step of loading would be all that loading does. */
static bool stale(const struct lanes *l, const struct trace *tr, uint32_t n)
{
    return l->stale || (n != l->n && (trace_info(tr)->done || n < 4096 || n / 5 * 4 > l->n));
}

bool lanes_update(struct lanes *l, const struct trace *tr)
{
    uint32_t n = trace_nlanes(tr, l->kind);
    if (identity(l)) {
        mem_free(l->row_lane);
        mem_free(l->lane_row);
        l->row_lane = l->lane_row = NULL;
        l->n = n;
        l->cap = 0;
        l->stale = false;
        return true;
    }
    if (!stale(l, tr, n))
        return true;
    struct keyed *k = mem_alloc(((size_t)n + 1) * sizeof *k);
    uint32_t *rows = mem_alloc(((size_t)n + 1) * sizeof *rows);
    uint32_t *back = mem_alloc(((size_t)n + 1) * sizeof *back);
    if (!k || !rows || !back) {
        mem_free(k);
        mem_free(rows);
        mem_free(back);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        k[i] = (struct keyed){key_of(l, tr, i), i};
    qsort(k, n, sizeof *k, by_key);
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = k[l->invert ? n - 1 - i : i].lane;
        back[rows[i]] = i;
    }
    mem_free(k);
    mem_free(l->row_lane);
    mem_free(l->lane_row);
    l->row_lane = rows;
    l->lane_row = back;
    l->cap = l->n = n;
    l->stale = false;
    return true;
}

void lanes_free(struct lanes *l)
{
    mem_free(l->row_lane);
    mem_free(l->lane_row);
    l->row_lane = l->lane_row = NULL;
    l->n = 0;
}

uint32_t lanes_at(const struct lanes *l, uint32_t row)
{
    return row >= l->n ? NO_LANE : l->row_lane ? l->row_lane[row] : row;
}

uint32_t lanes_row(const struct lanes *l, uint32_t lane)
{
    return lane >= l->n ? NO_LANE : l->lane_row ? l->lane_row[lane] : lane;
}
