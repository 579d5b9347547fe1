/*
 * pack_wide.c - pack_spans() of whole blocks, sixteen spans at a time, for processors with AVX-512 VBMI2. The bytes are pack_plain()'s.
 *
 * What decides is that bytes can be kept or dropped by a mask: a column of lengths is three compares, three spreads of
 * their bits, one compression.
 */
#include "decode/model/pack_vec.h"

#ifdef PACK_VEC
#define GROUPS (SPAN_BLOCK / 16)

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
    uint8_t *ctl = o;
    o += SPAN_BLOCK / 4;
    UNROLL
    for (uint32_t g = 0; g < GROUPS; g++) {
        __mmask16 a = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0 : 0xff));
        __mmask16 b = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0xff : 0xffff));
        __mmask16 c = _mm512_cmpgt_epu32_mask(v[g], _mm512_set1_epi32(ids ? 0xffff : 0xffffff));
        uint64_t keep = ids ? _pdep_u64(a, first) | _pdep_u64(b, first << 1) | _pdep_u64(c, first << 2)
                            : _pdep_u64(a, first << 1) | _pdep_u64(b, first << 2) | _pdep_u64(c, first << 3) | first;
        const uint32_t code = _pdep_u32((unsigned)(a ^ b ^ c), 0x55555555) | _pdep_u32(b, 0xaaaaaaaa);
        memcpy(ctl + g * sizeof code, &code,
               sizeof code); /* at once: gathered first, all of them would be waited for */
        _mm512_storeu_si512(o, _mm512_maskz_compress_epi8(keep, v[g]));
        o += __builtin_popcountll(keep);
    }
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

size_t pack_wide(uint8_t *out, const struct waitspan *s, uint32_t n, enum lane_kind kind, struct pack_how *how,
                 struct pack_sums *sums)
{
    return n == SPAN_BLOCK && pack_has_vec() ? pack_block(out, s, kind, how, sums) : 0;
}

#else

size_t pack_wide(uint8_t *out, const struct waitspan *s, uint32_t n, enum lane_kind kind, struct pack_how *how,
                 struct pack_sums *sums)
{
    (void)out, (void)s, (void)n, (void)kind, (void)how, (void)sums;
    return 0;
}

#endif
