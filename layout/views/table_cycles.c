/*
 * table_cycles.c - GC cycles: how long their mark phases took, what they stopped and had assisted, the heap
 * and its goal.
 */
#include "layout/views/table.h"
#include "layout/move/record.h"

enum { STOPPED, ASSIST, HEAP, GOAL, OWN };
static const struct tcol col[OWN] = {
    [STOPPED] = {"stopped", "time the world was stopped in it, to the end of its last stop", TCOL_DUR,
                 .w = 9},
    [ASSIST] = {"assist", "time in which some goroutine assisted", TCOL_DUR, .w = 9},
    [HEAP] = {"heap", "the largest heap within it", TCOL_BYTES, .w = 8},
    [GOAL] = {"goal", "the heap's goal as it began", TCOL_BYTES, .w = 8},
};

static int64_t cycles_value(const struct table *t, const struct thing *x, int c)
{
    uint64_t least = 0, most = 0;
    switch (c) {
    case STOPPED: return record_stopped(t->tr, x->t0, x->t1);
    case ASSIST: return tri_in_band(t->tr, BAND_ASSIST, x->t0, x->t1);
    case HEAP:
        return trace_minmax(t->tr, METRIC_HEAP, x->t0, x->t1 > x->t0 ? x->t1 : x->t0 + 1, &least, &most)
                   ? (int64_t)most
                   : -1;
    default:
        return trace_minmax(t->tr, METRIC_GOAL, x->t0, x->t0 + 1, &least, &most) && !goal_none(most)
                   ? (int64_t)most
                   : -1;
    }
}

static void cycles_name(struct text *out, const struct table *t, const struct thing *x)
{
    const struct range *r;
    size_t n = trace_ranges(t->tr, RANGE_GC, &r);
    text_say(out, NULL, "GC cycle ", x->index + 1, x->open ? ", not whole in this trace" : "");
    if (x->index < n && r[x->index].name)
        text_say(out, t->tr, " ", t_str(r[x->index].name));
}

static void cycles_say(struct text *out, const struct view *v, const struct thing *x)
{
    const struct table *t = v->table;
    int64_t heap = cycles_value(t, x, HEAP), goal = cycles_value(t, x, GOAL);
    char n[FMT_MAX];
    text_say(out, NULL, "in it the world was stopped for ", t_dur(cycles_value(t, x, STOPPED)),
             ", some goroutine assisted for ", t_dur(cycles_value(t, x, ASSIST)));
    if (heap >= 0)
        text_add(out, "; heap at most %s", fmt_bytes((uint64_t)heap, n));
    if (goal >= 0)
        text_add(out, ", goal %s", fmt_bytes((uint64_t)goal, n));
}

static const struct table_from cycles = {
    .bar = STYLE_GC,
    .thing = "GC cycle",
    .things = "GC cycles",
    .none = "no GC cycle in this trace",
    .col = col,
    .ncols = OWN,
    .list = table_items,
    .item = ITEM_GC,
    .value = cycles_value,
    .name = cycles_name,
    .say = cycles_say,
};
const struct view_kind kind_cycles = {IS_THINGS(&cycles)};
