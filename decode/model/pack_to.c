/*
 * pack_to.c - time per slot up to a moment within a packed block, sixteen spans at a time, for processors with AVX-512 VBMI2.
 *
 * Of the slots that a block has, few, all but one are summed up, each in a vector, and these are added up once, at the moment: the
 * one that is left has the rest. What was summed up is kept, so that a later moment goes on from there.
 */
#include "decode/model/pack_vec.h"

#ifdef PACK_VEC

/* The slots of sixteen tags. */
INLINE __m128i slots_by_tag(const struct pack_pairs *x, uint32_t i, __mmask16 lanes)
{
    const __m512i tag = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, x->tags + i));
    const __m512i slots = _mm512_i32gather_epi32(tag, x->tagslot, 4);
    return _mm512_cvtepi32_epi8(_mm512_srl_epi32(slots, _mm_cvtsi32_si128(8 * (int)x->kind)));
}

/* Which of sixteen spans are of which pair, and the slots of these. */
INLINE __m128i slots_of(const struct pack_pairs *x, uint32_t size, uint32_t i, __mmask16 lanes)
{
    if (x->tags)
        return slots_by_tag(x, i, lanes);
    const __m256i slot = _mm256_load_si256((const __m256i *)(const void *)x->slot);
    __m128i at = _mm_setzero_si128();
    for (unsigned k = 0; k < x->np; k++) {
        uint16_t m;
        memcpy(&m, x->planes + k * size + i / 8, 2);
        at = _mm_or_si128(at, _mm_maskz_set1_epi8(m, (char)(1 << k)));
    }
    return _mm256_castsi256_si128(_mm256_permutexvar_epi8(_mm256_castsi128_si256(at), slot));
}

/* Sixteen durations as they are stored (`lanes`: those that are spans), and how many bytes they take. */
INLINE __m512i stored(const uint8_t *p, const uint8_t *ctl, __mmask16 lanes, unsigned *bytes)
{
    const uint64_t first = 0x1111111111111111;
    uint32_t c;
    memcpy(&c, ctl, 4);
    const uint32_t a = _pext_u32(c, 0x55555555),
                   b = _pext_u32(c, 0xaaaaaaaa); /* the codes' bits: 1, 2, 3, 4 bytes are 0, 1, 2, 3 */
    uint64_t keep = first | _pdep_u64(a | b, first << 1) | _pdep_u64(b, first << 2) | _pdep_u64(a & b, first << 3);
    __m512i x;
    if (lanes == 0xffff) {
        x = _mm512_loadu_si512(p);
        *bytes = (unsigned)__builtin_popcountll(keep);
    } else { /* a lane's last spans: nothing behind them is known to be there */
        keep &= ((uint64_t)1 << 4 * (unsigned)__builtin_popcount(lanes)) - 1;
        *bytes = (unsigned)__builtin_popcountll(keep);
        x = _mm512_maskz_loadu_epi8(((uint64_t)1 << *bytes) - 1, p);
    }
    return _mm512_maskz_expand_epi8(keep, x);
}

/* Sixteen durations: short ones in x, of 32 bits; else eight in each. */
struct durs {
    __m512i x, y;
};

INLINE struct durs durs_of(__m512i d, const struct pack_pairs *x, __mmask16 lanes, bool is_long)
{
    if (is_long) {
        const __m512i lo = ns_of(_mm512_castsi512_si256(d), x->flags, x->clock),
                      hi = ns_of(_mm512_extracti64x4_epi64(d, 1), x->flags, x->clock);
        return (struct durs){_mm512_maskz_mov_epi64((__mmask8)lanes, lo),
                             _mm512_maskz_mov_epi64((__mmask8)(lanes >> 8), hi)};
    }
    if (x->flags & PACK_UNIT && x->clock->mul) {
        const __m512i three = _mm512_set1_epi32(3), rest = _mm512_and_si512(d, three), v = _mm512_srli_epi32(d, 2);
        const __m512i ns = _mm512_add_epi32(times(v, x->clock->mul, _mm512_setzero_si512(), x->clock->shift), rest);
        d = _mm512_mask_mov_epi32(_mm512_sub_epi32(ns, _mm512_set1_epi32(1)), _mm512_cmpeq_epu32_mask(rest, three),
                                  v);
    } else if (x->flags & PACK_UNIT) {
        d = _mm512_mask_srli_epi32(_mm512_slli_epi32(d, 5), _mm512_test_epi32_mask(d, _mm512_set1_epi32(1)), d, 1);
    }
    return (struct durs){.x = _mm512_maskz_mov_epi32(lanes, d)};
}

