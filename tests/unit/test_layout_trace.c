/*
 * test_layout_trace.c - views over traces: what must hold for every trace, size and sequence of actions, and what
 * the screens of a small made-up trace say exactly.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decode/base/mem.h"
#include "layout/draw/draw.h"
#include "layout/draw/frame.h"
#include "layout/move/items.h"
#include "layout/views/kind.h"
#include "layout/move/lanes.h"
#include "layout/draw/plan.h"
#include "layout/move/search.h"
#include "layout/draw/status.h"
#include "tests/support/tracegen.h"

static uint64_t seed = 1;

static unsigned rnd(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

/* ---- a small trace: times are nanoseconds; its first event takes place a nanosecond after the batch begins ---- */

static const char *const scene =
    "go 1.26\n"
    "batch m=7 t=1000\n"
    "ProcStatus +0 p=0 running\n"
    "GoStatus +0 g=1 m=7 running\n"
    "STWBegin +1001 kind=\"start trace\" stack=runtime.stop:1\n"
    "STWEnd +1000\n"
    "GoCreate +8000 new_g=2 new_stack=net/http.(*conn).serve:30 stack=main.start:12,main.main:20\n"
    "GoBlock +990000 reason=\"chan receive\" stack=runtime.chanrecv1:9,main.wait:14,main.main:21\n"
    "GoStart +1000 g=2 g_seq=1\n"
    "GoUnblock +3000000 g=1 g_seq=1 stack=runtime.chansend1:5,net/http.(*conn).serve:31\n"
    "GoBlock +999000 reason=\"network\" stack=internal/poll.(*FD).Read:77,net/http.(*conn).serve:33\n"
    "GoStart +5000000 g=1 g_seq=2\n"
    "GoStop +5000000 reason=\"preempted\" stack=main.work:44,main.main:22\n"
    "GoStart +500000 g=1 g_seq=3\n"
    "GoStop +500000 reason=\"preempted\" stack=main.work:44,main.main:22\n";

struct scene {
    struct trace *tr;
    uint8_t *bytes;
    struct view v;
    struct grid g;
    struct frame_text txt;
};

static void scene_text(struct scene *s, const char *text, int w, int h)
{
    size_t n;
    struct err e;
    memset(s, 0, sizeof *s);
    s->bytes = tracegen_bytes(text, &n);
    if (trace_open_mem(s->bytes, n, NULL, &s->tr, &e))
        fail_msg("%s", e.what);
    trace_load(s->tr, INT64_MAX);
    if (trace_fatal(s->tr))
        fail_msg("%s", trace_fatal(s->tr)->what);
    assert_true(view_init(&s->v, s->tr));
    view_resize(&s->v, w, h);
    s->v.tier = TIER_ASCII;
}

static void scene_open(struct scene *s, int w, int h)
{
    scene_text(s, scene, w, h);
    assert_int_equal(trace_info(s->tr)->ndamages, 0);
}

static void scene_close(struct scene *s)
{
    grid_free(&s->g);
    view_free(&s->v);
    trace_close(s->tr);
    free(s->bytes);
}

static const char *line(struct scene *s, int y)
{
    static char buf[4][2400];
    static int k;
    k = (k + 1) % 4;
    if (y < 0)
        y += s->g.h;
    grid_line(&s->g, y, buf[k], sizeof buf[k]);
    return buf[k];
}

static void draw(struct scene *s)
{
    assert_true(frame_draw(&s->g, &s->v, &s->txt));
}

static bool screen_has(struct scene *s, const char *text)
{
    for (int y = 0; y < s->g.h; y++)
        if (strstr(line(s, y), text))
            return true;
    return false;
}

static void must_have(struct scene *s, const char *text)
{
    if (screen_has(s, text))
        return;
    for (int y = 0; y < s->g.h; y++)
        print_message("|%s\n", line(s, y));
    fail_msg("not on the screen: %s", text);
}

