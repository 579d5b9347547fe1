/*
 * segment.h - one generation of the second family, decoded by itself.
 *
 * A generation has its own tables and sequence numbers, and reports the state of every P and goroutine
 * before their first events. So any thread can order and fold it, in parallel with other generations. The
 * reported states are taken as true (v2_order.alone, fold.segment); joining checks them
 * (decode/model/join.h).
 *
 * A segment needs two things from the segments before it. Names get the trace's numbers, which are assigned
 * one segment after another. And no event may be earlier than the last event of the previous segment; if
 * segments are decoded in parallel, that time is predicted from each thread's last batch (segment_look()).
 */
#ifndef GOTOP_DECODE_SEGMENT_H
#define GOTOP_DECODE_SEGMENT_H

#include "decode/model/fold.h"
#include "decode/v2/v2_order.h"

struct loader;
struct segment {
    uint32_t n;       /* 0 = the trace's first */
    struct source *s; /* its own notes and status; NULL once joined */
    struct v2_gen gen;
    struct v2_order order;
    struct fold *f;      /* n == 0: the trace's own fold */
    bool started;        /* its decoding has begun */
    bool looked;         /* `least` and `most` are known; under the loader's lock */
    int64_t least, most; /* no event is earlier; the latest time in the file */
    bool over;           /* all its events are folded */
    bool decoded;        /* ready to be joined; under the loader's lock */
    struct loader *loader;
    bool oom;
    uint64_t procs; /* GOMAXPROCS at its start, as far as known at that time */
    uint32_t tried; /* number of decodings that were thrown away */
    bool truth;     /* it was decoded with the known state at the end of the previous segment */
    /* last event of the previous segment (predicted or known), and of this one: absolute, ns */
    int64_t before, last;
    bool last_known;
    /* counts after reading the tables; a repeated decoding starts from them */
    uint32_t damages, warnings, missing;
    uint32_t base, nnew;   /* once joined: goroutines that are new in it are base .. base+nnew-1 */
    uint32_t *gmap;        /* its goroutines -> the trace's (gmap.h); NULL: the same */
    uint32_t *pmap, *mmap; /* its Ps, Ms -> the trace's; NULL: the same */
    uint32_t *old, nold;   /* its goroutines that are not new, ascending */
};

/* segment_new - returns segment n, with a source like this one; NULL if out of memory. The caller scans its
 * generation into s->gen. */
struct segment *segment_new(uint32_t n, const struct source *like);
void segment_free(struct segment *s); /* s may be NULL */
/* segment_read - read its tables; sets s->oom when out of memory. */
void segment_read(struct segment *s);
/*
 * segment_look - read the end of each thread's last batch.
 * segment_end - from that, predict the time of the last event. `last`: when the segment before it ended,
 * INT64_MIN if there is none. It is off where the last events have the same time, or another order
 * than that of their times; then the next segment is decoded a second time.
 */
void segment_look(struct segment *s);
int64_t segment_end(const struct segment *s, int64_t last);
/* segment_begin - prepare for its first event. base: start of the trace (n > 0); before: last event of the
 * previous segment. Returns false when out of memory. */
bool segment_begin(struct segment *s, int64_t base, int64_t before, struct fold *f);
/* segment_based - set the trace's start, now known, in the first segment. */
void segment_based(struct segment *s);
/* segment_some - decode up to cap events. Returns false after the last, or when out of memory. */
bool segment_some(struct segment *s, size_t cap);
/* segment_rest - free what only decoding and joining need. */
void segment_rest(struct segment *s);

#endif
