/*
 * frame_rows.c - the rows of a time axis: bands and curves, and lanes below them.
 */
#include "layout/draw/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/why.h"
#include "layout/move/kind.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/move/search.h"
#include "layout/move/folded.h"
#include "layout/cells/fmt.h"
#include "triage/triage.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"
#include "layout/move/pick.h"

struct canvas {
    struct grid *g;
    struct view *v;
    const struct plan *plan;
};

/* ---- bands and curves ---------------------------------------------------------------------------------- */

/* Draws a name and a number in the gutter, the number right-aligned. If both don't fit, the name is cut
 * while it stays readable. */
static void gutter(const struct canvas *c, int y, const char *name, const char *note, enum style s)
{
    enum { LEAST = 4 };
    const int w = c->plan->gutter - 1, room = w - str_width(str_of(note), 64) - 1;
    const bool ours = s == STYLE_LANE; /* fixed words are never cut */
    const bool both = room >= str_width(str_of(name), 64) || (!ours && room >= LEAST);
    grid_str(c->g, 0, y, both && *note ? room : w, name, s);
    if (both)
        grid_right(c->g, 0, y, w, note, STYLE_LANE_NOTE);
}

/* Writes a share beside a lane without decimals, which would change with each step and say no more. */
static char *gutter_share(int64_t part, int64_t whole, char out[FMT_MAX])
{
    const double p = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    if (p > 0 && p < 1)
        snprintf(out, FMT_MAX, "<1%%");
    else
        snprintf(out, FMT_MAX, "%.0f%%", p > 99 && part < whole ? 99 : p);
    return out;
}

static const struct {
    enum row row;
    const char *name;
} band_rows[BAND_COUNT] = {[BAND_GC] = {ROW_GC, "GC"},
                           [BAND_STW] = {ROW_STW, "STW"},
                           [BAND_SWEEP] = {ROW_SWEEP, "sweep"},
                           [BAND_ASSIST] = {ROW_ASSIST, "assist"}};

static void band(const struct canvas *c, enum band b, int y)
{
    const struct view *v = c->v;
    char note[FMT_MAX] = "";
    const int64_t end = trace_info(v->tr)->end, t0 = v->at.win.t0,
                  t1 = v->at.win.t1 < end ? v->at.win.t1 : end; /* as far as it is decoded */
    const int64_t ns = tri_in_band(v->tr, b, t0, t1);
    if (t1 > t0 && b == BAND_STW)
        when_dur(v->tr, ns, note);
    else if (t1 > t0)
        gutter_share(ns, time_sub(t1, t0), note);
    const bool known = b != BAND_ASSIST || triage_knows_assists(v->tr);
    gutter(c, y, band_rows[b].name, known ? note : "?", STYLE_LANE);
    if (known)
        draw_band(c->g, c->v, b, c->plan->gutter, y);
    else
        grid_str(c->g, c->plan->gutter, y, c->plan->plot_w, "not recorded before Go 1.9", STYLE_DIM);
}

/* A band may be on where nothing is recorded; what is known of it is drawn over that. */
static void bands(const struct canvas *c)
{
    const struct plan *plan = c->plan;
    draw_dark(c->g, c->v, plan->gutter, plan->y[ROW_GC], plan->y[ROW_NONE] - plan->y[ROW_GC]);
    for (uint32_t b = 0; b < BAND_COUNT; b++)
        if (plan->n[band_rows[b].row])
            band(c, (enum band)b, plan->y[band_rows[b].row]);
}

static void heap_row(const struct canvas *c, int y, int h)
{
    uint64_t here = 0, goal = 0;
    char a[FMT_MAX];
    bool any = draw_heap(c->g, c->v, (struct draw_at){c->plan->gutter, y, h}, &here, &goal);
    gutter(c, y, "heap", here ? fmt_bytes(here, a) : "", STYLE_LANE); /* 0: not known here */
    if (h > 1 && goal)
        gutter(c, y + 1, "goal", goal_none(goal) ? "none" : fmt_bytes(goal, a), STYLE_LANE);
    if (!any && trace_info(c->v->tr)->done)
        grid_str(c->g, c->plan->gutter, y, c->plan->plot_w, "no heap sizes in this trace", STYLE_DIM);
}

