/*
 * points.h - a metric's values over time, packed in blocks of POINTS_BLOCK, with the minimum and maximum of
 * each 16 points, of 16 of these, and so on.
 *
 * A new point is appended unpacked; points_sum() packs and sums up from time to time. A segment's points stay
 * unpacked until the segment is joined, because only then their numbers are known.
 */
#ifndef GOTOP_DECODE_POINTS_H
#define GOTOP_DECODE_POINTS_H

#include "decode/base/columns.h"
#include "decode/model/spans.h"
#include "decode/trace.h"

#define POINTS_BLOCK COLUMNS_ROWS
#define MM_LEVELS 4
#define MM_BITS 4 /* an entry of level l of the min/max lists covers 1 << (l + 1) * MM_BITS points */

struct minmax {
    uint64_t min, max;
};

struct point_block {
    int64_t t0;
    const struct columns *c; /* times, values */
};

struct points {
    struct point_block *blk;
    size_t nblk, capblk;
    struct point *v; /* points after the last block */
    size_t n, cap;
    struct minmax *mm[MM_LEVELS];
    size_t capmm[MM_LEVELS];
    size_t summed; /* points that mm covers; 0 in a segment */
};

/*
 * points_n - number of points.
 * points_at - the i-th point by time.
 */
static inline size_t points_n(const struct points *p)
{
    return p->nblk * POINTS_BLOCK + p->n;
}

static inline struct point points_at(const struct points *p, size_t i)
{
    if (i / POINTS_BLOCK >= p->nblk)
        return p->v[i - p->nblk * POINTS_BLOCK];
    const struct columns *c = p->blk[i / POINTS_BLOCK].c;
    const unsigned row = (unsigned)(i % POINTS_BLOCK);
    return (struct point){(int64_t)columns_get(c, 2, row, 0), columns_get(c, 2, row, 1)};
}

/* points_add - append a point. false: out of memory. */
bool points_add(struct points *p, int64_t t, uint64_t value);
/* points_join - append a segment's points, which come next in time, and free them. false: out of memory. */
bool points_join(struct points *p, struct points *segment, struct span_pool *sp);
/* points_sum - bring mm up to date, and pack full blocks into the pool. false: out of memory. */
bool points_sum(struct points *p, struct span_pool *sp);
/* As trace_points_before(), trace_most() and trace_extents(). The latter two see only points that
 * points_sum() has summed up. */
size_t points_before(const struct points *p, int64_t t);
size_t points_most(const struct points *p, size_t i0, size_t i1);
void points_extents(const struct points *p, const int64_t *edges, uint32_t n, struct extent *out);
void points_free(struct points *p);

#endif
