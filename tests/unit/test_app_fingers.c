/*
 * test_app_fingers.c - what fingers expect that know less, vi, Emacs or a mouse: the way back from a table's
 * Enter, chords that are given up, names behind ':', words behind '/', clicks on rows.
 */
#include "tests/unit/app_help.h"

static const char lock[] = "samples/lock-1.26.trace", tasks[] = "samples/tasks-1.27.trace",
                  http[] = "samples/http-1.26.trace";

/* Enter in a table leads to lanes, and from there q goes back to that row, whatever was done meanwhile; then
 * it leaves. */
static void test_back(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "6 Enter j j Enter l", "q waits");
    assert_int_equal(f.a.view.at.view, VIEW_GOROUTINES);
    expect(&f, "w l t l", "q waits"); /* of processors now */
    expect(&f, "q", "q back");
    assert_int_equal(f.a.view.at.view, VIEW_WAITS);
    assert_int_equal(f.a.view.at.row, 2);
    expect(&f, "U U U U U", "q quit"); /* what was done can be redone, and leads back no more */
    assert_int_equal(f.a.view.at.view, VIEW_PROCS);
    expect(&f, "6 Enter [ l", "Esc drop top lane");
    expect(&f, "Esc l", "q waits");
    expect(&f, "3", "q quit");           /* a view that was asked for by its key has no way back */
    expect(&f, "1 Enter", "q findings"); /* what is said of the finding leaves the footer, and takes no key */
    expect(&f, "q", "Enter look there");
    assert_int_equal(f.a.view.at.view, VIEW_TRIAGE);
    expect(&f, "e", "q findings"); /* so do the others that lead from a table to lanes */
    expect(&f, "q /clerk Enter Esc l", "q findings");
    expect(&f, "q 5 :g13 Enter", "q groups");
    expect(&f, "q", "start function");
    fix_close(&f);
    fix_open(&f, tasks, "default", 80, 24); /* the way into an explanation and out of it */
    expect(&f, "7 Enter W Enter w", "Esc all lanes");
    expect(&f, "Esc l", "q why");
    expect(&f, "q", "where its 1.60ms went");
    expect(&f, "q", "task order 1.599424ms");
    fix_close(&f);
}

/* Enter shows a task in the whole window, Enter again where its time went. */
static void test_enter_twice(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, tasks, "default", 80, 24);
    expect(&f, "7 Enter", "task order 1.599424ms");
    expect(&f, "Enter", "G53 main.order, 204us..1.80ms: where its 1.60ms went");
    expect(&f, "q", "task order 1.599424ms");
    fix_close(&f);
}

/* Who comes from a table to a lane came for the thing: W is about it until the cursor leaves. */
static void test_why_of_things(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, tasks, "default", 80, 24);
    expect(&f, ":task-types Enter Enter Enter", "G27 main.order running 512ns");
    expect(&f, "W", "task 11 order by G27 main.order, 330us..38.7ms: where its 38.3ms went");
    expect(&f, "q", "q task-types");
    expect_not(&f, "l W", "where its 38.3ms went");
    fix_close(&f);
}

/* Where no time can be moved in, its pages are those of the text, or of the rows: C-f of vi, C-v of Emacs. */
static void test_pages(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "vi", 80, 24);
    expect(&f, "? C-f", "lines 20-39 of");
    expect(&f, "C-b", "lines 1-20 of");
    expect(&f, "q g 5 g 5 C-f", "row 11 of 99");
    expect(&f, "C-b", "row 1 of 99");
    fix_close(&f);
    fix_open(&f, http, "emacs", 80, 24);
    expect(&f, "M-5 M-5 C-v C-v M-v", "row 11 of 99");
    expect(&f, "C-h ? C-v", "lines 20-39 of");
    fix_close(&f);
    fix_open(&f, http, "vi", 80, 24); /* the stacks of a span: lanes go on below */
    expect(&f, "g 3 + + Enter", "span");
    const int64_t t0 = f.a.view.at.win.t0;
    free(run(&f, "C-f"));
    assert_true(f.a.view.at.win.t0 > t0 || f.a.view.popup.top > 0);
    fix_close(&f);
}

