/*
 * pack_read.c - unpacks blocks of spans: see pack.h.
 *
 * Where the processor can shuffle bytes, a column is read four values at a time: a table, indexed by their
 * byte of codes, tells which of the next 16 bytes make up which of the four 32-bit numbers.
 */
#include "decode/model/pack.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PACK_SSE 1
#include <smmintrin.h>
#define SSE __attribute__((target("sse4.1")))

static inline bool have_sse(void)
{
    return __builtin_cpu_supports("sse4.1");
}
#endif

/* ---- palettes ------------------------------------------------------------------------------------------ */

/* A block's palette: its pairs of tag and stack, and the n planes, of `size` bytes each, with each span's
 * number. */
struct palette {
    uint32_t pair[PALETTE_MOST];
    struct planes {
        const uint8_t *p;
        unsigned n, size;
    } planes;
};

/* Read it from behind the flags, for n spans. Returns the place behind the planes. */
static const uint8_t *palette_unpack(const uint8_t *p, uint32_t n, unsigned flags, struct palette *pal)
{
    enum { FEW = PACK_SLACK / sizeof *pal->pair };
    const uint32_t k = *p++;
    if (flags & PACK_STACK) { /* pairs behind k are never asked for */
        memcpy(pal->pair, p, (k <= FEW ? FEW : PALETTE_MOST) * sizeof *pal->pair);
        p += k * sizeof *pal->pair;
    } else {
        for (uint32_t i = 0; i < k && i < PALETTE_MOST; i++)
            pal->pair[i] = (uint32_t)*p++ << 24;
    }
    pal->planes = (struct planes){p, pack_planes(k), (n + 7) / 8};
    return p + pal->planes.n * pal->planes.size;
}

/* The pair numbers of spans 8 * i .. 8 * i + 7, a byte each. */
static uint64_t palette_eight(const struct palette *pal, uint32_t i)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < pal->planes.n; k++) {
        uint64_t x = pal->planes.p[k * pal->planes.size + i];
        /* bit b of x to bit 0 of byte b: each copy of x keeps another bit, and a carry moves it to the byte's
         * top */
        x = (x * 0x0101010101010101u) & 0x8040201008040201u;
        x = (x + 0x00406070787c7e7fu) >> 7 & 0x0101010101010101u;
        v |= x << k;
    }
    return v;
}

#ifdef PACK_SSE
/*
 * Each of a plane's sixteen bits is copied to a byte of its own, which keeps only that bit and becomes all
 * ones or zeros. Four planes are always read, needed or not: a branch that varies costs more.
 */
static SSE inline __attribute__((always_inline)) __m128i sixteen_sse(struct planes pl, uint32_t i)
{
    const __m128i copy = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
                  bit = _mm_set1_epi64x((int64_t)0x8040201008040201);
    __m128i at = _mm_setzero_si128();
#define PLANE(k) \
    do { \
        uint16_t b; \
        memcpy(&b, pl.p + i / 8 + (k)*pl.size, 2); \
        __m128i x = _mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128(b), copy), bit); \
        at = _mm_or_si128(at, _mm_and_si128(_mm_cmpeq_epi8(x, bit), _mm_set1_epi8(1 << (k)))); \
    } while (0)
    PLANE(0);
    PLANE(1);
    PLANE(2);
    PLANE(3);
    if (pl.n > 4)
        PLANE(4);
#undef PLANE
    return _mm_and_si128(at, _mm_set1_epi8((char)((1 << pl.n) - 1)));
}

static SSE void sixteen_to(const struct palette *pal, uint32_t i, uint8_t out[16])
{
    _mm_storeu_si128((__m128i *)(void *)out, sixteen_sse(pal->planes, i));
}
#endif

