/*
 * test_layout_views.c - search (against looking at everything), the event log (against all boundaries of all
 * lanes), sums (against shares), orders made in steps, groups, pins, hiding, marks; and random sessions with
 * all of it on screens of any size.
 */
#include "tests/unit/layout_help.h"

#include <unistd.h>

#include "layout/draw/draw.h"
#include "triage/activity/gstate.h"
#include "layout/views/evlog.h"
#include "layout/move/search.h"
#include "layout/views/table.h"
#include "tests/support/tracegen.h"

/* ---- search ---- */

static bool stack_has(struct trace *tr, uint32_t stack, const struct match *m)
{
    for (uint32_t i = 0; i < trace_stack(tr, stack); i++)
        if (match_str(m, trace_str(tr, trace_frame(tr, stack, i).func)))
            return true;
    return false;
}

/* Moments and goroutines at which a span matches, counted the slow way. */
static size_t slow_hits(struct seen *s, const char *text, bool re)
{
    struct match m;
    char why[100];
    size_t n = 0;
    assert_true(match_init(&m, text, re, why, sizeof why));
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        struct lane l = {LANE_G, g};
        struct lane_info li = trace_lane(s->tr, l);
        struct span_iter it;
        int64_t last = -1, first = li.first < 0 ? 0 : li.first;
        if (match_str(&m, trace_str(s->tr, li.name))) {
            n++;
            last = first;
        }
        if (!span_seek_index(&it, s->tr, l, 0))
            continue;
        uint8_t before = ST_NONE;
        do {
            const struct span *p = span_get(&it);
            bool woken = p->state == ST_RUNNABLE &&
                         (before == ST_WAITING || before == ST_SYSCALL || before == ST_NONE);
            int64_t t = p->t0 < 0 ? 0 : p->t0;
            before = p->state;
            if (match_str(&m, trace_str(s->tr, p->reason)) || match_str(&m, trace_str(s->tr, p->label)) ||
                (!woken && stack_has(s->tr, p->stack, &m))) {
                n += t != last; /* one hit for each goroutine and moment */
                last = t;
            }
        } while (span_next(&it));
    }
    match_free(&m);
    return n;
}

static void search_all(struct seen *s)
{
    static const struct {
        const char *typed, *text;
        bool re;
    } qs[] = {{"chan", "chan", false},
              {"/^main\\./", "^main\\.", true},
              {"~Mutex|Select", "Mutex|Select", true},
              {"sync", "sync", false}};
    const struct task *t;
    const struct region *r;
    const struct logmsg *l;
    if (trace_tasks(s->tr, &t) + trace_regions(s->tr, &r) + trace_logs(s->tr, &l))
        return; /* what those add is in another test */
    for (size_t i = 0; i < sizeof qs / sizeof *qs; i++) {
        view_at(&s->v, (int64_t)rnd(1000) * (view_end(&s->v) / 1000));
        view_search(&s->v, qs[i].typed);
        finish(&s->v);
        size_t want = slow_hits(s, qs[i].text, qs[i].re);
        assert_true(s->v.search->done);
        if (s->v.search->nhits != want)
            fail_msg("%s, %s: %zu hits, want %zu", s->name, qs[i].typed, s->v.search->nhits, want);
        assert_true(want == 0 || s->v.search->cur < want); /* the cursor stands on one of them */
    }
}

static void test_search(void **state)
{
    (void)state;
    for_samples(search_all, "http-1.2");
    for_samples(search_all, "lock");
}

