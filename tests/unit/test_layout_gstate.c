/*
 * test_layout_gstate.c - a goroutine's states are told apart as a processor's are: against a slow walk over
 * its spans and assists, and in sum against the processors' lanes, for random intervals of all samples.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "triage/activity/gstate.h"

static uint64_t seed = 99;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n > 0 ? (int64_t)((seed >> 33) % (uint64_t)n) : 0;
}

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
    int64_t lo = a0 > b0 ? a0 : b0, hi = a1 < b1 ? a1 : b1;
    return hi > lo ? hi - lo : 0;
}

static int64_t slow_assist(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    const struct range *r;
    struct span_iter it;
    size_t n = trace_ranges(tr, RANGE_ASSIST, &r);
    int64_t sum = 0;
    if (!span_seek_index(&it, tr, (struct lane){LANE_G, g}, 0))
        return 0;
    do {
        const struct span *s = span_get(&it);
        int64_t a = s->t0 > t0 ? s->t0 : t0, b = s->t1 < t1 ? s->t1 : t1;
        for (size_t i = 0; s->state == ST_RUNNING && b > a && i < n; i++)
            sum += r[i].owner == g ? overlap(a, b, r[i].t0, r[i].t1) : 0;
    } while (span_next(&it));
    return sum;
}

static void one(const char *file, unsigned *assisted, unsigned *worked)
{
    struct trace *tr;
    struct err e;
    struct trace_opts o = {.threads = 1};
    struct gstate *s = NULL;
    assert_int_equal(trace_open(file, &o, &tr, &e), ERR_OK);
    assert_int_equal(trace_load(tr, INT64_MAX), LOAD_DONE);
    assert_true(gstate_update(&s, tr));
    int64_t end = trace_info(tr)->end, all = 0, on_p = 0, work = 0, work_p = 0;
    struct shares a, b;
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct lane l = {LANE_G, g};
        for (int i = 0; i < 20; i++) {
            int64_t t0 = below(end), t1 = i < 10 ? t0 + 1 + below(end / 50 + 1) : t0 + below(end - t0) + 1,
                    sum = 0, whole = 0;
            gstate_shares(s, tr, l, t0, t1, &a);
            trace_shares(tr, l, t0, t1, &b);
            for (int k = 0; k < ST_COUNT; k++) {
                sum += a.ns[k];
                whole += b.ns[k];
                assert_true(a.ns[k] >= 0);
            }
            assert_int_equal(sum, whole);
            int64_t is = trace_lane(tr, l).is_worker ? 0 : slow_assist(tr, g, t0, t1);
            if (a.ns[ST_ASSIST] != is)
                fail_msg("%s: goroutine lane %u in [%lld,%lld) assists %lld, by the walk %lld", file, g,
                         (long long)t0, (long long)t1, (long long)a.ns[ST_ASSIST], (long long)is);
            *assisted += is > 0;
            assert_true(!is || gstate_any(s, tr, g, t0, t1));
        }
        gstate_shares(s, tr, l, 0, end, &a);
        all += a.ns[ST_ASSIST];
        work += a.ns[ST_GCWORK];
    }
    for (uint32_t p = 0; p < trace_nlanes(tr, LANE_P); p++) {
        trace_shares(tr, (struct lane){LANE_P, p}, 0, end, &a);
        on_p += a.ns[ST_ASSIST];
        work_p += a.ns[ST_GCWORK];
    }
    *worked += work_p > 0;
    if (work != work_p || (all != on_p && all < on_p))
        fail_msg("%s: goroutines assist %lld and mark %lld, processors %lld and %lld", file, (long long)all,
                 (long long)work, (long long)on_p, (long long)work_p);
    gstate_free(s);
    trace_close(tr);
}

static void test_states(void **state)
{
    glob_t all;
    unsigned assisted = 0, worked = 0;
    (void)state;
    assert_int_equal(glob("samples/*.trace", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++)
        one(all.gl_pathv[i], &assisted, &worked);
    assert_true(assisted > 50 && worked > 5);
    globfree(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
