/*
 * test_triage_report.c - the page and its limits, the JSON, the commands' exit statuses, diff.
 *
 * Golden pages stand in tests/golden/report-NAME.txt, one per sample. REPORT_ACCEPT=1 in the environment
 * writes them anew; read the difference before you commit it.
 */
#include "triage_help.h"

#include <ctype.h>
#include <jansson.h>

#include "triage/tables/metrics.h"
#include "tests/support/tracegen.h"
#include "triage/findings/explain.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/metrics.h"
#include "triage/report/report.h"

#define LINES_MAX 60 /* beside what the findings say, which is never cut */

static char *page_of(const char *path)
{
    struct loaded l;
    struct text t = {.ascii = true};
    char *s;
    help_load(path, &l);
    report_text(&t, &l);
    assert_true(text_ok(&t));
    assert_int_equal(strlen(t.p), t.n); /* no NUL within */
    assert_non_null(strstr(t.p, "\nNUMBERS\n"));
    s = text_take(&t);
    load_free(&l);
    return s;
}

static void page_limits(const char *path, const char *s)
{
    const char *words = strstr(s, "\nFINDINGS\n"), *behind = strstr(s, "\nNUMBERS");
    size_t lines = 0, width = 0;
    for (; *s; s++) {
        assert_true(*s == '\n' || (*s >= 0x20 && *s < 0x7f));
        lines += *s == '\n' && !(words && behind && s > words && s < behind);
        width = *s == '\n' ? 0 : width + 1;
        if (width > REPORT_WIDTH) {
            print_error("%s: a line is longer than %d characters\n", path, REPORT_WIDTH);
            fail();
        }
    }
    if (lines > LINES_MAX) {
        print_error("%s: %zu lines\n", path, lines);
        fail();
    }
}

static void golden_page(const char *path)
{
    char name[300], *want, *page = page_of(path);
    const char *base = strrchr(path, '/') + 1;
    FILE *f;
    long n;
    page_limits(path, page);
    snprintf(name, sizeof name, "tests/golden/report-%.*s.txt", (int)strlen(base) - 6, base);
    if (getenv("REPORT_ACCEPT")) {
        f = fopen(name, "wb");
        assert_non_null(f);
        fputs(page, f);
        fclose(f);
    }
    f = fopen(name, "rb");
    if (!f) {
        print_error("%s is missing (REPORT_ACCEPT=1 writes it)\n", name);
        fail();
    }
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    rewind(f);
    want = calloc(1, (size_t)n + 1);
    assert_int_equal(fread(want, 1, (size_t)n, f), n);
    fclose(f);
    if (strcmp(want, page) != 0) {
        size_t i = 0, line = 1;
        for (; want[i] && want[i] == page[i]; i++)
            line += want[i] == '\n';
        print_error("%s differs in line %zu (REPORT_ACCEPT=1 accepts)\n", name, line);
        fail();
    }
    free(want);
    mem_free(page);
}

static void pages(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", golden_page) >= 30);
}

static void limits_only(const char *path)
{
    struct loaded l;
    struct err e;
    struct trace_opts o = {0};
    struct text t = {.ascii = true};
    char *json;
    if (load_file(path, &o, true, &l, &e) != ERR_OK) {
        assert_true(strlen(e.what) > 3);
        return;
    }
    report_text(&t, &l);
    assert_int_equal(strlen(t.p), t.n);
    page_limits(path, t.p);
    text_free(&t);
    json = report_json(&l, NULL);
    assert_non_null(json);
    mem_free(json);
    load_free(&l);
}

static void pages_of_others(void **state)
{
    (void)state;
    if (!help_have_shared()) {
        print_message("note: ../shared/traces is not there: pages of its traces were not made\n");
        skip();
    }
    assert_true(help_each("../shared/traces", "", limits_only) >= 100);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void json_of(const char *path)
{
    static const char *const keys[] = {"trace", "works", "findings", "not_applicable", "numbers"};
    struct loaded l;
    char *s;
    json_t *root;
    json_error_t je;
    help_load(path, &l);
    s = report_json(&l, NULL);
    assert_non_null(s);
    root = json_loads(s, 0, &je); /* checks UTF-8, too */
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), REPORT_SCHEMA);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(root, keys[i]));
    assert_int_equal(json_object_size(root), 1 + sizeof keys / sizeof *keys);
    assert_int_equal(json_array_size(json_object_get(root, "findings")), l.fs.n);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "trace"), "duration_ns")),
                     l.tg->end);
    json_decref(root);
    mem_free(s);
    load_free(&l);
}

