/*
 * ruler.c - a tick stands in the column that covers its moment, with its label to the right. The longest
 * label decides the step, so labels never touch.
 */
#include "layout/cells/ruler.h"

#include <stdio.h>
#include <string.h>

#include "triage/wall.h"
#include "layout/cells/fmt.h"

/* Writes a time of day with as many digits as a step needs: "14:03:22", "14:03:22.5". */
static int clock_label(const struct trace *tr, int64_t t, int64_t step, char out[FMT_MAX])
{
    char whole[WALL_MAX];
    int digits = 0;
    for (int64_t unit = 1000000000; unit > step && digits < 6; unit /= 10)
        digits++;
    snprintf(out, FMT_MAX, "%.*s", digits ? 9 + digits : 8, wall_time(tr, t, whole));
    return (int)strlen(out);
}

static int label_width(const struct trace *tr, struct window w, int64_t step)
{
    char a[FMT_MAX], b[FMT_MAX];
    size_t m = strlen(when_time(tr, w.t0, step, a)), n = strlen(when_time(tr, w.t1, step, b));
    return (int)(m > n ? m : n);
}

static int64_t step_of(const struct trace *tr, struct window w, int n, bool clock)
{
    static const int64_t mantissa[] = {1, 2, 5};
    int64_t len = window_len(w);
    for (int64_t power = 1;; power *= 10) {
        for (int i = 0; i < 3; i++) {
            int64_t step = power * mantissa[i];
            char label[FMT_MAX];
            int width = clock ? clock_label(tr, w.t0, step, label) : label_width(tr, w, step);
            if (len / step <= n / (width + 3))
                return step;
        }
        if (power > INT64_MAX / 100)
            return power;
    }
}

void ruler_draw(struct grid *g, const struct trace *tr, enum tier tier, struct window w, int x, int y, int n,
                bool clock)
{
    clock = clock && wall_known(tr);
    int64_t step = step_of(tr, w, n, clock), of_day = clock ? trace_info(tr)->wall_nsec % step : 0;
    int64_t t = w.t0 - (w.t0 + of_day) % step; /* round seconds of the time of day, or of the trace */
    if (t < w.t0)
        t = time_add(t, step);
    for (int64_t last = t; t < w.t1; t = time_add(t, step)) {
        int c = window_col(w, n, t);
        char label[FMT_MAX];
        grid_put(g, x + c, y, glyph_mark(tier, MARK_TICK), STYLE_RULER);
        if (clock)
            (void)clock_label(tr, t, step, label);
        else
            when_time(tr, t, step, label);
        if (c + 1 + (int)strlen(label) <= n) /* a number that is cut would be a wrong one */
            grid_str(g, x + c + 1, y, n - c - 1, label, STYLE_RULER);
        if (t > INT64_MAX - step || t < last)
            break;
        last = t;
    }
}
