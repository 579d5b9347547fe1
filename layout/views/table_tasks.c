/*
 * table_tasks.c - types of tasks and the tasks of one, names of regions and the regions of one, with what the
 * goroutine did meanwhile; where all of a task's time went explain.h tells (W).
 */
#include <inttypes.h>

#include "layout/views/table.h"

/* Whose it is, said with that word, and whether the trace has all of it. */
static void tasks_whose(struct text *out, const struct table *t, const char *word, const struct thing *x)
{
    if (x->g != NO_LANE)
        text_say(out, t->tr, " ", word, " ", t_who(x->g));
    if (x->open)
        text_lit(out, ", not whole in this trace");
}

/* ---- what its goroutine did ---------------------------------------------------------------------------- */

enum { RUNNING, RUNNABLE, BLOCKED, OWN };
static const struct tcol col[OWN] = {
    [RUNNING] = {"running", "time its goroutine ran", TCOL_DUR, .w = 9},
    [RUNNABLE] = {"runnable", "time runnable: it waits for a processor", TCOL_DUR, .w = 9},
    [BLOCKED] = {"waiting", "time waiting", TCOL_DUR, .w = 9},
};

static int64_t tasks_value(const struct table *t, const struct thing *x, int c)
{
    static const enum state of[OWN] = {
        [RUNNING] = ST_RUNNING, [RUNNABLE] = ST_RUNNABLE, [BLOCKED] = ST_WAITING};
    struct shares sh;
    if (x->g == NO_LANE || x->t1 <= x->t0)
        return 0;
    trace_shares(t->tr, tri_g(x->g), x->t0, x->t1, &sh);
    return sh.ns[of[c]];
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

static bool types_list(struct table *t)
{
    const struct task *k;
    size_t n = trace_tasks(t->tr, &k);
    for (size_t i = 0; i < n; i++)
        if (!table_add(t, k[i].name, 0,
                       (struct thing){.t0 = k[i].t0,
                                      .t1 = k[i].t1,
                                      .g = k[i].g,
                                      .index = (uint32_t)i,
                                      .open = k[i].open_start || k[i].open_end}))
            return false;
    return true;
}

static void types_name(struct text *out, const struct table *t, const struct thing *x)
{
    const struct task *k;
    table_name_string(out, t, &t->type[x->type]);
    if (x->index < trace_tasks(t->tr, &k))
        text_add(out, " %" PRIu64, k[x->index].id);
    tasks_whose(out, t, "by", x);
}

static const struct table_from types = {
    .thing = "task",
    .things = "tasks",
    .types = "types of tasks",
    .none = "no tasks in this trace",
    .col = col,
    .ncols = OWN,
    .list = types_list,
    .value = tasks_value,
    .name = types_name,
    .type_name = table_name_string,
};
static bool no_tasks(const struct view *v)
{
    const struct task *t;
    return trace_info(v->tr)->done && !trace_tasks(v->tr, &t);
}
const struct view_kind kind_types = {IS_THINGS(&types), .empty = no_tasks};

/* ---- regions ------------------------------------------------------------------------------------------- */

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

static void regions_name(struct text *out, const struct table *t, const struct thing *x)
{
    table_name_string(out, t, &t->type[x->type]);
    tasks_whose(out, t, "of", x);
}

static const struct table_from regions = {
    .thing = "region",
    .things = "regions",
    .types = "names of regions",
    .none = "no regions in this trace",
    .col = col,
    .ncols = OWN,
    .list = regions_list,
    .value = tasks_value,
    .name = regions_name,
    .type_name = table_name_string,
};
static bool no_regions(const struct view *v)
{
    const struct region *r;
    return trace_info(v->tr)->done && !trace_regions(v->tr, &r);
}
const struct view_kind kind_regions = {IS_THINGS(&regions), .empty = no_regions};
