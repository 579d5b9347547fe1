/*
 * test_export_out.c - what commands with -o share: typed times, the file that appears only when whole, a full
 * device, a reader that goes away, no memory.
 */
#include "tests/unit/export_help.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "decode/input/mapped.h"
#include "triage/exports/export_out.h"
#include "triage/exports/rewrite.h"
#include "triage/query/goto.h"

/* ---- times --------------------------------------------------------------------------------------------- */

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int64_t ns; /* -1: refused */
    } t[] = {{"0", 0},
             {"17", 17},
             {"17ns", 17},
             {"3us", 3000},
             {"3\xC2\xB5s", 3000},
             {"1.5ms", 1500000},
             {"2s", 2000000000},
             {"1.2034s", 1203400000},
             {"1.5", 1500000000},
             {"1m2.5s", 62500000000},
             {"1h", 3600000000000},
             {"50%", 50000000000},
             {"0.1%", 100000000},
             {"100%", 100000000000},
             {"0.123456789s", 123456789},
             {"", -1},
             {"s", -1},
             {"-1", -1},
             {"1x", -1},
             {"1s2", -1},
             {"1 s", -1},
             {"x%", -1},
             {"%", -1},
             {"1.s", -1},
             {"inf%", -1},
             {"1ms1", -1},
             {"99999999999999999999h", INT64_MAX},
             {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        int64_t ns = -2;
        const char *why;
        bool ok = goto_when(NULL, t[i].s, &ns, &why);
        if (ok != (t[i].ns >= 0) || (ok && ns != t[i].ns))
            fail_msg("'%s': %d %" PRId64, t[i].s, ok, ns);
    }
}

static void test_times_of_day(void **state)
{
    (void)state;
    const char *const files[2] = {"samples/lock-1.26.trace", "samples/lock-1.23.trace"};
    struct trace *tr[2];
    const char *why = NULL;
    int64_t ns;
    struct err e;
    setenv("TZ", "UTC", 1);
    tzset();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(trace_open(files[i], NULL, &tr[i], &e), ERR_OK);
        while (trace_load(tr[i], INT64_MAX) == LOAD_MORE) {
        }
    }
    assert_true(goto_when(NULL, "08:28:36.9", &ns, &why));
    assert_false(goto_when(NULL, "08:28:36.9x", &ns, &why));
    assert_false(goto_when(NULL, "25:00", &ns, &why));
    assert_true(goto_when(tr[0], "08:28:36.9", &ns, &why)); /* it began at 08:28:36.862996.. */
    assert_true(ns > 37003000 && ns < 37005000);
    assert_false(goto_when(tr[0], "101%", &ns, &why));
    assert_true(goto_when(tr[0], "50%", &ns, &why) && ns == trace_info(tr[0])->end / 2);
    assert_false(goto_when(tr[1], "08:28:36.9", &ns, &why));
    assert_non_null(strstr(why, "Go 1.25"));
    assert_int_equal(RUN(pprof_main, "--kind=sync", "-o", "/dev/null", "--from", "08:28:36.9", files[0]), 0);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "-o", "/dev/null", "--to", "08:28:36", files[0]), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "-o", "/dev/null", "--from", "08:28:36.9", files[1]), 2);
    trace_close(tr[0]);
    trace_close(tr[1]);
}

