/*
 * test_join.c - generations that are decoded apart and joined, held against the same bytes read as one (a
 * trace that grows): the same model, by one thread and by three. What crosses a seam is one thing; what can't
 * be understood apart is read plainly.
 */
#include "tests/unit/model_text.h"
#include "tests/unit/query_check.h"
#include "tests/unit/sched_sim.h"

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
/* The next generation, where G1 runs on P0 by M7. */
#define NEXT(t) "endgen\nbatch m=7 t=" #t "\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* Without stacks the last generation would be one that was cut short: then all is read as one. */
static char *ended(const char *text)
{
    struct tracegen_buf b = {0};
    tracegen_put(&b, text, strlen(text));
    tracegen_printf(&b, "UserLog +1 task=0 key=\"end\" value=\"log\" stack=main.end:1\n");
    return (char *)b.p;
}

static struct loaded load_as(const char *text, int threads, bool grows)
{
    struct loaded l = {0};
    const struct trace_opts o = {.threads = threads, .grows = grows};
    struct err e;
    l.bytes = tracegen_bytes(text, &l.n);
    assert_int_equal(trace_open_mem(l.bytes, l.n, &o, &l.tr, &e), ERR_OK);
    if (grows) {
        assert_int_equal(trace_load(l.tr, INT64_MAX), LOAD_WAIT);
        trace_grown(l.tr);
    }
    assert_int_equal(trace_load(l.tr, INT64_MAX), LOAD_DONE);
    return l;
}

#define JOINS(n) (n)
#define PLAIN 0 /* whatever was tried before */

/* joins - by one thread and three the same as plainly, of so many segments. Its model is returned. */
static struct loaded joins(const char *generations, uint32_t segments)
{
    char *text = ended(generations);
    struct loaded plain = load_as(text, 1, true), one = {0};
    char *want = model_text(plain.tr);
    assert_int_equal(plain.tr->join.n, 0);
    const bool whole = !trace_info(plain.tr)->ndamages; /* else the damage is looked at more closely */
    for (int threads = 3; threads >= 1; threads -= 2) {
        struct loaded l = load_as(text, threads, false);
        char *got = model_text(l.tr);
        if (!whole && threads == 3) {
            free(want);
            want = strdup(got);
        }
        same_text(threads == 1 ? "one thread" : "three threads", want, got);
        assert_int_equal(l.tr->join.n, segments);
        if (segments && threads == 1)
            assert_int_equal(l.tr->cost.redone, 0); /* it knows what was before */
        free(got);
        if (threads > 1)
            unload(&l);
        else
            one = l;
    }
    free(want);
    free(text);
    unload(&plain);
    return one;
}

/* ---- what crosses a seam is one thing ------------------------------------------------------------------ */

static void test_tasks(void **state)
{
    (void)state;
    struct loaded l =
        joins(P0 "UserTaskBegin +5 task=5 parent=0 name=\"job\" stack=main.f:1\n"
                 "UserTaskBegin +5 task=6 parent=5 name=\"part\" stack=0\n" NEXT(
                     200) "UserTaskEnd +5 task=5 stack=0\nUserTaskEnd +5 task=77 stack=0\n"
                          "UserTaskBegin +5 task=8 parent=6 name=\"other\" stack=0\n" NEXT(
                              300) "UserTaskEnd +5 task=8 stack=0\nUserTaskEnd +5 task=78 stack=0\n"
                                   "UserTaskBegin +5 task=5 parent=0 name=\"anew\" stack=0\n",
              JOINS(3));
    const struct task *t;
    expect_whole(l.tr);
    assert_int_equal(trace_tasks(l.tr, &t), 6);
    /* by their beginnings: of two nobody told */
    assert_true(t[0].open_start && t[0].id == 77 && t[1].open_start && t[1].id == 78);
    assert_true(t[2].id == 5 && t[2].t0 == 6 && t[2].t1 == 106 && !t[2].open_end);
    assert_true(t[3].id == 6 && t[3].open_end && t[3].t1 == trace_info(l.tr)->end);
    assert_true(t[4].id == 8 && t[4].t0 == 116 && t[4].t1 == 206 && raw_id(l.tr, LANE_G, t[4].g_end) == 1);
    assert_true(t[5].id == 5 && t[5].t0 == 216 && t[5].open_end);
    unload(&l);
}

