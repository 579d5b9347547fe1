/*
 * test_app_parts.c - the viewer on a trace that is larger than its memory: the detail follows what is shown, and what
 * was chosen by goroutine is found again in another part.
 */
#include "tests/unit/decode_help.h"

#include "viewer/session/app.h"

static struct app app;
static struct trace *tr;
static uint8_t *bytes;
static struct keymap *km;

static int setup(void **state)
{
    (void)state;
    struct trace_opts o = {.threads = 1, .max_memory = 1u << 30};
    struct err e;
    size_t n = 0;
    bytes = read_file("samples/http-long-1.27.trace", &n);
    assert_non_null(bytes);
    assert_int_equal(trace_open_mem(bytes, n, &o, &tr, &e), ERR_OK);
    tr->chunk_events = 300;
    tr->parts.fixed = mem_live();
    tr->parts.limit = mem_live() + (1 << 17) + (2u << 20); /* a fold takes a megabyte at once */
    tr->parts.step = 1 << 15;
    tr->parts.next = mem_live() + (1 << 15);
    tr->parts.ov.budget = 1u << 16;
    assert_true((km = keymap_new()) && app_init(&app, tr, km, 80, 24));
    while (app_load(&app, INT64_MAX))
        ;
    assert_true(trace_info(tr)->bounded);
    while (app_has(&app, TODO_TABLES)) /* the last part's findings come first */
        (void)app_triage(&app, INT64_MAX);
    assert_true(app.has_findings);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    app_free(&app);
    keymap_free(km);
    trace_close(tr);
    free(bytes);
    return 0;
}

static void hold(void)
{
    while (app_hold(&app, INT64_MAX))
        ;
    assert_true(app_draw(&app));
}

/* Somewhere within the middle of what the trace has, a window narrow enough to be held. */
static struct window window_at(int share)
{
    int64_t end = trace_info(tr)->end, t = end / 100 * share;
    return (struct window){t, t + end / 400};
}

static void test_follow(void **state)
{
    (void)state;
    int narrow = 0;
    for (int share = 90; share >= 10; share -= 20) {
        struct window w = window_at(share);
        (void)view_switch(&app.view, VIEW_PROCS);
        (void)view_range(&app.view, w.t0, w.t1);
        hold();
        const struct trace_info *ti = trace_info(tr);
        bool wide = trace_held(tr, w.t0, w.t1) == WANT_WIDE;
        int64_t t0 = wide ? app.view.at.cursor : w.t0, t1 = wide ? t0 + 1 : w.t1; /* at least what the cursor is on */
        narrow += !wide;
        if (ti->detail_t0 > t0 || ti->detail_t1 < t1)
            fail_msg("at %d %%: %" PRId64 "..%" PRId64 " is held", share, ti->detail_t0, ti->detail_t1);
        assert_false(app_hold(&app, INT64_MAX));
    }
    assert_true(narrow > 2);
}

static void test_same_lane(void **state)
{
    (void)state;
    struct window w = window_at(90);
    (void)view_switch(&app.view, VIEW_GOROUTINES);
    (void)view_range(&app.view, w.t0, w.t1);
    hold();
    uint32_t last = trace_nlanes(tr, LANE_G) - 1, seen = NO_LANE;
    for (uint32_t i = 0; i < last; i++) /* one that was there from the start, not at the same index */
        if (!trace_lane(tr, (struct lane){LANE_G, i}).created)
            seen = i;
    assert_int_not_equal(seen, NO_LANE);
    uint64_t old = trace_lane(tr, (struct lane){LANE_G, seen}).id,
             young = trace_lane(tr, (struct lane){LANE_G, last}).id;
    (void)view_focus(&app.view, (struct lane){LANE_G, last});
    (void)view_pin(&app.view);
    (void)view_mark(&app.view, 'a');
    (void)view_focus(&app.view, (struct lane){LANE_G, seen});
    (void)view_pin(&app.view);
    uint32_t epoch = trace_info(tr)->epoch;
    w = window_at(60);
    (void)view_range(&app.view, w.t0, w.t1);
    hold();
    assert_int_not_equal(trace_info(tr)->epoch, epoch);
    assert_int_equal(trace_lane(tr, app.view.at.focus).id, old);
    const struct lanes *l = &app.view.lanes[LANE_G];
    assert_int_equal(l->npin, 1); /* the young one isn't born yet */
    assert_int_equal(trace_lane(tr, (struct lane){LANE_G, l->pin[0]}).id, old);
    (void)view_mark_go(&app.view, 'a');
    hold();
    assert_int_equal(trace_lane(tr, app.view.at.focus).id, young);
    assert_int_equal(app.view.lanes[LANE_G].npin, 2);
}

