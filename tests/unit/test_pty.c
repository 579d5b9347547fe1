/*
 * test_pty.c - the real program in a pseudo-terminal of our own: signals at any moment, sizes, a terminal
 * that goes away, a file that shrinks under it. However it ends, the terminal's settings and screen are those
 * from before.
 *
 * Nothing is judged by the clock: what is waited for may take as long as the program moves on, that is, uses
 * processor time or writes; and what may not spin is held to processor time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/tracegen.h"

#define TRACE "samples/http-1.26.trace"
enum { STUCK_S = 60, SPIN_S = 40, KEPT = 1 << 20 };

struct pty {
    pid_t pid;
    int fd, slave; /* the slave stays open here, so that its settings can be asked behind the program */
    struct termios before;
    char *out; /* what came out */
    size_t n;
    bool ended;
    int status;
};

static const char *program;
static char dir[] = "/tmp/gotop-pty-XXXXXX";

/* ---- the program in its terminal ----------------------------------------------------------------------- */

/* argv[0] is filled in; env: "NAME=value".., NULL at the end, may be NULL. */
static void pty_start(struct pty *p, char **argv, char *const *env)
{
    struct winsize ws = {.ws_row = 24, .ws_col = 80};
    *p = (struct pty){.out = malloc(KEPT)};
    assert_non_null(p->out);
    assert_int_equal(openpty(&p->fd, &p->slave, NULL, NULL, &ws), 0);
    assert_int_equal(tcgetattr(p->slave, &p->before), 0);
    fcntl(p->fd, F_SETFL, O_NONBLOCK);
    fcntl(p->fd, F_SETFD, FD_CLOEXEC);
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* what is sent to it is for the program, not for us before it */
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        return;
    }
    for (int s = 1; s < NSIG; s++)
        if (s != SIGHUP)
            signal(s, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    setsid();
    ioctl(p->slave, TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++)
        dup2(p->slave, i);
    close(p->slave);
    setenv("TERM", "xterm-256color", 1);
    setenv("XDG_CONFIG_HOME", dir, 1);
    setenv("TMPDIR", dir, 1);
    setenv("ASAN_OPTIONS",
           "detect_leaks=0:handle_abort=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0", 1);
    unsetenv("TMUX");
    for (; env && *env; env++)
        putenv(*env);
    argv[0] = (char *)(uintptr_t)program;
    execv(program, argv);
    _exit(127);
}

static void pty_drain(struct pty *p)
{
    char buf[65536];
    ssize_t k;
    while (p->fd >= 0 && (k = read(p->fd, buf, sizeof buf)) > 0) {
        size_t keep = (size_t)k;
        if (p->n + keep > KEPT) { /* the end tells most */
            size_t drop = p->n + keep - KEPT;
            memmove(p->out, p->out + drop, p->n - drop);
            p->n -= drop;
        }
        memcpy(p->out + p->n, buf, keep);
        p->n += keep;
    }
}

/* Processor time so far in hundredths of a second, -1 = it has ended. */
static long pty_cpu(const struct pty *p)
{
    char path[64], line[1024];
    unsigned long u = 0, s = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)p->pid);
    FILE *f = fopen(path, "r");
    bool ok =
        f && fgets(line, sizeof line, f) && strrchr(line, ')') &&
        sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &u, &s) == 2;
    if (f)
        fclose(f);
    return ok ? (long)(u + s) : -1;
}

static bool pty_reap(struct pty *p)
{
    if (!p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid) {
        p->ended = true;
        pty_drain(p);
    }
    return p->ended;
}

static bool pty_has(const struct pty *p, const char *text)
{
    return memmem(p->out, p->n, text, strlen(text)) != NULL;
}

