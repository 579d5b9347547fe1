/*
 * window.c - time <-> column arithmetic, exact: lengths are unsigned, so that of any two moments fits, and
 * products are whole (decode/base/wide.h).
 *
 * edge(i) = t0 + floor(len * i / n + part / of). Column c covers t when edge(c) <= t < edge(c + 1); with
 * fewer nanoseconds than columns some columns are empty and none covers two.
 */
#include "layout/cells/window.h"

#include "decode/base/wide.h"

/* Returns the time from a to b >= a. */
static uint64_t ns_between(int64_t a, int64_t b)
{
    return (uint64_t)b - (uint64_t)a;
}

/* Returns a moment later or earlier than t, saturated. */
static int64_t later(int64_t t, uint64_t by)
{
    return __builtin_add_overflow(t, by, &t) ? INT64_MAX : t;
}

static int64_t earlier(int64_t t, uint64_t by)
{
    return __builtin_sub_overflow(t, by, &t) ? INT64_MIN : t;
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
    uint64_t rem, at = wide_muldiv_rem(ns_between(w.t0, w.t1), (unsigned)i, (unsigned)n, &rem);
    if (w.of && w.part < w.of && rem * w.of + (uint64_t)w.part * (unsigned)n >= (uint64_t)w.of * (unsigned)n)
        at += at < ns_between(w.t0, w.t1); /* one fraction and another one may add up to a whole nanosecond */
    return later(w.t0, at);
}

bool window_same(struct window a, struct window b)
{
    return a.t0 == b.t0 && a.t1 == b.t1 && a.part == b.part && a.of == b.of;
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
    int c = (int)wide_muldiv(ns_between(w.t0, t), (unsigned)n, ns_between(w.t0, w.t1));
    while (c + 1 < n && window_edge(w, n, c + 1) <= t) /* rounding of edges: at most a step */
        c++;
    while (c > 0 && window_edge(w, n, c) > t)
        c--;
    return c;
}

struct window window_clamp(struct window w, int64_t end, int64_t min)
{
    end = end < 1 ? 1 : end;
    min = min < 1 ? 1 : min;
    const uint64_t was = w.t1 > w.t0 ? ns_between(w.t0, w.t1) : 0,
                   cut = was < (uint64_t)end ? was : (uint64_t)end,
                   len = cut < (uint64_t)min ? (uint64_t)min : cut;
    int64_t t0 = earlier(w.t0, (len - cut) / 2);
    t0 = t0 > end - (int64_t)len ? end - (int64_t)len : t0;
    t0 = t0 < 0 ? 0 : t0;
    return t0 == w.t0 && len == was ? w : window_of(t0, later(t0, len));
}

struct window window_zoom(struct window w, int64_t at, int64_t num, int64_t den)
{
    if (at < w.t0)
        at = w.t0;
    if (at > w.t1)
        at = w.t1;
    uint64_t rest[2];
    const uint64_t left = wide_muldiv_rem(ns_between(w.t0, at), (uint64_t)num, (uint64_t)den, &rest[0]);
    uint64_t right = wide_muldiv_rem(ns_between(at, w.t1), (uint64_t)num, (uint64_t)den, &rest[1]);
    if (right < UINT64_MAX &&
        rest[0] >= (uint64_t)den - rest[1]) /* what both round off is one more together */
        right++;
    if (!left && !right)
        right = 1;
    int64_t t0 = earlier(at, left), t1 = later(at, right);
    if (t1 <= t0)
        t1 = time_add(t0, 1), t0 = t1 - 1;
    return window_of(t0, t1);
}

struct window window_pan(struct window w, int64_t by)
{
    const uint64_t most = by < 0 ? ns_between(INT64_MIN, w.t0) : ns_between(w.t1, INT64_MAX);
    const uint64_t step = time_abs(by) < most ? time_abs(by) : most;
    w.t0 = by < 0 ? earlier(w.t0, step) : later(w.t0, step);
    w.t1 = by < 0 ? earlier(w.t1, step) : later(w.t1, step);
    return w;
}

struct window window_scroll(struct window w, int n, int64_t k)
{
    if (n <= 0)
        return w;
    const uint32_t of = (uint32_t)n, part = w.of == of && w.part < of ? w.part : 0;
    uint64_t rem, by = wide_muldiv_rem(ns_between(w.t0, w.t1), time_abs(k), of, &rem);
    uint64_t left = k < 0 ? part + of - rem : part + rem; /* from -of to 2 of, and of more */
    if (k < 0 ? part < rem : left >= of)
        by += by < UINT64_MAX;
    w = window_pan(w, k < 0 ? earlier(0, by) : later(0, by));
    w.part = (uint32_t)(left % of);
    w.of = of;
    return w;
}

struct window window_center(struct window w, int64_t at)
{
    return window_pan(w, time_sub(earlier(at, ns_between(w.t0, w.t1) / 2), w.t0));
}

struct window window_fit(int64_t t0, int64_t t1)
{
    const uint64_t margin = t1 > t0 ? ns_between(t0, t1) / 16 : 0;
    struct window w = window_of(earlier(t0, margin), later(t1, margin));
    if (w.t1 <= w.t0)
        w.t1 = time_add(w.t0, 1), w.t0 = w.t1 - 1;
    return w;
}
