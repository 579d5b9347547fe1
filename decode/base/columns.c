/* columns.c - see columns.h. */
#include "decode/base/columns.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "decode/base/mem.h"

static inline uint8_t bytes_above(uint64_t lo, uint64_t hi)
{
    return (uint8_t)(hi > lo ? (71 - __builtin_clzll(hi - lo)) / 8 : 0);
}

/* How many bytes a column's values take above the least of them. Values stand n apart. */
static inline __attribute__((always_inline)) uint8_t width_of(const uint64_t *v, unsigned rows, unsigned n,
                                                              uint64_t *least)
{
    uint64_t lo = v[0], hi = v[0], differs = 0;
#pragma GCC unroll 8
    for (unsigned i = 1; i < rows; i++) /* many columns are one value all along */
        differs |= v[(size_t)i * n] ^ lo;
    for (unsigned i = 1; differs && i < rows; i++) {
        const uint64_t x = v[(size_t)i * n];
        lo = lo < x ? lo : x;
        hi = hi > x ? hi : x;
    }
    *least = lo;
    return bytes_above(lo, hi);
}

/* The least and the greatest of four neighbouring columns' values. Compares are signed ones: of unsigned ones the highest bit is turned. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FOURS __builtin_cpu_supports("avx2")
static __attribute__((target("avx2"))) void bounds_four(const uint64_t *v, unsigned rows, unsigned n, uint64_t lo[4],
                                                        uint64_t hi[4])
{
    const __m256i turn = _mm256_set1_epi64x(INT64_MIN);
    __m256i least = _mm256_set1_epi64x(INT64_MAX), most = turn;
#pragma GCC unroll 8
    for (unsigned i = 0; i < rows; i++, v += n) {
        const __m256i x = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)v), turn);
        least = _mm256_blendv_epi8(least, x, _mm256_cmpgt_epi64(least, x));
        most = _mm256_blendv_epi8(most, x, _mm256_cmpgt_epi64(x, most));
    }
    _mm256_storeu_si256((__m256i *)(void *)lo, _mm256_xor_si256(least, turn));
    _mm256_storeu_si256((__m256i *)(void *)hi, _mm256_xor_si256(most, turn));
}
#else
#define FOURS false
static void bounds_four(const uint64_t *v, unsigned rows, unsigned n, uint64_t lo[4], uint64_t hi[4])
{
    (void)v, (void)rows, (void)n, (void)lo, (void)hi;
}
#endif

/* How wide each column is, and the least of its values. */
struct extents {
    uint64_t least[COLUMNS_MOST];
    uint8_t width[COLUMNS_MOST];
};

/* Room for n columns, and what they begin with. NULL: out of memory. */
static struct columns *columns_begin(unsigned rows, unsigned n, const struct extents *x, columns_room_fn *room,
                                     void *arg)
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

/* Values stand n apart; each store goes over the end of its value, where the next one is written. */
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
    uint64_t most[COLUMNS_MOST];
    const bool fours = n >= 4 && FOURS;
    for (unsigned c = 0, at; fours && c < n; c += 4) { /* the last four may be some of the others, too */
        at = c + 4 < n ? c : n - 4;
        bounds_four(v + at, rows, n, x.least + at, most + at);
    }
    const bool pairs = n == 2 && rows % 2 == 0 && FOURS; /* two rows of two columns are one of four */
    if (pairs)
        bounds_four(v, rows / 2, 4, x.least, most);
    for (unsigned c = 0; pairs && c < 2; c++) {
        x.least[c] = x.least[c] < x.least[c + 2] ? x.least[c] : x.least[c + 2];
        most[c] = most[c] > most[c + 2] ? most[c] : most[c + 2];
    }
    for (unsigned c = 0; c < n; c++)
        x.width[c] = fours || pairs ? bytes_above(x.least[c], most[c]) : width_of(v + c, rows, n, &x.least[c]);
    struct columns *k = columns_begin(rows, n, &x, room, arg);
    for (unsigned c = 0; k && c < n; c++)
        column_put(k, c, v + c, rows, n);
    return k;
}

static void *block(void *arg, size_t bytes)
{
    (void)arg;
    return mem_alloc(bytes);
}

struct columns *columns_of(const uint64_t *const v[], unsigned rows, unsigned n)
{
    struct extents x = {0};
    for (unsigned c = 0; c < n; c++)
        x.width[c] = v[c] ? width_of(v[c], rows, 1, &x.least[c]) : 0;
    struct columns *k = columns_begin(rows, n, &x, block, NULL);
    for (unsigned c = 0; k && c < n; c++)
        column_put(k, c, v[c], rows, 1);
    return k;
}

size_t columns_bytes(const struct columns *c, unsigned rows)
{
    const struct column *last = &c->col[c->n - 1];
    return sizeof *c + c->n * sizeof *c->col + last->at + (size_t)rows * last->width + 8;
}
