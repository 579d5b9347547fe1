/*
 * test_causes_won.c - what mending what stands in the programs of test_causes.c would win: at least, at most, and in words.
 */
#include "triage_help.h"

#include "triage/findings/thresholds.h"

/* Its lower end is a share of the upper one, which is a number of the user's like others, and in the words. */
static void what_goes_at_least(void **state)
{
    struct err e = {0};
    const char less[] = "time-spent.part = 30%\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", less, i ? sizeof less - 1 : 0, &e), ERR_OK);
        help_cause("skew", &l);
        const struct finding *f = &l.fs.f[0];
        const double spread = threshold(TH_WON_SPREAD) * (double)l.tg->end, part = i ? 0.3 : 0.7;
        assert_int_equal(f->rule, RULE_UNBALANCED);
        assert_true(((double)f->won_lo + spread) / ((double)f->won_hi - spread) > part - 0.001);
        assert_true(((double)f->won_lo + spread) / ((double)f->won_hi - spread) < part + 0.001);
        assert_non_null(
            strstr(f->won, i ? "if between 30 % and all of it goes" : "if between 70 % and all of it goes"));
        load_free(&l);
    }
    thresholds_reset();
}

/* How much of it at least, and at most: by what the program's source says would be left. */
static void what_is_won_has_bounds(void **state)
{
    static const struct {
        const char *name;
        enum rule rule;
        double least, most; /* the upper end lies between */
        bool more;          /* and it may be more than that */
        const char *words;
    } row[] = {
        {"clerks", RULE_CONVOY, 0.80, 0.9, false,
         "waits for a processor that"}, /* what is done under it stays to be done */
        {"reload", RULE_CONVOY, 0.36, 0.6, false,
         "waits for a processor that"}, /* who holds it doesn't wait for it */
        {"tollbooth", RULE_CONVOY, 0.60, 1, false, "if the holders need not wait for a processor"},
        {"lostkeys", RULE_SLOTS, 0.70, 0.95, false, "all the waiting there"},
        {"stampede", RULE_STAMPEDE, 0.36, 0.5, false, NULL}, /* and queue for processors */
        {"nightwatch", RULE_TICKERS, 0.18, 0.4, true, "does not show how late this makes other timers"},
        {"cleanstalled", RULE_HOST, 0.05, 0.9, true, "shows only part of what the host takes"}, /* never all of it */
        {"notaries", RULE_CONVOY, 0.85, 0.95, false, "(fsync) may still wait for each other"},
        {"bookkeepers", RULE_EACH, 0.90, 1, false,
         "the time of that one remains"}, /* and processors are waited for between */
        {"tinker", RULE_SMALL_CALLS, 0.70, 0.75, true, "entering and leaving each costs"},
        {"coatrack", RULE_CONVOY, 0.25, 0.4, false, NULL},  /* no more than while the 120 were there */
        {"crawl", RULE_SERIAL_CALLS, 0.95, 1, false, NULL}, /* main does nothing else */
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct loaded l;
        help_cause(row[i].name, &l);
        const struct finding *f = help_tells(&l, row[i].rule);
        const double end = (double)l.tg->end, hi = (double)f->won_hi / end;
        if (hi < row[i].least || hi > row[i].most || f->won_more != row[i].more) {
            fail_msg("%s: at most %.3f: %s", row[i].name, hi, f->won);
        }
        assert_true(!row[i].words || strstr(f->won, row[i].words));
        assert_true(f->won_hi >= f->severity_ns || f->rule == RULE_CONVOY); /* a convoy's is told of who waits */
        load_free(&l);
    }
}

/* What timers begin can't be done in place. */
static void what_timers_begin(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("alarmclock", &l);
    const struct finding *f = help_tells(&l, RULE_CHURN);
    assert_non_null(strstr(f->text, "main.(*clock).touch.func1"));
    assert_non_null(strstr(f->text, "Timers start them (time.AfterFunc"));
    assert_non_null(strstr(f->next, "Reset"));
    assert_null(strstr(f->next, "in place"));
    assert_true(f->severity_ns < l.tg->end / 50 && f->won_lo == 0 && f->won_more); /* 1 us each, not their waits */
    load_free(&l);
}

/* No more is sure than what lies on the main goroutine's way; how far it leads through what it asks over the network nobody knows. */
static void what_the_way_leaves_out(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("frontdesk", &l);
    const struct finding *f = help_tells(&l, RULE_SERIAL_CALLS);
    assert_int_equal(f->won_lo, 0);
    assert_true(f->severity_ns > l.tg->end / 4);
    assert_non_null(strstr(f->won, "whose other end may be in this process"));
    load_free(&l);
    help_cause("hive", &l);
    f = help_tells(&l, RULE_UNBALANCED);
    assert_true(f->won_lo > 0 && (double)f->won_lo < 0.6 * (double)f->severity_ns);
    assert_non_null(strstr(f->won, "this is only "));
    load_free(&l);
}

/* One goroutine that waits for answers nearly all its life can win nearly all of it, whatever the finding costs. */
static void calls_of_one_goroutine(void **state)
{
    struct loaded l;
    (void)state;
    help_cause("flight", &l);
    const struct finding *f = &l.fs.f[0];
    assert_int_equal(f->rule, RULE_BACKEND);
    assert_true(f->won_hi >= f->severity_ns && f->won_hi <= l.tg->end);
    load_free(&l);
}

/* A set that many wait for, while little of the main goroutine's way does: by a user's number, since here much of it does. */
static void a_set_beside_the_way(void **state)
{
    struct err e = {0};
    const char all[] = "pool-too-small.won-pool = 1\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loaded l;
        assert_int_equal(thresholds_parse("rules", all, i ? sizeof all - 1 : 0, &e), ERR_OK);
        help_cause("ledgers", &l);
        const struct finding *f = help_tells(&l, RULE_POOL);
        assert_int_equal(f->note, i);
        assert_int_equal(strstr(f->won, "of the main goroutine's critical path") != NULL, i);
        assert_true(!i || f->won_hi < l.tg->end / 2);
        load_free(&l);
    }
    thresholds_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_won_has_bounds), cmocka_unit_test(what_the_way_leaves_out),
        cmocka_unit_test(what_timers_begin),      cmocka_unit_test(what_goes_at_least),
        cmocka_unit_test(calls_of_one_goroutine), cmocka_unit_test(a_set_beside_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
