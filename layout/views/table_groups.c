/*
 * table_groups.c - view 5: goroutines by start function, and the goroutines of one; all of them, one by one.
 */
#include <math.h>

#include "decode/base/mem.h"
#include "layout/views/table.h"

enum { COUNT, ALIVE, RUNNING, STUCK, RUNNABLE, BLOCKED, CALLS, ASSIST, LIFE, MOVES, TYPE_COLS };
static const struct tcol type_col[TYPE_COLS] = {
    [COUNT] = {"count", "how many", TCOL_COUNT, 6, STYLE_LANE},
    [ALIVE] = {"alive", "how many had not ended", TCOL_COUNT, 6, STYLE_LANE},
    [RUNNING] = {"running", "time running", TCOL_DUR, 9, STYLE_RUNNING},
    [STUCK] = {"may leak", "goroutines that may leak: they wait to the end, for long", TCOL_COUNT, 10,
               STYLE_LANE},
    [RUNNABLE] = {"runnable", "time runnable: it waits for a processor", TCOL_DUR, 9, STYLE_RUNNABLE},
    [BLOCKED] = {"waiting", "time waiting", TCOL_DUR, 9, STYLE_WAITING},
    [CALLS] = {"syscall", "time in system calls", TCOL_DUR, 9, STYLE_SYSCALL},
    [ASSIST] = {"assist", "time in mark assists", TCOL_DUR, 9, STYLE_ASSIST},
    [LIFE] = {"life", "time between creation and end", TCOL_DUR, 9, STYLE_LANE},
    [MOVES] = {"moved", "how often it ran on another processor than before", TCOL_COUNT, 8, STYLE_LANE},
};
enum { ONE_RUNNING, ONE_RUNNABLE, ONE_BLOCKED, ONE_CALLS, ONE_ASSIST, ONE_MOVES, ONE_COLS };
static const struct tcol col[ONE_COLS] = {
    [ONE_RUNNING] = {"running", "time running", TCOL_DUR, 9, STYLE_RUNNING},
    [ONE_RUNNABLE] = {"runnable", "time runnable: it waits for a processor", TCOL_DUR, 9, STYLE_RUNNABLE},
    [ONE_BLOCKED] = {"waiting", "time waiting", TCOL_DUR, 9, STYLE_WAITING},
    [ONE_CALLS] = {"syscall", "time in system calls", TCOL_DUR, 9, STYLE_SYSCALL},
    [ONE_ASSIST] = {"assist", "time in mark assists", TCOL_DUR, 9, STYLE_ASSIST},
    [ONE_MOVES] = {"moved", "how often it ran on another processor than before", TCOL_COUNT, 8, STYLE_LANE},
};

/* What triage's tables do not have: by goroutine how often it moved to another P; per group that, too, the
 * number of possible leaks, the largest of them, and quantiles. */
struct own {
    uint32_t *moves;
    uint64_t *moved;        /* of groups; NULL: they are not shown */
    uint32_t *stuck, *leak; /* goroutines; a row of triage's leaks, NO_LANE: none */
    struct dist *exec, *life;
};

/* ---- finding them -------------------------------------------------------------------------------------- */

static void groups_drop(void *arg)
{
    struct own *o = arg;
    mem_free(o->moves);
    mem_free(o->moved);
    mem_free(o->stuck);
    mem_free(o->leak);
    mem_free(o->exec);
    mem_free(o->life);
    mem_free(o);
}

static void groups_leaks(const struct triage *tg, struct own *o)
{
    for (uint32_t i = 0; i < tg->ngroups; i++)
        o->leak[i] = NO_LANE;
    for (uint32_t i = 0; i < tg->nleaks; i++) {
        const struct leak_row *l = &tg->leaks[i];
        const uint32_t g = l->example < tg->ng ? tg->group_of[l->example] : tg->ngroups;
        if (g >= tg->ngroups)
            continue;
        o->stuck[g] += l->lost; /* as the finding counts them */
        if (o->leak[g] == NO_LANE || l->lost > tg->leaks[o->leak[g]].lost)
            o->leak[g] = i;
    }
}

static struct own *moves_own(struct table *t)
{
    struct own *o = t->own = mem_zalloc(sizeof *o);
    if (o)
        o->moves = mem_alloc(((size_t)t->tg->ng + 1) * sizeof *o->moves);
    for (uint32_t g = 0; o && o->moves && g < t->tg->ng; g++) {
        o->moves[g] = gstat_moves(t->tg, g);
        if (!slices_tick())
            return NULL;
    }
    return o && o->moves ? o : NULL;
}

