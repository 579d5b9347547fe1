/*
 * test_app_times.c - times and clocks that nobody would believe: a bit of each batch's base time flipped,
 * clocks from one tick a second to 2^63. Whatever they say, everything ends: the model, its dump, report,
 * exports, every view.
 *
 * Steps of loading are counted, and can't be more than the trace has events; what goes on for ever within one
 * is ended by an alarm, which fails the test.
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/decode_help.h"
#include "triage/exports/rewrite.h"
#define loaded loaded_tables /* of triage */
#include "triage/report/report.h"
#undef loaded
#include "viewer/command/headless.h"
#include "viewer/keys/keymap_builtin.h"

static const char views[] =
    "view-findings @print view-processors @print zoom-out zoom-out @print goto-end zoom-in zoom-in @print "
    "view-goroutines @print span-next span-next center zoom-in @print zoom-all view-threads @print "
    "view-groups "
    "@print view-waits @print view-tasks @print view-gc @print view-flame @print view-log lane-last @print";
static struct keymap *km;
static FILE *null;
static char scratch[64];

static void too_long(int sig)
{
    static const char say[] = "it doesn't end\n";
    (void)!write(2, say, sizeof say - 1);
    (void)sig;
    abort();
}

/* All that a user could ask for of a file. */
static void look_everywhere(const uint8_t *p, size_t n)
{
    static char *const argv[] = {"pprof", "--kind=sync", scratch, "-o", "/dev/null", "--quiet"};
    struct trace_opts o = {.threads = 1};
    struct loaded_tables l;
    struct err e = {0};
    FILE *f = fopen(scratch, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    if (load_file(scratch, &o, true, &l, &e))
        return;
    struct text t = {0};
    report_text(&t, &l);
    text_free(&t);
    mem_free(report_json(&l, NULL));
    struct app a;
    assert_true(app_init(&a, l.tr, km, 80, 24));
    assert_true(headless_run(&a, views, false, null, stderr));
    app_free(&a);
    load_free(&l);
    pprof_main(sizeof argv / sizeof *argv, (char **)(uintptr_t)argv);
}

/* One trace in notation. all: through every view; else the model and its dump. */
static void ends(const char *text, bool all)
{
    struct trace_opts o = {.threads = 1};
    struct trace *tr;
    struct err e;
    size_t n, len, steps = 0;
    uint8_t *bytes = tracegen_bytes(text, &n);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 60},
              NULL); /* of the processor: others may have it */
    if (trace_open_mem(bytes, n, &o, &tr, &e) == ERR_OK) {
        while (trace_load(tr, 0) != LOAD_DONE)
            if (++steps > n)
                fail_msg("more steps of loading than the file has bytes");
        assert_true(trace_info(tr)->end >= 0 && trace_info(tr)->end < (int64_t)1 << 62);
        free(dump_text(tr, &len));
        trace_close(tr);
        if (all)
            look_everywhere(bytes, n);
    }
    free(bytes);
}

/* The text with the number that stands at `at` replaced. */
static char *with_number(const char *text, const char *at, uint64_t v)
{
    char *end, digits[24];
    (void)strtoull(at, &end, 0);
    const size_t before = (size_t)(at - text), behind = strlen(end) + 1;
    const size_t n = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, v);
    char *out = malloc(before + n + behind);
    assert_non_null(out);
    memcpy(out, text, before);
    memcpy(out + before, digits, n);
    memcpy(out + before + n, end, behind);
    return out;
}

/* Where the next number behind these words is that stand at the beginning of a line and in it. */
static const char *number_behind(const char *at, const char *line, const char *word)
{
    size_t n = strlen(line);
    for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *w = strncmp(at, line, n) ? NULL : strstr(at, word);
        if (w && w < at + strcspn(at, "\n"))
            return w + strlen(word);
    }
    return NULL;
}

static char *notation(const char *path)
{
    struct tracegen_buf b = {0};
    size_t n = 0;
    uint8_t *p = read_file(path, &n);
    assert_non_null(p);
    tracegen_decode(p, n, &b);
    free(p);
    return (char *)b.p;
}

static const char *const sample[] = {"samples/syscall-1.22.trace", "samples/tasks-1.27.trace",
                                     "samples/lock-1.26.trace",    "samples/workers-1.9.trace",
                                     "samples/lock-1.21.trace",    "samples/workers-1.5.trace"};
#define SAMPLES (sizeof sample / sizeof *sample)

static void any_base_time(void **state)
{
    (void)state;
    unsigned k = 0, batches = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        char *text = notation(sample[i]);
        for (const char *at = text; (at = number_behind(at, "batch", " t=")); batches++)
            for (unsigned bit = batches % 4; bit < 64; bit += bit < 32 ? 16 : 6) { /* each of some batch */
                char *bad = with_number(text, at, strtoull(at, NULL, 0) ^ (uint64_t)1 << bit);
                ends(bad, bit > 30 && k++ % 40 == 0);
                free(bad);
            }
        free(text);
    }
    assert_true(batches > 30);
}

