/*
 * test_triage_text.c - the small parts: clean text, units, the map, histograms and quantiles, conditions.
 */
#include "triage_help.h"

#include "triage/say.h"
#include "triage/tables/metrics.h"
#include "triage/report/report.h"

static const char *clean(const char *p, size_t n, size_t max, bool ascii)
{
    static char buf[512];
    struct text t = {.ascii = ascii};
    text_clean(&t, p, n, max);
    snprintf(buf, sizeof buf, "%s", t.p ? t.p : "");
    text_free(&t);
    return buf;
}
#define CLEAN(s) clean(s, sizeof s - 1, 0, false)

/* Usage on a narrow terminal: no line is longer, no word is lost or cut, what stands behind an option stays
 * in its column. */
static void fitted_usage(void **state)
{
    static const char usage[] =
        "usage: gotop x\nWords that go on for more than one of the lines.\n\n"
        "  --one N    of this there is more than fits here\n"
        "  --two      short\n  gotop no --gap -o FILE is to be seen here\n  gotop next\n";
    struct text t = {0};
    (void)state;
    say_help(&t, usage);
    assert_string_equal(t.p, usage);
    text_free(&t);
    say_columns(30);
    say_help(&t, usage);
    say_columns(0);
    assert_string_equal(t.p, "usage: gotop x\nWords that go on for more than\none of the lines.\n\n"
                             "  --one N    of this there is\n             more than fits\n             here\n"
                             "  --two      short\n  gotop no --gap -o FILE is to\n      be seen here\n"
                             "  gotop next\n");
    text_free(&t);
}

/* Rows of a page on a narrow terminal go on below their last column; blanks between columns stay, no
 * character is cut. */
static void broken_pages(void **state)
{
    static const char page[] =
        "Title of it\n  20.3%   4.06ms  18  waiting for a processor\n  short  row\n"
        "a line of words without any columns in it\n    \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n";
    struct text t = {0};
    (void)state;
    say_fitted(&t, page, 200);
    assert_string_equal(t.p, page);
    text_free(&t);
    say_fitted(&t, page, 31);
    assert_string_equal(
        t.p, "Title of it\n  20.3%   4.06ms  18  waiting\n                  for a\n"
             "                  processor\n  short  row\na line of words without any\n"
             "columns in it\n    \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
             "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n        \xc3\xa9\xc3\xa9\n");
    text_free(&t);
}

static void hostile_bytes(void **state)
{
    (void)state;
    assert_string_equal(CLEAN("a\x1b[31mb\tc\nd\x7f"
                              "e"),
                        "a?[31mb?c?d?e");
    assert_string_equal(CLEAN("\0x"), "?x");
    assert_string_equal(CLEAN("caf\xc3\xa9"), "caf\xc3\xa9");
    assert_string_equal(CLEAN("\xc3"), "?");                /* cut short */
    assert_string_equal(CLEAN("\xc0\xaf"), "??");           /* overlong */
    assert_string_equal(CLEAN("\xe0\x80\xaf"), "???");      /* overlong */
    assert_string_equal(CLEAN("\xed\xa0\x80"), "???");      /* surrogate */
    assert_string_equal(CLEAN("\xf5\x80\x80\x80"), "????"); /* beyond Unicode */
    assert_string_equal(CLEAN("\xc2\x9b"
                              "2J"),
                        "?2J"); /* C1 control */
    assert_string_equal(CLEAN("a\xe2\x80\xae"
                              "b"),
                        "a?b"); /* right-to-left override */
    assert_string_equal(CLEAN("a\xe2\x80\xa8"
                              "b"),
                        "a?b"); /* line separator */
    assert_string_equal(CLEAN("\xf0\x9f\x99\x82"), "\xf0\x9f\x99\x82");
    assert_string_equal(clean("caf\xc3\xa9", 5, 0, true), "caf\\u{e9}");
    assert_string_equal(clean("abcdefghij", 10, 6, false), "abcd..");
    assert_string_equal(clean("abcdef", 6, 6, false), "abcdef");
}

/* Whatever comes in, what goes out is printable and valid, at every cut. */
static void random_bytes(void **state)
{
    uint32_t x = 12345;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char in[24];
        const char *out;
        size_t n = (size_t)round % sizeof in;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525 + 1013904223;
            in[i] = (char)(x >> 24);
        }
        out = clean(in, n, round % 3 ? 0 : 8, true);
        for (size_t i = 0; out[i]; i++)
            assert_true(out[i] >= 0x20 && out[i] < 0x7f);
    }
}

static const char *dur(int64_t ns)
{
    static char buf[64];
    struct text t = {0};
    text_dur(&t, ns);
    snprintf(buf, sizeof buf, "%s", t.p);
    text_free(&t);
    return buf;
}

static const char *between(int64_t t0, int64_t t1, bool ticks)
{
    static char buf[64];
    struct text t = {.ticks = ticks};
    text_between(&t, t0, t1);
    snprintf(buf, sizeof buf, "%s", t.p);
    text_free(&t);
    return buf;
}

