/*
 * test_layout_scene.c - what the screens of a small made-up trace say exactly, at any width; what is typed;
 * names that are hostile.
 */
#include "scene_help.h"

#include "layout/move/kind.h"
#include "layout/move/plan.h"
#include "layout/draw/status.h"
#include "decode/model/item.h"
#include "layout/move/search.h"

static void test_scene_procs(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    draw(&s);
    must_have(&s, "1P 2G");
    must_have(&s, "16.0ms");
    must_have(&s, "STW          1.00us !"); /* a microsecond of sixteen milliseconds */
    must_have(&s, "P0");
    must_have(&s, "running");                              /* status of the first column */
    assert_int_equal(view_do(&s.v, REQ_SPAN, 2), VR_DRAW); /* from G1's to G2's run to G1's second */
    draw(&s);
    assert_int_equal(s.v.at.cursor, 10000000);
    must_have(&s, "P0 G1 main.main running 5ms  from 10ms");
    must_have(&s, "woken by G2");
    must_have(&s, "after 6.00ms runnable");
    view_do(&s.v, REQ_SPAN, -1);
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
    must_have(&s, "G1 main.main waiting (channel receive) 3.001ms  from 1ms");
    must_have(&s, "in main.wait  woken by G2 net/http.(*conn).serve");
    view_enter(&s.v);
    draw(&s);
    must_have(&s, "waits at");
    must_have(&s, "main.wait");
    must_have(&s, "woken by G2 net/http.(*conn).serve");
    must_have(&s, "runtime.chansend1");
    must_have(&s, ":31");
    must_have(&s, ":14");
    assert_int_equal(view_back(&s.v), VR_DRAW);
    assert_int_equal(s.v.popup.kind, POPUP_NONE);
    /* cause: to G2 at the moment it woke G1; effect: back */
    assert_int_equal(view_cause(&s.v), VR_DRAW);
    assert_int_equal(s.v.at.cursor, 4001000);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    assert_int_equal(view_effect(&s.v), VR_DRAW);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 1);
    assert_int_equal(s.v.at.cursor, 4001000);
    /* goroutine <-> processor at the same time */
    view_goto(&s.v, "g2 3ms");
    view_do(&s.v, REQ_SWAP, 0);
    assert_int_equal(s.v.at.view, VIEW_PROCS);
    assert_int_equal(s.v.at.cursor, 3000000);
    view_do(&s.v, REQ_SWAP, 0);
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

/* A span that begins within the column is the one under the cursor, which is before it. */
static void test_scene_begins(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g2");
    view_start(&s.v, 0);
    draw(&s);
    must_have(&s, "G2 net/http.(*conn).serve runnable 991us  from 10us");
    assert_int_equal(view_enter(&s.v), VR_DRAW);
    assert_int_equal(s.v.popup.kind, POPUP_SPAN);
    view_goto(&s.v, "g2 0..5us"); /* nor is anything else of it here: its life is told all the same */
    draw(&s);
    must_have(&s, "100.0% not alive");
    assert_int_equal(view_life(&s.v), VR_DRAW);
    draw(&s);
    must_have(&s, "The life of G2");
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

/* Nor is it where what stands behind it is left out (".."). */
static void test_scene_cut_off(void **state)
{
    static const char text[] =
        "go 1.26\n"
        "batch m=7 t=1000\n"
        "ProcStatus +0 p=0 running\n"
        "GoStatus +0 g=1 m=7 running\n"
        "GoCreate +1000 new_g=74 new_stack=net/http.(*connReader).backgroundRead:30 stack=main.main:20\n"
        "GoBlock +28672 reason=\"sleep\" stack=main.main:21\n"
        "GoStart +1000 g=74 g_seq=1\n";
    (void)state;
    struct scene s;
    scene_text(&s, text, 80, 16);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g74 2us");
    for (int h = 6; h < 24; h++)
        for (int w = 80; w >= 60; w--) {
            view_resize(&s.v, w, h);
            draw(&s);
            must_have(&s, "backgroundRead runnable 29.672us");
        }
    scene_close(&s);
}

/* While a trace loads, how far it is stands whole in the title: names and dialect give way. */
static void test_scene_loading(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    s.txt.name = "a-trace-of-some-service-with-a-long-name.trace";
    s.txt.loading = true;
    for (int w = 160; w >= 40; w--) {
        view_resize(&s.v, w, 16);
        draw(&s);
        const char *at = strstr(line(&s, 0), "  loading 100%");
        if (!at)
            fail_msg("%d: %s", w, line(&s, 0));
        assert_true(at[14] == 0 || at[14] == ' ');
    }
    scene_close(&s);
}

/* That nothing is saved stands in the title at any width and with any name, as long as it is so; nowhere
 * else. */
static void test_scene_unsaved(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 80, 16);
    s.txt.name = "http://a-host-of-some-service.with-a-long-name:6060 LIVE, silent 10s";
    draw(&s);
    assert_null(strstr(line(&s, 0), "NOT SAVED"));
    s.txt.live = s.txt.unsaved = true;
    for (int w = 160; w >= 40; w--) {
        view_resize(&s.v, w, 16);
        draw(&s);
        if (!strstr(line(&s, 0), " NOT SAVED"))
            fail_msg("%d: %s", w, line(&s, 0));
    }
    scene_close(&s);
}

