/*
 * test_input.c - a trace's bytes, however they come: plain, gzip, zstd, a pipe; and what is said of what is
 * no trace.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "decode/base/mem.h"
#include "decode/base/spill.h"
#include "decode/input/unpack.h"
#include "tests/unit/decode_help.h"

static char dir[] = "/tmp/gotop-input-XXXXXX";
static uint8_t *sample;
static size_t sample_n;

static const char *at(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static const char *put(const char *name, const void *p, size_t n)
{
    FILE *f = fopen(at(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
    return at(name);
}

static size_t gz(const uint8_t *p, size_t n, uint8_t *out, size_t cap)
{
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)cap};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return cap - z.avail_out;
}

static void expect_bytes(const char *path, const uint8_t *p, size_t n, enum err_code damage)
{
    struct input in;
    struct err e;
    enum err_code rc = input_open(path, 0, &in, &e);
    if (rc && rc == damage) /* cut before the first byte came out */
        return;
    if (rc)
        fail_msg("%s: %s", path, e.what);
    assert_int_equal(in.damage.code, damage);
    assert_true(damage ? in.len < n && in.damage.offset == in.len : in.len == n);
    assert_memory_equal(in.data, p, in.len);
    input_close(&in);
}

static void expect_error(const char *path, enum err_code code, const char *part)
{
    struct trace *tr = (void *)1;
    struct err e;
    size_t live = mem_live();
    assert_int_equal(trace_open(path, NULL, &tr, &e), code);
    assert_null(tr);
    if (e.code != code || !strstr(e.what, part))
        fail_msg("%s: '%s', expected '%s'", path, e.what, part);
    assert_int_equal(mem_live(), live);
}

static void test_plain(void **state)
{
    (void)state;
    struct input in;
    struct err e;
    assert_int_equal(input_open(put("plain", sample, sample_n), 0, &in, &e), ERR_OK);
    assert_true(in.mapped);
    input_close(&in);
    expect_bytes(at("plain"), sample, sample_n, ERR_OK);
}

static void test_gzip(void **state)
{
    (void)state;
    size_t cap = sample_n * 2 + 1000, half = sample_n / 2;
    uint8_t *z = malloc(cap);
    size_t n = gz(sample, sample_n, z, cap);
    expect_bytes(put("one.gz", z, n), sample, sample_n, ERR_OK);
    for (size_t cut = 30; cut < n; cut += n / 7)
        expect_bytes(put("cut.gz", z, cut), sample, sample_n, ERR_TRUNCATED);
    expect_bytes(put("cut.gz", z, n - 1), sample, sample_n + 1,
                 ERR_TRUNCATED); /* all data, but no checksum */
    z[n / 2] ^= 0xff;
    struct input in;
    struct err e;
    assert_int_equal(input_open(put("bad.gz", z, n), 0, &in, &e), ERR_OK);
    assert_int_not_equal(in.damage.code, ERR_OK);
    assert_true(in.len <= sample_n + 40000);
    input_close(&in);
    n = gz(sample, half, z, cap); /* two members, one after the other, as `cat a.gz b.gz` makes them */
    n += gz(sample + half, sample_n - half, z + n, cap - n);
    expect_bytes(put("two.gz", z, n), sample, sample_n, ERR_OK);
    memset(z + n, 0, 512); /* and padding */
    expect_bytes(put("padded.gz", z, n + 512), sample, sample_n, ERR_OK);
    n = gz(sample, 0, z, cap);
    expect_error(put("nothing.gz", z, n), ERR_EMPTY, "holds nothing");
    expect_error(put("stub.gz", z, 4), ERR_TRUNCATED, "gzip");
    free(z);
}