/* The ends of a range differ on the page, too, however late in the trace it is. */
static void ranges(void **state)
{
    (void)state;
    assert_string_equal(between(0, 2002000000, false), "0..2.002s");
    assert_string_equal(between(61357760, 69572352, false), "61.4ms..69.6ms");
    assert_string_equal(between(657772480, 658068416, false), "657.77ms..658.06ms");
    assert_string_equal(between(999900000, 1000100000, false), "999.90ms..1.00010s");
    assert_string_equal(between(1084039233, 1084062273, false), "1.084039s..1.084062s");
    assert_string_equal(between(7205000000001, 7205000000002, false), "7205.000000001s..7205.000000002s");
    assert_string_equal(between(7205000000000, 7206500000000, false), "7205.0s..7206.5s");
    assert_string_equal(between(123456, 123457, true), "123456t..123457t");
}

static void units(void **state)
{
    (void)state;
    assert_string_equal(dur(0), "0");
    assert_string_equal(dur(999), "999ns");
    assert_string_equal(dur(1000), "1.00us");
    assert_string_equal(dur(999499), "999us");
    assert_string_equal(dur(999500), "1.00ms");
    assert_string_equal(dur(41000000), "41.0ms");
    assert_string_equal(dur(2314000000), "2.314s");
    assert_string_equal(dur(192000000000), "3m12s");
    assert_string_equal(dur(3599400000000), "59m59s");
    assert_string_equal(dur(3599500000000), "1h00m00s");
    assert_string_equal(dur(7512000000000), "2h05m12s");
    assert_string_equal(dur(-1500), "-1.50us");
    assert_true(strlen(dur(INT64_MAX)) < 20 && strlen(dur(INT64_MIN)) < 20);
}

static void a_map(void **state)
{
    struct tab m = {0};
    (void)state;
    assert_int_equal(tab_get(&m, 1, 2), TAB_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(tab_put(&m, i % 100, i / 100, i), i);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(tab_put(&m, i % 100, i / 100, 77777), i);
        assert_int_equal(tab_get(&m, i % 100, i / 100), i);
    }
    assert_int_equal(tab_get(&m, 100, 0), TAB_NONE);
    tab_free(&m);
}

static uint64_t by_id(const void *row)
{
    return *(const uint32_t *)row;
}

static void rows_find_their_places(void **state)
{
    enum { N = 1000 };
    static struct {
        uint32_t id;
        char more[60];
    } v[N];
    static uint32_t places[N];
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t to = i * 7 % N; /* several rings */
        v[i].id = to;
        memset(v[i].more, (int)(to % 251), sizeof v[i].more);
    }
    assert_true(rows_by(v, sizeof *v, N, by_id, NULL, places));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(v[i].id, i);
        assert_int_equal((unsigned char)v[i].more[59], i % 251);
        assert_int_equal(places[i], i * 7 % N);
    }
}

/* Of any width, few and many. */
static void numbers_in_order(void **state)
{
    enum { N = 5000 };
    static uint64_t v[N];
    static struct keyed_row r[N];
    const uint64_t negative = UINT64_C(1) << 63;
    (void)state;
    for (unsigned width = 1; width <= 64; width += 7) {
        for (unsigned n = 0; n <= N; n = n * 3 + 1) {
            uint64_t x = width;
            for (unsigned i = 0; i < n; i++) {
                x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
                v[i] = (x >> (64 - width) & ~UINT64_C(3)) | (i & 3);
                r[i] = (struct keyed_row){v[i], i};
            }
            assert_true(rows_sort(r, n));
            for (unsigned i = 1; i < n; i++) {
                assert_true(r[i - 1].key < r[i].key || (r[i - 1].key == r[i].key && r[i - 1].row < r[i].row));
                assert_true(r[i].key == v[r[i].row]);
            }
            for (unsigned i = 0; i < n; i++) {
                v[i] = (v[i] & ~UINT64_C(3)) | (width < 60 ? 3 - (i & 3) : i & 3);
                r[i] = (struct keyed_row){v[i] ^ negative, i};
            }
            ns_sort((int64_t *)v, n);
            assert_true(rows_sort(r, n));
            for (unsigned i = 0; i < n; i++)
                assert_true(v[i] == (r[i].key ^ negative));
        }
    }
}

