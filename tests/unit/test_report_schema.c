/*
 * test_report_schema.c - what `gotop report --json`, `info --json` and `top --json` write is what the schemas
 * in docs/ say, of samples of every kind. The validator knows the words of JSON Schema that the file uses,
 * and fails on others.
 */
#include "triage_help.h"

#include <jansson.h>

#include "decode/census.h"
#include "decode/input/input.h"
#include "triage/live/figures.h"
#include "triage/report/info.h"
#include "triage/report/report.h"

static json_t *schema;
static char wrong[300]; /* what is wrong, and where */

static bool bad(const char *at, const char *what, const char *more)
{
    if (!wrong[0])
        snprintf(wrong, sizeof wrong, "%s: %s%s", at, what, more);
    return false;
}

static bool is_type(const json_t *v, const char *type)
{
    static const struct {
        const char *name;
        json_type type;
    } types[] = {
        {"object", JSON_OBJECT}, {"array", JSON_ARRAY}, {"string", JSON_STRING}, {"integer", JSON_INTEGER}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name))
            return json_typeof(v) == types[i].type;
    return !strcmp(type, "boolean") ? json_is_boolean(v) : !strcmp(type, "number") && json_is_number(v);
}

static bool known_words(json_t *s)
{
    static const char *const words[] = {
        "$schema", "$defs",    "$ref",       "title",    "description",
        "type",    "required", "properties", "items",    "additionalProperties",
        "enum",    "const",    "minimum",    "minItems", "maxItems"};
    const char *key;
    json_t *v;
    json_object_foreach(s, key, v)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            known |= !strcmp(key, words[i]);
        if (!known)
            return bad("the schema", "a word that this test does not know: ", key);
    }
    return true;
}

static bool valid(json_t *v, json_t *s, const char *at);

static bool valid_object(json_t *v, json_t *s, const char *at)
{
    json_t *props = json_object_get(s, "properties"), *req = json_object_get(s, "required"), *child;
    const bool closed = json_is_false(json_object_get(s, "additionalProperties"));
    const char *key;
    for (size_t i = 0; i < json_array_size(req); i++)
        if (!json_object_get(v, json_string_value(json_array_get(req, i))))
            return bad(at, "is without ", json_string_value(json_array_get(req, i)));
    json_object_foreach(v, key, child)
    {
        json_t *sub = json_object_get(props, key);
        if (!sub && closed)
            return bad(at, "has what the schema does not: ", key);
        if (sub && !valid(child, sub, key))
            return false;
    }
    return true;
}

static bool one_of(json_t *v, json_t *all)
{
    for (size_t i = 0; i < json_array_size(all); i++)
        if (json_equal(v, json_array_get(all, i)))
            return true;
    return false;
}

static bool valid(json_t *v, json_t *s, const char *at)
{
    const char *ref = json_string_value(json_object_get(s, "$ref")),
               *type = json_string_value(json_object_get(s, "type"));
    json_t *items = json_object_get(s, "items"), *x;
    if (ref) {
        assert_int_equal(strncmp(ref, "#/$defs/", 8), 0);
        s = json_object_get(json_object_get(schema, "$defs"), ref + 8);
        assert_non_null(s);
        return valid(v, s, at);
    }
    if (!known_words(s))
        return false;
    if (type && !is_type(v, type))
        return bad(at, "is no ", type);
    if ((x = json_object_get(s, "enum")) && !one_of(v, x))
        return bad(at, "has a value that the schema does not list: ", json_string_value(v));
    if ((x = json_object_get(s, "const")) && !json_equal(v, x))
        return bad(at, "is not ", json_string_value(x));
    if ((x = json_object_get(s, "minimum")) && json_number_value(v) < json_number_value(x))
        return bad(at, "is less than the least", "");
    if (json_is_array(v) && ((x = json_object_get(s, "minItems")) || (x = json_object_get(s, "maxItems"))) &&
        json_array_size(v) != (size_t)json_integer_value(x))
        return bad(at, "has another number of items", "");
    for (size_t i = 0; items && i < json_array_size(v); i++)
        if (!valid(json_array_get(v, i), items, at))
            return false;
    return !json_is_object(v) || valid_object(v, s, at);
}