/* The nearest hit that is shown at once is the one that the full list has next, forward and back. */
static void nearest_of(struct seen *s)
{
    for (int i = 0; i < 30; i++) {
        view_at(&s->v, (int64_t)rnd(1000) * (view_end(&s->v) / 1000));
        int64_t from = s->v.at.cursor;
        view_search(&s->v, i % 2 ? "select" : "Read");
        finish(&s->v);
        struct search *q = s->v.search;
        if (!q->nhits)
            return;
        size_t want = search_from(q, from);
        if (want < q->nhits) /* else it begins anew from the other end */
            assert_int_equal(q->hits[q->cur].t, q->hits[want].t);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    for_samples(nearest_of, "http-1.2");
}

static void type(struct view *v, const char *s)
{
    for (; *s; s++)
        if (view_prompt_put(v, (unsigned char)*s) & VR_WORK)
            finish(v);
}

static void test_typing(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-1.26.trace");
    view_switch(&s.v, 3);
    struct place before = s.v.at;
    view_prompt(&s.v, PROMPT_SEARCH);
    type(&s.v, "readLoop");
    assert_true(s.v.at.cursor != before.cursor ||
                s.v.at.focus.i != before.focus.i); /* it moved while typing */
    view_back(&s.v);
    assert_int_equal(s.v.at.cursor, before.cursor); /* Esc comes back */
    assert_int_equal(s.v.at.focus.i, before.focus.i);
    assert_null(s.v.search);
    view_prompt(&s.v, PROMPT_SEARCH);
    type(&s.v, "~read(");
    assert_int_equal(s.v.at.cursor, before.cursor); /* half an expression finds nothing and breaks nothing */
    for (int i = 0; i < 6; i++)
        view_prompt_edit(&s.v, EDIT_ERASE);
    type(&s.v, "readLoop");
    view_prompt_accept(&s.v);
    finish(&s.v);
    assert_true(s.v.search->done && s.v.search->nhits > 1 && !s.v.search->typing);
    int64_t first = s.v.at.cursor;
    view_undo(&s.v, 1); /* one step, however many letters */
    assert_int_equal(s.v.at.cursor, before.cursor);
    view_redo(&s.v, 1);
    assert_int_equal(s.v.at.cursor, first);
    assert_true(on_screen(&s, "hits"));
    view_search(&s.v, "runnable"); /* a state's name */
    finish(&s.v);
    struct span sp;
    const struct hit *h = &s.v.search->hits[s.v.search->cur];
    assert_true(trace_span_at(s.tr, (struct lane){LANE_G, h->g}, h->t, &sp));
    assert_int_equal(sp.state, ST_RUNNABLE);
    seen_close(&s);
}

/* ---- event log ---- */

static size_t slow_events(struct seen *s, struct events_win w)
{
    size_t n = 0;
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        struct lane l = {LANE_G, g};
        struct lane_info li = trace_lane(s->tr, l);
        struct span_iter it;
        if (li.ended && li.last >= w.t0 && li.last < w.t1)
            n++;
        if (span_seek_index(&it, s->tr, l, 0))
            do {
                int64_t t = span_get(&it)->t0 < 0 ? 0 : span_get(&it)->t0;
                n += t >= w.t0 && t < w.t1;
            } while (span_next(&it));
    }
    return n;
}

static void log_of(struct seen *s)
{
    view_switch(&s->v, VIEW_LOG);
    for (int i = 0; i < 12; i++) {
        view_at(&s->v, (int64_t)rnd(1000) * (view_end(&s->v) / 1000));
        assert_true(frame_draw(&s->g, &s->v, NULL));
        const struct events *l = &s->v.cache.log->of;
        size_t states = 0;
        for (size_t k = 0; k < l->n; k++) {
            states += l->e[k].kind == EV_STATE;
            assert_true(k == 0 || l->e[k - 1].t <= l->e[k].t);
            assert_true(l->e[k].t >= l->win.t0 && l->e[k].t < l->win.t1);
        }
        if (!l->cut && states != slow_events(s, l->win))
            fail_msg("%s: %zu events in [%lld,%lld), want %zu", s->name, states, (long long)l->win.t0,
                     (long long)l->win.t1, slow_events(s, l->win));
        assert_true(l->n == 0 || s->v.cache.log->cur < l->n);
    }
}

static void test_log(void **state)
{
    (void)state;
    for_samples(log_of, ".trace");
}

