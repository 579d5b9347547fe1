/*
 * sql_lanes.c - the tables goroutine, proc and thread: a row each, with the exact time by state, of their
 * lives or of a part of the trace. It also finds which lanes a query is about, for the tables of spans, too.
 */
#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"

/* ---- lanes of a query ---------------------------------------------------------------------------------- */

/* Sorts goroutines by name or by id, stably. */
static bool sort_by(struct sql *s, struct keyed_row *v, bool name)
{
    const uint32_t n = trace_nlanes(s->tr, LANE_G), *canon = name ? sql_canon(s) : NULL;
    if (name && !canon)
        return false;
    for (uint32_t i = 0; i < n; i++)
        v[i].key = name ? canon[trace_g_name(s->tr, v[i].row)] : trace_lane_who(s->tr, lane_g(v[i].row)).id;
    return rows_sort(v, n);
}

/* Several goroutines have one id only in hostile traces. */
static bool ids_repeat(const struct keyed_row *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (v[i].key == v[i - 1].key)
            return true;
    return false;
}

/* Sorts all goroutines by name, or by id and where they share one by name. */
static bool goroutines_by(struct sql *s, bool name, struct keyed_row **out)
{
    const uint32_t n = trace_nlanes(s->tr, LANE_G);
    struct keyed_row *v = mem_alloc((n + 1) * sizeof *v);
    for (uint32_t g = 0; v && g < n; g++)
        v[g].row = g;
    bool ok = v && sort_by(s, v, name);
    if (ok && !name && ids_repeat(v, n))
        ok = sort_by(s, v, true) && sort_by(s, v, false);
    if (ok)
        *out = v;
    else
        mem_free(v);
    return ok;
}

/* Returns the first place in by_id with at least this id. */
static uint32_t ids_from(const struct sql *s, uint64_t id)
{
    return bisected(trace_nlanes(s->tr, LANE_G), i, s->by_id[i].key < id);
}

bool sql_lanes(struct sql_lanes *l, const struct sql_cursor *c)
{
    const enum lane_kind kind = c->table->lane;
    struct sql *s = c->s;
    const struct sql_where *w = &c->w;
    *l = (struct sql_lanes){.s = s, .w = w, .kind = kind, .end = trace_nlanes(s->tr, kind)};
    l->t0 = w->lo[SQL_P_T0] > w->lo[SQL_P_T1] ? w->lo[SQL_P_T0] : w->lo[SQL_P_T1];
    l->t1 = w->hi[SQL_P_T0] < w->hi[SQL_P_T1] ? w->hi[SQL_P_T0] : w->hi[SQL_P_T1];
    l->timed = l->t0 > 0 || l->t1 < s->end;
    l->t1 += l->t1 < INT64_MAX; /* theirs is inclusive */
    l->by_id = kind == LANE_G && w->lo[SQL_P_ID] == w->hi[SQL_P_ID];
    const bool ids = kind == LANE_G && (l->by_id || c->grouped & SQL_GROUP(ID));
    const bool names = kind == LANE_G && !ids && c->grouped & SQL_GROUP(NAME);
    if ((ids && !s->by_id && !goroutines_by(s, false, &s->by_id)) ||
        (names && !s->by_group && !goroutines_by(s, true, &s->by_group)))
        return false;
    l->order = ids ? s->by_id : names ? s->by_group : NULL;
    if (l->by_id)
        l->at = ids_from(s, (uint64_t)w->lo[SQL_P_ID]);
    return true;
}

static bool has_id(const struct sql_lanes *l, uint32_t i)
{
    const struct sql_where *w = l->w;
    if (w->lo[SQL_P_ID] == INT64_MIN && w->hi[SQL_P_ID] == INT64_MAX)
        return true;
    const int64_t id = (int64_t)trace_lane_who(l->s->tr, (struct lane){l->kind, i}).id;
    return id >= w->lo[SQL_P_ID] && id <= w->hi[SQL_P_ID];
}

