/*
 * test_app.c - keys to screens without a terminal: prompts, chords and counts, help, pop-ups, the mouse, key
 * scripts, and a monkey that types whatever it likes at any size.
 */
#include <fcntl.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "tests/support/tracegen.h"
#include "tests/unit/app_keys.h"
#include "viewer/session/picture.h"
#include "viewer/session/source.h"
#include "layout/move/kind.h"

/* Two processors, a goroutine that blocks and is woken, names that would like to be escape sequences. */
static const char text[] = "go 1.26\n"
                           "batch m=7 t=100\n"
                           "ProcStatus +1 p=0 running\n"
                           "GoStatus +1 g=1 m=7 running\n"
                           "GoCreate +500 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
                           "GoBlock +1000 reason=\"chan receive\" stack=main.wait:14,main.main:15\n"
                           "GoStart +100 g=2 g_seq=1\n"
                           "GoUnblock +2000 g=1 g_seq=1 stack=main.send:31,main.worker:33\n"
                           "GoBlock +3000 reason=\"sleep\" stack=main.worker:35\n"
                           "GoStart +100 g=1 g_seq=2\n"
                           "GoCreate +10 new_g=3 new_stack=main.evil\x1b[2J\xff\xfe:1 stack=main.main:40\n"
                           "GoStop +5000 reason=\"preempted\" stack=main.main:44\n"
                           "GoStart +100 g=3 g_seq=1\n"
                           "GoDestroy +700\n"
                           "ProcStop +10\n"
                           "batch m=8 t=100\n"
                           "ProcStatus +1 p=1 idle\n";

struct fix {
    uint8_t *bytes;
    size_t n;
    struct keymap *km;
    struct trace *tr;
    struct app a;
};

static void fix_made(struct fix *f, const char *trace, const char *map, int w, int h)
{
    struct trace_opts o = {.threads = 1};
    struct err e;
    memset(f, 0, sizeof *f);
    f->bytes = tracegen_bytes(trace, &f->n);
    f->km = keys_map(map);
    assert_int_equal(trace_open_mem(f->bytes, f->n, &o, &f->tr, &e), ERR_OK);
    assert_true(app_init(&f->a, f->tr, f->km, w, h));
    f->a.key_came = true; /* stay with the processors; test_app_tables.c has the views of tables */
    while (app_load(&f->a, INT64_MAX)) {
    }
    assert_null(trace_fatal(f->tr));
    assert_int_equal(trace_info(f->tr)->ndamages, 0);
}

static void fix_open(struct fix *f, const char *map, int w, int h)
{
    fix_made(f, text, map, w, h);
}

static void fix_close(struct fix *f)
{
    app_free(&f->a);
    trace_close(f->tr);
    keymap_free(f->km);
    free(f->bytes);
}

/* It is no script. */
static void refused(struct fix *f, const char *keys)
{
    char *errors = NULL;
    size_t n;
    FILE *o = fopen("/dev/null", "w"), *e = open_memstream(&errors, &n);
    if (headless_run(&f->a, keys, false, o, e))
        fail_msg("script '%s' is taken", keys);
    fclose(o);
    fclose(e);
    free(errors);
}

static void test_first_screen(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 100, 30);
    expect(&f, "", "go 1.26");
    expect(&f, "", "P0");
    expect(&f, "", "P1");
    expect(&f, "3", "main.worker");
    expect(&f, "4", "M7");
    assert_int_equal(f.a.view.at.view, VIEW_THREADS);
    fix_close(&f);
}

static void test_no_raw_bytes(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 100, 30);
    char *s = run(&f, "3 @print /evil Enter @print Enter @print y @print");
    assert_non_null(strstr(s, "evil"));
    for (const char *c = s; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
            fail_msg("a control byte %#x on the screen", *c);
    assert_null(strchr(s, (char)0xff));
    assert_null(strchr(f.a.yank, 0x1b));
    free(s);
    fix_close(&f);
}

