/*
 * pack_read.c - unpacks blocks of spans: see pack.h.
 *
 * Where the processor can shuffle bytes, a column is read four values at a time: a table, indexed by their
 * byte of codes, gives which of the next 16 bytes make up which of the four 32-bit numbers.
 */
#include "decode/model/pack.h"

#include "decode/base/bytes.h"

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

/* Read it from the place after the flags, for n spans. Returns the place after the planes. */
static const uint8_t *palette_unpack(const uint8_t *p, uint32_t n, unsigned flags, struct palette *pal)
{
    enum { FEW = PACK_SLACK / sizeof *pal->pair };
    const uint32_t k = *p++;
    if (flags & PACK_STACK) { /* pairs after k are never used */
        memcpy(pal->pair, p, (k <= FEW ? FEW : PALETTE_MOST) * sizeof *pal->pair);
        p += k * sizeof *pal->pair;
    } else {
        for (uint32_t i = 0; i < k && i < PALETTE_MOST; i++)
            pal->pair[i] = (uint32_t)*p++ << 24;
    }
    pal->planes = (struct planes){p, pack_planes(k), (n + 7) / 8};
    return p + pal->planes.n * pal->planes.size;
}

/* Returns the pair numbers of spans 8 * i .. 8 * i + 7, a byte each. */
static uint64_t palette_eight(const struct palette *pal, uint32_t i)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < pal->planes.n; k++) {
        uint64_t x = pal->planes.p[k * pal->planes.size + i];
        /* Bit b of x goes to bit 0 of byte b: each copy of x keeps another bit, and a carry moves it to the
         * top. */
        x = (x * 0x0101010101010101u) & 0x8040201008040201u;
        x = (x + 0x00406070787c7e7fu) >> 7 & 0x0101010101010101u;
        v |= x << k;
    }
    return v;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* This is how a column's codes map to lengths. */
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
static struct shuffle {
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

/* Returns the next four values, which have these codes. */
static inline SSE __m128i column_four(const struct shuffle *k, unsigned codes, const uint8_t **p)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)*p);
    *p += k->used[codes];
    return _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)k->bytes[codes]));
}

/* The place after a column of n values, all of whose codes were read up to p. The unused ones in its last
 * byte may stand for a length, but have no bytes. */
static inline const uint8_t *column_end(const uint8_t *p, uint32_t n, enum lengths k, unsigned last)
{
    for (uint32_t i = n; i % 4; i++)
        p -= lengths_of(k)[last >> (i % 4 * 2) & 3];
    return p;
}

/* Writes up to three values more than n. */
static SSE const uint8_t *column_sse(const uint8_t *p, uint32_t n, enum lengths k, uint32_t *out)
{
    const uint8_t *ctl = p, *const end = p + (n + 3) / 4;
    for (p = end; ctl < end; out += 4)
        _mm_storeu_si128((__m128i *)(void *)out, column_four(&shuffle[k], *ctl++, &p));
    return column_end(p, n, k, ctl[-1]);
}
#else
void pack_read_init(void)
{
}
#endif

static const uint8_t *column_32(const uint8_t *p, uint32_t n, enum lengths k, uint32_t *out)
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
/* Returns the pair numbers of spans i .. i + 15; i is a multiple of 8. */
static inline SSE __m128i palette_sixteen(const struct palette *pal, uint32_t i)
{
    const __m128i bit = _mm_set1_epi64x((int64_t)0x8040201008040201u),
                  spread = _mm_set_epi64x(0x0101010101010101, 0);
    __m128i v = _mm_setzero_si128(), value = _mm_set1_epi8(1);
    const uint8_t *p = pal->planes.p + i / 8;
    for (unsigned k = 0; k < pal->planes.n; k++, p += pal->planes.size) {
        uint16_t x; /* of the last plane a byte behind it, of spans after n */
        memcpy(&x, p, sizeof x);
        const __m128i copies = _mm_shuffle_epi8(_mm_cvtsi32_si128(x), spread);
        const __m128i is = _mm_cmpeq_epi8(_mm_and_si128(copies, bit), bit);
        v = _mm_or_si128(v, _mm_and_si128(is, value));
        value = _mm_add_epi8(value, value);
    }
    return v;
}

struct sixteen { /* 16 pairs: all their first bytes, second ones .. */
    __m128i first, second, third, tag;
};

