/*
 * test_triage_defects.c - sentences that were wrong once, each on a small trace made for it: who was ready meanwhile,
 * who held a lock, what leaks. Those of stops and of the collector: test_triage_stops.c
 */
#include "script_help.h"

#include "triage/findings/asked.h"
#include "triage/findings/holder.h"
#include "triage/findings/thresholds.h"
#include "triage/report/report.h"

/* ---- processors --------------------------------------------------------------------------------------------- */

/* 300 goroutines at once on one P, each runs 1 ms: they waited 45 s in 302 ms. */
static void cost_is_at_most_the_trace(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 302; g++) {
        create(g * US, g, "crowd");
    }
    block(MS, "sleep", "time.Sleep:1,main.main:2");
    for (unsigned g = 2; g < 302; g++) {
        start(g * MS, g);
        over(g * MS + 999 * US);
    }
    made_of(&m);
    const struct finding *p = told(&m, RULE_PROCS_BELOW);
    assert_non_null(p);                /* 99 % busy, work queued */
    assert_null(told(&m, RULE_SCHED)); /* that is a sign of it */
    assert_non_null(strstr(p->text, "scheduler latency"));
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        assert_true(m.l.fs.f[i].severity_ns <= m.l.tg->end);
    }
    unmade(&m);
}

/* 300 are runnable while the one P idles for 60 of 70 ms: they waited 18 s, and nothing else tells why. */
static void latency_without_a_cause(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 302; g++) {
        create(g * US, g, "crowd");
    }
    block(MS, "sleep", "time.Sleep:1,main.main:2");
    nothing_to_do(MS + US, 60 * MS);
    for (unsigned g = 2; g < 302; g++) {
        start(60 * MS + g * 30 * US, g);
        over(60 * MS + g * 30 * US + 25 * US);
    }
    made_of(&m);
    const struct finding *f = told(&m, RULE_SCHED);
    assert_non_null(f);
    assert_true(f->note); /* a sign of what is not told */
    assert_int_equal(f->severity_ns, m.l.tg->end);
    unmade(&m);
}

/* A broadcast wakes 60, one P runs them one after the other: their waits for it sum up to more than the trace. */
static void herd_is_at_most_the_trace(void **state)
{
    static const char cond[] = "sync.runtime_notifyListWait:1,sync.(*Cond).Wait:2,main.buy:3";
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 62; g++) {
        create(g * US, g, "buy");
    }
    block(100 * US, "sleep", at_rest);
    for (unsigned g = 2; g < 62; g++, t += 5 * US) {
        start(t, g);
        block(t + US, "sync", cond);
    }
    for (int r = 0; r < 6; r++) {
        wake(t += US, 1, "0");
        start(t += US, 1);
        for (unsigned g = 2; g < 62; g++) {
            wake(t += 100, g, "sync.(*Cond).Broadcast:1,main.bake:5");
        }
        block(t += US, "sleep", at_rest);
        for (unsigned g = 2; g < 62; g++) {
            start(t += US, g);
            block(t += 15 * US, "sync", cond);
        }
    }
    wake(t += US, 1, "0");
    start(t += US, 1);
    over(t + US);
    made_of(&m);
    const struct finding *f = told(&m, RULE_HERD);
    assert_non_null(f);
    assert_true(f->severity_ns < m.l.tg->end && f->severity_ns * 10 > m.l.tg->end * 8);
    assert_non_null(strstr(f->text, "this took 5.40ms of running in all"));
    assert_null(strstr(f->text, "cost")); /* what they waited is no cost */
    unmade(&m);
}

