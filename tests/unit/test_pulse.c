/*
 * test_pulse.c - the pieces of a running program's work are those that the works of the whole trace have,
 * whether they come as a generation each, as a model that grows, or at once; and what began in one generation
 * and ended in a later one is among them.
 */
#include "tests/support/read_file.h"
#include "play_help.h"

#include "decode/input/stream.h"
#include "triage/work/pulse.h"

static const char *const files[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace",
                                    "samples/tasks-1.27.trace", "samples/lock-1.26.trace"};

static void add(struct pulse *p, const struct trace *tr)
{
    bool failed = false;
    pulse_begin(p, tr);
    while (!pulse_step(p, 0, &failed)) {
    }
    assert_false(failed);
}

/* What p holds of one work, all of it. */
static struct dist held(const struct pulse *p, enum work_kind_id kind, struct str name)
{
    struct dist d[PULSE_ROWS], none = {0};
    assert_true(pulse_of(p, INT64_MIN, INT64_MAX, d));
    for (uint32_t i = 0; i < pulse_rows(p); i++)
        if (pulse_row(p, i)->kind == kind && str_is(name, pulse_row(p, i)->name)) {
            uint64_t n = 0;
            for (int k = 0; k <= PULSE_BOUNDS; k++)
                n += pulse_row(p, i)->bucket[k];
            assert_int_equal(n, pulse_row(p, i)->n);
            assert_int_equal(d[i].n, n);
            return d[i];
        }
    return none;
}

static void same_dist(const struct dist *a, const struct dist *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->total, b->total);
    assert_true(a->p50 == b->p50 && a->p99 == b->p99 && a->max == b->max);
}

/* How the model of the whole trace has it: its works' pieces, where all were looked at. */
static int agrees(const struct loaded *l, const struct pulse *p)
{
    int seen = 0;
    for (uint32_t i = 0; i < l->fs.works.n; i++) {
        const struct work *w = &l->fs.works.v[i];
        if (w->looked != w->n || w->standing || w->single != w->paced ||
            (w->kind != WORK_REQUESTS && w->kind != WORK_TASKS && !w->user))
            continue;
        const struct dist d = held(p, w->kind, trace_str(l->tr, w->name));
        same_dist(&d, &w->d);
        seen++;
    }
    return seen;
}

static void whole(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct loaded l;
        struct pulse *p = pulse_new();
        help_load(files[k], &l);
        assert_true(pulse_learn(p, l.tr, &l.fs.works));
        add(p, l.tr);
        assert_true(agrees(&l, p) > 0);
        add(p, l.tr); /* nothing is looked at twice */
        assert_true(agrees(&l, p) > 0);
        pulse_free(p);
        load_free(&l);
    }
}

/* Asks, and pauses, in a function that it calls first. */
#define RUN "main.run:7,main.main.func1:3"
static void asks(struct play *p, unsigned g)
{
    if (p->phase[g]++ % 2)
        waits(p, g, "sleep", "time.Sleep:1," RUN, 6 * MS);
    else
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.ask:20," RUN, 4 * MS);
}

static void pauses_in_its_loop(void **state)
{
    (void)state;
    struct play p;
    struct made m;
    struct pulse *k = pulse_new();
    begin(&p, true);
    (void)born(&p, "main.main.func1:1", "main.main:2", asks);
    waits(&p, 1, "select", "runtime.block:1,main.main:3", NEVER);
    play(&p, 1500 * MS, &m);
    assert_true(pulse_learn(k, m.l.tr, &m.l.fs.works));
    add(k, m.l.tr);
    assert_true(agrees(&m.l, k) > 0);
    pulse_free(k);
    unmake(&m);
}

/* A generation each: what a gap lies before is not known; without one all is. */
static void by_generations(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (int gap = 0; gap < 2; gap++) {
            struct loaded l, part;
            struct stream st = {0};
            struct err e = {0};
            size_t n;
            uint8_t *bytes = read_file(files[k], &n);
            struct pulse *p = pulse_new();
            help_load(files[k], &l);
            assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
            stream_end(&st);
            assert_true(st.ngen > 2);
            assert_true(pulse_learn(p, l.tr, &l.fs.works)); /* as of earlier generations */
            for (size_t i = 0; i < st.ngen; i++) {
                assert_int_equal(load_mem(st.gen[i].p, st.gen[i].n, NULL, &part, &e), ERR_OK);
                if (gap && i)
                    pulse_gap(p);
                assert_true(pulse_learn(p, part.tr, &part.fs.works));
                add(p, part.tr);
                load_free(&part);
            }
            const struct str serve = {"net/http.(*conn).serve", 22};
            const struct dist d = held(p, WORK_REQUESTS, serve);
            struct pulse *all = pulse_new();
            add(all, l.tr);
            const struct dist w = held(all, WORK_REQUESTS, serve);
            assert_true(w.n > 100);
            if (gap)
                assert_true(d.n <= w.n && d.n + 2 * st.ngen >= w.n);
            else
                same_dist(&d, &w);
            pulse_free(all);
            pulse_free(p);
            load_free(&l);
            stream_free(&st);
            free(bytes);
        }
}

