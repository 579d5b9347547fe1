/*
 * test_feed.c - where bytes come from that are still being written (decode/input/feed.h): files that grow,
 * pipes, and a program that fetches, played by scripts. What is asked of it, and what is said where it fails.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "decode/input/feed.h"
#include "tests/unit/decode_help.h"

static char dir[] = "/tmp/gotop-feed-XXXXXX";

static const char *at(const char *name)
{
    static char path[2][200];
    static int k;
    k ^= 1;
    snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
    return path[k];
}

static const char *put(const char *name, const void *p, size_t n, const char *mode)
{
    FILE *f = fopen(at(name), mode);
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
    return at(name);
}

static enum feed_state read_at_most(struct feed *f, char *text, size_t cap, int timeout_ms, size_t *n)
{
    struct err e = {0};
    struct feed_room room = {.p = (uint8_t *)text, .cap = cap};
    const enum feed_state s = feed_read(f, &room, timeout_ms, &e);
    *n = room.n;
    return s;
}

/* All that comes until it ends, fails or (a file) nothing more does. */
static enum feed_state drain(struct feed *f, char *text, size_t size, struct err *e)
{
    size_t n = 0;
    enum feed_state s;
    for (int tries = 0; tries < 2000; tries++) {
        struct feed_room room = {.p = (uint8_t *)text + n, .cap = size - n - 1};
        s = feed_read(f, &room, 50, e);
        n += s == FEED_DATA ? room.n : 0;
        if (s == FEED_END || s == FEED_FAILED || (s == FEED_WAIT && feed_is_file(f)))
            break;
    }
    text[n] = '\0';
    return s;
}

static struct feed *opened(const char *where, const struct feed_opts *o)
{
    struct feed *f;
    struct err e = {0};
    if (feed_open(where, o, &f, &e))
        fail_msg("%s: %s", where, e.what);
    return f;
}

static void refused(const char *where, const struct feed_opts *o, enum err_code code, const char *part)
{
    struct feed *f = (void *)1;
    struct err e = {0};
    size_t live = mem_live();
    assert_int_equal(feed_open(where, o, &f, &e), code);
    assert_null(f);
    if (!strstr(e.what, part))
        fail_msg("%s: '%s', expected '%s'", where, e.what, part);
    assert_int_equal(mem_live(), live);
}

static void test_file(void **state)
{
    (void)state;
    char text[100];
    struct err e = {0};
    struct feed *f = opened(put("grows", "one ", 4, "w"), NULL);
    assert_true(feed_is_file(f));
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_WAIT);
    assert_string_equal(text, "one ");
    put("grows", "two", 3, "a");
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_WAIT);
    assert_string_equal(text, "two");
    assert_int_equal(truncate(at("grows"), 2), 0);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "the file became shorter"));
    assert_int_equal(e.code, ERR_APART);
    feed_close(f);
    f = opened(put("grows", "one ", 4, "w"), NULL);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_WAIT);
    put("grows", "another", 7, "w"); /* and is longer already */
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_FAILED);
    assert_string_equal(text, "");
    assert_non_null(strstr(e.what, "the file was written anew"));
    assert_int_equal(e.code, ERR_APART);
    feed_close(f);

    for (int how = 0; how < 2; how++) { /* another file has its name; none has */
        f = opened(put("grows", "one", 3, "w"), NULL);
        assert_int_equal(drain(f, text, sizeof text, &e), FEED_WAIT);
        put("other", "x", 1, "w");
        assert_int_equal(how ? unlink(at("grows")) : rename(at("other"), at("grows")), 0);
        enum feed_state s = FEED_WAIT; /* for where none has the name one may come */
        for (int tries = 0; s == FEED_WAIT && tries < 20000; tries++)
            s = drain(f, text, sizeof text, &e);
        assert_int_equal(s, FEED_FAILED);
        assert_non_null(strstr(e.what, how ? "the file is gone" : "another file has its name"));
        assert_int_equal(e.code, how ? ERR_IO : ERR_APART);
        feed_close(f);
    }
    refused(at("missing"), NULL, ERR_IO, "can't open: No such file");
    refused(dir, NULL, ERR_IO, "is neither a file nor a pipe");
    refused("/dev/null", NULL, ERR_IO, "is neither a file nor a pipe");
    put("there", "x", 1, "w");
    for (long n = 0; n < 2; n++) {
        mem_fail_after(n);
        refused(at("there"), NULL, ERR_NOMEM, "out of memory");
        mem_fail_after(-1);
    }
    feed_close(NULL);
}

