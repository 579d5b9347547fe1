/*
 * sql_trace.c - the tables about the file: trace (one row), damage; and tick, which parts the trace's time.
 */
#include <string.h>

#include "decode/base/wide.h"
#include "triage/sql/sql_priv.h"

struct row_cursor {
    struct sql_cursor c;
    int64_t i, n;
};

static bool row_next(struct sql_cursor *base)
{
    struct row_cursor *c = (struct row_cursor *)base;
    base->eof = ++c->i >= c->n;
    base->rowid = c->i;
    return true;
}

static bool rows_from(struct sql_cursor *base, int64_t n)
{
    struct row_cursor *c = (struct row_cursor *)base;
    base->rowid = c->i = 0;
    c->n = n;
    base->eof = n <= 0;
    return true;
}

/* ---- trace --------------------------------------------------------------------------------------------- */

#define TRACE(X) \
    X(A_PATH, "path", NAME, NO, "the file, as given") \
    X(A_DIALECT, "dialect", NAME, NO, "which releases of Go write this format") \
    X(A_DUR, "dur", NS, NO, "how long it lasts: times go from 0 to this") \
    X(A_FIRST, "first_ns", NS, NO, "the first event's time on the trace's own clock") \
    X(A_WALL, "wall_ns", NS, NO, "time of day at 0, since 1970; NULL before Go 1.25") \
    X(A_CLOCK, "has_clock", BOOL, NO, "0: times are ticks of an unknown rate") \
    X(A_BYTES, "bytes", BYTES, NO, "decompressed size") \
    X(A_EVENTS, "events", COUNT, NO, "how many events, as Go counts them") \
    X(A_TRANSITIONS, "transitions", COUNT, NO, "of these: changes of state") \
    X(A_GENERATIONS, "generations", COUNT, NO, "complete and partial ones; NULL before Go 1.22") \
    X(A_GOROUTINES, "goroutines", COUNT, NO, "how many it tells of") \
    X(A_GOMAXPROCS, "gomaxprocs", COUNT, NO, "the last value told; NULL: none is recorded") \
    X(A_PARTIAL, "partial", BOOL, NO, "part of the file is not shown: table damage says why") \
    X(A_HAS_M, "has_threads", BOOL, NO, "threads are recorded") \
    X(A_HAS_REGIONS, "has_regions", BOOL, NO, "tasks, regions and logs are recorded") \
    X(A_HAS_SAMPLES, "has_samples", BOOL, NO, "CPU samples are recorded, if a profile ran") \
    X(A_HAS_NAMES, "has_names", BOOL, NO, "functions have names")
enum { TRACE(SQL_COLUMN_ID) };
static const struct sql_column file_columns[] = {TRACE(SQL_COLUMN_ROW)};

static bool file_begin(struct sql_cursor *c)
{
    return rows_from(c, 1);
}

static void file_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct trace_info *i = trace_info(base->s->tr);
    switch (column) {
    case A_PATH: sql_put_bytes(x, i->path, strlen(i->path)); break;
    case A_DIALECT: sql_put_bytes(x, i->dialect, strlen(i->dialect)); break;
    case A_DUR: sql_put_int(x, i->end); break;
    case A_FIRST: sql_put_int(x, i->first_ns); break;
    case A_WALL:
        if (i->has_wall)
            sql_put_int(x, (int64_t)((uint64_t)i->wall_sec * 1000000000u + (uint64_t)i->wall_nsec));
        break;
    case A_CLOCK: sql_put_int(x, i->has_clock); break;
    case A_BYTES: sql_put_id(x, i->bytes_done); break;
    case A_EVENTS: sql_put_id(x, i->events); break;
    case A_TRANSITIONS: sql_put_id(x, i->count[EC_TRANSITION]); break;
    case A_GENERATIONS:
        if (i->second_family)
            sql_put_int(x, i->generations);
        break;
    case A_GOROUTINES: sql_put_id(x, i->goroutines); break;
    case A_GOMAXPROCS:
        if (i->gomaxprocs)
            sql_put_int(x, i->gomaxprocs);
        break;
    case A_PARTIAL: sql_put_int(x, i->ndamages > 0); break;
    case A_HAS_M: sql_put_int(x, i->has_m); break;
    case A_HAS_REGIONS: sql_put_int(x, i->has_regions); break;
    case A_HAS_SAMPLES: sql_put_int(x, i->has_samples); break;
    case A_HAS_NAMES: sql_put_int(x, i->has_names); break;
    default: break;
    }
}

