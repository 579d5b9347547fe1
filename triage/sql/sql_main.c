/*
 * sql_main.c - `gotop sql`: its command line, one trace after the other, and its messages about errors and
 * omitted rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "triage/options.h"
#include "triage/exports/target.h"
#include "triage/folder.h"
#include "triage/load.h"
#include "triage/say.h"
#include "triage/sql/sql_print.h"

#define LIMIT 1000
#define TIMEOUT 60000000000 /* default time limit for the statements of one trace, ns */
#define FILE_MAX_BYTES (1 << 20)

static const char usage_head[] =
    "usage: gotop sql [options] 'SELECT ..' TRACE...\nAsk a trace in SQL (SQLite's). Times are nanoseconds "
    "since the trace's first event. Of several traces each is asked by itself, and a column `trace` says "
    "which one a row is of. docs/SQL.md has the tables and twenty questions.\n";
static const char usage_tail[] =
    "Exit status: 0 done, 2 an error, 3 done, but only part of a trace could be read.\n";

struct job {
    struct options opt;
    enum sql_format format;
    uint64_t limit;
    struct out_target to; /* --save's file, from the first trace on */
    const char *sql;
    size_t sql_len;
    char *read; /* the SQL, if it is of a file */
    const char *const *path;
    int npaths;
    struct out o; /* opened once a trace is read, so that it isn't one of those */
    struct sql_print print;
    struct folder files; /* the traces at path */
    bool partial, cut;
    bool many;   /* several traces, or a folder */
    bool saved;  /* --save: at least one trace was saved */
    bool opened; /* o */
    bool wrong;  /* the SQL or the output is wrong, whatever the trace */
};

static int fail(const char *what, const char *why)
{
    return say_failed("sql", what, why);
}

/* ---- command line -------------------------------------------------------------------------------------- */

static const struct command command = {"sql", CMD_SQL, usage_head, usage_tail};

static int read_sql(struct job *j, const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f)
        return fail(path, strerror(errno));
    j->sql = j->read = mem_alloc(FILE_MAX_BYTES + 1);
    j->sql_len = j->read ? fread(j->read, 1, FILE_MAX_BYTES + 1, f) : 0;
    const bool bad = ferror(f) != 0;
    if (f != stdin)
        fclose(f);
    return !j->sql                       ? fail(path, "out of memory")
           : bad                         ? fail(path, "it can't be read")
           : j->sql_len > FILE_MAX_BYTES ? fail(path, "it is longer than 1 MB")
                                         : 0;
}

/* Gets the SQL of -f or of the first argument. */
static int take_sql(struct job *j)
{
    const char *from = j->opt.sql_file;
    if (j->opt.save)
        return 0;
    if (from)
        return read_sql(j, from);
    if (!j->npaths--)
        return options_lack(&command, "SELECT");
    from = *j->path++;
    if (strcmp(from, "-") == 0)
        return read_sql(j, from);
    if (access(from, F_OK) == 0)
        return fail(from, "is a file: the SQL comes first, gotop sql 'SELECT ..' TRACE");
    j->sql = from;
    j->sql_len = strlen(from);
    return 0;
}

/* ---- errors -------------------------------------------------------------------------------------------- */

/* Print the line of the SQL with a mark below the word at fault. */
static void point_at(const char *sql, size_t n, size_t at)
{
    struct text t = {0};
    size_t from = at < n ? at : n, to = from;
    while (from > 0 && sql[from - 1] != '\n' && at - from < 60)
        from--;
    while (to < n && sql[to] != '\n' && to - at < 40)
        to++;
    while (from < at && ((unsigned char)sql[from] & 0xC0) == 0x80)
        from++;
    text_lit(&t, "  ");
    const size_t begin = t.n;
    text_clean(&t, sql + from, at - from, 0);
    const size_t width = text_width(&t, begin);
    text_clean(&t, sql + at, to - at, 0);
    if (text_ok(&t))
        door_printf(stderr, "%s\n", t.p);
    door_printf(stderr, "  %*s^\n", (int)width, "");
    text_free(&t);
}