/* One P at 98.5 % with one goroutine waiting for it most of the time; where there are two in the end, that may be the program's doing. */
static void busy_with_work_queued(void **state)
{
    (void)state;
    for (int changes = 0; changes < 2; changes++) {
        struct made m;
        begin(1);
        create(1 * US, 2, "one");
        create(2 * US, 3, "two");
        block(104 * US, "sleep", "time.Sleep:1,main.main:2");
        for (int i = 0; i < 20; i++) {
            start(i * 10 * MS + 200 * US, 2 + (unsigned)i % 2);
            if (changes && i == 19) {
                ev(i * 10 * MS + 9900 * US, "ProcsChange", "%s", "procs=2 stack=0");
            }
            yield(i * 10 * MS + 9950 * US);
        }
        made_of(&m);
        const struct finding *f = told(&m, RULE_PROCS_BELOW);
        assert_non_null(f);
        assert_non_null(strstr(f->text, "The only processor was in use"));
        assert_true(f->severity_ns > 60 * MS && f->severity_ns < 110 * MS);
        assert_int_equal(!strstr(f->next, "only cheaper work helps"), changes);
        assert_int_equal(!!strstr(f->next, "GOMAXPROCS changes within the trace"), changes);
        unmade(&m);
    }
}

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

/* P0 goes idle in a stop of the world (before 1.22 stops did that to all Ps); G2 is runnable all the while. */
static void stopped_is_not_idle(void **state)
{
    struct made m;
    (void)state;
    begin(2);
    create(1 * US, 2, "later");
    ev(1 * MS, "STWBegin", "%s", "kind=\"all goroutines stack trace\" stack=main.main:1");
    script.n += (size_t)snprintf(script.p + script.n, sizeof script.p - script.n,
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

/* ---- locks -------------------------------------------------------------------------------------------------- */

#define QUEUE 8
enum { KEEPER = 30 };

/* Who takes it and lets go of it in one function has not had it since before it waited elsewhere: there it waited with nothing. */
static void no_holder_elsewhere(void **state)
{
    struct made m;
    struct holding h[HOLDINGS_MAX];
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
    assert_int_equal(holder_parts(m.l.tg, w->g, w->t0, h), 1);
    assert_int_equal(h[0].g, lane_of(&m, KEEPER));
    assert_near_ns(h[0].t1 - h[0].t0, MS);
    const struct holder_row *row = holder_at(m.l.tg, w->place);
    assert_int_equal(row->wait_ns[WK_NET], 0);
    assert_true(row->told > 0 && row->told * 2 < row->waited);
    unmade(&m);
}

/* Who stood when the trace began, until another goroutine let it go on, may have waited for that very lock: it had it from then on. */
static void no_holder_while_it_stood(void **state)
{
    struct made m;
    struct holding h[HOLDINGS_MAX];
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
    assert_int_equal(holder_parts(m.l.tg, w->g, w->t0, h), 1);
    assert_int_equal(h[0].g, lane_of(&m, 2));
    assert_near_ns(h[0].t1 - h[0].t0, MS);
    unmade(&m);
}

/* ---- leaks -------------------------------------------------------------------------------------------------- */

static const char lost_at[] = "runtime.chanrecv1:1,main.wait:7";

/* 60 come all along; each sleeps, then every third waits for good and the others end. */
static void leaks_among_siblings(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    block(US, "sleep", at_rest);
    for (unsigned g = 2; g < 62; g++) {
        int64_t t = g * MS;
        wake(t, 1, "0");
        start(t + US, 1);
        create(t + 2 * US, g, "request");
        block(t + 3 * US, "sleep", at_rest);
        start(t + 4 * US, g);
        block(t + 5 * US, "sleep", "time.Sleep:1,main.request:5");
        wake(t + 105 * US, g, "0");
        start(t + 106 * US, g);
        if (g % 3 == 0) {
            block(t + 110 * US, "chan receive", lost_at);
        } else {
            over(t + 110 * US);
        }
    }
    made_of(&m);
    const struct finding *f = told(&m, RULE_LEAK);
    assert_non_null(f);
    assert_string_equal(f->amount, "+20");
    assert_non_null(strstr(f->text, "main.request: 60 created, 40 ended; 20 blocked (chan receive)"));
    unmade(&m);
}

/* 40 come all along and wait to write; of those that read, the other 40, some news come to each now and then. */
static void silent_connections_pile_up(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    block(US, "sleep", at_rest);
    for (unsigned g = 2; g < 82; g++) {
        int64_t t = g * MS;
        wake(t, 1, "0");
        start(t + US, 1);
        create(t + 2 * US, g, g % 2 ? "teller" : "writer");
        block(t + 3 * US, "sleep", at_rest);
        start(t + 4 * US, g);
        block(t + 5 * US, "network",
              g % 2 ? "internal/poll.(*FD).Read:1,main.teller:5" : "internal/poll.(*FD).Write:1,main.writer:5");
        for (unsigned k = 3; k < g; k += 8) { /* each eighth of those that read */
            const unsigned h = k + g / 2 % 4 * 2;
            if (h < g && h % 2) {
                wake(t + (200 + k) * US, h, "0");
                start(t + (200 + k) * US + 100, h);
                block(t + (200 + k) * US + 200, "network", "internal/poll.(*FD).Read:1,main.teller:5");
            }
        }
    }
    made_of(&m);
    unsigned told_of = 0;
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        const struct finding *f = &m.l.fs.f[i];
        if (f->rule == RULE_LEAK) {
            told_of++;
            assert_true(f->note);
            assert_non_null(
                strstr(f->text, "goroutines of main.writer that wait for the network and stay, 492 a second"));
            assert_non_null(strstr(f->text, "none has ever gone on there"));
            assert_non_null(strstr(f->next, "SetWriteDeadline"));
        }
    }
    assert_int_equal(told_of, 1);
    unmade(&m);
}

static void leak_of_cut(const char *path)
{
    struct loaded l;
    help_load(path, &l);
    bool told = false;
    for (uint32_t i = 0; i < l.fs.n; i++) {
        const struct finding *f = &l.fs.f[i];
        if (f->rule == RULE_LEAK) {
            told = true;
            assert_string_equal(f->amount, "+25");
            assert_non_null(strstr(f->text, "2.002s until their record ends"));
            assert_true(f->t0 < l.tg->end / 1000 && f->t1 < l.tg->end);
        }
    }
    assert_true(told);
    load_free(&l);
}

/* A killed program's last generation holds no end of anything: up to there its goroutines are asked about as in a whole trace. */
static void leak_before_a_cut(void **state)
{
    (void)state;
    if (help_have_shared()) {
        assert_int_equal(help_each("../shared/traces", "cut_leak-long-1.22-p4_batch-boundary-in", leak_of_cut), 1);
        assert_int_equal(help_each("../shared/traces", "cut_leak-long-1.27-p2_batch-boundary-in", leak_of_cut), 1);
    }
}

/* Workers that wait again where they had waited before are at rest; so are those on their way like all before them. */
static void rest_is_no_leak(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 32; g++) {
        create(g * US, g, "worker");
    }
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

/* ---- workers and words -------------------------------------------------------------------------------------- */

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
    report_text(&t, &m.l);
    assert_non_null(strstr(t.p, "reason not recorded at main.main"));
    text_free(&t);
    unmade(&m);
}

