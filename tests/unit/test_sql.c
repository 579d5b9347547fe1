/*
 * test_sql.c - SQL over a trace against what Go's own reader says of it.
 *
 * gotop dump is, record by record, the reference output of Go's reader (test_dump.c,
 * tests/scripts/compare.sh). It is read into plain tables of SQLite's, and each question is asked twice: of
 * these, and of the model's virtual tables. GOTOP_ORACLES=DIR reads the reader's own output instead,
 * DIR/NAME.oracle.tsv.gz beside DIR/NAME.trace.
 */
#include "tests/unit/decode_help.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <unistd.h>
#include <zlib.h>

#include "decode/base/utf8.h"
#include "triage/sql/sql.h"
#include "triage/triage.h"

/* ---- questions ----------------------------------------------------------------------------------------- */

/* Of the dump: G(g,t0,t1,state,reason) P(p,t0,t1,g) R(scope,id,t0,t1,name) S(g,exec,sched,syscall,block,name,
 * sysblock,total) T(task,parent,t0,t1,name) U(g,task,t0,t1,name) L(g,task,t,category,message) M(t,name,v)
 * Z(state,total,n) H(key,v) C(kind,n) K(n) - and q, the spans as the dump has them: from when the trace first
 * mentions a goroutine. */
#define Q \
    "(select s.g, max(s.t0, b.seen) t0, s.t1, replace(s.state,'system call','syscall') state, s.reason " \
    "from span s join goroutine b on b.g = s.g where s.state <> 'not recorded') q"
#define PS \
    "(select p, max(s.t0, b.seen) t0, s.t1, s.g from proc_span s join goroutine b on b.g = s.g " \
    "where state in ('running','GC worker','mark assist','sweep')) q"
#define WAITS \
    "(select w.g, max(w.t0, b.seen) t0, w.t1, w.runnable_ns from wait w join goroutine b on b.g = w.g) w"
/* Whose life was not back-dated. Go's sums (S) leave out the wait in which a goroutine ends the trace, and
 * before 1.11 count system calls that block as running, so they are added up from its transitions. */
#define SUM_OF(state) "sum(case when state='" state "' then t1-t0 else 0 end)"
#define BORN \
    "(select g, " SUM_OF("running") " exec, " SUM_OF("runnable") " sched, " SUM_OF( \
        "waiting") " block, " SUM_OF("syscall") " syscall, sum(t1-t0) total from G group by g having " \
                                                "min(t0) > 1000 and " \
                                                "total + 2 >= (select total from S where S.g = G.g))"
/* Before Go 1.10 its reader has a range for each processor that a stop of the world stopped. */
#define STOPPED \
    "(select name, t0, t1 from R where scope <> 'P' or name not like 'stop%' union all select name, " \
    "min(t0), max(t1) " \
    "from (select *, sum(fresh) over (partition by name order by t0, id) k from (select *, ifnull(t0 > " \
    "max(t1) over " \
    "(partition by name order by t0, id rows between unbounded preceding and 1 preceding), 1) fresh from R " \
    "where " \
    "scope = 'P' and name like 'stop%')) group by name, k)"
#define END "(select v from H where key='end')"
#define DUR "(select dur from trace)"

