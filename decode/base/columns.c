/* columns.c - see columns.h. */
#include "decode/base/columns.h"

/* Returns how many bytes a column's values take above the least of them. Values are n apart. */
static inline __attribute__((always_inline)) uint8_t width_of(const uint64_t *v, unsigned rows, unsigned n,
                                                              uint64_t *least)
{
    uint64_t lo = v[0], hi = v[0], differs = 0;
#pragma GCC unroll 8
    for (unsigned i = 1; i < rows; i++) /* many columns have only one value */
        differs |= v[(size_t)i * n] ^ lo;
    for (unsigned i = 1; differs && i < rows; i++) {
        const uint64_t x = v[(size_t)i * n];
        lo = lo < x ? lo : x;
        hi = hi > x ? hi : x;
    }
    *least = lo;
    return (uint8_t)(hi > lo ? (71 - __builtin_clzll(hi - lo)) / 8 : 0);
}

/* The width of each column, and the least of its values. */
struct extents {
    uint64_t least[COLUMNS_MOST];
    uint8_t width[COLUMNS_MOST];
};

/* Allocate n columns and write their headers. NULL: out of memory. */
static struct columns *columns_begin(unsigned rows, unsigned n, const struct extents *x,
                                     columns_room_fn *room, void *arg)
{
    size_t size = 0;
    for (unsigned c = 0; c < n; c++)
        size += (size_t)rows * x->width[c];
    struct columns *k = room(arg, sizeof *k + n * sizeof *k->col + size + 8);
    if (!k)
        return NULL;
    k->n = (uint16_t)n;
    uint8_t *bytes = (uint8_t *)(k->col + n), *p = bytes;
    memset(bytes + size, 0, 8);
    for (unsigned c = 0; c < n; p += (size_t)rows * x->width[c++])
        k->col[c] = (struct column){x->least[c], (uint16_t)(p - bytes), x->width[c]};
    return k;
}

/* Values are n apart; each store overwrites bytes after its value, where the next one is written. */
static inline __attribute__((always_inline)) void column_put(struct columns *k, unsigned c, const uint64_t *v,
                                                             unsigned rows, unsigned n)
{
    uint8_t *p = (uint8_t *)(k->col + k->n) + k->col[c].at;
    const uint64_t least = k->col[c].least;
    const unsigned w = k->col[c].width;
#pragma GCC unroll 4
    for (unsigned i = 0; w && i < rows; i++, v += n, p += w)
        bytes_store8(p, *v - least);
}

struct columns *columns_make(const uint64_t *v, unsigned rows, unsigned n, columns_room_fn *room, void *arg)
{
    struct extents x = {0};
    for (unsigned c = 0; c < n; c++)
        x.width[c] = width_of(v + c, rows, n, &x.least[c]);
    struct columns *k = columns_begin(rows, n, &x, room, arg);
    for (unsigned c = 0; k && c < n; c++)
        column_put(k, c, v + c, rows, n);
    return k;
}
