/*
 * rows.h - going through the rows of an array, and searching them.
 */
#ifndef GOTOP_DECODE_ROWS_H
#define GOTOP_DECODE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* each_of - a loop over the first n rows of an array, which stays where it is: p points to each. */
#define each_of(p, rows, n) for (__auto_type p = (rows); (size_t)(p - (rows)) < (n); p++)
/* find_first - the first i below n for which `is`, an expression of i, is true, or n. any_of - whether there
 * is one. */
#define find_first(i, n, is) \
    __extension__({ \
        __typeof__((n) + 0u) i = 0; \
        while (i < (n) && !(is)) \
            i++; \
        i; \
    })
#define any_of(i, n, is) (find_first(i, n, is) < (n))
/* find_most - the first i below n for which `value`, an expression of i, is largest; 0 if n is 0. */
#define find_most(i, n, value) \
    __extension__({ \
        uint32_t i = 0, at_##i = 0; \
        __auto_type most_##i = (value); \
        for (i = 1; i < (n); i++) { \
            if ((value) > most_##i) { \
                most_##i = (value); \
                at_##i = i; \
            } \
        } \
        at_##i; \
    })
/* largest_of - the first of n rows for which `value`, an expression of the pointer p to it, is largest and
 * more than 0; NULL: there is none. */
#define largest_of(p, rows, n, value) \
    __extension__({ \
        __auto_type p = (rows); \
        __typeof__(p) best_##p = NULL; \
        __typeof__((value) + 0) most_##p = 0; \
        for (const __typeof__(p) end_##p = p + (n); p < end_##p; p++) { \
            const __typeof__(most_##p) value_##p = (value); \
            best_##p = value_##p > most_##p ? p : best_##p; \
            most_##p = value_##p > most_##p ? value_##p : most_##p; \
        } \
        best_##p; \
    })

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