static const struct {
    const char *oracle, *ours;
} pairs[] = {
    /* states of goroutines */
    {"select state, total from Z where state in ('running','runnable','waiting','syscall') order by 1",
     "select state, sum(t1-t0) from " Q " group by 1 order by 1"},
    {"select state, n from Z where state in ('running','runnable','waiting','syscall') order by 1",
     "select state, count(*) from " Q " group by 1 order by 1"},
    {"select * from G order by g, t0, t1", "select * from " Q " order by g, t0, t1"},
    {"select reason, count(*), sum(t1-t0), max(t1-t0) from G where state='waiting' group by 1 order by 1",
     "select reason, count(*), sum(t1-t0), max(t1-t0) from " Q
     " where state='waiting' group by 1 order by 1"},
    {"select g, max(t1-t0) from G where state='runnable' group by g order by 2 desc, 1 limit 20",
     "select g, max(t1-t0) from " Q " where state='runnable' group by g order by 2 desc, 1 limit 20"},
    {"select g, t0, t1, state from G where t0 > " END "/2 order by t0, g limit 50",
     "select g, t0, t1, state from " Q " where t0 > " DUR "/2 order by t0, g limit 50"},
    {"select g, t0, t1 from G where t0 between " END "/4 and " END "/3 and state='running' order by t0, g",
     "select g, t0, t1 from " Q " where t0 between " DUR "/4 and " DUR
     "/3 and state='running' order by t0, g"},
    {"select sum(min(t1," END "/2) - max(t0," END "/4)) from G where t1 > " END "/4 and t0 < " END "/2",
     "select sum(overlap(t0, t1, " DUR "/4, " DUR "/2)) from " Q " where t1 > " DUR "/4 and t0 < " DUR "/2"},
    {"select count(*) from G where t0 <= " END "/2 and t1 > " END "/2 and state='waiting' and t0 > 0",
     "select count(*) from " Q " where t0 <= " DUR "/2 and t1 > " DUR "/2 and state='waiting' and t0 > 0"},
    {"select g, t0, t1-t0 from G where t1-t0 > 100000 and state='waiting' and t0 > 50000 order by g, t0",
     "select g, t0, t1-t0 from " WAITS " where t1-t0 > 100000 and t0 > 50000 order by g, t0"},
    {"select g, t0, t1 from G where t1-t0 > 300000 and t0 between " END "/4 and " END
     "/2 and g in (select g from G where "
     "t0 < " END "/8) order by g, t0",
     "select g, t0, t1 from span s where dur > 300000 and t0 between " DUR "/4 and " DUR
     "/2 and (select seen from goroutine "
     "where g = s.g) < " DUR "/8 order by g, t0"},
    {"select t0, t1, state from G where g = 1 order by t0 limit 100",
     "select max(t0, seen), t1, replace(state,'system call','syscall') from (select s.*, b.seen from span s, "
     "goroutine b "
     "where b.g = 1 and s.g = 1) where state <> 'not recorded' order by 1 limit 100"},
    {"select g, count(*) from G group by g having count(*) > 1 order by 1",
     "select g, count(*) from " Q " group by g having count(*) > 1 order by 1"},
    {"select min(t0), max(t1) from G", "select min(t0), max(t1) from " Q},
    {"select state, (t1-t0)/1000000, count(*) from G where t0 > 100000 group by 1, 2 order by 1, 2",
     "select state, (t1-t0)/1000000, count(*) from " Q " where t0 > 100000 group by 1, 2 order by 1, 2"},
    {"with r as (select t1-t0 d, row_number() over (order by t1-t0) i, count(*) over () n from G where "
     "state='runnable' and t0 > 1000000) select d from r where i = max(1, (99*n+99)/100)",
     "select p(99, dur) d from span where state='runnable' and t0 > 1000000 group by 1=1 having d is not "
     "null"},
    {"with r as (select t1-t0 d, row_number() over (order by t1-t0) i, count(*) over () n from G where "
     "state='waiting' and t0 > 1000000) select d from r where i = max(1, (50*n+99)/100)",
     "select p(50, t1-t0) d from " Q
     " where t0 > 1000000 and state='waiting' group by 1=1 having d is not null"},
    /* who ended a wait */
    {"select count(*), sum(d) from (select state, lag(state) over w was, t1-t0 d from G window w as "
     "(partition by g "
     "order by t0)) where state='runnable' and was='waiting'",
     "select count(*), sum(runnable_ns) from wake where not created"},
    {"select count(*), sum(d) from (select state, lead(state) over w next, t1-t0 d, t0 from G window w as "
     "(partition "
     "by "
     "g order by t0)) where state='waiting' and next='runnable' and t0 > 100000",
     "select count(*), sum(t1-t0) from " WAITS " where runnable_ns is not null and t0 > 100000"},
    {"select g, t0, (select b.t1-b.t0 from G b where b.g=a.g and b.t0=a.t1 and b.state='runnable') from G a "
     "where "
     "state='waiting' and t0 > 100000 order by g, t0 limit 200",
     "select g, t0, runnable_ns from " WAITS " where t0 > 100000 order by g, t0 limit 200"},
    /* goroutines */
    {"select count(*) from S", "select count(*) from goroutine"},
    {"select g, exec from " BORN " order by g",
     "select g, running_ns from goroutine where t0 = seen and t0 > 1000 order by g"},
    {"select g, sched, block from " BORN " order by g",
     "select g, runnable_ns, waiting_ns from goroutine where t0 = seen and t0 > 1000 order by g"},
    {"select g, syscall from " BORN " order by g",
     "select g, syscall_ns from goroutine where t0 = seen and t0 > 1000 order by g"},
    {"select g, total from " BORN " order by g",
     "select g, dur from goroutine where t0 = seen and t0 > 1000 order by g"},
    {"select sum(exec), sum(sched) from " BORN,
     "select sum(running_ns), sum(runnable_ns) from goroutine where t0 = seen and t0 > 1000"},
    /* processors */
    {"select p, sum(t1-t0) from P group by p order by p",
     "select p, sum(t1-t0) from " PS " where t1 > t0 group by p order by p"},
    {"select g, sum(t1-t0) from P group by g order by g",
     "select g, sum(t1-t0) from " PS " where t1 > t0 group by g order by g"},
    {"select count(distinct p), max(t1) from P", "select count(distinct p), max(t1) from " PS},
    /* ranges */
    {"select name, count(*), sum(t1-t0), max(t1-t0) from " STOPPED " group by name order by name",
     "select case kind when 'mark' then 'GC concurrent mark phase' when 'sweep' then 'GC incremental sweep' "
     "when "
     "'assist' "
     "then 'GC mark assist' else 'stop-the-world ('||reason||')' end n, count(*), sum(t1-seen), max(t1-seen) "
     "from "
     "range "
     "group by n order by n"},
    {"select t0, t1, id from R where name like 'stop-the-world%' and scope = 'G' order by t0",
     "select seen, t1, ifnull(g, -1) from range where kind = 'stop-the-world' and p is null order by t0"},
    {"select id, count(*), sum(t1-t0) from R where scope='P' and name like '%sweep%' group by id order by id",
     "select p, count(*), sum(t1-seen) from range where kind='sweep' group by p order by p"},
    {"select sum(d) from (select (select ifnull(sum(max(0, min(a.t1,r.t1)-max(a.t0,r.t0))),0) from R r where "
     "scope='global') "
     "d from G a where state='runnable' and t0 > 1000)",
     "select sum(in_gc(t0, t1)) from " Q " where state='runnable' and t0 > 1000"},
    {"select count(*) from G a where state='runnable' and t0 > 1000 and exists (select 1 from R r where name "
     "like "
     "'stop-%' and r.scope='G' and r.t0 < a.t1 and r.t1 > a.t0)",
     "select count(*) from span a where state='runnable' and t0 > 1000 and exists (select 1 from range r "
     "where kind="
     "'stop-the-world' and r.p is null and r.seen < a.t1 and r.t1 > a.t0)"},
    /* the program's own */
    {"select name, count(*), sum(t1-t0), max(t1-t0) from T group by name order by name",
     "select name, count(*), sum(dur), max(dur) from task group by name order by name"},
    {"select task, parent, t0, t1, name from T order by t0, task",
     "select task, parent, t0, t1, name from task order by t0, task"},
    {"select name, count(*), sum(t1-t0) from U group by name order by name",
     "select name, count(*), sum(dur) from region group by name order by name"},
    {"select g, task, t0, t1, name from U order by t0, g, t1",
     "select g, ifnull(task,0), t0, t1, name from region order by t0, g, t1"},
    {"select T.name, count(*), sum(min(U.t1,T.t1)-max(U.t0,T.t0)) from T join U on U.task=T.task and U.t0 < "
     "T.t1 and "
     "U.t1 > T.t0 "
     "group by 1 order by 1",
     "select T.name, count(*), sum(overlap(U.t0,U.t1,T.t0,T.t1)) from task T join region U on U.task=T.task "
     "and U.t0 "
     "< "
     "T.t1 and U.t1 > T.t0 group by 1 order by 1"},
    {"select category, count(*), min(t), max(t) from L group by 1 order by 1",
     "select category, count(*), min(t), max(t) from log group by 1 order by 1"},
    {"select g, task, t, message from L order by t, g",
     "select g, ifnull(task,0), t, message from log order by t, g"},
    /* numbers */
    {"select name, count(*), max(v), min(v), sum(v) from M group by name order by name",
     "select name, count(*), max(value), min(value), sum(value) from metric group by name order by name"},
    {"select t, v from M where name like '%heap/objects%' and t > " END "/2 order by t limit 50",
     "select t0, value from metric where name like '%heap/objects%' and t0 > " DUR "/2 order by t0 limit 50"},
    {"select n from K", "select count(*) from sample"},
    {"select (select v from H where key='end'), (select v from H where key='events'), (select v from H where "
     "key="
     "'first_ns')",
     "select dur, events, first_ns from trace"},
    {"select n from C where kind='StateTransition'", "select transitions from trace"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* ---- the oracle ---------------------------------------------------------------------------------------- */

static sqlite3 *db;
static struct sql *held; /* SQLite stays set up as long as one is open */

static void exec(const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

static const char *const records[][2] = {{"C", "kind,n"},
                                         {"G", "g,t0,t1,state,reason"},
                                         {"H", "key,v"},
                                         {"K", "n"},
                                         {"L", "g,task,t,category,message"},
                                         {"M", "t,name,v"},
                                         {"P", "p,t0,t1,g"},
                                         {"R", "scope,id,t0,t1,name"},
                                         {"S", "g,exec,sched,syscall,block,name,sysblock,total"},
                                         {"T", "task,parent,t0,t1,name"},
                                         {"U", "g,task,t0,t1,name"},
                                         {"Z", "state,total,n"}};

/* A field as a cell shows it: what the dump escapes its way is escaped the exports' way. */
static const char *as_cell(const char *f, size_t n)
{
    static char cell[2 << 20];
    size_t to = 0;
    for (size_t i = 0; i < n && to + 5 < sizeof cell; i++) {
        const char *as = f[i] != '\\' || i + 1 == n ? NULL
                         : f[i + 1] == 't'          ? "\\x09"
                         : f[i + 1] == 'n'          ? "\\x0a"
                         : f[i + 1] == 'r'          ? "\\x0d"
                                                    : "\\";
        if (!as)
            cell[to++] = f[i];
        for (i += as != NULL; as && *as; as++)
            cell[to++] = *as;
    }
    cell[to] = '\0';
    return cell;
}

/* A record's line into its table. "-" is an empty name. */
static void put_record(char *line, sqlite3_stmt *const *put)
{
    size_t k = 0, n = sizeof records / sizeof *records;
    while (k < n && !(line[0] == records[k][0][0] && line[1] == '\t'))
        k++;
    if (k == n)
        return;
    int i = 1;
    for (char *f = line + 2, *end; f; f = end ? end + 1 : NULL, i++) {
        end = strchr(f, '\t');
        const size_t len = end ? (size_t)(end - f) : strlen(f);
        if (len == 1 && *f == '-')
            sqlite3_bind_null(put[k], i);
        else
            sqlite3_bind_text(put[k], i, as_cell(f, len), -1, SQLITE_TRANSIENT);
    }
    if (sqlite3_step(put[k]) != SQLITE_DONE)
        fail_msg("%s: %s", line, sqlite3_errmsg(db));
    sqlite3_reset(put[k]);
    sqlite3_clear_bindings(put[k]);
}

static void oracle_from(const char *path)
{
    sqlite3_stmt *put[sizeof records / sizeof *records];
    static char line[1 << 20];
    gzFile z = gzopen(path, "rb");
    assert_non_null(z);
    exec("begin");
    for (size_t k = 0; k < sizeof records / sizeof *records; k++) {
        char sql[300], marks[40] = "?";
        for (const char *c = records[k][1]; (c = strchr(c, ',')); c++)
            strcat(marks, ",?");
        snprintf(sql, sizeof sql, "drop table if exists %s", records[k][0]);
        exec(sql);
        snprintf(sql, sizeof sql, "create table %s(%s)", records[k][0], records[k][1]);
        for (char *c = sql; (c = strchr(c, ',')); c++) /* numbers are numbers */
            *c = ',';
        exec(sql);
        snprintf(sql, sizeof sql, "insert into %s values(%s)", records[k][0], marks);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &put[k], NULL), SQLITE_OK);
    }
    while (gzgets(z, line, sizeof line)) {
        line[strcspn(line, "\n")] = 0;
        put_record(line, put);
    }
    for (size_t k = 0; k < sizeof records / sizeof *records; k++)
        sqlite3_finalize(put[k]);
    exec(
        "update G set t0=t0+0, t1=t1+0, g=g+0; update P set p=p+0,t0=t0+0,t1=t1+0,g=g+0;"
        "update R set t0=t0+0,t1=t1+0,id=id+0; update S set "
        "g=g+0,exec=exec+0,sched=sched+0,syscall=syscall+0,"
        "block=block+0,sysblock=sysblock+0,total=total+0; update T set "
        "task=task+0,parent=parent+0,t0=t0+0,t1=t1+0;"
        "update U set g=g+0,task=task+0,t0=t0+0,t1=t1+0; update L set g=g+0,task=task+0,t=t+0;"
        "update M set t=t+0,v=v+0; update Z set total=total+0,n=n+0; update H set v=v+0 where key<>'version';"
        "update C set n=n+0; update K set n=n+0; create index if not exists gi on G(g,t0); "
        "create index if not exists si on S(g,total); commit");
    gzclose(z);
}

/* ---- answers as text ----------------------------------------------------------------------------------- */

static void put_value(struct tracegen_buf *b, sqlite3_stmt *st, int i)
{
    const char *p = (const char *)sqlite3_column_text(st, i);
    tracegen_put(b, "\t", i > 0);
    tracegen_put(b, p ? p : "NULL", strlen(p ? p : "NULL"));
}

static char *of_oracle(const char *sql)
{
    struct tracegen_buf b = {0};
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    tracegen_put(&b, "", 0);
    while (sqlite3_step(st) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(st); i++)
            put_value(&b, st, i);
        tracegen_printf(&b, "\n");
    }
    sqlite3_finalize(st);
    return (char *)b.p;
}

