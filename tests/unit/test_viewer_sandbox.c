/*
 * test_viewer_sandbox.c - from inside the sandbox the files can be read that the command line names, and
 * those written that it says; nothing else can be opened, made or started. tests/scripts/sandbox.sh tries
 * more in the program itself. Each try in a process of its own, since there is no way back.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/base/clerk.h"
#include "triage/exports/export_out.h"
#include "triage/exports/outside.h"
#include "triage/live/saved.h"
#include "viewer/command/sandbox.h"
#include "viewer/term/signals.h"

#define TRACE "samples/http-1.26.trace"
static char dir[] = "/tmp/gotop-box-XXXXXX";
static bool landlock, seccomp;

static const char *in(const char *name)
{
    static char path[8][300];
    static int n;
    n = (n + 1) % 8;
    snprintf(path[n], sizeof path[n], "%s/%s", dir, name);
    return path[n];
}

static bool reads(const char *path)
{
    int fd = open(path, O_RDONLY);
    char b;
    bool ok = fd >= 0 && read(fd, &b, 1) >= 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool makes(const char *path)
{
    return open(path, O_WRONLY | O_CREAT, 0600) >= 0;
}

static bool connects(void)
{
    int c[2];
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ||
           socketpair(AF_UNIX, SOCK_STREAM, 0, c) == 0;
}

/* As an export writes it: 0, or the errno. */
static int writes(const char *path)
{
    struct out o;
    struct err e;
    errno = 0;
    if (out_open(&o, path, false, &e))
        return errno ? errno : EIO;
    out_write(&o, "new", 3);
    return out_close(&o, ERR_OK, &e) ? EIO : 0;
}

