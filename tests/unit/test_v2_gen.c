/*
 * test_v2_gen.c - generations of the second family: where they begin and end, their tables and clocks, and
 * what is said when something of them is missing.
 */
#include "decode/model/trace_priv.h"
#include "tests/unit/decode_help.h"

#define START "batch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
#define AGAIN "ProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +1 9\n"

static void expect_events(const char *text, uint64_t events, enum err_code code, const char *damage)
{
    struct loaded l = load_text(text);
    if (damage)
        expect_damage(l.tr, code, damage);
    else
        expect_whole(l.tr);
    if (trace_info(l.tr)->events != events)
        fail_msg("%" PRIu64 " events, want %" PRIu64 "\n%s", trace_info(l.tr)->events, events, text);
    unload(&l);
}

/* A flight recorder's first generation is any number: what it says is back-dated as in the first. */
static void test_flight_recorder(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nbatch gen=5 m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +5 g=1 m=7 running\nendgen\n"
        "batch m=7 t=200\n" AGAIN);
    expect_whole(l.tr);
    assert_int_equal(trace_info(l.tr)->generations, 2);
    expect_lane(l.tr, LANE_G, 1, "<0-102> running p0\n");
    unload(&l);
}

static void test_borders(void **state)
{
    (void)state;
    expect_events("go 1.26\n" START "endgen\nbatch m=7 t=200\n" AGAIN, 5, ERR_OK, NULL);
    expect_events("go 1.25\n" START "endgen\nbatch m=7 t=200\n" AGAIN, 5, ERR_OK, NULL);
    /* Up to 1.25 only the next number ends a generation; from 1.26 on only the mark does. */
    expect_events("go 1.22\n" START "endgen\nbatch gen=3 m=7 t=200\n" AGAIN, 5, ERR_FORMAT,
                  "generation 3 where 2 was expected");
    expect_events("go 1.26\n" START "endgen\nbatch gen=3 m=7 t=200\n" AGAIN, 5, ERR_FORMAT,
                  "generation 3 where 2 was expected");
    expect_events("go 1.26\nnoauto\nbatch gen=0 m=7 t=100\n" AGAIN, 0, ERR_FORMAT,
                  "generation 0 where 1 was expected");
    expect_events("go 1.26\n" START "batch gen=2 m=7 t=200\n" AGAIN, 5, ERR_FORMAT,
                  "no end mark before generation 2");
    expect_events(
        "go 1.26\nnoauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 "
        "nsec=1\n" START,
        2, ERR_TRUNCATED, "no end mark: the trace was cut short");
    expect_events("go 1.26\n" START "endgen\nend\nraw 77 01\n", 2, ERR_FORMAT,
                  "expected a batch (byte 1, 49 or 52), found byte 119");
    expect_events("go 1.26\n" START "endgen\nend\nraw 67 6f 20 31 2e 32 36 20 74 72 61 63 65 00 00 00\n", 2,
                  ERR_FORMAT, "another trace begins at byte");
}

static void test_tables(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nnoauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 "
        "nsec=1\n" START "GoBlock +1 reason=4 stack=7\nbatch m=-1 t=1\nStrings\nString id=4 \"chan "
        "send\"\nString id=4 \"other\"\n"
        "end\nraw 34\n");
    expect_damage(l.tr, ERR_FORMAT, "string 4 is defined twice");
    assert_null(trace_damage(l.tr, 1));
    assert_string_equal(
        trace_warning(l.tr, 0)->what,
        "1 use of stacks or strings that are in no table: a stack is shown as not recorded, a string as its "
        "number");
    expect_lane(l.tr, LANE_G, 1, "<0-2 running p0\n2-2> waiting (chan send)\n"); /* the first one counts */
    unload(&l);
    l = load_text(
        "go 1.26\nnoauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 "
        "nsec=1\n" START "GoBlock +1 reason=70 stack=0\nend\nraw 34\n");
    assert_null(trace_damage(l.tr, 0));
    assert_string_equal(
        trace_warning(l.tr, 0)->what,
        "1 use of stacks or strings that are in no table: a stack is shown as not recorded, a string as its "
        "number");
    expect_lane(l.tr, LANE_G, 1, "<0-2 running p0\n2-2> waiting (#70)\n"); /* its number stands for it */
    unload(&l);
}