/* Until the text came out (NULL: until it ended). false: it stands still, or runs on and on without that. */
static bool pty_until(struct pty *p, const char *text)
{
    long cpu = pty_cpu(p), first = cpu;
    size_t n = p->n;
    int idle = 0; /* fiftieths of a second */
    for (;;) {
        pty_drain(p);
        if (text && pty_has(p, text))
            return true;
        if (pty_reap(p))
            return !text || pty_has(p, text);
        long now = pty_cpu(p);
        idle = now == cpu && n == p->n ? idle + 1 : 0;
        cpu = now;
        n = p->n;
        if (idle > STUCK_S * 50 || cpu - first > SPIN_S * 100)
            return false;
        struct pollfd pf = {.fd = p->fd, .events = POLLIN};
        poll(&pf, 1, 20);
    }
}

/* Until it waits for keys: nothing comes out any more, and no processor time goes. */
static void pty_rest(struct pty *p)
{
    long cpu = -2;
    size_t n = p->n;
    for (int calm = 0, i = 0; calm < 5 && i < 3000 && !pty_reap(p); i++) {
        usleep(20000);
        pty_drain(p);
        long now = pty_cpu(p);
        calm = now == cpu && n == p->n ? calm + 1 : 0;
        cpu = now;
        n = p->n;
    }
}

static void pty_type(struct pty *p, const char *keys)
{
    for (size_t i = 0, n = strlen(keys); i < n;) {
        ssize_t k = write(p->fd, keys + i, n - i);
        if (k > 0)
            i += (size_t)k;
        else if (errno != EAGAIN)
            return;
        pty_drain(p);
    }
}

static void pty_close(struct pty *p)
{
    if (!p->ended) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, &p->status, 0);
    }
    if (p->fd >= 0)
        close(p->fd);
    close(p->slave);
    free(p->out);
}

static void pty_fail(struct pty *p, const char *what)
{
    size_t from = p->n > 1500 ? p->n - 1500 : 0;
    fprintf(stderr, "%s; status %#x; the last that came out:\n", what, (unsigned)p->status);
    for (size_t i = from; i < p->n; i++)
        fprintf(stderr, p->out[i] >= 0x20 && p->out[i] < 0x7f ? "%c" : "\\x%02x", (unsigned char)p->out[i]);
    fputc('\n', stderr);
    fail_msg("%s", what);
}

/* Which of two sequences came last? */
static const char *last(const struct pty *p, const char *a, const char *b)
{
    for (size_t i = p->n; i-- > 0;) {
        if (p->n - i >= strlen(a) && !memcmp(p->out + i, a, strlen(a)))
            return a;
        if (p->n - i >= strlen(b) && !memcmp(p->out + i, b, strlen(b)))
            return b;
    }
    return NULL;
}

/* It has ended, with that exit status or signal (128 + n; either -1: whichever), and left all as it was. */
static void expect_left(struct pty *p, int a, int b, const char *what)
{
    struct termios now;
    char why[300];
    if (!pty_until(p, NULL)) {
        snprintf(why, sizeof why, "%s: it doesn't end", what);
        pty_fail(p, why);
    }
    int got = WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
    snprintf(why, sizeof why, "%s: status %d, not %d", what, got, a);
    if (a >= 0 && got != a && got != b)
        pty_fail(p, why);
    assert_int_equal(tcgetattr(p->slave, &now), 0);
    if (now.c_iflag != p->before.c_iflag || now.c_oflag != p->before.c_oflag ||
        now.c_lflag != p->before.c_lflag || now.c_cflag != p->before.c_cflag ||
        memcmp(now.c_cc, p->before.c_cc, sizeof now.c_cc)) {
        snprintf(why, sizeof why, "%s: the terminal's settings differ", what);
        pty_fail(p, why);
    }
    static const char *const modes[][2] = {{"\033[?1049h", "\033[?1049l"},
                                           {"\033[?1000h", "\033[?1000l"},
                                           {"\033[?2004h", "\033[?2004l"},
                                           {"\033[?25l", "\033[?25h"},
                                           {"\033[?1h", "\033[?1l"}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const char *l = last(p, modes[i][0], modes[i][1]);
        if (l && l != modes[i][1] && strcmp(modes[i][0], "\033[?25l")) {
            snprintf(why, sizeof why, "%s: mode %s is left on", what, modes[i][0] + 2);
            pty_fail(p, why);
        }
    }
    if (last(p, "\033[?25l", "\033[?25h") && !strcmp(last(p, "\033[?25l", "\033[?25h"), "\033[?25l"))
        pty_fail(p, "the cursor stays hidden");
    if (pty_has(p, "runtime error") || pty_has(p, "AddressSanitizer"))
        pty_fail(p, what);
}