/* "; 3 l" and "l l l" and vi's "3 l" come to the same. */
static void test_counts_repeat(void **state)
{
    (void)state;
    static const struct {
        const char *map, *once, *three;
    } ways[] = {
        {"default", "w w w l l l", "; 3 w ; 3 l"},
        {"vi", "+ + + l l l", "3 + 3 l"},
        {"emacs", "w w w C-f C-f C-f", "3 w 3 C-f"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct fix f, g;
        fix_open(&f, ways[i].map, 80, 24);
        fix_open(&g, ways[i].map, 80, 24);
        char *a = run(&f, ways[i].once), *b = run(&g, ways[i].three);
        int64_t off = f.a.view.at.win.t0 - g.a.view.at.win.t0; /* three halvings round more often than one */
        if (off < -8 || off > 8)
            fail_msg("%s: %lld ns apart", ways[i].map, (long long)off);
        assert_true(f.a.view.at.win.t0 > 0);
        free(a);
        free(b);
        fix_close(&f);
        fix_close(&g);
    }
}

static void test_prompt(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 100, 30);
    expect(&f, ": 5 u s Enter", "5us"); /* words are typed while a prompt is open */
    assert_int_equal(f.a.view.prompt.kind, PROMPT_NONE);
    expect(&f, ": \"1us..3us\" Enter", "");
    assert_int_equal(f.a.view.at.win.t0, 1000);
    assert_int_equal(f.a.view.at.win.t1, 3000);
    expect(&f, ": g2 Enter", "G2");
    assert_int_equal(f.a.view.at.view, VIEW_GOROUTINES);
    expect(&f, ": nonsense Enter", "'nonsense' is no time");
    expect(&f, ": zoom-a", "zoom-a");
    expect(&f, "Tab", "zoom-all");
    expect_not(&f, "Enter", "zoom-all");
    assert_int_equal(f.a.view.at.win.t0, 0);
    expect(&f, ": Up", "zoom-all"); /* history */
    expect(&f, "Up", "nonsense");
    expect(&f, "Down", "zoom-all");
    expect_not(&f, "Esc", "zoom-all");
    expect(&f, ": view-th Tab Enter", "M7");
    assert_int_equal(f.a.view.at.view, VIEW_THREADS);
    expect(&f, ": la Tab", "lane-"); /* more than one: they are listed */
    assert_non_null(strstr(f.a.view.msg.text, "lane-page-down"));
    expect(&f, "C-u \"abc def\" C-w", "abc");
    expect(&f, "C-w Backspace", "");
    assert_int_equal(f.a.view.prompt.kind, PROMPT_NONE); /* erasing an empty line closes it */
    expect(&f, ": \"pan-right 3\" Enter", "");
    expect(&f, "/ worker Enter", "main.worker");
    expect(&f, "/ C-g", "");
    assert_int_equal(f.a.view.prompt.kind, PROMPT_NONE);
    fix_close(&f);
}

static void test_marks(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 100, 30);
    expect(&f, ": 5us Enter", "5us");
    expect(&f, "m", "a letter, a to z or A to Z");
    expect(&f, "Up", "a letter"); /* no line typed before is a letter */
    expect(&f, "a", "mark a: ");
    expect(&f, ": 1us Enter", "1us");
    expect(&f, "' b", "no mark of this letter");
    expect(&f, "' a", "5us");
    assert_int_equal(f.a.view.at.cursor, 5000);
    (void)app_key(&f.a, &(struct key_event){'\'', -1, -1}); /* twice: the place before */
    (void)app_key(&f.a, &(struct key_event){'\'', -1, -1});
    assert_int_equal(f.a.view.at.cursor, 1000);
    expect(&f, "m 1", "a mark is a letter");
    expect_not(&f, "m Esc", "a mark is");
    assert_int_equal(f.a.view.prompt.kind, PROMPT_NONE);
    expect(&f, ": \"mark-go a\" Enter", "5us");
    assert_int_equal(f.a.view.at.cursor, 5000);
    fix_close(&f);
}

static void test_help_is_live(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "vi", 100, 140);
    expect(&f, "?", "z i");
    expect(&f, "", "Digits before a key repeat it");
    expect_not(&f, "?", "z i"); /* the same key closes it */
    expect(&f, "z", "zoom-in"); /* a chord under way shows what it can become */
    expect_not(&f, "Esc", "z ...");
    expect(&f, "#", "# does nothing here; ? lists the keys");
    fix_close(&f);

    /* Fingers of less, vi and htop. */
    static const char *const same[][2] = {{"5 C-d", "5 PgDn"},
                                          {"5 C-f C-u", "5 PgDn PgUp"},
                                          {"5 F6", "5 S"},
                                          {"3 F3", "3 /"},
                                          {"3 F4", "3 \\"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char *screen[2];
        for (int k = 0; k < 2; k++) {
            fix_open(&f, "default", 80, 12);
            screen[k] = run(&f, same[i][k]);
            fix_close(&f);
        }
        assert_string_equal(screen[0], screen[1]);
        free(screen[0]);
        free(screen[1]);
    }

    fix_open(&f, "default", 100, 140);
    static const char mine[] = "bind processors F7 zoom-all\nunbind any Z\n";
    assert_int_equal(keymap_parse(f.km, mine, strlen(mine), "mine", NULL), ERR_OK);
    expect(&f, "?", "F7");
    expect(&f, "", ":suspend"); /* no key: its name */
    expect(&f, "", "a count begins with ;");
    expect_not(&f, "Esc 3 ?", "F7");
    fix_close(&f);
}