/* Stepping forward from the start meets every transition once, in order; stepping back returns. */
static void test_log_steps(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/workers-1.9.trace");
    size_t want = slow_events(&s, (struct events_win){0, view_end(&s.v) + 1}), got = 0, steps = 0;
    view_switch(&s.v, VIEW_LOG);
    view_at(&s.v, 0);
    assert_true(frame_draw(&s.g, &s.v, NULL));
    int64_t t = 0;
    do {
        const struct event *e = &s.v.cache.log->of.e[s.v.cache.log->cur];
        got += e->kind == EV_STATE;
        assert_true(e->t >= t);
        assert_int_equal(s.v.at.cursor, e->t < view_end(&s.v) ? e->t : view_end(&s.v) - 1);
        t = e->t;
        steps++;
    } while (steps < 1000000 && !(view_do(&s.v, REQ_LANE, 1) & VR_BELL));
    assert_int_equal(got, want);
    size_t back = 1;
    while (back < 1000000 && !(view_do(&s.v, REQ_LANE, -1) & VR_BELL))
        back++;
    assert_int_equal(back, steps);
    seen_close(&s);
}

static void test_log_text(void **state)
{
    (void)state;
    struct seen s;
    char line[2000];
    seen_open(&s, "samples/http-1.26.trace");
    view_resize(&s.v, 160, 40);
    view_switch(&s.v, VIEW_LOG);
    assert_true(on_screen(&s, "was likely")); /* what was so when the trace began */
    assert_true(on_screen(&s, "stop-the-world begins: start trace"));
    assert_true(on_screen(&s, "created by G1 main.main"));
    bool blocks = false, wakes = false;
    for (size_t i = 0; i < s.v.cache.log->of.n; i++) {
        evlog_line(&s.v, i, 44, line, sizeof line);
        blocks |= strstr(line, "blocks (") && strstr(line, ") in ");
        wakes |= strstr(line, "is woken by G") != NULL;
    }
    assert_true(blocks && wakes);
    view_switch(&s.v, VIEW_PROCS); /* with a processor under the cursor: the event's goroutine all the same */
    view_switch(&s.v, VIEW_LOG);
    assert_true(frame_draw(&s.g, &s.v, NULL));
    const uint32_t g = evlog_goroutine(&s.v);
    assert_true(g != NO_LANE);
    (void)view_enter(&s.v);
    assert_int_equal(s.v.popup.kind, POPUP_SPAN);
    assert_true(s.v.popup.lane.kind == LANE_G && s.v.popup.lane.i == g);
    s.v.popup.kind = POPUP_NONE;
    view_do(&s.v, REQ_LANE, 8); /* and back: the lanes are where the log was */
    int64_t t = s.v.at.cursor;
    view_switch(&s.v, 2);
    assert_int_equal(s.v.at.cursor, t);
    seen_close(&s);
}

/* ---- ranges ---- */

/* What goroutines did in the selected range, or in the window, is the live top of it. */
static void test_sums(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/lock-1.26.trace");
    view_resize(&s.v, 130, 60);
    view_select(&s.v, 0);
    view_cursor(&s.v, 20);
    view_select(&s.v, 0);
    assert_true(s.v.sel.stands);
    const int64_t t0 = s.v.sel.t0, t1 = s.v.sel.t1;
    view_sums(&s.v);
    finish(&s.v);
    assert_true(on_screen(&s, "start functions"));
    finish(&s.v);
    assert_int_equal(s.v.at.view, VIEW_TOP);
    assert_int_equal(s.v.table->t0, t0);
    assert_int_equal(s.v.table->t1, t1);
    assert_true(on_screen(&s, " ran most, "));
    view_do(&s.v, REQ_ZOOM, 1); /* and the time before the cursor again */
    assert_true(on_screen(&s, "start functions"));
    finish(&s.v);
    assert_int_not_equal(s.v.table->t1, t1);
    seen_close(&s);
}

/* ---- what is not recorded ---- */

