/*
 * test_query.c - the model's answers on real traces, held against a walk over all spans; while loading, too.
 */
#include "tests/unit/query_check.h"

static struct rng rng = {0x5eed};

static void ranges_in_order(const struct trace *tr)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *r;
        size_t n = trace_ranges(tr, (enum range_kind)k, &r);
        for (size_t i = 0; i < n; i++) {
            if (r[i].t1 < r[i].t0 || r[i].t1 > trace_info(tr)->end ||
                (trace_info(tr)->done && i && r[i].t0 < r[i - 1].t0))
                fail_msg("range %zu of kind %d: %" PRId64 "-%" PRId64, i, k, r[i].t0, r[i].t1);
            if (r[i].open_end && r[i].t1 != trace_info(tr)->end)
                fail_msg("an open range ends at %" PRId64, r[i].t1);
        }
    }
}

/* A band is on exactly where a range of its kind is open, back-dated ones that are not the first apart. */
static void bands_are_ranges(const struct trace *tr)
{
    static const struct {
        enum band b;
        enum range_kind k;
        uint8_t s;
    } pair[] = {{BAND_GC, RANGE_GC, ST_GC},
                {BAND_STW, RANGE_STW, ST_STW},
                {BAND_SWEEP, RANGE_SWEEP, ST_SWEEP},
                {BAND_ASSIST, RANGE_ASSIST, ST_ASSIST}};
    for (int x = 0; x < 4; x++) {
        const struct range *r;
        size_t n = trace_ranges(tr, pair[x].k, &r);
        int64_t sum = 0, to = 0;
        for (size_t i = 0; i < n; i++) {
            if (r[i].open_start && !r[i].open_end && r[i].seen == 0 && r[i].t0 == 0 && r[i].t1 > 0 && i)
                return; /* only its end was told */
            int64_t a = r[i].t0 > to ? r[i].t0 : to;
            if (r[i].t1 > a) {
                sum += r[i].t1 - a;
                to = r[i].t1;
            }
        }
        struct shares s;
        trace_shares(tr, (struct lane){LANE_BAND, pair[x].b}, 0, trace_info(tr)->end, &s);
        if (s.ns[pair[x].s] > sum)
            fail_msg("band %d is on for %" PRId64 ", its ranges for %" PRId64, x, s.ns[pair[x].s], sum);
        for (int k = 0; k < 30; k++) {
            int64_t t0 = (int64_t)below(&rng, (uint64_t)trace_info(tr)->end + 1),
                    t1 = t0 + 1 + (int64_t)below(&rng, 100000);
            bool on = false;
            for (size_t i = 0; i < n; i++)
                on |= r[i].t0 < t1 && r[i].t1 > t0;
            trace_shares(tr, (struct lane){LANE_BAND, pair[x].b}, t0, t1, &s);
            assert_true(on || !s.ns[pair[x].s]);
        }
    }
}

static void minmax_slow(const struct trace *tr)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const size_t n = trace_npoints(tr, (enum metric)m);
        struct point *p = malloc((n + 1) * sizeof *p);
        for (size_t i = 0; i < n; i++)
            p[i] = trace_point(tr, (enum metric)m, i);
        for (int k = 0; k < 50 && n; k++) {
            int64_t t0 = below(&rng, 2) ? p[below(&rng, n)].t
                                        : (int64_t)below(&rng, (uint64_t)trace_info(tr)->end + 1);
            int64_t t1 = below(&rng, 2) ? p[below(&rng, n)].t
                                        : t0 + 1 + (int64_t)below(&rng, (uint64_t)trace_info(tr)->end + 1);
            uint64_t lo = UINT64_MAX, hi = 0, a, b;
            if (t1 <= t0)
                continue;
            for (size_t i = 0; i < n; i++)
                if (p[i].t < t1 && (i + 1 == n || p[i + 1].t > t0)) {
                    lo = p[i].v < lo ? p[i].v : lo;
                    hi = p[i].v > hi ? p[i].v : hi;
                }
            bool any = trace_minmax(tr, (enum metric)m, t0, t1, &a, &b);
            assert_int_equal(any, lo <= hi);
            if (any && (a != lo || b != hi))
                fail_msg("metric %d in [%" PRId64 ",%" PRId64 "): %" PRIu64 "..%" PRIu64 ", want %" PRIu64
                         "..%" PRIu64,
                         m, t0, t1, a, b, lo, hi);
            int64_t edges[4] = {t0, t0 + (t1 - t0) / 3, t0 + (t1 - t0) / 2, t1};
            struct extent x[3];
            trace_extents(tr, (enum metric)m, edges, 3, x);
            for (int c = 0; c < 3; c++) {
                assert_int_equal(x[c].known,
                                 trace_minmax(tr, (enum metric)m, edges[c], edges[c + 1], &a, &b));
                assert_true(!x[c].known || (x[c].min == a && x[c].max == b));
            }
        }
        free(p);
    }
}

