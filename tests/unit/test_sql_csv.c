/* test_sql_csv.c - the tables of SQL as CSV: read by a strict reader, held against the model; names that mean
 * harm. */
#include "tests/unit/export_help.h"

#include "triage/sql/sql.h"
#include "triage/tables/known.h"

/* What a column of SQL is called here says what it is held against; a boolean is written as a word. */
#define YES(x) "iif(" #x ",'true','false') " #x
#define SPANS_P \
    "SELECT 'processor' lane, p id, t0 start_ns, t1 end_ns, dur duration_ns, state, reason, label, g " \
    "goroutine, " \
    "name goroutine_name, p processor, NULL waker, NULL function, NULL stack_id, " YES(open_start) ", " YES( \
        open_end) " FROM proc_span"
#define SPANS_G \
    "SELECT 'goroutine' lane, g id, t0 start_ns, t1 end_ns, dur duration_ns, state, reason, label, g " \
    "goroutine, " \
    "name goroutine_name, p processor, waker, func function, stack stack_id, " YES(open_start) ", " YES( \
        open_end) " FROM span"
#define SPANS_M \
    "SELECT 'thread' lane, m id, t0 start_ns, t1 end_ns, dur duration_ns, state, reason, label, g " \
    "goroutine, " \
    "name goroutine_name, p processor, NULL waker, NULL function, NULL stack_id, " YES(open_start) ", " YES( \
        open_end) " FROM thread_span"

static const struct {
    const char *name, *sql;
} tables[] = {
    {"spans", SPANS_P " UNION ALL " SPANS_G},
    {"goroutines",
     "SELECT g id, name, " YES(name_inferred) ", " YES(system) ", t0 start_ns, t1 end_ns, dur "
                                                               "duration_ns, " YES(created) ", " YES(
                                                                   ended) ", running_ns, runnable_ns, "
                                                                          "waiting_ns, syscall_ns, "
                                                                          "unrecorded_ns, ifnull(assist_ns, "
                                                                          "0) assist_ns, spans, creator, "
                                                                          "creator_name, create_func "
                                                                          "create_function, create_stack "
                                                                          "create_stack_id FROM goroutine"},
    {"waits", "SELECT g goroutine, name goroutine_name, t0 start_ns, t1 end_ns, dur duration_ns, reason, "
              "kind, user_func user_function, "
              "func function, stack stack_id, waker, waker_name, waker_func waker_function, waker_stack "
              "waker_stack_id, runnable_ns, " YES(open_start) ", " YES(open_end) " FROM wait"},
    {"gc", "SELECT kind, t0 start_ns, t1 end_ns, dur duration_ns, reason, g goroutine, p processor, "
           "swept_bytes, reclaimed_bytes, "
           "heap_t0_bytes heap_start_bytes, heap_t1_bytes heap_end_bytes, goal_bytes, func function, stack "
           "stack_id, " YES(open_start) ", " YES(open_end) " FROM range"},
    {"tasks", "SELECT task id, parent, name, t0 start_ns, t1 end_ns, dur duration_ns, g goroutine, g_end "
              "end_goroutine, func function, "
              "stack stack_id, " YES(open_start) ", " YES(open_end) " FROM task"},
    {"regions", "SELECT g goroutine, g_name goroutine_name, task, name, t0 start_ns, t1 end_ns, dur "
                "duration_ns, depth, func function, "
                "stack stack_id, " YES(open_start) ", " YES(open_end) " FROM region"},
    {"logs", "SELECT t time_ns, g goroutine, g_name goroutine_name, task, category, message, func function, "
             "stack stack_id FROM log"},
    {"samples", "SELECT t time_ns, g goroutine, name goroutine_name, p processor, m thread, func function, "
                "stack stack_id FROM sample"},
    {"stacks", "SELECT stack stack_id, depth, func function, file, line, pc FROM frame"},
};

struct table {
    struct bytes raw;
    char *at;
    struct row head, row;
};

