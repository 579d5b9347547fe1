/*
 * diff_view.c - what changed between two traces, as `gotop diff` says it: lines that the program makes
 * (view.compared), with a cursor to scroll by.
 */
#include <stdio.h>
#include <string.h>

#include "layout/cells/lines.h"
#include "layout/cells/wrap.h"
#include "layout/views/tri_priv.h"

/* A line of the screen: the text's line, where it starts, and the indentation of continued lines. */
struct piece {
    const char *line;
    struct str text;
    int in;
};

/* Gets the row-th line of the screen; false: there are fewer, and *row is their number. */
static bool piece_at(const struct view *v, uint32_t *row, struct piece *out)
{
    enum { IN = 2 };
    uint32_t n = 0;
    for (size_t i = 0; v->compared && i < v->compared->n; i++) {
        const char *line = v->compared->line[i];
        struct str rest = str_of(line);
        const int lead = (int)strspn(line, " ");
        int in = 0;
        do {
            uint32_t next = 0, len = rest.len ? wrap_next(rest, v->scr.w - in, &next) : 0;
            if (n++ == *row) {
                *out = (struct piece){line, {rest.p, len}, in};
                return true;
            }
            rest = (struct str){rest.p + next, rest.len - next};
            in = lead + IN < v->scr.w / 2 ? lead + IN : 0;
        } while (rest.len);
    }
    *row = n;
    return false;
}

static uint32_t diff_view_count(const struct view *v)
{
    struct piece p;
    uint32_t n = UINT32_MAX;
    (void)piece_at(v, &n, &p);
    return n;
}

static void diff_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    struct piece p;
    if (!piece_at(v, &i, &p))
        return;
    const enum style s = focus            ? STYLE_LANE_FOCUS
                         : *p.line == '!' ? STYLE_WARN
                         : *p.line == ' ' ? STYLE_NORMAL
                                          : STYLE_STATUS_KEY;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    (void)grid_text(g, p.in, y, g->w - p.in, p.text, s);
}

static int diff_view_status(const struct view *v)
{
    (void)v;
    return 0;
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
    for (size_t i = 0; v->compared && i < v->compared->n; i++)
        fprintf(f, "%s\n", v->compared->line[i]);
    return diff_view_count(v) > 0;
}

const struct view_kind kind_diff = {
    TIMELESS_PLAN,
    .has = diff_view_has,
    .open = tri_open,
    .draw = diff_view_draw,
    .where = tri_where,
    .status_most = diff_view_status,
    .speak = tri_speak,
    .rows = diff_view_count,
    .row = diff_view_row,
    .enter = diff_view_enter,
    .ready = diff_view_ready,
    .tsv = diff_view_tsv,
    .refuse = "this view is text; the other views show both traces",
    .answer = {[REQ_LANE] = tri_move},
    .word = {[REQ_LANE] = "line"},
};