static char *of_ours(struct sql *s, const char *sql)
{
    struct tracegen_buf b = {0};
    struct sql_query *q;
    struct err e = {0};
    size_t used;
    bool row;
    tracegen_put(&b, "", 0);
    if (sql_query(s, sql, strlen(sql), &q, &used, &e))
        fail_msg("%s: %s", sql, e.what);
    for (;;) {
        if (sql_next(q, &row, &e))
            fail_msg("%s: %s", sql, e.what);
        if (!row)
            break;
        for (unsigned i = 0; i < sql_width(q); i++) {
            const struct sql_cell c = sql_cell(q, i);
            tracegen_printf(&b, "%s", i ? "\t" : "");
            if (c.kind == SQL_INT)
                tracegen_printf(&b, "%" PRId64, c.i);
            else if (c.kind == SQL_REAL)
                tracegen_printf(&b, "%.15g", c.r);
            else if (c.kind == SQL_NULL)
                tracegen_printf(&b, "NULL");
            else
                tracegen_put(&b, c.s.p, c.s.len);
        }
        tracegen_printf(&b, "\n");
    }
    sql_end(q);
    return (char *)b.p;
}

static int differ, asked;

/* The same but for Go's own differences of a nanosecond or two, which add up in sums (the traces' README). */
static bool about_same(const char *a, const char *b)
{
    while (*a && *b) {
        char *x, *y;
        const long long v = strtoll(a, &x, 10), w = strtoll(b, &y, 10);
        if (x > a && y > b) {
            if (llabs(v - w) > 3000)
                return false;
            a = x;
            b = y;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static void one_pair(const char *path, struct sql *s, int i)
{
    char *want = of_oracle(pairs[i].oracle), *got = of_ours(s, pairs[i].ours);
    asked++;
    if (getenv("GOTOP_ORACLES") ? !about_same(want, got) : strcmp(want, got) != 0) {
        size_t k = 0;
        while (want[k] && want[k] == got[k])
            k++;
        while (k && want[k - 1] != '\n')
            k--;
        print_message("%s: question %d, byte %zu\n  %s\n  Go's reader: %.120s\n  gotop sql:   %.120s\n", path,
                      i, k, pairs[i].ours, want + k, got + k);
        differ++;
    }
    free(want);
    free(got);
}

static struct sql *open_sql(struct trace *tr)
{
    struct sql *s;
    struct err e;
    if (sql_open(tr, &s, &e))
        fail_msg("%s", e.what);
    return s;
}

static void one_trace(const char *path, const uint8_t *p, size_t n)
{
    const char *dir = getenv("GOTOP_ORACLES");
    struct trace_opts o = {.threads = 1};
    char from[600] = "/tmp/gotop-sql-XXXXXX";
    struct trace *tr;
    struct err e;
    if (load_bytes_opts(p, n, &o, &tr, &e))
        return;
    if (dir) {
        snprintf(from, sizeof from, "%.*s.oracle.tsv.gz", (int)(strlen(path) - 6), path);
        if (access(from, R_OK)) {
            trace_close(tr);
            return;
        }
    } else {
        const int fd = mkstemp(from);
        FILE *f = fdopen(fd, "w");
        assert_int_equal(dump_trace(tr, f), ERR_OK);
        fclose(f);
    }
    oracle_from(from);
    if (!dir)
        unlink(from);
    struct sql *s = open_sql(tr);
    for (int i = 0; i < PAIRS; i++)
        one_pair(path, s, i);
    sql_close(s);
    trace_close(tr);
}

static void test_oracle(void **state)
{
    const char *dir = getenv("GOTOP_ORACLES");
    (void)state;
    assert_true(PAIRS >= 40);
    if (dir)
        assert_true(each_trace(dir, 1 << 24, one_trace) > 10);
    else
        assert_true(each_trace("samples", 1 << 24, one_trace) > 30);
    print_message("%d questions, %d answers differ\n", asked, differ);
    assert_int_equal(differ, 0);
}

/* ---- what is handed down changes no answer ------------------------------------------------------------- */

static struct trace *sample(const char *path, int threads)
{
    struct trace_opts o = {.threads = threads};
    struct trace *tr;
    struct err e;
    if (trace_open(path, &o, &tr, &e))
        fail_msg("%s: %s", path, e.what);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    return tr;
}

/* A plus before a column keeps SQLite from telling a table of the condition. */
static const char *const told[] = {
    "span where #t0 between 1000000 and 20000000",
    "span where #t0 > 5000000.5 and #t1 <= 9e6",
    "span where #t1 >= 30000000 and #t0 < 30000000",
    "span where #dur > 50000",
    "span where #dur >= 50000 and #state = 'waiting' and #t0 > 1000000",
    "span where #dur = 3072",
    "span where #g = 1",
    "span where #g in (1, 7, 18) and #t0 > 2000000",
    "span where #g > 20 and #dur > 20000",
    "span where #name = 'main.main' and #state = 'running'",
    "span where #name in ('main.main', 'runtime.bgsweep', 'nobody')",
    "span where #name = 'MAIN.MAIN' collate nocase",
    "span where #state in ('running', 'runnable')",
    "span where #state = 'nonsense' or g = 1",
    "span where #t0 > null",
    "span where #t0 < -5",
    "span where #t0 = '1000000'",
    "span where #t0 > 'x'",
    "span where #g = -1",
    "proc_span where #p = 1 and #state = 'running'",
    "proc_span where #dur > 30000",
    "proc_span where #t0 between 2000000 and 4000000",
    "thread_span where #t0 > 10000000 and #dur > 1000",
    "wait where #dur > 1000000",
    "wait where #name = 'main.main'",
    "wait where #t1 between 10000000 and 90000000 and #dur > 2000",
    "wake where #t > 20000000 and #g > 5",
    "goroutine where #g = 18",
    "goroutine where #name = 'main.main'",
    "goroutine where #t0 > 100000 and #t1 < 50000000",
    "proc where #p = 2",
    "range where #t0 > 10000000",
    "range where #t1 < 10000000 and #t0 > 1",
    "metric where #t0 between 1000000 and 20000000",
    "task where #t0 > 3000000",
    "region where #t0 <= 3000000",
    "stack where #stack = 5",
    "stack where #stack > 3 and #stack < 9",
    "frame where #stack in (1, 2, 3, 4000000000)",
    "frame where #stack = -3",
    /* of an OR there are several scans, joined by what a table says of its rows */
    "span where #g > 18 or #t0 > 2456876 or #state = 'running' order by 1, 2, 3",
    "span where #g = 1 or #dur > 100000 order by 1, 2, 3",
    "thread_span where #m > 5 or #t0 > 9000000 order by 1, 2, 3",
    "wait where #g = 7 or #name = 'main.main' or #dur > 2000000 order by 1, 2, 3",
    "goroutine where #g <= 5 or #t1 <= 4375200 order by 1, 2, 3",
    "proc where #p = 1 or #t0 = 0 order by 1, 2, 3",
    "range where #t0 > 3000000 or #t1 < 20000000 order by 1, 2, 3",
    "metric where #t0 > 3000000 or #t0 < 20000000 order by 1, 2, 3",
    "task where #t0 > 3000000 or #t1 < 20000000 order by 1, 2, 3",
    "stack where #stack = 5 or #stack = 1 or #stack > 9 order by 1, 2, 3",
    "frame where #stack = 5 or #stack = 1 or #stack > 9 order by 1, 2, 3",
    /* nor does it that a table groups its rows itself */
    "(select #state k, count(*), sum(dur), min(t0) from span group by #state) order by 1",
    "(select #name k, count(*), sum(dur) from span group by #name) order by 1",
    "(select #user_func k, count(*), sum(dur), min(t0), sum(open_end) from span group by #user_func) order "
    "by 1",
    "(select #reason k, #state l, #name m, count(*), sum(dur) from span where dur > 1000 group by #reason, "
    "#state, "
    "#name) order by 1, 2, 3",
    "(select #kind k, #waker_func l, count(*), sum(runnable_ns), max(g) from wait group by #kind, "
    "#waker_func) order "
    "by 1, 2",
    "(select #reason k, #waker l, count(*), sum(waited_ns) from wake group by #reason, #waker) order by 1, 2",
    "(select #g k, #state l, count(*), sum(t0) from proc_span group by #g, #state) order by 1, 2",
    "(select distinct #user_func k, #p l from span) order by 1, 2",
    "(select #name k, #state l, count(*), sum(dur), max(g) from span group by #name, #state) order by 1, 2",
    "(select #state k, #g l, count(*), sum(t1) from span where dur > 1000 group by #state, #g) order by 1, 2",
    "(select #g k, count(*), p(50, dur), sum(open_end) from wait where #t0 > 2000000 group by #g) order by 1",
    "(select #name k, count(*), max(runnable_ns) from wake group by #name having count(*) > 1) order by 1",
    "(select #name k, count(*), sum(running_ns) from goroutine where #t1 > 5000000 group by #name) order by "
    "1",
    "(select #state k, count(*), sum(dur), sum(open_start) from proc_span group by #state) order by 1",
    "(select #state k, count(*) from proc_span where #p in (0, 1) and #state <> 'idle' group by #state) "
    "order by 1",
    "(select #state k, count(*) from span where #g in (1, 7, 18) group by #state) order by 1",
};

static char *filled(const char *text, const char *with)
{
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "select * from ");
    for (; *text; text++)
        tracegen_put(&b, *text == '#' ? with : text, *text == '#' ? strlen(with) : 1);
    return (char *)b.p;
}

static void test_told(void **state)
{
    static const char *const paths[] = {"samples/http-1.27.trace", "samples/lock-1.21.trace",
                                        "samples/tasks-1.25.trace", "samples/alloc-1.19.trace",
                                        "samples/workers-1.5.trace"};
    (void)state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        if (access(paths[k], R_OK))
            continue;
        struct trace *tr = sample(paths[k], 1);
        struct sql *s = open_sql(tr);
        for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
            char *a = filled(told[i], ""), *b = filled(told[i], "+");
            char *with = of_ours(s, a), *without = of_ours(s, b);
            if (strcmp(with, without) != 0)
                fail_msg("%s: %s\nhanded down: %.300s\nnot: %.300s", paths[k], a, with, without);
            free(a);
            free(b);
            free(with);
            free(without);
        }
        sql_close(s);
        trace_close(tr);
    }
}

