/*
 * test_triage_counted.c - rules look at so many spans of a goroutine: what they count then is of all of it, or it is said of which part.
 */
#define SCRIPT_MOST (1 << 23)
#include "script_help.h"

/* 40,000 short calls: the first 12,000 one behind the other, the others behind a pause each. */
static void calls_of_the_whole_life(void **state)
{
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    for (int i = 0; i < 40000; i++) {
        call(t, t + 8 * US, "syscall.write:1,main.stamp:3,main.main:5");
        t += i < 12000 ? 10 * US : 20 * US;
    }
    over(t);
    made_of(&m);
    const struct finding *f = told(&m, RULE_SMALL_CALLS);
    assert_non_null(f);
    assert_non_null(strstr(f->text, "makes 58")); /* a second: 40,000 in 681 ms, and not 100,000 as at first */
    assert_non_null(strstr(f->text, "of 8.00us on average"));
    assert_non_null(strstr(f->text, "47.0% of the life"));
    unmade(&m);
}

/* Short calls at first, and then hardly any for as long again, and longer. */
static void calls_at_the_beginning_only(void **state)
{
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    for (int i = 0; i < 12000; i++, t += 10 * US) {
        call(t, t + 8 * US, "syscall.write:1,main.stamp:3,main.main:5");
    }
    for (int i = 0; i < 1000; i++, t += 2 * MS) {
        call(t, t + 8 * US, "syscall.write:1,main.stamp:3,main.main:5");
    }
    over(t);
    made_of(&m);
    assert_null(told(&m, RULE_SMALL_CALLS));
    unmade(&m);
}

/* Who calls the function that makes most of them, and makes some itself: they count, too. Others' don't. */
static void calls_of_the_caller(void **state)
{
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    for (int i = 0; i < 4000; i++, t += 10 * US) {
        call(t, t + 8 * US,
             i % 10 == 0   ? "syscall.write:1,main.page:4,main.main:5"
             : i % 10 == 1 ? "syscall.write:1,main.note:9,main.main:5"
                           : "syscall.write:1,main.stamp:3,main.page:5,main.main:5");
    }
    over(t);
    made_of(&m);
    const struct finding *f = told(&m, RULE_SMALL_CALLS);
    assert_non_null(f);
    assert_non_null(strstr(f->text, "(and main.page itself)"));
    assert_non_null(strstr(f->text, ": 70."));
    unmade(&m);
}

/* It gives its processor up 30,000 times: the sentence says until when it counted, and a longer life makes it no other thing. */
static void turns_until_a_moment(void **state)
{
    struct made m;
    int64_t t = MS;
    (void)state;
    begin(1);
    create(US, 2, "spin");
    block(2 * US, "sleep", at_rest);
    start(t, 2);
    for (int i = 0; i < 30000; i++) {
        ev(t += 400, "GoStop", "%s", "reason=\"runtime.Gosched\" stack=runtime.Gosched:1,main.spin:3");
        start(t += 100, 2);
    }
    over(t + US);
    made_of(&m);
    const struct finding *f = told(&m, RULE_BUSY_LOOP);
    assert_non_null(f);
    assert_non_null(
        strstr(f->text, "it yielded its processor 9999 times until 6.00ms and continued at once each time"));
    assert_non_null(strstr(f->next, "instead of yielding"));
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_the_whole_life),
        cmocka_unit_test(calls_at_the_beginning_only),
        cmocka_unit_test(calls_of_the_caller),
        cmocka_unit_test(turns_until_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