static void test_scene_procs(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    draw(&s);
    must_have(&s, "go 1.26");
    must_have(&s, "1P 2G");
    must_have(&s, "16.0ms");
    must_have(&s, "STW  1.00us !"); /* a microsecond of sixteen milliseconds */
    must_have(&s, "P0");
    must_have(&s, "nn).serve");
    must_have(&s, "G1 main.main");
    must_have(&s, "running");                      /* status of the first column */
    assert_int_equal(view_span(&s.v, 2), VR_DRAW); /* from G1's to G2's run to G1's second */
    draw(&s);
    assert_int_equal(s.v.at.cursor, 10000000);
    must_have(&s, "P0 G1 main.main running 5ms  from 10ms");
    must_have(&s, "woken by G2");
    must_have(&s, "after 6.00ms runnable");
    view_span(&s.v, -1);
    draw(&s);
    assert_int_equal(s.v.at.cursor, 1001000);
    must_have(&s, "P0 G2 net/http.(*conn).serve running 3.999ms  from 1.001ms");
    scene_close(&s);
}

static void test_scene_goroutines(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g1 2ms");
    draw(&s);
    must_have(&s, "G1 main.main waiting (chan receive) 3.001ms  from 1ms");
    must_have(&s, "in main.wait  woken by G2 net/http.(*conn).serve");
    must_have(&s, "chan recei"); /* within the span */
    view_enter(&s.v);
    draw(&s);
    must_have(&s, "blocked at");
    must_have(&s, "main.wait");
    must_have(&s, "woken by G2 net/http.(*conn).serve");
    must_have(&s, "runtime.chansend1");
    must_have(&s, ":31");
    must_have(&s, ":14");
    assert_int_equal(view_back(&s.v), VR_DRAW);
    assert_int_equal(s.v.popup, POPUP_NONE);
    /* cause: to G2 at the moment it woke G1; effect: back */
    assert_int_equal(view_cause(&s.v), VR_DRAW);
    assert_int_equal(s.v.at.cursor, 4001000);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    assert_int_equal(view_effect(&s.v), VR_DRAW);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 1);
    assert_int_equal(s.v.at.cursor, 4001000);
    /* goroutine <-> processor at the same time */
    view_goto(&s.v, "g2 3ms");
    view_swap(&s.v);
    assert_int_equal(s.v.at.view, VIEW_PROCS);
    assert_int_equal(s.v.at.cursor, 3000000);
    view_swap(&s.v);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    assert_int_equal(s.v.at.cursor, 3000000);
    /* creator */
    view_goto(&s.v, "g2 500us");
    draw(&s);
    must_have(&s, "runnable");
    view_cause(&s.v);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 1);
    assert_int_equal(s.v.at.cursor, 10000);
    scene_close(&s);
}

/* How long a span took is the last thing that a narrow screen leaves out, in the status and in the pop-up. */
static void test_scene_narrow(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g2 6ms"); /* G2 net/http.(*conn).serve waits for the network */
    for (int w = 80; w >= 30; w--) {
        view_resize(&s.v, w, 16);
        draw(&s);
        must_have(&s, w < 60 ? "waiting (network) >11.0ms" : "waiting (network) at least 11ms");
        view_enter(&s.v);
        draw(&s);
        must_have(&s, "at least 11ms");
        must_have(&s, "5ms .. 16ms");
        view_enter(&s.v);
    }
    scene_close(&s);
}

/* A message of many lines lies over lanes, never over the one with the cursor; the title counts those that show. */
static void test_scene_message(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 60, 14);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g2 6ms");
    for (int h = 5; h < 24; h++) {
        view_resize(&s.v, 60, h);
        view_message(&s.v, false, "%s", "");
        for (int i = 0; i < 12; i++)
            view_message(
                &s.v, false, "%.*s", 50 * i,
                "words that go on and on and on, words that go on and on and on, words that go on and on and on, "
                "words that go on and on and on, words that go on and on and on, words that go on and on and on, "
                "words that go on and on and on, words that go on and on and on, words that go on and on and on, "
                "words that go on and on and on, words that go on and on and on, words that go on and on and on, "
                "words that go on and on and on, words that go on and on and on, words that go on and on and on, "),
                draw(&s), must_have(&s, ">");
    }
    scene_close(&s);
}

