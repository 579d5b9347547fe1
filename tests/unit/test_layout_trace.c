/*
 * test_layout_trace.c - views over traces: what must hold for every trace, size and sequence of actions.
 */
#include "scene_help.h"

#include "layout/move/plan.h"
#include "decode/model/item.h"
#include "layout/move/search.h"
#include "layout/move/kind.h"

static void check_view(const struct view *v)
{
    const struct place *p = &v->at;
    assert_true(p->win.t0 >= 0 && p->win.t0 < p->win.t1);
    assert_true(p->cursor >= p->win.t0 && p->cursor < p->win.t1);
    assert_true(p->cursor < view_end(v));
    assert_true(window_len(p->win) >= v->scr.plot_w);
    const struct lanes *l = &v->lanes[p->focus.kind];
    if (kind_of(p->view)->items) {
        assert_true(p->row < v->items.n || (p->row == 0 && !v->items.n));
        assert_true(p->row >= p->top && (v->scr.rows == 0 || p->row < p->top + (uint32_t)v->scr.rows));
    } else if (l->n && p->view >= VIEW_PROCS && p->view <= VIEW_THREADS) {
        uint32_t row = lanes_row(l, p->focus.i);
        assert_int_not_equal(row, NO_LANE);
        assert_true(v->scr.rows == 0 || view_row_line(v, row) >= 0);
    }
}

static void any_action(struct view *v)
{
    int n = (int)rnd(7) - 3;
    static const char *const places[] = {"g1",          "p0",      "m7",    "1us", "0..9223372036854775807",
                                         "9000000000s", "1us+1ns", "g2 5ms"};
    static const char *const words[] = {"main", "serve", "xyzzy", "1", "running", "chan"};
    switch (rnd(27)) {
    case 0: view_pan(v, n); break;
    case 1: view_page(v, n); break;
    case 2: view_cursor(v, n * 20); break;
    case 3:
    case 4: view_zoom(v, n); break;
    case 5: view_zoom(v, n * 30); break;
    case 6: view_zoom_all(v, 0); break;
    case 7: view_do(v, REQ_FIT, 0); break;
    case 8: view_center(v, 0); break;
    case 9: n < 0 ? view_start(v, 0) : view_finish(v, 0); break;
    case 10: view_do(v, REQ_LANE, n); break;
    case 11: view_do(v, REQ_LANE_PAGE, n); break;
    case 12: n < 0 ? view_do(v, REQ_FIRST, 0) : view_do(v, REQ_LAST, 0); break;
    case 13: view_switch(v, (int)rnd(11)); break;
    case 14: view_do(v, REQ_SWAP, 0); break;
    case 15: n < 0 ? view_do(v, REQ_SORT, n) : view_do(v, REQ_INVERT, 0); break;
    case 16: view_do(v, REQ_SPAN, n); break;
    case 17: view_same(v, n); break;
    case 18: view_gc(v, n); break;
    case 19: n < 0 ? view_cause(v) : view_effect(v); break;
    case 20: n < 0 ? view_undo(v, -n) : view_redo(v, n); break;
    case 21: view_select(v, 0); break;
    case 22: n < 0 ? view_enter(v) : view_back(v); break;
    case 23: view_goto(v, places[rnd(8)]); break;
    case 24:
        view_search(v, words[rnd(6)]);
        view_work(v, INT64_MAX);
        break;
    case 25: view_search_next(v, n); break;
    case 26:
        v->scr.tier = (enum tier)rnd(TIER_COUNT);
        v->scr.mono = rnd(2);
        view_popup_scroll(v, n);
        break;
    }
}

static void copy(struct view *v)
{
    struct text t = {0};
    bool rows;
    view_yank(v, &t, &rows);
    text_free(&t);
}

static void random_session(const struct trace *tr, int steps)
{
    static const int sizes[][2] = {{80, 24}, {1, 1},     {40, 10}, {200, 60}, {2, 3},
                                   {13, 5},  {500, 200}, {80, 2},  {3, 40}};
    struct view v;
    struct grid g = {0};
    assert_true(view_init(&v, tr));
    for (int i = 0; i < steps; i++) {
        if (i % 8 == 0) {
            const int *s = sizes[rnd(9)];
            if (s[0] < 500 || !rnd(4))
                view_resize(&v, s[0], s[1]);
        }
        any_action(&v);
        check_view(&v);
        assert_true(frame_draw(&g, &v, NULL));
        check_view(&v);
        assert_true(g.w == v.scr.w && g.h == v.scr.h);
        if (i % 16 == 0)
            copy(&v);
    }
    grid_free(&g);
    view_free(&v);
}

