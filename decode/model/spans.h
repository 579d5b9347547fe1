/*
 * spans.h - how the spans of one lane are kept: packed, appendable, and indexed while they are appended.
 *
 * A lane is a run of contiguous spans. The newest one is open (its end is not known). Closed spans wait, 16 bytes
 * each, until there are more than SPAN_BLOCK (128) of them, then 128 are packed into one block: the pairs of tag and
 * `stack` as numbers in a palette, durations and `who` as columns of up to four bytes each (decode/model/pack.h), so that a
 * look-up by time reads the palette and one column only. Each full
 * block has an index entry: its start, the running totals of time per state slot before it, and its longest span.
 * So the exact time per state up to any moment is one binary search and at most 128 steps (spans_totals()).
 *
 *   lane:  [block 0][block 1]...[block n-1] | waiting spans | open span
 *   index:  start, totals, longest          (n+1 of them, decode/model/blocks.h: the last one marks where the waiting spans start)
 *
 * Cost: about 3 bytes a span and a quarter of index on a server's trace (`make bench` prints it).
 */
#ifndef GOTOP_DECODE_SPANS_H
#define GOTOP_DECODE_SPANS_H

#include "decode/base/columns.h"
#include "decode/base/idmap.h"
#include "decode/model/blocks.h"
#include "decode/model/pack.h"

/* One cache line: a goroutine's next transition reads and writes nothing else of it. */
struct spanlane {
    int64_t t0;           /* start of the open span */
    struct waitspan open; /* the open span; its duration isn't known */
    uint8_t cap, room;    /* of the waiting spans' array; how many more it takes before spans_room() */
    bool ended : 1;       /* no open span any more; t0 is the lane's end */
    bool packed : 1;      /* `wait` holds packed bytes (the lane is at rest) */
    bool backdated : 1;   /* its first span began before the trace */
    bool begun : 1;       /* has an open span, or had one */
    uint8_t state;        /* fold's: a goroutine's enum state as of the last transition */
    uint8_t special;      /* fold's: SPECIAL_*, why a transition takes the long way; 0 = it needn't */
    union {
        struct waitspan *next; /* where the next waiting span goes, behind the cap - room ones there are */
        uint8_t *packed;
    } wait;
    struct spanblocks *blocks; /* NULL: none yet */
    int64_t wait_t0;           /* start of the first waiting span (or of the open one) */
    uint32_t p, m;             /* a goroutine's: where it is now, EV_NONE */
};
_Static_assert(sizeof(void *) < 8 || sizeof(struct spanlane) == 64, "a lane is one cache line");

/* How many wait, and the first of them (unless packed). */
static inline uint32_t spans_nwait(const struct spanlane *l)
{
    return (uint32_t)(l->cap - l->room);
}

static inline struct waitspan *spans_wait(const struct spanlane *l)
{
    return l->cap ? l->wait.next - spans_nwait(l) : NULL;
}

static inline uint32_t spans_nblk(const struct spanlane *l)
{
    return l->blocks ? l->blocks->n : 0;
}

/* What waits is little: it may be put away with its neighbours' instead of being packed (decode/model/alike.h). */
enum { SPANS_FEW = 2 };
static inline bool spans_few(const struct spanlane *l)
{
    return l->cap && l->cap <= SPANS_FEW && !l->packed && !l->blocks;
}

/* It was: with whose. `wait.packed` is odd then, which no packed block's address is, and open.dur_who is its row. NULL: it wasn't. */
static inline const struct columns *spans_alike(const struct spanlane *l)
{
    const uintptr_t at = (uintptr_t)l->wait.packed;
    return l->packed && at & 1 ? (const struct columns *)(at - 1) : NULL;
}

/* Memory that is only ever given back as a whole: packed blocks. */
struct bump {
    struct pool_chunk *chunks, *last;
    uint8_t *at, *end; /* in the last one */
    size_t next, most; /* size of the next chunk; of the largest, 0: the usual one */
};
void bump_cut(struct bump *b); /* what is left of the last chunk is given back */

