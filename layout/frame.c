/*
 * frame.c - compose one screen: title, ruler, bands, curves, lanes, status, footer, and what lies over them.
 *
 * Which rows there are is plan.c's decision. A view is a row of the table below: a function that draws what is
 * between the ruler and the status line. All times on the screen share the view's columns.
 */
#include "layout/frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layout/draw.h"
#include "layout/evlog.h"
#include "layout/filter.h"
#include "layout/when.h"
#include "layout/items.h"
#include "layout/lanes.h"
#include "layout/lull.h"
#include "layout/move.h"
#include "layout/plan.h"
#include "layout/popup.h"
#include "layout/ruler.h"
#include "layout/samples.h"
#include "layout/search.h"
#include "layout/split.h"
#include "layout/status.h"
#include "layout/tri.h"
#include "layout/wrap.h"

struct canvas {
    struct grid *g;
    struct view *v;
    struct frame_text *txt;
    struct plan plan;
};

/* ---- title ---------------------------------------------------------------------------------------------- */

static int word(struct grid *g, int x, int w, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static int word(struct grid *g, int x, int w, enum style s, const char *fmt, ...)
{
    char buf[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    return x >= w ? x : grid_str(g, x, 0, w - x, buf, s);
}

static const char *file_name(const struct canvas *c)
{
    const char *path = c->txt->name ? c->txt->name : trace_info(c->v->tr)->path;
    if (!path)
        return "trace";
    const char *slash = c->txt->name ? NULL : strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int title_loading(const struct canvas *c, int x, int w)
{
    const struct trace_info *ti = trace_info(c->v->tr);
    char b[FMT_MAX], r[FMT_MAX];
    if (ti->done && !c->txt->loading)
        return x;
    if (ti->bytes)
        x = word(c->g, x, w, STYLE_TITLE_NOTE, "  loading %d%%",
                 (int)((unsigned __int128)ti->bytes_done * 100 / (ti->bytes ? ti->bytes : 1)));
    else
        x = word(c->g, x, w, STYLE_TITLE_NOTE, "  loading %s", fmt_bytes(ti->bytes_done, b));
    if (c->txt->rate >= 1)
        x = word(c->g, x, w, STYLE_TITLE_NOTE, " %s/s",
                 fmt_bytes(c->txt->rate > 1e18 ? 0 : (uint64_t)c->txt->rate, r));
    return x;
}

static void title(const struct canvas *c)
{
    const struct view *v = c->v;
    const struct trace_info *ti = trace_info(v->tr);
    struct grid *g = c->g;
    int w = g->w;
    char d[FMT_MAX], n[FMT_MAX], right[160];
    grid_fill(g, 0, 0, w, 1, ' ', STYLE_TITLE);
    int x = w >= 60 ? word(g, 0, w, STYLE_TITLE, "gotop  ") : 0;
    char name[200];
    str_tail(str_of(file_name(c)), w / 3 > 8 ? w / 3 : 8, glyph_dots(v->tier), name, sizeof name);
    x = word(g, x, w, STYLE_TITLE, "%s", name);
    if (ti->ndamages)
        x = word(g, x + 1, w, STYLE_TITLE_DAMAGE, "PARTIAL");
    x = word(g, x, w, STYLE_TITLE, "  %s", ti->dialect ? ti->dialect : "?");
    uint32_t procs = ti->gomaxprocs ? ti->gomaxprocs : trace_nlanes(v->tr, LANE_P);
    x = word(g, x, w, STYLE_TITLE, "  %" PRIu32 "P", procs);
    x = word(g, x, w, STYLE_TITLE, " %sG", fmt_count(ti->goroutines, n));
    x = word(g, x, w, STYLE_TITLE, "  %s", when_dur(v->tr, ti->end, d));
    if (!ti->has_clock && ti->version)
        x = word(g, x, w, STYLE_TITLE_NOTE, " (ticks)");
    else if (ti->clock_assumed)
        x = word(g, x, w, STYLE_TITLE_NOTE, " (clock assumed)");
    if (ti->bounded && ti->done) {
        char to[FMT_MAX];
        int64_t held = ti->detail_t1 - ti->detail_t0;
        x = word(g, x, w, STYLE_TITLE_NOTE, trace_held(v->tr, ti->detail_t0, ti->detail_t1 + 1) == WANT_COMING ?
                 "  loading detail %s..%s" : "  detail %s..%s", when_time(v->tr, ti->detail_t0, held / 20 + 1, d),
                 when_time(v->tr, ti->detail_t1, held / 20 + 1, to));
    }
    x = title_loading(c, x, w);
    if (ti->nwarnings)
        x = word(g, x, w, STYLE_TITLE_NOTE, "  %" PRIu32 " warning%s", ti->nwarnings, ti->nwarnings == 1 ? "" : "s");
    if (ti->ndamages && w - x > 40)
        x = word(g, x, w, STYLE_TITLE_DAMAGE, "  %.120s", trace_damage(v->tr, 0)->what);
    const struct lanes *l = move_lanes_const(v);
    right[0] = 0;
    if (c->txt->debug)
        snprintf(right, sizeof right, "%.150s", c->txt->debug);
    else if (l && l->n > (uint32_t)c->plan.n[ROW_LANES] && c->plan.n[ROW_LANES] > 0)
        snprintf(right, sizeof right, "lanes %" PRIu32 "-%" PRIu32 " of %" PRIu32 "%s", v->at.top + 1,
                 v->at.top + (uint32_t)c->plan.n[ROW_LANES], l->n, l->n < l->total ? " here" : "");
    else if (items_shows(v->at.view) && v->items.n)
        snprintf(right, sizeof right, "row %" PRIu32 " of %" PRIu32 "%s", v->at.row + 1, v->items.n,
                 ti->bounded && v->at.view == VIEW_TASKS ? " in the detail" : "");
    else if (l && l->n < l->total)
        snprintf(right, sizeof right, "%" PRIu32 " lanes here", l->n);
    if (*right && x + 2 + (int)strlen(right) <= w)
        grid_right(g, 0, 0, w, right, STYLE_TITLE_NOTE);
}

/* ---- ruler ---------------------------------------------------------------------------------------------- */

static void ruler_marks(const struct canvas *c, int y)
{
    struct view *v = c->v;
    const struct plan *p = &c->plan;
    struct search *s = v->search;
    int n = p->plot_w, cursor = window_col(v->at.win, n, v->at.cursor);
    if (v->selecting || v->selected) {
        int64_t a = v->sel0, b = v->selecting ? v->at.cursor : v->sel1;
        int from = window_col(v->at.win, n, a < b ? a : b), to = window_col(v->at.win, n, a < b ? b : a);
        for (int i = from < 0 ? 0 : from; i < n && (i < to || i == from); i++) {
            const struct cell *at = grid_at(c->g, p->gutter + i, y);
            grid_put(c->g, p->gutter + i, y, at ? at->glyph : ' ', STYLE_SELECT);
            grid_flags(c->g, p->gutter + i, y, 1, 1, CELL_UNDERLINE);
        }
    }
    if (s && s->done && !s->hidden)
        for (int i = 0; i < n; i++)
            if (v->edges[i + 1] > v->edges[i]) {
                size_t k = search_from(s, v->edges[i]);
                const struct cell *at = grid_at(c->g, p->gutter + i, y);
                if (at && k < s->nhits && s->hits[k].t < v->edges[i + 1]) /* over a label: its colour only */
                    grid_put(c->g, p->gutter + i, y, at->glyph == ' ' ? glyph_mark(v->tier, MARK_HIT) : at->glyph,
                             STYLE_HIT);
            }
    if (cursor >= 0 && cursor < n)
        grid_put(c->g, p->gutter + cursor, y, glyph_mark(v->tier, MARK_CURSOR), STYLE_CURSOR);
}

static void ruler(const struct canvas *c)
{
    const struct view *v = c->v;
    const struct plan *p = &c->plan;
    int y = p->y[ROW_RULER];
    char t[FMT_MAX];
    if (!p->n[ROW_RULER])
        return;
    ruler_draw(c->g, v->tr, v->tier, v->at.win, p->gutter, y, p->plot_w);
    ruler_marks(c, y);
    int64_t res = window_len(v->at.win) / p->plot_w / 4;
    when_time(v->tr, v->at.cursor, res, t);
    if ((int)strlen(t) > p->gutter - 1)
        when_dur(v->tr, v->at.cursor, t);
    if ((int)strlen(t) < p->gutter)
        grid_right(c->g, 0, y, p->gutter - 1, t, STYLE_CURSOR);
}

/* ---- filters, overview ---------------------------------------------------------------------------------- */

static void filter_line(const struct canvas *c)
{
    const struct view *v = c->v;
    int y = c->plan.y[ROW_FILTER], w = c->g->w;
    char n[FMT_MAX], note[80];
    grid_fill(c->g, 0, y, w, 1, ' ', STYLE_TITLE_NOTE);
    int x = grid_str(c->g, 0, y, w, "filter: ", STYLE_TITLE);
    fmt_count(v->filter ? filter_count(v->filter) : 0, n);
    if (v->filter_done)
        snprintf(note, sizeof note, "%s of the goroutines", n);
    else
        snprintf(note, sizeof note, "%s so far, %d%%", n, v->filter ? filter_share(v->filter) : 0);
    int room = w - x - (int)strlen(note) - 2;
    if (room < 10)
        room = w - x, note[0] = 0;
    grid_str(c->g, x, y, room, v->filter_text, STYLE_TITLE_NOTE);
    grid_right(c->g, 0, y, w, note, STYLE_TITLE_NOTE);
}

/* One row for the whole trace: which part the window shows, where the hits are. */
static void strip(const struct canvas *c)
{
    const struct view *v = c->v;
    const struct search *s = v->search && v->search->done && !v->search->hidden ? v->search : NULL;
    int y = c->plan.y[ROW_STRIP], n = c->plan.plot_w, x0 = c->plan.gutter;
    struct window all = {0, view_end(v)};
    int a = window_col(all, n, v->at.win.t0), b = window_col(all, n, v->at.win.t1 - 1);
    a = a < 0 ? 0 : a;
    b = b < 0 || b >= n ? n - 1 : b;
    for (int i = 0; i < n; i++) {
        int64_t t0 = window_edge(all, n, i), t1 = window_edge(all, n, i + 1);
        size_t k = s ? search_from(s, t0) : 0;
        bool hit = s && k < s->nhits && s->hits[k].t < t1;
        grid_put(c->g, x0 + i, y, hit ? glyph_mark(v->tier, MARK_HIT) : glyph_mark(v->tier, MARK_H),
                 hit ? STYLE_HIT : i >= a && i <= b ? STYLE_CURSOR : STYLE_DIM);
        if (i >= a && i <= b)
            grid_flags(c->g, x0 + i, y, 1, 1, CELL_REVERSE);
    }
    int at = window_col(all, n, v->at.cursor);
    if (at >= 0)
        grid_put(c->g, x0 + at, y, glyph_mark(v->tier, MARK_CURSOR), STYLE_CURSOR);
    char note[FMT_MAX] = "";
    if (s)
        fmt_count(s->nhits, note);
    int w = x0 - 1;
    grid_str(c->g, 0, y, w, s ? "hits" : "trace", STYLE_LANE);
    if (w > 8)
        grid_right(c->g, 0, y, w, note, STYLE_HIT);
}

/* ---- bands and curves ----------------------------------------------------------------------------------- */

/* A name and a number in the gutter, the number right-aligned; it goes first when there is no room. */
static void gutter(const struct canvas *c, int y, const char *name, const char *note, enum style s)
{
    int w = c->plan.gutter - 1, need = str_width(str_of(name), w);
    grid_str(c->g, 0, y, w, name, s);
    int nw = str_width(str_of(note), 64);
    if (need + 1 + nw <= w)
        grid_right(c->g, 0, y, w, note, STYLE_LANE_NOTE);
}

static void band(const struct canvas *c, enum row r, enum band b, enum state st, const char *name)
{
    const struct view *v = c->v;
    struct shares sh;
    char note[FMT_MAX] = "";
    int y = c->plan.y[r];
    if (!c->plan.n[r])
        return;
    if (trace_nlanes(v->tr, LANE_BAND) > (uint32_t)b) {
        trace_shares(v->tr, (struct lane){LANE_BAND, (uint32_t)b}, v->at.win.t0, v->at.win.t1, &sh);
        if (b == BAND_STW)
            when_dur(v->tr, sh.ns[st], note);
        else
            fmt_percent(sh.ns[st], window_len(v->at.win), note);
    }
    gutter(c, y, name, note, STYLE_LANE);
    draw_band(c->g, c->v, b, c->plan.gutter, y);
}

static void curves(const struct canvas *c)
{
    const struct plan *p = &c->plan;
    uint64_t here = 0, other = 0;
    char a[FMT_MAX];
    int y = p->y[ROW_HEAP], h = p->n[ROW_HEAP];
    bool done = trace_info(c->v->tr)->done;
    if (h) {
        bool any = draw_heap(c->g, c->v, p->gutter, y, h, &here, &other);
        gutter(c, y, "heap", here ? fmt_bytes(here, a) : "", STYLE_LANE); /* 0: not known here */
        if (h > 1 && other)
            gutter(c, y + 1, "goal", other > UINT64_MAX / 4 ? "none" : fmt_bytes(other, a), STYLE_LANE);
        if (!any && done)
            grid_str(c->g, p->gutter, y, p->plot_w, "no heap sizes in this trace", STYLE_DIM);
    }
    y = p->y[ROW_RUNQ];
    h = p->n[ROW_RUNQ];
    if (h) {
        bool any = draw_runq(c->g, c->v, p->gutter, y, h, &here, &other);
        gutter(c, y, "run q", any ? fmt_count(here, a) : "", STYLE_LANE);
        if (h > 1 && any)
            gutter(c, y + 1, "max", fmt_count(other, a), STYLE_LANE);
    }
}

/* How many goroutines are in which state. */
static void state_counts(const struct canvas *c)
{
    static const char *const names[] = {"running", "runnable", "syscall", "waiting"};
    uint64_t here, most;
    char a[FMT_MAX];
    for (int i = 0; i < c->plan.n[ROW_STATES]; i++) {
        bool any = draw_states(c->g, c->v, c->plan.gutter, c->plan.y[ROW_STATES] + i, i, &here, &most);
        gutter(c, c->plan.y[ROW_STATES] + i, names[i], any ? fmt_count(here, a) : "", STYLE_LANE);
    }
}

static void bands(const struct canvas *c)
{
    band(c, ROW_GC, BAND_GC, ST_GC, "GC");
    band(c, ROW_STW, BAND_STW, ST_STW, "STW");
    band(c, ROW_SWEEP, BAND_SWEEP, ST_SWEEP, "sweep");
    band(c, ROW_ASSIST, BAND_ASSIST, ST_ASSIST, "assist");
    curves(c);
    state_counts(c);
    draw_unloaded(c->g, c->v, c->plan.gutter, c->plan.y[ROW_GC], c->plan.y[ROW_LANES] - c->plan.y[ROW_GC]);
}

/* ---- lanes ---------------------------------------------------------------------------------------------- */

/* How busy a processor or thread is in the window, as far as the trace reaches. */
static void busy_note(const struct canvas *c, struct lane l, char out[FMT_MAX])
{
    const struct view *v = c->v;
    struct shares sh;
    int64_t end = trace_info(v->tr)->end, t1 = v->at.win.t1 < end ? v->at.win.t1 : end;
    out[0] = 0;
    if (t1 <= v->at.win.t0)
        return;
    trace_shares(v->tr, l, v->at.win.t0, t1, &sh);
    fmt_percent(sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP] + sh.ns[ST_SYSCALL],
                time_sub(t1, v->at.win.t0), out);
}

static void lane_name(const struct canvas *c, struct lane l, int y, bool focus)
{
    const struct view *v = c->v;
    int w = c->plan.gutter - 1;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_LANE;
    char name[300], note[FMT_MAX] = "";
    if (w < 1)
        return;
    uint32_t more = lanes_more(move_lanes_const(v), lanes_row(move_lanes_const(v), l.i));
    if (l.kind == LANE_G && more) { /* it stands for its group */
        char n[FMT_MAX];
        snprintf(note, sizeof note, "+%s", fmt_count(more, n));
        int room = w - (int)strlen(note) - 1;
        status_name(v, l.i, room > 4 ? room : w, name, sizeof name);
    } else if (l.kind == LANE_G) {
        status_name(v, l.i, w, name, sizeof name);
    } else {
        status_lane(v, l, name);
        busy_note(c, l, note);
    }
    gutter(c, y, name, note, s);
    if (focus)
        grid_put(c->g, w, y, '>', STYLE_LANE_FOCUS);
    else if (lanes_pinned(move_lanes_const(v), l.i))
        grid_put(c->g, w, y, '!', STYLE_LANE_NOTE);
}

static void more_marks(const struct canvas *c, const struct lanes *l)
{
    const struct plan *p = &c->plan;
    int w = p->gutter - 1, y0 = p->y[ROW_LANES], y1 = y0 + p->n[ROW_LANES] - 1;
    if (w < 1)
        return;
    const struct cell *a = grid_at(c->g, w, y0), *b = grid_at(c->g, w, y1);
    if (c->v->at.top > 0 && a && a->glyph == ' ')
        grid_put(c->g, w, y0, glyph_mark(c->v->tier, MARK_MORE_UP), STYLE_DIM);
    if (c->v->at.top + (uint32_t)p->n[ROW_LANES] < l->n && b && b->glyph == ' ')
        grid_put(c->g, w, y1, glyph_mark(c->v->tier, MARK_MORE_DOWN), STYLE_DIM);
}

/* Search hits of the goroutines that show: the cell is underlined. */
static void hit_marks(const struct canvas *c, const struct lanes *l)
{
    const struct view *v = c->v;
    const struct search *s = v->search;
    if (!s || !s->done || s->hidden || l->kind != LANE_G)
        return;
    enum { EACH = 24 }; /* of a column; a screen has no more lanes than that often */
    for (int col = 0; col < c->plan.plot_w; col++) {
        size_t i = v->edges[col + 1] > v->edges[col] ? search_from(s, v->edges[col]) : s->nhits;
        for (int left = EACH; left > 0 && i < s->nhits && s->hits[i].t < v->edges[col + 1]; i++, left--) {
            uint32_t row = s->hits[i].g == NO_LANE ? NO_LANE : lanes_row(l, s->hits[i].g);
            int line = row == NO_LANE ? -1 : view_row_line(v, row);
            if (line >= 0 && line < c->plan.n[ROW_LANES])
                grid_flags(c->g, c->plan.gutter + col, c->plan.y[ROW_LANES] + line, 1, 1, CELL_UNDERLINE | CELL_BOLD);
        }
    }
}

static void no_lanes(const struct canvas *c, enum lane_kind k)
{
    const struct trace_info *ti = trace_info(c->v->tr);
    char buf[200];
    const char *what = k == LANE_P ? "processors" : k == LANE_G ? "goroutines" : "threads";
    if (k == LANE_M && !ti->has_m)
        snprintf(buf, sizeof buf, "%s traces do not record threads", ti->dialect ? ti->dialect : "such");
    else
        snprintf(buf, sizeof buf, ti->done ? "no %s in this trace" : "no %s yet", what);
    grid_str(c->g, c->plan.gutter, c->plan.y[ROW_LANES], c->plan.plot_w, buf, STYLE_DIM);
}

static void lanes(const struct canvas *c)
{
    struct view *v = c->v;
    const struct lanes *l = move_lanes_const(v);
    const struct plan *p = &c->plan;
    if (!l->n) {
        no_lanes(c, l->kind);
        return;
    }
    for (int i = 0; i < p->n[ROW_LANES]; i++) {
        uint32_t lane = lanes_at(l, view_line_row(v, i));
        if (lane == NO_LANE)
            break;
        struct lane at = {l->kind, lane};
        int y = p->y[ROW_LANES] + i;
        bool focus = lane == v->at.focus.i;
        lane_name(c, at, y, focus);
        draw_lane(c->g, v, at, p->gutter, y);
        draw_samples(c->g, v, at, p->gutter, y);
        draw_matches(c->g, v, at, p->gutter, y);
        draw_unheld(c->g, v, at, p->gutter, y);
        draw_unloaded(c->g, v, p->gutter, y, 1);
        if (focus)
            grid_toggle(c->g, p->gutter + window_col(v->at.win, p->plot_w, v->at.cursor), y, CELL_REVERSE);
    }
    hit_marks(c, l);
    more_marks(c, l);
}

/* ---- the views ------------------------------------------------------------------------------------------ */

static void lane_view(const struct canvas *c)
{
    bands(c);
    lanes(c);
}

static void item_view(const struct canvas *c)
{
    bands(c);
    items_draw(c->g, c->v, c->plan.y[ROW_LANES], c->plan.n[ROW_LANES]);
}

static void table_view(const struct canvas *c)
{
    tri_draw(c->g, c->v, c->plan.y[ROW_LANES], c->plan.n[ROW_LANES]);
}

static void log_view(const struct canvas *c)
{
    bands(c);
    evlog_draw(c->g, c->v, c->plan.y[ROW_LANES], c->plan.n[ROW_LANES]);
}

static void empty_view(const struct canvas *c)
{
    grid_str(c->g, 0, c->plan.y[ROW_LANES], c->g->w, "This view is not in this version.", STYLE_DIM);
}

static void (*const views[VIEW_END])(const struct canvas *) = {
    [VIEW_PROCS] = lane_view, [VIEW_GOROUTINES] = lane_view, [VIEW_THREADS] = lane_view,
    [VIEW_LOG] = log_view, [VIEW_TASKS] = item_view, [VIEW_GC] = item_view,
    [VIEW_TRIAGE] = table_view, [VIEW_GROUPS] = table_view, [VIEW_WAITS] = table_view, [VIEW_FLAME] = table_view,
};

/* ---- footer, prompt ------------------------------------------------------------------------------------- */

/* The keys' line ends with a whole key: pieces stand apart by two blanks. */
static void keys(struct grid *g, int y, const char *text)
{
    size_t keep = strlen(text);
    while (keep && str_width((struct str){text, (uint32_t)keep}, g->w + 1) > g->w) {
        do
            keep--;
        while (keep > 1 && !(text[keep] == ' ' && text[keep - 1] == ' '));
        keep -= keep == 1;
    }
    grid_text(g, 0, y, g->w, (struct str){text, (uint32_t)keep}, STYLE_FOOTER);
}

/* A message takes the lines it needs, from the last one up (above a prompt: from above that), but not the lanes. */
static void message(const struct canvas *c, int last)
{
    const struct view *v = c->v;
    struct grid *g = c->g;
    struct str text = str_of(v->message);
    enum style s = v->message_error ? STYLE_WARN : STYLE_MESSAGE;
    int most = c->plan.n[ROW_STATUS] + 1;
    int n = wrap_draw(NULL, 0, 0, g->w, most, s, text), y = last - n + 1;
    grid_fill(g, 0, y, g->w, n, ' ', s);
    wrap_draw(g, 0, y, g->w, n, s, text);
}

static void prompt(const struct canvas *c, int y)
{
    static const char signs[] = {[PROMPT_COMMAND] = ':', [PROMPT_SEARCH] = '/', [PROMPT_FILTER] = '\\'};
    const struct view *v = c->v;
    struct grid *g = c->g;
    char line[VIEW_TEXT + 8];
    int w = g->w;
    str_tail((struct str){v->text, (uint32_t)v->text_len}, w - 2, glyph_dots(v->tier), line, sizeof line);
    if (v->message[0] && y > 1)
        message(c, y - 1);
    grid_fill(g, 0, y, w, 1, ' ', STYLE_PROMPT);
    grid_put(g, 0, y, (unsigned char)signs[v->prompt], STYLE_PROMPT);
    c->txt->screen_x = grid_str(g, 1, y, w - 1, line, STYLE_PROMPT);
    c->txt->screen_y = y;
    if (c->txt->screen_x >= w)
        c->txt->screen_x = w - 1;
}

static void footer(const struct canvas *c)
{
    const struct view *v = c->v;
    struct grid *g = c->g;
    int y = g->h - 1;
    if (v->prompt) {
        prompt(c, y);
    } else if (v->message[0] && (c->plan.n[ROW_FOOTER] || g->h > 2)) {
        message(c, y);
    } else if (c->plan.n[ROW_FOOTER]) {
        grid_fill(g, 0, y, g->w, 1, ' ', STYLE_FOOTER);
        if (c->txt->footer)
            keys(g, y, c->txt->footer);
    }
}

/* By how many columns has the picture moved since the last one? */
static void note_move(struct grid *g, struct view *v, const struct plan *p)
{
    int64_t len = window_len(v->at.win), by = time_sub(v->at.win.t0, v->drawn.t0);
    g->moved_x = p->gutter;
    g->moved = 0;
    if (p->plot_w == v->drawn_w && len == window_len(v->drawn) && by < len && by > -len)
        g->moved = (int)time_muldiv(time_add(by, len / p->plot_w / 2), p->plot_w, len);
    v->drawn = v->at.win;
    v->drawn_w = p->plot_w;
}

bool frame_draw(struct grid *g, struct view *v, struct frame_text *txt)
{
    static const struct frame_text none;
    struct frame_text copy = txt ? *txt : none;
    struct canvas c = {.g = g, .v = v, .txt = &copy};
    move_settle(v); /* sorted lanes, a grown trace: the invariants first */
    g->ascii = v->tier == TIER_ASCII;
    (void)samples_update(&v->samples, v->tr); /* out of memory: no ticks */
    if (!draw_prepare(v) || !grid_resize(g, v->w, v->h))
        return false;
    const struct lanes *l = move_lanes_const(v);
    plan_view(&c.plan, v, l ? l->n : items_shows(v->at.view) ? v->items.n : 0);
    note_move(g, v, &c.plan);
    copy.screen_x = copy.screen_y = -1;
    if (c.plan.n[ROW_TITLE])
        title(&c);
    ruler(&c);
    (views[v->at.view] ? views[v->at.view] : empty_view)(&c);
    if (c.plan.n[ROW_FILTER])
        filter_line(&c);
    if (c.plan.n[ROW_STRIP])
        strip(&c);
    if (c.plan.n[ROW_SPLIT])
        split_draw(g, v, c.plan.y[ROW_SPLIT], c.plan.n[ROW_SPLIT]);
    lull_follow(v);
    if (c.plan.n[ROW_STATUS])
        status_draw(g, v, c.plan.y[ROW_STATUS], c.plan.n[ROW_STATUS]);
    popup_draw(g, v);
    footer(&c);
    if (txt) {
        txt->screen_x = copy.screen_x;
        txt->screen_y = copy.screen_y;
    }
    return true;
}