static void test_hostile_times(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* centuries between events; and a trace of one nanosecond; and of none */
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoCreate "
        "+9000000000000000000 new_g=2 new_stack=main.f:1 stack=0\nGoBlock +1 reason=\"x\" stack=0\nGoStart "
        "+1 g=2 "
        "g_seq=1\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoBlock +1 "
        "reason=\"x\" "
        "stack=0\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=18446744073709551615 idle\nGoStatus +0 "
        "g=18446744073709551615 m=-1 "
        "waiting\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scene s;
        size_t n;
        struct err e;
        memset(&s, 0, sizeof s);
        s.bytes = tracegen_bytes(texts[i], &n);
        assert_int_equal(trace_open_mem(s.bytes, n, NULL, &s.tr, &e), ERR_OK);
        trace_load(s.tr, INT64_MAX);
        random_session(s.tr, 600);
        scene_close(&s);
    }
}

/* Any prefix of loading draws; time that is not decoded is marked, not idle. */
static void load_and_look(bool act)
{
    struct trace *tr;
    struct err e;
    struct view v;
    struct grid g = {0};
    int marked = 0, more = LOAD_MORE;
    if (trace_open("samples/http-long-1.27.trace", NULL, &tr, &e))
        fail_msg("%s", e.what);
    assert_true(view_init(&v, tr));
    view_resize(&v, 80, 24);
    assert_true(view_do(&v, REQ_LANE, 1) & VR_BELL);
    for (int i = 0; i < 5000 && more == LOAD_MORE; i++) {
        more = trace_load(tr, 0);
        view_loaded(&v);
        if (act)
            any_action(&v);
        else /* it is said that there are no lanes, until there are */
            assert_int_equal(strcmp(v.msg.text, "no lanes here") == 0, v.lanes[LANE_P].n == 0);
        assert_true(frame_draw(&g, &v, NULL));
        check_view(&v);
        int64_t known = trace_info(tr)->end;
        for (int c = 0; c < v.scr.plot_w && v.at.view == VIEW_PROCS && !v.popup.kind && !act; c++) {
            struct plan p;
            plan_view(&p, &v, v.lanes[LANE_P].n);
            bool loading =
                grid_at(&g, v.scr.gutter + c, p.y[v.lanes[LANE_P].n ? ROW_LANES : ROW_RUNQ])->style ==
                STYLE_LOADING;
            assert_int_equal(loading, more == LOAD_MORE && v.cache.edges[c + 1] > known);
            marked += loading;
        }
    }
    assert_int_equal(more, LOAD_DONE);
    assert_true(act || marked > 0);
    if (!act)
        assert_true(v.at.win.t0 == 0 && v.at.win.t1 == trace_info(tr)->end); /* it still shows all */
    grid_free(&g);
    view_free(&v);
    trace_close(tr);
}

static void test_while_loading(void **state)
{
    (void)state;
    load_and_look(false);
    for (int i = 0; i < 5; i++)
        load_and_look(true);
}

static void session(struct seen *on)
{
    random_session(on->tr, 100);
}

static void test_random_sessions(void **state)
{
    (void)state;
    for_samples(session, "");
}

/* The slow truth: all spans of a lane are looked at. They are read once. */
struct spans_read {
    struct span *v;
    size_t n;
};

static struct spans_read read_spans(const struct trace *tr, struct lane l)
{
    struct spans_read r = {NULL, 0};
    struct span_iter it;
    size_t room = 0;
    if (!span_seek(&it, tr, l, INT64_MIN))
        return r;
    do {
        if (r.n == room) {
            room = room ? 2 * room : 64;
            r.v = realloc(r.v, room * sizeof *r.v);
            assert_non_null(r.v);
        }
        r.v[r.n++] = *span_get(&it);
    } while (span_next(&it));
    return r;
}

static void walk(const struct spans_read *r, int64_t t0, int64_t t1, struct shares *out)
{
    memset(out, 0, sizeof *out);
    int64_t covered = 0;
    for (size_t i = 0; i < r->n; i++) { /* v may be NULL */
        const struct span *s = &r->v[i];
        int64_t a = s->t0 > t0 ? s->t0 : t0, b = s->t1 < t1 ? s->t1 : t1;
        if (b > a) {
            out->ns[s->state] += b - a;
            covered += b - a;
        }
    }
    out->ns[ST_NONE] += t1 - t0 - covered;
}

