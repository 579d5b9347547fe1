/*
 * test_triage_rules.c - every rule has a trace on which it must speak and one on which it must not. The
 * traces named report-* were recorded for this; those of ../shared/traces are a second set, of other programs
 * and Go releases.
 */
#include "triage_help.h"

#include "triage/report/report.h"
#include "triage/work/work_text.h"

static bool speaks(const struct loaded *l, const char *rule)
{
    for (uint32_t i = 0; i < l->fs.n; i++)
        if (strcmp(rule_id(l->fs.f[i].v.rule), rule) == 0)
            return true;
    return false;
}

static bool listed(const char *list, const char *rule)
{
    const char *p = strstr(list, rule);
    size_t n = strlen(rule);
    return p && (p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0);
}

static void check_finding(const char *path, const struct loaded *l, const struct finding *f)
{
    if (f->v.t0 < 0 || f->v.t1 < f->v.t0 || f->v.t1 > l->tg->end || f->severity_ns < 0 || !*f->amount ||
        !*f->text || (!f->note && !*f->next) || f->severity_ns > l->tg->end ||
        rule_row(f->v.rule)->view < 1 || rule_row(f->v.rule)->view > 9 ||
        strncmp(f->key, rule_id(f->v.rule), strlen(rule_id(f->v.rule))) != 0 ||
        (f->lane.i != NO_LANE && f->lane.i >= trace_nlanes(l->tr, f->lane.kind))) {
        print_error("%s: %s: t0 %lld t1 %lld severity %lld\n", path, f->key, (long long)f->v.t0,
                    (long long)f->v.t1, (long long)f->severity_ns);
        fail();
    }
}

static unsigned all_wrong;

/* Does a rule warn? */
static bool warns(const struct loaded *l, const char *rule)
{
    for (uint32_t i = 0; i < l->fs.n; i++)
        if (strcmp(rule_id(l->fs.f[i].v.rule), rule) == 0 && !l->fs.f[i].note)
            return true;
    return false;
}

/* must: rules that have to speak; may: others that may warn; all else must not. "*" lets all. */
static void expect(const char *path, const char *must, const char *may)
{
    struct loaded l;
    unsigned wrong = 0;
    help_load(path, &l);
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *id = rule_id((enum rule)r);
        bool spoke = speaks(&l, id);
        if (listed(must, id) && !spoke) {
            print_error("%s: %s did not speak\n", path, id);
            wrong++;
        }
        if (!listed(must, id) && warns(&l, id) && strcmp(may, "*") != 0 && !listed(may, id)) {
            print_error("%s: %s spoke\n", path, id);
            wrong++;
        }
    }
    for (uint32_t i = 0; i < l.fs.n; i++) {
        check_finding(path, &l, &l.fs.f[i]);
        if (i && !l.fs.f[i - 1].note && !l.fs.f[i].note)
            assert_true(l.fs.f[i - 1].v.score >= l.fs.f[i].v.score);
        assert_false(i && l.fs.f[i - 1].note && !l.fs.f[i].note);
    }
    load_free(&l);
    all_wrong += wrong;
}

static void recorded_for_it(void **state)
{
    (void)state;
    all_wrong = 0;
    expect("tests/golden/report-quiet.trace", "", "");
    expect("tests/golden/report-above.trace", "", "busy-loop");
    expect("tests/golden/report-below.trace", "procs-below", "");
    expect("tests/golden/report-bottleneck.trace", "one-goroutine", "");
    expect("tests/golden/report-leak.trace", "goroutine-leak lock-convoy", "");
    expect("tests/golden/report-churn.trace", "goroutine-churn", "goroutine-churn");
    expect("tests/golden/report-herd.trace", "thundering-herd", "");
    expect("tests/golden/report-slow.trace", "slow-task", "");
    expect("tests/golden/report-stuck.trace", "stuck-lock", "");
    expect("tests/golden/report-unbalanced.trace", "unbalanced-workers", "");
    expect("tests/golden/report-starve.trace", "gc-setting", "");
    expect("tests/golden/report-grow.trace", "heap-growth", "heap-growth");
    assert_int_equal(all_wrong, 0);
}

static void nothing(const char *path)
{
    expect(path, "", "");
}

static void queue(const char *path)
{
    expect(path, "pool-too-small", ""); /* orders queue for a few stoves */
}

static void calls(const char *path)
{
    expect(path, "", "small-calls"); /* they do nothing else, some of them 400 times and more */
}

static void tail(const char *path)
{
    expect(path, "slow-task", ""); /* of a hundred requests one or two sleep in their handler */
}

static void healthy_samples(void **state)
{
    (void)state;
    all_wrong = 0;
    assert_true(help_each("samples", "tasks-", queue) >= 5);
    assert_true(help_each("samples", "syscall-", calls) >= 4);
    assert_true(help_each("samples", "workers-", nothing) >= 7);
    assert_true(help_each("samples", "http-long-", tail) >= 2);
    assert_int_equal(all_wrong, 0);
}

static void convoy(const char *path)
{
    expect(path, "lock-convoy", "sched-latency procs-below stw-long");
}

static void samples_with_a_lock(void **state)
{
    (void)state;
    all_wrong = 0;
    assert_true(help_each("samples", "lock-", convoy) >= 5);
    assert_int_equal(all_wrong, 0);
}

