/*
 * lanes.c - two steps: all lanes in an order, then those of them that show. An order is a sort by one 64-bit key per
 * lane, ties by index, so it is the same on every run. While a trace loads it is renewed only now and then.
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

/* Sorting a million goroutines at every step of loading would be all that loading does. */
static bool unsorted(const struct lanes *l, const struct trace *tr, uint32_t n)
{
    return l->stale || (n != l->total && (trace_info(tr)->done || n < 4096 || n / 5 * 4 > l->total));
}

static bool make_order(struct lanes *l, const struct trace *tr, uint32_t n)
{
    if (l->sort == SORT_SEEN && !l->invert) {
        mem_free(l->order);
        l->order = NULL;
        return true;
    }
    struct keyed *k = mem_alloc(((size_t)n + 1) * sizeof *k);
    uint32_t *order = mem_alloc(((size_t)n + 1) * sizeof *order);
    if (!k || !order) {
        mem_free(k);
        mem_free(order);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        k[i] = (struct keyed){key_of(l, tr, i), i};
    qsort(k, n, sizeof *k, by_key);
    for (uint32_t i = 0; i < n; i++)
        order[i] = k[l->invert ? n - 1 - i : i].lane;
    mem_free(k);
    mem_free(l->order);
    l->order = order;
    return true;
}

static void drop_rows(struct lanes *l)
{
    mem_free(l->row_lane);
    mem_free(l->lane_row);
    l->row_lane = l->lane_row = NULL;
}

static bool lives(const struct trace *tr, struct lane l, struct window w)
{
    struct lane_info li = trace_lane(tr, l);
    return li.first < w.t1 && li.last >= w.t0;
}

/* The rows: all of the order, or what of it lives in the window. */
static bool make_rows(struct lanes *l, const struct trace *tr, struct window w, uint32_t keep)
{
    bool all = !l->here || (w.t0 <= 0 && w.t1 >= trace_info(tr)->end);
    uint32_t n = l->total, rows = 0;
    drop_rows(l);
    l->n = n;
    if (all && !l->order)
        return true;
    uint32_t *row_lane = mem_alloc(((size_t)n + 1) * sizeof *row_lane);
    uint32_t *lane_row = mem_alloc(((size_t)n + 1) * sizeof *lane_row);
    if (!row_lane || !lane_row) {
        mem_free(row_lane);
        mem_free(lane_row);
        mem_free(l->order); /* without rows there is no way back from a lane: show all as they came */
        l->order = NULL;
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = l->order ? l->order[i] : i;
        bool show = all || lane == keep || lives(tr, (struct lane){l->kind, lane}, w);
        lane_row[lane] = show ? rows : NO_LANE;
        if (show)
            row_lane[rows++] = lane;
    }
    l->n = rows;
    l->row_lane = row_lane;
    l->lane_row = lane_row;
    return true;
}

bool lanes_update(struct lanes *l, const struct trace *tr, struct window w, uint32_t keep)
{
    uint32_t n = trace_nlanes(tr, l->kind);
    bool ok = true, fresh = false, identity = l->sort == SORT_SEEN && !l->invert;
    if (identity ? l->stale || n != l->total : unsorted(l, tr, n)) {
        ok = make_order(l, tr, n);
        if (!ok)
            n = l->total; /* the old order stands */
        l->total = n;
        l->stale = false;
        fresh = true;
    }
    bool moved = l->here && (w.t0 != l->seen.t0 || w.t1 != l->seen.t1 ||
                             (keep != l->seen_keep && lanes_row(l, keep) == NO_LANE));
    if (!fresh && !moved)
        return ok;
    l->seen = w;
    l->seen_keep = keep;
    return make_rows(l, tr, w, keep) && ok;
}

void lanes_free(struct lanes *l)
{
    drop_rows(l);
    mem_free(l->order);
    l->order = NULL;
    l->n = l->total = 0;
}

uint32_t lanes_at(const struct lanes *l, uint32_t row)
{
    return row >= l->n ? NO_LANE : l->row_lane ? l->row_lane[row] : row;
}

uint32_t lanes_row(const struct lanes *l, uint32_t lane)
{
    return lane >= l->total ? NO_LANE : l->lane_row ? l->lane_row[lane] : lane;
}
