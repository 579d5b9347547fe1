/*
 * view.c - the state of a view: window, cursor, lanes, undo.
 *
 * Every action saves the place, changes v->at freely, and settles. Only move_settle() keeps the invariants
 * (window inside [0,end), cursor inside the window and inside [0,end), focus on an existing lane that is on
 * the screen), so an action can't break them. The cursor's time is fixed: zooming and resizing never change
 * it.
 */
#include "layout/move/view.h"
#include "decode/base/wide.h"

#include <stdarg.h>
#include <stdio.h>

#include "layout/cells/cells.h"
#include "layout/move/kind.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/move/plan.h"
#include "triage/wall.h"

const char *sort_name(enum sort s)
{
    static const char *const names[SORT_COUNT] = {
        "id", "first seen", "time running", "time runnable", "time waiting", "time in system calls", "name"};
    return (unsigned)s < SORT_COUNT ? names[s] : "?";
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void message(struct view *v, bool error, const char *fmt, va_list ap)
{
    char raw[VIEW_MESSAGE];
    vsnprintf(raw, sizeof raw, fmt, ap);
    str_safe(str_of(raw), v->msg.text, sizeof v->msg.text);
    v->msg.error = error;
    v->msg.of = 0;
    v->msg.soon = SOON_NOT;
}

unsigned view_message(struct view *v, bool error, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    message(v, error, fmt, ap);
    va_end(ap);
    return VR_DRAW;
}

unsigned move_fail(struct view *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    message(v, true, fmt, ap);
    va_end(ap);
    return VR_BELL | VR_DRAW;
}

unsigned move_not_yet(struct view *v, const char *what)
{
    const unsigned f = move_fail(v, "%s", what);
    v->msg.soon = SOON_TABLES;
    return f;
}

void move_ready(struct view *v)
{
    if (v->msg.soon == SOON_TABLES)
        view_message(v, false, "%s", "");
}

/* ---- limits -------------------------------------------------------------------------------------------- */

int64_t view_end(const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    int64_t end = ti->end < 1 ? 1 : ti->end;
    if (ti->done && v->beyond > end)
        end = v->beyond;
    /* While loading, estimates the end from the share of bytes read, so that the missing part shows as
     * missing. */
    if (ti->done || !ti->bytes || !ti->bytes_done || ti->bytes_done >= ti->bytes ||
        ti->bytes_done < ti->bytes / 50)
        return end;
    const uint64_t guess = wide_muldiv((uint64_t)end, ti->bytes, ti->bytes_done);
    if (guess > INT64_MAX / 2)
        return end;
    int64_t round = 1; /* rounded up to two digits, so that the estimate is stable */
    while (round < (int64_t)guess / 20)
        round *= 10;
    return ((int64_t)guess / round + 1) * round;
}

int64_t move_min(const struct view *v)
{
    return v->scr.plot_w > 1 ? v->scr.plot_w : 1;
}

int64_t move_last(const struct view *v)
{
    return view_end(v) - 1;
}

int move_view_of(enum lane_kind k)
{
    return k == LANE_G ? VIEW_GOROUTINES : k == LANE_M ? VIEW_THREADS : VIEW_PROCS;
}

const struct lanes *move_lanes_const(const struct view *v)
{
    /* cppcheck-suppress AssignmentAddressToInteger ; a kind's lanes are a number, a view's an array */
    enum lane_kind k = kind_here(v)->lanes;
    return k < LANE_KINDS ? &v->lanes[k] : NULL;
}

struct lanes *move_lanes(struct view *v)
{
    return (struct lanes *)(uintptr_t)move_lanes_const(v);
}

/* ---- the invariants ------------------------------------------------------------------------------------ */

/* Returns the number of lines for pinned rows: at most half of them; at.top counts the rows after these. */
static uint32_t pinned_lines(const struct view *v)
{
    const struct lanes *l = move_lanes_const(v);
    uint32_t rows = v->scr.rows > 0 ? (uint32_t)v->scr.rows : 1, n = l ? (uint32_t)l->npin : 0;
    return n > rows / 2 ? rows / 2 : n;
}

uint32_t view_line_row(const struct view *v, int i)
{
    return (uint32_t)i < pinned_lines(v) ? (uint32_t)i : v->at.top + (uint32_t)i;
}

int view_row_line(const struct view *v, uint32_t row)
{
    uint32_t p = pinned_lines(v);
    if (row < p)
        return (int)row;
    return row < v->at.top + p || row - v->at.top >= (uint32_t)v->scr.rows ? -1 : (int)(row - v->at.top);
}

void move_top(struct view *v, uint32_t row, uint32_t n, bool recenter)
{
    uint32_t rows = v->scr.rows > 0 ? (uint32_t)v->scr.rows : 1, pins = pinned_lines(v);
    if (row < pins) /* it shows wherever the others are */
        row = v->at.top + pins;
    if (recenter && (row < v->at.top + pins || row - v->at.top >= rows))
        v->at.top = row > rows / 2 ? row - rows / 2 : 0;
    if (v->at.top + pins > row)
        v->at.top = row - pins;
    if (row - v->at.top >= rows)
        v->at.top = row - rows + 1;
    uint32_t most = n > rows ? n - rows : 0; /* no blank lines while rows are hidden above */
    if (v->at.top > most)
        v->at.top = most;
}

unsigned move_settle(struct view *v)
{
    struct plan p;
    plan_columns(&p, v);
    v->scr.gutter = p.gutter;
    v->scr.plot_w = p.plot_w;
    int64_t end = view_end(v);
    struct place *at = &v->at;
    at->win = window_clamp(at->win, end, move_min(v));
    int64_t last = move_last(v);
    at->cursor = at->cursor > last ? last : at->cursor < 0 ? 0 : at->cursor;
    if (at->cursor < at->win.t0)
        at->cursor = at->win.t0 > last ? last : at->win.t0;
    if (at->cursor >= at->win.t1)
        at->cursor = at->win.t1 - 1;
    bool recenter = v->scr.recenter;
    v->scr.recenter = false;
    if (kind_here(v)->settle)
        kind_here(v)->settle(v, recenter);
    return VR_DRAW;
}

unsigned move_anew(struct view *v)
{
    v->scr.recenter = true;
    return move_settle(v);
}

void move_to(struct view *v, int64_t t, bool exact)
{
    int64_t last = move_last(v);
    t = t > last ? last : t < 0 ? 0 : t;
    struct window *w = &v->at.win;
    int64_t len = window_len(*w);
    if (t < w->t0 || t >= w->t1) {
        if (t >= time_sub(w->t0, len / 4) && t < time_add(w->t1, len / 4)) /* near: scroll a little */
            *w = window_pan(*w, t < w->t0 ? time_sub(t, w->t0) - len / 4 : time_sub(t, w->t1) + 1 + len / 4);
        else
            *w = window_center(*w, t);
    }
    v->at.cursor = t;
    v->at.exact = exact;
}

void move_lane(struct view *v, struct lane l)
{
    const struct lanes *now = move_lanes_const(v);
    if (!now || now->kind != l.kind)
        v->at.view = (uint8_t)move_view_of(l.kind);
    v->at.focus = l;
    v->scr.recenter = true;
}

/* ---- size ---------------------------------------------------------------------------------------------- */

unsigned view_resize(struct view *v, int w, int h)
{
    w = w < 1 ? 1 : w > 2000 ? 2000 : w;
    h = h < 1 ? 1 : h > 1000 ? 1000 : h;
    if (w == v->scr.w && h == v->scr.h && v->scr.plot_w)
        return VR_NONE;
    v->scr.w = w;
    v->scr.h = h;
    return move_settle(v);
}

/* ---- selecting ----------------------------------------------------------------------------------------- */

bool view_selected(const struct view *v, int64_t *t0, int64_t *t1)
{
    int64_t a = v->sel.t0, b = v->sel.t1;
    if (v->sel.going) {
        a = v->at.cursor < v->sel.t0 ? v->at.cursor : v->sel.t0;
        b = v->at.cursor < v->sel.t0 ? v->sel.t0 : *t1;
    }
    if ((!v->sel.going && !v->sel.stands) || b <= a)
        return false;
    *t0 = a;
    *t1 = b;
    return true;
}

/* ---- undo ---------------------------------------------------------------------------------------------- */

void move_push(struct view *v, enum step kind)
{
    bool joined = kind != STEP_JUMP && kind != STEP_ZOOM && (int)kind == v->trail.kind && v->trail.n > 0 &&
                  !v->trail.redo_n;
    v->trail.kind = (int)kind;
    if (joined)
        return;
    v->trail.undo[v->trail.at] = v->at;
    v->trail.at = (v->trail.at + 1) % VIEW_UNDO;
    if (v->trail.n < VIEW_UNDO - 1)
        v->trail.n++;
    v->trail.redo_n = 0;
}

/* Goes n steps back, or forth (n < 0), over the places: each is exchanged with the one left. */
static unsigned trail_go(struct view *v, int n)
{
    struct trail *t = &v->trail;
    int *const from = n < 0 ? &t->redo_n : &t->n, *const to = n < 0 ? &t->n : &t->redo_n;
    if (!*from)
        return move_fail(v, n < 0 ? "nothing to redo" : "nothing to undo");
    const uint32_t guest = v->at.guest;
    for (int left = n < 0 ? -n : n; left > 0 && *from; left--, --*from, ++*to) {
        t->at = n < 0 ? t->at : (t->at + VIEW_UNDO - 1) % VIEW_UNDO;
        const struct place was = v->at;
        v->at = t->undo[t->at];
        t->undo[t->at] = was;
        t->at = n < 0 ? (t->at + 1) % VIEW_UNDO : t->at;
    }
    t->kind = -1;
    t->led = t->led && (n < 0 || !kind_here(v)->table);
    move_guest(v, guest);
    return move_settle(v);
}

unsigned view_undo(struct view *v, int n)
{
    return trail_go(v, move_times(n));
}

unsigned view_redo(struct view *v, int n)
{
    return trail_go(v, -move_times(n));
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* Moves window and cursor; back: towards the start. Fails if they are there already. */
static unsigned go_by(struct view *v, struct window w, int64_t t, enum step step, bool back)
{
    if (t == v->at.cursor && w.t0 == v->at.win.t0)
        return move_fail(v, back ? "this is the start of the trace" : "this is the end of the trace");
    move_push(v, step);
    v->at.win = w;
    v->at.cursor = t;
    v->at.exact = false;
    return move_settle(v);
}

/* Moves the window while the cursor keeps its column; where the window can't move, the cursor does. */
static unsigned pan_to(struct view *v, struct window to)
{
    const struct window was = v->at.win;
    int64_t by = time_sub(to.t0, was.t0), t = time_add(v->at.cursor, by), last = move_last(v);
    struct window w = window_clamp(to, view_end(v), move_min(v));
    int c = window_col(was, v->scr.plot_w, v->at.cursor);
    if (w.t0 == to.t0 && c >= 0 && c < v->scr.plot_w) {
        int64_t least = window_edge(w, v->scr.plot_w, c), most = window_edge(w, v->scr.plot_w, c + 1) - 1;
        t = t > most ? most : t;
        t = t < least ? least : t;
    }
    t = t < 0 ? 0 : t > last ? last : t;
    return go_by(v, w, t, STEP_PAN, by < 0);
}

unsigned view_pan(struct view *v, int n)
{
    n = move_times(n);
    int64_t cols = (v->scr.plot_w + 4) / 8; /* whole columns: the picture shifts but does not change */
    if (cols)
        return pan_to(v, window_scroll(v->at.win, v->scr.plot_w, cols * n));
    int64_t by = time_muldiv(window_len(v->at.win), n < 0 ? -(int64_t)n : n, 8);
    by = by ? by : 1;
    return pan_to(v, window_pan(v->at.win, n < 0 ? -by : by));
}

unsigned view_page(struct view *v, int n)
{
    return pan_to(v, window_pan(v->at.win, time_muldiv(window_len(v->at.win), move_times(n), 1)));
}

unsigned view_cursor(struct view *v, int n)
{
    n = move_times(n);
    struct window w = v->at.win;
    int c = window_col(w, v->scr.plot_w, v->at.cursor) + n;
    int over = c < 0 ? c : c >= v->scr.plot_w ? c - v->scr.plot_w + 1 : 0;
    if (over) {
        w = window_clamp(window_scroll(w, v->scr.plot_w, over), view_end(v), move_min(v));
        c = over < 0 ? 0 : v->scr.plot_w - 1;
    }
    int64_t t = window_edge(w, v->scr.plot_w, c), last = move_last(v);
    t = t > last ? last : t;
    return go_by(v, w, t, STEP_CURSOR, n < 0);
}

/* Shows that window, as far as there is one; the cursor stays. */
static unsigned to_window(struct view *v, struct window to, enum step step, const char *there)
{
    const struct window w = window_clamp(to, view_end(v), move_min(v));
    if (w.t0 == v->at.win.t0 && w.t1 == v->at.win.t1)
        return move_fail(v, "%s", there);
    move_push(v, step);
    v->at.win = w;
    return move_settle(v);
}

unsigned view_zoom(struct view *v, int n)
{
    n = move_times(n);
    int k = n < 0 ? -n : n;
    int64_t f = (int64_t)1 << (k > 62 ? 62 : k);
    struct window w =
        n > 0 ? window_zoom(v->at.win, v->at.cursor, 1, f) : window_zoom(v->at.win, v->at.cursor, f, 1);
    int64_t end = view_end(v);
    if (n < 0 && window_len(w) >= end - end / 64) /* two rounded halves must add up to the whole */
        w = window_of(0, end);
    return to_window(v, w, STEP_ZOOM,
                     n > 0 ? "this is the closest: a nanosecond a column" : "this is the whole trace");
}

unsigned view_zoom_all(struct view *v, int n)
{
    (void)n;
    return to_window(v, window_of(0, view_end(v)), STEP_JUMP, "this is the whole trace");
}

unsigned view_center(struct view *v, int n)
{
    (void)n;
    return to_window(v, window_center(v->at.win, v->at.cursor), STEP_JUMP,
                     "the trace ends here: the cursor can't be in the middle");
}

void view_follow(struct view *v, struct window w, int64_t t, struct lane l)
{
    v->all_end = view_end(v);
    v->at.win = w;
    v->at.cursor = t;
    v->at.exact = false;
    if (kind_here(v)->lanes == l.kind && l.i < trace_nlanes(v->tr, l.kind) && l.i != v->at.focus.i) {
        v->at.focus = l;
        v->scr.recenter = true;
    }
    move_settle(v);
}

unsigned move_at(struct view *v, int64_t t, enum step kind)
{
    move_push(v, kind);
    move_to(v, t, true);
    return move_settle(v);
}

unsigned view_at(struct view *v, int64_t t)
{
    return move_at(v, t, STEP_JUMP);
}

/* at_end - moves to an end of the trace; the cursor may be there already. */
static unsigned at_end(struct view *v, int64_t t, const char *there)
{
    const int c = window_col(v->at.win, v->scr.plot_w, t);
    if (v->at.cursor == t && c >= 0 && c < v->scr.plot_w)
        return move_fail(v, "%s", there);
    return view_at(v, t);
}

unsigned view_start(struct view *v, int n)
{
    (void)n;
    return at_end(v, 0, "this is the start of the trace");
}

unsigned view_finish(struct view *v, int n)
{
    (void)n;
    return at_end(v, move_last(v), "this is the end of the trace");
}

unsigned view_range(struct view *v, int64_t t0, int64_t t1)
{
    int64_t end = view_end(v);
    if (t1 > end)
        t1 = end;
    if (t0 < 0)
        t0 = 0;
    if (t1 <= t0)
        return move_fail(v, "that range is outside the trace");
    move_push(v, STEP_JUMP);
    v->at.win = window_of(t0, t1);
    if (v->at.cursor < t0 || v->at.cursor >= t1) {
        v->at.cursor = t0;
        v->at.exact = false;
    }
    return move_settle(v);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

unsigned view_focus(struct view *v, struct lane l)
{
    if (l.kind >= LANE_BAND || l.i >= trace_nlanes(v->tr, l.kind))
        return move_fail(v, "no such lane");
    move_push(v, STEP_JUMP);
    v->trail.focus[v->at.focus.kind] = v->at.focus.i;
    move_lane(v, l);
    return move_settle(v);
}

unsigned view_clock(struct view *v)
{
    if (!wall_known(v->tr))
        return move_fail(v, "this trace doesn't tell the time of day");
    v->scr.clock = !v->scr.clock;
    return view_message(
        v, false, v->scr.clock ? "the ruler has the time of day" : "the ruler has the time since the start");
}

unsigned view_tier(struct view *v, int n)
{
    int t = ((int)v->scr.tier + move_times(n)) % TIER_COUNT;
    v->scr.tier = (enum tier)(t < 0 ? t + TIER_COUNT : t);
    return view_message(v, false, "glyphs: %s", tier_name(v->scr.tier));
}
