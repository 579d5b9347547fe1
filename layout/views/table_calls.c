/*
 * table_calls.c - system calls by the place that makes them, and the calls of one place.
 */
#include "layout/views/table_spans.h"

static bool calls_list(struct table *t)
{
    return table_spans(t, ST_SYSCALL, NULL);
}

static void calls_name(struct text *out, const struct table *t, const struct thing *x)
{
    text_who(out, t->tr, x->g);
    text_lit(out, " in ");
    text_where(out, t->tr, x->index, 0);
}

static void calls_say(struct text *out, const struct view *v, const struct thing *x)
{
    text_who(out, v->tr, x->g);
    text_lit(out, " in ");
    text_calls(out, v->tr, x->index, 0, 3);
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
