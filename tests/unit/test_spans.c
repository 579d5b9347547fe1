/*
 * test_spans.c - packed lanes of spans, random ones of every size, held against the list they were made from.
 */
#include "tests/unit/query_check.h"

static struct rng rng = {20240607};

/* The lane under test is the first goroutine's of a model of its own. */
struct bench {
    struct trace tr;
    struct spanlane *l;
    struct span_list list;
    int64_t t;
    uint32_t tags[400];
    int64_t big; /* a power of two: longest duration wanted */
    bool wide_ids;
};

static void bench_open(struct bench *b, unsigned ntags)
{
    static const uint8_t states[] = {ST_RUNNING, ST_RUNNABLE, ST_WAITING, ST_SYSCALL,
                                     ST_UNKNOWN, ST_GCWORK,   ST_ASSIST};
    memset(b, 0, sizeof *b);
    assert_int_equal(names_init(&b->tr.names), ERR_OK);
    assert_int_equal(fold_init(&b->tr.fold, &b->tr.names), ERR_OK);
    struct ev e = {.kind = EVK_COUNT_ONLY, .g = 0, .p = EV_NONE, .m = EV_NONE, .by = EV_NONE};
    fold_events(&b->tr.fold, &e, 1);
    b->l = fold_lane_at(&b->tr.fold, 0);
    b->tr.done = true;
    for (unsigned i = 0; i < 400; i++)
        b->tags[i] = pool_tag(&b->tr.fold.pool, states[i % sizeof states],
                              i / sizeof states % (ntags / sizeof states + 1), i >= 200 ? i : 0);
}

static void bench_close(struct bench *b)
{
    free(b->list.v);
    fold_free(&b->tr.fold);
    names_free(&b->tr.names);
}

