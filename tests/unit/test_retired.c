/*
 * test_retired.c - goroutines that are over and were put away (decode/model/retired.h) answer as if they had
 * stayed: the same events are folded twice, once with putting away and once without.
 */
#include "decode/base/columns.h"
#include "tests/unit/query_check.h"

enum { LIVE = 24, NP = 4 };

static struct rng rng = {20230};

struct twice {
    struct trace put, stay;
    struct {
        uint32_t g, p;
        uint8_t state;
    } live[LIVE];
    uint32_t ng;
    int64_t t;
};

static void say(struct twice *w, struct ev e)
{
    e.t = w->t += 1 + (int64_t)below(&rng, 900);
    fold_events(&w->put.fold, &e, 1);
    fold_events(&w->stay.fold, &e, 1);
}

static struct ev event(uint8_t kind, uint8_t state, uint32_t g, uint32_t p)
{
    return (struct ev){.kind = kind, .state = state, .g = g, .p = p, .m = p, .by = EV_NONE};
}

static void open_twice(struct twice *w)
{
    memset(w, 0, sizeof *w);
    struct trace *tr[2] = {&w->put, &w->stay};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(names_init(&tr[i]->names), ERR_OK);
        assert_int_equal(fold_init(&tr[i]->fold, &tr[i]->names), ERR_OK);
    }
    w->stay.fold.nobody_retires = true;
    for (uint32_t p = 0; p < NP; p++)
        say(w, event(EVK_P_STATE, ST_SCHED, EV_NONE, p));
}

static void close_twice(struct twice *w)
{
    fold_free(&w->put.fold);
    fold_free(&w->stay.fold);
    names_free(&w->put.names);
    names_free(&w->stay.names);
}

static uint32_t free_p(const struct twice *w)
{
    uint32_t p = (uint32_t)below(&rng, NP);
    for (int i = 0; i < LIVE; i++)
        if (w->live[i].state == ST_RUNNING && w->live[i].p == p)
            return EV_NONE;
    return p;
}

static void be(struct twice *w, int i, uint8_t state, uint32_t p)
{
    struct ev e = event(EVK_G_STATE, state, w->live[i].g, p);
    e.stack = state == ST_WAITING ? 1 + (uint32_t)below(&rng, 50) : 0;
    w->live[i].state = state;
    w->live[i].p = p;
    say(w, e);
}

/* One of those that live does something, or a new one takes the place of one that has ended. */
static void step(struct twice *w)
{
    int i = (int)below(&rng, LIVE);
    uint32_t p;
    switch (w->live[i].state) {
    case ST_NONE: {
        bool old = below(&rng, 20) == 0;
        struct ev e =
            event(old ? EVK_G_STATUS : EVK_G_CREATE, old ? ST_WAITING : ST_RUNNABLE, w->ng, EV_NONE);
        e.flags = old ? EVF_BACKDATE : 0;
        e.by = below(&rng, 4) ? (uint32_t)below(&rng, w->ng + 1) : EV_NONE;
        e.stack = (uint32_t)below(&rng, 70000);
        e.stack2 = old ? 0 : (uint32_t)below(&rng, 9);
        e.arg = below(&rng, 50) ? 1000 + w->ng * 3 + below(&rng, 40) : rnd(&rng);
        w->live[i].g = w->ng++;
        w->live[i].state = e.state;
        say(w, e);
        break;
    }
    case ST_RUNNABLE:
        if ((p = free_p(w)) != EV_NONE)
            be(w, i, ST_RUNNING, p);
        break;
    case ST_RUNNING:
        if (below(&rng, i ? 4 : 700) == 0) /* one of them lives long enough for some blocks of spans */
            be(w, i, ST_NONE, EV_NONE);
        else if (below(&rng, 3))
            be(w, i, ST_WAITING, EV_NONE);
        else
            be(w, i, ST_SYSCALL, below(&rng, 2) ? w->live[i].p : EV_NONE);
        break;
    default: be(w, i, ST_RUNNABLE, EV_NONE);
    }
}

static void same_lane(const struct trace *a, const struct trace *b, struct lane l)
{
    struct lane_info x = trace_lane(a, l), y = trace_lane(b, l);
    assert_int_equal(x.nspans, y.nspans);
    assert_true(x.first == y.first && x.last == y.last && x.seen == y.seen);
#define KEPT(ID, field, ...) assert_true(x.field == y.field);
#include "decode/model/facts.def"
    assert_true(x.name_inferred == y.name_inferred && x.ended == y.ended && x.created == y.created &&
                x.is_system == y.is_system && x.is_worker == y.is_worker);
    assert_int_equal(trace_find_lane(a, l.kind, x.id), trace_find_lane(b, l.kind, x.id));
    struct span_iter i, j;
    bool more = span_seek_index(&i, a, l, 0);
    assert_int_equal(more, span_seek_index(&j, b, l, 0));
    for (; more; more = span_next(&i)) {
        same_or_fail(span_get(&i), span_get(&j), "put away");
        assert_true(span_get(&i)->open_start == span_get(&j)->open_start &&
                    span_get(&i)->open_end == span_get(&j)->open_end &&
                    span_get(&i)->stack_end == span_get(&j)->stack_end);
        span_next(&j);
    }
}

