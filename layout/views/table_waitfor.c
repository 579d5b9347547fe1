/*
 * table_waitfor.c - who waits for whom, by start function.
 */
#include "decode/base/mem.h"
#include "layout/views/table.h"
#include "triage/tables/waitfor.h"

enum { WAITED, WAITS, LIFE, LONGEST, COLS };
static const struct tcol col[COLS] = {
    [WAITED] = {"waited", "time waited", TCOL_DUR, .w = 9},
    [WAITS] = {"waits", "how often they waited", TCOL_COUNT, .w = 8},
    [LIFE] = {"of life", "the share of the lives of who waits", TCOL_SHARE, .w = 9},
    [LONGEST] = {"longest", "the longest", TCOL_DUR, .w = 9},
};

static const struct waitfor_edge *waitfor_of(const struct table *t, const struct ttype *k)
{
    return &((const struct waitfor *)t->own)->edge[k->a];
}

/* Lists each type's longest wait as its only thing. */
static bool waitfor_list(struct table *t)
{
    const struct waitfor *w = t->own = waitfor_new(t->tg);
    for (uint32_t i = 0; w && i < w->nedges; i++) {
        const struct moment *m = &w->edge[i].longest;
        if (!table_add(t, table_type(t, i, 0), (struct thing){.t0 = m->t0, .t1 = m->t1, .g = m->g}))
            return false;
    }
    return w;
}

static int64_t waitfor_value(const struct table *t, const struct ttype *k, int c)
{
    const struct waitfor_edge *e = waitfor_of(t, k);
    return c == WAITED  ? e->ns
           : c == WAITS ? (int64_t)e->count
           : c == LIFE  ? (int64_t)(e->share * SHARE_WHOLE)
                        : k->max;
}

/* Writes "main.teller waits for main.auditor". */
static void waitfor_type_name(struct text *out, const struct table *t, const struct ttype *k)
{
    const struct waitfor_edge *e = waitfor_of(t, k);
    text_say(out, t->tr, t_func(e->from), " waits for ",
             e->what == WF_GROUP ? t_func(e->to) : say_words(waitfor_whom(e->what)));
}

static void waitfor_type_say(struct text *t, const struct view *v, const struct ttype *k, int line)
{
    const struct waitfor_edge *e = waitfor_of(v->table, k);
    if (line)
        return;
    waitfor_type_name(t, v->table, k);
    text_say(t, NULL, ": ", t_dur(e->ns / (int64_t)(e->count ? e->count : 1)), " on average, longest ",
             t_dur(k->max), " at ", t_dur(e->longest.t0));
}

static const struct table_from waitfor = {
    .bar = STYLE_WAITING,
    .thing = "wait",
    .things = "longest waits",
    .types = "who waits for whom",
    .none = "no goroutine waits for another in this trace",
    .link = " waits for ",
    .ends = {"who waits", "for whom"},
    .type_col = col,
    .ntype_cols = COLS,
    .type_first = WAITED,
    .counted = true,
    .list = waitfor_list,
    .drop = mem_free,
    .type_value = waitfor_value,
    .type_name = waitfor_type_name,
    .type_say = waitfor_type_say,
};
const struct view_kind kind_waitfor = {IS_THINGS(&waitfor)};