/* Dark is a column in which no processor has anything: asked of each of them. Returns how many are. */
static int dark_columns(struct seen *s)
{
    struct grid g = {0};
    int n = 0;
    assert_true(grid_resize(&g, s->v.scr.plot_w, 1));
    draw_dark(&g, &s->v, 0, 0, 1);
    for (int c = 0; c < s->v.scr.plot_w; c++) {
        const int64_t t0 = s->v.cache.edges[c], t1 = s->v.cache.edges[c + 1];
        bool none = t1 > t0;
        for (uint32_t p = 0; p < trace_nlanes(s->tr, LANE_P); p++) {
            struct shares sh;
            trace_shares(s->tr, (struct lane){LANE_P, p}, t0, t1, &sh);
            none = none && sh.ns[ST_NONE] >= t1 - t0;
        }
        assert_int_equal(grid_at(&g, c, 0)->style == STYLE_UNKNOWN, none);
        n += none;
    }
    grid_free(&g);
    return n;
}

/* Of a trace that was cut, a processor of which nothing is told is not shown as idle. */
static void test_processors_lost(void **state)
{
    (void)state;
    static char buf[300000], cut[] = "/tmp/gotop-cut-XXXXXX", line[8192];
    FILE *from = fopen("samples/http-1.26.trace", "rb"), *to = fdopen(mkstemp(cut), "wb");
    const size_t n = fread(buf, 1, sizeof buf, from) * 2 / 5;
    assert_int_equal(fwrite(buf, 1, n, to), n);
    fclose(from);
    fclose(to);
    struct seen s;
    seen_open(&s, cut);
    view_resize(&s.v, 100, 18); /* lanes of one line */
    view_switch(&s.v, VIEW_PROCS);
    s.v.scr.names = false;
    assert_true(frame_draw(&s.g, &s.v, NULL));
    int told = 0, lost = 0;
    for (int y = 0; y < s.g.h; y++) {
        unsigned id;
        grid_line(&s.g, y, line, sizeof line);
        const bool lane =
            sscanf(line, "P%u ", &id) == 1 && strchr(line, '%'); /* its share; the readout has none */
        for (int c = 0; lane && c < s.v.scr.plot_w; c++) {
            struct shares sh;
            int64_t known = 0;
            trace_shares(s.tr, (struct lane){LANE_P, trace_find_lane(s.tr, LANE_P, id)}, s.v.cache.edges[c],
                         s.v.cache.edges[c + 1], &sh);
            for (int k = ST_IDLE; k <= ST_SYSCALL; k++)
                known += sh.ns[k];
            const bool unknown = line[s.v.scr.gutter + c] == '?';
            assert_true(!unknown || 2 * known < s.v.cache.edges[c + 1] - s.v.cache.edges[c]);
            if (!unknown && !known)
                fail_msg("P%u, column %d, not told: %s", id, c, line); /* as if it were idle */
            *(unknown ? &lost : &told) += 1;
        }
    }
    assert_true(lost > 5 && told > 5);
    seen_close(&s);
    unlink(cut);
}

static void test_dark_columns(void **state)
{
    (void)state;
    static const char text[] = "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                               "running\nHeapAlloc +100000 1\n"
                               "batch m=8 t=100\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 "
                               "running\nHeapAlloc +200000 1\nendgen\n"
                               "batch gen=3 m=7 t=1000000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                               "running\nHeapAlloc +100000 "
                               "1\nendgen\n"
                               "batch gen=5 m=8 t=2000000\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 "
                               "running\nHeapAlloc +100000 1\n";
    char path[] = "/tmp/gotop-dark-XXXXXX";
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    FILE *to = fdopen(mkstemp(path), "wb");
    assert_int_equal(fwrite(p, 1, n, to), n);
    fclose(to);
    free(p);
    struct seen s;
    seen_open(&s, path);
    view_resize(&s.v, 100, 18);
    int dark = 0;
    for (int i = 0; i < 40; i++) {
        const int64_t end = trace_info(s.tr)->end;
        s.v.at.win.t0 = end / 41 * i;
        s.v.at.win.t1 = i % 2 ? end : s.v.at.win.t0 + end / 80;
        assert_true(frame_draw(&s.g, &s.v, NULL));
        dark += dark_columns(&s);
    }
    assert_in_range(dark, 40 * 20, 40 * 90);
    seen_close(&s);
    unlink(path);
}

/* ---- while it loads ---- */

