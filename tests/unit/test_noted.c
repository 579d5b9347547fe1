/* test_noted.c - which sequence numbers there are (decode/v2/v2_noted.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/damage/v2_noted.h"

static void numbers(void **state)
{
    (void)state;
    struct v2_noted a = {0};
    for (uint64_t id = 1; id < 50; id++)
        for (uint64_t n = 1; n < 40 * id; n++)
            if (n % 7)
                assert_true(v2_noted_put(&a, id * 1000003, n));
    for (uint64_t id = 1; id < 50; id++) {
        for (uint64_t n = 0; n < 3000; n++)
            assert_int_equal(v2_noted_has(&a, id * 1000003, n), n && n < 40 * id && n % 7);
        const uint64_t last = 40 * id - ((40 * id - 1) % 7 ? 1 : 2);
        assert_true(v2_noted_beyond(&a, id * 1000003, last - 1));
        assert_false(v2_noted_beyond(&a, id * 1000003, last));
    }
    assert_false(v2_noted_has(&a, 5, 1));
    assert_false(v2_noted_beyond(&a, 5, 0));
    v2_noted_free(&a);
}

/* A number that some bit made huge takes no more room than another. */
static void far_off(void **state)
{
    (void)state;
    struct v2_noted a = {0};
    const size_t live = mem_live();
    static const uint64_t far[] = {UINT64_MAX, UINT64_MAX - 1, 1ull << 60, 1ull << 32, 100000000};
    assert_true(v2_noted_put(&a, 1, 1));
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        assert_true(v2_noted_put(&a, 1, far[i]));
        assert_true(v2_noted_has(&a, 1, far[i]));
        assert_false(v2_noted_has(&a, 1, far[i] - 2));
        assert_false(v2_noted_has(&a, 2, far[i]));
    }
    assert_true(v2_noted_beyond(&a, 1, 100000001));
    assert_true(mem_live() - live < 20000);
    v2_noted_free(&a);
    assert_int_equal(mem_live(), live);
}

static void twice(void **state)
{
    (void)state;
    struct v2_noted a = {0};
    assert_true(v2_noted_put(&a, 1, 3000)); /* far from others as yet */
    for (uint64_t n = 1; n < 4000; n++)
        assert_true(v2_noted_put(&a, 1, n));
    for (uint64_t n = 1; n < 4000; n++)
        assert_int_equal(v2_noted_twice(&a, 1, n), n == 3000);
    v2_noted_del(&a, 1, 3000);
    assert_false(v2_noted_has(&a, 1, 3000));
    assert_false(v2_noted_twice(&a, 1, 3000));
    assert_true(v2_noted_put(&a, 1, 17));
    assert_true(v2_noted_twice(&a, 1, 17));
    v2_noted_del(&a, 1, 17);
    assert_false(v2_noted_has(&a, 1, 17));
    assert_true(v2_noted_has(&a, 1, 18));
    v2_noted_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(far_off),
                                       cmocka_unit_test(twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