struct span_pool {
    struct bump bump;  /* packed spans and rows of the block index */
    struct bump waits; /* arrays of waiting spans */
    void *free[5];     /* those not in use, by size */
    struct span_tag *tags;
    size_t ntags, captags, capslots;
    uint8_t (*tagslot)[4];     /* by tag and lane kind: where its time is summed */
    struct idmap tagof;        /* by a hash of what it says */
    uint8_t slot[4][ST_COUNT]; /* by lane kind: where a state's time is summed */
    int64_t *longs;            /* durations of waiting spans that take more than 32 bits */
    size_t nlongs, caplongs;
    struct pack_clock clock; /* by which durations are packed (pool_ticks) */
    uint32_t whole;          /* of the last block's durations: how many were multiples of 64 ns, in 128ths */
    bool oom;                /* an allocation failed: spans may be missing, stop */
    uint64_t packed_bytes;
};

enum err_code pool_init(struct span_pool *sp);
void pool_free(struct span_pool *sp);
size_t
pool_chunks_bytes(const struct span_pool *sp); /* what packed spans and rows of the index stand in, for who counts */
/* pool_ticks - how long a tick of the trace's clock takes (0: nothing is known); believed until the first span is closed. */
void pool_ticks(struct span_pool *sp, double tick_ns);
/* pool_bytes - n bytes among the packed spans, at an even address, for as long as these stand; less than 60 KB. NULL: out of memory. */
void *pool_bytes(struct span_pool *sp, size_t n);
/* pool_waits_free - give back all arrays of waiting spans: every lane is at rest, and stays so. */
void pool_waits_free(struct span_pool *sp);
/* pool_tag - dense number of (state, reason, label). Returns 0 (ST_NONE) when out of memory. */
uint32_t pool_tag(struct span_pool *sp, uint8_t state, uint32_t reason, uint32_t label);

/* spans_begin - first span of a lane starts at t. */
void spans_begin(struct spanlane *l, int64_t t, uint32_t tag, uint32_t who, uint32_t stack);
/* Make room for one more waiting span: a full block is packed. spans_push's. */
bool spans_room(struct span_pool *sp, enum lane_kind kind, struct spanlane *l);

/* A duration that doesn't fit a waiting span: into the list of long ones. spans_push's. */
void spans_long(struct span_pool *sp, int64_t dur, struct waitspan *w);

/* spans_push - close the open span at t (>= its start) and open another. kind: the lane's, for its slots. */
static inline __attribute__((always_inline)) void spans_push(struct span_pool *sp, enum lane_kind kind,
                                                             struct spanlane *l, int64_t t, uint32_t tag,
                                                             uint32_t who, uint32_t stack)
{
    if (l->room || spans_room(sp, kind, l)) {
        int64_t dur = t - l->t0;
        struct waitspan *w = l->wait.next;
        l->wait.next = w + 1;
        l->room--;
        w->dur_who = l->open.dur_who | (uint32_t)dur; /* word by word, as they were stored just now */
        w->rest = l->open.rest;
        if (__builtin_expect((uint64_t)dur >> 32 != 0, 0))
            spans_long(sp, dur, w);
        l->t0 = t;
    }
    l->open = waitspan(0, who, stack, tag);
}
/*
 * spans_end - close the open span at t; the lane has ended. spans_rest - pack what waits (it is unpacked again if more comes).
 * spans_drop - it is kept elsewhere. spans_own - what is kept with its neighbours' is packed as the lane's own.
 */
void spans_end(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t);
void spans_rest(struct span_pool *sp, struct spanlane *l);
void spans_drop(struct span_pool *sp, struct spanlane *l);
void spans_own(struct span_pool *sp, struct spanlane *l);
/* spans_trim - nothing more will come: give back room for blocks. spans_free - the lane's own memory. */
void spans_trim(struct spanlane *l);
void spans_free(struct spanlane *l);

