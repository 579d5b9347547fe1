/*
 * test_stream.c - a trace that arrives in pieces: the same generations however it is cut, each a trace of its
 * own; and which URL a name stands for.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/input/feed.h"
#include "decode/base/mem.h"
#include "decode/input/stream.h"
#include "tests/unit/decode_help.h"

static unsigned char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *p = malloc(*n);
    assert_int_equal(fread(p, 1, *n, f), *n);
    fclose(f);
    return p;
}

static void put_pieces(struct stream *st, const unsigned char *p, size_t n, size_t piece)
{
    struct err e = {0};
    for (size_t at = 0; at < n; at += piece)
        assert_int_equal(stream_put(st, p + at, n - at < piece ? n - at : piece, &e), ERR_OK);
    stream_end(st);
}

static uint64_t events_of(const void *p, size_t n, uint32_t *damages)
{
    struct trace *tr;
    struct err e = {0};
    assert_int_equal(trace_open_mem(p, n, NULL, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    assert_null(trace_fatal(tr));
    uint64_t events = trace_info(tr)->events;
    *damages = trace_info(tr)->ndamages;
    trace_close(tr);
    return events;
}

static const char *const longs[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace"};

static void pieces(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t n;
        unsigned char *p = slurp(longs[k], &n);
        struct stream whole = {0};
        put_pieces(&whole, p, n, n);
        assert_true(whole.ngen > 1);
        for (size_t piece = 1; piece < 200000; piece = piece * 7 + 3) {
            struct stream st = {0};
            put_pieces(&st, p, n, piece);
            assert_int_equal(stream_whole(&st), whole.ngen);
            for (size_t i = 0; i < st.ngen; i++) {
                assert_int_equal(st.gen[i].n, whole.gen[i].n);
                assert_int_equal(st.gen[i].offset, whole.gen[i].offset);
                assert_memory_equal(st.gen[i].p, whole.gen[i].p, st.gen[i].n);
            }
            stream_free(&st);
        }
        stream_free(&whole);
        free(p);
    }
}

static void each_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t n, len;
        uint32_t damages;
        unsigned char *p = slurp(longs[k], &n);
        struct stream st = {0};
        uint64_t all = events_of(p, n, &damages), sum = 0;
        put_pieces(&st, p, n, 4096);
        for (size_t i = 0; i < st.ngen; i++) {
            sum += events_of(st.gen[i].p, st.gen[i].n, &damages);
            assert_int_equal(damages, 0);
        }
        assert_int_equal(sum, all);
        uint8_t *joined = stream_join(&st, 0, st.ngen, &len);
        assert_int_equal(len, n);
        assert_memory_equal(joined, p, n);
        mem_free(joined);
        stream_drop(&st, 1);
        joined = stream_join(&st, 0, st.ngen, &len);
        assert_true(events_of(joined, len, &damages) < all);
        assert_int_equal(damages, 0);
        mem_free(joined);
        stream_free(&st);
        free(p);
    }
}

/* Cut anywhere: the generations before the cut are whole, the one that is cut says so. */
static void cut(void **state)
{
    (void)state;
    size_t n;
    unsigned char *p = slurp(longs[1], &n);
    struct stream whole = {0};
    put_pieces(&whole, p, n, n);
    for (size_t at = 17; at < n; at += n / 97) {
        struct stream st = {0};
        size_t before = 0;
        while (before < whole.ngen && whole.gen[before].offset + whole.gen[before].n - STREAM_HEADER <= at)
            before++;
        put_pieces(&st, p, at, 1000);
        assert_int_equal(stream_whole(&st), before);
        assert_int_equal(st.torn, st.ngen > before);
        stream_free(&st);
    }
    stream_free(&whole);
    free(p);
}

