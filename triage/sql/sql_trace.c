/*
 * sql_trace.c - the tables about the file: trace (one row), damage; and tick, which parts the trace's time.
 */

#include "decode/base/wide.h"
#include "triage/sql/sql_priv.h"

/* ---- trace --------------------------------------------------------------------------------------------- */

#define TRACE(X) \
    X(A_PATH, "path", NAME, NO, v_foreign(i->path), "the file, as given") \
    X(A_DIALECT, "dialect", NAME, NO, v_foreign(i->dialect), "which releases of Go write this format") \
    X(A_DUR, "dur", NS, NO, v_int(i->end), "how long it lasts: times go from 0 to this") \
    X(A_FIRST, "first_ns", NS, NO, v_int(i->first_ns), "the first event's time on the trace's own clock") \
    X(A_WALL, "wall_ns", NS, NO, \
      v_if(i->has_wall, v_int((int64_t)((uint64_t)i->wall_sec * 1000000000u + (uint64_t)i->wall_nsec))), \
      "time of day at 0, since 1970; NULL before Go 1.25") \
    X(A_CLOCK, "has_clock", BOOL, NO, v_int(i->has_clock), "0: times are ticks of an unknown rate") \
    X(A_BYTES, "bytes", BYTES, NO, v_id(i->bytes_done), "decompressed size") \
    X(A_EVENTS, "events", COUNT, NO, v_id(i->events), "how many events, as Go counts them") \
    X(A_TRANSITIONS, "transitions", COUNT, NO, v_id(i->count[EC_TRANSITION]), "of these: changes of state") \
    X(A_GENERATIONS, "generations", COUNT, NO, v_if(i->second_family, v_int(i->generations)), \
      "complete and partial ones; NULL before Go 1.22") \
    X(A_GOROUTINES, "goroutines", COUNT, NO, v_id(i->goroutines), "how many it tells of") \
    X(A_GOMAXPROCS, "gomaxprocs", COUNT, NO, v_some(i->gomaxprocs), \
      "the last value told; NULL: none is recorded") \
    X(A_PARTIAL, "partial", BOOL, NO, v_int(i->ndamages > 0), \
      "part of the file is not shown: table damage says why") \
    X(A_HAS_M, "has_threads", BOOL, NO, v_int(i->has_m), "threads are recorded") \
    X(A_HAS_REGIONS, "has_regions", BOOL, NO, v_int(i->has_regions), "tasks, regions and logs are recorded") \
    X(A_HAS_SAMPLES, "has_samples", BOOL, NO, v_int(i->has_samples), \
      "CPU samples are recorded, if a profile ran") \
    X(A_HAS_NAMES, "has_names", BOOL, NO, v_int(i->has_names), "functions have names")
static bool trace_begin(struct sql_cursor *c)
{
    return sql_rows_from(c, 0, 1);
}

SQL_CELLS(trace, TRACE, struct sql_row_cursor, const struct trace_info *i = trace_info(s->tr))
SQL_TABLE(trace, TRACE, struct sql_row_cursor, trace_begin, sql_rows_next, "One row: the file");

/* ---- damage -------------------------------------------------------------------------------------------- */

#define DAMAGE(X) \
    X(D_WARNING, "warning", BOOL, NO, v_int(i >= n), "it is a warning: nothing is left out because of it") \
    X(D_OFFSET, "offset", BYTES, NO, v_if(e->offset != ERR_NO_OFFSET, v_id(e->offset)), \
      "where in the decompressed file; NULL: nowhere in particular") \
    X(D_GEN, "generation", COUNT, NO, v_some(e->gen), "in which generation; NULL: none") \
    X(D_WHAT, "what", NAME, NO, v_foreign(e->what), "what was expected and found")
static bool damage_begin(struct sql_cursor *c)
{
    const struct trace_info *i = trace_info(c->s->tr);
    return sql_rows_from(c, 0, (int64_t)i->ndamages + i->nwarnings);
}

SQL_CELLS(damage, DAMAGE, struct sql_row_cursor, const uint32_t i = (uint32_t)c->i,
          n = trace_info(s->tr)->ndamages;
          const struct err *e = i < n ? trace_damage(s->tr, i) : trace_warning(s->tr, i - n);
          if (!e) return v_none())
SQL_TABLE(damage, DAMAGE, struct sql_row_cursor, damage_begin, sql_rows_next,
          "What the reader could not use, and what it warns of");

/* ---- tick ---------------------------------------------------------------------------------------------- */

#define TICK(X) \
    X(I_I, "i", COUNT, NO, v_int(c->i), "0, 1, ..") \
    X(I_T0, "t0", NS, NO, v_int(tick_at(s, c->i, c->n)), "where this part begins") \
    X(I_T1, "t1", NS, NO, v_int(tick_at(s, c->i + 1, c->n)), "and ends") \
    X(I_N, "n", COUNT, FROM, v_none(), "~the argument: tick(n) parts the trace in n; without one in 100")
static bool tick_begin(struct sql_cursor *base)
{
    const struct sql_where *w = &base->w;
    const int64_t n = w->lo[SQL_P_FROM] == w->hi[SQL_P_FROM] ? w->lo[SQL_P_FROM] : 100;
    return sql_rows_from(base, 0, n);
}

static int64_t tick_at(const struct sql *s, int64_t i, int64_t n)
{
    return (int64_t)wide_muldiv((uint64_t)s->end, (uint64_t)i, (uint64_t)n);
}

SQL_CELLS(tick, TICK, struct sql_row_cursor)
SQL_TABLE(tick, TICK, struct sql_row_cursor, tick_begin, sql_rows_next,
          "The trace's time in n equal parts: tick(n)");