/* Returns the next lane of an order that lives within the query's time. */
static uint32_t step_in_order(struct sql_lanes *l)
{
    struct lifetime f;
    while (l->at < l->end && !(l->by_id && (int64_t)l->order[l->at].key != l->w->lo[SQL_P_ID])) {
        const uint32_t i = l->order[l->at++].row;
        if (!l->timed)
            return i;
        trace_lives(l->s->tr, l->kind, i, 1, &f);
        if (f.first < l->t1 && f.last >= l->t0)
            return i;
    }
    return NO_LANE;
}

static uint32_t lanes_step(struct sql_lanes *l)
{
    uint32_t i = l->at;
    if (l->order)
        return step_in_order(l);
    if (l->timed) {
        const struct alive_ask ask = {l->s->tr, l->kind, l->t0, l->t1, l->end};
        i = alive_next(&l->s->alive[l->kind], &ask, i);
    }
    l->at = i == NO_LANE ? l->end : i + 1;
    return i;
}

uint32_t sql_lanes_next(struct sql_lanes *l)
{
    for (uint32_t passed = 1; l->at < l->end; passed++) {
        if ((passed & 4095) == 0 && sql_stop(l->s))
            return NO_LANE;
        const uint32_t i = lanes_step(l);
        if (i == NO_LANE)
            return NO_LANE;
        if (l->w->name != SQL_ANY_NAME && l->s->canon[trace_g_name(l->s->tr, i)] != l->w->name)
            continue;
        if (has_id(l, i))
            return i;
    }
    return NO_LANE;
}

/* ---- one row a lane ------------------------------------------------------------------------------------ */

struct lane_cursor {
    struct sql_cursor c;
    struct sql_lanes lanes;
    struct lane lane;
    struct lane_info li;
    bool has_shares;
    struct shares s;
};

static bool lane_next(struct sql_cursor *base)
{
    struct lane_cursor *c = (struct lane_cursor *)base;
    c->lane = (struct lane){c->lanes.kind, sql_lanes_next(&c->lanes)};
    base->eof = c->lane.i == NO_LANE;
    base->rowid = c->lane.i;
    c->has_shares = false;
    if (!base->eof)
        c->li = trace_lane(base->s->tr, c->lane);
    return !base->s->late;
}

static bool lane_begin(struct sql_cursor *base)
{
    struct lane_cursor *c = (struct lane_cursor *)base;
    return sql_lanes(&c->lanes, base) && lane_next(base);
}

static double rows_of_lanes(const struct sql *s, const struct sql_table *t)
{
    return trace_nlanes(s->tr, t->lane);
}

/* Finds the part of the lane's life that the query covers. */
static bool life_part(const struct lane_cursor *c, int64_t *t0, int64_t *t1)
{
    const struct sql_where *w = &c->c.w;
    const bool from = w->lo[SQL_P_FROM] == w->hi[SQL_P_FROM], to = w->lo[SQL_P_TO] == w->hi[SQL_P_TO];
    const bool own = c->lane.kind == LANE_G; /* others: of the whole trace */
    *t0 = own ? c->li.first : 0;
    *t1 = own ? c->li.last : c->c.s->end;
    if (from && w->lo[SQL_P_FROM] > *t0)
        *t0 = w->lo[SQL_P_FROM];
    if (to && w->lo[SQL_P_TO] < *t1)
        *t1 = w->lo[SQL_P_TO];
    return *t0 < *t1;
}

static int64_t ns_in(struct lane_cursor *c, enum state st)
{
    int64_t t0, t1;
    if (!c->has_shares) {
        c->s = (struct shares){0};
        if (life_part(c, &t0, &t1))
            trace_shares(c->c.s->tr, c->lane, t0, t1, &c->s);
        c->has_shares = true;
    }
    return c->s.ns[st];
}