INLINE int64_t lasts_of(struct durs d, bool is_long)
{
    return is_long ? _mm512_reduce_add_epi64(_mm512_add_epi64(d.x, d.y)) : (uint32_t)_mm512_reduce_add_epi32(d.x);
}

/* Those durations `which` that are of the slots, on top of n sums. */
INLINE void sum_up(__m512i *sum, const __m128i *of, int n, __m128i slots, __mmask16 which, struct durs d,
                   bool is_long)
{
    UNROLL
    for (int k = 0; k < n; k++) {
        const __mmask16 m = _mm_mask_cmpeq_epi8_mask(which, slots, of[k]);
        if (is_long) {
            sum[k] = _mm512_mask_add_epi64(sum[k], (__mmask8)m, sum[k], d.x);
            sum[k] = _mm512_mask_add_epi64(sum[k], (__mmask8)(m >> 8), sum[k], d.y);
        } else {
            sum[k] = _mm512_mask_add_epi32(sum[k], m, sum[k], d.x);
        }
    }
}

/* What each of four sums comes to. */
INLINE __m256i add_four(const __m512i *s, bool is_long)
{
    if (is_long) {
        const __m512i a = _mm512_add_epi64(_mm512_unpacklo_epi64(s[0], s[1]), _mm512_unpackhi_epi64(s[0], s[1]));
        const __m512i b = _mm512_add_epi64(_mm512_unpacklo_epi64(s[2], s[3]), _mm512_unpackhi_epi64(s[2], s[3]));
        __m512i z = _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
        z = _mm512_add_epi64(z, _mm512_shuffle_i64x2(z, z, 0xb1));
        return _mm256_inserti128_si256(_mm512_castsi512_si256(z), _mm512_extracti32x4_epi32(z, 2), 1);
    }
    const __m512i a = _mm512_add_epi32(_mm512_unpacklo_epi32(s[0], s[1]), _mm512_unpackhi_epi32(s[0], s[1]));
    const __m512i b = _mm512_add_epi32(_mm512_unpacklo_epi32(s[2], s[3]), _mm512_unpackhi_epi32(s[2], s[3]));
    const __m512i z = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    const __m256i y = _mm256_add_epi32(_mm512_castsi512_si256(z), _mm512_extracti64x4_epi64(z, 1));
    return _mm256_cvtepu32_epi64(_mm_add_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1)));
}

/* Of each how much they come to up to it. */
INLINE struct durs running(struct durs d, bool is_long)
{
    const __m512i zero = _mm512_setzero_si512();
    if (is_long) {
        UNROLL
        for (int half = 0; half < 2; half++) {
            __m512i v = half ? d.y : d.x;
            v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
            v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
            v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
            if (half)
                d.y = _mm512_add_epi64(v, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), d.x));
            else
                d.x = v;
        }
        return d;
    }
    d.x = _mm512_add_epi32(d.x, _mm512_alignr_epi32(d.x, zero, 15));
    d.x = _mm512_add_epi32(d.x, _mm512_alignr_epi32(d.x, zero, 14));
    d.x = _mm512_add_epi32(d.x, _mm512_alignr_epi32(d.x, zero, 12));
    d.x = _mm512_add_epi32(d.x, _mm512_alignr_epi32(d.x, zero, 8));
    return d;
}