static void json_is_whole(void **state)
{
    (void)state;
    assert_true(help_each("samples", "tasks-", json_of) >= 5);
    assert_true(help_each("tests/golden", "report-", json_of) >= 12);
}

/* Each key of the JSON is described in docs/REPORT.md. */
static char report_doc[100000];
static void keys_in(json_t *v, const char *doc)
{
    const char *key;
    json_t *child;
    size_t i;
    if (json_is_object(v)) {
        json_object_foreach(v, key, child)
        {
            char quoted[80];
            snprintf(quoted, sizeof quoted, "`%s`", key);
            if (!strstr(doc, quoted)) {
                print_error("docs/REPORT.md does not describe %s\n", quoted);
                fail();
            }
            if (strcmp(key, "numbers") != 0) /* --metrics says what these are */
                keys_in(child, doc);
        }
    } else if (json_is_array(v)) {
        json_array_foreach(v, i, child)
        {
            keys_in(child, doc);
        }
    }
}

static void read_doc(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, size - 1, f) > 1000);
    assert_true(feof(f) || fgetc(f) == EOF); /* all of it */
    fclose(f);
}

static void schema_is_described(void **state)
{
    static char rules[100000];
    static const char *const path[] = {"samples/tasks-1.27.trace", "samples/lock-cpu-1.27.trace",
                                       "samples/alloc-1.27.trace", "tests/golden/report-leak.trace",
                                       "samples/workers-1.5.trace"};
    (void)state;
    read_doc("docs/REPORT.md", report_doc, sizeof report_doc);
    read_doc("docs/RULES.md", rules, sizeof rules);
    assert_non_null(strstr(report_doc, REPORT_SCHEMA));
    struct text t = {0};
    rules_text(&t);
    if (!strstr(rules, t.p))
        fail_msg("docs/RULES.md is not what --rules prints: sh docs/rules.sh");
    text_free(&t);
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        struct loaded l;
        char *s;
        json_t *root;
        help_load(path[i], &l);
        s = report_json(&l, NULL);
        root = json_loads(s, 0, NULL);
        assert_non_null(root);
        keys_in(root, report_doc);
        json_decref(root);
        mem_free(s);
        load_free(&l);
    }
}

/* ---- commands ------------------------------------------------------------------------------------------ */

static char out_path[64];

static int run(int (*f)(int, char **), const char *const *args)
{
    char *argv[16] = {0}, *mine[16] = {0}; /* the command moves argv's elements */
    int argc = 0, status;
    for (; args[argc]; argc++)
        argv[argc] = mine[argc] = strdup(args[argc]);
    fflush(stderr);
    status = f(argc, argv);
    for (int i = 0; i < argc; i++)
        free(mine[i]);
    return status;
}
#define RUN(f, ...) run(f, (const char *const[]){__VA_ARGS__, "-o", out_path, "--quiet", NULL})

static const char *printed(void)
{
    static char buf[200000];
    FILE *f = fopen(out_path, "r");
    size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;
    buf[n] = 0;
    if (f)
        fclose(f);
    return buf;
}

#define HERD "tests/golden/report-herd.trace"
#define QUIET "tests/golden/report-quiet.trace"
#define LEAK "tests/golden/report-leak.trace"

static void make_partial(char *path, size_t size)
{
    static char buf[100000];
    FILE *f = fopen("samples/http-1.26.trace", "rb"), *g;
    size_t n = fread(buf, 1, sizeof buf, f);
    int fd;
    snprintf(path, size, "/tmp/gotop-partial-XXXXXX");
    fd = mkstemp(path);
    fclose(f);
    g = fdopen(fd, "wb");
    assert_int_equal(fwrite(buf, 1, n - 777, g), n - 777);
    fclose(g);
}

