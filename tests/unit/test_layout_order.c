/*
 * test_layout_order.c - the order of many goroutines is made in steps: with however little time each, it is
 * what a slow sort says, and so are its groups and what is unfolded of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/move/lanes.h"
#include "tests/support/tracegen.h"

enum { MANY = 30000, EACH = 500, NAMES = 3 };

static struct trace *tr;
static uint8_t *bytes;

/* Goroutines of three functions, of which the first has three of four, become runnable at odd moments until
 * the end. */
static int make(void **state)
{
    static const char *const names[NAMES] = {"main.many", "main.some", "main.few"};
    struct tracegen_buf t = {0};
    unsigned at = 1000;
    size_t n;
    tracegen_printf(&t, "go 1.26\nbatch m=7 t=%u\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n",
                    at);
    for (unsigned i = 0; i < MANY; i++) {
        if (i % EACH == EACH - 1)
            tracegen_printf(&t, "batch m=7 t=%u\n", at);
        const unsigned step = 1 + i * 7919u % 1000;
        at += step;
        tracegen_printf(&t, "GoCreate +%u new_g=%u new_stack=%s:1 stack=main.main:2\n", step, i + 2,
                        names[i % 4   ? 0
                              : i % 8 ? 1
                                      : 2]);
    }
    bytes = tracegen_bytes((const char *)t.p, &n);
    struct trace_opts o = {.threads = 1};
    struct err e;
    (void)state;
    assert_int_equal(trace_open_mem(bytes, n, &o, &tr, &e), ERR_OK);
    assert_int_equal(trace_load(tr, INT64_MAX), LOAD_DONE);
    assert_true(trace_nlanes(tr, LANE_G) > MANY);
    tracegen_free(&t);
    return 0;
}

static int over(void **state)
{
    (void)state;
    trace_close(tr);
    free(bytes);
    return 0;
}

static struct lanes asked;

static int64_t runnable(uint32_t g)
{
    struct shares s;
    trace_shares(tr, (struct lane){LANE_G, g}, 0, trace_info(tr)->end, &s);
    return s.ns[ST_RUNNABLE];
}

static int by_time(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t d = runnable(y) - runnable(x);
    const int order = d ? (d > 0) - (d < 0) : (x > y) - (x < y);
    return asked.invert ? -order : order;
}

/* Made in steps of no time at all. */
static unsigned make_order(struct lanes *l, struct window w)
{
    unsigned steps = 1;
    l->stale = true;
    assert_true(lanes_update(l, tr, w, NO_LANE));
    assert_non_null(l->making);
    while (!lanes_work(l, 0))
        assert_true(++steps < 100000);
    assert_null(l->making);
    assert_true(lanes_update(l, tr, w, NO_LANE));
    return steps;
}

/* Rows from `row` on: of those that bear the name of sorted[head] the first, or all of them. Returns the row
 * behind. */
static uint32_t group_holds(const struct lanes *l, const uint32_t *sorted, uint32_t n, uint32_t head,
                            uint32_t row)
{
    const uint32_t name = trace_g_name(tr, sorted[head]), first = row;
    const bool folded = lanes_folded(l, name);
    uint32_t members = 0;
    for (uint32_t i = head; i < n; i++) {
        if (trace_g_name(tr, sorted[i]) != name)
            continue;
        if (!members++ || !folded) {
            assert_int_equal(lanes_at(l, row), sorted[i]);
            assert_int_equal(lanes_row(l, sorted[i]), row);
            row++;
        } else {
            assert_int_equal(lanes_row(l, sorted[i]), NO_LANE);
        }
    }
    assert_int_equal(lanes_more(l, first), folded ? members - 1 : 0);
    return row;
}

static void groups_hold(const struct lanes *l, const uint32_t *sorted, uint32_t n)
{
    uint32_t row = 0, had[NAMES + 1], nhad = 0;
    for (uint32_t i = 0, k; i < n; i++) {
        const uint32_t name = trace_g_name(tr, sorted[i]);
        for (k = 0; k < nhad && had[k] != name; k++) {
        }
        if (k < nhad)
            continue;
        assert_true(nhad <= NAMES);
        had[nhad++] = name;
        row = group_holds(l, sorted, n, i, row);
    }
    assert_int_equal(nhad, NAMES + 1); /* and main.main */
    assert_int_equal(row, l->n);
}

static void test_orders(void **state)
{
    const uint32_t n = trace_nlanes(tr, LANE_G);
    const struct window w = {.t0 = 0, .t1 = trace_info(tr)->end};
    uint32_t *sorted = malloc(n * sizeof *sorted);
    (void)state;
    assert_non_null(sorted);
    for (int k = 0; k < 4; k++) {
        asked = (struct lanes){
            .kind = LANE_G, .sort = SORT_RUNNABLE, .invert = k & 1, .group = k & 2, .here = true};
        struct lanes l = asked;
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = i;
        qsort(sorted, n, sizeof *sorted, by_time);
        assert_true(make_order(&l, w) > 20); /* it did leave off in between */
        if (!l.group) {
            assert_int_equal(l.n, n);
            for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(lanes_at(&l, i), sorted[i]);
                assert_int_equal(lanes_row(&l, sorted[i]), i);
            }
        }
        for (int fold = 0; l.group && fold < 3; fold++) { /* folded, the large group unfolded, folded again */
            groups_hold(&l, sorted, n);
            lanes_fold(&l, trace_g_name(tr, n - 1), fold);
            assert_true(lanes_update(&l, tr, w, NO_LANE));
            assert_true(fold ? l.n < 10 : l.n > MANY / 2);
        }
        lanes_free(&l);
    }
    free(sorted);
}

/* A key that asks for another order meanwhile: that one is made, of what was under way nothing is left. */
static void test_changed(void **state)
{
    const struct window w = {.t0 = 0, .t1 = trace_info(tr)->end};
    struct lanes l = {.kind = LANE_G, .sort = SORT_RUNNABLE, .group = true, .here = true, .stale = true};
    (void)state;
    for (unsigned steps = 1; steps < 400; steps += 7) {
        l.sort = SORT_RUNNABLE;
        l.group = true;
        l.stale = true;
        assert_true(lanes_update(&l, tr, w, NO_LANE));
        for (unsigned i = 0; i < steps && !lanes_work(&l, 0); i++)
            assert_in_range(lanes_share(&l), 0, 100);
        l.sort = SORT_ID;
        l.group = false;
        (void)make_order(&l, w);
        assert_int_equal(l.n, trace_nlanes(tr, LANE_G));
        for (uint32_t i = 1; i < l.n; i++)
            assert_true(trace_lane_who(tr, (struct lane){LANE_G, lanes_at(&l, i - 1)}).id <
                        trace_lane_who(tr, (struct lane){LANE_G, lanes_at(&l, i)}).id);
    }
    lanes_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_changed)};
    return cmocka_run_group_tests(tests, make, over);
}