static void test_popups(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 12);
    expect(&f, "3 : g1@3us Enter Enter", "main.wait");
    assert_int_equal(f.a.view.popup.kind, POPUP_SPAN);
    expect(&f, "Esc", "");
    assert_int_equal(f.a.view.popup.kind, POPUP_NONE);
    struct place at = f.a.view.at;
    expect(&f, "? j j PgDn G", "a view (view-cycles).");
    assert_int_equal(at.focus.i, f.a.view.at.focus.i); /* scrolling is not moving */
    expect(&f, "g", "What the screen shows");
    expect(&f, "w", ""); /* any other action closes the help and acts */
    assert_int_equal(f.a.view.popup.kind, POPUP_NONE);
    assert_true(at.win.t1 - at.win.t0 > f.a.view.at.win.t1 - f.a.view.at.win.t0);
    /* That of a span is of what the cursor is on, wherever one goes with it open; a view without spans has
     * none. */
    expect(&f, "Esc 3 : g1@3us Enter Enter", "waits at");
    expect(&f, "[", "│ G2 main.worker");
    expect(&f, ".", "│ waiting (sleep)");
    assert_int_equal(f.a.view.popup.kind, POPUP_SPAN);
    expect(&f, "2", "P0");
    assert_int_equal(f.a.view.popup.kind, POPUP_SPAN);
    expect_not(&f, "8", "Esc close");
    assert_int_equal(f.a.view.popup.kind, POPUP_NONE);
    fix_close(&f);
}

/* The footer offers what keys do here and now, and nothing else. */
static void test_footer(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 200, 30);
    expect(&f, "2", "q quit");
    expect_not(&f, "", "woken by"); /* nobody has */
    expect_not(&f, "", "created by");
    expect(&f, "3 j .", "[ created by");
    expect(&f, "k .", "[ woken by");
    expect_not(&f, "8", "woken by");   /* rows that are no lanes have no waker */
    expect_not(&f, "", "t goroutine"); /* without a row nothing is offered that needs one */
    expect_not(&f, "", "Enter look");
    expect_not(&f, "8 8", "Enter open");
    expect_not(&f, "", "S I sort");
    expect_not(&f, "8 8", "the worst"); /* no cycle, no curve */
    expect(&f, "5", "q quit");          /* reached by a digit: there is nothing to go back to */
    expect_not(&f, "", "histogram");
    expect(&f, "", "h l column");
    expect(&f, "Enter l", "q groups"); /* a group of one: to that one */
    expect(&f, "q", "q quit");
    assert_int_equal(f.a.view.at.view, VIEW_GROUPS);
    expect(&f, "2 Enter", "Esc close");
    expect_not(&f, "", "w s zoom");
    expect(&f, "Esc v v L", "Esc no range");
    fix_close(&f);
}

static unsigned press(struct fix *f, keycode k, int x, int y)
{
    struct key_event ev = {k, x, y};
    return app_key(&f->a, &ev);
}

/* Keys one by one, '\n' is Enter: does any of them leave? */
static bool typed_leaves(struct fix *f, const char *keys)
{
    unsigned all = 0;
    for (; *keys; keys++)
        all |= press(f, *keys == '\n' ? K_ENTER : (keycode)(unsigned char)*keys, -1, -1);
    return all & VR_QUIT;
}

static void enter_view(struct app *a, int no)
{
    unsigned flags;
    (void)view_show(&a->view, no);
    while (app_busy(a))
        (void)app_step(a, INT64_MAX, &flags);
}