/* Who lived when, of some neighbours at once and of all. */
static void same_lives(const struct trace *tr, enum lane_kind k)
{
    static struct lifetime life[16384];
    uint32_t all = trace_nlanes(tr, k);
    assert_true(all <= 16384);
    for (int round = 0; all && round < 20; round++) {
        uint32_t from = round ? (uint32_t)below(&rng, all) : 0,
                 n = round ? 1 + (uint32_t)below(&rng, all - from) : all;
        trace_lives(tr, k, from, n, life);
        for (uint32_t i = 0; i < n; i++) {
            struct lane_info li = trace_lane(tr, (struct lane){k, from + i});
            assert_true(life[i].first == li.first && life[i].last == li.last);
            assert_true(life[i].started == (li.nspans > 0) && life[i].over == li.ended);
        }
    }
}

static void same(struct twice *w)
{
    w->put.info.end = w->stay.info.end = w->t;
    for (int k = 0; k < LANE_KINDS; k++) {
        assert_int_equal(trace_nlanes(&w->put, (enum lane_kind)k), trace_nlanes(&w->stay, (enum lane_kind)k));
        same_lives(&w->put, (enum lane_kind)k);
        for (uint32_t i = 0; i < trace_nlanes(&w->put, (enum lane_kind)k); i++)
            same_lane(&w->put, &w->stay, (struct lane){(enum lane_kind)k, i});
    }
}

static size_t how_many(const struct fold *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nlane[LANE_G] / RETIRED_GS; i++)
        n += f->seg[i].retired != NULL;
    return n;
}

static void run_until(struct twice *w, uint32_t ng)
{
    while (w->ng < ng)
        step(w);
}

static void test_same(void **state)
{
    (void)state;
    struct twice w;
    open_twice(&w);
    run_until(&w, 100);
    assert_int_equal(how_many(&w.put.fold), 0);
    run_until(&w, 1000);
    same(&w); /* while it loads */
    assert_true(how_many(&w.put.fold) >= 2);
    run_until(&w, 9000);
    assert_true(how_many(&w.put.fold) > 40);
    assert_int_equal(how_many(&w.stay.fold), 0);
    fold_finish(&w.put.fold, (&w.put.fold)->end);
    fold_finish(&w.stay.fold, (&w.stay.fold)->end);
    w.put.done = w.stay.done = true;
    assert_null(w.put.fold.pool.waits.chunks); /* nothing waits any more */
    same(&w);
    for (uint32_t i = 0; i < w.ng; i += 37)
        check_lane(&w.put, (struct lane){LANE_G, i}, &rng, 5);
    close_twice(&w);
}

/* An event of a goroutine that is over changes neither it nor its neighbours. */
static void test_dead_run(void **state)
{
    (void)state;
    static const uint8_t states[] = {ST_RUNNING, ST_NONE, ST_WAITING, ST_SYSCALL, ST_RUNNABLE};
    struct twice w;
    open_twice(&w);
    run_until(&w, 3000);
    size_t n = how_many(&w.put.fold);
    uint32_t seg = 1;
    while (!w.put.fold.seg[seg].retired)
        seg++;
    for (unsigned i = 0; i < sizeof states; i++) {
        uint32_t p = free_p(&w);
        say(&w, event(EVK_G_STATE, states[i], seg * RETIRED_GS + i * 25, p));
        say(&w, event(EVK_P_STATE, ST_IDLE, EV_NONE, i % NP));
        say(&w, event(EVK_RANGE_BEGIN, RANGE_ASSIST, seg * RETIRED_GS + 3, EV_NONE));
        say(&w, event(EVK_P_STATE, ST_SCHED, EV_NONE, i % NP));
    }
    assert_int_equal(how_many(&w.put.fold), n);
    same(&w);
    run_until(&w, 4000);
    same(&w);
    close_twice(&w);
}

/* ---- neighbours that do next to nothing ---------------------------------------------------------------- */

/* One comes to be, runs so often (0: it ends before it does) and ends. late: what it waits for first takes
 * that much longer. */
static void brief(struct twice *w, unsigned runs, int64_t late)
{
    struct ev e = event(EVK_G_CREATE, ST_RUNNABLE, w->ng, EV_NONE);
    const uint32_t g = w->ng++;
    e.stack = 7;
    e.stack2 = 1;
    e.arg = 1000 + g;
    say(w, e);
    w->t += late;
    for (unsigned k = 0; k < runs; k++) {
        if (k)
            say(w, event(EVK_G_STATE, ST_RUNNABLE, g, EV_NONE));
        say(w, event(EVK_G_STATE, ST_RUNNING, g, (uint32_t)below(&rng, NP)));
    }
    say(w, event(EVK_G_STATE, ST_NONE, g, EV_NONE));
}

