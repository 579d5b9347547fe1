/*
 * test_export_out.c - folded stacks; and what all exports share: typed times, the file that appears only when
 * whole, a full device, a reader that goes away, no memory.
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

/* ---- folded -------------------------------------------------------------------------------------------- */

struct folded {
    char stack[4096];
    int64_t n;
};

static bool folded_next(char **at, struct folded *f)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!*line)
        return false;
    assert_non_null(end);
    *end = 0;
    char *blank = strrchr(line, ' '), *rest;
    assert_true(blank && blank > line && (size_t)(blank - line) < sizeof f->stack);
    assert_true(text_fine(line, strlen(line)));
    *blank = 0;
    strcpy(f->stack, line);
    f->n = strtoll(blank + 1, &rest, 10);
    assert_true(*rest == 0 && f->n > 0);
    *at = end + 1;
    return true;
}

static int64_t folded_sum(const char *kind, const char *path, const char *prefix)
{
    struct bytes b = EXPORT(folded_main, "--kind", kind, path);
    struct folded f;
    int64_t sum = 0;
    for (char *at = b.p; folded_next(&at, &f);)
        sum += strncmp(f.stack, prefix, strlen(prefix)) == 0 ? f.n : 0;
    free(b.p);
    return sum;
}

/* Running and all reasons together are the lives of all goroutines; each state's sum is the model's. */
static void each_folded(const char *path, const uint8_t *bytes, size_t n)
{
    struct trace *tr;
    struct err e;
    const struct sample *s;
    assert_int_equal(load_bytes_opts(bytes, n, NULL, &tr, &e), 0);
    struct shares all = {0};
    int64_t life = 0;
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct lane_info i = trace_lane(tr, (struct lane){LANE_G, g});
        struct shares one;
        trace_shares(tr, (struct lane){LANE_G, g}, i.first, i.last, &one);
        for (int st = 0; st < ST_COUNT; st++)
            all.ns[st] += one.ns[st];
        life += i.last - i.first;
    }
    assert_int_equal(folded_sum("all", path, ""), life);
    assert_int_equal(folded_sum("run", path, "running"), all.ns[ST_RUNNING]);
    assert_int_equal(folded_sum("off", path, "waiting"), all.ns[ST_WAITING]);
    assert_int_equal(folded_sum("off", path, "runnable"), all.ns[ST_RUNNABLE]);
    assert_int_equal(folded_sum("sched", path, ""), all.ns[ST_RUNNABLE]);
    assert_int_equal(folded_sum("syscall", path, "system call;"), all.ns[ST_SYSCALL]);
    if (trace_samples(tr, &s))
        assert_int_equal(folded_sum("cpu", path, ""), trace_samples(tr, &s));
    else /* an empty file would say that nothing ran */
        assert_int_equal(RUN(folded_main, "--kind", "cpu", path), 2);
    trace_close(tr);
}

static void test_folded(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 50000, each_folded) > 20);
}

static const char hand[] = "go 1.26\n"
                           "batch m=7 t=100\n"
                           "ProcStatus +1 p=0 running\n"
                           "GoStatus +1 g=1 m=7 running\n"
                           "GoCreate +10 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
                           "GoBlock +5 reason=\"chan;re\\x1bceive\" stack=main.main:14\n"
                           "GoStart +1 g=2 g_seq=1\n"
                           "GoStop +20 reason=\"preempted\" stack=main.step:33,main.worker:31\n"
                           "GoStart +8 g=2 g_seq=2\n"
                           "GoBlock +5 reason=\"network\" stack=net.Read:7,main.worker:40\n"
                           "GoUnblock +30 g=2 g_seq=3 stack=0\n"
                           "GoStart +4 g=2 g_seq=4\n"
                           "GoUnblock +1 g=1 g_seq=1 stack=main.worker:44\n"
                           "GoBlock +4 reason=\"select\" stack=main.worker:50\n"
                           "GoStart +2 g=1 g_seq=2\n"
                           "GoDestroy +9\n";

