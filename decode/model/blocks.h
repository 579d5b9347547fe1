/*
 * blocks.h - the index of a lane's packed blocks: where each is, when it starts, what was before it.
 *
 * Entries of SPAN_GROUP neighbours are packed into one run of bytes as soon as all of them are there, and only those of
 * the last, unfinished group stand as struct blk. A packed group begins with the least of each of their values; behind it
 * there is a row for each block: of each value what it is above the least, in as many bytes as the largest of the group
 * needs. So an entry is found by its number, and takes about 25 bytes, not 80.
 *
 *   group:  longest, starts | longest, starts | ...        one per SPAN_GROUP blocks
 *   rows:   least, widths, row 0 .. row 15                 of each full group
 *   blk:    entries of the blocks of the last group and, behind them, of where the waiting spans start
 */
#ifndef GOTOP_DECODE_BLOCKS_H
#define GOTOP_DECODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/bytes.h"
#include "decode/model/pack.h"

#define SPAN_SLOTS 8
#define SPAN_GROUP 16 /* blocks of a spangroup */
#define SPAN_START 4  /* of so many blocks a spangroup has the start of the first */

struct blk {
    int64_t t0;                  /* start of the block's first span */
    uint8_t *data;               /* packed columns; NULL in the entry after the last block */
    int64_t longest;             /* longest duration in the block that is not of slot 0 */
    int64_t cum[SPAN_SLOTS - 1]; /* time per slot 1.. from the lane's start to t0; slot 0 is the rest */
};
enum { BLK_T0, BLK_DATA, BLK_LONGEST, BLK_CUM, BLK_VALUES = BLK_CUM + SPAN_SLOTS - 1 };

struct spangroup {   /* what searches look at: near together, where blocks' entries are far apart */
    int64_t longest; /* duration among its full blocks' */
    int64_t start[SPAN_GROUP / SPAN_START];
    const uint8_t *rows; /* of a full group */
};

struct spanblocks {         /* what a lane has once its first block is packed */
    uint32_t n;             /* full blocks */
    uint32_t cap, capgroup; /* of blk and group */
    struct blk *blk;
    struct spangroup *group;
};

enum { BLK_HEAD = 8 * BLK_VALUES + BLK_VALUES, BLK_ROWS_MOST = BLK_HEAD + 8 * BLK_VALUES * SPAN_GROUP };

/* blocks_room - for the entry of one more block, v->blk[v->n % SPAN_GROUP], and one behind it. false: out of memory. */
bool blocks_room(struct spanblocks *v);
/* blocks_rows - pack a group of entries; returns the bytes, at most BLK_ROWS_MOST. 8 more behind them are written to or read. */
size_t blocks_rows(const struct blk b[SPAN_GROUP], uint8_t *out);
void blocks_trim(struct spanblocks *v);
void blocks_free(struct spanblocks *v);          /* NULL is allowed */
size_t blocks_bytes(const struct spanblocks *v); /* what it takes, for who counts */

static inline bool blocks_packed(const struct spanblocks *v, uint32_t b)
{
    return b / SPAN_GROUP < v->n / SPAN_GROUP;
}

/* Bytes of a row: the sum of all ten widths. */
static inline size_t blocks_row(const uint8_t *w)
{
    return (size_t)(bytes_load8(w) * 0x0101010101010101u >> 56) + w[8] + w[9];
}
_Static_assert(BLK_VALUES == 10, "summed up as ten");

/* One value of packed block b's entry; before: those that stand before it in its row. */
static inline uint64_t blocks_value(const struct spanblocks *v, uint32_t b, int k, unsigned before)
{
    const uint8_t *head = v->group[b / SPAN_GROUP].rows, *w = head + 8 * BLK_VALUES;
    return bytes_load8(head + 8 * k) +
           (bytes_load8(head + BLK_HEAD + b % SPAN_GROUP * blocks_row(w) + before) & pack_mask[w[k]]);
}

static inline unsigned blocks_width(const struct spanblocks *v, uint32_t b, int k)
{
    return v->group[b / SPAN_GROUP].rows[8 * BLK_VALUES + k];
}

/* Of block b < v->n: blocks_t0 - its start (also of v->n), blocks_data, blocks_longest. */
static inline int64_t blocks_t0(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].t0;
    if (b % SPAN_START == 0)
        return v->group[b / SPAN_GROUP].start[b % SPAN_GROUP / SPAN_START];
    return (int64_t)blocks_value(v, b, BLK_T0, 0);
}

static inline const uint8_t *blocks_data(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].data;
    return (const uint8_t *)(uintptr_t)blocks_value(v, b, BLK_DATA, blocks_width(v, b, BLK_T0));
}

static inline int64_t blocks_longest(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].longest;
    return (int64_t)blocks_value(v, b, BLK_LONGEST, blocks_width(v, b, BLK_T0) + blocks_width(v, b, BLK_DATA));
}

/* A function that only prefetches has no effect that GCC knows of: calls of it are left out, unless there are none. */
#define AHEAD_INLINE static inline __attribute__((always_inline))

/* What will be read soon: blocks_ahead - with what a row of packed block b's group is
   read. blocks_ahead_rows - (that is here by now) the rows of b and of `more` blocks behind it in its group. blocks_ahead_group - all of
   its group, which has some 500 bytes. */
AHEAD_INLINE void blocks_ahead(const struct spanblocks *v, uint32_t b)
{
    const char *head = (const char *)v->group[b / SPAN_GROUP].rows;
    __builtin_prefetch(head);
    __builtin_prefetch(head + 64);
    __builtin_prefetch(head + BLK_HEAD - 1);
}

AHEAD_INLINE void blocks_ahead_rows(const struct spanblocks *v, uint32_t b, unsigned more)
{
    const uint8_t *head = v->group[b / SPAN_GROUP].rows;
    size_t width = blocks_row(head + 8 * BLK_VALUES);
    const char *row = (const char *)head + BLK_HEAD + b % SPAN_GROUP * width, *end = row + (more + 1) * width;
    for (; row < end; row += 64)
        __builtin_prefetch(row);
    __builtin_prefetch(end - 1);
}

AHEAD_INLINE void blocks_ahead_group(const struct spanblocks *v, uint32_t b)
{
    const char *head = (const char *)v->group[b / SPAN_GROUP].rows;
    for (int at = 0; at < 512; at += 64)
        __builtin_prefetch(head + at);
}

/* blocks_before - when block b <= v->n starts, and the time per slot (but for slot 0) before that. */
int64_t blocks_before(const struct spanblocks *v, uint32_t b, int64_t tot[SPAN_SLOTS]);

#endif
