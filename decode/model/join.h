/*
 * join.h - appends segments to each other: the result is the trace.
 *
 * Each generation of the second family is decoded by itself into a segment, a fold that does not know the
 * time before it (decode/model/segment.h). Segments are joined in file order. The cost depends on what
 * crosses the seam, not on what happened in the segment.
 *
 * - The states that the segment reports at its start are compared with those at the previous segment's end.
 *   If they differ, or something depended on what the segment could not know, then the segment, or the whole
 *   trace, is decoded again.
 * - A lane of the trace is a row of pieces, each of them a segment's lane. A piece begins with the first
 *   change in its segment; the open span of the previous piece lasts until then. So no span is in two pieces.
 * - Goroutines that are new in a segment take the next indices, in order, so one number per segment maps
 *   them. The others are looked up by id.
 * - Ranges, tasks, regions, logs, samples, points and counts are appended to the first segment's fold,
 *   which is the trace's.
 *
 * Before the first segment is joined, and for traces that are not cut into segments, there is one fold and
 * every lane is one piece.
 */
#ifndef GOTOP_DECODE_JOIN_H
#define GOTOP_DECODE_JOIN_H

#include "decode/base/idmap.h"
#include "decode/model/segment.h"

/* This is a piece of one of the trace's lanes. */
struct jpiece {
    uint32_t seg, i; /* the segment, and the lane's index in it */
    int64_t t0;
    uint64_t index0;         /* index of its first span in the whole lane */
    int64_t tot[SPAN_SLOTS]; /* ns per slot before t0 */
};

/* These are a lane's pieces, in time order; a goroutine's without the one in the segment where it is new. */
struct jlane {
    struct jpiece *v;
    uint32_t n;
    size_t cap; /* 1 at first: most lanes have only one */
};

/* The state of a P or a thread at the end of the joined segments. The next segment is checked against it, and
 * against that of goroutines: spanlane.state and ginfo.assist where they are new. */
struct jp {
    uint64_t id;
    struct jlane lane;
    uint8_t status; /* V2_PS_RUNNING and the like */
    bool sweeps;
};

struct jm {
    uint64_t id;
    struct jlane lane;
    uint32_t p, g; /* the P and the G that it has; EV_NONE: none */
    bool reported; /* the trace has reported it */
};

struct join {
    struct segment **seg; /* the joined ones */
    size_t n, cap;
    uint32_t ng; /* number of goroutines in them */
    struct jp *p;
    struct jm *m;
    size_t np, nm, capp, capm;
    size_t nm_reported; /* number of threads up to the last one that the trace has reported */
    /* goroutine -> entry of cross, if it has pieces after the segment where it is new */
    struct idmap crosses;
    struct jlane *cross;
    size_t ncross, capcross;
    struct idmap ids[LANE_KINDS]; /* index by id; of the goroutines that have not ended */
    int64_t end, last;            /* the trace's end so far; the time of its last event on its own clock */
    int gc;                       /* v2_order.gc */
    uint64_t gc_seq;
    uint64_t procs; /* GOMAXPROCS, 0: not reported yet */
    bool oom;
};

struct trace;
enum joined { JOINED, JOIN_REDO, JOIN_NOT, JOIN_OOM };
/* join_next - append the next segment, which must be decoded to its end. JOIN_REDO: decode it again with
 * what join_hint() returns now. JOIN_NOT: it cannot be decoded by itself. In both cases nothing has
 * changed. */
enum joined join_next(struct trace *tr, struct segment *s);
void join_free(struct join *j);
/* join_hint - for fold.hint: what is now known of a live goroutine. */
uint16_t join_hint(void *join, uint64_t id, uint32_t *name);
/* join_holder - for v2_order.holder: returns the status of the P with this id at the seam (0 = unknown). If
 * it is running or in a system call, *m and *g are set to the M and the G that have it; both are unchanged
 * if it is running without a G. */
uint8_t join_holder(void *join, uint64_t id, uint64_t *m, uint64_t *g);

/* join_home, trace_home - return the segment where a goroutine is new. */
struct home {
    const struct segment *seg; /* NULL: the trace is one fold */
    const struct fold *f;
    uint32_t local; /* its index there */
    uint32_t run;   /* so many from this one on have successive indices both there and in the trace */
};
struct home join_home(const struct join *j, uint32_t g);
struct home trace_home(const struct trace *tr, uint32_t g);

/* segment_g, segment_p - map a segment's index of a goroutine or P to the trace's. */
static inline uint32_t segment_g(const struct segment *s, uint32_t g)
{
    return !s || !s->gmap || g == NO_LANE ? g : gmap_at(s->gmap, g);
}

static inline uint32_t segment_p(const struct segment *s, uint32_t p)
{
    return !s || !s->pmap || p == NO_LANE ? p : s->pmap[p];
}

/* ---- lanes as pieces ----------------------------------------------------------------------------------- */

struct piece {
    const struct segment *seg; /* NULL: the trace is one fold */
    const struct fold *f;
    const struct spanlane *l; /* NULL: a thread's lane */
    const struct mlane *ml;
    uint32_t i;      /* index in f */
    int64_t t0, end; /* end: of its open span; the next piece's t0 or the trace's end */
    uint64_t index0;
    const int64_t *tot; /* ns per slot before t0; NULL: none */
    bool last;
    struct spanlane room;
};

/*
 * pieces_n - number of pieces of a lane; 0: it has no span.
 * pieces_get - piece k.
 * pieces_at - the last piece that begins at t or before, else 0.
 */
uint32_t pieces_n(const struct trace *tr, struct lane l);
void pieces_get(const struct trace *tr, struct lane l, uint32_t k, struct piece *out);
uint32_t pieces_at(const struct trace *tr, struct lane l, int64_t t);
/* pieces_short - whether the piece ends so soon that no span in it can last min_ns. Always false for a
 * goroutine's first piece and for the last one. */
bool pieces_short(const struct trace *tr, struct lane l, uint32_t k, int64_t min_ns);
/* pieces_totals - spans_totals() or mlane_totals() over all pieces. Returns false if the lane has no span. */
bool pieces_totals(const struct trace *tr, struct lane l, const struct totals *a);
int64_t trace_last(const struct trace *tr); /* the time up to which the trace is decoded */

#endif