/* What keys open over a view: q closes that and no more, Esc goes back and back and never leaves. */
static void check_over(struct fix *f, const char *keys, int here)
{
    struct app *a = &f->a;
    const char *name = kind_name(here);
    enter_view(a, here);
    if (typed_leaves(f, keys))
        fail_msg("%s: %s leaves", name, keys);
    if (a->view.popup.kind && press(f, 'q', -1, -1) & VR_QUIT)
        fail_msg("%s: q leaves from what %s opened", name, keys);
    if (a->view.popup.kind)
        fail_msg("%s: q does not close what %s opened", name, keys);
    for (int n = 0; n < 8; n++)
        if (press(f, K_ESC, -1, -1) & VR_QUIT)
            fail_msg("%s: Esc leaves behind %s", name, keys);
    if (a->view.prompt.kind || kind_here(&a->view)->over)
        fail_msg("%s: behind %s Esc does not come back", name, keys);
}

/* In every view: Esc goes back and never leaves; q leaves from the view, and goes back from what lies over
 * it; Q leaves. */
static void test_back(void **state)
{
    (void)state;
    static const char *const over[] = {"", "?", "/x", ":x", "\\x", "\"", "\n", "/main\n", "v", "W"};
    for (int no = VIEW_NONE + 1; no < VIEW_END; no++) {
        struct fix f;
        fix_open(&f, "default", 80, 24);
        struct app *a = &f.a;
        enter_view(a, VIEW_PROCS);
        for (size_t i = 0; i < sizeof over / sizeof *over; i++)
            check_over(&f, over[i], no);
        enter_view(a, VIEW_PROCS);
        enter_view(a, no);
        if (kind_here(&a->view)->over) {
            assert_false(press(&f, 'q', -1, -1) & VR_QUIT);
            assert_int_equal(a->view.at.view, VIEW_PROCS);
        }
        (void)typed_leaves(&f, kind_here(&a->view)->table
                                   ? "v"
                                   : "/main\nvl"); /* marks, and a range under way: they lie over nothing */
        const bool told = view_message_open(&a->view); /* that does */
        if (!(press(&f, 'q', -1, -1) & VR_QUIT) && !(told && press(&f, 'q', -1, -1) & VR_QUIT))
            fail_msg("%s: q does not leave", kind_name(no));
        assert_true(press(&f, 'Q', -1, -1) & VR_QUIT);
        fix_close(&f);
    }
}

/* The screen as a picture: beside the others, never over one. */
static void test_picture(void **state)
{
    (void)state;
    struct fix f;
    char dir[] = "/tmp/gotop-picture-XXXXXX", begins[5] = "";
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(here >= 0 && mkdtemp(dir) && chdir(dir) == 0);
    fix_open(&f, "default", 80, 24);
    assert_true(press(&f, '$', -1, -1) &
                AR_PICTURE); /* for whoever shows the screen: a script writes nothing */
    assert_int_equal(access("gotop-1.svg", F_OK), -1);
    assert_true(app_draw(&f.a));
    assert_int_equal(picture_write(&f.a) | picture_write(&f.a), VR_DRAW);
    assert_string_equal(f.a.view.msg.text, "this screen as a picture: gotop-2.svg");
    FILE *in = fopen("gotop-2.svg", "r");
    assert_non_null(in);
    assert_int_equal(fread(begins, 1, 4, in), 4);
    assert_string_equal(begins, "<svg");
    fclose(in);
    assert_int_equal(unlink("gotop-1.svg") | unlink("gotop-2.svg"), 0);
    assert_int_equal(rmdir(dir), 0); /* nothing else was written; and now nothing can be */
    assert_true(picture_write(&f.a) & VR_BELL);
    assert_string_equal(f.a.view.msg.text, "can't write to gotop-1.svg: No such file or directory");
    assert_int_equal(fchdir(here), 0);
    close(here);
    fix_close(&f);
}

/* A click on a tab shows that view, on the shown one the next behind its key; twice in the title opens
 * nothing. */