static void test_zstd(void **state)
{
    (void)state;
    size_t cap = ZSTD_compressBound(sample_n) + 2000;
    uint8_t *z = malloc(cap);
    size_t n = ZSTD_compress(z, cap, sample, sample_n, 3);
    expect_bytes(put("one.zst", z, n), sample, sample_n, ERR_OK);
    expect_bytes(put("cut.zst", z, n / 2), sample, sample_n, ERR_TRUNCATED);
    n = ZSTD_compress(z, cap, sample, sample_n / 2, 3);
    n += ZSTD_compress(z + n, cap - n, sample + sample_n / 2, sample_n - sample_n / 2, 3);
    expect_bytes(put("two.zst", z, n), sample, sample_n, ERR_OK);
    memset(z + 4, 0xee, 40);
    expect_error(put("bad.zst", z, n), ERR_FORMAT, "zstd");
    static const uint8_t skip[12] = {0x50, 0x2a, 0x4d, 0x18, 4, 0,
                                     0,    0,    1,    2,    3, 4}; /* as pzstd writes before each frame */
    for (size_t i = n = 0; i < 2; i++) {
        memcpy(z + n, skip, sizeof skip);
        n += sizeof skip;
        n += ZSTD_compress(z + n, cap - n, sample + i * (sample_n / 2),
                           i ? sample_n - sample_n / 2 : sample_n / 2, 3);
    }
    expect_bytes(put("skip.zst", z, n), sample, sample_n, ERR_OK);
    expect_error(put("only.zst", z, sizeof skip), ERR_EMPTY, "holds nothing");
    expect_error(put("half.zst", z, 10), ERR_TRUNCATED, "zstd");
    z[0] = 0x60; /* of nothing known */
    expect_error(put("else.zst", z, n), ERR_NOT_TRACE, "not a Go execution trace");
    free(z);
}