static inline SSE __m128i by_byte(const uint32_t *pair)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)pair),
                            _mm_set_epi8(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0));
}

static inline SSE struct sixteen pairs_split(const uint32_t *pair)
{
    const __m128i a = by_byte(pair), b = by_byte(pair + 4), c = by_byte(pair + 8), d = by_byte(pair + 12);
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i ab_high = _mm_unpackhi_epi32(a, b), cd_high = _mm_unpackhi_epi32(c, d);
    return (struct sixteen){_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd),
                            _mm_unpacklo_epi64(ab_high, cd_high), _mm_unpackhi_epi64(ab_high, cd_high)};
}

/* Returns the pairs with these numbers, of 16 pairs. */
static inline SSE struct sixteen pairs_pick(const struct sixteen *of, __m128i at)
{
    return (struct sixteen){_mm_shuffle_epi8(of->first, at), _mm_shuffle_epi8(of->second, at),
                            _mm_shuffle_epi8(of->third, at), _mm_shuffle_epi8(of->tag, at)};
}

/* Select from a and b by the top bit of each byte. */
static inline SSE struct sixteen pairs_either(const struct sixteen *a, const struct sixteen *b, __m128i top)
{
    return (struct sixteen){_mm_blendv_epi8(a->first, b->first, top),
                            _mm_blendv_epi8(a->second, b->second, top),
                            _mm_blendv_epi8(a->third, b->third, top), _mm_blendv_epi8(a->tag, b->tag, top)};
}

/* Writes 16 numbers of three bytes each. */
static inline SSE void put_numbers(__m128i first, __m128i second, __m128i third, uint32_t *out)
{
    __m128i *const to = (__m128i *)(void *)out;
    const __m128i zero = _mm_setzero_si128();
    const __m128i a = _mm_unpacklo_epi8(first, second), b = _mm_unpackhi_epi8(first, second);
    const __m128i a_top = _mm_unpacklo_epi8(third, zero), b_top = _mm_unpackhi_epi8(third, zero);
    _mm_storeu_si128(to, _mm_unpacklo_epi16(a, a_top));
    _mm_storeu_si128(to + 1, _mm_unpackhi_epi16(a, a_top));
    _mm_storeu_si128(to + 2, _mm_unpacklo_epi16(b, b_top));
    _mm_storeu_si128(to + 3, _mm_unpackhi_epi16(b, b_top));
}

/* Writes up to 15 more than n. */
static SSE void pairs_sse(const struct palette *pal, uint32_t n, uint32_t *tag, uint32_t *stack)
{
    const __m128i zero = _mm_setzero_si128();
    const bool many = pal->planes.n > 4;
    const struct sixteen few = pairs_split(pal->pair), more = pairs_split(pal->pair + 16);
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i at = palette_sixteen(pal, i);
        struct sixteen x = pairs_pick(&few, at);
        if (many) {
            const struct sixteen y = pairs_pick(&more, at);
            x = pairs_either(&x, &y, _mm_slli_epi16(at, 3));
        }
        put_numbers(x.tag, zero, zero, tag + i);
        if (stack)
            put_numbers(x.first, x.second, x.third, stack + i);
    }
}
#endif

/* Reads tags and, unless NULL, stacks of all spans, and of up to 15 more: there is room after n. */
static void pairs_unpack(const struct palette *pal, uint32_t n, uint32_t *tag, uint32_t *stack)
{
#ifdef PACK_SSE
    if (n > 4 && have_sse()) {
        pairs_sse(pal, n, tag, stack);
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t pair = pal->pair[palette_eight(pal, i / 8) >> (i % 8 * 8) & 0xff];
        tag[i] = pair >> 24;
        if (stack)
            stack[i] = pair & 0xffffff;
    }
}

#ifdef PACK_SSE
/* Reads durations in units of 64 ns (pack_dur_ns()), up to three more than n. */
static SSE void durs_64(const uint32_t *x, uint32_t n, int64_t *dur)
{
    for (uint32_t i = 0; i < n; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(x + i));
        const __m128i odd = _mm_srai_epi32(_mm_slli_epi32(v, 31), 31);
        const __m128i low = _mm_blendv_epi8(_mm_slli_epi32(v, 5), _mm_srli_epi32(v, 1), odd),
                      high = _mm_andnot_si128(odd, _mm_srli_epi32(v, 27));
        _mm_storeu_si128((__m128i *)(void *)(dur + i), _mm_unpacklo_epi32(low, high));
        _mm_storeu_si128((__m128i *)(void *)(dur + i + 2), _mm_unpackhi_epi32(low, high));
    }
}

