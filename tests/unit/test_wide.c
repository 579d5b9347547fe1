/*
 * test_wide.c - decode/base/wide.h: what is done with 64 bits against the compiler's 128, and against what
 * must hold anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/base/wide.h"

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    static const uint64_t edge[] = {
        0, 1, 2, UINT32_MAX, (uint64_t)1 << 32, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1};
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % 5 == 0 ? edge[(seed >> 8) % 8] : seed >> (seed >> 58);
}

static void both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const uint64_t a = rnd(), b = rnd(), d = rnd() | 1;
        uint64_t hi, hi2, rem, rem2;
        const uint64_t lo = wide_mul_plain(a, b, &hi);
        assert_int_equal(lo, a * b);
        assert_true(wide_mul(a, b, &hi2) == lo && hi == hi2);
        const uint64_t q = wide_div_plain(hi % d, lo, d, &rem);
        assert_true(rem < d);
        assert_true(wide_div(hi % d, lo, d, &rem2) == q && rem == rem2);
        uint64_t back, low = wide_mul_plain(q, d, &back); /* q * d + rem is hi % d : lo again */
        back += low + rem < low;
        assert_true(low + rem == lo && back == hi % d);
    }
}

static void known(void **state)
{
    (void)state;
    uint64_t rem;
    assert_true(wide_muldiv(10, 20, 7) == 28);
    assert_true(wide_muldiv(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(wide_muldiv(UINT64_MAX, 3, 2) == UINT64_MAX); /* more than there is */
    assert_true(wide_muldiv_rem(UINT64_MAX, 3, 2, &rem) == UINT64_MAX && rem == 1);
    assert_true(wide_muldiv((uint64_t)1 << 63, 10, 1000) == 92233720368547758u);
    assert_true(wide_muladd(UINT64_MAX / 10, 10, 5) == UINT64_MAX);
    assert_true(wide_muladd(UINT64_MAX / 10, 10, 6) == UINT64_MAX);
    assert_true(wide_muladd(1844674407370955161u, 10, 4) == UINT64_MAX - 1);
    assert_true(wide_muladd((uint64_t)1 << 40, (uint64_t)1 << 40, 0) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways), cmocka_unit_test(known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