/* A cut compressed trace: what there is, and a mark. */
static void test_cut_trace(void **state)
{
    (void)state;
    uint8_t *z = malloc(sample_n * 2 + 1000);
    size_t n = gz(sample, sample_n, z, sample_n * 2 + 1000);
    struct trace *tr;
    struct err e;
    assert_int_equal(trace_open(put("cut.gz", z, n * 3 / 4), NULL, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    expect_damage(tr, ERR_TRUNCATED, "gzip file ends early");
    assert_true(trace_info(tr)->events > 100);
    trace_close(tr);
    free(z);
}

static void from_stdin(const void *p, size_t n)
{
    int fd[2], keep = dup(0);
    assert_int_equal(pipe(fd), 0);
    pid_t pid = fork();
    if (!pid) {
        close(fd[0]);
        for (size_t i = 0; i < n;) { /* in pieces, as a network gives them */
            ssize_t k = write(fd[1], (const char *)p + i, n - i < 5000 ? n - i : 5000);
            if (k < 0)
                _exit(1);
            i += (size_t)k;
        }
        _exit(0);
    }
    close(fd[1]);
    dup2(fd[0], 0);
    close(fd[0]);
    expect_bytes("-", sample, sample_n, ERR_OK);
    dup2(keep, 0);
    close(keep);
}

static void test_stdin(void **state)
{
    (void)state;
    uint8_t *z = malloc(sample_n * 2 + 1000);
    size_t n = gz(sample, sample_n, z, sample_n * 2 + 1000);
    from_stdin(sample, sample_n);
    from_stdin(z, n);
    free(z);
    expect_bytes("-", sample, sample_n, ERR_OK); /* a file as standard input: set by main() */
}

/* A trace's header and zeros, as gzip or zstd. */
static const char *bomb(const char *name, size_t zeros, bool header, bool zstd, size_t *packed)
{
    uint8_t *p = calloc(1, zeros), *z = malloc(zeros);
    assert_true(p && z);
    if (header)
        memcpy(p, "go 1.26 trace", 13);
    *packed = zstd ? ZSTD_compress(z, zeros, p, zeros, 1) : gz(p, zeros, z, zeros);
    const char *path = put(name, z, *packed);
    free(p);
    free(z);
    return path;
}

/* What is held never goes beyond the limit: each bomb in a process of its own,
 * since the peak is a process's. */
static int bomb_child(const char *path, uint64_t limit, enum err_code want, const char *part)
{
    struct input in;
    struct err e = {0};
    spill_forbid();
    mem_limit(limit);
    size_t before = mem_peak();
    enum err_code rc = input_open(path, limit, &in, &e);
    if (rc != want || (rc ? !strstr(e.what, part) : !strstr(in.damage.what, part)))
        return 1;
    if (mem_peak() - before > limit + (256 << 10)) /* the smallest step, where the block moves */
        return 2;
    if (!rc && in.len > UNPACK_FREE + (1 << 20) && in.damage.code != ERR_FORMAT)
        return 3;
    input_close(&in);
    return mem_live() ? 4 : 0;
}

static void expect_bomb(const char *path, uint64_t limit, enum err_code want, const char *part)
{
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit(bomb_child(path, limit, want, part));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("%s, limit %llu: %s", path, (unsigned long long)limit,
                 WIFSIGNALED(status)        ? "crash"
                 : WEXITSTATUS(status) == 1 ? "another message"
                 : WEXITSTATUS(status) == 2 ? "too much held"
                 : WEXITSTATUS(status) == 3 ? "read on"
                                            : "leak");
}

static void test_bombs(void **state)
{
    (void)state;
    const size_t much = 40 << 20;
    size_t n;
    for (int zs = 0; zs < 2; zs++) {
        expect_bomb(bomb("zeros", much, false, zs, &n), 2 << 20, ERR_NOT_TRACE, "found \"\\x00");
        expect_bomb(bomb("head", much, true, zs, &n), 8 << 20, ERR_NOMEM, "--max-memory");
        expect_bomb(bomb("head", much, true, zs, &n), 300000, ERR_NOMEM, "--max-memory");
        expect_bomb(bomb("head", much, true, zs, &n), 64 << 20, ERR_OK, "than 200 times as many");
        expect_bomb(bomb("fits", 1 << 20, true, zs, &n), 3 << 20, ERR_OK, "");
    }
}

/* Where there is a temporary file, what is more than the limit stands there, and is the same. */
static void test_spilled(void **state)
{
    (void)state;
    const size_t n = 6 << 20, limit = 1 << 20;
    mem_limit(limit);
    if (!mem_spills())
        skip();
    uint8_t *p = malloc(n), *z = malloc(n + n / 8);
    memcpy(p, "go 1.26 trace\0\0", 16);
    p[16] = 1; /* a batch */
    for (size_t i = 17; i < n; i++)
        p[i] = (uint8_t)(i * 2654435761u >> 22);
    for (int zs = 0; zs < 2; zs++) {
        struct input in;
        struct err e;
        const size_t len = zs ? ZSTD_compress(z, n + n / 8, p, n, 1) : gz(p, n, z, n + n / 8);
        assert_int_equal(input_open(put("spilled", z, len), limit, &in, &e), ERR_OK);
        assert_int_equal(in.len, n);
        assert_memory_equal(in.data, p, n);
        assert_true(spill_size(in.map));
        assert_true(mem_live() < limit);
        input_close(&in);
        assert_int_equal(spill_bytes(), 0);
    }
    p[16] = 0; /* that is no trace, and need not be unpacked to its end */
    struct input in;
    struct err e;
    assert_int_equal(input_open(put("spilled", z, gz(p, n, z, n + n / 8)), limit, &in, &e), ERR_NOMEM);
    mem_limit(0);
    free(p);
    free(z);
}

/* A trace that shrinks well, though no more than one may, is read whole. */
static void test_ratio(void **state)
{
    (void)state;
    size_t n = (size_t)UNPACK_FREE + (4 << 20), len;
    uint8_t *p = malloc(n), *z = malloc(n);
    memcpy(p, "go 1.26 trace\0\0", 16);
    for (size_t i = 16; i < n; i++)
        p[i] = i % 300 ? (uint8_t)(i % 7) : (uint8_t)(i * 2654435761u >> 24);
    len = gz(p, n, z, n);
    assert_true(n / len > 20 && n / len < UNPACK_RATIO);
    expect_bytes(put("shrinks.gz", z, len), p, n, ERR_OK);
    free(p);
    free(z);
}

/* A file of more than 4 GB is read whole, or, where addresses are of 32 bits, not at all: never as what is
 * left of its size. */
static void test_large(void **state)
{
    (void)state;
    enum { KEPT = 24 << 20 }; /* on its disk: enough for the rest to be taken for bytes */
    const off_t size = ((off_t)4 << 30) + 4096;
    uint8_t *p = calloc(1, KEPT);
    assert_non_null(p);
    memcpy(p, sample, sample_n);
    const char *path = put("large", p, KEPT);
    free(p);
    if (truncate(path, size))
        skip();
    if (sizeof(size_t) < 8) {
        expect_error(path, ERR_IO, "can't map its 4294971392 bytes: File too large");
    } else {
        struct input in;
        struct err e;
        assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
        assert_int_equal(in.len, size);
        input_close(&in);
    }
    unlink(path);
}

/* What is no file: its kind is said. */
static void test_kinds(void **state)
{
    (void)state;
    expect_error("/dev/zero", ERR_IO, "is a device");
    expect_error("/dev/null", ERR_IO, "is a device");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    assert_true(strlen(at("sock")) < sizeof name.sun_path);
    strcpy(name.sun_path, at("sock"));
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&name, sizeof name), 0);
    expect_error(at("sock"), ERR_IO, "is a socket");
    close(s);
}

