/*
 * wide.h - arithmetic without overflow: full products of two 64-bit numbers, and their quotients, for times
 * of hours in ns multiplied by columns or bytes; and integers of any double, where a cast of one that is out
 * of range would be undefined.
 *
 * Where the compiler has 128-bit integers they are used; wide_mul_plain() and wide_div_plain() do the same
 * with 64 bits, for 32-bit machines (a test compares both).
 */
#ifndef GOTOP_DECODE_WIDE_H
#define GOTOP_DECODE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the low half of a * b; *hi: the high half. */
static inline uint64_t wide_mul_plain(uint64_t a, uint64_t b, uint64_t *hi)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t low = al * bl, mid = ah * bl + (low >> 32), cross = al * bh + (uint32_t)mid;
    *hi = ah * bh + (mid >> 32) + (cross >> 32);
    return cross << 32 | (uint32_t)low;
}

/* Returns hi:lo / d, where hi < d; *rem: the remainder. */
static inline uint64_t wide_div_plain(uint64_t hi, uint64_t lo, uint64_t d, uint64_t *rem)
{
    uint64_t q = 0;
    if (!hi) {
        *rem = lo % d;
        return lo / d;
    }
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t carry = hi >> 63;
        hi = hi << 1 | lo >> 63;
        lo <<= 1;
        if (carry || hi >= d) {
            hi -= d;
            q |= (uint64_t)1 << bit;
        }
    }
    *rem = hi;
    return q;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide_uint;

/* wide_mul - Returns the low word of a * b; *hi: the high word. */
static inline uint64_t wide_mul(uint64_t a, uint64_t b, uint64_t *hi)
{
    const wide_uint v = (wide_uint)a * b;
    *hi = (uint64_t)(v >> 64);
    return (uint64_t)v;
}

/* wide_div - Returns hi:lo / d, where hi < d, so that it fits; *rem: the remainder. */
static inline uint64_t wide_div(uint64_t hi, uint64_t lo, uint64_t d, uint64_t *rem)
{
    const wide_uint v = (wide_uint)hi << 64 | lo;
    if (!hi) { /* nearly always; the compiler's division makes two calls */
        *rem = lo % d;
        return lo / d;
    }
    *rem = (uint64_t)(v % d);
    return (uint64_t)(v / d);
}
#else
#define wide_mul wide_mul_plain
#define wide_div wide_div_plain
#endif

/* Returns a * b / d, d not 0; UINT64_MAX if it is more. *rem: the remainder of the exact quotient. */
static inline uint64_t wide_muldiv_rem(uint64_t a, uint64_t b, uint64_t d, uint64_t *rem)
{
    uint64_t hi, lo = wide_mul(a, b, &hi);
    if (!hi) { /* nearly always, in a tenth of the time */
        *rem = lo % d;
        return lo / d;
    }
    const uint64_t q = wide_div(hi % d, lo, d, rem);
    return hi < d ? q : UINT64_MAX;
}

/* wide_muldiv - The same without the remainder. */
static inline uint64_t wide_muldiv(uint64_t a, uint64_t b, uint64_t d)
{
    uint64_t rem;
    return wide_muldiv_rem(a, b, d, &rem);
}

/* Returns a * b + c, UINT64_MAX if it is more. */
static inline uint64_t wide_muladd(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t hi, lo = wide_mul(a, b, &hi);
    return hi || lo + c < lo ? UINT64_MAX : lo + c;
}

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

/* Of times that may be any: time_add, time_sub - saturate. time_abs - the amount. time_muldiv - a * num /
 * den, den > 0, rounded down and saturated. */
static inline int64_t time_add(int64_t a, int64_t b)
{
    int64_t r;
    return !__builtin_add_overflow(a, b, &r) ? r : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t time_sub(int64_t a, int64_t b)
{
    int64_t r;
    return !__builtin_sub_overflow(a, b, &r) ? r : b < 0 ? INT64_MAX : INT64_MIN;
}

static inline uint64_t time_abs(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static inline int64_t time_muldiv(int64_t a, int64_t num, int64_t den)
{
    const bool less = (a < 0) != (num < 0);
    uint64_t rem, q = wide_muldiv_rem(time_abs(a), time_abs(num), (uint64_t)den, &rem);
    q += less && rem && q < UINT64_MAX;
    if (q > INT64_MAX)
        return less ? INT64_MIN : INT64_MAX;
    return less ? -(int64_t)q : (int64_t)q;
}

#endif
