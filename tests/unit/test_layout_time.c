/* test_layout_time.c - time <-> columns, numbers as text, typed targets, the ruler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/cells/fmt.h"
#include "triage/query/goto.h"
#include "layout/cells/ruler.h"
#include "layout/cells/window.h"

static uint64_t seed = 42;

static int64_t rnd(void) /* all magnitudes, extremes often */
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t r = seed >> 1;
    switch (r % 11) {
    case 0: return INT64_MAX - (int64_t)(r >> 8 & 3);
    case 1: return INT64_MIN + (int64_t)(r >> 8 & 3);
    case 2: return (int64_t)(r >> 8 & 7) - 3;
    default: return (int64_t)((r * 2654435761u) >> (r >> 40 & 63)) * (r >> 50 & 1 ? 1 : -1);
    }
}

static struct window any_window(void)
{
    int64_t a = rnd(), b = rnd();
    if (a == b)
        b = a == INT64_MAX ? a - 1 : a + 1;
    return a < b ? window_of(a, b) : window_of(b, a);
}

static void test_edges_tile(void **state)
{
    (void)state;
    static int64_t e[501];
    for (int i = 0; i < 3000; i++) {
        struct window w = any_window();
        int n = 1 + (int)(seed >> 20) % 500;
        n = n < 1 ? 1 : n;
        if (i % 2)
            w = window_scroll(w, n, i % 7 - 3);
        window_edges(w, n, e);
        assert_true(e[0] == w.t0 && e[n] == w.t1);
        for (int c = 0; c < n; c++) {
            assert_true(e[c] <= e[c + 1]);
            assert_true(e[c] == window_edge(w, n, c));
            uint64_t len = (uint64_t)w.t1 - (uint64_t)w.t0, col = (uint64_t)e[c + 1] - (uint64_t)e[c];
            assert_true(col == len / (unsigned)n || col == len / (unsigned)n + 1); /* even widths */
            if (e[c] < e[c + 1]) { /* a column covers its edges: first in, last out */
                assert_int_equal(window_col(w, n, e[c]), c);
                assert_int_equal(window_col(w, n, e[c + 1] - 1), c);
            }
        }
        assert_int_equal(window_col(w, n, w.t1), n);
        if (w.t0 > INT64_MIN)
            assert_int_equal(window_col(w, n, w.t0 - 1), -1);
        for (int k = 0; k < 20; k++) {
            int64_t t = rnd();
            int c = window_col(w, n, t);
            if (c >= 0 && c < n)
                assert_true(e[c] <= t && t < e[c + 1]);
            else
                assert_true(t < w.t0 || t >= w.t1);
        }
    }
}

/* A window that has moved by columns has the edges that stood there before, however often it moves. */
static void test_scrolled_edges(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int n = 1 + (int)((uint64_t)rnd() % 300);
        int64_t t0 = (int64_t)((uint64_t)rnd() >> (2 + (uint64_t)rnd() % 40)),
                len = (int64_t)((uint64_t)rnd() >> 8) >> i % 50;
        struct window w = window_of(t0, t0 + len + n);
        for (int steps = 0; steps < 6; steps++) {
            int k = (int)((uint64_t)rnd() % (2 * (unsigned)n + 1)) - n;
            struct window to = window_scroll(w, n, k);
            assert_true(window_len(to) == window_len(w));
            for (int c = k < 0 ? -k : 0; c <= n && c + k <= n; c++)
                assert_true(window_edge(to, n, c) == window_edge(w, n, c + k));
            w = to;
        }
    }
}

static void test_operations_keep_order(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct window w = any_window();
        int64_t t = rnd(), end = rnd(), min = rnd();
        struct window c = window_clamp(w, end, min > 1000 ? 1000 : min);
        assert_true(c.t0 >= 0 && c.t0 < c.t1);
        assert_true(c.t1 <= (end > 1 ? end : 1) || window_len(c) <= 1000);
        struct window z = window_zoom(w, t, 1, 2), o = window_zoom(w, t, 1 << 20, 1);
        assert_true(z.t0 < z.t1 && o.t0 < o.t1);
        if (t >= w.t0 && t < w.t1)
            assert_true(z.t0 <= t && t <= z.t1 && o.t0 <= t && t <= o.t1);
        struct window p = window_pan(w, t), m = window_center(w, t), f = window_fit(t, end);
        assert_true(p.t0 < p.t1 && m.t0 < m.t1 && f.t0 < f.t1);
        assert_true((uint64_t)p.t1 - (uint64_t)p.t0 == (uint64_t)w.t1 - (uint64_t)w.t0);
    }
}

static void test_clamp(void **state)
{
    (void)state;
    struct window w = window_clamp(window_of(-50, 50), 1000, 10);
    assert_true(w.t0 == 0 && w.t1 == 100); /* moved, not cut */
    w = window_clamp(window_of(950, 1050), 1000, 10);
    assert_true(w.t0 == 900 && w.t1 == 1000);
    w = window_clamp(window_of(-50, 5000), 1000, 10);
    assert_true(w.t0 == 0 && w.t1 == 1000);
    w = window_clamp(window_of(500, 502), 1000, 10);
    assert_true(w.t0 == 496 && w.t1 == 506);
    w = window_clamp(window_of(0, 5), 5, 80); /* a trace shorter than the screen is wide */
    assert_true(w.t0 == 0 && w.t1 == 80);
}

