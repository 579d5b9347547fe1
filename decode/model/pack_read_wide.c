/*
 * pack_read_wide.c - packed blocks back into spans, sixteen at a time, for processors with AVX-512 VBMI2: what pack_read.c does.
 *
 * Bytes are spread by a mask: of sixteen values it is made of their codes, whose bits say which of four bytes there are. No byte
 * behind a column's last is read.
 */
#include "decode/model/pack_vec.h"

#ifdef PACK_VEC

/* The four bytes of codes at ctl, of which n spans have as many as there are. */
INLINE uint32_t codes_at(const uint8_t *ctl, uint32_t n)
{
    uint32_t c = 0;
    if (n >= 16)
        memcpy(&c, ctl, 4);
    else
        memcpy(&c, ctl, (n + 3) / 4);
    return n >= 16 ? c : _bzhi_u32(c, 2 * n);
}

/* Sixteen values, of which n count; *p goes on behind these. shortest: bytes of code 0; each further code has one more, but the last two if so. */
INLINE __m512i sixteen(const uint8_t **p, uint32_t c, uint32_t n, unsigned shortest, bool two_more)
{
    const uint64_t first = 0x1111111111111111;
    const uint32_t a = _pext_u32(c, 0x55555555), b = _pext_u32(c, 0xaaaaaaaa);
    uint64_t keep = _pdep_u64(a | b, first << shortest) | _pdep_u64(b, first << (shortest + 1)) |
                    _pdep_u64(a & b, first << (shortest + 2));
    if (shortest)
        keep |= n < 16 ? first & (((uint64_t)1 << 4 * n) - 1) : first;
    if (two_more)
        keep |= _pdep_u64(a & b, first << 3);
    const unsigned bytes = (unsigned)__builtin_popcountll(keep);
    const __m512i x = _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, bytes), *p);
    *p += bytes;
    return _mm512_maskz_expand_epi8(keep, x);
}

INLINE const uint8_t *ids(const uint8_t *p, uint32_t n, bool is_long, uint32_t *out)
{
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 16)
        _mm512_storeu_si512(out + i, sixteen(&p, codes_at(ctl + i / 4, n - i), n - i, 0, is_long));
    return p;
}

/* pack_dur_ns() of eight. */
INLINE __m512i ns_of(__m256i x, unsigned flags, const struct pack_clock *clock)
{
    const __m512i d = _mm512_cvtepu32_epi64(x);
    if (!(flags & PACK_UNIT))
        return d;
    if (clock->mul) {
        const __m512i three = _mm512_set1_epi64(3), rest = _mm512_and_si512(d, three), v = _mm512_srli_epi64(d, 2);
        const __m512i ns = _mm512_srl_epi64(_mm512_mul_epu32(v, _mm512_set1_epi64(clock->mul)),
                                            _mm_cvtsi32_si128((int)clock->shift));
        return _mm512_mask_mov_epi64(_mm512_sub_epi64(_mm512_add_epi64(ns, rest), _mm512_set1_epi64(1)),
                                     _mm512_cmpeq_epu64_mask(rest, three), v);
    }
    return _mm512_mask_srli_epi64(_mm512_slli_epi64(d, 5), _mm512_test_epi64_mask(d, _mm512_set1_epi64(1)), d, 1);
}

INLINE const uint8_t *durations(const uint8_t *p, uint32_t n, unsigned flags, const struct pack_clock *clock,
                                int64_t *out)
{
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 16) {
        const __m512i d = sixteen(&p, codes_at(ctl + i / 4, n - i), n - i, 1, false);
        _mm512_storeu_si512(out + i, ns_of(_mm512_castsi512_si256(d), flags, clock));
        _mm512_storeu_si512(out + i + 8, ns_of(_mm512_extracti64x4_epi64(d, 1), flags, clock));
    }
    return p;
}

/* Up to sixteen bytes as 32-bit numbers. */
INLINE __m512i bytes_at(const uint8_t *p, uint32_t n)
{
    const __mmask16 m = (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff);
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p));
}

