/*
 * table_pieces.c - what the program does again and again, but for what is in the background: the works of
 * triage/work/work.h, and the pieces of one (requests, items, tasks, goroutines), as the first page counts
 * them.
 */
#include "layout/views/table.h"

static bool pieces_list(struct table *t)
{
    for (uint32_t i = 0; i < t->works->n; i++) {
        const struct work *w = &t->works->v[i];
        const bool shown = !w->background && w->kind != WORK_MAIN;
        for (uint32_t k = 0; shown && k < w->looked; k++)
            if (!table_add(
                    t, table_type(t, (uint64_t)w->kind << 32 | w->name, (uint64_t)w->user << 32 | w->more),
                    (struct thing){.t0 = w->v[k].t0, .t1 = w->v[k].t1, .g = w->v[k].g}))
                return false;
    }
    return true;
}

static void pieces_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    const enum work_kind_id kind = (enum work_kind_id)(k->a >> 32);
    const uint32_t name = (uint32_t)k->a, user = (uint32_t)(k->b >> 32), more = (uint32_t)k->b;
    if (kind == WORK_TASKS)
        text_say(out, t->tr, "tasks \"", t_str(name), "\"");
    else
        text_say(out, t->tr, work_kind_name(kind), " of ", t_func(user ? user : name));
    if (more && !user)
        text_say(out, t->tr, ", between waits in ", t_where(more, 0));
}

static void pieces_say(struct text *out, const struct view *v, const struct thing *x)
{
    struct shares sh;
    bool first = true;
    trace_shares(v->tr, lane_g(x->g), x->t0, x->t1 > x->t0 ? x->t1 : x->t0 + 1, &sh);
    text_who(out, v->tr, x->g);
    for (int s = ST_NONE + 1; s < ST_COUNT; s++) {
        if (!sh.ns[s])
            continue;
        text_say(out, NULL, first ? ": " : ", ", state_name((enum state)s), " ", t_dur(sh.ns[s]));
        first = false;
    }
}

static const struct table_from pieces = {
    .thing = "piece",
    .things = "pieces",
    .types = "works",
    .none = "nothing is done again and again in this trace",
    .counted = true,
    .list = pieces_list,
    .type_name = pieces_type_name,
    .say = pieces_say,
};
const struct view_kind kind_pieces = {IS_THINGS(&pieces)};
