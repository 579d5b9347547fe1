/* test_conns_kept.c - connections that are opened again and again are counted where they are opened, whether
 * they stay open or are closed. */
#include "triage_help.h"

static void kept_or_closed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double count;
    } v[] = {{"postriders", 40}, {"ferrymen", 62}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct loaded l;
        help_cause(v[i].name, &l);
        const struct verdict *f = &help_tells(&l, RULE_CONNS)->v;
        assert_true(f->ev[EV_COUNT] == v[i].count);
        assert_true(f->ev[EV_RATE] * (double)l.tg->end > (v[i].count - 1) * 1e9);
        assert_true(f->ev[EV_EACH] > 0 && f->t1 > f->t0);
        assert_true(str_starts(trace_str(l.tr, f->where.user), "main."));
        load_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_or_closed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
