/*
 * table_gsums.c - all goroutines, one by one: what their lives were made of.
 */
#include "layout/views/table.h"

enum { RUNNING, RUNNABLE, BLOCKED, CALLS, OWN };
static const struct tcol col[OWN] = {
    [RUNNING] = {"running", "time running", TCOL_DUR, .w = 9},
    [RUNNABLE] = {"runnable", "time runnable: it waits for a processor", TCOL_DUR, .w = 9},
    [BLOCKED] = {"waiting", "time waiting", TCOL_DUR, .w = 9},
    [CALLS] = {"syscall", "time in system calls", TCOL_DUR, .w = 9},
};

static bool gsums_list(struct table *t)
{
    enum { CHUNK = 256 };
    struct lifetime life[CHUNK];
    uint32_t n = trace_nlanes(t->tr, LANE_G);
    for (uint32_t g = 0; g < n; g += CHUNK) {
        uint32_t k = n - g < CHUNK ? n - g : CHUNK;
        trace_lives(t->tr, LANE_G, g, k, life);
        for (uint32_t i = 0; i < k; i++)
            if (life[i].started && !table_add(t, 0, 0,
                                              (struct thing){.t0 = life[i].first,
                                                             .t1 = life[i].last,
                                                             .g = g + i,
                                                             .index = g + i,
                                                             .open = !life[i].over}))
                return false;
        if (!slices_tick())
            return false;
    }
    return true;
}

/* Is none of its system calls timed? */
static bool untimed(const struct trace *tr, const struct thing *x)
{
    return !tri_any_timed(tr, tri_g(x->g), x->t0, x->t1 + 1);
}

static int64_t gsums_value(const struct table *t, const struct thing *x, int c)
{
    static const enum state of[OWN] = {
        [RUNNING] = ST_RUNNING, [RUNNABLE] = ST_RUNNABLE, [BLOCKED] = ST_WAITING, [CALLS] = ST_SYSCALL};
    struct shares sh;
    if (x->t1 <= x->t0)
        return 0;
    trace_shares(t->tr, tri_g(x->g), x->t0, x->t1, &sh);
    if (c == CALLS && sh.ns[ST_SYSCALL] && untimed(t->tr, x))
        return TABLE_UNTIMED;
    return sh.ns[of[c]];
}

static void gsums_name(struct text *out, const struct table *t, const struct thing *x)
{
    text_who(out, t->tr, x->g);
}

static void gsums_say(struct text *out, const struct view *v, const struct thing *x)
{
    struct lane_info li = trace_lane_who(v->tr, tri_g(x->g));
    struct shares sh;
    trace_shares(v->tr, tri_g(x->g), x->t0, x->t1 > x->t0 ? x->t1 : x->t0 + 1, &sh);
    bool first = true;
    for (int s = ST_NONE + 1; s < ST_COUNT; s++) {
        if (!sh.ns[s])
            continue;
        text_add(out, "%s%s ", first ? "" : ", ", state_name((enum state)s));
        if (s == ST_SYSCALL && untimed(v->tr, x))
            text_lit(out, TRI_NOT_TIMED);
        else
            text_dur(out, sh.ns[s]);
        first = false;
    }
    if (li.creator != NO_LANE) {
        text_lit(out, "; created by ");
        text_who(out, v->tr, li.creator);
    } else if (tri_by_timer(v->tr, tri_g(x->g), &li)) {
        text_lit(out, "; " TRI_BY_TIMER);
    }
    if (!li.ended)
        text_lit(out, "; not ended in this trace");
}

static const struct table_from gsums = {
    .thing = "goroutine",
    .things = "goroutines",
    .none = "no goroutines in this trace",
    .col = col,
    .ncols = OWN,
    .first = THING_OWN + RUNNING,
    .list = gsums_list,
    .value = gsums_value,
    .name = gsums_name,
    .say = gsums_say,
};
const struct view_kind kind_gsums = {IS_THINGS(&gsums)};