static void test_tabs(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    expect(&f, "3", "1 2 [3:goroutines] 4 5 6 7 8 9");
    for (int x = 0, at = 0; x < 80; x++) {
        expect(&f, ":view-threads Enter", "[4:threads]");
        (void)press(&f, K_CLICK, x, 0);
        const int now = kind_key(f.a.view.at.view); /* an empty one leads on to what there is */
        at += now != VIEW_THREADS && now == at + 1; /* from left to right each but the one shown */
        at += at == VIEW_THREADS - 1;
        assert_true(now == VIEW_THREADS || now <= VIEW_LOG);
        assert_true(x < 79 || at == VIEW_LOG);
        (void)press(&f, K_DOUBLE, x, 0);
        assert_int_equal(kind_key(f.a.view.at.view), now);
    }
    expect(&f, ":flame Enter", "1 2 3 4 5 6 7 8 9 [flame]");
    fix_close(&f);
    fix_open(&f, "default", 200, 24);
    expect(&f, "6", "1:findings 2:processors 3:goroutines 4:threads 5:groups [6:waits] 7:work 8:gc 9:log");
    fix_close(&f);
}

static void test_leaving(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    assert_false(press(&f, K_ESC, -1, -1) & VR_QUIT); /* Esc never quits */
    assert_true(press(&f, 'Q', -1, -1) & VR_QUIT);
    press(&f, '?', -1, -1);
    assert_false(press(&f, 'q', -1, -1) & VR_QUIT); /* closes the help */
    assert_true(press(&f, 'q', -1, -1) & VR_QUIT);
    press(&f, '?', -1, -1);
    assert_true(press(&f, K_ALT | 'q', -1, -1) & VR_QUIT ||
                f.a.view.popup.kind == POPUP_NONE); /* Esc, q in one go */
    press(&f, ':', -1, -1);
    press(&f, 'q', -1, -1);
    assert_true(press(&f, K_ENTER, -1, -1) & VR_QUIT); /* :q */
    assert_true(press(&f, 'Z', -1, -1) & AR_SUSPEND);
    assert_true(press(&f, K_CTRL | 'l', -1, -1) & AR_REDRAW);
    char *s = run(&f, "Q w w");
    assert_string_equal(s, ""); /* a script that quits prints no screen */
    free(s);
    fix_close(&f);
}

static void test_mouse(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    assert_true(app_draw(&f.a));
    int y = -1;
    for (int i = 0; i < f.a.grid.h; i++) /* the row of P1 */
        if (grid_at(&f.a.grid, 0, i)->glyph == 'P' && grid_at(&f.a.grid, 1, i)->glyph == '1')
            y = i;
    assert_true(y > 0);
    press(&f, K_CLICK, 40, y);
    assert_int_equal(f.a.view.at.focus.i, 1);
    int64_t t0, t1;
    assert_int_equal(view_column(&f.a.view, &t0, &t1) + f.a.view.scr.gutter, 40);
    int64_t cursor = f.a.view.at.cursor;
    press(&f, K_WHEELUP, 40, y);
    assert_int_equal(f.a.view.at.cursor, cursor); /* zooms at the pointer */
    assert_true(f.a.view.at.win.t0 > 0);
    press(&f, K_CLICK, 30, y);
    press(&f, K_DRAG, 50, y); /* released there */
    assert_true(f.a.view.sel.stands);
    assert_true(f.a.view.sel.t1 > f.a.view.sel.t0);
    press(&f, K_CLICK, 60, y);
    press(&f, K_DRAG, 20, y);
    assert_true(f.a.view.sel.stands && f.a.view.sel.t1 > f.a.view.sel.t0);
    press(&f, K_CLICK, -5, 1000);
    press(&f, K_DOUBLE, 79, 23);
    press(&f, K_CLICK, 0, 0);
    struct window w = f.a.view.at.win;
    (void)app_do(&f.a, ACT_VIEW_LOG, 0, NULL); /* over lines the wheel goes line by line */
    const int64_t event = f.a.view.at.cursor;
    press(&f, K_WHEELDOWN, 40, y);
    assert_true(f.a.view.at.cursor > event);
    assert_int_equal(window_len(f.a.view.at.win), window_len(w));
    (void)app_do(&f.a, ACT_HELP, 0, NULL);
    assert_true(app_draw(&f.a));
    press(&f, K_WHEELDOWN, 40, y);
    assert_true(f.a.view.popup.kind != POPUP_NONE && f.a.view.popup.top == 3);
    press(&f, K_WHEELUP, 40, y);
    assert_int_equal(f.a.view.popup.top, 0);
    fix_close(&f);
}