static int64_t some_dur(struct bench *b)
{
    switch (below(&rng, 8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return (int64_t)below(&rng, 64) * 64;
    case 3: return (int64_t)below(&rng, 1 << 16);
    case 4: return (int64_t)(below(&rng, 1 << 20) * 64);
    case 5: return b->big > 1 ? (int64_t)below(&rng, (uint64_t)b->big) : 3;
    default: return (int64_t)below(&rng, 300);
    }
}

static uint32_t some_id(const struct bench *b)
{
    uint64_t x = below(&rng, 6);
    return x == 0 ? 0
                  : (uint32_t)below(&rng, x == 1                   ? 1u << 7
                                          : x == 2                 ? 1u << 15
                                          : x == 3 || !b->wide_ids ? 1u << 23
                                                                   : UINT32_MAX);
}

static uint32_t few; /* pairs of tag and stack; 0: any */

static void push(struct bench *b)
{
    int64_t d = some_dur(b);
    if (b->t > (INT64_C(1) << 62) - d)
        d = 0;
    b->t += d;
    struct span s = {.who = some_id(b) - 1, .proc = NO_LANE, .stack = some_id(b), .index = b->list.n};
    uint32_t tag = b->tags[below(&rng, 400)];
    if (few) { /* as in what a program does: the same few, over and over */
        uint32_t k = (uint32_t)below(&rng, few);
        tag = b->tags[k];
        s.stack = k % 3 ? k : 0;
    }
    const struct span_tag *t = &b->tr.fold.pool.tags[tag];
    s.state = t->state;
    s.reason = t->reason;
    s.label = t->label;
    s.t0 = b->t;
    if (!b->list.n)
        spans_begin(b->l, b->t, waitspan(0, s.who + 1, s.stack, tag));
    else
        spans_push(&b->tr.fold.pool, LANE_G, b->l, b->t, waitspan(0, s.who + 1, s.stack, tag));
    if (b->list.n)
        b->list.v[b->list.n - 1].t1 = b->t;
    list_add(&b->list, s);
}

static void check(struct bench *b, int windows)
{
    if (b->list.n && !b->l->ended)
        b->list.v[b->list.n - 1].t1 = b->tr.fold.end > b->t ? b->tr.fold.end : b->t;
    check_spans(&b->tr, (struct lane){LANE_G, 0}, &b->list, &rng, windows);
}

/* n spans, with looks at the lane on the way, at rest and continued. */
static void run(unsigned n, int64_t big, bool wide_ids, unsigned ntags, bool end, bool rest)
{
    struct bench b;
    bench_open(&b, ntags);
    b.big = big;
    b.wide_ids = wide_ids;
    b.t = (int64_t)below(&rng, 1000);
    for (unsigned i = 0; i < n; i++) {
        push(&b);
        if (rest && below(&rng, n / 5 + 1) == 0) {
            spans_rest(&b.tr.fold.pool, b.l);
            b.tr.fold.end = b.t + (int64_t)below(&rng, 100);
            check(&b, 3);
        } else if (below(&rng, n / 3 + 1) == 0) {
            b.tr.fold.end = b.t + (int64_t)below(&rng, 100);
            check(&b, 3);
        }
    }
    if (n && end) {
        b.t += some_dur(&b) % 100000;
        spans_end(&b.tr.fold.pool, LANE_G, b.l, b.t);
        fold_info_at(&b.tr.fold, 0)->flags |= GI_ENDED;
        b.list.v[b.list.n - 1].t1 = b.t;
    }
    b.tr.fold.end = b.t + 77;
    check(&b, 30);
    assert_false(b.tr.fold.pool.oom);
    bench_close(&b);
}

static void test_sizes(void **state)
{
    (void)state;
    static const unsigned sizes[] = {0,   1,   2,   3,   7,   8,   9,   31,  32,  33,   63,   64,   65,
                                     126, 127, 128, 129, 130, 255, 256, 257, 258, 1000, 2048, 2049, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int v = 0; v < 8; v++)
            run(sizes[i], v & 4 ? 1 << 30 : 1, v & 2, 50, v & 1, v & 2);
}

static void test_many(void **state)
{
    (void)state;
    for (int v = 0; v < 4; v++)
        run(5000, v & 1 ? INT64_C(1) << 40 : 1000, v & 2, 399, v & 1, v & 2);
    for (int v = 0; v < 6; v++)
        run(2048 * 2 + (unsigned)v, 1000, false, 10, true,
            false); /* groups of sixteen blocks, full and not */
}

/* Blocks with palettes of every size, and lanes that go from one kind of block to the other. */
static void test_palettes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int v = 0; v < 4; v++) {
            few = sizes[i];
            run(1500, v & 1 ? INT64_C(1) << 36 : 1000, v & 2, 399, v & 1, v & 2);
        }
    few = 0;
}

/* Durations up to 2^62: the lane can't be longer than that, so there is one such span at most. */
static void test_huge(void **state)
{
    (void)state;
    for (int v = 0; v < 20; v++)
        run((unsigned)below(&rng, 600), INT64_C(1) << (40 + v), true, 399, v & 1, v & 2);
    struct bench b;
    bench_open(&b, 20);
    for (int i = 0; i < 200; i++) {
        push(&b);
        if (i == 90)
            b.t += (INT64_C(1) << 62) - 1000000000000;
    }
    b.tr.fold.end = b.t;
    check(&b, 50);
    bench_close(&b);
}

