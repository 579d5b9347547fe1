/*
 * items.c - rows that are things with a start and an end. The list is made once, when the view is first
 * shown or the trace has grown: O(things log things). Drawing touches only visible rows.
 *
 * A region is below its task; regions without a task are at the end below a row of their own.
 */
#include "decode/model/item.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "layout/draw/draw.h"
#include "layout/views/tri.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"
#include "triage/numbers.h"
#include "triage/tables/tab.h"

/* ---- the list ------------------------------------------------------------------------------------------ */

/* What rows are sorted by: the family (a task's id) keeps what belongs together, then depth, then time. */
struct keyed {
    int64_t rank; /* of the family: its start, or its length for longest first */
    uint64_t family;
    struct item item;
    bool later; /* after all others: cycles after stops if sorted longest first */
};

ORDER(by_rank, struct keyed,
      LEAST(r->later) LEAST(r->rank) LEAST(r->family) LEAST(r->item.depth > 0) LEAST(r->item.t0)
          LEAST(r->item.index))

static int64_t items_rank(const struct items *it, int64_t t0, int64_t t1)
{
    return it->longest_first ? (t1 > t0 ? t0 - t1 : 0)
                             : t0; /* times are not negative but for back-dated ones */
}

struct item_list {
    enum item_kind from, to;
    const char *none;
    bool longest; /* first, as one comes here: what delayed everything is what one looks for */
};
static const struct item_list gc_list = {ITEM_GC, ITEM_STW, "no GC cycle and no stop-the-world in this trace",
                                         true};
static const struct item_list task_list = {
    ITEM_TASK, ITEM_LOG, "no tasks, regions or logs in this trace; Tab: requests and other repeated work",
    false};

static size_t items_things(const struct item_list *of, const struct trace *tr)
{
    size_t n = 0;
    for (enum item_kind k = of->from; k <= of->to; k++)
        n += item_count(tr, k);
    return n;
}

/* Lists all of them with their keys. What belongs to a task stands below it. Returns how many there are. */
static size_t items_all(const struct items *it, const struct item_list *of, const struct trace *tr,
                        struct keyed *out)
{
    struct tab by_id = {0};
    const struct task *all;
    size_t n = 0;
    (void)trace_tasks(tr, &all);
    for (enum item_kind k = of->from; k <= of->to; k++) {
        struct item x;
        for (size_t i = 0; item_next(tr, k, &i, &x); n++) {
            out[n] = (struct keyed){items_rank(it, x.t0, x.t1), x.task, x, it->longest_first && k == ITEM_GC};
            if (k == ITEM_TASK)
                (void)tab_put(&by_id, x.task, 0, x.index); /* out of memory: its regions have no parent row */
            if (k <= ITEM_TASK)
                continue;
            const uint32_t parent = tab_get(&by_id, x.task, 0);
            const bool none = parent == TAB_NONE;
            out[n].rank = none ? INT64_MAX : items_rank(it, all[parent].t0, all[parent].t1);
            out[n].family = none ? UINT64_MAX : x.task;
        }
    }
    tab_free(&by_id);
    return n;
}

/* Follows the trace, in O(1) if nothing changed. Returns false when out of memory; the rows then stay. */
static bool items_update(struct items *it, const struct trace *tr, int view)
{
    const struct item_list *of = kind_of(view)->items;
    size_t want = items_things(of, tr), most = want < 4000000 ? want : 4000000;
    if (it->view == view && it->seen == want && !it->stale)
        return true;
    if (it->view == view && it->row && !trace_info(tr)->done && want - it->seen < it->seen / 8 && !it->stale)
        return true; /* while it loads: now and then */
    struct keyed *k = mem_alloc((want + 1) * sizeof *k);
    struct item *row = mem_alloc((most + 1) * sizeof *row);
    if (!k || !row) {
        mem_free(k);
        mem_free(row);
        return false;
    }
    size_t n = items_all(it, of, tr, k);
    sort(k, n, by_rank);
    if (n > most)
        n = most;
    for (size_t i = 0; i < n; i++)
        row[i] = k[i].item;
    mem_free(k);
    mem_free(it->row);
    it->row = row;
    it->n = (uint32_t)n;
    it->seen = want;
    it->view = view;
    it->stale = false;
    return true;
}

