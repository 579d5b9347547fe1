/*
 * points.h - a metric's values over time, packed in blocks of POINTS_BLOCK, each with its least and greatest
 * value.
 *
 * A new point is appended unpacked; points_pack() packs from time to time. A segment's points stay unpacked
 * until the segment is joined, because only then their numbers are known.
 */
#ifndef GOTOP_DECODE_POINTS_H
#define GOTOP_DECODE_POINTS_H

#include "decode/base/columns.h"
#include "decode/model/spans.h"
#include "decode/trace.h"

#define POINTS_BLOCK COLUMNS_ROWS

struct point_block {
    int64_t t0;
    uint64_t min, max;
    const struct columns *c; /* times, values */
};

struct points {
    struct point_block *blk;
    size_t nblk, capblk;
    struct point *v; /* points after the last block */
    size_t n, cap;
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

/* points_join - append a segment's points, which come next in time, and free them. false: out of memory. */
bool points_join(struct points *p, struct points *segment, struct span_pool *sp);
/* points_pack - pack full blocks into the pool. false: out of memory. */
bool points_pack(struct points *p, struct span_pool *sp);
/* As trace_points_before() and trace_extents(). They take a step per block. */
size_t points_before(const struct points *p, int64_t t);
void points_extents(const struct points *p, const int64_t *edges, uint32_t n, struct extent *out);
void points_free(struct points *p);

#endif
