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

/* Values are n apart; each store overwrites bytes after its value, where the next one is written. Returns the
 * place after the column. */
static inline __attribute__((always_inline)) uint8_t *column_put(uint8_t *p, const uint64_t *v, unsigned rows,
                                                                 unsigned n, uint64_t least, unsigned w)
{
#pragma GCC unroll 4
    for (unsigned i = 0; w && i < rows; i++, v += n, p += w)
        bytes_store8(p, *v - least);
    return p;
}

struct columns *columns_make(const uint64_t *v, unsigned rows, unsigned n, columns_room_fn *room, void *arg)
{
    uint64_t least[COLUMNS_MOST];
    uint8_t width[COLUMNS_MOST];
    size_t size = 0;
    for (unsigned c = 0; c < n; c++) {
        width[c] = width_of(v + c, rows, n, &least[c]);
        size += (size_t)rows * width[c];
    }
    struct columns *k = room(arg, sizeof *k + n * sizeof *k->col + size + 8);
    if (!k)
        return NULL;
    k->n = (uint16_t)n;
    uint8_t *bytes = (uint8_t *)(k->col + n), *p = bytes;
    for (unsigned c = 0; c < n; c++) {
        k->col[c] = (struct column){least[c], (uint16_t)(p - bytes), width[c]};
        p = column_put(p, v + c, rows, n, least[c], width[c]);
    }
    memset(p, 0, 8);
    return k;
}