static void run_queue(const struct canvas *c, int y, int h)
{
    static const struct draw_count queue = {GC_RUNNABLE, STYLE_RUNQ, STYLE_RUNQ_OVER};
    uint64_t here, most;
    char a[FMT_MAX];
    const bool any = draw_count(c->g, c->v, &queue, (struct draw_at){c->plan->gutter, y, h}, &here, &most);
    gutter(c, y, "queue", any ? fmt_count(here, a) : "", STYLE_LANE);
    if (h > 1 && any)
        gutter(c, y + 1, "max", fmt_count(most, a), STYLE_LANE);
}

/* Writes a count in so many columns: "1024", "12k", "1.2M"; in full if even that does not fit. */
static char *count_fit(uint64_t n, int room, char out[FMT_MAX])
{
    const unsigned long long u = n;
    fmt_count(n, out);
    if ((int)strlen(out) > room && room >= 4 && n >= 1000) {
        if (n < 1000000)
            snprintf(out, FMT_MAX, "%lluk", u / 1000);
        else if (n < 9950000)
            snprintf(out, FMT_MAX, "%.1fM", (double)n / 1e6);
        else
            snprintf(out, FMT_MAX, "%lluM", u / 1000000);
    }
    return out;
}

/* Draws the number of goroutines in a state. */
static void state_count(const struct canvas *c, int i, int y)
{
    static const char *const names[] = {"running", "runnable", "syscall", "waiting"};
    static const struct draw_count rows[] = {{GC_RUNNING, STYLE_RUNNING, 0},
                                             {GC_RUNNABLE, STYLE_RUNNABLE, 0},
                                             {GC_SYSCALL, STYLE_SYSCALL, 0},
                                             {GC_WAITING, STYLE_WAITING, 0}};
    uint64_t here, most;
    char a[FMT_MAX];
    const bool any = draw_count(c->g, c->v, &rows[i], (struct draw_at){c->plan->gutter, y, 1}, &here, &most);
    const int room = c->plan->gutter - 2 - (int)strlen(names[i]);
    gutter(c, y, names[i], any ? count_fit(here, room, a) : "", STYLE_LANE);
}

static void curves(const struct canvas *c)
{
    const struct plan *plan = c->plan;
    if (plan->n[ROW_HEAP])
        heap_row(c, plan->y[ROW_HEAP], plan->n[ROW_HEAP]);
    if (plan->n[ROW_RUNQ])
        run_queue(c, plan->y[ROW_RUNQ], plan->n[ROW_RUNQ]);
    for (int i = 0; i < plan->n[ROW_STATES]; i++)
        state_count(c, i, plan->y[ROW_STATES] + i);
}

