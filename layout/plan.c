/*
 * plan.c - rows are granted in the order of a table until the screen is full; the lanes take what is left. So the
 * order of what a small screen drops is the table read from its end.
 */
#include "layout/plan.h"

#include <string.h>

#include "layout/tri.h"
#include "layout/view.h"

struct grant {
    enum row row;
    int upto; /* so many lines of it in all, by now */
};

static const struct grant grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1},  {ROW_RULER, 1},  {ROW_LANES, 3}, {ROW_STW, 1},  {ROW_GC, 1},
    {ROW_LANES, 4}, {ROW_FOOTER, 1}, {ROW_STATUS, 2}, {ROW_HEAP, 1},   {ROW_SWEEP, 1}, {ROW_LANES, 8}, {ROW_RUNQ, 1},
    {ROW_ASSIST, 1}, {ROW_LANES, 16}, {ROW_HEAP, 2},  {ROW_RUNQ, 2},   {ROW_LANES, 32}, {ROW_HEAP, 4}, {ROW_RUNQ, 3},
    {ROW_LANES, 1000},
};

/* Views of tables have no time axis; the findings' status lines hold a whole finding. */
static const struct grant table_grants[] = {
    {ROW_LANES, 1}, {ROW_STATUS, 1}, {ROW_TITLE, 1}, {ROW_LANES, 4}, {ROW_FOOTER, 1}, {ROW_STATUS, 2}, {ROW_LANES, 8},
    {ROW_STATUS, 4}, {ROW_LANES, 1000},
};

static int gutter_width(int w, int view)
{
    if (view == VIEW_GOROUTINES || view == VIEW_TASKS)
        return w >= 200 ? 40 : w >= 120 ? 32 : w >= 80 ? 24 : w >= 60 ? 18 : w >= 36 ? 12 : w >= 16 ? 6 : 0;
    if (view == VIEW_THREADS)
        return w >= 60 ? 14 : w >= 36 ? 10 : w >= 16 ? 6 : 0;
    return w >= 60 ? 12 : w >= 30 ? 9 : w >= 12 ? 4 : 0;
}

void plan_make(struct plan *p, int w, int h, int view, uint32_t lanes)
{
    memset(p, 0, sizeof *p);
    p->gutter = gutter_width(w, view);
    p->plot_w = w - p->gutter > 1 ? w - p->gutter : 1;
    int left = h, most = lanes > 1000 ? 1000 : lanes < 1 ? 1 : (int)lanes;
    bool table = tri_shows(view);
    const struct grant *g = table ? table_grants : grants;
    size_t n = table ? sizeof table_grants / sizeof *table_grants : sizeof grants / sizeof *grants;
    for (size_t i = 0; i < n && left > 0; i++) {
        enum row r = g[i].row;
        int upto = r == ROW_LANES && g[i].upto > most && !table ? most : g[i].upto;
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