static void view(struct pty *p, const char *trace)
{
    char *argv[] = {NULL, "--view", "2", (char *)(uintptr_t)trace, NULL};
    pty_start(p, argv, NULL);
}

static void shown(struct pty *p)
{
    if (!pty_until(p, "\033[?1049h"))
        pty_fail(p, "nothing is shown");
    pty_rest(p);
}

static const char *file(const char *name)
{
    static char path[2][300];
    static int k;
    snprintf(path[k ^= 1], sizeof path[0], "%s/%s", dir, name);
    return path[k];
}

/* A copy of the sample, `times` as often behind each other: with damage, but large. */
static size_t copy_trace(const char *to, size_t most)
{
    static char buf[1 << 16];
    FILE *in = fopen(TRACE, "rb"), *out = fopen(to, "wb");
    size_t n, all = 0;
    assert_true(in && out);
    while ((n = fread(buf, 1, most - all < sizeof buf ? most - all : sizeof buf, in)) > 0)
        all += fwrite(buf, 1, n, out);
    fclose(in);
    fclose(out);
    return all;
}

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
                {"\033[2;2R\033]11;rgb:ffff/ffff/ffff\033\\", false}, /* to another program's question */
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

/* ---- things that go away ------------------------------------------------------------------------------- */

static void expect_gone(struct pty *p, const char *what)
{
    if (!pty_until(p, NULL))
        pty_fail(p, what);
}

static void test_terminal_gone(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct pty p;
        view(&p, TRACE);
        if (i % 3 == 0)
            shown(&p);
        else
            usleep(20000u * (unsigned)i);
        if (i >= 3)
            pty_type(&p, "wl3jn");
        close(p.slave); /* ours, so that no other end is left */
        close(p.fd);
        p.fd = -1;
        p.slave = open("/dev/null", O_RDWR);
        expect_gone(&p, "the terminal is gone, it isn't");
        pty_close(&p);
    }
}

static void test_nobody_hears(void **state)
{
    (void)state; /* nohup: SIGHUP is ignored, and the terminal goes */
    struct pty p;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, was;
    sigaction(SIGHUP, &ignore, &was);
    view(&p, TRACE);
    sigaction(SIGHUP, &was, NULL);
    shown(&p);
    close(p.slave);
    close(p.fd);
    p.fd = -1;
    p.slave = open("/dev/null", O_RDWR);
    expect_gone(&p, "the terminal is gone and SIGHUP ignored: it doesn't end");
    pty_close(&p);
}

/* sh -c: the shell closes what we want closed. */
static void with_shell(struct pty *p, const char *line)
{
    const char *was = program;
    char *argv[] = {NULL, "-c", (char *)(uintptr_t)line, NULL};
    setenv("GOTOP_RUN", was, 1);
    program = "/bin/sh";
    pty_start(p, argv, NULL);
    program = was;
}

