/*
 * unfold.c - the rows below the lane of the goroutine with the cursor, see draw.h. A row is a string per
 * column (a function, a region's name); equal neighbours form one box with their name in it. The cost is a
 * look at each region, and at spans of a column or more.
 */
#include "layout/draw/draw.h"

#include "layout/move/kind.h"
#include "triage/activity/samples.h"
#include "triage/tables/stacks.h"

enum { CALLS = 3, DEPTH = 2, WIDE = 2000, LANES_LEFT = 4 };

/* ---- which rows ---------------------------------------------------------------------------------------- */

static int region_rows(const struct view *v)
{
    const struct region *r;
    return trace_regions(v->tr, &r) ? DEPTH : 0;
}

static int sample_rows(const struct view *v)
{
    const struct sample *s;
    return trace_samples(v->tr, &s) ? 1 : 0;
}

int unfold_lines(const struct view *v, int room)
{
    if (!v->scr.unfolded || kind_here(v)->lanes != LANE_G)
        return 0;
    int want = region_rows(v) + CALLS + sample_rows(v);
    return room - want >= LANES_LEFT ? want : room > LANES_LEFT ? room - LANES_LEFT : 0;
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

/* Draws runs of equal strings; 0 is nothing. A run next to another one starts with a line. */
static void boxes(struct grid *g, const struct view *v, int x, int y, const uint32_t *name)
{
    char text[400];
    for (int a = 0, b; a < v->scr.plot_w; a = b) {
        for (b = a + 1; b < v->scr.plot_w && name[b] == name[a]; b++)
            ;
        if (!name[a])
            continue;
        grid_put(g, x + a, y, glyph_mark(v->scr.tier, MARK_V), STYLE_DIM);
        int room = b - a - 1, used = room > 2 ? str_shorten(trace_str(v->tr, name[a]), room,
                                                            glyph_dots(v->scr.tier), text, sizeof text)
                                              : 0;
        if (used)
            grid_str(g, x + a + 1, y, room, text, STYLE_LANE);
        for (int c = a + 1 + used; c < b; c++)
            grid_put(g, x + c, y, glyph_mark(v->scr.tier, MARK_H), STYLE_DIM);
    }
}

static void unfold_gutter(struct grid *g, int x, int y, const char *name)
{
    if (x > 3)
        grid_str(g, 2, y, x - 3, name, STYLE_LANE_NOTE);
}

/* ---- regions ------------------------------------------------------------------------------------------- */

static void regions(struct grid *g, struct view *v, int x, int y, int n)
{
    const struct region *r;
    uint32_t name[DEPTH][WIDE] = {{0}};
    size_t all = trace_regions(v->tr, &r);
    for (size_t i = 0; i < all; i++) {
        const struct region *one = &r[i];
        if (one->g != v->at.focus.i || one->depth >= n || one->t1 <= v->at.win.t0 || one->t0 >= v->at.win.t1)
            continue;
        int c0 = window_col(v->at.win, v->scr.plot_w, one->t0),
            c1 = window_col(v->at.win, v->scr.plot_w, one->t1 - 1);
        for (int c = c0 < 0 ? 0 : c0; c <= c1 && c < v->scr.plot_w; c++)
            name[one->depth][c] = one->name;
    }
    for (int i = 0; i < n; i++) {
        unfold_gutter(g, x, y + i, i ? "" : "regions");
        boxes(g, v, x, y + i, name[i]);
    }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

struct calls {
    const struct view *v;
    uint32_t name[CALLS][WIDE];
};

/* Notes the stack that tells where it was: for a blocked span or a call, at its start; for a running one, at
 * its end. Runnable spans have none. */
static bool call(void *arg, const struct span *s)
{
    struct calls *k = arg;
    const struct view *v = k->v;
    uint32_t stack = s->state == ST_WAITING || s->state == ST_SYSCALL ? s->stack
                     : s->state == ST_RUNNABLE || s->state == ST_NONE ? 0
                                                                      : s->stack_end;
    uint32_t n = stack ? trace_stack(v->tr, stack) : 0, inner = stack ? stacks_user_frame(v->tr, stack) : 0;
    int c0 = window_col(v->at.win, v->scr.plot_w, s->t0),
        c1 = window_col(v->at.win, v->scr.plot_w, s->t1 - 1);
    for (uint32_t i = 0; i < CALLS;
         i++) { /* the function it is in, above it the program's function and its callers */
        uint32_t at = inner && i ? inner + i - 1 : i;
        if (at >= n)
            break;
        uint32_t f = trace_frame(v->tr, stack, at).func;
        for (int c = c0 < 0 ? 0 : c0; c <= (c1 < 0 ? v->scr.plot_w - 1 : c1) && c < v->scr.plot_w; c++)
            k->name[CALLS - 1 - i][c] = f;
    }
    return true;
}

static void draw_calls(struct grid *g, struct view *v, int x, int y, int n)
{
    struct calls k = {.v = v};
    int64_t column = window_len(v->at.win) / v->scr.plot_w;
    trace_wide(v->tr, v->at.focus,
               &(struct wide_ask){v->at.win.t0, v->at.win.t1, column > 1 ? column : 1, call, &k, 0});
    for (int i = 0; i < n; i++) {
        unfold_gutter(g, x, y + i, i ? "" : "calls");
        boxes(g, v, x, y + i, k.name[CALLS - n + i]);
    }
}

/* ---- samples ------------------------------------------------------------------------------------------- */

static void sampled(struct grid *g, struct view *v, int x, int y)
{
    const struct sample *a;
    const uint32_t *list;
    char text[400];
    size_t n = samples_in(v->cache.samples, v->tr, v->at.focus, v->at.win.t0, v->at.win.t1, &list);
    (void)trace_samples(v->tr, &a);
    unfold_gutter(g, x, y, "samples");
    int free = 0;
    for (size_t i = 0; i < n; i++) {
        int c = window_col(v->at.win, v->scr.plot_w, a[list[i]].t);
        int next = i + 1 < n ? window_col(v->at.win, v->scr.plot_w, a[list[i + 1]].t) : v->scr.plot_w;
        if (c < free || c >= v->scr.plot_w)
            continue;
        grid_put(g, x + c, y, glyph_mark(v->scr.tier, MARK_SAMPLE), STYLE_SAMPLE);
        uint32_t stack = a[list[i]].stack;
        int room = (next < 0 ? v->scr.plot_w : next) - c - 2;
        free = c + 1;
        if (room < 4 || !stack)
            continue;
        int used = str_shorten(trace_str(v->tr, stacks_user(v->tr, stack)), room, glyph_dots(v->scr.tier),
                               text, sizeof text);
        grid_str(g, x + c + 1, y, room, text, STYLE_LANE);
        free = c + 1 + used;
    }
}

void unfold_draw(struct grid *g, struct view *v, int x, int y, int n)
{
    int r = region_rows(v), s = sample_rows(v);
    if (v->scr.plot_w > WIDE || n < 1)
        return;
    int calls_n = n < CALLS ? n : CALLS; /* of few lines what it called takes the first */
    n -= calls_n;
    r = r < n ? r : n;
    s = s < n - r ? s : n - r;
    if (r)
        regions(g, v, x, y, r);
    draw_calls(g, v, x, y + r, calls_n);
    if (s)
        sampled(g, v, x, y + r + calls_n);
}