/* Which begin before `left` and end not behind it; begin: when each does. */
INLINE __mmask16 whole_of(struct durs d, __mmask16 lanes, int64_t left, bool is_long, struct durs *begin)
{
    const struct durs end = running(d, is_long);
    if (is_long) {
        const __m512i most = _mm512_set1_epi64(left);
        *begin = (struct durs){_mm512_sub_epi64(end.x, d.x), _mm512_sub_epi64(end.y, d.y)};
        const unsigned lo = _mm512_cmple_epi64_mask(end.x, most) & _mm512_cmplt_epi64_mask(begin->x, most),
                       hi = _mm512_cmple_epi64_mask(end.y, most) & _mm512_cmplt_epi64_mask(begin->y, most);
        return (__mmask16)(lanes & (lo | hi << 8));
    }
    const __m512i most = _mm512_set1_epi32((int)(left < INT32_MAX ? left : INT32_MAX));
    begin->x = _mm512_sub_epi32(end.x, d.x);
    return (__mmask16)(lanes & _mm512_cmple_epu32_mask(end.x, most) & _mm512_cmplt_epu32_mask(begin->x, most));
}

/* The n-th of sixteen. */
INLINE int64_t one_of(struct durs d, unsigned n, bool is_long)
{
    union {
        uint32_t x[16];
        int64_t ns[16];
    } v;
    _mm512_storeu_si512(v.x, d.x);
    if (is_long)
        _mm512_storeu_si512(v.ns + 8, d.y);
    return is_long ? v.ns[n] : v.x[n];
}

/* What lies between the start of the sixteen spans at hand and t: *sum grows by the whole ones, out is told where t lies. */
INLINE void part_of(const struct pack_pairs *x, __m512i *sum, const __m128i *of, int n, struct durs d, __m128i slots,
                    __mmask16 lanes, int64_t left, bool is_long, struct pack_part *out)
{
    struct durs begin = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    const __mmask16 whole = whole_of(d, lanes, left, is_long, &begin);
    const unsigned many = (unsigned)__builtin_popcount(whole);
    sum_up(sum, of, n, slots, whole, d, is_long);
    out->i += many;
    if (many == 16 || out->i == x->n) {
        out->t += lasts_of(d, is_long);
        return;
    }
    uint8_t slot[16];
    _mm_storeu_si128((__m128i *)(void *)slot, slots);
    out->slot = slot[many];
    out->t += one_of(begin, many, is_long);
    out->lasts = one_of(d, many, is_long);
}

/* Time per slot: what is before the block, what was summed up, `part` of the slot t lies in; the rest of so much is x->rest's. */
INLINE void tot_of(const struct pack_pairs *x, const struct pack_at *at, const __m512i *sum, int n, bool is_long,
                   unsigned slot, int64_t part, int64_t rest, int64_t tot[PACK_SLOTS])
{
    int64_t more[PACK_SLOTS];
    _mm256_storeu_si256((__m256i *)(void *)more, add_four(sum, is_long));
    if (n > 4)
        _mm256_storeu_si256((__m256i *)(void *)(more + 4), add_four(sum + 4, is_long));
    memcpy(tot, at->tot, sizeof at->tot);
    UNROLL
    for (int k = 0; k < n; k++) {
        tot[x->sum[k] % PACK_SLOTS] += more[k];
        rest -= more[k];
    }
    tot[slot] += part;
    tot[x->rest] += rest - part;
}