/* Number of spans, the open one included. */
static inline uint64_t spans_count(const struct spanlane *l)
{
    return l->begun ? (uint64_t)spans_nblk(l) * SPAN_BLOCK + spans_nwait(l) + !l->ended : 0;
}
/* How many blocks spans_block() knows: what waits, and the open span, is one. */
static inline uint32_t spans_blocks(const struct spanlane *l)
{
    return spans_nblk(l) + (spans_nwait(l) || !l->ended);
}
/* Start of the lane's first span. */
int64_t spans_first(const struct spanlane *l);

/* spans_block - unpack block b (b == nblk: what waits and the open span, which ends at `end`). Returns the number. */
uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, struct spancols *out,
                     int64_t *t0, int64_t end);
/* spans_first_stack - of block b's first span; 0: there is none. */
uint32_t spans_first_stack(const struct spanlane *l, uint32_t b);
/* spans_ahead - block b will be read soon: blocks of one lane lie apart, and to wait for memory costs as much as unpacking. */
void spans_ahead(const struct spanlane *l, uint32_t b);
/* spans_times - the same, durations and tags alone. */
uint32_t spans_times(const struct span_pool *sp, const struct spanlane *l, uint32_t b, int64_t dur[SPAN_ROOM],
                     uint32_t tag[SPAN_ROOM], int64_t *t0, int64_t end);
/* spans_wide - of blocks b .. last the first that has a span of at least min_ns, ST_NONE apart, or may: what waits to be packed
   has if it lasts so long in all, its open span till `end`. Behind last: none. */
uint32_t spans_wide(const struct spanlane *l, uint32_t b, uint32_t last, int64_t min_ns, int64_t end);
/* spans_find - the block that covers t (clamped to the lane's life). */
uint32_t spans_find(const struct spanlane *l, int64_t t);

/*
 * What is asked of a lane: exact time per slot from its start to each of n ascending moments, tot[i][slot], and the number of spans that
 * start before each, unless count is NULL. totals_of - of some of the moments.
 */
struct totals {
    const int64_t *t;
    uint32_t n;
    int64_t (*tot)[SPAN_SLOTS];
    uint64_t *count;
};
static inline struct totals totals_of(const struct totals *a, uint32_t from, uint32_t n)
{
    return (struct totals){a->t + from, n, a->tot + from, a->count ? a->count + from : NULL};
}
/* spans_totals - end: where the open span ends. */
void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t end,
                  const struct totals *a);

/*
 * The same for who needs it less exactly: for each of n ascending moments totals up to two moments around it (or to itself, twice) that
 * need no unpacking: where blocks begin, or a thread's holds; far: where groups of holds do. Slot 0 is not filled in.
 */
struct totals_near {
    int64_t t[2], tot[2][SPAN_SLOTS];
    uint64_t count[2]; /* spans that start before t[0], t[1] */
};
struct nearby {
    const int64_t *t;
    uint32_t n;
    bool far;
    struct totals_near *out;
};
/* totals_known - up to t itself: what tot[0] and count[0] say. */
static inline void totals_known(struct totals_near *x, int64_t t)
{
    x->t[0] = x->t[1] = t;
    x->count[1] = x->count[0];
    memcpy(x->tot[1], x->tot[0], sizeof x->tot[1]);
}
void spans_near(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t end,
                const struct nearby *a);

/*
 * spans_since - of a lane that is being appended to: time per slot in [from,to), and how many spans that touches, added
 * to sum and *count; the lane's open span lasts at least up to `to`. It costs a step for each of these spans. false: it
 * isn't that simple (they are packed already), nothing is added.
 */
bool spans_since(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t from, int64_t to,
                 int64_t sum[SPAN_SLOTS], uint64_t *count);

#endif
