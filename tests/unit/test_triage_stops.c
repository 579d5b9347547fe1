/*
 * test_triage_stops.c - what is said of stops of the world and of the collector, on traces made for it.
 */
#include "script_help.h"

#include "triage/findings/thresholds.h"

/* ---- stops -------------------------------------------------------------------------------------------------- */

static void stop(int64_t t0, int64_t t1, const char *kind)
{
    ev(t0, "STWBegin", "kind=\"%s\" stack=main.main:1", kind);
    ev(t1, "STWEnd", "%s", "");
}

static void stops_that_name_a_trace(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    stop(1 * MS, 5 * MS, "start trace");
    stop(6 * MS, 9 * MS, "stop trace");
    stop(10 * MS, 20 * MS, "all goroutines stack trace");
    over(30 * MS);
    made_of(&m);
    const struct finding *f = told(&m, RULE_STW);
    assert_non_null(f);
    assert_non_null(strstr(f->text, "all goroutines stack trace stopped the world 1 time"));
    assert_near_ns(f->severity_ns, 10 * MS);
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        assert_null(strstr(m.l.fs.f[i].text, "start trace"));
        assert_null(strstr(m.l.fs.f[i].text, "stop trace"));
    }
    unmade(&m);
}

/* Two kinds of the collector's, 6 % each: neither is told for itself, both together are. */
static void stops_of_the_collector(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (int i = 0; i < 40; i++) {
        stop((1 + 2 * i) * MS, (1 + 2 * i) * MS + 300 * US, i % 2 ? "GC sweep termination" : "GC mark termination");
    }
    over(100 * MS);
    made_of(&m);
    unsigned n = 0;
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        n += m.l.fs.f[i].rule == RULE_STW;
    }
    const struct finding *f = told(&m, RULE_STW);
    assert_int_equal(n, 1);
    assert_near_ns(f->severity_ns, 40 * 300 * US);
    assert_non_null(strstr(f->text, "stopped the world 40 times, 12.0% of the trace in all"));
    unmade(&m);
}

#define HELD 12
/*
 * The world stops HELD times for 4 ms, and G2 on P1 goes on until 3.9 ms of it are over. Then the world starts again, before that is
 * recorded: G3 runs on P1 for a moment. line: where G2 stops, another one each time if it is 0.
 */
static void held_up(unsigned line)
{
    begin(2);
    create(1 * US, 2, "etch");
    create(2 * US, 3, "wipe");
    for (unsigned i = 0; i < HELD; i++) {
        stop((5 + 10 * i) * MS, (9 + 10 * i) * MS, "GC sweep termination");
        ev((9 + 10 * i) * MS + 1 * US, "GCBegin", "gc_seq=%u stack=runtime.gcStart:1,main.main:1", 2 * i + 1);
        ev((9 + 10 * i) * MS + 2 * US, "GCEnd", "gc_seq=%u", 2 * i + 2);
    }
    over(10 * (HELD + 1) * MS);
    int64_t now = 0;
    script.n += (size_t)snprintf(script.p + script.n, sizeof script.p - script.n,
                                 "batch m=8 t=0\nProcStatus +500 p=1 idle\n");
    for (unsigned i = 0; i < HELD; i++) {
        const int64_t t0 = (4 + 10 * i) * MS, stops = (5 + 10 * i) * MS + 3900 * US;
        script.n += (size_t)snprintf(
            script.p + script.n, sizeof script.p - script.n,
            "ProcStart +%lld p=1 p_seq=%u\nGoStart +0 g=2 g_seq=%u\n"
            "GoStop +%lld reason=\"preempted\" stack=time.Sleep:1,main.etch:%u\n"
            "GoStart +%lld g=3 g_seq=%u\nGoStop +%lld reason=\"preempted\" stack=main.wipe:3\nProcStop +0\n",
            (long long)(t0 - now), i + 1, i + 1, (long long)(stops - t0), line ? line : i + 1, (long long)(40 * US),
            i + 1, (long long)(20 * US));
        now = stops + 60 * US;
    }
}