static void exit_statuses(void **state)
{
    char partial[64];
    (void)state;
    assert_int_equal(RUN(report_main, "report", QUIET), 0);
    assert_non_null(strstr(printed(), "nothing stands out"));
    assert_int_equal(RUN(report_main, "report", "--assert", "stw.max<1s", "--assert", "p99(sched)<1s", QUIET),
                     0);
    assert_non_null(strstr(printed(), "held   stw.max<1s"));
    assert_int_equal(RUN(report_main, "report", "--assert", "stw.max<1ns", QUIET), 1);
    assert_non_null(strstr(printed(), "BROKEN stw.max<1ns"));
    assert_int_equal(RUN(report_main, "report", "--assert", "p99(task:none)<1s", QUIET),
                     1); /* no data holds nothing */
    assert_int_equal(RUN(report_main, "report", "no/such/file.trace"), 2);
    assert_int_equal(RUN(report_main, "report", "Makefile"), 2);
    assert_int_equal(RUN(report_main, "report", "--assert", "nonsense<1", QUIET), 2);
    assert_int_equal(RUN(report_main, "report", "--assert", "stw.max<5%", QUIET), 2);
    assert_int_equal(RUN(report_main, "report", "--what", QUIET), 2);
    assert_int_equal(RUN(report_main, "report", QUIET, "Makefile"), 2);
    make_partial(partial, sizeof partial);
    assert_int_equal(RUN(report_main, "report", partial), 3);
    assert_non_null(strstr(printed(), "PARTIAL"));
    assert_int_equal(RUN(report_main, "report", "--assert", "stw.max<1s", partial), 3);
    assert_int_equal(RUN(report_main, "report", "--assert", "stw.max<1ns", partial), 1);
    assert_int_equal(RUN(diff_main, "diff", partial, QUIET), 3);
    unlink(partial);
}

/* Only so many damages are kept. That there are more is said. */
static void many_damages(void **state)
{
    char path[] = "/tmp/gotop-partial-XXXXXX";
    struct tracegen_buf text = {0};
    FILE *f = fdopen(mkstemp(path), "wb");
    (void)state;
    tracegen_printf(&text, "go 1.26\n");
    for (int gen = 0; gen < 70; gen++)
        tracegen_printf(&text,
                        "batch m=7 t=%d\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                        "HeapAlloc +1 4\nraw 7f\nendgen\n",
                        1000 * gen + 100);
    size_t n;
    uint8_t *bytes = tracegen_bytes((const char *)text.p, &n);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(RUN(report_main, "report", path), 3);
    assert_non_null(strstr(printed(), "PARTIAL: more than 64 places damaged"));
    assert_int_equal(RUN(report_main, "report", "--json", path), 3);
    assert_non_null(strstr(printed(), "\"more_damages\": true"));
    tracegen_free(&text);
    free(bytes);
    unlink(path);
}

/* The first family's clock rate stands at the file's end: of a cut one times are ticks, and no time is
 * claimed. */
static void without_a_clock(void **state)
{
    static char buf[100000];
    char path[] = "/tmp/gotop-partial-XXXXXX";
    FILE *f = fopen("samples/http-1.21.trace", "rb"), *g;
    size_t n = fread(buf, 1, sizeof buf, f);
    (void)state;
    fclose(f);
    g = fdopen(mkstemp(path), "wb");
    assert_int_equal(fwrite(buf, 1, n / 2, g), n / 2);
    fclose(g);
    assert_int_equal(RUN(report_main, "report", path), 3);
    assert_non_null(strstr(printed(), "ticks (no clock rate in the file)"));
    assert_non_null(strstr(
        printed(), "without a clock rate nothing can be called long;\n  --ticks-per-second N sets one"));
    assert_int_equal(RUN(report_main, "report", "--ticks-per-second", "1000000000", path), 3);
    assert_non_null(strstr(printed(), "nothing stands out of what it can tell"));
    assert_int_equal(RUN(report_main, "report", path), 3);
    assert_null(strstr(printed(), "us "));
    assert_null(strstr(printed(), "ms "));
    assert_int_equal(RUN(report_main, "report", "--assert", "max(sched)<1s", path), 1);
    unlink(path);
}

/* Nothing ran on half of them: the header counts what its sentences do. */
static void processors_unused(void **state)
{
    struct loaded l;
    struct text t = {.ascii = true};
    char want[64];
    (void)state;
    help_load(QUIET, &l);
    snprintf(want, sizeof want, ", %u of %u Ps used, ", l.tg->np, l.tg->np * 2);
    l.tg->capacity *= 2;
    report_text(&t, &l);
    assert_non_null(strstr(t.p, want));
    text_free(&t);
    load_free(&l);
}

