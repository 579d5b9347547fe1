/* columns.c - see columns.h. */
#include "decode/base/columns.h"

#include "decode/base/mem.h"

static inline void store8(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, sizeof v);
}

struct columns *columns_make(const uint64_t *v, unsigned rows, unsigned n)
{
    uint64_t least[COLUMNS_MOST], most[COLUMNS_MOST];
    uint8_t width[COLUMNS_MOST];
    size_t size = 0;
    for (unsigned c = 0; c < n; c++)
        least[c] = most[c] = v[c];
    for (unsigned i = 1; i < rows; i++)
        for (unsigned c = 0; c < n; c++) {
            const uint64_t x = v[i * n + c];
            least[c] = least[c] < x ? least[c] : x;
            most[c] = most[c] > x ? most[c] : x;
        }
    for (unsigned c = 0; c < n; c++) {
        const uint64_t d = most[c] - least[c];
        width[c] = d ? (uint8_t)((71 - __builtin_clzll(d)) / 8) : 0;
        size += (size_t)rows * width[c];
    }
    struct columns *k = mem_alloc(sizeof *k + n * sizeof *k->col + size + 8);
    if (!k)
        return NULL;
    k->n = (uint16_t)n;
    uint8_t *bytes = (uint8_t *)(k->col + n), *p = bytes;
    memset(bytes + size, 0, 8);
    for (unsigned c = 0; c < n; c++) {
        k->col[c] = (struct column){least[c], (uint16_t)(p - bytes), width[c]};
        for (unsigned i = 0; width[c] && i < rows; i++, p += width[c])
            store8(p, v[i * n + c] - least[c]); /* the next one goes over its end */
    }
    return k;
}

size_t columns_bytes(const struct columns *c, unsigned rows)
{
    const struct column *last = &c->col[c->n - 1];
    return sizeof *c + c->n * sizeof *c->col + last->at + (size_t)rows * last->width + 8;
}