static void shares_of(struct seen *on)
{
    const struct trace *tr = on->tr;
    struct view v;
    struct grid g = {0};
    assert_true(view_init(&v, tr));
    view_resize(&v, 60 + (int)rnd(60), 24);
    assert_true(frame_draw(&g, &v, NULL));
    for (int zoom = 0; zoom < 4; zoom++) {
        for (int kind = 0; kind < LANE_KINDS; kind++) {
            uint32_t n = trace_nlanes(tr, (enum lane_kind)kind), lanes = n > 6 ? 6 : n;
            for (uint32_t i = 0; i < lanes; i++) {
                struct lane l = {(enum lane_kind)kind, n > 6 ? rnd(n) : i};
                struct spans_read all = read_spans(tr, l);
                trace_columns(tr, l, v.cache.edges, (uint32_t)v.scr.plot_w, v.cache.cols);
                for (int c = 0; c < v.scr.plot_w; c += zoom ? 5 : 11) {
                    struct shares slow;
                    int64_t sum = 0;
                    walk(&all, v.cache.edges[c], v.cache.edges[c + 1], &slow);
                    for (int s = 0; s < ST_COUNT; s++) {
                        sum += v.cache.cols[c].ns[s];
                        if (v.cache.cols[c].ns[s] != slow.ns[s])
                            fail_msg("%s: kind %d lane %u column %d state %s: %lld, by walking %lld",
                                     on->name, kind, l.i, c, state_name((enum state)s),
                                     (long long)v.cache.cols[c].ns[s], (long long)slow.ns[s]);
                    }
                    assert_int_equal(sum, v.cache.edges[c + 1] - v.cache.edges[c]);
                }
                free(all.v);
            }
        }
        view_at(&v, (int64_t)((double)rnd(1000) / 1000 * (double)view_end(&v)));
        view_zoom(&v, 3);
        assert_true(frame_draw(&g, &v, NULL));
    }
    grid_free(&g);
    view_free(&v);
}

static void test_shares(void **state)
{
    (void)state;
    for_samples(shares_of, "");
}

/* At full zoom-out each stop-the-world has its mark; at any zoom the cell of a processor that ran is not
 * blank. */
static void marks_of(struct seen *on)
{
    const struct trace *tr = on->tr;
    struct view v;
    struct grid g = {0};
    const struct range *r;
    assert_true(view_init(&v, tr));
    view_resize(&v, 80, 24);
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        v.scr.tier = (enum tier)tier;
        assert_true(frame_draw(&g, &v, NULL));
        int stw = -1;
        char buf[2000];
        for (int y = 0; y < g.h && stw < 0; y++)
            if (grid_line(&g, y, buf, sizeof buf) && !strncmp(buf, "STW", 3))
                stw = y;
        size_t n = trace_ranges(tr, RANGE_STW, &r);
        if (stw < 0) { /* nothing stopped: the row is folded */
            assert_true(plan_empty(&v, ROW_STW));
            for (size_t i = 0; i < n; i++)
                assert_true(r[i].t1 <= r[i].t0);
            n = 0;
        }
        for (size_t i = 0; i < n; i++) {
            if (r[i].t1 <= r[i].t0)
                continue;
            int c = window_col(v.at.win, v.scr.plot_w, r[i].t0);
            const struct cell *cell = grid_at(&g, v.scr.gutter + c, stw);
            if (cell->style != STYLE_STW || cell->glyph == ' ')
                fail_msg("%s: the stop-the-world at %lld has no mark", on->name, (long long)r[i].t0);
        }
        struct plan p;
        plan_view(&p, &v, v.lanes[LANE_P].n);
        for (int row = 0; row < v.scr.rows; row++) {
            uint32_t lane = lanes_at(&v.lanes[LANE_P], (uint32_t)row);
            if (lane == NO_LANE)
                break;
            for (int c = 0; c < v.scr.plot_w; c++) {
                struct shares s;
                trace_shares(tr, (struct lane){LANE_P, lane}, v.cache.edges[c], v.cache.edges[c + 1], &s);
                int64_t busy =
                    s.ns[ST_RUNNING] + s.ns[ST_GCWORK] + s.ns[ST_ASSIST] + s.ns[ST_SWEEP] + s.ns[ST_SYSCALL];
                int y = p.y[ROW_LANES] + row * p.lane_h + p.lane_h - 1;
                const struct cell *cell = grid_at(&g, v.scr.gutter + c, y);
                assert_true(cell != NULL);
                if (busy && cell->glyph == ' ' && !(cell->flags & CELL_REVERSE))
                    fail_msg("%s: P%u column %d was busy and is blank", on->name, lane, c);
            }
        }
    }
    grid_free(&g);
    view_free(&v);
}

static void test_marks(void **state)
{
    (void)state;
    for_samples(marks_of, "");
}