/* n: 4 or 8 sums, known where this is compiled, as is_long is. */
INLINE void upto(const struct pack_pairs *x, struct pack_at *at, int64_t t, int64_t tot[PACK_SLOTS],
                 struct pack_part *out, const bool is_long, const int n)
{
    __m512i sum[8];
    __m128i of[8], slots = _mm_setzero_si128();
    struct durs d = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    uint32_t i = at->i;
    int64_t left = t - at->t;
    __mmask16 lanes = 0xffff;
    const uint8_t *p = at->dur;
    UNROLL
    for (int k = 0; k < n; k++) {
        sum[k] = _mm512_load_si512(at->sum[k]);
        of[k] = _mm_set1_epi8((char)x->sum[k]);
    }
    for (; i < x->n; i += 16) {
        unsigned bytes;
        lanes = (__mmask16)(x->n - i >= 16 ? 0xffff : (1u << (x->n - i)) - 1);
        d = durs_of(stored(p, x->ctl + i / 4, lanes, &bytes), x, lanes, is_long);
        slots = slots_of(x, (x->n + 7) / 8, i, lanes);
        const int64_t lasts = lasts_of(d, is_long);
        if (lasts >= left || lanes != 0xffff)
            break;
        left -= lasts;
        p += bytes;
        sum_up(sum, of, n, slots, 0xffff, d, is_long);
    }
    if (i > at->i) {
        at->i = i;
        at->dur = p;
        at->t = t - left;
        UNROLL
        for (int k = 0; k < n; k++)
            _mm512_store_si512(at->sum[k], sum[k]);
    }
    *out = (struct pack_part){.i = i < x->n ? i : x->n, .t = at->t};
    if (i < x->n)
        part_of(x, sum, of, n, d, slots, lanes, left, is_long, out);
    const int64_t part = out->i < x->n ? t - out->t : 0;
    tot_of(x, at, sum, n, is_long, out->slot, part, out->t + part - at->t0, tot);
}

static WIDE void upto_long(const struct pack_pairs *x, struct pack_at *at, int64_t t, int64_t tot[PACK_SLOTS],
                           struct pack_part *out)
{
    if (x->nsum <= 4)
        upto(x, at, t, tot, out, true, 4);
    else
        upto(x, at, t, tot, out, true, 8);
}

static WIDE void upto_many(const struct pack_pairs *x, struct pack_at *at, int64_t t, int64_t tot[PACK_SLOTS],
                           struct pack_part *out)
{
    upto(x, at, t, tot, out, false, 8);
}

WIDE void pack_to(const struct pack_pairs *x, struct pack_at *at, int64_t t, int64_t tot[PACK_SLOTS],
                  struct pack_part *out)
{
    if (x->is_long)
        upto_long(x, at, t, tot, out);
    else if (x->nsum > 4)
        upto_many(x, at, t, tot, out);
    else
        upto(x, at, t, tot, out, false, 4);
}

/* The slots of a palette's pairs. Returns which there are, a bit each. */
INLINE unsigned pair_slots(struct pack_pairs *x)
{
    unsigned there = 0;
    _mm256_store_si256((__m256i *)(void *)x->slot, _mm256_setzero_si256());
    for (unsigned k = 0; k < x->k; k++) {
        x->slot[k] = x->tagslot[x->tag[k << x->step]][x->kind];
        there |= 1u << x->slot[k];
    }
    return there;
}

WIDE void pack_to_begin(struct pack_pairs *x, struct pack_at *at)
{
    unsigned there = x->tags ? (1u << PACK_SLOTS) - 1 : pair_slots(x);
    x->rest = (unsigned)__builtin_ctz(there);
    x->nsum = 0;
    memset(x->sum, UINT8_MAX, sizeof x->sum); /* no slot */
    for (there &= there - 1; there; there &= there - 1)
        x->sum[x->nsum++] = (uint8_t)__builtin_ctz(there);
    at->t0 = at->t;
    for (int k = 0; k < (x->nsum <= 4 ? 4 : PACK_SLOTS); k++)
        _mm512_store_si512(at->sum[k], _mm512_setzero_si512());
}

bool pack_has_to(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

#else

bool pack_has_to(void)
{
    return false;
}

void pack_to(const struct pack_pairs *x, struct pack_at *at, int64_t t, int64_t tot[PACK_SLOTS],
             struct pack_part *out)
{
    (void)x, (void)t, (void)tot;
    *out = (struct pack_part){.t = at->t};
}

void pack_to_begin(struct pack_pairs *x, struct pack_at *at)
{
    (void)x, (void)at;
}

#endif