/* What the runtime's own goroutines wait for at rest contends for nothing. */
static void test_own_waits(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "samples/alloc-1.21.trace", "default", 80, 24);
    expect_not(&f, "6 6 6", "scavengerState");
    expect(&f, "", "sync at runtime.gcStart");
    fix_close(&f);
    fix_open(&f, http, "default", 80, 24); /* what reads alike has its line */
    expect(&f, "6 6 6", "wait group in main.main:97");
    expect_not(&f, "", "(*shop).buy:");
    expect(&f, "/wait Enter", "wait group in main.main:98");
    fix_close(&f);
}

/* In tables of waits the longest one of the row is what is asked about. */
static void test_why_of_waits(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "6 W", "G14 main.(*bank).clerk, 61.4ms..69.6ms: where its 8.21ms went");
    expect(&f, "q", "who waited");
    expect(&f, ":waits-for Enter j j W", "G9 main.(*bank).courier, 35.0ms..38.8ms: where its 3.86ms went");
    fix_close(&f);
    fix_open(&f, "samples/syscall-1.19.trace", "default", 80,
             24); /* how long a call took that isn't timed, nobody knows */
    expect(&f, ":calls Enter ) W", "nothing here to explain");
    expect(&f, "Enter", "G19 main.journal system call not timed  at 16.953707ms");
    expect(&f, "Enter", "system call on P0  not timed  16.953707ms");
    expect_not(&f, "", "1ns");
    expect(&f, "q i", "system call         untimed");
    expect_not(&f, "", "1ns ");
    fix_close(&f);
}

/* Over a chord that is under way nothing may lie; what it does not go on with is said whole; Ctrl-G gives it
 * up. */
static void test_chords(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "emacs", 80, 24);
    expect(&f, "V 3 M-w C-x", "C-x ...  f fit");
    expect(&f, "z", "C-x z does nothing here");
    expect_not(&f, "C-x C-g", "does nothing here");
    expect(&f, "C-x t", "P0"); /* it was given up, so a new one begins */
    fix_close(&f);
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "3 m a ; 5", "5 ...");
    fix_close(&f);
}

/* Behind ':' a view's name leads to that very view; "view-" says that a view is meant where an action has the
 * name. */
static void test_names(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "3 :sums Enter", "[top]");
    expect(&f, ":all-g Enter", "goroutines: 18");
    assert_int_equal(f.a.view.at.view, VIEW_GSUMS);
    expect(&f, ":view-why Enter", "Nothing is explained yet");
    expect(&f, ":cycles Enter", "GC cycles: 0");
    expect(&f, ":view-gc Enter", "goal");
    assert_int_equal(f.a.view.at.view, VIEW_GC);
    expect(&f, ":cycles Enter :gc Enter", "goal"); /* not on to the next one of its key */
    assert_int_equal(f.a.view.at.view, VIEW_GC);
    expect(&f, ":gc Enter", "goal");
    assert_int_equal(f.a.view.at.view, VIEW_GC);
    expect(&f, ":cyc Tab", ":cycles");
    expect(&f, "Esc :view-wh Tab", ":view-why");
    expect(&f, "Esc :waits Tab", "waits waits-for");
    expect(&f, "Esc :view-nothing Enter", "is no time, range, lane, view or action");
    fix_close(&f);
}

/* The name of a state finds it, as filters call it, too; two of three letters are no part of a name. */
static void test_states(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "3 /gc Enter", "1 of 36: ");
    expect_not(&f, "", "forcegchelper wait");
    expect(&f, "n n", "GC worker"); /* said of the span */
    expect(&f, "g /stw Enter", "1 of 3: G1 stop-the-world");
    expect(&f, "n", "2 of 3: G23 stop-the-world");
    expect(&f, "g /assist Enter n n n n n", "mark assist");
    expect(&f, "g /blocked Enter n", "waiting");
    expect(&f, "g /syscall Enter", "system call");
    expect(&f, "/idle-not-there Enter", "not found");
    fix_close(&f);
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "3 /gc Enter", "nothing in this trace is that: gc (names: ~gc)");
    expect(&f, "/~gc Enter", "forcegchelper");
    expect(&f, "/scheduler Enter", "processors are that");
    fix_close(&f);
}

static void press(struct fix *f, keycode k, int x, int y)
{
    struct key_event ev = {k, x, y};
    (void)app_key(&f->a, &ev);
    assert_true(app_draw(&f->a));
}

/* The line that has this in it; -1: none. */
static int line_of(struct fix *f, const char *text)
{
    char *s = run(f, ""), *at = strstr(s, text);
    int y = 0;
    for (char *c = s; at && c < at; c++)
        y += *c == '\n';
    free(s);
    return at ? y : -1;
}

