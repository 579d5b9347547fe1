/*
 * test_v2_lost.c - generations of the second family with a hole between batches (decode/damage/v2_damage.h),
 * each a few lines: what is shown behind a number that jumps, what isn't, and that it is said.
 */
#include "tests/unit/decode_help.h"

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
#define HOLE "end\nraw 77 77 77\n"
/* Stacks, so that a generation is known to be all there but for its hole. */
#define END "batch m=7 t=9000\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n"
#define NEXT "endgen\nbatch m=7 t=10000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* The hole is said first, and behind it what it cost: gaps, and events that can't be shown. */
static struct loaded load_lost(const char *text, const char *cost)
{
    struct loaded l = load_text(text);
    const uint32_t n = trace_info(l.tr)->ndamages;
    expect_damage(l.tr, ERR_FORMAT, "expected a batch (byte 1, 49 or 52), found byte 119");
    if (cost && (n < 2 || !strstr(trace_damage(l.tr, n - 1)->what, cost)))
        fail_msg("'%s', expected '%s'", trace_damage(l.tr, n - 1)->what, cost);
    if (!cost)
        assert_int_equal(n, 1);
    return l;
}

/* A collection whose other half is missing isn't shown; the next whole one is. */
static void test_collector(void **state)
{
    (void)state;
    struct loaded l = load_lost(
        P0 "GCBegin +10 gc_seq=1 stack=0\nGCEnd +10 gc_seq=2\n" HOLE
           "batch m=7 t=300\nGCBegin +10 gc_seq=7 stack=0\nGCEnd +10 gc_seq=8\nGCEnd +10 gc_seq=12\n"
           "GCBegin +10 gc_seq=13 stack=0\nGCBegin +10 gc_seq=17 stack=0\nGCEnd +10 gc_seq=18\n" END,
        "there are 2 gaps, and 2 events that can't be placed");
    expect_lane(
        l.tr, LANE_BAND, BAND_GC,
        "0-11 nothing\n11-21 GC mark phase\n21-209 nothing\n209-219 GC mark phase\n219-8900> nothing\n");
    unload(&l);
    l = load_lost(P0 "GCBegin +10 gc_seq=1 stack=0\n" HOLE END NEXT
                     "GCActive +1 gc_seq=9\nGCEnd +10 gc_seq=10\n" HOLE
                     "batch m=7 t=11000\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n",
                  "there is 1 gap, and 1 event that can't be placed");
    expect_lane(l.tr, LANE_BAND, BAND_GC, "0-10900> nothing\n");
    unload(&l);
}

/* A P is taken from a thread that the file doesn't tell of: not recorded up to there. From nobody: that isn't
 * shown. */
static void test_steal(void **state)
{
    (void)state;
    struct loaded l =
        load_lost(P0 "ProcStatus +1 p=1 idle\n" HOLE "batch m=8 t=300\nProcSteal +10 p=1 p_seq=5 m=-1\n"
                     "ProcSteal +10 p=1 p_seq=9 m=30\nProcStart +10 p=1 p_seq=10\n" END,
                  "there are 2 gaps, and 1 event that can't be placed");
    expect_lane(l.tr, LANE_P, 1, "<0-219 nothing\n219-229 idle\n229-8900> looking for work\n");
    unload(&l);
}

/* A P can't be taken from a thread that has another one. Where numbers of the one it has are missing, it was
   taken from another call than that whose begin is there: of the goroutine nothing is known in between. */
