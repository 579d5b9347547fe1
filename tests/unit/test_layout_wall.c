/*
 * test_layout_wall.c - times of day: there and back, across midnight, where a trace doesn't tell them; and
 * that `cause` keeps both goroutines on the screen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "layout_help.h"

#include "decode/base/mem.h"
#include "layout/frame/frame.h"
#include "triage/query/goto.h"
#include "layout/move/lanes.h"
#include "triage/wall.h"

static void zone(const char *tz)
{
    setenv("TZ", tz, 1);
    tzset();
}

static void test_there_and_back(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC", "UTC-13", "UTC+11", "UTC-5:30"};
    struct trace *tr = seen_load("samples/lock-1.26.trace");
    assert_true(wall_known(tr));
    for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
        zone(zones[z]);
        for (int64_t t = 0; t < trace_info(tr)->end; t += trace_info(tr)->end / 97) {
            char text[WALL_MAX];
            const char *rest;
            int64_t back;
            wall_time(tr, t, text);
            assert_int_equal(strlen(text), strlen("14:03:22.123456"));
            assert_true(wall_parse(tr, text, &back, &rest) && !*rest);
            assert_true(back <= t && t - back < 1000); /* the text has microseconds */
        }
    }
    zone("UTC");
    trace_close(tr);
}

static void test_lines(void **state)
{
    (void)state;
    struct trace *tr = seen_load("samples/lock-1.26.trace"), *old = seen_load("samples/lock-1.23.trace");
    char from[WALL_MAX], to[WALL_MAX], line[100];
    const char *why = NULL;
    struct target g;
    zone("UTC");
    wall_time(tr, 50000000, from);
    wall_time(tr, 100000000, to);
    snprintf(line, sizeof line, "%s..%s", from, to);
    assert_true(goto_parse(tr, line, &g, &why) && g.has_range);
    assert_true(g.t0 > 49998000 && g.t0 <= 50000000 && g.t1 > 99998000 && g.t1 <= 100000000);
    snprintf(line, sizeof line, "g17@%s", from);
    assert_true(goto_parse(tr, line, &g, &why) && g.has_lane && g.has_time);
    assert_true(goto_parse(tr, "1.2s..1.3s", &g, &why));
    assert_int_equal(g.t0, 1200000000);
    assert_false(goto_parse(old, line, &g, &why));
    assert_non_null(strstr(why, "Go 1.25"));
    /* a prompt takes these for places, whether a trace knows them or not */
    static const char *const is[] = {
        "14:03",      "14:03..14:04", "g17@14:03:22.5", "g17 14:03..14:04", "50%", "120%",
        "12.5%..20%", "g1@50%",       "..10%",          "10%+5ms",          "100%"};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        if (!goto_parse(NULL, is[i], &g, NULL))
            fail_msg("not taken: %s", is[i]);
    static const char *const isnt[] = {"%",        "50%%", "50%x", "a50%", "14:03..14:03",
                                       "50%..50%", "1.%5", "g5%",  "quit"};
    for (size_t i = 0; i < sizeof isnt / sizeof *isnt; i++)
        if (goto_parse(NULL, isnt[i], &g, NULL))
            fail_msg("taken: %s", isnt[i]);
    static const char *const none[] = {"", ":", "1:", "24:00", "3:60", "12:30:61", "1.2s", "g1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(wall_is(none[i]));
    trace_close(tr);
    trace_close(old);
}

static void test_shares(void **state)
{
    (void)state;
    struct trace *tr = seen_load("samples/lock-1.23.trace"), *begun = NULL;
    const int64_t end = trace_info(tr)->end;
    const char *why = NULL;
    struct target g;
    assert_true(goto_parse(tr, "50%", &g, &why) && g.has_time);
    assert_int_equal(g.t0, end / 2);
    assert_true(goto_parse(tr, "g1 12.5%..100%", &g, &why) && g.has_lane);
    assert_true(g.has_range && g.t0 == end / 8 && g.t1 == end);
    assert_false(goto_parse(tr, "100.1%", &g, &why));
    assert_string_equal(why, "a share is 0% to 100%");
    assert_false(goto_parse(tr, "99999999999999999999999999%", &g, &why));
    struct err e;
    assert_int_equal(trace_open("samples/lock-1.23.trace", NULL, &begun, &e), ERR_OK);
    assert_false(goto_parse(begun, "50%", &g, &why));
    assert_non_null(strstr(why, "loaded"));
    trace_close(begun);
    trace_close(tr);
}

static void test_both_in_sight(void **state)
{
    (void)state;
    struct trace *tr = seen_load("samples/lock-1.26.trace");
    struct view v;
    struct grid g = {0};
    unsigned seen = 0;
    assert_true(view_init(&v, tr));
    view_resize(&v, 80, 18);
    view_switch(&v, VIEW_GOROUTINES);
    for (int i = 0; i < 40; i++) {
        view_at(&v, trace_info(tr)->end / 41 * i);
        view_focus(&v, (struct lane){LANE_G, (uint32_t)i % trace_nlanes(tr, LANE_G)});
        uint32_t from = v.at.focus.i;
        if (view_cause(&v) & VR_BELL)
            continue;
        assert_true(frame_draw(&g, &v, NULL));
        if (v.at.focus.kind != LANE_G || v.at.focus.i == from)
            continue;
        const struct lanes *l = &v.lanes[LANE_G];
        assert_int_equal(v.at.guest, from + 1);
        assert_int_equal(view_row_line(&v, lanes_row(l, from)), 0); /* on top */
        assert_true(view_row_line(&v, lanes_row(l, v.at.focus.i)) >= 0);
        assert_true(v.at.guest_t == v.at.cursor || v.at.guest_t <= 0);
        seen++;
    }
    assert_true(seen > 10);
    assert_int_equal(v.lanes[LANE_G].npin, 1); /* the last one alone */
    assert_string_equal(view_drop_word(&v), "drop top lane");
    const uint32_t guest = v.at.guest;
    view_undo(&v, 1);
    assert_int_not_equal(v.at.guest, guest); /* it came by the jump, and goes with it */
    view_redo(&v, 1);
    assert_int_equal(v.at.guest, guest);
    assert_int_equal(v.lanes[LANE_G].npin, 1);
    view_zoom(&v, 1);
    view_undo(&v, 1);
    assert_int_equal(v.at.guest, guest); /* a later step was undone */
    view_undo(&v, VIEW_UNDO);
    assert_int_equal(v.lanes[LANE_G].npin, 0);
    assert_null(view_drop_word(&v));
    assert_null(view_quit_word(&v)); /* nothing is left to close */
    view_redo(&v, VIEW_UNDO);
    assert_int_equal(v.lanes[LANE_G].npin, 1);
    v.msg.text[0] = 0;
    view_back(&v);
    assert_int_equal(v.lanes[LANE_G].npin, 0);
    view_undo(&v, VIEW_UNDO);
    assert_int_equal(v.lanes[LANE_G].npin, 0); /* sent away for good */
    grid_free(&g);
    view_free(&v);
    trace_close(tr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_shares), cmocka_unit_test(test_both_in_sight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