static double file_rows(struct sql *s)
{
    (void)s;
    return 1;
}

const struct sql_table sql_trace = {"trace",
                                    "One row: the file",
                                    SQL_COLUMNS(file_columns),
                                    sizeof(struct row_cursor),
                                    file_rows,
                                    file_begin,
                                    row_next,
                                    file_cell,
                                    0,
                                    NULL};

/* ---- damage -------------------------------------------------------------------------------------------- */

#define DAMAGE(X) \
    X(D_WARNING, "warning", BOOL, NO, "it is a warning: nothing is left out because of it") \
    X(D_OFFSET, "offset", BYTES, NO, "where in the decompressed file; NULL: nowhere in particular") \
    X(D_GEN, "generation", COUNT, NO, "in which generation; NULL: none") \
    X(D_WHAT, "what", NAME, NO, "what was expected and found")
enum { DAMAGE(SQL_COLUMN_ID) };
static const struct sql_column damage_columns[] = {DAMAGE(SQL_COLUMN_ROW)};

static bool damage_begin(struct sql_cursor *c)
{
    const struct trace_info *i = trace_info(c->s->tr);
    return rows_from(c, (int64_t)i->ndamages + i->nwarnings);
}

static void damage_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct trace *tr = base->s->tr;
    const uint32_t i = (uint32_t)((const struct row_cursor *)base)->i, n = trace_info(tr)->ndamages;
    const struct err *e = i < n ? trace_damage(tr, i) : trace_warning(tr, i - n);
    if (!e)
        return;
    switch (column) {
    case D_WARNING: sql_put_int(x, i >= n); break;
    case D_OFFSET:
        if (e->offset != ERR_NO_OFFSET)
            sql_put_id(x, e->offset);
        break;
    case D_GEN:
        if (e->gen)
            sql_put_int(x, e->gen);
        break;
    case D_WHAT: sql_put_bytes(x, e->what, strlen(e->what)); break;
    default: break;
    }
}

const struct sql_table sql_damage = {"damage",
                                     "What the reader could not use, and what it warns of",
                                     SQL_COLUMNS(damage_columns),
                                     sizeof(struct row_cursor),
                                     file_rows,
                                     damage_begin,
                                     row_next,
                                     damage_cell,
                                     0,
                                     NULL};

/* ---- tick ---------------------------------------------------------------------------------------------- */

#define TICK(X) \
    X(I_I, "i", COUNT, NO, "0, 1, ..") \
    X(I_T0, "t0", NS, NO, "where this part begins") \
    X(I_T1, "t1", NS, NO, "and ends") \
    X(I_N, "n", COUNT, FROM, "~the argument: tick(n) parts the trace in n; without one in 100")
enum { TICK(SQL_COLUMN_ID) };
static const struct sql_column tick_columns[] = {TICK(SQL_COLUMN_ROW)};

static bool tick_begin(struct sql_cursor *base)
{
    const struct sql_where *w = &base->w;
    const int64_t n = w->lo[SQL_P_FROM] == w->hi[SQL_P_FROM] ? w->lo[SQL_P_FROM] : 100;
    return rows_from(base, n);
}

static int64_t tick_at(const struct sql *s, int64_t i, int64_t n)
{
    return (int64_t)wide_muldiv((uint64_t)s->end, (uint64_t)i, (uint64_t)n);
}

static void tick_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    const struct row_cursor *c = (const struct row_cursor *)base;
    switch (column) {
    case I_I: sql_put_int(x, c->i); break;
    case I_T0: sql_put_int(x, tick_at(base->s, c->i, c->n)); break;
    case I_T1: sql_put_int(x, tick_at(base->s, c->i + 1, c->n)); break;
    default: break;
    }
}

static double tick_rows(struct sql *s)
{
    (void)s;
    return 100;
}

const struct sql_table sql_tick = {"tick",
                                   "The trace's time in n equal parts: tick(n)",
                                   SQL_COLUMNS(tick_columns),
                                   sizeof(struct row_cursor),
                                   tick_rows,
                                   tick_begin,
                                   row_next,
                                   tick_cell,
                                   0,
                                   NULL};
