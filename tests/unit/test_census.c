/*
 * test_census.c - what is counted of a file, in both families, where some of it can't be read, too; and where
 * memory is short.
 */
#include "decode/census.h"
#include "tests/unit/decode_help.h"
#include "tests/unit/sched_sim.h"

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

static struct census taken(const char *text)
{
    struct census c;
    struct err e = {0};
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    const struct input in = {.data = p, .len = n};
    assert_int_equal(census_take(&in, &c, &e), ERR_OK);
    free(p);
    return c;
}

static uint64_t count_of(const struct census *c, const char *name)
{
    for (int i = 0; i < 256; i++)
        if (c->kind[i].name && !strcmp(c->kind[i].name, name))
            return c->kind[i].n;
    fail_msg("no event is called %s", name);
    return 0;
}

static void test_second_family(void **state)
{
    (void)state;
    struct census c = taken(
        P0 "HeapAlloc +1 bytes=5\nHeapAlloc +1 bytes=6\nGoBlock +1 reason=\"r\" stack=main.f:1,main.g:2\n"
           "batch m=-1 t=100\nCPUSamples\nCPUSample time=105 m=7 p=0 g=1 stack=main.f:1\n"
           "expbatch exp=1 gen=1 m=7 t=100\nraw 01 02 03\nbatch m=9 t=120\nGCActive +1 gc_seq=1\n"
           "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\n");
    assert_int_equal(c.ngen, 2);
    assert_true(c.gen[0].whole && c.gen[0].number == 1 && c.gen[0].offset == 16);
    assert_int_equal(c.gen[1].offset, c.gen[0].offset + c.gen[0].bytes);
    assert_int_equal(c.samples, 1);
    assert_int_equal(c.gen[0].events, 6);
    assert_int_equal(c.events, 8);
    assert_int_equal(c.stacks, 2);
    assert_int_equal(count_of(&c, "HeapAlloc"), 2);
    assert_int_equal(count_of(&c, "GCActive"), 1);
    assert_int_equal(count_of(&c, "GoStatus"), 1);
    assert_int_equal(count_of(&c, "STWBegin"), 0);
    assert_true(c.hz == 1e9);
    census_free(&c);
}

/* A batch is given up where it can't be read, and the next one is read. */
static void test_unreadable(void **state)
{
    (void)state;
    struct census c =
        taken(P0 "HeapAlloc +1 bytes=5\nraw 7f 7e 7d 01\nbatch m=9 t=120\nGCActive +1 gc_seq=1\n");
    assert_int_equal(count_of(&c, "GCActive"), 1);
    assert_true(c.gen[0].whole);
    census_free(&c);
    /* In a table. */
    c = taken("go 1.26\nbatch m=-1 t=1\nCPUSamples\nraw ff 01\nbatch m=7 t=100\nHeapAlloc +1 bytes=5\n");
    assert_int_equal(c.samples, 0);
    assert_int_equal(count_of(&c, "HeapAlloc"), 1);
    census_free(&c);
}

/* What is behind a generation that was cut short is not read. */
static void test_cut_short(void **state)
{
    (void)state;
    struct census c = taken("go 1.26\nnoauto\nbatch gen=1 m=7 t=100\nHeapAlloc +1 bytes=5\n");
    assert_int_equal(c.ngen, 1);
    assert_false(c.gen[0].whole);
    assert_true(c.gen[0].unit == 0 && c.hz == 0);
    census_free(&c);
    c = taken("go 1.26\nnoauto\nraw 01\n");
    assert_int_equal(c.ngen, 0);
    census_free(&c);
}

static void test_first_family(void **state)
{
    (void)state;
#define V1 \
    "go 1.21\nnoauto\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nHeapAlloc +10 " \
    "bytes=1\n"
    struct census c = taken(V1 "batch p=3 t=7\nHeapAlloc +10 bytes=1\nFrequency freq=1000000000\n");
    assert_int_equal(c.ngen, 0);
    assert_int_equal(c.batches, 2);
    assert_int_equal(c.events, 5);
    assert_true(c.hz == 1e9);
    census_free(&c);
    c = taken(V1 "Frequency freq=-5\n");
    assert_true(c.hz == 0);
    census_free(&c);
    /* What stands behind what can't be read isn't counted. */
    c = taken(V1 "raw 3f 01 02\nbatch p=3 t=7\nHeapAlloc +10 bytes=1\n");
    assert_int_equal(count_of(&c, "HeapAlloc"), 1);
    assert_int_equal(c.batches, 1);
    census_free(&c);
}

static void test_no_memory(void **state)
{
    (void)state;
    char *text = sim_trace(5, 12, 60);
    size_t n, live = mem_live();
    uint8_t *p = tracegen_bytes(text, &n);
    const struct input in = {.data = p, .len = n};
    enum err_code rc = ERR_NOMEM;
    for (long at = 0; rc; at++) {
        struct census c;
        struct err e = {0};
        mem_fail_after(at);
        rc = census_take(&in, &c, &e);
        mem_fail_after(-1);
        assert_true(rc == ERR_OK || (rc == ERR_NOMEM && strstr(e.what, "out of memory")));
        assert_true(rc != ERR_OK || c.ngen == 12);
        assert_true(at < 1000 && (at > 0 || rc));
        census_free(&c);
        assert_int_equal(mem_live(), live);
    }
    free(p);
    free(text);
}

static void test_no_trace(void **state)
{
    (void)state;
    struct census c;
    struct err e = {0};
    const struct input in = {.data = (const uint8_t *)"no trace at all, but text", .len = 25};
    assert_int_not_equal(census_take(&in, &c, &e), ERR_OK);
    assert_true(e.what[0]);
    census_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_family), cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_cut_short),     cmocka_unit_test(test_first_family),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