/* Goroutine-nanoseconds by state: what the goroutines' own lanes add up to, back-dated time included. */
static void counts_add_up(const struct trace *tr)
{
    static const uint8_t state[GC_COUNT] = {[GC_RUNNABLE] = ST_RUNNABLE,
                                            [GC_RUNNING] = ST_RUNNING,
                                            [GC_SYSCALL] = ST_SYSCALL,
                                            [GC_WAITING] = ST_WAITING};
    const struct gbucket *b;
    int64_t width;
    size_t n = trace_gcounts(tr, &width, &b);
    for (int k = 0; k < GC_COUNT; k++) {
        uint64_t sum = 0, want = 0;
        for (size_t i = 0; i < n; i++)
            sum += b[i].ns[k];
        for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
            struct shares s;
            trace_shares(tr, (struct lane){LANE_G, g}, 0, trace_info(tr)->end, &s);
            want += (uint64_t)s.ns[state[k]];
        }
        if (sum != want)
            fail_msg("goroutines %s: %" PRIu64 " ns in buckets, %" PRIu64 " in lanes",
                     state_name((enum state)state[k]), sum, want);
    }
}

/* Columns that are wide for what a lane does. */
static void whole_lives(const struct trace *tr, enum lane_kind k)
{
    for (uint32_t i = 0; i < trace_nlanes(tr, k); i++) {
        struct lane_info li = trace_lane(tr, (struct lane){k, i});
        for (int j = 0; j < 8 && li.nspans > 4 * SPAN_BLOCK && li.first < li.last; j++)
            check_columns(tr, (struct lane){k, i}, &rng, li.first, li.last);
    }
}

static void one(const char *path, const uint8_t *p, size_t n)
{
    struct trace *tr;
    struct err e;
    struct trace_opts o = {.threads = 1};
    if (trace_open_mem(p, n, &o, &tr, &e))
        return; /* refused: test_bad.c */
    print_message("%s\n", path);
    for (int step = 0; trace_load(tr, 0) != LOAD_DONE; step++) /* what is there while it loads answers, too */
        if (below(&rng, 1 + (uint64_t)step * 4) < 2) {
            for (int k = 0; k < LANE_KINDS; k++) {
                uint32_t lanes = trace_nlanes(tr, (enum lane_kind)k);
                for (int j = 0; j < 3 && lanes; j++)
                    check_lane(tr, (struct lane){(enum lane_kind)k, (uint32_t)below(&rng, lanes)}, &rng, 3);
            }
            ranges_in_order(tr);
            minmax_slow(tr);
        }
    if (!trace_fatal(tr)) {
        check_all_lanes(tr, &rng, 4);
        for (int k = 0; k < LANE_BAND; k++)
            whole_lives(tr, (enum lane_kind)k);
        ranges_in_order(tr);
        bands_are_ranges(tr);
        counts_add_up(tr);
        minmax_slow(tr);
    }
    trace_close(tr);
}

static void test_samples(void **state)
{
    (void)state;
    if (each_trace("samples", 1 << 20, one) == 0)
        fail_msg("no samples");
    assert_true(states_left_out > 1000);
}

static void test_shared(void **state)
{
    (void)state;
    if (!each_trace("../shared/traces", 25000, one))
        print_message("note: ../shared/traces is not here, only the samples were tested\n");
}

static void test_no_such_lane(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
    for (int k = 0; k < LANE_KINDS; k++) {
        struct lane no = {(enum lane_kind)k, 99};
        struct span_iter it;
        struct span s;
        struct shares sh;
        assert_int_equal(trace_lane(l.tr, no).nspans, 0);
        assert_false(span_seek(&it, l.tr, no, 0));
        assert_false(span_seek_index(&it, l.tr, no, 0));
        assert_false(trace_span_at(l.tr, no, 0, &s));
        assert_false(trace_longest(l.tr, no, 0, 100, &s));
        assert_int_equal(trace_count(l.tr, no, 0, 100), 0);
        trace_shares(l.tr, no, 5, 105, &sh);
        assert_int_equal(sh.ns[ST_NONE], 100);
        assert_int_equal(trace_find_lane(l.tr, (enum lane_kind)k, 12345), NO_LANE);
    }
    assert_int_equal(trace_str(l.tr, UINT32_MAX).len, 0);
    assert_int_equal(trace_stack(l.tr, UINT32_MAX), 0);
    assert_int_equal(trace_frame(l.tr, UINT32_MAX, UINT32_MAX).line, 0);
    assert_null(trace_damage(l.tr, 0));
    assert_null(trace_warning(l.tr, 1000));
    unload(&l);
}

