/*
 * join.h - segments one behind the other: the trace.
 *
 * A generation of the second family is decoded by itself into a segment, a fold that knows nothing of what was before it
 * (decode/model/segment.h). Joining, in the order of the file, costs what crosses the seam and not what happened:
 *
 * - What the segment was told of as being so when it began is held against how the one before it ended. Where they differ, or
 *   something depended on what it couldn't know, the join says so, and it is decoded again, or the trace as a whole.
 * - A lane of the trace is a row of pieces, a segment's lane each. A piece begins with the first thing that happened in its
 *   segment; up to then the open span of the piece before it lasts. So no span is in two pieces.
 * - Goroutines that are new in a segment take the next indices, in their order: one number per segment says which. The others'
 *   are looked up by id.
 * - Ranges, tasks, regions, logs, samples, points and counts go behind those of the first segment's fold, which is the trace's.
 *
 * Before the first segment is joined, and where a trace isn't cut into segments, there is one fold and every lane is one piece.
 */
#ifndef GOTOP_DECODE_JOIN_H
#define GOTOP_DECODE_JOIN_H

#include "decode/base/idmap.h"
#include "decode/model/segment.h"

struct jpiece {
    uint32_t seg, i; /* whose, and the lane's index there */
    int64_t t0;
    uint64_t index0;         /* of its first span */
    int64_t tot[SPAN_SLOTS]; /* time per slot before t0 */
};

struct jlane {
    struct jpiece *v;
    uint32_t n;
    size_t cap;
};

struct jp {
    uint64_t id;
    struct jlane lane;
    uint32_t m, sweep; /* who has it; its open range, index + 1 */
    uint8_t status;    /* enum v2_pstatus */
    bool sweeps;
};

struct jm {
    uint64_t id;
    struct jlane lane;
    uint32_t p, g;
    bool told; /* the trace has said that it is there */
};

struct jg { /* a goroutine that lives */
    uint32_t g;
    uint8_t status;
    bool assists;
};

struct join {
    struct segment **seg; /* those that are joined */
    size_t n, cap;
    uint32_t ng;
    struct jp *p;
    struct jm *m;
    size_t np, nm, nm_told, capp, capm;
    struct jlane band[BAND_COUNT];
    struct idmap
        crosses; /* goroutine -> which of cross, if it has more pieces than that of the segment it is new in */
    struct jlane *cross;
    size_t ncross, capcross;
    struct idmap ids[LANE_KINDS]; /* P, M: by id; G: those that live, which of live */
    struct jg *live;
    size_t nlive, caplive;
    uint32_t *unused; /* entries of live */
    size_t nunused, capunused;
    int64_t end, last; /* end of the trace so far; its last event on the trace's clock */
    int gc;
    uint64_t gc_seq;
    uint64_t procs;
    bool oom;
};

struct trace;
enum joined { JOINED, JOIN_AGAIN, JOIN_NOT, JOIN_OOM };
/*
 * join_next - the next segment, whose decoding is over. JOIN_AGAIN: it is to be decoded again, with what join_hint() says now.
 * JOIN_NOT: it can't be understood by itself. Nothing has changed then.
 */
enum joined join_next(struct trace *tr, struct segment *s);
void join_free(struct join *j);
/* join_hint - fold.hint: what is known now of a goroutine that lives. */
uint16_t join_hint(void *join, uint64_t id, uint32_t *name);
/* join_holder - v2_order.holder. */
uint8_t join_holder(void *join, uint64_t id, uint64_t *m, uint64_t *g);

/* join_home, trace_home - where a goroutine is new. */
struct home {
    const struct segment *seg; /* NULL: the trace is one fold */
    const struct fold *f;
    uint32_t local; /* its index there */
    uint32_t run;   /* so many from it on stand there side by side: it, and those with the next indices */
};
struct home join_home(const struct join *j, uint32_t g);
struct home trace_home(const struct trace *tr, uint32_t g);

/* What a segment says of a goroutine, in the trace's numbers. */
static inline uint32_t segment_g(const struct segment *s, uint32_t g)
{
    return !s || !s->gmap || g == NO_LANE ? g : gmap_at(s->gmap, g);
}

static inline uint32_t segment_p(const struct segment *s, uint32_t p)
{
    return !s || !s->pmap || p == NO_LANE ? p : s->pmap[p];
}

/* ---- lanes as pieces -------------------------------------------------------------------------------------- */

struct piece {
    const struct segment *seg; /* NULL: the trace is one fold */
    const struct fold *f;
    const struct spanlane *l; /* NULL: a thread's */
    const struct mlane *ml;
    uint32_t i;      /* in f */
    int64_t t0, end; /* end: where its open span ends, at the next piece or with the trace */
    uint64_t index0;
    const int64_t *tot; /* before t0; NULL: nothing */
    bool last;
    struct spanlane room;
};

/* pieces_n - how many a lane has, 0: it has no span. pieces_get - one of them. pieces_at - the last that begins not behind t, or 0. */
uint32_t pieces_n(const struct trace *tr, struct lane l);
void pieces_get(const struct trace *tr, struct lane l, uint32_t k, struct piece *out);
uint32_t pieces_at(const struct trace *tr, struct lane l, int64_t t);
/* pieces_short - a piece, other than a goroutine's first and the last one, is over so soon that none of its spans lasts min_ns. */
bool pieces_short(const struct trace *tr, struct lane l, uint32_t k, int64_t min_ns);
/* pieces_more - a goroutine has pieces behind its first. pieces_home - its first and only one, known where it is new. */
bool pieces_more(const struct join *j, uint32_t g);
void pieces_home(const struct trace *tr, const struct home *home, struct piece *out);
/* pieces_totals - spans_totals() and holds_totals() of all pieces. false: the lane has nothing. */
bool pieces_totals(const struct trace *tr, struct lane l, const struct totals *a);
/* pieces_near - spans_near() and holds_near(). */
void pieces_near(const struct trace *tr, struct lane l, const struct nearby *a);
/* pieces_steps - about how many blocks of spans, or holds, lie between two moments. */
uint64_t pieces_steps(const struct trace *tr, struct lane l, int64_t t0, int64_t t1);

int64_t trace_last(const struct trace *tr); /* the end of what is decoded */

#endif