/* ---- any number of threads; all tables ----------------------------------------------------------------- */

static char *all_tables(struct sql *s)
{
    struct tracegen_buf b = {0};
    const char *name;
    for (size_t i = 0; (name = sql_table(i)) != NULL; i++) {
        char sql[3000] = "select ";
        for (size_t c = 0; sql_column(i, c); c++)
            snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "%s%s", c ? ", " : "", sql_column(i, c));
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), " from %s", name);
        char *text = of_ours(s, sql);
        tracegen_printf(&b, "%s\n", name);
        tracegen_put(&b, text, strlen(text));
        free(text);
    }
    return (char *)b.p;
}

static void test_threads(void **state)
{
    static const char *const paths[] = {"samples/http-long-1.27.trace", "samples/tasks-1.21.trace"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char *text[2];
        for (int i = 0; i < 2; i++) {
            struct trace *tr = sample(paths[k], i ? 4 : 1);
            struct sql *s = open_sql(tr);
            text[i] = all_tables(s);
            sql_close(s);
            trace_close(tr);
        }
        assert_true(strlen(text[0]) > 10000);
        assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
    }
}

/* ---- what is refused, and how errors point ------------------------------------------------------------- */

static enum err_code asks(struct sql *s, const char *text, struct err *e)
{
    struct sql_query *q;
    size_t used;
    bool row = true;
    *e = (struct err){.offset = ERR_NO_OFFSET};
    enum err_code c = sql_query(s, text, strlen(text), &q, &used, e);
    while (c == ERR_OK && q && row)
        c = sql_next(q, &row, e);
    sql_end(q);
    return c;
}

