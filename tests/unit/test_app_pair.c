/*
 * test_app_pair.c - two traces: what the other one shows, and the comparison.
 */
#include "decode/base/mem.h"
#include "layout/move/kind.h"
#include "tests/unit/app_keys.h"
#include "viewer/session/pair.h"

struct fix {
    struct keymap *km;
    struct trace *tr[2];
    struct app a, b;
};

static void fix_open(struct fix *f, const char *old, const char *new, int w, int h)
{
    const char *path[2] = {old, new};
    struct trace_opts o = {.threads = 1};
    struct err e = {0};
    memset(f, 0, sizeof *f);
    f->km = keys_map("default");
    for (int i = 0; i < 2; i++)
        if (trace_open(path[i], &o, &f->tr[i], &e))
            fail_msg("%s: %s (run from the top of the tree)", path[i], e.what);
    assert_true(app_init(&f->a, f->tr[0], f->km, w, h));
    assert_true(app_init(&f->b, f->tr[1], f->km, w, h));
    f->a.view.scr.tier = f->b.view.scr.tier = TIER_ASCII;
    assert_true(pair_begin(&f->a, &f->b));
}

static void fix_close(struct fix *f)
{
    pair_end(&f->a);
    app_free(&f->a);
    app_free(&f->b);
    trace_close(f->tr[0]);
    trace_close(f->tr[1]);
    keymap_free(f->km);
}

static void same_place(const struct fix *f, int64_t by)
{
    const struct place *a = &f->a.view.at, *b = &f->b.view.at;
    assert_int_equal(a->view, b->view);
    assert_int_equal(b->win.t0 - a->win.t0, by);
    assert_int_equal(b->win.t1 - a->win.t1, by);
    assert_int_equal(b->cursor - a->cursor, by);
}

static const char first[] = "samples/alloc-1.27.trace", second[] = "samples/alloc-1.25.trace";

/* The other trace shows the same place; these two were recorded one after the other, so that is the same time
 * since their starts. */
static void test_follows(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, first, second, 100, 50);
    expect(&f, "2", "1/2 alloc-1.27.trace");
    expect(&f, "", "! other trace");
    expect(&f, "w w l l L j !", "2/2 alloc-1.25.trace");
    same_place(&f, 0);
    assert_int_equal(f.a.view.at.focus.i, trace_find_lane(f.tr[0], LANE_P, 1));
    assert_int_equal(f.b.view.at.focus.i, trace_find_lane(f.tr[1], LANE_P, 1));
    int64_t t0 = f.a.view.at.win.t0;
    expect(&f, "l !", "1/2 alloc-1.27.trace");
    assert_true(f.a.view.at.win.t0 > t0);
    same_place(&f, 0);
    expect(&f, "3 !", "G");
    same_place(&f, 0);
    expect(&f, "8 8 S S !", "GC cycles: 3");
    assert_int_equal(f.b.view.at.view, VIEW_CYCLES);
    fix_close(&f);
}

/* Two processes that were traced at the same time: moments correspond by the time of day. */
static void test_wall(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, first, first, 100, 50);
    expect(&f, "2 w w l !", "2/2");
    same_place(&f, 0);
    fix_close(&f);
}

/* What is opened without a key: the findings, and not the comparison, which is behind the next key. */
static void test_opened(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "samples/http-1.26.trace", "samples/http-1.27.trace", 80, 24);
    free(run(&f, ""));
    assert_int_equal(f.a.view.at.view, VIEW_TRIAGE);
    expect(&f, "1", "VERDICT");
    fix_close(&f);
}

static void test_diff(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, first, second, 100, 40);
    expect(&f, "2 1 1", "VERDICT");
    expect(&f, "G", "row");
    expect(&f, "y", "copied");
    assert_non_null(strstr(f.a.yank, "gc.cycles"));
    expect(&f, "!", "VERDICT");
    expect(&f, "2", "P0");
    fix_close(&f);
}

static void test_screens(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {40, 10}, {80, 24}, {300, 90}};
    static const char *const views[] = {"1 !", "2 !", "3 !",           "6 !",          "7 !", "8 !",
                                        "9 !", "C !", ":diff Enter !", ":mmu Enter !", "? !", "3 & ! /"};
    struct fix f;
    fix_open(&f, first, "samples/tasks-1.27.trace", 80, 24);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        app_resize(&f.a, sizes[i][0], sizes[i][1]);
        app_resize(&f.b, sizes[i][0], sizes[i][1]);
        for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
            char *s = run(&f, views[k]);
            int lines = 0;
            for (const char *c = s; *c; c++)
                lines += *c == '\n';
            assert_int_equal(lines, sizes[i][1]);
            free(s);
            free(run(&f, "Esc Esc Esc"));
        }
    }
    free(run(&f, "2 % !"));
    assert_int_equal(f.a.view.scr.tier, f.b.view.scr.tier);
    fix_close(&f);
}

static void test_alone(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, first, second, 80, 24);
    pair_end(&f.a);
    expect(&f, "!", "one trace is open");
    expect(&f, ":diff Enter", "gotop OLD NEW");
    fix_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows), cmocka_unit_test(test_wall),    cmocka_unit_test(test_opened),
        cmocka_unit_test(test_diff),    cmocka_unit_test(test_screens), cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
