/*
 * plot.c - curves: heap against its goal, and the number of runnable goroutines.
 *
 * A column shows the maximum within it, so that a spike survives any zoom. Levels count eighths of a row, and
 * one holds while the value stays close to it: a curve that runs between two levels would flicker.
 * The scale is that of the window, except for the heap: its scale is that of the whole trace, so that a full
 * heap looks full everywhere.
 */
#include "layout/draw/draw.h"
#include "decode/base/wide.h"

struct plot {
    struct grid *g;
    const struct view *v;
    int x, y, h;
    uint64_t scale;
    enum style style;
    int last; /* the level of the column before; 0: none */
};

int draw_level(uint64_t val, uint64_t scale, int most, int last)
{
    enum { PARTS = 4, HOLDS = 1 }; /* parts of a level */
    if (!val || !scale)
        return 0;
    if (val >= scale)
        return most;
    const int parts = (int)wide_muldiv(val, (unsigned)(most * PARTS), scale), l = parts / PARTS;
    if (last > 0 && parts >= last * PARTS - HOLDS && parts < (last + 1) * PARTS + HOLDS)
        return last;
    return l < 1 ? 1 : l;
}

/* Gets the most goroutines at once in that state, in [t0,t1). Returns false if it is not known. */
static bool count_in(const struct view *v, enum gcount what, int64_t t0, int64_t t1, uint64_t *out)
{
    const struct gbucket *b;
    int64_t width;
    size_t n = trace_gcounts(v->tr, &width, &b);
    if (!n || width <= 0 || t1 <= 0)
        return false;
    uint64_t i = t0 <= 0 ? 0 : (uint64_t)(t0 / width), last = (uint64_t)((t1 - 1) / width);
    *out = 0;
    for (; i <= last && i < n; i++)
        if (b[i].max[what] > *out)
            *out = b[i].max[what];
    return true;
}

/* Draws a column, and the part above `limit` in another style (0: no limit). A cell has the style of its
 * upper end. */
static void put_column(struct plot *p, int c, uint64_t val, uint64_t limit, enum style over)
{
    const int most = p->h * 8, upto = limit && val > limit ? draw_level(limit, p->scale, most, 0) : most,
              l = p->last = draw_level(val, p->scale, most, p->last);
    for (int r = 0; r < p->h; r++) {
        int in_row = l - 8 * r;
        if (in_row > 0)
            grid_put(p->g, p->x + c, p->y + p->h - 1 - r, glyph_height(p->v->scr.tier, in_row),
                     (in_row < 8 ? l : 8 * r + 8) > upto ? over : p->style);
    }
}

/* Draws the heap; the part above the goal has its own style. */
static void heap_curve(struct plot *p, const struct extent *heap, const struct extent *goal)
{
    const struct view *v = p->v;
    const int64_t *e = v->cache.edges, end = trace_info(v->tr)->end;
    for (int c = 0; c < v->scr.plot_w; c++)
        if (e[c] <= end && e[c + 1] > e[c] && heap[c].known)
            put_column(p, c, heap[c].max, goal[c].known ? goal[c].min : 0, STYLE_HEAP_OVER);
}

static void goal_line(const struct plot *p, const struct extent *goal)
{
    const struct view *v = p->v;
    for (int c = 0; c < v->scr.plot_w; c++) {
        uint64_t least = goal[c].min;
        if (v->cache.edges[c + 1] <= v->cache.edges[c] || v->cache.edges[c] > trace_info(v->tr)->end ||
            !goal[c].known || !least || least > p->scale)
            continue;
        int row = (draw_level(least, p->scale, p->h * 8, 0) - 1) / 8, y = p->y + p->h - 1 - row;
        const struct cell *at = grid_at(p->g, p->x + c, y);
        if (at && at->glyph == ' ')
            grid_put(p->g, p->x + c, y, glyph_mark(v->scr.tier, MARK_GOAL), STYLE_GOAL);
    }
}

bool draw_heap(struct grid *g, struct view *v, struct draw_at at, uint64_t *here, uint64_t *goal)
{
    const struct trace_info *ti = trace_info(v->tr);
    uint64_t most = 0, least, top = 0;
    int n = v->scr.plot_w;
    int64_t t0, t1;
    struct extent *heaps = v->cache.extents, *goals = heaps + n;
    *here = *goal = 0;
    if (!trace_minmax(v->tr, METRIC_HEAP, 0, ti->end + (ti->end < INT64_MAX), &least, &most))
        return false;
    view_column(v, &t0, &t1);
    trace_minmax(v->tr, METRIC_HEAP, t0, t1, &least, here);
    trace_minmax(v->tr, METRIC_GOAL, t0, t1, goal, &top);
    top = 0;
    struct plot p = {.g = g, .v = v, .x = at.x, .y = at.y, .h = at.h, .scale = most, .style = STYLE_HEAP};
    if (trace_minmax(v->tr, METRIC_GOAL, 0, ti->end + (ti->end < INT64_MAX), &least, &top) && top > most &&
        top / 8 < most)
        p.scale = top; /* a goal far above the heap (GC off) must not flatten the curve */
    trace_extents(v->tr, METRIC_HEAP, v->cache.edges, (uint32_t)n, heaps);
    trace_extents(v->tr, METRIC_GOAL, v->cache.edges, (uint32_t)n, goals);
    heap_curve(&p, heaps, goals);
    if (at.h > 1)
        goal_line(&p, goals);
    return true;
}

bool draw_count(struct grid *g, struct view *v, const struct draw_count *k, struct draw_at at, uint64_t *here,
                uint64_t *most)
{
    const int64_t *e = v->cache.edges, end = trace_info(v->tr)->end;
    struct plot p = {.g = g, .v = v, .x = at.x, .y = at.y, .h = at.h, .style = k->style};
    const uint64_t limit = k->over ? trace_nlanes(v->tr, LANE_P) : 0;
    int64_t t0, t1;
    uint64_t val;
    *here = *most = 0;
    if (!count_in(v, k->of, v->at.win.t0, v->at.win.t1, most))
        return false;
    view_column(v, &t0, &t1);
    count_in(v, k->of, t0, t1, here);
    p.scale = *most;
    for (int c = 0; c < v->scr.plot_w; c++)
        if (e[c] <= end && e[c + 1] > e[c] && count_in(v, k->of, e[c], e[c + 1], &val))
            put_column(&p, c, val, limit, k->over);
    return true;
}
