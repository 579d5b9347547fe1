/*
 * test_triage_defects.c - sentences that were wrong once, each on a small trace made for it: who was ready
 * meanwhile, who held a lock, what leaks. Those of stops and of the collector: test_triage_stops.c
 */
#include "script_help.h"

#include "triage/findings/asked.h"
#include "triage/findings/holder.h"
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
    const struct sched_wait *w = &m.l.tg->worst[0];
    assert_int_equal(m.l.tg->nworst, 1);
    assert_near_ns(w->syscall_ns, 10 * MS);
    assert_int_equal(w->nran, 1);
    assert_near_ns(w->ran_ns[0], 2 * MS);
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
    const struct sched_wait *w = &m.l.tg->worst[0];
    assert_near_ns(w->t1 - w->t0, 11 * MS);
    assert_near_ns(w->stopped_ns, 8 * MS);
    assert_near_ns(w->idle_ns, 3 * MS);
    unmade(&m);
}

/* ---- locks --------------------------------------------------------------------------------------------- */

#define QUEUE 8
enum { KEEPER = 30 };

/* Who takes it and lets go of it in one function has not had it since before it waited elsewhere: there it
 * waited with nothing. */
static void no_holder_elsewhere(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    create(1 * US, 2, "queue");
    create(2 * US, KEEPER, "keep");
    block(3 * US, "sleep", "time.Sleep:1,main.main:2");
    start(MS, 2);
    block(MS + 10 * US, "sync", "sync.(*Mutex).Lock:1,main.get:20");
    start(MS + 20 * US, KEEPER);
    block(MS + 30 * US, "network", "internal/poll.(*FD).Read:1,main.serve:9");
    wake(3 * MS, KEEPER, "0");
    start(3 * MS + US, KEEPER);
    wake(4 * MS, 2, "sync.(*Mutex).Unlock:1,main.get:21");
    over(4 * MS + 10 * US);
    start(4 * MS + 20 * US, 2);
    over(4 * MS + 30 * US);
    made_of(&m);
    assert_int_equal(m.l.tg->nlock_waits, 1);
    const struct lock_wait *w = &m.l.tg->lock_waits[0];
    const struct holder_row *row = holder_at(m.l.tg, w->place);
    assert_int_equal(row->longest.g, lane_of(&m, KEEPER));
    assert_near_ns(row->longest.t1 - row->longest.t0, MS);
    assert_int_equal(row->told, row->longest.t1 - row->longest.t0);
    assert_int_equal(row->wait_ns[WK_NET], 0);
    assert_true(row->told > 0 && row->told * 2 < row->waited);
    unmade(&m);
}

/* Who stood when the trace began, until another goroutine let it go on, may have waited for that very lock:
 * it had it from then on. */
static void no_holder_while_it_stood(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    ev(US, "GoStatus", "g=%u m=-1 waiting", 2);
    create(2 * US, 3, "queue");
    block(3 * US, "sleep", "time.Sleep:1,main.main:2");
    start(MS, 3);
    wake(MS + US, 1, "0");
    block(MS + 10 * US, "sync", "sync.(*Mutex).Lock:1,main.hold:20");
    start(3 * MS, 1);
    wake(3 * MS + US, 2, "sync.(*Mutex).Unlock:1,main.hold.func1:8");
    over(3 * MS + 2 * US);
    start(3 * MS + 3 * US, 2);
    wake(4 * MS, 3, "sync.(*Mutex).Unlock:1,main.hold.func1:8");
    over(4 * MS + 10 * US);
    start(4 * MS + 20 * US, 3);
    over(4 * MS + 30 * US);
    made_of(&m);
    assert_int_equal(m.l.tg->nlock_waits, 1);
    const struct lock_wait *w = &m.l.tg->lock_waits[0];
    const struct holder_row *row = holder_at(m.l.tg, w->place);
    assert_int_equal(row->longest.g, lane_of(&m, 2));
    assert_near_ns(row->longest.t1 - row->longest.t0, MS);
    assert_int_equal(row->told, row->longest.t1 - row->longest.t0);
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
        cmocka_unit_test(calls_are_no_running), cmocka_unit_test(stopped_is_not_idle),
        cmocka_unit_test(no_holder_elsewhere),  cmocka_unit_test(no_holder_while_it_stood),
        cmocka_unit_test(rest_is_no_leak),      cmocka_unit_test(a_reason_that_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
