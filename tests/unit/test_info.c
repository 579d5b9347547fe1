/*
 * test_info.c - what `gotop info` says of the samples: every byte counted once, events as the model counts
 * them, answers by what a dialect records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "decode/input/input.h"
#include "decode/base/mem.h"
#include "triage/report/info.h"

struct file {
    struct input in;
    struct trace *tr;
    struct census c;
    struct info i;
};

static void file_open(struct file *f, const char *path)
{
    static const struct trace_opts o = {.threads = 1};
    struct err e = {0};
    assert_int_equal(input_open(path, 0, &f->in, &e), ERR_OK);
    assert_int_equal(census_take(&f->in, &f->c, &e), ERR_OK);
    assert_int_equal(trace_open_mem(f->in.data, f->in.len, &o, &f->tr, &e), ERR_OK);
    while (trace_load(f->tr, INT64_MAX) == LOAD_MORE) {
    }
    f->i = (struct info){path, f->in.len, f->tr, &f->c, &f->in.damage};
}

static void file_close(struct file *f)
{
    trace_close(f->tr);
    census_free(&f->c);
    input_close(&f->in);
}

static void as_the_model(void **state)
{
    (void)state;
    DIR *d = opendir("samples");
    int n = 0;
    for (struct dirent *x; (x = readdir(d));) {
        char path[300];
        size_t len = strlen(x->d_name);
        struct file f;
        if (len < 6 || strcmp(x->d_name + len - 6, ".trace") != 0)
            continue;
        snprintf(path, sizeof path, "samples/%s", x->d_name);
        file_open(&f, path);
        assert_int_equal(f.c.ngen, trace_info(f.tr)->generations);
        assert_true(f.c.hz > 1e6);
        assert_int_equal(f.c.batches > 0, true);
        /* What is counted here the model tells of; a coroutine switch is three events there. */
        uint64_t model = trace_info(f.tr)->events, mine = f.c.events;
        if (trace_info(f.tr)->second_family)
            assert_true(mine <= model &&
                        model <= mine + 2 * (f.c.kind[45].n + f.c.kind[46].n) + f.c.kind[18].n);
        file_close(&f);
        n++;
    }
    closedir(d);
    assert_true(n >= 30);
}

static enum info_can can(const char *path, const char *key)
{
    struct info_answer a[INFO_ANSWERS];
    struct file f;
    enum info_can c = INFO_NO;
    bool found = false;
    file_open(&f, path);
    for (size_t n = info_answers(&f.i, a), k = 0; k < n; k++)
        if (strcmp(a[k].key, key) == 0) {
            c = a[k].can;
            found = true;
            assert_true(c == INFO_YES || a[k].why[0]);
        }
    file_close(&f);
    assert_true(found);
    return c;
}

static void answers(void **state)
{
    (void)state;
    assert_int_equal(can("samples/workers-prototype.trace", "names"), INFO_NO);
    assert_int_equal(can("samples/workers-prototype.trace", "threads"), INFO_NO);
    assert_int_equal(can("samples/workers-1.5.trace", "threads"), INFO_YES);
    assert_int_equal(can("samples/workers-1.10.trace", "tasks"), INFO_NO);
    assert_int_equal(can("samples/tasks-1.19.trace", "tasks"), INFO_YES);
    assert_int_equal(can("samples/tasks-1.27.trace", "logs"), INFO_YES);
    assert_int_equal(can("samples/http-1.27.trace", "tasks"), INFO_NO);
    assert_int_equal(can("samples/lock-cpu-1.19.trace", "samples"), INFO_YES);
    assert_int_equal(can("samples/lock-cpu-1.27.trace", "samples"), INFO_YES);
    assert_int_equal(can("samples/http-1.21.trace", "wall_clock"), INFO_NO);
    assert_int_equal(can("samples/http-1.25.trace", "wall_clock"), INFO_YES);
    assert_int_equal(can("samples/http-1.21.trace", "syscalls"), INFO_PARTLY);
    assert_int_equal(can("samples/http-1.22.trace", "syscalls"), INFO_YES);
    assert_int_equal(can("samples/http-1.27.trace", "locks"), INFO_PARTLY);
}

/* A program lends its names to a trace that has none; none of it was cut off. */
static void names_lent(void **state)
{
    static const struct trace_opts o = {.threads = 1, .exe = "build/gotop"};
    struct info_answer a[INFO_ANSWERS];
    struct file f;
    (void)state;
    file_open(&f, "samples/workers-1.5.trace");
    trace_close(f.tr);
    struct err e = {0};
    assert_int_equal(trace_open_mem(f.in.data, f.in.len, &o, &f.tr, &e), ERR_OK);
    while (trace_load(f.tr, INT64_MAX) == LOAD_MORE) {
    }
    f.i.tr = f.tr;
    const size_t n = info_answers(&f.i, a);
    size_t k = 0;
    while (k < n && strcmp(a[k].key, "names") != 0)
        k++;
    assert_true(k < n && a[k].can == INFO_PARTLY);
    assert_non_null(strstr(a[k].why, "--exe"));
    file_close(&f);
}