/* The same ids mean other strings in the next generation. */
static void test_tables_by_generation(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.23\nnoauto\nbatch gen=1 m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
        "running\nGoStop +8 "
        "reason=1 stack=0\n"
        "GoStart +5 g=1 g_seq=1\nbatch gen=1 m=-1 t=90\nStrings\nString id=1 \"one\"\nbatch gen=1 m=-1 "
        "t=90\nFrequency freq=1000000000\n"
        "batch gen=2 m=-1 t=190\nStrings\nString id=1 \"two\"\nbatch gen=2 m=-1 t=190\nFrequency "
        "freq=500000000\n"
        "batch gen=2 m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGoStop +8 "
        "reason=1 "
        "stack=0\n");
    expect_whole(l.tr);
    /* And the clock is another: 100 units of 2 ns; Go's Sync before the generation is at 2 * 100 ns. */
    expect_lane(l.tr, LANE_G, 1,
                "<0-9 running p0\n9-14 runnable (one)\n14-119 running p0\n119-119> runnable (two)\n");
    unload(&l);
}

static void test_clock_missing(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.22\nnoauto\nbatch gen=1 m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 "
                  "m=7 running\nHeapAlloc +10 1\n");
    expect_damage(l.tr, ERR_TRUNCATED, "no clock frequency");
    assert_true(trace_info(l.tr)->clock_assumed);
    assert_int_equal(trace_info(l.tr)->nwarnings, 1);
    assert_int_equal(trace_info(l.tr)->end, 11 * 64);
    unload(&l);
    expect_events("go 1.22\nnoauto\n" START "batch m=-1 t=1\nFrequency freq=0\n", 2, ERR_FORMAT,
                  "clock frequency is zero");
    expect_events("go 1.22\nnoauto\n" START
                  "batch m=-1 t=1\nFrequency freq=5000000\nbatch m=-1 t=1\nFrequency freq=5000000\n",
                  2, ERR_FORMAT, "second frequency");
}

static void test_experiments(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.23\n" START "expbatch exp=1 gen=1 m=7 t=100\nraw 01 02 03\nbatch m=7 "
                                "t=110\nHeapAlloc +1 5\nraw 81 01 01 02 03\n");
    expect_whole(l.tr);
    assert_int_equal(trace_info(l.tr)->experimental_batches, 1);
    assert_int_equal(trace_info(l.tr)->count[EC_EXPERIMENTAL], 1);
    assert_int_equal(trace_info(l.tr)->events, 4);
    unload(&l);
}

/* What may stand in the batch that tells the clock, dialect by dialect; and what is newer than the header
 * says. */
static void test_v2_clock_batches(void **state)
{
    (void)state;
#define CLOCK22 "noauto\nbatch m=-1 t=1\nFrequency freq=1000000000\n"
#define SYNC25 \
    "noauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n"
    expect_events("go 1.22\n" CLOCK22 START, 2, ERR_OK, NULL);
    expect_events("go 1.23\n" CLOCK22 START, 2, ERR_OK, NULL);
    expect_events("go 1.25\n" SYNC25 START, 2, ERR_OK, NULL);
    expect_events("go 1.25\n" SYNC25 "Frequency freq=1000000000\nbatch m=7 t=100\n" AGAIN, 3, ERR_FORMAT,
                  "second frequency");
    expect_events("go 1.25\n" SYNC25 "ClockSnapshot +1 mono=1 sec=1 nsec=1\nbatch m=7 t=100\n" AGAIN, 3,
                  ERR_FORMAT, "expected frequency or clock snapshot event, found 51");
    expect_events("go 1.22\n" CLOCK22 "raw 30 01\nbatch m=7 t=100\n" AGAIN, 3, ERR_FORMAT,
                  "expected frequency or clock snapshot event, found 48");
    expect_events("go 1.22\n" CLOCK22 "raw 08 01\nbatch m=7 t=100\n" AGAIN, 3, ERR_FORMAT,
                  "second frequency");
    expect_events("go 1.26\n" SYNC25 "raw 30 01\nbatch m=7 t=100\n" AGAIN "endgen\n", 3, ERR_FORMAT,
                  "expected frequency or clock snapshot event, found 48");
    expect_events("go 1.22\nnoauto\nbatch m=-1 t=1\nraw 32 08 01\n" START, 2, ERR_TRUNCATED,
                  "no clock frequency"); /* 50 is no event there */
    expect_events("go 1.25\n" CLOCK22 START, 2, ERR_TRUNCATED, "no clock frequency");
    expect_events("go 1.26\nnoauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\n" START "endgen\n", 2,
                  ERR_FORMAT, "has no clock snapshot");
}

