/*
 * points.h - a metric's values over time, packed in blocks of POINTS_BLOCK, each with its least and greatest
 * value.
 *
 * A new point is appended unpacked; points_pack() packs from time to time. A segment's points stay unpacked
 * until the segment is joined, because only then their numbers are known. To read them: trace_point() and the
 * like.
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

/* points_join - append a segment's points, which come next in time, and free them. false: out of memory. */
bool points_join(struct points *p, struct points *segment, struct span_pool *sp);
/* points_pack - pack full blocks into the pool. Returns false when out of memory. */
bool points_pack(struct points *p, struct span_pool *sp);
void points_free(struct points *p);

#endif
