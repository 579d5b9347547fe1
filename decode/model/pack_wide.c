/*
 * pack_wide.c - pack_spans() of whole blocks, sixteen spans at a time, for processors with AVX-512 VBMI2. The bytes are pack_plain()'s.
 *
 * What decides is that bytes can be kept or dropped by a mask: a column of lengths is three compares, three spreads of
 * their bits, one compression.
 */
#include "decode/model/pack.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))
#define INLINE static WIDE inline __attribute__((always_inline))
#define GROUPS (SPAN_BLOCK / 16)
#define UNROLL _Pragma("GCC unroll 8") /* parts stay in registers */

/* The spans by their parts, sixteen a register. */
struct parts {
    __m512i dur[GROUPS], who[GROUPS], stack[GROUPS], tag[GROUPS];
    __m512i all_dur, all_who, all_stack, all_tag; /* or'ed */
};

INLINE void parts_load(struct parts *x, const struct waitspan *s)
{
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i last = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    x->all_dur = x->all_who = x->all_stack = x->all_tag = _mm512_setzero_si512();
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        __m512i a = _mm512_loadu_si512(s + 16 * g), b = _mm512_loadu_si512(s + 16 * g + 4);
        __m512i c = _mm512_loadu_si512(s + 16 * g + 8), d = _mm512_loadu_si512(s + 16 * g + 12);
        __m512i ab = _mm512_permutex2var_epi32(a, first, b), cd = _mm512_permutex2var_epi32(c, first, d);
        x->dur[g] = _mm512_shuffle_i64x2(ab, cd, 0x44);
        x->who[g] = _mm512_shuffle_i64x2(ab, cd, 0xee);
        ab = _mm512_permutex2var_epi32(a, last, b);
        cd = _mm512_permutex2var_epi32(c, last, d);
        x->stack[g] = _mm512_shuffle_i64x2(ab, cd, 0x44);
        x->tag[g] = _mm512_shuffle_i64x2(ab, cd, 0xee);
        x->all_dur = _mm512_or_si512(x->all_dur, x->dur[g]);
        x->all_who = _mm512_or_si512(x->all_who, x->who[g]);
        x->all_stack = _mm512_or_si512(x->all_stack, x->stack[g]);
        x->all_tag = _mm512_or_si512(x->all_tag, x->tag[g]);
    }
}

INLINE bool beyond(__m512i all, unsigned bits) /* some value takes more than that */
{
    return _mm512_cmpge_epu32_mask(all, _mm512_set1_epi32((int)(1u << bits)));
}

INLINE bool any(__m512i all)
{
    return _mm512_test_epi32_mask(all, all);
}

/* Which of a hundred and twenty-eight spans. */
struct set {
    uint64_t w[2];
};