/* A whole trace in which nothing happened: Go's reader finds no event and no error. A header alone is
 * something else. */
static void test_v2_no_event(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.22\nnoauto\nbatch m=-1 t=1\nFrequency freq=1000000000\n"
                                "batch m=-1 t=1\nStrings\nString id=0xffffffffffffffff \"a\"\n");
    expect_whole(l.tr);
    assert_null(trace_fatal(l.tr));
    assert_int_equal(trace_info(l.tr)->events, 0);
    assert_int_equal(trace_info(l.tr)->end, 0);
    unload(&l);
    l = load_text("go 1.22\nnoauto\n");
    assert_non_null(trace_fatal(l.tr));
    assert_int_equal(trace_fatal(l.tr)->code, ERR_EMPTY);
    unload(&l);
}

/* Go's readers take events that are newer than the header; who reads the trace should know. */
static void test_v2_newer_events(void **state)
{
    (void)state;
    static const char *const newer[][2] = {
        {"go 1.22\n", "GoCreateBlocked +1 new_g=9 new_stack=0 stack=0\n"},
        {"go 1.22\n", "GoStatusStack +1 g=9 m=-1 waiting stack=0\n"},
    };
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
        for (int is = 1; is >= 0; is--) {
            struct tracegen_buf b = {0};
            tracegen_printf(&b, "%s%s%s", is ? "go 1.23\n" : newer[i][0], START,
                            is  ? newer[i][1]
                            : i ? "raw 30 01 09 01 04 00\n"
                                : "raw 2f 01 09 00 00\n");
            struct loaded l = load_text((char *)b.p);
            expect_whole(l.tr);
            assert_int_equal(trace_info(l.tr)->events, 3);
            assert_int_equal(trace_info(l.tr)->nwarnings, !is);
            if (!is)
                assert_non_null(strstr(trace_warning(l.tr, 0)->what, "an event of go 1.23"));
            unload(&l);
            tracegen_free(&b);
        }
}
/* ---- stacks of many frames ----------------------------------------------------------------------------- */

/* A frame by its number: its bytes, 4 to 28 of them, tell it from all others. */
static struct frame frame_no(uint32_t i)
{
    return (struct frame){.pc = i % 11 ? 4096 + 512 * (uint64_t)i : UINT64_MAX - i,
                          .func = i % 2 + 1,
                          .file = 1,
                          .line = i % 13 ? i % 700 : UINT64_MAX - i};
}

/* The depth of stack j, and its first frame's number among n from `from` on. */
static uint32_t stack_no(uint32_t j, uint32_t from, uint32_t n, uint32_t *first)
{
    const uint32_t depth = j % 3 ? 1 + j * 37 % 60 : 1 + j * 37 % 128;
    *first = from + (uint32_t)(j * (uint64_t)101 % n);
    return depth;
}

