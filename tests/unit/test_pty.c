/*
 * test_pty.c - the program in its terminal: what that answers, signals at any moment, sizes. However it ends,
 * the terminal's settings and screen are those from before.
 */
#include "tests/unit/pty_help.h"

/* ---- what the terminal answers ------------------------------------------------------------------------- */

/* Started, asked for its ground and where the cursor is, and answered so. */
static void answered(struct pty *p, const char *answer)
{
    view(p, TRACE);
    if (!pty_until(p, "\033]11;?\033\\") || !pty_until(p, "\033[6n"))
        pty_fail(p, "the terminal is not asked");
    pty_type(p, answer);
    shown(p);
}

/* Letters of the brightest white, on the terminal's own ground? */
static bool white_on_own(const struct pty *p)
{
    static const char white[] = "\033[38;5;231m";
    const char *at = p->out, *end = p->out + p->n;
    while ((at = memmem(at, (size_t)(end - at), white, sizeof white - 1))) {
        at += sizeof white - 1;
        if (end - at < 4 || memcmp(at, "\033[48", 4) != 0)
            return true;
    }
    return false;
}

/* The palette is that for the ground; without an answer nothing is white on what may be white. The title
 * tells which it is. */
static void test_ground(void **state)
{
    (void)state;
    static const char light_title[] = "\033[48;5;188m", dark_title[] = "\033[48;5;237m";
    static const struct {
        const char *answer;
        bool light;
    } rows[] = {{"\033]11;rgb:ffff/ffff/ffff\033\\\033[2;2R", true},
                {"\033]11;rgb:fd/f6/e3\a\033[2;2R", true},
                {"\033]11;rgb:1010/1414/1818\033\\\033[2;2R", false},
                {"\033]11;nonsense\033\\\033[2;2R", false},
                {"\033[2;2R", false},
                {"\033[2;2R\033]11;rgb:ffff/ffff/ffff\033\\",
                 true}, /* in GNU screen, which answers the second itself */
                {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pty p;
        answered(&p, rows[i].answer);
        if (last(&p, light_title, dark_title) != (rows[i].light ? light_title : dark_title))
            pty_fail(&p, rows[i].answer);
        if (white_on_own(&p))
            pty_fail(&p, "white is written on an unknown ground");
        pty_type(&p, "Q"); /* no part of an answer was taken for a key, and a prompt */
        expect_left(&p, 0, -1, rows[i].answer);
        pty_close(&p);
    }
}

/* "gotop top" on a terminal is the live top, from which q leaves; asked for lines it prints lines. */
static void test_top(void **state)
{
    (void)state;
    struct pty p;
    char *live[] = {NULL, "top", TRACE, NULL}, *lines[] = {NULL, "top", "-n", "1", TRACE, NULL};
    pty_start(&p, live, NULL);
    if (!pty_until(&p, "[top]") || !pty_has(&p, "\033[?1049h"))
        pty_fail(&p, "no live top");
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "q");
    expect_left(&p, 0, -1, "q in the live top");
    pty_close(&p);
    pty_start(&p, lines, NULL);
    if (!pty_until(&p, "waiting") || pty_has(&p, "\033[?1049h")) /* for lines of a file that nobody writes */
        pty_fail(&p, "no lines");
    pty_close(&p);
}

/* ---- ways to end --------------------------------------------------------------------------------------- */

static void test_signals(void **state)
{
    (void)state;
    static const int sent[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,   SIGSEGV, SIGABRT,
                               SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,   SIGSYS,  SIGALRM,
                               SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO};
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        struct pty p;
        char what[40];
        snprintf(what, sizeof what, "signal %d", sent[i]);
        view(&p, TRACE);
        shown(&p);
        kill(p.pid, sent[i]);
        expect_left(&p, 128 + sent[i], sent[i] == SIGBUS ? 128 + SIGSEGV : -1, what);
        pty_close(&p);
    }
}

/* At any moment: after so many microseconds, from before the program has begun
 * to behind its first screens. */
static void test_any_moment(void **state)
{
    (void)state;
    static const int sent[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGUSR1};
    unsigned step = 1500;
    for (int i = 0; i < 42; i++) {
        struct pty p;
        char what[80];
        int s = sent[i % 6];
        unsigned us = step * (unsigned)i;
        snprintf(what, sizeof what, "signal %d after %u us", s, us);
        view(&p, TRACE);
        usleep(us);
        pty_drain(&p);
        kill(p.pid, s);
        expect_left(&p, 128 + s, -1, what);
        pty_close(&p);
    }
}

/* As test_any_moment, but counted in what came out, and while keys are pressed. */
static void test_busy_moment(void **state)
{
    (void)state;
    static const int sent[] = {SIGTERM, SIGINT, SIGABRT, SIGSEGV};
    for (int i = 0; i < 16; i++) {
        struct pty p;
        int s = sent[i % 4];
        view(&p, TRACE);
        if (!pty_until(&p, "\033[?1049h"))
            pty_fail(&p, "nothing is shown");
        for (int k = 0; k < i; k++)
            pty_type(&p, "wljk3l2h1jns");
        kill(p.pid, s);
        expect_left(&p, 128 + s, -1, "signal while keys are pressed");
        pty_close(&p);
    }
}

static void test_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) { /* an impatient Ctrl-C, and its opposite */
        struct pty p;
        view(&p, TRACE);
        shown(&p);
        kill(p.pid, i % 2 ? SIGINT : SIGTERM);
        kill(p.pid, SIGTERM);
        kill(p.pid, SIGHUP);
        expect_left(&p, -1, -1, "signals one after the other");
        pty_close(&p);
    }
}