static void test_closed(void **state)
{
    (void)state;
    struct pty p;
    with_shell(&p, "exec \"$GOTOP_RUN\" --view 2 " TRACE " <&-"); /* keys come from /dev/tty then */
    shown(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "stdin closed");
    pty_close(&p);
    with_shell(&p, "exec \"$GOTOP_RUN\" --view 2 " TRACE " </dev/null");
    shown(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "stdin empty");
    pty_close(&p);
    with_shell(&p, "exec \"$GOTOP_RUN\" --headless " TRACE " >/dev/full");
    expect_left(&p, 2, -1, "disk full");
    assert_true(pty_has(&p, "No space left"));
    pty_close(&p);
    with_shell(&p, "for c in report dump 'csv spans' 'folded' 'perfetto' 'pprof --kind sync'; do "
                   "\"$GOTOP_RUN\" $c " TRACE " >/dev/full && echo \"$c: unnoticed\"; done; exit 9");
    expect_left(&p, 9, -1, "disk full, commands");
    if (pty_has(&p, "unnoticed"))
        pty_fail(&p, "a full disk goes unnoticed");
    pty_close(&p);
    with_shell(&p, "exec \"$GOTOP_RUN\" report " TRACE " >&-");
    expect_left(&p, 2, -1, "stdout closed");
    pty_close(&p);
    with_shell(&p, "exec \"$GOTOP_RUN\" --view 2 " TRACE " 2>&-");
    shown(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "stderr closed");
    pty_close(&p);
}

/* Nothing comes, or a header alone: q leaves, a signal does; the terminal is as it was, what else was typed
 * is obeyed behind it. */
static void test_waiting(void **state)
{
    (void)state;
    static const struct {
        const char *line, *keys;
        int sent, status;
    } waits[] = {
        {"exec \"$GOTOP_RUN\" - <&3", "q", 0, 0},
        {"head -c 16 " TRACE " >&3; exec \"$GOTOP_RUN\" - <&3", "Q", 0, 0},
        {"exec \"$GOTOP_RUN\" --follow - <&3", "q", 0, 0},
        {"exec \"$GOTOP_RUN\" \"$TMPDIR/silent\"", "3q", 0, 0},
        {"exec \"$GOTOP_RUN\" - <&3", "\003", 0, 128 + SIGINT},
        {"exec \"$GOTOP_RUN\" --follow - <&3", "\003", 0, 128 + SIGINT},
        {"exec \"$GOTOP_RUN\" - <&3", "3", SIGTERM, 128 + SIGTERM},
        {"exec \"$GOTOP_RUN\" - <&3", "", SIGSEGV, 128 + SIGSEGV},
    };
    assert_int_equal(mkfifo(file("silent"), 0600), 0);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct pty p;
        char line[300];
        snprintf(line, sizeof line, "exec 3<>\"$TMPDIR/silent\"; %s", waits[i].line);
        with_shell(&p, line);
        if (!pty_until(&p, "q leaves"))
            pty_fail(&p, "nothing says how to leave");
        pty_type(&p, waits[i].keys);
        if (waits[i].sent)
            kill(p.pid, waits[i].sent);
        expect_left(&p, waits[i].status, -1, waits[i].line);
        pty_close(&p);
    }
    struct pty p;
    with_shell(&p, "exec 3<>\"$TMPDIR/silent\"; exec \"$GOTOP_RUN\" --view 2 \"$TMPDIR/silent\" 3>&-");
    int fd = open(file("silent"), O_WRONLY), in = open(TRACE, O_RDONLY);
    char buf[4096];
    assert_true(fd >= 0 && in >= 0);
    if (!pty_until(&p, "q leaves"))
        pty_fail(&p, "nothing says how to leave");
    pty_type(&p, "?");
    pty_rest(&p);
    for (ssize_t n; (n = read(in, buf, sizeof buf)) > 0;)
        assert_true(write(fd, buf, (size_t)n) == n);
    close(fd);
    close(in);
    if (!pty_until(&p, "Keys in"))
        pty_fail(&p, "what was typed is lost");
    pty_type(&p, "\033");
    pty_rest(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "a trace that came late");
    pty_close(&p);
}