/* A message of many lines lies over lanes, never over the one with the cursor; the title counts those that
 * show. */
static void test_scene_message(void **state)
{
    (void)state;
    struct scene s;
    scene_open(&s, 60, 14);
    view_switch(&s.v, 3);
    view_goto(&s.v, "g2 6ms");
    for (int h = 5; h < 24; h++) {
        char text[700] = "";
        view_resize(&s.v, 80, h);
        for (size_t n = 0; n + 50 < sizeof text; n += 32) {
            memcpy(text + n, "words that go on and on and on, ", 33);
            view_message(&s.v, false, "%s", text);
            draw(&s);
            must_have(&s, "(*conn).serve  >");
            if (s.v.scr.rows < 2)
                must_have(&s, "lanes 2-2 of 2");
        }
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
    s.v.busiest[s.v.nbusiest++] = trace_find_lane(s.tr, LANE_G, 12345);
    s.v.busiest[s.v.nbusiest++] = trace_find_lane(s.tr, LANE_G, 1234567890);
    s.v.busiest[s.v.nbusiest++] = trace_find_lane(s.tr, LANE_G, 1);
    draw(&s);
    must_have(&s, "G12345 work  3.46ms ");
    must_have(&s, "G1234567890  2.46ms ");
    must_have(&s, "G1 main.main 1.01ms"); /* the time in the window */
    view_resize(&s.v, 58, 24);            /* no room for times */
    draw(&s);
    must_have(&s, "G123456");
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
    view_do(&s.v, REQ_FIT, 0);
    view_do(&s.v, REQ_FIT, 0);
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
    assert_string_equal(s.v.msg.text, "stop-the-world (start trace): 1us");
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

/* On a slow machine it takes more than a key press. */
static unsigned searched(struct scene *s, const char *text)
{
    unsigned f = view_search(&s->v, text);
    while (f & VR_WORK)
        f = view_work(&s->v, INT64_MAX);
    return f;
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
    assert_true(view_prompt_accept(&s.v) & VR_BELL);      /* capitals: exact case */
    assert_true(s.v.search->hidden);                      /* nothing found, no marks to take away */
    assert_int_equal(searched(&s, "main.work"), VR_DRAW); /* stack of where it stopped */
    assert_int_equal(s.v.at.cursor, 15000000);
    assert_int_equal(s.v.search->nhits, 2);
    view_search_next(&s.v, 1);
    assert_int_equal(s.v.at.cursor, 15999999); /* the trace's last moment */
    view_search_next(&s.v, 1);                 /* round */
    assert_int_equal(s.v.at.cursor, 15000000);
    view_search_next(&s.v, -1);
    assert_int_equal(s.v.at.cursor, 15999999);
    assert_int_equal(searched(&s, "Network"), VR_BELL | VR_DRAW);
    assert_int_equal(searched(&s, "network"), VR_DRAW); /* a reason */
    assert_int_equal(s.v.at.cursor, 5000000);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 2);
    /* the waker's stack is no hit for the woken: serve is not in G1's own stacks */
    assert_int_equal(searched(&s, "chansend1"), VR_BELL | VR_DRAW);
    assert_int_equal(searched(&s, "g2"), VR_DRAW); /* an id */
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
    view_do(&s.v, REQ_SWAP, 0);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_int_equal(trace_lane(s.tr, s.v.at.focus).id, 1);
    view_switch(&s.v, 7);
    assert_int_equal(s.v.at.view, VIEW_PIECES); /* there are no tasks: to what there may be */
    view_show(&s.v, VIEW_TASKS);
    draw(&s);
    must_have(&s, "no tasks");
    assert_true(view_do(&s.v, REQ_LANE, 1) & VR_BELL);
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
    view_do(&s.v, REQ_SORT, 1);
    int64_t last = INT64_MAX;
    for (uint32_t i = 0; i < s.v.items.n; i++)
        if (s.v.items.row[i].kind == ITEM_TASK) {
            assert_true(s.v.items.row[i].t1 - s.v.items.row[i].t0 <= last);
            last = s.v.items.row[i].t1 - s.v.items.row[i].t0;
        }
    assert_int_equal(s.v.at.cursor, s.v.items.row[0].t0);
    view_do(&s.v, REQ_LANE, 3);
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
    assert_int_equal(s.v.prompt.len, 1 + 2 + 3 + 4);
    draw(&s);
    view_prompt_edit(&s.v, EDIT_ERASE);
    view_prompt_edit(&s.v, EDIT_ERASE);
    assert_string_equal(s.v.prompt.text, "z\xc3\xa9");
    assert_int_equal(view_prompt_accept(&s.v), VR_DRAW | VR_COMMAND);
    assert_string_equal(s.v.prompt.command, "z\xc3\xa9");
    assert_int_equal(s.v.prompt.kind, PROMPT_NONE);
    view_prompt(&s.v, PROMPT_COMMAND);
    for (int i = 0; i < 2000; i++) /* too long: refused, not overrun */
        view_prompt_put(&s.v, 0x4E16);
    assert_true(s.v.prompt.len < sizeof s.v.prompt.text);
    draw(&s);
    assert_true(s.txt.screen_x >= 0 && s.txt.screen_x < 20);
    view_prompt_edit(&s.v, EDIT_ERASE_WORD);
    assert_int_equal(s.v.prompt.len, 0);
    view_prompt_edit(&s.v, EDIT_ERASE);
    assert_int_equal(s.v.prompt.kind, PROMPT_NONE);
    assert_int_equal(view_quit(&s.v), VR_QUIT);
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
        s.v.scr.tier = TIER_EIGHTH;
        view_switch(&s.v, 3);
        view_goto(&s.v, "g1 100us");
        for (int k = 0; k < 2; k++, view_enter(&s.v)) {
            draw(&s);
            for (int y = 0; y < 12; y++)
                for (int x = 0; x < w; x++) {
                    uint32_t c = grid_at(&s.g, x, y)->glyph;
                    assert_true(c == 0 || (c >= 0x20 && c < 0x7F) ||
                                (c >= 0xA0 && !(c >= 0x202A && c <= 0x202E)));
                }
        }
        char text[300];
        size_t got = strlen((status_text(&s.v, text, sizeof text), text));
        assert_true(got < sizeof text && !strchr(text, 0x1B));
        scene_close(&s);
    }
    tracegen_free(&t);
}