static void test_task_twice(void **state)
{
    (void)state;
    struct loaded l = joins(
        P0 "UserTaskBegin +5 task=5 parent=0 name=\"job\" stack=0\n" NEXT(
            200) "UserTaskBegin +5 task=5 parent=0 name=\"again\" stack=0\nUserTaskEnd +5 task=5 stack=0\n",
        PLAIN);
    expect_damage(l.tr, ERR_ORDER, "the task is open already (5)");
    unload(&l);
}

static void test_regions(void **state)
{
    (void)state;
    struct loaded l = joins(
        P0
        "UserRegionBegin +5 task=0 name=\"outer\" stack=main.f:1\nUserRegionBegin +5 task=0 name=\"inner\" "
        "stack=0\n"
        "GoCreate +5 new_g=2 new_stack=main.g:1 stack=0\n" NEXT(
            200) "GoStatus +1 g=2 m=-1 runnable\nUserRegionEnd +5 task=0 name=\"inner\" stack=main.f:9\n"
                 "UserRegionBegin +5 task=0 name=\"second\" stack=0\nUserRegionBegin +5 task=0 "
                 "name=\"within\" "
                 "stack=0\n"
                 "UserRegionEnd +5 task=0 name=\"within\" stack=0\nUserRegionEnd +5 task=0 name=\"second\" "
                 "stack=0\n"
                 "UserRegionBegin +5 task=0 name=\"third\" stack=0\n"
                 "GoBlock +5 reason=\"sleep\" stack=0\nGoStart +5 g=2 g_seq=1\n"
                 "UserRegionBegin +5 task=0 name=\"of2\" stack=0\nGoCreate +5 new_g=3 new_stack=main.h:1 "
                 "stack=0\n"
                 "GoStop +5 reason=\"preempted\" stack=0\nGoStart +5 g=3 g_seq=1\nUserRegionBegin +1 task=0 "
                 "name=\"of3\" stack=0\n"
                 "endgen\nbatch m=7 t=400\nProcStatus +1 p=0 running\nGoStatus +1 g=3 m=7 running\nGoStatus "
                 "+1 g=2 "
                 "m=-1 runnable\n"
                 "GoStatus +1 g=1 m=-1 waiting\nGoDestroy +5\nGoStart +5 g=2 g_seq=1\nUserRegionEnd +5 "
                 "task=0 "
                 "name=\"of2\" stack=0\n"
                 "GoUnblock +5 g=1 g_seq=1 stack=0\nGoDestroy +5\nGoStart +5 g=1 g_seq=2\nUserRegionEnd +5 "
                 "task=0 "
                 "name=\"third\" stack=0\n"
                 "UserRegionEnd +5 task=0 name=\"outer\" stack=0\n",
        JOINS(3));
    const struct region *r;
    expect_whole(l.tr);
    assert_int_equal(trace_regions(l.tr, &r), 7);
    static const struct {
        const char *name;
        int64_t t0, t1;
        unsigned depth;
        uint64_t g;
    } want[] = {{"outer", 6, 339, 0, 1},    {"inner", 11, 107, 1, 1}, {"second", 112, 122, 1, 1},
                {"within", 117, 120, 2, 1}, {"third", 0, 0, 1, 1},    {"of2", 0, 0, 0, 2},
                {"of3", 0, 0, 0, 3}};
    for (int i = 0; i < 7; i++) {
        struct str s = trace_str(l.tr, r[i].name);
        assert_int_equal(s.len, strlen(want[i].name));
        assert_memory_equal(s.p, want[i].name, s.len);
        assert_int_equal(r[i].depth, want[i].depth);
        assert_int_equal(raw_id(l.tr, LANE_G, r[i].g), want[i].g);
        assert_false(r[i].open_end || r[i].open_start);
    }
    assert_int_equal(r[0].t0, 6);
    assert_int_equal(r[1].t1, 107);
    unload(&l);
}

