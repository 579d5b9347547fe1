/*
 * test_v1_preview.c - the beginning of a first-family trace, shown while all of it is looked at: what it
 * shows is true of the finished trace, and that is the same whether or not it was shown. Where the beginning
 * is not known for sure nothing is shown.
 */
#include "tests/unit/model_text.h"

enum { ROUNDS = 26, SELDOM_AT = 9, FULL = 40 };
#define T0 \
    INT64_C(1000000000000) /* as a host that has run for a while: hardly any number in an event is one near \
                              it */

/* A batch of a processor that is busy: its goroutine yields, wakes one of another's, makes system calls. */
static void busy(struct tracegen_buf *b, int p, int round)
{
    const int64_t t = T0 + 1000 * round + 300 * p;
    tracegen_printf(b, "batch p=%d t=%" PRId64 "\n", p, t);
    if (!round && !p)
        tracegen_printf(
            b, "GoCreate +1 g=1\nGoCreate +1 g=2\nGoCreate +1 g=3\nGoCreate +1 g=4\nGoCreate +1 g=10\n"
               "GoWaiting +1 g=10\nGoCreate +1 g=11\n");
    if (!round)
        tracegen_printf(b, "ProcStart +1 thread=%d\nGoStart +1 g=%d seq=1\n%s", p, p + 1,
                        p ? "" : "Gomaxprocs procs=4\n");
    for (int i = 0; i < FULL; i++)
        tracegen_printf(b, "GoSched +4 stack=main.f:%d\nGoStartLocal +%d g=%d\n", 1 + i % 5, 1 + i % 7,
                        p + 1);
    if (p == 0)
        tracegen_printf(b, "GoUnblock +9 g=10 seq=%d stack=main.wake:7\n", 2 + 2 * round);
    if (p == 1)
        tracegen_printf(
            b,
            "GoSched +4 stack=main.f:1\nGoStart +1 g=10 seq=%d\nGoBlockRecv +20 stack=main.ten:1\n"
            "GoStartLocal +1 g=2\n",
            3 + 2 * round);
    if (p == 2) {
        tracegen_printf(b, "GoSched +4 stack=main.f:1\n");
        if (round)
            tracegen_printf(b, "GoSysExitLocal +1 g=11 ticks=%" PRId64 "\n", t - 200);
        tracegen_printf(
            b, "GoStart%s +1 g=11%s\nGoSysCall +5 stack=main.read:4\nGoSysBlock +1\nGoStartLocal +1 g=3\n",
            round ? "Local" : "", round ? "" : " seq=1");
    }
}

/* One that does little, from soon after the beginning on: its buffer was full in one of the rounds. */
static void seldom(struct tracegen_buf *b, int from)
{
    tracegen_printf(b, "batch p=3 t=%" PRId64 "\n%s", T0 + from * 1000 + 150,
                    from ? "" : "ProcStart +1 thread=3\nGoStart +1 g=4 seq=1\n");
    for (int i = 0; i < FULL; i++)
        tracegen_printf(b, "GoSched +100 stack=main.seldom:%d\nGoStartLocal +120 g=4\n", i % 9);
}

static uint8_t *made(const char *dialect, bool with_seldom, size_t *n)
{
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "%s\n", dialect);
    for (int round = 0; round < ROUNDS; round++) {
        if (with_seldom && round == SELDOM_AT)
            seldom(&b, 0);
        for (int p = 0; p < 3; p++)
            busy(&b, p, round);
    }
    if (with_seldom)
        seldom(&b, SELDOM_AT);
    uint8_t *p = tracegen_bytes((const char *)b.p, n);
    tracegen_free(&b);
    return p;
}

static struct trace *opened(const uint8_t *p, size_t n, int threads, uint64_t from)
{
    const struct trace_opts o = {.threads = threads, .preview = from};
    struct trace *tr;
    struct err e = {0};
    if (trace_open_mem(p, n, &o, &tr, &e))
        fail_msg("not opened: %s", e.what);
    return tr;
}

static struct trace *whole(const uint8_t *p, size_t n)
{
    struct trace *tr = opened(p, n, 1, 0);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        continue;
    return tr;
}

/* Each span that is over stands in the finished trace; one that isn't began there, or nothing is said of it.
 * Returns how many. */
static int lane_is_true(const struct trace *tr, const struct trace *all, struct lane l)
{
    const uint64_t id = trace_lane(tr, l).id;
    const struct lane to = {l.kind, trace_find_lane(all, l.kind, id)};
    const int64_t end = trace_info(tr)->end;
    struct span_iter it;
    int spans = 0;
    assert_true(to.i != NO_LANE);
    for (bool more = span_seek_index(&it, tr, l, 0); more; more = span_next(&it), spans++) {
        const struct span *s = span_get(&it);
        struct span x;
        if (s->state == ST_UNKNOWN || s->t0 >= end)
            continue;
        const bool there = trace_span_at(all, to, s->t0, &x);
        if (!there || x.t0 != s->t0 || (x.t1 != s->t1 && s->t1 < end) || x.state != s->state ||
            x.who != s->who)
            fail_msg("%c%" PRIu64 ": %" PRId64 "-%" PRId64 " is %d, but %" PRId64 "-%" PRId64 " is %d",
                     "PGM"[l.kind], id, s -> t0, s -> t1, s -> state, x.t0, x.t1, x.state);
        const struct frame f = trace_frame(tr, s->stack, 0), g = trace_frame(all, x.stack, 0);
        const struct str a = trace_str(tr, f.func), b = trace_str(all, g.func);
        assert_int_equal(f.line, g.line);
        assert_int_equal(a.len, b.len);
    }
    return spans;
}

