/*
 * sql_lists.c - the tables that are lists of the model: range, metric, task, region, log, sample. All are in
 * the order of their times, so a bound on the time is a place in the list.
 */
#include "triage/sql/sql_priv.h"

struct list_cursor {
    struct sql_cursor c;
    size_t i, n;       /* the row; how many there are */
    int kind;          /* of ranges, of metrics: which list */
    const void *v;     /* the list */
    struct range stop; /* a stop of the world, put together */
    size_t after;      /* of ranges: the next row */
};

/* ---- places in a list ---------------------------------------------------------------------------------- */

/* The first of n entries with a time, at p, of at least t; entries are `size` bytes apart. */
static size_t at_least(const void *p, size_t size, size_t n, int64_t t)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (*(const int64_t *)((const char *)p + mid * size) < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Rows from i on to n; v is a list of `size` bytes each, sorted by the times at offset `at`. */
static void cut_to_t0(struct list_cursor *c, const void *v, size_t size, size_t at, size_t n)
{
    const struct sql_where *w = &c->c.w;
    const char *t = n ? (const char *)v + at : NULL;
    const int64_t hi = w->hi[SQL_P_T0] < w->hi[SQL_P_T1] ? w->hi[SQL_P_T0] : w->hi[SQL_P_T1];
    c->v = v;
    c->i = n ? at_least(t, size, n, w->lo[SQL_P_T0]) : 0;
    c->n = n && hi < INT64_MAX ? at_least(t, size, n, hi + 1) : n;
    c->n = c->n < c->i ? c->i : c->n;
}

static bool list_next(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    base->eof = ++c->i >= c->n;
    base->rowid = (int64_t)c->i;
    return true;
}

static bool begun(struct list_cursor *c)
{
    c->c.eof = c->i >= c->n;
    c->c.rowid = (int64_t)c->i;
    return true;
}

#define TIMES(X, P) \
    X(P##_T0, "t0", NS, T0, "when it begins") \
    X(P##_T1, "t1", NS, T1, "when it ends") \
    X(P##_DUR, "dur", NS, NO, "t1 - t0")
#define OPEN(X, P) \
    X(P##_OPEN_START, "open_start", BOOL, NO, "it began before the trace") \
    X(P##_OPEN_END, "open_end", BOOL, NO, "it was not over when the trace ended")
#define COVERED(X, P) \
    X(P##_IN_GC, "in_gc", NS, NO, "~how much of it lies within mark phases") \
    X(P##_IN_STW, "in_stw", NS, NO, "~how much of it lies within stops of the world")

/* ---- range --------------------------------------------------------------------------------------------- */

#define RANGE(X) \
    X(R_KIND, "kind", NAME, NO, "mark, stop-the-world, sweep, assist") \
    TIMES(X, R) \
    X(R_REASON, "reason", NAME, NO, "of a stop: why, as recorded") \
    X(R_G, "g", ID, NO, "assist: who assists; stop: who stopped the world") \
    X(R_NAME, "name", NAME, NO, "that one's start function") \
    X(R_P, "p", ID, NO, "sweep: the processor; stops before Go 1.10, too") \
    X(R_SWEPT, "swept_bytes", BYTES, NO, "sweep: looked at") \
    X(R_RECLAIMED, "reclaimed_bytes", BYTES, NO, "sweep: freed") \
    X(R_HEAP0, "heap_t0_bytes", BYTES, NO, "heap at t0, as last recorded") \
    X(R_HEAP1, "heap_t1_bytes", BYTES, NO, "heap at t1") \
    X(R_GOAL, "goal_bytes", BYTES, NO, "heap goal at t0") \
    X(R_FUNC, "func", NAME, NO, "innermost function as it began") \
    X(R_STACK, "stack", ID, NO, "stack as it began") \
    OPEN(X, R) \
    X(R_SEEN, "seen", NS, NO, "~when the trace first tells of it: t0, unless it began before the trace")
enum { RANGE(SQL_COLUMN_ID) };
static const struct sql_column range_columns[] = {RANGE(SQL_COLUMN_ROW)};

/* Row c->i, of the next kind if this one has no more. */
static void range_take(struct list_cursor *c)
{
    while (c->i >= c->n && ++c->kind < RANGE_KINDS) {
        const struct range *r;
        const size_t n = trace_ranges(c->c.s->tr, (enum range_kind)c->kind, &r);
        cut_to_t0(c, r, sizeof *r, offsetof(struct range, t0), n);
        if (c->kind == RANGE_STW) { /* several rows may be one stop */
            c->i = 0;
            c->n = n;
        }
    }
    c->c.eof = c->kind >= RANGE_KINDS;
    if (c->c.eof)
        return;
    const struct range *r = c->v;
    c->c.rowid = (int64_t)((uint64_t)c->kind << 56 | c->i);
    c->stop = r[c->i];
    c->after = c->kind == RANGE_STW ? trace_stop(r, c->n, c->i, &c->stop) : c->i + 1;
}

static bool range_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->kind = -1;
    c->i = c->n = 0;
    range_take(c);
    return true;
}

static bool range_next(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->i = c->after;
    range_take(c);
    return true;
}

static void put_metric(const struct sql *s, sqlite3_context *x, enum metric m, int64_t t)
{
    uint64_t min, max;
    if (t < INT64_MAX && trace_minmax(s->tr, m, t, t + 1, &min, &max))
        sql_put_id(x, max);
}

static void range_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    static const char *const kinds[RANGE_KINDS] = {[RANGE_GC] = "mark",
                                                   [RANGE_STW] = "stop-the-world",
                                                   [RANGE_SWEEP] = "sweep",
                                                   [RANGE_ASSIST] = "assist"};
    const struct list_cursor *c = (const struct list_cursor *)base;
    const struct sql *s = base->s;
    const struct range *r = &c->stop;
    const bool on_p = r->kind == RANGE_SWEEP || r->scope_p;
    switch (column) {
    case R_KIND: sql_put_word(x, kinds[r->kind]); break;
    case R_T0: sql_put_int(x, r->t0); break;
    case R_T1: sql_put_int(x, r->t1); break;
    case R_DUR: sql_put_int(x, r->t1 - r->t0); break;
    case R_REASON: sql_put_str(x, s, r->name); break;
    case R_G: sql_put_lane(x, s, LANE_G, on_p ? NO_LANE : r->owner); break;
    case R_NAME: sql_put_g_name(x, s, on_p ? NO_LANE : r->owner); break;
    case R_P: sql_put_lane(x, s, LANE_P, on_p ? r->owner : NO_LANE); break;
    case R_SWEPT:
        if (r->kind == RANGE_SWEEP)
            sql_put_id(x, r->a);
        break;
    case R_RECLAIMED:
        if (r->kind == RANGE_SWEEP)
            sql_put_id(x, r->b);
        break;
    case R_HEAP0: put_metric(s, x, METRIC_HEAP, r->t0); break;
    case R_HEAP1: put_metric(s, x, METRIC_HEAP, r->t1); break;
    case R_GOAL: put_metric(s, x, METRIC_GOAL, r->t0); break;
    case R_FUNC: sql_put_func(x, s, r->stack); break;
    case R_STACK: sql_put_stack(x, r->stack); break;
    case R_OPEN_START: sql_put_int(x, r->open_start); break;
    case R_OPEN_END: sql_put_int(x, r->open_end); break;
    case R_SEEN: sql_put_int(x, r->seen); break;
    default: break;
    }
}

static double range_rows(struct sql *s)
{
    const struct range *r;
    double n = 1;
    for (int k = 0; k < RANGE_KINDS; k++)
        n += (double)trace_ranges(s->tr, (enum range_kind)k, &r);
    return n;
}

const struct sql_table sql_range = {"range",
                                    "Mark phases, stops of the world, sweeping, assists; by kind, then time",
                                    SQL_COLUMNS(range_columns),
                                    sizeof(struct list_cursor),
                                    range_rows,
                                    range_begin,
                                    range_next,
                                    range_cell,
                                    0,
                                    NULL};

/* ---- metric -------------------------------------------------------------------------------------------- */

#define METRIC(X) \
    X(N_NAME, "name", NAME, NO, \
      "/memory/classes/heap/objects:bytes, /gc/heap/goal:bytes, /sched/gomaxprocs:threads") \
    X(N_T, "t0", NS, T0, "from when") \
    X(N_T1, "t1", NS, NO, "until when: the next value, or the trace's end") \
    X(N_VALUE, "value", COUNT, NO, "its value; a goal of 0 or of 2^62 and more: the collector is off")
enum { METRIC(SQL_COLUMN_ID) };
static const struct sql_column metric_columns[] = {METRIC(SQL_COLUMN_ROW)};

static void metric_take(struct list_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    while (c->i >= c->n && ++c->kind < METRIC_COUNT) {
        const enum metric m = (enum metric)c->kind;
        const int64_t hi = w->hi[SQL_P_T0];
        c->i = trace_points_before(c->c.s->tr, m, w->lo[SQL_P_T0]);
        c->n = hi < INT64_MAX ? trace_points_before(c->c.s->tr, m, hi + 1) : trace_npoints(c->c.s->tr, m);
    }
    c->c.eof = c->kind >= METRIC_COUNT;
    c->c.rowid = (int64_t)((uint64_t)c->kind << 56 | c->i);
}

static bool metric_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->kind = -1;
    c->i = c->n = 0;
    metric_take(c);
    return true;
}

static bool metric_next(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    c->i++;
    metric_take(c);
    return true;
}

static void metric_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    static const char *const names[METRIC_COUNT] = {[METRIC_HEAP] = "/memory/classes/heap/objects:bytes",
                                                    [METRIC_GOAL] = "/gc/heap/goal:bytes",
                                                    [METRIC_PROCS] = "/sched/gomaxprocs:threads"};
    const struct list_cursor *c = (const struct list_cursor *)base;
    const struct trace *tr = base->s->tr;
    const enum metric m = (enum metric)c->kind;
    switch (column) {
    case N_NAME: sql_put_word(x, names[m]); break;
    case N_T: sql_put_int(x, trace_point(tr, m, c->i).t); break;
    case N_T1:
        sql_put_int(x, c->i + 1 < trace_npoints(tr, m) ? trace_point(tr, m, c->i + 1).t : base->s->end);
        break;
    case N_VALUE: sql_put_id(x, trace_point(tr, m, c->i).v); break;
    default: break;
    }
}

static double metric_rows(struct sql *s)
{
    double n = 1;
    for (int m = 0; m < METRIC_COUNT; m++)
        n += (double)trace_npoints(s->tr, (enum metric)m);
    return n;
}

const struct sql_table sql_metric = {"metric",
                                     "Numbers over time; by name, then time",
                                     SQL_COLUMNS(metric_columns),
                                     sizeof(struct list_cursor),
                                     metric_rows,
                                     metric_begin,
                                     metric_next,
                                     metric_cell,
                                     0,
                                     NULL};

/* ---- task ---------------------------------------------------------------------------------------------- */

#define TASK(X) \
    X(T_ID, "task", ID, NO, "number from the file") \
    X(T_PARENT, "parent", ID, NO, "the task it is a part of") \
    X(T_NAME, "name", NAME, NO, "its type") \
    TIMES(X, T) \
    X(T_G, "g", ID, NO, "who began it") \
    X(T_G_END, "g_end", ID, NO, "who ended it") \
    X(T_FUNC, "func", NAME, NO, "innermost function as it began") \
    X(T_STACK, "stack", ID, NO, "stack as it began") \
    OPEN(X, T) \
    COVERED(X, T)
enum { TASK(SQL_COLUMN_ID) };
static const struct sql_column task_columns[] = {TASK(SQL_COLUMN_ROW)};

static bool task_begin(struct sql_cursor *base)
{
    const struct task *v;
    const size_t n = trace_tasks(base->s->tr, &v);
    cut_to_t0((struct list_cursor *)base, v, sizeof *v, offsetof(struct task, t0), n);
    return begun((struct list_cursor *)base);
}

static void task_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct list_cursor *c = (const struct list_cursor *)base;
    struct sql *s = base->s;
    const struct task *t = &((const struct task *)c->v)[c->i];
    switch (column) {
    case T_ID: sql_put_id(x, t->id); break;
    case T_PARENT:
        if (t->parent)
            sql_put_id(x, t->parent);
        break;
    case T_NAME: sql_put_str(x, s, t->name); break;
    case T_T0: sql_put_int(x, t->t0); break;
    case T_T1: sql_put_int(x, t->t1); break;
    case T_DUR: sql_put_int(x, t->t1 - t->t0); break;
    case T_G: sql_put_lane(x, s, LANE_G, t->g); break;
    case T_G_END: sql_put_lane(x, s, LANE_G, t->g_end); break;
    case T_FUNC: sql_put_func(x, s, t->stack); break;
    case T_STACK: sql_put_stack(x, t->stack); break;
    case T_OPEN_START: sql_put_int(x, t->open_start); break;
    case T_OPEN_END: sql_put_int(x, t->open_end); break;
    case T_IN_GC: sql_put_covered(x, sql_in_gc(s, t->t0, t->t1)); break;
    case T_IN_STW: sql_put_covered(x, sql_in_stw(s, t->t0, t->t1)); break;
    default: break;
    }
}

static double task_rows(struct sql *s)
{
    const struct task *v;
    return 1 + (double)trace_tasks(s->tr, &v);
}

const struct sql_table sql_task = {"task",
                                   "The program's tasks (runtime/trace), by time",
                                   SQL_COLUMNS(task_columns),
                                   sizeof(struct list_cursor),
                                   task_rows,
                                   task_begin,
                                   list_next,
                                   task_cell,
                                   0,
                                   NULL};

/* ---- region -------------------------------------------------------------------------------------------- */

#define REGION(X) \
    X(E_G, "g", ID, NO, "whose it is") \
    X(E_G_NAME, "g_name", NAME, NO, "that one's start function") \
    X(E_TASK, "task", ID, NO, "the task it belongs to; NULL: none") \
    X(E_NAME, "name", NAME, NO, "its type") \
    TIMES(X, E) \
    X(E_DEPTH, "depth", COUNT, NO, "0: the outermost of its goroutine") \
    X(E_FUNC, "func", NAME, NO, "innermost function as it began") \
    X(E_STACK, "stack", ID, NO, "stack as it began") \
    OPEN(X, E) \
    COVERED(X, E)
enum { REGION(SQL_COLUMN_ID) };
static const struct sql_column region_columns[] = {REGION(SQL_COLUMN_ROW)};

static bool region_begin(struct sql_cursor *base)
{
    const struct region *v;
    const size_t n = trace_regions(base->s->tr, &v);
    cut_to_t0((struct list_cursor *)base, v, sizeof *v, offsetof(struct region, t0), n);
    return begun((struct list_cursor *)base);
}

static void region_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct list_cursor *c = (const struct list_cursor *)base;
    struct sql *s = base->s;
    const struct region *r = &((const struct region *)c->v)[c->i];
    switch (column) {
    case E_G: sql_put_lane(x, s, LANE_G, r->g); break;
    case E_G_NAME: sql_put_g_name(x, s, r->g); break;
    case E_TASK:
        if (r->task)
            sql_put_id(x, r->task);
        break;
    case E_NAME: sql_put_str(x, s, r->name); break;
    case E_T0: sql_put_int(x, r->t0); break;
    case E_T1: sql_put_int(x, r->t1); break;
    case E_DUR: sql_put_int(x, r->t1 - r->t0); break;
    case E_DEPTH: sql_put_int(x, r->depth); break;
    case E_FUNC: sql_put_func(x, s, r->stack); break;
    case E_STACK: sql_put_stack(x, r->stack); break;
    case E_OPEN_START: sql_put_int(x, r->open_start); break;
    case E_OPEN_END: sql_put_int(x, r->open_end); break;
    case E_IN_GC: sql_put_covered(x, sql_in_gc(s, r->t0, r->t1)); break;
    case E_IN_STW: sql_put_covered(x, sql_in_stw(s, r->t0, r->t1)); break;
    default: break;
    }
}

static double region_rows(struct sql *s)
{
    const struct region *v;
    return 1 + (double)trace_regions(s->tr, &v);
}

const struct sql_table sql_region = {"region",
                                     "The program's regions (runtime/trace), by time",
                                     SQL_COLUMNS(region_columns),
                                     sizeof(struct list_cursor),
                                     region_rows,
                                     region_begin,
                                     list_next,
                                     region_cell,
                                     0,
                                     NULL};

/* ---- log ----------------------------------------------------------------------------------------------- */

#define LOG(X) \
    X(L_T, "t", NS, NO, "when") \
    X(L_G, "g", ID, NO, "who") \
    X(L_G_NAME, "g_name", NAME, NO, "that one's start function") \
    X(L_TASK, "task", ID, NO, "the task; NULL: none") \
    X(L_CATEGORY, "category", NAME, NO, "as logged") \
    X(L_MESSAGE, "message", NAME, NO, "as logged") \
    X(L_FUNC, "func", NAME, NO, "innermost function") \
    X(L_STACK, "stack", ID, NO, "stack")
enum { LOG(SQL_COLUMN_ID) };
static const struct sql_column log_columns[] = {LOG(SQL_COLUMN_ROW)};

static bool log_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    const struct logmsg *v;
    c->n = trace_logs(base->s->tr, &v);
    c->v = v;
    c->i = 0;
    return begun(c);
}

static void log_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct list_cursor *c = (const struct list_cursor *)base;
    const struct sql *s = base->s;
    const struct logmsg *m = &((const struct logmsg *)c->v)[c->i];
    switch (column) {
    case L_T: sql_put_int(x, m->t); break;
    case L_G: sql_put_lane(x, s, LANE_G, m->g); break;
    case L_G_NAME: sql_put_g_name(x, s, m->g); break;
    case L_TASK:
        if (m->task)
            sql_put_id(x, m->task);
        break;
    case L_CATEGORY: sql_put_str(x, s, m->category); break;
    case L_MESSAGE: sql_put_str(x, s, m->message); break;
    case L_FUNC: sql_put_func(x, s, m->stack); break;
    case L_STACK: sql_put_stack(x, m->stack); break;
    default: break;
    }
}