/* Findings are of the whole trace: they stay while the tables of another part are worked out, and e walks them. */
static void test_findings_stay(void **state)
{
    (void)state;
    char line[1000];
    char **word[4];
    findings_free(&app.fs);
    assert_non_null(app.fs.f = mem_zalloc(sizeof *app.fs.f)); /* there is none in this one */
    app.fs.n = 1;
    app.fs.f[0] = (struct finding){.rule = RULE_CHURN, .lane = {LANE_G, NO_LANE}, .t0 = trace_info(tr)->end / 2};
    app.fs.f[0].t1 = app.fs.f[0].t0 + 1000;
    word[0] = &app.fs.f[0].amount, word[1] = &app.fs.f[0].title, word[2] = &app.fs.f[0].text,
    word[3] = &app.fs.f[0].next;
    for (int i = 0; i < 4; i++)
        assert_non_null(*word[i] = mem_zalloc(8)), memcpy(*word[i], "word", 5);
    for (int share = 10; share < 90; share += 40) {
        struct window w = window_at(share);
        (void)view_switch(&app.view, VIEW_PROCS);
        (void)view_range(&app.view, w.t0, w.t1);
        hold();
        assert_true(app_has(&app, TODO_TABLES) && !app.tri.tg);
        (void)view_switch(&app.view, VIEW_TRIAGE);
        assert_true(app_draw(&app));
        int rows = 0, part = 0;
        for (int y = 0; y < app.grid.h; y++) {
            grid_line(&app.grid, y, line, sizeof line);
            rows += strncmp(line, "! ", 2) == 0 || strncmp(line, ". ", 2) == 0;
            part += strstr(line, "numbers of the part that is held: 0%") != NULL;
        }
        if (!rows || part != 1)
            fail_msg("%d findings, %d lines about the part", rows, part);
        (void)app_do(&app, ACT_VIEW_PROCS, 0, NULL);
        (void)app_do(&app, ACT_FINDING_NEXT, 0, NULL);
        hold();
        const struct finding *f = &app.fs.f[app.tri.finding];
        assert_true(trace_info(tr)->detail_t0 <= f->t0 && f->t0 < trace_info(tr)->detail_t1);
        assert_true(app.view.at.cursor == f->t0 || f->t0 < 0);
    }
}

/* What is of a part only says so where it is read, not in the title alone. */
static void test_says_part(void **state)
{
    static const int views[] = {VIEW_GROUPS, VIEW_WAITS, VIEW_FLAME};
    struct window w = window_at(60);
    (void)state;
    (void)view_switch(&app.view, VIEW_GOROUTINES);
    (void)view_range(&app.view, w.t0, w.t1);
    hold();
    (void)view_search(&app.view, "serve");
    (void)view_work(&app.view, INT64_MAX);
    if (!strstr(app.view.message, " (held in detail): G"))
        fail_msg("a hit: %s", app.view.message);
    (void)view_search(&app.view, "no such name");
    (void)view_work(&app.view, INT64_MAX);
    assert_string_equal(app.view.message, "not found: no such name"); /* names are those of the whole trace */
    app_add(&app, TODO_TABLES);
    while (app_has(&app, TODO_TABLES))
        (void)app_triage(&app, INT64_MAX);
    for (int i = 0; i < 3; i++) {
        bool said = false;
        char line[1000];
        (void)view_switch(&app.view, views[i]);
        assert_true(app_draw(&app));
        for (int y = 0; y < 3; y++)
            said = said || (grid_line(&app.grid, y, line, sizeof line) > 8 && strncmp(line, "only of ", 8) == 0);
        if (!said)
            fail_msg("view %d doesn't say that it is of a part", views[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_follow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_lane, setup, teardown),
        cmocka_unit_test_setup_teardown(test_findings_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_says_part, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
