/*
 * blocks.h - the index of a lane's packed blocks: where each block is, when it starts, how much time lies
 * before it.
 *
 * When SPAN_GROUP neighbouring blocks are complete their entries become columns (decode/base/columns.h). Only
 * the last, incomplete group is kept as struct blk. So an entry takes about 25 bytes instead of 80.
 *
 *   group:  longest, start, entries | ...         one per SPAN_GROUP blocks
 *   blk:    entries of the last group's blocks, then one for the start of the waiting spans
 */
#ifndef GOTOP_DECODE_BLOCKS_H
#define GOTOP_DECODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/columns.h"
#include "decode/model/pack.h"

#define SPAN_SLOTS 8
#define SPAN_GROUP 16 /* blocks in a spangroup */

struct blk {
    int64_t t0;                  /* start of the block's first span */
    uint8_t *data;               /* packed columns; NULL in the entry after the last block */
    int64_t longest;             /* longest duration in the block, except in slot 0 */
    int64_t cum[SPAN_SLOTS - 1]; /* ns in slots 1.. from the lane's start to t0; slot 0 has the rest */
};
enum { BLK_T0, BLK_DATA, BLK_LONGEST, BLK_CUM, BLK_VALUES = BLK_CUM + SPAN_SLOTS - 1 };

/* The part of the index that searches read. It is kept together, because the blocks' entries lie far
 * apart. */
struct spangroup {
    int64_t longest;             /* longest duration of its full blocks */
    int64_t t0;                  /* start of the first one */
    const struct columns *entry; /* a row per block; set once the group is full */
};

struct spanblocks {       /* The index of a lane whose first block is packed. */
    uint32_t n;           /* full blocks */
    size_t cap, capgroup; /* capacity of blk, of group */
    struct blk *blk;
    struct spangroup *group;
};

/*
 * blocks_room - make room for the next block's entry, v->blk[v->n % SPAN_GROUP], and one more. Returns false
 * when out of memory.
 */
bool blocks_room(struct spanblocks *v);
/* blocks_pack - pack the entries of a full group into columns, in memory from room(arg, bytes). Returns
 * NULL if out of memory. */
const struct columns *blocks_pack(const struct blk b[SPAN_GROUP], columns_room_fn *room, void *arg);
/* blocks_trim - free spare room; more blocks may come later. */
void blocks_trim(struct spanblocks *v);
void blocks_free(struct spanblocks *v); /* v may be NULL */

/* blocks_packed - whether block b's entry is in a packed group; else it is in v->blk. */
static inline bool blocks_packed(const struct spanblocks *v, uint32_t b)
{
    return b / SPAN_GROUP < v->n / SPAN_GROUP;
}

/* blocks_value - value k of packed block b. */
static inline uint64_t blocks_value(const struct spanblocks *v, uint32_t b, unsigned k)
{
    return columns_get(v->group[b / SPAN_GROUP].entry, BLK_VALUES, b % SPAN_GROUP, k);
}

/* blocks_t0, blocks_data, blocks_longest - the fields of block b < v->n; blocks_t0 also of b == v->n. */
static inline int64_t blocks_t0(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].t0;
    return (int64_t)blocks_value(v, b, BLK_T0);
}

static inline const uint8_t *blocks_data(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].data;
    return (const uint8_t *)(uintptr_t)blocks_value(v, b, BLK_DATA);
}

static inline int64_t blocks_longest(const struct spanblocks *v, uint32_t b)
{
    if (!blocks_packed(v, b))
        return v->blk[b % SPAN_GROUP].longest;
    return (int64_t)blocks_value(v, b, BLK_LONGEST);
}

/* blocks_before - returns the start of block b <= v->n, and sets tot[1..] to the ns per slot before it.
 * tot[0] is not set. */
int64_t blocks_before(const struct spanblocks *v, uint32_t b, int64_t tot[SPAN_SLOTS]);

#endif
