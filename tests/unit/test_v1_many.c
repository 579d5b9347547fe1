/*
 * test_v1_many.c - the first family's reader where there is much of something: processors, goroutines, bytes.
 * However many events are asked for at a time, in whatever order processors' batches stand, and by however
 * many threads: the same events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/v1/v1_emit.h"
#include "tests/unit/decode_help.h"
#include "tests/unit/v1_lines.h"

/* ---- few at a time ------------------------------------------------------------------------------------- */

static char *text_by(const uint8_t *p, size_t n, size_t cap)
{
    struct lines l = {.cap = cap};
    lines_bytes(&l, p, n, lines_version(p));
    char *text = strdup((const char *)l.text.p);
    lines_free(&l);
    return text;
}

static int seen;
static void at_a_time(const char *path, const uint8_t *p, size_t n)
{
    if (!memcmp(p, "go 1.2", 6) && p[6] > '1')
        return; /* the second family */
    char *all = text_by(p, n, 64);
    for (size_t cap = V1_EMIT_ROOM; cap <= V1_EMIT_ROOM + 3; cap++) {
        char *few = text_by(p, n, cap);
        if (strcmp(all, few) != 0)
            fail_msg("%s: by %zu events it is another", path, cap);
        free(few);
    }
    free(all);
    seen++;
}

static void test_few_at_a_time(void **state)
{
    (void)state;
    each_trace("samples", 20000, at_a_time);
    assert_true(seen > 8);
    /* Goroutines that are there as it begins, more than are asked for at a time. */
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.10\nbatch p=0 t=0\n");
    for (int g = 1; g <= 200; g++)
        tracegen_printf(&b, "GoCreate +1 g=%d\n%s", g, g % 3 ? "" : "GoWaiting g=1\n");
    tracegen_printf(
        &b, "ProcStart thread=0\nGoStart g=2 seq=1\nGomaxprocs procs=2\nHeapAlloc +1 bytes=5\nGoEnd +1\n");
    size_t n;
    uint8_t *p = tracegen_bytes((char *)b.p, &n);
    at_a_time("listed", p, n);
    free(p);
    tracegen_free(&b);
}

/* ---- many processors ----------------------------------------------------------------------------------- */

enum { PS = 60 }; /* more than are kept sorted, not more than are looked at where times are equal */

/* Each P's goroutine wakes the next one's, all at one time; the P's batches stand in the file from the k-th
 * on. */
static char *relay(const char *dialect, int k, int step)
{
    struct tracegen_buf b = {0};
    const bool seq = strcmp(dialect, "prototype") != 0;
    tracegen_printf(&b, "%s\n", dialect);
    for (int i = 0; i < PS; i++) {
        const int p = (i * 7 + k) % PS;
        tracegen_printf(&b, "batch p=%d t=%d\n", p, p ? 100 + p * step : 0);
        if (p == 0) {
            for (int g = 1; g <= PS; g++)
                tracegen_printf(&b, "GoCreate +0 g=%d%s\n%s", g, seq ? "" : " pc=0x10", "");
            for (int g = 2; g <= PS; g++)
                tracegen_printf(&b, "GoWaiting +0 g=%d\n", g);
            tracegen_printf(&b, "ProcStart%s\nGoStart g=1%s\nGomaxprocs procs=%d\nHeapAlloc +100 bytes=9\n",
                            seq ? " thread=0" : "", seq ? " seq=1" : "", PS);
        } else {
            tracegen_printf(&b, "ProcStart +0%s\nGoStart +0 g=%d%s\n", seq ? " thread=1" : "", p + 1,
                            seq ? " seq=3" : "");
        }
        if (p < PS - 1)
            tracegen_printf(&b, "GoUnblock +0 g=%d%s\n", p + 2, seq ? " seq=2 stack=0" : " stack=0");
        tracegen_printf(&b, "GoEnd +%d\n", 1000 + p * 3);
    }
    return (char *)b.p;
}

