/*
 * test_top.c - view 11: what goroutines do and did, against a slow walk over all spans; its keys.
 */
#include "layout_help.h"

#include "triage/activity/gstate.h"
#include "layout/move/request.h"
#include "layout/views/table.h"
#include "triage/work/pulse.h"
#include "triage/activity/tally.h"

struct slow {
    uint64_t now[NOW_COUNT], created, g;
    int64_t ran, ready, waited, called;
};

static enum tally_now now_of(uint8_t s)
{
    return s == ST_RUNNING    ? NOW_RUN
           : s == ST_RUNNABLE ? NOW_READY
           : s == ST_WAITING  ? NOW_BLOCKED
           : s == ST_SYSCALL  ? NOW_CALL
                              : NOW_OTHER;
}

static void walk(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1, int64_t at, struct slow *s)
{
    struct lane l = {LANE_G, g};
    struct lane_info li = trace_lane(tr, l);
    struct span_iter it;
    bool there = false;
    if (!span_seek(&it, tr, l, 0))
        return;
    do {
        const struct span *p = span_get(&it);
        int64_t a = p->t0 > t0 ? p->t0 : t0, b = p->t1 < t1 ? p->t1 : t1;
        there |= b > a;
        if (b > a && p->state == ST_RUNNING)
            s->ran += b - a;
        if (b > a && p->state == ST_RUNNABLE)
            s->ready += b - a;
        if (b > a && p->state == ST_WAITING)
            s->waited += b - a;
        if (b > a && p->state == ST_SYSCALL)
            s->called += b - a;
        if (p->t0 <= at && at < p->t1 && p->state != ST_NONE)
            s->now[now_of(p->state)]++;
    } while (span_next(&it));
    s->g += there;
    s->created += there && li.created && li.first >= t0;
}

static void against_walk(struct seen *s)
{
    struct gstate *gs = NULL;
    assert_true(gstate_update(&gs, s->tr));
    int64_t end = trace_info(s->tr)->end;
    for (int i = 0; i < 4; i++) {
        int64_t t0 = end / 10 * i * 2, t1 = i == 3 ? end : t0 + end / 4, at = t1 - 1;
        struct tally *t = tally_new(s->tr, t0, t1, at);
        struct slow all = {0};
        uint64_t why = 0;
        assert_non_null(t);
        while (!tally_step(t, &s->v.lanes[LANE_G].alive, gs, 1000))
            ;
        assert_false(t->failed);
        for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++)
            walk(s->tr, g, t0, t1, at, &all);
        for (int k = 0; k < NOW_COUNT; k++)
            if (t->all.now[k] != all.now[k])
                fail_msg("%s, state %d: %u, want %d", s->name, k, t->all.now[k], (int)all.now[k]);
        assert_int_equal(t->all.ns[TIME_RAN], all.ran);
        assert_int_equal(t->all.ns[TIME_READY], all.ready);
        assert_int_equal(t->all.ns[TIME_WAITED], all.waited);
        assert_int_equal(t->all.ns[TIME_CALLED], all.called);
        assert_int_equal(t->all.created, all.created);
        struct tally_row sum = {0};
        for (uint32_t r = 0; r < t->n; r++) { /* rows add up to all */
            sum.ns[TIME_RAN] += t->row[r].ns[TIME_RAN];
            sum.there += t->row[r].there;
            uint32_t blocked = 0;
            for (uint32_t w = 0; w < t->row[r].nwhy; w++)
                blocked += t->why[t->row[r].why + w].n;
            assert_int_equal(blocked, t->row[r].now[NOW_BLOCKED]);
            why += blocked;
        }
        assert_int_equal(sum.ns[TIME_RAN], all.ran);
        assert_int_equal(sum.there, t->all.there);
        assert_int_equal(why, all.now[NOW_BLOCKED]);
        tally_free(t);
    }
    gstate_free(gs);
}

static void test_walk(void **state)
{
    (void)state;
    for_samples(against_walk, "");
}

static bool shows(struct seen *s, const char *text)
{
    finish(&s->v);
    (void)on_screen(s, text); /* may leave work behind */
    finish(&s->v);
    return on_screen(s, text);
}

/* How long the work took that ended in the time that is shown; another time, other numbers; all of it: all
 * requests. */
