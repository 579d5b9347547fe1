/*
 * test_allocs.c - who allocates, by evidence, against what the program that made the trace counted itself:
 * main.chunks 95 % of the bytes in few large blocks, main.crumbs the rest in many small ones
 * (tests/golden/allocs/allocs.go).
 */
#include "triage_help.h"

#include "triage/report/report.h"
#include "triage/tables/allocs.h"
#include "triage/tables/stacks.h"

static void chunks_most(void **state)
{
    (void)state;
    static const char *const v[] = {"tests/golden/allocs/allocs-1.19.trace",
                                    "tests/golden/allocs/allocs-1.25.trace"};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct loaded l;
        struct allocs a;
        help_load(v[i], &l);
        assert_true(allocs_of(l.tr, &a));
        assert_int_equal(a.n, 2);
        assert_true(str_is(trace_str(l.tr, a.row[0].func), "main.chunks"));
        assert_true(str_is(trace_str(l.tr, a.row[1].func), "main.crumbs"));
        assert_true(a.clear);
        assert_true(a.row[0].share > 0.7 && a.row[0].share + a.row[1].share > 0.999);
        assert_true(a.row[0].share + a.row[1].share < 1.001);
        allocs_free(&a);
        const struct finding *f = help_tells(&l, RULE_HEAP);
        assert_true(str_is(trace_str(l.tr, f->v.where.user), "main.chunks"));
        assert_int_equal(f->v.sure, SURE_INFERRED);
        load_free(&l);
    }
}

/* No collection, no sample: nobody is named. */
static void none(void **state)
{
    (void)state;
    struct loaded l;
    struct allocs a;
    help_load("tests/golden/handed/stages-1.25.trace", &l);
    assert_true(allocs_of(l.tr, &a));
    assert_int_equal(a.n, 0);
    assert_false(a.clear);
    allocs_free(&a);
    load_free(&l);
}

/* Of each sample the shares add up. */
static void sums(const char *path)
{
    struct loaded l;
    struct allocs a;
    help_load(path, &l);
    assert_true(allocs_of(l.tr, &a));
    double share = 0;
    for (uint32_t i = 0; i < a.n; i++) {
        share += a.row[i].share;
        assert_true(a.row[i].most <= a.row[i].share && (i == 0 || a.row[i - 1].share >= a.row[i].share));
    }
    assert_true(a.n == 0 || (share > 0.999 && share < 1.001));
    allocs_free(&a);
    load_free(&l);
}

static void samples(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", sums) >= 30);
}

/* Three functions ask for 6, 6 and 2 collections: each is told with its own, the one that waits longest for
 * them first. */
static void asked(void **state)
{
    (void)state;
    struct loaded l;
    struct allocs a;
    const struct range *gc;
    help_load("tests/golden/allocs/asked-1.25.trace", &l);
    const size_t n = trace_ranges(l.tr, RANGE_GC, &gc);
    assert_int_equal(n, 14);
    for (size_t i = 0; i < n; i++)
        assert_true(stacks_may(l.tr, gc_begun_at(l.tr, &gc[i]), STACK_COLLECTS));
    assert_true(allocs_of(l.tr, &a));
    assert_int_equal(a.n, 0); /* whoever asks need not allocate */
    allocs_free(&a);
    static const char *const by[] = {"main.first", "main.second", "main.third"};
    static const double times[] = {6, 6, 2};
    double before = 1;
    unsigned told = 0;
    for (uint32_t i = 0; i < l.fs.n; i++) {
        const struct verdict *v = &l.fs.f[i].v;
        if (v->rule == RULE_FORCED) {
            assert_true(told < 3 && str_is(trace_str(l.tr, v->where.user), by[told]));
            assert_true(v->ev[EV_COUNT] == times[told]);
            assert_true(v->harm.share > 0.1 && v->harm.share < before);
            before = v->harm.share;
            assert_int_equal(v->level, told < 2 ? LEVEL_WARN : LEVEL_NOTE);
            told++;
        }
    }
    assert_int_equal(told, 3);
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_most), cmocka_unit_test(none),
                                       cmocka_unit_test(asked), cmocka_unit_test(samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
