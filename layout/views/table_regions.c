/*
 * table_regions.c - regions by name, and the regions of one: what their goroutine did within them.
 */
#include <inttypes.h>

#include "layout/views/table.h"

enum { RUNNING, RUNNABLE, BLOCKED, OWN };
static const struct tcol col[OWN] = {
    [RUNNING] = {"running", "time its goroutine ran", TCOL_DUR, .w = 9},
    [RUNNABLE] = {"runnable", "time runnable: it waits for a processor", TCOL_DUR, .w = 9},
    [BLOCKED] = {"waiting", "time waiting", TCOL_DUR, .w = 9},
};

static bool regions_list(struct table *t)
{
    const struct region *r;
    size_t n = trace_regions(t->tr, &r);
    for (size_t i = 0; i < n; i++)
        if (!table_add(t, r[i].name, 0,
                       (struct thing){.t0 = r[i].t0,
                                      .t1 = r[i].t1,
                                      .g = r[i].g,
                                      .index = (uint32_t)i,
                                      .open = r[i].open_start || r[i].open_end}))
            return false;
    return true;
}

static int64_t regions_value(const struct table *t, const struct thing *x, int c)
{
    static const enum state of[OWN] = {
        [RUNNING] = ST_RUNNING, [RUNNABLE] = ST_RUNNABLE, [BLOCKED] = ST_WAITING};
    struct shares sh;
    if (x->g == NO_LANE || x->t1 <= x->t0)
        return 0;
    trace_shares(t->tr, tri_g(x->g), x->t0, x->t1, &sh);
    return sh.ns[of[c]];
}

static void regions_name(struct text *out, const struct table *t, const struct thing *x)
{
    table_name_string(out, t, &t->type[x->type]);
    table_name_whose(out, t, "of", x);
}

static void regions_say(struct text *out, const struct view *v, const struct thing *x)
{
    table_say_parts(out, v, true, x);
}

static const struct table_from regions = {
    .thing = "region",
    .things = "regions",
    .types = "names of regions",
    .none = "no regions in this trace",
    .col = col,
    .ncols = OWN,
    .list = regions_list,
    .value = regions_value,
    .name = regions_name,
    .type_name = table_name_string,
    .say = regions_say,
};
static bool no_regions(const struct view *v)
{
    const struct region *r;
    return trace_info(v->tr)->done && !trace_regions(v->tr, &r);
}
const struct view_kind kind_regions = {IS_THINGS(&regions), .empty = no_regions};
