/*
 * test_dump.c - dump's output: its form, names that are hostile, one thread and two alike, and that of every
 * sample.
 *
 * tests/golden/dumps.tsv has, of each sample's dump, the number of lines and a sum over its bytes.
 * GOTOP_GOLDEN=accept writes it anew: hold the dumps against Go's reader first (tests/scripts/compare.sh),
 * then read the diff.
 */
#include "tests/unit/decode_help.h"

#define GOLDEN "tests/golden/dumps.tsv"

static FILE *accepting;
static struct tracegen_buf golden;
static int differ;

static uint64_t sum_of(const char *p, size_t n) /* FNV-1a */
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)p[i]) * 0x100000001b3u;
    return h;
}

static char *dump_bytes(const uint8_t *p, size_t n, int threads, size_t *len)
{
    struct trace_opts o = {.threads = threads};
    struct trace *tr;
    struct err e;
    char *text;
    *len = 0;
    if (load_bytes_opts(p, n, &o, &tr, &e))
        return NULL;
    text = dump_text(tr, len);
    trace_close(tr);
    return text;
}

static void one_golden(const char *path, const uint8_t *p, size_t n)
{
    size_t len, lines = 0;
    char *text = dump_bytes(p, n, 1, &len), line[300];
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    snprintf(line, sizeof line, "%s\t%zu\t%016" PRIx64 "\n", path, lines, sum_of(text, len));
    if (accepting)
        fputs(line, accepting);
    else if (!strstr((char *)golden.p, line)) {
        print_message("not as in " GOLDEN ": %s", line);
        differ++;
    }
    free(text);
}

static void test_golden(void **state)
{
    (void)state;
    const char *accept = getenv("GOTOP_GOLDEN");
    if (accept && !strcmp(accept, "accept"))
        accepting = fopen(GOLDEN, "w");
    size_t n = 0;
    uint8_t *p = accepting ? NULL : read_file(GOLDEN, &n);
    tracegen_put(&golden, p ? (char *)p : "", n);
    free(p);
    assert_true(each_trace("samples", 1 << 24, one_golden) > 20);
    if (accepting)
        fclose(accepting);
    accepting = NULL;
    tracegen_free(&golden);
    assert_int_equal(differ, 0);
}

static void one_threads(const char *path, const uint8_t *p, size_t n)
{
    size_t a, b;
    char *one = dump_bytes(p, n, 1, &a), *two = dump_bytes(p, n, 2, &b);
    if (a != b || (a && memcmp(one, two, a)))
        fail_msg("%s: one thread and two differ", path);
    free(one);
    free(two);
}

static void test_threads(void **state)
{
    (void)state;
    each_trace("samples", 1 << 24, one_threads);
    if (!each_trace("../shared/traces", 200000, one_threads))
        print_message("note: ../shared/traces is not here\n");
}

/* A reader's thread that is stopped half-way. */
static void test_close_early(void **state)
{
    (void)state;
    size_t n, live = mem_live();
    uint8_t *p = read_file("samples/http-long-1.27.trace", &n);
    for (int i = 0; i < 20; i++) {
        struct trace_opts o = {.threads = 2};
        struct trace *tr;
        struct err e;
        assert_int_equal(trace_open_mem(p, n, &o, &tr, &e), ERR_OK);
        for (int k = 0; k < i / 4; k++)
            trace_load(tr, 0);
        trace_close(tr);
    }
    assert_int_equal(mem_live(), live);
    trace_close(NULL);
    free(p);
}

static void expect_line(const char *dump, const char *line)
{
    const char *p = strstr(dump, line);
    if (!p || (p != dump && p[-1] != '\n'))
        fail_msg("no line '%s' in\n%s", line, dump);
}

static void test_form(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=3 running\nGoStatus +1 g=1 m=7 running\n"
        "UserTaskBegin +1 task=9 parent=0 name=\"a\\tb\\nc\\\\d\" stack=0\nUserTaskBegin +1 task=10 "
        "parent=9 name=\"\" stack=0\n"
        "UserRegionBegin +1 task=9 name=\"r\" stack=0\nUserLog +1 task=9 key=\"k\" "
        "value=\"\\x1b[2J\\x7f\\xff\" stack=0\n"
        "HeapAlloc +1 77\nGoBlock +5 reason=\"chan receive\" stack=main.f@/a/b.go:7,main.main:1\n");
    size_t n;
    char *d = dump_text(l.tr, &n);
    expect_line(d, "C\tStateTransition\t3\n");
    expect_line(d, "G\t1\t1\t11\trunning\t-\n");
    expect_line(d, "G\t1\t11\t11\twaiting\tchan receive\n");
    expect_line(d, "F\t11\t1\tmain.f\t/a/b.go:7\t2\n");
    expect_line(d, "H\tversion\t1.26\n");
    expect_line(d, "H\tend\t11\n");
    expect_line(d, "H\tsyncs\t2\n");
    expect_line(d, "K\t0\n");
    expect_line(d, "L\t1\t9\t5\tk\t\\x1b[2J\\x7f");
    expect_line(d, "M\t6\t/memory/classes/heap/objects:bytes\t77\n");
    expect_line(d, "P\t3\t1\t11\t1\n");
    expect_line(d, "T\t9\t-\t2\t11\ta\\tb\\nc\\\\d\n");
    expect_line(d, "T\t10\t9\t3\t11\t-\n");
    expect_line(d, "U\t1\t9\t4\t11\tr\n");
    expect_line(d, "Z\trunning\t10\t1\n");
    for (size_t i = 0; i < n; i++)
        assert_true((uint8_t)d[i] >= 0x20 || d[i] == '\n' || d[i] == '\t');
    free(d);
    unload(&l);
    l = load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=3 running\nHeapAlloc +1 4\nraw 7f\n");
    d = dump_text(l.tr, &n);
    const char *last = strstr(d, "\nD\t");
    assert_non_null(last);
    assert_non_null(strstr(last, "unknown event type 127"));
    free(d);
    unload(&l);
}

