/*
 * test_layout_table.c - tables of things: what they count against triage's tables and the model, their order
 * by each column, the filter, the spectrum, what is copied, and the way from a kind to its things to the
 * lanes and back.
 */
#include "layout_help.h"

#include "layout/draw/status.h"

#include "layout/views/table.h"
#include "triage/triage.h"
#include "layout/move/record.h"

static void open_view(struct seen *s, int no)
{
    if (s->v.at.view != no)
        (void)kind_of(no)->open(&s->v, no);
    finish(&s->v);
    assert_true(frame_draw(&s->g, &s->v, NULL));
    assert_true(table_ready(&s->v));
}

static void act(struct seen *s, enum request d, int n)
{
    (void)view_do(&s->v, d, n);
    finish(&s->v);
    assert_true(frame_draw(&s->g, &s->v, NULL));
}

static const int tables[] = {VIEW_CYCLES, VIEW_STOPS, VIEW_TYPES, VIEW_REGIONS, VIEW_PLACES, VIEW_CALLS};
enum { TABLES = sizeof tables / sizeof *tables };

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void types_as_counted(struct seen *s)
{
    for (int region = 0; region < 2; region++) {
        const enum item_kind kind = region ? ITEM_REGION : ITEM_TASK;
        open_view(s, region ? VIEW_REGIONS : VIEW_TYPES);
        const struct table *t = s->v.table;
        uint64_t all = 0;
        int64_t *v = mem_alloc((item_count(s->tr, kind) + 1) * sizeof *v);
        assert_non_null(v);
        for (uint32_t k = 0; k < t->ntypes; k++) {
            const struct ttype *b = &t->type[k];
            struct dist d;
            struct item x;
            uint64_t n = 0;
            size_t whole = 0;
            for (size_t i = 0; item_at(s->tr, kind, i, &x); i++) {
                n += x.name == b->a;
                if (x.name == b->a && !x.open_start && !x.open_end)
                    v[whole++] = x.t1 - x.t0;
            }
            dist_of(&d, v, whole);
            all += n;
            assert_int_equal(b->n, n);
            assert_int_equal(b->n - b->open, d.n);
            if (d.n) {
                assert_int_equal(b->p50, d.p50);
                assert_int_equal(b->p90, d.p90);
                assert_int_equal(b->p99, d.p99);
            }
            if (!b->open) {
                assert_int_equal(b->total, d.total);
                assert_int_equal(b->max, d.max);
            }
        }
        assert_int_equal(all, item_count(s->tr, kind));
        mem_free(v);
    }
}

static void test_types(void **state)
{
    (void)state;
    for_samples(types_as_counted, "");
}

/* Each span of a system call is a thing, and nothing else is; those without an
 * end of their own are no time. */
static void calls_as_spans(struct seen *s)
{
    uint64_t n = 0;
    int64_t ns = 0, sum = 0;
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        struct span_iter it;
        bool more = span_seek_index(&it, s->tr, (struct lane){LANE_G, g}, 0);
        for (; more; more = span_next(&it))
            if (span_get(&it)->state == ST_SYSCALL) {
                const int64_t d = span_get(&it)->t1 - span_get(&it)->t0;
                n++;
                ns += d > 1 || trace_info(s->tr)->second_family ? d : 0;
            }
    }
    open_view(s, VIEW_CALLS);
    const struct table *t = s->v.table;
    assert_int_equal(t->all, n);
    assert_int_equal(t->n, n);
    for (uint32_t i = 0; i < t->ntypes; i++) {
        int64_t own = 0;
        assert_int_equal(t->type[i].kept, t->type[i].n);
        for (uint32_t k = t->type[i].first; k < t->type[i].first + t->type[i].kept; k++) {
            assert_int_equal(t->thing[k].type, i);
            own += t->thing[k].untimed ? 0 : t->thing[k].t1 - t->thing[k].t0;
        }
        assert_int_equal(own, t->type[i].total);
        sum += own;
    }
    assert_int_equal(sum, ns);
}

static void test_calls(void **state)
{
    (void)state;
    for_samples(calls_as_spans, "syscall");
    for_samples(calls_as_spans, "http-1.2");
}

/* Where a trace has no names, places are told apart by their program counters: a type has one stack, and no
 * two read the same. */
static void types_without_names(struct seen *s)
{
    static const int by_place[] = {VIEW_CALLS, VIEW_PLACES};
    for (int k = 0; k < 2; k++) {
        open_view(s, by_place[k]);
        const struct table *t = s->v.table;
        struct text a = {0}, b = {0};
        assert_true(t->ntypes > 10);
        for (uint32_t i = 0; i < t->n; i++)
            assert_int_equal(t->thing[i].index, t->thing[t->type[t->thing[i].type].first].index);
        for (uint32_t i = 0; i < t->ntypes; i++)
            for (uint32_t j = 0; j < i; j++) {
                a.n = b.n = 0;
                t->from->type_name(&a, t, &t->type[i]);
                t->from->type_name(&b, t, &t->type[j]);
                assert_string_not_equal(a.p, b.p);
            }
        text_free(&a);
        text_free(&b);
    }
}

