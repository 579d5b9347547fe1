/*
 * segment.h - one generation of the second family, decoded by itself.
 *
 * A generation has its own tables and sequence numbers, and tells the state of every P and goroutine before
 * anything happens to it. So any thread can order and fold it, beside other generations. It takes the states
 * it is told as true (v2_order.alone, fold.segment); joining checks whether they are (decode/model/join.h).
 *
 * A segment needs two things from the segments before it. Names get the trace's numbers, which are given out
 * one segment after another. And no event may be earlier than the last event of the segment before; that time
 * is predicted by a look at each thread's last batch (v2_gen_late()) if segments are decoded side by side.
 * Any worker thread may prepare both.
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
    struct fold *f; /* n == 0: the trace's own fold */
    bool named;     /* its tables use the trace's names */
    enum segment_step {
        SEG_UNREAD,
        SEG_READING,
        SEG_READ, /* tables read, not named */
        SEG_LOOKING,
        SEG_LOOKED /* last event looked for */
    } step;        /* under the loader's lock */
    struct v2_late late;
    bool over;    /* all its events are folded */
    bool decoded; /* ready to be joined; under the loader's lock */
    struct loader *loader;
    bool oom;
    struct segment_hint { /* the answers to hint, in the order of asking */
        uint32_t name;
        uint16_t flags;
    } * hint;
    size_t nhint, caphint;
    uint64_t procs; /* GOMAXPROCS at its start, as far as known then */
    uint32_t tried; /* how many decodings were in vain */
    bool truth;     /* the state before it was known when it was decoded */
    /* last event of the segment before it (predicted or known), and of this one: absolute, ns */
    int64_t before, last;
    bool last_known;
    uint32_t damages, warnings, missing; /* counts after reading the tables, to start again from */
    uint32_t base,
        nnew; /* once joined: the indices of the goroutines that are new in it are base .. base+nnew-1 */
    uint32_t *gmap;        /* its goroutines -> the trace's (gmap.h); NULL: the same */
    uint32_t *pmap, *mmap; /* its Ps, Ms -> the trace's; NULL: the same */
    uint32_t *old, nold;   /* its goroutines that are not new, ascending */
};

/*
 * segment_new - segment n, with a source like this one. The caller scans its generation into s->gen. NULL:
 * out of memory.
 */
struct segment *segment_new(uint32_t n, const struct source *like);
void segment_free(struct segment *s); /* s may be NULL */
/*
 * segment_read - read its tables.
 * segment_name - give its tables the trace's names; only one thread may do that at a time.
 * segment_named - use these names from now on.
 * All set s->oom when out of memory.
 */
void segment_read(struct segment *s);
void segment_name(struct segment *s);
void segment_named(struct segment *s);
/*
 * segment_begin - prepare for its first event. base: start of the trace (n > 0); before: last event of the
 * segment before. false: out of memory.
 */
bool segment_begin(struct segment *s, int64_t base, int64_t before, struct fold *f);
/* segment_based - of the first segment: the trace's start is known now. */
void segment_based(struct segment *s);
/* segment_some - decode up to cap events. false: that was the last, or out of memory. */
bool segment_some(struct segment *s, size_t cap);
/* segment_rest - free what only decoding and joining need. */
void segment_rest(struct segment *s);

#endif