static struct table asked(const char *sql, const char *where, const char *path)
{
    char query[4096];
    snprintf(query, sizeof query, "SELECT * FROM (%s) WHERE %s", sql, where);
    struct table t = {.raw = EXPORT(sql_main, "--csv", "--limit", "0", query, path)};
    t.at = t.raw.p;
    assert_true(csv_row(&t.at, &t.head));
    return t;
}

static struct table table_of(const char *name, const char *path, const char *where)
{
    size_t i = 0;
    while (strcmp(tables[i].name, name) != 0)
        i++;
    return asked(tables[i].sql, where, path);
}

static bool next(struct table *t)
{
    if (!csv_row(&t->at, &t->row))
        return false;
    assert_int_equal(t->row.n, t->head.n);
    for (uint32_t i = 0; i < t->row.n; i++) {
        const char *c = t->row.cell[i];
        assert_true(text_fine(c, strlen(c)));
        assert_false(*c && strchr("=+@", *c));
    }
    return true;
}

static const char *cell(const struct table *t, const char *name)
{
    return t->row.cell[column(&t->head, name)];
}

static int64_t num(const struct table *t, const char *name)
{
    char *end;
    const char *c = cell(t, name);
    int64_t v = strtoll(c, &end, 10);
    if (!*c || *end)
        fail_msg("%s is no number: '%s'", name, c);
    return v;
}

/* ---- against the model --------------------------------------------------------------------------------- */

static void same_id(const struct table *t, const char *name, const struct trace *tr, enum lane_kind k,
                    uint32_t i)
{
    char id[24] = "";
    if (i != NO_LANE)
        snprintf(id, sizeof id, "%" PRIu64, trace_lane(tr, (struct lane){k, i}).id);
    assert_string_equal(cell(t, name), id);
}

static void span_row(const struct table *t, const struct trace *tr, struct lane l, const struct span *s)
{
    static const char *const lanes[] = {[LANE_P] = "processor", [LANE_G] = "goroutine", [LANE_M] = "thread"};
    bool g = l.kind == LANE_G, runnable = s->state == ST_RUNNABLE, waiting = s->state == ST_WAITING;
    struct str func = trace_str(tr, trace_frame(tr, s->stack, 0).func);
    assert_string_equal(cell(t, "lane"), lanes[l.kind]);
    same_id(t, "id", tr, l.kind, l.i);
    assert_int_equal(num(t, "start_ns"), s->t0);
    assert_int_equal(num(t, "end_ns"), s->t1);
    assert_int_equal(num(t, "duration_ns"), s->t1 - s->t0);
    assert_string_equal(cell(t, "state"), state_name(s->state));
    same_id(t, "goroutine", tr, LANE_G, g ? l.i : s->who);
    same_id(t, "waker", tr, LANE_G, g && runnable ? s->who : NO_LANE);
    same_id(t, "processor", tr, LANE_P,
            l.kind == LANE_P      ? l.i
            : l.kind == LANE_M    ? s->proc
            : runnable || waiting ? NO_LANE
                                  : s->who);
    assert_int_equal(strlen(cell(t, "function")), func.len);
    assert_int_equal(s->stack ? num(t, "stack_id") : 0, s->stack);
    assert_string_equal(cell(t, "open_start"), s->open_start ? "true" : "false");
    assert_string_equal(cell(t, "open_end"), s->open_end ? "true" : "false");
}

