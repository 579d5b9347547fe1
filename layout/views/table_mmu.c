/*
 * table_mmu.c - the minimum mutator utilisation: for windows of each length the share of the processors that
 * the collector left the program in the worst of them, and when that was.
 */
#include "layout/views/table.h"

static const struct tcol mmu_col[] = {
    {"left", "the share of the processors left to the program", TCOL_SHARE, 8, STYLE_RUNNING}};

static const struct mmu_point *mmu_of(const struct table *t, const struct thing *x)
{
    return &t->tg->mmu[x->index];
}

static bool mmu_list(struct table *t)
{
    for (uint32_t i = 0; i < t->tg->nmmu; i++) {
        const struct mmu_point *m = &t->tg->mmu[i];
        if (!table_add(
                t, table_type(t, 0, 0),
                (struct thing){.t0 = m->at, .t1 = time_add(m->at, m->window), .g = NO_LANE, .index = i}))
            return false;
    }
    return true;
}

static int64_t mmu_value(const struct table *t, const struct thing *x, int c)
{
    (void)c;
    return (int64_t)(mmu_of(t, x)->mmu * SHARE_WHOLE + 0.5);
}

/* There is one window as long as the trace. */
static bool mmu_whole(const struct table *t, const struct thing *x)
{
    return mmu_of(t, x)->window >= t->tg->end;
}

static void mmu_name(struct text *out, const struct table *t, const struct thing *x)
{
    if (mmu_whole(t, x))
        text_lit(out, "the whole trace");
    else
        text_say(out, NULL, "the worst ", t_dur(mmu_of(t, x)->window));
}

/* Writes what the processors did in the worst window. */
static void mmu_say(struct text *out, const struct view *v, const struct thing *x)
{
    struct shares sum = {{0}}, s;
    int64_t all = 0;
    const struct mmu_point *m = mmu_of(v->table, x);
    const char *sep = " of the processors; their time in the worst: ";
    if (mmu_whole(v->table, x)) {
        text_say(out, NULL, "in the whole trace the program had ", t_share(m->mmu, 1));
        sep = " of the processors; their time: ";
    } else
        text_say(out, NULL, "in any ", t_dur(m->window), " the program had at least ", t_share(m->mmu, 1));
    for (uint32_t p = 0; p < trace_nlanes(v->tr, LANE_P); p++) {
        trace_shares(v->tr, lane_p(p), x->t0, x->t1, &s);
        for (int i = ST_NONE + 1; i < ST_COUNT; i++) {
            sum.ns[i] = time_add(sum.ns[i], s.ns[i]);
            all = time_add(all, s.ns[i]);
        }
    }
    for (int i = ST_NONE + 1; i < ST_COUNT; i++) {
        if (!sum.ns[i])
            continue;
        text_say(out, NULL, sep, state_name((enum state)i), " ", t_share(sum.ns[i], all));
        sep = ", ";
    }
    const int64_t stopped = tri_in_band(v->tr, BAND_STW, x->t0, x->t1);
    if (stopped)
        text_say(out, NULL, "; the world stopped for ", t_dur(stopped));
}

static const struct table_from mmu = {
    .thing = "worst window",
    .things = "worst windows (MMU)",
    .none = "no garbage collection in this trace: the program had all processors",
    .col = mmu_col,
    .ncols = 1,
    .counted = true,
    .first = THING_OWN,
    .list = mmu_list,
    .value = mmu_value,
    .name = mmu_name,
    .say = mmu_say,
};
const struct view_kind kind_mmu = {IS_THINGS(&mmu)};
