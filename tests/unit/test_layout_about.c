/*
 * test_layout_about.c - lanes of many blocks, drawn from what the index says where that is enough, look as
 * they do when drawn from exact times.
 */
#include "layout/draw/draw.h"
#include "layout/frame/frame.h"
#include "layout/move/plan.h"
#include "tests/unit/query_check.h"

static struct rng rng = {77};

static void test_same_picture(void **state)
{
    (void)state;
    struct trace tr = {.done = true};
    struct view v;
    struct grid g = {0}, exact = {0};
    unsigned sure = 0, not = 0;
    many_blocks(&tr, &rng);
    assert_true(view_init(&v, &tr));
    for (int i = 0; i < 1500; i++) {
        if (i % 100 == 0) {
            view_resize(&v, 24 + (int)below(&rng, 24), 13);
            view_switch(&v, 2 + (int)below(&rng, 2));
            v.scr.tier = (enum tier)below(&rng, TIER_COUNT);
            v.scr.mono = below(&rng, 2);
            tr.info.ndamages = below(&rng, 2); /* what isn't told of a processor is shown then */
        }
        int64_t end = tr.fold.end, len = (end >> below(&rng, 4)) - (int64_t)below(&rng, 1000);
        v.at.win.t0 = (int64_t)below(&rng, (uint64_t)(end - len));
        v.at.win.t1 = v.at.win.t0 + len;
        assert_true(frame_draw(&g, &v, NULL));
        for (int c = 0; c < v.scr.plot_w; c++)
            *(v.cache.scratch[0].sure[c] ? &sure : &not ) += 1;
        draw_forget(&v);
        v.scr.exact = true;
        assert_true(frame_draw(&exact, &v, NULL));
        v.scr.exact = false;
        draw_forget(&v);
        for (int k = 0; k < g.w * g.h; k++)
            if (memcmp(&g.cells[k], &exact.cells[k], sizeof *g.cells))
                fail_msg("round %d, view %d, tier %d, mono %d, %d columns of %" PRId64
                         " ns: column %d of line %d is U+%04X, exactly U+%04X",
                         i, v.at.view, v.scr.tier, v.scr.mono, v.scr.plot_w, len / v.scr.plot_w,
                         k % g.w - v.scr.gutter, k / g.w, g.cells[k].glyph, exact.cells[k].glyph);
    }
    assert_true(sure > 1000 && not > 1000);
    grid_free(&g);
    grid_free(&exact);
    view_free(&v);
    for (int k = 0; k < LANE_KINDS; k++)
        idmap_free(&tr.find[k]);
    fold_free(&tr.fold);
    names_free(&tr.names);
}

/* What is kept of pictures that moved, and of rows that were out of sight meanwhile, is what would be drawn
 * afresh. */
static void test_moved_picture(void **state)
{
    (void)state;
    struct trace tr = {.done = true};
    struct view v, other;
    struct grid g = {0}, exact = {0};
    many_blocks(&tr, &rng);
    assert_true(view_init(&v, &tr) && view_init(&other, &tr));
    other.scr.exact = true;
    for (int i = 0; i < 1500; i++) {
        if (i % 100 == 0) {
            view_resize(&v, 24 + (int)below(&rng, 60), 9 + (int)below(&rng, 30));
            (void)view_resize(&other, v.scr.w, v.scr.h);
            view_switch(&v, 2 + (int)below(&rng, 2));
            v.scr.tier = other.scr.tier = (enum tier)below(&rng, TIER_COUNT);
            v.scr.mono = other.scr.mono = below(&rng, 2);
        }
        const int n = 1 + (int)below(&rng, 5), back = below(&rng, 2) ? -n : n;
        switch (below(&rng, 8)) {
        case 0: view_zoom(&v, below(&rng, 3) ? 1 : -1); break;
        case 1: view_do(&v, REQ_LANE, back); break;
        case 2: view_cursor(&v, 7 * back); break;
        case 3: view_page(&v, back); break;
        default: view_pan(&v, back); break;
        }
        assert_true(frame_draw(&g, &v, NULL));
        other.at = v.at;
        memcpy(other.msg.text, v.msg.text, sizeof v.msg.text);
        other.msg.error = v.msg.error;
        draw_forget(&other);
        assert_true(frame_draw(&exact, &other, NULL));
        struct plan p; /* what stands below the lanes is added up as time allows */
        plan_view(&p, &v, v.lanes[v.at.view == VIEW_PROCS ? LANE_P : LANE_G].n);
        for (int k = 0; k < g.w * (p.y[ROW_LANES] + p.n[ROW_LANES]); k++)
            if (memcmp(&g.cells[k], &exact.cells[k], sizeof *g.cells))
                fail_msg(
                    "step %d, view %d, tier %d, %d columns: column %d of line %d is U+%04X, afresh U+%04X", i,
                    v.at.view, v.scr.tier, v.scr.plot_w, k % g.w - v.scr.gutter, k / g.w, g.cells[k].glyph,
                    exact.cells[k].glyph);
    }
    grid_free(&g);
    grid_free(&exact);
    view_free(&v);
    view_free(&other);
    for (int k = 0; k < LANE_KINDS; k++)
        idmap_free(&tr.find[k]);
    fold_free(&tr.fold);
    names_free(&tr.names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_picture),
                                       cmocka_unit_test(test_moved_picture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
