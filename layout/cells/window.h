/*
 * window.h - time <-> column arithmetic. Times are nanoseconds, a window is [t0,t1) with t1 > t0.
 *
 * Column i of n covers [window_edge(i), window_edge(i+1)): integers that tile the window exactly. Nothing
 * here overflows, whatever 64-bit times a file contains.
 */
#ifndef GOTOP_LAYOUT_WINDOW_H
#define GOTOP_LAYOUT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "triage/tables/tab.h"

/* part/of is the fraction of a nanosecond that scrolling by columns rounded off, so that the edges stay
 * those of the original window, moved. */
struct window {
    int64_t t0, t1;
    uint32_t part, of;
};

static inline struct window window_of(int64_t t0, int64_t t1)
{
    return (struct window){.t0 = t0, .t1 = t1};
}
bool window_same(struct window a, struct window b); /* equal to the nanosecond and its fraction */

int64_t window_len(struct window w);                     /* saturates at INT64_MAX */
int64_t window_edge(struct window w, int n, int i);      /* 0 <= i <= n */
void window_edges(struct window w, int n, int64_t *out); /* n + 1 of them */
/* the column that covers t; -1 if before the window, n if after it */
int window_col(struct window w, int n, int64_t t);
/* window_clamp - returns the window moved and cut to lie in [0,end) and to be at least min long (min takes
 * precedence over end). */
struct window window_clamp(struct window w, int64_t end, int64_t min);
/* window_zoom - returns a window num/den times as long in which time `at` keeps its position. Not clamped. */
struct window window_zoom(struct window w, int64_t at, int64_t num, int64_t den);
/* window_pan - returns the window moved by ns, later or earlier. It keeps its length, so it moves less near
 * the limits of int64_t. Not clamped. */
struct window window_pan(struct window w, int64_t by);
/* window_scroll - returns the window moved by k columns of n. Its edges are those of the old columns, to
 * the nanosecond. */
struct window window_scroll(struct window w, int n, int64_t k);
/* window_center - returns a window of the same length around `at`. */
struct window window_center(struct window w, int64_t at);
/* window_fit - returns [t0,t1) with a margin of a sixteenth on both sides. */
struct window window_fit(int64_t t0, int64_t t1);

#endif
