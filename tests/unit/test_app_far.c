/*
 * test_app_far.c - what isn't in the part of a trace that is held: searches, jumps and steps go on through the other
 * parts, and find what they would find if all of it were held.
 */
#include "tests/unit/decode_help.h"

#include "layout/move/search.h"
#include "viewer/session/app.h"

static struct app app;
static struct view whole;
static struct trace *tr, *all;
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
    assert_int_equal(load_bytes_opts(bytes, n, &o, &all, &e), ERR_OK);
    assert_true(view_init(&whole, all));
    view_resize(&whole, 80, 24);
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
    while (app_has(&app, TODO_TABLES))
        (void)app_triage(&app, INT64_MAX);
    assert_true(app.has_findings && trace_info(tr)->bounded);
    (void)view_switch(&app.view, VIEW_GOROUTINES);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    app_free(&app);
    keymap_free(km);
    view_free(&whole);
    trace_close(tr);
    trace_close(all);
    free(bytes);
    return 0;
}

/* As long as there is something to do; the parts that were looked through are counted. */
static int settle(void)
{
    uint32_t epoch = trace_info(tr)->epoch;
    do {
        while (app_hold(&app, INT64_MAX))
            ;
        while (app_has(&app, TODO_VIEW))
            (void)app_work(&app, INT64_MAX);
    } while (app_hold(&app, INT64_MAX) || app_has(&app, TODO_VIEW) || app.view.far.look);
    assert_true(app_draw(&app));
    return (int)(trace_info(tr)->epoch - epoch);
}

static void act(enum action a, const char *arg)
{
    if (app_do(&app, a, 0, arg) & VR_WORK)
        app_set(&app, TODO_VIEW, true);
}

static uint64_t here(const struct view *v, const struct trace *t)
{
    return v->at.focus.kind == LANE_G && v->at.focus.i < trace_nlanes(t, LANE_G) ? trace_lane(t, v->at.focus).id : 0;
}

/* The same, where all is held. */
static void act_whole(enum action a, const char *arg)
{
    unsigned f = a == ACT_SEARCH        ? view_search(&whole, arg)
                 : a == ACT_SEARCH_NEXT ? view_search_next(&whole, 1)
                 : a == ACT_SEARCH_PREV ? view_search_next(&whole, -1)
                 : a == ACT_GOTO        ? view_goto(&whole, arg)
                 : a == ACT_SPAN_NEXT   ? view_span(&whole, 1)
                 : a == ACT_SPAN_PREV   ? view_span(&whole, -1)
                 : a == ACT_SAME_NEXT   ? view_same(&whole, 1)
                 : a == ACT_SAME_PREV   ? view_same(&whole, -1)
                 : a == ACT_EFFECT      ? view_effect(&whole)
                 : a == ACT_CAUSE       ? view_cause(&whole)
                                        : VR_NONE;
    while (f & VR_WORK)
        f = view_work(&whole, INT64_MAX);
}

/* Both do the same and come to the same place. */
static int both(enum action a, const char *arg, int step)
{
    act(a, arg);
    act_whole(a, arg);
    int parts = settle();
    if (app.view.at.cursor != whole.at.cursor || here(&app.view, tr) != here(&whole, all))
        fail_msg("%s %s, step %d: G%" PRIu64 " at %" PRId64 " (%s), of the whole G%" PRIu64 " at %" PRId64 " (%s)",
                 action_name(a), arg ? arg : "", step, here(&app.view, tr), app.view.at.cursor, app.view.message,
                 here(&whole, all), whole.at.cursor, whole.message);
    return parts;
}

static void both_to(int64_t t)
{
    (void)view_at(&app.view, t);
    (void)view_at(&whole, t);
    settle();
}

