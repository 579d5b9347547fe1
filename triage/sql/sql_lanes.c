/*
 * sql_lanes.c - the tables goroutine, proc and thread: a row each, with the exact time by state, of their
 * lives or of a part of the trace. And which lanes a query is about, for the tables of spans, too.
 */
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"

/* ---- lanes of a query ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b, void *arg)
{
    const struct sql *s = arg;
    const uint32_t x = s->canon[trace_g_name(s->tr, ((const struct keyed_row *)a)->row)];
    const uint32_t y = s->canon[trace_g_name(s->tr, ((const struct keyed_row *)b)->row)];
    return x < y ? -1 : x > y;
}

/* Only in traces that mean harm several goroutines have one id. */
static bool names_in_ids(struct sql *s, struct keyed_row *v, uint32_t n)
{
    for (uint32_t i = 0, to; i < n; i = to) {
        for (to = i + 1; to < n && v[to].key == v[i].key; to++)
            continue;
        if (to - i > 1 && !sql_canon(s))
            return false;
        if (to - i > 1)
            host_sort(v + i, to - i, sizeof *v, by_name, s);
    }
    return true;
}

static bool ids_index(struct sql *s)
{
    const uint32_t n = trace_nlanes(s->tr, LANE_G);
    struct keyed_row *v = mem_alloc((n + 1) * sizeof *v);
    for (uint32_t g = 0; v && g < n; g++)
        v[g] = (struct keyed_row){trace_lane_who(s->tr, (struct lane){LANE_G, g}).id, g};
    if (v && (!rows_sort(v, n) || !names_in_ids(s, v, n))) {
        mem_free(v);
        v = NULL;
    }
    s->by_id = v;
    return v != NULL;
}

static bool groups_index(struct sql *s)
{
    const uint32_t n = trace_nlanes(s->tr, LANE_G), *canon = sql_canon(s);
    struct keyed_row *v = canon ? mem_alloc((n + 1) * sizeof *v) : NULL;
    for (uint32_t g = 0; v && g < n; g++)
        v[g] = (struct keyed_row){canon[trace_g_name(s->tr, g)], g};
    if (v && !rows_sort(v, n)) {
        mem_free(v);
        v = NULL;
    }
    s->by_group = v;
    return v != NULL;
}