/* Each key of the object stands in docs/SLICES.md; events are called as the format calls them. */
static void described(json_t *v, const char *doc)
{
    const char *key;
    json_t *child;
    size_t i;
    json_object_foreach(v, key, child)
    {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "`%s`", key);
        if (!strstr(doc, quoted))
            fail_msg("docs/SLICES.md does not describe %s", quoted);
        if (strcmp(key, "events") != 0)
            described(child, doc);
    }
    json_array_foreach(v, i, child)
    {
        described(child, doc);
    }
}

static void object_is_described(void **state)
{
    static char doc[40000];
    static const char *const path[] = {"samples/tasks-1.27.trace", "samples/workers-prototype.trace"};
    (void)state;
    FILE *d = fopen("docs/SLICES.md", "r");
    assert_non_null(d);
    assert_true(fread(doc, 1, sizeof doc - 1, d) > 1000 && feof(d));
    fclose(d);
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        struct file f;
        file_open(&f, path[k]);
        char *text = info_json(&f.i);
        json_t *j = json_loads(text, 0, NULL);
        assert_non_null(j);
        described(j, doc);
        json_decref(j);
        mem_free(text);
        file_close(&f);
    }
}

static void page_and_object(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-long-1.27.trace", "samples/http-1.21.trace",
                                       "samples/workers-prototype.trace"};
    for (size_t k = 0; k < 3; k++) {
        struct file f;
        struct text t = {0};
        file_open(&f, path[k]);
        info_text(&t, &f.i);
        assert_true(text_ok(&t));
        for (const char *s = t.p, *e; *s; s = e + 1) {
            e = strchr(s, '\n');
            assert_non_null(e);
            if (e - s > 80)
                print_message("%.*s\n", (int)(e - s), s);
            assert_true(e - s <= 80);
        }
        char *text = info_json(&f.i);
        assert_non_null(text);
        json_t *j = json_loads(text, 0, NULL);
        assert_non_null(j);
        assert_int_equal(json_integer_value(json_object_get(j, "bytes")), f.in.len);
        assert_int_equal(json_array_size(json_object_get(j, "generations")), f.c.ngen);
        assert_int_equal(json_array_size(json_object_get(j, "damage")), 0);
        assert_string_equal(json_string_value(json_object_get(j, "schema")), INFO_SCHEMA);
        json_decref(j);
        mem_free(text);
        text_free(&t);
        file_close(&f);
    }
}

/* Of the first family, rate and tables stand last: without them it says what can't be known, and why. */
static void cut_before_its_tables(void **state)
{
    (void)state;
    static const char *const why[][2] = {{"durations", "no tick rate: --ticks-per-second"},
                                         {"names", "its stacks were cut off"},
                                         {"stacks", "its stacks were cut off"}};
    struct info_answer a[INFO_ANSWERS];
    struct err e = {0}, none = {0};
    struct text t = {0};
    struct input in;
    struct trace *tr;
    struct census c;
    size_t told = 0;
    assert_int_equal(input_open("samples/http-1.21.trace", 0, &in, &e), ERR_OK);
    const struct input cut = {.data = in.data, .len = 12000};
    assert_int_equal(census_take(&cut, &c, &e), ERR_OK);
    assert_int_equal(trace_open_mem(cut.data, cut.len, NULL, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    const struct info i = {"cut", cut.len, tr, &c, &none};
    for (size_t n = info_answers(&i, a), k = 0; k < n; k++)
        for (size_t w = 0; w < sizeof why / sizeof *why; w++)
            if (!strcmp(a[k].key, why[w][0])) {
                assert_int_equal(a[k].can, INFO_NO);
                assert_string_equal(a[k].why, why[w][1]);
                told++;
            }
    assert_int_equal(told, sizeof why / sizeof *why);
    info_text(&t, &i);
    assert_non_null(strstr(t.p, "the file doesn't say\n"));
    assert_non_null(strstr(t.p, "the file ends inside an event (GoStartLocal) (offset 11997)\n"));
    assert_non_null(strstr(t.p, "shown at that time\n")); /* of order there is no offset */
    text_free(&t);
    trace_close(tr);
    census_free(&c);
    input_close(&in);
}

/* Of a file cut anywhere no more is counted than of the whole. */
static void cut_short(void **state)
{
    (void)state;
    struct file f;
    struct err e = {0};
    struct census c;
    file_open(&f, "samples/http-1.27.trace");
    for (size_t n = 17; n < f.in.len; n += 997) {
        struct input cut = {.data = f.in.data, .len = n};
        assert_int_equal(census_take(&cut, &c, &e), ERR_OK);
        assert_true(c.ngen <= f.c.ngen && c.events <= f.c.events && c.stacks <= f.c.stacks);
        census_free(&c);
    }
    file_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),        cmocka_unit_test(answers),
        cmocka_unit_test(page_and_object),     cmocka_unit_test(cut_before_its_tables),
        cmocka_unit_test(cut_short),           cmocka_unit_test(names_lent),
        cmocka_unit_test(object_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