static void test_refused(void **state)
{
    static const char *const no[] = {"attach 'x.db' as x",
                                     "attach ':memory:' as x",
                                     "detach main",
                                     "create table x(a)",
                                     "create temp table x(a)",
                                     "create view x as select 1",
                                     "create virtual table x using fts5(a)",
                                     "insert into span values(1)",
                                     "delete from span",
                                     "update span set t0 = 1",
                                     "drop table span",
                                     "pragma journal_mode=wal",
                                     "pragma temp_store_directory='/tmp'",
                                     "pragma writable_schema=on",
                                     "vacuum into '/tmp/gotop-x'",
                                     "begin",
                                     "savepoint x",
                                     "analyze",
                                     "select load_extension('/tmp/x.so')",
                                     "select fts3_tokenizer('x', x'00')",
                                     "explain insert into span values(1)",
                                     "select randomblob(100000000)",
                                     "select zeroblob(2000000000)",
                                     "select \"state\" || \"nobody\" from trace",
                                     "select p(101, 1)",
                                     "select state('runing')",
                                     "select ns('soon')"};
    (void)state;
    struct err e;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (asks(held, no[i], &e) == ERR_OK)
            fail_msg("allowed: %s", no[i]);
        assert_true(e.what[0]);
    }
    assert_int_equal(asks(held, "select name from pragma_table_info('span')", &e), ERR_OK);
    assert_int_equal(asks(held, " -- nothing\n ; ", &e), ERR_OK);
    assert_int_equal(asks(held, "", &e), ERR_OK);
    assert_int_equal(asks(held, "select sate from span", &e), ERR_ARG);
    assert_int_equal(e.offset, 7);
    assert_int_equal(asks(held, "select 1 frm span where", &e), ERR_ARG);
    assert_true(e.offset != ERR_NO_OFFSET);
}

