/*
 * test_rewrite_bad.c - slices and anonymised traces where something is wrong: what is written breaks, memory
 * is short, the input ended early, bytes can't be read. It is said, and what was written up to there is a
 * trace.
 */
#include <limits.h>

#include "decode/write/anon.h"
#include "tests/unit/cut_help.h"
#include "tests/unit/sched_sim.h"

struct few { /* takes so many writes, and then no more */
    struct bytes b;
    long left;
};

static bool to_few(void *arg, const void *p, size_t n)
{
    struct few *f = arg;
    if (f->left-- <= 0)
        return false;
    f->b.p = realloc(f->b.p, f->b.n + n); /* not what is made to fail */
    assert_non_null(f->b.p);
    memcpy(f->b.p + f->b.n, p, n);
    f->b.n += n;
    return true;
}

enum what { SLICE, END, ANON, WHATS };

static enum err_code rewrite(const struct input *in, enum what what, int64_t from, struct few *f,
                             struct err *damage, struct err *e)
{
    struct outlet out = {.write = to_few, .arg = f};
    enum err_code rc;
    f->b.n = 0;
    *damage = (struct err){0};
    if (what == ANON) {
        struct anon a = {0};
        struct anon_result res;
        rc = anon_trace(in, &a, &out, &res, e);
        *damage = res.damage;
        anon_free(&a);
    } else {
        const struct cut_range r = {from, what == END ? INT64_MAX : from + 2000000, 0};
        struct cut_result res;
        rc = cut_trace(in, &r, &out, &res, e);
        *damage = res.damage;
    }
    assert_true(rc == ERR_OK || e->code == rc);
    return rc;
}

static const char *const SAMPLES[] = {"samples/syscall-1.22.trace", "samples/tasks-1.25.trace",
                                      "samples/tasks-1.21.trace", "samples/workers-1.7.trace",
                                      "samples/workers-prototype.trace"};
enum { NSAMPLES = sizeof SAMPLES / sizeof *SAMPLES };

static void test_outlet_breaks(void **state)
{
    (void)state;
    for (int i = 0; i < NSAMPLES; i++)
        for (int w = 0; w < WHATS; w++) {
            struct input in;
            struct err e = {0}, damage;
            struct few f = {.left = LONG_MAX};
            assert_int_equal(input_open(SAMPLES[i], 0, &in, &e), ERR_OK);
            const int64_t from = w == ANON ? 0 : 1000;
            assert_int_equal(rewrite(&in, (enum what)w, from, &f, &damage, &e), ERR_OK);
            const long writes = LONG_MAX - f.left;
            struct bytes whole = f.b;
            f.b = (struct bytes){0};
            assert_true(writes > 0);
            for (long k = 0; k < writes; k += k < 20 ? 1 : 1 + writes / 9) {
                e = (struct err){0};
                f.left = k;
                assert_int_equal(rewrite(&in, (enum what)w, from, &f, &damage, &e), ERR_IO);
                assert_string_equal(e.what, "what is written can't be");
                assert_true(f.b.n < whole.n && (!f.b.n || memcmp(f.b.p, whole.p, f.b.n) == 0));
            }
            free(whole.p);
            free(f.b.p);
            input_close(&in);
        }
}

/* A compressed file was damaged, so the trace ends early: who takes all of it hears of it, who takes a part
 * within doesn't. */
static void test_input_ended_early(void **state)
{
    (void)state;
    for (int i = 0; i < NSAMPLES; i++) {
        struct input in;
        struct err e = {0}, damage;
        struct few f = {.left = LONG_MAX};
        assert_int_equal(input_open(SAMPLES[i], 0, &in, &e), ERR_OK);
        (void)err_set(&in.damage, ERR_TRUNCATED, 4711, "the compressed data end early");
        assert_int_equal(rewrite(&in, ANON, 0, &f, &damage, &e), ERR_OK);
        assert_int_equal(damage.offset, 4711);
        assert_int_equal(rewrite(&in, END, 1000, &f, &damage, &e), ERR_OK);
        assert_int_equal(damage.offset, 4711);
        assert_int_equal(rewrite(&in, SLICE, 1000, &f, &damage, &e), ERR_OK);
        assert_int_equal(damage.code, ERR_OK);
        free(f.b.p);
        input_close(&in);
    }
}

