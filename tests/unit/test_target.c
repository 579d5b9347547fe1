/*
 * test_target.c - the file of -o (triage/exports/target.h): never one that was read, by whatever name and in
 * whatever command; else as the shell's ">" takes it, with its mode, owner and other names; and whole or as
 * it was.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/origin.h"
#include "tests/unit/export_help.h"
#include "triage/exports/export_out.h"
#include "triage/exports/rewrite.h"
#include "triage/live/saved.h"

/* of triage/report/report.h, whose `struct loaded` is another one than the tests' */
int report_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int explain_main(int argc, char **argv);

#define TRACE "samples/workers-1.11.trace"
enum { NOBODY = 65534 };

static char dir[] = "/tmp/gotop-target-XXXXXX";

static const char *at(const char *name)
{
    static char path[8][PATH_MAX];
    static int k;
    k = (k + 1) % 8;
    snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
    return path[k];
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char *text_of(const char *name)
{
    static char text[100];
    FILE *f = fopen(at(name), "rb");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f)
        fclose(f);
    return f ? text : "(none)";
}

static struct stat stat_of(const char *name)
{
    struct stat st;
    assert_int_equal(lstat(at(name), &st), 0);
    return st;
}

static int names_in(const char *folder)
{
    int n = -2; /* . and .. */
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Write "after" to a name. */
static enum err_code write_to(const char *path, struct err *e)
{
    struct out o;
    enum err_code rc = out_open(&o, path, false, e);
    if (rc)
        return rc;
    out_write(&o, "after", 5);
    return out_close(&o, ERR_OK, e);
}

static void wrote(const char *name)
{
    struct err e = {0};
    if (write_to(at(name), &e))
        fail_msg("%s: %s", name, e.what);
    assert_string_equal(text_of(name), "after");
}

/* ---- what was read ------------------------------------------------------------------------------------- */

static void copy_to(const char *name)
{
    size_t n;
    uint8_t *p = read_file(TRACE, &n);
    FILE *f = fopen(at(name), "wb");
    assert_true(p && f && fwrite(p, 1, n, f) == n);
    fclose(f);
    free(p);
}

static bool is_trace(const char *name)
{
    size_t n, m;
    uint8_t *p = read_file(TRACE, &n), *q = read_file(at(name), &m);
    const bool same = p && q && n == m && memcmp(p, q, n) == 0;
    free(p);
    free(q);
    return same;
}

/* What all commands that have -o end with, the trace being `in`. */
static void each_command(char *in, int want)
{
    const struct {
        int (*command)(int, char **);
        const char *words[4];
    } all[] = {{pprof_main, {"--kind=sync", in}},
               {slice_main, {"--to=60%", in}},
               {anonymize_main, {in}},
               {report_main, {in}},
               {report_main, {"--json", in}},
               {explain_main, {in, "g1"}},
               {explain_main, {"--json", in, "g1"}},
               {diff_main, {TRACE, in}},
               {diff_main, {in, TRACE}}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool quiet = all[i].command != explain_main;
        char *argv[8] = {(char *)"test", (char *)"-o", out_path, quiet ? (char *)"--quiet" : NULL};
        int argc = 3 + quiet;
        for (int k = 0; all[i].words[k]; k++)
            argv[argc++] = (char *)(uintptr_t)all[i].words[k];
        argv[argc] = NULL;
        const int is = all[i].command(argc, argv);
        if (is != want)
            fail_msg("command %zu to %s: %d, not %d", i, out_path, is, want);
    }
}

static void test_read(void **state)
{
    (void)state;
    char in[PATH_MAX], fd_name[40], other[] = "other";
    copy_to("trace");
    assert_int_equal(link(at("trace"), at("hard")), 0);
    assert_int_equal(symlink("trace", at("link")), 0);
    assert_int_equal(symlink("link", at("link2")), 0);
    int fd = open(at("trace"), O_RDONLY);
    snprintf(fd_name, sizeof fd_name, "/dev/fd/%d", fd);
    snprintf(in, sizeof in, "%s", at("trace"));
    static const char *const names[] = {"trace", "hard", "link", "link2", "./trace", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[PATH_MAX];
        snprintf(out, sizeof out, "%s", names[i] ? at(names[i]) : fd_name);
        snprintf(out_path, sizeof out_path, "%.63s", out);
        each_command(in, 2);
        snprintf(out_path, sizeof out_path, "%s", at(other));
        assert_int_equal(RUN(anonymize_main, "--map", out, in), 2);
        assert_true(access(at(other), F_OK) != 0);
        assert_true(is_trace("trace"));
    }
    close(fd);
    snprintf(out_path, sizeof out_path, "%s", at(other));
    each_command(in, 0);
}

/*
 * A program's file, rules, a token: whatever was read. Standard output, too. What was not read may be
 * written.
 */
static void test_noted(void **state)
{
    (void)state;
    struct err e = {0};
    struct saved *s = NULL;
    put("token", "before");
    origin_note(-1, at("absent"));
    origin_note(-1, NULL);
    assert_int_equal(target_may(at("token"), &e), ERR_OK);
    origin_note(-1, at("token"));
    assert_int_equal(target_may(at("token"), &e), ERR_ARG);
    assert_int_equal(write_to(at("token"), &e), ERR_ARG);
    assert_non_null(strstr(e.what, "that file is read here"));
    assert_int_equal(saved_open(at("token"), &s, &e), ERR_ARG);
    saved_close(s);
    assert_string_equal(text_of("token"), "before");
    int was = dup(STDOUT_FILENO), fd = open(at("token"), O_WRONLY | O_APPEND);
    struct out o;
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    enum err_code rc = out_open(&o, NULL, false, &e);
    dup2(was, STDOUT_FILENO);
    close(was);
    close(fd);
    assert_int_equal(rc, ERR_ARG);
    assert_string_equal(text_of("token"), "before");
}

/* ---- as the shell takes it ----------------------------------------------------------------------------- */

static void test_mode(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0666, 0200, 0755};
    mode_t mask = umask(027);
    wrote("new");
    assert_int_equal(stat_of("new").st_mode & 07777, 0640);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        put("old", "before");
        assert_int_equal(chmod(at("old"), modes[i]), 0);
        const struct stat was = stat_of("old");
        struct err e;
        assert_int_equal(write_to(at("old"), &e), ERR_OK);
        const struct stat is = stat_of("old");
        assert_int_equal(is.st_mode, was.st_mode);
        assert_int_equal(is.st_uid, was.st_uid);
        assert_true(is.st_ino != was.st_ino); /* another file took its name, once it was whole */
        assert_int_equal(chmod(at("old"), 0600), 0);
        assert_string_equal(text_of("old"), "after");
    }
    umask(mask);
}