/* A palette, its spans and what they last: pairs in the order they come. Returns how many; 0: too many. */
INLINE uint32_t palette_make(const struct parts *x, uint32_t pal[PALETTE_MOST], struct set plane[5],
                             int64_t ns[PALETTE_MOST])
{
    _Alignas(64) uint32_t pair[SPAN_BLOCK];
    __m512i v[GROUPS];
    const __m512i low = _mm512_set1_epi64(UINT32_MAX);
    const bool large = beyond(x->all_dur, 28); /* eight of them may take more than 32 bits */
    struct set left = {{UINT64_MAX, UINT64_MAX}};
    uint32_t k = 0;
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        v[g] = _mm512_or_si512(x->stack[g], _mm512_slli_epi32(x->tag[g], 24));
        _mm512_store_si512(pair + 16 * g, v[g]);
    }
    memset(plane, 0, 5 * sizeof *plane);
    while (left.w[0] | left.w[1]) {
        if (k == PALETTE_MOST)
            return 0;
        uint32_t i = left.w[0] ? (uint32_t)__builtin_ctzll(left.w[0]) : 64 + (uint32_t)__builtin_ctzll(left.w[1]);
        const __m512i it = _mm512_set1_epi32((int)pair[i]);
        struct set in = {{0, 0}};
        __m512i sum = _mm512_setzero_si512(), high = sum;
        UNROLL
        for (uint32_t g = 0; g < GROUPS; g++) {
            __mmask16 m = _mm512_cmpeq_epi32_mask(v[g], it);
            sum = _mm512_mask_add_epi32(sum, m, sum, x->dur[g]);
            in.w[g / 4] |= (uint64_t)m << g % 4 * 16;
        }
        high = _mm512_srli_epi64(sum, 32);
        sum = _mm512_and_si512(sum, low);
        if (large) {
            sum = high = _mm512_setzero_si512();
            for (uint32_t g = 0; g < GROUPS; g++) {
                __m512i d = _mm512_maskz_mov_epi32((__mmask16)(in.w[g / 4] >> g % 4 * 16), x->dur[g]);
                sum = _mm512_add_epi64(sum, _mm512_and_si512(d, low));
                high = _mm512_add_epi64(high, _mm512_srli_epi64(d, 32));
            }
        }
        left.w[0] ^= in.w[0];
        left.w[1] ^= in.w[1];
        for (unsigned bit = 0; k >> bit; bit++)
            if (k >> bit & 1) {
                plane[bit].w[0] |= in.w[0];
                plane[bit].w[1] |= in.w[1];
            }
        ns[k] = _mm512_reduce_add_epi64(_mm512_add_epi64(sum, high));
        pal[k++] = pair[i];
    }
    return k;
}

INLINE uint8_t *put_planes(uint8_t *o, uint32_t k, const struct set *plane)
{
    for (unsigned bit = 0; (k - 1) >> bit; bit++, o += sizeof *plane)
        memcpy(o, &plane[bit], sizeof *plane);
    return o;
}

/* A column: durations of 1 to 4 bytes, ids of 0 to 3. */
INLINE uint8_t *put_column(uint8_t *o, const __m512i *v, bool ids)
{
    const uint64_t first = 0x1111111111111111;
    uint32_t code[GROUPS];
    uint8_t *ctl = o;
    o += sizeof code;
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        __mmask16 a = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0 : 0xff));
        __mmask16 b = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0xff : 0xffff));
        __mmask16 c = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0xffff : 0xffffff));
        uint64_t keep = ids ? _pdep_u64(a, first) | _pdep_u64(b, first << 1) | _pdep_u64(c, first << 2)
                            : _pdep_u64(a, first << 1) | _pdep_u64(b, first << 2) | _pdep_u64(c, first << 3) | first;
        code[g] = _pdep_u32((unsigned)(a ^ b ^ c), 0x55555555) | _pdep_u32(b, 0xaaaaaaaa);
        _mm512_storeu_si512(o, _mm512_maskz_compress_epi8(keep, v[g]));
        o += __builtin_popcountll(keep);
    }
    memcpy(ctl, code, sizeof code);
    return o;
}

INLINE void put_tags(uint8_t *o, const struct parts *x)
{
    for (uint32_t g = 0; g < GROUPS; g++)
        _mm_storeu_si128((__m128i *)(void *)(o + 16 * g), _mm512_cvtepi32_epi8(x->tag[g]));
}

/* Sixteen times m and half, by 2^down: what of each fits, none of it in its neighbour. */
INLINE __m512i times(__m512i v, uint32_t m, __m512i half, unsigned down)
{
    const __m512i by = _mm512_set1_epi32((int)m);
    const __m128i d = _mm_cvtsi32_si128((int)down);
    const __m512i even = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(v, by), half), d);
    const __m512i odd = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(v, 32), by), half), d);
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

/* pack_ticks() of each. */
INLINE void to_ticks(struct parts *x, const struct pack_clock *k)
{
    const __m512i half = _mm512_set1_epi64((int64_t)1 << (61 - k->shift));
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        const __m512i ns = x->dur[g], ticks = times(ns, k->inv, half, 62 - k->shift);
        const __m512i rest = _mm512_sub_epi32(_mm512_add_epi32(ns, _mm512_set1_epi32(1)),
                                              times(ticks, k->mul, _mm512_setzero_si512(), k->shift));
        const __mmask16 apart = _mm512_cmpgt_epu32_mask(rest, _mm512_set1_epi32(2));
        x->dur[g] = _mm512_mask_or_epi32(_mm512_or_si512(_mm512_slli_epi32(ticks, 2), rest), apart,
                                         _mm512_slli_epi32(ns, 2), _mm512_set1_epi32(3));
    }
}