static void test_nameless(void **state)
{
    (void)state;
    for_samples(types_without_names, "workers-1.5");
    for_samples(types_without_names, "workers-prototype");
}

/* ---- order, filter ------------------------------------------------------------------------------------- */

static void in_order(const struct table *t)
{
    for (uint32_t i = 1; i < t->nrows; i++) {
        int64_t a = table_value(t, &t->have, t->row[i - 1], t->have.sort),
                b = table_value(t, &t->have, t->row[i], t->have.sort);
        assert_true(table_down(t, &t->have) ? a >= b : a <= b);
    }
}

static void every_order(struct seen *s)
{
    for (int k = 0; k < TABLES; k++) {
        open_view(s, tables[k]);
        for (int level = 0; level < 2; level++) {
            const struct table *t = s->v.table;
            uint32_t all = t->nrows;
            for (int c = 0; c < table_cols(t, &t->have); c++) {
                act(s, REQ_SORT, 1);
                in_order(t);
                assert_int_equal(t->nrows, all);
                act(s, REQ_INVERT, 1);
                in_order(t);
            }
            if (!t->from->types || !t->nrows ||
                (!level && t->type[t->row[0]].n == 1)) /* that one would be gone to */
                break;
            act(s, REQ_DETAILS, 1);
            assert_true(t->have.open != TABLE_TYPES);
            assert_int_equal(s->v.table->nrows, t->type[t->have.open].kept);
        }
    }
}

static void test_orders(void **state)
{
    (void)state;
    for_samples(every_order, "1.27");
    for_samples(every_order, "1.19");
    for_samples(every_order, "prototype");
}

static void test_filter(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/tasks-1.27.trace");
    open_view(&s, VIEW_REGIONS);
    uint32_t all = s.v.table->nrows;
    (void)view_prompt(&s.v, PROMPT_SEARCH);
    for (const char *c = "si"; *c; c++) /* letter by letter */
        (void)view_prompt_put(&s.v, (uint32_t)*c);
    finish(&s.v);
    assert_true(on_screen(&s, "simmer"));
    assert_false(on_screen(&s, "cook"));
    assert_true(s.v.table->nrows < all);
    (void)view_prompt_accept(&s.v);
    finish(&s.v);
    assert_true(on_screen(&s, "filter: si"));
    (void)view_back(&s.v); /* the filter goes first */
    finish(&s.v);
    assert_int_equal(s.v.table->nrows, all);
    assert_true(view_back(&s.v) & VR_BELL); /* Esc never leaves */
    assert_true(view_quit(&s.v) & VR_QUIT);
    act(&s, REQ_DETAILS, 1);
    (void)view_search(&s.v, ">1ms <2ms");
    finish(&s.v);
    assert_true(s.v.table->nrows > 0);
    for (uint32_t i = 0; i < s.v.table->nrows; i++) {
        const struct thing *x = table_thing(s.v.table, s.v.table->row[i]);
        assert_true(x->t1 - x->t0 > 1000000 && x->t1 - x->t0 < 2000000);
    }
    (void)view_search(&s.v, "no such name");
    finish(&s.v);
    assert_true(on_screen(&s, "nothing here passes"));
    (void)view_prompt(&s.v, PROMPT_SEARCH);
    (void)view_prompt_put(&s.v, 'x');
    (void)view_back(&s.v); /* given up: no filter */
    finish(&s.v);
    assert_string_equal(s.v.table->have.filter, "");
    seen_close(&s);
}

/* ---- there and back ------------------------------------------------------------------------------------ */

static void test_enter(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/tasks-1.27.trace");
    open_view(&s, VIEW_TYPES);
    act(&s, REQ_DETAILS, 1);
    act(&s, REQ_LANE, 2);
    const struct thing x = *table_thing(s.v.table, s.v.table->row[s.v.at.row]);
    act(&s, REQ_DETAILS, 1);
    assert_int_equal(s.v.at.view, VIEW_GOROUTINES);
    assert_int_equal(s.v.at.focus.i, x.g);
    assert_int_equal(s.v.at.cursor, x.t0);
    assert_true(s.v.at.win.t0 <= x.t0 && s.v.at.win.t1 >= x.t1);
    (void)view_undo(&s.v, 1);
    assert_true(frame_draw(&s.g, &s.v, NULL));
    assert_int_equal(s.v.at.view, VIEW_TYPES);
    assert_int_equal(s.v.at.row, 2);
    assert_string_equal(view_quit_word(&s.v), "back");
    (void)view_back(&s.v);
    finish(&s.v);
    assert_int_equal(s.v.table->have.open, TABLE_TYPES);
    assert_int_equal(s.v.at.row, 0);
    seen_close(&s);
}

