/*
 * test_layout_unfold.c - rows below a goroutine's lane: what they show, that lines and rows stay in step, any
 * size.
 */
#include "layout_help.h"

#include "layout/move/kind.h"

static void to(struct seen *s, uint64_t id)
{
    uint32_t g = trace_find_lane(s->tr, LANE_G, id);
    assert_int_not_equal(g, NO_LANE);
    (void)view_focus(&s->v, (struct lane){LANE_G, g});
    assert_true(frame_draw(&s->g, &s->v, NULL));
}

static void test_shows(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/tasks-1.27.trace");
    view_resize(&s.v, 120, 40);
    to(&s, 21);
    (void)view_range(&s.v, 1000000, 4000000);
    assert_false(on_screen(&s, "  calls"));
    assert_true(view_unfold(&s.v) & VR_DRAW);
    assert_true(on_screen(&s, "  calls"));
    assert_true(on_screen(&s, "|simmer"));    /* a region of this cook */
    assert_true(on_screen(&s, "time.Sleep")); /* what it waited in */
    assert_true(on_screen(&s, "|main.cook")); /* who called that */
    view_unfold(&s.v);
    assert_false(on_screen(&s, "|simmer"));
    (void)view_switch(&s.v, VIEW_PROCS);
    assert_true(view_unfold(&s.v) & VR_BELL);
    seen_close(&s);
}

static void test_samples(void **state)
{
    (void)state;
    struct seen s;
    const struct sample *a;
    seen_open(&s, "samples/lock-cpu-1.27.trace");
    size_t n = trace_samples(s.tr, &a), i = 0;
    while (i < n && a[i].g == NO_LANE)
        i++;
    assert_true(i < n);
    (void)view_focus(&s.v, (struct lane){LANE_G, a[i].g});
    (void)view_unfold(&s.v);
    (void)view_range(&s.v, a[i].t - 500000, a[i].t + 500000);
    assert_true(on_screen(&s, "  samples"));
    assert_true(on_screen(&s, "'")); /* its tick */
    seen_close(&s);
}

/* Each line of the lanes has a place of its own, and what lies between belongs to the lane above. */
static void in_step(struct seen *s)
{
    static const int sizes[][2] = {{20, 6}, {40, 10}, {80, 24}, {200, 60}, {300, 90}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        view_resize(&s->v, sizes[k][0], sizes[k][1]);
        (void)view_switch(&s->v, VIEW_GOROUTINES);
        s->v.scr.unfolded = true;
        for (int step = 0; step < 30; step++) {
            (void)view_do(&s->v, REQ_LANE, step % 3 ? 1 : 7);
            if (rnd(4) == 0)
                (void)view_zoom(&s->v, rnd(2) ? 3 : -1);
            assert_true(frame_draw(&s->g, &s->v, NULL));
            const struct listed *l = &s->v.scr.listed;
            assert_true(l->n <= s->v.scr.rows);
            for (int i = 0; i < l->n; i++) {
                int64_t by, next;
                assert_int_equal(kind_row_y(&s->v, l->row[i]), l->y[i]);
                assert_true(l->y[i] < l->y[i + 1]);
                assert_true(view_listed(&s->v, l->y[i], &by));
                assert_true(view_listed(&s->v, l->y[i + 1] - 1, &next));
                assert_int_equal(by, next);
            }
            uint32_t row = lanes_row(&s->v.lanes[LANE_G], s->v.at.focus.i);
            int line = row == NO_LANE ? 0 : view_row_line(&s->v, row);
            assert_true(line >= 0 &&
                        line < (s->v.scr.rows > 0 ? s->v.scr.rows : 1)); /* the cursor's lane shows */
        }
    }
}

static void test_lines(void **state)
{
    (void)state;
    for_samples(in_step, "1.27");
    for_samples(in_step, "1.19");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shows), cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
