/*
 * test_triage_cases.c - small traces written by hand, whose figures can be worked out on paper: a chain of wake-ups,
 * who was last to stop, mutator utilisation, why Ps idled; and hostile names.
 */
#include "made_help.h"

#include "triage/tables/chain.h"
#include "triage/report/report.h"

/* Equal times are pushed apart by 1 ns each, as Go's reader does. */
#define assert_near(a, b) assert_in_range((a) + 20 - (b), 0, 40)

/* G1 holds a lock through a system call of 3 ms; G2 waits for it; G3 waits for G2 on a channel. One P; ns. */
static const char held[] = "go 1.26\n"
                           "batch m=7 t=0\n"
                           "ProcStatus +0 p=0 running\n"
                           "GoStatus +0 g=1 m=7 running\n"
                           "ProcsChange +0 procs=1 stack=0\n"
                           "GoCreate +1000 new_g=2 new_stack=main.second:20 stack=main.first:10\n"
                           "GoCreate +1000 new_g=3 new_stack=main.third:30 stack=main.first:11\n"
                           "GoStop +1000 reason=\"preempted\" stack=main.first:12\n"
                           "GoStart +1000 g=3 g_seq=1\n"
                           "GoBlock +1000 reason=\"chan receive\" stack=runtime.chanrecv1:1,main.third:31\n"
                           "GoStart +1000 g=2 g_seq=1\n"
                           "GoBlock +1000 reason=\"sync\" stack=sync.(*Mutex).Lock:90,main.second:21\n"
                           "GoStart +1000 g=1 g_seq=1\n"
                           "GoSyscallBegin +2000 p_seq=1 stack=syscall.write:5,main.first:13\n"
                           "GoSyscallEnd +3000000\n"
                           "GoUnblock +10000 g=2 g_seq=2 stack=sync.(*Mutex).Unlock:120,main.first:14\n"
                           "GoBlock +10000 reason=\"sleep\" stack=time.Sleep:1,main.first:15\n"
                           "GoStart +5000 g=2 g_seq=3\n"
                           "GoUnblock +10000 g=3 g_seq=2 stack=runtime.chansend1:1,main.second:22\n"
                           "GoDestroy +10000\n"
                           "GoStart +5000 g=3 g_seq=3\n"
                           "GoDestroy +10000\n";

static void a_chain(void **state)
{
    struct made m;
    struct chain_link c[CHAIN_MAX];
    struct text t = {0};
    uint32_t n;
    (void)state;
    make(&m, held);
    n = chain_follow(m.l.tr, g_of(&m, 3), 100000, c);
    assert_int_equal(n, 3);
    assert_int_equal(c[0].g, g_of(&m, 3));
    assert_near(c[0].t0, 5000);
    assert_int_equal(c[1].g, g_of(&m, 2));
    assert_int_equal(c[1].state, ST_WAITING);
    assert_int_equal(c[2].g, g_of(&m, 1));
    assert_int_equal(c[2].state, ST_SYSCALL);
    assert_near(c[2].ns, 3000000);
    assert_int_equal(c[n - 1].g, g_of(&m, 1));
    chain_text(&t, m.l.tr, c, n);
    assert_string_equal(t.p,
                        "G3 main.third was 3.04ms waiting (chan receive) at runtime.chanrecv1 in main.third <- woken "
                        "by G2 main.second (runtime.chansend1 in main.second), until then 3.01ms waiting (sync) at "
                        "sync.(*Mutex).Lock in main.second <- woken by G1 main.first (sync.(*Mutex).Unlock in "
                        "main.first), until then 3.00ms in a system call at syscall.write in main.first");
    text_free(&t);
    assert_int_equal(chain_follow(m.l.tr, g_of(&m, 1), 100000, c), 0); /* it does not wait then */
    assert_int_equal(chain_follow(m.l.tr, NO_LANE, 0, c), 0);
    unmake(&m);
}

static void tables_by_hand(void **state)
{
    struct made m;
    struct gstat g;
    bool spoke = false;
    (void)state;
    make(&m, held);
    g = gstat_of(m.l.tg->g, g_of(&m, 2));
    assert_near(g.ns[GM_EXEC], 1000 + 20000);
    assert_near(g.ns[GM_SCHED], 5000 + 15000); /* created at 1000, ran at 6000; woken, ran 15 us later */
    assert_near(g.ns[GM_WAIT], 3013000);
    assert_int_equal(g.waits, 1);
    g = gstat_of(m.l.tg->g, g_of(&m, 1));
    assert_near(g.ns[GM_SYSCALL], 3000000);
    assert_int_equal(g.ns[GM_SYSBLOCK], 0);
    assert_int_equal(gstat_ended(m.l.tg->g, g_of(&m, 1)), 1);
    assert_int_equal(m.l.tg->nlock_waits, 1);
    assert_int_equal(m.l.tg->lock_waits[0].waker, g_of(&m, 1));
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        spoke |= m.l.fs.f[i].rule == RULE_SYSCALL && m.l.fs.f[i].severity_ns / 1000 == 3000;
    }
    assert_true(spoke);
    unmake(&m);
}

