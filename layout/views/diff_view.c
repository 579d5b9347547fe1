/*
 * diff_view.c - what changed between two traces, as `gotop diff` says it: lines that the program makes
 * (view.compared), with a cursor to scroll by.
 */
#include <stdio.h>

#include "layout/cells/lines.h"
#include "layout/cells/wrap.h"
#include "layout/views/tri_priv.h"

static uint32_t diff_view_count(const struct view *v)
{
    return v->compared ? (uint32_t)v->compared->n : 0;
}

static int diff_view_head_lines(const struct view *v, int rows)
{
    (void)v, (void)rows;
    return 0;
}

static void diff_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const char *line = v->compared->line[i];
    enum style s = focus          ? STYLE_LANE_FOCUS
                   : *line == '!' ? STYLE_WARN
                   : *line == ' ' ? STYLE_NORMAL
                                  : STYLE_STATUS_KEY;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    (void)wrap_draw(g, 0, y, g->w, 1, s, str_of(line));
}

/* The line under the cursor, whole. */
static void diff_view_detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const char *s = v->compared->line[i];
    while (*s == ' ')
        s++;
    if (line == 0)
        text_add(t, "%s", s);
}

static unsigned diff_view_enter(struct view *v)
{
    return move_fail(v, "this view is text; the other views show both traces");
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

static void diff_view_draw(struct grid *g, struct view *v, const struct plan *p)
{
    if (diff_view_ready(v))
        tri_draw(g, v, p);
    else
        tri_note(g, 0, p->y[ROW_LANES], p->n[ROW_LANES],
                 v->beyond > 0
                     ? "Comparing them, as soon as both have their tables.."
                     : "One trace is open: gotop OLD NEW shows two, and here what changed between them.");
}

static bool diff_view_tsv(const struct view *v, FILE *f)
{
    for (uint32_t i = 0; i < diff_view_count(v); i++)
        fprintf(f, "%s\n", v->compared->line[i]);
    return diff_view_count(v) > 0;
}

static const struct tri_view list = {.rows = diff_view_count,
                                     .head_lines = diff_view_head_lines,
                                     .row = diff_view_row,
                                     .detail = diff_view_detail,
                                     .enter = diff_view_enter,
                                     .ready = diff_view_ready};
const struct view_kind kind_diff = {
    TIMELESS_PLAN,
    .has = diff_view_has,
    .open = tri_open,
    .draw = diff_view_draw,
    .speak = tri_speak,
    .list = &list,
    .tsv = diff_view_tsv,
    .refuse = "this view is text; the other views show both traces",
    .answer = {[REQ_LANE] = tri_move,
               [REQ_LANE_PAGE] = tri_page,
               [REQ_FIRST] = tri_first,
               [REQ_START] = tri_first,
               [REQ_LAST] = tri_last,
               [REQ_END] = tri_last},
    .word = {[REQ_LANE] = "line"},
};
