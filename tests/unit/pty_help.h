/*
 * pty_help.h - the real program in a pseudo-terminal of our own, for test_pty.c and test_pty_gone.c.
 *
 * Nothing is judged by the clock: what is waited for may take as long as the program moves on, that is, uses
 * processor time or writes; and what may not spin is held to processor time.
 */
#ifndef GOTOP_TESTS_PTY_HELP_H
#define GOTOP_TESTS_PTY_HELP_H
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
static inline void pty_start(struct pty *p, char **argv, char *const *env)
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

static inline void pty_drain(struct pty *p)
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
static inline long pty_cpu(const struct pty *p)
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

static inline bool pty_reap(struct pty *p)
{
    if (!p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid) {
        p->ended = true;
        pty_drain(p);
    }
    return p->ended;
}

static inline bool pty_has(const struct pty *p, const char *text)
{
    return memmem(p->out, p->n, text, strlen(text)) != NULL;
}

/* Until the text came out (NULL: until it ended). false: it stands still, or runs on and on without that. */
static inline bool pty_until(struct pty *p, const char *text)
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

static inline void pty_fail(struct pty *p, const char *what)
{
    size_t from = p->n > 1500 ? p->n - 1500 : 0;
    fprintf(stderr, "%s; status %#x; the last that came out:\n", what, (unsigned)p->status);
    for (size_t i = from; i < p->n; i++)
        fprintf(stderr, p->out[i] >= 0x20 && p->out[i] < 0x7f ? "%c" : "\\x%02x", (unsigned char)p->out[i]);
    fputc('\n', stderr);
    fail_msg("%s", what);
}

/* Whether all its threads sleep: on a busy machine one that has work may wait long for a processor, and is
 * not at rest then. */
static inline bool pty_sleeps(const struct pty *p)
{
    char path[64], line[1024];
    struct dirent *e;
    bool all = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
    DIR *d = opendir(path);
    while (d && all && (e = readdir(d))) {
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)p->pid, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        const char *end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        all = !end || strncmp(end, ") S", 3) == 0 || strncmp(end, ") Z", 3) == 0;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return all;
}

/* Until it waits for keys: nothing comes out any more, all threads sleep, and no processor time goes. */
static inline void pty_rest(struct pty *p)
{
    const long first = pty_cpu(p);
    long cpu = -2;
    size_t n = p->n;
    for (int calm = 0; calm < 5 && !pty_reap(p);) {
        usleep(20000);
        pty_drain(p);
        long now = pty_cpu(p);
        calm = now == cpu && n == p->n && pty_sleeps(p) ? calm + 1 : 0;
        if (now - first > SPIN_S * 100)
            pty_fail(p, "it never rests");
        cpu = now;
        n = p->n;
    }
}

static inline void pty_type(struct pty *p, const char *keys)
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

static inline void pty_close(struct pty *p)
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

/* Which of two sequences came last? */
static inline const char *last(const struct pty *p, const char *a, const char *b)
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
static inline void expect_left(struct pty *p, int a, int b, const char *what)
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

static inline void view(struct pty *p, const char *trace)
{
    char *argv[] = {NULL, "--view", "2", (char *)(uintptr_t)trace, NULL};
    pty_start(p, argv, NULL);
}

static inline void shown(struct pty *p)
{
    if (!pty_until(p, "\033[?1049h"))
        pty_fail(p, "nothing is shown");
    pty_rest(p);
}

static inline const char *file(const char *name)
{
    static char path[2][300];
    static int k;
    snprintf(path[k ^= 1], sizeof path[0], "%s/%s", dir, name);
    return path[k];
}

/* A copy of the sample, `times` as often behind each other: with damage, but large. */
static inline size_t copy_trace(const char *to, size_t most)
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

/* The tests of a file, in a folder of their own; main()'s status. */
#define PTY_TESTS(tests) pty_ready() ? pty_left(cmocka_run_group_tests(tests, NULL, NULL)) : 1
static inline bool pty_ready(void)
{
    program = getenv("GOTOP") ? getenv("GOTOP") : "build/gotop";
    if (access(program, X_OK) || access(TRACE, R_OK) || !mkdtemp(dir)) {
        fprintf(stderr, "no program, no sample, or no temporary folder\n");
        return false;
    }
    setenv("LC_ALL", "C.UTF-8", 1);
    return true;
}

static inline int pty_left(int failed)
{
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    if (system(rm))
        fprintf(stderr, "left behind: %s\n", dir);
    return failed;
}

#endif
