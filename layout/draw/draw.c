/*
 * draw.c - lanes and bands as cells.
 *
 * A column's exact time per state comes from trace_columns(); no span is looked at to colour a cell. What a
 * cell says: a processor's or thread's height is the share of the column in which it was busy and its style
 * what it was busy with most; a goroutine's glyph is what it mostly did, and one that mostly waits but did
 * something shows a low line in the style of that. Time that is there but short is rounded up, never away.
 *
 * Without colours (ascii, mono) a processor busy with anything but user code shows a letter, so that every
 * distinction survives.
 */
#include "layout/draw/draw.h"
#include "decode/base/rows.h"
#include "decode/base/wide.h"

#include <stdio.h>

#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "triage/activity/gstate.h"
#include "decode/model/item.h"
#include "layout/move/pick.h"
#include "triage/activity/samples.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"
#include "triage/tables/stacks.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"

void draw_free(struct view *v)
{
    mem_free(v->cache.edges);
    mem_free(v->cache.extents);
    mem_free(v->cache.cols);
}

bool draw_prepare(struct view *v)
{
    int n = v->scr.plot_w;
    if (n > v->cache.scratch_w) {
        int64_t *e = mem_resize(v->cache.edges, ((size_t)n + 1) * sizeof *e);
        if (!e)
            return false;
        v->cache.edges = e;
        struct extent *x = mem_resize(v->cache.extents, (size_t)n * 2 * sizeof *x);
        if (!x)
            return false;
        v->cache.extents = x;
        struct shares *cols = mem_resize(v->cache.cols, (size_t)n * sizeof *cols);
        if (!cols)
            return false;
        v->cache.cols = cols;
        v->cache.scratch_w = n;
    }
    window_edges(v->at.win, n, v->cache.edges);
    return true;
}

static int64_t busy_ns(const struct shares *s)
{
    return s->ns[ST_RUNNING] + s->ns[ST_GCWORK] + s->ns[ST_ASSIST] + s->ns[ST_SWEEP] + s->ns[ST_SYSCALL];
}

static enum state most_of(const struct shares *s, const enum state *which, int n)
{
    enum state best = which[0];
    int64_t most = s->ns[best];
    for (int i = 1; i < n; i++) {
        const int64_t ns = s->ns[which[i]];
        best = ns > most ? which[i] : best;
        most = ns > most ? ns : most;
    }
    return best;
}

static const enum state work[] = {ST_RUNNING, ST_GCWORK, ST_ASSIST, ST_SWEEP, ST_SYSCALL};
static const enum state active[] = {ST_RUNNABLE, ST_RUNNING, ST_GCWORK, ST_ASSIST, ST_SWEEP, ST_SYSCALL};
static const enum state all[] = {ST_RUNNABLE, ST_RUNNING, ST_GCWORK,  ST_ASSIST,
                                 ST_SWEEP,    ST_SYSCALL, ST_WAITING, ST_UNKNOWN};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static bool by_letter(const struct view *v, enum state s)
{
    return s != ST_RUNNING && (v->scr.tier == TIER_ASCII || v->scr.mono);
}

static enum style style_of(enum state s)
{
    return (enum style)(STYLE_STATE + (int)s);
}

/* Returns the part of a share shown in line r, counted from below, of a lane of h lines. Above the first line
 * steps are quarters: finer ones would be noise, and what is short stands in the first. */
static int64_t draw_part_of(int64_t busy, int64_t len, int h, int r)
{
    uint64_t rest;
    if (busy <= 0 || len <= 0)
        return 0;
    const uint64_t full = wide_muldiv_rem((uint64_t)busy, (unsigned)h, (uint64_t)len, &rest);
    if (full != (unsigned)r)
        return full > (unsigned)r ? len : 0;
    return r ? (int64_t)wide_muldiv(wide_muldiv(rest, 4, (uint64_t)len), (uint64_t)len, 4) : (int64_t)rest;
}

static int height(const struct view *v, enum lane_kind k)
{
    return k != LANE_G && v->scr.lane_h > 1 ? v->scr.lane_h : 1;
}

/* ---- processors and threads ---------------------------------------------------------------------------- */

struct lane_pen {
    struct grid *g;
    struct view *v;
    struct assists own; /* for a goroutine's lane: what the model calls running may be another state */
    struct lane l;
    enum state usual; /* its main state in the whole trace, waiting excepted */
    int x, y, h;      /* y: the lowest of its h lines */
    bool lost;        /* a processor of a damaged trace: without a record its state is unknown */
};