/* All durations multiples of the clock's unit, as most traces have them; then one that is not. */
static void test_clock_units(void **state)
{
    (void)state;
    static const double tick[] = {
        0,          0,          0, 0,     0,         0,
        1e9 / 36e6, 1e9 / 24e6, 8, 15829, 1e9 / 24e6}; /* 0: 64 ns, by which most are multiples */
    for (int v = 0; v < 11; v++) {
        struct bench b;
        bench_open(&b, 30);
        pool_ticks(&b.tr.fold.pool, tick[v]);
        uint64_t at = 0;
        for (int i = 0; i < 700; i++) {
            const uint64_t most = v == 9 ? 1 << 15 : v == 8 && i > 400 ? 1 << 28 : 1 << 20;
            at += below(&rng, below(&rng, 9) ? 5000 : most);
            const int64_t t = (int64_t)((double)at * tick[v]);
            if (tick[v] >
                0) /* rounded down; a ns later than what came before, twice in 128 out of the ordinary */
                b.t = (t > b.t ? t : b.t + 1) + (i % 64 == 9 ? v > 8 ? 200000013 : 13 : 0);
            else
                b.t += 64 * (int64_t)below(&rng, v < 3 ? 100 : 1 << 24) + (v & 1 && i == 300) +
                       (v == 4 && i % 128 == 5);
            b.big = 1;
            struct span s = {.who = NO_LANE, .proc = NO_LANE, .t0 = b.t, .index = b.list.n};
            uint32_t tag = b.tags[below(&rng, 7)];
            s.state = b.tr.fold.pool.tags[tag].state;
            s.reason = b.tr.fold.pool.tags[tag].reason;
            if (i)
                spans_push(&b.tr.fold.pool, LANE_G, b.l, b.t, waitspan(0, 0, 0, tag));
            else
                spans_begin(b.l, b.t, waitspan(0, 0, 0, tag));
            if (i)
                b.list.v[i - 1].t1 = b.t;
            list_add(&b.list, s);
        }
        b.tr.fold.end = b.t + 64;
        check(&b, 60);
        bench_close(&b);
    }
}

/* More reasons than a tag can name: the state must survive. */
static void test_tags_run_out(void **state)
{
    (void)state;
    struct span_pool sp;
    assert_int_equal(pool_init(&sp), ERR_OK);
    for (uint8_t i = 0; i < ST_COUNT; i++) /* as fold does it */
        pool_tag(&sp, i, 0, 0);
    for (uint32_t i = 1; i < 70000; i++) {
        uint32_t t = pool_tag(&sp, ST_WAITING, i, 0);
        assert_true(t <= UINT16_MAX);
        assert_int_equal(sp.tags[t].state, ST_WAITING);
        if (i < 60000)
            assert_int_equal(sp.tags[t].reason, i);
        assert_int_equal(pool_tag(&sp, ST_WAITING, i, 0), t);
    }
    assert_int_equal(sp.tags[pool_tag(&sp, ST_SYSCALL, 0, 0)].state, ST_SYSCALL);
    assert_false(sp.oom);
    pool_free(&sp);
}

/* What is read back is what was packed. */
static void assert_unpacked(const uint8_t *p, const struct waitspan *s, uint32_t n,
                            const struct pack_how *how)
{
    struct spancols out, part;
    unpack_spans(p, n, how->clock, true, &out);
    unpack_spans(p, n, how->clock, false, &part);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(out.dur[i], wait_dur(&s[i], how->longs));
        assert_int_equal(out.who[i], wait_who(&s[i]));
        assert_int_equal(out.stack[i], wait_stack(&s[i]));
        assert_int_equal(out.tag[i], wait_tag(&s[i]));
        assert_int_equal(part.dur[i], out.dur[i]);
        assert_int_equal(part.tag[i], out.tag[i]);
    }
}

