/*
 * table_types.c - types of tasks, and the tasks of one: where their time went is said as triage found it.
 */
#include <inttypes.h>

#include "layout/views/table.h"

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
    table_name_whose(out, t, "by", x);
}

static void types_say(struct text *out, const struct view *v, const struct thing *x)
{
    table_say_parts(out, v, false, x);
}

static const struct table_from types = {
    .thing = "task",
    .things = "tasks",
    .types = "types of tasks",
    .none = "no tasks in this trace",
    .list = types_list,
    .name = types_name,
    .type_name = table_name_string,
    .say = types_say,
};
static bool no_tasks(const struct view *v)
{
    const struct task *t;
    return trace_info(v->tr)->done && !trace_tasks(v->tr, &t);
}
const struct view_kind kind_types = {IS_THINGS(&types), .empty = no_tasks};