/* Broken bytes anywhere: all generations but the one that has them are as they were, however it arrives. */
static void broken(void **state)
{
    (void)state;
    enum { HURT = 40 };
    uint64_t seed = 1;
    for (size_t k = 0; k < 2; k++) {
        size_t n, same = 0, all = 0;
        unsigned char *p = slurp(longs[k], &n), keep[HURT];
        struct stream whole = {0};
        put_pieces(&whole, p, n, n);
        for (size_t at = n / 61; at + HURT < n; at += n / 61) {
            memcpy(keep, p + at, HURT);
            for (int i = 0; i < HURT; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                p[at + (size_t)i] = (unsigned char)(seed >> 40);
            }
            struct stream st = {0};
            put_pieces(&st, p, n, 777);
            assert_true(st.ngen >= whole.ngen);
            for (size_t i = 0; i < whole.ngen; i++) {
                const struct stream_gen *w = &whole.gen[i];
                bool hurt = at + HURT > w->offset && at < w->offset + w->n - STREAM_HEADER, found = false;
                for (size_t j = 0; j < st.ngen; j++)
                    found |= st.gen[j].n == w->n && memcmp(st.gen[j].p, w->p, w->n) == 0;
                all += !hurt;
                same += !hurt && found;
            }
            memcpy(p + at, keep, HURT);
            stream_free(&st);
        }
        assert_true(all > 100);
        assert_int_equal(same, all);
        stream_free(&whole);
        free(p);
    }
}

/* Where no batch comes any more it ends; what was whole stays. */
static void lost(void **state)
{
    (void)state;
    size_t n;
    unsigned char *p = slurp(longs[1], &n);
    struct stream st = {0}, to = {0};
    struct err e = {0};
    static const uint8_t nothing[4096];
    enum err_code rc = stream_put(&st, p, n / 2, &e);
    assert_int_equal(rc, ERR_OK);
    size_t had = stream_whole(&st);
    for (int i = 0; !rc && i < 2 * STREAM_LOST / 4096; i++)
        rc = stream_put(&st, nothing, sizeof nothing, &e);
    assert_int_equal(rc, ERR_FORMAT);
    assert_int_equal(stream_put(&st, p, 1, &e), ERR_FORMAT);
    stream_end(&st);
    assert_int_equal(stream_whole(&st), had);
    assert_non_null(stream_rest(&st));
    assert_true(stream_hand(&st, &to));
    assert_int_equal(stream_whole(&to), had);
    assert_int_equal(to.ngen, had);
    assert_int_equal(stream_whole(&st), 0);
    stream_free(&st);
    stream_free(&to);
    free(p);
}

static void refused(void **state)
{
    (void)state;
    struct err e = {0};
    struct stream st = {0};
    assert_int_equal(stream_put(&st, (const uint8_t *)"<html>no trace</html>", 21, &e), ERR_NOT_TRACE);
    stream_free(&st);
    assert_int_equal(stream_put(&st, (const uint8_t *)"go 1.21 trace\0\0\0xx", 18, &e), ERR_ARG);
    stream_free(&st);
}

/* What is too large is left out, in pieces of any size, and the one behind it says so; what is held is
 * counted. */
static void too_large(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t n, largest = 0, second = 0;
        unsigned char *p = slurp(longs[k], &n);
        struct stream whole = {0};
        put_pieces(&whole, p, n, n);
        for (size_t i = 0; i < whole.ngen; i++) {
            const size_t m = whole.gen[i].n;
            second = m > largest ? largest : m > second ? m : second;
            largest = m > largest ? m : largest;
        }
        for (size_t piece = 1; piece < 200000; piece = piece * 7 + 3) {
            struct stream st = {.max = second};
            put_pieces(&st, p, n, piece);
            assert_int_equal(st.ncut, 1);
            assert_int_equal(st.left, largest - STREAM_HEADER);
            assert_int_equal(stream_whole(&st), stream_whole(&whole) - 1);
            uint64_t held = 0, told = st.losing;
            for (size_t i = 0, j = 0; i < st.ngen; i++, j++) {
                if (whole.gen[j].n == largest)
                    j++;
                assert_int_equal(st.gen[i].number, whole.gen[j].number);
                assert_int_equal(st.gen[i].n, whole.gen[j].n);
                assert_memory_equal(st.gen[i].p, whole.gen[j].p, st.gen[i].n);
                assert_true(st.gen[i].cap <= 2 * second + 65536);
                held += st.gen[i].n + STREAM_COST;
                told += st.gen[i].lost_before;
            }
            assert_int_equal(st.held, held);
            assert_int_equal(told, st.left);
            stream_drop(&st, st.ngen);
            assert_int_equal(st.held, 0);
            stream_free(&st);
        }
        stream_free(&whole);
        free(p);
    }
}

