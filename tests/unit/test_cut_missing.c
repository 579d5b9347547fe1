/*
 * test_cut_missing.c - slices of second-family traces of which whole generations are missing: they go on behind these, their generations
 * have numbers that follow each other, as Go's reader demands, and they say nothing that the whole trace denies.
 */
#include "tests/unit/agree_help.h"
#include "tests/unit/cut_help.h"

#include "decode/v2/v2_raw.h"

enum { NEAR_NS = 20000 };

/* missing - the file without generation 2, and `called` as the number of generation 3. */
static void missing(const uint8_t *p, size_t n, int read_as, uint8_t called, struct bytes *out)
{
    struct v2_raw_gen g = {0};
    struct err e = {0};
    size_t pos = 16;
    to_bytes(out, p, pos);
    while (v2_raw_gen(&(struct v2_file){p, n, read_as}, &pos, &g, &e)) {
        const size_t from = out->n;
        if (g.number == 2)
            continue;
        to_bytes(out, g.start, (size_t)(g.end - g.start));
        for (size_t i = 0; g.number == 3 && i < g.n; i++)
            out->p[from + (size_t)(g.batch[i].at - g.start) + 1 + (g.batch[i].lead == V2R_EXPERIMENTAL)] = called;
    }
    v2_raw_gen_free(&g);
}

static void expect_numbers(const struct bytes *s, int read_as, uint64_t last)
{
    struct v2_raw_gen g = {0};
    struct err e = {0};
    size_t pos = 16;
    uint64_t number = 0;
    while (v2_raw_gen(&(struct v2_file){s->p, s->n, read_as}, &pos, &g, &e)) {
        if (number && g.number != number + 1)
            fail_msg("generation %" PRIu64 " behind %" PRIu64, g.number, number);
        assert_false(g.damage.code);
        number = g.number;
    }
    assert_int_equal(number, last);
    v2_raw_gen_free(&g);
}

static void one(const char *path, uint8_t called, double from)
{
    size_t n;
    uint8_t *p = read_file(path, &n);
    struct trace *all = load(p, n);
    struct bytes torn = {0}, s = {0};
    struct cut_result r;
    struct err e = {0};
    char where[220] = "";
    missing(p, n, all->dialect.read_as, called, &torn);
    assert_int_equal(cut(torn.p, torn.n, (int64_t)(from * (double)trace_info(all)->end), INT64_MAX, &s, &r, &e),
                     ERR_OK);
    assert_false(r.damage.code);
    expect_numbers(&s, all->dialect.read_as, from < 0.4 ? 3 : called);
    struct trace *b = load(s.p, s.n);
    assert_non_null(b);
    assert_int_equal(trace_info(b)->ndamages, 0);
    const int64_t shift = b->src.st.first_ns - all->src.st.first_ns;
    assert_true(trace_info(b)->end + shift > trace_info(all)->end - 1000000);
    if (differs(b, all, LANE_G, NEVER, shift, true, where, sizeof where) > NEAR_NS)
        fail_msg("%s from %.1f: %s", path, from, where);
    trace_close(b);
    trace_close(all);
    mem_free(s.p);
    mem_free(torn.p);
    free(p);
}

static void test_missing(void **state)
{
    (void)state;
    one("samples/http-long-1.27.trace", 3, 0);
    one("samples/http-long-1.27.trace", 9, 0);
    one("samples/http-long-1.27.trace", 9, 0.2);
    one("samples/http-long-1.27.trace", 9, 0.5);
    one("samples/http-long-1.27.trace", 9, 0.85);
    one("samples/http-long-1.23.trace", 3, 0);
    one("samples/http-long-1.23.trace", 9, 0.9);
    one("samples/http-long-1.23.trace", 9, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