static void test_time(void **state)
{
    struct err e;
    (void)state;
    sql_time(held, 20000000);
    assert_int_equal(
        asks(held, "with recursive r(i) as (select 1 union all select i+1 from r) select max(i) from r", &e),
        ERR_ARG);
    assert_non_null(strstr(e.what, "too long"));
    sql_time(held, 0);
    assert_int_equal(asks(held, "select 1", &e), ERR_OK);
}

/* ---- out of memory ------------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    static const char sql[] =
        "select name, p(50, dur), hist(dur), sum(in_gc) from span where name <> 'x' and g = 1 "
        "group by name order by 2";
    (void)state;
    struct trace *tr = sample("samples/tasks-1.25.trace", 1);
    const size_t live = mem_live();
    bool done = false;
    for (long n = 0; !done && n < 4000; n += n < 200 ? 1 : 7) {
        struct sql *s;
        struct err e;
        mem_fail_after(n);
        enum err_code c = sql_open(tr, &s, &e);
        if (c == ERR_OK) {
            c = asks(s, sql, &e);
            sql_close(s);
        }
        mem_fail_after(-1);
        done = c == ERR_OK;
        if (!done && c != ERR_NOMEM)
            fail_msg("allocation %ld: %s", n, e.what);
    }
    assert_true(done);
    assert_true(mem_live() <= live + 65536); /* what SQLite keeps as long as `held` is open */
    trace_close(tr);
}