static size_t gz(const char *p, uint8_t *out, size_t cap)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)p,
                  .avail_in = (uInt)strlen(p),
                  .next_out = out,
                  .avail_out = (uInt)cap};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return cap - z.avail_out;
}

/* Compressed on the way, in one member or two; and damaged. */
static void test_gzip(void **state)
{
    (void)state;
    char text[100];
    uint8_t z[200];
    struct err e = {0};
    size_t n = gz("hello ", z, sizeof z), all = n + gz("world", z + n, sizeof z - n);
    struct feed *f = opened(put("z", z, 5, "w"), NULL);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_WAIT); /* its beginning has come */
    put("z", z + 5, all - 5, "a");
    assert_int_equal(read_at_most(f, text, 3, 50, &n), FEED_DATA);
    assert_memory_equal(text, "hel", 3);
    assert_int_equal(read_at_most(f, text, 50, 50, &n), FEED_DATA);
    assert_memory_equal(text, "lo ", 3);
    feed_close(f);
    z[10] ^= 0xff; /* where the data begins */
    z[11] ^= 0xff;
    f = opened(put("z", z, all, "w"), NULL);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "the gzip data is damaged here"));
    feed_close(f);
    f = opened(put("z", z, all, "w"), NULL);
    mem_fail_after(0);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_FAILED);
    mem_fail_after(-1);
    assert_int_equal(e.code, ERR_NOMEM);
    feed_close(f);
}

/* What was sent, byte for byte, however few come at a time, and what it becomes. */
static void sent_is(const uint8_t *z, size_t all, size_t piece, const char *packed, const char *text)
{
    uint8_t got[4000];
    char out[300];
    size_t n = 0, m = 0;
    struct err e = {0};
    struct feed *f = opened(put("sent", z, 0, "w"), NULL);
    for (size_t at = 0; at < all; at += piece) {
        put("sent", z + at, all - at < piece ? all - at : piece, "a");
        for (int tries = 0; tries < 20; tries++) {
            struct feed_room room = {.p = (uint8_t *)out + m, .cap = sizeof out - m - 1};
            size_t k;
            const enum feed_state s = feed_read(f, &room, 0, &e);
            const uint8_t *p = feed_sent(f, &k);
            assert_true(s == FEED_DATA || s == FEED_WAIT);
            assert_true(n + k <= sizeof got);
            if (k)
                memcpy(got + n, p, k);
            n += k;
            m += s == FEED_DATA ? room.n : 0;
        }
    }
    out[m] = '\0';
    assert_string_equal(out, text);
    assert_int_equal(n, all);
    assert_memory_equal(got, z, all);
    if (packed)
        assert_string_equal(feed_packed(f), packed);
    else
        assert_null(feed_packed(f));
    feed_close(f);
}

static void test_sent(void **state)
{
    (void)state;
    uint8_t z[400];
    const size_t one = gz("hello ", z, sizeof z), all = one + gz("world", z + one, sizeof z - one);
    uint8_t zs[400];
    const size_t n = ZSTD_compress(zs, sizeof zs, "hello world", 11, 3);
    assert_false(ZSTD_isError(n));
    for (size_t piece = 1; piece < 100; piece = piece * 3 + 1) {
        sent_is(z, all, piece, "gzip", "hello world");
        sent_is(zs, n, piece, "zstd", "hello world");
        sent_is((const uint8_t *)"hello world", 11, piece, NULL, "hello world");
        sent_is((const uint8_t *)"\x28\xb5 is none", 10, piece, NULL, "\x28\xb5 is none");
    }
}