static void test_scripts(void **state)
{
    (void)state;
    struct fix f, g;
    fix_open(&f, "default", 60, 20);
    fix_open(&g, "default", 60, 20);
    const char *script =
        "w w l @print j zoom-in @size=90x30 ; 2 h 3 /main Enter n n N v l v u u U Enter @print Esc f f";
    char *a = run(&f, script), *b = run(&g, script);
    assert_string_equal(a, b);
    size_t lines = 0;
    for (char *c = a; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 20 + 30 + 30);
    free(a);
    free(b);
    refused(&f, "no-such-thing");
    refused(&f, "@size=0x0");
    refused(&f, "@size=30000x30000"); /* no terminal, a grid of a gigabyte */
    refused(&f, "@nothing");
    fix_close(&f);
    fix_close(&g);
}

/* What "y" copies ends in a command that opens the same view. */
static void test_deep_link(void **state)
{
    (void)state;
    struct fix f, g;
    fix_open(&f, "default", 80, 24);
    free(run(&f, "3 w w j l . y"));
    char at[64], lane[64];
    const char *cmd = strstr(f.a.yank, "\ngotop ");
    assert_non_null(cmd);
    assert_null(strstr(cmd + 1, "\ngotop ")); /* one command, not two */
    char view[32];
    if (sscanf(cmd, "\ngotop %*s --view %31s --at %63s --lane %63s", view, at, lane) != 3)
        fail_msg("%s", f.a.yank);
    fix_open(&g, "default", 80, 24);
    app_add(&g.a, DUE_LOAD); /* as if it had just been opened */
    g.a.open.view = kind_find(view, strlen(view));
    g.a.open.at = at;
    g.a.open.lane = lane;
    while (app_load(&g.a, INT64_MAX)) {
    }
    assert_int_equal(f.a.view.at.view, g.a.view.at.view);
    assert_int_equal(f.a.view.at.cursor, g.a.view.at.cursor);
    assert_int_equal(f.a.view.at.focus.i, g.a.view.at.focus.i);
    assert_int_equal(f.a.view.at.win.t0, g.a.view.at.win.t0);
    assert_int_equal(f.a.view.at.win.t1, g.a.view.at.win.t1);
    fix_close(&f);
    fix_close(&g);
}

/* What a shell does with what "y" has copied: "gotop" prints its arguments there, one a line. */
static void pasted(const char *copied, char *out, size_t size)
{
    char path[] = "/tmp/gotop-paste-XXXXXX", command[200];
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fprintf(f, "gotop() { printf '<%%s>\\n' \"$@\"; }\nid() { echo RAN; }\n%s", copied);
    fclose(f);
    snprintf(command, sizeof command, "cd /tmp && sh %s 2>&1", path);
    f = popen(command, "r");
    assert_non_null(f);
    out[fread(out, 1, size - 1, f)] = 0;
    pclose(f);
    unlink(path);
}

/*
 * Names are the trace's: pasted into a shell, what was copied runs nothing but gotop, with the words that it
 * shows.
 */
