/* bisect.h - a place in what is sorted, by halving. */
#ifndef GOTOP_DECODE_BISECT_H
#define GOTOP_DECODE_BISECT_H

#include <stdbool.h>

/*
 * bisect - lo, a variable, becomes the first place from lo on of which `before` isn't so, or hi where there is none: `before` asks that
 * of place i, and is so up to somewhere, and not from there on.
 */
#define bisect(lo, hi, i, before) \
    for (__typeof__(lo) i, hi_##i = (hi); (lo) < hi_##i && (i = (lo) + (hi_##i - (lo)) / 2, true);) \
        if (before) \
            (lo) = i + 1; \
        else \
            hi_##i = i

#endif