static void comparing(void **state)
{
    (void)state;
    assert_int_equal(RUN(diff_main, "diff", QUIET, QUIET), 0);
    assert_non_null(strstr(printed(), "none in either"));
    assert_int_equal(RUN(diff_main, "diff", QUIET, HERD), 0);
    assert_non_null(strstr(printed(), "new  "));
    assert_int_equal(RUN(diff_main, "diff", HERD, QUIET), 0);
    assert_non_null(strstr(printed(), "gone "));
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "count(sched)>+50%", QUIET, HERD), 1);
    assert_non_null(strstr(printed(), "FAILED count(sched)>+50%"));
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "count(sched)>+50%", HERD, QUIET), 0);
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "gc.cycles>0", HERD, QUIET), 0);
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "goroutines>+1", QUIET, HERD), 1);
    assert_int_equal(RUN(diff_main, "diff", HERD), 2);
    assert_int_equal(RUN(diff_main, "diff", HERD, QUIET, QUIET), 2); /* which is which? */
    assert_int_equal(RUN(diff_main, "diff", "--", HERD), 2);
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "change", QUIET, "--", QUIET, QUIET), 0);
    assert_non_null(strstr(printed(), "no meaningful change"));
    assert_non_null(strstr(printed(), "passed change: 0"));
    assert_int_equal(RUN(diff_main, "diff", "samples/http-long-1.27.trace", "samples/http-1.26.trace"), 0);
    assert_non_null(strstr(printed(), "another pace: "));
    assert_non_null(strstr(printed(), "beside that no meaningful change"));
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "change", QUIET, "samples/lock-1.26.trace"), 1);
    assert_non_null(strstr(printed(), "! lock in main.(*bank).clerk: goroutines wait"));
    assert_int_equal(RUN(diff_main, "diff", "--fail-if", "sched.p99>+10%", QUIET, QUIET, "--", QUIET), 0);
    assert_int_equal(RUN(diff_main, "diff", QUIET, "--", QUIET, "Makefile"), 2);
    assert_int_equal(RUN(diff_main, "diff", "--rules", "Makefile", QUIET, QUIET), 2);
    assert_int_equal(RUN(diff_main, "diff", HERD, "Makefile"), 2);
    assert_int_equal(RUN(diff_main, "diff", "samples/tasks-1.25.trace", "samples/tasks-1.27.trace"), 0);
    assert_non_null(strstr(printed(), "WORK  how long one takes"));
}

/* Requests and pieces of work as the report's works tell of them, by handler and by start function. */
static void work_metrics(void **state)
{
    static const char *const all[] = {"request", "request:http.(*conn).serve",
                                      "piece:net/http.(*conn).serve"};
    static const char *const of[] = {"count", "p50", "p90", "p95", "p99", "p99.9", "max"};
    struct loaded l;
    struct metric_value v;
    struct err e = {0};
    (void)state;
    help_load("samples/http-long-1.27.trace", &l);
    const struct work *w = l.fs.works.v;
    while (w->kind != WORK_REQUESTS)
        w++;
    const double want[] = {(double)w->n,     (double)w->d.p50,  (double)w->d.p90, (double)w->d.p95,
                           (double)w->d.p99, (double)w->d.p999, (double)w->d.max};
    assert_true(w->n > 100 && w->d.p50 > 0 && w->d.p99 > w->d.p50 && w->d.p999 > w->d.p99);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            char name[80];
            snprintf(name, sizeof name, i ? "%s(%s)" : "%2$s.%1$s", of[k], all[i]);
            assert_int_equal(metric_get(&l, name, &v, &e), ERR_OK);
            assert_true(v.known);
            assert_float_equal(v.v, want[k], 0.5);
        }
    assert_int_equal(metric_get(&l, "p99(request:main.none)", &v, &e), ERR_OK);
    assert_false(v.known);
    assert_int_equal(metric_get(&l, "p99(piece:)", &v, &e), ERR_ARG);
    load_free(&l);
}

/* One run gives the numbers, the exit status, and what a runner of tests reads. */
static void for_runners(void **state)
{
    (void)state;
    assert_int_equal(RUN(report_main, "report", "--json", "--assert", "stw.max<1s", "--assert",
                         "duration<1ns", QUIET, QUIET),
                     1);
    json_t *root = json_loads(printed(), 0, NULL);
    assert_int_equal(json_array_size(root), 2);
    json_t *all = json_object_get(json_array_get(root, 1), "assertions");
    assert_int_equal(json_array_size(all), 2);
    assert_true(json_is_true(json_object_get(json_array_get(all, 0), "held")));
    assert_true(json_is_false(json_object_get(json_array_get(all, 1), "held")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 1), "condition")),
                        "duration<1ns");
    json_decref(root);
    assert_int_equal(RUN(report_main, "report", "--json", "--assert", "stw.max<1s", QUIET), 0);
}