/* The first place in by_id with at least this id. */
static uint32_t ids_from(const struct sql *s, uint64_t id)
{
    uint32_t lo = 0, hi = trace_nlanes(s->tr, LANE_G);
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (s->by_id[mid].key < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool sql_lanes(struct sql_lanes *l, const struct sql_cursor *c, enum lane_kind kind)
{
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
    if ((ids && !s->by_id && !ids_index(s)) || (names && !s->by_group && !groups_index(s)))
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

/* The next lane in an order, of those that live while the query looks. */
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

static uint32_t step(struct sql_lanes *l)
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
        const uint32_t i = step(l);
        if (i == NO_LANE)
            return NO_LANE;
        if (l->kind == LANE_G && l->w->names != SQL_ANY_NAME && !sql_name_is(l->w, trace_g_name(l->s->tr, i)))
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

static bool lane_begin(struct sql_cursor *base, enum lane_kind k)
{
    struct lane_cursor *c = (struct lane_cursor *)base;
    return sql_lanes(&c->lanes, base, k) && lane_next(base);
}

/* The part of its life that is asked for. */
static bool part(const struct lane_cursor *c, int64_t *t0, int64_t *t1)
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

static const struct shares *shares_of(struct lane_cursor *c)
{
    int64_t t0, t1;
    if (!c->has_shares) {
        c->s = (struct shares){0};
        if (part(c, &t0, &t1))
            trace_shares(c->c.s->tr, c->lane, t0, t1, &c->s);
        c->has_shares = true;
    }
    return &c->s;
}

static void put_ns(struct lane_cursor *c, sqlite3_context *x, enum state st)
{
    sql_put_int(x, shares_of(c)->ns[st]);
}

/* How many spans; one that begins where the lane ends counts, too. */
static void put_count(struct lane_cursor *c, sqlite3_context *x)
{
    const struct sql_where *w = &c->c.w;
    const int64_t from = w->lo[SQL_P_FROM], to = w->hi[SQL_P_TO];
    int64_t t0, t1;
    const bool some = part(c, &t0, &t1);
    if (from <= c->li.first && c->li.last < to)
        sql_put_int(x, (int64_t)c->li.nspans);
    else
        sql_put_int(x, some ? (int64_t)trace_count(c->c.s->tr, c->lane, t0, t1) : 0);
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

#define GOROUTINE(X) \
    X(G_ID, "g", ID, ID, "number from the file") \
    X(G_NAME, "name", NAME, NAME, "start function; NULL: not recorded") \
    X(G_INFERRED, "name_inferred", BOOL, NO, \
      "the name is taken from a stack, not from the goroutine's creation") \
    X(G_SYSTEM, "system", BOOL, NO, "it belongs to the runtime itself") \
    X(G_T0, "t0", NS, T0, "its life within the trace: from its creation or the trace's start") \
    X(G_T1, "t1", NS, T1, "to its end or the trace's end") \
    X(G_DUR, "dur", NS, NO, "t1 - t0") \
    X(G_CREATED, "created", BOOL, NO, "its creation is in the trace") \
    X(G_ENDED, "ended", BOOL, NO, "its end is in the trace") \
    X(G_RUNNING, "running_ns", NS, NO, "running, mark assist included") \
    X(G_RUNNABLE, "runnable_ns", NS, NO, "runnable: it waits for a processor") \
    X(G_WAITING, "waiting_ns", NS, NO, "waiting") \
    X(G_SYSCALL, "syscall_ns", NS, NO, "in system calls") \
    X(G_UNRECORDED, "unrecorded_ns", NS, NO, "not recorded; these five add up to its life") \
    X(G_ASSIST, "assist_ns", NS, NO, "mark assist from start to end, waits included; NULL before Go 1.9") \
    X(G_SPANS, "spans", COUNT, NO, "how many spans it has") \
    X(G_CREATOR, "creator", ID, NO, "goroutine that created it; NULL: not recorded") \
    X(G_CREATOR_NAME, "creator_name", NAME, NO, "that one's start function") \
    X(G_CREATE_FUNC, "create_func", NAME, NO, "function that created it") \
    X(G_CREATE_STACK, "create_stack", ID, NO, "stack there") \
    X(G_FROM, "from_ns", NS, FROM, \
      "~first argument: goroutine(from, to) counts _ns and spans only in [from,to)") \
    X(G_TO, "to_ns", NS, TO, "~second argument") \
    X(G_SEEN, "seen", NS, NO, "~when the trace first mentions it; an earlier t0 is back-dated")
enum { GOROUTINE(SQL_COLUMN_ID) };
static const struct sql_column goroutine_columns[] = {GOROUTINE(SQL_COLUMN_ROW)};

static bool g_begin(struct sql_cursor *c)
{
    return lane_begin(c, LANE_G);
}

/* Time in mark assist by goroutine, in the part that is asked for. */
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

static void put_assist(struct lane_cursor *c, sqlite3_context *x)
{
    const struct sql_where *w = &c->c.w;
    const int64_t from = w->lo[SQL_P_FROM] == w->hi[SQL_P_FROM] ? w->lo[SQL_P_FROM] : INT64_MIN;
    const int64_t to = w->lo[SQL_P_TO] == w->hi[SQL_P_TO] ? w->lo[SQL_P_TO] : INT64_MAX;
    if (!triage_knows_assists(c->c.s->tr))
        return;
    const int64_t *v = assists(c->c.s, from, to);
    if (v)
        sql_put_int(x, v[c->lane.i]);
    else
        sqlite3_result_error_nomem(x);
}

static void g_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct lane_cursor *c = (struct lane_cursor *)base;
    const struct sql *s = base->s;
    const struct lane_info *li = &c->li;
    switch (column) {
    case G_ID: sql_put_id(x, li->id); break;
    case G_NAME: sql_put_str(x, s, li->name); break;
    case G_INFERRED: sql_put_int(x, li->name_inferred); break;
    case G_SYSTEM: sql_put_int(x, li->is_system); break;
    case G_T0: sql_put_int(x, li->first); break;
    case G_T1: sql_put_int(x, li->last); break;
    case G_DUR: sql_put_int(x, li->last - li->first); break;
    case G_CREATED: sql_put_int(x, li->created); break;
    case G_ENDED: sql_put_int(x, li->ended); break;
    case G_RUNNING:
        sql_put_int(x, shares_of(c)->ns[ST_RUNNING] + c->s.ns[ST_GCWORK] + c->s.ns[ST_ASSIST]);
        break;
    case G_RUNNABLE: put_ns(c, x, ST_RUNNABLE); break;
    case G_WAITING: put_ns(c, x, ST_WAITING); break;
    case G_SYSCALL: put_ns(c, x, ST_SYSCALL); break;
    case G_UNRECORDED: put_ns(c, x, ST_UNKNOWN); break;
    case G_ASSIST: put_assist(c, x); break;
    case G_SPANS: put_count(c, x); break;
    case G_CREATOR: sql_put_lane(x, s, LANE_G, li->creator); break;
    case G_CREATOR_NAME: sql_put_g_name(x, s, li->creator); break;
    case G_CREATE_FUNC: sql_put_func(x, s, li->create_stack); break;
    case G_CREATE_STACK: sql_put_stack(x, li->create_stack); break;
    case G_SEEN: sql_put_int(x, li->seen); break;
    default: break;
    }
}

static double g_rows(struct sql *s)
{
    return trace_nlanes(s->tr, LANE_G);
}

const struct sql_table sql_goroutine = {"goroutine",
                                        "One row a goroutine, by first appearance",
                                        SQL_COLUMNS(goroutine_columns),
                                        sizeof(struct lane_cursor),
                                        g_rows,
                                        g_begin,
                                        lane_next,
                                        g_cell,
                                        SQL_GROUP(ID) | SQL_GROUP(NAME),
                                        NULL};

/* ---- processors, threads ------------------------------------------------------------------------------- */

#define LANE(X, P, id, lane) \
    X(P##_ID, id, ID, ID, lane) \
    X(P##_T0, "t0", NS, T0, "when the trace first tells of it") \
    X(P##_T1, "t1", NS, T1, "and last") \
    X(P##_RUNNING, "running_ns", NS, NO, "user code, and the runtime's own goroutines") \
    X(P##_GCWORK, "gc_worker_ns", NS, NO, "GC workers; NULL: they have no names (before Go 1.7)") \
    X(P##_ASSIST, "assist_ns", NS, NO, "mark assist; NULL before Go 1.9") \
    X(P##_SWEEP, "sweep_ns", NS, NO, "sweeping outside of an assist") \
    X(P##_SYSCALL, "syscall_ns", NS, NO, "held by a goroutine in a system call") \
    X(P##_SCHED, "scheduler_ns", NS, NO, "looking for work") \
    X(P##_IDLE, "idle_ns", NS, NO, "nothing to run; a thread: without a processor") \
    X(P##_UNRECORDED, "unrecorded_ns", NS, NO, "not recorded; these eight add up to the trace's length") \
    X(P##_SPANS, "spans", COUNT, NO, "how many spans it has") \
    X(P##_FROM, "from_ns", NS, FROM, "~first argument, as of goroutine") \
    X(P##_TO, "to_ns", NS, TO, "~second argument")
#define PROC(X) LANE(X, P, "p", "the processor's number")
#define THREAD(X) LANE(X, M, "m", "the thread's id")
enum { PROC(SQL_COLUMN_ID) };
static const struct sql_column proc_columns[] = {PROC(SQL_COLUMN_ROW)};
static const struct sql_column thread_columns[] = {THREAD(SQL_COLUMN_ROW)};

static bool p_begin(struct sql_cursor *c)
{
    return lane_begin(c, LANE_P);
}

static bool m_begin(struct sql_cursor *c)
{
    return lane_begin(c, LANE_M);
}

static void p_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct lane_cursor *c = (struct lane_cursor *)base;
    switch (column) {
    case P_ID: sql_put_id(x, c->li.id); break;
    case P_T0: sql_put_int(x, c->li.first); break;
    case P_T1: sql_put_int(x, c->li.last); break;
    case P_RUNNING: put_ns(c, x, ST_RUNNING); break;
    case P_GCWORK:
        if (triage_knows_workers(base->s->tr))
            put_ns(c, x, ST_GCWORK);
        break;
    case P_ASSIST:
        if (triage_knows_assists(base->s->tr))
            put_ns(c, x, ST_ASSIST);
        break;
    case P_SWEEP: put_ns(c, x, ST_SWEEP); break;
    case P_SYSCALL: put_ns(c, x, ST_SYSCALL); break;
    case P_SCHED: put_ns(c, x, ST_SCHED); break;
    case P_IDLE: put_ns(c, x, ST_IDLE); break;
    case P_UNRECORDED: sql_put_int(x, shares_of(c)->ns[ST_NONE] + c->s.ns[ST_UNKNOWN]); break;
    case P_SPANS: put_count(c, x); break;
    default: break;
    }
}

static double p_rows(struct sql *s)
{
    return trace_nlanes(s->tr, LANE_P);
}

static double m_rows(struct sql *s)
{
    return trace_nlanes(s->tr, LANE_M);
}

const struct sql_table sql_proc = {"proc",
                                   "One row a processor (P), with its time by state",
                                   SQL_COLUMNS(proc_columns),
                                   sizeof(struct lane_cursor),
                                   p_rows,
                                   p_begin,
                                   lane_next,
                                   p_cell,
                                   0,
                                   NULL};
const struct sql_table sql_thread = {"thread",
                                     "One row a thread (M) that held a processor",
                                     SQL_COLUMNS(thread_columns),
                                     sizeof(struct lane_cursor),
                                     m_rows,
                                     m_begin,
                                     lane_next,
                                     p_cell,
                                     0,
                                     NULL};