/* A region ends that is not the innermost one, and both began in the segment before. */
static void test_region_crosses(void **state)
{
    (void)state;
    struct loaded l =
        joins(P0 "UserRegionBegin +5 task=0 name=\"outer\" stack=0\nUserRegionBegin +5 task=0 name=\"inner\" "
                 "stack=0\n" NEXT(200) "UserRegionEnd +5 task=0 name=\"outer\" stack=0\n",
              JOINS(2));
    expect_whole(l.tr);
    assert_non_null(strstr(trace_warning(l.tr, 0)->what, "G1 ends region \"outer\""));
    const struct region *r;
    assert_int_equal(trace_regions(l.tr, &r), 2);
    assert_true(r[0].t0 == 6 && r[0].t1 == 106 && !r[0].open_end && r[1].open_end);
    unload(&l);
}

static void test_ranges(void **state)
{
    (void)state;
    struct loaded l =
        joins(P0 "GCBegin +5 gc_seq=1 stack=0\nGCMarkAssistBegin +5 stack=0\n"
                 "GCSweepBegin +1 stack=main.f:1\n" NEXT(
                     200) "GCActive +1 gc_seq=2\nGCSweepActive +1 p=0\nGCMarkAssistActive +1 g=1\n"
                          "GCSweepEnd +1 swept=10 reclaimed=20\nGCMarkAssistEnd +5\nGCSweepBegin +1 stack=0\n"
                          "GCSweepEnd +1 swept=1 reclaimed=2\n" NEXT(
                              300) "GCActive +1 gc_seq=3\nGCEnd +5 gc_seq=4\nGCBegin +9 gc_seq=5 "
                                   "stack=0\nGCMarkAssistBegin "
                                   "+5 stack=0\n" NEXT(
                                       400) "GCActive +1 gc_seq=6\nGCMarkAssistActive +1 g=1\nGCEnd +5 "
                                            "gc_seq=7\nGCMarkAssistEnd +5\n" NEXT(500) "GCBegin +5 gc_seq=8 "
                                                                                       "stack=0\n",
              JOINS(5));
    const struct range *r;
    expect_whole(l.tr);
    assert_int_equal(trace_ranges(l.tr, RANGE_GC, &r), 3);
    assert_true(r[0].t0 == 6 && r[0].t1 == 207 && !r[0].open_end);
    assert_true(r[2].open_end);
    assert_int_equal(trace_ranges(l.tr, RANGE_SWEEP, &r), 2);
    assert_true(r[0].a == 10 && r[0].b == 20 && !r[0].open_end);
    assert_int_equal(trace_ranges(l.tr, RANGE_ASSIST, &r), 2);
    unload(&l);
}

/* Nothing tells of a stop that goes on, so it takes a look at what was before. */
static void test_stop_crosses(void **state)
{
    (void)state;
    struct loaded l = joins(P0 "STWBegin +5 kind=\"mark\" stack=0\n" NEXT(200) "STWEnd +5\n", PLAIN);
    const struct range *r;
    expect_whole(l.tr);
    assert_int_equal(trace_ranges(l.tr, RANGE_STW, &r), 1);
    assert_true(r->t0 == 6 && r->t1 == 106 && !r->open_start && !r->open_end);
    unload(&l);
    l = joins(P0 NEXT(200) "STWEnd +5\n", PLAIN);
    expect_damage(l.tr, ERR_ORDER, "the range isn't open");
    unload(&l);
}

/* ---- whatever happens ---------------------------------------------------------------------------------- */

static void by_chance(uint64_t seed, int gens, int steps, uint32_t *joined)
{
    char *text = sim_trace(seed, gens, steps), label[40];
    struct loaded plain = load_as(text, 1, true), one = load_as(text, 1, false),
                  three = load_as(text, 3, false);
    char *a = model_text(plain.tr), *b = model_text(one.tr), *c = model_text(three.tr);
    snprintf(label, sizeof label, "seed %d", (int)seed);
    if (trace_info(plain.tr)->ndamages)
        fail_msg("%s: %s", label, trace_damage(plain.tr, 0)->what);
    same_text(label, a, b);
    same_text(label, a, c);
    *joined += one.tr->join.n > 1;
    assert_int_equal(one.tr->cost.redone, 0); /* it knows what was before */
    free(a), free(b), free(c), free(text);
    unload(&plain);
    unload(&one);
    unload(&three);
}

