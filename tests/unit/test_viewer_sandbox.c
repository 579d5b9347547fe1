/*
 * test_viewer_sandbox.c - from inside the sandbox a file can't be opened, none written, no socket made, no program started;
 * what the command line names can. Each try in a process of its own, since there is no way back.
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

#include "viewer/command/sandbox.h"

#define TRACE "samples/http-1.26.trace"
static char dir[] = "/tmp/gotop-box-XXXXXX";
static bool landlock, seccomp;

static bool reads(const char *path)
{
    int fd = open(path, O_RDONLY);
    char b;
    bool ok = fd >= 0 && read(fd, &b, 1) >= 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool writes(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool ok = fd >= 0 && write(fd, "x", 1) == 1;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool connects(void)
{
    int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0), c[2] = {-1, -1};
    return a >= 0 || b >= 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, c) == 0;
}

static bool starts(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(77);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* A bit for each thing that went otherwise than it should. */
enum { SECRET = 1, NAMED = 2, OUT = 4, ELSEWHERE = 8, NET = 16, PROGRAM = 32, OWN = 64 };

static int look(unsigned needs, int argc, char **argv, bool net, bool program)
{
    int bad = 0;
    sandbox_enter(needs, argc, argv);
    if (landlock && reads("/etc/passwd"))
        bad |= (needs & SANDBOX_EXEC) ? 0 : SECRET;
    if (landlock && reads("README.md"))
        bad |= (needs & (SANDBOX_EXEC | SANDBOX_TERMINAL)) ? 0 : SECRET;
    if (!reads(TRACE))
        bad |= NAMED;
    if (!writes("out/file"))
        bad |= OUT;
    if (landlock && writes("elsewhere"))
        bad |= ELSEWHERE;
    if (landlock && !(needs & SANDBOX_TERMINAL) && open(TRACE, O_WRONLY) >= 0)
        bad |= ELSEWHERE; /* the viewer writes slices beside it */
    if (seccomp && connects() != net)
        bad |= NET;
    if (seccomp && starts() != program)
        bad |= PROGRAM;
    if (access("/proc/self/exe", F_OK))
        bad |= OWN;
    return bad;
}

static void expect(const char *command, char **argv, bool net, bool program)
{
    int argc = 0, status;
    while (argv[argc])
        argc++;
    pid_t pid = fork();
    if (pid == 0)
        _exit(look(sandbox_needs(command, argc, argv), argc, argv, net, program));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("gotop %s: %#x", command ? command : "(viewer)", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

static void test_commands(void **state)
{
    (void)state;
    static const char *const plain[] = {"report",   "diff",   "explain", "pprof",     "csv",
                                        "perfetto", "folded", "dump",    "later-ones"};
    char out[300];
    snprintf(out, sizeof out, "%s/out/file", dir);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char *argv[] = {"gotop", (char *)(uintptr_t)plain[i], "-o", out, TRACE, NULL};
        expect(plain[i], argv, false, false);
    }
    char *viewer[] = {"gotop", "--exe", TRACE, "-o", out, NULL};
    setenv("TMPDIR", "/var/tmp", 1);
    expect(NULL, viewer, false, false);
    unsetenv("TMPDIR");
}

static void test_net(void **state)
{
    (void)state;
    char out[300];
    snprintf(out, sizeof out, "%s/out/file", dir);
    char *record[] = {"gotop", "record", "-o", out, "localhost:6060", NULL};
    expect("record", record, true, true);
    char *url[] = {"gotop", "report", "-o", out, "http://localhost:6060/debug/pprof/trace", NULL};
    expect("report", url, true, true);
}

/* What the viewer writes is a copy, below TMPDIR. */
static void test_viewer_copies(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = {"gotop", TRACE, NULL}, path[300];
        setenv("TMPDIR", dir, 1);
        sandbox_enter(sandbox_needs(NULL, 2, argv), 2, argv);
        snprintf(path, sizeof path, "%s/gotop-copy", dir);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        _exit(fd < 0 || ftruncate(fd, 0) || unlink(path));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_viewer_copies),
    };
    char what[64], out[300];
    sandbox_text(what, sizeof what);
    landlock = strstr(what, "Landlock") != NULL;
    seccomp = strstr(what, "seccomp") != NULL;
    printf("note: sandbox here: %s\n", what);
    if (!mkdtemp(dir))
        return 1;
    snprintf(out, sizeof out, "%s/out", dir);
    mkdir(out, 0700);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    if (system(rm))
        fprintf(stderr, "left behind: %s\n", dir);
    return rc;
}