static json_t *report_of(const char *path)
{
    struct loaded l;
    help_load(path, &l);
    char *s = report_json(&l, NULL);
    assert_non_null(s);
    json_t *root = json_loads(s, 0, NULL);
    assert_non_null(root);
    mem_free(s);
    load_free(&l);
    return root;
}

static int seen_findings, seen_works;
static void holds(const char *path)
{
    json_t *root = report_of(path);
    wrong[0] = 0;
    if (!valid(root, schema, path))
        fail_msg("%s: %s", path, wrong);
    seen_findings += json_array_size(json_object_get(root, "findings")) > 0;
    seen_works += json_array_size(json_object_get(root, "works")) > 0;
    json_decref(root);
}

static void samples_hold(void **state)
{
    (void)state;
    schema = json_load_file("docs/report.schema.json", 0, NULL);
    assert_non_null(schema);
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(schema, "properties"), "schema"), "const")),
                        REPORT_SCHEMA);
    seen_findings = seen_works = 0;
    assert_true(help_each("samples", "", holds) >= 30);
    assert_true(help_each("tests/golden", "report-", holds) >= 12);
    assert_true(seen_findings >= 10 && seen_works >= 10);
    json_decref(schema);
}

/* The schema names every family and every kind of evidence, and no other. */
static void schema_is_whole(void **state)
{
    (void)state;
    schema = json_load_file("docs/report.schema.json", 0, NULL);
    json_t *defs = json_object_get(schema, "$defs"),
           *ev = json_object_get(json_object_get(defs, "evidence"), "properties"),
           *fam = json_object_get(
               json_object_get(json_object_get(json_object_get(defs, "finding"), "properties"), "family"),
               "enum");
    for (int k = 0; k < EV_KINDS; k++)
        if (!json_object_get(ev, evidence_id((enum evidence_kind)k)))
            fail_msg("docs/report.schema.json lacks the evidence %s", evidence_id((enum evidence_kind)k));
    assert_int_equal(json_object_size(ev), EV_KINDS);
    if (json_array_size(fam) != FAM_COUNT)
        fail_msg("docs/report.schema.json has %zu families, families.def %d", json_array_size(fam),
                 FAM_COUNT);
    for (int f = 0; f < FAM_COUNT; f++)
        assert_string_equal(json_string_value(json_array_get(fam, (size_t)f)), family_id((enum family)f));
    json_decref(schema);
}

/* The validator can fail: a key too many, one too few, another type, a word that is no family. */
static void validator_fails(void **state)
{
    (void)state;
    schema = json_load_file("docs/report.schema.json", 0, NULL);
    json_t *root = report_of("samples/lock-1.26.trace"),
           *f = json_array_get(json_object_get(root, "findings"), 0);
    assert_non_null(f);
    assert_true(valid(root, schema, "it"));
    json_t *old = json_deep_copy(f);
    const struct {
        const char *key;
        json_t *value;
    } harm[] = {{"more", json_true()},
                {"title", json_integer(1)},
                {"family", json_string("none such")},
                {"view", json_integer(-1)},
                {"evidence", json_array()}};
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        wrong[0] = 0;
        assert_int_equal(json_object_set_new(f, harm[i].key, harm[i].value), 0);
        assert_false(valid(root, schema, "it"));
        assert_true(strlen(wrong) > 4);
        json_object_clear(f);
        assert_int_equal(json_object_update(f, old), 0);
        assert_true(valid(root, schema, "it"));
    }
    assert_int_equal(json_object_del(f, "rule"), 0);
    assert_false(valid(root, schema, "it"));
    json_decref(old);
    json_decref(root);
    json_decref(schema);
}

/* ---- top, info ---- */

static void check_text(char *s, const char *path)
{
    assert_non_null(s);
    json_t *root = json_loads(s, 0, NULL);
    assert_non_null(root);
    mem_free(s);
    wrong[0] = 0;
    if (!valid(root, schema, path))
        fail_msg("%s: %s", path, wrong);
    seen_works += json_array_size(json_object_get(root, "work")) > 0;
    seen_findings += json_array_size(json_object_get(root, "findings")) > 0;
    json_decref(root);
}