static int is_true(const struct trace *tr, const struct trace *all)
{
    int spans = 0;
    assert_true(trace_info(tr)->end <= trace_info(all)->end);
    assert_int_equal(trace_info(tr)->ndamages, 0);
    for (int k = 0; k < LANE_BAND; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++)
            spans += lane_is_true(tr, all, (struct lane){(enum lane_kind)k, i});
    return spans;
}

/* How many spans the first look at a trace shows, 0: none; and the trace is then the one that it is
 * otherwise. */
static int previewed(const char *label, const uint8_t *p, size_t n)
{
    struct trace *all = whole(p, n);
    char *want = model_text(all);
    const bool damaged = trace_info(all)->ndamages;
    int spans = 0;
    for (int threads = 1; threads <= 2; threads++) {
        struct trace *tr = opened(p, n, threads, 1);
        enum load l = trace_load(tr, 0);
        free(model_text(tr)); /* what there is can be asked for */
        for (int64_t end = trace_info(tr)->end; l != LOAD_DONE; end = trace_info(tr)->end) {
            l = trace_load(tr, 0);
            assert_true(damaged || trace_info(tr)->end >= end); /* what was shown is shown */
        }
        char *text = model_text(tr);
        same_text(label, want, text);
        const bool anew = trace_info(tr)->epoch;
        free(text);
        trace_close(tr);
        tr = opened(p, n, threads, 1);
        (void)trace_load(tr, 0);
        spans = anew && !damaged ? is_true(tr, all) : anew;
        trace_close(tr);
    }
    free(want);
    trace_close(all);
    return spans;
}

static void test_beginning(void **state)
{
    (void)state;
    static const char *const dialects[] = {"go 1.11", "go 1.19", "go 1.21"};
    for (int d = 0; d < 3; d++)
        for (int with = 0; with < 2; with++) {
            size_t n;
            uint8_t *p = made(dialects[d], with, &n);
            const int spans = previewed(dialects[d], p, n);
            if (spans < 200)
                fail_msg("%s%s: only %d spans", dialects[d], with ? ", one that does little" : "", spans);
            struct trace *small = opened(p, n, 1, 0);
            (void)trace_load(small, 0);
            assert_int_equal(trace_info(small)->epoch, 0); /* it is not waited for */
            trace_close(small);
            free(p);
        }
}

static void test_not_for_sure(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p = made("go 1.10", false, &n); /* wake-ups may prove futile */
    assert_int_equal(previewed("futile", p, n), 0);
    free(p);
    p = made("go 1.21", true, &n);
    assert_int_equal(previewed("without its end", p, n - n / 4), 0);
    p[100] = 0xff;
    assert_int_equal(previewed("damaged where it begins", p, n), 0);
    free(p);
}

static void test_flips(void **state)
{
    (void)state;
    struct rng r = {5};
    size_t n;
    uint8_t *p = made("go 1.21", true, &n), *q = malloc(n);
    for (int i = 0; i < 40; i++) {
        memcpy(q, p, n);
        for (int k = 0; k < 1 + i % 3; k++)
            q[16 + below(&r, n - 16)] ^= (uint8_t)(1 << below(&r, 8));
        (void)previewed("flipped", q, i % 5 ? n : below(&r, n - 16) + 16);
    }
    free(q);
    free(p);
}

/*
 * Bytes in which tables seem to begin at each tenth byte, and go on for a quarter of a megabyte before they
 * prove to be none: each is a tick rate and a stack, whose numbers are such bytes, too. Looking at all of
 * them to the end takes hours.
 */
static void test_tables_in_one_another(void **state)
{
    static const uint8_t begin[] = {0x41, 0, 100, 0x8e, 1, 1, 0}; /* Batch, GoStart */
    static const uint8_t unit[] = {2, 0x80, 0x80, 4, 0xc3, 0xc3, 0x3e, 1, 0xe8, 7};
    enum { N = 9 << 20, RUN = 24000 * sizeof unit };
    uint8_t *p = malloc(N);
    size_t n = tracegen_header(1021, p);
    (void)state;
    memcpy(p + n, begin, sizeof begin);
    for (n += sizeof begin; n + RUN + sizeof unit < N; p[n++] = 0x3f) /* no event */
        for (size_t run = 0; run < RUN; run += sizeof unit, n += sizeof unit)
            memcpy(p + n, unit, sizeof unit);
    struct trace *tr = opened(p, n, 1, 0);
    while (trace_load(tr, 0) != LOAD_DONE)
        continue;
    assert_int_not_equal(trace_info(tr)->ndamages, 0);
    trace_close(tr);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_not_for_sure),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_tables_in_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
