/*
 * test_layout_idle.c - what is said of a processor's idle time is a sum over all of it: against a slow walk
 * over every span of every goroutine, for random cursors, windows and zooms of all samples.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout_help.h"

#include "decode/base/mem.h"
#include "layout/frame/frame.h"
#include "layout/move/idle_beside.h"
#include "layout/draw/status.h"

enum { CURSORS = 60 };

static uint64_t below(uint64_t n) /* as rnd(), of as many ns as a trace has */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (seed >> 33) % n : 0;
}

struct edges {
    int64_t *t;
    size_t n, cap;
};

static void edge(struct edges *e, int64_t t, int64_t t0, int64_t t1)
{
    if (t <= t0 || t >= t1)
        return;
    assert_true(mem_room(e->t, e->cap, e->n + 1));
    e->t[e->n++] = t;
}

static int cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Call f for each span of a lane that overlaps [t0,t1): from its first one, without any index. */
static void each(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, enum state st,
                 struct edges *e, uint32_t *count)
{
    struct span_iter it;
    if (!span_seek_index(&it, tr, l, 0))
        return;
    do {
        const struct span *s = span_get(&it);
        if ((enum state)s->state != st || s->t0 >= t1 || s->t1 <= t0)
            continue;
        if (e) {
            edge(e, s->t0, t0, t1);
            edge(e, s->t1, t0, t1);
        }
        if (count)
            ++*count;
    } while (span_next(&it));
}

/* In which intervals between the edges, which are in order, something holds. */
static void mark(const struct trace *tr, struct lane l, enum state st, const struct edges *e, uint32_t *by)
{
    struct span_iter it;
    if (!span_seek_index(&it, tr, l, 0))
        return;
    do {
        const struct span *s = span_get(&it);
        size_t i = 0, to = e->n;
        while (i < to) { /* the first edge that is not before the span */
            const size_t mid = (i + to) / 2;
            if (e->t[mid] < s->t0)
                i = mid + 1;
            else
                to = mid;
        }
        for (; (enum state)s->state == st && i + 1 < e->n && e->t[i + 1] <= s->t1; i++)
            by[i]++;
    } while (span_next(&it));
}

static void slow(const struct trace *tr, uint32_t p, int64_t t0, int64_t t1, struct idle_reason_sum *out)
{
    struct edges e = {0};
    const struct range *r;
    size_t nr = trace_ranges(tr, RANGE_STW, &r);
    *out = (struct idle_reason_sum){0};
    assert_true(mem_room(e.t, e.cap, 2));
    e.t[e.n++] = t0;
    e.t[e.n++] = t1;
    each(tr, (struct lane){LANE_P, p}, t0, t1, ST_IDLE, &e, NULL);
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++)
        each(tr, (struct lane){LANE_G, g}, t0, t1, ST_RUNNABLE, &e, NULL);
    for (size_t i = 0; i < nr; i++) {
        edge(&e, r[i].t0, t0, t1);
        edge(&e, r[i].t1, t0, t1);
    }
    qsort(e.t, e.n, sizeof *e.t, cmp);
    uint32_t *idle = mem_zalloc(e.n * sizeof *idle), *ready = mem_zalloc(e.n * sizeof *ready);
    mark(tr, (struct lane){LANE_P, p}, ST_IDLE, &e, idle);
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++)
        mark(tr, (struct lane){LANE_G, g}, ST_RUNNABLE, &e, ready);
    for (size_t i = 0; i + 1 < e.n; i++) {
        int64_t dt = e.t[i + 1] - e.t[i];
        bool stopped = false;
        for (size_t k = 0; k < nr; k++)
            stopped |= r[k].t0 <= e.t[i] && r[k].t1 >= e.t[i + 1];
        if (!idle[i] || !dt)
            continue;
        out->idle += dt;
        if (stopped) {
            out->stopped += dt;
        } else if (ready[i]) {
            out->ready += dt;
            out->least = out->most == 0 || ready[i] < out->least ? ready[i] : out->least;
            out->most = ready[i] > out->most ? ready[i] : out->most;
        } else {
            out->none += dt;
        }
    }
    mem_free(idle);
    mem_free(ready);
    mem_free(e.t);
}

