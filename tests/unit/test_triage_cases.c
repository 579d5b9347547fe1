/*
 * test_triage_cases.c - small traces written by hand, whose figures can be worked out on paper: who was last
 * to stop; hostile names; a thread that Go did not begin.
 */
#include "made_help.h"

#include "triage/report/report.h"

/* Equal times are pushed apart by 1 ns each, as Go's reader does. */
#define assert_near(a, b) assert_in_range((a) + 20 - (b), 0, 40)

/* Two Ps. The world is stopped at 20 us by G1 on P0; P1 goes on to 50 us; it starts again at 60 us. End at
 * 160 us. */
static const char stopped[] =
    "go 1.26\n"
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
    struct span held = {.who = NO_LANE};
    struct err e;
    int64_t w, after;
    (void)state;
    make(&m, stopped);
    assert_int_equal(m.l.tg->nstw, 1);
    r = &m.l.tg->stw[0];
    assert_true(r->is_gc && r->count == 1);
    assert_near(r->total, 40000);
    assert_near(r->longest.t0, 20000);
    assert_int_equal(r->longest.g, g_of(&m, 1));
    const uint32_t last = triage_last_to_stop(m.l.tr, &r->longest, &held, &after);
    assert_int_equal(trace_lane(m.l.tr, (struct lane){LANE_P, last}).id, 1);
    assert_int_equal(held.who, g_of(&m, 2));
    assert_near(after, 30000);
    w = 40000;
    assert_int_equal(triage_mmu(m.l.tg, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu < 0.001 && p.at >= 19980 && p.at <= 20020);
    w = 80000; /* half of any such window that covers the stop */
    assert_int_equal(triage_mmu(m.l.tg, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.499 && p.mmu < 0.501);
    w = 1000000; /* longer than the trace: 120 of 160 us */
    assert_int_equal(triage_mmu(m.l.tg, &w, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.749 && p.mmu < 0.751);
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
    json = report_json(&m.l, NULL);
    assert_non_null(json);
    for (const char *p = json; *p; p++)
        assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
    mem_free(json);
    text_free(&t);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop),
        cmocka_unit_test(hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
