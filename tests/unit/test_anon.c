/*
 * test_anon.c - a trace without its names says the same, and nothing of the names is left.
 *
 * Every sample is anonymized: what `report --json` says of both must be the same figure by figure, names by
 * the map; and no name that was replaced may stand anywhere in the bytes that are written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/write/anon.h"
#include "decode/base/mem.h"
#include "tests/support/tracegen.h"
#include "triage/report/report.h"

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

struct name {
    char *was, *now;
    size_t nwas, nnow;
};

static struct name *map;
static size_t nmap, capmap;

static bool to_bytes(void *arg, const void *p, size_t n)
{
    struct bytes *b = arg;
    assert_true(mem_room(b->p, b->cap, b->n + n + 1));
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static char *copy(const void *p, size_t n) /* a damaged one may have zeros in it */
{
    char *s = malloc(n + 1);
    assert_non_null(s);
    memcpy(s, p, n);
    s[n] = '\0';
    return s;
}

static void to_map(void *arg, const char *role, const char *now, size_t nnow, const uint8_t *was, size_t nwas)
{
    (void)arg;
    (void)role;
    assert_true(mem_room(map, capmap, nmap + 1));
    map[nmap++] = (struct name){copy(was, nwas), copy(now, nnow), nwas, nnow};
}

static void map_clear(void)
{
    for (size_t i = 0; i < nmap; i++) {
        free(map[i].was);
        free(map[i].now);
    }
    nmap = 0;
}

static enum err_code anonymize(const struct input *in, struct bytes *out, struct anon_result *res)
{
    struct anon a = {.on_replaced = to_map};
    struct outlet o = {.write = to_bytes, .arg = out};
    struct err e = {0};
    map_clear();
    out->n = 0;
    enum err_code rc = anon_trace(in, &a, &o, res, &e);
    anon_free(&a);
    return rc;
}

/* ---- the same figures ---------------------------------------------------------------------------------- */

static int differ;
static const char *at;

static const struct name *found(const char *s)
{
    for (size_t i = 0; i < nmap; i++)
        if (strcmp(map[i].was, s) == 0)
            return &map[i];
    return NULL;
}

/* In a sentence names stand between others' words. */
static bool holds_name(const char *s)
{
    for (size_t i = 0; i < nmap; i++)
        if (strstr(s, map[i].was))
            return true;
    return false;
}

static void says(const char *key, const char *what)
{
    if (differ++ < 5)
        print_message("%s: %s: %s\n", at, key, what);
}

static void same(const char *key, const json_t *a, const json_t *b);

static void same_object(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)a, key, v)
    {
        const struct name *n = found(key);
        const json_t *w = n ? json_object_get(b, n->now) : NULL;
        w = w ? w : json_object_get(b, key); /* a key of ours that a program has as a name */
        if (!w)
            says(key, "is missing");
        else if (strcmp(key, "file") != 0 && strcmp(key, "path") != 0 &&
                 strcmp(key, "bytes") != 0) /* names are longer or shorter */
            same(key, v, w);
    }
}

static void same_text(const char *key, const char *a, const char *b)
{
    const struct name *n = found(a);
    if (n ? strcmp(n->now, b) != 0 : strcmp(a, b) != 0 && !holds_name(a)) {
        says(key, a);
        says(key, b);
    }
}

static void same(const char *key, const json_t *a, const json_t *b)
{
    if (json_typeof(a) != json_typeof(b)) {
        says(key, "another type");
    } else if (json_is_object(a)) {
        if (json_object_size(a) != json_object_size(b))
            says(key, "more or fewer members");
        same_object(a, b);
    } else if (json_is_array(a)) {
        if (json_array_size(a) != json_array_size(b))
            says(key, "more or fewer elements");
        for (size_t i = 0; i < json_array_size(a) && i < json_array_size(b); i++)
            same(key, json_array_get(a, i), json_array_get(b, i));
    } else if (json_is_string(a)) {
        same_text(key, json_string_value(a), json_string_value(b));
    } else if (!json_equal((json_t *)(uintptr_t)a, (json_t *)(uintptr_t)b)) {
        says(key, "another figure");
    }
}

