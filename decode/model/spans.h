/*
 * spans.h - the spans of one lane: appendable, packed, and indexed as they are appended.
 *
 * A lane is a run of contiguous spans. The newest span is open: its end is not known yet. Closed spans wait
 * as 16 bytes each. When 128 (SPAN_BLOCK) wait and another one is closed, the 128 are packed into a block:
 * pairs of tag and stack as numbers in a palette, durations and `who` as columns of up to four bytes each
 * (decode/model/pack.h). A look-up by time so reads only the palette and one column. Each block has an index
 * entry: its start, the time per state slot before it, and its longest span. The exact time per state up to
 * any moment is then one binary search and at most 128 steps (spans_totals()).
 *
 *   lane:   [block 0][block 1]...[block n-1] | waiting spans | open span
 *   index:  start, totals, longest           (n+1 of them, blocks.h: the last one is for the waiting spans)
 *
 * Cost: about 3 bytes a span, a quarter of it index, on a server's trace (`make bench` prints it).
 */
#ifndef GOTOP_DECODE_SPANS_H
#define GOTOP_DECODE_SPANS_H

#include "decode/base/columns.h"
#include "decode/base/idmap.h"
#include "decode/model/blocks.h"
#include "decode/model/pack.h"

/* This is one cache line: a goroutine's transition seldom touches another. */
struct spanlane {
    int64_t t0;           /* start of the open span */
    struct waitspan open; /* the open span, without duration */
    uint8_t cap, room;    /* capacity of the waiting spans' array; free entries in it */
    bool ended : 1;       /* the lane has ended at t0; there is no open span */
    bool packed : 1;      /* the lane is at rest: the waiting spans are packed */
    bool backdated : 1;   /* its first span began before the trace */
    bool started : 1;     /* has or had an open span */
    uint8_t state;        /* a goroutine's enum state after its last transition; fold uses it */
    uint8_t special;      /* SPECIAL_*: why a transition must take fold's long way; 0 = it need not */
    union {
        struct waitspan *next; /* where the next waiting span goes; cap - room spans precede it */
        uint8_t *packed;
    } wait;
    struct spanblocks *blocks; /* NULL: none yet */
    int64_t wait_t0;           /* start of the first waiting span, else of the open one */
    uint32_t p, m;             /* where a goroutine is now, else EV_NONE */
};
_Static_assert(sizeof(void *) < 8 || sizeof(struct spanlane) == 64, "a lane is one cache line");

/* spans_nwait - number of waiting spans. spans_wait - the first of them; the lane must not be packed. */
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

/* This memory is freed only as a whole. */
struct bump {
    struct pool_chunk *chunks;
    uint8_t *at, *end; /* free part of the last chunk */
    size_t next, most; /* size of the next chunk; size of the largest, 0 = the usual one */
};

struct span_pool {
    struct bump bump;  /* packed spans, rows of the block index */
    struct bump waits; /* arrays of waiting spans */
    void *free[5];     /* unused arrays, by size */
    struct span_tag *tags;
    size_t ntags, captags, capslots;
    uint8_t (*tagslot)[4];     /* by tag and lane kind: the slot its time is summed in */
    struct idmap tagof;        /* hash of (state, reason, label) -> tag */
    uint8_t slot[4][ST_COUNT]; /* by lane kind: the slot of each state */
    int64_t *longs;            /* durations of waiting spans that need more than 32 bits */
    size_t nlongs, caplongs;
    struct pack_clock clock; /* how durations are packed: pool_ticks() */
    uint32_t whole;          /* number of multiples of 64 ns among the last block's 128 durations */
    bool oom;                /* an allocation failed: spans may be missing, stop */
};

/* pool_init - make an empty pool. On ERR_NOMEM, too, pool_free() it. */
enum err_code pool_init(struct span_pool *sp);
void pool_free(struct span_pool *sp);
/* pool_ticks - set the length of a clock tick in ns (0 = unknown). Has an effect until the first span is
 * closed. */
void pool_ticks(struct span_pool *sp, double tick_ns);
/* pool_bytes - returns n bytes (less than 60 KB) at an even address of a struct span_pool, freed with it;
 * NULL if out of memory. */
