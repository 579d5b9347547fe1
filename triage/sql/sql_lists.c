/*
 * sql_lists.c - the tables that are lists of the model: range, metric, task, region, log, sample. All are in
 * the order of their times, so a bound on the time is a place in the list.
 */
#include "decode/base/rows.h"
#include "triage/sql/sql_priv.h"

struct list_cursor {
    struct sql_row_cursor r;
    int kind;          /* of ranges, of metrics: which list */
    const void *v;     /* the list */
    struct range stop; /* a stop of the world, put together */
    size_t after;      /* of ranges: the next row */
};

/* ---- places in a list ---------------------------------------------------------------------------------- */

/* Returns the first of n entries at p with a time of at least t; entries are `size` bytes apart. */
static size_t at_least(const void *p, size_t size, size_t n, int64_t t)
{
    return bisected(n, i, *(const int64_t *)((const char *)p + i * size) < t);
}

/* Bounds the rows of v, a list of n with `size` bytes each, sorted by the times at offset `at`, to the times
 * that a query asks for. */
static bool sort_timed(struct sql_cursor *base, const void *v, size_t size, size_t at, size_t n)
{
    const struct sql_where *w = &base->w;
    const char *t = n ? (const char *)v + at : NULL;
    const int64_t hi = w->hi[SQL_P_T0] < w->hi[SQL_P_T1] ? w->hi[SQL_P_T0] : w->hi[SQL_P_T1];
    const size_t from = n ? at_least(t, size, n, w->lo[SQL_P_T0]) : 0;
    const size_t to = n && hi < INT64_MAX ? at_least(t, size, n, hi + 1) : n;
    ((struct list_cursor *)base)->v = v;
    return sql_rows_from(base, (int64_t)from, (int64_t)(to < from ? from : to));
}

static bool untimed(struct sql_cursor *base, const void *v, size_t n)
{
    ((struct list_cursor *)base)->v = v;
    return sql_rows_from(base, 0, (int64_t)n);
}

/* NAME_rows(), NAME_begin(), and the row at hand as `r`, of a list of the model. */
#define LIST(NAME, TYPE, ALL, BEGIN) \
    static double NAME##_rows(const struct sql *s, const struct sql_table *t) \
    { \
        const TYPE *v; \
        (void)t; \
        return 1 + (double)ALL(s->tr, &v); \
    } \
    static bool NAME##_begin(struct sql_cursor *base) \
    { \
        const TYPE *v; \
        const size_t n = ALL(base->s->tr, &v); \
        return BEGIN; \
    } \
    static const TYPE *NAME##_row(const struct list_cursor *c) \
    { \
        return &((const TYPE *)c->v)[c->r.i]; \
    }
LIST(task, struct task, trace_tasks, sort_timed(base, v, sizeof *v, offsetof(struct task, t0), n))
LIST(region, struct region, trace_regions, sort_timed(base, v, sizeof *v, offsetof(struct region, t0), n))
LIST(log, struct logmsg, trace_logs, untimed(base, v, n))
LIST(sample, struct sample, trace_samples, untimed(base, v, n))

