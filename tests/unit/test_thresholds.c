/*
 * test_thresholds.c - the rules' numbers: a user's file changes what is told; a mistake in it changes nothing
 * and is named with its line; what is printed can be read again.
 */
#include "triage_help.h"

#include "triage/text.h"
#include "triage/findings/thresholds.h"

static enum err_code parse(const char *text, struct err *e)
{
    return thresholds_parse("my.rules", text, strlen(text), e);
}

static void as_shipped(void)
{
    struct err e = {0};
    assert_int_equal(parse("", &e), ERR_OK);
}

static void units(void **state)
{
    struct err e = {0};
    (void)state;
    as_shipped();
    assert_int_equal(
        parse("# mine\n\n  stw-long.longest = 7ms # slow host\r\nprocs-below.busy=95%\n"
              "heap-growth.grown = 64 MB\none-goroutine.queue = 8\nlock-convoy.share = 0.02\nslow-task = off",
              &e),
        ERR_OK);
    assert_int_equal(threshold_ns(TH_STW_LONGEST), 7000000);
    assert_true(threshold(TH_BELOW_BUSY) == 0.95);
    assert_true(threshold(TH_HEAP_GROWN) == 64.0 * 1048576);
    assert_true(threshold(TH_QUEUE) == 8 && threshold(TH_SHARE) == 0.02);
    assert_true(rule_is_off(RULE_SLOW));
    assert_int_equal(parse("slow-task = on", &e), ERR_OK);
    assert_false(rule_is_off(RULE_SLOW));
    as_shipped();
    assert_int_equal(threshold_ns(TH_STW_LONGEST), 5000000);
}

/* What a user sets to nothing is reached by what there is, and nobody divides by what there is not. */
static void nothing(void **state)
{
    static const char *const traces[] = {"samples/http-1.26.trace", "samples/workers-1.10.trace",
                                         "samples/tasks-1.27.trace"};
    struct text t = {0}, zero = {0};
    struct err e = {0};
    (void)state;
    as_shipped();
    rules_text(&t);
    for (const char *p = t.p, *is; (is = strstr(p, " = ")) != NULL; p = is + 3) {
        const char *name = is, *unit = is + 3 + strspn(is + 3, "0123456789.");
        while (name > t.p && name[-1] > ' ')
            name--;
        if (unit > is + 3 && memchr(name, '.', (size_t)(is - name)))
            text_add(&zero, "%.*s = 0%.*s\n", (int)(is - name), name, (int)strcspn(unit, " \n"), unit);
    }
    if (parse(zero.p, &e))
        fail_msg("%s", e.what);
    assert_true(threshold(TH_DOUBLE) < 1e-6 && threshold(TH_DOUBLE) > 0);
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct loaded l;
        help_load(traces[i], &l);
        assert_true(l.fs.n > 0);
        load_free(&l);
    }
    as_shipped();
    text_free(&t);
    text_free(&zero);
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"one-goroutine.queue = 9\nlock-convoy.share = 5ms\n",
         "my.rules:2: '5ms' is not what stands there: expected a share"},
        {"stw-long.longest = 5\n", "my.rules:1: '5' is not what stands there: expected a time as 5ms"},
        {"stw-long.longest = -5ms\n", "'-5ms'"},
        {"gc-share.share = 120%\n", "at most 100%"},
        {"stw-long.longest = nan\n", "'nan'"},
        {"stw-long.longest = 1e300s\n", "'1e300s'"},
        {"\n\nstw-long.nonsense = 5ms", "my.rules:3: 'nonsense' is no number of this rule"},
        {"nonsense.share = 5%", "'nonsense' is no rule"},
        {"stw-long 5ms", "has no '='"},
        {"slow-task = maybe", "neither on nor off"},
        {"= 5", "'' is no rule"},
        {"slow-task. = 5", "is no number of this rule"},
        {"\x1b[2Jrule = 5", "is no rule"},
    };
    (void)state;
    as_shipped();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        assert_int_equal(parse(bad[i].text, &e), ERR_ARG);
        if (!strstr(e.what, bad[i].said))
            fail_msg("%s", e.what);
        assert_null(strchr(e.what, 0x1b));
    }
    assert_true(threshold(TH_QUEUE) == 1.5); /* the good line before the bad one did not count either */
    struct err e = {0};
    assert_int_equal(thresholds_read("no/such/file", &e), ERR_IO);
    assert_int_equal(thresholds_read("tests", &e), ERR_IO);
    assert_int_equal(thresholds_parse("nul", "a\0b", 3, &e), ERR_ARG);
}

static void printed_and_read_again(void **state)
{
    struct err e = {0};
    struct text t = {0}, u = {0};
    (void)state;
    as_shipped();
    assert_int_equal(parse("stw-long.longest = 1500us\nheap-growth.grown = 7MB\nthundering-herd = off", &e),
                     ERR_OK);
    rules_text(&t);
    assert_true(text_ok(&t));
    assert_non_null(strstr(t.p, "stw-long.longest = 1.5ms"));
    assert_non_null(strstr(t.p, "shipped: 5ms"));
    as_shipped();
    assert_int_equal(thresholds_parse("printed", t.p, t.n, &e), ERR_OK);
    rules_text(&u);
    assert_string_equal(t.p, u.p);
    for (int i = 0; i < RULE_COUNT; i++)
        assert_non_null(strstr(t.p, rule_id((enum rule)i)));
    text_free(&t);
    text_free(&u);
    as_shipped();
}

static bool speaks(const char *path, enum rule r)
{
    struct loaded l;
    help_load(path, &l);
    const bool spoke = help_told(&l, r);
    load_free(&l);
    return spoke;
}

static void they_decide(void **state)
{
    static const char lock[] = "samples/lock-1.26.trace";
    struct err e = {0};
    (void)state;
    as_shipped();
    static const char grow[] = "tests/golden/report-grow.trace";
    assert_true(speaks(grow, RULE_HEAP));
    assert_int_equal(parse("heap-growth.grown = 1000GB", &e), ERR_OK);
    assert_false(speaks(grow, RULE_HEAP));
    as_shipped();
    assert_true(speaks(lock, RULE_LOCK));
    assert_int_equal(parse("lock-convoy = off", &e), ERR_OK);
    assert_false(speaks(lock, RULE_LOCK));
    as_shipped();
    as_shipped();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),       cmocka_unit_test(mistakes), cmocka_unit_test(printed_and_read_again),
        cmocka_unit_test(they_decide), cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
