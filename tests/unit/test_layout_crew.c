/*
 * test_layout_crew.c - work that many small parts make up: each is done once, by as many threads as may; and
 * pictures are the same whoever draws their rows.
 */
#include "layout2_help.h"

#include <sched.h>
#include <stdatomic.h>

#include "decode/base/crew.h"
#include "layout/draw/draw.h"

/* ---- parts --------------------------------------------------------------------------------------------- */

enum { MANY = 500 };
struct done {
    atomic_uint times[MANY], by[CREW_MOST];
    atomic_uint there, wait_for; /* the first part of each thread waits for so many threads */
};

static void part(void *arg, size_t i, unsigned who)
{
    struct done *d = arg;
    assert_true(i < MANY && who < CREW_MOST);
    atomic_fetch_add(&d->times[i], 1);
    if (atomic_fetch_add(&d->by[who], 1) == 0)
        atomic_fetch_add(&d->there, 1);
    while (atomic_load(&d->there) < atomic_load(&d->wait_for))
        (void)sched_yield();
}

static void each_once(const struct done *d, size_t n)
{
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(d->times[i], i < n);
}

static unsigned threads_of(const struct done *d)
{
    unsigned n = 0;
    for (int i = 0; i < CREW_MOST; i++)
        n += d->by[i] > 0;
    return n;
}

static void test_all_take_part(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= CREW_MOST; threads++) {
        struct crew *c = crew_new((int)threads, 0);
        assert_non_null(c);
        struct done d = {.wait_for = threads};
        crew_do(c, &(struct crew_job){part, &d, MANY});
        each_once(&d, MANY);
        assert_int_equal(threads_of(&d), threads);
        crew_free(c);
    }
}

static void test_any_number(void **state)
{
    (void)state;
    struct crew *c = crew_new(1000, 0);
    for (size_t n = 0; n < 300; n += 1 + n / 3) {
        struct done d = {.wait_for = 0};
        crew_do(c, &(struct crew_job){part, &d, n});
        each_once(&d, n);
    }
    crew_free(c);
    crew_free(NULL);
}

/* Who has little to do does it alone; without a crew, and with one of one, all is the caller's, in order. */
static void test_alone(void **state)
{
    (void)state;
    struct crew *of[] = {NULL, crew_new(1, 0), crew_new(0, 0), crew_new(8, INT64_MAX / 2)};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct done d = {.wait_for = 0};
        crew_do(of[i], &(struct crew_job){part, &d, MANY});
        each_once(&d, MANY);
        assert_int_equal(d.by[0], MANY);
        crew_free(of[i]);
    }
}

/* ---- pictures ------------------------------------------------------------------------------------------ */

static struct trace *load(const char *path, int threads)
{
    struct trace *tr;
    struct err e;
    if (trace_open(path, &(struct trace_opts){.threads = threads}, &tr, &e))
        fail_msg("%s: %s", path, e.what);
    trace_load(tr, INT64_MAX);
    return tr;
}

struct both { /* a view drawn by one thread, and one by several */
    struct seen one, some;
    unsigned pictures;
};

static void same(struct both *b, const char *after)
{
    for (int again = 0; again < 2; again++) { /* rows that are kept, too */
        struct seen *each[] = {&b->one, &b->some};
        for (int i = 0; i < 2; i++) {
            assert_true(frame_draw(&each[i]->g, &each[i]->v, NULL));
            finish(&each[i]->v);
            assert_true(frame_draw(&each[i]->g, &each[i]->v, NULL));
        }
        const struct grid *x = &b->one.g, *y = &b->some.g;
        assert_true(x->w == y->w && x->h == y->h);
        for (int k = 0; k < x->w * x->h; k++)
            if (memcmp(&x->cells[k], &y->cells[k], sizeof *x->cells))
                fail_msg("%s, view %d, behind %s: column %d of line %d is U+%04X, by one thread U+%04X",
                         b->one.name, b->one.v.at.view, after, k % x->w, k / x->w, y->cells[k].glyph,
                         x->cells[k].glyph);
        b->pictures++;
    }
}

#define BOTH(b, call, ...) \
    ((void)call(&(b)->one.v, ##__VA_ARGS__), (void)call(&(b)->some.v, ##__VA_ARGS__), same(b, #call))

static void look_around(struct both *b)
{
    static const int views[] = {VIEW_PROCS, VIEW_GOROUTINES, VIEW_THREADS, VIEW_LOG, VIEW_GC};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        BOTH(b, view_switch, views[i]);
        BOTH(b, view_zoom_all, 0);
        BOTH(b, view_zoom, 3);
        BOTH(b, view_pan, 2);
        BOTH(b, view_do, REQ_LANE, 5);
        BOTH(b, view_filter, "~e state=running");
        BOTH(b, view_zoom, 4);
        BOTH(b, view_filter_clear);
        BOTH(b, view_pan, -1);
    }
}

static void test_same_pictures(void **state)
{
    (void)state;
    static const char *const paths[] = {"samples/http-1.26.trace", "samples/alloc-1.27.trace",
                                        "samples/alloc-1.21.trace", "samples/lock-cpu-1.27.trace"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct both b = {.pictures = 0};
        seen_begin(&b.one, load(paths[i], 1), paths[i]);
        seen_begin(&b.some, load(paths[i], 4), paths[i]);
        b.some.v.cache.alone_ns = 0;
        b.one.v.scr.tier = b.some.v.scr.tier = TIER_EIGHTH;
        view_resize(&b.one.v, 120, 50);
        view_resize(&b.some.v, 120, 50);
        same(&b, "loading");
        look_around(&b);
        assert_true(b.pictures > 80);
        assert_null(b.one.v.cache.crew); /* --threads 1 is one */
        assert_non_null(b.some.v.cache.crew);
        seen_close(&b.one);
        seen_close(&b.some);
    }
}

/* Lanes that are kept in one place, drawn in one frame: 256 apart. */
static void test_one_place(void **state)
{
    (void)state;
    struct trace *tr = load("samples/http-1.26.trace", 2);
    struct seen s;
    seen_begin(&s, tr, "");
    assert_true(frame_draw(&s.g, &s.v, NULL));
    assert_true(draw_prepare(&s.v));
    assert_true(draw_beside(&s.v, (struct lane){LANE_G, 3}));
    assert_true(draw_beside(&s.v, (struct lane){LANE_G, 4}));
    assert_false(draw_beside(&s.v, (struct lane){LANE_G, 259}));
    assert_true(draw_prepare(&s.v)); /* the next frame */
    assert_true(draw_beside(&s.v, (struct lane){LANE_G, 259}));
    assert_false(draw_beside(&s.v, (struct lane){LANE_G, 3}));
    seen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_take_part), cmocka_unit_test(test_any_number), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_same_pictures), cmocka_unit_test(test_one_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
