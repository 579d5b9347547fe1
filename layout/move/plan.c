/*
 * plan.c - grants rows in the order of a table until the screen is full; the lanes take the rest. A small
 * screen drops rows from the table's end.
 */
#include "layout/move/plan.h"

#include <string.h>

#include "layout/cells/wrap.h"
#include "layout/move/kind.h"
#include "layout/move/search.h"
#include "layout/move/view.h"
#include "triage/triage.h"

struct grant {
    enum row row;
    int upto; /* granted until the row has this many lines in all */
};

static const struct grant grants[] = {
    {ROW_LANES, 1},  {ROW_STATUS, 1}, {ROW_TITLE, 1},  {ROW_RULER, 1},  {ROW_LANES, 3},
    {ROW_STW, 1},    {ROW_GC, 1},     {ROW_LANES, 4},  {ROW_FILTER, 1}, {ROW_FOOTER, 1},
    {ROW_STATUS, 2}, {ROW_STRIP, 1},  {ROW_SPLIT, 8},  {ROW_STATES, 4}, {ROW_HEAP, 1},
    {ROW_NONE, 1},   {ROW_SWEEP, 1},  {ROW_LANES, 8},  {ROW_RUNQ, 1},   {ROW_ASSIST, 1},
    {ROW_STATUS, 3}, {ROW_LANES, 16}, {ROW_SPLIT, 60}, {ROW_LEGEND, 1}, {ROW_LANES, 1000},
};

/* These are uses for lines that the lanes do not need: some before lanes get taller, the rest at the end. */
static const struct grant curves[] = {{ROW_HEAP, 2}, {ROW_RUNQ, 2}, {ROW_HEAP, 4}, {ROW_RUNQ, 3},
                                      {ROW_HEAP, 6}, {ROW_RUNQ, 5}, {ROW_HEAP, 9}, {ROW_RUNQ, 7}};
enum { CURVES_FIRST = 4, CURVES = sizeof curves / sizeof *curves };

static void plan_curves(struct plan *p, int *left, const int *most_of, int from, int to)
{
    for (int i = from; i < to; i++) {
        const enum row r = curves[i].row;
        const int upto = curves[i].upto < most_of[r] ? curves[i].upto : most_of[r], more = upto - p->n[r];
        if (p->n[r] && more > 0 && *left >= more) {
            p->n[r] = upto;
            *left -= more;
        }
    }
}

/* Views of tables have no time axis. */
static const struct grant table_grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1}, {ROW_LANES, 4},  {ROW_FOOTER, 1},   {ROW_STATUS, 2},
    {ROW_LANES, 8}, {ROW_STATUS, 4}, {ROW_LANES, 9}, {ROW_STATUS, 7}, {ROW_LANES, 1000},
};

/* The findings' page divides its lines itself. */
static const struct grant finding_grants[] = {
    {ROW_LANES, 1}, {ROW_TITLE, 1}, {ROW_LANES, 4}, {ROW_FOOTER, 1}, {ROW_LANES, 1000}};

static const struct {
    const struct grant *g;
    size_t n;
} plans[PLANS] = {
    [PLAN_TIME] = {grants, sizeof grants / sizeof *grants},
    [PLAN_LOG] = {grants, sizeof grants / sizeof *grants},
    [PLAN_TABLE] = {table_grants, sizeof table_grants / sizeof *table_grants},
    [PLAN_FINDINGS] = {finding_grants, sizeof finding_grants / sizeof *finding_grants},
};

static int gutter_width(int w, enum plan_gutter g)
{
    if (g == GUTTER_NAMES)
        return w >= 200 ? 40 : w >= 120 ? 32 : w >= 80 ? 24 : w >= 60 ? 18 : w >= 36 ? 12 : w >= 16 ? 6 : 0;
    if (g == GUTTER_THREADS)
        return w >= 60 ? 14 : w >= 36 ? 10 : w >= 16 ? 6 : 0;
    return w >= 160 ? 24 : w >= 100 ? 20 : w >= 60 ? 12 : w >= 30 ? 9 : w >= 12 ? 4 : 0;
}

/* Uses lines that would be blank: processors or threads two lines high, the goroutines that ran most, taller
 * curves, still higher processors or threads. */
static void plan_spend(struct plan *p, const struct view_kind *k, int *left, int lanes, const int *most_of)
{
    enum { BUSY_LEAST = 4, HIGHEST = 5 };
    const bool high = (k->lanes == LANE_P || k->lanes == LANE_M) && p->n[ROW_LANES] >= lanes;
    for (p->lane_h = 1; high && p->lane_h < HIGHEST && *left >= lanes; *left -= lanes) {
        p->lane_h++;
        p->n[ROW_LANES] += lanes;
        if (k->lanes != LANE_P || p->lane_h > 2 || *left - lanes < BUSY_LEAST)
            continue;
        const int room = *left - lanes;
        p->n[ROW_BUSY] = most_of[ROW_BUSY] < room ? most_of[ROW_BUSY] : room;
        *left -= p->n[ROW_BUSY];
    }
    plan_curves(p, left, most_of, 0, k->states ? CURVES : CURVES_FIRST);
}

/* Returns the width of a state's name and of how many goroutines are in it ("runnable 12k"). */
static int states_width(int w, uint32_t goroutines)
{
    enum { FROM = 60, NAME = 8, FEW = 99, FEW_COLS = 2, MANY_COLS = 4, BLANKS = 2 };
    return w < FROM ? 0 : NAME + BLANKS + (goroutines <= FEW ? FEW_COLS : MANY_COLS);
}

