/*
 * table_calls.c - system calls by the place that makes them, and the calls of one place.
 */
#include "layout/views/table_spans.h"

static bool calls_list(struct table *t)
{
    return table_spans(t, &(struct spans_from){.state = ST_SYSCALL, .key = spans_key});
}

static void calls_name(struct text *out, const struct table *t, const struct thing *x)
{
    struct span s;
    text_who(out, t->tr, x->g);
    text_lit(out, " in ");
    text_where(out, t->tr, x->index, 0);
    if (spans_next(t->tr, x, &s) && s.state == ST_RUNNABLE)
        text_lit(out, ", lost its processor");
}

static void calls_say(struct text *out, const struct view *v, const struct thing *x)
{
    text_who(out, v->tr, x->g);
    text_lit(out, " in ");
    text_calls(out, v->tr, x->index, 0, 3);
    if (x->untimed)
        text_lit(out, "; before Go 1.22 only those that lost their processor are timed");
}

static const struct table_from calls = {
    .bar = STYLE_SYSCALL,
    .thing = "system call",
    .things = "system calls",
    .types = "places of system calls",
    .none = "no system calls in this trace",
    .list = calls_list,
    .name = calls_name,
    .type_name = spans_place,
    .say = calls_say,
};
const struct view_kind kind_calls = {IS_THINGS(&calls)};
