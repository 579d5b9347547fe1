/*
 * test_walk.c - the spans that rules look at: of a goroutine with more of them than may be looked at,
 * stretches of all of its life, told apart.
 */
#include "triage_help.h"

#include "triage/findings/walk.h"

/* The goroutine of landslip that has most spans. */
static uint32_t busiest(const struct loaded *l, uint64_t *spans)
{
    uint32_t best = 0;
    *spans = 0;
    for (uint32_t g = 0; g < l->tg->ng; g++) {
        const uint64_t n = trace_lane(l->tr, (struct lane){LANE_G, g}).nspans;
        best = n > *spans ? g : best;
        *spans = n > *spans ? n : *spans;
    }
    return best;
}

static void all_of_a_short_life(void **state)
{
    struct loaded l;
    struct walk w;
    uint64_t all, n = 0;
    (void)state;
    help_cause("landslip", &l);
    const uint32_t g = busiest(&l, &all);
    walk_g(&w, l.tr, g, (uint32_t)all);
    for (const struct span *s; (s = walk_next(&w)); n++)
        assert_true(s->state != ST_NONE && s->index == n);
    assert_int_equal(n, all);
    load_free(&l);
}

static void stretches_of_a_long_life(void **state)
{
    enum { EACH = 10 };
    struct loaded l;
    struct walk w;
    uint64_t all, next = 0;
    uint32_t n = 0, gaps = 0, here = 0;
    int64_t end = 0;
    (void)state;
    help_cause("landslip", &l);
    const uint32_t g = busiest(&l, &all);
    assert_true(all > 2 * EACH * WALK_STRETCHES);
    walk_g(&w, l.tr, g, EACH * WALK_STRETCHES);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state == ST_NONE) {
            assert_true(s->t0 == s->t1 && s->t0 > end && s->who == NO_LANE && !s->stack);
            assert_int_equal(here, EACH);
            gaps++;
            here = 0;
        } else {
            assert_true(s->index == next || (here == 0 && s->index > next));
            next = s->index + 1;
            end = s->t1;
            here++;
            n++;
        }
    }
    assert_int_equal(n, EACH * WALK_STRETCHES);
    assert_int_equal(gaps, WALK_STRETCHES - 1);
    assert_int_equal(next, all); /* how it ends is seen, too */
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_short_life),
        cmocka_unit_test(stretches_of_a_long_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