static uint32_t items_near(const struct items *it, int64_t t)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < it->n; i++) {
        const uint64_t far = time_abs(time_sub(it->row[i].t0, t));
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

/* ---- what an item is, in words ------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum style style;
} looks[] = {[ITEM_GC] = {"GC", STYLE_GC},
             [ITEM_STW] = {"STW", STYLE_STW},
             [ITEM_TASK] = {"task", STYLE_RUNNING},
             [ITEM_REGION] = {"region", STYLE_SYSCALL},
             [ITEM_LOG] = {"log", STYLE_SAMPLE}};

/* Only the end of a task that started before the trace is recorded, without a name. */
static bool began_before(const struct view *v, const struct item *i)
{
    return i->kind == ITEM_TASK && i->g == NO_LANE && !trace_str(v->tr, i->name).len;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* Writes how long it took (logs: ""), and returns the columns that leaves its name. */
static int items_room(const struct view *v, const struct item *i, char d[FMT_MAX])
{
    const int all = v->scr.gutter - 1 - (i->depth > 3 ? 3 : i->depth);
    d[0] = 0;
    if (i->kind != ITEM_LOG)
        when_dur(v->tr, time_sub(i->t1, i->t0), d);
    const int room = all - (int)strlen(d) - 1;
    if (room >= 3)
        return room;
    d[0] = 0;
    return all;
}

static void items_label(struct grid *g, const struct view *v, const struct item *i, int y, bool focus)
{
    int w = v->scr.gutter - 1, x = i->depth > 3 ? 3 : i->depth;
    char d[FMT_MAX], name[400];
    if (w < 1)
        return;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_LANE;
    const int room = items_room(v, i, d);
    if (i->kind == ITEM_GC || i->kind == ITEM_STW)
        snprintf(name, sizeof name, "%s", looks[i->kind].word);
    else if (i->kind != ITEM_LOG && !trace_str(v->tr, i->name).len)
        snprintf(name, sizeof name, "%s", began_before(v, i) ? "(began before)" : "(no name)");
    else
        str_head(trace_str(v->tr, i->name), room, name, sizeof name);
    grid_str(g, x, y, room, name, s);
    if (*d)
        grid_right(g, 0, y, w, d, STYLE_LANE_NOTE);
    if (focus)
        grid_put(g, w, y, '>', STYLE_LANE_FOCUS);
}

/* The label has the whole name. */
static bool labelled(const struct view *v, const struct item *i)
{
    char d[FMT_MAX];
    const int room = items_room(v, i, d);
    return i->kind != ITEM_GC && i->kind != ITEM_STW &&
           str_width(trace_str(v->tr, i->name), room + 1) <= room;
}

/* Draws the name behind the bar; within or before it if whole only there; cut where most of it has room. */
static void bar_name(struct grid *g, const struct view *v, const struct item *it, int y, int c0, int c1)
{
    enum { BEHIND, WITHIN, BEFORE, PLACES, LEAST = 6 };
    const int room[PLACES] = {v->scr.plot_w - c1 - 2, c1 - c0 - 1, c0 - 1};
    const struct str name = trace_str(v->tr, it->name);
    const int w = str_width(name, v->scr.plot_w);
    char text[400];
    int at = BEHIND;
    for (int i = WITHIN; i < PLACES && room[at] < w; i++)
        at = room[i] > room[at] ? i : at;
    if (room[at] < LEAST && room[at] < w)
        return;
    const int used = str_shorten(name, room[at], glyph_dots(v->scr.tier), text, sizeof text);
    const int x = v->scr.gutter + (at == BEHIND ? c1 + 2 : at == BEFORE ? c0 - 1 - used : c0 + 1);
    grid_str(g, x, y, used, text, at == WITHIN ? looks[it->kind].style : STYLE_NORMAL);
    if (at == WITHIN)
        grid_flags(g, x, y, used, 1, CELL_REVERSE);
}

static void items_bar(struct grid *g, const struct view *v, const struct item *i, int y)
{
    int n = v->scr.plot_w, c0 = window_col(v->at.win, n, i->t0),
        c1 = window_col(v->at.win, n, i->t1 > i->t0 ? i->t1 - 1 : i->t0);
    if (c1 < 0 || c0 >= n)
        return;
    for (int c = c0 < 0 ? 0 : c0; c <= c1 && c < n; c++) {
        int64_t a = v->cache.edges[c] > i->t0 ? v->cache.edges[c] : i->t0,
                b = v->cache.edges[c + 1] < i->t1 ? v->cache.edges[c + 1] : i->t1;
        uint32_t glyph = i->t1 <= i->t0 ? glyph_mark(v->scr.tier, MARK_STW)
                                        : glyph_level(v->scr.tier, b > a ? b - a : 1,
                                                      v->cache.edges[c + 1] - v->cache.edges[c]);
        grid_put(g, v->scr.gutter + c, y, glyph, looks[i->kind].style);
    }
    if (i->name && !labelled(v, i)) /* said once */
        bar_name(g, v, i, y, c0 < 0 ? 0 : c0, c1);
}

static void draw_rows(struct grid *g, struct view *v, int y, int rows)
{
    if (!v->items.n) {
        const char *what = trace_info(v->tr)->done ? kind_here(v)->items->none : "nothing yet";
        const bool fits = wrap_lines(str_of(what), v->scr.plot_w) <= rows;
        const bool last = v->scr.split == SPLIT_NONE && !v->filters.n &&
                          !v->search; /* nothing is said below, of what there is none of */
        const int x = fits ? v->scr.gutter : 0, most = last ? g->h - 1 - y : rows;
        wrap_draw(g, x, y, g->w - x, fits ? rows : most > 1 ? most : 1, STYLE_DIM, str_of(what));
        return;
    }
    for (int i = 0; i < rows && v->at.top + (uint32_t)i < v->items.n; i++) {
        uint32_t row = v->at.top + (uint32_t)i;
        const struct item *it = &v->items.row[row];
        items_label(g, v, it, y + i, row == v->at.row);
        items_bar(g, v, it, y + i);
        kind_listed(v, row, y + i, 1);
        if (row == v->at.row)
            grid_toggle(g, v->scr.gutter + window_col(v->at.win, v->scr.plot_w, v->at.cursor), y + i,
                        CELL_REVERSE);
    }
}

/* ---- status -------------------------------------------------------------------------------------------- */

static void items_status(const struct view *v, int w, struct rich *r)
{
    char t[FMT_MAX], name[400];
    if (v->at.row >= v->items.n) /* above it is said what there is not */
        return;
    const struct item *i = &v->items.row[v->at.row];
    const char *kind = i->kind == ITEM_GC ? "GC cycle" : looks[i->kind].word;
    char length[WHEN_LENGTH] = "";
    const bool wide = w >= WHEN_WIDE;
    if (i->kind != ITEM_LOG)
        when_length(v->tr, time_sub(i->t1, i->t0), i->open_start || i->open_end, wide, length);
    /* A part of the name is cut rather than of the length. */
    int room = w - (int)(strlen(kind) + strlen(length)) - 2 - (wide ? WRAP_MARK : 0);
    str_safe(trace_str(v->tr, i->name), name, sizeof name);
    if (str_width(str_of(name), 400) > room && *length)
        str_tail(trace_str(v->tr, i->name), room < 8 ? 8 : room, glyph_dots(v->scr.tier), name, sizeof name);
    rich_add(r, STYLE_STATUS_KEY, "%s %s", kind, name);
    if (i->kind == ITEM_LOG)
        rich_add(r, STYLE_STATUS, "  at %s", when_exact(v->tr, i->t0, t));
    else
        rich_add(r, STYLE_STATUS, wide ? " %s  from %s" : " %s", length, when_exact(v->tr, i->t0, t));
    rich_para(r);
    if (began_before(v, i)) {
        rich_add(r, STYLE_STATUS, "it began before the trace: its name and its creator are not recorded");
        rich_para(r);
    }
    if (i->g != NO_LANE) {
        rich_add(r, STYLE_STATUS, "by ");
        rich_add(r, STYLE_STATUS_KEY, "%s  ", name_g(v, i->g, w).s);
    }
    if (i->kind == ITEM_GC) {
        rich_add(r, STYLE_STATUS, "in it: ");
        rich_add(r, STYLE_STATUS, "stopped %s  ", when_dur(v->tr, record_stopped(v->tr, i->t0, i->t1), t));
        rich_add(r, STYLE_STATUS, "some goroutine assisting %s  ",
                 when_dur(v->tr, tri_in_band(v->tr, BAND_ASSIST, i->t0, i->t1), t));
    }
    uint32_t func = name_function(v->tr, i->stack, true);
    if (func) {
        str_shorten(trace_str(v->tr, func), w, glyph_dots(v->scr.tier), name, sizeof name);
        rich_add(r, STYLE_STATUS, "in %s", name);
    }
}

/* ---- coming here --------------------------------------------------------------------------------------- */

static unsigned items_open(struct view *v, int no)
{
    move_switch(v, no);
    v->at.top = v->at.row = 0;
    v->items.longest_first = kind_of(no)->items->longest;
    v->items.stale = true;
    move_settle(v); /* makes the rows */
    v->at.row = v->items.longest_first ? 0 : items_near(&v->items, v->at.cursor);
    return move_anew(v);
}

static uint32_t items_count(const struct view *v)
{
    return v->items.view == v->at.view ? v->items.n : 0;
}

static void items_settle(struct view *v, bool recenter)
{
    struct plan p;
    if (!items_update(&v->items, v->tr, v->at.view))
        view_message(v, true, "out of memory: the rows are not up to date");
    const uint32_t n = items_count(v);
    plan_view(&p, v, n);
    v->scr.rows = p.n[ROW_LANES];
    if (v->at.row >= n)
        v->at.row = n ? n - 1 : 0;
    move_top(v, v->at.row, n, recenter);
}

static void items_draw(struct grid *g, struct view *v, const struct plan *p)
{
    rows_bands(g, v, p);
    draw_rows(g, v, p->y[ROW_LANES], p->n[ROW_LANES]);
}

/* ---- over rows ----------------------------------------------------------------------------------------- */

static unsigned items_move(struct view *v, int n)
{
    const unsigned f = tri_move(v, n);
    if (f & VR_BELL)
        return f;
    move_to(v, v->items.row[v->at.row].t0, true);
    return move_settle(v);
}

static const struct item *items_here(const struct view *v)
{
    return v->at.row < v->items.n ? &v->items.row[v->at.row] : NULL;
}

static unsigned items_fit(struct view *v, int n)
{
    const struct item *i = items_here(v);
    (void)n;
    if (v->sel.stands)
        return view_range(v, v->sel.t0, v->sel.t1);
    if (!i)
        return move_fail(v, "nothing here");
    struct window w = window_fit(i->t0, i->t1);
    return view_range(v, w.t0, w.t1);
}

/* Goes from a thing to its goroutine. */
static unsigned items_swap(struct view *v, int n)
{
    const struct item *i = items_here(v);
    (void)n;
    return !i || i->g == NO_LANE ? move_fail(v, "no goroutine belongs to this") : view_focus(v, lane_g(i->g));
}

static unsigned items_sort(struct view *v, int n)
{
    (void)n;
    if (!v->items.n)
        return move_fail(v, "nothing here");
    v->items.longest_first = !v->items.longest_first;
    v->items.stale = true;
    move_push(v, STEP_JUMP);
    v->at.row = 0;
    move_settle(v);
    if (v->items.n)
        move_to(v, v->items.row[0].t0, true);
    move_settle(v);
    return view_message(v, false,
                        !v->items.longest_first        ? "by time"
                        : kind_here(v)->items->longest ? "stops, then cycles, the longest first"
                                                       : "longest first");
}

/* Zooms to the thing; for a stop also names the last goroutine to stop (a task's status has where its time
 * went). */
static unsigned items_details(struct view *v, int n)
{
    const struct item *i = items_here(v);
    const struct range *r;
    const struct window was = v->at.win;
    unsigned f = items_fit(v, n);
    if (!i)
        return f;
    uint32_t g;
    int64_t t0, t1;
    if (window_len(was) == window_len(v->at.win) && was.t0 == v->at.win.t0 && why_here(v, &g, &t0, &t1))
        return view_why(v); /* it fills the window already */
    if (i->kind != ITEM_STW || i->index >= trace_ranges(v->tr, RANGE_STW, &r))
        return f;
    struct text who = {.ticks = when_ticks(v->tr)};
    stop_text(&who, v->tr, &r[i->index]);
    view_message(v, false, "%s", who.p ? who.p : "");
    text_free(&who);
    return f;
}

static bool items_about(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct item *i = kind_here(v)->items && v->items.n
                               ? &v->items.row[v->at.row < v->items.n ? v->at.row : v->items.n - 1]
                               : NULL;
    if (!i || (i->kind != ITEM_TASK && i->kind != ITEM_REGION))
        return false;
    *g = i->kind == ITEM_TASK ? workpiece_of_task(v->tr, i->index).g : i->g;
    *t0 = i->t0;
    *t1 = i->t1;
    return *g != NO_LANE;
}

/* ---- the objects --------------------------------------------------------------------------------------- */

#define IS_ITEMS \
    .lanes = LANE_KINDS, .plan = PLAN_TIME, .open = items_open, .settle = items_settle, .rows = items_count, \
    .draw = items_draw, .speak = items_status, .where = tri_where, .about = items_about, \
    .refuse = "this table has no lanes: Enter looks closer, views 2 and 3 have lanes", \
    .answer = {ANSWER_TIME, \
               [REQ_LANE] = items_move, \
               [REQ_SPAN] = items_move, \
               [REQ_FIT] = items_fit, \
               [REQ_SWAP] = items_swap, \
               [REQ_SORT] = items_sort, \
               [REQ_DETAILS] = items_details}, \
    .word = {[REQ_LANE] = "row", \
             [REQ_DETAILS] = "look", \
             [REQ_SWAP] = "goroutine", \
             [REQ_SORT] = "longest / by time"}

const struct view_kind kind_tasks = {
    IS_ITEMS,
    .needs = 1 << ITEM_TASK | 1 << ITEM_REGION | 1 << ITEM_LOG,
    .items = &task_list,
    .gutter = GUTTER_NAMES,
};
const struct view_kind kind_gc = {IS_ITEMS, .items = &gc_list, .gutter = GUTTER_SHORT, .states = true};
