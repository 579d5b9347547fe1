/*
 * table_calls.c - system calls by the place that makes them, and the calls of one place.
 */
#include "layout/views/table_spans.h"

static void calls_name(struct text *out, const struct table *t, const struct thing *x)
{
    struct span s;
    const bool lost = spans_next(t->tr, x, &s) && s.state == ST_RUNNABLE;
    text_say(out, t->tr, t_who(x->g), " in ", t_where(x->index, 0), lost ? ", lost its processor" : "");
}

static void calls_say(struct text *out, const struct view *v, const struct thing *x)
{
    const bool bare = x->index && !stacks_user(v->tr, x->index); /* no names: program counters */
    text_say(out, v->tr, t_who(x->g), " in ", bare ? t_where(x->index, 0) : t_calls(x->index, 0, 3),
             x->untimed ? "; before Go 1.22 only those that lost their processor are timed" : "");
}

static const struct table_from calls = {
    .bar = STYLE_SYSCALL,
    .thing = "system call",
    .things = "system calls",
    .types = "places of system calls",
    .none = "no system calls in this trace",
    .list = table_spans,
    .spans = &(const struct spans_from){.state = ST_SYSCALL, .key = spans_key},
    .name = calls_name,
    .type_name = spans_place,
    .say = calls_say,
};
const struct view_kind kind_calls = {IS_THINGS(&calls)};