/* So many that whole blocks of every size are skipped, in a window or at its edge. */
static void test_many_points(void **state)
{
    (void)state;
    struct trace tr = {.done = true};
    const size_t n = (size_t)POINTS_BLOCK * 1000 + 50;
    uint64_t *value = malloc(n * sizeof *value);
    assert_int_equal(names_init(&tr.names), ERR_OK);
    assert_int_equal(fold_init(&tr.fold, &tr.names), ERR_OK);
    for (size_t i = 0; i < n; i++) {
        struct ev e = {.kind = EVK_METRIC,
                       .state = METRIC_HEAP,
                       .t = (int64_t)i * 10,
                       .arg = 1000 + below(&rng, 1000),
                       .g = EV_NONE,
                       .p = EV_NONE,
                       .m = EV_NONE,
                       .by = EV_NONE};
        if (below(&rng, 20000) ==
            0) /* what only one of them has, so that no block is left out or taken twice unseen */
            e.arg = below(&rng, 2) ? below(&rng, 1000) : 2000 + below(&rng, 1000);
        value[i] = e.arg;
        fold_events(&tr.fold, &e, 1);
    }
    tr.info.end = tr.fold.end;
    assert_int_equal(trace_npoints(&tr, METRIC_HEAP), n);
    for (size_t i = 0; i < n; i++) {
        const struct point p = trace_point(&tr, METRIC_HEAP, i);
        assert_true(p.t == (int64_t)i * 10 && p.v == value[i]);
    }
    free(value);
    minmax_slow(&tr);
    fold_free(&tr.fold);
    names_free(&tr.names);
}

/* Columns of several groups, or of a few blocks. */
static void test_many_blocks(void **state)
{
    (void)state;
    struct trace tr = {.done = true};
    uint64_t n = many_blocks(&tr, &rng);
    for (int i = 0; i < 300; i++) {
        struct lane l = {below(&rng, 2) ? LANE_P : LANE_G, 0};
        struct lane_info li = trace_lane(&tr, l);
        assert_true(li.nspans > n / 4);
        int64_t len = (li.last - li.first) >> below(&rng, 6),
                a = li.first + (int64_t)below(&rng, (uint64_t)(li.last - li.first - len) + 1);
        check_columns(&tr, l, &rng, a, a + len);
    }
    fold_free(&tr.fold);
    names_free(&tr.names);
}

/* A thread that gets and loses its P so often that holds are skipped by the hundred. */
static void test_many_holds(void **state)
{
    (void)state;
    const unsigned holds = 80 * HOLD_GROUP;
    size_t cap = holds * 120, at = 0;
    char *text = malloc(cap);
    assert_non_null(text);
    at += (size_t)snprintf(text, cap, "go 1.26\n");
    for (unsigned i = 0; i < holds; i++) { /* few long spans, so that most groups are skipped */
        unsigned stay = below(&rng, 400) ? 1 + (unsigned)below(&rng, 9) : 100 + (unsigned)below(&rng, 900);
        if (i % 300 == 0)
            at += (size_t)snprintf(text + at, cap - at, "batch m=7 t=%u\n", 100 + i * 2000);
        if (!i)
            at += (size_t)snprintf(text + at, cap - at, "ProcStatus +1 p=0 idle\n");
        at += (size_t)snprintf(text + at, cap - at, "ProcStart +1 p=0 p_seq=%u\nProcStop +%u\n", i + 1, stay);
    }
    struct loaded l = load_text(text);
    struct lane m = {LANE_M, trace_find_lane(l.tr, LANE_M, 7)};
    assert_true(l.tr->fold.m[m.i].lane.n > 64 * HOLD_GROUP);
    check_lane(l.tr, m, &rng, 200);
    for (int i = 0; i < 20; i++)
        whole_lives(l.tr, LANE_M);
    unload(&l);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_shared),
        cmocka_unit_test(test_no_such_lane), cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_many_blocks),  cmocka_unit_test(test_many_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
