/*
 * window.h - time <-> column arithmetic. Times are nanoseconds, a window is [t0,t1) with t1 > t0.
 *
 * Column i of n covers [window_edge(i), window_edge(i+1)): integers that tile the window exactly. Nothing
 * here overflows, whatever 64-bit times a file claims.
 */
#ifndef GOTOP_TRIAGE_WINDOW_H
#define GOTOP_TRIAGE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* part/of of a nanosecond is what moving by columns has rounded off: its edges are those of the window it
 * was, moved. */
struct window {
    int64_t t0, t1;
    uint32_t part, of;
};

static inline struct window window_of(int64_t t0, int64_t t1)
{
    return (struct window){.t0 = t0, .t1 = t1};
}
bool window_same(struct window a, struct window b); /* to the nanosecond, and its fraction */

int64_t window_len(struct window w);                     /* saturates at INT64_MAX */
int64_t window_edge(struct window w, int n, int i);      /* 0 <= i <= n */
void window_edges(struct window w, int n, int64_t *out); /* n + 1 of them */
int window_col(struct window w, int n, int64_t t);       /* the column that covers t; -1 before, n behind */
/*
 * window_clamp - the window moved and cut so that it lies in [0,end) and is at least min long (min wins over
 * end).
 */
struct window window_clamp(struct window w, int64_t end, int64_t min);
/* window_zoom - num/den times as long, the moment at keeps its place on the screen. Not clamped. */
struct window window_zoom(struct window w, int64_t at, int64_t num, int64_t den);
/* window_pan - by ns later, or earlier; its length stays, so at the ends of int64_t it moves less. Not
 * clamped. */
struct window window_pan(struct window w, int64_t by);
/* window_scroll - by k columns of n: its edges are those that stood there before, to the nanosecond. */
struct window window_scroll(struct window w, int n, int64_t k);
/* window_center - the same length around at. */
struct window window_center(struct window w, int64_t at);
/* window_fit - [t0,t1) with a margin of a sixteenth on both sides. */
struct window window_fit(int64_t t0, int64_t t1);

int64_t time_add(int64_t a, int64_t b); /* saturating */
int64_t time_sub(int64_t a, int64_t b); /* saturating */
/* time_muldiv - a * num / den rounded down, exact within, saturating. den > 0. */
int64_t time_muldiv(int64_t a, int64_t num, int64_t den);

#endif
