/*
 * test_base.c - what decode/ has of the host: the temporary file and blocks that stand in it, files that are
 * mapped, where key maps are looked for, what is said on stderr, and halving. None of these fails without
 * saying so.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/rows.h"
#include "decode/base/child.h"
#include "decode/base/door.h"
#include "decode/base/host.h"
#include "triage/places.h"
#include "decode/base/spill.h"
#include "decode/input/mapped.h"
#include "tests/unit/decode_help.h"

static char dir[] = "/tmp/gotop-base-XXXXXX";

static const char *at(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static const char *put(const char *name, const void *p, size_t n, mode_t mode)
{
    FILE *f = fopen(at(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
    assert_int_equal(chmod(at(name), mode), 0);
    return at(name);
}

/* ---- where users' files are ---------------------------------------------------------------------------- */

static void expect_folder(int place, const char *want)
{
    char out[PLACES_PATH] = "";
    bool is = places_folder(place, out);
    if (is != (want != NULL) || (want && strcmp(out, want) != 0))
        fail_msg("place %d: '%s', expected '%s'", place, is ? out : "none", want ? want : "none");
}

static void test_places(void **state)
{
    (void)state;
    char out[PLACES_PATH], far[PLACES_PATH + 20];
    setenv("HOME", "/home/u", 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_CONFIG_DIRS");
    expect_folder(PLACE_USER, "/home/u/.config/gotop");
    expect_folder(PLACE_HOST, "/etc/xdg/gotop");
    expect_folder(PLACE_HOST + 1, NULL);
    setenv("XDG_CONFIG_HOME", "/conf", 1);
    setenv("XDG_CONFIG_DIRS", "/a:relative:/b", 1);
    expect_folder(PLACE_USER, "/conf/gotop");
    expect_folder(PLACE_HOST, "/a/gotop");
    expect_folder(PLACE_HOST + 1, NULL);
    expect_folder(PLACE_HOST + 2, "/b/gotop");
    expect_folder(PLACE_INSTALLED, NULL);
    setenv("XDG_CONFIG_HOME", "relative", 1); /* which counts for nothing */
    setenv("XDG_CONFIG_DIRS", "", 1);
    expect_folder(PLACE_USER, "/home/u/.config/gotop");
    expect_folder(PLACE_HOST, "/etc/xdg/gotop");
    assert_true(places_path(PLACE_USER, "vi", "keys", out));
    assert_string_equal(out, "/home/u/.config/gotop/vi.keys");
    assert_true(places_path(PLACE_INSTALLED, "vi", "keys", out));
    assert_non_null(strstr(out, "/share/gotop/keymaps/vi.keys"));
    assert_true(places_path(PLACE_INSTALLED + 1, "vi", "keys", out));
    assert_string_equal(out, "built-in vi.keys");
    /* Longer than a path may be, or no home at all: none. */
    memset(far, 'a', sizeof far);
    far[0] = '/';
    far[sizeof far - 1] = '\0';
    setenv("XDG_CONFIG_HOME", far, 1);
    expect_folder(PLACE_USER, NULL);
    assert_false(places_path(PLACE_USER, "vi", "keys", out));
    assert_false(places_path(PLACE_INSTALLED + 1, far, "keys", out));
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", far, 1);
    expect_folder(PLACE_USER, NULL);
    setenv("HOME", "", 1);
    expect_folder(PLACE_USER, NULL);
    unsetenv("HOME");
    expect_folder(PLACE_USER, NULL);
}

static void expect_read(int place, const char *path, enum err_code want, const char *is)
{
    char *text = NULL;
    size_t n = 0, live = mem_live();
    enum err_code rc = places_read(place, path, &text, &n);
    if (rc != want)
        fail_msg("%s at place %d: %d, expected %d", path, place, (int)rc, (int)want);
    if (!rc) {
        assert_int_equal(n, strlen(is));
        assert_memory_equal(text, is, n);
        mem_free(text);
    }
    assert_int_equal(mem_live(), live);
}

static void test_read(void **state)
{
    (void)state;
    expect_read(PLACE_USER, put("keys", "q quit\n", 7, 0600), ERR_OK, "q quit\n");
    expect_read(PLACE_USER, at("missing"), ERR_IO, NULL);
    expect_read(PLACE_USER, dir, ERR_IO, NULL);
    expect_read(PLACE_USER, "/dev/null", ERR_IO,
                NULL); /* by its name it may be anything, so it must be a file */
    expect_read(PLACE_COUNT, "/dev/null", ERR_OK, "");
    /* Root obeys nobody's file but its own, where it wasn't told to. */
    put("open", "q quit\n", 7, 0666);
    expect_read(PLACE_USER, at("open"), geteuid() == 0 ? ERR_ARG : ERR_OK, "q quit\n");
    expect_read(PLACE_COUNT, at("open"), ERR_OK, "q quit\n");
    expect_read(PLACE_INSTALLED, at("open"), ERR_OK, "q quit\n");
    if (geteuid() == 0) {
        put("theirs", "q quit\n", 7, 0600);
        assert_int_equal(chown(at("theirs"), 12345, 12345), 0);
        expect_read(PLACE_USER, at("theirs"), ERR_ARG, NULL);
        expect_read(PLACE_COUNT, at("theirs"), ERR_OK, "q quit\n");
    }
    char *much = calloc(1, PLACES_FILE_MAX + 1);
    expect_read(PLACE_USER, put("much", much, PLACES_FILE_MAX + 1, 0600), ERR_IO, NULL);
    free(much);
    mem_fail_after(0);
    expect_read(PLACE_USER, at("keys"), ERR_NOMEM, NULL);
    mem_fail_after(-1);
    /* A pipe that was named is waited for. */
    int fd[2];
    char path[40];
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "x y\n", 4), 4);
    close(fd[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    expect_read(PLACE_COUNT, path, ERR_OK, "x y\n");
    close(fd[0]);
}

/* ---- what is said -------------------------------------------------------------------------------------- */

/* All that f writes to stderr. */
static size_t heard(void (*f)(void), char *text, size_t size)
{
    fflush(stderr);
    int keep = dup(2), fd = open(at("heard"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && keep >= 0);
    dup2(fd, 2);
    f();
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    ssize_t n = pread(fd, text, size - 1, 0);
    close(fd);
    assert_true(n >= 0);
    text[n] = '\0';
    return (size_t)n;
}

static void say_status(void)
{
    door_status("reading \033[2Jnow");
    door_status("writing  42%");
    door_wipe();
}

static void say_long(void)
{
    char text[200];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    door_status(text);
}

static void say_much(void)
{
    char text[20000];
    memset(text, 'b', sizeof text);
    text[sizeof text - 1] = '\0';
    door_printf(stderr, "%s\n", text);
    door_printf(stderr, "no end \001");
    door_printf(stderr, "%s", "");
}

static void test_door(void **state)
{
    (void)state;
    char text[30000];
    heard(say_status, text, sizeof text);
    assert_string_equal(text, "\rreading ?[2Jnow\rwriting  42%\r               \r");
    assert_int_equal(heard(say_long, text, sizeof text), 81); /* as much as fits in a line of 80 */
    size_t n = heard(say_much, text, sizeof text);
    assert_true(n > 1000 && n < 20000); /* cut, but for its end */
    assert_non_null(strstr(text, "b\nno end ?"));
}

/* ---- the host ------------------------------------------------------------------------------------------ */

static void test_host(void **state)
{
    (void)state;
    errno = 0;
    assert_int_equal(host_unnamed_file(at("missing")), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(host_unnamed_file("/proc"), -1); /* no folder for files */
    struct stat st;
    if (!stat("/dev/shm", &st)) {
        errno = 0;
        assert_int_equal(host_unnamed_file("/dev/shm"), -1);
        assert_int_equal(errno, EMEDIUMTYPE);
    }
    int fd = host_unnamed_file(dir);
    if (fd >= 0) {
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_nlink, 0);
        assert_true(host_disk_free(fd) > 0 && host_disk_free(fd) < INT64_MAX);
        close(fd);
    }
    assert_int_equal(host_disk_free(-1), INT64_MAX); /* who knows */
    assert_true(host_memory() > 1 << 20);
    uint64_t r[8] = {0}, s[8] = {0};
    host_random(r, sizeof r);
    host_random(s, sizeof s);
    assert_true(memcmp(r, s, sizeof r) != 0);
}

/* A group's limit, as the kernel writes it below this folder. */
static void group(const char *path, const char *limit)
{
    char whole[300];
    snprintf(whole, sizeof whole, "mkdir -p '%s/%s'", dir, path);
    assert_int_equal(system(whole), 0);
    snprintf(whole, sizeof whole, "%s/memory.%s", path,
             strncmp(path, "v1/memory", 9) == 0 ? "limit_in_bytes" : "max");
    put(whole, limit, strlen(limit), 0600);
}

static uint64_t group_limit(const char *list, const char *mounted)
{
    char where[300], file[300];
    snprintf(file, sizeof file, "%s", put("list", list, strlen(list), 0600));
    snprintf(where, sizeof where, "%s", at(mounted));
    return host_group_memory(file, where);
}

/*
 * Each group above counts, of version 2 and of version 1; who can't see the way sees the root of what is
 * mounted.
 */
static void test_groups(void **state)
{
    (void)state;
    assert_int_equal(host_group_memory(at("no list"), at("no mount")), 0);
    group("v2/a/b/c", "4000\n");
    group("v2/a/b", "3000\n");
    group("v2/a", "max\n");
    assert_int_equal(group_limit("0::/a/b/c\n", "v2"), 3000);
    assert_int_equal(group_limit("0::/a/b\n", "v2"), 3000);
    assert_int_equal(group_limit("0::/a\n", "v2"), 0);
    assert_int_equal(group_limit("0::/\n", "v2"), 0);
    assert_int_equal(group_limit("0::/a/b/c/gone\n", "v2"), 3000);
    group("v2/a/b/c", "2000");
    assert_int_equal(group_limit("0::/a/b/c\n", "v2"), 2000);
    group("v2", "1000\n");
    assert_int_equal(group_limit("0::/a/b/c\n", "v2"), 1000);
    assert_int_equal(group_limit("0::/../../else\n", "v2"), 1000); /* beyond a namespace */
    assert_int_equal(group_limit("", "v2"), 1000);
    group("v1/memory/job/part", "9223372036854771712\n"); /* none */
    group("v1/memory/job", "7000\n");
    assert_int_equal(group_limit("9:name=systemd:/x\n4:memory:/job/part\n1:cpu:/\n", "v1"), 7000);
    assert_int_equal(group_limit("4:cpu,memory:/job/part\n0::/\n", "v1"), 7000);
    assert_int_equal(group_limit("4:memoryless,name=memory:/job/part\n", "v1"), 0);
    assert_int_equal(group_limit("4:memory:/docker/0123\n", "v1"), 0);
    group("v1/memory", "6000\n");
    assert_int_equal(group_limit("4:memory:/docker/0123\n", "v1"),
                     6000); /* a container's own group is its root */
    assert_int_equal(group_limit("nonsense\n4:memory\n:::\n", "v1"), 0);
}

static void test_mapped(void **state)
{
    (void)state;
    enum { N = 40, SIZE = 5000 };
    void *p[N];
    char *text = malloc(SIZE);
    memset(text, 'z', SIZE);
    int fd = open(put("mapped", text, SIZE, 0600), O_RDONLY);
    assert_null(mapped_new(-1, SIZE));
    mapped_free(NULL, SIZE);
    for (int i = 0; i < N; i++) { /* more than are remembered */
        assert_non_null(p[i] = mapped_new(fd, SIZE));
        assert_memory_equal(p[i], text, SIZE);
    }
    assert_false(mapped_mend(text));
    assert_false(mapped_mend((char *)p[N - 1] + 10));
    assert_false(mapped_lost());
    assert_true(mapped_mend((char *)p[0] + 10)); /* what was there is gone, and it is read as zeros */
    assert_true(mapped_lost());
    assert_int_equal(*((char *)p[0] + 20), 0);
    for (int i = 0; i < N; i++)
        mapped_free(p[i], SIZE);
    assert_false(mapped_mend((char *)p[1] + 10));
    close(fd);
    free(text);
}

/* ---- the temporary file -------------------------------------------------------------------------------- */

enum { K = 1 << 16 };

/* Blocks in it keep their bytes as they grow, move and shrink, and take no room when they are freed. */
static void test_blocks(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int beside = 0;
    assert_null(spill_new(K, K)); /* nobody has opened it */
    setenv("TMPDIR", dir, 1);
    if (!spill_open())
        skip();
    assert_true(spill_open());
    uint8_t *p = spill_new(K, K), *q = spill_new(K, K), *r;
    assert_true(p && q && spill_size(p) == K && spill_size(q) == K);
    assert_int_equal(spill_size(&beside), 0);
    assert_int_equal(spill_size(NULL), 0);
    assert_int_equal((uintptr_t)p % 64, 0);
    assert_int_equal(spill_bytes(), 2 * (K + page));
    for (size_t i = 0; i < K; i++)
        assert_int_equal(p[i] | q[i], 0);
    memset(p, 'p', K);
    memset(q, 'q', K);
    assert_ptr_equal(spill_resize(q, 4 * K), q); /* nothing stands behind it in the file */
    r = p;
    assert_non_null(
        p = spill_resize(p, 3 * K)); /* q does behind this: nobody gets a range that another had */
    assert_ptr_not_equal(p, r);
    assert_int_equal(p[K - 1], 'p');
    assert_int_equal(q[K - 1], 'q');
    memset(p + K, 'P', 2 * K);
    spill_rest();
    assert_int_equal(p[3 * K - 1], 'P');
    assert_int_equal(spill_size(p), 3 * K);
    assert_ptr_equal(spill_resize(p, 3 * K), p);
    assert_ptr_equal(spill_resize(p, 2 * K), p);
    assert_int_equal(spill_bytes(), 6 * K + 2 * page);
    assert_non_null(r = spill_new(8 * K, 8 * K));
    assert_null(spill_resize(r, SIZE_MAX / 2));
    assert_null(spill_resize(r, SIZE_MAX));
    assert_int_equal(spill_size(r), 8 * K);
    spill_free(p);
    spill_free(q);
    spill_free(r);
    assert_int_equal(spill_bytes(), 0);
}

static void test_full(void **state)
{
    (void)state;
    if (!spill_open())
        skip();
    if (sizeof(size_t) == 8) {
        /* there is no room: it is said, and no more is asked of it */
        assert_null(spill_new(SIZE_MAX / 16, SIZE_MAX / 16));
        assert_false(spill_works());
        assert_non_null(strstr(spill_why(), "the temporary file can't grow"));
    }
    spill_forbid();
    assert_false(spill_open());
    assert_null(spill_new(K, K));
    assert_non_null(strstr(spill_why(), "--no-spill"));
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    return system(rm);
}

/* A name that no program takes for anything but a file. */
static void test_child_name(void **state)
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
    }
    assert_false(child_name("0123456789abcd", out, sizeof out)); /* too long, with what stands before it */
    assert_true(child_name("0123456789abc", out, sizeof out));
}

/* ---- in what is sorted --------------------------------------------------------------------------------- */

static void test_bisect(void **state)
{
    (void)state;
    for (size_t n = 0; n < 20; n++)
        for (size_t lo = 0; lo <= n; lo++)
            for (size_t first = lo; first <= n; first++) {
                size_t at = lo;
                bisect(at, n, i, (assert_in_range(i, lo, n - 1), i < first));
                assert_int_equal(at, first);
            }
    uint32_t behind = 1;
    bisect(behind, 0, i, true);
    assert_int_equal(behind, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bisect),     cmocka_unit_test(test_places), cmocka_unit_test(test_read),
        cmocka_unit_test(test_door),       cmocka_unit_test(test_host),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_mapped),     cmocka_unit_test(test_blocks), cmocka_unit_test(test_full),
        cmocka_unit_test(test_child_name),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