/* spans: each lane's rows are its spans that overlap [from,to), in order. */
static void check_spans(const struct trace *tr, const char *path, int64_t from, int64_t to)
{
    static const enum lane_kind order[] = {LANE_P, LANE_G, LANE_M};
    char where[200];
    snprintf(where, sizeof where,
             "start_ns < %" PRId64 " AND end_ns >= %" PRId64 " AND (end_ns > %" PRId64
             " OR start_ns = end_ns)",
             to, from, from);
    struct table t = asked(SPANS_P " UNION ALL " SPANS_G " UNION ALL " SPANS_M, where, path);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, order[k]); i++) {
            struct lane l = {order[k], i};
            struct span_iter it;
            for (bool ok = span_seek_index(&it, tr, l, 0); ok; ok = span_next(&it)) {
                const struct span *s = span_get(&it);
                bool in = s->t0 < to && (s->t1 > from || (s->t1 == s->t0 && s->t0 >= from));
                if (s->state == ST_NONE || !in)
                    continue;
                assert_true(next(&t));
                span_row(&t, tr, l, s);
            }
        }
    assert_false(next(&t));
    free(t.raw.p);
}

static void check_goroutines(const struct trace *tr, const char *path)
{
    struct table t = table_of("goroutines", path, "1");
    uint32_t g = 0;
    for (; next(&t); g++) {
        struct lane_info i = trace_lane(tr, (struct lane){LANE_G, g});
        char id[24];
        snprintf(id, sizeof id, "%" PRIu64, i.id);
        assert_string_equal(cell(&t, "id"), id);
        assert_int_equal(num(&t, "running_ns") + num(&t, "runnable_ns") + num(&t, "waiting_ns") +
                             num(&t, "syscall_ns") + num(&t, "unrecorded_ns"),
                         num(&t, "duration_ns"));
        assert_int_equal(num(&t, "duration_ns"), i.last - i.first);
        struct span_iter it;
        uint64_t spans = 0; /* as many as `spans` has rows, one that begins at the trace's end, too */
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it))
            spans += span_get(&it)->state != ST_NONE;
        assert_int_equal(num(&t, "spans"), spans);
        assert_string_equal(cell(&t, "ended"), i.ended ? "true" : "false");
    }
    assert_int_equal(g, trace_nlanes(tr, LANE_G));
    free(t.raw.p);
}

static void check_waits(const struct trace *tr, const char *path)
{
    struct table t = table_of("waits", path, "1");
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct span_iter it;
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it)) {
            const struct span s = *span_get(&it);
            if (s.state != ST_WAITING)
                continue;
            assert_true(next(&t));
            assert_int_equal(num(&t, "goroutine"), trace_lane(tr, (struct lane){LANE_G, g}).id);
            assert_int_equal(num(&t, "start_ns"), s.t0);
            assert_int_equal(num(&t, "end_ns"), s.t1);
            assert_int_equal(s.stack ? num(&t, "stack_id") : 0, s.stack);
            struct span_iter after = it;
            if (span_next(&after) && span_get(&after)->state == ST_RUNNABLE) {
                const struct span *r = span_get(&after);
                assert_int_equal(num(&t, "runnable_ns"), r->t1 - r->t0);
                if (r->who != NO_LANE)
                    assert_int_equal(num(&t, "waker"), trace_lane(tr, (struct lane){LANE_G, r->who}).id);
            } else {
                assert_string_equal(cell(&t, "runnable_ns"), "");
            }
        }
    }
    assert_false(next(&t));
    free(t.raw.p);
}

static uint64_t rows(const char *name, const char *path)
{
    struct table t = table_of(name, path, "1");
    uint64_t n = 0;
    while (next(&t))
        n++;
    free(t.raw.p);
    return n;
}

