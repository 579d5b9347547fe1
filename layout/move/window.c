/*
 * window.c - time <-> column arithmetic in 128 bits, cut back to 64 at the end.
 *
 * edge(i) = t0 + floor(len * i / n). Column c covers t when edge(c) <= t < edge(c + 1); with fewer nanoseconds than
 * columns some columns are empty and none covers two.
 */
#include "layout/move/window.h"

typedef __int128 wide;

static int64_t cut(wide v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

static wide floor_div(wide a, wide b)
{
    wide q = a / b;
    return q * b > a ? q - 1 : q; /* b > 0 */
}

int64_t time_add(int64_t a, int64_t b)
{
    return cut((wide)a + b);
}

int64_t time_sub(int64_t a, int64_t b)
{
    return cut((wide)a - b);
}

int64_t time_muldiv(int64_t a, int64_t num, int64_t den)
{
    return cut(floor_div((wide)a * num, den));
}

int64_t window_len(struct window w)
{
    return time_sub(w.t1, w.t0);
}

int64_t window_edge(struct window w, int n, int i)
{
    if (i <= 0 || n <= 0)
        return w.t0;
    if (i >= n)
        return w.t1;
    return (int64_t)(w.t0 + floor_div(((wide)w.t1 - w.t0) * i, n));
}

void window_edges(struct window w, int n, int64_t *out)
{
    for (int i = 0; i <= n; i++)
        out[i] = window_edge(w, n, i);
}

int window_col(struct window w, int n, int64_t t)
{
    if (t < w.t0 || n <= 0)
        return -1;
    if (t >= w.t1)
        return n;
    wide len = (wide)w.t1 - w.t0;
    int c = (int)(((wide)t - w.t0) * n / len);
    while (c + 1 < n && window_edge(w, n, c + 1) <= t) /* rounding of edges: at most a step */
        c++;
    while (c > 0 && window_edge(w, n, c) > t)
        c--;
    return c;
}

struct window window_clamp(struct window w, int64_t end, int64_t min)
{
    wide t0 = w.t0, len = (wide)w.t1 - w.t0;
    if (min < 1)
        min = 1;
    if (end < 1)
        end = 1;
    if (len > end)
        len = end;
    if (len < min) {
        t0 -= (min - len) / 2;
        len = min;
    }
    if (t0 + len > end)
        t0 = end - len;
    if (t0 < 0)
        t0 = 0;
    return (struct window){(int64_t)t0, cut(t0 + len)};
}

struct window window_zoom(struct window w, int64_t at, int64_t num, int64_t den)
{
    if (at < w.t0)
        at = w.t0;
    if (at > w.t1)
        at = w.t1;
    wide len = (wide)w.t1 - w.t0, left = (wide)at - w.t0;
    wide new_len = floor_div(len * num, den), new_left = floor_div(left * num, den);
    if (new_len < 1)
        new_len = 1;
    int64_t t0 = cut(at - new_left), t1 = cut((wide)at - new_left + new_len);
    if (t1 <= t0)
        t1 = time_add(t0, 1), t0 = t1 - 1;
    return (struct window){t0, t1};
}

struct window window_pan(struct window w, int64_t by)
{
    wide t0 = (wide)w.t0 + by, t1 = (wide)w.t1 + by;
    if (t1 > INT64_MAX)
        t0 -= t1 - INT64_MAX, t1 = INT64_MAX;
    if (t0 < INT64_MIN)
        t1 += INT64_MIN - t0, t0 = INT64_MIN;
    return (struct window){cut(t0), cut(t1)};
}

struct window window_center(struct window w, int64_t at)
{
    wide len = (wide)w.t1 - w.t0, t0 = (wide)at - len / 2;
    return window_pan(w, cut(t0 - w.t0));
}

struct window window_fit(int64_t t0, int64_t t1)
{
    wide len = (wide)t1 - t0, margin = len / 16;
    struct window w = {cut(t0 - margin), cut((wide)t1 + margin)};
    if (w.t1 <= w.t0)
        w.t1 = time_add(w.t0, 1), w.t0 = w.t1 - 1;
    return w;
}