/* ---- not asked ---------------------------------------------------------------------------------------------- */

/* ---- what an advice fits -------------------------------------------------------------------------------------- */

/* One stop that was asked for is no reason to ask less often; many of them, or one that is much of the trace, are. */
static void one_stop_is_a_note(void **state)
{
    static const struct {
        unsigned n;
        int64_t ns, end;
        bool note;
    } row[] = {{1, 3 * MS, 200 * MS, true},
               {2, 3 * MS, 200 * MS, true},
               {3, 3 * MS, 200 * MS, false},
               {1, 12 * MS, 200 * MS, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct made m;
        int64_t t = MS;
        begin(1);
        for (unsigned k = 0; k < row[i].n; k++) {
            ev(t, "STWBegin", "%s", "kind=\"read mem stats\" stack=runtime.ReadMemStats:1,main.gauge:2,main.main:3");
            ev(t + row[i].ns, "STWEnd", "%s", "");
            t += 2 * row[i].ns;
        }
        block(row[i].end, "sleep", at_rest);
        made_of(&m);
        const struct finding *f = told(&m, RULE_STW);
        assert_non_null(f);
        assert_int_equal(f->note, row[i].note);
        assert_int_equal(strstr(f->next, "call it less often") == NULL, row[i].note);
        assert_non_null(strstr(f->text, "main.gauge"));
        unmade(&m);
    }
}

/* Who wants to read stands behind who wants to write, for good: one of them may want to read again. */
static void stuck_behind_a_writer(void **state)
{
    static const char *const first[] = {"sync.(*RWMutex).Lock:1,main.touch:3", "sync.(*Mutex).Lock:1,main.touch:3"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct made m;
        begin(1);
        create(US, 2, "worker");
        create(2 * US, 3, "reporter");
        block(3 * US, "sleep", at_rest);
        start(MS, 2);
        block(2 * MS, "sync", first[i]);
        start(3 * MS, 3);
        block(4 * MS, "sync", "sync.(*RWMutex).RLock:1,main.length:5,main.report:6");
        wake(2000 * MS, 1, "0");
        start(2001 * MS, 1);
        made_of(&m);
        const struct finding *f = told(&m, RULE_STUCK);
        assert_non_null(f);
        assert_int_equal(strstr(f->next, "a read lock taken again") != NULL, i == 0);
        unmade(&m);
    }
}

/* ---- longer each time ------------------------------------------------------------------------------------------ */

/* Tasks one after another, the i-th with so many sleeps of 100 us; by one goroutine, or by turns by two. */
static void tasks_asleep(unsigned n, unsigned first, unsigned per_task, unsigned workers)
{
    int64_t t = MS;
    begin(1);
    create(US, 2, "worker");
    create(2 * US, 3, "worker");
    block(3 * US, "sleep", at_rest);
    for (unsigned i = 0; i < n; i++) {
        const unsigned g = 2 + i % workers;
        if (i >= workers) {
            wake(t += US, g, "0");
        }
        start(t += US, g);
        ev(t += US, "UserTaskBegin", "task=%u parent=0 name=\"bulletin\" stack=main.publish:4,main.main:2", i + 1);
        for (unsigned k = 0; k < first + i * per_task / 4; k++) {
            block(t += US, "sleep", "time.Sleep:1,main.publish:7,main.main:2");
            wake(t += 100 * US, g, "0");
            start(t += US, g);
        }
        ev(t += US, "UserTaskEnd", "task=%u stack=main.publish:9,main.main:2", i + 1);
        block(t += US, "sleep", at_rest);
    }
}

/* Waits for timers that grow from task to task are told where one goroutine does them all; of several each may wait for the others' load. */
static void waits_that_grow(void **state)
{
    static const struct {
        unsigned first, per_task, workers;
        bool told;
    } row[] = {{2, 1, 1, true}, {8, 0, 1, false}, {2, 1, 2, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct made m;
        tasks_asleep(60, row[i].first, row[i].per_task, row[i].workers);
        made_of(&m);
        const struct finding *f = told(&m, RULE_TREND);
        assert_int_equal(f != NULL, row[i].told);
        if (f) {
            assert_non_null(strstr(f->text, "main.publish"));
            assert_non_null(strstr(f->text, "\"bulletin\" (60) works and waits for "));
            assert_non_null(strstr(f->text, "What grows most: waiting for a timer in main.publish"));
            assert_non_null(strstr(f->next, "wait for everything that came before it"));
        }
        unmade(&m);
    }
}

/* ---- a time limit that nobody looks at ------------------------------------------------------------------------- */

/* ---- taken in order ------------------------------------------------------------------------------------------ */

enum { BINDER = 1, DISPATCHER = 2, PIECE = 10, AHEAD = 4 };

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_is_at_most_the_trace),
        cmocka_unit_test(busy_with_work_queued),
        cmocka_unit_test(calls_are_no_running),
        cmocka_unit_test(stopped_is_not_idle),
        cmocka_unit_test(no_holder_elsewhere),
        cmocka_unit_test(one_stop_is_a_note),
        cmocka_unit_test(stuck_behind_a_writer),
        cmocka_unit_test(waits_that_grow),
        cmocka_unit_test(no_holder_while_it_stood),
        cmocka_unit_test(leaks_among_siblings),
        cmocka_unit_test(leak_before_a_cut),
        cmocka_unit_test(silent_connections_pile_up),
        cmocka_unit_test(rest_is_no_leak),
        cmocka_unit_test(a_reason_that_is_empty),
        cmocka_unit_test(latency_without_a_cause),
        cmocka_unit_test(herd_is_at_most_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