/* Reads the same in ticks. */
static SSE void durs_ticks(const uint32_t *x, uint32_t n, const struct pack_clock *clock, int64_t *dur)
{
    const __m128i zero = _mm_setzero_si128(), three = _mm_set1_epi64x(3), one = _mm_set1_epi64x(1);
    const __m128i mul = _mm_set1_epi64x(clock->mul), shift = _mm_cvtsi32_si128((int)clock->shift);
    for (uint32_t i = 0; i < n; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(x + i));
        const __m128i part[2] = {_mm_unpacklo_epi32(v, zero), _mm_unpackhi_epi32(v, zero)};
        for (int k = 0; k < 2; k++) {
            const __m128i rest = _mm_and_si128(part[k], three), whole = _mm_srli_epi64(part[k], 2);
            const __m128i ns = _mm_cmpeq_epi64(rest, three);
            const __m128i ticks =
                _mm_sub_epi64(_mm_add_epi64(_mm_srl_epi64(_mm_mul_epu32(whole, mul), shift), rest), one);
            _mm_storeu_si128((__m128i *)(void *)(dur + i + 2 * k), _mm_blendv_epi8(ticks, whole, ns));
        }
    }
}
#endif

static const uint8_t *unpack_durs(const uint8_t *p, uint32_t n, unsigned flags,
                                  const struct pack_clock *clock, int64_t *dur)
{
    if (!(flags & PACK_LONG_DUR)) {
        uint32_t x[SPAN_ROOM];
        p = column_32(p, n, DUR, x);
#ifdef PACK_SSE
        if (flags & PACK_UNIT && have_sse()) {
            clock->mul ? durs_ticks(x, n, clock, dur) : durs_64(x, n, dur);
            return p;
        }
#endif
        for (uint32_t i = 0; i < n; i++)
            dur[i] = pack_dur_ns(x[i], flags & PACK_UNIT, clock);
        return p;
    }
    uint64_t l[SPAN_BLOCK];
    p = column_plain(p, n, DUR_LONG, l);
    for (uint32_t i = 0; i < n; i++)
        dur[i] = pack_dur_ns(l[i], flags, clock);
    return p;
}

bool unpack_first(const uint8_t *p, uint32_t *stack)
{
    struct palette pal;
    const unsigned flags = *p++;
    if (flags & PACK_PALETTE) {
        (void)palette_unpack(p, SPAN_BLOCK, flags, &pal);
        *stack = pal.pair[palette_eight(&pal, 0) & 0xff] & 0xffffff;
    }
    return flags & PACK_PALETTE;
}

void unpack_spans(const uint8_t *p, uint32_t n, const struct pack_clock *clock, bool all,
                  struct spancols *out)
{
    const unsigned flags = *p++;
    if (flags & PACK_PALETTE) {
        struct palette pal;
        p = palette_unpack(p, n, flags, &pal);
        pairs_unpack(&pal, n, out->tag, all ? out->stack : NULL);
    }
    const unsigned bytes = flags & PACK_PALETTE ? 0 : flags & PACK_WIDE_TAG ? 2 : 1;
    for (uint32_t i = 0; i < n && bytes == 1; i++)
        out->tag[i] = p[i];
    for (uint32_t i = 0; i < n && bytes == 2; i++)
        out->tag[i] = p[2 * i] | (uint32_t)p[2 * i + 1] << 8;
    p = unpack_durs(p + bytes * n, n, flags, clock, out->dur);
    if (!all)
        return;
    if (flags & PACK_WHO)
        p = column_32(p, n, flags & PACK_LONG_WHO ? ID_LONG : ID, out->who);
    else
        memset(out->who, 0, n * sizeof *out->who);
    if (!(flags & PACK_PALETTE) && flags & PACK_STACK)
        column_32(p, n, flags & PACK_LONG_STACK ? ID_LONG : ID, out->stack);
    else if (!(flags & PACK_PALETTE))
        memset(out->stack, 0, n * sizeof *out->stack);
}
