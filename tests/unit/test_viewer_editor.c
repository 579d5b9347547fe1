/*
 * test_viewer_editor.c - the process that starts the editor (viewer/session/editor.h), as a viewer that was
 * taken over would use it: what it takes at all, and that nothing is started without a key. With a terminal:
 * test_pty.c.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/base/child.h"
#include "viewer/session/editor.h"

static char dir[] = "/tmp/gotop-editor-XXXXXX";

static const char *at(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* No request that gotop would not make is answered, and none behind it: the process has ended. */
static void test_sound(void **state)
{
    (void)state;
    static const char *const wrong[] = {"+!touch ran", "-s",        "",           "a.go",   "../a.go",
                                        ".",           "/tmp/a\nb", "./a\x1b[2J", "./\x7f", "~/a"};
    char command[400], good[300];
    snprintf(command, sizeof command, "touch '%s'; true", at("ran"));
    setenv("VISUAL", command, 1);
    put("a.go", "package a\n");
    snprintf(good, sizeof good, "%s", at("a.go"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        editor_begin();
        assert_non_null(editor_name());
        assert_int_equal(editor_open(good, 3),
                         EDITOR_DECLINED); /* there is no terminal here on which to ask */
        assert_int_equal(editor_open(at("absent"), 3), EDITOR_FAILED);
        assert_int_equal(editor_open(dir, 3), EDITOR_FAILED); /* no file */
        assert_int_equal(editor_open(good, 3), EDITOR_DECLINED);
        assert_int_equal(editor_open(wrong[i], 3), EDITOR_FAILED);
        assert_int_equal(editor_open(good, 3), EDITOR_FAILED);
        editor_end();
    }
    assert_int_equal(access(at("ran"), F_OK), -1);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name; /* NULL: none */
    } rows[] = {{"/a", "/a"},   {"./a", "./a"}, {"a", "./a"},       {"-a", "./-a"},
                {"+a", "./+a"}, {"@a", "./@a"}, {"../a", "./../a"}, {"x:y", "./x:y"},
                {"", NULL},     {"a\tb", NULL}, {"/\x7f", NULL}};
    char out[16];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(child_name(rows[i].path, out, sizeof out), rows[i].name != NULL);
        if (rows[i].name)
            assert_string_equal(out, rows[i].name);
        assert_int_equal(child_takes(rows[i].path), rows[i].name && strcmp(rows[i].name, rows[i].path) == 0);
    }
    assert_false(child_name("0123456789abcd", out, sizeof out)); /* too long, with what stands before it */
    assert_true(child_name("0123456789abc", out, sizeof out));
}

static int begin(void **state)
{
    (void)state;
    int null = open("/dev/null", O_RDWR), tty = open("/dev/tty", O_RDWR);
    if (tty >= 0 && (ioctl(tty, TIOCNOTTY) || close(tty)))
        return -1;
    signal(SIGPIPE, SIG_IGN);
    return mkdtemp(dir) && null >= 0 && dup2(null, STDIN_FILENO) >= 0 ? 0 : -1;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, begin, end);
}
