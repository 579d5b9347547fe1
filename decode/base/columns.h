/*
 * columns.h - compact rows of numbers that are written once and read now and then: each value becomes a
 * column of as many bytes as the largest value needs above the smallest.
 */
#ifndef GOTOP_DECODE_COLUMNS_H
#define GOTOP_DECODE_COLUMNS_H

#include <stddef.h>

#include "decode/base/bytes.h"

enum { COLUMNS_ROWS = 128, COLUMNS_MOST = 16 }; /* most rows, most columns */

struct column {
    uint64_t least;
    uint16_t at; /* offset of the column's bytes after the last of these structs */
    uint8_t width;
} __attribute__((packed));

struct columns {
    uint16_t n; /* the columns */
    struct column col[];
    /* followed by the bytes: each value minus the least, little-endian; 8 more bytes after the last one */
};

/* columns_make - Pack rows of n values, one row after another, into the memory that room(arg, bytes)
 * returns, at an even address. NULL: out of memory. */
typedef void *columns_room_fn(void *arg, size_t bytes);
struct columns *columns_make(const uint64_t *v, unsigned rows, unsigned n, columns_room_fn *room, void *arg);

/* columns_get - Returns the value of a row and a column. n: the number of columns. */
static inline uint64_t columns_get(const struct columns *c, unsigned n, unsigned row, unsigned col)
{
    const struct column *k = &c->col[col];
    const unsigned w = k->width;
    if (!w)
        return k->least;
    const uint64_t v = bytes_load8((const uint8_t *)(c->col + n) + k->at + row * w);
    return k->least + (w < 8 ? v & (((uint64_t)1 << 8 * w) - 1) : v);
}

/* columns_all - Unpack a column's values of all rows, for callers that read most of them. Returns 0 if they
 * are all the same: only v[0] is set; else 1. */
static inline unsigned columns_all(const struct columns *c, unsigned nc, unsigned rows, unsigned col,
                                   uint64_t *v)
{
    const struct column *k = &c->col[col];
    const unsigned w = k->width;
    const uint8_t *p = (const uint8_t *)(c->col + nc) + k->at;
    const uint64_t mask = w < 8 ? ((uint64_t)1 << 8 * w) - 1 : UINT64_MAX, least = k->least;
    *v = least;
    for (unsigned i = 0; w && i < rows; i++, p += w)
        v[i] = least + (bytes_load8(p) & mask);
    return w > 0;
}

#endif