#define OPEN(X, P) \
    X(P##_OPEN_START, "open_start", BOOL, NO, v_int(r->open_start), "it began before the trace") \
    X(P##_OPEN_END, "open_end", BOOL, NO, v_int(r->open_end), "it was not over when the trace ended")

/* ---- range --------------------------------------------------------------------------------------------- */

#define RANGE(X) \
    X(R_KIND, "kind", NAME, NO, v_word(kinds[r->kind]), "mark, stop-the-world, sweep, assist") \
    SQL_TIMES(X, R, NO) \
    X(R_REASON, "reason", NAME, NO, v_str(r->name), "of a stop: why, as recorded") \
    X(R_G, "g", ID, NO, v_lane(s, LANE_G, on_p ? NO_LANE : r->owner), \
      "assist: who assists; stop: who stopped the world") \
    X(R_NAME, "name", NAME, NO, v_g_name(s, on_p ? NO_LANE : r->owner), "that one's start function") \
    X(R_P, "p", ID, NO, v_lane(s, LANE_P, on_p ? r->owner : NO_LANE), \
      "sweep: the processor; stops before Go 1.10, too") \
    X(R_SWEPT, "swept_bytes", BYTES, NO, v_if(r->kind == RANGE_SWEEP, v_id(r->a)), "sweep: looked at") \
    X(R_RECLAIMED, "reclaimed_bytes", BYTES, NO, v_if(r->kind == RANGE_SWEEP, v_id(r->b)), "sweep: freed") \
    X(R_HEAP0, "heap_t0_bytes", BYTES, NO, v_metric(s, METRIC_HEAP, r->t0), "heap at t0, as last recorded") \
    X(R_HEAP1, "heap_t1_bytes", BYTES, NO, v_metric(s, METRIC_HEAP, r->t1), "heap at t1") \
    X(R_GOAL, "goal_bytes", BYTES, NO, v_metric(s, METRIC_GOAL, r->t0), "heap goal at t0") \
    X(R_FUNC, "func", NAME, NO, v_func(s, r->stack), "innermost function as it began") \
    X(R_STACK, "stack", ID, NO, v_some(r->stack), "stack as it began") \
    OPEN(X, R) \
    X(R_SEEN, "seen", NS, NO, v_int(r->seen), \
      "~when the trace first tells of it: t0, unless it began before the trace")
/* Goes to the current row, or to that of the next kind if this one has no more. */
static bool range_take(struct list_cursor *c)
{
    struct sql_cursor *base = &c->r.c;
    while (c->r.i >= c->r.n && ++c->kind < RANGE_KINDS) {
        const struct range *r;
        const size_t n = trace_ranges(base->s->tr, (enum range_kind)c->kind, &r);
        if (c->kind == RANGE_STW) /* several rows may be one stop */
            untimed(base, r, n);
        else
            sort_timed(base, r, sizeof *r, offsetof(struct range, t0), n);
    }
    base->eof = c->kind >= RANGE_KINDS;
    if (base->eof)
        return true;
    const struct range *r = c->v;
    const size_t i = (size_t)c->r.i;
    base->rowid = (int64_t)((uint64_t)c->kind << 56 | i);
    c->stop = r[i];
    c->after = c->kind == RANGE_STW ? trace_stop(r, (size_t)c->r.n, i, &c->stop) : i + 1;
    return true;
}

static bool range_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->kind = -1;
    c->r.i = c->r.n = 0;
    return range_take(c);
}

static bool range_next(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->r.i = (int64_t)c->after;
    return range_take(c);
}

static struct sql_value v_metric(const struct sql *s, enum metric m, int64_t t)
{
    uint64_t min, max;
    return v_if(t < INT64_MAX && trace_minmax(s->tr, m, t, t + 1, &min, &max), v_id(max));
}

static const char *const kinds[RANGE_KINDS] = {
    [RANGE_GC] = "mark", [RANGE_STW] = "stop-the-world", [RANGE_SWEEP] = "sweep", [RANGE_ASSIST] = "assist"};
SQL_CELLS(range, RANGE, struct list_cursor, const struct range *r = &c->stop;
          const bool on_p = r->kind == RANGE_SWEEP || r->scope_p)

static double range_rows(const struct sql *s, const struct sql_table *t)
{
    (void)t;
    const struct range *r;
    double n = 1;
    for (int k = 0; k < RANGE_KINDS; k++)
        n += (double)trace_ranges(s->tr, (enum range_kind)k, &r);
    return n;
}

SQL_TABLE(range, RANGE, struct list_cursor, range_begin, range_next,
          "Mark phases, stops of the world, sweeping, assists; by kind, then time", .rows = range_rows);

/* ---- metric -------------------------------------------------------------------------------------------- */

#define METRIC(X) \
    X(N_NAME, "name", NAME, NO, v_word(names[m]), \
      "/memory/classes/heap/objects:bytes, /gc/heap/goal:bytes, /sched/gomaxprocs:threads") \
    X(N_T, "t0", NS, T0, v_int(trace_point(s->tr, m, i).t), "from when") \
    X(N_T1, "t1", NS, NO, v_int(i + 1 < n ? trace_point(s->tr, m, i + 1).t : s->end), \
      "until when: the next value, or the trace's end") \
    X(N_VALUE, "value", COUNT, NO, v_id(trace_point(s->tr, m, i).v), \
      "its value; a goal of 0 or of 2^62 and more: the collector is off")
static bool metric_take(struct list_cursor *c)
{
    struct sql_cursor *base = &c->r.c;
    const struct trace *tr = base->s->tr;
    while (c->r.i >= c->r.n && ++c->kind < METRIC_COUNT) {
        const enum metric m = (enum metric)c->kind;
        const int64_t hi = base->w.hi[SQL_P_T0];
        c->r.i = (int64_t)trace_points_before(tr, m, base->w.lo[SQL_P_T0]);
        c->r.n = (int64_t)(hi < INT64_MAX ? trace_points_before(tr, m, hi + 1) : trace_npoints(tr, m));
    }
    base->eof = c->kind >= METRIC_COUNT;
    base->rowid = (int64_t)((uint64_t)c->kind << 56 | (uint64_t)c->r.i);
    return true;
}

static bool metric_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->kind = -1;
    c->r.i = c->r.n = 0;
    return metric_take(c);
}

static bool metric_next(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->r.i++;
    return metric_take(c);
}

static const char *const names[METRIC_COUNT] = {[METRIC_HEAP] = "/memory/classes/heap/objects:bytes",
                                                [METRIC_GOAL] = "/gc/heap/goal:bytes",
                                                [METRIC_PROCS] = "/sched/gomaxprocs:threads"};
SQL_CELLS(metric, METRIC, struct list_cursor, const enum metric m = (enum metric)c->kind;
          const size_t i = (size_t)c->r.i, n = trace_npoints(s->tr, m))