/* What becomes larger than any trace is left there, for good. */
static void test_bomb(void **state)
{
    (void)state;
    enum { ALL = 64 << 20, ROOM = 1 << 20 };
    uint8_t *zeros = calloc(1, ALL), *z = malloc(ALL / 100), *room = malloc(ROOM);
    uLongf n = ALL / 100;
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_in = zeros;
    s.avail_in = ALL;
    s.next_out = z;
    s.avail_out = (uInt)n;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    n = s.total_out;
    deflateEnd(&s);
    struct feed *f = opened(put("bomb", z, n, "w"), NULL);
    size_t all = 0;
    struct err e = {0};
    enum feed_state st;
    struct feed_room to = {.p = room, .cap = ROOM};
    while ((st = feed_read(f, &to, 0, &e)) == FEED_DATA)
        all += to.n;
    assert_int_equal(st, FEED_FAILED);
    assert_non_null(strstr(e.what, "more than 200 times as many"));
    assert_true(all > 16 << 20 && all < 32 << 20);
    e = (struct err){0};
    assert_int_equal(feed_read(f, &to, 0, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "more than 200 times as many"));
    feed_close(f);
    free(zeros);
    free(z);
    free(room);
}

static void test_pipe(void **state)
{
    (void)state;
    char text[100];
    struct err e = {0};
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    struct feed *f = opened(at("pipe"), NULL);
    size_t n;
    int w = open(at("pipe"), O_WRONLY);
    assert_true(w >= 0);
    assert_false(feed_is_file(f));
    assert_int_equal(read_at_most(f, text, 10, 0, &n), FEED_WAIT);
    assert_int_equal(write(w, "abc", 3), 3);
    close(w);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_END);
    assert_string_equal(text, "abc");
    assert_int_equal(read_at_most(f, text, 10, 0, &n), FEED_END);
    feed_close(f);
    /* Standard input stays open for others. */
    int keep = dup(0), fd = open(put("stdin", "in", 2, "w"), O_RDONLY);
    dup2(fd, 0);
    f = opened("-", NULL);
    assert_true(feed_is_file(f));
    assert_int_equal(read_at_most(f, text, 10, 50, &n), FEED_DATA);
    assert_int_equal(n, 2);
    feed_close(f);
    assert_int_equal(lseek(0, 0, SEEK_CUR), 2);
    dup2(keep, 0);
    close(keep);
    close(fd);
}

/* Who can't be asked for so many seconds of trace is read no longer: a pipe that goes on, a file whose writer
 * does. */
static void test_seconds(void **state)
{
    (void)state;
    const struct feed_opts o = {.seconds = 1};
    char text[100];
    struct err e = {0};
    assert_int_equal(mkfifo(at("endless"), 0600), 0);
    struct feed *f = opened(at("endless"), &o);
    int w = open(at("endless"), O_WRONLY);
    assert_true(w >= 0);
    assert_int_equal(write(w, "abc", 3), 3);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_END);
    assert_string_equal(text, "abc");
    close(w);
    feed_close(f);

    /* A number that nobody gave ends nothing: the writer is what does. */
    const struct feed_opts by_itself = {.seconds = 1, .unasked = true};
    f = opened(at("endless"), &by_itself);
    w = open(at("endless"), O_WRONLY);
    assert_int_equal(write(w, "a", 1), 1);
    size_t n = 0;
    for (int tries = 0; tries < 30; tries++)
        assert_int_not_equal(read_at_most(f, text, 10, 50, &n), FEED_END);
    close(w);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_END);
    feed_close(f);

    for (size_t bytes = 0; bytes < 4; bytes += 3) { /* also one to which nobody ever writes */
        f = opened(put("written", "one", bytes, "w"), &o);
        enum feed_state s = FEED_WAIT;
        for (int tries = 0; tries < 2000 && s != FEED_END; tries++)
            s = drain(f, text, sizeof text, &e);
        assert_int_equal(s, FEED_END);
        feed_close(f);
    }
}

