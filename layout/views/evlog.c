/*
 * evlog.c - view 9: all events as text, in step with the lanes; see evlog.h.
 */
#include "layout/views/evlog.h"

#include "decode/base/mem.h"
#include "layout/views/tri.h"
#include "layout/draw/draw.h"
#include "decode/model/item.h"
#include "layout/move/naming.h"

enum { MANY_M = 64 };

void evlog_free(struct evlog *l)
{
    if (l)
        events_free(&l->of);
    mem_free(l);
}

/* Returns whether the cursor is on this event. One at the very end is a nanosecond after the last moment. */
static bool evlog_stands(const struct view *v, const struct event *e)
{
    int64_t last = move_last(v);
    return (e->t > last ? last : e->t) == v->at.cursor;
}

/* Updates the log around the cursor, with at least `rows` events on both sides if the trace has them. */
static void evlog_update(struct view *v, int rows)
{
    struct evlog *l = v->cache.log;
    const int64_t t = v->at.cursor;
    if (!l && !(l = v->cache.log = mem_zalloc(sizeof *l)))
        return;
    if (events_around(&l->of, v->tr, v->filters.all, &v->lanes[LANE_G].alive, t, rows > 0 ? (size_t)rows : 1))
        l->cur = SIZE_MAX;
    const struct events *all = &l->of;
    if (l->cur >= all->n || !evlog_stands(v, &all->e[l->cur])) {
        size_t i = events_from(all, t);
        l->cur = i < all->n && evlog_stands(v, &all->e[i]) ? i : i ? i - 1 : 0;
    }
}

/* ---- text ---------------------------------------------------------------------------------------------- */

enum { NAME_WIDE = 44, NAME_NARROW = 18 };
static void say_func(struct text *o, const struct view *v, const char *word, uint32_t stack, int w)
{
    char buf[400];
    uint32_t f = name_function(v->tr, stack, true);
    if (!f)
        return;
    str_shorten(trace_str(v->tr, f), w, glyph_dots(v->scr.tier), buf, sizeof buf);
    text_add(o, "%s %s", word, buf);
}

static void state_words(struct text *o, const struct view *v, const struct event *e, int w)
{
    bool ran = events_on_p(e->from) && e->from != ST_SYSCALL;
    const char *what;
    switch (e->to) {
    case ST_NONE: what = "ends"; break;
    case ST_RUNNABLE:
        what = e->from == ST_NONE  ? "created"
               : ran               ? "stops, runnable"
               : e->who != NO_LANE ? "is woken"
                                   : "wakes up";
        break;
    case ST_WAITING: what = "blocks"; break;
    case ST_SYSCALL: what = "enters a system call"; break;
    case ST_RUNNING:
        what = e->from == ST_SYSCALL ? "leaves its system call" : ran ? "runs on" : "starts running";
        break;
    case ST_GCWORK: what = "starts GC work"; break;
    case ST_ASSIST: what = "starts a mark assist"; break;
    default: what = state_name((enum state)e->to);
    }
    const struct str why = e->to == ST_WAITING ? stacks_reason(v->tr, e->reason, e->stack)
                                               : trace_str(v->tr, e->reason),
                     kind = name_bracketed(why);
    if (e->to == ST_RUNNING && kind.len < why.len) /* a mark worker's label */
        what = "starts GC work";
    if (e->inferred)
        text_add(o, "was likely %s%s already", e->to == ST_SYSCALL ? "in a " : "",
                 state_name((enum state)e->to));
    else
        text_add(o, "%s", what);
    if (e->reason) {
        char said[100];
        str_head(kind, 40, said, sizeof said);
        text_add(o, " (%s)", said);
    }
    if (e->to == ST_RUNNABLE && e->who != NO_LANE) {
        text_add(o, " by %s", name_g(v, e->who, w).s);
        say_func(o, v, " in", e->stack, w);
    } else if (e->stack && e->to != ST_NONE) {
        say_func(o, v, " in", e->stack, w);
    }
}

