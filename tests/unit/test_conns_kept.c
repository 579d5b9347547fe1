/* test_conns_kept.c - connections that stay open and are not used again are told from those that are closed after an answer. */
#include "triage_help.h"

static void kept_or_closed(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct loaded l;
        help_cause(kept ? "postriders" : "ferrymen", &l);
        const struct finding *f = help_tells(&l, RULE_CONNS);
        assert_int_equal(strstr(f->text, "they stay open, but are hardly used again") != NULL, kept);
        assert_int_equal(strstr(f->text, "most are closed again after an answer") != NULL, !kept);
        assert_int_equal(strstr(f->next, "one Transport, for all requests") != NULL, kept);
        load_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_or_closed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
