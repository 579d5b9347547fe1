/*
 * test_layout_names.c - names written into spans cover cells and change none of their states' looks.
 */
#include "layout_help.h"

static unsigned named, worked, assisted;

/* The same rows without names and with them: where a glyph differs, it is a name's, and its cell keeps its
 * style. */
static void same_styles(struct seen *s)
{
    struct grid bare = {0};
    s->v.scr.names = false;
    assert_true(frame_draw(&bare, &s->v, NULL));
    s->v.scr.names = true;
    assert_true(frame_draw(&s->g, &s->v, NULL));
    for (int y = 0; y < bare.h; y++)
        for (int x = 0; x < bare.w; x++) {
            const struct cell *a = grid_at(&bare, x, y), *b = grid_at(&s->g, x, y);
            if (a->glyph == b->glyph)
                continue;
            if (a->style != b->style)
                fail_msg("%s: a name's cell at %d,%d is of style %u, without the name of %u", s->name, x, y,
                         (unsigned)b->style, (unsigned)a->style);
            named++;
            worked += b->style == STYLE_GCWORK;
            assisted += b->style == STYLE_ASSIST;
        }
    grid_free(&bare);
}

/* The window is one span of who marks or assists, and two wider ones. */
static void around(struct seen *s, uint32_t g, int64_t t0, int64_t t1)
{
    const int64_t len = t1 - t0;
    for (int k = 0; k < 3; k++) {
        (void)view_range(&s->v, t0 - k * len / 4, t1 + k * len / 4 + 1);
        (void)view_focus(&s->v, (struct lane){LANE_G, g});
        same_styles(s);
    }
}

static void names_in(struct seen *s)
{
    const struct range *r;
    const size_t n = trace_ranges(s->tr, RANGE_ASSIST, &r);
    (void)view_switch(&s->v, VIEW_GOROUTINES);
    for (size_t i = 0; i < n && i < 20; i++)
        if (r[i].owner != NO_LANE)
            around(s, r[i].owner, r[i].t0, r[i].t1);
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        struct span_iter it;
        const bool marks = trace_lane(s->tr, (struct lane){LANE_G, g}).is_worker;
        int spans = 0;
        for (bool more = marks && span_seek_index(&it, s->tr, (struct lane){LANE_G, g}, 0);
             more && spans < 20; more = span_next(&it))
            if (span_get(&it)->state == ST_RUNNING) {
                around(s, g, span_get(&it)->t0, span_get(&it)->t1);
                spans++;
            }
    }
}

static void test_names(void **state)
{
    (void)state;
    for_samples(names_in, "alloc-");
    for_samples(names_in, "http-");
    assert_true(named > 1000 && worked > 20 && assisted > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