static void any_frequency(void **state)
{
    (void)state;
    unsigned clocks = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        char *text = notation(sample[i]);
        const char *at = number_behind(text, "Frequency", "freq=");
        for (unsigned bit = 0; at && bit < 64; bit++, clocks++) {
            char *bad = with_number(text, at, (uint64_t)1 << bit);
            ends(bad, bit % 16 == 0);
            free(bad);
        }
        free(text);
    }
    assert_true(clocks > 200);
}

/* An event far behind the one before it: it and the rest of its batch are left out, what stands before is
 * shown. */
static void a_step_no_clock_makes(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "GoBlock +5 reason=\"sleep\" stack=0\nGoUnblock +0x4000000000000000 g=1 g_seq=1 stack=0\n");
    expect_damage(l.tr, ERR_CLOCK, "an event's time is none that a clock can have");
    expect_lane(l.tr, LANE_G, 1, "<0-6 running p0\n6-6> not recorded\n");
    unload(&l);
}

/* A batch that no clock can have written is left out; the thread's next one is not. */
static void a_batch_no_clock_writes(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "batch m=7 t=0x4000000000000000\nHeapAlloc +1 bytes=5\n"
                  "batch m=7 t=200\nGoBlock +5 reason=\"sleep\" stack=0\n");
    expect_damage(l.tr, ERR_CLOCK, "a batch is left out, its time is none that a clock can have");
    assert_int_equal(trace_info(l.tr)->ndamages, 1);
    expect_lane(l.tr, LANE_G, 1, "<0-104 running p0\n104-104> not recorded\n");
    unload(&l);
}

/*
 * Where the host has much else to do a thread may write into a generation a tenth of a second, and more,
 * before the one that opens its clock's batch gets a processor to do so.
 */
static void a_clock_that_comes_late(void **state)
{
    (void)state;
    static const char trace[] =
        "go 1.26\nbatch m=-1 t=99\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n"
        "batch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "batch m=8 t=110\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\nendgen\n"
        "batch gen=2 m=7 t=1000000000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoBlock +5 reason=\"sleep\" stack=0\n"
        "batch m=-1 t=%s\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n"
        "batch m=8 t=4000000000\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\nHeapAlloc +1 5\n"
        "batch m=8 t=4000001000\nHeapAlloc +1 6\n";
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, trace,
                 i ? "1900000000"
                   : "1130000000"); /* 130 ms are late, 900 ms too; two and a half seconds are none */
        struct loaded l = load_text(text);
        if (trace_damage(l.tr, 0))
            fail_msg("%d: %s", i, trace_damage(l.tr, 0)->what);
        unload(&l);
    }
    char text[1024];
    snprintf(text, sizeof text, trace, "3500000000");
    struct loaded l = load_text(text);
    expect_damage(l.tr, ERR_CLOCK, "before the generation");
    unload(&l);
}

/* Forty goroutines that do something each for 31 years: sums of times go beyond what a number holds. */
static void long_silence(void **state)
{
    static const char *const what[] = {"GoBlock +1 reason=\"sleep\" stack=main.f:1",
                                       "GoStop +1 reason=\"preempted\" stack=main.f:1",
                                       "GoSyscallBegin +1 p_seq=1 stack=main.f:1"};
    (void)state;
    for (size_t k = 0; k < sizeof what / sizeof *what; k++) {
        struct tracegen_buf b = {0};
        tracegen_printf(&b, "go 1.26\n");
        for (int i = 1; i <= 40; i++)
            tracegen_printf(&b,
                            "batch m=%d t=100\nProcStatus +1 p=%d running\nGoStatus +1 g=%d m=%d running\n"
                            "UserTaskBegin +1 task=%d parent=0 name=\"t\" stack=0\n%s\n",
                            i, i, i, i, i, what[k]);
        for (int i = 93; i < 99; i++) /* so many that it's no lie */
            tracegen_printf(
                &b, "batch m=%d t=1000000000000000000\nProcStatus +1 p=%d running\nHeapAlloc +1 bytes=1\n", i,
                i);
        ends((char *)b.p, true);
        tracegen_free(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_base_time),
        cmocka_unit_test(any_frequency),
        cmocka_unit_test(long_silence),
        cmocka_unit_test(a_step_no_clock_makes),
        cmocka_unit_test(a_batch_no_clock_writes),
        cmocka_unit_test(a_clock_that_comes_late),
    };
    signal(SIGPROF, too_long);
    snprintf(scratch, sizeof scratch, "%s", "/tmp/gotop-times-XXXXXX");
    int fd = mkstemp(scratch);
    null = fopen("/dev/null", "w");
    km = keymap_new();
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        if (!strcmp(b->name, "default"))
            keymap_parse(km, b->text, strlen(b->text), b->name, NULL);
    int bad = fd < 0 || !null ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
    keymap_free(km);
    if (null)
        fclose(null);
    close(fd);
    unlink(scratch);
    return bad;
}