/* Pairs i .. i + 15 of a palette of k: zeros behind the last. */
INLINE __m512i pairs_at(const uint8_t *p, uint32_t i, uint32_t k, bool stacks)
{
    const uint32_t n = k > i ? k - i : 0;
    if (!stacks)
        return _mm512_slli_epi32(bytes_at(p + i, n), 24);
    return _mm512_maskz_loadu_epi32((__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff), p + 4 * i);
}

/* stack: NULL, or where the spans' stacks go. */
INLINE const uint8_t *palette(const uint8_t *p, uint32_t n, bool stacks, uint32_t *tag, uint32_t *stack)
{
    const uint32_t k = *p++, np = k > 1 ? 32 - (uint32_t)__builtin_clz(k - 1) : 0, size = (n + 7) / 8;
    const __m512i lo = pairs_at(p, 0, k, stacks), hi = pairs_at(p, 16, k, stacks);
    p += stacks ? 4 * k : k;
    for (uint32_t i = 0; i < n; i += 16) {
        __m512i at = _mm512_setzero_si512();
        for (uint32_t b = 0; b < np; b++) {
            uint16_t m = p[b * size + i / 8];
            if (i + 8 < n)
                memcpy(&m, p + b * size + i / 8, 2);
            at = _mm512_mask_or_epi32(at, m, at, _mm512_set1_epi32((int)(1u << b)));
        }
        const __m512i x = np > 4 ? _mm512_permutex2var_epi32(lo, at, hi) : _mm512_permutexvar_epi32(at, lo);
        _mm512_storeu_si512(tag + i, _mm512_srli_epi32(x, 24));
        if (stack)
            _mm512_storeu_si512(stack + i, _mm512_and_si512(x, _mm512_set1_epi32(0xffffff)));
    }
    return p + np * size;
}

/* Durations, tags, and stacks from a palette. p: behind the flags. Returns what stands behind. */
INLINE const uint8_t *front(const uint8_t *p, uint32_t n, unsigned flags, const struct pack_clock *clock,
                            int64_t *dur, uint32_t *tag, uint32_t *stack)
{
    if (flags & PACK_PALETTE) {
        p = palette(p, n, flags & PACK_STACK, tag, stack);
    } else {
        for (uint32_t i = 0; i < n; i += 16)
            _mm512_storeu_si512(tag + i, bytes_at(p + i, n - i));
        p += n;
    }
    return durations(p, n, flags, clock, dur);
}

static bool is_usual(const uint8_t *p)
{
    return !(*p & (PACK_WIDE_TAG | PACK_LONG_DUR)) && pack_has_vec();
}

static WIDE void times_wide(const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t *dur, uint32_t *tag)
{
    (void)front(p + 1, n, *p, clock, dur, tag, NULL);
}

static WIDE void all_wide(const uint8_t *p, uint32_t n, const struct pack_clock *clock, struct spancols *out)
{
    const unsigned flags = *p;
    p = front(p + 1, n, flags, clock, out->dur, out->tag, out->stack);
    if (flags & PACK_WHO)
        p = ids(p, n, flags & PACK_LONG_WHO, out->who);
    else
        memset(out->who, 0, n * sizeof *out->who);
    if (flags & PACK_PALETTE)
        return;
    if (flags & PACK_STACK)
        (void)ids(p, n, flags & PACK_LONG_STACK, out->stack);
    else
        memset(out->stack, 0, n * sizeof *out->stack);
}

bool unpack_wide(const uint8_t *p, uint32_t n, const struct pack_clock *clock, struct spancols *out)
{
    if (!is_usual(p))
        return false;
    all_wide(p, n, clock, out);
    return true;
}

bool unpack_wide_times(const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t dur[SPAN_ROOM],
                       uint32_t tag[SPAN_ROOM])
{
    if (!is_usual(p))
        return false;
    times_wide(p, n, clock, dur, tag);
    return true;
}

#else

bool unpack_wide(const uint8_t *p, uint32_t n, const struct pack_clock *clock, struct spancols *out)
{
    (void)p, (void)n, (void)clock, (void)out;
    return false;
}

bool unpack_wide_times(const uint8_t *p, uint32_t n, const struct pack_clock *clock, int64_t dur[SPAN_ROOM],
                       uint32_t tag[SPAN_ROOM])
{
    (void)p, (void)n, (void)clock, (void)dur, (void)tag;
    return false;
}

#endif