static bool groups_own(struct table *t)
{
    const size_t n = (size_t)t->tg->ngroups + 1;
    struct own *o = moves_own(t);
    if (!o)
        return false;
    o->moved = mem_zalloc(n * sizeof *o->moved);
    o->stuck = mem_zalloc(n * sizeof *o->stuck);
    o->leak = mem_alloc(n * sizeof *o->leak);
    o->exec = triage_group_dists(t->tg, GM_EXEC);
    o->life = triage_group_dists(t->tg, GM_LIFE);
    if (!o->moved || !o->stuck || !o->leak || !o->exec || !o->life)
        return false;
    for (uint32_t g = 0; g < t->tg->ng; g++)
        o->moved[t->tg->group_of[g]] += o->moves[g];
    groups_leaks(t->tg, o);
    return true;
}

/* Lists all goroutines, of their groups or as one type. */
static bool groups_add(struct table *t, bool by_group)
{
    const struct triage *tg = t->tg;
    for (uint32_t g = 0; g < tg->ng; g++) {
        const uint32_t of = tg->group_of[g];
        if (of >= tg->ngroups)
            continue;
        const struct lane_info li = trace_lane(t->tr, lane_g(g));
        const struct thing x = {
            .t0 = li.first, .t1 = li.nspans ? li.last : li.first, .g = g, .index = g, .open = !li.ended};
        if (!table_add(t, by_group ? table_type(t, tg->groups[of].name, of) : table_type(t, 0, 0), x))
            return false;
    }
    return true;
}

static bool groups_list(struct table *t)
{
    const struct triage *tg = t->tg;
    if (!groups_own(t))
        return false;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        if (table_type(t, tg->groups[i].name, i) == TAB_NONE)
            return false;
    return groups_add(t, true);
}