static void test_steal_from(void **state)
{
    (void)state;
    struct loaded l =
        load_lost(P0 "ProcStatus +1 p=1 idle\n" HOLE
                     "batch m=8 t=300\nProcSteal +10 p=1 p_seq=5 m=7\nProcStart +10 p=1 p_seq=6\n" END,
                  "there are 2 gaps, and 1 event that can't be placed");
    expect_lane(l.tr, LANE_P, 1, "<0-219 nothing\n219-8900> looking for work\n");
    unload(&l);
    l = load_lost(P0 "ProcStatus +1 p=1 idle\nGoSyscallBegin +1 p_seq=1 stack=main.f:1\n" HOLE
                     "batch m=8 t=300\nProcSteal +10 p=0 p_seq=5 m=7\nProcStart +10 p=0 p_seq=6\n"
                     "batch m=7 t=9000\nGoSyscallEndBlocked +1\n",
                  "there are 2 gaps, and 0 events that can't be placed");
    expect_lane(l.tr, LANE_P, 0,
                "<0-3 running g1\n3-209 nothing\n209-219 idle\n219-8900> looking for work\n");
    expect_lane(l.tr, LANE_G, 1, "<0-3 running p0\n3-8900 not recorded\n8900-8900> runnable\n");
    unload(&l);
}

/* What is told of goroutines and Ps contradicts what was: between the two it isn't known. What no status is,
 * is left out. */
static void test_statuses(void **state)
{
    (void)state;
    struct loaded l =
        load_lost(P0 "GoStatus +1 g=2 m=-1 waiting\nbatch m=9 t=120\nProcStatus +1 p=3 running\nGoStatus +1 "
                     "g=3 m=9 running\n" END NEXT
                     "GoStatus +1 g=2 m=9 syscall\nGoStatus +1 g=77 m=9 syscall\nGoStatus +1 g=1 m=-1 "
                     "gstatus=9\nProcStatus +1 p=0 idle\nProcStatus +1 p=5 pstatus=9\n" HOLE
                     "batch m=7 t=11000\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n",
                  "there are 7 gaps, and 3 events that can't be placed");
    expect_lane(l.tr, LANE_P, 3,
                "<0-8900 running g3\n8900-9905> nothing\n"); /* its thread is silent behind the first one */
    expect_lane(l.tr, LANE_G, 3, "<0-8900 running p3\n8900-9905> not recorded\n");
    expect_lane(l.tr, LANE_G, 77, "9903-9904 not recorded\n9904-9905> system call\n");
    unload(&l);
}

/* A thread begins another batch when one is nearly full: where the hole is behind a full one, what it ran
 * isn't known from there. */
static void test_full_batch(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct tracegen_buf b = {0};
        tracegen_printf(&b, P0 "batch m=8 t=200\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\n");
        for (int i = 0; i < (full ? 7000 : 10); i++)
            tracegen_printf(&b, "HeapAlloc +1 99999999\n");
        tracegen_printf(&b, HOLE END);
        struct loaded l = load_lost((char *)b.p, NULL);
        expect_lane(l.tr, LANE_G, 2,
                    full ? "<0-7101 running p1\n7101-8900> not recorded\n" : "<0-8900> running p1\n");
        expect_lane(l.tr, LANE_P, 1,
                    full ? "<0-7101 running g2\n7101-8900> nothing\n" : "<0-8900> running g2\n");
        expect_lane(l.tr, LANE_G, 1, "<0-8900> running p0\n"); /* of whom something is told behind it */
        unload(&l);
        tracegen_free(&b);
    }
}

/* Each of two threads waits for what the other one tells later: somebody goes first, and nothing hangs. */
static void test_both_wait(void **state)
{
    (void)state;
    struct loaded l = load_lost(
        P0
        "GoStatus +1 g=5 m=-1 waiting\n" HOLE
        "batch m=8 t=200\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\nGoSyscallBegin +10 p_seq=1 "
        "stack=0\nGoSyscallEndBlocked +50\nGoUnblock +1 g=5 g_seq=1 stack=0\n"
        "batch m=9 t=200\nProcStatus +4 p=2 running\nGoStart +100 g=5 g_seq=2\nProcSteal +10 p=1 p_seq=2 "
        "m=8\n" END,
        "there is 1 gap, and 0 events that can't be placed");
    expect_lane(l.tr, LANE_P, 1, "<0-111 running g2\n111-8904 nothing\n8904-8904> idle\n");
    assert_int_equal(trace_info(l.tr)->events, 12);
    unload(&l);
}