/* A view's key again leads through the tables of its kind, and round. */
static void test_key_again(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/alloc-1.27.trace");
    static const int round[] = {VIEW_GC, VIEW_CYCLES, VIEW_STOPS};
    for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
        (void)view_switch(&s.v, VIEW_GC);
        assert_int_equal(s.v.at.view, round[i]);
    }
    for (int i = 0; i < 8 && s.v.at.view != VIEW_GC; i++)
        (void)view_switch(&s.v, VIEW_GC);
    assert_int_equal(s.v.at.view, VIEW_GC);
    (void)view_switch(&s.v, VIEW_LOG); /* that one stands alone */
    assert_int_equal(view_switch(&s.v, VIEW_LOG), VR_NONE);
    assert_int_equal(kind_find("cycles", 6), VIEW_CYCLES);
    assert_int_equal(kind_find("cycle", 5), VIEW_NONE);
    seen_close(&s);
}

/* ---- what is copied ------------------------------------------------------------------------------------ */

static void test_tsv(void **state)
{
    (void)state;
    struct seen s;
    struct text text = {0};
    bool rows;
    seen_open(&s, "samples/tasks-1.27.trace");
    view_resize(&s.v, 40, 12); /* whatever fits on the screen */
    open_view(&s, VIEW_REGIONS);
    act(&s, REQ_DETAILS, 1);
    assert_true(view_yank(&s.v, &text, &rows) & VR_YANK);
    assert_true(rows);
    uint32_t lines = 0, tabs = 0;
    for (const char *c = text.p; *c; c++) {
        lines += *c == '\n';
        tabs += *c == '\t';
    }
    assert_int_equal(lines, s.v.table->nrows + 1);
    assert_int_equal(tabs, lines * (uint32_t)(table_cols(s.v.table, &s.v.table->have) - 1));
    assert_memory_equal(text.p, "took ns\tat ns\trunning ns\t", 24);
    const struct thing *x = table_thing(s.v.table, s.v.table->row[0]);
    char first[80];
    snprintf(first, sizeof first, "\n%lld\t%lld\t", (long long)(x->t1 - x->t0), (long long)x->t0);
    assert_non_null(strstr(text.p, first));
    text_free(&text);
    seen_close(&s);
}

/* ---- the spectrum -------------------------------------------------------------------------------------- */

struct series {
    int64_t t[500], v[500];
};

static void nth(void *arg, uint32_t i, int64_t *t, int64_t *v)
{
    const struct series *s = arg;
    *t = s->t[i];
    *v = s->v[i];
}

static void test_spectrum(void **state)
{
    (void)state;
    struct series s;
    struct spectrum p = {0};
    for (int round = 0; round < 200; round++) {
        int rows = 1 + (int)rnd(SPECTRUM_ROWS + 4), cols = 1 + (int)rnd(90);
        uint32_t n = rnd(500), shift = rnd(60), count = 0, cells = 0;
        for (uint32_t i = 0; i < n; i++) {
            s.t[i] = rnd(1000);
            s.v[i] = (int64_t)(((uint64_t)rnd(1u << 31) << 31 | rnd(1u << 31)) >>
                               (shift + rnd(4) > 62 ? 62 : shift + rnd(3)));
        }
        assert_true(spectrum_make(&p, n, nth, &s, rows, cols, window_of(0, 1000)));
        assert_true(p.rows >= 1 && p.rows <= (rows > SPECTRUM_ROWS ? SPECTRUM_ROWS : rows));
        for (int r = 0; r < p.rows; r++) {
            assert_true(r == 0 || p.from[r] > p.from[r - 1]);
            count += (uint32_t)p.count[r];
            for (int c = 0; c < p.cols; c++)
                cells += p.cell[r * p.cols + c];
        }
        assert_int_equal(count, n);
        assert_int_equal(cells, n);
        for (uint32_t i = 0; i < n; i++) {
            int r = spectrum_row(&p, s.v[i]);
            assert_true(p.from[r] <= s.v[i] || r == 0);
            assert_true(r + 1 == p.rows || s.v[i] < p.from[r + 1]);
            assert_true(p.cell[r * p.cols + window_col(p.win, p.cols, s.t[i])] > 0);
        }
    }
    spectrum_free(&p);
}

/* More things than are listed: the longest are, all are counted, and quantiles stay within what a histogram
 * promises. */
