/*
 * test_v1_goid.c - rows of goroutines by their ids, held against a plain list: put, found, ended, put again;
 * ids that are counted up, in pages, and far ones, in a hash table. And how far one looks ahead for the block
 * of a system call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/v1/v1_goid.h"
#include "tests/unit/v1_lines.h"

enum { IDS = 6000 };
static struct {
    uint64_t id;
    uint32_t row; /* as v1_goids_find() has it */
} known[IDS];

static uint64_t seed = 88172645463325252u;
static uint64_t rnd(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % n;
}

/* Most are counted up; every fifth is far, and some of these come near once there are enough. */
static uint64_t id_of(unsigned i)
{
    return i % 5 ? i + 1 : i % 10 ? ((uint64_t)i + 1) << 40 | i : 20000 + (uint64_t)i * 3;
}

static void holds(const struct v1_goids *h)
{
    for (unsigned i = 0; i < IDS; i++)
        if (v1_goids_find(h, known[i].id) != known[i].row)
            fail_msg("id %llu: %u, expected %u", (unsigned long long)known[i].id,
                     v1_goids_find(h, known[i].id), known[i].row);
}

static void test_rows(void **state)
{
    (void)state;
    size_t live = mem_live();
    struct v1_goids h = {0};
    for (unsigned i = 0; i < IDS; i++)
        known[i].id = id_of(i);
    v1_goids_end(&h, 7); /* of whom nothing is known */
    for (unsigned i = 0; i < IDS; i++) {
        assert_true(v1_goids_put(&h, known[i].id, known[i].row = i + 1));
        const unsigned other = (unsigned)rnd(i + 1);
        if (rnd(3) == 0) {
            v1_goids_end(&h, known[other].id);
            known[other].row = V1_ENDED_ROW;
            v1_goids_end(&h, known[other].id); /* a second time is none */
        } else if (rnd(3) == 0) {
            assert_true(v1_goids_put(&h, known[other].id, known[other].row = i + 7));
        }
        if (i % 500 == 0)
            holds(&h);
    }
    for (unsigned i = 0; i < IDS; i++) { /* whole pages go */
        v1_goids_end(&h, known[i].id);
        known[i].row = V1_ENDED_ROW;
    }
    holds(&h);
    assert_true(mem_live() - live < 400000);
    for (unsigned i = 0; i < IDS; i += 17) /* and one of them comes back */
        assert_true(v1_goids_put(&h, known[i].id, known[i].row = i + 3));
    holds(&h);
    assert_int_equal(v1_goids_find(&h, 0), 0);
    assert_int_equal(v1_goids_find(&h, UINT64_MAX), 0);
    v1_goids_free(&h);
    assert_int_equal(mem_live(), live);
}

static void test_no_memory(void **state)
{
    (void)state;
    size_t live = mem_live();
    bool ok = false;
    for (long k = 0; !ok; k++) {
        struct v1_goids h = {0};
        ok = true;
        mem_fail_after(k);
        for (unsigned i = 0; ok && i < 1500; i++) {
            ok = v1_goids_put(&h, id_of(i), i + 1);
            if (!ok)
                assert_int_equal(v1_goids_find(&h, id_of(i)), 0);
            else if (i % 3)
                v1_goids_end(&h, id_of(i));
        }
        mem_fail_after(-1);
        v1_goids_free(&h);
        assert_int_equal(mem_live(), live);
        assert_true(k < 1000);
    }
}

/* ---- what a system call does --------------------------------------------------------------------------- */

#define START \
    "go 1.11\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=2\n"
#define START_LINES "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n"

/* A call, then many events that say nothing of it, in several batches, then `behind`. */
static void call_then(const char *behind, bool blocks)
{
    struct tracegen_buf t = {0};
    tracegen_printf(&t, START "GoSysCall +10\n");
    for (int i = 0; i < 40000; i++) {
        if (i % 9000 == 8999)
            tracegen_printf(&t, "batch p=0 t=%d\n", 11 + i);
        tracegen_printf(&t, i & 1 ? "GCDone +1\n" : "GCStart +1 seq=0\n");
    }
    tracegen_put(&t, behind, strlen(behind));
    size_t n;
    uint8_t *p = tracegen_bytes((char *)t.p, &n);
    struct lines l = {0};
    lines_bytes(&l, p, n, lines_version(p));
    const char *text = (const char *)l.text.p, *want = START_LINES "10 g1 syscall p0 m0\n11 ";
    assert_memory_equal(text, want, strlen(want));
    assert_int_equal(!strncmp(text + strlen(want), "g1 running", 10), !blocks);
    lines_free(&l);
    free(p);
    tracegen_free(&t);
}

static void test_blocks(void **state)
{
    (void)state;
    call_then("GoSysBlock +1\nProcStop +1\n", true);
    call_then("batch p=0 t=70000\nGoSysBlock +1\nProcStop +1\n", true);
    call_then("GoSched +1\n", false); /* it runs, so it was back */
    call_then("", false);             /* nothing tells of it any more */
    call_then("raw 00 ff 00 ff 00 ff 00 ff\nbatch p=0 t=70000\nGoSysBlock +1\nProcStop +1\n",
              false); /* or it is lost */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
