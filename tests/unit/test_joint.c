/*
 * test_joint.c - several files of one program as one trace (decode/input/joint.h).
 *
 * A sample with several generations is cut into files of some of them. Together they must be the sample
 * again; where one is missing each side must say of every lane what it says alone, and nothing in between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/input/joint.h"
#include "decode/input/stream.h"
#include "decode/trace.h"
#include "tests/unit/gap_help.h"

static const char *const samples[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace"};
enum { SAMPLES = 2, FILES = 8 };

static char dir[] = "/tmp/gotop-joint-XXXXXX";
static char name[FILES][64];

struct cut {
    struct input in;
    struct stream st;
};

static void cut_open(struct cut *c, const char *path)
{
    struct err e = {0};
    memset(c, 0, sizeof *c);
    assert_int_equal(input_open(path, 0, &c->in, &e), ERR_OK);
    assert_int_equal(stream_put(&c->st, c->in.data, c->in.len, &e), ERR_OK);
    stream_end(&c->st);
    assert_true(stream_whole(&c->st) >= 3);
}

static void cut_close(struct cut *c)
{
    stream_free(&c->st);
    input_close(&c->in);
}

static void put(int file, const void *p, size_t n)
{
    snprintf(name[file], sizeof name[file], "%s/%d.trace", dir, file);
    FILE *f = fopen(name[file], "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Generations [i, i+n) as a file; less: so many bytes of its end are missing. */
static void put_gens(const struct cut *c, int file, size_t i, size_t n, size_t less)
{
    size_t len;
    uint8_t *p = stream_join(&c->st, i, n, &len);
    assert_non_null(p);
    put(file, p, len - less);
    mem_free(p);
}

static enum err_code open_files(int n, struct input *in, struct err *e)
{
    const char *v[FILES];
    for (int i = 0; i < n; i++)
        v[i] = name[i];
    struct joint_paths more = {v + 1, (uint32_t)n - 1};
    *e = (struct err){0};
    return input_open_all(v[0], &more, 0, in, e);
}

static void overlaps_once(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        struct cut c;
        struct input in;
        struct err e;
        cut_open(&c, samples[s]);
        const size_t n = stream_whole(&c.st);
        put_gens(&c, 0, 1, n - 1, 0); /* the later one first */
        put_gens(&c, 1, 0, 2, 0);
        put_gens(&c, 2, 1, 1, 0);
        assert_int_equal(open_files(3, &in, &e), ERR_OK);
        assert_int_equal(in.len, c.in.len);
        assert_memory_equal(in.data, c.in.data, in.len);
        assert_int_equal(in.ngap, 0);
        assert_int_equal(in.damage.code, ERR_OK);
        input_close(&in);
        /* What one file has only a part of is taken from the other. */
        put_gens(&c, 1, 0, 2, 100);
        assert_int_equal(open_files(3, &in, &e), ERR_OK);
        assert_int_equal(in.len, c.in.len);
        assert_memory_equal(in.data, c.in.data, in.len);
        input_close(&in);
        cut_close(&c);
    }
}