/* A name that some goroutines share, from the start to the end, round it and back. */
static void test_search(void **state)
{
    (void)state;
    (void)view_switch(&whole, VIEW_GOROUTINES);
    both_to(0);
    int parts = both(ACT_SEARCH, "backgroundRead", 0);
    int64_t last = app.view.at.cursor;
    bool round = false;
    for (int i = 1; i < 400 && !round; i++) {
        parts += both(ACT_SEARCH_NEXT, NULL, i);
        round = app.view.at.cursor < last;
        last = app.view.at.cursor;
        if (!round && i == 20) { /* most of them at once */
            both_to(trace_info(tr)->end / 10 * 9);
            last = app.view.at.cursor;
        }
    }
    assert_true(round && parts > 3);
    for (int i = 0; i < 5; i++)
        both(ACT_SEARCH_PREV, NULL, i);
}

/* It isn't anywhere: that is said without looking, and after looking through all. */
static void test_nowhere(void **state)
{
    (void)state;
    struct place was = app.view.at;
    act(ACT_SEARCH, "no such name");
    settle();
    assert_string_equal(app.view.message, "not found: no such name");
    act(ACT_GOTO, "g999999999");
    settle();
    assert_string_equal(app.view.message, "no goroutine 999999999 in this trace");
    act(ACT_SEARCH, "g999999999");
    settle();
    assert_string_equal(app.view.message, "not found: g999999999");
    act(ACT_SEARCH, "./http"); /* a name, though none that counts: files do with .go alone */
    int parts = settle();
    act_whole(ACT_SEARCH, "./http");
    assert_non_null(strstr(whole.message, "not found"));
    if (!strstr(app.view.message, "not found: ") || parts < 4)
        fail_msg("%d parts: %s", parts, app.view.message);
    assert_true(was.win.t1 > 0);
}

/* A goroutine by its id, wherever it lives. */
static void test_goto(void **state)
{
    (void)state;
    (void)view_switch(&whole, VIEW_GOROUTINES);
    int parts = 0;
    uint32_t n = trace_nlanes(all, LANE_G);
    for (uint32_t i = 0; i < 12; i++) {
        struct lane_info li = trace_lane(all, (struct lane){LANE_G, i * (n - 1) / 11});
        char line[40];
        int64_t mid = li.first + (li.last - li.first) / 2;
        if (li.first < 0 || !li.created)
            continue;
        snprintf(line, sizeof line, "g%" PRIu64, li.id);
        both_to(trace_info(tr)->end / 12 * (11 - i));
        act(ACT_GOTO, line);
        parts += settle();
        if (here(&app.view, tr) != li.id)
            fail_msg("%s, born at %" PRId64 ": G%" PRIu64 " (%s)", line, li.seen, here(&app.view, tr),
                     app.view.message);
        int64_t t = app.view.at.cursor;
        if (t < li.first || t > li.last)
            fail_msg("%s: at %" PRId64 ", it lives %" PRId64 "..%" PRId64, line, t, li.first, li.last);
        both_to(0);
        snprintf(line, sizeof line, "g%" PRIu64 "@%" PRId64 "ns", li.id, mid);
        both(ACT_GOTO, line, (int)i);
    }
    assert_true(parts > 3);
    act(ACT_GOTO, "g1@1ns");
    settle();
    struct lane_info last = trace_lane(all, (struct lane){LANE_G, n - 1});
    char line[40];
    snprintf(line, sizeof line, "g%" PRIu64 "@1ns", last.id);
    act(ACT_GOTO, line);
    settle();
    assert_non_null(strstr(app.view.message, "isn't there at 1ns"));
}

/* From span to span over the edges of the parts, both ways, and to who woke and who is woken. */
static void test_spans(void **state)
{
    (void)state;
    static const enum action acts[] = {ACT_SPAN_NEXT, ACT_SAME_NEXT, ACT_SPAN_PREV, ACT_SAME_PREV};
    uint32_t epoch = trace_info(tr)->epoch;
    (void)view_switch(&whole, VIEW_GOROUTINES);
    for (int k = 0; k < 4; k++) {
        both_to(k < 2 ? 0 : trace_info(tr)->end - 1);
        both(ACT_GOTO, k % 2 ? "g1" : "g8", 0);
        both_to(k < 2 ? 1000 : trace_info(tr)->end - 1000);
        for (int i = 0; i < 300; i++)
            both(acts[k], NULL, i);
    }
    assert_true(trace_info(tr)->epoch > epoch + 3);
}