static void each_sample(const char *path, const uint8_t *bytes, size_t n)
{
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes, n, NULL, &tr, &e), 0);
    check_spans(tr, path, 0, INT64_MAX);
    struct span_iter it;
    if (span_seek(&it, tr, (struct lane){LANE_P, 0}, trace_info(tr)->end / 3) && span_get(&it)->t1 > 0) {
        int64_t edge = span_get(&it)->t1; /* a span ends, another begins just there */
        check_spans(tr, path, edge, INT64_MAX);
        check_spans(tr, path, 0, edge);
    }
    check_goroutines(tr, path);
    check_waits(tr, path);
    const struct range *r;
    const struct task *t;
    const struct region *u;
    const struct logmsg *l;
    const struct sample *s;
    uint64_t ranges = 0, frames = 0;
    for (int k = 0; k < RANGE_KINDS; k++) {
        struct range stop;
        size_t all = trace_ranges(tr, k, &r);
        for (size_t i = 0; i < all; ranges++)
            i = k == RANGE_STW ? trace_stop(r, all, i, &stop) : i + 1;
    }
    for (uint32_t i = 1; i < trace_nstacks(tr); i++)
        frames += trace_stack(tr, i);
    assert_int_equal(rows("gc", path), ranges);
    assert_int_equal(rows("tasks", path), trace_tasks(tr, &t));
    assert_int_equal(rows("regions", path), trace_regions(tr, &u));
    assert_int_equal(rows("logs", path), trace_logs(tr, &l));
    assert_int_equal(rows("samples", path), trace_samples(tr, &s));
    assert_int_equal(rows("stacks", path), frames);
    trace_close(tr);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 30000, each_sample) > 20);
}

/* ---- a stretch of time, some goroutines ---------------------------------------------------------------- */

static void test_scope(void **state)
{
    (void)state;
    const char *path = "samples/http-1.26.trace";
    struct loaded l = load_path(path);
    int64_t end = trace_info(l.tr)->end, from = end / 4, to = end / 2;
    char where[200], sums[2000];
    snprintf(where, sizeof where, "start_ns < %" PRId64 " AND end_ns >= ns('25%%')", to);
    struct table t = table_of("spans", path, where);
    uint64_t want = 0, got = 0;
    for (int k = LANE_P; k <= LANE_G; k++)
        for (uint32_t i = 0; i < trace_nlanes(l.tr, k); i++) {
            struct span_iter it;
            for (bool ok = span_seek_index(&it, l.tr, (struct lane){k, i}, 0); ok; ok = span_next(&it)) {
                const struct span *s = span_get(&it);
                want += s->state != ST_NONE && s->t0 < to && s->t1 >= from;
            }
        }
    for (; next(&t); got++)
        assert_true(num(&t, "start_ns") < to && num(&t, "end_ns") >= from);
    assert_int_equal(got, want);
    free(t.raw.p);

    snprintf(sums, sizeof sums, "%s(%" PRId64 ", %" PRId64 ")", tables[1].sql, from, to);
    t = asked(sums, "1", path);
    for (uint32_t g = 0; next(&t); g++) {
        struct lane_info i = {0};
        struct shares s;
        uint32_t at = trace_find_lane(l.tr, LANE_G, (uint64_t)num(&t, "id"));
        i = trace_lane(l.tr, (struct lane){LANE_G, at});
        trace_shares(l.tr, (struct lane){LANE_G, at}, i.first > from ? i.first : from,
                     i.last < to ? i.last : to, &s);
        assert_int_equal(num(&t, "running_ns"), s.ns[ST_RUNNING]);
        assert_int_equal(num(&t, "waiting_ns"), s.ns[ST_WAITING]);
    }
    free(t.raw.p);

    got = want = 0;
    t = table_of("spans", path, "goroutine_name = 'net/http.(*conn).serve'");
    for (; next(&t); got++)
        assert_non_null(strstr(cell(&t, "goroutine_name"), "net/http.(*conn).serve"));
    assert_true(got > 100);
    free(t.raw.p);
    t = table_of("waits", path, "goroutine = 1");
    for (got = 0; next(&t); got++)
        assert_int_equal(num(&t, "goroutine"), 1);
    assert_true(got > 0);
    free(t.raw.p);
    unload(&l);
}

/* ---- a trace that was cut short ------------------------------------------------------------------------ */

static struct table asked_of_part(const char *sql, const char *path)
{
    assert_int_equal(RUN(sql_main, "--csv", "--limit", "0", sql, path), 3);
    struct table t = {.raw = slurp(out_path)};
    t.at = t.raw.p;
    assert_true(csv_row(&t.at, &t.head));
    return t;
}

