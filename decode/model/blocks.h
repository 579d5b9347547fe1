/*
 * blocks.h - the index of a lane's packed blocks: where each block is, when it starts, how much time lies
 * before it.
 *
 * The entries of SPAN_GROUP neighbouring blocks are packed into one run of bytes when the group is complete.
 * Only the last, incomplete group is kept as struct blk. A packed group starts with the least of each value;
 * then comes a row per block with each value's excess over the least, in as many bytes as the group's largest
 * excess needs. So an entry can be found by its number and takes about 25 bytes instead of 80.
 *
 *   group:  longest, starts | longest, starts | ...        one per SPAN_GROUP blocks
 *   rows:   least, widths, row 0 .. row 15                 of each full group
 *   blk:    entries of the last group's blocks, then one for the start of the waiting spans
 */
#ifndef GOTOP_DECODE_BLOCKS_H
#define GOTOP_DECODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/bytes.h"
#include "decode/model/pack.h"

#define SPAN_SLOTS 8
#define SPAN_GROUP 16 /* blocks in a spangroup */
#define SPAN_START 4  /* a spangroup has the start of every fourth block */

struct blk {
    int64_t t0;                  /* start of the block's first span */
    uint8_t *data;               /* packed columns; NULL in the entry behind the last block */
    int64_t longest;             /* longest duration in the block, slot 0 apart */
    int64_t cum[SPAN_SLOTS - 1]; /* ns in slots 1.. from the lane's start to t0; slot 0 has the rest */
};
enum { BLK_T0, BLK_DATA, BLK_LONGEST, BLK_CUM, BLK_VALUES = BLK_CUM + SPAN_SLOTS - 1 };

struct spangroup {   /* What searches read. It is kept together, because the blocks' entries lie far apart. */
    int64_t longest; /* longest duration of its full blocks */
    int64_t start[SPAN_GROUP / SPAN_START];
    const uint8_t *rows; /* only of a full group */
};

struct spanblocks {         /* What a lane has once its first block is packed. */
    uint32_t n;             /* full blocks */
    uint32_t cap, capgroup; /* capacity of blk, of group */
    struct blk *blk;
    struct spangroup *group;
};

enum { BLK_HEAD = 8 * BLK_VALUES + BLK_VALUES, BLK_ROWS_MOST = BLK_HEAD + 8 * BLK_VALUES * SPAN_GROUP };

/*
 * blocks_room - make room for the next block's entry, v->blk[v->n % SPAN_GROUP], and one more. false: out of
 * memory.
 */
bool blocks_room(struct spanblocks *v);
/*
 * blocks_rows - pack a group's entries. Returns the bytes used, at most BLK_ROWS_MOST; 8 more must be
 * writable, and later readable.
 */
size_t blocks_rows(const struct blk b[SPAN_GROUP], uint8_t *out);
/* blocks_trim - free spare room; more blocks may come later. */
void blocks_trim(struct spanblocks *v);
void blocks_free(struct spanblocks *v);          /* v may be NULL */
size_t blocks_bytes(const struct spanblocks *v); /* memory it takes, for accounting */

/* blocks_packed - is block b's entry in a packed group? Else it is in v->blk. */
static inline bool blocks_packed(const struct spanblocks *v, uint32_t b)
{
    return b / SPAN_GROUP < v->n / SPAN_GROUP;
}

/* blocks_row - bytes of a row: the sum of all ten widths. */
static inline size_t blocks_row(const uint8_t *w)
{
    return (size_t)(bytes_load8(w) * 0x0101010101010101u >> 56) + w[8] + w[9];
}
_Static_assert(BLK_VALUES == 10, "summed up as ten");

/* blocks_value - value k of packed block b; `before` is the width of the values before it in the row. */
static inline uint64_t blocks_value(const struct spanblocks *v, uint32_t b, int k, unsigned before)
{
    const uint8_t *head = v->group[b / SPAN_GROUP].rows, *w = head + 8 * BLK_VALUES;
    return bytes_load8(head + 8 * k) +
           (bytes_load8(head + BLK_HEAD + b % SPAN_GROUP * blocks_row(w) + before) & pack_mask[w[k]]);
}

/* blocks_width - how many bytes value k takes in the row of packed block b. */
static inline unsigned blocks_width(const struct spanblocks *v, uint32_t b, int k)
{
    return v->group[b / SPAN_GROUP].rows[8 * BLK_VALUES + k];
}

/* blocks_t0, blocks_data, blocks_longest - of block b < v->n; blocks_t0 also of b == v->n. */
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
    return (int64_t)blocks_value(v, b, BLK_LONGEST,
                                 blocks_width(v, b, BLK_T0) + blocks_width(v, b, BLK_DATA));
}

/*
 * blocks_before - the start of block b <= v->n (returned), and in tot[1..] the ns per slot before it; tot[0]
 * is not set.
 */
int64_t blocks_before(const struct spanblocks *v, uint32_t b, int64_t tot[SPAN_SLOTS]);

#endif
