/*
 * test_layout_group.c - rows of folded groups: what they show is the sum over their goroutines, column by
 * column.
 */
#include "layout_help.h"

#include "decode/base/mem.h"
#include "triage/activity/gstate.h"
#include "layout/move/kind.h"
#include "layout/move/search.h"
#include "layout/move/folded.h"

static bool same_name(const struct seen *s, uint32_t a, uint32_t b)
{
    return trace_lane(s->tr, (struct lane){LANE_G, a}).name ==
           trace_lane(s->tr, (struct lane){LANE_G, b}).name;
}

/* Slowly: every goroutine of that name, but for those that have a row of their own. */
static void sum_of(struct seen *s, uint32_t head, int column, struct shares *sum)
{
    const struct lanes *l = &s->v.lanes[LANE_G];
    memset(sum, 0, sizeof *sum);
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        struct shares one;
        if (!same_name(s, head, g) || (g != head && lanes_row(l, g) != NO_LANE) || lanes_is_hidden(l, g))
            continue;
        gstate_shares(s->v.cache.gstate, s->tr, (struct lane){LANE_G, g}, s->v.cache.edges[column],
                      s->v.cache.edges[column + 1], &one);
        for (int k = ST_NONE + 1; k < ST_COUNT; k++)
            sum->ns[k] += one.ns[k];
    }
}

static int groups_seen;

static void rows_hold(struct seen *s)
{
    const struct lanes *l = &s->v.lanes[LANE_G];
    assert_true(frame_draw(&s->g, &s->v, NULL));
    finish(&s->v);
    assert_true(frame_draw(&s->g, &s->v, NULL));
    for (int i = 0; i < s->v.scr.rows; i++) {
        const uint32_t lane = lanes_at(l, view_line_row(&s->v, i));
        if (lane == NO_LANE)
            break;
        const uint32_t more = lanes_more(l, view_line_row(&s->v, i));
        const struct shares *col = folded_of(&s->v, lane);
        assert_int_equal(folded_members(&s->v, lane), more ? more + 1 : 0);
        assert_true(!more == !col);
        for (int c = 0; more && c < s->v.scr.plot_w; c++) {
            struct shares sum;
            sum_of(s, lane, c, &sum);
            if (memcmp(&sum, &col[c], sizeof sum))
                fail_msg("%s: row %d, column %d", s->name, i, c);
            groups_seen++;
        }
    }
}

static void sums_of(struct seen *s)
{
    const int64_t end = trace_info(s->tr)->end;
    (void)view_switch(&s->v, VIEW_GOROUTINES);
    (void)view_group(&s->v);
    finish(&s->v);
    rows_hold(s);
    for (int k = 0; k < 4 && end > 100; k++) {
        const int64_t t0 = (int64_t)rnd((unsigned)(end / 2 < INT32_MAX ? end / 2 : INT32_MAX));
        (void)view_range(&s->v, t0, t0 + 1 + end / (2 + rnd(40)));
        (void)view_do(&s->v, REQ_LANE, rnd(5));
        if (k == 2)
            (void)view_hide(&s->v);
        rows_hold(s);
    }
}

/* Out of memory at any point of adding up: each row stands for itself, and the next picture has all sums. */
static void short_of(struct seen *s)
{
    bool all = false;
    (void)view_switch(&s->v, VIEW_GOROUTINES);
    (void)view_group(&s->v);
    finish(&s->v);
    assert_true(frame_draw(&s->g, &s->v, NULL));
    for (long n = 0; n < 200 && !all; n++) {
        folded_free(s->v.cache.folded);
        s->v.cache.folded = NULL;
        mem_fail_after(n);
        folded_follow(&s->v);
        (void)folded_work(&s->v, INT64_MAX);
        mem_fail_after(-1);
        all = s->v.cache.folded && !folded_pending(&s->v);
        assert_true(all || !s->v.cache.folded);
    }
    assert_true(all);
    rows_hold(s);
}

static void test_short(void **state)
{
    (void)state;
    for_samples(short_of, "http-1.26");
}

static void test_sums(void **state)
{
    (void)state;
    for_samples(sums_of, "http-1.2");
    for_samples(sums_of, "alloc-1.2");
    for_samples(sums_of, "workers-1.");
    assert_true(groups_seen > 1000);
}

/* The row says how many they are, the line below it what they do; unfolded, each stands for itself. */
static void test_words(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-1.26.trace");
    (void)view_switch(&s.v, VIEW_GOROUTINES);
    (void)view_group(&s.v);
    finish(&s.v);
    const struct lanes *l = &s.v.lanes[LANE_G];
    uint32_t row = 0;
    while (row < l->n && lanes_more(l, row) != 4) /* main.customer */
        row++;
    assert_true(row < l->n);
    (void)view_do(&s.v, REQ_LANE, -100);
    (void)view_do(&s.v, REQ_LANE, (int)row);
    (void)view_at(&s.v, 5000000);
    finish(&s.v);
    assert_true(on_screen(&s, "main.customer        x5"));
    assert_true(on_screen(&s, "5 goroutines main.customer"));
    finish(&s.v); /* what the frame began to add up */
    assert_true(on_screen(&s, "alive on average:"));
    (void)view_fold(&s.v);
    assert_false(on_screen(&s, "main.customer        x5"));
    assert_false(on_screen(&s, "alive on average:"));
    (void)view_goto(&s.v, "g1"); /* main.main alone: nothing comes or goes, so it is said */
    row = l->n;
    assert_true(view_fold(&s.v) & VR_BELL);
    assert_int_equal(l->n, row);
    assert_true(on_screen(&s, "nothing to fold"));
    seen_close(&s);
}

/* A hit in the goroutine that stands for its folded group: told by its own row, not by the group's. */
static void test_hits(void **state)
{
    (void)state;
    struct seen s;
    for (int typed = 0; typed < 2; typed++) {
        seen_open(&s, "samples/http-1.26.trace");
        (void)view_switch(&s.v, VIEW_GOROUTINES);
        (void)view_group(&s.v);
        finish(&s.v);
        if (typed) {
            (void)view_prompt(&s.v, PROMPT_SEARCH);
            for (const char *c = "main.customer"; *c; c++)
                (void)view_prompt_put(&s.v, (uint32_t)*c);
            finish(&s.v);
            assert_true(s.v.search->landed); /* folded still: nothing is accepted yet */
            assert_true(lanes_more(&s.v.lanes[LANE_G], lanes_row(&s.v.lanes[LANE_G], s.v.at.focus.i)) > 0);
            (void)view_prompt_accept(&s.v);
        } else {
            (void)view_search(&s.v, "main.customer");
        }
        finish(&s.v);
        for (int i = 0; i < 8; i++) {
            const struct lanes *l = &s.v.lanes[LANE_G];
            assert_int_equal(s.v.at.focus.kind, LANE_G);
            assert_int_equal(lanes_more(l, lanes_row(l, s.v.at.focus.i)), 0);
            assert_false(on_screen(&s, "goroutines main.customer"));
            (void)view_search_next(&s.v, 1);
            finish(&s.v);
        }
        seen_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_short),
                                       cmocka_unit_test(test_words), cmocka_unit_test(test_hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