/* Names take w columns at most. */
static void evlog_words(struct text *o, const struct view *v, const struct event *e, int w)
{
    static const char *const range_names[RANGE_KINDS] = {"GC mark phase", "stop-the-world", "sweep",
                                                         "mark assist"};
    switch ((enum event_kind)e->kind) {
    case EV_STATE: state_words(o, v, e, w); return;
    case EV_PROC:
        text_add(o, "%s",
                 e->to == ST_IDLE || e->to == ST_NONE ? "processor stops: idle" : "processor starts");
        return;
    case EV_RANGE_BEGIN:
    case EV_RANGE_END:
        text_add(o, "%s %s", range_names[e->to % RANGE_KINDS], e->kind == EV_RANGE_BEGIN ? "begins" : "ends");
        break;
    case EV_TASK_BEGIN: text_add(o, "task begins"); break;
    case EV_TASK_END: text_add(o, "task ends"); break;
    case EV_REGION_BEGIN: text_add(o, "region begins"); break;
    case EV_REGION_END: text_add(o, "region ends"); break;
    case EV_LOG: text_add(o, "log:"); break;
    case EV_SAMPLE: text_add(o, "CPU sample"); break;
    }
    if (e->reason) {
        char said[400];
        str_head(trace_str(v->tr, e->reason), 120, said, sizeof said);
        text_add(o, "%s%s", e->kind == EV_LOG ? " " : ": ", said);
    }
    say_func(o, v, " in", e->stack, w);
}

/* Returns the thread that has processor p at t: one lookup per thread, only if they are few. */
static uint32_t thread_of(const struct view *v, uint32_t p, int64_t t)
{
    uint32_t n = trace_nlanes(v->tr, LANE_M);
    struct span s;
    for (uint32_t m = 0; p != NO_LANE && n <= MANY_M && m < n; m++)
        if (trace_span_at(v->tr, lane_m(m), t, &s) && s.proc == p)
            return m;
    return NO_LANE;
}

/* Writes its processor and thread; "" where there is none. */
static void evlog_columns(const struct view *v, const struct event *e, struct lane_name *p,
                          struct lane_name *m)
{
    const uint32_t thread = thread_of(v, e->p, e->t);
    p->s[0] = m->s[0] = 0;
    if (e->p != NO_LANE)
        *p = name_lane(v, lane_p(e->p));
    if (thread != NO_LANE)
        *m = name_lane(v, lane_m(thread));
}