/* Below the processors each goroutine has its name, however long its id: the time beside it gives way. */
static void test_scene_busiest(void **state)
{
    static const char text[] = "go 1.26\n"
                               "batch m=7 t=1000\n"
                               "ProcStatus +0 p=0 running\n"
                               "GoStatus +0 g=1 m=7 running\n"
                               "GoCreate +8000 new_g=12345 new_stack=main.work:30 stack=main.main:20\n"
                               "GoCreate +8000 new_g=1234567890 new_stack=main.work:30 stack=main.main:20\n"
                               "GoBlock +990000 reason=\"chan receive\" stack=main.main:21\n"
                               "GoStart +1000 g=12345 g_seq=1\n"
                               "GoBlock +3456000 reason=\"network\" stack=main.work:33\n"
                               "GoStart +1000 g=1234567890 g_seq=1\n"
                               "GoBlock +2456000 reason=\"network\" stack=main.work:33\n";
    (void)state;
    struct scene s;
    scene_text(&s, text, 80, 24);
    draw(&s);
    while (view_work(&s.v, INT64_MAX) & VR_WORK) {
    }
    draw(&s);
    must_have(&s, "G12345  3ms ");
    must_have(&s, "G1234567890 ");
    must_have(&s, "G1   1.01ms ");
    scene_close(&s);
}

static void test_scene_fit_undo(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    struct place all = s.v.at;
    view_goto(&s.v, "p0 12ms");
    view_zoom(&s.v, 4);
    assert_int_equal(window_len(s.v.at.win), 1000000);
    assert_int_equal(s.v.at.cursor, 12000000);
    view_fit(&s.v);
    view_fit(&s.v);
    assert_true(s.v.at.win.t0 <= 10000000 && s.v.at.win.t1 >= 15000000 && window_len(s.v.at.win) < 6000000);
    draw(&s);
    must_have(&s, "G1 main.main");
    view_undo(&s.v, 4);
    assert_memory_equal(&s.v.at.win, &all.win, sizeof all.win);
    assert_int_equal(s.v.at.cursor, all.cursor);
    assert_true(view_undo(&s.v, 1) & VR_BELL);
    view_redo(&s.v, 4);
    assert_int_equal(s.v.at.cursor, 12000000);
    assert_true(view_redo(&s.v, 1) & VR_BELL);
    scene_close(&s);
}

static void test_scene_jumps(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 24);
    assert_int_equal(view_gc(&s.v, 1), VR_DRAW);
    assert_int_equal(s.v.at.cursor, 1000);
    assert_string_equal(s.v.message, "stop-the-world (start trace): 1us");
    assert_true(view_gc(&s.v, 1) & VR_BELL);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g1 500us");
    view_same(&s.v, 1); /* running again */
    assert_int_equal(s.v.at.cursor, 10000000);
    view_same(&s.v, 1);
    assert_int_equal(s.v.at.cursor, 15500000);
    assert_true(view_same(&s.v, 1) & VR_BELL);
    view_same(&s.v, -2);
    assert_int_equal(s.v.at.cursor, 0);
    assert_true(view_goto(&s.v, "g77") & VR_BELL);
    assert_true(view_goto(&s.v, "25s") & VR_BELL);
    assert_true(view_goto(&s.v, "what") & VR_BELL);
    view_goto(&s.v, "2ms..3ms");
    assert_int_equal(s.v.at.win.t0, 2000000);
    assert_int_equal(s.v.at.win.t1, 3000000);
    assert_int_equal(view_switch(&s.v, 4), VR_DRAW);
    draw(&s);
    must_have(&s, "M7");
    scene_close(&s);
}