static void test_quit(void **state)
{
    (void)state;
    struct pty p;
    view(&p, TRACE);
    shown(&p);
    pty_type(&p, "q");
    expect_left(&p, 0, -1, "q");
    pty_close(&p);
}

/* A step to the side moves what is shown by one sequence a row; most of the picture is not sent again. */
static void test_sideways(void **state)
{
    (void)state;
    struct pty p;
    view(&p, TRACE);
    shown(&p);
    pty_type(&p, "2ww");
    pty_rest(&p);
    for (int i = 0; i < 2; i++) { /* to the right, and back */
        size_t from = p.n, rows = 0;
        pty_type(&p, i ? "h" : "l");
        pty_rest(&p);
        const char *moves = i ? "\033[8@" : "\033[8P";
        for (size_t at = from; at + 4 <= p.n; at++)
            rows += memcmp(p.out + at, moves, 4) == 0;
        if (rows < 4 || p.n - from > 2500)
            pty_fail(&p, "a step to the side is sent as a new picture");
    }
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "Q");
    pty_close(&p);
}

/* What is pasted is no keys, and neither is an answer to what another program asked; a prompt takes pasted
 * text. */
static void test_paste(void **state)
{
    (void)state;
    struct pty p;
    view(&p, TRACE);
    shown(&p);
    assert_true(pty_has(&p, "\033[?2004h"));
    pty_type(&p, "\033[200~qQ\nq\033[201~");
    pty_rest(&p);
    if (p.ended || !pty_has(&p, "pasted text"))
        pty_fail(&p, "pasted text acts as keys");
    pty_type(&p, "\033]11;rgb:QQQQ/qqqq/0000\007\033P>|Q 1\033\\");
    pty_rest(&p);
    if (p.ended)
        pty_fail(&p, "a terminal's answer acts as keys");
    char longer[6000] = "\033]11;";
    memset(longer + 5, 'Q', sizeof longer - 6);
    const char *const ends[] = {"\033\\?", "\033[B?"}; /* its own, or a key where that is lost */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        p.n = 0;
        pty_type(&p, longer);
        pty_type(&p, ends[i]);
        if (!pty_until(&p, "Keys in"))
            pty_fail(&p, "a long answer acts as keys, or takes those behind it");
        pty_type(&p, "\033");
        pty_rest(&p);
    }
    pty_type(&p, "/\033[200~qno such\n text\033[201~\r");
    pty_rest(&p);
    if (p.ended || !pty_has(&p, "not found: qno such text"))
        pty_fail(&p, "a prompt takes what is pasted");
    pty_type(&p, "/\xd7\xa9\r"); /* a letter that is not shown as itself */
    pty_rest(&p);
    if (p.ended || !pty_has(&p, "<5E9>"))
        pty_fail(&p, "a prompt takes every letter");
    pty_type(&p, "\033[200~lost"); /* Esc ends what has no end, and closes the prompt */
    pty_rest(&p);
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "paste");
    pty_close(&p);
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* A slow line cuts a key in two: Esc comes, acts, and the rest of the key comes late. It is no text. */
static void test_late_keys(void **state)
{
    static const char *const rest[] = {"OQ", "[1;5Q", "[[Q", "[MQQQ", "[<0;1;1Q"}; /* Q, as a key, leaves */
    (void)state;
    struct pty p;
    view(&p, TRACE);
    shown(&p);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        pty_type(&p, "\033");
        pty_rest(&p);
        pty_type(&p, rest[i]);
        pty_rest(&p);
        if (p.ended)
            pty_fail(&p, "the rest of a key acts as keys");
    }
    pty_type(&p, "?");
    pty_rest(&p);
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "O?"); /* what a hand types behind Esc goes on otherwise */
    pty_rest(&p);
    if (!pty_has(&p, "Keys in"))
        pty_fail(&p, "no help");
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "OQQ"); /* F2, and Q */
    expect_left(&p, 0, -1, "late keys");
    pty_close(&p);
}

static void test_sizes(void **state)
{
    (void)state;
    static const unsigned short sizes[][2] = {{24, 80}, {1, 1}, {50, 200},      {2, 500}, {200, 2},
                                              {5, 20},  {0, 0}, {65535, 65535}, {12, 40}};
    struct pty p;
    view(&p, TRACE);
    shown(&p);
    for (int i = 0; i < 400; i++) {
        struct winsize ws = {.ws_row = sizes[i % 9][0], .ws_col = sizes[i % 9][1]};
        ioctl(p.fd, TIOCSWINSZ, &ws);
        if (i % 7 == 0)
            pty_type(&p, i % 2 ? "1" : "3");
        pty_drain(&p);
    }
    for (int i = 0; i < 2000; i++)
        kill(p.pid, SIGWINCH);
    struct winsize ws = {.ws_row = 24, .ws_col = 80};
    ioctl(p.fd, TIOCSWINSZ, &ws);
    pty_rest(&p);
    if (p.ended)
        pty_fail(&p, "sizes ended it");
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "sizes");
    pty_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground),     cmocka_unit_test(test_top),         cmocka_unit_test(test_signals),
        cmocka_unit_test(test_any_moment), cmocka_unit_test(test_busy_moment), cmocka_unit_test(test_twice),
        cmocka_unit_test(test_quit),       cmocka_unit_test(test_sideways),    cmocka_unit_test(test_paste),
        cmocka_unit_test(test_late_keys),  cmocka_unit_test(test_sizes),
    };
    return PTY_TESTS(tests);
}
