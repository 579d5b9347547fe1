/*
 * pack_vec.h - what the files for processors with AVX-512 VBMI2 share: pack_wide.c, pack_read_wide.c, pack_to.c. Without PACK_VEC there
 * is none of it. A function of theirs is called if pack_has_to().
 */
#ifndef GOTOP_DECODE_PACK_VEC_H
#define GOTOP_DECODE_PACK_VEC_H

#include "decode/model/pack.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PACK_VEC
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))
#define INLINE static WIDE inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8") /* parts stay in registers */

/* Sixteen times m and half, by 2^down: what of each fits, none of it in its neighbour. */
INLINE __m512i times(__m512i v, uint32_t m, __m512i half, unsigned down)
{
    const __m512i by = _mm512_set1_epi32((int)m);
    const __m128i d = _mm_cvtsi32_si128((int)down);
    const __m512i even = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(v, by), half), d);
    const __m512i odd = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(v, 32), by), half), d);
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
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

#endif
#endif
