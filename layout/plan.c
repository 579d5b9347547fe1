/*
 * plan.c - rows are granted in the order of a table until the screen is full; the lanes take what is left. So the
 * order of what a small screen drops is the table read from its end.
 */
#include "layout/plan.h"

#include <string.h>

#include "layout/kind.h"
#include "layout/search.h"
#include "layout/view.h"

struct grant {
    enum row row;
    int upto; /* so many lines of it in all, by now */
};

static const struct grant grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1},  {ROW_RULER, 1},  {ROW_LANES, 3}, {ROW_STW, 1},  {ROW_GC, 1},
    {ROW_LANES, 4}, {ROW_FILTER, 1}, {ROW_FOOTER, 1}, {ROW_STATUS, 2}, {ROW_STRIP, 1}, {ROW_SPLIT, 8},
    {ROW_STATES, 4}, {ROW_HEAP, 1},  {ROW_SWEEP, 1},  {ROW_LANES, 8},  {ROW_RUNQ, 1},   {ROW_ASSIST, 1},
    {ROW_STATUS, 3},
    {ROW_LANES, 16}, {ROW_SPLIT, 60}, {ROW_HEAP, 2},  {ROW_RUNQ, 2},   {ROW_LANES, 32}, {ROW_HEAP, 4},  {ROW_RUNQ, 3},
    {ROW_LANES, 1000},
};

/* Views of tables have no time axis. The findings' status lines hold a whole finding. */
static const struct grant table_grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1}, {ROW_LANES, 4}, {ROW_FOOTER, 1}, {ROW_STATUS, 2}, {ROW_LANES, 8},
    {ROW_STATUS, 4}, {ROW_LANES, 1000},
};

static const struct grant finding_grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1}, {ROW_LANES, 4}, {ROW_FOOTER, 1}, {ROW_STATUS, 2}, {ROW_LANES, 8},
    {ROW_STATUS, 4}, {ROW_LANES, 14}, {ROW_STATUS, 7}, {ROW_LANES, 1000},
};

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
    return w >= 60 ? 12 : w >= 30 ? 9 : w >= 12 ? 4 : 0;
}

static void make(struct plan *p, int w, int h, int view, uint32_t lanes, const int *most_of)
{
    memset(p, 0, sizeof *p);
    const struct view_kind *k = kind_of(view);
    p->gutter = gutter_width(w, k->gutter);
    p->plot_w = w - p->gutter > 1 ? w - p->gutter : 1;
    int left = h, most = lanes > 1000 ? 1000 : lanes < 1 ? 1 : (int)lanes;
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
    p->n[ROW_LANES] += left; /* blank lines below the last lane keep the status at the screen's foot */
    for (int r = 0, y = 0; r < ROW_COUNT; r++) {
        p->y[r] = y;
        y += p->n[r];
    }
}

enum { ANY = 100000 };

/* What stands on every screen; the rest only when there is a reason. */
static void usual(int *most)
{
    for (int r = 0; r < ROW_COUNT; r++)
        most[r] = r == ROW_FILTER || r == ROW_STRIP || r == ROW_STATES || r == ROW_SPLIT ? 0 : ANY;
}

void plan_make(struct plan *p, int w, int h, int view, uint32_t lanes)
{
    int most[ROW_COUNT];
    usual(most);
    make(p, w, h, view, lanes, most);
}

void plan_view(struct plan *p, const struct view *v, uint32_t lanes)
{
    int most[ROW_COUNT];
    bool zoomed = v->at.win.t0 > 0 || v->at.win.t1 < v->all_end;
    usual(most);
    most[ROW_FILTER] = v->nfilters > 0;
    most[ROW_STRIP] = (v->search && !search_is_hidden(v->search)) || (zoomed && v->h >= 40);
    most[ROW_STATES] = kind_here(v)->states && v->h >= 20 ? 4 : 0;
    most[ROW_SPLIT] = v->split && v->h >= 12 && kind_here(v)->plan != PLAN_LOG ? v->h * 2 / 5 : 0;
    make(p, v->w, v->h, v->at.view, kind_here(v)->plan == PLAN_LOG ? 1000 : lanes, most);
}