static void test_no_trace(void **state)
{
    (void)state;
    expect_error(at("missing"), ERR_IO, "No such file");
    expect_error(dir, ERR_IO, "directory");
    expect_error(put("empty", "", 0), ERR_EMPTY, "empty");
    expect_error(put("text", "hello\n\x1b[2J", 10), ERR_NOT_TRACE, "found \"hello\\x0a\\x1b[2J\"");
    expect_error(put("elf",
                     "\x7f"
                     "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
                     16),
                 ERR_NOT_TRACE, "is a program");
    expect_error(put("heap", "Z\4\x08\1\x10\2`\x80", 8), ERR_NOT_TRACE, "is a pprof profile: go tool pprof");
    expect_error(put("cpu", "H\xb6\xf1\xe0\xfc\xc4\xb2\xf5\xf5\x18\n\4\x08\1\x10\2", 16), ERR_NOT_TRACE,
                 "is a pprof profile: go tool pprof");
    expect_error(put("pprof", "\n\4\x08\1\x10\2\n\4", 8), ERR_NOT_TRACE, "is a pprof profile: go tool pprof");
    expect_error(put("json", "{\"traceEvents\":[", 16), ERR_NOT_TRACE, "is JSON");
    expect_error(put("page", "<!DOCTYPE html>", 15), ERR_NOT_TRACE, "is HTML or XML");
    expect_error(put("busy", "Could not enable tracing: tracing is", 36), ERR_NOT_TRACE,
                 "somebody else is tracing");
    expect_error(put("404", "404 page not found\n", 19), ERR_NOT_TRACE, "/debug/pprof/trace");
    expect_error(put("short", "go 1.2", 6), ERR_TRUNCATED, "found 6");
    expect_error(put("odd", "go 1.24 trace\0\0\0", 16), ERR_VERSION, "go 1.24");
    expect_error(put("odd", "go 1.6 trace\0\0\0\0", 16), ERR_VERSION, "go 1.6");
    expect_error(put("odd", "go 1.22 trace\0\0x", 16), ERR_NOT_TRACE, "go 1.22");
    expect_error(put("odd", "go 2.22 trace\0\0\0", 16), ERR_NOT_TRACE, "go 2.22");
    if (geteuid() != 0) { /* root reads everything */
        put("secret", sample, sample_n);
        chmod(at("secret"), 0);
        expect_error(at("secret"), ERR_IO, "Permission denied");
    }
}

