/*
 * test_layout_why.c - `W`: an explanation as a page and as marks on the lanes. Its leaves lie side by side
 * over the whole interval; its goroutines stand one below the other in the order of the chain; a row's Enter
 * leads to its longest part.
 */
#include "layout_help.h"

#include "triage/findings/why.h"
#include "layout/move/kind.h"
#include "tests/support/tracegen.h"
#include "layout/move/pick.h"

static void explained(struct seen *s)
{
    const struct why *y = s->v.why;
    int64_t at = y->t0, of_chain = 0;
    for (uint32_t i = 0; i < y->nleaves; i++) {
        assert_true(y->leaf[i].t0 == at && y->leaf[i].t1 > at);
        at = y->leaf[i].t1;
        assert_int_equal(why_leaf_from(y, y->leaf[i].t0), i);
    }
    assert_true(at == y->t1);
    assert_true(y->nchain >= 1 && y->chain[0].g == y->g);
    for (uint32_t i = 0; i < y->nchain; i++) {
        of_chain += y->chain[i].ns;
        assert_true(y->chain[i].first >= y->t0 && y->chain[i].last <= y->t1);
    }
    assert_true(of_chain <= y->t1 - y->t0 && y->nrows >= 1);
}

/* What is asked for is there at once, or in a while. */
static unsigned ask_why(struct view *v)
{
    unsigned f = view_why(v);
    while (f & VR_WORK)
        f = view_work(v, INT64_MAX);
    return f;
}

/* Of each sample: every goroutine that lives long. */
static void of_sample(struct seen *s)
{
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G) && g < 40; g++) {
        struct lane l = {LANE_G, g};
        (void)view_focus(&s->v, l);
        (void)view_zoom_all(&s->v, 0);
        uint32_t of;
        int64_t t0, t1;
        if (!why_here(&s->v, &of, &t0, &t1)) {
            assert_true(ask_why(&s->v) & VR_BELL);
            continue;
        }
        assert_int_equal(of, g);
        assert_true(ask_why(&s->v) & VR_DRAW);
        assert_int_equal(s->v.at.view, VIEW_WHY);
        explained(s);
        assert_true(frame_draw(&s->g, &s->v, NULL));
        (void)view_undo(&s->v, 1);
    }
}

static void test_leaves(void **state)
{
    (void)state;
    for_samples(of_sample, "");
}

static int underlined(const struct seen *s, int x, int y0)
{
    int n = 0;
    for (int y = y0; y < s->g.h - 5; y++)
        n += (grid_at(&s->g, x, y)->flags & CELL_UNDERLINE) != 0;
    return n;
}

/* From the main goroutine, which waits for all others: its lanes one below the other, one of them marked at
 * each moment. */
static void test_lanes(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/lock-1.26.trace");
    uint32_t g = trace_find_lane(s.tr, LANE_G, 1);
    (void)view_focus(&s.v, (struct lane){LANE_G, g});
    for (int i = 0; i < 50; i++) { /* to the wait for the others */
        struct lane l;
        struct span sp;
        if (view_span_here(&s.v, &l, &sp) && sp.state == ST_WAITING && sp.t1 - sp.t0 > 50000000)
            break;
        (void)view_do(&s.v, REQ_SPAN, 1);
    }
    assert_true(ask_why(&s.v) & VR_DRAW);
    explained(&s);
    assert_true(on_screen(&s, "where its"));
    assert_true(on_screen(&s, "main.(*bank).clerk"));
    assert_true(s.v.why->nchain > 2);
    (void)view_do(&s.v, REQ_LANE, 1);
    uint32_t row = s.v.at.row;
    assert_int_equal(row, 1);
    struct tree_node n = s.v.why->tree.v[s.v.why->row[row].node];
    assert_true(view_enter(&s.v) & VR_DRAW);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_true(s.v.at.cursor == n.t0 && s.v.at.focus.i == n.g);
    assert_true(why_shown(&s.v));
    assert_true(frame_draw(&s.g, &s.v, NULL));
    for (uint32_t i = 0; i < s.v.why->nchain; i++)
        assert_int_equal(lanes_at(&s.v.lanes[LANE_G], i), s.v.why->chain[i].g);
    (void)view_range(&s.v, n.t0, n.t0 + 1000); /* a moment in which nothing changes */
    assert_true(frame_draw(&s.g, &s.v, NULL));
    int marked = 0;
    for (int x = s.v.scr.gutter; x < s.g.w; x++)
        marked += underlined(&s, x, 5) > 0;
    assert_true(marked > s.v.scr.plot_w / 2);
    s.v.msg.text[0] = 0;
    assert_string_equal(view_drop_word(&s.v), "all lanes");
    (void)view_back(&s.v);
    assert_false(why_shown(&s.v));
    seen_close(&s);
}

/* Where there is nothing of a goroutine, it says so and goes nowhere. */
static void test_nothing(void **state)
{
    (void)state;
    struct seen s;
    uint32_t g;
    int64_t t0, t1;
    seen_open(&s, "samples/lock-1.26.trace");
    for (int no = VIEW_NONE + 1; no < VIEW_END; no++) {
        (void)view_switch(&s.v, no);
        bool here = why_here(&s.v, &g, &t0, &t1);
        unsigned f = ask_why(&s.v);
        assert_true(here ? f & VR_DRAW : f & VR_BELL);
        assert_true((s.v.at.view == VIEW_WHY) == (here || no == VIEW_WHY));
        (void)view_switch(&s.v, VIEW_PROCS);
    }
    seen_close(&s);
}

/* While a trace loads nothing may take long: what would is refused until it is there. */
static void test_loading(void **state)
{
    (void)state;
    enum { N = 6000 };
    const size_t cap = N * 80 + 400;
    size_t n = 0, size;
    char *text = malloc(cap);
    assert_non_null(text);
    n += (size_t)snprintf(text, cap,
                          "go 1.26\nbatch m=7 t=1000\nProcStatus +0 p=0 running\n"
                          "GoStatus +0 g=1 m=7 running\n");
    for (int i = 1; i < N; i++) {
        if (i % 1000 == 0)
            n += (size_t)snprintf(text + n, cap - n, "batch m=7 t=%d\n", 1000 + i * 110);
        n += (size_t)snprintf(text + n, cap - n,
                              "GoStop +100 reason=\"preempted\"\nGoStart +10 g=1 g_seq=%d\n", i);
    }
    uint8_t *bytes = tracegen_bytes(text, &size);
    struct trace_opts o = {.threads = 1};
    struct trace *tr;
    struct view v;
    struct err e;
    assert_int_equal(trace_open_mem(bytes, size, &o, &tr, &e), ERR_OK);
    bool refused = false, done = false;
    while (!done) {
        done = trace_load(tr, 1) == LOAD_DONE;
        const int64_t end = trace_info(tr)->end;
        if (!trace_nlanes(tr, LANE_G) || trace_count(tr, (struct lane){LANE_G, 0}, 0, end) < 9000)
            continue;
        assert_true(view_init(&v, tr));
        view_resize(&v, 80, 24);
        (void)view_loaded(&v);
        (void)view_switch(&v, VIEW_GOROUTINES);
        (void)view_start(&v, 0);
        (void)view_select(&v, 0);
        (void)view_finish(&v, 0);
        (void)view_select(&v, 0);
        const unsigned f = ask_why(&v);
        assert_int_equal((f & VR_BELL) != 0, !done);
        assert_int_equal(v.at.view, done ? VIEW_WHY : VIEW_GOROUTINES);
        refused |= !done;
        view_free(&v);
    }
    assert_true(refused);
    trace_close(tr);
    free(bytes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