/* Links are followed, also to what isn't there; other names of a file stay its names. */
static void test_links(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("far"), 0700), 0);
    assert_int_equal(symlink("far/target", at("to target")), 0);
    assert_int_equal(symlink(at("to target"), at("to link")), 0);
    for (int i = 0; i < 2; i++) { /* it isn't there; it is */
        wrote("to link");
        assert_string_equal(text_of("far/target"), "after");
        assert_true(S_ISLNK(stat_of("to link").st_mode) && S_ISLNK(stat_of("to target").st_mode));
        put("far/target", "before");
    }
    assert_int_equal(names_in(at("far")), 1);
    put("one", "before");
    assert_int_equal(link(at("one"), at("two")), 0);
    wrote("one");
    assert_string_equal(text_of("two"), "after");
    assert_int_equal(stat_of("one").st_nlink, 2);
    assert_int_equal(symlink("loop", at("loop")), 0);
    struct err e;
    assert_int_equal(write_to(at("loop"), &e), ERR_IO);
    assert_int_equal(symlink("no folder/x", at("nowhere")), 0);
    assert_int_equal(write_to(at("nowhere"), &e), ERR_IO);
    assert_non_null(strstr(e.what, "No such file or directory"));
    assert_int_equal(write_to(dir, &e), ERR_IO);
    assert_non_null(strstr(e.what, "directory"));
}