void evlog_line(const struct view *v, size_t i, int name_w, char *out, size_t size)
{
    struct lane_name p, m;
    char t[FMT_MAX];
    struct text o = {0};
    const struct event *e = &v->cache.log->of.e[i];
    evlog_columns(v, e, &p, &m);
    text_add(&o, "%s", when_exact(v->tr, e->t, t));
    if (p.s[0])
        text_add(&o, m.s[0] ? "  %s (%s)" : "  %s", p.s, m.s);
    text_lit(&o, "  ");
    if (e->g != NO_LANE)
        text_add(&o, "%s ", name_g(v, e->g, name_w).s);
    evlog_words(&o, v, e, name_w);
    str_safe(str_of(o.p ? o.p : ""), out, size);
    text_free(&o);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static enum style evlog_style(const struct event *e)
{
    switch ((enum event_kind)e->kind) {
    case EV_STATE: /* to be woken is no delay yet: red would be half of the log */
        return e->to == ST_NONE       ? STYLE_DIM
               : e->to == ST_RUNNABLE ? STYLE_NORMAL
                                      : (enum style)(STYLE_STATE + e->to);
    case EV_PROC: return STYLE_IDLE;
    case EV_RANGE_BEGIN:
    case EV_RANGE_END: return (enum style)(STYLE_STATE + (int)item_state(e->to % RANGE_KINDS));
    case EV_LOG: return STYLE_SAMPLE;
    default: return STYLE_NORMAL;
    }
}

/* Says what happened in w columns: names give way until it fits. */
static void draw_words(struct grid *g, const struct view *v, const struct event *e, int x, int y, int w)
{
    static const int name_w[] = {NAME_WIDE, 28, 20, 14};
    struct text o = {0};
    for (size_t k = 0; k < sizeof name_w / sizeof *name_w; k++) {
        o.n = 0;
        evlog_words(&o, v, e, name_w[k]);
        if (!o.p || str_width(str_of(o.p), w + 1) <= w)
            break;
    }
    tri_say(g, x, y, w, evlog_style(e), "%s", o.p ? o.p : "");
    text_free(&o);
}

static void evlog_draw_line(struct grid *g, const struct view *v, size_t i, int y, bool focus)
{
    const struct event *e = &v->cache.log->of.e[i];
    struct lane_name p, m;
    char t[FMT_MAX], d[FMT_MAX];
    int w = g->w, x = 0;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_LANE;
    evlog_columns(v, e, &p, &m);
    grid_put(g, 0, y, focus ? '>' : ' ', s);
    if (w >= 60)
        x = grid_str(g, 2, y, 15, when_exact(v->tr, e->t, t), s) < 17 ? 17 : 18;
    else
        x = grid_str(g, 1, y, 9, when_dur(v->tr, e->t, d), s) < 10 ? 10 : 11;
    if (w >= 100) { /* how long after the event above */
        int64_t gap = i ? e->t - v->cache.log->of.e[i - 1].t : 0;
        if (i)
            grid_right(g, x, y, 8, when_dur(v->tr, gap, d), STYLE_LANE_NOTE);
        x += 9;
    }
    grid_str(g, x, y, 4, p.s, STYLE_LANE_NOTE);
    x += 5;
    if (w >= 100) {
        grid_str(g, x, y, 9, m.s, STYLE_LANE_NOTE);
        x += 10;
    }
    int gw = w >= 160 ? 40 : w >= 100 ? 30 : w >= 60 ? 22 : 7;
    if (e->g != NO_LANE)
        grid_str(g, x, y, gw - 1, name_g(v, e->g, gw - 1).s, s);
    x += gw;
    draw_words(g, v, e, x, y, w - x);
    if (focus && w > x)
        grid_flags(g, x, y, w - x, 1, CELL_BOLD);
}

size_t evlog_draw(struct grid *g, struct view *v, int y, int rows)
{
    if (rows < 1)
        return 0;
    evlog_update(v, rows);
    const struct evlog *l = v->cache.log;
    if (!l || !l->of.n) {
        grid_str(g, 0, y, g->w,
                 v->filters.all ? "no event near the cursor passes the filter" : "no events here", STYLE_DIM);
        return 0;
    }
    const size_t n = (size_t)rows, half = n / 2;
    size_t top = l->cur > half ? l->cur - half : 0;
    if (top + n > l->of.n)
        top = l->of.n > n ? l->of.n - n : 0;
    for (size_t i = 0; i < n && top + i < l->of.n; i++)
        evlog_draw_line(g, v, top + i, y + (int)i, top + i == l->cur);
    return top;
}

uint32_t evlog_goroutine(const struct view *v)
{
    const struct evlog *l = v->cache.log;
    return l && l->cur < l->of.n ? l->of.e[l->cur].g : NO_LANE;
}

static void evlog_status(const struct view *v, int w, struct rich *out)
{
    const struct evlog *l = v->cache.log;
    char line[1600];
    if (!l || l->cur >= l->of.n)
        return;
    evlog_line(v, l->cur, w < 60 ? NAME_NARROW : NAME_WIDE, line, sizeof line);
    rich_str(out, STYLE_STATUS, str_of(line));
    rich_para(out);
    if (l->of.cut)
        rich_add(out, STYLE_WARN, "too many events at this moment: not all are listed");
}

/* Finds the same event after another reading around it. */
static void evlog_again(struct view *v, int rows, int64_t t)
{
    struct evlog *l = v->cache.log;
    const struct events_win was = l->of.win;
    const size_t nth = l->cur - events_from(&l->of, t);
    evlog_update(v, rows);
    if (l->of.win.t0 == was.t0 && l->of.win.t1 == was.t1)
        return;
    const size_t at = events_from(&l->of, t), n = l->of.n;
    l->cur = at + nth < n ? at + nth : at < n ? at : n ? n - 1 : 0;
}

/* Goes one event on, or back. Returns false if there is none. */
static bool evlog_step(struct view *v, int dir, int rows)
{
    struct evlog *l = v->cache.log;
    if (!l || !l->of.n)
        return false;
    const bool stands = evlog_stands(v, &l->of.e[l->cur]),
               before = l->of.e[l->cur].t > v->at.cursor && !stands;
    const size_t last = l->of.n - 1;
    const size_t to = dir < 0 ? l->cur - (l->cur > 0) : before ? l->cur : l->cur + (l->cur < last);
    if (to == l->cur && stands)
        return false;
    const struct event e = l->of.e[to];
    move_to(v, e.t, true);
    if (e.g != NO_LANE)
        v->at.focus = lane_g(e.g);
    l->cur = to;
    evlog_again(v, rows, e.t);
    return true;
}

static unsigned evlog_move(struct view *v, int n)
{
    const int rows = v->scr.rows > 4 ? v->scr.rows : 4;
    const struct place from = v->at;
    int done = 0;
    evlog_update(v, rows);
    while (done < (n < 0 ? -n : n) && evlog_step(v, n, rows))
        done++;
    if (!done)
        return move_fail(v, n > 0 ? "no event behind this one" : "no event before this one");
    const struct place to = v->at;
    v->at = from;
    move_push(v, STEP_CURSOR);
    v->at = to;
    return move_settle(v);
}

/* ---- the view ------------------------------------------------------------------------------------------ */

enum { ENDLESS = 1000 }; /* as many rows as there is room for */

static unsigned log_open(struct view *v, int no)
{
    move_switch(v, no);
    return move_settle(v);
}

static void log_settle(struct view *v, bool recenter)
{
    struct plan p;
    (void)recenter;
    plan_view(&p, v, ENDLESS);
    v->scr.rows = p.n[ROW_LANES];
}

static void log_show(struct view *v, uint32_t g, int64_t t)
{
    (void)t;
    v->at.focus = lane_g(g);
}

static void log_draw(struct grid *g, struct view *v, const struct plan *p)
{
    rows_bands(g, v, p);
    const int rows = p->n[ROW_LANES];
    const size_t top = evlog_draw(g, v, p->y[ROW_LANES], rows), n = v->cache.log ? v->cache.log->of.n : 0;
    for (int i = 0; i < rows && top + (size_t)i < n; i++)
        kind_listed(v, (uint32_t)top + (uint32_t)i, p->y[ROW_LANES] + i, 1);
}

/* The event's goroutine, then. */
static bool log_span(const struct view *v, struct lane *l, int64_t *t)
{
    *l = lane_g(evlog_goroutine(v));
    *t = v->at.cursor;
    return l->i != NO_LANE;
}

static unsigned log_details(struct view *v, int n)
{
    (void)n;
    return view_popup_span(v) ? VR_DRAW : move_fail(v, "no goroutine belongs to this");
}

static unsigned log_swap(struct view *v, int n)
{
    const uint32_t g = evlog_goroutine(v);
    (void)n;
    return g == NO_LANE ? move_fail(v, "no goroutine belongs to this") : view_focus(v, lane_g(g));
}

const struct view_kind kind_log = {
    .lanes = LANE_KINDS,
    .plan = PLAN_LOG,
    .gutter = GUTTER_SHORT,
    .open = log_open,
    .settle = log_settle,
    .show = log_show,
    .draw = log_draw,
    .speak = evlog_status,
    .span = log_span,
    .refuse = "the log has events only; t shows the goroutine's lane",
    .answer = {ANSWER_TIME, [REQ_LANE] = evlog_move, [REQ_FIRST] = view_start, [REQ_LAST] = view_finish,
               [REQ_SPAN] = evlog_move, [REQ_DETAILS] = log_details, [REQ_SWAP] = log_swap},
    .word = {[REQ_LANE] = "event", [REQ_SWAP] = "goroutine"},
};
