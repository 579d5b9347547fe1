/*
 * pack_vec.h - what the files for processors with AVX-512 VBMI2 share: pack_wide.c, pack_read_wide.c. Without PACK_VEC there is none
 * of it. A function of theirs is called if pack_has_vec().
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

static inline bool pack_has_vec(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

#endif
#endif