/* An id of which the end is cut off is another one's: it stands whole beside its lane, or its beginning is
 * marked as cut. */
static void test_ids_are_whole(void **state)
{
    (void)state;
    struct scene s;
    for (int w = 16; w < 120; w++) {
        scene_text(&s,
                   "go 1.26\nbatch m=4194304 t=1000\nProcStatus +0 p=1000 running\nGoStatus +0 g=1 m=4194304 "
                   "running\n"
                   "GoStop +10000 reason=\"preempted\" stack=main.work:44\nGoStart +1 g=1 g_seq=1\n"
                   "batch m=4194305 t=1000\nProcStatus +0 p=1001 running\nGoStatus +0 g=2 m=4194305 running\n"
                   "GoStop +8900 reason=\"preempted\" stack=main.work:44\nProcStop +1\n",
                   w, 12);
        for (int k = 0; k < 2; k++) {
            const char *const all[2][2] = {{"P1000", "P1001"}, {"M4194304", "M4194305"}};
            view_switch(&s.v, k ? VIEW_THREADS : VIEW_PROCS);
            draw(&s);
            struct plan p;
            plan_view(&p, &s.v, 2);
            for (int i = 0; i < 2; i++) {
                const char *const row = line(&s, kind_row_y(&s.v, (uint32_t)i) + p.lane_h - 1),
                                  *const id = all[k][i], *end = row;
                while (*end && *end != ' ' && *end != '>')
                    end++;
                const size_t n = (size_t)(end - row), len = strlen(id);
                const bool whole = n == len && !memcmp(row, id, len);
                const bool tail =
                    n > 2 && !memcmp(row, "..", 2) && !memcmp(row + 2, id + len - (n - 2), n - 2);
                if (!whole && !tail)
                    fail_msg("%d columns: '%s' does not begin with %s", w, row, id);
            }
        }
        scene_close(&s);
    }
}

/* Where a wait took place is not always recorded: then that is said, not "waited at -". */
static void test_places_unknown(void **state)
{
    (void)state;
    struct scene s;
    scene_text(&s,
               "go 1.26\nbatch m=7 t=1000\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
               "GoCreate +10 new_g=2 new_stack=main.work:30 stack=main.main:20\nGoBlock +1000 reason=\"chan "
               "send\" stack=0\n"
               "GoStart +10 g=2 g_seq=1\nGoUnblock +5000 g=1 g_seq=1 stack=0\nGoBlock +10 reason=\"network\" "
               "stack=0\n"
               "GoStart +10 g=1 g_seq=2\nGoStop +500 reason=\"preempted\" stack=main.work:44\n",
               140, 24);
    view_switch(&s.v, VIEW_PLACES);
    finish(&s.v);
    draw(&s);
    must_have(&s, "waited at a place that is not recorded; ended by G2 main.work");
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_procs),
        cmocka_unit_test(test_scene_goroutines),
        cmocka_unit_test(test_scene_begins),
        cmocka_unit_test(test_scene_narrow),
        cmocka_unit_test(test_scene_cut_off),
        cmocka_unit_test(test_scene_loading),
        cmocka_unit_test(test_scene_unsaved),
        cmocka_unit_test(test_scene_message),
        cmocka_unit_test(test_scene_busiest),
        cmocka_unit_test(test_scene_fit_undo),
        cmocka_unit_test(test_scene_jumps),
        cmocka_unit_test(test_scene_search),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_prompt),
        cmocka_unit_test(test_damage_and_words),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_ids_are_whole),
        cmocka_unit_test(test_places_unknown),
    };
    return cmocka_run_group_tests_name("layout of a scene", tests, NULL, NULL);
}
