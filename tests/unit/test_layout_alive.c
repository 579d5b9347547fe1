/*
 * test_layout_alive.c - which lanes live in a window: the summaries against asking every lane, while a trace
 * of many goroutines loads and behind it; the rows that lanes.c makes of them; and a search that hits most of
 * them.
 */
#include "layout/move/lanes.h"
#include "layout/move/search.h"
#include "tests/unit/decode_help.h"

/* 6000 goroutines: each seventh lives on, of the others each third for long. */
static char *many(void)
{
    enum { N = 6000 };
    size_t cap = N * 160 + 400, n = 0;
    int t = 1000;
    char *s = malloc(cap);
    assert_non_null(s);
    n += (size_t)snprintf(s + n, cap - n,
                          "go 1.26\nbatch m=7 t=1000\nProcStatus +0 p=0 running\n"
                          "GoStatus +0 g=1 m=7 running\n");
    for (int i = 2; i < N; i++) {
        if (i % 500 == 0) /* a batch has at most 64 KB */
            n += (size_t)snprintf(s + n, cap - n, "batch m=7 t=%d\n", t);
        n +=
            (size_t)snprintf(s + n, cap - n, "GoCreate +100 new_g=%d\nGoStop +100 reason=\"preempted\"\n", i);
        t += 210;
        int end = i % 7 == 0 ? 0 : i % 3 == 0 ? i - 900 : i;
        if (end % 3 == 0 && (end < 2 || end % 7 == 0))
            end = 0;
        t += end ? 120 : 0;
        if (end)
            n += (size_t)snprintf(s + n, cap - n, "GoStart +50 g=%d g_seq=1\nGoDestroy +70\n", end);
        n += (size_t)snprintf(s + n, cap - n, "GoStart +10 g=1 g_seq=%d\n", i - 1);
        assert_true(n < cap - 200);
    }
    return s;
}

static bool lives(const struct trace *tr, uint32_t i, struct window w)
{
    struct lane_info li = trace_lane(tr, (struct lane){LANE_G, i});
    return li.first < w.t1 && li.last >= w.t0;
}

static void check_window(struct alive *a, const struct trace *tr, struct window w)
{
    uint32_t n = trace_nlanes(tr, LANE_G), at = 0;
    const struct alive_ask in = {tr, LANE_G, w.t0, w.t1, n};
    for (uint32_t i = 0; i < n; i++)
        if (lives(tr, i, w)) {
            at = alive_next(a, &in, at);
            assert_int_equal(at, i);
            for (uint32_t run = alive_run(a, w.t0, w.t1, at, n), k = run > 4 ? run - 4 : 0; k < run; k++)
                assert_true(
                    lives(tr, at + k, w)); /* the end of what follows, whose beginning is looked at next */
            at++;
        }
    assert_int_equal(alive_next(a, &in, at), NO_LANE);
    uint32_t some = at = 0; /* the same ones, in steps */
    while (some < n)
        if (alive_some(a, &in, &some)) {
            assert_int_equal(some, alive_next(a, &in, at));
            at = ++some;
        }
    assert_int_equal(alive_next(a, &in, at), NO_LANE);
}

static void check_windows(struct alive *a, const struct trace *tr, struct rng *r)
{
    int64_t end = trace_info(tr)->end + 1;
    check_window(a, tr, window_of(0, end));
    check_window(a, tr, window_of(end * 2, end * 3)); /* an estimated end may lie behind what is decoded */
    for (int i = 0; i < 12; i++) {
        int64_t t0 = (int64_t)below(r, (uint64_t)end),
                len = (int64_t)below(r, (uint64_t)end >> below(r, 12)) + 1;
        check_window(a, tr, window_of(t0, t0 + len));
    }
}

