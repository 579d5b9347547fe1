/* test_mem.c - the door to the allocator: blocks of any size keep their bytes and are counted (decode/base/mem.h, bigmem.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/base/bigmem.h"
#include "decode/base/mem.h"

#define MIB ((size_t)1 << 20)

static void fill(uint8_t *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i += 509)
        p[i] = (uint8_t)(i >> 3 ^ i >> 11);
}

static void expect_filled(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i += 509)
        assert_int_equal(p[i], (uint8_t)(i >> 3 ^ i >> 11));
}

/* Up through both kinds of block and down again, with neighbours that are in the way. */
static void test_resize(void **state)
{
    (void)state;
    static const size_t size[] = {100,      MIB,      2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB,
                                  33 * MIB, 20 * MIB, 3 * MIB,     MIB,     10};
    size_t before = mem_live(), was = 0;
    uint8_t *p = NULL, *beside[sizeof size / sizeof *size];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        p = mem_resize(p, size[i]);
        beside[i] = mem_zalloc(3 * MIB);
        assert_non_null(p);
        assert_non_null(beside[i]);
        size_t keep = was < size[i] ? was - was % 509 : size[i];
        expect_filled(p, was ? keep : 0);
        for (size_t k = 0; k < 3 * MIB; k += 4093)
            assert_int_equal(beside[i][k], 0);
        fill(p, 0, size[i]);
        fill(beside[i], 0, 3 * MIB);
        assert_true(mem_live() >= before + size[i] + (i + 1) * 3 * MIB);
        assert_true(mem_peak() >= mem_live());
        was = size[i];
    }
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        expect_filled(beside[i], 3 * MIB);
        mem_free(beside[i]);
    }
    expect_filled(p, was);
    mem_free(p);
    assert_int_equal(mem_live(), before);
}

/* The large ones by themselves, since mem.c does without them under the sanitizers: hundreds, freed in another order. */
static void test_big(void **state)
{
    (void)state;
    enum { N = 300 };
    uint8_t *p[N];
    for (size_t i = 0; i < N; i++) {
        assert_non_null(p[i] = bigmem_new(2 * MIB + i * 4096 + 1));
        assert_int_equal((uintptr_t)p[i] % BIG_PAGE, 0);
        p[i][0] = (uint8_t)i;
        p[i][2 * MIB + i * 4096] = (uint8_t)(i >> 1);
    }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(bigmem_size(p[i]), 2 * MIB + (i + 1) * 4096);
    for (size_t i = 0; i < N; i += 3) { /* between its neighbours it must move */
        assert_non_null(p[i] = bigmem_resize(p[i], 9 * MIB));
        assert_int_equal(bigmem_size(p[i]), 9 * MIB);
        p[i][9 * MIB - 1] = 1;
    }
    for (size_t i = 0, k = 0; i < N; i++, k = (k + 127) % N) { /* 127 and 300 have no common factor */
        assert_int_equal(p[k][0], (uint8_t)k);
        assert_int_equal(p[k][2 * MIB + k * 4096], (uint8_t)(k >> 1));
        bigmem_free(p[k]);
        assert_int_equal(bigmem_size(p[k]), 0);
    }
}

/* Pages that are hollow read as zeros, don't count, and can be filled again; the block may be resized meanwhile. */
static void test_hollow(void **state)
{
    (void)state;
    size_t before = mem_live(), page = 4096;
    uint8_t *p = mem_zalloc(5 * MIB), *small = mem_alloc(10 * page);
    assert_true(p && small);
    fill(p, 0, 5 * MIB);
    fill(small, 0, 10 * page);
    size_t live = mem_live(), given = 0;
    assert_false(mem_hollow(small, page, page)); /* a small one just gets zeros */
    assert_int_equal(small[page + 509], 0);
    assert_false(mem_hollow(p, 100, 100));
    assert_int_equal(p[100], 0);
    if (mem_hollow(p, MIB, MIB)) /* not under the sanitizers */
        given = MIB;
    assert_int_equal(mem_live(), live - given);
    for (size_t i = MIB; i < 2 * MIB; i++)
        assert_int_equal(p[i], 0);
    assert_non_null(p = mem_resize(p, 9 * MIB));
    assert_int_equal(mem_live(), live + 4 * MIB - given);
    assert_non_null(p = mem_resize(p, 4 * MIB));
    assert_int_equal(p[MIB - MIB % 509], (uint8_t)((MIB - MIB % 509) >> 3 ^ (MIB - MIB % 509) >> 11));
    if (given)
        mem_refill(p, MIB);
    fill(p, 0, 4 * MIB);
    expect_filled(p, 4 * MIB);
    mem_free(p);
    mem_free(small);
    assert_int_equal(mem_live(), before);
}

/* What can't be had is refused, and the old block stands. */
static void test_refused(void **state)
{
    (void)state;
    uint8_t *p = bigmem_new(4 * MIB), *q = mem_alloc(4 * MIB);
    assert_true(p && q);
    fill(p, 0, 4 * MIB);
    assert_null(bigmem_resize(p, sizeof p < 8 ? SIZE_MAX / 2 + 1 : SIZE_MAX / 4));
    assert_null(bigmem_new(SIZE_MAX / 2 + 1));
    assert_null(bigmem_new(SIZE_MAX));
    assert_int_equal(bigmem_size(p), 4 * MIB);
    expect_filled(p, 4 * MIB);
    bigmem_free(p);
    fill(q, 0, 4 * MIB);
    size_t live = mem_live();
    mem_fail_after(0);
    assert_null(mem_resize(q, 8 * MIB));
    assert_null(mem_zalloc(4 * MIB));
    mem_fail_after(-1);
    assert_int_equal(mem_live(), live);
    expect_filled(q, 4 * MIB);
    mem_free(q);
    mem_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_big),
        cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