static void test_paste(void **state)
{
    (void)state;
    static const char named[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoCreate +9 new_g=2 new_stack=main.$(id)`id`';id;id':3 stack=main.main:9\n"
        "GoBlock +9 reason=\"';id;'!id\" stack=main.'$(id)|id&':9\nGoStart +9 g=2 g_seq=1\nGoDestroy +9\n";
    static const char *const keys[] = {"3 y", "3 j y", "3 Enter y", "3 j Enter y",
                                       "2 y", "5 y",   "9 y",       "3 \\ func=';id;'!id Enter y"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct fix f;
        char out[4096];
        fix_made(&f, named, "default", 100, 24);
        free(run(&f, keys[i]));
        if (!f.a.yank || strncmp(f.a.yank, ": '", 3) != 0) { /* rows for another program, and no command */
            assert_true(!f.a.yank || !strstr(f.a.yank, "\ngotop "));
            fix_close(&f);
            continue;
        }
        pasted(f.a.yank, out, sizeof out);
        if (strncmp(out, "<(memory)>\n<--view>\n", 20) != 0 || strstr(out, "RAN") || strstr(out, "not found"))
            fail_msg("%s: '%s' becomes\n%s", keys[i], f.a.yank, out);
        const char *bang = strchr(f.a.yank, '!'); /* csh expands it within quotes, too */
        for (; bang; bang = strchr(bang + 1, '!'))
            assert_true(bang[-1] == '\\' && bang[-2] == '\'' && bang[1] == '\'');
        if (i + 1 == sizeof keys / sizeof *keys)
            assert_non_null(strstr(out, "<func=';id;'!id>"));
        fix_close(&f);
    }
}

static uint32_t seed;
static uint32_t any(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Whatever is typed, at whatever size: no crash, the cursor stays in the window, the screen can be drawn. */
static void test_monkey(void **state)
{
    (void)state;
    static const char *const maps[] = {"default", "vi", "emacs"};
    for (uint32_t m = 0; m < 3; m++) {
        struct fix f;
        fix_open(&f, maps[m], 80, 24);
        seed = m + 1;
        for (int i = 0; i < 6000; i++) {
            keycode k = any(8) ? 32 + any(95) : K_NAMED + any(K_LAST - K_NAMED);
            if (!any(12))
                k |= any(2) ? K_CTRL : K_ALT;
            if (!any(20))
                k = K_ESC;
            if (!any(40))
                app_resize(&f.a, 1 + (int)any(230), 1 + (int)any(70));
            press(&f, key_normal(k), (int)any(100) - 2, (int)any(40) - 2);
            while (app_has(&f.a, DUE_VIEW))
                app_work(&f.a, 1000);
            if (any(4))
                continue;
            f.a.utf8 = any(2);
            assert_true(app_draw(&f.a));
            const struct place *at = &f.a.view.at;
            assert_true(at->win.t0 <= at->cursor && at->cursor < at->win.t1);
            assert_int_equal(f.a.grid.w, f.a.view.scr.w);
        }
        fix_close(&f);
    }
}

static void test_every_action(void **state)
{
    (void)state;
    for (enum action act = ACT_NONE; act <= ACT_COUNT; act++) {
        struct fix f;
        fix_open(&f, "default", 80, 24);
        for (int i = 0; i < 3; i++) {
            (void)app_do(&f.a, act, i == 1 ? KEYMAP_COUNT_MAX : 0, NULL);
            while (app_has(&f.a, DUE_VIEW))
                (void)app_work(&f.a, INT64_MAX);
            assert_true(app_draw(&f.a));
        }
        fix_close(&f);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    struct app *b = malloc(sizeof *b);
    for (long n = 1; n < 500; n++) {
        mem_fail_after(n);
        bool ok = app_init(b, f.tr, f.km, 80, 24);
        bool drawn = ok && app_draw(b);
        if (ok) {
            (void)app_do(b, ACT_HELP, 0, NULL);
            (void)app_draw(b);
            (void)app_do(b, ACT_SEARCH, 0, "main");
            (void)app_work(b, INT64_MAX);
        }
        mem_fail_after(-1);
        if (ok)
            app_free(b);
        (void)drawn;
    }
    free(b);
    fix_close(&f);
}

/* A line per move, and nothing else: what is under the cursor, the view if it
 * changed, messages in brackets. */
static void test_linear(void **state)
{
    (void)state;
    struct fix f;
    char *out = NULL, *errors = NULL;
    size_t n, m;
    char keys[] = "3\n\nnonsense\nEnter Esc\n:9g Enter\nQ\nj\n";
    fix_open(&f, "default", 80, 24);
    FILE *in = fmemopen(keys, sizeof keys - 1, "r"), *o = open_memstream(&out, &n),
         *e = open_memstream(&errors, &m);
    assert_true(headless_linear(&f.a, NULL, in, o, e));
    fclose(in);
    fclose(o);
    fclose(e);
    static const char *const starts[] = {
        "[processors] P0", "[goroutines] G1", "G1", "'nonsense' is no key", "G1", "G1", "('9g'"};
    size_t lines = 0;
    char *save = NULL;
    for (char *l = strtok_r(out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), lines++) {
        assert_true(lines < sizeof starts / sizeof *starts);
        if (strncmp(l, starts[lines], strlen(starts[lines])) != 0)
            fail_msg("line %zu: %s", lines, l);
        if (lines == 4)
            assert_non_null(strstr(l, " ; ")); /* the pop-up's lines in one */
        for (; *l; l++)
            assert_true((unsigned char)*l >= ' ');
    }
    assert_int_equal(lines, sizeof starts / sizeof *starts); /* nothing after Q */
    assert_int_equal(m, 0);
    free(out);
    free(errors);
    fix_close(&f);
}

/* What filters show is in the command that is yanked, and the command line's filter is the prompt's. */
static void test_filter(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    free(run(&f, "3 \\ func=main.worker Enter y"));
    assert_non_null(strstr(f.a.yank, "--filter"));
    assert_non_null(strstr(f.a.view.filters.text, "main.worker"));
    fix_close(&f);
}

/* A map's border is a folder's, the first map that fits counts, control bytes are no path. */
static void test_source_path(void **state)
{
    (void)state;
    static const char *const maps[] = {"/go/src=/home/me/src", "/go=/opt/go/", "/x=", "rel=here"};
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"/go/src/net/http.go", "/home/me/src/net/http.go"},
        {"/go/test/a.go", "/opt/go/test/a.go"},
        {"/gopher/a.go", "/gopher/a.go"},
        {"/x/a.go", "/a.go"},
        {"rel/a.go", "./here/a.go"},
        {"./rel/a.go", "./rel/a.go"},
        {"+!id>pwned", "./+!id>pwned"}, /* vi would run it */
        {"-x", "./-x"},
        {"@x", "./@x"},
        {"", NULL},
        {"/go/src/a\x1b.go", NULL},
        {"/go/src/a\n.go", NULL},
    };
    char out[64], longest[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool ok = source_path(maps, 4, str_of(rows[i].from), out, sizeof out);
        assert_int_equal(ok, rows[i].to != NULL);
        if (ok)
            assert_string_equal(out, rows[i].to);
    }
    memset(longest, 'a', sizeof longest);
    assert_false(source_path(maps, 4, (struct str){longest, sizeof longest}, out, sizeof out));
}

/* Names of characters that the screen writes as their code points are found as they are typed, and as they
 * are written. */
static void test_coded_names(void **state)
{
    static const char named[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoCreate +9 new_g=2 new_stack=main.\xd7\xa9\xd7\x9c:3 stack=main.main:9\n"
        "GoBlock +9 reason=\"sleep\" stack=main.main:9\nGoStart +9 g=2 g_seq=1\nGoDestroy +9\n";
    struct fix f;
    (void)state;
    fix_made(&f, named, "default", 80, 24);
    expect(&f, "3 /\xd7\xa9\xd7\x9c", "/<5E9><5DC>");
    expect(&f, "Enter", ": G2 main.<5E9><5DC>");
    expect(&f, "/n<5E9><5DC> Enter", "not found");
    expect(&f, "/n.<5E9><5DC> Enter", ": G2 main.<5E9><5DC>");
    expect(&f, "/<5DA> Enter", "not found");
    expect(&f, "\\ func=<5E9> Enter", "func=<5E9>");
    expect_not(&f, "", "no goroutine passes");
    fix_close(&f);
}

/* Of a task that began before the trace nothing but its end is known. */
static void test_began_before(void **state)
{
    static const char late[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "UserTaskBegin +9 task=8 parent=0 name=\"\" stack=0\nUserTaskEnd +90 task=8 stack=0\n"
        "UserTaskEnd +9 task=77 stack=0\nGoBlock +9 reason=\"sleep\" stack=0\n";
    struct fix f;
    (void)state;
    fix_made(&f, late, "default", 80, 24);
    expect(&f, "7 (", "(began before)");
    expect(&f, "", "it began before the trace: its name and its creator are not recorded");
    expect(&f, "W", "task 77  ended by G1, 0..109ns");
    expect(&f, "q j", "(no name)");
    expect(&f, "W", "where its 90ns went");
    fix_close(&f);
}

/* The first frame of one's own that has a file. */
static void test_source_open(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "default", 80, 24);
    expect(&f, "3 V", "copied: ");
    fix_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_screen),  cmocka_unit_test(test_no_raw_bytes),
        cmocka_unit_test(test_counts_repeat), cmocka_unit_test(test_prompt),
        cmocka_unit_test(test_marks),         cmocka_unit_test(test_help_is_live),
        cmocka_unit_test(test_popups),        cmocka_unit_test(test_footer),
        cmocka_unit_test(test_back),          cmocka_unit_test(test_picture),
        cmocka_unit_test(test_tabs),          cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_mouse),         cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_deep_link),     cmocka_unit_test(test_paste),
        cmocka_unit_test(test_monkey),        cmocka_unit_test(test_every_action),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_linear),
        cmocka_unit_test(test_filter),        cmocka_unit_test(test_source_path),
        cmocka_unit_test(test_source_open),   cmocka_unit_test(test_began_before),
        cmocka_unit_test(test_coded_names),
    };
    return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