static void test_wakes(void **state)
{
    (void)state;
    uint32_t epoch = trace_info(tr)->epoch;
    (void)view_switch(&whole, VIEW_GOROUTINES);
    for (int i = 1; i < 30; i++) {
        int64_t t = trace_info(tr)->end / 30 * i;
        struct lane_info li = trace_lane(all, (struct lane){LANE_G, (uint32_t)i % 20});
        char line[60];
        if (t < li.first || t >= li.last)
            continue;
        snprintf(line, sizeof line, "g%" PRIu64 "@%" PRId64 "ns", li.id, t);
        both(ACT_GOTO, line, i);
        both(ACT_CAUSE, NULL, i);
        both(ACT_GOTO, line, i);
        both(ACT_EFFECT, NULL, i);
    }
    assert_true(trace_info(tr)->epoch > epoch + 3);
}

/* The log goes on where a part ends, and says what it is of. */
static void test_log(void **state)
{
    (void)state;
    (void)view_at(&app.view, 1000);
    (void)view_switch(&app.view, VIEW_LOG);
    settle();
    int64_t d1 = trace_info(tr)->detail_t1, last = -1;
    char line[400];
    (void)view_at(&app.view, d1 - 2000);
    settle();
    grid_line(&app.grid, 1, line, sizeof line);
    bool said = false;
    for (int y = 0; y < 14; y++) {
        grid_line(&app.grid, y, line, sizeof line);
        said |= strncmp(line, "events in ", 10) == 0;
    }
    assert_true(said);
    for (int i = 0; i < 200 && app.view.at.cursor < d1 + 1000; i++) {
        act(ACT_LANE_DOWN, NULL);
        settle();
        if (app.view.at.cursor < last)
            fail_msg("step %d: back from %" PRId64 " to %" PRId64, i, last, app.view.at.cursor);
        last = app.view.at.cursor;
    }
    assert_true(last > d1);
}

/* Esc stops; so does going elsewhere, and what is shown is held then. */
static void test_stop(void **state)
{
    (void)state;
    both_to(0);
    (void)view_range(&app.view, 1000, 2000000);
    settle();
    for (int k = 0; k < 2; k++) {
        act(ACT_SEARCH, "g999");
        act(ACT_SEARCH, "system call");
        for (int i = 0; i < 40 && !app.view.far.look; i++) {
            while (app_has(&app, TODO_VIEW))
                (void)app_work(&app, INT64_MAX);
            act(ACT_SEARCH_PREV, NULL);
        }
        assert_true(app.view.far.look != NULL);
        (void)app_hold(&app, 0);
        assert_non_null(strstr(app.view.message, "searching "));
        int64_t from = app.view.far.from, edge = app.view.far.edge;
        act(ACT_SEARCH_PREV, NULL); /* once more: it goes on, not anew */
        assert_true(app.view.far.look && app.view.far.from == from && app.view.far.edge == edge);
        if (k == 0)
            act(ACT_BACK, NULL);
        else
            (void)view_range(&app.view, 5000, 2000000);
        settle();
        assert_true(app.view.far.look == NULL);
        /* where hits are in the part that is held then, counting them has the last word */
        assert_true(strstr(app.view.message, "stopped; ") || (k && strstr(app.view.message, " (held in detail): ")));
        const struct trace_info *ti = trace_info(tr); /* what is shown is held again */
        assert_true(ti->detail_t0 <= app.view.at.cursor && ti->detail_t1 > app.view.at.cursor);
    }
}

static void test_filter(void **state)
{
    (void)state;
    both_to(0);
    act(ACT_FILTER, "conn.serve");
    settle();
    assert_non_null(strstr(app.view.message, "the filter in "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_search, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nowhere, setup, teardown),
        cmocka_unit_test_setup_teardown(test_goto, setup, teardown),
        cmocka_unit_test_setup_teardown(test_spans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wakes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_log, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
