/* split.c - see split.h. */
#include "layout/views/why_here.h"
#include "layout/views/tri.h"
#include "layout/views/split.h"

#include <stdio.h>
#include <string.h>

#include "layout/views/evlog.h"
#include "layout/move/kind.h"
#include "layout/views/life.h"
#include "layout/move/idle_beside.h"
#include "layout/move/move.h"
#include "layout/draw/popup.h"
#include "layout/draw/status.h"
#include "layout/cells/lines.h"
#include "layout/move/naming.h"

static const char *split_name(enum split s)
{
    static const char *const names[SPLIT_COUNT] = {"nothing", "event log", "stacks"};
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
    return VR_DRAW;
}

static void split_heading(struct grid *g, const struct view *v, int y, const char *what)
{
    for (int x = 0; x < g->w; x++)
        grid_put(g, x, y, glyph_mark(v->scr.tier, MARK_H), STYLE_POPUP_BORDER);
    char buf[200];
    snprintf(buf, sizeof buf, " %s ", what);
    grid_str(g, 2, y, g->w - 4, buf, STYLE_POPUP_HEAD);
}

void split_draw(struct grid *g, struct view *v, int y, int n)
{
    const struct view_kind *k = kind_here(v);
    struct lane l;
    int64_t t;
    if (n < 2)
        return;
    split_heading(g, v, y, split_name(v->scr.split));
    if (v->scr.split == SPLIT_LOG)
        (void)evlog_draw(g, v, y + 1, n - 1);
    else if (v->scr.split == SPLIT_STACK && move_lanes_const(v) && k->span && k->span(v, &l, &t))
        popup_span(g, v, l, t, y + 1, n - 1);
}