static bool gsums_list(struct table *t)
{
    return moves_own(t) && groups_add(t, false);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static int64_t groups_type_value(const struct table *t, const struct ttype *k, int c)
{
    static const enum gmetric of[TYPE_COLS] = {[RUNNING] = GM_EXEC,
                                               [RUNNABLE] = GM_RUNNABLE,
                                               [BLOCKED] = GM_WAIT,
                                               [ASSIST] = GM_ASSIST,
                                               [LIFE] = GM_LIFE};
    const struct group *r = &t->tg->groups[k->b];
    int64_t v = 0;
    switch (c) {
    case COUNT: return r->count;
    case ALIVE: v = (int64_t)r->count - r->ended; break;
    case STUCK: v = ((const struct own *)t->own)->stuck[k->b]; break;
    case MOVES: v = (int64_t)((const struct own *)t->own)->moved[k->b]; break;
    case CALLS:
        v = ns_add(r->ns[GM_SYSCALL], r->ns[GM_SYSBLOCK]);
        v = v && !r->timed && !trace_info(t->tr)->second_family ? TABLE_UNTIMED : v;
        break;
    default: v = r->ns[of[c]];
    }
    return v ? v : -1; /* none */
}

static int64_t groups_value(const struct table *t, const struct thing *x, int c)
{
    static const enum gmetric of[ONE_COLS] = {[ONE_RUNNING] = GM_EXEC,
                                              [ONE_RUNNABLE] = GM_RUNNABLE,
                                              [ONE_BLOCKED] = GM_WAIT,
                                              [ONE_ASSIST] = GM_ASSIST};
    const struct gstat s = gstat_of(t->tg, x->g);
    int64_t v = s.ns[of[c]];
    if (c == ONE_MOVES) {
        v = ((const struct own *)t->own)->moves[x->g];
    } else if (c == ONE_CALLS) {
        v = ns_add(s.ns[GM_SYSCALL], s.ns[GM_SYSBLOCK]);
        v = v && !tri_any_timed(t->tr, lane_g(x->g), x->t0, x->t1, v) ? TABLE_UNTIMED : v;
    }
    return v ? v : -1;
}

/* Gets the moment to look at: the goroutine's longest span of the state that rows are sorted by. */
static void groups_moment(const struct view *v, const struct thing *x, int64_t *t0, int64_t *t1)
{
    static const enum state of[ONE_COLS] = {[ONE_RUNNING] = ST_RUNNING,
                                            [ONE_RUNNABLE] = ST_RUNNABLE,
                                            [ONE_BLOCKED] = ST_WAITING,
                                            [ONE_CALLS] = ST_SYSCALL,
                                            [ONE_ASSIST] = ST_ASSIST};
    const int c = v->table->have.sort - THING_OWN;
    const enum state want = c >= 0 && c < ONE_COLS ? of[c] : ST_NONE;
    int64_t longest = -1;
    uint64_t left = 2000000; /* a goroutine with more spans is shown whole */
    struct span_iter it;
    each_span(s, it, v->tr, lane_g(x->g), INT64_MIN) {
        if (!want || !left--)
            return;
        if (s->state == want && s->t1 - s->t0 > longest) {
            longest = s->t1 - s->t0;
            *t0 = s->t0;
            *t1 = s->t1;
        }
    }
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void groups_say_leak(struct text *t, const struct view *v, const struct leak_row *l, uint32_t all)
{
    text_say(t, NULL, "may leak: ", l->lost, " ");
    if (l->lost < all)
        text_say(t, NULL, "of these ", all, " ");
    text_say(t, v->tr, "wait to the end of the trace (", t_wait(l->reason, l->stack), ") at ",
             t_where(l->stack, 60), ", longest ", t_dur(l->oldest));
    if (l->quarter[0] + l->quarter[1] + l->quarter[2] + l->quarter[3] ==
        l->lost) /* otherwise some had started before */
        text_add(t, "; created by quarter of the trace %u %u %u %u", l->quarter[0], l->quarter[1],
                 l->quarter[2], l->quarter[3]);
    text_say(t, v->tr, "; created in ", t_where(l->create_stack, 60));
}

static void groups_say_type(struct text *t, const struct view *v, const struct ttype *k, int line)
{
    const struct triage *tg = v->table->tg;
    const struct own *o = v->table->own;
    const struct group *g = &tg->groups[k->b];
    if (line == 0) {
        tri_func(t, v->tr, g->name, 60);
        text_say(t, NULL, ": ", g->count, g->count == 1 ? " goroutine, " : " goroutines, ", g->created,
                 " created, ", g->ended, " ended; running p50 ", t_dur(o->exec[k->b].p50), " p99 ",
                 t_dur(o->exec[k->b].p99), "; life p50 ", t_dur(o->life[k->b].p50), " max ",
                 t_dur(o->life[k->b].max));
        return;
    }
    if (o->stuck[k->b] && o->leak[k->b] != NO_LANE) {
        groups_say_leak(t, v, &tg->leaks[o->leak[k->b]], o->stuck[k->b]);
        return;
    }
    text_add(t, "%s", g->nwaits ? "waits: " : "it never waits");
    for (uint32_t i = 0; i < g->nwaits && i < 6; i++) {
        const struct group_wait *w = &tg->group_waits[g->waits + i];
        text_say(t, v->tr, i ? ", " : "", t_wait(w->reason, 0), " ", t_dur(w->total), " (longest ",
                 t_dur(w->longest), ")");
    }
}

struct longest {
    enum state state;
    int64_t ns;
};

static bool groups_longer(void *arg, const struct span_run *r)
{
    struct longest *l = arg;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->kind[r->tag[i]].state == l->state && r->dur[i] > l->ns)
            l->ns = r->dur[i];
    return true;
}

/* Finds the longest of n spans in a state that last `all` together; no shorter than their average. */
static int64_t groups_longest(const struct trace *tr, const struct lane_info *li, uint32_t g,
                              enum state state, int64_t all, uint64_t n)
{
    struct longest l = {.state = state};
    if (n)
        trace_states(tr, lane_g(g),
                     &(struct states_ask){.t0 = li->first,
                                          .t1 = li->last + 1,
                                          .min_ns = all / (int64_t)n,
                                          .f = groups_longer,
                                          .arg = &l});
    return l.ns;
}

static void groups_say(struct text *t, const struct view *v, const struct thing *x)
{
    const struct gstat s = gstat_of(v->table->tg, x->g);
    const struct gcounts c = gstat_counts(v->table->tg, x->g, INFINITY);
    const uint64_t waits = c.n[ST_WAITING], calls = c.n[ST_SYSCALL];
    const struct lane_info li = trace_lane(v->tr, lane_g(x->g));
    text_say(t, NULL, c.runs, c.runs == 1 ? " run, " : " runs, ", waits, waits == 1 ? " wait, " : " waits, ",
             calls, calls == 1 ? " system call; longest wait " : " system calls; longest wait ",
             t_dur(groups_longest(v->tr, &li, x->g, ST_WAITING, s.ns[GM_WAIT], waits)), ", runnable ",
             t_dur(groups_longest(v->tr, &li, x->g, ST_RUNNABLE, s.ns[GM_RUNNABLE], c.n[ST_RUNNABLE])));
    if (li.creator != NO_LANE)
        text_say(t, v->tr, "; created by ", t_who(li.creator));
    else if (tri_by_timer(v->tr, lane_g(x->g), &li))
        text_lit(t, "; " TRI_BY_TIMER);
}

#define OF_GOROUTINES \
    .thing = "goroutine", .things = "goroutines", .none = "no goroutines in this trace", .col = col, \
    .ncols = ONE_COLS, .first = THING_OWN + ONE_RUNNING, .counted = true, .value = groups_value, \
    .say = groups_say, .moment = groups_moment

static const struct table_from groups = {
    OF_GOROUTINES,
    .types = "start functions",
    .type_col = type_col,
    .ntype_cols = TYPE_COLS,
    .type_first = RUNNING,
    .list = groups_list,
    .drop = groups_drop,
    .type_value = groups_type_value,
    .type_name = table_name_string,
    .type_say = groups_say_type,
};
const struct view_kind kind_groups = {IS_THINGS(&groups)};

static const struct table_from gsums = {OF_GOROUTINES, .list = gsums_list, .drop = groups_drop};
const struct view_kind kind_gsums = {IS_THINGS(&gsums)};