/* A header of the future is read as the newest one known, and says so; one that never was is refused. */
static void test_newer(void **state)
{
    (void)state;
    size_t n;
    char as[60], newest[40];
    uint8_t *p = tracegen_bytes(
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n", &n);
    for (int v = 26; v <= 99; v += v == 26 ? 70 : 1) {
        struct trace_opts o = {.threads = 1};
        struct trace *tr;
        struct err e;
        p[6] = (uint8_t)('0' + v % 10);
        p[5] = (uint8_t)('0' + v / 10);
        assert_int_equal(load_bytes_opts(p, n, &o, &tr, &e), ERR_OK);
        assert_int_equal(trace_info(tr)->version, 1000 + v);
        assert_int_equal(trace_info(tr)->nwarnings, v > 26);
        if (v == 26) {
            assert_string_equal(trace_info(tr)->dialect, "go 1.26 or 1.27"); /* both write this header */
        } else {
            assert_int_equal(trace_warning(tr, 0)->code, ERR_VERSION);
            snprintf(as, sizeof as, "read as %s", trace_info(tr)->dialect);
            assert_non_null(strstr(trace_warning(tr, 0)->what, as));
            assert_true(v == 96 || !strcmp(newest, trace_info(tr)->dialect));
            snprintf(newest, sizeof newest, "%s", trace_info(tr)->dialect);
        }
        assert_int_equal(trace_info(tr)->ndamages, 0);
        assert_int_equal(trace_info(tr)->events, 2);
        trace_close(tr);
    }
    free(p);
}

/* What can't be sorted for want of memory is missing, and it is said. */
static void test_no_memory(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=3 running\nGoStatus +1 g=1 m=7 running\n"
        "UserTaskBegin +1 task=9 parent=0 name=\"t\" stack=0\nUserRegionBegin +1 task=9 name=\"r\" stack=0\n"
        "UserLog +1 task=9 key=\"k\" value=\"v\" stack=0\nSTWBegin +1 kind=\"kind\" stack=0\nGCSweepBegin +1 "
        "stack=0\n"
        "GCMarkAssistBegin +1 stack=0\nGCBegin +1 gc_seq=1 stack=0\n");
    size_t n, live = mem_live();
    char *whole = dump_text(l.tr, &n);
    enum err_code rc = ERR_NOMEM;
    int failed = 0;
    for (long k = 0; rc != ERR_OK; k++) {
        struct {
            char *p;
        } text = {0};
        size_t len = 0;
        FILE *f = open_memstream(&text.p, &len);
        mem_fail_after(k);
        rc = dump_trace(l.tr, f);
        mem_fail_after(-1);
        fclose(f);
        assert_true(rc == ERR_OK || rc == ERR_NOMEM);
        assert_int_equal(rc == ERR_OK, len == n && !memcmp(text.p, whole, n));
        failed += rc != ERR_OK;
        free(text.p);
        assert_int_equal(mem_live(), live);
    }
    assert_true(failed >= 9); /* goroutines, processors, sums, tasks, regions, logs, each kind of range */
    free(whole);
    unload(&l);
}

/* What is of one goroutine, or has one id, stands by time; at one time as it was told. */
static void test_order(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=3 running\nGoStatus +1 g=1 m=7 running\n"
        "UserTaskBegin +1 task=9 parent=0 name=\"a\\rb\" stack=0\nUserTaskEnd +1 task=9 stack=0\n"
        "UserTaskBegin +1 task=8 parent=0 name=\"c\" stack=0\nUserTaskBegin +1 task=9 parent=0 name=\"d\" "
        "stack=0\nUserTaskEnd +1 task=77 stack=0\nUserTaskEnd +1 task=78 stack=0\n");
    size_t n;
    char *d = dump_text(l.tr, &n);
    const char *t = strstr(d, "\nT\t");
    assert_non_null(t);
    static const char want[] = "\nT\t8\t-\t4\t7\tc\nT\t9\t-\t2\t3\ta\\rb\nT\t9\t-\t5\t7\td\n"
                               "T\t77\t-\t0\t6\t-\nT\t78\t-\t0\t7\t-\n";
    if (strncmp(t, want, sizeof want - 1) != 0)
        fail_msg("tasks are\n%s", t);
    free(d);
    unload(&l);
}

static void test_strict(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p =
        tracegen_bytes("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nHeapAlloc +1 4\nraw 7f\n", &n);
    struct trace_opts o = {.threads = 1, .strict = true};
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(p, n, &o, &tr, &e), ERR_OK);
    assert_non_null(trace_fatal(tr));
    trace_close(tr);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_threads), cmocka_unit_test(test_close_early),
        cmocka_unit_test(test_form),      cmocka_unit_test(test_newer),   cmocka_unit_test(test_strict),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