/* ---- the program that fetches -------------------------------------------------------------------------- */

static void curl_is(const char *script)
{
    char path[300];
    snprintf(path, sizeof path, "%s/bin", dir);
    (void)mkdir(path, 0700);
    char text[1000];
    snprintf(text, sizeof text, "#!/bin/sh\ncat >%s/asked\n%s\n", dir, script);
    put("bin/curl", text, strlen(text), "w");
    assert_int_equal(chmod(at("bin/curl"), 0700), 0);
    snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", dir);
    setenv("PATH", path, 1);
}

static void test_fetch(void **state)
{
    (void)state;
    static const struct {
        const char *script, *text, *what;
        enum feed_state end;
    } cases[] = {
        {"printf body; printf '\\n[200] ' >&2", "body", "", FEED_END},
        {"printf 'no trace\\nmore'; printf '\\n[500] ' >&2; exit 22", "", "the server answered 500: no trace",
         FEED_FAILED},
        {"printf '\\n[404] ' >&2; exit 22", "",
         "the server answered 404: no reason given; /debug/pprof/trace isn't there: is this the port",
         FEED_FAILED},
        {"printf '\\n[302] http://else/' >&2", "", "it has moved to http://else/: ask there", FEED_FAILED},
        {"printf '\\n[302] http://else/[200 ]x[404] ' >&2", "",
         "it has moved to http://else/[200 ]x[404] : ask there", FEED_FAILED},
        {"printf '\\n[302] http://me:hush@else/' >&2", "", "it has moved to http://..@else/: ask there",
         FEED_FAILED},
        {"printf '\\n[304] ' >&2", "", "the server answered 304, a redirect, and doesn't say where to",
         FEED_FAILED},
        {"echo 'curl: (1) Protocol ftp disabled' >&2; printf '\\n[302] ftp://else/' >&2; exit 1", "",
         "it redirects (302) to ftp://else/, which can't be fetched: Protocol ftp disabled", FEED_FAILED},
        {"printf '\\n[302] ' >&2; exit 47", "", "it redirects again and again", FEED_FAILED},
        {"echo 'curl: (7) Failed to connect' >&2; printf '\\n[000] ' >&2; exit 7", "", "Failed to connect",
         FEED_FAILED},
        {"printf gopart; echo 'curl: (18) transfer closed' >&2; printf '\\n[200] ' >&2; exit 18", "gopart",
         "the program may have ended (transfer closed)", FEED_FAILED},
        {"echo 'curl: (28) Operation too slow. Less than' >&2; exit 28", "",
         "nothing came for 15s (--stall-timeout)", FEED_FAILED},
        {"echo 'curl: (28) Connection timed out' >&2; exit 28", "", "Connection timed out", FEED_FAILED},
        {"printf '\\n[302] http://again/' >&2; exit 47", "",
         "it redirects again and again, at last to http://again/", FEED_FAILED},
        {"echo 'something else' >&2; exit 3", "", "something else", FEED_FAILED},
        {"printf gopart; kill -9 $$", "gopart", "curl was ended by a signal", FEED_FAILED},
        {"head -c 5000 /dev/zero | tr '\\0' x >&2; exit 9", "", "xxxxx", FEED_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct err e = {0};
        curl_is(cases[i].script);
        struct feed *f = opened("https://host:6060", NULL);
        enum feed_state s = drain(f, text, sizeof text, &e);
        if (s != cases[i].end || strcmp(text, cases[i].text) != 0 || !strstr(e.what, cases[i].what))
            fail_msg("case %zu: %d '%s' '%s'", i, (int)s, text, e.what);
        feed_close(f);
    }
    char text[200];
    struct err e = {0};
    curl_is("echo 'curl: (7) Failed to connect to localhost port 80' >&2; exit 7");
    struct feed *socket = opened("unix:/absent", NULL);
    assert_int_equal(drain(socket, text, sizeof text, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "can't connect to that socket"));
    feed_close(socket);
    curl_is("printf 'nothing here\\n'; printf '\\n[404] ' >&2; exit 22"); /* what was asked for isn't what was
                                                                             typed */
    struct feed *path = opened("https://host:6060/flight?token=hush", NULL);
    assert_int_equal(drain(path, text, sizeof text, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "404: nothing here; /flight isn't there (a path that ends in ?"));
    assert_null(strstr(e.what, "hush"));
    feed_close(path);
    path = opened("https://host:6060/flight", NULL);
    assert_int_equal(drain(path, text, sizeof text, &e), FEED_FAILED);
    assert_non_null(strstr(e.what, "404: nothing here; /flight/debug/pprof/trace isn't there"));
    feed_close(path);
    curl_is("sleep 100"); /* it ends with us */
    struct feed *f = opened("https://host:6060", NULL);
    feed_close(f);
    setenv("PATH", dir, 1);
    refused("https://host:6060", NULL, ERR_IO, "the curl program fetches URLs, and isn't there");
}

/* What it is asked stands in what it reads, not in a process list. */
static void test_asked(void **state)
{
    (void)state;
    char text[100];
    struct err e = {0};
    curl_is("printf '\\n[200] ' >&2");
    put("token", "secret\r\nmore", 12, "w");
    struct feed_opts o = {.header = {"X-Key: \"a\\b\""},
                          .nheaders = 1,
                          .token_file = at("token"),
                          .cacert = "/ca",
                          .cert = "/cert",
                          .key = "/key",
                          .method = "POST",
                          .unix_socket = "/run/app.sock",
                          .insecure = true,
                          .connect_s = 3,
                          .stall_s = 4};
    struct feed *f = opened("https://localhost", &o);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_END);
    feed_close(f);
    size_t n;
    char *asked = (char *)read_file(at("asked"), &n);
    assert_non_null(asked);
    asked[n] = '\0';
    static const char *const want[] = {"url = \"https://localhost/debug/pprof/trace?seconds=604800\"\n",
                                       "header = \"X-Key: \\\"a\\\\b\\\"\"\n",
                                       "header = \"Authorization: Bearer secret\"\n",
                                       "cacert = \"/ca\"\ncert = \"/cert\"\nkey = \"/key\"\n",
                                       "unix-socket = \"/run/app.sock\"\nrequest = \"POST\"\n",
                                       "insecure\n",
                                       "connect-timeout = 3\nspeed-limit = 1\nspeed-time = 4\n"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(asked, want[i]))
            fail_msg("'%s' isn't in\n%s", want[i], asked);
    assert_null(strstr(asked, "location")); /* what is secret doesn't follow redirects */
    free(asked);

    refused("http://host", &(struct feed_opts){.token_file = at("missing")}, ERR_IO,
            "the token's file can't be read");
    put("token", "", 0, "w");
    refused("https://host", &(struct feed_opts){.token_file = at("token")}, ERR_EMPTY,
            "the token's file is empty");
    refused("https://host", &(struct feed_opts){.header = {"X: a\nb"}, .nheaders = 1}, ERR_ARG,
            "control bytes");
    char *much = malloc(40000);
    memset(much, 'x', 40000);
    much[39999] = '\0';
    memcpy(much, "X: ", 3);
    refused("http://host", &(struct feed_opts){.header = {much}, .nheaders = 1}, ERR_ARG,
            "or they are too long");
    refused("https://host", &(struct feed_opts){.header = {much}, .nheaders = 1}, ERR_ARG,
            "or they are too long");
    memcpy(much, "http://", 7);
    refused(much, NULL, ERR_ARG, "the URL is too long");
    free(much);
    refused("http://a b", NULL, ERR_ARG, "no blanks or control bytes");
    refused("http://", NULL, ERR_ARG, "the URL names no host");
    mem_fail_after(1);
    refused("https://host", NULL, ERR_NOMEM, "out of memory");
    mem_fail_after(-1);
}