struct walked {
    uint64_t n, sum;
    uint32_t g;
};

static bool walk_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct walked *x = arg;
    x->g = g;
    x->sum = hash_next(x->sum, (uint64_t)li->last - (uint64_t)li->first + li->nspans);
    return true;
}

static bool walk_spans(void *arg, uint32_t g, const struct span_run *r)
{
    struct walked *x = arg;
    assert_int_equal(g, x->g);
    x->sum = hash_next(x->sum, (uint64_t)r->t0);
    for (uint32_t i = 0; i < r->n; i++, x->n++)
        x->sum = hash_next(hash_next(x->sum, (uint64_t)r->dur[i] << 16 | r->kind[r->tag[i]].state),
                           (uint64_t)span_run_who(r, i) << 32 | r->stack[i]);
    return true;
}

static bool walk_end(void *arg, uint32_t g)
{
    return ((struct walked *)arg)->g == g;
}

/* A walk over some neighbours, which begins and ends among them, sees the same. */
static void same_walk(struct twice *w, uint32_t g0, uint32_t g1)
{
    struct walked x[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        const struct span_walk walk = {
            .begin = walk_begin, .spans = walk_spans, .end = walk_end, .arg = &x[i]};
        assert_true(trace_walk(i ? &w->stay : &w->put, g0, g1, &walk));
    }
    assert_true(x[0].n >= g1 - g0 && x[0].n == x[1].n && x[0].sum == x[1].sum);
}

/* Neighbours that have few spans each, also where one has more, or fewer, or one that lasts long, answer as
 * if they had stayed. */
static void test_alike(void **state)
{
    (void)state;
    static const struct {
        unsigned runs, odd; /* how often they run, and one of them */
        int64_t late;       /* of that one */
    } row[] = {{1, 1, 0},       {0, 0, 0}, {1, 2, 0}, {1, 0, 0}, {1, 1, (int64_t)5 << 32},
               {1, 1, 1 << 30}, {2, 2, 0}};
    enum { ROWS = sizeof row / sizeof *row };
    struct twice w;
    open_twice(&w);
    for (unsigned k = 0; k < ROWS; k++) {
        for (unsigned i = 0; i < RETIRED_GS; i++)
            brief(&w, i == 77 ? row[k].odd : row[k].runs, i == 77 ? row[k].late : 0);
        assert_int_equal(how_many(&w.put.fold), k + 1);
    }
    same(&w);
    same_walk(&w, 0, w.ng);
    same_walk(&w, 50, 5 * RETIRED_GS + 60);
    for (uint32_t i = 0; i < w.ng; i += 11)
        check_lane(&w.put, (struct lane){LANE_G, i}, &rng, 3);
    say(&w, event(EVK_G_STATE, ST_RUNNING, 33, 0)); /* of one that is over */
    same(&w);
    fold_finish(&w.put.fold, w.put.fold.end);
    fold_finish(&w.stay.fold, w.stay.fold.end);
    assert_null(w.put.fold.pool.waits.chunks);
    same(&w);
    same_walk(&w, 0, w.ng);
    close_twice(&w);
}

static void *block(void *arg, size_t bytes)
{
    assert_null(arg);
    return mem_alloc(bytes);
}

/* A column's values one at a time, and all of them. */
static void check_column(const struct columns *k, unsigned n, unsigned rows, unsigned c, const uint64_t *is)
{
    uint64_t all[COLUMNS_ROWS];
    const unsigned step = columns_all(k, n, rows, c, all);
    for (unsigned r = 0; r < rows; r++) {
        assert_true(columns_get(k, n, r, c) == is[r]);
        assert_true(all[r * step] == is[r]);
    }
}

/* From packed rows each value comes back. */
static void test_columns(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        static uint64_t v[COLUMNS_ROWS * COLUMNS_MOST], by[COLUMNS_MOST][COLUMNS_ROWS];
        const unsigned n = 1 + round % COLUMNS_MOST, rows = 1 + (unsigned)below(&rng, COLUMNS_ROWS);
        for (unsigned c = 0; c < n; c++) {
            const uint64_t least = below(&rng, 3) ? below(&rng, 1000) : UINT64_MAX << below(&rng, 64);
            const unsigned shift = (unsigned)below(&rng, 64);
            for (unsigned r = 0; r < rows; r++)
                by[c][r] = v[r * n + c] = least + (below(&rng, 2) ? 0 : below(&rng, UINT64_MAX >> shift));
        }
        struct columns *a = columns_make(v, rows, n, block, NULL);
        assert_non_null(a);
        for (unsigned c = 0; c < n; c++)
            check_column(a, n, rows, c, by[c]);
        mem_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_dead_run),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
