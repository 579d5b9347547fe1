/*
 * test_triage_stops.c - what is said of stops of the world and of the collector, on traces made for it.
 */
#include "script_help.h"

#include "triage/findings/thresholds.h"

/* ---- the collector ------------------------------------------------------------------------------------- */

/* A dedicated worker is stopped, goes on without a label, waits for a lock and goes on again: all of it is
 * its mode's. */
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
    for (int i = 0; i < GC_MODES; i++)
        sum += m.l.tg->label_ns[i];
    assert_int_equal(sum, m.l.tg->p_sum.ns[ST_GCWORK]);
    assert_int_equal(triage_mmu(m.l.tg, &window, 1, &p, &e), ERR_OK);
    assert_true(p.mmu > 0.49 && p.mmu < 0.51); /* one of two Ps, for all of the window */
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workers_without_a_label)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