/* Returns the number of spans; one that begins where the lane ends counts, too. */
static int64_t count_of(const struct lane_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    int64_t t0, t1;
    if (w->lo[SQL_P_FROM] <= c->li.first && c->li.last < w->hi[SQL_P_TO])
        return (int64_t)c->li.nspans;
    return life_part(c, &t0, &t1) ? (int64_t)trace_count(c->c.s->tr, c->lane, t0, t1) : 0;
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

#define GOROUTINE(X) \
    X(G_ID, "g", ID, ID, v_id(li->id), "number from the file") \
    X(G_NAME, "name", NAME, NAME, v_str(li->name), "start function; NULL: not recorded") \
    X(G_INFERRED, "name_inferred", BOOL, NO, v_int(li->name_inferred), \
      "the name is taken from a stack, not from the goroutine's creation") \
    X(G_SYSTEM, "system", BOOL, NO, v_int(li->is_system), "it belongs to the runtime itself") \
    X(G_T0, "t0", NS, T0, v_int(li->first), \
      "its life within the trace: from its creation or the trace's start") \
    X(G_T1, "t1", NS, T1, v_int(li->last), "to its end or the trace's end") \
    X(G_DUR, "dur", NS, NO, v_int(li->last - li->first), "t1 - t0") \
    X(G_CREATED, "created", BOOL, NO, v_int(li->created), "its creation is in the trace") \
    X(G_ENDED, "ended", BOOL, NO, v_int(li->ended), "its end is in the trace") \
    X(G_RUNNING, "running_ns", NS, NO, \
      v_int(ns_in(c, ST_RUNNING) + ns_in(c, ST_GCWORK) + ns_in(c, ST_ASSIST)), \
      "running, mark assist included") \
    X(G_RUNNABLE, "runnable_ns", NS, NO, v_int(ns_in(c, ST_RUNNABLE)), "runnable: it waits for a processor") \
    X(G_WAITING, "waiting_ns", NS, NO, v_int(ns_in(c, ST_WAITING)), "waiting") \
    X(G_SYSCALL, "syscall_ns", NS, NO, v_int(ns_in(c, ST_SYSCALL)), "in system calls") \
    X(G_UNRECORDED, "unrecorded_ns", NS, NO, v_int(ns_in(c, ST_UNKNOWN)), \
      "not recorded; these five add up to its life") \
    X(G_ASSIST, "assist_ns", NS, NO, v_assist(c), \
      "mark assist from start to end, waits included; NULL before Go 1.9") \
    X(G_SPANS, "spans", COUNT, NO, v_int(count_of(c)), "how many spans it has") \
    X(G_CREATOR, "creator", ID, NO, v_lane(s, LANE_G, li->creator), \
      "goroutine that created it; NULL: not recorded") \
    X(G_CREATOR_NAME, "creator_name", NAME, NO, v_g_name(s, li->creator), "that one's start function") \
    X(G_CREATE_FUNC, "create_func", NAME, NO, v_func(s, li->create_stack), "function that created it") \
    X(G_CREATE_STACK, "create_stack", ID, NO, v_some(li->create_stack), "stack there") \
    X(G_FROM, "from_ns", NS, FROM, v_none(), \
      "~first argument: goroutine(from, to) counts _ns and spans only in [from,to)") \
    X(G_TO, "to_ns", NS, TO, v_none(), "~second argument") \
    X(G_SEEN, "seen", NS, NO, v_int(li->seen), \
      "~when the trace first mentions it; an earlier t0 is back-dated")
/* Sum up the time in mark assist by goroutine, within the query's time. */
static int64_t *assists(struct sql *s, int64_t from, int64_t to)
{
    const struct range *r;
    const size_t n = trace_ranges(s->tr, RANGE_ASSIST, &r), ng = trace_nlanes(s->tr, LANE_G);
    if (s->assist && s->assist_from == from && s->assist_to == to)
        return s->assist;
    if (!s->assist)
        s->assist = mem_alloc((ng + 1) * sizeof *s->assist);
    if (!s->assist)
        return NULL;
    memset(s->assist, 0, (ng + 1) * sizeof *s->assist);
    s->assist_from = from;
    s->assist_to = to;
    for (size_t i = 0; i < n; i++) {
        const int64_t t0 = r[i].t0 > from ? r[i].t0 : from, t1 = r[i].t1 < to ? r[i].t1 : to;
        if (r[i].owner < ng && t1 > t0)
            s->assist[r[i].owner] += t1 - t0;
    }
    return s->assist;
}

static struct sql_value v_assist(const struct lane_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    const int64_t from = w->lo[SQL_P_FROM] == w->hi[SQL_P_FROM] ? w->lo[SQL_P_FROM] : INT64_MIN;
    const int64_t to = w->lo[SQL_P_TO] == w->hi[SQL_P_TO] ? w->lo[SQL_P_TO] : INT64_MAX;
    if (!triage_knows_assists(c->c.s->tr))
        return v_none();
    const int64_t *v = assists(c->c.s, from, to);
    return v ? v_int(v[c->lane.i]) : v_own(NULL);
}

SQL_CELLS(goroutine, GOROUTINE, struct lane_cursor, const struct lane_info *li = &c->li)

SQL_TABLE(goroutine, GOROUTINE, struct lane_cursor, lane_begin, lane_next,
          "One row a goroutine, by first appearance", .lane = LANE_G,
          .groups = SQL_GROUP(ID) | SQL_GROUP(NAME), .rows = rows_of_lanes);

/* ---- processors, threads ------------------------------------------------------------------------------- */

#define LANE(X, P, COLUMN, WHAT) \
    X(P##_ID, COLUMN, ID, ID, v_id(c->li.id), WHAT) \
    X(P##_T0, "t0", NS, T0, v_int(c->li.first), "when the trace first tells of it") \
    X(P##_T1, "t1", NS, T1, v_int(c->li.last), "and last") \
    X(P##_RUNNING, "running_ns", NS, NO, v_int(ns_in(c, ST_RUNNING)), \
      "user code, and the runtime's own goroutines") \
    X(P##_GCWORK, "gc_worker_ns", NS, NO, \
      v_if(triage_knows_workers(base->s->tr), v_int(ns_in(c, ST_GCWORK))), \
      "GC workers; NULL: they have no names (before Go 1.7)") \
    X(P##_ASSIST, "assist_ns", NS, NO, v_if(triage_knows_assists(base->s->tr), v_int(ns_in(c, ST_ASSIST))), \
      "mark assist; NULL before Go 1.9") \
    X(P##_SWEEP, "sweep_ns", NS, NO, v_int(ns_in(c, ST_SWEEP)), "sweeping outside of an assist") \
    X(P##_SYSCALL, "syscall_ns", NS, NO, v_int(ns_in(c, ST_SYSCALL)), \
      "held by a goroutine in a system call") \
    X(P##_SCHED, "scheduler_ns", NS, NO, v_int(ns_in(c, ST_SCHED)), "looking for work") \
    X(P##_IDLE, "idle_ns", NS, NO, v_int(ns_in(c, ST_IDLE)), \
      "nothing to run; a thread: without a processor") \
    X(P##_UNRECORDED, "unrecorded_ns", NS, NO, v_int(ns_in(c, ST_NONE) + ns_in(c, ST_UNKNOWN)), \
      "not recorded; these eight add up to the trace's length") \
    X(P##_SPANS, "spans", COUNT, NO, v_int(count_of(c)), "how many spans it has") \
    X(P##_FROM, "from_ns", NS, FROM, v_none(), "~first argument, as of goroutine") \
    X(P##_TO, "to_ns", NS, TO, v_none(), "~second argument")
#define PROC(X) LANE(X, P, "p", "the processor's number")
#define THREAD(X) LANE(X, M, "m", "the thread's id")
SQL_CELLS(proc, PROC, struct lane_cursor)
SQL_TABLE(proc, PROC, struct lane_cursor, lane_begin, lane_next,
          "One row a processor (P), with its time by state", .lane = LANE_P, .rows = rows_of_lanes);
SQL_CELLS(thread, THREAD, struct lane_cursor)
SQL_TABLE(thread, THREAD, struct lane_cursor, lane_begin, lane_next,
          "One row a thread (M) that held a processor", .lane = LANE_M, .rows = rows_of_lanes);