/* What stands in a file's name, a header or a method is no other option, no password and no file to curl. */
static void test_arguments(void **state)
{
    (void)state;
    char text[100];
    struct err e = {0};
    curl_is("printf '\\n[200] ' >&2");
    struct feed_opts o = {.header = {"X!-1: @file", "Empty:"},
                          .nheaders = 2,
                          .cacert = "-",
                          .cert = "pkcs11:a\\b:secret",
                          .key = "/k:e",
                          .unix_socket = "@s\"\nurl"};
    refused("https://host", &o, ERR_ARG, "control bytes");
    o.unix_socket = "@s\" url";
    struct feed *f = opened("https://host", &o);
    assert_int_equal(drain(f, text, sizeof text, &e), FEED_END);
    feed_close(f);
    size_t n;
    char *asked = (char *)read_file(at("asked"), &n);
    assert_non_null(asked);
    asked[n] = '\0';
    static const char *const want[] = {"header = \"X!-1: @file\"\nheader = \"Empty:\"\n",
                                       "cacert = \"./-\"\n",
                                       "cert = \"./pkcs11\\\\:a\\\\\\\\b\\\\:secret\"\n", "key = \"/k:e\"\n",
                                       "unix-socket = \"./@s\\\" url\"\n"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(asked, want[i]))
            fail_msg("'%s' isn't in\n%s", want[i], asked);
    free(asked);
    static const char *const none[] = {"@file",    "@x: y",  "",   ":",          ": x",
                                       "no colon", "A B: c", "X;", "\xc3\xa4: b"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        refused("https://host", &(struct feed_opts){.header = {none[i]}, .nheaders = 1}, ERR_ARG,
                "a header (-H) is 'NAME: VALUE'");
    static const char *const words[] = {"", "GET /x HTTP/1.1", "P0ST"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        refused("https://host", &(struct feed_opts){.method = words[i]}, ERR_ARG,
                "a method (--method) is a word");
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *where;
        bool url;
    } cases[] = {
        {"host:6060", true},      {"host:6060/path", true}, {"host:6060?x", true}, {"[::1]:6060", true},
        {"unix:/s", true},        {"host:606060", false},   {"host:port", false},  {"host:60x", false},
        {"dir/host:6060", false}, {"host", false},          {"-", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (feed_is_url(cases[i].where) != cases[i].url)
            fail_msg("%s", cases[i].where);
    assert_int_equal(chdir(dir), 0);
    put("file:80", "x", 1, "w");
    assert_false(feed_is_url("file:80")); /* there is such a file */
    char url[200];
    struct err e;
    struct feed_opts o = {.seconds = 5, .profile = "profile"};
    assert_int_equal(feed_url("host:1", &o, url, sizeof url, &e), ERR_OK);
    assert_string_equal(url, "http://host:1/debug/pprof/profile?seconds=5");
    assert_int_equal(feed_url("host:1/x?a=b", &o, url, sizeof url, &e), ERR_OK);
    assert_string_equal(url, "http://host:1/x?a=b");
}

/* A password is asked with, and never shown. */
static void test_shown(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"http://me:secret@host:6060/x", "http://..@host:6060/x"},
        {"https://a@b:c@host?q=@", "https://..@host?q=@"},
        {"https://host/@x", "https://host/@x"},
        {"host:6060", "host:6060"},
        {"a@b.trace", "a@b.trace"},
        {"unix:/a@b", "unix:/a@b"},
        {"-", "-"},
    };
    char out[FEED_SHOWN];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(feed_shown(cases[i][0], out), cases[i][1]);
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
    setenv("PATH", "/usr/bin:/bin", 1);
    snprintf(rm, sizeof rm, "rm -rf '%s'", dir);
    return system(rm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),  cmocka_unit_test(test_gzip),      cmocka_unit_test(test_sent),
        cmocka_unit_test(test_bomb),  cmocka_unit_test(test_pipe),      cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_fetch), cmocka_unit_test(test_asked),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_shown), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