static void test_by_chance(void **state)
{
    (void)state;
    uint32_t joined = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        by_chance(seed, 2 + (int)(seed % 6), 20 + (int)(seed % 7) * 30, &joined);
    assert_true(joined > 30);
}

/* Samples of who isn't told of yet, or no more. */
static void test_samples(void **state)
{
    (void)state;
    uint32_t joined = 0;
    sim_with.samples = true;
    for (uint64_t seed = 61; seed <= 80; seed++)
        by_chance(seed, 4, 100, &joined);
    sim_with.samples = false;
    assert_true(joined > 10);
}

/* Of two Ps more than there are to be, and what is decoded while nobody knows yet how the first generation
 * ends. */
static void test_ahead(void **state)
{
    (void)state;
    uint32_t joined = 0;
    sim_with.first = 20000;
    for (uint64_t seed = 81; seed <= 92; seed++) {
        sim_with.procs = seed % 3 ? 0 : 2;
        by_chance(seed, 5, 60, &joined);
    }
    sim_with.first = 0;
    sim_with.procs = 0;
    assert_true(joined > 3);
}

/* Lanes of many pieces, of which some end in others, answer each question as a walk over their spans does. */
static void test_queries(void **state)
{
    (void)state;
    struct rng r = {0x901};
    for (uint64_t seed = 300; seed < 316; seed++) {
        char *text = sim_trace(seed, 3 + (int)(seed % 8), 40 + (int)(seed % 5) * 40);
        struct loaded l = load_as(text, 2, false);
        for (int k = 0; k < LANE_KINDS; k++)
            for (uint32_t i = 0; i < trace_nlanes(l.tr, (enum lane_kind)k); i++)
                check_lane(l.tr, (struct lane){(enum lane_kind)k, i}, &r, 8);
        unload(&l);
        free(text);
    }
}

/* Each of n goroutines by its map, of which one of `of` was there before, by chance; 0: none was. */
static void check_gmap(struct rng *r, uint32_t n, uint32_t of)
{
    enum { BASE = 1000000, WAS = 7 };
    uint32_t *old = calloc(n + 1, sizeof *old), nold = 0, fresh = BASE;
    for (uint32_t g = 0; g < n; g++)
        if (of && !below(r, of))
            old[nold++] = g;
    uint32_t *map = gmap_new(n, BASE, old, nold);
    for (uint32_t k = 0; k < nold; k++)
        gmap_set(map, old[k], WAS + k);
    for (uint32_t g = 0, k = 0; g < n; g++) {
        const bool was = k < nold && old[k] == g;
        assert_int_equal(gmap_at(map, g), was ? WAS + k++ : fresh++);
    }
    mem_free(map);
    free(old);
}

/* Who was there before stands anywhere among those that are new: no map, one row, the last row's edge. */
static void test_gmap(void **state)
{
    (void)state;
    struct rng r = {0x902};
    for (uint32_t n = 0; n < 4 * GMAP_GS + 2; n += n % GMAP_GS < 2 || n % GMAP_GS > GMAP_GS - 3 ? 1 : 7)
        for (uint32_t of = 0; of < 200; of = of * 3 + 1)
            check_gmap(&r, n, of);
    check_gmap(&r, 100000, 0);
    check_gmap(&r, 100000, 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),     cmocka_unit_test(test_task_twice),
        cmocka_unit_test(test_regions),   cmocka_unit_test(test_region_crosses),
        cmocka_unit_test(test_ranges),    cmocka_unit_test(test_stop_crosses),
        cmocka_unit_test(test_by_chance), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_ahead),     cmocka_unit_test(test_queries),
        cmocka_unit_test(test_gmap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