static void top_holds(const char *path)
{
    struct loaded l;
    struct figures *f = mem_zalloc(sizeof *f);
    assert_true(fig_new(f));
    f->where = "http://me:secret@host:6060";
    for (int i = 0; i < 2; i++) {
        help_load(path, &l);
        assert_true(fig_take(f, &l, i > 0));
        char *s = fig_json(f);
        assert_non_null(s);
        assert_null(strstr(s, "secret"));
        assert_null(strchr(s, '\n'));
        check_text(s, path);
        load_free(&l);
    }
    fig_free(f);
    mem_free(f);
}

static void top_schema(void **state)
{
    (void)state;
    schema = json_load_file("docs/top.schema.json", 0, NULL);
    assert_non_null(schema);
    seen_findings = seen_works = 0;
    assert_true(help_each("samples", "", top_holds) >= 30);
    assert_true(help_each("tests/golden", "report-", top_holds) >= 12);
    assert_true(seen_findings >= 10 && seen_works >= 10);
    json_decref(schema);
}

/*
 * Prometheus' text: each metric has its HELP and TYPE before its samples, which stand together; no series
 * twice; names of that alphabet; a histogram's buckets don't fall.
 */
static void metrics_of(const char *path)
{
    static char seen[4096][300];
    struct loaded l;
    struct figures *f = mem_zalloc(sizeof *f);
    struct text t = {0};
    char name[100] = "", line[4096];
    double before = 0;
    size_t n = 0;
    help_load(path, &l);
    assert_true(fig_new(f) && fig_take(f, &l, false));
    fig_prometheus(&t, f, true);
    assert_true(text_ok(&t) && t.p[t.n - 1] == '\n');
    for (const char *p = t.p; *p; p += strcspn(p, "\n") + 1) {
        char type[20];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        if (*line == '#') {
            if (sscanf(line, "# HELP %99s", name) != 1) {
                char of[100];
                assert_int_equal(sscanf(line, "# TYPE %99s %19s", of, type), 2);
                assert_string_equal(of, name);
            }
            continue;
        }
        assert_int_equal(strncmp(line, name, strlen(name)), 0);
        const char *end = strrchr(line, ' ');
        assert_non_null(end);
        char *rest;
        const double v = strtod(end + 1, &rest);
        assert_true(end[1] && !*rest);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        const bool bucket = strncmp(line + strlen(name), "_bucket", 7) == 0;
        assert_true(!bucket || v >= before);
        before = bucket && !strstr(line, "+Inf") ? v : 0;
        assert_true(n < 4096);
        snprintf(seen[n], sizeof seen[n], "%.*s", (int)(end - line), line);
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(seen[i], seen[n]);
        n++;
    }
    assert_true(n > 60);
    text_free(&t);
    fig_free(f);
    mem_free(f);
    load_free(&l);
}

static void prometheus(void **state)
{
    (void)state;
    metrics_of("samples/http-long-1.27.trace");
    metrics_of("samples/tasks-1.25.trace");
    metrics_of("tests/golden/report-herd.trace");
}

static void info_holds(const char *path)
{
    struct input in;
    struct census c;
    struct trace *tr;
    struct err e = {0};
    assert_int_equal(input_open(path, trace_limit(0), &in, &e), ERR_OK);
    assert_int_equal(census_take(&in, &c, &e), ERR_OK);
    assert_int_equal(trace_open_input(&in, NULL, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    check_text(info_json(&(struct info){.path = path, .tr = tr, .c = &c, .packed = &in.damage}), path);
    trace_close(tr);
    census_free(&c);
    input_close(&in);
}

static void info_schema(void **state)
{
    (void)state;
    schema = json_load_file("docs/info.schema.json", 0, NULL);
    assert_non_null(schema);
    assert_true(help_each("samples", "", info_holds) >= 30);
    json_decref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_hold),    cmocka_unit_test(schema_is_whole),
                                       cmocka_unit_test(validator_fails), cmocka_unit_test(top_schema),
                                       cmocka_unit_test(prometheus),      cmocka_unit_test(info_schema)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