static double log_rows(struct sql *s)
{
    const struct logmsg *v;
    return 1 + (double)trace_logs(s->tr, &v);
}

const struct sql_table sql_log = {"log",
                                  "The program's log messages (runtime/trace), as they came",
                                  SQL_COLUMNS(log_columns),
                                  sizeof(struct list_cursor),
                                  log_rows,
                                  log_begin,
                                  list_next,
                                  log_cell,
                                  0,
                                  NULL};

/* ---- sample -------------------------------------------------------------------------------------------- */

#define SAMPLE(X) \
    X(C_T, "t", NS, NO, "when") \
    X(C_G, "g", ID, NO, "what ran; NULL: the runtime") \
    X(C_NAME, "name", NAME, NO, "that one's start function") \
    X(C_P, "p", ID, NO, "on which processor") \
    X(C_M, "m", ID, NO, "in which thread") \
    X(C_FUNC, "func", NAME, NO, "innermost function") \
    X(C_USER_FUNC, "user_func", NAME, NO, "first function outside the runtime and the standard library") \
    X(C_STACK, "stack", ID, NO, "stack")
enum { SAMPLE(SQL_COLUMN_ID) };
static const struct sql_column sample_columns[] = {SAMPLE(SQL_COLUMN_ROW)};

static bool sample_begin(struct sql_cursor *base)
{
    struct list_cursor *c = (struct list_cursor *)base;
    const struct sample *v;
    c->n = trace_samples(base->s->tr, &v);
    c->v = v;
    c->i = 0;
    return begun(c);
}

static void sample_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct list_cursor *c = (const struct list_cursor *)base;
    const struct sql *s = base->s;
    const struct sample *m = &((const struct sample *)c->v)[c->i];
    switch (column) {
    case C_T: sql_put_int(x, m->t); break;
    case C_G: sql_put_lane(x, s, LANE_G, m->g); break;
    case C_NAME: sql_put_g_name(x, s, m->g); break;
    case C_P: sql_put_lane(x, s, LANE_P, m->p); break;
    case C_M: sql_put_lane(x, s, LANE_M, m->m); break;
    case C_FUNC: sql_put_func(x, s, m->stack); break;
    case C_USER_FUNC: sql_put_user(x, s, m->stack); break;
    case C_STACK: sql_put_stack(x, m->stack); break;
    default: break;
    }
}

static double sample_rows(struct sql *s)
{
    const struct sample *v;
    return 1 + (double)trace_samples(s->tr, &v);
}

const struct sql_table sql_sample = {"sample",
                                     "CPU samples, as they came",
                                     SQL_COLUMNS(sample_columns),
                                     sizeof(struct list_cursor),
                                     sample_rows,
                                     sample_begin,
                                     list_next,
                                     sample_cell,
                                     0,
                                     NULL};
