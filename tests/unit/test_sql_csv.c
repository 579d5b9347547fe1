/* test_sql_csv.c - the tables of SQL as CSV: read by a strict reader, held against the model; names that mean
 * harm. */
#include "tests/unit/export_help.h"

#include "triage/sql/sql.h"
#include "triage/triage.h"

struct table {
    struct bytes raw;
    char *at;
    struct row head, row;
};

static struct table table_of(const char *name, const char *path, const char *where)
{
    char query[400];
    snprintf(query, sizeof query, "SELECT * FROM %s WHERE %s", name, where);
    struct table t = {.raw = EXPORT(sql_main, "--csv", "--limit", "0", query, path)};
    t.at = t.raw.p;
    assert_true(csv_row(&t.at, &t.head));
    return t;
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

static const struct {
    const char *table, *id;
} spans_of[] = {[LANE_P] = {"proc_span", "p"}, [LANE_G] = {"span", "g"}, [LANE_M] = {"thread_span", "m"}};

static void span_row(const struct table *t, const struct trace *tr, struct lane l, const struct span *s)
{
    assert_int_equal(num(t, "t0"), s->t0);
    assert_int_equal(num(t, "t1"), s->t1);
    assert_int_equal(num(t, "dur"), s->t1 - s->t0);
    assert_string_equal(cell(t, "state"), state_name(s->state));
    assert_int_equal(num(t, "open_start"), s->open_start);
    assert_int_equal(num(t, "open_end"), s->open_end);
    same_id(t, spans_of[l.kind].id, tr, l.kind, l.i);
    if (l.kind == LANE_M)
        same_id(t, "p", tr, LANE_P, s->proc);
    if (l.kind != LANE_G) {
        same_id(t, "g", tr, LANE_G, s->who);
        return;
    }
    const bool runnable = s->state == ST_RUNNABLE;
    same_id(t, "waker", tr, LANE_G, runnable ? s->who : NO_LANE);
    same_id(t, "p", tr, LANE_P, runnable || s->state == ST_WAITING ? NO_LANE : s->who);
    assert_int_equal(strlen(cell(t, "func")), trace_str(tr, trace_frame(tr, s->stack, 0).func).len);
    assert_int_equal(s->stack ? num(t, "stack") : 0, s->stack);
}

/* spans: each lane's rows are its spans that overlap [from,to), in order. */
static void check_spans(const struct trace *tr, const char *path, int64_t from, int64_t to)
{
    char where[200];
    snprintf(where, sizeof where, "t0 < %" PRId64 " AND t1 >= %" PRId64 " AND (t1 > %" PRId64 " OR t0 = t1)",
             to, from, from);
    for (int k = LANE_P; k <= LANE_M; k++) {
        struct table t = table_of(spans_of[k].table, path, where);
        for (uint32_t i = 0; i < trace_nlanes(tr, k); i++) {
            struct lane l = {k, i};
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
}

static void check_goroutines(const struct trace *tr, const char *path)
{
    struct table t = table_of("goroutine", path, "1");
    uint32_t g = 0;
    for (; next(&t); g++) {
        struct lane_info i = trace_lane(tr, (struct lane){LANE_G, g});
        char id[24];
        snprintf(id, sizeof id, "%" PRIu64, i.id);
        assert_string_equal(cell(&t, "g"), id);
        assert_int_equal(num(&t, "running_ns") + num(&t, "runnable_ns") + num(&t, "waiting_ns") +
                             num(&t, "syscall_ns") + num(&t, "unrecorded_ns"),
                         num(&t, "dur"));
        assert_int_equal(num(&t, "dur"), i.last - i.first);
        struct span_iter it;
        uint64_t spans = 0; /* as many as `spans` has rows, one that begins at the trace's end, too */
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it))
            spans += span_get(&it)->state != ST_NONE;
        assert_int_equal(num(&t, "spans"), spans);
        assert_int_equal(num(&t, "ended"), i.ended);
    }
    assert_int_equal(g, trace_nlanes(tr, LANE_G));
    free(t.raw.p);
}

static void check_waits(const struct trace *tr, const char *path)
{
    struct table t = table_of("wait", path, "1");
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct span_iter it;
        for (bool ok = span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0); ok; ok = span_next(&it)) {
            const struct span s = *span_get(&it);
            if (s.state != ST_WAITING)
                continue;
            assert_true(next(&t));
            assert_int_equal(num(&t, "g"), trace_lane(tr, (struct lane){LANE_G, g}).id);
            assert_int_equal(num(&t, "t0"), s.t0);
            assert_int_equal(num(&t, "t1"), s.t1);
            assert_int_equal(s.stack ? num(&t, "stack") : 0, s.stack);
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
    assert_int_equal(rows("range", path), ranges);
    assert_int_equal(rows("task", path), trace_tasks(tr, &t));
    assert_int_equal(rows("region", path), trace_regions(tr, &u));
    assert_int_equal(rows("log", path), trace_logs(tr, &l));
    assert_int_equal(rows("sample", path), trace_samples(tr, &s));
    assert_int_equal(rows("frame", path), frames);
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
    char where[200], sums[100];
    snprintf(where, sizeof where, "t0 < %" PRId64 " AND t1 >= ns('25%%')", to);
    for (int k = LANE_P; k <= LANE_G; k++) {
        struct table t = table_of(spans_of[k].table, path, where);
        uint64_t want = 0, got = 0;
        for (uint32_t i = 0; i < trace_nlanes(l.tr, k); i++) {
            struct span_iter it;
            for (bool ok = span_seek_index(&it, l.tr, (struct lane){k, i}, 0); ok; ok = span_next(&it)) {
                const struct span *s = span_get(&it);
                want += s->state != ST_NONE && s->t0 < to && s->t1 >= from;
            }
        }
        for (; next(&t); got++)
            assert_true(num(&t, "t0") < to && num(&t, "t1") >= from);
        assert_int_equal(got, want);
        free(t.raw.p);
    }

    snprintf(sums, sizeof sums, "goroutine(%" PRId64 ", %" PRId64 ")", from, to);
    struct table t = table_of(sums, path, "1");
    for (uint32_t g = 0; next(&t); g++) {
        struct lane_info i = {0};
        struct shares s;
        uint32_t at = trace_find_lane(l.tr, LANE_G, (uint64_t)num(&t, "g"));
        i = trace_lane(l.tr, (struct lane){LANE_G, at});
        trace_shares(l.tr, (struct lane){LANE_G, at}, i.first > from ? i.first : from,
                     i.last < to ? i.last : to, &s);
        assert_int_equal(num(&t, "running_ns"), s.ns[ST_RUNNING]);
        assert_int_equal(num(&t, "waiting_ns"), s.ns[ST_WAITING]);
    }
    free(t.raw.p);

    uint64_t got = 0;
    t = table_of("span", path, "name = 'net/http.(*conn).serve'");
    for (; next(&t); got++)
        assert_string_equal(cell(&t, "name"), "net/http.(*conn).serve");
    assert_true(got > 100);
    free(t.raw.p);
    t = table_of("wait", path, "g = 1");
    for (got = 0; next(&t); got++)
        assert_int_equal(num(&t, "g"), 1);
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
    struct table t = asked_of_part("SELECT * FROM span", path);
    while (next(&t)) {
        const bool unknown = !strcmp(cell(&t, "state"), "not recorded"), same = num(&t, "g") == id;
        if (same && unknown && !lost) {
            assert_true(was);
            open++;
            waits += wait;
        }
        if (same && lost && !unknown)
            assert_int_equal(num(&t, "open_start"), 1);
        was = num(&t, "open_end") == 1;
        wait = !strcmp(cell(&t, "state"), "waiting");
        lost = unknown;
        id = num(&t, "g");
    }
    free(t.raw.p);
    t = asked_of_part("SELECT * FROM wait", path);
    unsigned ends = 0;
    while (next(&t))
        ends += num(&t, "open_end") == 1;
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
    struct table t = asked_of_part("SELECT * FROM thread_span", path);
    for (bool first = true; next(&t); first = false) {
        const int64_t t0 = num(&t, "t0"), t1 = num(&t, "t1");
        const bool open = num(&t, "open_end") == 1, idle = !strcmp(cell(&t, "state"), "idle");
        assert_true(first || num(&t, "m") != id || t0 == at); /* no moment twice, and none left out */
        id = num(&t, "m");
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
    struct table t = table_of("range", path, "1");
    assert_true(next(&t));
    assert_string_equal(cell(&t, "kind"), "stop-the-world");
    assert_int_equal(num(&t, "t0"), 200);
    assert_int_equal(num(&t, "t1"), 2480);
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
    struct table t = table_of("task", path, "1");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(next(&t));
        assert_int_equal(num(&t, "task"), i + 1);
        assert_string_equal(cell(&t, "name"), want[i]);
        assert_string_equal(cell(&t, "parent"), i == 1 ? "1" : "");
        assert_int_equal(num(&t, "open_end"), 1);
    }
    assert_false(next(&t));
    free(t.raw.p);
    t = table_of("log", path, "1");
    assert_true(next(&t));
    assert_string_equal(cell(&t, "category"), "'@k");
    assert_string_equal(cell(&t, "message"), "'+v");
    free(t.raw.p);
    struct bytes b = EXPORT(sql_main, "--csv", "SELECT * FROM task", path); /* quoted only where needed */
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