static void summaries(void **state)
{
    (void)state;
    char *text = many();
    struct rng r = {7};
    struct trace_opts o = {.threads = 1};
    struct trace *tr;
    struct err e;
    struct alive a = {0};
    size_t n;
    int steps = 0;
    uint8_t *bytes = tracegen_bytes(text, &n);
    free(text);
    assert_int_equal(trace_open_mem(bytes, n, &o, &tr, &e), ERR_OK);
    while (trace_load(tr, 1) != LOAD_DONE)
        if (++steps % 4 == 0)
            check_windows(&a, tr, &r);
    assert_true(trace_nlanes(tr, LANE_G) > 5 * ALIVE_CHUNK);
    for (int i = 0; i < 10; i++)
        check_windows(&a, tr, &r);
    alive_free(&a);
    trace_close(tr);
    free(bytes);
}

/* Rows of every kind of list hold just the lanes they should, each once, and know the way back. */
static void rows(void **state)
{
    (void)state;
    char *text = many();
    struct loaded l = load_text(text);
    struct rng r = {3};
    struct lanes s = {.kind = LANE_G, .sort = SORT_SEEN, .stale = true, .here = true};
    uint32_t n = trace_nlanes(l.tr, LANE_G);
    int64_t end = trace_info(l.tr)->end;
    free(text);
    s.pin[s.npin++] = 77;
    assert_true(lanes_hide(&s, 1234, true));
    for (int i = 0; i < 60; i++) {
        struct window w = window_of((int64_t)below(&r, (uint64_t)end), 0);
        w.t1 = i % 9 == 8 ? end : w.t0 + 1 + (int64_t)below(&r, (uint64_t)end / 4);
        w.t0 = i % 9 == 8 ? 0 : w.t0;
        uint32_t keep = (uint32_t)below(&r, n), want = 0;
        s.sort = (enum sort)(i / 8 % SORT_COUNT);
        s.stale = i % 8 == 0;
        s.group = i >= 56;
        s.stale |= i == 56;
        if (s.group)
            lanes_fold(&s, trace_lane(l.tr, (struct lane){LANE_G, 100}).name, false);
        assert_true(lanes_update(&s, l.tr, w, keep));
        bool all = w.t0 <= 0 && w.t1 >= end;
        for (uint32_t k = 0; k < n; k++) {
            bool shows = k == 77 || k == keep || (k != 1234 && (all || lives(l.tr, k, w)));
            uint32_t row = lanes_row(&s, k);
            want += shows;
            if (shows != (row != NO_LANE) || (shows && lanes_at(&s, row) != k))
                fail_msg("round %d: lane %u should %sshow, row %u", i, k, shows ? "" : "not ", row);
        }
        assert_int_equal(s.n, want);
        assert_int_equal(lanes_row(&s, 77), 0);
    }
    lanes_free(&s);
    unload(&l);
}

/* What shows of groups, lane by lane: row, and how many stand behind it. */
static void check_groups(const struct lanes *s, const struct trace *tr, struct window w, uint32_t keep)
{
    const bool all = w.t0 <= 0 && w.t1 >= trace_info(tr)->end;
    uint32_t row = (uint32_t)s->npin, head = NO_LANE, name = 0, more = 0;
    for (uint32_t i = 0; i < s->total; i++) {
        const uint32_t lane = s->order[i], its = trace_g_name(tr, lane);
        if (lanes_pinned(s, lane) ||
            (lane != keep && (lanes_is_hidden(s, lane) || (!all && !lives(tr, lane, w)))))
            continue;
        if (head == NO_LANE || its != name || !lanes_folded(s, its) || lane == keep) {
            if (head == NO_LANE || its != name) {
                assert_int_equal(head == NO_LANE ? 0 : lanes_more(s, head), more);
                head = row;
                name = its;
                more = 0;
            }
            assert_int_equal(lanes_at(s, row), lane);
            assert_int_equal(lanes_row(s, lane), row++);
        } else {
            more++;
        }
    }
    assert_int_equal(head == NO_LANE ? 0 : lanes_more(s, head), more);
    assert_int_equal(s->n, row);
}