/* All ways of packing make the same bytes and sums, and the bytes are the spans again. */
static void test_packed(void **state)
{
    (void)state;
    static uint8_t slot[1 << 16][4];
    for (unsigned i = 0; i < 1 << 16; i++)
        slot[i][LANE_G] = (uint8_t)(below(&rng, 9) % 8);
    pack_init();
    static const double rates[] = {0, 0, 1, 1e9 / 36e6, 8, 15.625, 1e9 / 24e6, 100, 64, 1e5, 1e300};
    int refused = 0, palettes = 0, bare = 0, ticks = 0;
    for (int round = 0; round < 20000; round++) {
        struct waitspan s[SPAN_BLOCK];
        int64_t longs[SPAN_BLOCK];
        uint8_t a[PACK_MAX + PACK_SLACK], b[PACK_MAX + PACK_SLACK];
        uint32_t n = below(&rng, 2) ? SPAN_BLOCK : 1 + (uint32_t)below(&rng, below(&rng, 2) ? 6 : SPAN_BLOCK),
                 whole = (uint32_t)below(&rng, 129), nlongs = 0;
        bool odd = below(&rng, 8) == 0;
        const struct pack_clock clock = pack_clock(rates[below(&rng, sizeof rates / sizeof *rates)]);
        const bool on_ticks = below(&rng, 2);
        int64_t now = (int64_t)below(&rng, (uint64_t)1 << 40);
        uint32_t pairs = below(&rng, 3) ? 1 + (uint32_t)below(&rng, below(&rng, 2) ? 8 : 40) : 0,
                 stacks = (uint32_t)below(&rng, 3) * 700;
        uint64_t most = below(&rng, 3) ? 1 << 24 : 1u << 31, ids = below(&rng, 3) ? 1 << 20 : 1 << 9,
                 base = below(&rng, 2) ? below(&rng, 1 << 23) : 0;
        for (uint32_t i = 0; i < n; i++) {
            bool is_long = odd && below(&rng, 30) == 0;
            uint64_t dur = below(&rng, below(&rng, 4) ? 1 << 12 : most) << (below(&rng, 2) ? 6 : 0);
            if (on_ticks && clock.mul &&
                below(&rng, 5000)) { /* from one tick to another, as they are rounded */
                const double tick = (double)clock.mul / (double)((uint64_t)1 << clock.shift);
                const int64_t to = now + (int64_t)(dur >> 6);
                dur = (uint64_t)((int64_t)((double)to * tick) - (int64_t)((double)now * tick));
                now = to;
            }
            uint32_t who = below(&rng, 3) ? (uint32_t)(base + below(&rng, ids)) : (uint32_t)below(&rng, 20);
            uint32_t tag = (uint32_t)below(&rng, odd ? 1 << 16 : 200),
                     stack = (uint32_t)below(&rng, below(&rng, 4) ? 300 : 1 << 18);
            if (pairs) { /* few different ones, as in what a program does */
                uint32_t k = (uint32_t)below(&rng, pairs);
                tag = k % 7;
                stack = k % 3 ? k * stacks : 0;
            }
            if (odd && below(&rng, 50) == 0)
                who = UINT32_MAX - (uint32_t)below(&rng, 5);
            if (is_long) {
                longs[nlongs] = (int64_t)(dur << 10);
                dur = nlongs++;
            }
            s[i] = waitspan((uint32_t)dur, who, stack, tag | (is_long ? WAIT_LONG : 0));
        }
        const struct pack_how how = {(const uint8_t(*)[4])slot, longs, whole, &clock, LANE_G};
        struct pack_how x = how;
        struct pack_sums p, q;
        size_t len = pack_plain(a, s, n, &x, &p);
        size_t (*const with[])(uint8_t *, const struct waitspan *, uint32_t, struct pack_how *,
                               struct pack_sums *) = {pack_sse, pack_spans};
        for (size_t k = 0; k < 2; k++) {
            struct pack_how y = how;
            size_t got = with[k](b, s, n, &y, &q);
            if (!got && !k) {
                refused++;
                continue;
            }
            assert_int_equal(got, len);
            assert_memory_equal(a, b, len);
            assert_memory_equal(&p, &q, sizeof p);
            assert_int_equal(x.whole, y.whole);
            y = how;
            assert_int_equal(with[k](b, s, n, &y, NULL), len);
            assert_memory_equal(a, b, len);
        }
        ticks += clock.mul && a[0] & PACK_UNIT;
        palettes += a[0] & PACK_PALETTE && a[0] & PACK_STACK;
        bare += a[0] & PACK_PALETTE && !(a[0] & PACK_STACK);
        assert_unpacked(a, s, n, &how);
    }
    assert_true(palettes > 1000 && bare > 1000 && ticks > 1000);
    assert_true(refused < 16000 || refused == 20000); /* all: a processor without vectors */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),       cmocka_unit_test(test_sizes), cmocka_unit_test(test_many),
        cmocka_unit_test(test_palettes),     cmocka_unit_test(test_huge),  cmocka_unit_test(test_clock_units),
        cmocka_unit_test(test_tags_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
