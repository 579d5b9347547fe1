/* test_mem.c - the door to the allocator: blocks of any size keep their bytes and are counted
 * (decode/base/mem.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/base/mem.h"
#include "decode/base/slabs.h"

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

/* Blocks of one size: none overlaps another, those that were given back are had again, and all goes back. */
static void test_slabs(void **state)
{
    (void)state;
    enum { SIZE = 3 * SLABS_ALIGN, N = 1000 };
    static uint8_t *p[N];
    struct slabs s = {0};
    const size_t before = mem_live();
    for (size_t i = 0; i < N; i++) {
        assert_non_null(p[i] = slabs_get(&s, SIZE));
        assert_int_equal((uintptr_t)p[i] % SLABS_ALIGN, 0);
        memset(p[i], (int)(i % 251), SIZE);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < SIZE; k++)
            assert_int_equal(p[i][k], i % 251);
    const size_t most = mem_live();
    for (size_t i = 0; i < N; i += 2)
        slabs_put(&s, p[i]);
    for (size_t i = 0; i < N; i += 2)
        assert_non_null(p[i] = slabs_get(&s, SIZE));
    assert_int_equal(mem_live(), most);
    slabs_free(&s);
    assert_int_equal(mem_live(), before);
    mem_fail_after(0);
    assert_null(slabs_get(&s, SIZE));
    mem_fail_after(-1);
}

/* What can't be had is refused, and the old block stands. */
static void test_refused(void **state)
{
    (void)state;
    uint8_t *q = mem_alloc(4 * MIB);
    assert_non_null(q);
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
        cmocka_unit_test(test_slabs),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