/* The same of spans i .. i + 15 of n; i is a multiple of 16. May read 64 bytes behind the planes. */
static void palette_sixteen(const struct palette *pal, uint32_t n, uint32_t i, uint8_t out[16])
{
#ifdef PACK_SSE
    if (have_sse()) {
        sixteen_to(pal, i, out);
        return;
    }
#endif
    for (uint32_t k = 0; k < 2 && i + 8 * k < n; k++) {
        uint64_t at = palette_eight(pal, i / 8 + k);
        for (uint32_t b = 0; b < 8; b++, at >>= 8)
            out[8 * k + b] = (uint8_t)at;
    }
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* how a column's codes map to lengths */
enum lengths { DUR, DUR_LONG, ID, ID_LONG };

static const uint8_t *lengths_of(enum lengths k)
{
    return k < ID ? pack_len_dur[k == DUR_LONG] : pack_len_id[k == ID_LONG];
}

static const uint8_t *column_plain(const uint8_t *p, uint32_t n, enum lengths k, uint64_t *out)
{
    const uint8_t *ctl = p, *len = lengths_of(k);
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i++) {
        unsigned l = len[ctl[i / 4] >> (i % 4 * 2) & 3];
        uint64_t x;
        memcpy(&x, p, 8);
        out[i] = x & pack_mask[l];
        p += l;
    }
    return p;
}

#ifdef PACK_SSE
static struct {
    uint8_t bytes[256][16], used[256];
} shuffle[ID_LONG + 1]; /* none for DUR_LONG: a value may have eight bytes */

void pack_read_init(void)
{
    for (int k = 0; k <= ID_LONG; k++)
        for (unsigned c = 0; c < 256; c++) {
            uint8_t at = 0;
            for (unsigned i = 0; i < 16; i++) {
                unsigned l = lengths_of((enum lengths)k)[c >> (i / 4 * 2) & 3];
                shuffle[k].bytes[c][i] = i % 4 < l ? at++ : 0x80; /* 0x80 makes a zero byte */
            }
            shuffle[k].used[c] = at;
        }
}

/* Writes up to three values more than n. */
static SSE const uint8_t *column_sse(const uint8_t *p, uint32_t n, enum lengths k, uint32_t *out)
{
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 4) {
        unsigned c = ctl[i / 4];
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle[k].bytes[c]));
        _mm_storeu_si128((__m128i *)(void *)(out + i), x);
        p += shuffle[k].used[c];
    }
    for (uint32_t i = n; i % 4;
         i++) /* the unused codes in the last byte may stand for a length, but have no bytes */
        p -= lengths_of(k)[ctl[i / 4] >> (i % 4 * 2) & 3];
    return p;
}
#else
void pack_read_init(void)
{
}
#endif

static const uint8_t *column_ids(const uint8_t *p, uint32_t n, enum lengths k, uint32_t *out)
{
    uint64_t v[SPAN_BLOCK];
#ifdef PACK_SSE
    if (have_sse())
        return column_sse(p, n, k, out);
#endif
    p = column_plain(p, n, k, v);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint32_t)v[i];
    return p;
}

#ifdef PACK_SSE
/* How a block's durations are stored: pack_dur_ns() says what that means. */
enum dur_form { DUR_NS, DUR_UNITS, DUR_TICKS };

static inline enum dur_form dur_form(unsigned flags, const struct pack_clock *clock)
{
    return !(flags & PACK_UNIT) ? DUR_NS : clock->mul ? DUR_TICKS : DUR_UNITS;
}

/* Two ticks and the odd ns of each to ns. */
static SSE inline __m128i ticks_ns(__m128i x, __m128i mul, __m128i shift)
{
    const __m128i three = _mm_set1_epi64x(3), rest = _mm_and_si128(x, three), v = _mm_srli_epi64(x, 2);
    const __m128i ns = _mm_srl_epi64(_mm_mul_epu32(v, mul), shift);
    return _mm_blendv_epi8(_mm_sub_epi64(_mm_add_epi64(ns, rest), _mm_set1_epi64x(1)), v,
                           _mm_cmpeq_epi64(rest, three));
}

/* Four numbers to ns: of units, the odd ones count 1 ns and the even ones 64,
 * each half as often as they say. */