/* What is not found while a trace is loaded may yet come. */
static void test_not_found_yet(void **state)
{
    (void)state;
    struct seen s;
    struct err e;
    memset(&s, 0, sizeof s);
    assert_int_equal(trace_open("samples/http-1.26.trace", NULL, &s.tr, &e), ERR_OK);
    assert_true(view_init(&s.v, s.tr));
    view_resize(&s.v, 100, 30);
    (void)view_search(&s.v, "nosuchfunction");
    finish(&s.v);
    assert_non_null(strstr(s.v.msg.text, "not found in what is loaded so far"));
    trace_load(s.tr, INT64_MAX);
    (void)view_search(&s.v, "nosuchfunction");
    finish(&s.v);
    assert_non_null(strstr(s.v.msg.text, "not found: nosuchfunction"));
    seen_close(&s);
}

/* ---- orders, groups, pins ---- */

static void orders_of(struct seen *s)
{
    struct lanes *l = &s->v.lanes[LANE_G];
    static const enum state of[] = {
        [SORT_RUNNABLE] = ST_RUNNABLE, [SORT_WAITING] = ST_WAITING, [SORT_SYSCALL] = ST_SYSCALL};
    view_switch(&s->v, 3);
    for (int i = 0; i < SORT_COUNT; i++) {
        view_do(&s->v, REQ_SORT, 1);
        finish(&s->v);
        assert_int_equal(l->n, trace_nlanes(s->tr, LANE_G));
        int64_t before = INT64_MAX;
        bool by_time = l->sort == SORT_RUNNABLE || l->sort == SORT_WAITING || l->sort == SORT_SYSCALL;
        for (uint32_t r = 0; r < l->n && by_time; r++) {
            struct shares sh;
            trace_shares(s->tr, (struct lane){LANE_G, lanes_at(l, r)}, 0, trace_info(s->tr)->end, &sh);
            assert_true(sh.ns[of[l->sort]] <= before);
            before = sh.ns[of[l->sort]];
            assert_int_equal(lanes_row(l, lanes_at(l, r)), r);
        }
    }
}

static void groups_of(struct seen *s)
{
    struct lanes *l = &s->v.lanes[LANE_G];
    view_switch(&s->v, 3);
    view_do(&s->v, REQ_FIRST, 0);
    view_group(&s->v);
    finish(&s->v);
    uint64_t all = 0;
    for (uint32_t r = 0; r < l->n; r++) { /* each name once, and nobody is lost */
        uint32_t name = trace_lane(s->tr, (struct lane){LANE_G, lanes_at(l, r)}).name;
        for (uint32_t k = 0; k < r; k++)
            assert_true(trace_lane(s->tr, (struct lane){LANE_G, lanes_at(l, k)}).name != name);
        all += 1 + lanes_more(l, r);
    }
    assert_int_equal(all, trace_nlanes(s->tr, LANE_G));
    uint32_t rows = l->n, more = lanes_more(l, lanes_row(l, s->v.at.focus.i));
    view_fold(&s->v);
    assert_int_equal(l->n, rows + more);
    view_fold(&s->v);
    assert_int_equal(l->n, rows);
    view_group(&s->v);
    assert_int_equal(l->n, trace_nlanes(s->tr, LANE_G));
}

static void test_orders(void **state)
{
    (void)state;
    for_samples(orders_of, "1.2");
    for_samples(groups_of, "1.2");
}