static void same(const char *file, const struct idle_reason_sum *fast, const struct idle_reason_sum *is,
                 uint32_t p, int64_t t0, int64_t t1)
{
    if (fast->idle != is->idle || fast->stopped != is->stopped || fast->ready != is->ready ||
        fast->none != is->none || (is->ready && (fast->least != is->least || fast->most != is->most)))
        fail_msg("%s: P lane %u in [%lld,%lld): idle %lld stopped %lld ready %lld (%u to %u) none %lld, by "
                 "the walk "
                 "%lld %lld %lld (%u to %u) %lld",
                 file, p, (long long)t0, (long long)t1, (long long)fast->idle, (long long)fast->stopped,
                 (long long)fast->ready, fast->least, fast->most, (long long)fast->none, (long long)is->idle,
                 (long long)is->stopped, (long long)is->ready, is->least, is->most, (long long)is->none);
    assert_int_equal(fast->idle, fast->stopped + fast->ready + fast->none);
    for (uint32_t i = 0; i < fast->ntop; i++) {
        assert_true(fast->top[i].ns > 0 && fast->top[i].ns <= fast->ready);
        assert_true(i == 0 || fast->top[i].ns <= fast->top[i - 1].ns);
    }
    assert_true(!fast->ready || fast->ntop > 0);
    assert_true(fast->waits >= fast->ntop);
}

static void cursors(const char *file, unsigned *said)
{
    struct trace *tr = seen_load(file);
    struct view v;
    struct grid g = {0};
    char text[2000];
    assert_true(view_init(&v, tr));
    for (int i = 0; i < CURSORS; i++) {
        view_resize(&v, 20 + (int)below(150), 24);
        int64_t end = trace_info(tr)->end, len = end >> below(8);
        int64_t t0 = (int64_t)below((uint64_t)(end - len + 1));
        view_range(&v, t0, t0 + (len > 0 ? len : 1));
        view_focus(&v, (struct lane){LANE_P, (uint32_t)below(trace_nlanes(tr, LANE_P))});
        view_at(&v, v.at.win.t0 + (int64_t)below((uint64_t)window_len(v.at.win)));
        v.at.exact = below(2);
        assert_true(frame_draw(&g, &v, NULL));
        while (view_work(&v, 1) & VR_WORK) {
        }
        if (!v.cache.idle)
            continue;
        int64_t c0, c1;
        struct lane l;
        struct span s;
        struct idle_reason_sum is;
        view_column(&v, &c0, &c1);
        if (view_span_here(&v, &l, &s) && (v.at.exact || trace_count(tr, v.at.focus, c0, c1) == 1)) {
            c0 = s.t0 < 0 ? 0 : s.t0;
            c1 = s.t1;
        }
        c1 = c1 > end ? end : c1;
        slow(tr, v.at.focus.i, c0, c1, &is);
        same(file, &v.cache.idle->sum, &is, v.at.focus.i, c0, c1);
        status_text(&v, text, sizeof text);
        *said += is.ready > 0 && strstr(text, " runnable (longest G") != NULL;
        if (is.ready && idle_speaks(&v))
            assert_non_null(strstr(text, " runnable (longest G"));
        assert_null(strstr(text, "nothing to run"));
        if (idle_speaks(&v) && is.ready)
            assert_null(strstr(text, "all of it nothing"));
    }
    grid_free(&g);
    view_free(&v);
    trace_close(tr);
}

static void test_cursors(void **state)
{
    glob_t all;
    unsigned said = 0;
    (void)state;
    assert_int_equal(glob("samples/*.trace", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++)
        cursors(all.gl_pathv[i], &said);
    assert_true(all.gl_pathc > 20 && said > 100);
    globfree(&all);
}

/* All of a trace at once, where pieces are halved: the same sums. */
static void test_whole(void **state)
{
    (void)state;
    struct trace *tr = seen_load("samples/http-1.26.trace");
    struct alive alive = {0};
    struct idle_reason_sum is;
    for (uint32_t p = 0; p < trace_nlanes(tr, LANE_P); p++) {
        struct idle_reason *l = idle_reason_new(tr, &alive, p, 0, trace_info(tr)->end);
        while (!idle_reason_step(l, 1)) {
        }
        slow(tr, p, 0, trace_info(tr)->end, &is);
        same("http-1.26", &l->sum, &is, p, 0, trace_info(tr)->end);
        assert_int_equal(idle_reason_share(l), 100);
        idle_reason_free(l);
    }
    alive_free(&alive);
    trace_close(tr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cursors), cmocka_unit_test(test_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