/* A click takes the row under it, twice opens that one; between columns of a table is no time that could be
 * selected. */
static void test_clicks(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "5", "net/http.(*conn).serve");
    const int64_t t = f.a.view.at.cursor;
    const int y = line_of(&f, "net/http.(*conn).serve");
    assert_true(y > 0);
    press(&f, K_CLICK, 40, y);
    assert_int_equal(f.a.view.at.row, 2);
    press(&f, K_DRAG, 60, y + 2);
    assert_int_equal(f.a.view.at.row, 2);
    assert_false(f.a.view.sel.stands || f.a.view.sel.going || f.a.view.popup.kind);
    assert_true(t == f.a.view.at.cursor);
    press(&f, K_DOUBLE, 40, 1); /* the titles of its columns: no row */
    expect(&f, "", "start function");
    press(&f, K_DOUBLE, 40, y);
    expect(&f, "", "goroutines of net/http.(*conn).serve: 5");
    expect(&f, "q 1", "1 finding");
    expect(&f, "9", "was likely waiting already");
    press(&f, K_CLICK, 30, line_of(&f, "G1 main.main          stop-the-world begins"));
    assert_int_equal(f.a.view.at.cursor, 5120);
    fix_close(&f);
    for (int h = 24; h <= 60; h += 36) { /* findings take several lines each where there is room */
        fix_open(&f, lock, "default", 80, h);
        expect(&f, "1", "wait for a processor");
        press(&f, K_CLICK, 5, line_of(&f, "wait for a processor") + (h > 24 ? 2 : 0));
        assert_int_equal(f.a.view.at.row, 1);
        fix_close(&f);
    }
}

static unsigned key(struct fix *f, keycode k)
{
    return app_key(&f->a, &(struct key_event){k, -1, -1});
}

/* What took long to read isn't left by one q too many; Q leaves at once, and so does q where reading again
 * costs nothing. */
static void test_leaving(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "5 Enter", "goroutines of main.customer: 5");
    f.a.took_ms = 31000;
    assert_false(key(&f, 'q') & VR_QUIT); /* back to the groups */
    assert_false(key(&f, 'q') & VR_QUIT);
    expect(&f, "", "again to leave: it took 31.000s to read");
    assert_false(key(&f, 'j') & VR_QUIT); /* another key: it is asked anew */
    assert_false(key(&f, 'q') & VR_QUIT);
    assert_true(key(&f, 'q') & VR_QUIT);
    assert_false(key(&f, 'j') & VR_QUIT);
    assert_true(key(&f, 'Q') & VR_QUIT);
    f.a.took_ms = 900;
    assert_true(key(&f, 'q') & VR_QUIT);
    fix_close(&f);
}

/* The column of a text on the screen; -1: it isn't there. */
static int column_of(struct fix *f, const char *text)
{
    char *s = run(f, ""), *at = strstr(s, text);
    int x = -1;
    for (char *c = at; c && c >= s && *c != '\n'; c--)
        x++;
    free(s);
    return x;
}

static void click(struct fix *f, keycode k, const char *text)
{
    const int x = column_of(f, text), y = line_of(f, text);
    assert_true(x >= 0 && y > 0);
    press(f, k, x, y);
}

/* A click on a column's title sorts by it, another one turns that round; of a stack it takes the frame, of a
 * curve the window. */
static void test_titles(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "5", "start function");
    click(&f, K_CLICK, "waiting");
    expect(&f, "", "by time waiting");
    expect(&f, "", "\\waiting");
    click(&f, K_CLICK, "waiting");
    expect(&f, "", "smallest first");
    click(&f, K_CLICK, "  start functions"); /* above the titles a line counts them */
    expect(&f, "", "/start functions");      /* A first */
    expect(&f, ":cycles Enter", "stopped");
    click(&f, K_CLICK, "stopped");
    expect(&f, "", "\\stopped");
    expect(&f, "C", "all");
    click(&f, K_CLICK, "(*Client).Get");
    expect(&f, "", "called from main.customer");
    assert_int_equal(f.a.view.popup.kind, 0);
    click(&f, K_DOUBLE, "(*Client).Do");
    expect(&f, "", "below net/http.(*Client).Do");
    fix_close(&f);
    fix_open(&f, "samples/alloc-1.27.trace", "default", 80, 24);
    expect(&f, ":mmu Enter", "MMU");
    click(&f, K_CLICK, "the worst 10.0ms");
    assert_int_equal(f.a.view.at.row, 2);
    click(&f, K_CLICK, "worst windows"); /* no row */
    assert_int_equal(f.a.view.at.row, 2);
    fix_close(&f);
}

