/*
 * diff_view.c - what changed between two traces, as `gotop diff` says it: a text that the program makes
 * (view.compared), with a cursor to scroll by.
 */

#include "layout/views/tri.h"

static uint32_t diff_view_count(const struct view *v)
{
    struct rich_row row = {0};
    uint32_t n = 0;
    while (v->compared && rich_row(v->compared, v->scr.w, &row))
        n++;
    return n;
}

static void diff_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    struct rich_row row = {0};
    for (uint32_t n = 0; n <= i; n++)
        if (!rich_row(v->compared, v->scr.w, &row))
            return;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', STYLE_LANE_FOCUS);
    rich_put(v->compared, &row, g, 0, y, g->w, focus ? STYLE_LANE_FOCUS : STYLE_COUNT);
}

static bool diff_view_ready(const struct view *v)
{
    return v->compared != NULL;
}

/* There are two. */
static bool diff_view_has(const struct view *v)
{
    return v->beyond > 0 || v->compared;
}

static bool diff_view_tsv(const struct view *v, struct text *t)
{
    if (v->compared)
        rich_print(v->compared, t);
    return diff_view_count(v) > 0;
}

const struct view_kind kind_diff = {
    TIMELESS_PLAN,
    .has = diff_view_has,
    .open = tri_open,
    .draw = tri_draw,
    .none = "One trace is open: gotop OLD NEW shows two, and here what changed between them.",
    .soon = "Comparing them, as soon as both have their tables..",
    .where = tri_where,
    .silent = true,
    .speak = tri_speak,
    .rows = diff_view_count,
    .row = diff_view_row,
    .ready = diff_view_ready,
    .tsv = diff_view_tsv,
    .refuse = "this view is text; the other views show both traces",
    .answer = {[REQ_LANE] = tri_move},
    .word = {[REQ_LANE] = "line"},
};