/* Made-up ones, so that each table and list is there. */
static void series(const uint8_t *p, size_t n, enum what first)
{
    const struct input in = {.data = p, .len = n};
    for (int w = (int)first; w < WHATS; w++) {
        struct few f = {.left = LONG_MAX};
        struct err e = {0}, damage;
        struct bytes whole;
        assert_int_equal(rewrite(&in, (enum what)w, 9000, &f, &damage, &e), ERR_OK);
        whole = f.b;
        f.b = (struct bytes){0};
        enum err_code rc = ERR_NOMEM;
        const size_t live = mem_live();
        for (long k = 0; rc; k += k < 120 ? 1 : 1 + k / 60) {
            f.b = (struct bytes){0};
            e = (struct err){0};
            mem_fail_after(k);
            rc = rewrite(&in, (enum what)w, 9000, &f, &damage, &e);
            mem_fail_after(-1);
            assert_true(rc == ERR_OK || rc == ERR_NOMEM);
            if (!rc)
                assert_true(f.b.n == whole.n && memcmp(f.b.p, whole.p, whole.n) == 0);
            free(f.b.p);
            assert_int_equal(mem_live(), live);
            assert_true(k < 100000);
        }
        free(whole.p);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 24; seed++) {
        size_t n;
        char *text = sim_trace(seed, 3, 120), *less = sim_harmed(text, seed, 12);
        uint8_t *p = tracegen_bytes(seed & 1 ? less : text, &n);
        series(p, n, seed & 1 ? ANON : SLICE); /* what is harmed makes no slice */
        free(p);
        free(less);
        free(text);
    }
    for (int i = 2; i < NSAMPLES; i++) {
        struct input in;
        struct err e = {0};
        assert_int_equal(input_open(SAMPLES[i], 0, &in, &e), ERR_OK);
        series(in.data, in.len, SLICE);
        input_close(&in);
    }
}

/* ---- bytes that can't be read -------------------------------------------------------------------------- */

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* Anonymised: damage is told at the byte where this stands first behind `from`, and what comes out ends
 * before it, without damage. */
static void ends_at(const char *text, const char *bytes, size_t nbytes, const char *what)
{
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    const struct input in = {.data = p, .len = n};
    struct few f = {.left = LONG_MAX};
    struct err e = {0}, damage;
    const uint8_t *at = memmem(p + 16, n - 16, bytes, nbytes);
    assert_non_null(at);
    assert_int_equal(rewrite(&in, ANON, 0, &f, &damage, &e), ERR_OK);
    if (damage.code != ERR_FORMAT || damage.offset != (uint64_t)(at - p) || !strstr(damage.what, what))
        fail_msg("damage %d at %d '%s', expected '%s' at %d", (int)damage.code, (int)damage.offset,
                 damage.what, what, (int)(at - p));
    struct trace *tr = load(f.b.p, f.b.n);
    assert_non_null(tr);
    assert_int_equal(trace_info(tr)->count[EC_METRIC], 1);
    trace_close(tr);
    free(f.b.p);
    free(p);
}

static void test_unreadable(void **state)
{
    (void)state;
    ends_at(P0 "HeapAlloc +1 bytes=5\nraw 7f 7e 7d 01\nHeapAlloc +1 bytes=6\n", "\x7f\x7e\x7d", 3,
            "can't be read");
    ends_at("go 1.21\nnoauto\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nHeapAlloc "
            "+10 bytes=1\n"
            "raw 3f 3e 3d 3c\nHeapAlloc +10 bytes=1\n",
            "\x3f\x3e\x3d", 3, "unknown event type");
}