static void groups(void **state)
{
    (void)state;
    struct trace *tr;
    struct err e;
    struct rng r = {5};
    struct lanes s = {.kind = LANE_G, .stale = true, .here = true, .group = true};
    assert_int_equal(trace_open("samples/http-1.26.trace", NULL, &tr, &e), ERR_OK);
    trace_load(tr, INT64_MAX);
    const uint32_t n = trace_nlanes(tr, LANE_G);
    const int64_t end = trace_info(tr)->end;
    for (int i = 0; i < 400; i++) {
        const uint32_t lane = (uint32_t)below(&r, n), keep = (uint32_t)below(&r, n);
        const int64_t t0 = (int64_t)below(&r, (uint64_t)end) * (i % 5 != 0);
        if (i % 10 == 0)
            lanes_fold(&s, trace_g_name(tr, lane), i % 20 == 0);
        if (i % 25 == 0)
            assert_true(lanes_hide(&s, lane, i % 50 == 0));
        if (i % 40 == 0) {
            s.npin = (int)below(&r, 3);
            s.pin[0] = 7;
            s.pin[1] = 3;
            s.sort = (enum sort)below(&r, SORT_COUNT);
            s.stale = true;
        }
        const struct window w = window_of(t0, i % 5 ? t0 + 1 + (int64_t)below(&r, (uint64_t)end / 2) : end);
        assert_true(lanes_update(&s, tr, w, keep));
        assert_true(s.ngroups > 5);
        check_groups(&s, tr, w, keep);
    }
    lanes_free(&s);
    trace_close(tr);
}

/* A group of nearly all lanes, beside small ones: the same rows. */
static void big_group(void **state)
{
    (void)state;
    char *text = many();
    struct loaded l = load_text(text);
    struct rng r = {11};
    struct lanes s = {.kind = LANE_G, .stale = true, .here = true, .group = true};
    const uint32_t n = trace_nlanes(l.tr, LANE_G);
    const int64_t end = trace_info(l.tr)->end;
    free(text);
    for (int i = 0; i < 200; i++) {
        const int64_t t0 = (int64_t)below(&r, (uint64_t)end) * (i % 5 != 0);
        const struct window w =
            window_of(t0, i % 7 ? t0 + 1 + (int64_t)below(&r, (uint64_t)end / 2) : t0 + 2);
        if (i % 20 == 0) {
            s.sort = i % 40 ? SORT_RUNNING : SORT_SEEN;
            s.invert = i % 80 >= 40;
            s.stale = true;
        }
        s.npin = i % 50 == 49;
        s.pin[0] = 9;
        s.rows_stale = true;
        assert_true(lanes_update(&s, l.tr, w, i % 3 ? (uint32_t)below(&r, n) : NO_LANE));
        check_groups(&s, l.tr, w, s.seen_keep);
    }
    lanes_free(&s);
    unload(&l);
}

/* More hits than are sorted in one go, in steps of any length: by time, each once, and as many as the spans
 * there are. */
static void many_hits(void **state)
{
    (void)state;
    char *text = many(), why[80];
    struct loaded l = load_text(text);
    free(text);
    size_t spans = 0;
    for (uint32_t g = 0; g < trace_nlanes(l.tr, LANE_G); g++) {
        struct span_iter it;
        for (bool more = span_seek_index(&it, l.tr, (struct lane){LANE_G, g}, 0); more; more = span_next(&it))
            spans += span_get(&it)->state == ST_RUNNABLE;
    }
    static const int64_t budgets[] = {1, 100000, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        struct search *s = search_new(l.tr, "runnable", why, sizeof why);
        assert_non_null(s);
        while (!search_step(s, l.tr, budgets[i])) {
        }
        assert_true(s->nhits > 10000);
        assert_int_equal(s->nhits, spans);
        for (size_t k = 1; k < s->nhits; k++)
            assert_true(s->hits[k - 1].t < s->hits[k].t ||
                        (s->hits[k - 1].t == s->hits[k].t && s->hits[k - 1].g < s->hits[k].g));
        search_free(s);
    }
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(summaries), cmocka_unit_test(rows),
                                       cmocka_unit_test(groups), cmocka_unit_test(big_group),
                                       cmocka_unit_test(many_hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
