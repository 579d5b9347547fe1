/*
 * table_stops.c - stop-the-worlds by kind: which kinds there are, how long they take, who was waited for.
 */
#include "layout/views/table.h"
#include "triage/numbers.h"

static void stops_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    if (k->a)
        text_str(out, t->tr, (uint32_t)k->a);
    else
        text_lit(out, "kind not recorded");
}

static void stops_name(struct text *out, const struct table *t, const struct thing *x)
{
    stops_type_name(out, t, &t->type[x->type]);
    if (x->g != NO_LANE)
        text_say(out, t->tr, " by ", t_who(x->g));
}

static void stops_say(struct text *out, const struct view *v, const struct thing *x)
{
    const struct range *r;
    if (x->index < trace_ranges(v->tr, RANGE_STW, &r))
        stop_text(out, v->tr, &r[x->index]);
}

/* The lane is that of the processor that stopped last. */
static struct lane stops_lane(const struct table *t, const struct thing *x)
{
    const struct range *r;
    struct span held;
    int64_t after;
    if (x->index >= trace_ranges(t->tr, RANGE_STW, &r))
        return lane_p(NO_LANE);
    const struct moment m = stop_moment(&r[x->index]);
    return lane_p(triage_last_to_stop(t->tr, &m, &held, &after));
}

static const struct table_from stops = {
    .bar = STYLE_STW,
    .thing = "stop",
    .things = "stops",
    .types = "kinds of stops",
    .none = "no stop-the-world in this trace",
    .list = table_items,
    .item = ITEM_STW,
    .name = stops_name,
    .type_name = stops_type_name,
    .say = stops_say,
    .lane = stops_lane,
};
const struct view_kind kind_stops = {IS_THINGS(&stops)};