/* Of a cut trace's goroutines: what nothing is recorded behind, or before, is open there, in both tables
 * alike. */
static unsigned open_at(const char *path)
{
    unsigned open = 0, waits = 0;
    int64_t id = -1;
    bool lost = false, was = false, wait = false;
    struct table t = asked_of_part(SPANS_G, path);
    while (next(&t)) {
        const bool unknown = !strcmp(cell(&t, "state"), "not recorded"), same = num(&t, "id") == id;
        if (same && unknown && !lost) {
            assert_true(was);
            open++;
            waits += wait;
        }
        if (same && lost && !unknown)
            assert_string_equal(cell(&t, "open_start"), "true");
        was = !strcmp(cell(&t, "open_end"), "true");
        wait = !strcmp(cell(&t, "state"), "waiting");
        lost = unknown;
        id = num(&t, "id");
    }
    free(t.raw.p);
    t = asked_of_part(tables[2].sql, path);
    unsigned ends = 0;
    while (next(&t))
        ends += !strcmp(cell(&t, "open_end"), "true");
    free(t.raw.p);
    assert_true(ends >= waits);
    return open;
}

/* Of a cut trace's threads: what their last rows say, by the rows alone, and where processors' rows have a
 * gap. */
static unsigned cut_at(const char *path, const uint8_t *bytes, size_t n, unsigned *opened)
{
    unsigned lost = 0;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes, n, NULL, &tr, &e), 0);
    const int64_t end = trace_info(tr)->end, torn = known_torn(tr);
    int64_t at = 0, id = -1;
    struct table t = asked_of_part(SPANS_M, path);
    for (bool first = true; next(&t); first = false) {
        const int64_t t0 = num(&t, "start_ns"), t1 = num(&t, "end_ns");
        const bool open = !strcmp(cell(&t, "open_end"), "true"), idle = !strcmp(cell(&t, "state"), "idle");
        assert_true(first || num(&t, "id") != id || t0 == at); /* no moment twice, and none left out */
        id = num(&t, "id");
        at = t1;
        assert_false(idle && open && t1 > t0 && t1 == end && t1 > torn);
        if (!strcmp(cell(&t, "state"), "not recorded")) {
            assert_true(open && t1 == end &&
                        t0 < end); /* what it did since its last event may be among what was lost */
            lost++;
        }
    }
    free(t.raw.p);
    trace_close(tr);
    *opened += open_at(path);
    return lost;
}

static void test_cut(void **state)
{
    (void)state;
    static const char *const samples[] = {"samples/http-1.27.trace", "samples/lock-1.23.trace",
                                          "samples/syscall-1.22.trace"};
    char path[] = "/tmp/gotop-trace-XXXXXX";
    close(mkstemp(path));
    unsigned lost = 0, opened = 0;
    for (int k = 0; k < 3; k++) {
        size_t n;
        uint8_t *bytes = read_file(samples[k], &n);
        for (size_t i = 3; i < 10; i++)
            lost += cut_at(path, bytes, n * i / 10, &opened);
        free(bytes);
    }
    assert_true(lost > 5 && opened > 20);
    unlink(path);
}

/* ---- the collector ------------------------------------------------------------------------------------- */

/* Two processors tell of one stop: it is one row. */
static const char helped[] = "go 1.5\n"
                             "batch p=0 seq=1 t=100\n"
                             "ProcStart +0 dseq=0 thread=1\n"
                             "STWStart +10 dseq=2\n"
                             "STWDone +100 dseq=2\n"
                             "batch p=1 seq=2 t=104\n"
                             "ProcStart +0 dseq=0 thread=2\n"
                             "STWStart +10 dseq=2\n"
                             "STWDone +110 dseq=2\n"
                             "tables\n"
                             "Frequency 50000000\n";