static void test_shed(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/lock-1.26.trace");
    static const struct table_from none = {.things = "things"};
    struct table t = {.tr = s.tr, .from = &none};
    t.lengths = mem_zalloc(sizeof *t.lengths);
    uint32_t n = TABLE_THINGS + TABLE_THINGS / 2, most = 1000003;
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = (int64_t)((uint64_t)i * 7919 % most); /* even: each about as often */
        assert_true(table_add(&t, table_type(&t, i % 3, 0), (struct thing){.t0 = i, .t1 = i + d}));
    }
    assert_int_equal(t.all, n);
    assert_true(t.n < TABLE_THINGS && t.n > 1000);
    assert_int_equal(t.ntypes, 3);
    uint64_t sum = 0;
    for (int k = 0; k < 3; k++) {
        struct dist d;
        sum += t.type[k].n;
        assert_non_null(t.type[k].lengths);
        assert_int_equal(t.type[k].lengths->n, t.type[k].n);
        hist_dist(t.type[k].lengths, &d);
        assert_true(d.p50 > most / 2 * 0.97 && d.p50 < most / 2 * 1.03);
    }
    assert_int_equal(sum, n);
    for (uint32_t i = 0; i < t.n; i++)
        assert_true(t.thing[i].t1 - t.thing[i].t0 >= t.least);
    for (int k = 0; k < 3; k++)
        mem_free(t.type[k].lengths);
    mem_free(t.lengths);
    mem_free(t.thing);
    mem_free(t.type);
    tab_free(&t.map);
    seen_close(&s);
}

/* Any size, any glyphs, each table: nothing breaks, and what is shown is within the screen. */
static void every_size(struct seen *s)
{
    static const int sizes[][2] = {{1, 1}, {12, 5}, {40, 10}, {80, 24}, {120, 40}, {300, 90}};
    for (int k = 0; k < TABLES; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            view_resize(&s->v, sizes[i][0], sizes[i][1]);
            s->v.scr.tier = (enum tier)(i % TIER_COUNT);
            open_view(s, tables[k]);
            act(s, REQ_LAST, 1);
            act(s, REQ_DETAILS, 1);
            act(s, REQ_HERE, 1);
            act(s, REQ_BACK, 1);
        }
}

static void test_sizes(void **state)
{
    (void)state;
    for_samples(every_size, "tasks-1.2");
    for_samples(every_size, "prototype");
}

static void test_memory(void **state)
{
    (void)state;
    for (long n = 0; n < 400; n += 1 + n / 16) {
        struct seen s;
        seen_open(&s, "samples/tasks-1.27.trace");
        mem_fail_after(n);
        for (int k = 0; k < TABLES; k++) {
            (void)kind_of(tables[k])->open(&s.v, tables[k]);
            finish(&s.v);
            (void)view_do(&s.v, REQ_SORT, 1);
            (void)view_do(&s.v, REQ_DETAILS, 1);
            finish(&s.v);
            (void)frame_draw(&s.g, &s.v, NULL);
        }
        mem_fail_after(-1);
        open_view(&s, VIEW_TYPES);
        seen_close(&s);
    }
}

/* Stops that touch a GC cycle, by the list of them, each whole and once: most cycles end within one. */
static unsigned straddled;

static void cycles_of(struct seen *s)
{
    const struct range *gc, *stw;
    const size_t ngc = trace_ranges(s->tr, RANGE_GC, &gc), n = trace_ranges(s->tr, RANGE_STW, &stw);
    for (size_t i = 0; i < ngc; i++) {
        int64_t sum = 0, within = 0, last = INT64_MIN;
        for (size_t k = 0; k < n;) {
            struct range x;
            k = trace_stop(stw, n, k, &x);
            if (x.t1 <= gc[i].t0 || x.t0 >= gc[i].t1)
                continue;
            const int64_t from = x.t0 > last ? x.t0 : last;
            sum += x.t1 > from ? x.t1 - from : 0;
            within += (x.t1 < gc[i].t1 ? x.t1 : gc[i].t1) - (from > gc[i].t0 ? from : gc[i].t0);
            last = x.t1 > last ? x.t1 : last;
        }
        if (gc[i].t1 > gc[i].t0 && record_stopped(s->tr, gc[i].t0, gc[i].t1) != sum)
            fail_msg("%s: cycle %zu stops %lld, by the list %lld", s->name, i,
                     (long long)record_stopped(s->tr, gc[i].t0, gc[i].t1), (long long)sum);
        straddled += sum > within;
    }
}

static void test_cycles(void **state)
{
    (void)state;
    for_samples(cycles_of, "");
    assert_true(straddled > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),    cmocka_unit_test(test_types),  cmocka_unit_test(test_calls),
        cmocka_unit_test(test_orders),    cmocka_unit_test(test_filter), cmocka_unit_test(test_enter),
        cmocka_unit_test(test_key_again), cmocka_unit_test(test_tsv),    cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_shed),      cmocka_unit_test(test_sizes),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_nameless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
