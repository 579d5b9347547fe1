/*
 * segment.h - one generation of the second family, decoded by itself.
 *
 * A generation has tables and sequence numbers of its own, and tells of every P and goroutine what it does before anything
 * happens to it: so it can be put in order and folded by whoever has time, beside others. What is told is taken as it is
 * (v2_order.alone, fold.segment); whether it was so is for the join to see (decode/model/join.h).
 *
 * What a segment needs of those before it: names have the trace's numbers, which are given one segment after another; the time of
 * the last event, for no event is earlier, is foretold by a look at each thread's last batch (v2_gen_late()) where one is decoded
 * beside another. Both are prepared by whoever has time.
 */
#ifndef GOTOP_DECODE_SEGMENT_H
#define GOTOP_DECODE_SEGMENT_H

#include "decode/model/fold.h"
#include "decode/v2/v2_order.h"

struct loader;
struct segment {
    uint32_t n;       /* 0 = the trace's first */
    struct source *s; /* notes and status of its own; NULL once it is joined */
    struct v2_gen gen;
    struct v2_order order;
    struct fold *f; /* n == 0: the trace's */
    bool named;     /* its tables have the trace's names */
    enum segment_step {
        SEG_UNREAD,
        SEG_READING,
        SEG_READ, /* its tables, by themselves */
        SEG_LOOKING,
        SEG_LOOKED /* for its last event */
    } step;        /* under the loader's lock */
    struct v2_late late;
    bool over;    /* all its events are folded */
    bool decoded; /* under the loader's lock: it can be joined */
    struct loader *loader;
    bool oom;
    struct segment_hint { /* what hints said of those that were there before, in the order they were told of */
        uint32_t name;
        uint16_t flags;
    } * hint;
    size_t nhint, caphint;
    uint64_t procs;       /* GOMAXPROCS as it began, for all that was known */
    uint32_t tried;       /* how often it was decoded in vain */
    bool truth;           /* what was before it was known when it was decoded */
    int64_t before, last; /* when the one before it ended, and when it will: absolute, ns */
    bool last_known;
    uint32_t damages, warnings, missing; /* as of the tables, for decoding it again */
    /* Once it is joined: */
    uint32_t base, nnew;   /* goroutines that are new in it have these indices */
    uint32_t *gmap;        /* which of the trace's its goroutines are: gmap.h; NULL: the same */
    uint32_t *pmap, *mmap; /* the trace's index of each lane; NULL: the same */
    uint32_t *old, nold;   /* goroutines that are not new, in ascending order */
};

/* segment_new - whose generation is to be scanned into s->gen. NULL: out of memory. */
struct segment *segment_new(uint32_t n, const struct source *like);
void segment_free(struct segment *s); /* NULL is allowed */
/*
 * segment_read - its tables. segment_name - what they say gets the trace's names: nobody else may be giving any.
 * segment_named - it uses them from now on. All of them: s->oom, out of memory.
 */
void segment_read(struct segment *s);
void segment_name(struct segment *s);
void segment_named(struct segment *s);
/* segment_begin - before its first event. base: when the trace began (n > 0). false: out of memory. */
bool segment_begin(struct segment *s, int64_t base, int64_t before, struct fold *f);
/* segment_based - of the first one it is known now when the trace began. */
void segment_based(struct segment *s);
/* segment_some - up to cap events. false: it is over. */
bool segment_some(struct segment *s, size_t cap);
/* segment_held - bytes that its spans and goroutines take, about, with what triage counts of these; before segment_rest(). */
uint64_t segment_held(const struct segment *s);
/* segment_rest - what only decoding and joining need is given back. */
void segment_rest(struct segment *s);

#endif