/* Lists what the whole trace has none of. */
static void none_row(const struct canvas *c)
{
    const struct {
        enum row row;
        const char *text;
    } of[] = {{ROW_GC, "no GC cycle"},
              {ROW_STW, "no stop-the-world"},
              {ROW_SWEEP, "no sweeping"},
              {ROW_ASSIST, triage_knows_assists(c->v->tr) ? "no mark assist" : "mark assists not recorded"},
              {ROW_HEAP, "no heap sizes"}};
    char text[160];
    size_t n = 0;
    if (!c->plan->n[ROW_NONE])
        return;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (plan_empty(c->v, of[i].row) && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", of[i].text);
    grid_str(c->g, 0, c->plan->y[ROW_NONE], c->g->w, n ? text : "", STYLE_LANE_NOTE);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

/* Gets the time per state of a processor or thread in the window, up to the trace's end, and how much of it
 * is recorded. */
static int64_t recorded_shares(const struct view *v, struct lane l, struct shares *sh, bool *all)
{
    int64_t end = trace_info(v->tr)->end, t1 = v->at.win.t1 < end ? v->at.win.t1 : end;
    *all = true;
    if (t1 <= v->at.win.t0)
        return 0;
    record_shares(v, l, v->at.win.t0, t1, sh);
    int64_t len = time_sub(t1, v->at.win.t0), lost = sh->ns[ST_UNKNOWN];
    if (l.kind == LANE_P && sh->ns[ST_NONE] && triage_part_missing(v->tr)) /* else it was not there */
        lost += sh->ns[ST_NONE];
    *all = lost <= len / 100;
    return len - lost;
}

/* Writes how busy it was: a share of the recorded time, marked if that is not all. */
static void busy_note(const struct canvas *c, struct lane l, char out[FMT_MAX])
{
    struct shares sh;
    bool all;
    int64_t of = recorded_shares(c->v, l, &sh, &all);
    char p[FMT_MAX];
    out[0] = 0;
    if (of > 0)
        snprintf(out, FMT_MAX, "%.*s%s", FMT_MAX - 2,
                 gutter_share(sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP] +
                                  sh.ns[ST_SYSCALL],
                              of, p),
                 all ? "" : "?");
    else if (!all)
        snprintf(out, FMT_MAX, "?");
}

/* Draws a number beside a name in so many columns: without decimals if needed, or not at all. */
static void note_fit(char d[FMT_MAX], int room)
{
    char unit[8], *end;
    if ((int)strlen(d) > room && d[0] >= '0' && d[0] <= '9' && strchr(d, '.')) {
        const double n = strtod(d, &end);
        snprintf(unit, sizeof unit, "%s", end);
        snprintf(d, FMT_MAX, "%.0f%s", n, unit);
    }
    if ((int)strlen(d) > room)
        d[0] = 0;
}

static void lane_name(const struct canvas *c, struct lane l, int y, bool focus)
{
    const struct view *v = c->v;
    int w = c->plan->gutter - 1;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_LANE;
    char name[300], note[FMT_MAX] = "";
    if (w < 1)
        return;
    uint32_t members = l.kind == LANE_G ? folded_members(v, l.i) : 0;
    if (members) {
        char n[FMT_MAX];
        snprintf(note, sizeof note, "x%s", fmt_count(members, n));
        int room = w - (int)strlen(note) - 1;
        struct str of = trace_str(v->tr, trace_lane(v->tr, l).name);
        str_shorten(of.len ? of : str_of("no name"), room > 4 ? room : w, glyph_dots(v->scr.tier), name,
                    sizeof name);
    } else if (l.kind == LANE_G) {
        name_goroutine(v, l.i, w, name, sizeof name);
    } else {
        str_shorten(str_of(name_lane(v, l).s), w, glyph_dots(v->scr.tier), name,
                    sizeof name); /* a cut id would be another id */
        busy_note(c, l, note);
        note_fit(note, w - str_width(str_of(name), 64) - 1);
    }
    gutter(c, y, name, note, s);
    if (focus)
        grid_put(c->g, w, y, '>', STYLE_LANE_FOCUS);
    else if (lanes_pinned(move_lanes_const(v), l.i))
        grid_put(c->g, w, y, '!', STYLE_LANE_NOTE);
}

static void more_marks(const struct canvas *c, const struct lanes *l)
{
    const struct plan *p = c->plan;
    int w = p->gutter - 1, y0 = p->y[ROW_LANES], y1 = y0 + p->n[ROW_LANES] - 1;
    if (w < 1)
        return;
    const struct cell *a = grid_at(c->g, w, y0), *b = grid_at(c->g, w, y1);
    if (c->v->at.top > 0 && a && a->glyph == ' ')
        grid_put(c->g, w, y0, glyph_mark(c->v->scr.tier, MARK_MORE_UP), STYLE_DIM);
    if (c->v->at.top + (uint32_t)c->v->scr.rows < l->n && b && b->glyph == ' ')
        grid_put(c->g, w, y1, glyph_mark(c->v->scr.tier, MARK_MORE_DOWN), STYLE_DIM);
}

/* Marks a column of a goroutine's lane, if that shows. */
static void mark_cell(const struct canvas *c, const struct lanes *l, uint32_t g, int col, uint16_t flags)
{
    const uint32_t row = g == NO_LANE ? NO_LANE : lanes_row(l, g);
    const int y = row == NO_LANE ? -1 : kind_row_y(c->v, row);
    if (y >= 0)
        grid_flags(c->g, c->plan->gutter + col, y, 1, 1, flags);
}

/* Underlines the cells with search hits of the visible goroutines. */
static void hit_marks(const struct canvas *c, const struct lanes *l)
{
    const struct view *v = c->v;
    const struct search *s = v->search;
    if (!s || !s->done || s->hidden || l->kind != LANE_G)
        return;
    enum { EACH = 24 }; /* of a column; a screen has no more lanes than that often */
    for (int col = 0; col < c->plan->plot_w; col++) {
        size_t i =
            v->cache.edges[col + 1] > v->cache.edges[col] ? search_from(s, v->cache.edges[col]) : s->nhits;
        for (int left = EACH; left > 0 && i < s->nhits && s->hits[i].t < v->cache.edges[col + 1]; i++, left--)
            mark_cell(c, l, s->hits[i].g, col, CELL_UNDERLINE | CELL_BOLD);
    }
}

/* Underlines whose time an explanation counts, moment by moment, if only its goroutines show. */
static void why_marks(const struct canvas *c, const struct lanes *l)
{
    const struct view *v = c->v;
    enum { EACH = 64 }; /* of a column */
    if (l->kind != LANE_G || !why_shown(v))
        return;
    for (int col = 0; col < c->plan->plot_w; col++) {
        uint32_t i = why_leaf_from(v->why, v->cache.edges[col]);
        for (int left = EACH; left > 0 && i < v->why->nleaves && v->why->leaf[i].t0 < v->cache.edges[col + 1];
             i++, left--)
            mark_cell(c, l, v->why->leaf[i].g, col, CELL_UNDERLINE);
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
    grid_str(c->g, c->plan->gutter, c->plan->y[ROW_LANES], c->plan->plot_w, buf, STYLE_DIM);
}

/* Draws above the name of a tall lane how much of its work was GC or system calls. */
static void lane_work(const struct canvas *c, struct lane l, int y)
{
    const struct view *v = c->v;
    struct shares sh;
    char note[FMT_MAX + 8], p[FMT_MAX];
    bool all;
    int64_t of = recorded_shares(v, l, &sh, &all);
    int64_t gc = of > 0 ? sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP] : 0;
    if (of <= 0 || gc < of / 100)
        return;
    snprintf(note, sizeof note, "GC %s%s", gutter_share(gc, of, p), all ? "" : "?");
    grid_right(c->g, 0, y, c->plan->gutter - 1, note, STYLE_LANE_NOTE);
}

/* Draws the row of a folded group. */
static void one_group(const struct canvas *c, uint32_t lane, int y, bool focus)
{
    const struct view *v = c->v;
    const struct plan *p = c->plan;
    const struct shares *col = folded_of(v, lane);
    char text[40];
    snprintf(text, sizeof text, "adding up, %d%%", folded_share(v));
    if (col)
        draw_group(c->g, v, col, p->gutter, y);
    else
        grid_str(c->g, p->gutter, y, p->plot_w, text, STYLE_DIM);
    if (focus)
        grid_toggle(c->g, p->gutter + window_col(v->at.win, p->plot_w, v->at.cursor), y, CELL_REVERSE);
}

/* Draws a lane of h lines; y is the lowest. */
static void one_lane(const struct canvas *c, struct lane at, int y, int h, bool focus)
{
    struct view *v = c->v;
    const struct plan *p = c->plan;
    draw_lane(c->g, v, at, p->gutter, y);
    draw_samples(c->g, v, at, p->gutter, y);
    draw_matches(c->g, v, at, p->gutter, y);
    draw_unloaded(c->g, v, p->gutter, y - h + 1, h);
    for (int r = 0; r < h && focus; r++)
        grid_toggle(c->g, p->gutter + window_col(v->at.win, p->plot_w, v->at.cursor), y - r, CELL_REVERSE);
}

/* Marks where the guest goroutine was unblocked. */
static void guest_mark(const struct canvas *c, int y)
{
    int col = window_col(c->v->at.win, c->plan->plot_w, c->v->at.guest_t);
    if (col >= 0 && col < c->plan->plot_w)
        grid_put(c->g, c->plan->gutter + col, y, glyph_mark(c->v->scr.tier, MARK_HIT), STYLE_HIT);
}

static void lane_row(const struct canvas *c, struct lane l, int y, bool focus)
{
    const int h = c->plan->lane_h, foot = y + h - 1; /* its name stands where its bars do */
    lane_name(c, l, foot, focus);
    if (h > 1)
        lane_work(c, l, foot - 1);
    if (l.kind == LANE_G && folded_members(c->v, l.i))
        one_group(c, l.i, y, focus);
    else
        one_lane(c, l, foot, h, focus);
}

static void lane_rows(const struct canvas *c)
{
    struct view *v = c->v;
    const struct lanes *l = move_lanes_const(v);
    if (l->n && l->kind == LANE_G)
        folded_follow(v);
    for (int i = 0, y = c->plan->y[ROW_LANES], lines; i < v->scr.rows; i++, y += lines) {
        const uint32_t row = view_line_row(v, i);
        const struct lane at = {l->kind, lanes_at(l, row)};
        const bool focus = at.i == v->at.focus.i;
        if (at.i == NO_LANE)
            break;
        lines = c->plan->lane_h + (focus ? v->scr.unfold_n : 0);
        lane_row(c, at, y, focus);
        kind_listed(v, row, y, lines);
    }
}

/* Draws what is between and on top of lanes. */
static void lanes_end(const struct canvas *c)
{
    struct view *v = c->v;
    const struct lanes *l = move_lanes_const(v);
    const struct plan *p = c->plan;
    if (!l->n) {
        no_lanes(c, l->kind);
        return;
    }
    for (int i = 0; i < v->scr.listed.n; i++) {
        const uint32_t lane = lanes_at(l, v->scr.listed.row[i]);
        const int y = v->scr.listed.y[i];
        if (l->kind == LANE_G && lane + 1 == v->at.guest)
            guest_mark(c, y);
        if (lane == v->at.focus.i && v->scr.unfold_n)
            unfold_draw(c->g, v, p->gutter, y + 1, v->scr.unfold_n);
    }
    hit_marks(c, l);
    why_marks(c, l);
    more_marks(c, l);
}

/* ---- the busiest goroutines below the processors ------------------------------------------------------- */

int rows_busiest(const struct triage *tg, uint32_t *lane, int most)
{
    enum { LITTLE = 100 };
    int n = 0;
    for (; n < most && n < (int)tg->busiest.n && tg->busiest.v[n].t1 >= tg->busiest.v[0].t1 / LITTLE; n++)
        lane[n] = tg->busiest.v[n].g;
    return n;
}

/* Draws its id, its name as far as there is room, and how long it ran in this window. */
static void busy_row(const struct canvas *c, struct lane l, int y)
{
    const struct view *v = c->v;
    const int w = c->plan->gutter - 1;
    struct shares sh;
    char name[300], d[FMT_MAX];
    trace_shares(v->tr, l, v->at.win.t0, v->at.win.t1, &sh);
    when_dur(v->tr, sh.ns[ST_RUNNING], d);
    note_fit(d, w - (int)strlen(name_lane(v, l).s) - 1);
    name_goroutine(v, l.i, w - (int)strlen(d) - (*d ? 1 : 0), name, sizeof name);
    gutter(c, y, name, d, STYLE_LANE);
    one_lane(c, l, y, 1, false);
}

static void busiest(const struct canvas *c)
{
    const struct view *v = c->v;
    const int y = c->plan->y[ROW_BUSY], n = c->plan->n[ROW_BUSY];
    if (n < 2)
        return;
    grid_fill(c->g, 0, y, c->g->w, 1, glyph_mark(v->scr.tier, MARK_H), STYLE_POPUP_BORDER);
    grid_str(c->g, 2, y, c->g->w - 4, " goroutines that ran most: how long in this window ",
             STYLE_POPUP_BORDER);
    for (int i = 0; i + 1 < n && i < v->nbusiest; i++)
        busy_row(c, lane_g(v->busiest[i]), y + 1 + i);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

void rows_bands(struct grid *g, struct view *v, const struct plan *p)
{
    const struct canvas c = {.g = g, .v = v, .plan = p};
    none_row(&c);
    bands(&c);
    curves(&c);
    draw_unloaded(g, v, p->gutter, p->y[ROW_GC], p->y[ROW_LANES] - p->y[ROW_GC]);
}

void rows_lanes(struct grid *g, struct view *v, const struct plan *p)
{
    const struct canvas c = {.g = g, .v = v, .plan = p};
    rows_bands(g, v, p);
    lane_rows(&c);
    busiest(&c);
    lanes_end(&c);
}