/* Lasts are multiples of 64 ns, or are kept as they are. Returns how many are. */
INLINE uint32_t to_units(struct parts *x, bool units)
{
    uint32_t is_whole = 0;
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        __mmask16 odd = _mm512_test_epi32_mask(x->dur[g], _mm512_set1_epi32(63));
        is_whole += 16 - (uint32_t)__builtin_popcount(odd);
        if (units)
            x->dur[g] = _mm512_mask_or_epi32(_mm512_srli_epi32(x->dur[g], 5), odd, _mm512_slli_epi32(x->dur[g], 1),
                                             _mm512_set1_epi32(1));
    }
    return is_whole;
}

INLINE int64_t longest_of(const struct parts *x)
{
    __m512i most = _mm512_setzero_si512();
    for (uint32_t g = 0; g < GROUPS; g++)
        most = _mm512_max_epu32(most, x->dur[g]);
    return _mm512_reduce_max_epu32(most);
}

static WIDE size_t pack_block(uint8_t *out, const struct waitspan *s, enum lane_kind kind, struct pack_how *how,
                              struct pack_sums *sums)
{
    struct parts x;
    parts_load(&x, s);
    /* A duration takes one bit more as units; WAIT_LONG is the highest of a tag's. */
    if (beyond(x.all_dur, 31) || beyond(x.all_who, 24) || beyond(x.all_stack, 24) || beyond(x.all_tag, 8))
        return 0;
    const enum pack_durs want = pack_durs(how),
                         durs = want == DURS_TICKS && beyond(x.all_dur, PACK_TICK_BITS) ? DURS_NS : want;
    const bool who = any(x.all_who), stacks = any(x.all_stack);
    uint32_t pal[PALETTE_MOST];
    struct set plane[5];
    int64_t ns[PALETTE_MOST];
    uint32_t k = palette_make(&x, pal, plane, ns);
    if (sums && k) {
        *sums = (struct pack_sums){.longest = longest_of(&x)};
        for (uint32_t i = 0; i < k; i++)
            sums->slot[how->slot[pal[i] >> 24][kind]] += ns[i];
    }
    if (sums && (!k || sums->slot[0])) /* what is of slot 0 is not the longest */
        pack_sums_of(s, SPAN_BLOCK, kind, how, sums);
    k = k && palette_pays(k, SPAN_BLOCK, stacks) ? k : 0;
    if (durs == DURS_TICKS)
        to_ticks(&x, how->clock);
    else
        pack_note_whole(how, to_units(&x, durs == DURS_64), SPAN_BLOCK);
    *out =
        (uint8_t)((durs ? PACK_UNIT : 0) | (who ? PACK_WHO : 0) | (stacks ? PACK_STACK : 0) | (k ? PACK_PALETTE : 0));
    uint8_t *o = out + 1;
    if (k) {
        o = put_planes(put_palette(o, pal, k, stacks), k, plane);
    } else {
        put_tags(o, &x);
        o += SPAN_BLOCK;
    }
    o = put_column(o, x.dur, false);
    if (who)
        o = put_column(o, x.who, true);
    if (stacks && !k)
        o = put_column(o, x.stack, true);
    return (size_t)(o - out);
}

/* Which of sixteen spans are of which pair, and the slots of these. */
INLINE __m128i slots_of(const struct pack_pairs *x, uint32_t size, uint32_t i)
{
    const __m256i slot = _mm256_load_si256((const __m256i *)(const void *)x->slot);
    __m128i at = _mm_setzero_si128();
    for (unsigned k = 0; k < x->np; k++) {
        uint16_t m;
        memcpy(&m, x->planes + k * size + i / 8, 2);
        at = _mm_or_si128(at, _mm_maskz_set1_epi8(m, (char)(1 << k)));
    }
    return _mm256_castsi256_si128(_mm256_permutexvar_epi8(_mm256_castsi128_si256(at), slot));
}