static void test_folded_hand(void **state)
{
    (void)state;
    char path[] = "/tmp/gotop-trace-XXXXXX";
    close(mkstemp(path));
    struct loaded l = text_file(hand, path);
    struct bytes b = EXPORT(folded_main, "--kind=off", path);
    /* A woken goroutine's time to its processor counts where it had waited, a new one's at its start. */
    assert_string_equal(b.p, "waiting (chan_re\\x1bceive);main.main 69\n"
                             "waiting (network);main.worker;net.Read 30\n"
                             "waiting (select);main.worker 11\n"
                             "runnable (preempted);main.worker;main.step 8\n"
                             "runnable;main.worker 6\n"
                             "runnable;main.main 6\n"
                             "runnable;main.worker;net.Read 4\n");
    free(b.p);
    b = EXPORT(folded_main, "--kind=net", "--reason-last", path);
    assert_string_equal(b.p, "main.worker;net.Read;waiting (network) 30\n");
    free(b.p);
    b = EXPORT(folded_main, "--kind=run", "--goroutine=2", path);
    assert_string_equal(b.p, "running;main.worker 30\n");
    free(b.p);
    b = EXPORT(folded_main, "--kind=net", "--from=60", "--to=70ns", path);
    assert_string_equal(b.p, "waiting (network);main.worker;net.Read 10\n");
    free(b.p);
    unlink(path);
    unload(&l);
}

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
    assert_int_equal(RUN(folded_main, "-o", "/dev/null", "--from", "08:28:36.9", files[0]), 0);
    assert_int_equal(RUN(folded_main, "-o", "/dev/null", "--to", "08:28:36", files[0]), 2);
    assert_int_equal(RUN(folded_main, "-o", "/dev/null", "--from", "08:28:36.9", files[1]), 2);
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
    assert_int_equal(RUN(perfetto_main, "--lanes", "q", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--lanes", "p,", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--from", "1x", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--from", "2ms", "--to", "1ms", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--from", "1h", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--threads=0", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--max-memory", "1", cut), 2);
    assert_int_equal(RUN(perfetto_main, cut), 2);
    assert_int_equal(RUN(folded_main, "--kind", "x", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--hz", "7", ok), 2);
    assert_int_equal(RUN(perfetto_main, "--lanes=g", "--max-memory=1G", "--threads", "2", "--", ok), 0);
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
    assert_int_equal(out_close(&o, false, &e), ERR_OK);
    assert_true(file_is(out_path, "before"));
    assert_int_equal(strays(), 1);

    assert_int_equal(out_open(&o, out_path, false, &e), ERR_OK);
    out_write(&o, "after 2", 7);
    assert_int_equal(out_close(&o, true, &e), ERR_OK);
    assert_true(file_is(out_path, "after 2"));
    assert_int_equal(strays(), 1);
    struct stat st;
    assert_int_equal(stat(out_path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600); /* as mkstemp() made it */

    assert_int_equal(RUN(perfetto_main, "samples/MANIFEST.tsv"), 2); /* no trace: nothing is written */
    assert_true(file_is(out_path, "after 2"));
    assert_int_equal(out_open(&o, "/tmp/gotop-no-such-folder/x", true, &e), ERR_IO);
    assert_non_null(strstr(e.what, "/tmp/gotop-no-such-folder/x"));
}

static void test_full(void **state)
{
    (void)state;
    char *folded[] = {(char *)"folded", (char *)"-o", (char *)"/dev/full", (char *)"samples/http-1.26.trace"};
    char *pprof[] = {(char *)"pprof", (char *)"--kind=sync", (char *)"-o", (char *)"/dev/full",
                     (char *)"samples/http-1.26.trace"};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(folded_main(4, folded), 2);
    assert_int_equal(pprof_main(5, pprof), 2);
}

static void test_reader_gone(void **state)
{
    (void)state;
    char *argv[][5] = {
        {(char *)"folded", (char *)"--quiet", (char *)"samples/http-1.26.trace", NULL, NULL},
        {(char *)"pprof", (char *)"--kind=sync", (char *)"samples/http-1.26.trace", NULL, NULL}};
    int p[2], saved = dup(STDOUT_FILENO), folded, pprof;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(p), 0);
    fflush(stdout);
    close(p[0]);
    dup2(p[1], STDOUT_FILENO);
    folded = folded_main(3, argv[0]);
    pprof = pprof_main(3, argv[1]);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(p[1]);
    assert_int_equal(folded, 0);
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
    assert_int_equal(out_close(&o, true, &e), ERR_IO);
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
    static const struct {
        int (*cmd)(int, char **);
        const char *words[6];
    } c[] = {{pprof_main, {"--kind", "sched", "samples/workers-1.11.trace", "--threads", "1"}},
             {perfetto_main, {"samples/workers-1.11.trace", "--threads", "1"}},
             {folded_main, {"samples/workers-1.11.trace", "--threads", "1"}}};
    int quiet = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        int status = 2, failed = 0;
        fflush(stderr);
        dup2(quiet, STDERR_FILENO);
        for (long n = 0; status != 0 && n < 100000; n += n < 400 ? 1 : n / 40) {
            put_file(out_path, "before");
            mem_fail_after(n);
            status = run(c[i].cmd, c[i].words);
            mem_fail_after(-1);
            failed += status == 2 && file_is(out_path, "before");
            if (status == 2 && !file_is(out_path, "before"))
                break;
        }
        dup2(saved, STDERR_FILENO);
        assert_int_equal(status, 0);
        assert_true(failed > 5);
        assert_int_equal(strays(), 1);
    }
    close(quiet);
    close(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_hand),  cmocka_unit_test(test_folded),
        cmocka_unit_test(test_times),        cmocka_unit_test(test_times_of_day),
        cmocka_unit_test(test_command_line), cmocka_unit_test(test_whole_or_not),
        cmocka_unit_test(test_full),         cmocka_unit_test(test_reader_gone),
        cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_shorter)};
    return cmocka_run_group_tests(tests, make_out, remove_out);
}