static void test_stop(void **state)
{
    (void)state;
    char path[] = "/tmp/gotop-trace-XXXXXX";
    close(mkstemp(path));
    struct loaded l = text_file(helped, path);
    struct table t = table_of("gc", path, "1");
    assert_true(next(&t));
    assert_string_equal(cell(&t, "kind"), "stop-the-world");
    assert_int_equal(num(&t, "start_ns"), 200);
    assert_int_equal(num(&t, "end_ns"), 2480);
    assert_false(next(&t));
    free(t.raw.p);
    unload(&l);
    unlink(path);
}

/* ---- names that mean harm ------------------------------------------------------------------------------ */

static const char hostile[] =
    "go 1.26\n"
    "batch m=7 t=100\n"
    "ProcStatus +1 p=0 running\n"
    "GoStatus +1 g=1 m=7 running\n"
    "UserTaskBegin +1 task=1 parent=0 name=\"=1+cmd|' /C calc'!A0\" stack=0\n"
    "UserTaskBegin +1 task=2 parent=1 name=\"a,\\\"b\\\"\\r\\nc\" stack=0\n"
    "UserTaskBegin +1 task=3 parent=0 name=\"\\x1b[31mred\\xff\\xc2\\x85\\xe2\\x80\\xae\" stack=0\n"
    "UserTaskBegin +1 task=4 parent=0 name=\"-2\" stack=0\n"
    "UserTaskBegin +1 task=5 parent=0 name=\" blank \" stack=0\n"
    "UserTaskBegin +1 task=6 parent=0 name=\"\\xe6\\xb8\\xac\\xc3\\xb6\" stack=0\n"
    "UserTaskBegin +1 task=7 parent=0 name=\"\\t=x\" stack=0\n"
    "UserTaskBegin +1 task=8 parent=0 name=\"\" stack=0\n"
    "UserTaskBegin +1 task=9 parent=0 name=\"C:\\\\dir\" stack=0\n"
    "UserTaskBegin +1 task=10 parent=0 name=\"\\xed\\xa0\\x80\\xc0\\xafx\" stack=0\n"
    "UserLog +1 task=1 key=\"@k\" value=\"+v\" stack=0\n";

static void test_hostile(void **state)
{
    (void)state;
    static const char *const want[] = {"'=1+cmd|' /C calc'!A0",
                                       "a,\"b\"\\x0d\\x0ac",
                                       "\\x1b[31mred\\xff\\u{85}\\u{202e}",
                                       "'-2",
                                       " blank ",
                                       "\xe6\xb8\xac\xc3\xb6",
                                       "\\x09=x",
                                       "",
                                       "C:\\dir",
                                       "\\xed\\xa0\\x80\\xc0\\xafx"};
    char path[] = "/tmp/gotop-trace-XXXXXX";
    close(mkstemp(path));
    struct loaded l = text_file(hostile, path);
    struct table t = table_of("tasks", path, "1");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(next(&t));
        assert_int_equal(num(&t, "id"), i + 1);
        assert_string_equal(cell(&t, "name"), want[i]);
        assert_string_equal(cell(&t, "parent"), i == 1 ? "1" : "");
        assert_string_equal(cell(&t, "open_end"), "true");
    }
    assert_false(next(&t));
    free(t.raw.p);
    t = table_of("logs", path, "1");
    assert_true(next(&t));
    assert_string_equal(cell(&t, "category"), "'@k");
    assert_string_equal(cell(&t, "message"), "'+v");
    free(t.raw.p);
    struct bytes b = EXPORT(sql_main, "--csv", tables[4].sql, path); /* quoted only where needed */
    assert_non_null(strstr(b.p, ",\"a,\"\"b\"\"\\x0d\\x0ac\",3,"));
    assert_non_null(strstr(b.p, ",\" blank \","));
    assert_non_null(strstr(b.p, ",'-2,"));
    free(b.p);
    unlink(path);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_scope),
                                       cmocka_unit_test(test_stop), cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_hostile)};
    return cmocka_run_group_tests(tests, make_out, remove_out);
}
