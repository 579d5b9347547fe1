/*
 * table_places.c - places where goroutines wait for others (locks, full channels, conditions, groups), and
 * the waits at one: who ended each. What they wait for at rest is left out.
 */
#include "layout/views/table_spans.h"

static bool contended(const struct trace *tr, const struct span *s, const struct span *next)
{
    switch (stacks_wait_kind(tr, s->reason, s->stack)) {
    case WK_LOCK:
    case WK_SEND:
    case WK_COND:
    case WK_WAITGROUP: return true;
    case WK_OTHER: return s->stack && next && next->who != NO_LANE; /* not by a timer or the network */
    default: return false;
    }
}

static bool places_list(struct table *t)
{
    return table_spans(t, ST_WAITING, contended);
}

static void type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    uint32_t reason = (uint32_t)k->b;
    const uint32_t stack = k->kept ? t->thing[k->longest].index : 0;
    enum wait_kind w = k->kept ? stacks_wait_kind(t->tr, reason, stack) : WK_OTHER;
    if (w != WK_OTHER)
        text_add(out, "%s", stacks_wait_name(t->tr, w, stack));
    else
        text_reason(out, t->tr, reason);
    text_lit(out, " at ");
    spans_place(out, t, k);
}

static void ender(struct text *out, const struct trace *tr, const struct thing *x)
{
    struct span s;
    if (!spans_next(tr, x, &s) || s.state != ST_RUNNABLE || s.who == NO_LANE) {
        text_add(out, "%s", x->open ? "not over in this trace" : "not recorded who ended it");
        return;
    }
    text_lit(out, "ended by ");
    text_who(out, tr, s.who);
    if (s.stack) {
        text_lit(out, " at ");
        text_where(out, tr, s.stack, 0);
    }
}

/* Who waited, and who ended it; where stands in the status. */
static void places_name(struct text *out, const struct table *t, const struct thing *x)
{
    struct span s;
    text_who(out, t->tr, x->g);
    text_lit(out, " <- ");
    if (spans_next(t->tr, x, &s) && s.state == ST_RUNNABLE && s.who != NO_LANE)
        text_who(out, t->tr, s.who);
    else
        text_add(out, "%s", x->open ? "not over in this trace" : "not recorded");
}

static void places_say(struct text *out, const struct view *v, const struct thing *x)
{
    text_who(out, v->tr, x->g);
    text_lit(out, " waited at ");
    text_at(out, v->tr, x->index, 0);
    text_lit(out, "; ");
    ender(out, v->tr, x);
}

static const struct table_from places = {
    .bar = STYLE_WAITING,
    .thing = "wait",
    .things = "waits",
    .types = "contended places",
    .none = "no goroutine waited for another one in this trace",
    .list = places_list,
    .name = places_name,
    .type_name = type_name,
    .say = places_say,
};
const struct view_kind kind_places = {IS_THINGS(&places)};