/* Who is not stopped is named, not who allocates; at another line each time it may be the host's doing. */
static void who_holds_up_the_stops(void **state)
{
    struct made m;
    (void)state;
    for (unsigned line = 0; line < 2; line++) {
        held_up(line);
        made_of(&m);
        const struct finding *f = told(&m, RULE_STW);
        assert_non_null(f);
        assert_true(!line == !strstr(f->text, "main.etch is what the stops wait for (inferred): in 12 of the 12"));
        assert_true(!line == !strstr(f->next, "Do it in pieces"));
        assert_non_null(strstr(f->text, "which ran G2 main.etch"));
        unmade(&m);
    }
}

static void many_short_stops(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (int i = 0; i < 90; i++) {
        stop((1 + i) * MS, (1 + i) * MS + 100 * US, "read mem stats");
    }
    over(100 * MS);
    made_of(&m);
    const struct finding *f = told(&m, RULE_STW);
    assert_non_null(f);
    assert_non_null(strstr(f->next, "their number"));
    assert_non_null(strstr(f->next, "900 a second"));
    assert_null(strstr(f->next, "loop without calls"));
    unmade(&m);
}

/* ---- the collector ------------------------------------------------------------------------------------------ */

/* A dedicated worker is stopped, goes on without a label, waits for a lock and goes on again: all of it is its mode's. */
static void workers_without_a_label(void **state)
{
    struct made m;
    struct mmu_point p;
    struct err e;
    int64_t window = 5 * MS, sum = 0;
    (void)state;
    begin(2);
    ev(US, "GoCreate", "%s", "new_g=2 new_stack=runtime.gcBgMarkWorker:1 stack=main.main:1");
    block(2 * US, "sleep", at_rest);
    start(MS, 2);
    block(MS + US, "system goroutine wait", "runtime.gcBgMarkWorker:2");
    wake(2 * MS, 2, "0");
    start(2 * MS, 2);
    ev(2 * MS, "GoLabel", "%s", "label=\"GC (dedicated)\"");
    yield(3 * MS);
    start(3 * MS, 2);
    block(9 * MS, "sync", "runtime.gcMarkDone:1");
    wake(10 * MS, 2, "0");
    start(10 * MS, 2);
    block(12 * MS, "system goroutine wait", "runtime.gcBgMarkWorker:2");
    wake(20 * MS, 2, "0");
    start(20 * MS, 2);
    ev(20 * MS, "GoLabel", "%s", "label=\"GC (idle)\"");
    yield(21 * MS);
    start(21 * MS, 2);
    block(24 * MS, "system goroutine wait", "runtime.gcBgMarkWorker:2");
    made_of(&m);
    assert_near_ns(m.l.tg->label_ns[GC_DEDICATED], 9 * MS);
    assert_near_ns(m.l.tg->label_ns[GC_IDLE], 4 * MS);
    assert_near_ns(m.l.tg->label_ns[GC_UNLABELLED], US);
    for (int i = 0; i < GC_MODES; i++) {
        sum += m.l.tg->label_ns[i];
    }
    assert_int_equal(sum, m.l.tg->p_sum.ns[ST_GCWORK]);
    assert_int_equal(triage_mmu(m.l.tr, MMU_DEFAULT, &window, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.49 && p.mmu < 0.51); /* one of two Ps, for all of the window */
    unmade(&m);
}

/* A cause of less than 1 % becomes a note: what would be signs of it is not told under it, and nothing is told of no finding. */
static void signs_of_a_small_cause(void **state)
{
    struct made m;
    (void)state;
    begin(1);
    for (unsigned g = 2; g < 302; g++) { /* they wait long for the one processor, a fifth of the trace each */
        create(g * US, g, "crowd");
    }
    stop(400 * US, 1450 * US, "read mem stats"); /* 1.05 ms of 302: told, and less than 1 % */
    block(1500 * US, "sleep", at_rest);
    for (unsigned g = 2; g < 302; g++) {
        start(g * MS, g);
        over(g * MS + 700 * US);
    }
    made_of(&m);
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        assert_true(m.l.fs.f[i].note || m.l.fs.f[i].severity_ns >= m.l.tg->end / 100);
    }
    assert_non_null(told(&m, RULE_STW));
    assert_true(told(&m, RULE_STW)->note);
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_of_a_small_cause),  cmocka_unit_test(stops_that_name_a_trace),
        cmocka_unit_test(who_holds_up_the_stops),  cmocka_unit_test(many_short_stops),
        cmocka_unit_test(workers_without_a_label), cmocka_unit_test(stops_of_the_collector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