static json_t *report_of(const char *path, struct loaded *l)
{
    struct trace_opts o = {.threads = 1};
    struct err e = {0};
    if (load_file(path, &o, true, l, &e))
        return NULL;
    char *text = report_json(l, NULL);
    json_t *j = text ? json_loads(text, 0, NULL) : NULL;
    mem_free(text);
    return j;
}

/* ---- nothing left -------------------------------------------------------------------------------------- */

/* All that Go itself says in the trace that is written. */
static char *kept_text(const struct trace *tr)
{
    struct bytes b = {0};
    for (uint32_t i = 1; i < trace_nstr(tr); i++) {
        struct str s = trace_str(tr, i);
        bool ours = false;
        for (size_t k = 0; k < nmap && !ours; k++)
            ours = s.len == map[k].nnow && memcmp(s.p, map[k].now, s.len) == 0;
        if (!ours) {
            to_bytes(&b, s.p, s.len);
            to_bytes(&b, "\n", 1);
        }
    }
    to_bytes(&b, "", 1);
    return (char *)b.p;
}

static void nothing_left(const struct bytes *out, const struct trace *tr)
{
    char *kept = kept_text(tr);
    for (size_t i = 0; i < nmap; i++)
        if (map[i].nwas >= 4 && memmem(out->p, out->n, map[i].was, map[i].nwas) && !strstr(kept, map[i].was))
            says("still there", map[i].was);
    mem_free(kept);
}

/* ---- cases --------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const struct bytes *b)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
}

static void one_trace(const char *path, const char *tmp)
{
    struct input in;
    struct err e = {0};
    struct bytes out = {0};
    struct anon_result res;
    struct loaded a, b;
    at = path;
    assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
    assert_int_equal(anonymize(&in, &out, &res), ERR_OK);
    assert_int_equal(res.damage.code, ERR_OK);
    write_file(tmp, &out);
    json_t *x = report_of(path, &a), *y = report_of(tmp, &b);
    assert_non_null(x);
    assert_non_null(y);
    same("", x, y);
    assert_int_equal(trace_info(b.tr)->ndamages, 0);
    nothing_left(&out, b.tr);
    if (trace_info(a.tr)->has_names)
        assert_true(nmap > 3 && res.kept > 10);
    json_decref(x);
    json_decref(y);
    load_free(&a);
    load_free(&b);
    mem_free(out.p);
    input_close(&in);
}

static void samples_without_names(void **state)
{
    (void)state;
    char path[300], tmp[] = "/tmp/gotop-anon-XXXXXX";
    const char *dir = getenv("ANON_DIR") ? getenv("ANON_DIR") : "samples";
    int fd = mkstemp(tmp), n = 0;
    assert_true(fd >= 0);
    close(fd);
    DIR *d = opendir(dir);
    for (struct dirent *f; d && (f = readdir(d));) {
        size_t len = strlen(f->d_name);
        if (len < 6 || strcmp(f->d_name + len - 6, ".trace") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
        one_trace(path, tmp);
        n++;
    }
    closedir(d);
    unlink(tmp);
    assert_true(n >= 30);
    assert_int_equal(differ, 0);
}

/*
 * A capture of thirty generations, each with strings of its own. What a string is in one of them it is in
 * none of the others: sync.(*Cond).Wait is a reason in every seventh and a function in all, main.wait a
 * region, a task or nothing beside it, and a standard file's first function has no package now and then.
 */
static void put_generation(struct tracegen_buf *text, int i)
{
    const bool reason = i % 7 == 3;
    tracegen_printf(text, "batch m=-1 t=%d\nbatch m=7 t=%d\nProcStatus +1 p=0 running\n", i * 100000,
                    i * 100000);
    tracegen_printf(text, "GoStatus +1 g=1 m=-1 waiting\nGoStatus +1 g=2 m=-1 waiting\n"
                          "GoUnblock +1 g=1 g_seq=1 stack=0\nGoStart +1 g=1 g_seq=2\n");
    if (i % 5 == 1)
        tracegen_printf(text,
                        "UserRegionBegin +1 task=0 name=\"main.wait\" stack=main.main@/home/me/main.go:3\n"
                        "UserRegionEnd +9 task=0 name=\"main.wait\" stack=main.main@/home/me/main.go:4\n");
    if (i % 5 == 2)
        tracegen_printf(text, "UserTaskBegin +1 task=%d parent=0 name=\"/home/me/main.go\" stack=0\n", i + 1);
    if (i % 3 == 0)
        tracegen_printf(text, "GoUnblock +1 g=2 g_seq=1 stack=memeqbody@/go/src/sync/cond.go:1\n");
    else
        tracegen_printf(text, "GoUnblock +1 g=2 g_seq=1 stack=main.main@/home/me/main.go:8\n");
    tracegen_printf(text,
                    "GoBlock +50 reason=\"%s\" stack=sync.(*Cond).Wait@/go/src/sync/cond.go:70,"
                    "main.wait@/home/me/main.go:10\nGoStart +1 g=2 g_seq=2\n",
                    reason ? "sync.(*Cond).Wait" : "sync");
    tracegen_printf(text, "GoBlock +400 reason=\"sync\" stack=sync.(*Cond).Wait@/go/src/sync/cond.go:70,"
                          "main.hold@/home/me/main.go:20\nendgen\n");
}