/* Each row of a table has a bar beside the largest one's, where there is room. */
static void test_bars(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 120, 40);
    expect(&f, "6", "lock main.(*bank).clerk <- main.(*bank).clerk");
    expect(&f, "", "1156    701ms   31.7us   5.36ms   8.21ms  @@@@@@@@@@ lock main.(*bank).clerk ");
    expect(&f, "", "308    121ms    246us   3.63ms   3.86ms  @");
    expect(&f, ":places Enter", "8.21ms  @@@@@@@@@@ lock at sync.(*Mutex).Lock");
    fix_close(&f);
    fix_open(&f, lock, "default", 140, 40);
    expect(&f, "5", "1368  @@@@@@@@@@ main.(*bank).clerk");
    fix_close(&f);
    fix_open(&f, lock, "default", 50, 24);
    expect(&f, "6", "lock (*bank).clerk  (*bank).auditor");
    fix_close(&f);
}

/* Where there are tables the keys come first, and not what the cells of lanes mean. */
static void test_help(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "1 ?", "The keys of this view");
    expect_not(&f, "", "What the screen shows");
    expect(&f, "Esc 2 ?", "What the screen shows");
    fix_close(&f);
}

/* '/' in a text finds words of that text, n and N the next line with them; Esc in the prompt is back where it
 * was opened. */
static void test_find_in_help(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect_not(&f, "3 ?", "flame graph");
    expect(&f, "/flame", "flame graph");
    expect(&f, "Enter", "flame graph");
    assert_int_equal(f.a.view.popup.kind, POPUP_LINES);
    const size_t first = f.a.view.popup.find.hit;
    expect(&f, "n", "flame graph: where time went");
    assert_true(f.a.view.popup.find.hit > first);
    expect(&f, "N", "flame graph");
    assert_int_equal(f.a.view.popup.find.hit, first);
    expect(&f, "/suspend Enter n", "1 of 1: suspend"); /* that it was the only one is said */
    expect(&f, "/no-such-words Enter", "not found here: no-such-words");
    expect(&f, "g /suspend Esc", "What the screen shows");
    assert_int_equal(f.a.view.popup.kind, POPUP_LINES);
    assert_null(f.a.view.search); /* nothing of the trace was looked for */
    expect(&f, "q", "q quit");
    expect(&f, "6 /no-such-words Enter n", "n goes on with a search of the lanes"); /* it was none of these */
    expect(&f, "Esc 3 /flame Enter", "not found: flame");
    fix_close(&f);
}

/* In the line that is typed one can go back and mend it, by characters, not bytes. */
static void test_line(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, http, "default", 80, 24);
    expect(&f, "3 :5s Left Left 1 Right C-b 5 Left . Enter", "the trace ends at 20.142912ms"); /* 1.55s */
    expect(&f, ": Up", ":1.55s");
    expect(&f, "Home 2 End m Left Delete", ":21.55s");
    fix_close(&f);
    fix_open(&f, http, "default", 80, 24);
    static const struct {
        const char *keys, *line;
    } step[] = {{"3 /mainé é Left Left Left Backspace X", "maXnéé"},
                {"C-a C-d Delete", "Xnéé"},
                {"C-e Left C-k", "Xné"},
                {"Left C-u", "é"}};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        free(run(&f, step[i].keys));
        assert_string_equal(f.a.view.prompt.text, step[i].line);
    }
    expect(&f, "End Backspace Backspace", "q quit"); /* of an empty line: it closes */
    fix_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back),         cmocka_unit_test(test_enter_twice),
        cmocka_unit_test(test_chords),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_states),       cmocka_unit_test(test_clicks),
        cmocka_unit_test(test_titles),       cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_bars),         cmocka_unit_test(test_help),
        cmocka_unit_test(test_why_of_waits), cmocka_unit_test(test_find_in_help),
        cmocka_unit_test(test_line),         cmocka_unit_test(test_why_of_things),
        cmocka_unit_test(test_own_waits),    cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