/* The file shrinks, or is emptied, under the program: it says so or shows what it has, and ends as ever. */
static void test_file_cut(void **state)
{
    (void)state;
    static const size_t cuts[] = {0, 1, 100, 4096, 40000};
    for (int i = 0; i < 15; i++) {
        struct pty p;
        const char *path = file("cut.trace");
        size_t n = copy_trace(path, 1 << 30);
        view(&p, path);
        if (i % 3 == 0)
            shown(&p);
        else
            usleep(4000u * (unsigned)i);
        assert_int_equal(truncate(path, (off_t)(cuts[i % 5] < n ? cuts[i % 5] : n / 2)), 0);
        pty_type(&p, "3jwl1j2l4n5");
        pty_rest(&p);
        if (!p.ended)
            pty_type(&p, "Q");
        expect_left(&p, 0, 2, "the file was cut");
        pty_close(&p);
    }
}

static void test_file_replaced(void **state)
{
    (void)state;
    struct pty p;
    const char *path = file("old.trace");
    copy_trace(path, 1 << 30);
    view(&p, path);
    shown(&p);
    int fd = open(path, O_WRONLY); /* in place, with what is no trace */
    for (int i = 0; i < 4000; i++)
        assert_true(write(fd, "\033[31mnothing", 12) == 12);
    close(fd);
    pty_type(&p, "3jwl1j2l4n5");
    pty_rest(&p);
    unlink(path);
    pty_type(&p, "1w2");
    pty_rest(&p);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "the file was replaced");
    if (pty_has(&p, "\033[31mnothing"))
        pty_fail(&p, "its bytes reach the terminal");
    pty_close(&p);
}

/* Copies, with a clipboard or without: one file, for its user alone, gone behind the program. */
static int copies(mode_t *mode)
{
    DIR *d = opendir(dir);
    int n = 0;
    for (struct dirent *de; d && (de = readdir(d));) {
        struct stat st;
        if (strncmp(de->d_name, "gotop-", 6) != 0)
            continue;
        n++;
        if (stat(file(de->d_name), &st) == 0)
            *mode = st.st_mode & 0777;
    }
    if (d)
        closedir(d);
    return n;
}

static void test_copies(void **state)
{
    (void)state;
    static char *const linux_console[] = {"TERM=linux", NULL}, *const xterm[] = {"TERM=xterm-256color", NULL};
    static const int ends[] = {0, SIGTERM, SIGSEGV, 0};
    for (int i = 0; i < 4; i++) {
        struct pty p;
        mode_t mode = 0;
        char *argv[] = {NULL, "--view", "2", TRACE, NULL};
        pty_start(&p, argv, i < 3 ? linux_console : xterm);
        if (!pty_until(&p, "P0"))
            pty_fail(&p, "nothing is shown");
        pty_rest(&p);
        for (int k = 0; k < 4; k++) {
            pty_type(&p, "jy");
            pty_rest(&p);
        }
        assert_int_equal(copies(&mode), 1);
        assert_int_equal(mode, 0600);
        if (!pty_has(&p, i < 3 ? "does not take it" : "copied, until gotop ends also to"))
            pty_fail(&p, "where the copy is remains unsaid");
        if (ends[i])
            kill(p.pid, ends[i]);
        else
            pty_type(&p, "Q");
        expect_left(&p, ends[i] ? 128 + ends[i] : 0, -1, "copies");
        pty_close(&p);
        assert_int_equal(copies(&mode), 0);
    }
}

/*
 * V asks, and then keys are typed: the question is there each time; what these keys do not open stays shut.
 */
static void ask_editor(struct pty *p, const char *keys)
{
    p->n = 0;
    pty_type(p, "V");
    if (!pty_until(p, "gotop: Enter opens"))
        pty_fail(p, "V doesn't ask");
    pty_rest(p);
    pty_type(p, keys);
}

/*
 * The editor is started by a process that was there before: it asks at the terminal, and only Enter, and
 * nothing but Enter since, starts it. It gets its own words, as a shell reads them, line and path; signals as
 * they were; and may write where it likes.
 */