static void test_work(void **state)
{
    (void)state;
    struct seen s;
    char line[2048], per_s[80];
    seen_open(&s, "samples/http-long-1.27.trace");
    struct pulse *p = pulse_new();
    struct dist d[PULSE_ROWS];
    bool failed;
    pulse_begin(p, s.tr);
    assert_true(pulse_step(p, INT64_MAX, &failed) && !failed);
    assert_true(pulse_of(p, INT64_MIN, INT64_MAX, d));
    view_switch(&s.v, VIEW_TOP);
    view_at(&s.v, trace_info(s.tr)->end - 1);
    assert_true(shows(&s, "work, the last 1.000s"));
    assert_true(shows(&s, "requests http.(*conn).serve"));
    view_do(&s.v, REQ_ZOOM_ALL, 1);
    assert_true(shows(&s, "work, all 2.753s"));
    for (int y = 0; y < s.g.h; y++) {
        grid_line(&s.g, y, line, sizeof line);
        if (strncmp(line, "requests ", 9) == 0)
            break;
    }
    snprintf(per_s, sizeof per_s, " %.0f ", (double)d[0].n * 1e9 / (double)trace_info(s.tr)->end);
    assert_non_null(strstr(line, per_s));
    assert_true(d[0].n > 250);
    pulse_free(p);
    seen_close(&s);
}

static void test_keys(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-long-1.27.trace");
    view_at(&s.v, 1500000000);
    view_switch(&s.v, VIEW_TOP);
    assert_true(shows(&s, "the last 1.000s"));
    assert_true(shows(&s, "30 waiting"));
    assert_true(shows(&s, "\\ran"));
    assert_true(view_do(&s.v, REQ_SORT, 1) & VR_DRAW);
    assert_true(shows(&s, "\\assist"));
    view_do(&s.v, REQ_INVERT, 0);
    assert_true(shows(&s, "/assist"));
    assert_true(view_do(&s.v, REQ_ZOOM, 1) & VR_BELL); /* nothing shorter */
    view_do(&s.v, REQ_ZOOM, -1);
    assert_true(shows(&s, "all 2.753s")); /* 5 s are more than there is */
    view_do(&s.v, REQ_ZOOM, 1);
    int64_t was = s.v.at.cursor;
    view_do(&s.v, REQ_PAGE, 1);
    assert_int_equal(s.v.at.cursor, was + 1000000000);
    assert_true(shows(&s, "At 2.50s"));
    view_do(&s.v, REQ_PAGE, 5);
    assert_true(view_do(&s.v, REQ_PAGE, 1) & VR_BELL);
    assert_true(shows(&s, "At "));
    view_enter(&s.v);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_int_equal(s.v.at.cursor, trace_info(s.tr)->end - 1);
    assert_int_equal(s.v.at.focus.kind, LANE_G);
    view_undo(&s.v, 0);
    view_switch(&s.v, VIEW_TOP);
    assert_true(view_do(&s.v, REQ_SELECT, 1) & VR_BELL);
    seen_close(&s);
}

static uint64_t group_here(const struct seen *s)
{
    const struct table *t = s->v.table;
    return t->type[t->row[s->v.at.row]].a;
}

/* The cursor stays with its group when the moment moves; on the first row it stays there. Another order
 * begins at its first row, as in every table. */
static void test_stays(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-long-1.27.trace");
    view_at(&s.v, 1500000000);
    view_switch(&s.v, VIEW_TOP);
    assert_true(shows(&s, "At 1.50s"));
    bool moved = false;
    for (int row = 1; row < 6; row++) {
        view_do(&s.v, REQ_FIRST, 0);
        view_do(&s.v, REQ_LANE, row);
        const uint64_t group = group_here(&s);
        view_at(&s.v, row % 2 ? 20000000 : 2700000000);
        assert_true(shows(&s, row % 2 ? "At 20ms" : "At 2.70s"));
        bool there = false;
        for (uint32_t i = 0; i < s.v.table->ntypes; i++)
            there |= s.v.table->type[i].a == group;
        assert_true(!there || group_here(&s) == group);
        moved |= (int)s.v.at.row != row;
    }
    assert_true(moved);
    view_do(&s.v, REQ_INVERT, 0);
    assert_int_equal(s.v.at.row, 0);
    view_do(&s.v, REQ_PAN, -1);
    assert_true(shows(&s, "At "));
    assert_int_equal(s.v.at.row, 0);
    seen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walk), cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_stays), cmocka_unit_test(test_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