/* ---- names that mean harm ------------------------------------------------------------------------------ */

static void test_hostile(void **state)
{
    static const char text[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "UserTaskBegin +5 task=1 parent=0 name=\"a\\x1b[31m'; drop table span --\" stack=main.f:1\n"
        "UserLog +5 1 \"c\\xff\\xfe\" \"m\\n\\t\\xe2\\x80\\xae\\\"\\\\\" stack=main.g:2\n"
        "GoBlock +5 reason=\"r\\x07\\x9b\" stack=main.h:14\n"
        "GoUnblock +5 g=1 g_seq=1 stack=0\nGoStart +1 g=1 g_seq=2\nUserTaskEnd +4 1 stack=main.f:3\n";
    char why[200];
    struct tracegen_buf bytes = {0};
    (void)state;
    if (tracegen_encode(text, &bytes, why, sizeof why))
        fail_msg("%s", why);
    struct trace_opts o = {.threads = 1};
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes.p, bytes.n, &o, &tr, &e), ERR_OK);
    struct sql *s = open_sql(tr);
    char *all = all_tables(s);
    for (const char *line = all; *line;) { /* the test's own tabs and line feeds apart */
        const size_t n = strcspn(line, "\t\n");
        if (!utf8_plain(line, n))
            fail_msg("unclean: %.*s", (int)n, line);
        line += n + (line[n] != 0);
    }
    char *named = of_ours(s, "select name from task where name like 'a%drop table%'");
    if (strcmp(named, "a\\x1b[31m'; drop table span --\n") != 0)
        fail_msg("escaped: %s", named);
    free(named);
    free(all);
    sql_close(s);
    trace_close(tr);
    tracegen_free(&bytes);
}

/* ---- the same sums as the report ----------------------------------------------------------------------- */

static int64_t number(struct sql *s, const char *sql)
{
    char *text = of_ours(s, sql);
    const int64_t v = strtoll(text, NULL, 10);
    free(text);
    return v;
}

static void same_sum(const char *path, struct sql *s, int64_t want, const char *fmt, const char *name)
{
    char sql[1000];
    snprintf(sql, sizeof sql, fmt, name);
    const int64_t got = number(s, sql);
    if (got != want)
        fail_msg("%s: %s: %" PRId64 ", the report has %" PRId64, path, sql, got, want);
}