void plan_columns(struct plan *p, const struct view *v)
{
    const struct view_kind *k = kind_here(v);
    const int w = v->scr.w;
    const int least = k->lanes == LANE_P && w >= 80 ? 20 /* goroutines' names */
                      : k->states                   ? states_width(w, trace_nlanes(v->tr, LANE_G))
                                                    : 0;
    p->gutter = gutter_width(w, k->gutter);
    p->gutter = p->gutter < least ? least : p->gutter;
    p->plot_w = w - p->gutter > 1 ? w - p->gutter : 1;
}

static void plan_make(struct plan *p, const struct view *v, uint32_t lanes, const int *most_of)
{
    memset(p, 0, sizeof *p);
    const struct view_kind *k = kind_here(v);
    plan_columns(p, v);
    int left = v->scr.h, most = lanes > 1000 ? 1000 : lanes < 1 ? 1 : (int)lanes;
    const struct grant *g = plans[k->plan].g;
    size_t n = plans[k->plan].n;
    for (size_t i = 0; i < n && left > 0; i++) {
        enum row r = g[i].row;
        int upto = r == ROW_LANES && g[i].upto > most && !k->table ? most : g[i].upto;
        if (upto > most_of[r])
            upto = most_of[r];
        int more = upto - p->n[r];
        more = more < 0 ? 0 : more > left ? left : more;
        p->n[r] += more;
        left -= more;
    }
    plan_spend(p, k, &left, most, most_of);
    p->n[p->n[ROW_BUSY] ? ROW_BUSY : ROW_LANES] +=
        left; /* blank lines below the last lane keep the status at the bottom of the screen */
    for (int r = 0, y = 0; r < ROW_COUNT; r++) {
        p->y[r] = y;
        y += p->n[r];
    }
}

bool plan_empty(const struct view *v, enum row r)
{
    static const enum band of[ROW_COUNT] = {
        [ROW_GC] = BAND_GC, [ROW_STW] = BAND_STW, [ROW_SWEEP] = BAND_SWEEP, [ROW_ASSIST] = BAND_ASSIST};
    const struct trace_info *ti = trace_info(v->tr);
    uint64_t least, most;
    if (r == ROW_HEAP)
        return !trace_minmax(v->tr, METRIC_HEAP, 0, ti->end + (ti->end < INT64_MAX), &least, &most);
    return r >= ROW_GC && r <= ROW_ASSIST && !tri_in_band(v->tr, of[r], 0, ti->end);
}

/* Folds the bands that are empty in the whole trace, so that rows do not change while moving. A single empty
 * band keeps its row, which takes no more room. */
static void fold_empty(const struct view *v, int *most)
{
    int n = 0;
    if (!trace_info(v->tr)->done)
        return;
    for (int r = ROW_GC; r <= ROW_HEAP; r++)
        n += plan_empty(v, (enum row)r);
    for (int r = ROW_GC; r <= ROW_HEAP && n > 1; r++)
        if (plan_empty(v, (enum row)r))
            most[r] = 0;
    most[ROW_NONE] = n > 1;
}

/* Returns its lines above so many others. */
static int message_lines(const struct plan *p, const struct view *v, int below)
{
    int most = p->n[ROW_STATUS] + 1 > v->scr.h / 2 ? p->n[ROW_STATUS] + 1 : v->scr.h / 2;
    int free = v->scr.h - below - p->y[ROW_LANES] - 1;
    most = most > free ? free : most;
    const int lines = wrap_lines(str_of(v->msg.text), v->scr.w);
    return most < 1 && lines ? 1 : lines < most ? lines : most;
}

int plan_message(const struct plan *p, const struct view *v, int *last)
{
    enum { TOLD = 4, HIGH = 20 }; /* shorter messages cover the footer, but that of a finding */
    int below = v->prompt.kind ? 1 : 0, n = message_lines(p, v, below);
    if (!below && (n >= TOLD || v->msg.of) && v->scr.h >= HIGH && p->n[ROW_FOOTER]) {
        below = 1;
        n = message_lines(p, v, below);
    }
    *last = v->scr.h - 1 - below;
    return n;
}

void plan_view(struct plan *p, const struct view *v, uint32_t lanes)
{
    enum { ANY = 100000 };
    int most[ROW_COUNT];
    bool zoomed = v->at.win.t0 > 0 || v->at.win.t1 < v->all_end;
    for (int r = 0; r < ROW_COUNT; r++) /* rows of every screen; the others need a reason */
        most[r] = r == ROW_NONE ? 0 : ANY;
    most[ROW_FILTER] = v->filters.n > 0;
    most[ROW_STRIP] = (v->search && !v->search->hidden) || (zoomed && v->scr.h >= 40);
    fold_empty(v, most);
    most[ROW_STATUS] = kind_here(v)->silent        ? 0
                       : kind_here(v)->status_most ? kind_here(v)->status_most(v)
                                                   : PLAN_STATUS;
    most[ROW_BUSY] = v->nbusiest && !v->scr.split ? 1 + v->nbusiest : 0;
    most[ROW_LEGEND] = kind_here(v)->lanes < LANE_KINDS && v->scr.h >= 34;
    most[ROW_STATES] = kind_here(v)->states && v->scr.h >= 20 ? 4 : 0;
    most[ROW_SPLIT] = v->scr.split && v->scr.h >= 12 && kind_here(v)->plan != PLAN_LOG ? v->scr.h * 2 / 5 : 0;
    plan_make(p, v, kind_here(v)->plan == PLAN_LOG ? 1000 : lanes, most);
}