/* A generation of so many stacks, each of which a log has. */
static void put_generation(struct tracegen_buf *b, uint32_t gen, const uint32_t range[2], uint32_t stacks)
{
    tracegen_printf(b, "batch gen=%u m=7 t=%u\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n", gen,
                    gen * 100000);
    for (uint32_t j = 0; j < stacks; j++) {
        if (j % 4000 == 3999)
            tracegen_printf(b, "batch gen=%u m=7 t=%u\n", gen, gen * 100000 + 2 * j);
        tracegen_printf(b, "UserLog +1 task=0 key=1 value=1 stack=%u\n", j + 1);
    }
    tracegen_printf(b, "batch gen=%u m=-1 t=90\nStrings\nString id=1 \"one\"\nString id=2 \"two\"\n", gen);
    for (uint32_t j = 0, first; j < stacks; j++) {
        const uint32_t depth = stack_no(j, range[0], range[1] - range[0], &first);
        if (j % 15 == 0)
            tracegen_printf(b, "batch gen=%u m=-1 t=90\nStacks\n", gen);
        tracegen_printf(b, "Stack id=%u", j + 1);
        for (uint32_t i = 0; i < depth; i++) {
            const struct frame f = frame_no(first + i);
            tracegen_printf(b, " %" PRIu64 ":%u:%u:%" PRIu64, f.pc, f.func, f.file, f.line);
        }
        tracegen_printf(b, "\n");
    }
    tracegen_printf(b, "batch gen=%u m=-1 t=90\nFrequency freq=1000000000\n", gen);
}

/* A stack without frames is none, also where it is the trace's first. */
static void test_no_frames(void **state)
{
    (void)state;
    const struct logmsg *log;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "UserLog +1 task=0 key=\"k\" value=\"v\" stack=1\n"
                  "batch m=-1 t=200\nStacks\nStack id=1\n");
    expect_whole(l.tr);
    assert_int_equal(trace_logs(l.tr, &log), 1);
    assert_int_equal(trace_stack(l.tr, log[0].stack), 0);
    unload(&l);
}

/*
 * A stack is what its table says, whether its frames were seen before, in this generation or another one, fit
 * what is kept of known ones or not, and however many there are of them: the second generation has more than
 * two bytes can number, the third few of many.
 */
static void test_many_frames(void **state)
{
    (void)state;
    static const uint32_t range[][2] = {{0, 500}, {300, 221000}, {170500, 171000}, {200, 400}},
                          stacks[] = {900, 2600, 900, 100};
    struct tracegen_buf b = {0};
    const struct logmsg *log;
    tracegen_printf(&b, "go 1.23\nnoauto\n");
    for (uint32_t k = 0; k < 4; k++)
        put_generation(&b, k + 1, range[k], stacks[k]);
    struct loaded l = load_text((char *)b.p);
    expect_whole(l.tr);
    const size_t n = trace_logs(l.tr, &log);
    size_t at = 0;
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t j = 0, first; j < stacks[k]; j++, at++) {
            const uint32_t depth = stack_no(j, range[k][0], range[k][1] - range[k][0], &first);
            assert_true(at < n);
            assert_int_equal(trace_stack(l.tr, log[at].stack), depth);
            for (uint32_t i = 0; i < depth; i++) {
                const struct frame want = frame_no(first + i), got = trace_frame(l.tr, log[at].stack, i);
                assert_true(got.pc == want.pc && got.line == want.line);
                assert_memory_equal(trace_str(l.tr, got.func).p, want.func == 1 ? "one" : "two", 3);
                assert_memory_equal(trace_str(l.tr, got.file).p, "one", 3);
            }
        }
    assert_int_equal(at, n);
    assert_true(names_nframes(&l.tr->names) > UINT16_MAX);
    unload(&l);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_recorder),  cmocka_unit_test(test_borders),
        cmocka_unit_test(test_tables),           cmocka_unit_test(test_tables_by_generation),
        cmocka_unit_test(test_clock_missing),    cmocka_unit_test(test_experiments),
        cmocka_unit_test(test_v2_clock_batches), cmocka_unit_test(test_v2_no_event),
        cmocka_unit_test(test_v2_newer_events),  cmocka_unit_test(test_many_frames),
        cmocka_unit_test(test_no_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