static void test_header_alone(void **state)
{
    (void)state;
    static const char *const heads[] = {"go 1.5 trace\0\0\0\0", "go 1.11 trace\0\0\0", "go 1.21 trace\0\0\0",
                                        "go 1.22 trace\0\0\0", "go 1.26 trace\0\0\0"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct trace *tr;
        struct err e;
        enum err_code rc = trace_open(put("head", heads[i], 16), NULL, &tr, &e);
        if (rc)
            continue;
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        assert_non_null(trace_fatal(tr));
        assert_true(trace_fatal(tr)->what[0]);
        trace_close(tr);
    }
}

/* Whatever it is packed in, an allocation that is refused is what is said, and nothing is kept. */
static void test_no_memory(void **state)
{
    (void)state;
    size_t cap = ZSTD_compressBound(sample_n) + sample_n, n;
    uint8_t *z = malloc(cap);
    put("plain", sample, sample_n);
    put("m.gz", z, gz(sample, sample_n, z, cap));
    put("m.zst", z, ZSTD_compress(z, cap, sample, sample_n, 3));
    free(z);
    static const char *const names[] = {"plain", "m.gz", "m.zst"};
    for (size_t i = 0; i < 3; i++) {
        bool refused = true;
        for (n = 0; refused && n < 1000; n++) {
            struct input in;
            struct err e = {0};
            size_t live = mem_live();
            mem_fail_after((long)n);
            enum err_code rc = input_open(at(names[i]), 0, &in, &e);
            void *more = mem_alloc(1);
            refused = !more;
            mem_free(more);
            mem_fail_after(-1);
            if (rc && (rc != ERR_NOMEM || !strstr(e.what, "out of memory")))
                fail_msg("%s, allocation %zu: %d '%s'", names[i], n, (int)rc, e.what);
            if (!rc)
                assert_int_equal(in.len, sample_n);
            input_close(&in);
            assert_int_equal(mem_live(), live);
        }
        assert_true(n > (i ? 1u : 0u) && n < 1000);
    }
}

/* What stands before a colon must be an archive; without one to hear why, it is refused all the same. */
static void test_members(void **state)
{
    (void)state;
    struct input in;
    char buf[300], word[400];
    put("plain", sample, sample_n);
    snprintf(word, sizeof word, "%s:x", at("plain"));
    expect_error(word, ERR_FORMAT, "no zip archive stands before the colon");
    assert_string_equal(input_member(word, buf, sizeof buf), "x");
    assert_null(input_member(word, buf, 5)); /* no room for its name */
    assert_null(input_member(":x", buf, sizeof buf));
    assert_null(input_member("-", buf, sizeof buf));
    snprintf(word, sizeof word, "%s:x", dir);
    assert_null(input_member(word, buf, sizeof buf)); /* a folder is none */
    assert_int_equal(input_open(at("missing"), 0, &in, NULL), ERR_IO);
    assert_false(input_archive(at("plain"), &in));
    assert_false(input_archive(at("missing"), &in));
    assert_false(input_archive(dir, &in));
    assert_false(input_archive("-", &in));
    assert_false(input_archive(put("empty", "", 0), &in));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_zstd),         cmocka_unit_test(test_cut_trace),
        cmocka_unit_test(test_stdin),        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_spilled),      cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_header_alone), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_members),      cmocka_unit_test(test_large),
    };
    sample = read_file("samples/http-1.26.trace", &sample_n);
    int fd = open("samples/http-1.26.trace", O_RDONLY);
    if (!sample || fd < 0 || !mkdtemp(dir)) {
        fprintf(stderr, "no sample, or no temporary folder\n");
        return 1;
    }
    dup2(fd, 0);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    char rm[300];
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    if (system(rm))
        fprintf(stderr, "left behind: %s\n", dir);
    free(sample);
    return rc;
}