/*
 * Thread 7 has another P by now, whose start was lost, so its call at 50 ms looks like the step of p0 that
 * thread 9 waits for. That thread is not kept for so long. What p0 does behind its stop may stand in what was
 * lost.
 */
static void test_waits_in_vain(void **state)
{
    (void)state;
    struct loaded l =
        load_lost(P0 HOLE "batch m=7 t=50000000\nGoSyscallBegin +10 p_seq=9 stack=0\n"
                          "batch m=9 t=400\nProcStart +1 p=0 p_seq=10\nProcStop +100\n"
                          "batch m=8 t=300\nProcStatus +1 p=2 running\nGoStatus +1 g=3 m=8 running\n"
                          "GoStop +20000000 reason=\"preempted\" stack=0\nGoStart +10 g=3 g_seq=1\n" END,
                  "1 gap,");
    expect_lane(l.tr, LANE_P, 0,
                "<0-300 running g1\n300-8901 nothing\n8901-8902 looking for work\n8902-20000211> nothing\n");
    unload(&l);
}

/* Where a generation's strings are lost, a reason is what that Go registers at its number; one that it hasn't
 * stays a number. */
static void test_registered(void **state)
{
    (void)state;
    static const struct {
        const char *version, *want[4]; /* of reasons 19 to 22 */
    } of[] = {
        {"1.22", {"sleep", "runtime.Gosched", "#21", "#22"}},
        {"1.23", {"sleep", "GC weak to strong wait", "#21", "#22"}},
        {"1.25", {"sleep", "GC weak to strong wait", "synctest", "runtime.Gosched"}},
        {"1.26", {"sleep", "GC weak to strong wait", "synctest", "runtime.Gosched"}},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int k = 0; k < 4; k++) {
            char text[400], want[200];
            snprintf(
                text, sizeof text,
                "go %s\nnoauto\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                "GoStatus +1 g=2 m=-1 waiting\nGoBlock +10 reason=%d stack=0\nGoUnblock +50 g=1 g_seq=1 "
                "stack=0\n",
                of[i].version, 19 + k);
            snprintf(want, sizeof want, "<0-768 running p0\n768-3968 waiting (%s)\n3968-3968> not recorded\n",
                     of[i].want[k]);
            struct loaded l = load_text(text);
            expect_lane(l.tr, LANE_G, 1, want);
            unload(&l);
        }
}

/* Stacks are written when all else is: a CPU sample long behind them is none,
 * and makes the trace no longer. */
static void test_late_sample(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\nnoauto\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "HeapAlloc +28 1\nbatch m=-1 t=5000\nStacks\nStack id=1 1:2:3:10\n"
        "batch m=-1 t=5000\nStrings\nString id=2 \"main.f\"\nString id=3 \"f.go\"\n"
        "batch m=-1 t=100\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=100 sec=1 nsec=5\n"
        "batch m=-1 t=100\nCPUSamples\nCPUSample time=120 m=7 p=0 g=1 stack=1\n"
        "CPUSample time=90000000000 m=7 p=0 g=1 stack=1\n");
    const struct sample *s;
    const uint32_t n = trace_info(l.tr)->ndamages;
    assert_true(n > 0);
    assert_string_equal(trace_damage(l.tr, n - 1)->what,
                        "1 CPU samples of generation 1 are left out, their times are behind its end");
    assert_int_equal(trace_samples(l.tr, &s), 1);
    assert_int_equal(s[0].t, 19);
    assert_int_equal(trace_info(l.tr)->end, 29);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collector),   cmocka_unit_test(test_steal),
        cmocka_unit_test(test_statuses),    cmocka_unit_test(test_full_batch),
        cmocka_unit_test(test_both_wait),   cmocka_unit_test(test_waits_in_vain),
        cmocka_unit_test(test_steal_from),  cmocka_unit_test(test_registered),
        cmocka_unit_test(test_late_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
