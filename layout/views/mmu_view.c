/*
 * mmu_view.c - the curve of the minimum mutator utilisation: for windows of each length the share of the
 * processors that the collector left the program in the worst of them. Enter goes to that window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/views/tri_priv.h"

enum { SCALE = 6 }; /* columns of "100% " */

static uint32_t points(const struct view *v)
{
    return v->tri && v->tri->tg ? v->tri->tg->nmmu : 0;
}

static const struct mmu_point *here(const struct view *v)
{
    uint32_t n = points(v);
    return n ? &v->tri->tg->mmu[v->at.row < n ? v->at.row : n - 1] : NULL;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* The columns [*x0, *x1) of the i-th of n points, on a grid that has w beside the scale (or none). */
static void mmu_place(int w, uint32_t n, uint32_t i, int *x0, int *x1)
{
    w = w > 0 ? w : 0;
    *x0 = (int)((uint64_t)i * (unsigned)w / n);
    *x1 = (int)((uint64_t)(i + 1) * (unsigned)w / n);
}

static void mmu_bar(struct grid *g, const struct view *v, const struct mmu_point *m, int x, int w, int y,
                    int h)
{
    int level = (int)(m->mmu * h * 8 + 0.5);
    if (m->mmu > 0 && !level)
        level = 1;
    for (int r = 0; r < h; r++) {
        int part = level - (h - 1 - r) * 8;
        grid_fill(g, x, y + r, w, 1,
                  glyph_height(v->scr.tier, part < 0   ? 0
                                            : part > 8 ? 8
                                                       : part),
                  STYLE_RUNNING);
    }
}

/* Marks at equal distances, as many as that allows; where it allows few some are a line further apart. */
static int axis_steps(int h)
{
    static const int all[] = {10, 5, 4};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (h - 1 >= all[i] && (h - 1) % all[i] == 0)
            return all[i];
    return h >= 8 ? 4 : h >= 4 ? 2 : 1;
}

static void axis(struct grid *g, const struct view *v, int y, int h)
{
    char text[8];
    int steps = axis_steps(h);
    for (int i = 0; i <= steps; i++) {
        snprintf(text, sizeof text, "%d%%", 100 * i / steps);
        grid_right(g, 0, y + (h - 1) * (steps - i) / steps, SCALE - 2, text, STYLE_LANE_NOTE);
    }
    for (int r = 0; r < h; r++)
        grid_put(g, SCALE - 1, y + r, glyph_mark(v->scr.tier, MARK_V), STYLE_DIM);
}

/* The windows' lengths below the curve, as far as they have room. */
static void lengths(struct grid *g, const struct view *v, int y)
{
    const struct mmu_point *m = v->tri->tg->mmu;
    uint32_t n = points(v);
    char d[FMT_MAX];
    int x0, x1, free = SCALE;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    mmu_place(g->w - SCALE, n, v->at.row, &x0, &x1);
    int keep0 = SCALE + x0,
        keep1 = keep0 + (int)strlen(fmt_round(tri_dur(v->tr, m[v->at.row].window, d))) + 1;
    for (uint32_t i = 0; i < n; i++) {
        mmu_place(g->w - SCALE, n, i, &x0, &x1);
        int w = (int)str_width(str_of(fmt_round(tri_dur(v->tr, m[i].window, d))), FMT_MAX);
        bool focus = &m[i] == here(v);
        if (SCALE + x0 < free || SCALE + x0 + w > g->w ||
            (!focus && SCALE + x0 <= keep1 && SCALE + x0 + w >= keep0))
            continue;
        grid_str(g, SCALE + x0, y, w, d, focus ? STYLE_STATUS_KEY : STYLE_RULER);
        free = SCALE + x0 + w + 1;
    }
}

static void mmu_draw(struct grid *g, struct view *v, const struct plan *p)
{
    int y = p->y[ROW_LANES], h = p->n[ROW_LANES];
    uint32_t n;
    int x0, x1;
    if (!tri_begin(g, v, &y, &h))
        return;
    if (!(n = points(v))) {
        tri_note(g, 0, y, h, "no garbage collection in this trace: the program had all processors");
        return;
    }
    v->at.row = v->at.row < n ? v->at.row : n - 1;
    if (h > 2) {
        grid_str(g, 0, y, g->w, "the least share of the processors left to the program in any window (MMU)",
                 STYLE_STATUS_KEY);
        y++, h--;
    }
    if (h > 1)
        lengths(g, v, y + --h);
    axis(g, v, y, h);
    for (uint32_t i = 0; i < n; i++) {
        mmu_place(g->w - SCALE, n, i, &x0, &x1);
        mmu_bar(g, v, &v->tri->tg->mmu[i], SCALE + x0, x1 - x0 > 1 ? x1 - x0 - 1 : 1, y, h);
        if (i == v->at.row) /* a bar of no height is seen as well */
            grid_put(g, SCALE + x0 + (x1 - x0 - 1) / 2, y, glyph_mark(v->scr.tier, MARK_CURSOR),
                     STYLE_CURSOR);
    }
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void mmu_share(struct text *t, const char *name, int64_t part, int64_t whole)
{
    if (part <= 0)
        return;
    text_add(t, ", %s ", name);
    text_share(t, (double)part, (double)whole);
}

static void mmu_detail(struct text *t, const struct view *v, int line)
{
    const struct mmu_point *m = here(v);
    struct shares sum = {{0}}, s;
    int64_t all = 0;
    if (!m)
        return;
    int64_t t1 = time_add(m->at, m->window);
    if (line == 0) {
        text_lit(t, "in any ");
        text_dur(t, m->window);
        text_lit(t, " the program had at least ");
        text_share(t, m->mmu, 1);
        text_lit(t, " of the processors; the worst begins at ");
        text_dur(t, m->at);
        return;
    }
    for (uint32_t p = 0; p < trace_nlanes(v->tr, LANE_P); p++) {
        trace_shares(v->tr, (struct lane){LANE_P, p}, m->at, t1, &s);
        for (int i = ST_NONE + 1; i < ST_COUNT; i++) {
            sum.ns[i] = time_add(sum.ns[i], s.ns[i]);
            all = time_add(all, s.ns[i]);
        }
    }
    text_lit(t, "the processors' time then: ");
    size_t n = t->n;
    for (int i = ST_NONE + 1; i < ST_COUNT; i++)
        mmu_share(t, state_name((enum state)i), sum.ns[i], all);
    if (t->n > n + 1) /* without the first comma */
        memmove(t->p + n, t->p + n + 2, t->n - n - 1), t->n -= 2;
    trace_shares(v->tr, (struct lane){LANE_BAND, BAND_STW}, m->at, t1, &s);
    if (s.ns[ST_STW] > 0) {
        text_lit(t, "; the world stopped for ");
        text_dur(t, s.ns[ST_STW]);
    }
}

static void speak(const struct view *v, int w, struct rich *out)
{
    (void)w;
    tri_say_two(v, out, mmu_detail);
}

static void mmu_line(struct text *out, const struct view *v, uint32_t i)
{
    const struct mmu_point *m = &v->tri->tg->mmu[i];
    text_add(out, "%" PRId64 "\t%.6f\t%" PRId64, m->window, m->mmu, m->at);
}

static bool mmu_tsv(const struct view *v, FILE *f)
{
    return tri_tsv(v, f, "window ns\tmmu\tat ns", points(v), mmu_line);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static unsigned to(struct view *v, int64_t row)
{
    uint32_t n = points(v);
    if (!n)
        return move_fail(v, "nothing here");
    row = row < 0 ? 0 : row >= n ? n - 1 : row;
    if (row == v->at.row)
        return move_fail(v, row == 0 ? "this is the shortest window" : "this is the whole trace");
    move_push(v, STEP_CURSOR);
    v->at.row = (uint32_t)row;
    return VR_DRAW;
}

/* The window whose bar is there. */
static unsigned touch(struct view *v, const struct plan *p, int x, int y)
{
    const uint32_t n = points(v);
    int x0, x1;
    if (y < p->y[ROW_LANES] || y >= p->y[ROW_LANES] + p->n[ROW_LANES])
        return VR_NONE;
    for (uint32_t i = 0; i < n; i++) {
        mmu_place(v->scr.w - SCALE, n, i, &x0, &x1);
        if (x >= SCALE + x0 && x < SCALE + x1)
            return i == v->at.row ? VR_DRAW : to(v, i);
    }
    return VR_NONE;
}

static unsigned side(struct view *v, int n)
{
    return to(v, (int64_t)v->at.row + (n ? n : 1));
}

static unsigned first(struct view *v, int n)
{
    (void)n;
    return to(v, 0);
}

static unsigned last(struct view *v, int n)
{
    (void)n;
    return to(v, INT32_MAX);
}

static unsigned mmu_enter(struct view *v, int n)
{
    (void)n;
    const struct mmu_point *m = here(v);
    struct text t = {.ticks = when_ticks(v->tr)};
    if (!m)
        return move_fail(v, "nothing here");
    mmu_detail(&t, v, 1);
    unsigned f = tri_goto(v, (struct lane){LANE_P, NO_LANE}, m->at, time_add(m->at, m->window));
    if (t.p)
        view_message(v, false, "%s", t.p);
    text_free(&t);
    return f;
}

/* Without a cycle there is no curve, and nothing to do but leave. */
static bool can(const struct view *v, enum request d)
{
    (void)d;
    return points(v) > 0;
}

const struct view_kind kind_mmu = {
    TIMELESS_PLAN,
    .open = tri_open,
    .draw = mmu_draw,
    .touch = touch,
    .speak = speak,
    .can = can,
    .tsv = mmu_tsv,
    .refuse = "Enter opens the lanes first",
    .answer =
        {ANSWER_SIDE(side), [REQ_LANE] = side, [REQ_FIRST] = first, [REQ_START] = first, [REQ_LAST] = last,
         [REQ_END] = last, [REQ_DETAILS] = mmu_enter, [REQ_FIT] = mmu_enter, [REQ_SWAP] = mmu_enter},
    .refusal = {REFUSE_ZOOM, REFUSE_SELECT, [REQ_SORT] = "windows have their order: by length"},
    .word = {ANSWER_SIDE("window"), [REQ_LANE] = "window", [REQ_DETAILS] = "the worst"},
};