void *pool_bytes(void *pool, size_t n);
/* pool_waits_free - free all arrays of waiting spans. Every lane must be at rest and stay so. */
void pool_waits_free(struct span_pool *sp);
/* pool_tag - returns the dense number of (state, reason, label); with more than 65536 of them, of the state
 * alone. 0 (ST_NONE) when out of memory. */
uint32_t pool_tag(struct span_pool *sp, uint8_t state, uint32_t reason, uint32_t label);

/* spans_begin - the lane's first span, `open`, starts at t. */
void spans_begin(struct spanlane *l, int64_t t, struct waitspan open);
/* spans_room - make room for one more waiting span; packs a full block. Returns false when out of memory. */
bool spans_room(struct span_pool *sp, enum lane_kind kind, struct spanlane *l);

/* spans_long - put a duration that does not fit a waiting span into sp->longs. */
void spans_long(struct span_pool *sp, int64_t dur, struct waitspan *w);

/* spans_push - close the open span at t (>= its start) and open another. kind is the lane's. */
static inline __attribute__((always_inline)) void
spans_push(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t, struct waitspan open)
{
    if (l->room || spans_room(sp, kind, l)) {
        int64_t dur = t - l->t0;
        struct waitspan *w = l->wait.next;
        l->wait.next = w + 1;
        l->room--;
        /* Load word by word, as they were stored just now: loading both at once would stall. */
        w->dur_who = l->open.dur_who | (uint32_t)dur;
        w->rest = l->open.rest;
        if (__builtin_expect((uint64_t)dur >> 32 != 0, 0))
            spans_long(sp, dur, w);
        l->t0 = t;
    }
    l->open = open;
}
/*
 * spans_end - close the open span at t: the lane has ended.
 * spans_rest - pack the waiting spans (appending unpacks them).
 */
void spans_end(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t);
void spans_rest(struct span_pool *sp, struct spanlane *l);
/*
 * spans_trim - free spare room of the index; the lane is complete.
 * spans_free - free the lane's own memory.
 */
void spans_trim(struct spanlane *l);
void spans_free(struct spanlane *l);

/* spans_count - number of spans, the open one included. */
static inline uint64_t spans_count(const struct spanlane *l)
{
    return l->started ? (uint64_t)spans_nblk(l) * SPAN_BLOCK + spans_nwait(l) + !l->ended : 0;
}
/* spans_blocks - number of blocks for spans_block(); the waiting spans and the open one count as one. */
static inline uint32_t spans_blocks(const struct spanlane *l)
{
    return spans_nblk(l) + (spans_nwait(l) || !l->ended);
}
/* spans_first - start of the lane's first span. */
int64_t spans_first(const struct spanlane *l);

/* spans_block - unpack block b, as unpack_spans() does, and return its number of spans; *t0 is its start. The
 * block after the packed ones has the waiting spans and the open one, which ends at `end`. */
uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, bool all,
                     struct spancols *out, int64_t *t0, int64_t end);

/* spans_wide - returns the first of blocks b .. last that has a span of at least min_ns other than ST_NONE;
 * a number above `last` if there is none. The unpacked end of the lane is returned if it lasts that long in
 * total, its open span up to `end`. */
uint32_t spans_wide(const struct spanlane *l, uint32_t b, uint32_t last, int64_t min_ns, int64_t end);
/* spans_find - returns the block that covers t, clamped to the lane's life. */
uint32_t spans_find(const struct spanlane *l, int64_t t);

/*
 * A query for exact times: for each of n ascending moments t[i], the time per slot from the lane's start
 * (tot[i][slot]) and the number of spans that start before it (count may be NULL).
 * totals_of - the query for n of its moments, from moment `from` on.
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
/* spans_totals - answer the query; the open span ends at `end`. */
void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t end,
                  const struct totals *a);

/* spans_since - in a lane that is still appended to: add the time per slot in [from,to), and the number of
 * spans it touches. The open span must last at least up to `to`. Takes one step per span. Returns false and
 * adds nothing if some of these spans are packed already. */
struct span_sums {
    int64_t tot[SPAN_SLOTS]; /* ns */
    uint64_t count;
};
bool spans_since(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t from,
                 int64_t to, struct span_sums *sums);

#endif
