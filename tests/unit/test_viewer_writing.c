/*
 * test_viewer_writing.c - a file that grows while it is shown is told from one that is complete. The clock is
 * the test's.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "viewer/session/writing.h"

static char path[] = "/tmp/gotop-writing-XXXXXX";
static int fd = -1;

static void more(void)
{
    assert_int_equal(write(fd, "more", 4), 4);
}

static void aged(int64_t s)
{
    const struct timespec t = {.tv_sec = time(NULL) - s}, both[2] = {t, t};
    assert_int_equal(futimens(fd, both), 0);
}

static int setup(void **state)
{
    (void)state;
    fd = mkstemp(path);
    return fd < 0;
}

static int teardown(void **state)
{
    (void)state;
    close(fd);
    return unlink(path);
}

static void test_grows(void **state)
{
    struct writing w;
    (void)state;
    more();
    writing_begin(&w, path, 0);
    assert_true(writing_waits(&w));
    assert_false(writing_seen(&w, WRITING_MS));
    more();
    assert_false(writing_seen(&w, WRITING_MS + 1)); /* not before its time */
    assert_true(writing_seen(&w, 2 * WRITING_MS));
    assert_false(writing_waits(&w)); /* it is said once */
    more();
    assert_false(writing_seen(&w, 3 * WRITING_MS));
}

static void test_complete(void **state)
{
    struct writing w;
    int looks = 0;
    (void)state;
    writing_begin(&w, path, 0);
    while (writing_waits(&w) && looks < 1000)
        assert_false(writing_seen(&w, (int64_t)WRITING_MS * ++looks));
    assert_in_range(looks, 2, 100); /* it was fresh, and that ends */
    aged(3600);
    writing_begin(&w, path, 0);
    assert_false(writing_waits(&w));
}

static void test_no_file(void **state)
{
    struct writing w;
    (void)state;
    writing_begin(&w, NULL, 0);
    assert_false(writing_waits(&w));
    writing_begin(&w, "/dev/null", 0);
    assert_false(writing_waits(&w));
    writing_begin(&w, "/tmp/gotop-absent/none", 0);
    assert_false(writing_waits(&w));
    aged(0);
    writing_begin(&w, path, 0);
    assert_true(writing_waits(&w));
    assert_int_equal(unlink(path), 0); /* it goes meanwhile */
    assert_false(writing_seen(&w, WRITING_MS));
    close(fd);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