/* Draws a column of a processor from s->cols. */
static void cell_p(const struct lane_pen *k, int column)
{
    const struct view *v = k->v;
    struct grid *g = k->g;
    const struct shares *s = &k->v->cache.cols[column];
    const int64_t len = v->cache.edges[column + 1] - v->cache.edges[column], busy = busy_ns(s);
    const int x = k->x + column, y = k->y, h = k->h;
    if (!busy) {
        if (s->ns[ST_SCHED] > len / 2)
            grid_put(g, x, y, glyph_state(v->scr.tier, ST_SCHED), STYLE_SCHED);
        else if (k->lost && s->ns[ST_SCHED] + s->ns[ST_IDLE] < len - len / 2)
            grid_put(g, x, y, glyph_state(v->scr.tier, ST_UNKNOWN), STYLE_UNKNOWN);
        return;
    }
    enum state most = most_of(s, work, COUNT(work));
    for (int r = 0; r < h; r++) {
        int64_t part = draw_part_of(busy, len, h, r);
        uint32_t glyph = by_letter(v, most) && !r ? glyph_busy(most, busy * 2 >= len)
                                                  : glyph_level(v->scr.tier, part, len);
        if (h > 1 && r == h - 1 && part >= len && v->scr.tier != TIER_BLOCK)
            glyph = glyph_height(v->scr.tier, 7); /* keeps full lanes of several lines apart */
        if (part > 0)
            grid_put(g, x, y - r, glyph, style_of(most));
    }
}

/* At a near zoom, a column in which work starts or ends once shows where, to an eighth, instead of how much.
 * That is only next to a full column, and if the column has exactly the two spans; else the height is
 * right. */