static void test_editor(void **state)
{
    (void)state;
    char script[300], env[400], root[300], text[1000] = "", trace[300];
    snprintf(trace, sizeof trace, "%s", file("editor.trace"));
    const char *said = file("said");
    snprintf(script, sizeof script, "%s/my editor", dir);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\nexec >'%s'\nprintf '<%%s>' \"$@\"\n[ -r /etc/passwd ] && echo free\ngrep SigIgn "
            "/proc/$$/status\n",
            said);
    fclose(f);
    chmod(script, 0700);
    size_t n;
    uint8_t *bytes = tracegen_bytes("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\n"
                                    "GoStatus +1 g=1 m=7 running\n"
                                    "GoBlock +1000 reason=\"sleep\" stack=main.main@src/it's.go:7\n",
                                    &n);
    f = fopen(trace, "wb");
    assert_true(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
    free(bytes);
    f = fopen(file("it's.go"), "w");
    assert_true(f && fclose(f) == 0);
    snprintf(env, sizeof env, "VISUAL='%s' -q \"two words\"", script);
    snprintf(root, sizeof root, "--source-root=src=%s", dir);
    char *vars[] = {env, NULL}, *argv[] = {NULL, "--view", "3", "--lane", "g1@10ns", root, trace, NULL};
    struct pty p;
    pty_start(&p, argv, vars);
    shown(&p);
    static const char *const not [] = {"x", "\033[24;80R", "\r\r", "\003", "q\r", " "};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        ask_editor(&p, not [i]);
        if (!pty_until(&p, "was not opened"))
            pty_fail(&p, "what is no Enter is taken for it");
        pty_rest(&p);
        assert_int_equal(access(said, F_OK), -1);
    }
    ask_editor(&p, "\r");
    pty_until(&p, "\033[?1049h");
    pty_rest(&p);
    f = fopen(said, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char want[400];
    snprintf(want, sizeof want, "<-q><two words><+7><%s/it's.go>free\nSigIgn:", dir);
    if (strncmp(text, want, strlen(want)) != 0)
        fail_msg("the editor got '%s', not '%s'", text, want);
    const unsigned long long ignored = strtoull(text + strlen(want), NULL, 16);
    assert_int_equal(ignored & (1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1) | 1ull << (SIGINT - 1)), 0);
    pty_type(&p, "Q");
    expect_left(&p, 0, -1, "the editor");
    pty_close(&p);
}

/* The first child of a process; 0: it has none. */
static pid_t child_of(pid_t pid)
{
    char path[80];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%d", &child) != 1)
        child = 0;
    if (f)
        fclose(f);
    return child;
}

/* A viewer that is killed while the question stands: who asked ends, and the terminal's settings are as
 * before. */
static void test_editor_alone(void **state)
{
    (void)state;
    const char *was = program;
    char trace[300], editor[] = "VISUAL=true", *vars[] = {editor, NULL};
    char script[] = "\"$0\" \"$@\"; read -r end", viewer[300], root[400];
    char *argv[] = {NULL, "-c", script, viewer, "--view", "3", "--lane", "g1@10ns", root, trace, NULL};
    struct pty p;
    struct termios now;
    snprintf(trace, sizeof trace, "%s", file("editor.trace")); /* test_editor() made it */
    snprintf(viewer, sizeof viewer, "%s", program);
    snprintf(root, sizeof root, "--source-root=src=%s", dir);
    program = "/bin/sh";
    pty_start(&p, argv, vars);
    program = was;
    shown(&p);
    ask_editor(&p, "");
    const pid_t pid = child_of(p.pid);
    if (pid <= 0)
        pty_type(&p, "q");
    else
        kill(pid, SIGKILL);
    for (int i = 0; i < 3000; i++) { /* the other one ends by itself */
        assert_int_equal(tcgetattr(p.slave, &now), 0);
        if (now.c_lflag == p.before.c_lflag && now.c_cc[VMIN] == p.before.c_cc[VMIN])
            break;
        usleep(20000);
    }
    assert_int_equal(now.c_lflag, p.before.c_lflag);
    assert_int_equal(now.c_cc[VMIN], p.before.c_cc[VMIN]);
    pty_close(&p);
}

