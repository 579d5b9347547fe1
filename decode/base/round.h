/*
 * round.h - convert any double to an integer. In C, a cast of one that is out of range is undefined.
 */
#ifndef GOTOP_DECODE_ROUND_H
#define GOTOP_DECODE_ROUND_H

#include <stdint.h>

/* to_i64, to_u64 - Round d towards 0; the nearest value if it is out of range; 0 if it is not a number. */
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