static void zoom_of(struct seen *on)
{
    struct view v;
    assert_true(view_init(&v, on->tr));
    view_resize(&v, 80, 24);
    for (int i = 0; i < 50; i++) {
        int64_t t = (int64_t)((double)rnd(100000) / 100000 * (double)view_end(&v));
        view_zoom_all(&v, 0);
        view_at(&v, t);
        int64_t before = v.at.cursor;
        int k = 1 + (int)rnd(12);
        struct window w = v.at.win;
        for (int j = 0; j < k; j++)
            view_zoom(&v, 1);
        assert_int_equal(v.at.cursor, before);
        for (int j = 0; j < k; j++)
            view_zoom(&v, -1);
        assert_int_equal(v.at.cursor, before);
        assert_true(v.at.win.t0 == w.t0 && v.at.win.t1 == w.t1); /* clamped at the whole trace */
    }
    view_free(&v);
}

static void test_zoom_keeps(void **state)
{
    (void)state;
    for_samples(zoom_of, "");
}

/* While one zooms, lanes come and go, and the cursor's lane stays on its line unless the list ends there. */
static void line_of(struct seen *on)
{
    struct view v;
    assert_true(view_init(&v, on->tr));
    view_resize(&v, 80, 24);
    view_switch(&v, VIEW_GOROUTINES);
    for (int i = 0; i < 60; i++) {
        const struct lanes *l = &v.lanes[LANE_G];
        view_do(&v, REQ_LANE, (int)rnd(9) - 4);
        const int line = view_row_line(&v, lanes_row(l, v.at.focus.i));
        const uint32_t lane = v.at.focus.i;
        view_zoom(&v, rnd(3) ? 1 : -1);
        const uint32_t row = lanes_row(l, lane), rows = (uint32_t)v.scr.rows;
        if (v.at.focus.i == lane && row >= (uint32_t)line && row - (uint32_t)line + rows <= l->n &&
            line < (int)rows)
            assert_int_equal(view_row_line(&v, row), line);
    }
    view_free(&v);
}

static void test_line_keeps(void **state)
{
    (void)state;
    for_samples(line_of, "");
}

static void test_screen_http(void **state)
{
    (void)state;
    struct scene s;
    struct err e;
    static const char *const files[] = {"samples/http-1.22.trace", "samples/http-1.26.trace"};
    for (int i = 0; i < 2; i++) {
        memset(&s, 0, sizeof s);
        if (trace_open(files[i], NULL, &s.tr, &e))
            fail_msg("%s", e.what);
        trace_load(s.tr, INT64_MAX);
        assert_true(view_init(&s.v, s.tr));
        static const int sizes[][2] = {{80, 24}, {200, 60}, {40, 10}};
        for (int k = 0; k < 3; k++) {
            view_resize(&s.v, sizes[k][0], sizes[k][1]);
            s.txt.footer = "? keys  q quit";
            draw(&s);
            must_have(&s, sizes[k][0] >= 80 ? "P 9" : !i ? "go 1.22" : sizes[k][0] > 40 ? "go 1.26" : "4P ");
            must_have(&s, "ms"); /* how long it is, at any width */
            must_have(&s, "4P ");
            must_have(&s, "GC");
            must_have(&s, "STW");
            must_have(&s, "P3");
            must_have(&s, "? keys");
            if (sizes[k][1] > 10) {
                must_have(&s, "sweep");
                must_have(&s, "heap");
                must_have(&s, "queue");
            }
        }
        view_resize(&s.v, 80, 24);
        view_search(&s.v, "net/http.(*conn).serve");
        while (view_work(&s.v, INT64_MAX) & VR_WORK) { /* a busy machine needs more than one slice */
        }
        assert_true(s.v.search->done && s.v.search->nhits > 0);
        view_switch(&s.v, 3);
        draw(&s);
        must_have(&s, "serve");
        scene_close(&s);
    }
}

/* ---- out of memory: a clean answer, and all works again afterwards ---- */

static void test_oom(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 24);
    size_t before = mem_live();
    for (long n = 1; n < 60; n++) {
        struct view v;
        struct grid g = {0};
        mem_fail_after(n);
        if (view_init(&v, s.tr)) {
            view_resize(&v, 80, 24);
            bool drawn = frame_draw(&g, &v, NULL);
            view_switch(&v, 3);
            view_do(&v, REQ_SORT, 1);
            view_search(&v, "main");
            view_search_next(&v, 1);
            view_enter(&v);
            copy(&v);
            if (!drawn)
                assert_int_equal(g.cap, 0);
            mem_fail_after(-1);
            assert_true(frame_draw(&g, &v, NULL));
            check_view(&v);
            grid_free(&g);
            view_free(&v);
        }
        mem_fail_after(-1);
        assert_int_equal(mem_live(), before);
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_times),
        cmocka_unit_test(test_while_loading),
        cmocka_unit_test(test_random_sessions),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_zoom_keeps),
        cmocka_unit_test(test_line_keeps),
        cmocka_unit_test(test_screen_http),
        cmocka_unit_test(test_oom),
    };
    return cmocka_run_group_tests_name("layout on traces", tests, NULL, NULL);
}
