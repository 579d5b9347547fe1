/* bisect.h - a place in what is sorted, by halving. */
#ifndef GOTOP_DECODE_BISECT_H
#define GOTOP_DECODE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * bisect - set the variable lo to the first i in [lo, hi) for which `before`, an expression of i, is false,
 * or to hi. `before` must be true up to some place and false from there on.
 */
#define bisect(lo, hi, i, before) \
    for (__typeof__(lo) i, hi_##i = (hi); (lo) < hi_##i && (i = (lo) + (hi_##i - (lo)) / 2, true);) \
        if (before) \
            (lo) = i + 1; \
        else \
            hi_##i = i

/*
 * bisect_near - the last of n moments, sorted, that is not after t; the first counts as not after it. The
 * search goes from `at` on in longer and longer steps: of moments that nobody has looked at so far each one
 * that is looked at has to be waited for.
 */
typedef int64_t moment_at(const void *of, size_t i); /* inlined */
static inline __attribute__((always_inline)) size_t bisect_near(const void *of, moment_at *moment, size_t n,
                                                                size_t at, int64_t t)
{
    size_t lo = at, behind = at, step = 1;
    if (moment(of, at) <= t) {
        for (behind = at + 1; behind < n && moment(of, behind) <= t; step *= 2) {
            lo = behind;
            behind = n - behind > step ? behind + step : n;
        }
    } else {
        for (lo = at ? at - 1 : 0; lo && moment(of, lo) > t; step *= 2) {
            behind = lo;
            lo = lo > step ? lo - step : 0;
        }
    }
    lo++;
    bisect(lo, behind, i, moment(of, i) <= t);
    return lo - 1;
}

#endif
