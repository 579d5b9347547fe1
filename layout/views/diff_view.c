/*
 * diff_view.c - what changed between two traces, as `gotop diff` says it: lines that the program makes
 * (view.compared), with a cursor to scroll by.
 */
#include <stdio.h>

#include "layout/cells/lines.h"
#include "layout/cells/wrap.h"
#include "layout/views/tri_priv.h"

static uint32_t count(const struct view *v)
{
    return v->compared ? (uint32_t)v->compared->n : 0;
}

static int head_lines(const struct view *v, int rows)
{
    (void)v, (void)rows;
    return 0;
}

static void row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
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
static void detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const char *s = v->compared->line[i];
    while (*s == ' ')
        s++;
    if (line == 0)
        text_add(t, "%s", s);
}

static unsigned enter(struct view *v)
{
    return move_fail(v, "this is text: the other views show both traces");
}

static bool ready(const struct view *v)
{
    return v->compared != NULL;
}

/* There are two. */
static bool has(const struct view *v)
{
    return v->beyond > 0 || v->compared;
}

static void draw(struct grid *g, struct view *v, const struct plan *p)
{
    if (ready(v))
        tri_draw(g, v, p);
    else
        tri_note(g, 0, p->y[ROW_LANES], p->n[ROW_LANES],
                 v->beyond > 0
                     ? "Comparing them, as soon as both have their tables.."
                     : "One trace is open: gotop OLD NEW shows two, and here what changed between them.");
}

static bool tsv(const struct view *v, FILE *f)
{
    for (uint32_t i = 0; i < count(v); i++)
        fprintf(f, "%s\n", v->compared->line[i]);
    return count(v) > 0;
}

static const struct tri_view list = {
    .rows = count, .head_lines = head_lines, .row = row, .detail = detail, .enter = enter, .ready = ready};
const struct view_kind kind_diff = {
    .lanes = LANE_KINDS,
    .table = true,
    .plan = PLAN_TABLE,
    .gutter = GUTTER_SHORT,
    .has = has,
    .open = tri_open,
    .show = kind_show,
    .draw = draw,
    .speak = tri_speak,
    .hold = tri_hold,
    .list = &list,
    .tsv = tsv,
    .refuse = "this is text: the other views show both traces",
    .answer = {[DEED_LANE] = tri_move,
               [DEED_LANE_PAGE] = tri_page,
               [DEED_FIRST] = tri_first,
               [DEED_START] = tri_first,
               [DEED_LAST] = tri_last,
               [DEED_END] = tri_last},
    .word = {[DEED_LANE] = "line"},
};
