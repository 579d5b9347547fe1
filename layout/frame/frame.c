/*
 * frame.c - compose one screen: title, ruler, bands, curves, lanes, status, footer, and what lies over
 * them.
 *
 * plan.c decides which rows there are. The view draws what is between the ruler and the status line
 * (kind.h). All times on the screen share the view's columns.
 */
#include "layout/frame/frame.h"
#include "decode/base/wide.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layout/draw/draw.h"
#include "triage/query/filter.h"
#include "layout/cells/fmt.h"
#include "triage/activity/gstate.h"
#include "layout/draw/tabs.h"
#include "layout/move/kind.h"
#include "layout/cells/legend.h"
#include "layout/move/idle_beside.h"
#include "layout/move/move.h"
#include "layout/move/plan.h"
#include "layout/draw/popup.h"
#include "layout/cells/ruler.h"
#include "triage/activity/samples.h"
#include "triage/wall.h"
#include "layout/move/search.h"
#include "layout/views/evlog.h"
#include "layout/views/tri.h"
#include "layout/draw/status.h"
#include "layout/cells/wrap.h"
#include "layout/move/record.h"

struct canvas {
    struct grid *g;
    struct view *v;
    struct frame_text *txt;
    struct plan plan;
};

/* ---- title --------------------------------------------------------------------------------------------- */