static double metric_rows(const struct sql *s, const struct sql_table *t)
{
    (void)t;
    double n = 1;
    for (int m = 0; m < METRIC_COUNT; m++)
        n += (double)trace_npoints(s->tr, (enum metric)m);
    return n;
}

SQL_TABLE(metric, METRIC, struct list_cursor, metric_begin, metric_next,
          "Numbers over time; by name, then time", .rows = metric_rows);

/* ---- task ---------------------------------------------------------------------------------------------- */

#define TASK(X) \
    X(T_ID, "task", ID, NO, v_id(r->id), "number from the file") \
    X(T_PARENT, "parent", ID, NO, v_some(r->parent), "the task it is a part of") \
    X(T_NAME, "name", NAME, NO, v_str(r->name), "its type") \
    SQL_TIMES(X, T, NO) \
    X(T_G, "g", ID, NO, v_lane(s, LANE_G, r->g), "who began it") \
    X(T_G_END, "g_end", ID, NO, v_lane(s, LANE_G, r->g_end), "who ended it") \
    X(T_FUNC, "func", NAME, NO, v_func(s, r->stack), "innermost function as it began") \
    X(T_STACK, "stack", ID, NO, v_some(r->stack), "stack as it began") \
    OPEN(X, T) \
    SQL_COVERED(X, T)
SQL_CELLS(task, TASK, struct list_cursor, const struct task *r = task_row(c))
SQL_TABLE(task, TASK, struct list_cursor, task_begin, sql_rows_next,
          "The program's tasks (runtime/trace), by time", .rows = task_rows);

/* ---- region -------------------------------------------------------------------------------------------- */

#define REGION(X) \
    X(E_G, "g", ID, NO, v_lane(s, LANE_G, r->g), "whose it is") \
    X(E_G_NAME, "g_name", NAME, NO, v_g_name(s, r->g), "that one's start function") \
    X(E_TASK, "task", ID, NO, v_some(r->task), "the task it belongs to; NULL: none") \
    X(E_NAME, "name", NAME, NO, v_str(r->name), "its type") \
    SQL_TIMES(X, E, NO) \
    X(E_DEPTH, "depth", COUNT, NO, v_int(r->depth), "0: the outermost of its goroutine") \
    X(E_FUNC, "func", NAME, NO, v_func(s, r->stack), "innermost function as it began") \
    X(E_STACK, "stack", ID, NO, v_some(r->stack), "stack as it began") \
    OPEN(X, E) \
    SQL_COVERED(X, E)
SQL_CELLS(region, REGION, struct list_cursor, const struct region *r = region_row(c))
SQL_TABLE(region, REGION, struct list_cursor, region_begin, sql_rows_next,
          "The program's regions (runtime/trace), by time", .rows = region_rows);

/* ---- log ----------------------------------------------------------------------------------------------- */

#define LOG(X) \
    X(L_T, "t", NS, NO, v_int(r->t), "when") \
    X(L_G, "g", ID, NO, v_lane(s, LANE_G, r->g), "who") \
    X(L_G_NAME, "g_name", NAME, NO, v_g_name(s, r->g), "that one's start function") \
    X(L_TASK, "task", ID, NO, v_some(r->task), "the task; NULL: none") \
    X(L_CATEGORY, "category", NAME, NO, v_str(r->category), "as logged") \
    X(L_MESSAGE, "message", NAME, NO, v_str(r->message), "as logged") \
    X(L_FUNC, "func", NAME, NO, v_func(s, r->stack), "innermost function") \
    X(L_STACK, "stack", ID, NO, v_some(r->stack), "stack")
SQL_CELLS(log, LOG, struct list_cursor, const struct logmsg *r = log_row(c))
SQL_TABLE(log, LOG, struct list_cursor, log_begin, sql_rows_next,
          "The program's log messages (runtime/trace), as they came", .rows = log_rows);

/* ---- sample -------------------------------------------------------------------------------------------- */

#define SAMPLE(X) \
    X(C_T, "t", NS, NO, v_int(r->t), "when") \
    X(C_G, "g", ID, NO, v_lane(s, LANE_G, r->g), "what ran; NULL: the runtime") \
    X(C_NAME, "name", NAME, NO, v_g_name(s, r->g), "that one's start function") \
    X(C_P, "p", ID, NO, v_lane(s, LANE_P, r->p), "on which processor") \
    X(C_M, "m", ID, NO, v_lane(s, LANE_M, r->m), "in which thread") \
    X(C_FUNC, "func", NAME, NO, v_func(s, r->stack), "innermost function") \
    X(C_USER_FUNC, "user_func", NAME, NO, v_user(s, r->stack), \
      "first function outside the runtime and the standard library") \
    X(C_STACK, "stack", ID, NO, v_some(r->stack), "stack")
SQL_CELLS(sample, SAMPLE, struct list_cursor, const struct sample *r = sample_row(c))
SQL_TABLE(sample, SAMPLE, struct list_cursor, sample_begin, sql_rows_next, "CPU samples, as they came",
          .rows = sample_rows);