#define FMT(call, want) \
    do { \
        char b_[FMT_MAX]; \
        assert_string_equal(call, want); \
    } while (0)

static void test_fmt(void **state)
{
    (void)state;
    FMT(when_dur(NULL, 0, b_), "0");
    FMT(when_dur(NULL, 17, b_), "17ns");
    FMT(when_dur(NULL, 1234, b_), "1.23us");
    FMT(when_dur(NULL, 84310000, b_), "84.3ms");
    FMT(when_dur(NULL, 999999999, b_), "1.000s");
    FMT(when_dur(NULL, 999499999, b_), "999ms");
    FMT(when_dur(NULL, 20398000, b_), "20.4ms");
    FMT(when_dur(NULL, 59999999999, b_), "60.000s");
    FMT(when_dur(NULL, 72225000000, b_), "72.225s");
    FMT(when_dur(NULL, 119600000000, b_), "119.600s");
    FMT(when_dur(NULL, 12500000000, b_), "12.500s");
    FMT(when_dur(NULL, 187000000000, b_), "3m07s");
    FMT(when_dur(NULL, 7500000000000, b_), "2h05m00s");
    FMT(when_dur(NULL, 36000000000000, b_), "10h00m");
    FMT(when_dur(NULL, -1234, b_), "-1.23us");
    FMT(fmt_ticks(0, true, b_), "0");
    FMT(fmt_ticks(12724, true, b_), "12724t");
    FMT(fmt_ticks(99999, true, b_), "99999t");
    FMT(fmt_ticks(571900, true, b_), "572kt");
    FMT(fmt_ticks(999600, true, b_), "1.00Mt");
    FMT(fmt_ticks(5724113, true, b_), "5.72Mt");
    FMT(fmt_ticks(-5724113, false, b_), "-5724113t");
    FMT(fmt_ticks(INT64_MIN, false, b_), "-9223372036854775808t");
    FMT(when_exact(NULL, 1234567, b_), "1.234567ms");
    FMT(when_exact(NULL, 2000000001, b_), "2.000000001s");
    FMT(when_exact(NULL, 2000000000, b_), "2s");
    FMT(when_exact(NULL, 5, b_), "5ns");
    FMT(fmt_round(when_dur(NULL, 10000, b_)),
        "10us"); /* a bound; 10.5us stays, and so do zeros before the point */
    FMT(fmt_round(when_dur(NULL, 10500, b_)), "10.5us");
    FMT(fmt_round(when_dur(NULL, 1500000, b_)), "1.5ms");
    FMT(fmt_round(when_dur(NULL, 200000, b_)), "200us");
    FMT(fmt_round(when_dur(NULL, 0, b_)), "0");
    FMT(when_exact(NULL, INT64_MIN, b_), "-9223372036.854775808s");
    FMT(when_time(NULL, 671204000, 1000, b_), "671.204ms");
    FMT(when_time(NULL, 671204000, 1000000, b_), "671ms");
    FMT(when_time(NULL, 1000000000, 100000000, b_), "1.0s");
    FMT(when_time(NULL, 500, INT64_MAX, b_), "500ns");
    FMT(fmt_bytes(812, b_), "812B");
    FMT(fmt_bytes(40056000, b_), "38.2M");
    FMT(fmt_bytes(UINT64_MAX, b_), "16384P");
    FMT(fmt_count(1204, b_), "1204");
    FMT(fmt_count(66100000, b_), "66.1M");
    FMT(fmt_percent(0, 10, b_), "0%");
    FMT(fmt_percent(1, 10000000, b_), "<0.1%");
    FMT(fmt_percent(61, 1000, b_), "6.1%");
    FMT(fmt_count(2899629, b_), "2.90M");
    FMT(fmt_bytes(10474000, b_), "9.99M");
    FMT(fmt_bytes(10485000, b_), "10.0M");
    FMT(fmt_bytes(1048063, b_), "1023K"); /* what rounds to the next unit is said in it */
    FMT(fmt_bytes(1048064, b_), "1.00M");
    FMT(fmt_count(999499999, b_), "999M");
    FMT(fmt_count(999500000, b_), "1.00G");
    FMT(fmt_percent(12838, 1000000, b_), "1.3%");
    FMT(fmt_percent(9996, 100000, b_), "10.0%");
    FMT(fmt_percent(10449, 100000, b_), "10.4%");
    FMT(fmt_percent(157, 1000, b_), "15.7%");
    FMT(fmt_percent(9962, 10000, b_), "99.6%");
    FMT(fmt_percent(9999999, 10000000, b_), "99.9%");
    FMT(fmt_percent(10, 10, b_), "100.0%");
    FMT(fmt_percent(INT64_MAX - 1, INT64_MAX, b_), "99.9%");
    char b[FMT_MAX];
    for (int i = 0; i < 100000; i++) {
        int64_t a = rnd(), r = rnd();
        assert_true(strlen(when_dur(NULL, a, b)) < 16 && strlen(when_exact(NULL, a, b)) < FMT_MAX - 1);
        assert_true(strlen(fmt_ticks(a, true, b)) <= 8 && strlen(fmt_ticks(a, false, b)) < FMT_MAX - 1);
        assert_true(strlen(when_time(NULL, a, r, b)) < FMT_MAX - 1 && strlen(fmt_bytes((uint64_t)a, b)) < 10);
        assert_true(strlen(fmt_count((uint64_t)a, b)) < 12 && strlen(fmt_percent(a, r, b)) < 8);
    }
}