static void test_scene_search(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    view_switch(&s.v, 3);
    view_prompt(&s.v, PROMPT_SEARCH);
    for (const char *p = "MAIN.WORK"; *p; p++)
        view_prompt_put(&s.v, (uint32_t)*p);
    draw(&s);
    assert_string_equal(line(&s, -1), "/MAIN.WORK");
    assert_int_equal(s.txt.screen_x, 10);
    assert_true(view_prompt_accept(&s.v) & VR_BELL);           /* capitals: exact case */
    assert_true(search_is_hidden(s.v.search));                 /* nothing found, no marks to take away */
    assert_int_equal(view_search(&s.v, "main.work"), VR_DRAW); /* stack of where it stopped */
    assert_int_equal(s.v.at.cursor, 15000000);
    assert_int_equal(s.v.search->nhits, 2);
    view_search_next(&s.v, 1);
    assert_int_equal(s.v.at.cursor, 15999999); /* the trace's last moment */
    view_search_next(&s.v, 1);                 /* round */
    assert_int_equal(s.v.at.cursor, 15000000);
    view_search_next(&s.v, -1);
    assert_int_equal(s.v.at.cursor, 15999999);
    assert_int_equal(view_search(&s.v, "Network"), VR_BELL | VR_DRAW);
    assert_int_equal(view_search(&s.v, "network"), VR_DRAW); /* a reason */
    assert_int_equal(s.v.at.cursor, 5000000);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    /* the waker's stack is no hit for the woken: serve is not in G1's own stacks */
    assert_int_equal(view_search(&s.v, "chansend1"), VR_BELL | VR_DRAW);
    assert_int_equal(view_search(&s.v, "g2"), VR_DRAW); /* an id */
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    draw(&s);
    must_have(&s, "G2");
    scene_close(&s);
}

/* Views of things: tasks with their regions and logs, collections; longest first; on to the goroutine. */
static void test_items(void **state)
{
    (void)state;
    struct scene s;
    struct err e;
    scene_open(&s, 80, 24);
    assert_int_equal(view_switch(&s.v, 8), VR_DRAW);
    draw(&s);
    must_have(&s, "STW  1.00us>");
    must_have(&s, "STW start trace 1us  from 1us");
    must_have(&s, "by G1 main.main");
    view_swap(&s.v);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 1);
    view_switch(&s.v, 7);
    draw(&s);
    must_have(&s, "no tasks");
    assert_true(view_lane(&s.v, 1) & VR_BELL);
    scene_close(&s);

    memset(&s, 0, sizeof s);
    if (trace_open("samples/tasks-1.27.trace", NULL, &s.tr, &e))
        fail_msg("%s", e.what);
    trace_load(s.tr, INT64_MAX);
    assert_true(view_init(&s.v, s.tr));
    view_resize(&s.v, 80, 40);
    view_switch(&s.v, 7);
    const struct task *t;
    const struct region *r;
    const struct logmsg *m;
    assert_int_equal(s.v.items.n, trace_tasks(s.tr, &t) + trace_regions(s.tr, &r) + trace_logs(s.tr, &m));
    for (uint32_t i = 1; i < s.v.items.n; i++) { /* regions and logs lie within the task above them */
        const struct item *it = &s.v.items.row[i], *up = &s.v.items.row[i - 1];
        while (up > s.v.items.row && up->kind != ITEM_TASK)
            up--;
        if (it->kind != ITEM_REGION || !r[it->index].task || up->kind != ITEM_TASK)
            continue;
        if (r[it->index].task != t[up->index].id)
            assert_true(it->depth > 0); /* of a task that is not in the trace */
    }
    view_sort(&s.v, 1);
    int64_t last = INT64_MAX;
    for (uint32_t i = 0; i < s.v.items.n; i++)
        if (s.v.items.row[i].kind == ITEM_TASK) {
            assert_true(s.v.items.row[i].t1 - s.v.items.row[i].t0 <= last);
            last = s.v.items.row[i].t1 - s.v.items.row[i].t0;
        }
    assert_int_equal(s.v.at.cursor, s.v.items.row[0].t0);
    view_lane(&s.v, 3);
    assert_int_equal(s.v.at.cursor, s.v.items.row[3].t0);
    view_enter(&s.v); /* fits it */
    assert_true(s.v.at.win.t0 <= s.v.items.row[3].t0 && s.v.at.win.t1 >= s.v.items.row[3].t1);
    draw(&s);
    scene_close(&s);
}