static int sql_failed(struct job *j, const char *at, size_t n, const struct err *e)
{
    fail("SQL", e->what);
    j->wrong = e->offset != ERR_NO_OFFSET;
    if (e->offset != ERR_NO_OFFSET && e->offset <= n)
        point_at(at, n, (size_t)e->offset);
    return 2;
}

/* ---- running ------------------------------------------------------------------------------------------- */

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Print the rows of one statement. Returns 0, or 2 after an error message. */
static int rows(struct job *j, struct sql_query *q, const char *at, size_t n)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    bool row = true;
    if (!sql_print_begin(&j->print, q))
        return fail("SQL", "out of memory");
    while (!j->o.error) {
        if (sql_next(q, &row, &e) != ERR_OK)
            return sql_failed(j, at, n, &e);
        if (!row)
            break;
        if (j->limit && j->print.rows >= j->limit) {
            j->cut = true;
            break;
        }
        if (!sql_print_row(&j->print, q))
            return fail("SQL", "out of memory");
    }
    return 0;
}

static void said_cut(const struct job *j)
{
    if (j->cut)
        door_printf(stderr, "gotop sql: the first %" PRIu64 " rows; --limit N gives more, --limit 0 all\n",
                    j->limit);
}

/* Run the statement at `at` on one trace. *used is its length in bytes. */
static int statement(struct job *j, struct sql *s, const char *at, size_t n, size_t *used)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    struct sql_query *q;
    if (sql_query(s, at, n, &q, used, &e) != ERR_OK) {
        (void)sql_failed(j, at, n, &e);
        j->wrong |= e.code == ERR_ARG; /* of one trace as of the others */
        door_printf(stderr, "  gotop sql --schema lists tables, columns and functions\n");
        return 2;
    }
    const int status = q ? rows(j, q, at, n) : 0;
    sql_end(q);
    return status;
}

static int end_statement(struct job *j)
{
    if (!sql_print_end(&j->print))
        return fail("SQL", "out of memory");
    said_cut(j);
    j->cut = false;
    return 0;
}

/* Runs all statements, on the one trace there is. */
static int all_statements(struct job *j, struct sql *s)
{
    size_t at = 0, used;
    int status = 0;
    for (bool first = true; !status && at < j->sql_len; at += used, first = false) {
        if (!first && j->format != SQL_JSON && j->print.rows)
            out_write(&j->o, "\n", 1);
        status = statement(j, s, j->sql + at, j->sql_len - at, &used);
        if (!status && j->print.width)
            status = end_statement(j);
    }
    return status;
}

static int ask_trace(struct job *j, const char *path, struct trace *tr)
{
    struct err e = {.offset = ERR_NO_OFFSET};
    struct sql *s;
    size_t used;
    int status;
    if (!j->opened && out_open(&j->o, j->opt.out, false, &e) != ERR_OK) {
        j->wrong = true;
        return fail(j->opt.out ? j->opt.out : "standard output", e.what);
    }
    j->opened = true;
    if (sql_open(tr, &s, &e) != ERR_OK)
        return fail(shown(path), e.what);
    sql_time(s, j->opt.timeout_ns < 0 ? TIMEOUT : j->opt.timeout_ns);
    if (!j->many) {
        status = all_statements(j, s);
    } else {
        j->print.trace = path;
        status = statement(j, s, j->sql, j->sql_len, &used);
        for (size_t i = used; !status && i < j->sql_len; i++)
            if (!strchr(" \t\r\n;", j->sql[i]))
                status = fail("SQL", "of several traces one statement can be asked");
    }
    sql_close(s);
    return status;
}

static int partial_trace(struct job *j, const char *path, const struct trace *tr)
{
    char what[320];
    if (!trace_info(tr)->ndamages)
        return 0;
    j->partial = true;
    snprintf(what, sizeof what, "only a part of this trace can be read: %s", trace_damage(tr, 0)->what);
    fail(shown(path), what);
    return 0;
}