static void goes(const char *line, int64_t t0, int64_t t1, bool lane, enum lane_kind k, uint64_t id)
{
    struct target g;
    if (!goto_parse(NULL, line, &g, NULL))
        fail_msg("not parsed: %s", line);
    assert_int_equal(g.has_lane, lane);
    if (lane)
        assert_true(g.kind == k && g.id == id);
    assert_int_equal(g.has_range, t1 >= 0);
    assert_int_equal(g.has_time, t1 < 0 && t0 >= 0);
    if (t0 >= 0)
        assert_true(g.t0 == t0);
    if (t1 >= 0)
        assert_true(g.t1 == t1);
}

static void test_goto(void **state)
{
    (void)state;
    goes("1.25s", 1250000000, -1, false, 0, 0);
    goes(" 300us ", 300000, -1, false, 0, 0);
    goes("12ms", 12000000, -1, false, 0, 0);
    goes("1m2.5s", 62500000000, -1, false, 0, 0);
    goes("500", 500, -1, false, 0, 0);
    goes("1_000_000", 1000000, -1, false, 0, 0);
    goes("0.5", 500000000, -1, false, 0, 0);
    goes("5\xc2\xb5s", 5000, -1, false, 0, 0);
    goes("1.2s..1.3s", 1200000000, 1300000000, false, 0, 0);
    goes("1.2s .. 1.3s", 1200000000, 1300000000, false, 0, 0);
    goes("1.2s+5ms", 1200000000, 1205000000, false, 0, 0);
    goes("2s..1s", 1000000000, 2000000000, false, 0, 0);
    goes("..300ms", 0, 300000000, false, 0, 0);
    goes("1s..", 1000000000, INT64_MAX, false, 0, 0);
    goes("@1s", 1000000000, -1, false, 0, 0);
    goes("g123", -1, -1, true, LANE_G, 123);
    goes("G 123", -1, -1, true, LANE_G, 123);
    goes("p4", -1, -1, true, LANE_P, 4);
    goes("m7", -1, -1, true, LANE_M, 7);
    goes("g12@1.5s", 1500000000, -1, true, LANE_G, 12);
    goes("g12 1s..2s", 1000000000, 2000000000, true, LANE_G, 12);
    goes("99999999999999999999999s", INT64_MAX, -1, false, 0, 0);
    goes("0.000000000000000000000000001s", 0, -1, false, 0, 0);
    goes("g99999999999999999999999", -1, -1, true, LANE_G, UINT64_MAX);
    static const char *const bad[] = {"",       " ",         "zoom-in", "g",    "gx",  "p4x", "1.2q",
                                      "1s..1s", "1s..x",     "..",      "g1 x", "-5s", "1s+", "quit",
                                      "1 2",    "page-left", "m",       "ms",   ".5s5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct target g;
        if (goto_parse(NULL, bad[i], &g, NULL))
            fail_msg("parsed: \"%s\"", bad[i]);
    }
}

static void test_ruler(void **state)
{
    (void)state;
    struct grid g = {0};
    char line[4096];
    assert_true(grid_resize(&g, 60, 1));
    ruler_draw(&g, NULL, TIER_ASCII, window_of(0, 1000000000), 0, 0, 60, false);
    grid_line(&g, 0, line, sizeof line);
    assert_string_equal(line, "|0          |200ms      |400ms      |600ms      |800ms");
    grid_clear(&g);
    ruler_draw(&g, NULL, TIER_ASCII, window_of(671000000, 671000060), 0, 0, 60,
               false); /* a nanosecond a column */
    grid_line(&g, 0, line, sizeof line);
    assert_non_null(strstr(line, "|671.00002ms"));
    for (int i = 0; i < 20000; i++) {
        int n = 1 + (int)(seed >> 33) % 60;
        struct window w = any_window();
        grid_clear(&g);
        ruler_draw(&g, NULL, TIER_EIGHTH, w, 0, 0, n, false);
        for (int x = n; x < 60; x++)
            assert_int_equal(grid_at(&g, x, 0)->glyph, ' ');
    }
    grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_tile),
        cmocka_unit_test(test_scrolled_edges),
        cmocka_unit_test(test_operations_keep_order),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_fmt),
        cmocka_unit_test(test_goto),
        cmocka_unit_test(test_ruler),
    };
    return cmocka_run_group_tests_name("layout time", tests, NULL, NULL);
}
