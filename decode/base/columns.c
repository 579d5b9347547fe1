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

/* The same of all columns of rows, eight or four of them at a time. false: this processor can't. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx512f,avx512vl")))

static WIDE void bounds_wide(const uint64_t *v, unsigned rows, unsigned n, uint64_t lo[COLUMNS_MOST],
                             uint64_t hi[COLUMNS_MOST])
{
    const __mmask8 a = (__mmask8)(n < 8 ? (1u << n) - 1 : 0xff), b = (__mmask8)(n > 8 ? (1u << (n - 8)) - 1 : 0);
    __m512i lo0 = _mm512_maskz_loadu_epi64(a, v), hi0 = lo0, lo1 = _mm512_maskz_loadu_epi64(b, v + 8), hi1 = lo1;
    for (unsigned i = 1; i < rows; i++) {
        v += n;
        const __m512i x = _mm512_maskz_loadu_epi64(a, v), y = _mm512_maskz_loadu_epi64(b, v + 8);
        lo0 = _mm512_min_epu64(lo0, x);
        hi0 = _mm512_max_epu64(hi0, x);
        lo1 = _mm512_min_epu64(lo1, y);
        hi1 = _mm512_max_epu64(hi1, y);
    }
    _mm512_storeu_si512(lo, lo0);
    _mm512_storeu_si512(lo + 8, lo1);
    _mm512_storeu_si512(hi, hi0);
    _mm512_storeu_si512(hi + 8, hi1);
}

#define FOUR __attribute__((target("avx2")))

/* The lesser and the greater of each, which are signed: unsigned ones with their highest bit turned. */
static FOUR inline void bound_four(__m256i x, __m256i *lo, __m256i *hi)
{
    *lo = _mm256_blendv_epi8(*lo, x, _mm256_cmpgt_epi64(*lo, x));
    *hi = _mm256_blendv_epi8(*hi, x, _mm256_cmpgt_epi64(x, *hi));
}

/* bounds_wide() with vectors of four, two at a time. */
static FOUR void bounds_fours(const uint64_t *v, unsigned rows, unsigned n, uint64_t lo[COLUMNS_MOST],
                              uint64_t hi[COLUMNS_MOST])
{
    static const long long on[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const __m256i turn = _mm256_set1_epi64x(INT64_MIN);
    for (unsigned c = 0; c < n; c += 8) {
        const unsigned left = n - c < 8 ? n - c : 8;
        const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(on + 8 - left)),
                      b = _mm256_loadu_si256((const __m256i *)(const void *)(on + 12 - left));
        const long long *p = (const long long *)(const void *)(v + c);
        __m256i lo0 = _mm256_xor_si256(_mm256_maskload_epi64(p, a), turn), hi0 = lo0,
                lo1 = _mm256_xor_si256(_mm256_maskload_epi64(p + 4, b), turn), hi1 = lo1;
        for (unsigned i = 1; i < rows; i++) {
            p += n;
            bound_four(_mm256_xor_si256(_mm256_maskload_epi64(p, a), turn), &lo0, &hi0);
            bound_four(_mm256_xor_si256(_mm256_maskload_epi64(p + 4, b), turn), &lo1, &hi1);
        }
        _mm256_storeu_si256((__m256i *)(void *)(lo + c), _mm256_xor_si256(lo0, turn));
        _mm256_storeu_si256((__m256i *)(void *)(lo + c + 4), _mm256_xor_si256(lo1, turn));
        _mm256_storeu_si256((__m256i *)(void *)(hi + c), _mm256_xor_si256(hi0, turn));
        _mm256_storeu_si256((__m256i *)(void *)(hi + c + 4), _mm256_xor_si256(hi1, turn));
    }
}

static bool widths_wide(const uint64_t *v, unsigned rows, unsigned n, uint8_t *width, uint64_t least[COLUMNS_MOST])
{
    uint64_t hi[COLUMNS_MOST];
    if (__builtin_cpu_supports("avx512vl"))
        bounds_wide(v, rows, n, least, hi);
    else if (__builtin_cpu_supports("avx2"))
        bounds_fours(v, rows, n, least, hi);
    else
        return false;
    for (unsigned c = 0; c < n; c++)
        width[c] = bytes_above(least[c], hi[c]);
    return true;
}

/* Eight values at a time: which bytes become which of eight numbers is the same for all. */
static __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,bmi2"))) void
spread_wide(const struct column *k, const uint8_t *p, unsigned n, bool add, uint64_t *out)
{
    const unsigned w = k->width;
    const uint64_t each = 0x0101010101010101;
    uint64_t from[8];
    for (unsigned i = 0; i < 8; i++)
        from[i] = each * (i * w) + 0x0706050403020100;
    const __m512i which = _mm512_loadu_si512(from), more = _mm512_set1_epi64((int64_t)k->least);
    const uint64_t keep = each * ((1u << w) - 1);
    for (; n; out += 8, p += 8 * (size_t)w) {
        const unsigned some = n < 8 ? n : 8;
        const __mmask8 m = (__mmask8)((1u << some) - 1);
        const __m512i x = _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, some * w), p),
                      v = _mm512_add_epi64(_mm512_maskz_permutexvar_epi8(keep, which, x), more);
        _mm512_mask_storeu_epi64(out, m, add ? _mm512_add_epi64(v, _mm512_maskz_loadu_epi64(m, out)) : v);
        n -= some;
    }
}

bool columns_spread(const struct column *k, const uint8_t *p, unsigned n, bool add, uint64_t *out)
{
    if (!__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("bmi2"))
        return false;
    spread_wide(k, p, n, add, out);
    return true;
}
#else
bool columns_spread(const struct column *k, const uint8_t *p, unsigned n, bool add, uint64_t *out)
{
    (void)k, (void)p, (void)n, (void)add, (void)out;
    return false;
}

static bool widths_wide(const uint64_t *v, unsigned rows, unsigned n, uint8_t *width, uint64_t *least)
{
    (void)v, (void)rows, (void)n, (void)width, (void)least;
    return false;
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
    const bool wide = widths_wide(v, rows, n, x.width, x.least);
    for (unsigned c = 0; !wide && c < n; c++)
        x.width[c] = width_of(v + c, rows, n, &x.least[c]);
    struct columns *k = columns_begin(rows, n, &x, room, arg);
    for (unsigned c = 0; k && c < n; c++)
        column_put(k, c, v + c, rows, n);
    return k;
}

/* Bits of all that column c has above its least value. */
static inline uint64_t bits_above(const uint64_t *v, unsigned n, uint64_t least)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < COLUMNS_ROWS; i++)
        bits |= v[(size_t)i * n] - least;
    return bits;
}

struct columns *columns_above(const uint64_t *v, unsigned n, const uint64_t *least, columns_room_fn *room, void *arg)
{
    struct extents x = {0};
    for (unsigned c = 0; c < n; c++) {
        x.least[c] = least[c];
        x.width[c] = bytes_above(0, bits_above(v + c, n, least[c]));
    }
    struct columns *k = columns_begin(COLUMNS_ROWS, n, &x, room, arg);
    for (unsigned c = 0; k && c < n; c++)
        column_put(k, c, v + c, COLUMNS_ROWS, n);
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
