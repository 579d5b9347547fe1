/*
 * split.c - see split.h. The table below the lanes follows the window, so its sums restart when that moves;
 * a frame adds them up for a fraction of a millisecond, view_work() does the rest.
 */
#include "layout/views/why_here.h"
#include "layout/views/tri.h"
#include "layout/views/split.h"

#include <stdio.h>
#include <string.h>

#include "layout/views/evlog.h"
#include "layout/move/kind.h"
#include "layout/views/life.h"
#include "layout/move/lanes.h"
#include "layout/move/idle_beside.h"
#include "layout/move/move.h"
#include "layout/draw/popup.h"
#include "layout/draw/status.h"
#include "layout/views/sums_text.h"
#include "layout/cells/lines.h"
#include "layout/cells/wrap.h"
#include "layout/move/naming.h"

static const char *split_name(enum split s)
{
    static const char *const names[SPLIT_COUNT] = {"nothing", "event log", "stacks", "sums"};
    return (unsigned)s < SPLIT_COUNT ? names[s] : "?";
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool split_fresh(struct view *v, const char *title)
{
    if (!v->cache.own)
        v->cache.own = lines_new(title);
    if (!v->cache.own)
        return false;
    lines_clear(v->cache.own);
    snprintf(v->cache.own->title, sizeof v->cache.own->title, "%s", title);
    return true;
}

static unsigned open_own(struct view *v)
{
    int top = v->popup.kind == POPUP_LINES && v->popup.title == v->cache.own->title ? v->popup.top : 0;
    v->msg.text[0] = 0;
    view_lines(v, v->cache.own->title, (const char *const *)v->cache.own->line, v->cache.own->n);
    v->popup.top = top;
    return VR_DRAW;
}

static int split_width(const struct view *v)
{
    int w = v->scr.w - 6;
    return w < 30 ? 30 : w > 130 ? 130 : w;
}

static void range_now(const struct view *v, int64_t *t0, int64_t *t1)
{
    int64_t end = trace_info(v->tr)->end;
    *t0 = v->sel.stands ? v->sel.t0 : v->at.win.t0;
    *t1 = v->sel.stands ? v->sel.t1 : v->at.win.t1;
    if (*t1 > end && end > *t0)
        *t1 = end;
}

/* Whether the cursor's row is that of a folded group. */
static bool on_group(const struct view *v)
{
    const struct lanes *l = move_lanes_const(v);
    return l && l->kind == LANE_G && lanes_more(l, lanes_row(l, v->at.focus.i)) > 0;
}

static bool sums_here(struct view *v)
{
    int64_t t0, t1;
    range_now(v, &t0, &t1);
    if (!sums_is(v->cache.sums, t0, t1)) {
        sums_free(v->cache.sums);
        v->cache.sums = sums_new(v->tr, &v->cache.gstate, &v->lanes[LANE_G].alive, t0, t1);
    }
    if (v->cache.sums)
        sums_lane(v->cache.sums, v->at.focus, on_group(v));
    return v->cache.sums != NULL;
}

static bool sums_open(const struct view *v)
{
    return v->popup.kind == POPUP_LINES && v->cache.own && v->popup.title == v->cache.own->title &&
           v->cache.own->sums;
}

static unsigned show_sums(struct view *v)
{
    if (!split_fresh(v, v->sel.stands ? "Sums of the selected range" : "Sums of the window"))
        return move_fail(v, "out of memory");
    v->cache.own->sums = true;
    sums_text(v->cache.sums, v, v->cache.own, split_width(v));
    return open_own(v);
}

unsigned view_sums(struct view *v)
{
    if (!sums_here(v))
        return move_fail(v, "out of memory");
    bool done = sums_step(v->cache.sums, 30000000);
    return show_sums(v) | (done ? VR_NONE : VR_WORK);
}

bool split_pending(const struct view *v)
{
    return v->cache.sums &&
           (sums_open(v) || (v->scr.split == SPLIT_TABLE && kind_here(v)->plan != PLAN_LOG)) &&
           sums_share(v->cache.sums) < 100;
}

unsigned split_work(struct view *v, int64_t budget_ns)
{
    bool open = sums_open(v);
    if (!split_pending(v))
        return VR_NONE;
    bool done = sums_step(v->cache.sums, budget_ns);
    if (open)
        show_sums(v);
    return done ? VR_DRAW : VR_DRAW | VR_WORK;
}

unsigned split_idle(struct view *v)
{
    enum { AT_ONCE_NS = 40000000 }; /* the rest comes while it is read */
    char id[32], title[80];
    name_lane(v, v->at.focus, id);
    snprintf(title, sizeof title, "%s idle", id);
    (void)idle_reason_step(v->cache.idle, AT_ONCE_NS);
    if (!split_fresh(v, title))
        return move_fail(v, "out of memory");
    idle_lines(v, v->cache.own, split_width(v));
    return open_own(v) | (idle_pending(v) ? VR_WORK : VR_NONE);
}

unsigned view_life(struct view *v)
{
    struct lane l;
    struct span s;
    uint32_t g = NO_LANE;
    int64_t t = v->at.cursor, end;
    char title[64], id[32];
    if (!move_lanes_const(v) && kind_here(v)->table) {
        if (!why_here(v, &g, &t, &end))
            return move_fail(v, "no goroutine here: Enter leads to one");
    } else if (v->at.focus.kind == LANE_G && (move_lanes_const(v) || kind_here(v)->plan == PLAN_LOG))
        g = v->at.focus.i;
    else if (view_span_here(v, &l, &s))
        g = s.who;
    if (g == NO_LANE || g >= trace_nlanes(v->tr, LANE_G))
        return move_fail(v, "no goroutine here");
    name_lane(v, (struct lane){LANE_G, g}, id);
    snprintf(title, sizeof title, "The life of %s", id);
    if (!split_fresh(v, title))
        return move_fail(v, "out of memory");
    life_text(v, g, t, v->cache.own, split_width(v));
    v->popup.kind = POPUP_NONE;
    return open_own(v);
}

unsigned view_read(struct view *v)
{
    enum { READS = 100 }; /* columns that are easily read */
    const int w = split_width(v) < READS ? split_width(v) : READS;
    struct rich r;
    if (!split_fresh(v, "In full"))
        return move_fail(v, "out of memory");
    if (v->msg.text[0]) {
        if (!v->msg.of || !tri_read_finding(v, v->msg.of - 1, v->cache.own, w))
            lines_wrap(v->cache.own, v->msg.text, w);
        lines_add(v->cache.own, "%s", "");
    }
    status_rich(v, 1000, &r);
    if (kind_here(v)->read)
        kind_here(v)->read(v, v->cache.own, w);
    else
        for (uint32_t at = 0, from, len; rich_line(&r, w, &at, &from, &len);)
            lines_add(v->cache.own, "%.*s", (int)len, r.text + from);
    if (!v->cache.own->n)
        return move_fail(v, "nothing is said here");
    v->popup.kind = POPUP_NONE;
    return open_own(v);
}

/* ---- below the lanes ----------------------------------------------------------------------------------- */

unsigned view_split(struct view *v, int n)
{
    int s = ((int)v->scr.split + (n ? n : 1)) % SPLIT_COUNT;
    v->scr.split = (enum split)(s < 0 ? s + SPLIT_COUNT : s);
    v->scr.recenter = true;
    move_settle(v);
    view_message(v, false, "below the lanes: %s%s", split_name(v->scr.split),
                 v->scr.split && v->scr.h < 12 ? " (when the screen is higher)" : "");
    return v->scr.split == SPLIT_TABLE ? VR_DRAW | VR_WORK : VR_DRAW;
}

static void split_heading(struct grid *g, const struct view *v, int y, const char *what)
{
    for (int x = 0; x < g->w; x++)
        grid_put(g, x, y, glyph_mark(v->scr.tier, MARK_H), STYLE_POPUP_BORDER);
    char buf[200];
    snprintf(buf, sizeof buf, " %s ", what);
    grid_str(g, 2, y, g->w - 4, buf, STYLE_POPUP_HEAD);
}

static void split_table(struct grid *g, struct view *v, int y, int n)
{
    struct lines *t = lines_new("");
    if (!t || !sums_here(v)) {
        lines_free(t);
        return;
    }
    sums_step(v->cache.sums, 300000);
    sums_text(v->cache.sums, v, t, g->w - 2 > 130 ? 130 : g->w - 2);
    for (int i = 0, end = y + n; y < end && (size_t)i < t->n; i++) {
        int used = wrap_draw(g, 1, y, g->w - 2, end - y, STYLE_NORMAL, str_of(t->line[i]));
        y += used ? used : 1;
    }
    lines_free(t);
}

void split_draw(struct grid *g, struct view *v, int y, int n)
{
    const struct view_kind *k = kind_here(v);
    struct lane l;
    int64_t t;
    if (n < 2)
        return;
    split_heading(g, v, y,
                  v->scr.split == SPLIT_TABLE
                      ? (v->sel.stands ? "sums of the selected range" : "sums of the window")
                      : split_name(v->scr.split));
    if (v->scr.split == SPLIT_LOG)
        (void)evlog_draw(g, v, y + 1, n - 1);
    else if (v->scr.split == SPLIT_TABLE)
        split_table(g, v, y + 1, n - 1);
    else if (v->scr.split == SPLIT_STACK && move_lanes_const(v) && k->span && k->span(v, &l, &t))
        popup_span(g, v, l, t, y + 1, n - 1);
}