static void test_many_processors(void **state)
{
    (void)state;
    static const char *const dialects[] = {"prototype", "go 1.10", "go 1.21"};
    for (int d = 0; d < 3; d++)
        for (int step = 0; step < 2; step++) {
            char *first = NULL;
            for (int k = 0; k < 3; k++) {
                char *text = relay(dialects[d], k * 31, step);
                struct loaded l = load_text(text);
                if (trace_info(l.tr)->nwarnings)
                    fail_msg("%s: %s", dialects[d], trace_warning(l.tr, 0)->what);
                expect_whole(l.tr);
                size_t n;
                char *dump = dump_text(l.tr, &n);
                if (first && step) /* else which of equal times comes first is up to the file */
                    assert_string_equal(first, dump);
                /* each ran, after who woke it */
                int64_t last = 0;
                for (int g = 1; g <= PS; g++) {
                    struct span_iter it;
                    const struct lane lane = {LANE_G, trace_find_lane(l.tr, LANE_G, (uint64_t)g)};
                    bool ran = false;
                    for (bool more = span_seek_index(&it, l.tr, lane, 0); more; more = span_next(&it))
                        if (span_get(&it)->state == ST_RUNNING) {
                            ran = true;
                            assert_true(span_get(&it)->t0 >= last);
                            last = span_get(&it)->t0;
                        }
                    assert_true(ran);
                }
                if (first)
                    free(dump);
                else
                    first = dump;
                unload(&l);
                free(text);
            }
            free(first);
        }
}

/* ---- many bytes ---------------------------------------------------------------------------------------- */

/* Batches of two Ps in turns, of tiny events with a byte like a batch's first within. */
static struct tracegen_buf large(size_t bytes)
{
    struct tracegen_buf b = {0};
    struct rng r = {77};
    uint64_t now = 0;
    tracegen_put(&b, "go 1.11 trace\0\0", 16);
    tracegen_put(&b, "\x41\x00\x00", 3);
    tracegen_put(&b, "\xcd\x04\x00\x01\x00\x00\x45\x00\x00\xce\x03\x00\x01\x01",
                 14); /* GoCreate 1, ProcStart, GoStart */
    for (unsigned k = 0; b.n < bytes; k++) {
        if (k) {
            tracegen_put(&b, "\x41", 1);
            tracegen_varint(&b, k & 1, 0);
            tracegen_varint(&b, now, 0);
        }
        for (const size_t from = b.n; b.n < from + 40000;) {
            const uint64_t dt = below(&r, 200);
            now += dt;
            tracegen_put(&b, "\x61", 1); /* HeapAlloc */
            tracegen_varint(&b, dt, 0);
            tracegen_varint(&b, below(&r, 9) ? below(&r, 300) : 0x41, 0);
        }
    }
    tracegen_put(&b, "\x02\x80\x94\xeb\xdc\x03\x00", 6); /* Frequency */
    return b;
}

static void test_many_bytes(void **state)
{
    (void)state;
    struct tracegen_buf b = large(5u << 20);
    struct trace *tr[2];
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        const struct trace_opts o = {.threads = k + 1};
        struct err e;
        assert_int_equal(load_bytes_opts(b.p, b.n, &o, &tr[k], &e), ERR_OK);
        expect_whole(tr[k]);
        n[k] = trace_npoints(tr[k], METRIC_HEAP);
    }
    assert_true(n[0] > 1000000);
    assert_int_equal(n[0], n[1]);
    for (size_t i = 0; i < n[0]; i++) {
        const struct point a = trace_point(tr[0], METRIC_HEAP, i), b1 = trace_point(tr[1], METRIC_HEAP, i);
        if (a.t != b1.t || a.v != b1.v)
            fail_msg("point %zu: %" PRIu64 " or %" PRIu64, i, a.v, b1.v);
    }
    assert_int_equal(trace_info(tr[0])->events, trace_info(tr[1])->events);
    assert_int_equal(trace_info(tr[0])->batches, trace_info(tr[1])->batches);
    trace_close(tr[0]);
    trace_close(tr[1]);
    tracegen_free(&b);
}

/* A name may stand in every row that is written: what is longer than 4 KB is cut between two characters, and
 * that is said. */
static void test_long_names(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    for (int is_long = 0; is_long < 2; is_long++) {
        struct tracegen_buf b = {0};
        tracegen_printf(&b, "go 1.21\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\n"
                            "UserTaskCreate +1 task=1 parent=0 name=\"");
        for (int i = 0; i < (is_long ? MOST + 500 : MOST); i++)
            tracegen_printf(&b, "%s", is_long && i == MOST - 1 ? "\xc3\xa9" : "x");
        tracegen_printf(&b, "\"\n");
        struct loaded l = load_text((char *)b.p);
        const struct task *t;
        expect_whole(l.tr);
        assert_int_equal(trace_tasks(l.tr, &t), 1);
        assert_int_equal(trace_str(l.tr, t[0].name).len, MOST - is_long);
        assert_int_equal(trace_info(l.tr)->nwarnings, is_long);
        if (is_long)
            assert_non_null(strstr(trace_warning(l.tr, 0)->what, "no more than 4096 are shown"));
        unload(&l);
        tracegen_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_at_a_time),
        cmocka_unit_test(test_many_processors),
        cmocka_unit_test(test_many_bytes),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