/* What is no part of the format is left out, and counted. */
static void test_experiments(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p =
        tracegen_bytes(P0 "HeapAlloc +1 bytes=5\nexpbatch exp=1 gen=1 m=7 t=100\nraw 01 02 03\n", &n);
    const struct input in = {.data = p, .len = n};
    struct few f = {.left = LONG_MAX};
    struct outlet out = {.write = to_few, .arg = &f};
    struct anon a = {0};
    struct anon_result res;
    struct err e = {0};
    assert_int_equal(anon_trace(&in, &a, &out, &res, &e), ERR_OK);
    assert_int_equal(res.dropped, 1);
    assert_int_equal(res.damage.code, ERR_OK);
    struct trace *tr = load(f.b.p, f.b.n);
    assert_int_equal(trace_info(tr)->ndamages, 0);
    assert_int_equal(trace_info(tr)->experimental_batches, 0);
    assert_int_equal(trace_info(tr)->count[EC_METRIC], 1);
    trace_close(tr);
    anon_free(&a);
    free(f.b.p);
    free(p);
}

/* Of a trace of the first family that was cut short, without a rate nothing can be said of a range; with one,
   what stands before the first contradiction is a trace without damage. */
static void test_old_cut_short(void **state)
{
    (void)state;
    struct input in;
    struct few f = {.left = LONG_MAX};
    struct outlet out = {.write = to_few, .arg = &f};
    struct cut_result res;
    struct err e = {0};
    assert_int_equal(input_open("samples/http-1.21.trace", 0, &in, &e), ERR_OK);
    for (size_t n = 12000; n < 18000; n += 3000) {
        const struct input part = {.data = in.data, .len = n};
        f.b.n = 0;
        assert_int_equal(cut_trace(&part, &(struct cut_range){0, INT64_MAX, 0}, &out, &res, &e), ERR_CLOCK);
        assert_non_null(strstr(e.what, "give --ticks-per-second"));
        assert_int_equal(f.b.n, 0);
        assert_int_equal(cut_trace(&part, &(struct cut_range){0, INT64_MAX, 4e7}, &out, &res, &e), ERR_OK);
        assert_int_not_equal(res.damage.code, ERR_OK);
        struct trace *tr = load(f.b.p, f.b.n);
        assert_non_null(tr);
        assert_int_equal(trace_info(tr)->ndamages, 0);
        assert_true(trace_info(tr)->has_clock && trace_info(tr)->events > 100);
        trace_close(tr);
    }
    input_close(&in);
    free(f.b.p);
}

/* Neither is made of a part of several files, nor of what is none. */
static void test_refused(void **state)
{
    (void)state;
    size_t n, gap[1] = {0};
    uint8_t *p = tracegen_bytes(P0, &n);
    struct few f = {.left = LONG_MAX};
    struct err e = {0}, damage;
    struct input in = {.data = p, .len = n, .gap = gap, .ngap = 1};
    assert_int_equal(rewrite(&in, ANON, 0, &f, &damage, &e), ERR_ARG);
    assert_non_null(strstr(e.what, "one by one"));
    in = (struct input){.data = (const uint8_t *)"no trace at all, but text", .len = 25};
    for (int w = 0; w < WHATS; w++)
        assert_int_not_equal(rewrite(&in, (enum what)w, 0, &f, &damage, &e), ERR_OK);
    in = (struct input){.data = p, .len = n};
    struct outlet out = {.write = to_few, .arg = &f};
    struct cut_result res;
    assert_int_equal(cut_trace(&in, &(struct cut_range){500, 500, 0}, &out, &res, &e), ERR_ARG);
    assert_non_null(strstr(e.what, "the range is empty"));
    assert_int_equal(f.b.n, 0);
    free(f.b.p);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outlet_breaks), cmocka_unit_test(test_input_ended_early),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_experiments),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_old_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