static SSE inline __attribute__((always_inline)) void four_ns(enum dur_form form, __m128i x, __m128i mul,
                                                              __m128i shift, int64_t *out)
{
    __m128i lo, hi;
    if (form == DUR_UNITS) {
        const __m128i one = _mm_set1_epi32(1),
                      odd = _mm_sub_epi32(_mm_setzero_si128(), _mm_and_si128(x, one)),
                      each = _mm_add_epi32(_mm_and_si128(odd, _mm_set1_epi32(-63)), _mm_set1_epi32(64)),
                      v = _mm_srli_epi32(x, 1);
        const __m128i even = _mm_mul_epu32(v, each),
                      others = _mm_mul_epu32(_mm_srli_epi64(v, 32), _mm_srli_epi64(each, 32));
        lo = _mm_unpacklo_epi64(even, others);
        hi = _mm_unpackhi_epi64(even, others);
    } else {
        lo = _mm_cvtepu32_epi64(x);
        hi = _mm_cvtepu32_epi64(_mm_srli_si128(x, 8));
    }
    if (form == DUR_TICKS) {
        lo = ticks_ns(lo, mul, shift);
        hi = ticks_ns(hi, mul, shift);
    }
    _mm_storeu_si128((__m128i *)(void *)out, lo);
    _mm_storeu_si128((__m128i *)(void *)(out + 2), hi);
}

/* Durations in ns. Writes up to three values more than n. */
static SSE inline __attribute__((always_inline)) const uint8_t *
column_dur_of(enum dur_form form, const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t *out)
{
    const __m128i mul = _mm_set1_epi32((int)clock->mul), shift = _mm_cvtsi32_si128((int)clock->shift);
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 4) {
        unsigned c = ctl[i / 4];
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle[DUR].bytes[c]));
        p += shuffle[DUR].used[c];
        four_ns(form, x, mul, shift, out + i);
    }
    for (uint32_t i = n; i % 4; i++)
        p -= pack_len_dur[0][ctl[i / 4] >> (i % 4 * 2) & 3];
    return p;
}

static SSE const uint8_t *column_dur_sse(const uint8_t *p, uint32_t n, enum dur_form form,
                                         const struct pack_clock *clock, int64_t *out)
{
    return form == DUR_UNITS   ? column_dur_of(DUR_UNITS, p, n, clock, out)
           : form == DUR_TICKS ? column_dur_of(DUR_TICKS, p, n, clock, out)
                               : column_dur_of(DUR_NS, p, n, clock, out);
}

/* Sixteen 32-bit numbers, of which b0 .. b3 have one byte each. */
static SSE inline void words_sse(__m128i b0, __m128i b1, __m128i b2, __m128i b3, uint32_t *out)
{
    const __m128i l01 = _mm_unpacklo_epi8(b0, b1), h01 = _mm_unpackhi_epi8(b0, b1),
                  l23 = _mm_unpacklo_epi8(b2, b3), h23 = _mm_unpackhi_epi8(b2, b3);
    _mm_storeu_si128((__m128i *)(void *)out, _mm_unpacklo_epi16(l01, l23));
    _mm_storeu_si128((__m128i *)(void *)(out + 4), _mm_unpackhi_epi16(l01, l23));
    _mm_storeu_si128((__m128i *)(void *)(out + 8), _mm_unpacklo_epi16(h01, h23));
    _mm_storeu_si128((__m128i *)(void *)(out + 12), _mm_unpackhi_epi16(h01, h23));
}

/* Tags and stacks of all spans, from at most sixteen pairs. Writes up to fifteen more. */
static SSE void pairs_sse(const struct palette *pal, uint32_t n, uint32_t *tag, uint32_t *stack)
{
    const __m128i zero = _mm_setzero_si128(),
                  apart = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const struct planes planes = pal->planes; /* not to be read again after each store */
    __m128i b[4];                             /* b[k]: byte k of each pair */
    for (int k = 0; k < 4; k++)
        b[k] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(pal->pair + 4 * k)), apart);
    const __m128i l01 = _mm_unpacklo_epi32(b[0], b[1]), l23 = _mm_unpacklo_epi32(b[2], b[3]),
                  h01 = _mm_unpackhi_epi32(b[0], b[1]), h23 = _mm_unpackhi_epi32(b[2], b[3]);
    b[0] = _mm_unpacklo_epi64(l01, l23);
    b[1] = _mm_unpackhi_epi64(l01, l23);
    b[2] = _mm_unpacklo_epi64(h01, h23);
    b[3] = _mm_unpackhi_epi64(h01, h23);
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i x = sixteen_sse(planes, i);
        words_sse(_mm_shuffle_epi8(b[3], x), zero, zero, zero, tag + i);
        if (stack)
            words_sse(_mm_shuffle_epi8(b[0], x), _mm_shuffle_epi8(b[1], x), _mm_shuffle_epi8(b[2], x), zero,
                      stack + i);
    }
}
#endif