static void all_metrics(void **state)
{
    struct loaded l;
    const char *help, *name;
    (void)state;
    help_load("samples/tasks-1.27.trace", &l);
    for (size_t i = 0; (name = metric_number(i)) != NULL; i++) {
        struct metric_value v;
        assert_int_equal(metric_get(&l, name, &v, NULL), ERR_OK);
    }
    for (size_t i = 0; (name = metric_list(i, &help)) != NULL; i++) {
        struct metric_value v;
        struct err e = {0};
        if (metric_get(&l, name, &v, &e) != ERR_OK) {
            print_error("%s: %s\n", name, e.what);
            fail();
        }
        assert_true(strlen(help) > 3);
    }
    load_free(&l);
}

static void out_of_memory(void **state)
{
    struct loaded l;
    bool done = false;
    (void)state;
    help_load("samples/tasks-1.27.trace", &l);
    for (long n = 0; !done; n += 1 + n / 40) {
        struct text t = {.ascii = true};
        size_t before = mem_live();
        char *json;
        mem_fail_after(n);
        report_text(&t, &l);
        json = report_json(&l, NULL);
        mem_fail_after(-1);
        done = json && text_ok(&t);
        mem_free(json);
        text_free(&t);
        assert_int_equal(mem_live(), before);
        assert_true(n < 1000000);
    }
    load_free(&l);
}

static int start(void **state)
{
    int fd;
    (void)state;
    snprintf(out_path, sizeof out_path, "/tmp/gotop-report-XXXXXX");
    fd = mkstemp(out_path);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static int stop(void **state)
{
    (void)state;
    return unlink(out_path);
}

static void diff_as_json(void **state)
{
    json_error_t je;
    json_t *root, *c;
    (void)state;
    assert_int_equal(RUN(diff_main, "diff", "--json", QUIET, "samples/lock-1.26.trace"), 0);
    root = json_loads(printed(), 0, &je);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "gotop.diff/2");
    assert_string_equal(json_string_value(json_object_get(root, "verdict")), "changed");
    c = json_array_get(json_object_get(root, "changes"), 0);
    assert_string_equal(json_string_value(json_object_get(c, "kind")), "lock");
    assert_string_equal(json_string_value(json_object_get(c, "name")), "main.(*bank).clerk");
    assert_true(json_real_value(json_object_get(json_object_get(c, "share"), "new")) > 0.5);
    read_doc("docs/REPORT.md", report_doc, sizeof report_doc);
    assert_non_null(strstr(report_doc, "`gotop.diff/2`"));
    keys_in(root, report_doc);
    json_decref(root);
    static const char *const subject[] = {"g1", "task:order", "slowest:task:order", "group:main.cook"};
    for (size_t i = 0; i < sizeof subject / sizeof *subject; i++) {
        assert_int_equal(RUN(explain_main, "explain", "--json", "samples/tasks-1.27.trace", subject[i]), 0);
        root = json_loads(printed(), 0, &je);
        assert_non_null(root);
        assert_string_equal(json_string_value(json_object_get(root, "schema")), "gotop.explain/1");
        assert_non_null(strstr(report_doc, "`gotop.explain/1`"));
        keys_in(root, report_doc);
        json_decref(root);
    }
    for (int i = 0; i < EX_CATS; i++) {
        char quoted[40];
        (void)snprintf(quoted, sizeof quoted, "`%s`", explain_cat_id((enum explain_cat)i));
        assert_non_null(strstr(report_doc, quoted));
    }
    assert_int_equal(RUN(diff_main, "diff", "--json", "samples/workers-prototype.trace", QUIET), 0);
    root = json_loads(printed(), 0, &je);
    assert_non_null(root);
    assert_non_null(json_object_get(root, "verdict"));
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),           cmocka_unit_test(pages_of_others),
        cmocka_unit_test(json_is_whole),   cmocka_unit_test(schema_is_described),
        cmocka_unit_test(exit_statuses),   cmocka_unit_test(many_damages),
        cmocka_unit_test(without_a_clock), cmocka_unit_test(comparing),
        cmocka_unit_test(work_metrics),    cmocka_unit_test(for_runners),
        cmocka_unit_test(all_metrics),     cmocka_unit_test(out_of_memory),
        cmocka_unit_test(diff_as_json),    cmocka_unit_test(processors_unused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