static void test_prompt(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 20, 6);
    view_prompt(&s.v, PROMPT_COMMAND);
    static const uint32_t cps[] = {'z', 0xE9, 0x4E16, 0x1F600, 0x1B, 0, 0xD800, 0x110000};
    for (size_t i = 0; i < sizeof cps / sizeof *cps; i++)
        view_prompt_put(&s.v, cps[i]);
    assert_int_equal(s.v.text_len, 1 + 2 + 3 + 4);
    draw(&s);
    view_prompt_erase(&s.v);
    view_prompt_erase(&s.v);
    assert_string_equal(s.v.text, "z\xc3\xa9");
    assert_int_equal(view_prompt_accept(&s.v), VR_DRAW | VR_COMMAND);
    assert_string_equal(s.v.command, "z\xc3\xa9");
    assert_int_equal(s.v.prompt, PROMPT_NONE);
    view_prompt(&s.v, PROMPT_COMMAND);
    for (int i = 0; i < 2000; i++) /* too long: refused, not overrun */
        view_prompt_put(&s.v, 0x4E16);
    assert_true(s.v.text_len < sizeof s.v.text);
    draw(&s);
    assert_true(s.txt.screen_x >= 0 && s.txt.screen_x < 20);
    view_prompt_erase_word(&s.v);
    assert_int_equal(s.v.text_len, 0);
    view_prompt_erase(&s.v);
    assert_int_equal(s.v.prompt, PROMPT_NONE);
    assert_int_equal(view_back(&s.v), VR_QUIT);
    scene_close(&s);
}

static void test_damage_and_words(void **state)
{
    (void)state;
    struct scene s;
    scene_text(&s,
               "go 1.11\nbatch p=0 t=10\nProcStart +0 thread=3\nGoCreate +5 g=5 new_stack=main.f:1 stack=0\n"
               "GoStart +5 g=5 seq=0\nGoBlock +50 stack=0\n",
               60, 12);
    view_switch(&s.v, 4);
    draw(&s);
    if (!trace_info(s.tr)->has_m)
        must_have(&s, "go 1.11 traces do not record threads");
    scene_close(&s);
    /* the same text, cut in its middle: marked */
    size_t n;
    struct err e;
    uint8_t *b = tracegen_bytes(scene, &n);
    for (size_t cut = n - 1; cut > 16; cut -= 7) {
        memset(&s, 0, sizeof s);
        if (trace_open_mem(b, cut, NULL, &s.tr, &e))
            continue;
        trace_load(s.tr, INT64_MAX);
        assert_true(view_init(&s.v, s.tr));
        view_resize(&s.v, 80, 24);
        draw(&s);
        if (trace_info(s.tr)->ndamages)
            must_have(&s, "PARTIAL");
        s.bytes = NULL;
        scene_close(&s);
    }
    free(b);
}

/* ---- hostile ---- */