/* Saves into the file of --save, which is opened once a trace is read, so that it isn't one of those. */
static int save_one(struct job *j, const struct trace *tr, const char *path)
{
    struct err e = {0};
    if (!j->saved && target_open(&j->to, j->opt.save, false, &e) != ERR_OK)
        return fail(j->opt.save, e.what);
    if (!target_begin(&j->to))
        return fail(j->opt.save, strerror(errno));
    if ((fcntl(j->to.fd, F_GETFL) & O_ACCMODE) != O_RDWR)
        return fail(j->opt.save,
                    "a database goes into a new file, or one of your own that has no other names");
    return sql_save(tr, j->to.fd, path, j->saved, &e) == ERR_OK ? 0 : fail(j->opt.save, e.what);
}

static int one_trace(struct job *j, const struct folder_file *f)
{
    const char *path = f->path;
    struct trace *tr = NULL;
    struct err e = {0};
    int status = 0;
    const enum err_code rc = load_model(path, &j->opt.trace, j->opt.quiet, &tr, &e);
    if (rc != ERR_OK)
        status = folder_skips(f, rc) ? 0 : fail(shown(path), e.what);
    else if (j->opt.save)
        status = save_one(j, tr, path);
    else
        status = ask_trace(j, path, tr);
    if (!status && rc == ERR_OK) {
        (void)partial_trace(j, path, tr);
        j->saved = true;
    }
    trace_close(tr);
    return status;
}

/* Errors that are the same for all traces, such as wrong SQL, are printed once. */
static int all_traces(struct job *j)
{
    int status = 0, bad = 0;
    for (size_t i = 0; i < j->files.n && !j->o.error && !j->cut && !j->wrong; i++) {
        status = one_trace(j, &j->files.file[i]);
        bad |= status;
        if (status && (!j->many || j->opt.save))
            break;
    }
    if (j->print.width && end_statement(j))
        bad = 2;
    return bad ? 2 : j->partial ? 3 : 0;
}

/* The file gets its name once it is complete. */
static int save(struct job *j)
{
    struct err e = {0};
    j->to.fd = -1;
    int status = all_traces(j);
    if (status != 2 && target_may(j->opt.save, &e) != ERR_OK) /* one that was read later */
        status = fail(j->opt.save, e.what);
    if (!target_close(&j->to, status != 2))
        status = fail(j->opt.save, strerror(errno));
    return status;
}

static int run_job(struct job *j)
{
    struct err e = {0};
    if (j->opt.save)
        return save(j);
    j->print = (struct sql_print){.format = j->format, .out = &j->o};
    int status = all_traces(j);
    if (j->opened)
        (void)out_close(&j->o, status == 2 && j->opt.out ? ERR_ARG : ERR_OK, &e);
    if (e.code)
        status = fail(j->opt.out ? j->opt.out : "standard output", e.what);
    sql_print_free(&j->print);
    return status;
}

static int list_schema(void)
{
    struct text t = {0};
    sql_schema(&t, false);
    return say_list("sql", &t);
}

int sql_main(int argc, char **argv)
{
    struct job j = {.npaths = 0};
    const struct options *o = &j.opt;
    int status = options_read(&command, argc, argv, &j.opt);
    if (status >= 0)
        return status;
    if (o->schema)
        return list_schema();
    j.format = o->csv ? SQL_CSV : o->tsv ? SQL_TSV : o->json ? SQL_JSON : SQL_ALIGNED;
    j.limit = o->limit == OPTIONS_UNSET ? LIMIT : o->limit;
    j.path = o->operand;
    j.npaths = (int)o->noperands;
    status = take_sql(&j);
    if (!status && !j.npaths)
        status = options_lack(&command, "TRACE");
    else if (!status && !folder_of(j.path, j.npaths, &j.files))
        status = fail("the traces", "out of memory");
    j.many = j.files.n > 1 || (j.files.n && j.files.file[0].listed);
    if (!status)
        status = run_job(&j);
    folder_free(&j.files);
    mem_free(j.read);
    return status;
}
