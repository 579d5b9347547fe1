/*
 * bisect.h - binary search in sorted data.
 */
#ifndef GOTOP_DECODE_BISECT_H
#define GOTOP_DECODE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bisect - Set the variable lo to the first i in [lo, hi) for which `before`, an expression of i, is false,
 * or to hi. `before` must be true up to some i and false from there on. */
#define bisect(lo, hi, i, before) \
    for (__typeof__(lo) i, hi_##i = (hi); (lo) < hi_##i && (i = (lo) + (hi_##i - (lo)) / 2, true);) \
        if (before) \
            (lo) = i + 1; \
        else \
            hi_##i = i

/* bisected - the same from 0 to hi, as an expression: the first i for which `before` is false. */
#define bisected(hi, i, before) \
    __extension__({ \
        __typeof__((hi) + 0u) lo_##i = 0; \
        bisect(lo_##i, hi, i, before); \
        lo_##i; \
    })

#endif