/* pack_dur_ns() of sixteen that were stored by a clock. */
INLINE __m512i to_ns(__m512i x, const struct pack_clock *k)
{
    const __m512i three = _mm512_set1_epi32(3), rest = _mm512_and_si512(x, three), v = _mm512_srli_epi32(x, 2);
    const __m512i ns = _mm512_add_epi32(times(v, k->mul, _mm512_setzero_si512(), k->shift), rest);
    return _mm512_mask_mov_epi32(_mm512_sub_epi32(ns, _mm512_set1_epi32(1)), _mm512_cmpeq_epu32_mask(rest, three), v);
}

/* Sixteen durations (`lanes`: those that are spans), and how many bytes they take. */
INLINE __m512i durations(const uint8_t *p, const uint8_t *ctl, const struct pack_pairs *x, __mmask16 lanes,
                         uint64_t *keep)
{
    const uint64_t first = 0x1111111111111111;
    const __m512i one = _mm512_set1_epi32(1);
    uint32_t c;
    memcpy(&c, ctl, 4);
    uint32_t a = _pext_u32(c, 0x55555555),
             b = _pext_u32(c, 0xaaaaaaaa); /* the codes' bits: 1, 2, 3, 4 bytes are 0, 1, 2, 3 */
    *keep = first | _pdep_u64(a | b, first << 1) | _pdep_u64(b, first << 2) | _pdep_u64(a & b, first << 3);
    __m512i bytes;
    if (lanes == 0xffff) {
        bytes = _mm512_loadu_si512(p);
    } else { /* a lane's last spans: nothing behind them is known to be there */
        *keep &= ((uint64_t)1 << 4 * (unsigned)__builtin_popcount(lanes)) - 1;
        bytes = _mm512_maskz_loadu_epi8(((uint64_t)1 << __builtin_popcountll(*keep)) - 1, p);
    }
    __m512i d = _mm512_maskz_expand_epi8(*keep, bytes);
    if (x->flags & PACK_UNIT && x->clock->mul)
        return to_ns(d, x->clock);
    if (x->flags & PACK_UNIT)
        d = _mm512_mask_srli_epi32(_mm512_slli_epi32(d, 5), _mm512_test_epi32_mask(d, one), d, 1);
    return d;
}

/* What each of eight sums comes to, on top of from. */
INLINE void add_sums(const __m512i s[8], const int64_t from[8], int64_t to[8])
{
    __m512i x[4], y[2];
    UNROLL
    for (int k = 0; k < 4; k++)
        x[k] = _mm512_add_epi32(_mm512_unpacklo_epi32(s[2 * k], s[2 * k + 1]),
                                _mm512_unpackhi_epi32(s[2 * k], s[2 * k + 1]));
    UNROLL
    for (int k = 0; k < 2; k++)
        y[k] = _mm512_add_epi32(_mm512_unpacklo_epi64(x[2 * k], x[2 * k + 1]),
                                _mm512_unpackhi_epi64(x[2 * k], x[2 * k + 1]));
    __m512i z = _mm512_add_epi32(_mm512_shuffle_i64x2(y[0], y[1], 0x44), _mm512_shuffle_i64x2(y[0], y[1], 0xee));
    z = _mm512_add_epi32(z, _mm512_shuffle_i64x2(z, z, 0xb1));
    const __m256i all = _mm256_inserti128_si256(_mm512_castsi512_si256(z), _mm512_extracti32x4_epi32(z, 2), 1);
    _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(from), _mm512_cvtepu32_epi64(all)));
}

INLINE void sum_up(__m512i sum[8], __m128i slots, __mmask16 which, __m512i d)
{
    UNROLL
    for (int k = 0; k < 8; k++)
        sum[k] =
            _mm512_mask_add_epi32(sum[k], _mm_mask_cmpeq_epi8_mask(which, slots, _mm_set1_epi8((char)k)), sum[k], d);
}