/* Memory runs out at some moment of a session, in curses or in ours: whatever is shown, the terminal is as
 * before. */
static void test_memory(void **state)
{
    (void)state;
    const char *fast = getenv("GOTOP_FAST") ? getenv("GOTOP_FAST") : "build/gotop", *was = program;
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char preload[400], at[40], so[300];
    snprintf(so, sizeof so, "%s/failing.so", build);
    if (access(so, R_OK) || access(fast, X_OK)) {
        print_message("note: %s was not built\n", so);
        skip();
    }
    program = fast;
    for (int n = 1, i = 0; n < 4000; n += 1 + n / 5, i++) {
        struct pty p;
        char on[] = "FAIL_ON=1", *env[] = {preload, at, i % 2 ? on : NULL, NULL},
             *argv[] = {NULL, "--view", "2", TRACE, NULL};
        snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%s",
                 so[0] == '/'    ? ""
                 : getenv("PWD") ? getenv("PWD")
                                 : ".",
                 so[0] == '/' ? "" : "/", so);
        snprintf(at, sizeof at, "FAIL_AT=%d", n);
        pty_start(&p, argv, env);
        pty_rest(&p);
        if (!p.ended)
            pty_type(&p, "3jw/main\r1j\r?");
        pty_rest(&p);
        if (!p.ended)
            pty_type(&p, "\033QQ");
        if (!p.ended)
            pty_rest(&p);
        if (!p.ended) /* keys may have been lost for want of memory, the way out may not */
            kill(p.pid, SIGTERM);
        expect_left(&p, -1, -1, at);
        /* curses reads through pointers that its own allocations left NULL: then at least it is said */
        if (WIFSIGNALED(p.status) && WTERMSIG(p.status) != SIGTERM && !pty_has(&p, "gotop: ended by"))
            pty_fail(&p, at);
        pty_close(&p);
    }
    program = was;
}

/* Stopped, then killed, as `kill %1` does: it may not wait for a terminal that is the shell's now. */
static void test_killed_while_stopped(void **state)
{
    (void)state;
    struct pty p;
    int status;
    view(&p, TRACE);
    shown(&p);
    kill(p.pid, SIGSTOP);
    assert_int_equal(waitpid(p.pid, &status, WUNTRACED), p.pid);
    assert_true(WIFSTOPPED(status));
    kill(p.pid, SIGTERM);
    kill(p.pid, SIGCONT);
    expect_left(&p, 128 + SIGTERM, -1, "killed while stopped");
    pty_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quit),          cmocka_unit_test(test_ground),
        cmocka_unit_test(test_top),           cmocka_unit_test(test_signals),
        cmocka_unit_test(test_paste),         cmocka_unit_test(test_late_keys),
        cmocka_unit_test(test_any_moment),    cmocka_unit_test(test_busy_moment),
        cmocka_unit_test(test_twice),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_terminal_gone), cmocka_unit_test(test_nobody_hears),
        cmocka_unit_test(test_closed),        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_file_cut),      cmocka_unit_test(test_file_replaced),
        cmocka_unit_test(test_copies),        cmocka_unit_test(test_killed_while_stopped),
        cmocka_unit_test(test_editor),        cmocka_unit_test(test_editor_alone),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_sideways),
    };
    program = getenv("GOTOP") ? getenv("GOTOP") : "build/gotop";
    if (access(program, X_OK) || access(TRACE, R_OK) || !mkdtemp(dir)) {
        fprintf(stderr, "no program, no sample, or no temporary folder\n");
        return 1;
    }
    setenv("LC_ALL", "C.UTF-8", 1);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    if (system(rm))
        fprintf(stderr, "left behind: %s\n", dir);
    return rc;
}