/* One that never ends is held no longer than it may be, and is no rest that could be shown. */
static void endless(void **state)
{
    (void)state;
    enum { MAX = 200000 };
    size_t n;
    struct err e = {0};
    unsigned char *p = slurp(longs[1], &n);
    struct stream st = {.max = MAX};
    static const unsigned char head[] = {1,    7,    0,    1,    0x80 | 100, 0x80 | 3, 0x80,
                                         0x80, 0x80, 0x80, 0x80, 0x80,       0x80,     0};
    static const unsigned char zeros[100 + 3 * 128];
    assert_int_equal(stream_put(&st, p, STREAM_HEADER, &e), ERR_OK);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(stream_put(&st, head, sizeof head, &e), ERR_OK);
        assert_int_equal(stream_put(&st, zeros, sizeof zeros, &e), ERR_OK);
        assert_true(st.ngen == 1 && st.gen[0].n <= MAX && st.gen[0].cap <= 2 * MAX);
    }
    stream_end(&st);
    assert_int_equal(stream_whole(&st), 0);
    assert_null(stream_rest(&st));
    assert_int_equal(st.left, 5000 * (sizeof head + sizeof zeros));
    stream_free(&st);
    free(p);
}

static void out_of_memory(void **state)
{
    (void)state;
    size_t n;
    unsigned char *p = slurp(longs[0], &n);
    for (long i = 0; i < 8; i++) {
        struct stream st = {0};
        struct err e = {0};
        mem_fail_after(i);
        enum err_code rc = stream_put(&st, p, n, &e);
        mem_fail_after(-1);
        assert_int_equal(rc, ERR_NOMEM);
        stream_free(&st);
    }
    free(p);
}

static void urls(void **state)
{
    (void)state;
    static const struct {
        const char *where, *url;
    } row[] = {
        {"host:6060", "http://host:6060/debug/pprof/trace?seconds=7"},
        {"http://host:6060", "http://host:6060/debug/pprof/trace?seconds=7"},
        {"https://host/", "https://host/debug/pprof/trace?seconds=7"},
        {"https://api/v1/namespaces/n/pods/http:p:6060/proxy/debug/pprof/",
         "https://api/v1/namespaces/n/pods/http:p:6060/proxy/debug/pprof/trace?seconds=7"},
        {"http://host/in/front/debug/pprof", "http://host/in/front/debug/pprof/trace?seconds=7"},
        {"http://host/my/trace", "http://host/my/trace?seconds=7"},
        {"http://host/flight?last=10s", "http://host/flight?last=10s"},
        {"http://host/#part", "http://host/debug/pprof/trace?seconds=7"},
        {"[::1]:6060", "http://[::1]:6060/debug/pprof/trace?seconds=7"},
        {"unix:/run/x.sock", "http://localhost/debug/pprof/trace?seconds=7"},
    };
    struct feed_opts o = {.seconds = 7};
    struct err e = {0};
    char out[200];
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_true(feed_is_url(row[i].where));
        assert_int_equal(feed_url(row[i].where, &o, out, sizeof out, &e), ERR_OK);
        assert_string_equal(out, row[i].url);
    }
    o.profile = "profile";
    assert_int_equal(feed_url("host:1", &o, out, sizeof out, &e), ERR_OK);
    assert_string_equal(out, "http://host:1/debug/pprof/profile?seconds=7");
    assert_int_equal(feed_url("http://a b/", &o, out, sizeof out, &e), ERR_ARG);
    assert_int_equal(feed_url("http://", &o, out, sizeof out, &e), ERR_ARG);
    assert_int_equal(feed_url("http://host/long/path", &o, out, 12, &e), ERR_ARG);
    assert_false(feed_is_url("trace.out"));
    assert_false(feed_is_url("dir/a:1"));
    assert_false(feed_is_url("a:b"));
    assert_false(feed_is_url("-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),        cmocka_unit_test(each_alone), cmocka_unit_test(cut),
        cmocka_unit_test(refused),       cmocka_unit_test(too_large),  cmocka_unit_test(endless),
        cmocka_unit_test(out_of_memory), cmocka_unit_test(urls),       cmocka_unit_test(broken),
        cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
