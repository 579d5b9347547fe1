/*
 * test_gaps.c - second-family traces of which a part in the middle is lost, doubled, moved or lies about its
 * time: what is behind it is shown, and what may be lost is not recorded.
 */
#include "tests/unit/decode_help.h"

#define HEAD \
    "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +1000 1\n"
#define OTHER "batch m=8 t=100\nProcStatus +2 p=1 running\nGoStatus +1 g=2 m=8 running\nHeapAlloc +500000 1\n"

static void expect_end(const struct trace *tr, int64_t end)
{
    if (trace_info(tr)->end != end)
        fail_msg("ends at %" PRId64 ", expected %" PRId64, trace_info(tr)->end, end);
}

/* A generation that is missing: nothing is known up to where the next one tells. */
static void test_lost_generation(void **state)
{
    (void)state;
    struct loaded l = load_text(HEAD "endgen\nbatch gen=3 m=7 t=1000000\nProcStatus +1 p=0 running\n"
                                     "GoStatus +1 g=1 m=7 running\nHeapAlloc +1000 1\n");
    expect_damage(l.tr, ERR_FORMAT, "generation 3 where 2 was expected");
    expect_end(l.tr, 1000901);
    assert_int_equal(trace_info(l.tr)->generations, 2);
    unload(&l);
}

/* Bytes that are no batch, within a generation: the batch behind them is found. */
static void test_broken_bytes(void **state)
{
    (void)state;
    struct loaded l = load_text(HEAD "end\nraw 77 77 77 77 77\n" OTHER);
    expect_damage(l.tr, ERR_FORMAT, "expected a batch");
    expect_lane(l.tr, LANE_G, 2, "<0-500002 running p1\n500002-500002> not recorded\n");
    unload(&l);
}

static void test_doubled(void **state)
{
    (void)state;
    static const char batch[] = "batch m=7 t=5000\nGoBlock +5 reason=\"sleep\" stack=main.f:1\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s%s%s", HEAD, batch, batch, OTHER);
    struct loaded l = load_text(text);
    expect_damage(l.tr, ERR_FORMAT, "stands there twice");
    expect_lane(l.tr, LANE_G, 1, "<0-4904 running p0\n4904-500002> waiting (sleep)\n");
    unload(&l);
}

/* A thread's batches in another order than they were written. */
static void test_moved(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=3000000\nGoStart +5 g=1 g_seq=2\n"
                  "batch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "GoBlock +1000 reason=\"sleep\" stack=main.f:1\nGoUnblock +1000 g=1 g_seq=1 stack=0\n");
    expect_damage(l.tr, ERR_FORMAT, "another order");
    expect_lane(l.tr, LANE_G, 1,
                "<0-1001 running p0\n1001-2001 waiting (sleep)\n2001-2999904 runnable\n2999904-2999904> "
                "running p0\n");
    unload(&l);
}

/* Who assists as its events end is told of as lost only when all is read: what others assisted since is still
 * drawn. */
static void test_lost_assist(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.11\nbatch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nProcStart thread=0\nGoStart g=1 seq=1\n"
        "GCMarkAssistStart +10 stack=0\nraw 00 ff 00 ff 00 ff 00 ff\n"
        "batch p=1 t=20\nProcStart +0 thread=3\nGoStart +5 g=2 seq=1\n"
        "GCMarkAssistStart +10 stack=0\nGCMarkAssistDone +5\nGCMarkAssistStart +20 stack=0\n"
        "GCMarkAssistDone +5\nHeapAlloc +20 1\n");
    expect_lane(l.tr, LANE_BAND, BAND_ASSIST,
                "0-35 nothing\n35-40 mark assist g2\n40-60 nothing\n60-65 mark assist g2\n65-85> nothing\n");
    unload(&l);
}

/* The same events, with one that contradicts them: the rest is shown all the same. */
static void test_goes_on(void **state)
{
    (void)state;
    struct loaded l = load_text(HEAD "GoStart +5 g=1 g_seq=9\nHeapAlloc +100000 1\n" OTHER
                                     "endgen\nbatch m=7 t=1000000\nProcStatus +1 p=0 running\n"
                                     "GoStatus +1 g=1 m=7 running\nHeapAlloc +1000 1\n");
    assert_non_null(trace_damage(l.tr, 0));
    expect_end(l.tr, 1000901);
    assert_int_equal(trace_info(l.tr)->generations, 2);
    unload(&l);
}

/* A generation whose times went back is shown behind the one before it, and that is said. */
static void test_went_back(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.26\nbatch m=7 t=5000000000\nProcStatus +0 p=0 running\n"
                                "GoStatus +0 g=1 m=7 running\nHeapAlloc +1000 1\nendgen\n"
                                "batch m=7 t=1000000\nProcStatus +0 p=0 running\n"
                                "GoStatus +0 g=1 m=7 running\nHeapAlloc +1000 1\n");
    assert_int_equal(trace_info(l.tr)->nwarnings, 1);
    assert_non_null(strstr(trace_warning(l.tr, 0)->what, "generation 2 begins 4.99"));
    unload(&l);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_generation), cmocka_unit_test(test_broken_bytes),
        cmocka_unit_test(test_doubled),         cmocka_unit_test(test_moved),
        cmocka_unit_test(test_goes_on),         cmocka_unit_test(test_lost_assist),
        cmocka_unit_test(test_went_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
