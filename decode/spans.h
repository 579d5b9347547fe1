/*
 * spans.h - how the spans of one lane are kept: packed, appendable, and indexed while they are appended.
 *
 * A lane is a run of contiguous spans. The newest one is open (its end is not known). Closed spans wait unpacked
 * until there are SPAN_BLOCK (128) of them, then they are packed into one block: tags, durations, `who` and
 * `stack` as four columns of one to four bytes each, so that a look-up by time reads two columns only. Each full
 * block has an index entry: its start, the running totals of time per state slot before it, and its longest span.
 * So the exact time per state up to any moment is one binary search and at most 128 steps (spans_walk).
 *
 *   lane:  [block 0][block 1]...[block n-1] | waiting spans | open span
 *   blk:    start, totals, longest          (n+1 of them: the last one marks where the waiting spans start)
 *
 * Cost: about 4 bytes a span and 0.6 of index on a server's trace (`make bench` prints it).
 */
#ifndef GOTOP_DECODE_SPANS_H
#define GOTOP_DECODE_SPANS_H

#include "decode/trace.h"

#define SPAN_SLOTS 8
#define SPAN_GROUP 16 /* blocks under one entry of the coarse "longest" list */

struct rawspan {      /* a closed span, unpacked */
    int64_t dur;
    uint32_t who;     /* lane index + 1, 0 = none */
    uint32_t stack;
    uint32_t tag;     /* index into tags: state, reason, label */
};

struct span_tag {
    uint8_t state;
    uint8_t slot[4];          /* by lane kind: where its time is summed */
    uint32_t reason, label;
};

struct blk {
    int64_t t0;               /* start of the block's first span */
    uint8_t *data;            /* packed columns; NULL in the entry after the last block */
    int64_t longest;          /* longest duration in the block that is not of slot 0 */
    int64_t cum[SPAN_SLOTS - 1]; /* time per slot 1.. from the lane's start to t0; slot 0 is the rest */
};

struct spanlane {
    int64_t t0;               /* start of the open span */
    uint32_t who, stack, tag; /* the open span */
    uint16_t nwait, capwait;  /* capwait 0: nothing can be added before spans_room() */
    bool ended;               /* no open span any more; t0 is the lane's end */
    bool packed;              /* `wait` holds packed bytes (the lane is at rest) */
    bool backdated;           /* its first span began before the trace */
    bool begun;               /* has an open span, or had one */
    uint32_t nblk, capblk;
    union {
        struct rawspan *raw;
        uint8_t *packed;
    } wait;
    struct blk *blk;          /* nblk + 1 entries, NULL while nblk == 0 */
    int64_t *group;           /* per SPAN_GROUP full blocks: the longest duration among them */
    int64_t wait_t0;          /* start of the first waiting span (or of the open one) */
};

/* A bump allocator for packed blocks, and free lists for the arrays of waiting spans. */
struct span_pool {
    struct pool_chunk *chunks;
    uint8_t *at, *end;
    void *free[5];
    struct span_tag *tags;
    size_t ntags, captags;
    uint32_t *taghash;        /* tag + 1 */
    uint32_t tagcap;
    uint8_t slot[4][ST_COUNT];/* by lane kind: where a state's time is summed */
    bool oom;                 /* an allocation failed: spans may be missing, stop */
    uint64_t packed_bytes;
};

enum err_code pool_init(struct span_pool *sp);
void pool_free(struct span_pool *sp);
/* pool_tag - dense number of (state, reason, label). Returns 0 (ST_NONE) when out of memory. */
uint32_t pool_tag(struct span_pool *sp, uint8_t state, uint32_t reason, uint32_t label);

/* spans_begin - first span of a lane starts at t. */
void spans_begin(struct spanlane *l, int64_t t, uint32_t tag, uint32_t who, uint32_t stack);
/* Make room for one more waiting span; pack a full block. Both are spans_push's. */
bool spans_room(struct span_pool *sp, struct spanlane *l);
void spans_pack(struct span_pool *sp, enum lane_kind kind, struct spanlane *l);

/* spans_push - close the open span at t (>= its start) and open another. kind: the lane's, for its slots. */
static inline void spans_push(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t, uint32_t tag, uint32_t who,
                              uint32_t stack)
{
    if (l->nwait < l->capwait || spans_room(sp, l)) {
        struct rawspan *w = &l->wait.raw[l->nwait++];
        w->dur = t - l->t0;
        w->who = l->who;
        w->stack = l->stack;
        w->tag = l->tag;
        l->t0 = t;
        if (l->nwait == SPAN_BLOCK)
            spans_pack(sp, kind, l);
    }
    l->tag = tag;
    l->who = who;
    l->stack = stack;
}
/* spans_end - close the open span at t; the lane has ended. spans_rest - pack what waits (it is unpacked again
   if more comes). */
void spans_end(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t);
void spans_rest(struct span_pool *sp, struct spanlane *l);

/* Number of spans, the open one included. */
static inline uint64_t spans_count(const struct spanlane *l)
{
    return l->begun ? (uint64_t)l->nblk * SPAN_BLOCK + l->nwait + !l->ended : 0;
}
/* Start of the lane's first span. */
int64_t spans_first(const struct spanlane *l);

/* spans_block - unpack block b (b == nblk: what waits and the open span, which ends at `end`). Returns the number. */
uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, struct rawspan out[SPAN_BLOCK + 1],
                     int64_t *t0, int64_t end);
/* spans_find - the block that covers t (clamped to the lane's life). */
uint32_t spans_find(const struct spanlane *l, int64_t t);

/*
 * spans_totals - exact time per slot from the lane's start to each of n ascending moments; end = where the open span
 * ends. out[i][slot]. Also the number of spans that start before each moment (count, may be NULL).
 */
void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, const int64_t *t, uint32_t n,
                  int64_t end, int64_t (*out)[SPAN_SLOTS], uint64_t *count);

#endif
