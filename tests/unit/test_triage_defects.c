/*
 * test_triage_defects.c - sentences that were wrong once, each on a small trace made for it: who was ready
 * meanwhile, who held a lock, what leaks. Those of stops and of the collector: test_triage_stops.c
 */
#include "script_help.h"

#include "triage/findings/asked.h"
#include "triage/findings/thresholds.h"
#include "triage/report/report.h"

/* ---- processors ---------------------------------------------------------------------------------------- */

/* G2 is runnable for 12 ms: G1 is in a system call for 10 of them and runs for 2. */
static void calls_are_no_running(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    create(1 * US, 2, "later");
    call(1 * MS, 11 * MS, "syscall.read:5,main.main:3");
    over(12 * MS);
    start(12 * MS + US, 2);
    over(13 * MS);
    made_of(&m);
    assert_int_equal(m.l.tg->longest_runnable.n, 1);
    const struct meanwhile ran = triage_meanwhile(m.l.tg, &m.l.tg->longest_runnable.v[0]);
    assert_near_ns(ran.syscall_ns, 10 * MS);
    assert_int_equal(ran.nran, 1);
    assert_near_ns(ran.ran_ns[0], 2 * MS);
    unmade(&m);
}

/* P0 goes idle in a stop of the world (before 1.22 stops did that to all Ps);
 * G2 is runnable all the while. */
static void stopped_is_not_idle(void **state)
{
    struct made m;
    (void)state;
    begin(2);
    create(1 * US, 2, "later");
    ev(1 * MS, "STWBegin", "%s", "kind=\"all goroutines stack trace\" stack=main.main:1");
    script.n +=
        (size_t)snprintf(script.p + script.n, sizeof script.p - script.n,
                         "STWEnd +%lld\nGoDestroy +%lld\n"
                         "batch m=8 t=0\nProcStatus +500 p=1 idle\nProcStart +%lld p=1 p_seq=1\nGoStart "
                         "+1000 g=2 g_seq=1\nGoDestroy +1000\n",
                         8 * MS, 4 * MS, 11 * MS);
    made_of(&m);
    const struct sched_wait *w = &m.l.tg->longest_runnable.v[0];
    assert_near_ns(w->t1 - w->t0, 11 * MS);
    const struct meanwhile ran = triage_meanwhile(m.l.tg, w);
    assert_near_ns(ran.stopped_ns, 8 * MS);
    assert_near_ns(ran.idle_ns, 3 * MS);
    unmade(&m);
}

/* ---- leaks --------------------------------------------------------------------------------------------- */

static const char lost_at[] = "runtime.chanrecv1:1,main.wait:7";

/* Workers that wait again where they had waited before are at rest; so are those on their way like all before
 * them. */
static void rest_is_no_leak(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 32; g++)
        create(g * US, g, "worker");
    block(100 * US, "sleep", at_rest);
    for (unsigned g = 2; g < 32; g++) {
        start(g * MS, g);
        block(g * MS + US, "chan receive", lost_at);
    }
    for (unsigned g = 2; g < 32; g++) {
        int64_t t = 40 * MS + g * 10 * US;
        wake(t, g, "0");
        start(t + US, g);
        block(t + 2 * US, "chan receive", lost_at);
    }
    wake(100 * MS, 1, "0");
    start(100 * MS + US, 1);
    over(100 * MS + 2 * US);
    made_of(&m);
    assert_null(told(&m, RULE_LEAK));
    unmade(&m);
}

/* ---- workers and words --------------------------------------------------------------------------------- */

static void a_reason_that_is_empty(void **state)
{
    struct made m;
    struct text t = {0};
    (void)state;
    begin(1);
    create(US, 2, "other");
    block(2 * US, "", "main.main:1");
    start(3 * US, 2);
    wake(30 * MS, 1, "main.other:1");
    over(31 * MS);
    start(32 * MS, 1);
    over(33 * MS);
    made_of(&m);
    assert_int_equal(m.l.tg->nwaits, 1);
    text_wait(&t, m.l.tr, m.l.tg->waits[0].reason, m.l.tg->waits[0].stack);
    assert_string_equal(t.p, "reason not recorded");
    text_free(&t);
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_no_running),
        cmocka_unit_test(stopped_is_not_idle),
        cmocka_unit_test(rest_is_no_leak),
        cmocka_unit_test(a_reason_that_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
