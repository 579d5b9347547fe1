/*
 * table_tasks.c - types of tasks and the tasks of one, names of regions and the regions of one, with what the
 * goroutine did meanwhile; where all of a task's time went explain.h tells (W).
 */
#include <inttypes.h>

#include "layout/views/table.h"

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
    trace_shares(t->tr, lane_g(x->g), x->t0, x->t1, &sh);
    return sh.ns[of[c]];
}

/* ---- tasks, regions ------------------------------------------------------------------------------------ */

/* Writes its type and, for a task, its number; whose it is, and whether the trace has all of it. */
static void tasks_name(struct text *out, const struct table *t, const struct thing *x)
{
    const bool task = t->from->item == ITEM_TASK;
    const struct task *k;
    table_name_string(out, t, &t->type[x->type]);
    if (task && x->index < trace_tasks(t->tr, &k))
        text_add(out, " %" PRIu64, k[x->index].id);
    if (x->g != NO_LANE)
        text_say(out, t->tr, task ? " by " : " of ", t_who(x->g));
    if (x->open)
        text_lit(out, ", not whole in this trace");
}

#define OF_TASKS \
    .col = col, .ncols = OWN, .list = table_items, .value = tasks_value, .name = tasks_name, \
    .type_name = table_name_string

static const struct table_from types = {
    OF_TASKS,          .item = ITEM_TASK,         .thing = "task",
    .things = "tasks", .types = "types of tasks", .none = "no tasks in this trace",
};
const struct view_kind kind_types = {IS_THINGS(&types), .needs = 1 << ITEM_TASK};

static const struct table_from regions = {
    OF_TASKS,
    .item = ITEM_REGION,
    .thing = "region",
    .things = "regions",
    .types = "names of regions",
    .none = "no regions in this trace",
};
const struct view_kind kind_regions = {IS_THINGS(&regions), .needs = 1 << ITEM_REGION};