static struct trace *load(const char *path, const struct joint_paths *more)
{
    struct trace *tr;
    struct err e = {0};
    struct trace_opts o = {.threads = 1};
    if (more)
        o.more = *more;
    assert_int_equal(trace_open(path, &o, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    assert_null(trace_fatal(tr));
    return tr;
}

/* Of [t0,t1) of `alone` every goroutine and P says in `all` what it says alone. */
static void same_sums(const struct trace *alone, const struct trace *all, int64_t t0, int64_t t1)
{
    const int64_t d = trace_info(alone)->first_ns - trace_info(all)->first_ns;
    static const enum lane_kind kinds[] = {LANE_G, LANE_P};
    for (int x = 0; x < 2; x++)
        for (uint32_t i = 0, n = trace_nlanes(alone, kinds[x]); i < n; i++) {
            struct lane l = {kinds[x], i};
            uint32_t k = trace_find_lane(all, kinds[x], trace_lane(alone, l).id);
            struct shares a, b;
            assert_int_not_equal(k, NO_LANE);
            trace_shares(alone, l, t0, t1, &a);
            trace_shares(all, (struct lane){kinds[x], k}, t0 + d, t1 + d, &b);
            for (int st = 0; st < ST_COUNT; st++)
                if (a.ns[st] != b.ns[st])
                    fail_msg("%s%llu %s: %lld alone, %lld together", x ? "P" : "G",
                             (unsigned long long)trace_lane(alone, l).id, state_name((enum state)st),
                             (long long)a.ns[st], (long long)b.ns[st]);
        }
}

static void gap_is_empty(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        struct cut c;
        cut_open(&c, samples[s]);
        const size_t n = stream_whole(&c.st);
        put_gens(&c, 0, 0, 1, 0);
        put_gens(&c, 1, 2, n - 2, 0);
        const char *second = name[1];
        struct joint_paths more = {&second, 1};
        struct trace *a = load(name[0], NULL), *b = load(name[1], NULL), *all = load(name[0], &more);
        struct gap gap[4];
        assert_int_equal(gaps_of(all, gap, 4), 1);
        assert_int_equal(trace_info(all)->ndamages, 0);
        assert_int_equal(trace_info(all)->nwarnings, 1);
        assert_int_equal(trace_info(all)->events, trace_info(a)->events + trace_info(b)->events);
        const int64_t d = trace_info(b)->first_ns - trace_info(a)->first_ns;
        assert_int_equal(gap->t0, trace_info(a)->end);
        assert_true(gap->t1 <= d && gap->t1 > gap->t0);
        assert_int_equal(trace_info(all)->end, d + trace_info(b)->end);
        same_sums(a, all, 0, trace_info(a)->end);
        same_sums(b, all, 0, trace_info(b)->end);
        for (int x = 0; x < 2; x++)
            for (uint32_t i = 0; i < trace_nlanes(all, x ? LANE_P : LANE_G); i++) {
                struct shares sh;
                trace_shares(all, (struct lane){x ? LANE_P : LANE_G, i}, gap->t0, gap->t1, &sh);
                assert_int_equal(sh.ns[ST_NONE] + sh.ns[ST_UNKNOWN], gap->t1 - gap->t0);
            }
        /* The other way round it is the same trace. */
        const char *first = name[0];
        more = (struct joint_paths){&first, 1};
        struct trace *again = load(name[1], &more);
        assert_int_equal(trace_info(again)->end, trace_info(all)->end);
        assert_int_equal(trace_info(again)->events, trace_info(all)->events);
        trace_close(again);
        trace_close(a);
        trace_close(b);
        trace_close(all);
        cut_close(&c);
    }
}

/* The run queue's curve counts nobody within a gap. */
static void gap_counts_nobody(void **state)
{
    (void)state;
    struct cut c;
    cut_open(&c, samples[1]);
    put_gens(&c, 0, 0, 1, 0);
    put_gens(&c, 1, 2, 1, 0);
    const char *second = name[1];
    struct joint_paths more = {&second, 1};
    struct trace *all = load(name[0], &more);
    struct gap gap[4];
    const struct gbucket *v;
    int64_t width;
    assert_int_equal(gaps_of(all, gap, 4), 1);
    size_t n = trace_gcounts(all, &width, &v), seen = 0;
    for (size_t i = 0; i < n; i++)
        if ((int64_t)i * width >= gap->t0 + 1 && (int64_t)(i + 1) * width <= gap->t1) {
            for (int k = 0; k < GC_COUNT; k++)
                assert_int_equal(v[i].ns[k], 0);
            seen++;
        }
    assert_true(seen > 2);
    trace_close(all);
    cut_close(&c);
}

static void cut_short(void **state)
{
    (void)state;
    struct cut c;
    struct input in;
    struct err e;
    cut_open(&c, samples[1]);
    put_gens(&c, 0, 0, 2, 200);
    put_gens(&c, 1, 2, 1, 0);
    assert_int_equal(open_files(2, &in, &e), ERR_OK);
    assert_int_equal(in.ngap, 1);
    assert_int_equal(in.damage.code, ERR_TRUNCATED);
    assert_non_null(strstr(in.damage.what, "0.trace ends within generation"));
    input_close(&in);
    cut_close(&c);
}

static void refused(const char *say)
{
    struct input in;
    struct err e;
    assert_int_equal(open_files(2, &in, &e), ERR_APART);
    if (!strstr(e.what, say))
        fail_msg("'%s' does not say '%s'", e.what, say);
    assert_null(in.data);
}

static void copy_of(int file, const char *path)
{
    struct input in;
    struct err e = {0};
    assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
    put(file, in.data, in.len);
    input_close(&in);
}

static void others_are_refused(void **state)
{
    (void)state;
    struct cut c;
    copy_of(0, "samples/http-1.26.trace");
    copy_of(1, "samples/lock-1.26.trace");
    refused("no thread in common");
    copy_of(1, "samples/http-1.25.trace");
    refused("two programs");
    copy_of(1, "samples/http-1.21.trace");
    refused("before Go 1.22");
    /* The same numbers, but not the same generation. */
    cut_open(&c, samples[0]);
    size_t len;
    uint8_t *p = stream_join(&c.st, 0, 2, &len);
    put(0, p, len);
    size_t at = c.st.gen[1].n - STREAM_HEADER;
    p[len - at + at / 2] ^= 1;
    put(1, p, len);
    refused("both count the same generations");
    mem_free(p);
    cut_close(&c);
}

static void one_that_cant_be_read(void **state)
{
    (void)state;
    struct input in;
    struct err e;
    copy_of(0, samples[0]);
    put(1, "no trace at all", 15);
    assert_int_equal(open_files(2, &in, &e), ERR_NOT_TRACE);
    assert_non_null(strstr(e.what, "1.trace: "));
    unlink(name[1]);
    assert_int_equal(open_files(2, &in, &e), ERR_IO);
    assert_non_null(strstr(e.what, "1.trace: "));
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++)
        if (*name[i])
            unlink(name[i]);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_once),      cmocka_unit_test(gap_is_empty),
        cmocka_unit_test(gap_counts_nobody),  cmocka_unit_test(cut_short),
        cmocka_unit_test(others_are_refused), cmocka_unit_test(one_that_cant_be_read),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