static void one_report(const char *path, const uint8_t *p, size_t n)
{
    struct trace_opts o = {.threads = 1};
    struct trace *tr;
    struct triage *tg;
    struct err e;
    char name[300];
    if (load_bytes_opts(p, n, &o, &tr, &e))
        return;
    assert_int_equal(triage_new(tr, &tg, &e), ERR_OK);
    assert_int_equal(triage_step(tg, INT64_MAX), TRIAGE_DONE);
    struct sql *s = open_sql(tr);
    same_sum(path, s, tg->p_sum.ns[ST_RUNNING], "select sum(running_ns) from proc", "");
    same_sum(path, s, tg->p_sum.ns[ST_IDLE], "select sum(idle_ns) from proc", "");
    same_sum(path, s, tg->p_sum.ns[ST_SYSCALL], "select sum(syscall_ns) from proc", "");
    same_sum(path, s, tg->p_sum.ns[ST_SCHED],
             "select sum(dur) from proc_span where state = 'looking for work'", "");
    same_sum(path, s, (int64_t)tg->gc_cycles, "select count(*) from range where kind = 'mark'", "");
    same_sum(path, s, tg->gc_mark_ns, "select in_gc(0, dur) from trace", "");
    same_sum(path, s, tg->g_created, "select sum(created) from goroutine", "");
    same_sum(path, s, tg->g_ended, "select sum(ended) from goroutine", "");
    same_sum(path, s, tg->nwaits,
             "select count(*) from (select 1 from wait w join goroutine b on "
             "b.g = w.g where not b.system group by w.reason, w.stack)",
             "");
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        const struct group *g = &tg->groups[i];
        const struct str str = trace_str(tr, g->name);
        snprintf(name, sizeof name, g->name ? "= '%.*s'" : "is null", (int)str.len, str.p);
        same_sum(path, s, g->count, "select count(*) from goroutine where name %s", name);
        same_sum(path, s, g->ns[GM_RUNNABLE], "select sum(runnable_ns) from goroutine where name %s", name);
        same_sum(path, s, g->ns[GM_EXEC], "select sum(running_ns) from goroutine where name %s", name);
        same_sum(path, s, g->ns[GM_WAIT], "select sum(dur) from wait where name %s", name);
        same_sum(path, s, g->ns[GM_SYSCALL] + g->ns[GM_SYSBLOCK],
                 "select sum(dur) from span where state = 'system call' and name %s", name);
    }
    for (uint32_t i = 0; i < tg->nwaits && i < 20; i++) {
        snprintf(name, sizeof name, "%u", tg->waits[i].stack);
        if (tg->waits[i].stack)
            same_sum(path, s, tg->waits[i].total,
                     "select max(ns) from (select sum(w.dur) ns from wait w join goroutine b on b.g = w.g "
                     "where not b.system and w.stack = %s group by w.reason)",
                     name);
    }
    for (uint32_t i = 0; i < tg->nstw; i++) {
        const struct str str = trace_str(tr, tg->stw[i].kind);
        snprintf(name, sizeof name, "%.*s", (int)str.len, str.p);
        same_sum(path, s, tg->stw[i].total,
                 "select sum(dur) from range where kind = 'stop-the-world' and reason = '%s'", name);
    }
    sql_close(s);
    triage_free(tg);
    trace_close(tr);
}

static void test_report(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 1 << 24, one_report) > 30);
}

/* ---- docs/SQL.md --------------------------------------------------------------------------------------- */

#define DOC "docs/SQL.md"
#define MARK "<!-- schema: written by the tests (GOTOP_GOLDEN=accept build/tests/test_sql) -->\n"
#define MARK_END "<!-- end -->\n"

/* The tables that the documentation lists are those that there are. */
static void test_documented(void **state)
{
    (void)state;
    size_t n;
    struct text t = {0};
    char *doc = (char *)read_file(DOC, &n);
    assert_non_null(doc);
    doc = realloc(doc, n + 1);
    doc[n] = 0;
    char *from = strstr(doc, MARK), *to = strstr(doc, MARK_END);
    assert_true(from && to);
    from += strlen(MARK);
    sql_schema(&t, true);
    if (getenv("GOTOP_GOLDEN") && !strcmp(getenv("GOTOP_GOLDEN"), "accept")) {
        FILE *f = fopen(DOC, "w");
        fprintf(f, "%.*s%s%s", (int)(from - doc), doc, t.p, to);
        fclose(f);
    } else if ((size_t)(to - from) != t.n || memcmp(from, t.p, t.n) != 0) {
        fail_msg(DOC " lists other tables than there are");
    }
    text_free(&t);
    free(doc);
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static struct loaded any;

static int begin(void **state)
{
    (void)state;
    any = load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 idle\n");
    held = open_sql(any.tr);
    return sqlite3_open(":memory:", &db) != SQLITE_OK;
}

static int end(void **state)
{
    (void)state;
    sqlite3_close(db);
    sql_close(held);
    unload(&any);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),       cmocka_unit_test(test_threads), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_time),       cmocka_unit_test(test_hostile), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_documented), cmocka_unit_test(test_report),  cmocka_unit_test(test_oracle)};
    return cmocka_run_group_tests(tests, begin, end);
}