static void test_hostile_names(void **state)
{
    (void)state;
    struct scene s;
    struct tracegen_buf t = {0};
    tracegen_printf(&t, "go 1.26\nbatch m=7 t=1000\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                        "GoCreate +5000 new_g=2 new_stack=x:1 stack=0\n"
                        "GoBlock +90000 reason=\"\\x1b[2J\\x07\\xff\\xe2\\x80\\xae\" stack=");
    for (int i = 0; i < 3000; i++)
        tracegen_printf(&t, "%s", i % 10 ? "ab/\xe4\xb8\x96" : ".(");
    tracegen_printf(&t, ":14\nGoStart +10 g=2 g_seq=1\nGoBlock +50000 reason=\"r\" stack=0\n");
    for (int w = 1; w < 120; w += 13) {
        scene_text(&s, (const char *)t.p, w, 12);
        s.v.tier = TIER_EIGHTH;
        view_switch(&s.v, 3);
        view_goto(&s.v, "g1 100us");
        for (int k = 0; k < 2; k++, view_enter(&s.v)) {
            draw(&s);
            for (int y = 0; y < 12; y++)
                for (int x = 0; x < w; x++) {
                    uint32_t c = grid_at(&s.g, x, y)->glyph;
                    assert_true(c == 0 || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && !(c >= 0x202A && c <= 0x202E)));
                }
        }
        char text[300];
        size_t got = strlen((status_text(&s.v, text, sizeof text), text));
        assert_true(got < sizeof text && !strchr(text, 0x1B));
        scene_close(&s);
    }
    tracegen_free(&t);
}

static void check_view(const struct view *v)
{
    const struct place *p = &v->at;
    assert_true(p->win.t0 >= 0 && p->win.t0 < p->win.t1);
    assert_true(p->cursor >= p->win.t0 && p->cursor < p->win.t1);
    assert_true(p->cursor < view_end(v));
    assert_true(window_len(p->win) >= v->plot_w);
    const struct lanes *l = &v->lanes[p->focus.kind];
    if (kind_of(p->view)->items) {
        assert_true(p->row < v->items.n || (p->row == 0 && !v->items.n));
        assert_true(p->row >= p->top && (v->rows == 0 || p->row < p->top + (uint32_t)v->rows));
    } else if (l->n && p->view >= VIEW_PROCS && p->view <= VIEW_THREADS) {
        uint32_t row = lanes_row(l, p->focus.i);
        assert_int_not_equal(row, NO_LANE);
        assert_true(v->rows == 0 || view_row_line(v, row) >= 0);
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
    case 6: view_zoom_all(v); break;
    case 7: view_fit(v); break;
    case 8: view_center(v); break;
    case 9: n < 0 ? view_start(v) : view_finish(v); break;
    case 10: view_lane(v, n); break;
    case 11: view_lane_page(v, n); break;
    case 12: n < 0 ? view_lane_first(v) : view_lane_last(v); break;
    case 13: view_switch(v, (int)rnd(11)); break;
    case 14: view_swap(v); break;
    case 15: n < 0 ? view_sort(v, n) : view_sort_invert(v); break;
    case 16: view_span(v, n); break;
    case 17: view_same(v, n); break;
    case 18: view_gc(v, n); break;
    case 19: n < 0 ? view_cause(v) : view_effect(v); break;
    case 20: n < 0 ? view_undo(v, -n) : view_redo(v, n); break;
    case 21: view_select(v); break;
    case 22: n < 0 ? view_enter(v) : view_back(v); break;
    case 23: view_goto(v, places[rnd(8)]); break;
    case 24:
        view_search(v, words[rnd(6)]);
        view_work(v, INT64_MAX);
        break;
    case 25: view_search_next(v, n); break;
    case 26:
        v->tier = (enum tier)rnd(TIER_COUNT);
        v->mono = rnd(2);
        view_popup_scroll(v, n);
        break;
    }
}

static void random_session(struct trace *tr, int steps)
{
    static const int sizes[][2] = {{80, 24}, {1, 1},     {40, 10}, {200, 60}, {2, 3},
                                   {13, 5},  {500, 200}, {80, 2},  {3, 40}};
    struct view v;
    struct grid g = {0}, afresh = {0};
    char *yank;
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
        assert_true(g.w == v.w && g.h == v.h);
        draw_forget(&v); /* what was kept of frames before is what would be drawn now, from exact times */
        v.exact = true;
        assert_true(frame_draw(&afresh, &v, NULL));
        v.exact = false;
        if (rnd(2))
            draw_forget(&v);
        assert_memory_equal(afresh.cells, g.cells, (size_t)g.w * (size_t)g.h * sizeof *g.cells);
        if (i % 16 == 0) {
            view_yank(&v, &yank);
            mem_free(yank);
        }
    }
    grid_free(&g);
    grid_free(&afresh);
    view_free(&v);
}

