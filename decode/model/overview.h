/*
 * overview.h - the whole of a trace in little, where its spans don't fit in memory: exact time per state of each P and
 * band at the edges of equal buckets, the metrics' extremes per bucket, and all stop-the-world and GC ranges.
 *
 * Buckets double in width as the trace grows, and again where there are so many Ps that they'd cost too much. Between
 * two edges time is taken to be spread evenly; at the edges, and at the ends of the part that is held in detail, it
 * is exact.
 */
#ifndef GOTOP_DECODE_OVERVIEW_H
#define GOTOP_DECODE_OVERVIEW_H

#include "decode/model/fold.h"

#define OV_BUCKETS 4096
/* Sums from the start of the trace up to a moment: time by slot; [0] is the number of spans that began before it. */
struct ov_sum {
    int64_t v[SPAN_SLOTS];
};
struct ov_lane {
    struct ov_sum *at; /* at[i]: up to the edge i * width */
    struct ov_sum now; /* up to overview.end */
    bool there;
};
struct ov_range { /* a range, whose owner's index may be another one when it is read */
    struct range r;
    uint64_t g; /* the goroutine's id if `has_g` */
    bool has_g;
};
struct overview {
    struct ov_lane *lane[LANE_KINDS]; /* P and band */
    size_t nlane[LANE_KINDS];
    uint32_t nbuckets;               /* a power of two */
    unsigned shift;                  /* a bucket is 1 << shift ns */
    size_t budget;                   /* bytes for the lanes */
    struct minmax *mm[METRIC_COUNT]; /* per bucket; min > max: none */
    struct ov_range *range[2];       /* RANGE_GC, RANGE_STW: those that have ended */
    size_t nrange[2], caprange[2];
    struct range *out[2]; /* as trace_ranges() gives them */
    int64_t end;          /* what has been taken so far: [0,end) */
    uint64_t nspans, ngoroutines;
};

/* overview_take - add [ov->end, f->end) from a fold that holds it all. last: what is open, too. false: out of memory. */
bool overview_take(struct overview *ov, const struct fold *f, bool last);
/* overview_sums - up to f->end exactly, one entry per lane of the fold: Ps, then bands. The caller's; NULL: no memory. */
struct ov_sum *overview_now(const struct overview *ov, size_t *n);
/*
 * overview_at - a lane's sums up to t. [d0,d1) is what is known better; s0, s1: the sums up to its ends, so that both
 * fit together.
 */
struct ov_sum overview_at(const struct overview *ov, enum lane_kind k, uint32_t i, int64_t t, int64_t d0, int64_t d1,
                          const struct ov_sum *s0, const struct ov_sum *s1);
bool overview_minmax(const struct overview *ov, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max);
/* overview_owners - the goroutines of ranges by the indices of this fold; find looks an id up. */
bool overview_owners(struct overview *ov, uint32_t (*find)(void *arg, uint64_t id), void *arg);
void overview_free(struct overview *ov);

#endif