static void many_generations(void **state)
{
    (void)state;
    struct tracegen_buf text = {0};
    char tmp[2][32] = {"/tmp/gotop-anon-XXXXXX", "/tmp/gotop-anon-XXXXXX"};
    size_t n;
    tracegen_printf(&text, "go 1.26\n");
    for (int i = 0; i < 30; i++)
        put_generation(&text, i);
    uint8_t *p = tracegen_bytes((const char *)text.p, &n);
    for (int i = 0; i < 2; i++) {
        const int fd = mkstemp(tmp[i]);
        assert_true(fd >= 0);
        close(fd);
    }
    write_file(tmp[0], &(struct bytes){.p = p, .n = n});
    one_trace(tmp[0], tmp[1]);
    assert_int_equal(differ, 0);
    assert_null(found("/go/src/sync/cond.go")); /* it is Go's, and stays, in all of them */
    assert_string_equal(found("main.wait")->now, "p2.f2");
    assert_string_equal(found("/home/me/main.go")->now, "file1.go");
    assert_null(found("sync.(*Cond).Wait"));
    for (int i = 0; i < 2; i++)
        unlink(tmp[i]);
    tracegen_free(&text);
    free(p);
}

static struct trace *load_of(const struct bytes *b)
{
    struct trace_opts o = {.threads = 1};
    struct trace *tr = NULL;
    struct err e = {0};
    assert_int_equal(trace_open_mem(b->p, b->n, &o, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    assert_null(trace_fatal(tr));
    return tr;
}

/* A damaged trace's copy lacks what the trace lacks, and no more: every
 * goroutine did the same for as long. */
static void damaged_as_it_was(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-1.22.trace", "samples/http-long-1.23.trace",
                                       "samples/http-1.25.trace", "samples/http-long-1.27.trace",
                                       "samples/tasks-1.27.trace"};
    size_t torn = 0;
    for (size_t k = 0; k < sizeof path / sizeof *path; k++)
        for (size_t part = 1; part < 10; part++) {
            struct input in;
            struct err e = {0};
            struct bytes was = {0}, now = {0};
            struct anon_result res;
            assert_int_equal(input_open(path[k], 0, &in, &e), ERR_OK);
            to_bytes(&was, in.data, in.len);
            memset(was.p + was.n * part / 10, 0, 300);
            assert_int_equal(anonymize(&(struct input){.data = was.p, .len = was.n}, &now, &res), ERR_OK);
            assert_int_not_equal(res.damage.code, ERR_OK);
            assert_false(res.ended);
            struct trace *a = load_of(&was), *b = load_of(&now);
            at = path[k];
            const uint32_t n = trace_nlanes(a, LANE_G);
            if (trace_info(a)->events != trace_info(b)->events || trace_nlanes(b, LANE_G) != n ||
                trace_info(a)->end != trace_info(b)->end)
                fail_msg("%s, zeros in part %zu: %" PRIu64 " events, then %" PRIu64, path[k], part,
                         trace_info(a)->events, trace_info(b)->events);
            for (uint32_t g = 0; g < n; g++) {
                struct shares x, y;
                trace_shares(a, (struct lane){LANE_G, g}, 0, trace_info(a)->end, &x);
                trace_shares(b, (struct lane){LANE_G, g}, 0, trace_info(a)->end, &y);
                assert_memory_equal(x.ns, y.ns, sizeof x.ns);
            }
            nothing_left(&now, b);
            torn += trace_info(b)->ndamages + trace_info(b)->nwarnings > 0;
            trace_close(a);
            trace_close(b);
            mem_free(was.p);
            mem_free(now.p);
            input_close(&in);
        }
    assert_true(torn > 40);
    assert_int_equal(differ, 0);
}

static size_t name_of(const char *s, enum anon_role role, bool beside_standard, char *out)
{
    struct anon a = {0};
    anon_note(&a, (struct str){s, (uint32_t)strlen(s)}, 1u << role | (beside_standard ? ANON_STANDARD : 0));
    size_t n = anon_name(&a, (struct str){s, (uint32_t)strlen(s)}, out);
    out[n] = '\0';
    anon_free(&a);
    return n;
}

static void what_stays(void **state)
{
    (void)state;
    char out[ANON_MAX + 1];
    static const char *const kept[] = {"net/http.(*conn).serve", "runtime.gcBgMarkWorker", "sort.Slice.func1",
                                       "vendor/golang.org/x/net/http/httpguts.ValidTrailerHeader",
                                       "encoding/json.(*Decoder).Decode"};
    static const char *const gone[] = {
        "main.main",    "main.(*shop).buy", "github.com/acme/net/http.Serve",
        "acme.Runtime", "httpx.Get",        "runtimes.x",
        "_cgoexp_acme", "acme/runtime.f",   "golang.org/x/sync/errgroup.(*Group).Go"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        name_of(kept[i], ANON_FUNC, false, out);
        assert_string_equal(out, kept[i]);
    }
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        name_of(gone[i], ANON_FUNC, false, out);
        assert_string_equal(out, "p1.f1");
    }
    /* What reports take for a part of the library goes on being taken for it. */
    static const char *const near[][2] = {{"net/httpx.Get", "vendor/p1.f1"},
                                          {"net/http_test.BenchmarkServer", "vendor/p1.f1"},
                                          {"vendor/acme.com/x.F", "vendor/p1.f1"},
                                          {"internal/acme.f", "internal/p1.f1"},
                                          {"runtime/acme.f", "internal/p1.f1"}};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        name_of(near[i][0], ANON_FUNC, false, out);
        assert_string_equal(out, near[i][1]);
    }
    name_of("slices.SortFunc[go.shape.[]github.com/acme.Order].func1", ANON_FUNC, false, out);
    assert_string_equal(out, "slices.SortFunc[...].func1");
    name_of("/home/alice/go1.22/src/net/http/server.go", ANON_FILE, true, out);
    assert_string_equal(out, "net/http/server.go");
    name_of("/home/alice/net/http/server.go", ANON_FILE, false, out);
    assert_string_equal(out, "file1.go");
    name_of("server.go", ANON_FILE, true, out);
    assert_string_equal(out, "file1.go");
    name_of("chan receive", ANON_REGION, false, out);
    assert_string_equal(out, "chan receive");
    name_of("customer 4711", ANON_REGION, false, out);
    assert_string_equal(out, "region1");
}

static bool to_nowhere(void *arg, const void *p, size_t n)
{
    (void)arg, (void)p, (void)n;
    return true;
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-long-1.27.trace", "samples/tasks-1.21.trace"};
    for (size_t k = 0; k < 2; k++) {
        struct input in;
        struct err e = {0};
        assert_int_equal(input_open(path[k], 0, &in, &e), ERR_OK);
        size_t live = mem_live();
        enum err_code rc = ERR_NOMEM;
        for (long n = 0; rc; n++) {
            struct outlet out = {.write = to_nowhere};
            struct anon a = {0};
            struct anon_result res;
            mem_fail_after(n);
            rc = anon_trace(&in, &a, &out, &res, &e);
            mem_fail_after(-1);
            anon_free(&a);
            assert_true(rc == ERR_OK || rc == ERR_NOMEM);
            assert_int_equal(mem_live(), live);
            assert_true(n < 20000);
        }
        input_close(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays),       cmocka_unit_test(samples_without_names),
        cmocka_unit_test(many_generations), cmocka_unit_test(damaged_as_it_was),
        cmocka_unit_test(out_of_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    map_clear();
    mem_free(map);
    return failed;
}