/* Of each of sixteen how much they come to up to it. */
INLINE __m512i running(__m512i d)
{
    const __m512i zero = _mm512_setzero_si512();
    d = _mm512_add_epi32(d, _mm512_alignr_epi32(d, zero, 15));
    d = _mm512_add_epi32(d, _mm512_alignr_epi32(d, zero, 14));
    d = _mm512_add_epi32(d, _mm512_alignr_epi32(d, zero, 12));
    return _mm512_add_epi32(d, _mm512_alignr_epi32(d, zero, 8));
}

WIDE void pack_to(const struct pack_pairs *x, struct pack_at *at, int64_t t, struct pack_part *out)
{
    __m512i sum[8], d = _mm512_setzero_si512();
    __m128i slots = _mm_setzero_si128();
    uint32_t i = at->i;
    int64_t left = t - at->t;
    __mmask16 lanes = 0xffff;
    const uint8_t *p = at->dur;
    UNROLL
    for (int k = 0; k < 8; k++)
        sum[k] = _mm512_setzero_si512();
    for (; i < x->n; i += 16) {
        uint64_t keep;
        lanes = (__mmask16)(x->n - i >= 16 ? 0xffff : (1u << (x->n - i)) - 1);
        d = durations(p, x->ctl + i / 4, x, lanes, &keep);
        slots = slots_of(x, (x->n + 7) / 8, i);
        const int64_t all = (uint32_t)_mm512_reduce_add_epi32(d);
        if (all >= left || lanes != 0xffff)
            break;
        left -= all;
        p += __builtin_popcountll(keep);
        sum_up(sum, slots, 0xffff, d);
    }
    if (i > at->i) {
        add_sums(sum, at->tot, at->tot);
        at->i = i;
        at->dur = p;
        at->t = t - left;
    }
    *out = (struct pack_part){.i = i < x->n ? i : x->n, .t = at->t};
    memcpy(out->tot, at->tot, sizeof out->tot);
    if (i >= x->n)
        return;
    const __m512i end = running(d), most = _mm512_set1_epi32((int)(left < INT32_MAX ? left : INT32_MAX));
    const __mmask16 whole = /* those that begin before t and end not behind it */
        (__mmask16)(lanes & _mm512_cmple_epu32_mask(end, most) &
                    _mm512_cmplt_epu32_mask(_mm512_sub_epi32(end, d), most));
    UNROLL
    for (int k = 0; k < 8; k++)
        sum[k] = _mm512_maskz_mov_epi32(_mm_mask_cmpeq_epi8_mask(whole, slots, _mm_set1_epi8((char)k)), d);
    add_sums(sum, at->tot, out->tot);
    out->t += (uint32_t)_mm512_mask_reduce_add_epi32(whole, d);
    const unsigned n = (unsigned)__builtin_popcount(whole);
    uint8_t slot[16];
    _mm_storeu_si128((__m128i *)(void *)slot, slots);
    out->i = i + n;
    out->slot = n < 16 ? slot[n] : 0;
}

static bool have_wide(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

bool pack_has_to(void)
{
    return have_wide();
}

size_t pack_wide(uint8_t *out, const struct waitspan *s, uint32_t n, enum lane_kind kind, struct pack_how *how,
                 struct pack_sums *sums)
{
    return n == SPAN_BLOCK && have_wide() ? pack_block(out, s, kind, how, sums) : 0;
}

#else

bool pack_has_to(void)
{
    return false;
}

void pack_to(const struct pack_pairs *x, struct pack_at *at, int64_t t, struct pack_part *out)
{
    (void)x, (void)t;
    *out = (struct pack_part){.t = at->t};
}

size_t pack_wide(uint8_t *out, const struct waitspan *s, uint32_t n, enum lane_kind kind, struct pack_how *how,
                 struct pack_sums *sums)
{
    (void)out, (void)s, (void)n, (void)kind, (void)how, (void)sums;
    return 0;
}

#endif