static void grows(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct trace_opts o = {.threads = 1, .grows = true};
        struct stream st = {0};
        struct err e = {0};
        struct trace *tr = NULL;
        struct loaded l;
        struct pulse *p = pulse_new();
        size_t n, at = STREAM_HEADER;
        uint8_t *bytes = read_file(files[k], &n);
        assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
        stream_end(&st);
        help_load(files[k], &l);
        assert_true(pulse_learn(p, l.tr, &l.fs.works));
        for (size_t i = 0; i < st.ngen; i++) {
            at += st.gen[i].n - STREAM_HEADER;
            if (!tr)
                assert_int_equal(trace_open_mem(bytes, at, &o, &tr, &e), ERR_OK);
            else
                trace_grow(tr, at);
            while (trace_load(tr, 0) == LOAD_MORE) {
            }
            add(p, tr);
        }
        assert_true(agrees(&l, p) > 0);
        trace_close(tr);
        load_free(&l);
        pulse_free(p);
        stream_free(&st);
        free(bytes);
    }
}

/* A model that lies where the one before did is another one, if it begins at another moment. */
static void same_place(void **state)
{
    struct trace_opts o = {.threads = 1};
    struct stream st = {0};
    struct err e = {0};
    struct loaded l;
    struct pulse *p = pulse_new();
    size_t n;
    const void *was = NULL;
    uint8_t *bytes = read_file(files[1], &n);
    (void)state;
    help_load(files[1], &l);
    assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
    stream_end(&st);
    for (size_t i = 0; i < st.ngen; i++) {
        struct trace *tr;
        struct trace *kept[64];
        size_t k = 0;
        do /* until the allocator gives the same place, or doesn't */
            assert_int_equal(trace_open_mem(st.gen[i].p, st.gen[i].n, &o, &kept[k], &e), ERR_OK);
        while (kept[k++] != was && was && k < 64);
        tr = kept[k - 1];
        while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
        }
        add(p, tr);
        was = tr;
        while (k > 0)
            trace_close(kept[--k]);
    }
    struct pulse *all = pulse_new();
    add(all, l.tr);
    const struct str serve = {"net/http.(*conn).serve", 22};
    const struct dist a = held(p, WORK_REQUESTS, serve), b = held(all, WORK_REQUESTS, serve);
    same_dist(&a, &b);
    pulse_free(all);
    pulse_free(p);
    load_free(&l);
    stream_free(&st);
    free(bytes);
}

static void windows(void **state)
{
    struct loaded l;
    struct pulse *p = pulse_new();
    struct dist a[PULSE_ROWS], b[PULSE_ROWS], all[PULSE_ROWS];
    uint32_t order[PULSE_ROWS];
    (void)state;
    help_load(files[1], &l);
    add(p, l.tr);
    const int64_t t0 = trace_info(l.tr)->first_ns, t1 = pulse_end(p), mid = t0 + (t1 - t0) / 3;
    assert_int_equal(t1, t0 + trace_info(l.tr)->end);
    assert_int_equal(pulse_since(p), t0);
    assert_true(pulse_of(p, t0, mid, a) && pulse_of(p, mid, t1, b) && pulse_of(p, t0, t1, all));
    pulse_order(p, all, order);
    assert_int_equal(pulse_row(p, order[0])->kind, WORK_REQUESTS);
    const uint32_t r = order[0];
    assert_true(a[r].n && b[r].n);
    assert_int_equal(a[r].n + b[r].n, all[r].n);
    assert_int_equal(a[r].total + b[r].total, all[r].total);
    pulse_forget(p, mid + 1);
    assert_int_equal(pulse_since(p), mid + 1);
    assert_true(pulse_of(p, t0, t1, all));
    assert_int_equal(all[r].n, b[r].n);
    assert_int_equal(pulse_row(p, r)->n, a[r].n + b[r].n); /* since the beginning */
    assert_null(pulse_row(p, PULSE_ROWS));
    pulse_free(p);
    load_free(&l);
}

static void out_of_memory(void **state)
{
    struct loaded l;
    bool done = false;
    (void)state;
    help_load(files[1], &l);
    for (long n = 0; !done; n += 1 + n / 10) {
        const size_t before = mem_live();
        struct dist d[PULSE_ROWS];
        bool failed = false;
        mem_fail_after(n);
        struct pulse *p = pulse_new();
        if (p && pulse_learn(p, l.tr, &l.fs.works)) {
            pulse_begin(p, l.tr);
            done = pulse_step(p, INT64_MAX, &failed) && !failed && pulse_of(p, 0, INT64_MAX, d);
        }
        mem_fail_after(-1);
        pulse_free(p);
        assert_int_equal(mem_live(), before);
        assert_true(n < 1000000);
    }
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole),          cmocka_unit_test(pauses_in_its_loop),
                                       cmocka_unit_test(by_generations), cmocka_unit_test(grows),
                                       cmocka_unit_test(same_place),     cmocka_unit_test(windows),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
