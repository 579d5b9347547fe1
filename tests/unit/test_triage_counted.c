/*
 * test_triage_counted.c - rules look at so many spans of a goroutine: what they count then is of all of it, or it is said of which part.
 */
#define SCRIPT_MOST (1 << 23)
#include "script_help.h"




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
        ev(t += 40 * US, "GoStop", "%s", "reason=\"runtime.Gosched\" stack=runtime.Gosched:1,main.spin:3");
        start(t += 100, 2);
    }
    over(t + US);
    made_of(&m);
    const struct finding *f = told(&m, RULE_BUSY_LOOP);
    assert_non_null(f);
    assert_non_null(
        strstr(f->text, "it yielded its processor 9999 times until 402ms and continued at once each time"));
    assert_non_null(strstr(f->next, "instead of yielding"));
    unmade(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_until_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
