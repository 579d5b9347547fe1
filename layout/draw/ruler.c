/*
 * ruler.c - ticks stand in the column that covers their moment, each label right of its tick. The step is chosen by
 * the width of the longest label, so labels never touch.
 */
#include "layout/draw/ruler.h"

#include <string.h>

#include "layout/move/when.h"

static int label_width(const struct trace *tr, struct window w, int64_t step)
{
    char a[FMT_MAX], b[FMT_MAX];
    size_t m = strlen(when_time(tr, w.t0, step, a)), n = strlen(when_time(tr, w.t1, step, b));
    return (int)(m > n ? m : n);
}

int64_t ruler_step(const struct trace *tr, struct window w, int n)
{
    static const int64_t mantissa[] = {1, 2, 5};
    int64_t len = window_len(w);
    for (int64_t power = 1;; power *= 10) {
        for (int i = 0; i < 3; i++) {
            int64_t step = power * mantissa[i];
            if (len / step <= n / (label_width(tr, w, step) + 3))
                return step;
        }
        if (power > INT64_MAX / 100)
            return power;
    }
}

void ruler_draw(struct grid *g, const struct trace *tr, enum tier tier, struct window w, int x, int y, int n)
{
    int64_t step = ruler_step(tr, w, n);
    int64_t t = w.t0 - w.t0 % step;
    if (t < w.t0)
        t = time_add(t, step);
    for (int64_t last = t; t < w.t1; t = time_add(t, step)) {
        int c = window_col(w, n, t);
        char label[FMT_MAX];
        grid_put(g, x + c, y, glyph_mark(tier, MARK_TICK), STYLE_RULER_TICK);
        when_time(tr, t, step, label);
        if (c + 1 + (int)strlen(label) <= n) /* half a number would be a wrong one */
            grid_str(g, x + c + 1, y, n - c - 1, label, STYLE_RULER);
        if (t > INT64_MAX - step || t < last)
            break;
        last = t;
    }
}