static void edge_p(const struct lane_pen *k, int c)
{
    const struct view *v = k->v;
    const struct shares *s = k->v->cache.cols;
    const int64_t *e = v->cache.edges;
    int n = v->scr.plot_w;
    int64_t len = e[c + 1] - e[c], busy = busy_ns(&s[c]);
    if (busy <= len / 16 || busy >= len - len / 16 || len < 16)
        return;
    bool left = c > 0 && busy_ns(&s[c - 1]) == e[c] - e[c - 1];
    bool right = c + 1 < n && busy_ns(&s[c + 1]) == e[c + 2] - e[c + 1];
    if (left == right || trace_count(v->tr, k->l, e[c], e[c + 1]) != 2)
        return;
    enum state most = most_of(&s[c], work, COUNT(work));
    int eighths = (int)wide_muldiv((uint64_t)busy, 8, (uint64_t)len);
    eighths = eighths < 1 ? 1 : eighths > 7 ? 7 : eighths;
    for (int r = 0; r < k->h; r++) {
        grid_put(k->g, k->x + c, k->y - r, glyph_left(v->scr.tier, left ? eighths : 8 - eighths),
                 style_of(most));
        if (right)
            grid_flags(k->g, k->x + c, k->y - r, 1, 1, CELL_REVERSE);
    }
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

/* Draws a goroutine's cell; `trace` is the glyph if it mostly waited but did something (act). */
static void put_what(struct grid *g, const struct view *v, enum state most, enum state act, uint32_t trace,
                     int x, int y)
{
    if ((most == ST_WAITING || most == ST_UNKNOWN) && act != ST_NONE)
        grid_put(g, x, y, trace, style_of(act));
    else if ((v->scr.mono || v->scr.tier == TIER_ASCII) &&
             (most == ST_GCWORK || most == ST_ASSIST || most == ST_SWEEP))
        grid_put(g, x, y, glyph_busy(most, true), style_of(most));
    else
        grid_put(g, x, y, glyph_state(v->scr.tier, most), style_of(most));
}

static void cell_what(struct grid *g, const struct view *v, const struct shares *s, enum state act,
                      uint32_t trace, int x, int y)
{
    const enum state rest[] = {most_of(s, active, COUNT(active)), ST_WAITING, ST_UNKNOWN};
    const enum state most = most_of(s, rest, COUNT(rest)); /* of all */
    if (s->ns[most])
        put_what(g, v, most, s->ns[act] ? act : ST_NONE, trace, x, y);
}

static int64_t there_ns(const struct shares *s)
{
    int64_t there = 0;
    for (int i = 0; i < COUNT(all); i++)
        there = ns_add(there, s->ns[all[i]]);
    return there;
}

/* Draws what a goroutine that mostly waits did in a column. If a state leads its usual one by less than an
 * eighth of the column, which is no visible difference, the usual state shows, so that the lane doesn't
 * flicker. */
static void cell_g(const struct lane_pen *k, int column)
{
    const struct shares *s = &k->v->cache.cols[column];
    const enum state most = most_of(s, active, COUNT(active));
    const bool close = s->ns[k->usual] > 0 && s->ns[most] - s->ns[k->usual] < there_ns(s) / 8;
    cell_what(k->g, k->v, s, close ? k->usual : most, glyph_mark(k->v->scr.tier, MARK_TRACE), k->x + column,
              k->y);
}

void draw_group(struct grid *g, const struct view *v, const struct shares *col, int x, int y)
{
    for (int c = 0; c < v->scr.plot_w; c++) {
        int64_t busy = 0;
        for (int i = 0; i < COUNT(active); i++)
            busy = ns_add(busy, col[c].ns[active[i]]);
        cell_what(g, v, &col[c], most_of(&col[c], active, COUNT(active)),
                  glyph_level(v->scr.tier, busy, there_ns(&col[c])), x + c, y);
    }
}

/* ---- names in spans ------------------------------------------------------------------------------------ */

enum { NAME_COLS = 6 }; /* narrower spans get no name */

struct naming {
    struct grid *g;
    const struct view *v;
    struct lane l;
    int x, y, named;
};

/* Draws it whole or not at all: parts of it mean nothing. */
static void whole_word(struct str text, int w, char *out, size_t size)
{
    if (str_width(text, w + 1) <= w)
        str_head(text, w, out, size);
}

static void name_span(const struct naming *k, const struct span *s, int w, char *out, size_t size)
{
    const struct view *v = k->v;
    bool ascii = glyph_dots(v->scr.tier);
    enum wait_kind wait;
    out[0] = 0;
    if (k->l.kind != LANE_G) {
        if (s->label)
            whole_word(trace_str(v->tr, s->label), w, out, size);
        else if (s->who != NO_LANE)
            name_goroutine(v, s->who, w, out, size);
        return;
    }
    switch (s->state) {
    case ST_WAITING:
        wait = stacks_wait_kind(v->tr, s->reason, s->stack);
        whole_word(wait != WK_OTHER || !s->reason ? str_of(stacks_wait_name(v->tr, wait, s->stack))
                                                  : trace_str(v->tr, s->reason),
                   w, out, size);
        break;
    case ST_RUNNABLE:
        whole_word(s->reason ? trace_str(v->tr, s->reason) : str_of(state_name(ST_RUNNABLE)), w, out, size);
        break;
    case ST_SYSCALL:
        str_shorten(trace_str(v->tr, name_function(v->tr, s->stack, true)), w, ascii, out, size);
        break;
    case ST_UNKNOWN: whole_word(str_of(state_name(ST_UNKNOWN)), w, out, size); break;
    default:
        if (s->label)
            whole_word(trace_str(v->tr, s->label), w, out, size);
        else if (s->who != NO_LANE)
            snprintf(out, size, "%s", name_lane(v, lane_p(s->who)).s);
        if (str_width(str_of(out), w + 1) > w)
            out[0] = 0;
    }
}

/* Draws a name in the styles of the cells below it: what the model calls running may be mark assists or a
 * mark worker's work. */
static void put_over(struct grid *g, int x, int y, int w, const char *name)
{
    uint16_t was[256];
    const int n = w < (int)(sizeof was / sizeof *was) ? w : (int)(sizeof was / sizeof *was);
    for (int i = 0; i < n; i++)
        was[i] = grid_at(g, x + i, y) ? grid_at(g, x + i, y)->style : STYLE_NORMAL;
    grid_str(g, x, y, w, name, STYLE_NORMAL);
    for (int i = 0; i < n && grid_at(g, x + i, y); i++)
        g->cells[(size_t)y * (size_t)g->w + (size_t)(x + i)].style = was[i];
}

static bool put_name(void *arg, const struct span *s)
{
    struct naming *k = arg;
    const struct view *v = k->v;
    if (k->l.kind != LANE_G && (s->state == ST_IDLE || s->state == ST_SCHED))
        return true;
    int n = v->scr.plot_w, c0 = window_col(v->at.win, n, s->t0), c1 = window_col(v->at.win, n, s->t1);
    c0 = c0 < 0 ? 0 : s->t0 > v->cache.edges[c0] ? c0 + 1 : c0; /* whole columns only */
    if (c1 > n)
        c1 = n;
    int from = s->t0 >= v->at.win.t0 ? c0 + 1 : c0, w = c1 - from - 1;
    if (w < NAME_COLS - 2)
        return true;
    char name[256];
    name_span(k, s, w, name, sizeof name);
    int used = str_width(str_of(name), w);
    if (!used)
        return true;
    put_over(k->g, k->x + from, k->y, used, name);
    if (s->state != ST_WAITING && s->state != ST_UNKNOWN)
        grid_flags(k->g, k->x + from, k->y, used, 1, CELL_REVERSE);
    return ++k->named < n;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void draw_columns(struct lane_pen *k)
{
    struct view *v = k->v;
    const struct lane l = k->l;
    const int64_t *e = v->cache.edges;
    const int n = v->scr.plot_w;
    trace_columns(v->tr, l, e, (uint32_t)n, v->cache.cols);
    for (int c = 0; c < n; c++) {
        if (e[c + 1] <= e[c])
            continue;
        gstate_tell(&k->own, v->tr, e[c], e[c + 1], &v->cache.cols[c]);
        if (l.kind == LANE_G)
            cell_g(k, c);
        else
            cell_p(k, c);
    }
    if (l.kind != LANE_G && v->scr.tier == TIER_EIGHTH && !v->scr.mono)
        for (int c = 0; c < n; c++)
            edge_p(k, c);
}

/* Draws a thread's state as unknown after its record ends. */
static void beyond_record(const struct lane_pen *k)
{
    const struct view *v = k->v;
    const int64_t known = record_until(v, k->l), end = trace_info(v->tr)->end;
    for (int c = 0; known < end && c < v->scr.plot_w && v->cache.edges[c] < end; c++)
        if (v->cache.edges[c] >= known)
            grid_put(k->g, k->x + c, k->y, glyph_state(v->scr.tier, ST_UNKNOWN), STYLE_UNKNOWN);
}

void draw_lane(struct grid *g, struct view *v, struct lane l, int x, int y)
{
    const int n = v->scr.plot_w;
    struct shares whole;
    struct lane_pen k = {.g = g, .v = v, .l = l, .x = x, .y = y, .h = height(v, l.kind)};
    k.own = gstate_assists(v->cache.gstate, v->tr, l);
    k.lost = l.kind == LANE_P && triage_part_missing(v->tr);
    trace_shares(v->tr, l, 0, trace_info(v->tr)->end, &whole);
    k.usual = most_of(&whole, active, COUNT(active));
    draw_columns(&k);
    beyond_record(&k);
    if (v->scr.names && n >= NAME_COLS) {
        struct naming names = {g, v, l, x, y, 0};
        int64_t min = time_muldiv(window_len(v->at.win), NAME_COLS, n);
        trace_wide(v->tr, l,
                   &(struct wide_ask){v->at.win.t0, v->at.win.t1, min > 0 ? min : 1, put_name, &names, 0});
    }
}

/* ---- marks on a lane ----------------------------------------------------------------------------------- */

struct marking {
    struct grid *g;
    const struct view *v;
    struct lane l;
    int x, y, left;
};

static bool is_marked(const struct marking *k, int c0, int c1)
{
    for (int c = c0; c <= c1; c++) {
        const struct cell *at = grid_at(k->g, k->x + c, k->y);
        if (at && !(at->flags & CELL_UNDERLINE))
            return false;
    }
    return true;
}

static bool mark_span(void *arg, const struct span *s)
{
    struct marking *k = arg;
    const struct view *v = k->v;
    int n = v->scr.plot_w, c0 = window_col(v->at.win, n, s->t0), c1 = window_col(v->at.win, n, s->t1 - 1);
    c0 = c0 < 0 ? 0 : c0;
    c1 = c1 < 0 || c1 >= n ? n - 1 : c1;
    if (!is_marked(k, c0, c1) && pick_span(v, k->l, s))
        grid_flags(k->g, k->x + c0, k->y, c1 - c0 + 1, 1, CELL_UNDERLINE);
    return --k->left > 0;
}

void draw_matches(struct grid *g, const struct view *v, struct lane l, int x, int y)
{
    enum { EACH = 1500 };
    struct marking k = {g, v, l, x, y, EACH};
    struct span_iter it;
    struct window w = v->at.win;
    if (!v->filters.all || filter_whole(v->filters.all))
        return;
    if (trace_count(v->tr, l, w.t0, w.t1) > EACH) { /* spans of at least a column */
        int64_t min = window_len(w) / v->scr.plot_w, wide = filter_wide(v->filters.all);
        trace_wide(v->tr, l,
                   &(struct wide_ask){w.t0, w.t1,
                                      wide > min ? wide
                                      : min > 0  ? min
                                                 : 1,
                                      mark_span, &k, 0});
        return;
    }
    each_span(s, it, v->tr, l, w.t0)
        if (s->t0 >= w.t1 || (s->t1 > w.t0 && !mark_span(&k, s)))
            return;
}

void draw_samples(struct grid *g, const struct view *v, struct lane l, int x, int y)
{
    const struct sample *s;
    const uint32_t *list;
    size_t n = samples_in(v->cache.samples, v->tr, l, v->at.win.t0, v->at.win.t1, &list), i = 0;
    if (!n)
        return;
    trace_samples(v->tr, &s);
    for (int c = 0; c < v->scr.plot_w && i < n; c++) {
        const struct cell *at = grid_at(g, x + c, y);
        const size_t first = i; /* continue at the first sample after this column */
        bisect(i, n, k, s[list[k]].t < v->cache.edges[c + 1]);
        if (i == first || !at || at->flags & CELL_REVERSE) /* keep the name of its span */
            continue;
        /* Over a full cell the tick is reversed in the state's colour; otherwise it has its own. */
        bool full =
            at->glyph == glyph_height(v->scr.tier, 8) || at->glyph == glyph_state(v->scr.tier, ST_RUNNING);
        grid_put(g, x + c, y, glyph_mark(v->scr.tier, MARK_SAMPLE),
                 full ? (enum style)at->style : STYLE_SAMPLE);
        if (full)
            grid_flags(g, x + c, y, 1, 1, CELL_REVERSE);
    }
}

void draw_band(struct grid *g, struct view *v, enum band b, int x, int y)
{
    const enum state is = item_state(b);
    const int64_t *e = v->cache.edges;
    const int n = v->scr.plot_w;
    int level = 0;
    if (trace_nlanes(v->tr, LANE_BAND) <= (uint32_t)b)
        return;
    trace_columns(v->tr, (struct lane){LANE_BAND, (uint32_t)b}, e, (uint32_t)n, v->cache.cols);
    for (int c = 0; c < n; c++) {
        const int64_t len = e[c + 1] - e[c], on = v->cache.cols[c].ns[is];
        level = on <= 0 ? 0 : draw_level((uint64_t)(on + len / 16), (uint64_t)len, 8, level);
        if (on <= 0)
            continue;
        uint32_t glyph = b != BAND_STW ? glyph_height(v->scr.tier, level)
                                       : glyph_mark(v->scr.tier, on * 2 >= len ? MARK_STW_FULL : MARK_STW);
        grid_put(g, x + c, y, glyph, style_of(is));
    }
}

void draw_dark(struct grid *g, const struct view *v, int x, int y, int h)
{
    const size_t n = v->scr.plot_w > 0 ? (size_t)v->scr.plot_w : 0;
    const int64_t *e = v->cache.edges;
    struct shares *cols = v->cache.cols, whole;
    const bool any = n && trace_nlanes(v->tr, LANE_P) && triage_part_missing(v->tr);
    bool *dark = any ? mem_alloc(n * sizeof *dark) : NULL;
    for (size_t c = 0; dark && c < n; c++)
        dark[c] = e[c + 1] > e[c];
    for (uint32_t p = 0; dark && p < trace_nlanes(v->tr, LANE_P); p++) {
        const struct lane l = {LANE_P, p};
        trace_shares(v->tr, l, e[0], e[n], &whole);
        if (whole.ns[ST_NONE] >= e[n] - e[0])
            continue; /* it has no record here at all */
        trace_columns(v->tr, l, e, (uint32_t)n, cols);
        for (size_t c = 0; c < n; c++)
            dark[c] = dark[c] && cols[c].ns[ST_NONE] >= e[c + 1] - e[c];
    }
    for (size_t c = 0; dark && c < n; c++)
        if (dark[c])
            grid_fill(g, x + (int)c, y, 1, h, glyph_state(v->scr.tier, ST_UNKNOWN), STYLE_UNKNOWN);
    mem_free(dark);
}

void draw_unloaded(struct grid *g, const struct view *v, int x, int y, int h)
{
    const struct trace_info *ti = trace_info(v->tr);
    if (ti->done)
        return;
    for (int c = 0; c < v->scr.plot_w; c++)
        if (v->cache.edges[c + 1] > ti->end)
            grid_fill(g, x + c, y, 1, h, '?', STYLE_LOADING);
}
