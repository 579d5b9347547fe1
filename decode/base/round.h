/*
 * round.h - from a double to an integer that has room for it, whatever it is: C leaves open what a cast makes of others.
 */
#ifndef GOTOP_DECODE_ROUND_H
#define GOTOP_DECODE_ROUND_H

#include <stdint.h>

/* to_i64 - d without what is behind its point; beyond the range: the nearest; not a number: 0. */
static inline int64_t to_i64(double d)
{
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    return d >= -9223372036854775808.0 ? (int64_t)d : d < 0 ? INT64_MIN : 0;
}

static inline uint64_t to_u64(double d)
{
    if (d >= 18446744073709551616.0)
        return UINT64_MAX;
    return d > 0 ? (uint64_t)d : 0;
}

#endif
