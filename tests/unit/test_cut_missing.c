/*
 * test_cut_missing.c - slices of second-family traces of which whole generations are missing: they go on behind these, their generations
 * have numbers that follow each other, as Go's reader demands, and they say nothing that the whole trace denies.
 */
#include "tests/unit/agree_help.h"
#include "tests/unit/cut_help.h"

#include "decode/v2/v2_raw.h"
#include "tests/support/tracegen.h"

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

/* crowd - a first generation in which `n` goroutines wait. */
static void crowd(struct tracegen_buf *b, int n)
{
    tracegen_printf(b, "go 1.26\nbatch gen=1 m=7 t=1000\nProcStatus p=0 running\nGoStatus g=1 m=7 running\n");
    for (int g = 2; g < n; g++)
        tracegen_printf(b, "GoStatus g=%d m=-1 waiting\n", g);
    tracegen_printf(b, "endgen\n");
}

/* turn - a generation in which `one`, which runs, wakes another one; that runs and, unless it `stays`, wakes `one` and waits. */
static void turn(struct tracegen_buf *b, int gen, int one, int g, int seq, bool stays)
{
    tracegen_printf(b,
                    "batch gen=%d m=7 t=%d\nProcStatus +1 p=0 running\nGoStatus +1 g=%d m=7 running\n"
                    "GoStatus +1 g=%d m=-1 waiting\nGoUnblock +10 g=%d g_seq=%d\nGoBlock +100 reason=\"select\"\n"
                    "GoStart +1 g=%d g_seq=%d\n",
                    gen, gen * 100000, one, g, g, seq, g, seq + 1);
    if (!stays)
        tracegen_printf(b, "GoUnblock +50 g=%d g_seq=1\nGoBlock +300 reason=\"sync\"\nGoStart +1 g=%d g_seq=2\n", one,
                        one);
    tracegen_printf(b, "endgen\n");
}

/* Many generations that are missing: in those before the limit the slice goes on, and it is whole. */
static void test_limit(void **state)
{
    (void)state;
    enum { GS = 4000, GENS = 100 };
    struct tracegen_buf b = {0}, made = {0};
    char why[200];
    crowd(&b, GS);
    for (int i = 0; i < GENS; i++)
        turn(&b, 3 + 2 * i, 1, 2 + i, 1, false);
    assert_int_equal(tracegen_encode((char *)b.p, &made, why, sizeof why), 0);
    struct bytes s = {0};
    struct cut_result r;
    struct err e = {0};
    assert_int_equal(cut(made.p, made.n, 0, INT64_MAX, &s, &r, &e), ERR_OK);
    assert_int_equal(r.damage.code, ERR_ORDER);
    assert_non_null(strstr(r.damage.what, "as in 64 generations before"));
    struct trace *tr = load(s.p, s.n);
    assert_non_null(tr);
    assert_int_equal(trace_info(tr)->ndamages, 0);
    const struct lane last = {LANE_G, trace_find_lane(tr, LANE_G, 30)},
                      none = {LANE_G, trace_find_lane(tr, LANE_G, 90)};
    struct shares x;
    trace_shares(tr, last, 0, INT64_MAX, &x);
    assert_in_range(x.ns[ST_RUNNING], 340, 360);
    trace_shares(tr, none, 0, INT64_MAX, &x);
    assert_in_range(x.ns[ST_RUNNING], 0, 64);
    trace_close(tr);
    mem_free(s.p);
    tracegen_free(&made);
    tracegen_free(&b);
}

/* Small generations, then one of which an event is missing: those before it are run again from the last copy. */
static void test_again(void **state)
{
    (void)state;
    enum { GS = 4000, GENS = 40 };
    struct tracegen_buf b = {0}, made = {0};
    char why[200], where[220] = "";
    crowd(&b, GS);
    for (int i = 0; i < GENS; i++)
        turn(&b, 2 + i, i > 15 ? 2 : 1, i == 15 ? 2 : 3 + i % 7, i == 30 ? 9 : 1, i == 15);
    assert_int_equal(tracegen_encode((char *)b.p, &made, why, sizeof why), 0);
    struct bytes s = {0};
    struct cut_result r;
    struct err e = {0};
    assert_int_equal(cut(made.p, made.n, 0, INT64_MAX, &s, &r, &e), ERR_OK);
    assert_false(r.damage.code);
    assert_int_equal(r.lost.code, ERR_ORDER);
    struct trace *all = load(made.p, made.n), *tr = load(s.p, s.n);
    assert_non_null(all);
    assert_non_null(tr);
    assert_int_equal(trace_info(tr)->ndamages, 0);
    if (differs(all, tr, LANE_G, trace_info(all)->end, 0, false, where, sizeof where) > 400)
        fail_msg("%s", where);
    trace_close(tr);
    trace_close(all);
    mem_free(s.p);
    tracegen_free(&made);
    tracegen_free(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_missing), cmocka_unit_test(test_limit),
                                              cmocka_unit_test(test_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