static void test_pins(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-1.26.trace");
    struct lanes *l = &s.v.lanes[LANE_G];
    view_switch(&s.v, 3);
    view_do(&s.v, REQ_FIRST, 0);
    view_do(&s.v, REQ_LANE, 40);
    uint32_t pinned = s.v.at.focus.i, n = l->n;
    view_pin(&s.v);
    assert_int_equal(lanes_at(l, 0), pinned);
    view_do(&s.v, REQ_LAST, 0); /* it shows wherever one is */
    assert_int_equal(lanes_at(l, view_line_row(&s.v, 0)), pinned);
    assert_true(view_row_line(&s.v, lanes_row(l, s.v.at.focus.i)) > 0);
    uint32_t hidden = s.v.at.focus.i;
    view_hide(&s.v);
    assert_int_equal(l->n, n - 1);
    assert_int_equal(lanes_row(l, hidden), NO_LANE);
    view_goto(&s.v, "g1");
    view_show_all(&s.v);
    assert_int_equal(l->n, n);
    assert_true(lanes_row(l, hidden) != NO_LANE);
    assert_true(view_mark_go(&s.v, "a") & VR_BELL);
    view_mark(&s.v, "a");
    struct place at = s.v.at;
    view_finish(&s.v, 0);
    view_switch(&s.v, 2);
    view_mark_go(&s.v, "a");
    assert_int_equal(s.v.at.cursor, at.cursor);
    assert_int_equal(s.v.at.view, 3);
    assert_true(view_mark(&s.v, "#") & VR_BELL);
    view_goto(&s.v, "g22");
    view_related(&s.v);
    assert_true(l->n > 1 && l->n < n);
    const uint32_t related = l->n;
    view_hide(&s.v);
    assert_int_equal(l->n, related - 1);
    view_related(&s.v); /* all again, but the hidden one */
    assert_int_equal(l->n, n - 1);
    view_goto(&s.v, "g22");
    view_related(&s.v); /* who is asked for shows */
    assert_int_equal(l->n, related);
    view_related(&s.v);
    assert_int_equal(l->n, n);
    view_life(&s.v);
    assert_true(on_screen(&s, "created at"));
    assert_true(on_screen(&s, "spans from number"));
    seen_close(&s);
}

/* ---- anything, anywhere ---- */

static void any(struct view *v)
{
    static const char *const filters[] = {"main", "state=waiting", "dur>10us", "gc", "~(",
                                          "g1",   "wokenby:main"};
    static const char *const words[] = {"main", "sync", "~^run", "runnable", "zzz", "12"};
    switch (rnd(24)) {
    case 0: view_switch(v, 2 + (int)rnd(3)); break;
    case 1: view_switch(v, 7 + (int)rnd(3)); break;
    case 2: view_filter(v, filters[rnd(7)]); break;
    case 3: view_filter_pop(v); break;
    case 4: view_pin(v); break;
    case 5: view_hide(v); break;
    case 6: view_show_all(v); break;
    case 7: view_group(v); break;
    case 8: view_fold(v); break;
    case 9: view_related(v); break;
    case 10: view_sums(v); break;
    case 11: view_life(v); break;
    case 12: view_split(v, 1); break;
    case 13: view_search(v, words[rnd(6)]); break;
    case 14: view_search_next(v, rnd(2) ? 1 : -1); break;
    case 15: view_do(v, REQ_LANE, (int)rnd(40) - 20); break;
    case 16: view_zoom(v, (int)rnd(5) - 2); break;
    case 17: view_at(v, (int64_t)rnd(1000) * (view_end(v) / 1000)); break;
    case 18: view_do(v, REQ_SORT, 1); break;
    case 19: view_select(v, 0); break;
    case 20: view_enter(v); break;
    case 21: view_back(v); break;
    case 22:
        view_mark(v, (const char[2]){(char)('a' + rnd(4))});
        view_mark_go(v, (const char[2]){(char)('a' + rnd(4))});
        break;
    default: view_undo(v, rnd(2) ? 1 : -1); break;
    }
}

static void session(struct seen *s)
{
    static const int sizes[][2] = {{1, 1},    {2, 40},    {40, 10}, {80, 24},
                                   {200, 60}, {500, 200}, {120, 3}, {13, 13}};
    for (int i = 0; i < 150; i++) {
        if (rnd(4) == 0) {
            int k = (int)rnd(8);
            view_resize(&s->v, sizes[k][0], sizes[k][1]);
        }
        any(&s->v);
        if (rnd(3))
            view_work(&s->v, rnd(2) ? INT64_MAX : 1000);
        s->v.scr.tier = (enum tier)rnd(TIER_COUNT);
        assert_true(frame_draw(&s->g, &s->v, NULL));
        const struct place *p = &s->v.at;
        assert_true(p->cursor >= p->win.t0 && p->cursor < p->win.t1);
        const struct lanes *l = &s->v.lanes[p->focus.kind];
        if (p->view >= VIEW_PROCS && p->view <= VIEW_THREADS && l->n) {
            uint32_t row = lanes_row(l, p->focus.i);
            assert_int_not_equal(row, NO_LANE);
            assert_true(s->v.scr.rows == 0 || view_row_line(&s->v, row) >= 0);
        }
    }
}