/* Tags and, unless NULL, stacks of all spans. */
static void pairs_unpack(const struct palette *pal, uint32_t n, uint32_t *tag, uint32_t *stack)
{
    uint8_t at[SPAN_BLOCK + 16];
#ifdef PACK_SSE
    if (have_sse() && pal->planes.n <= 4) {
        pairs_sse(pal, n, tag, stack);
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i += 16)
        palette_sixteen(pal, n, i, at + i);
    for (uint32_t i = 0; i < n; i++)
        tag[i] = pal->pair[at[i]] >> 24;
    for (uint32_t i = 0; stack && i < n; i++)
        stack[i] = pal->pair[at[i]] & 0xffffff;
}

/*
 * Unpack durations and tags; stack, unless NULL, gets the stacks if they are in the palette. Returns the
 * place behind.
 */
static const uint8_t *unpack_front(const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t *dur,
                                   uint32_t *tag, uint32_t *stack)
{
    const unsigned flags = *p++;
    if (flags & PACK_PALETTE) {
        struct palette pal;
        p = palette_unpack(p, n, flags, &pal);
        pairs_unpack(&pal, n, tag, stack);
    }
    for (uint32_t i = 0; i < n && !(flags & PACK_PALETTE); i++) {
        tag[i] = *p++;
        if (flags & PACK_WIDE_TAG)
            tag[i] |= (uint32_t)*p++ << 8;
    }
#ifdef PACK_SSE
    if (have_sse() && !(flags & PACK_LONG_DUR))
        return column_dur_sse(p, n, dur_form(flags, clock), clock, dur);
#endif
    uint64_t l[SPAN_BLOCK];
    p = column_plain(p, n, flags & PACK_LONG_DUR ? DUR_LONG : DUR, l);
    for (uint32_t i = 0; i < n; i++)
        dur[i] = pack_dur_ns(l[i], flags, clock);
    return p;
}

void unpack_times(const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t dur[SPAN_ROOM],
                  uint32_t tag[SPAN_ROOM])
{
    (void)unpack_front(p, n, clock, dur, tag, NULL);
}

void unpack_spans(const uint8_t *p, uint32_t n, const struct pack_clock *clock, struct spancols *out)
{
    const unsigned flags = *p;
    p = unpack_front(p, n, clock, out->dur, out->tag, out->stack);
    if (flags & PACK_WHO)
        p = column_ids(p, n, flags & PACK_LONG_WHO ? ID_LONG : ID, out->who);
    else
        memset(out->who, 0, n * sizeof *out->who);
    if (!(flags & PACK_PALETTE) && flags & PACK_STACK)
        column_ids(p, n, flags & PACK_LONG_STACK ? ID_LONG : ID, out->stack);
    else if (!(flags & PACK_PALETTE))
        memset(out->stack, 0, n * sizeof *out->stack);
}

static const uint8_t *column_skip(const uint8_t *p, uint32_t n, enum lengths k)
{
    const uint8_t *ctl = p, *len = lengths_of(k);
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i++)
        p += len[ctl[i / 4] >> (i % 4 * 2) & 3];
    return p;
}

uint32_t unpack_first_stack(const uint8_t *p, uint32_t n)
{
    const unsigned flags = *p++;
    if (!(flags & PACK_STACK))
        return 0;
    if (flags & PACK_PALETTE) {
        const uint32_t k = *p++, np = pack_planes(k);
        const uint8_t *planes = p + 4 * (size_t)k;
        uint32_t at = 0, pair;
        for (uint32_t i = 0; i < np; i++)
            at |= (planes[i * ((n + 7) / 8)] & 1u) << i;
        memcpy(&pair, p + 4 * (size_t)at, sizeof pair);
        return pair & 0xffffff;
    }
    p += flags & PACK_WIDE_TAG ? 2 * (size_t)n : n;
    p = column_skip(p, n, flags & PACK_LONG_DUR ? DUR_LONG : DUR);
    p = flags & PACK_WHO ? column_skip(p, n, flags & PACK_LONG_WHO ? ID_LONG : ID) : p;
    uint64_t x;
    memcpy(&x, p + (n + 3) / 4, 8);
    return (uint32_t)(x & pack_mask[lengths_of(flags & PACK_LONG_STACK ? ID_LONG : ID)[*p & 3]]);
}
