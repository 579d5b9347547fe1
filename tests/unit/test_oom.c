/*
 * test_oom.c - memory runs out at every point in turn: a clean error or a marked partial trace, and nothing
 * leaks.
 */
#include "tests/unit/query_check.h"
#include "tests/unit/sched_sim.h"

/* Open, load and ask with the n-th allocation refused. Returns true if none was refused: the end of the
 * series. */
static bool try_at(const char *path, const uint8_t *p, size_t bytes, long n)
{
    struct trace_opts o = {.threads = 1};
    struct trace *tr = NULL;
    struct err e = {0};
    size_t live = mem_live();
    mem_fail_after(n);
    enum err_code rc = p ? trace_open_mem(p, bytes, &o, &tr, &e) : trace_open(path, &o, &tr, &e);
    if (rc) {
        mem_fail_after(-1);
        if (tr || rc != ERR_NOMEM || e.code != ERR_NOMEM || !e.what[0])
            fail_msg("%s, allocation %ld: code %d '%s'", path, n, (int)rc, e.what);
        assert_int_equal(mem_live(), live);
        return false;
    }
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    bool said = trace_fatal(tr) && trace_fatal(tr)->code == ERR_NOMEM;
    for (uint32_t i = 0; i < trace_info(tr)->ndamages; i++)
        said |= trace_damage(tr, i)->code == ERR_NOMEM;
    /* Still without memory, every question is answered. */
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++) {
            struct lane l = {(enum lane_kind)k, i};
            struct span_iter it;
            struct span s;
            struct shares sh;
            trace_shares(tr, l, 0, trace_info(tr)->end, &sh);
            trace_count(tr, l, 0, trace_info(tr)->end);
            trace_longest(tr, l, 0, trace_info(tr)->end, &s);
            trace_find_lane(tr, (enum lane_kind)k, trace_lane(tr, l).id);
            if (span_seek_index(&it, tr, l, 0))
                while (span_next(&it))
                    ;
        }
    const struct range *r;
    trace_ranges(tr, RANGE_GC, &r);
    /* Is the next allocation still granted? Then none was refused before. */
    void *q = mem_alloc(1);
    bool end = q != NULL;
    mem_free(q);
    mem_fail_after(-1);
    if (!end && !said && trace_info(tr)->done) {
        /* Giving memory back, and the look-up of lanes, may fail in silence: then the trace is whole. */
        struct trace *whole;
        assert_int_equal(p ? load_bytes_opts(p, bytes, &o, &whole, &e) : trace_open(path, &o, &whole, &e),
                         ERR_OK);
        while (trace_load(whole, INT64_MAX) != LOAD_DONE)
            ;
        if (trace_info(whole)->events != trace_info(tr)->events || trace_nstr(whole) != trace_nstr(tr) ||
            trace_nstacks(whole) != trace_nstacks(tr))
            fail_msg("%s, allocation %ld: %" PRIu64 " of %" PRIu64
                     " events, %u of %u stacks, and no damage is told",
                     path, n, trace_info(tr)->events, trace_info(whole)->events, trace_nstacks(tr),
                     trace_nstacks(whole));
        trace_close(whole);
    }
    trace_close(tr);
    if (mem_live() != live)
        fail_msg("%s, allocation %ld: %zd bytes leaked", path, n, (ssize_t)(mem_live() - live));
    return end;
}

static void series(const char *path, const uint8_t *p, size_t bytes)
{
    long n = 0;
    while (n < 100000 && !try_at(path, p, bytes, n))
        n += n < 400 ? 1 : n / 40;
    assert_true(n > 10 && n < 100000);
    print_message("%s: %ld\n", path, n);
}

static void test_small(void **state)
{
    (void)state;
    static const char *const paths[] = {"samples/syscall-1.22.trace", "samples/tasks-1.27.trace",
                                        "samples/tasks-1.21.trace",   "samples/workers-prototype.trace",
                                        "samples/workers-1.5.trace",  "samples/workers-1.9.trace"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t n = 0;
        uint8_t *p = read_file(paths[i], &n);
        if (!p)
            fail_msg("%s is not there", paths[i]);
        series(paths[i], p, n);
        free(p);
    }
}

/* Lanes of many blocks, two generations. */
static void test_larger(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/http-long-1.27.trace", &n);
    assert_non_null(p);
    series("samples/http-long-1.27.trace", p, n);
    free(p);
}

/* Many generations, joined: tasks, regions, ranges that go on; and one that
 * loses batches, read as with gaps. */
static void test_made(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed < 6; seed++) {
        size_t n;
        char *text = sim_trace(seed, 3, 150), *less = sim_harmed(text, seed, 20);
        uint8_t *p = tracegen_bytes(seed == 5 ? less : text, &n);
        series(seed == 5 ? "made, harmed" : "made", p, n);
        free(p);
        free(less);
        free(text);
    }
}

static void test_file(void **state)
{
    (void)state;
    series("samples/syscall-1.26.trace", NULL, 0);
}

/* A limit that is too low is a mark, not a crash; what was read stands. */
static void test_limit(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/http-long-1.27.trace", &n);
    for (uint64_t limit = 1; limit < 8u << 20; limit *= 2) {
        struct trace_opts o = {.threads = limit & 1 ? 1 : 2, .max_memory = limit};
        struct trace *tr;
        struct err e;
        if (load_bytes_opts(p, n, &o, &tr, &e))
            continue;
        if (trace_info(tr)->ndamages)
            expect_damage(tr, ERR_NOMEM, "--max-memory");
        trace_close(tr);
    }
    free(p);
}

/* What several threads can't hold is left to one, from the file's start: if there is no memory to start with,
 * that is said. */
static void test_left_to_one(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/workers-1.11.trace", &n);
    assert_non_null(p);
    bool end = false;
    for (long at = 0; !end; at++) {
        struct trace_opts o = {.threads = 2, .max_memory = 1};
        struct trace *tr;
        struct err e;
        mem_fail_after(at);
        const enum err_code rc = trace_open_mem(p, n, &o, &tr, &e);
        while (!rc && trace_load(tr, INT64_MAX) != LOAD_DONE) {
        }
        void *q = mem_alloc(1); /* granted: none was refused before */
        end = q != NULL;
        mem_free(q);
        mem_fail_after(-1);
        if (!rc && (!trace_info(tr)->ndamages || trace_damage(tr, 0)->code != ERR_NOMEM))
            fail_msg("allocation %ld: nothing says that memory ran out", at);
        if (!rc)
            trace_close(tr);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small), cmocka_unit_test(test_larger), cmocka_unit_test(test_made),
        cmocka_unit_test(test_file),  cmocka_unit_test(test_limit),  cmocka_unit_test(test_left_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
