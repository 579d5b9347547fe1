/*
 * spectrum.c - see spectrum.h. Steps are round numbers, as fine as the rows allow.
 */
#include "layout/cells/spectrum.h"

#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/fmt.h"

/* ---- steps --------------------------------------------------------------------------------------------- */

/* The ladders have steps within a factor of ten, the finest first; the last skip powers of ten. */
static const struct {
    uint8_t n, step[9]; /* tenths */
    uint8_t skip;       /* powers of ten that a step covers */
} ladders[] = {
    {8, {10, 13, 17, 22, 30, 40, 55, 75}, 1},
    {5, {10, 15, 25, 40, 60}, 1},
    {3, {10, 20, 50}, 1},
    {2, {10, 30}, 1},
    {1, {10}, 1},
    {1, {10}, 2},
    {1, {10}, 3},
    {1, {10}, 6},
};
enum { LADDERS = sizeof ladders / sizeof *ladders, POWERS = 17 };

/* Returns the number of steps from the one with min to the one with max, or 0 if it is more than `most`. */
static int climb(int ladder, int64_t min, int64_t max, int most, int64_t *from)
{
    int n = 0;
    int64_t p = 10;
    if (min < 10) /* values below ten share row 0 */
        from[n++] = 0;
    for (int k = 1; k <= POWERS; k++, p *= 10) {
        if ((k - 1) % ladders[ladder].skip)
            continue;
        for (int i = 0; i < ladders[ladder].n; i++) {
            int64_t at = p / 10 * ladders[ladder].step[i];
            if (at > max)
                return n;
            if (at <= min)
                n = 0; /* the last step that is not above the value is its row */
            if (n == most)
                return 0;
            from[n++] = at;
        }
    }
    return n;
}

static void steps(struct spectrum *s, int64_t min, int64_t max, int most)
{
    most = most > SPECTRUM_ROWS ? SPECTRUM_ROWS : most < 1 ? 1 : most;
    for (int i = 0; i < LADDERS; i++)
        if ((s->rows = climb(i, min, max, most, s->from)) > 0)
            return;
    s->rows = 1;
    s->from[0] = 0;
}

int spectrum_row(const struct spectrum *s, int64_t value)
{
    int r = 0;
    for (int n = s->rows, half; n > 1; n -= half) { /* steps ascend */
        half = n / 2;
        r += value >= s->from[r + half] ? half : 0;
    }
    return s->rows > 0 ? r : -1;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

bool spectrum_make(struct spectrum *s, uint32_t n, spectrum_value *get, void *arg, int rows, int cols,
                   struct window win)
{
    int64_t min = INT64_MAX, max = 0, t, v;
    for (uint32_t i = 0; i < n; i++) {
        get(arg, i, &t, &v);
        v = v < 0 ? 0 : v;
        min = v < min ? v : min;
        max = v > max ? v : max;
    }
    steps(s, n ? min : 0, max, rows);
    s->cols = cols < 1 ? 1 : cols;
    s->win = win;
    s->most = s->darkest = 0;
    memset(s->count, 0, sizeof s->count);
    const size_t cells = (size_t)s->rows * (size_t)s->cols;
    if (!mem_room(s->cell, s->cap, cells)) {
        s->rows = s->cols = 0;
        return false;
    }
    memset(s->cell, 0, cells * sizeof *s->cell);
    for (uint32_t i = 0; i < n; i++) {
        get(arg, i, &t, &v);
        const int r = spectrum_row(s, v), c = window_col(win, s->cols, t);
        s->most = ++s->count[r] > s->most ? s->count[r] : s->most;
        if (c < 0 || c >= s->cols)
            continue;
        uint32_t *x = &s->cell[(size_t)r * (size_t)s->cols + (size_t)c];
        s->darkest = ++*x > s->darkest ? *x : s->darkest;
    }
    return true;
}

void spectrum_free(struct spectrum *s)
{
    mem_free(s->cell);
    *s = (struct spectrum){0};
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

enum { LABEL = 8, NUMBER = 7 };

int spectrum_gutter(int w)
{
    int bar = w >= 160 ? 24 : w >= 100 ? 16 : w >= 60 ? 9 : w >= 36 ? 5 : 0;
    return w >= 36 ? LABEL + NUMBER + bar + 1 : LABEL;
}

static int log2_of(uint64_t x) /* in eighths */
{
    int k = 0;
    for (; x >= 16; x >>= 1)
        k += 8;
    static const int low[16] = {0, 0, 8, 13, 16, 19, 21, 22, 24, 25, 27, 28, 29, 30, 30, 31};
    return k + low[x];
}

/* Returns one of four shades, by doublings, so that a single value shows beside thousands. */
static int shade(uint32_t n, uint32_t most)
{
    int part = log2_of((uint64_t)n + 1), whole = log2_of((uint64_t)most + 1);
    return n == 0 ? 0 : part >= whole ? 4 : 1 + part * 3 / whole;
}

static uint32_t shade_glyph(enum tier t, int level)
{
    static const uint32_t plain[] = {' ', '.', ':', '+', '#'},
                          drawn[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    return t == TIER_ASCII ? plain[level] : drawn[level];
}

void spectrum_draw(const struct spectrum *s, struct grid *g, int x, int y, const struct spectrum_look *k)
{
    int marked = k->mark_t == NO_TIME || !s->rows ? -1 : spectrum_row(s, k->mark),
        at = k->mark_t == NO_TIME || !s->cols ? -1 : window_col(s->win, s->cols, k->mark_t);
    for (int r = 0; r < s->rows; r++) {
        int line = y + s->rows - 1 - r;
        char text[FMT_MAX], n[FMT_MAX];
        enum style st = r == marked ? STYLE_LANE_FOCUS : STYLE_LANE_NOTE;
        k->label(k->arg, s->from[r], text, sizeof text);
        grid_right(g, 0, line, LABEL - 1, text, st);
        if (x > LABEL) {
            if (s->count[r])
                grid_right(g, LABEL, line, NUMBER - 1, fmt_count(s->count[r], n), STYLE_LANE_NOTE);
            glyph_bar(g, k->tier, LABEL + NUMBER, line, x - LABEL - NUMBER - 1, s->count[r], s->most,
                      k->style);
        }
        for (int c = 0; c < s->cols; c++) {
            uint32_t often = s->cell[(size_t)r * (size_t)s->cols + (size_t)c];
            if (often)
                grid_put(g, x + c, line, shade_glyph(k->tier, shade(often, s->darkest)), k->style);
        }
        if (r == marked && at >= 0 && at < s->cols) {
            const struct cell *c = grid_at(g, x + at, line);
            grid_put(g, x + at, line, c ? c->glyph : ' ', STYLE_CURSOR);
            grid_flags(g, x + at, line, 1, 1, CELL_REVERSE);
        }
    }
}