static void test_sessions(void **state)
{
    (void)state;
    for_samples(session, ".trace");
}

/* Centuries between events, a nanosecond in all, nothing at all, ids at their limits. */
static void test_hostile(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoCreate "
        "+9000000000000000000 new_g=2 new_stack=main.f:1 stack=0\nGoBlock +1 reason=\"\x1b[2Jsync\" stack=0\n"
        "GoStart +1 g=2 g_seq=1\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoBlock +1 "
        "reason=\"x\" "
        "stack=0\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=18446744073709551615 idle\nGoStatus +0 "
        "g=18446744073709551615 m=-1 "
        "waiting\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct seen s = {.name = "(memory)"};
        size_t n;
        struct err e;
        uint8_t *bytes = tracegen_bytes(texts[i], &n);
        assert_int_equal(trace_open_mem(bytes, n, NULL, &s.tr, &e), ERR_OK);
        trace_load(s.tr, INT64_MAX);
        assert_true(view_init(&s.v, s.tr));
        for (int k = 0; k < 4; k++)
            session(&s);
        for (int y = 0; y < s.g.h; y++)
            for (int x = 0; x < s.g.w; x++)
                assert_true(grid_at(&s.g, x, y)->glyph == 0 || grid_at(&s.g, x, y)->glyph >= 0x20);
        seen_close(&s);
        free(bytes);
    }
}

/* While a trace loads, in steps: filters and the log follow it. */
static void test_loading(void **state)
{
    (void)state;
    struct seen s = {.name = "samples/http-1.26.trace"};
    struct err e;
    assert_int_equal(trace_open(s.name, &(struct trace_opts){.threads = 1}, &s.tr, &e), ERR_OK);
    assert_true(view_init(&s.v, s.tr));
    view_resize(&s.v, 120, 40);
    view_filter(&s.v, "main");
    view_split(&s.v, 1);
    enum load more;
    do {
        more = trace_load(s.tr, 0);
        view_loaded(&s.v);
        any(&s.v);
        view_work(&s.v, 100000);
        assert_true(frame_draw(&s.g, &s.v, NULL));
    } while (more == LOAD_MORE);
    session(&s);
    seen_close(&s);
}

/* Out of memory at any point: nothing is lost, nothing crashes. */
static void test_oom(void **state)
{
    (void)state;
    struct trace *tr = seen_load("samples/tasks-1.27.trace");
    for (int at = 0; at < 120; at++) {
        struct seen s;
        seen_begin(&s, tr, "samples/tasks-1.27.trace");
        seed = (uint64_t)at * 77 + 1;
        for (int i = 0; i < 15; i++) {
            mem_fail_after((long)rnd(12));
            any(&s.v);
            view_work(&s.v, 100000);
            (void)frame_draw(&s.g, &s.v, NULL);
            mem_fail_after(-1);
        }
        assert_true(frame_draw(&s.g, &s.v, NULL));
        seen_end(&s);
    }
    trace_close(tr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),          cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_typing),          cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_steps),       cmocka_unit_test(test_log_text),
        cmocka_unit_test(test_processors_lost), cmocka_unit_test(test_dark_columns),
        cmocka_unit_test(test_not_found_yet),   cmocka_unit_test(test_sums),
        cmocka_unit_test(test_orders),          cmocka_unit_test(test_pins),
        cmocka_unit_test(test_sessions),        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_loading),         cmocka_unit_test(test_oom)};
    return cmocka_run_group_tests_name("search, log, ranges, orders", tests, NULL, NULL);
}