/* ---- the second set ------------------------------------------------------------------------------------ */

static void is_leak(const char *path)
{
    bool convoys = strstr(path, "leak-long") == NULL; /* there a single worker waits */
    expect(path, convoys ? "goroutine-leak lock-convoy" : "goroutine-leak syscall-critical", "");
}

static void is_latency(const char *path)
{
    expect(path, "", "slow-task slow-region gc-share gc-setting stw-long");
}

static void is_gcheavy(const char *path)
{
    expect(path, "", "gc-share gc-setting stw-long forced-gc");
}

static void is_many(const char *path)
{
    expect(path, "", "goroutine-churn goroutine-explosion");
}

static void is_http(const char *path)
{
    expect(path, "", "gc-assist"); /* some are but a few milliseconds long */
}

static void is_syscalls(const char *path)
{
    expect(path, "", "sched-latency gc-assist small-calls calls-each");
}

static void is_chan(const char *path)
{
    expect(path, "", "one-goroutine lock-convoy");
}

static void is_cpu(const char *path)
{
    expect(path, "", "sched-latency busy-loop");
}

static void other_programs(void **state)
{
    (void)state;
    all_wrong = 0;
    if (!help_have_shared()) {
        print_message("note: ../shared/traces is not there: the second set of traces was not looked at\n");
        skip();
    }
    assert_true(help_each("../shared/traces", "leak-", is_leak) >= 10);
    assert_true(help_each("../shared/traces", "latency-", is_latency) >= 7);
    assert_true(help_each("../shared/traces", "gcheavy-", is_gcheavy) >= 7);
    assert_true(help_each("../shared/traces", "manygoroutines-", is_many) >= 8);
    assert_true(help_each("../shared/traces", "httpserver-", is_http) >= 7);
    assert_true(help_each("../shared/traces", "annotations-", nothing) >= 7);
    assert_true(help_each("../shared/traces", "syscalls-", is_syscalls) >= 7);
    assert_true(help_each("../shared/traces", "chancontend-", is_chan) >= 8);
    assert_true(help_each("../shared/traces", "cpuprofile-", is_cpu) >= 9);
    assert_true(help_each("../shared/traces", "flightrec-", nothing) >= 2);
    assert_int_equal(all_wrong, 0);
}

/* Each rule's help says in numbers when it speaks, and how its severity is measured. */
static void help_names_thresholds(void **state)
{
    (void)state;
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *h = rule_row((enum rule)r)->when;
        assert_true(strlen(h) > 20 && *h);
        assert_true(strlen(h) > 5);
        assert_true(rule_row((enum rule)r)->view >= 1 && strlen(rule_row((enum rule)r)->title) > 3);
        for (int k = 0; k < r; k++)
            assert_string_not_equal(rule_id((enum rule)r), rule_id((enum rule)k));
    }
}

/* A killed program's trace: of the main goroutine nothing is known, and nothing is told. */
static void nothing_of_what_is_lost(void **state)
{
    (void)state;
    static char half[1 << 15];
    char path[] = "/tmp/gotop-test-XXXXXX";
    struct loaded l;
    FILE *f = fopen("samples/lock-1.26.trace", "rb");
    assert_non_null(f);
    const size_t n = fread(half, 1, 22000, f);
    fclose(f);
    assert_int_equal(n, 22000);
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, half, n) == (ssize_t)n && close(fd) == 0);
    help_load(path, &l);
    unlink(path);
    assert_true(trace_info(l.tr)->ndamages > 0);
    struct text t = {0};
    works_text(&t, &l.fs.works);
    assert_int_equal(t.n, 0);
    text_free(&t);
    load_free(&l);
}

/* In slices of no time at all: the same findings, after many steps; and dropped after few and after many. */
static void in_slices(void **state)
{
    (void)state;
    struct loaded l;
    help_load("samples/lock-1.26.trace", &l);
    unsigned steps = 1;
    struct findings_job *j = findings_begin(l.tg);
    assert_non_null(j);
    while (!findings_step(j, 0))
        steps++;
    assert_true(steps > 1); /* how many depends on the load */
    struct findings fs;
    struct err e;
    assert_int_equal(findings_end(j, &fs, &e), ERR_OK);
    assert_int_equal(fs.n, l.fs.n);
    for (uint32_t i = 0; i < fs.n; i++) {
        assert_string_equal(fs.f[i].key, l.fs.f[i].key);
        assert_string_equal(fs.f[i].text, l.fs.f[i].text);
        assert_string_equal(fs.f[i].won ? fs.f[i].won : "", l.fs.f[i].won ? l.fs.f[i].won : "");
    }
    findings_free(&fs);
    for (unsigned at = 0; at < steps; at += at < 8 ? 1 : steps / 12) {
        j = findings_begin(l.tg);
        for (unsigned i = 0; i < at; i++)
            (void)findings_step(j, 0);
        findings_drop(j);
    }
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_for_it),         cmocka_unit_test(healthy_samples),
        cmocka_unit_test(samples_with_a_lock),     cmocka_unit_test(other_programs),
        cmocka_unit_test(help_names_thresholds),   cmocka_unit_test(in_slices),
        cmocka_unit_test(nothing_of_what_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