static void test_command_line(void **state)
{
    (void)state;
    const char *ok = "samples/workers-1.11.trace", *cut = "/tmp/gotop-no-such-file";
    assert_int_equal(RUN(pprof_main, ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind", "nonsense", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind"), 2);
    assert_int_equal(RUN(pprof_main, "--kind", "net"), 2);
    assert_int_equal(RUN(pprof_main, "--kind", "net", ok, ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind", "net", "--lanes", "p", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "--from", "1x", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "--from", "2ms", "--to", "1ms", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "--from", "1h", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "--threads=0", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", "--max-memory", "1", cut), 2);
    assert_int_equal(RUN(pprof_main, "--kind=sync", cut), 2);
    assert_int_equal(RUN(pprof_main, "--kind", "net", "--hz", "0", ok), 2);
    assert_int_equal(RUN(pprof_main, "--kind=net", "--max-memory=1G", "--threads", "2", "--", ok), 0);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool file_is(const char *path, const char *text)
{
    size_t n;
    uint8_t *p = read_file(path, &n);
    bool same = p && n == strlen(text) && !memcmp(p, text, n);
    free(p);
    return same;
}

/* Names in /tmp that begin like our file's. */
static int strays(void)
{
    int n = 0;
    DIR *d = opendir("/tmp");
    for (struct dirent *e; d && (e = readdir(d));)
        n += !strncmp(e->d_name, out_path + 5, strlen(out_path + 5));
    closedir(d);
    return n;
}

static void test_whole_or_not(void **state)
{
    (void)state;
    struct out o;
    struct err e = {0};
    put_file(out_path, "before");
    assert_int_equal(out_open(&o, out_path, false, &e), ERR_OK);
    out_write(&o, "after 1", 7);
    assert_true(file_is(out_path, "before"));
    assert_int_equal(out_close(&o, ERR_FORMAT, &e), ERR_FORMAT);
    assert_true(file_is(out_path, "before"));
    assert_int_equal(strays(), 1);

    assert_int_equal(out_open(&o, out_path, false, &e), ERR_OK);
    out_write(&o, "after 2", 7);
    assert_int_equal(out_close(&o, ERR_OK, &e), ERR_OK);
    assert_true(file_is(out_path, "after 2"));
    assert_int_equal(strays(), 1);
    struct stat st;
    assert_int_equal(stat(out_path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600); /* as mkstemp() made it */

    assert_int_equal(RUN(pprof_main, "--kind=sync", "samples/MANIFEST.tsv"),
                     2); /* no trace: nothing is written */
    assert_true(file_is(out_path, "after 2"));
    assert_int_equal(out_open(&o, "/tmp/gotop-no-such-folder/x", true, &e), ERR_IO);
    assert_non_null(strstr(e.what, "/tmp/gotop-no-such-folder/x"));
}

static void test_full(void **state)
{
    (void)state;
    char *pprof[] = {(char *)"pprof", (char *)"--kind=sync", (char *)"-o", (char *)"/dev/full",
                     (char *)"samples/http-1.26.trace"};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(pprof_main(5, pprof), 2);
}

static void test_reader_gone(void **state)
{
    (void)state;
    char *argv[] = {(char *)"pprof", (char *)"--kind=sync", (char *)"samples/http-1.26.trace", NULL};
    int p[2], saved = dup(STDOUT_FILENO), pprof;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(p), 0);
    fflush(stdout);
    close(p[0]);
    dup2(p[1], STDOUT_FILENO);
    pprof = pprof_main(3, argv);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(p[1]);
    assert_int_equal(pprof, 0);
}

/* The trace is mapped and becomes shorter: a write of what is gone fails, which isn't the fault of where it
   is written to; what was gone when it was read isn't in the copy, which isn't told by its bytes. (It lasts,
   so this test is the last one.) */
static void test_shorter(void **state)
{
    (void)state;
    enum { SIZE = 1 << 16 };
    struct out o;
    struct err e = {0};
    void *gone = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(gone != MAP_FAILED);
    assert_int_equal(out_open(&o, out_path, false, &e), ERR_OK);
    out_write(&o, gone, SIZE);
    assert_int_equal(out_close(&o, ERR_OK, &e), ERR_IO);
    assert_non_null(strstr(e.what, "the trace became shorter"));
    munmap(gone, SIZE);
    assert_int_equal(RUN(slice_main, "--from=10%", "samples/http-1.26.trace"), 0);
    assert_int_equal(RUN(anonymize_main, "samples/http-1.21.trace"), 0);
    int fd = open("samples/http-1.26.trace", O_RDONLY);
    void *p = mapped_new(fd, SIZE);
    assert_non_null(p);
    assert_true(mapped_mend(p));
    mapped_free(p, SIZE);
    close(fd);
    assert_int_equal(RUN(slice_main, "--from=10%", "samples/http-1.26.trace"), 3);
    assert_int_equal(RUN(anonymize_main, "samples/http-1.21.trace"), 3);
}

/* Whatever allocation fails: status 2, or all is there; nothing leaks (the sanitizer looks), nothing half is
 * left. */
static void test_no_memory(void **state)
{
    (void)state;
    static const char *const words[] = {"--kind",    "sched", "samples/workers-1.11.trace",
                                        "--threads", "1",     NULL};
    int quiet = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO);
    int status = 2, failed = 0;
    fflush(stderr);
    dup2(quiet, STDERR_FILENO);
    for (long n = 0; status != 0 && n < 100000; n += n < 400 ? 1 : n / 40) {
        put_file(out_path, "before");
        mem_fail_after(n);
        status = run(pprof_main, words);
        mem_fail_after(-1);
        failed += status == 2 && file_is(out_path, "before");
        if (status == 2 && !file_is(out_path, "before"))
            break;
    }
    dup2(saved, STDERR_FILENO);
    assert_int_equal(status, 0);
    assert_true(failed > 5);
    assert_int_equal(strays(), 1);
    close(quiet);
    close(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),        cmocka_unit_test(test_times_of_day),
        cmocka_unit_test(test_command_line), cmocka_unit_test(test_whole_or_not),
        cmocka_unit_test(test_full),         cmocka_unit_test(test_reader_gone),
        cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_shorter)};
    return cmocka_run_group_tests(tests, make_out, remove_out);
}