static void test_names(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    struct err e;
    memset(name, 'n', sizeof name);
    name[250] = 0;
    wrote(name);
    wrote(name);
    name[250] = 'n';
    name[NAME_MAX] = 0;
    wrote(name);
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = 0;
    assert_int_equal(write_to(at(name), &e), ERR_IO);
    assert_non_null(strstr(e.what, "too long"));
}

/* What fails leaves what was there; where the file itself is written, it is left empty, and never half. */
static void test_fails(void **state)
{
    (void)state;
    struct out o;
    struct err e = {0};
    const int before = names_in(dir);
    put("kept", "before");
    assert_int_equal(out_open(&o, at("kept"), false, &e), ERR_OK);
    out_write(&o, "after", 5);
    assert_int_equal(out_close(&o, ERR_FORMAT, &e), ERR_FORMAT);
    assert_string_equal(text_of("kept"), "before");
    assert_int_equal(link(at("kept"), at("kept too")), 0);
    assert_int_equal(out_open(&o, at("kept"), false, &e), ERR_OK);
    assert_int_equal(out_close(&o, ERR_FORMAT, &e), ERR_FORMAT); /* it failed before the first byte */
    assert_string_equal(text_of("kept"), "before");
    assert_int_equal(out_open(&o, at("kept"), false, &e), ERR_OK);
    out_write(&o, "after", 5);
    assert_int_equal(out_close(&o, ERR_FORMAT, &e), ERR_FORMAT);
    assert_string_equal(text_of("kept"), "");
    put("kept", "before");
    assert_int_equal(out_open(&o, at("kept"), false, &e), ERR_OK);
    assert_int_equal(out_close(&o, ERR_OK, &e), ERR_OK); /* all of it is nothing */
    assert_string_equal(text_of("kept"), "");
    assert_int_equal(names_in(dir), before + 2);
}

/* ---- rights -------------------------------------------------------------------------------------------- */

/* In a child that is nobody: its exit status is what f returns. */
static int as_nobody(int (*f)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(setgid(NOBODY) || setuid(NOBODY) ? 99 : f());
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int nobody_writes(void)
{
    struct err e = {0};
    if (write_to(at("shut/mine"), &e))
        return 1;
    if (write_to(at("shut/new"), &e) != ERR_IO || !strstr(e.what, "Permission denied"))
        return 2;
    if (write_to(at("open/read-only"), &e) != ERR_IO || !strstr(e.what, "Permission denied"))
        return 3;
    return write_to(at("open/for all"), &e) ? 4 : 0;
}

/*
 * Own files where no file may be made; files that may not be written, though their folder may be; other
 * owners' files.
 */
static void test_rights(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(mkdir(at("shut"), 0755), 0);
    assert_int_equal(mkdir(at("open"), 0777), 0);
    assert_int_equal(chmod(at("open"), 0777), 0);
    put("shut/mine", "before");
    put("open/read-only", "before");
    put("open/for all", "before");
    assert_int_equal(chown(at("shut/mine"), NOBODY, NOBODY), 0);
    assert_int_equal(chown(at("open/read-only"), NOBODY, NOBODY), 0);
    assert_int_equal(chmod(at("open/read-only"), 0400), 0);
    assert_int_equal(chmod(at("open/for all"), 0666), 0);
    assert_int_equal(as_nobody(nobody_writes), 0);
    assert_string_equal(text_of("shut/mine"), "after");
    assert_string_equal(text_of("open/read-only"), "before");
    assert_string_equal(text_of("open/for all"), "after");
    assert_int_equal(stat_of("open/for all").st_uid, 0); /* it was root's, and stays so */
    assert_int_equal(names_in(at("open")), 2);
    wrote("shut/mine");
    assert_int_equal(stat_of("shut/mine").st_uid, NOBODY);
    assert_int_equal(stat_of("shut/mine").st_gid, NOBODY);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char rm[100];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    return system(rm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),   cmocka_unit_test(test_noted), cmocka_unit_test(test_mode),
        cmocka_unit_test(test_links),  cmocka_unit_test(test_names), cmocka_unit_test(test_fails),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