/* Four Ps; of G2, which assists all the while, the thread's P is not known. */
static const char somewhere[] = "go 1.26\n"
                                "batch m=7 t=0\n"
                                "ProcStatus +0 p=0 running\n"
                                "GoStatus +0 g=1 m=7 running\n"
                                "ProcsChange +0 procs=4 stack=0\n"
                                "GoBlock +99000 reason=\"sleep\" stack=time.Sleep:1,main.main:12\n"
                                "batch m=8 t=0\n"
                                "GoStatus +0 g=2 m=8 running\n"
                                "GCMarkAssistActive +0 g=2\n"
                                "batch m=9 t=0\n"
                                "ProcStatus +500 p=1 idle\n"
                                "ProcStatus +500 p=2 idle\n"
                                "ProcStatus +500 p=3 idle\n";

static void an_unknown_processor(void **state)
{
    struct made m;
    struct mmu_point p;
    struct err e;
    int64_t w = 20000;
    (void)state;
    make(&m, somewhere);
    assert_true(gstat_ns(m.l.tg->g, g_of(&m, 2), GM_ASSIST) >= 90000);
    assert_int_equal(triage_mmu(m.l.tr, MMU_DEFAULT, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.749 && p.mmu < 0.751); /* it takes one of the four */
    for (uint32_t i = 0; i < m.l.tg->nmmu; i++) {
        assert_true(m.l.tg->mmu[i].mmu > 0.749 && m.l.tg->mmu[i].mmu < 0.751);
    }
    unmake(&m);
}

/* Two Ps. The world is stopped at 20 us by G1 on P0; P1 goes on to 50 us; it starts again at 60 us. End at 160 us. */
static const char stopped[] = "go 1.26\n"
                              "batch m=7 t=0\n"
                              "ProcStatus +0 p=0 running\n"
                              "GoStatus +0 g=1 m=7 running\n"
                              "ProcsChange +0 procs=2 stack=0\n"
                              "GoCreate +1000 new_g=2 new_stack=main.busy:20 stack=main.main:10\n"
                              "STWBegin +19000 kind=\"GC sweep termination\" stack=runtime.GC:1,main.main:11\n"
                              "STWEnd +40000\n"
                              "GoBlock +100000 reason=\"sleep\" stack=time.Sleep:1,main.main:12\n"
                              "batch m=8 t=0\n"
                              "ProcStatus +500 p=1 idle\n"
                              "ProcStart +1000 p=1 p_seq=1\n"
                              "GoStart +500 g=2 g_seq=1\n"
                              "GoStop +48000 reason=\"preempted\" stack=main.busy:21\n"
                              "ProcStop +0\n"
                              "ProcStart +20000 p=1 p_seq=2\n"
                              "GoStart +0 g=2 g_seq=2\n"
                              "GoDestroy +10000\n";

static void a_stop(void **state)
{
    struct made m;
    const struct stw_row *r;
    struct mmu_point p;
    struct err e;
    int64_t w;
    (void)state;
    make(&m, stopped);
    assert_int_equal(m.l.tg->nstw, 1);
    r = &m.l.tg->stw[0];
    assert_true(r->is_gc && r->count == 1);
    assert_near(r->total, 40000);
    assert_near(r->longest.t0, 20000);
    assert_int_equal(r->longest.g, g_of(&m, 1));
    assert_int_equal(trace_lane(m.l.tr, (struct lane){LANE_P, r->last_p}).id, 1);
    assert_int_equal(r->last_g, g_of(&m, 2));
    assert_near(r->last_ns, 30000);
    assert_int_equal(trace_frame(m.l.tr, r->last_stack, 0).line, 21);
    w = 40000;
    assert_int_equal(triage_mmu(m.l.tr, MMU_DEFAULT, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu < 0.001 && p.at >= 19980 && p.at <= 20020);
    w = 80000; /* half of any such window that covers the stop */
    assert_int_equal(triage_mmu(m.l.tr, MMU_DEFAULT, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.499 && p.mmu < 0.501);
    w = 1000000; /* longer than the trace: 120 of 160 us */
    assert_int_equal(triage_mmu(m.l.tr, MMU_DEFAULT, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.749 && p.mmu < 0.751);
    /* P1 idled for 10 us while the world was stopped, 10 us after that while G2 was runnable for less than 50 us */
    assert_near(m.l.tg->idle[IDLE_STW], 10000);
    assert_int_equal(m.l.tg->idle[IDLE_MISSED], 0);
    unmake(&m);
}

static const char hostile[] =
    "go 1.26\n"
    "batch m=7 t=0\n"
    "ProcStatus +0 p=0 running\n"
    "GoStatus +0 g=1 m=7 running\n"
    "ProcsChange +0 procs=1 stack=0\n"
    "UserTaskBegin +1 task=1 parent=0 name=\"\\x1b]0;owned\\x07\\xff\\xe2\\x80\\xae\" stack=0\n"
    "UserRegionBegin +1 task=1 name=\"\\x1b[2J\\xc2\\x9b\" stack=0\n"
    "UserRegionEnd +1 task=1 name=\"\\x1b[2J\\xc2\\x9b\" stack=0\n"
    "UserTaskEnd +1000 task=1 stack=0\n"
    "GoBlock +1 reason=\"\\x1b[5msync\\n\" stack=0\n";

static void hostile_names(void **state)
{
    struct made m;
    struct text t = {0};
    char *json;
    (void)state;
    make(&m, hostile);
    report_text(&t, &m.l); /* not ascii: as it would go to a terminal with --utf8 */
    assert_true(text_ok(&t));
    for (size_t i = 0; i < t.n; i++) {
        unsigned char c = (unsigned char)t.p[i];
        assert_true(c == '\n' || (c >= 0x20 && c != 0x7f));
        assert_false(c == 0xff);
    }
    assert_non_null(strstr(t.p, "gotop report: a ?[31mpath"));
    assert_non_null(strstr(t.p, " ?]0;owned??? "));
    assert_non_null(strstr(t.p, " ?[2J? "));
    assert_non_null(strstr(t.p, "?[5msync?"));
    json = report_json(&m.l);
    assert_non_null(json);
    for (const char *p = json; *p; p++) {
        assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
    }
    mem_free(json);
    text_free(&t);
    unmake(&m);
}

/* The main goroutine sleeps 1 ms at each of so many places, and `last` ms at the one behind them. */
static void sleepy(struct made *m, int places, int last)
{
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                        "ProcsChange +0 procs=1 stack=0\n");
    for (int i = 0; i <= places; i++) {
        tracegen_printf(&b,
                        "GoBlock +1000 reason=\"sleep\" stack=time.Sleep:1,main.f%d:3,main.main:9\n"
                        "GoUnblock +%d g=1 g_seq=%d stack=0\nGoStart +100 g=1 g_seq=%d\n",
                        i, (i < places ? 1 : last) * 1000000, 2 * i + 1, 2 * i + 2);
    }
    tracegen_printf(&b, "GoBlock +1000 reason=\"forever\" stack=main.main:11\n");
    make(m, (char *)b.p);
    tracegen_free(&b);
}

static const char *time_spent(const struct made *m)
{
    return help_tells(&m->l, RULE_TIME)->text;
}

/* The largest is told however many there are; where none is large, whose time it was and why. */
static void many_places(void **state)
{
    struct made m;
    (void)state;
    sleepy(&m, 40, 20);
    assert_non_null(
        strstr(time_spent(&m), "critical path: waiting for a timer in main.f40, called by main.main 33.3%"));
    unmake(&m);
    sleepy(&m, 40, 1);
    assert_non_null(strstr(time_spent(&m), "by goroutines: main.main waiting for a timer 99.9%; most at one place"));
    unmake(&m);
}

/* Of two that are in a system call all through the trace one stands for C's threads and has no name: nobody reads there. */
static void extra_thread(void **state)
{
    static const char *const who[] = {"GoCreate +1 g=17\nGoInSyscall +1 g=17\n",
                                      "GoCreate +1 g=17 new_stack=main.read:1\nGoInSyscall +1 g=17\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct made m;
        char text[600];
        snprintf(text, sizeof text,
                 "go 1.21\nbatch p=0 t=1000\nGoCreate +0 g=1 new_stack=main.main:1 "
                 "stack=runtime/trace.Start:1\n%sProcStart +1 thread=7\nGoStart +1 g=1 seq=1\nGomaxprocs +1 "
                 "procs=1\nGoSleep +10\nProcStop +10\n"
                 "ProcStart +3000000 thread=7\nGoUnblock +10 g=1 seq=2\nGoStart +10 g=1 seq=3\nGoEnd +1000\n",
                 who[i]);
        make(&m, text);
        assert_near(m.l.tg->idle[IDLE_SYSCALL], i ? 3000000 : 0);
        assert_near(m.l.tg->idle[IDLE_NOWORK], i ? 0 : 3000000);
        unmake(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),      cmocka_unit_test(tables_by_hand), cmocka_unit_test(an_unknown_processor),
        cmocka_unit_test(a_stop),       cmocka_unit_test(hostile_names),  cmocka_unit_test(many_places),
        cmocka_unit_test(extra_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