static int cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void quantiles(void **state)
{
    static struct hist h;
    int64_t v[5000];
    uint64_t x = 88172645463325252u, seen = 0;
    struct dist d, e;
    (void)state;
    memset(&h, 0, sizeof h);
    for (int i = 0; i < 5000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v[i] = (int64_t)(x >> (20 + i % 40));
        hist_add(&h, v[i]);
    }
    hist_dist(&h, &d);
    dist_of(&e, v, 5000);
    qsort(v, 5000, sizeof *v, cmp);
    assert_int_equal(d.n, 5000);
    assert_int_equal(d.total, e.total);
    assert_int_equal(d.min, e.min);
    assert_int_equal(d.max, e.max);
    assert_int_equal(e.p50, v[2499]);
    assert_int_equal(e.p90, v[4499]);
    assert_int_equal(e.p99, v[4949]);
    for (int k = 1; k <= 1000; k++) { /* the rank may round to a neighbour */
        int64_t lo = v[k * 5 - 2], hi = v[k * 5 < 5000 ? k * 5 : 4999], got = hist_quantile(&h, k / 1000.0);
        assert_true(got >= lo - lo / 50 - 1 && got <= hi + hi / 50 + 1);
    }
    for (int k = 0; k < 62; k++)
        seen += hist_between(&h, k ? (int64_t)1 << k : 0, (int64_t)1 << (k + 1));
    assert_int_equal(seen, 5000);
    dist_of(&e, v, 0);
    assert_int_equal(e.n, 0);
    dist_of(&e, v, 1);
    assert_int_equal(e.p99, v[0]);
    hist_add(&h, INT64_MAX);
    hist_add(&h, -5);
    assert_int_equal(h.max, INT64_MAX);
    assert_int_equal(hist_quantile(&h, 1), INT64_MAX);
}

static void conditions(void **state)
{
    static const char *const bad[] = {
        "", "stw.max", "<1ms", "stw.max<", "stw.max<1parsec", "stw.max=1ms", "stw.max!1ms", "x<nan"};
    struct condition c;
    struct err e;
    (void)state;
    assert_int_equal(condition_parse("stw.max<1ms", false, &c, &e), ERR_OK);
    assert_string_equal(c.metric, "stw.max");
    assert_true(c.unit == UNIT_NS && c.v == 1e6 && !c.relative);
    assert_true(condition_holds(&c, 999999) && !condition_holds(&c, 1e6));
    assert_int_equal(condition_parse("p99(sched) >= 200us", false, &c, &e), ERR_OK);
    assert_string_equal(c.metric, "p99(sched)");
    assert_true(condition_holds(&c, 2e5) && !condition_holds(&c, 199999));
    assert_int_equal(condition_parse("gc.share<=12.5%", false, &c, &e), ERR_OK);
    assert_true(c.unit == UNIT_SHARE && c.v == 0.125);
    assert_int_equal(condition_parse("heap.max<64MB", false, &c, &e), ERR_OK);
    assert_true(c.unit == UNIT_BYTES && c.v == 64.0 * 1048576);
    assert_int_equal(condition_parse("p99(sched)>+20%", true, &c, &e), ERR_OK);
    assert_true(c.relative && c.percent && c.v == 0.2);
    assert_int_equal(condition_parse("stw.max>-5us", true, &c, &e), ERR_OK);
    assert_true(c.relative && !c.percent && c.v == -5000);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (condition_parse(bad[i], false, &c, &e) != ERR_ARG) {
            print_error("'%s' was taken\n", bad[i]);
            fail();
        }
    }
}

/* What no trace can answer is known before one is read. */
static void conditions_without_a_trace(void **state)
{
    static const char *const good[] = {"stw.max<1ms",
                                       "stw.gc.p99<1ms",
                                       "p99(sched)>0",
                                       "gc.share<5%",
                                       "heap.max<5MB",
                                       "findings<3",
                                       "mmu(10ms)>1%",
                                       "count(task)>5",
                                       "p90(task:a b)<1s",
                                       "region:x.max<1s",
                                       "total(blocked:sync)<1s",
                                       "avg(exec:main.(*T).f)<1s",
                                       "p99.9(request)<1s",
                                       "request.p99.9<1s",
                                       "p95(request:main.serve)<1s",
                                       "piece:main.work.count>5"};
    static const struct {
        const char *text, *says;
    } bad[] = {{"stw.maxx<1ms", "no metric named 'stw.maxx'"},
               {"p98(sched)<1ms", "no metric named"},
               {"request.p99.8<1s", "no metric named"},
               {"p99.9<1s", "no metric named"},
               {"p99(piece)<1s", "no metric named"},
               {"p99(schd)<1ms", "no metric named"},
               {"mmu(x)>1%", "no metric named"},
               {"stw.max<1", "stw.max is a time: 5us"},
               {"gc.share<5", "gc.share is a share: 12.5%"},
               {"heap.max<5ms", "heap.max is a size: 64KB"},
               {"findings<5%", "findings is a number: 5"}};
    struct condition c;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (condition_parse(good[i], false, &c, &e))
            fail_msg("%s: %s", good[i], e.what);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(condition_parse(bad[i].text, false, &c, &e), ERR_ARG);
        if (!strstr(e.what, bad[i].says))
            fail_msg("%s: %s", bad[i].text, e.what);
    }
    assert_int_equal(condition_parse("p99(sched)>+20%", true, &c, &e),
                     ERR_OK); /* a change in percent, of whatever it is */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_usage),
        cmocka_unit_test(broken_pages),
        cmocka_unit_test(hostile_bytes),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(units),
        cmocka_unit_test(ranges),
        cmocka_unit_test(a_map),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(conditions),
        cmocka_unit_test(conditions_without_a_trace),
        cmocka_unit_test(rows_find_their_places),
        cmocka_unit_test(numbers_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
