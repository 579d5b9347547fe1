/*
 * test_triage_moves.c - how often goroutines run on another processor than before, who is begun by a timer,
 * and what a goroutine that gives its processor up after some work is called.
 */
#define SCRIPT_MOST (1 << 22)
#include "script_help.h"

#include "decode/base/mem.h"
#include "triage/triage.h"

/* G2 runs on P0, P1, P1, P0; a timer begins G3, C begins G4. */
static const char story[] =
    "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nProcsChange +0 procs=2 "
    "stack=0\n"
    "GoCreate +10 new_g=2 new_stack=main.busy:1 stack=main.main:4\nGoBlock +10 reason=\"sleep\" "
    "stack=main.main:5\n"
    "GoStart +10 g=2 g_seq=1\nGoStop +100 reason=\"runtime.Gosched\" stack=main.busy:3\n"
    "GoCreate +50 new_g=3 new_stack=main.onTimer:1 stack=0\nGoStart +10 g=3 g_seq=1\nGoDestroy +10\n"
    "GoStart +1000 g=2 g_seq=4\nGoDestroy +10\n"
    "batch m=8 t=0\nProcStatus +1 p=1 idle\nProcStart +1 p=1 p_seq=1\nGoStart +300 g=2 g_seq=2\n"
    "GoStop +100 reason=\"preempted\" stack=main.busy:3\nGoStart +10 g=2 g_seq=3\nGoStop +100 "
    "reason=\"preempted\" "
    "stack=main.busy:3\nbatch m=9 t=900\nGoCreateSyscall +1 new_g=4\n";

static void moves_and_timers(void **state)
{
    (void)state;
    struct made m;
    script.n = (size_t)snprintf(script.p, sizeof script.p, "%s", story);
    made_of(&m);
    const uint32_t g = lane_of(&m, 2);
    assert_int_equal(gstat_moves(m.l.tg, g), 2);
    assert_int_equal(gstat_moves(m.l.tg, lane_of(&m, 1)), 0);
    for (uint64_t id = 1; id <= 4; id++) {
        const struct lane l = {LANE_G, lane_of(&m, id)};
        const struct lane_info li = trace_lane_who(m.l.tr, l);
        assert_int_equal(tri_by_timer(m.l.tr, l, &li), id == 3);
    }
    unmade(&m);
}

/* Each turn is work of 30 us: it is polite. Turns of 400 ns are looks. */
static void work_between(void **state)
{
    (void)state;
    for (int work = 0; work < 2; work++) {
        struct made m;
        int64_t t = US;
        begin(2);
        create(t, 2, "busy");
        block(t += US, "sleep", at_rest);
        start(t += US, 2);
        for (int i = 0; i < 8000; i++) {
            ev(t += work ? 30 * US : 400, "GoStop", "%s",
               "reason=\"runtime.Gosched\" stack=runtime.Gosched:1,main.busy:3");
            start(t += 100, 2);
        }
        over(t + US);
        made_of(&m);
        const struct finding *f = told(&m, RULE_BUSY_LOOP);
        assert_int_equal(f != NULL, !work);
        if (f) {
            assert_int_equal(f->note, false);
            assert_true(f->v.ev[EV_COUNT] == 1 && f->v.doing[0].share > 0.9);
            assert_true(str_is(trace_str(m.l.tr, f->v.where.user), "main.busy"));
        }
        unmade(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_and_timers), cmocka_unit_test(work_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
