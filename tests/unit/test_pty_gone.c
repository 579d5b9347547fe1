/*
 * test_pty_gone.c - what goes away under the program in its terminal: the terminal, its standard streams, a
 * file that shrinks or is replaced, memory.
 */
#include "tests/unit/pty_help.h"

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
    with_shell(&p, "for c in report dump 'pprof --kind sync'; do "
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

/* Nothing comes, or a header alone: Ctrl-C leaves, a signal does; the terminal is as it was, what was typed
 * is obeyed behind it. */
static void test_waiting(void **state)
{
    (void)state;
    static const struct {
        const char *line, *keys;
        int sent, status;
    } waits[] = {
        {"head -c 16 " TRACE " >&3; exec \"$GOTOP_RUN\" - <&3", "\003", 0, 128 + SIGINT},
        {"exec \"$GOTOP_RUN\" \"$TMPDIR/silent\"", "3\003", 0, 128 + SIGINT},
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
        if (!pty_until(&p, "Ctrl-C leaves"))
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
    if (!pty_until(&p, "Ctrl-C leaves"))
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
        cmocka_unit_test(test_terminal_gone),
        cmocka_unit_test(test_nobody_hears),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_file_cut),
        cmocka_unit_test(test_file_replaced),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_killed_while_stopped),
    };
    return PTY_TESTS(tests);
}