static bool holds(const char *path, const char *text)
{
    char got[32] = "";
    FILE *f = fopen(path, "r");
    bool ok = f && fgets(got, sizeof got, f) && strcmp(got, text) == 0;
    if (f)
        fclose(f);
    return ok;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Each of these is a bit of what went wrong. */
enum { SECRET = 1, NAMED = 2, MADE = 4, NET = 8, OWN = 16, DEED = 32 };

/* What no command may do, and what each has to. */
static int look(void)
{
    int bad = 0;
    if (landlock && (reads("/etc/passwd") || reads("README.md") || reads(in("secret"))))
        bad |= SECRET;
    if (makes(in("elsewhere")) || makes("elsewhere") || (landlock && open(in("secret"), O_WRONLY) >= 0))
        bad |= MADE;
    if (seccomp && (connects() || kill(getppid(), 0) == 0 || chmod(in("secret"), 0777) == 0))
        bad |= NET;
    if (access("/proc/self/exe", F_OK))
        bad |= OWN;
    return bad;
}

static void ended_well(pid_t pid, const char *what)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("gotop %s: %#x", what, WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

static int words(char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    return argc;
}

static void test_commands(void **state)
{
    (void)state;
    static const char *const plain[] = {"report", "diff", "explain", "pprof", "slice", "anonymize"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char out[300];
        snprintf(out, sizeof out, "%s", in("out"));
        put(out, "old");
        char *argv[] = {"gotop", (char *)(uintptr_t)plain[i], "-o", out, TRACE, NULL};
        pid_t pid = fork();
        if (pid == 0) {
            sandbox_enter(sandbox_needs(plain[i]), words(argv), argv);
            int bad =
                look() | (reads(TRACE) ? 0 : NAMED) | (open(TRACE, O_WRONLY) >= 0 && landlock ? MADE : 0);
            if (writes(out) || (landlock && (writes(in("out2")) != EACCES || writes("x") != EACCES)))
                bad |= DEED;
            clerk_end();
            _exit(bad);
        }
        ended_well(pid, plain[i]);
        assert_true(holds(out, "new"));
        assert_int_not_equal(access(in("out2"), F_OK), 0);
    }
}

/* A command that isn't in the table, and one that writes nothing: no file at all. */
static void test_least(void **state)
{
    (void)state;
    static const char *const least[] = {"info", "dump", "later-ones", "top"};
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        char *argv[] = {"gotop", (char *)(uintptr_t)least[i], TRACE, NULL};
        pid_t pid = fork();
        if (pid == 0) {
            sandbox_enter(sandbox_needs(least[i]), words(argv), argv);
            _exit(look() | (reads(TRACE) ? 0 : NAMED) | (landlock && !writes(in("out2")) ? DEED : 0));
        }
        ended_well(pid, least[i]);
    }
}

/* The viewer's slices and copies: new files, right in three folders; and its own again. */
static int view(void)
{
    char copy[300] = "";
    int bad = look() | (reads(in("t/x.trace")) ? 0 : NAMED);
    if (writes(in("t/new")) || writes(in("t/new")) || writes(in("tmp/new")))
        bad |= DEED;
    if (writes(in("t/kept")) != EEXIST || writes(in("t/x.trace")) != EEXIST ||
        writes(in("t/link")) != EEXIST || outside_may(in("t/kept")) != EEXIST || outside_may(in("t/new")) ||
        outside_may(in("t/sub/new")) != EACCES)
        bad |= MADE;
    if (landlock &&
        (writes(in("t/.hidden")) != EACCES || writes(in("t/sub/new")) != EACCES ||
         writes(in("out2")) != EACCES || writes(in("t/..")) != EACCES || writes(in("t/")) != EACCES))
        bad |= SECRET;
    const int fd = signals_copy(copy, sizeof copy);
    if (fd < 0 || write(fd, "x", 1) != 1 || ftruncate(fd, 0) || signals_copy(copy, sizeof copy) >= 0)
        bad |= OWN;
    clerk_end();
    return bad | (access(copy, F_OK) == 0 ? OWN : 0);
}

static void test_viewer(void **state)
{
    (void)state;
    char trace[300];
    snprintf(trace, sizeof trace, "%s", in("t/x.trace"));
    mkdir(in("t"), 0700);
    mkdir(in("t/sub"), 0700);
    mkdir(in("tmp"), 0700);
    put(trace, "x");
    put(in("t/kept"), "kept");
    assert_int_equal(symlink(in("nowhere"), in("t/link")), 0);
    char *argv[] = {"gotop", trace, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", in("tmp"), 1);
        sandbox_enter(sandbox_needs(NULL), words(argv), argv);
        _exit(view());
    }
    ended_well(pid, "(viewer)");
    assert_true(holds(in("t/new"), "new"));
    assert_true(holds(in("t/kept"), "kept"));
    assert_int_not_equal(access(in("nowhere"), F_OK), 0);
}

/* -o of what follows a program: that file, and those of later connections; what stays empty goes. */
static void test_saved(void **state)
{
    (void)state;
    char raw[300];
    snprintf(raw, sizeof raw, "%s", in("raw"));
    char *argv[] = {"gotop", "-o", raw, "127.0.0.1:1", NULL};
    pid_t pid = fork();
    if (pid == 0) {
        struct saved *s[4] = {0};
        struct err e;
        static const char *const names[] = {"raw", "raw.2", "raw.x", "other"};
        int bad = 0;
        sandbox_enter(sandbox_needs(NULL), words(argv), argv);
        for (int i = 0; i < 4; i++)
            if ((saved_open(in(names[i]), &s[i], &e) == ERR_OK) != (i < 2))
                bad |= DEED;
        if (!saved_put(s[0], (const uint8_t *)"go 1.26 trace\0\0\0", 16, true, &e))
            bad |= MADE;
        for (int i = 0; i < 4; i++)
            saved_close(s[i]);
        clerk_end();
        _exit(bad);
    }
    ended_well(pid, "-o");
    assert_int_equal(access(raw, F_OK), 0);
    assert_int_not_equal(access(in("raw.2"), F_OK), 0);
    assert_int_not_equal(access(in("other"), F_OK), 0);
}

/* What is not finished is put away, also when the process is gone without a word. */
static void test_killed(void **state)
{
    (void)state;
    char out[300];
    snprintf(out, sizeof out, "%s", in("killed"));
    char *argv[] = {"gotop", "pprof", "-o", out, TRACE, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        struct out o;
        struct err e;
        sandbox_enter(sandbox_needs("pprof"), words(argv), argv);
        if (out_open(&o, out, false, &e))
            _exit(1);
        out_write(&o, "half", 4);
        raise(SIGKILL);
    }
    int status, left = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    for (int i = 0; i < 2000 && left; i++) {
        char ls[400];
        snprintf(ls, sizeof ls, "ls %s | grep -q killed", dir);
        left = system(ls) == 0;
        if (left)
            usleep(10000);
    }
    assert_false(left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands), cmocka_unit_test(test_least),  cmocka_unit_test(test_viewer),
        cmocka_unit_test(test_saved),    cmocka_unit_test(test_killed),
    };
    char what[64];
    sandbox_text(what, sizeof what);
    landlock = strstr(what, "Landlock") != NULL;
    seccomp = strstr(what, "seccomp") != NULL;
    printf("note: sandbox here: %s\n", what);
    if (!mkdtemp(dir))
        return 1;
    put(in("secret"), "secret");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    if (system(rm))
        fprintf(stderr, "left behind: %s\n", dir);
    return rc;
}