static void test_hostile_times(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* centuries between events; and a trace of one nanosecond; and of none */
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoCreate "
        "+9000000000000000000 new_g=2 "
        "new_stack=main.f:1 stack=0\nGoBlock +1 reason=\"x\" stack=0\nGoStart +1 g=2 g_seq=1\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\nGoBlock +1 reason=\"x\" "
        "stack=0\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=0 running\n",
        "go 1.26\nbatch m=7 t=1\nProcStatus +0 p=18446744073709551615 idle\nGoStatus +0 g=18446744073709551615 m=-1 "
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
    for (int i = 0; i < 5000 && more == LOAD_MORE; i++) {
        more = trace_load(tr, 0);
        view_loaded(&v);
        if (act)
            any_action(&v);
        assert_true(frame_draw(&g, &v, NULL));
        check_view(&v);
        int64_t known = trace_info(tr)->end;
        for (int c = 0; c < v.plot_w && v.at.view == VIEW_PROCS && !v.popup && !act; c++) {
            struct plan p;
            plan_view(&p, &v, v.lanes[LANE_P].n);
            bool loading =
                grid_at(&g, v.gutter + c, p.y[v.lanes[LANE_P].n ? ROW_LANES : ROW_RUNQ])->style == STYLE_LOADING;
            assert_int_equal(loading, more == LOAD_MORE && v.edges[c + 1] > known);
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

/* ---- real traces ---- */

static void for_samples(void (*f)(struct trace *tr, const char *name))
{
    DIR *d = opendir("samples");
    int n = 0;
    if (!d)
        fail_msg("no folder samples/ here");
    for (struct dirent *de; (de = readdir(d));) {
        char path[400];
        struct trace *tr;
        struct err e;
        if (!strstr(de->d_name, ".trace"))
            continue;
        snprintf(path, sizeof path, "samples/%s", de->d_name);
        if (trace_open(path, NULL, &tr, &e))
            fail_msg("%s: %s", path, e.what);
        trace_load(tr, INT64_MAX);
        f(tr, de->d_name);
        trace_close(tr);
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

static void session(struct trace *tr, const char *name)
{
    (void)name;
    random_session(tr, 150);
}

static void test_random_sessions(void **state)
{
    (void)state;
    for_samples(session);
}

/* The slow truth: walk all spans of a lane. */
static void walk(struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct shares *out)
{
    struct span_iter it;
    memset(out, 0, sizeof *out);
    int64_t covered = 0;
    if (span_seek(&it, tr, l, INT64_MIN))
        do {
            const struct span *s = span_get(&it);
            int64_t a = s->t0 > t0 ? s->t0 : t0, b = s->t1 < t1 ? s->t1 : t1;
            if (b > a) {
                out->ns[s->state] += b - a;
                covered += b - a;
            }
        } while (span_next(&it));
    out->ns[ST_NONE] += t1 - t0 - covered;
}

static void shares_of(struct trace *tr, const char *name)
{
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
                trace_columns(tr, l, v.edges, (uint32_t)v.plot_w, v.cols);
                for (int c = 0; c < v.plot_w; c += zoom ? 5 : 11) {
                    struct shares slow;
                    int64_t sum = 0;
                    walk(tr, l, v.edges[c], v.edges[c + 1], &slow);
                    for (int s = 0; s < ST_COUNT; s++) {
                        sum += v.cols[c].ns[s];
                        if (v.cols[c].ns[s] != slow.ns[s])
                            fail_msg("%s: kind %d lane %u column %d state %s: %lld, by walking %lld", name, kind, l.i,
                                     c, state_name((enum state)s), (long long)v.cols[c].ns[s], (long long)slow.ns[s]);
                    }
                    assert_int_equal(sum, v.edges[c + 1] - v.edges[c]);
                }
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
    for_samples(shares_of);
}

/* At full zoom-out each stop-the-world has its mark; at any zoom the cell of a processor that ran is not blank. */
static void marks_of(struct trace *tr, const char *name)
{
    struct view v;
    struct grid g = {0};
    const struct range *r;
    assert_true(view_init(&v, tr));
    view_resize(&v, 80, 24);
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        v.tier = (enum tier)tier;
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
            int c = window_col(v.at.win, v.plot_w, r[i].t0);
            const struct cell *cell = grid_at(&g, v.gutter + c, stw);
            if (cell->style != STYLE_STW || cell->glyph == ' ')
                fail_msg("%s: the stop-the-world at %lld has no mark", name, (long long)r[i].t0);
        }
        struct plan p;
        plan_view(&p, &v, v.lanes[LANE_P].n);
        for (int row = 0; row < v.rows; row++) {
            uint32_t lane = lanes_at(&v.lanes[LANE_P], (uint32_t)row);
            if (lane == NO_LANE)
                break;
            for (int c = 0; c < v.plot_w; c++) {
                struct shares s;
                trace_shares(tr, (struct lane){LANE_P, lane}, v.edges[c], v.edges[c + 1], &s);
                int64_t busy =
                    s.ns[ST_RUNNING] + s.ns[ST_GCWORK] + s.ns[ST_ASSIST] + s.ns[ST_SWEEP] + s.ns[ST_SYSCALL];
                int y = p.y[ROW_LANES] + row * p.lane_h + p.lane_h - 1;
                const struct cell *cell = grid_at(&g, v.gutter + c, y);
                assert_true(cell != NULL);
                if (busy && cell->glyph == ' ' && !(cell->flags & CELL_REVERSE))
                    fail_msg("%s: P%u column %d was busy and is blank", name, lane, c);
            }
        }
    }
    grid_free(&g);
    view_free(&v);
}

static void test_marks(void **state)
{
    (void)state;
    for_samples(marks_of);
}

static void zoom_of(struct trace *tr, const char *name)
{
    struct view v;
    (void)name;
    assert_true(view_init(&v, tr));
    view_resize(&v, 80, 24);
    for (int i = 0; i < 50; i++) {
        int64_t t = (int64_t)((double)rnd(100000) / 100000 * (double)view_end(&v));
        view_zoom_all(&v);
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
    for_samples(zoom_of);
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
            must_have(&s, !i ? "go 1.22" : sizes[k][0] > 40 ? "go 1.26" : "4P ");
            must_have(&s, "ms"); /* how long it is, at any width */
            must_have(&s, "4P ");
            must_have(&s, "GC");
            must_have(&s, "STW");
            must_have(&s, "P3");
            must_have(&s, "? keys");
            if (sizes[k][1] > 10) {
                must_have(&s, "sweep");
                must_have(&s, "heap");
                must_have(&s, "run q");
            }
        }
        view_resize(&s.v, 80, 24);
        view_search(&s.v, "net/http.(*conn).serve");
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
            view_sort(&v, 1);
            view_search(&v, "main");
            view_search_next(&v, 1);
            view_enter(&v);
            char *yank;
            view_yank(&v, &yank);
            mem_free(yank);
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
        cmocka_unit_test(test_scene_procs),
        cmocka_unit_test(test_scene_goroutines),
        cmocka_unit_test(test_scene_narrow),
        cmocka_unit_test(test_scene_busiest),
        cmocka_unit_test(test_scene_message),
        cmocka_unit_test(test_scene_fit_undo),
        cmocka_unit_test(test_scene_jumps),
        cmocka_unit_test(test_scene_search),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_prompt),
        cmocka_unit_test(test_damage_and_words),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_hostile_times),
        cmocka_unit_test(test_while_loading),
        cmocka_unit_test(test_random_sessions),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_zoom_keeps),
        cmocka_unit_test(test_screen_http),
        cmocka_unit_test(test_oom),
    };
    return cmocka_run_group_tests_name("layout on traces", tests, NULL, NULL);
}
