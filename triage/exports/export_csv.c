/*
 * export_csv.c - `gotop csv`: the views of triage/sql/sql_views.def, whose columns' names are a promise
 * (docs/EXPORTS.md), as comma-separated values.
 */
#include <string.h>

#include "triage/exports/export.h"
#include "triage/exports/export_run.h"
#include "triage/sql/sql_print.h"
#include "triage/say.h"

static const char usage_head[] =
    "usage: gotop csv TABLE [options] TRACE\n"
    "A table as comma-separated values with a header line; times are nanoseconds since the trace's "
    "first event.\n"
    "  spans       what each lane did, one row per span (--lanes g,p,m: goroutines, processors, "
    "threads; g,p)\n"
    "  goroutines  one row per goroutine with its time by state\n"
    "  waits       one row per wait of a goroutine, with who ended it\n"
    "  gc          mark phases, stop-the-world, sweeping, assists\n"
    "  tasks, regions, logs   the program's own annotations\n"
    "  samples     CPU samples\n"
    "  stacks      the frames of each stack_id in the other tables\n";

/* Adds the view, of which goroutines are summed up within the range, and which of its rows: what overlaps the
 * range, as scope_overlaps() has it, and the goroutines that are asked for. */
static void add_query(struct text *t, const char *view, const struct options *o, const struct scope *sc)
{
    const bool goroutines = strcmp(o->kind, "goroutines") == 0, ranged = sc->from > 0 || sc->to < INT64_MAX;
    const long long from = sc->from, to = sc->to;
    text_add(t, "SELECT * FROM (%s", view);
    if (goroutines && ranged)
        text_add(t, "(%lld, %lld)", from, to); /* the arguments of the table it ends with */
    text_lit(t, ")");
    if (strcmp(o->kind, "stacks") == 0)
        return;
    text_lit(t, " WHERE 1");
    if (ranged && (strcmp(o->kind, "logs") == 0 || strcmp(o->kind, "samples") == 0))
        text_add(t, " AND time_ns >= %lld AND time_ns < %lld", from, to);
    else if (ranged)
        text_add(t, " AND start_ns < %lld AND end_ns >= %lld AND (end_ns > %lld OR start_ns = end_ns)", to,
                 from, from);
    if (!scope_all_g(sc))
        text_add(t, " AND in_scope(%s)", goroutines ? "id" : "goroutine");
}

static enum err_code no_memory(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the table");
}

static enum err_code write_query(struct export *x, struct sql_query *q, struct sql_print *p, struct err *e)
{
    const double about = 2 + 2 * (double)trace_info(x->tr)->events;
    bool row = true, ok = sql_print_begin(p, q);
    while (ok && !out_broken(x->out)) {
        const enum err_code rc = sql_next(q, &row, e);
        if (rc != ERR_OK || !row)
            return rc;
        ok = sql_print_row(p, q);
        if ((p->rows & 8191) == 0)
            export_progress(x, (double)p->rows / about);
    }
    return ok ? ERR_OK : no_memory(e);
}

/* Writes the rows of a view. */
static enum err_code write_rows(struct export *x, struct sql *s, const char *view, struct sql_print *p,
                                struct err *e)
{
    struct text t = {0};
    struct sql_query *q = NULL;
    size_t used;
    add_query(&t, view, x->o, &x->scope);
    enum err_code rc = text_ok(&t) ? sql_query(s, t.p, t.n, &q, &used, e) : no_memory(e);
    if (rc == ERR_OK)
        rc = write_query(x, q, p, e);
    sql_end(q);
    text_free(&t);
    return rc;
}

/* Writes spans by kind of lane: processors, goroutines, threads. */
static enum err_code write_spans(struct export *x, struct sql *s, struct sql_print *p, struct err *e)
{
    static const enum lane_kind order[] = {LANE_P, LANE_G, LANE_M};
    enum err_code rc = ERR_OK;
    for (int k = 0; k < 3 && rc == ERR_OK; k++)
        if (x->o->lanes.given ? x->o->lanes.kind[order[k]] : order[k] != LANE_M)
            rc = write_rows(x, s, sql_view_spans(order[k]), p, e);
    return rc;
}

static bool check(const struct options *o)
{
    if (!o->kind || !sql_view(o->kind)) {
        say_failed("csv", o->kind ? o->kind : "the table",
                   "say which first: spans, goroutines, waits, gc, tasks, regions, logs, samples or stacks");
        return false;
    }
    return true;
}

static enum err_code write_csv(struct export *x, struct err *e)
{
    struct sql_print p = {.format = SQL_CSV, .out = x->out};
    struct sql *s;
    enum err_code rc = sql_open(x->tr, &s, e);
    if (rc != ERR_OK)
        return rc;
    sql_scope(s, &x->scope);
    rc = strcmp(x->o->kind, "spans") == 0 ? write_spans(x, s, &p, e)
                                          : write_rows(x, s, sql_view(x->o->kind), &p, e);
    if (!sql_print_end(&p) && rc == ERR_OK)
        rc = no_memory(e);
    sql_close(s);
    return rc;
}

static const struct export_command command = {
    .command = {"csv", CMD_CSV, usage_head, EXPORT_TAIL}, .table = true, .check = check, .write = write_csv};

int csv_main(int argc, char **argv)
{
    return export_main(&command, argc, argv);
}
