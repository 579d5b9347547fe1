/*
 * test_pty_gone.c - what goes away under the program in its terminal: the terminal, its standard streams, a
 * file that shrinks or is replaced, memory; and the editor that has the terminal meanwhile.
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

/* Nothing comes, or a header alone: Ctrl-C leaves, a signal does; the terminal is as it was, what was typed is
 * obeyed behind it. */
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
        cmocka_unit_test(test_terminal_gone),
        cmocka_unit_test(test_nobody_hears),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_file_cut),
        cmocka_unit_test(test_file_replaced),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_editor),
        cmocka_unit_test(test_editor_alone),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_killed_while_stopped),
    };
    return PTY_TESTS(tests);
}