static int title_word(struct grid *g, int x, int w, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static int title_word(struct grid *g, int x, int w, enum style s, const char *fmt, ...)
{
    char buf[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    return x >= w ? x : grid_str(g, x, 0, w - x, buf, s);
}

/* Puts it whole or not at all. */
static int note_word(struct grid *g, int x, int w, const char *note)
{
    return x + (int)strlen(note) <= w ? title_word(g, x, w, STYLE_TITLE_NOTE, "%s", note) : x;
}

/* Puts only whole words: a number that is cut would be another number. */
static int whole_words(struct grid *g, int x, int w, enum style s, const char *words)
{
    while (*words) {
        const int n = (int)(strspn(words, " ") + strcspn(words + strspn(words, " "), " "));
        if (x + n > w)
            return x;
        x = title_word(g, x, w, s, "%.*s", n, words);
        words += n;
    }
    return x;
}

static const char *shown_file(const struct canvas *c)
{
    const char *path = c->txt->name ? c->txt->name : trace_info(c->v->tr)->path;
    if (!path)
        return "trace";
    const char *slash = c->txt->name ? NULL : strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Writes the progress of loading, or "" when it is done. */
static void loading(const struct canvas *c, char *out, size_t size)
{
    const struct trace_info *ti = trace_info(c->v->tr);
    char b[FMT_MAX];
    out[0] = 0;
    if (c->txt->live || (ti->done && !c->txt->loading))
        return;
    if (ti->bytes)
        snprintf(out, size, "  loading %d%%", (int)wide_muldiv(ti->bytes_done, 100, ti->bytes));
    else
        snprintf(out, size, "  loading %s", fmt_bytes(ti->bytes_done, b));
}

/* Puts problems, after the name. */
static int alarms(const struct canvas *c, int x, int w)
{
    if (trace_info(c->v->tr)->ndamages)
        x = title_word(c->g, x + 1, w, STYLE_TITLE_DAMAGE, "PARTIAL");
    return c->txt->unsaved ? title_word(c->g, x + 1, w, STYLE_TITLE_DAMAGE, "NOT SAVED") : x;
}

/* Writes "  8P 343G  2.75s". */
static void title_counts(const struct view *v, char *out, size_t size)
{
    const struct trace_info *ti = trace_info(v->tr);
    char d[FMT_MAX], n[FMT_MAX], span[24];
    uint64_t least, most;
    record_procs(v, &least, &most);
    if (least != most)
        snprintf(span, sizeof span, "%" PRIu64 "-%" PRIu64, least, most);
    else
        snprintf(span, sizeof span, "%" PRIu64, most);
    /* Put a blank, so that it is not "1.97MG". */
    snprintf(out, size, "  %sP %s%sG  %s", span, fmt_count(ti->goroutines, n),
             ti->goroutines < 1000000 ? "" : " ", when_dur(v->tr, ti->end, d));
}

/* Puts the trace's name, size and problems. `need` columns to the right are reserved. Returns where it
 * ends. */
static int title_trace(const struct canvas *c, int need)
{
    const struct trace_info *ti = trace_info(c->v->tr);
    struct grid *g = c->g;
    const int w = g->w;
    const char *dialect = ti->dialect ? ti->dialect : "?";
    char counts[120], name[200], load[FMT_MAX + 16];
    title_counts(c->v, counts, sizeof counts);
    loading(c, load, sizeof load);
    int x = w >= 60 ? title_word(g, 0, w, STYLE_TITLE, "gotop  ") : 0, own = w / 3;
    const int others =
        x + (int)(strlen(counts) + strlen(load)) + (ti->ndamages ? 8 : 0) + (c->txt->unsaved ? 10 : 0);
    if ((load[0] || c->txt->unsaved) && own > w - others) /* progress is put whole */
        own = w - others;
    str_tail(str_of(shown_file(c)), own > 8 ? own : 8, glyph_dots(c->v->scr.tier), name, sizeof name);
    x = title_word(g, x, w, STYLE_TITLE, "%s", name);
    x = alarms(c, x, w);
    if (x + 2 + (int)(strlen(dialect) + strlen(counts) + strlen(load)) + need <=
        w) /* what is known without looking goes first */
        x = title_word(g, x, w, STYLE_TITLE, "  %s", dialect);
    x = whole_words(g, x, w, STYLE_TITLE, counts);
    if (!ti->has_clock && ti->version)
        x = note_word(g, x, w, " (ticks)");
    else if (ti->clock_assumed)
        x = note_word(g, x, w, " (clock assumed)");
    if (ti->spilled)
        x = note_word(g, x, w, "  spilled");
    x = whole_words(g, x, w, STYLE_TITLE_NOTE, load);
    /* It takes so many columns. The first page has these numbers, so they are left out where there is no
     * room. */
    enum { WARNINGS = 13 };
    if (ti->nwarnings && x + WARNINGS <= w)
        x = title_word(g, x, w, STYLE_TITLE_NOTE, "  %" PRIu32 " warning%s", ti->nwarnings,
                       ti->nwarnings == 1 ? "" : "s");
    if (ti->ndamages && w - x > 40 + need)
        x = title_word(g, x, w - need, STYLE_TITLE_DAMAGE, "  %.120s", trace_damage(c->v->tr, 0)->what);
    return x;
}

/* Writes which rows are shown; for --debug, what a frame cost. */
static void title_where(const struct canvas *c, char *out, size_t size)
{
    out[0] = 0;
    if (c->txt->debug)
        snprintf(out, size, "%.150s", c->txt->debug);
    else if (kind_here(c->v)->where)
        kind_here(c->v)->where(c->v, &c->plan, out, size);
}

/* Writes the same in w columns: without its first word if that is too long ("lines 1-12 of 97"). */
static void title_fit(const struct canvas *c, int w, char *out)
{
    const char *blank = (int)strlen(out) > w && !c->txt->debug ? strchr(out, ' ') : NULL;
    if (blank)
        memmove(out, blank + 1, strlen(blank));
    if ((int)strlen(out) > w)
        out[0] = 0;
}

/* Returns the widest form of the tabs that leaves this room to the left. */
static enum tabs title_tabs(const struct view *v, int room, int *width)
{
    char text[TABS_MOST];
    for (enum tabs form = TABS_NAMES; form < TABS_FORMS; form++)
        if ((*width = tabs_text(v, form, text) + 2) <= room)
            return form;
    *width = 0;
    return TABS_FORMS;
}

static void draw_title(const struct canvas *c)
{
    enum { WIDE = 80 }; /* the file's format gives way to the tabs from here on */
    struct grid *g = c->g;
    char right[200];
    int w = g->w, width;
    grid_fill(g, 0, 0, w, 1, ' ', STYLE_TITLE);
    title_where(c, right, sizeof right);
    /* A remark that is shown once, and that lanes are left out, go before the tabs. */
    const bool part = kind_here(c->v)->lanes == LANE_G && c->v->lanes[LANE_G].only;
    const int x = title_trace(c, w >= WIDE || part ? TABS_USUAL + 2 + (int)strlen(right) + 2 : 0);
    const int note = c->txt->debug || part ? (int)strlen(right) + 2 : 0;
    c->v->scr.tabs = title_tabs(c->v, w - x - note, &width);
    if (c->v->scr.tabs < TABS_FORMS)
        (void)tabs_draw(g, c->v, c->v->scr.tabs, w - width + 2);
    w -= width;
    title_fit(c, w - x - 2, right);
    if (*right)
        grid_right(g, 0, 0, w, right, STYLE_TITLE_NOTE);
}

/* ---- ruler --------------------------------------------------------------------------------------------- */

static void ruler_marks(const struct canvas *c, int y)
{
    struct view *v = c->v;
    const struct plan *p = &c->plan;
    int n = p->plot_w, cursor = window_col(v->at.win, n, v->at.cursor);
    if (v->sel.going || v->sel.stands) {
        int64_t a = v->sel.t0, b = v->sel.going ? v->at.cursor : v->sel.t1;
        int from = window_col(v->at.win, n, a < b ? a : b), to = window_col(v->at.win, n, a < b ? b : a);
        for (int i = from < 0 ? 0 : from; i < n && (i < to || i == from); i++) {
            const struct cell *at = grid_at(c->g, p->gutter + i, y);
            grid_put(c->g, p->gutter + i, y, at ? at->glyph : ' ', STYLE_SELECT);
            grid_flags(c->g, p->gutter + i, y, 1, 1, CELL_UNDERLINE);
        }
    }
    const bool drawn =
        p->n[ROW_STRIP] && v->at.win.t0 <= 0 && v->at.win.t1 >= view_end(v); /* the same below */
    for (int i = 0; i < n && !drawn; i++) {
        const struct cell *at = grid_at(c->g, p->gutter + i, y);
        if (at &&
            search_in(v->search, v->cache.edges[i], v->cache.edges[i + 1])) /* over a label its colour */
            grid_put(c->g, p->gutter + i, y, at->glyph == ' ' ? glyph_mark(v->scr.tier, MARK_HIT) : at->glyph,
                     STYLE_HIT);
    }
    if (cursor >= 0 && cursor < n)
        grid_put(c->g, p->gutter + cursor, y, glyph_mark(v->scr.tier, MARK_CURSOR), STYLE_CURSOR);
}

/* Removes a label under the cursor's mark: "100ms" without a digit is another moment. */
static void ruler_free(const struct canvas *c, int y)
{
    const struct plan *p = &c->plan;
    const uint32_t tick = glyph_mark(c->v->scr.tier, MARK_TICK);
    const int at = window_col(c->v->at.win, p->plot_w, c->v->at.cursor);
    const struct cell *under = grid_at(c->g, p->gutter + at, y);
    if (at < 0 || at >= p->plot_w || !under || under->glyph == tick || under->glyph == ' ')
        return;
    for (int by = -1; by <= 1; by += 2)
        for (int i = by < 0 ? at : at + 1; i >= 0 && i < p->plot_w; i += by) {
            const struct cell *x = grid_at(c->g, p->gutter + i, y);
            if (!x || x->glyph == ' ' || x->glyph == tick)
                break;
            grid_put(c->g, p->gutter + i, y, ' ', STYLE_RULER);
        }
}

static void ruler(const struct canvas *c)
{
    const struct view *v = c->v;
    const struct plan *p = &c->plan;
    int y = p->y[ROW_RULER];
    char t[FMT_MAX], clock[WALL_MAX];
    if (!p->n[ROW_RULER])
        return;
    ruler_draw(c->g, v->tr, v->scr.tier, v->at.win, p->gutter, y, p->plot_w, v->scr.clock);
    ruler_free(c, y);
    ruler_marks(c, y);
    int64_t res = window_len(v->at.win) / p->plot_w / 4;
    when_time(v->tr, v->at.cursor, res, t);
    if ((int)strlen(t) > p->gutter - 1)
        when_dur(v->tr, v->at.cursor, t);
    const char *now = v->scr.clock ? wall_time(v->tr, v->at.cursor, clock) : "";
    if (!*now || (int)strlen(now) >= p->gutter)
        now = t;
    if ((int)strlen(now) < p->gutter)
        grid_right(c->g, 0, y, p->gutter - 1, now, STYLE_CURSOR);
}

/* ---- filters, overview --------------------------------------------------------------------------------- */

static void filter_line(const struct canvas *c)
{
    const struct view *v = c->v;
    int y = c->plan.y[ROW_FILTER], w = c->g->w;
    char n[FMT_MAX], note[80];
    grid_fill(c->g, 0, y, w, 1, ' ', STYLE_TITLE_NOTE);
    int x = grid_str(c->g, 0, y, w, "filter: ", STYLE_TITLE);
    const uint64_t passed = v->filters.all ? filter_known(v->filters.all).count : 0;
    fmt_count(passed, n);
    if (v->filters.done)
        snprintf(note, sizeof note, "%s goroutine%s", n, passed == 1 ? "" : "s");
    else
        snprintf(note, sizeof note, "%s so far, %d%%", n,
                 v->filters.all ? filter_known(v->filters.all).share : 0);
    int room = w - x - (int)strlen(note) - 2;
    if (room < 10)
        room = w - x, note[0] = 0;
    grid_str(c->g, x, y, room, v->filters.text, STYLE_TITLE_NOTE);
    grid_right(c->g, 0, y, w, note, STYLE_TITLE_NOTE);
}

/* Draws the whole trace in a row, as a scroll bar: the part that the window shows, and where the hits are. */
static void strip(const struct canvas *c)
{
    const struct view *v = c->v;
    const struct search *s = v->search && v->search->done && !v->search->hidden ? v->search : NULL;
    int y = c->plan.y[ROW_STRIP], n = c->plan.plot_w, x0 = c->plan.gutter;
    struct window all = window_of(0, view_end(v));
    int a = window_col(all, n, v->at.win.t0), b = window_col(all, n, v->at.win.t1 - 1);
    a = a < 0 ? 0 : a;
    b = b < 0 || b >= n ? n - 1 : b;
    if (a == 0 && b == n - 1)
        b = -1; /* the window shows everything */
    for (int i = 0; i < n; i++)
        if (search_in(s, window_edge(all, n, i), window_edge(all, n, i + 1)))
            grid_put(c->g, x0 + i, y, glyph_mark(v->scr.tier, MARK_HIT), STYLE_HIT);
        else
            grid_put(c->g, x0 + i, y, ' ', i >= a && i <= b ? STYLE_CURSOR : STYLE_SELECT);
    int at = window_col(all, n, v->at.cursor);
    if (at >= 0)
        grid_put(c->g, x0 + at, y, glyph_mark(v->scr.tier, MARK_CURSOR), STYLE_CURSOR);
    char note[FMT_MAX] = "";
    if (s)
        fmt_count(s->nhits, note);
    int w = x0 - 1;
    grid_str(c->g, 0, y, w, s ? "hits" : "trace", STYLE_LANE);
    if (w > 8)
        grid_right(c->g, 0, y, w, note, STYLE_HIT);
}

/* ---- legend -------------------------------------------------------------------------------------------- */

static void legend(const struct canvas *c)
{
    struct rich r = {0};
    legend_line(c->v->scr.tier, c->v->scr.mono, kind_here(c->v)->lanes == LANE_G, &r);
    rich_draw(&r, c->g, 0, c->plan.y[ROW_LEGEND], c->g->w, 1);
    rich_free(&r);
}

/* ---- footer, prompt ------------------------------------------------------------------------------------ */

/* The line of keys ends with a whole key. Two blanks separate keys, a tab a key from what it does. */
static void keys(struct grid *g, int y, int w, const char *text)
{
    for (int x = 0; *text && x < w;) {
        const char *end = strstr(text, "  ");
        const uint32_t len = end ? (uint32_t)(end - text) : (uint32_t)strlen(text);
        const char *tab = memchr(text, '\t', len);
        const struct str key = {text, tab ? (uint32_t)(tab - text) : 0},
                         does = {tab ? tab + 1 : text, len - (tab ? key.len + 1 : 0)};
        if (x + str_width((struct str){text, len}, w + 1) > w)
            return;
        x = grid_text(g, x, y, w - x, key, STYLE_STATUS);
        x = grid_text(g, x + (tab != NULL), y, w - x, does, STYLE_FOOTER) + 2;
        text = end ? end + 2 : text + len;
    }
}

/* Puts the key that shows what is cut at a line's right end. Returns the columns to the left of it. */
static int frame_more(const struct canvas *c, int y, enum style s)
{
    enum { WORDS = 60, LEAST = 20 };
    char text[80];
    if (!c->txt->more || !*c->txt->more || c->g->w < LEAST)
        return c->g->w;
    snprintf(text, sizeof text, "%s %s", c->txt->more, c->g->w < WORDS ? "all" : "read all");
    return grid_right(c->g, 0, y, c->g->w, text, s) - 2;
}

/* A message takes the lines that it needs, upwards from the last one, or from above a prompt or the footer:
 * plan_message(). */
static void draw_message(const struct canvas *c)
{
    enum { MORE = 12, MORE_BRIEF = 6, WORDS = 60 }; /* columns of more(), on a screen with fewer than WORDS */
    const struct view *v = c->v;
    struct grid *g = c->g;
    struct str text = str_of(v->msg.text);
    enum style s = v->msg.error ? STYLE_WARN : STYLE_MESSAGE;
    int last, n = plan_message(&c->plan, v, &last), y = last - n + 1;
    grid_fill(g, 0, y, g->w, n, ' ', s);
    if (n > 2 && wrap_lines(text, g->w) > n && frame_more(c, last, s) < g->w)
        n--;
    wrap_draw(g, 0, y, g->w, n, s, text);
    const struct cell *end = grid_at(g, g->w - (g->w < WORDS ? MORE_BRIEF : MORE), last);
    if (v->msg.of && end && end->glyph == ' ')
        (void)frame_more(c, last, s);
}

/* Says what may be typed until something is: the part behind ';' only where there is room. */
static void prompt_offers(const struct canvas *c, int x, int y)
{
    const struct view *v = c->v;
    const bool table = kind_here(v)->table;
    const char *say = v->popup.kind                      ? "words of this text; Enter goes to the next line"
                      : v->prompt.kind == PROMPT_COMMAND ? "1.25s  g17  waits  sql SELECT ..; a time, a "
                                                           "goroutine, a view, an action: Tab completes"
                      : v->prompt.kind == PROMPT_FILTER  ? "NAME  g17  state=waiting  reason=lock  dur>1ms; "
                                                           "-NAME leaves out, Esc gives up"
                      : v->prompt.kind >= PROMPT_MARK    ? "a letter, a to z or A to Z; Esc gives up"
                      : v->prompt.kind != PROMPT_SEARCH  ? ""
                      : table                            ? "text of the rows to show; Esc gives up"
                                                         : "a function, a reason, a state, g17; Esc gives up";
    const char *more = strchr(say, ';');
    const int w = c->g->w - x, brief = more ? (int)(more - say) : 0;
    if (str_width(str_of(say), w + 1) <= w)
        grid_str(c->g, x, y, w, say, STYLE_DIM);
    else if (brief <= w)
        grid_text(c->g, x, y, w, (struct str){say, (uint32_t)brief}, STYLE_DIM);
}

static void prompt(const struct canvas *c, int y)
{
    static const char signs[] = {[PROMPT_COMMAND] = ':', [PROMPT_SEARCH] = '/', [PROMPT_FILTER] = '\\',
                                 [PROMPT_SLICE] = '>',   [PROMPT_MARK] = 'm',   [PROMPT_MARK_GO] = '\''};
    const struct view *v = c->v;
    struct grid *g = c->g;
    char line[VIEW_TEXT + 8];
    int w = g->w;
    if (v->msg.text[0] && y > 1)
        draw_message(c);
    grid_fill(g, 0, y, w, 1, ' ', STYLE_PROMPT);
    int x = 0;
    if (v->prompt.kind == PROMPT_SLICE && w >= 60)
        x = grid_str(g, 0, y, w, "a trace of this part, into file ", STYLE_PROMPT);
    const struct str before = {v->prompt.text, (uint32_t)v->prompt.at};
    str_tail(before, w - 2 - x, glyph_dots(v->scr.tier), line, sizeof line);
    grid_put(g, x, y, (unsigned char)signs[v->prompt.kind], STYLE_PROMPT);
    c->txt->screen_x = grid_str(g, x + 1, y, w - 1 - x, line, STYLE_PROMPT);
    str_safe(str_of(v->prompt.text + v->prompt.at), line, sizeof line);
    grid_str(g, c->txt->screen_x, y, w - c->txt->screen_x, line, STYLE_PROMPT);
    if (!v->prompt.len)
        prompt_offers(c, c->txt->screen_x + 2, y);
    c->txt->screen_y = y;
    if (c->txt->screen_x >= w)
        c->txt->screen_x = w - 1;
}

static void footer(const struct canvas *c)
{
    const struct view *v = c->v;
    struct grid *g = c->g;
    int y = g->h - 1, last = y;
    const bool shown = v->msg.text[0] && (c->plan.n[ROW_FOOTER] || g->h > 2);
    if (v->prompt.kind) {
        prompt(c, y);
        return;
    }
    if (shown) {
        (void)plan_message(&c->plan, v, &last);
        draw_message(c);
    }
    if (c->plan.n[ROW_FOOTER] && (!shown || last < y)) {
        grid_fill(g, 0, y, g->w, 1, ' ', STYLE_FOOTER);
        const int w = v->msg.cut && !v->popup.kind && !shown ? frame_more(c, y, STYLE_FOOTER) : g->w;
        if (c->txt->footer)
            keys(g, y, w, c->txt->footer);
    }
}

/* Returns the lines of the status that the message leaves. It ends there with the mark of a cut. */
static int status_rows(const struct view *v, const struct plan *p)
{
    int last;
    const int lines = plan_message(p, v, &last), n = last + 1 - lines - p->y[ROW_STATUS];
    return !v->msg.text[0] || n > p->n[ROW_STATUS] ? p->n[ROW_STATUS] : n;
}

bool frame_draw(struct grid *g, struct view *v, struct frame_text *txt)
{
    static const struct frame_text none;
    struct frame_text copy = txt ? *txt : none;
    struct canvas c = {.g = g, .v = v, .txt = &copy};
    move_settle(v); /* lanes may have been sorted, and the trace may have grown: check the invariants first */
    g->ascii = v->scr.tier == TIER_ASCII;
    (void)samples_update(&v->cache.samples, v->tr); /* without memory there are no ticks */
    (void)gstate_update(&v->cache.gstate, v->tr);   /* without memory, assists show only on processors */
    if (!draw_prepare(v) || !grid_resize(g, v->scr.w, v->scr.h))
        return false;
    const struct lanes *l = move_lanes_const(v);
    const bool timed = !kind_here(v)->table;
    plan_view(&c.plan, v, l ? l->n : tri_rows(v));
    g->axis = (struct axis){c.plan.gutter, timed ? v->at.win.t0 : 0, timed ? v->at.win.t1 : 0};
    copy.screen_x = copy.screen_y = -1;
    v->msg.cut = false;
    v->scr.listed.n = 0;
    if (c.plan.n[ROW_TITLE])
        draw_title(&c);
    ruler(&c);
    kind_here(v)->draw(g, v, &c.plan);
    if (c.plan.n[ROW_FILTER])
        filter_line(&c);
    if (c.plan.n[ROW_STRIP])
        strip(&c);
    if (c.plan.n[ROW_SPLIT])
        split_draw(g, v, c.plan.y[ROW_SPLIT], c.plan.n[ROW_SPLIT]);
    idle_follow(v);
    if (status_rows(v, &c.plan) > 0 && !status_draw(g, v, c.plan.y[ROW_STATUS], status_rows(v, &c.plan)))
        v->msg.cut = true;
    if (c.plan.n[ROW_LEGEND])
        legend(&c);
    popup_draw(g, v);
    if (copy.foot)
        copy.foot(copy.foot_arg);
    footer(&c);
    if (txt) {
        txt->screen_x = copy.screen_x;
        txt->screen_y = copy.screen_y;
    }
    return true;
}
