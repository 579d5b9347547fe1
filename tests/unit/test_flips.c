/*
 * test_flips.c - traces of which one bit is another, and such that were cut: whatever was before the damage
 * is shown as in the whole trace, span by span, and no time is shown that the trace never had.
 *
 * With files as arguments it tries every byte of them (every byte's eight bits with EVERY_BIT=1) and prints
 * what deviates.
 */
#include "tests/unit/agree_help.h"

#include "decode/census.h"
#include "decode/v1/v1_wire.h"
#include "decode/input/stream.h"
#include "tests/unit/gens_help.h"

/* A time may differ by what order gives events of one moment. */
enum { NEAR_NS = 20000, AFTER_NS = 1000000 };

/* ---- when a byte's event is ---------------------------------------------------------------------------- */

struct places { /* of each byte, from when on a change of it may show, ns; NEVER: it holds no events */
    int64_t *t;
    int64_t end;
};

static void fill(struct places *pl, size_t from, size_t to, int64_t t)
{
    for (size_t i = from; i < to; i++)
        pl->t[i] = t;
}

static void places_v2(struct places *pl, const struct trace *all, const uint8_t *p, size_t n)
{
    struct gens x = gens_of(p, n, all->dialect.read_as);
    fill(pl, 0, n, INT64_MIN);
    while (gens_next(&x)) {
        const double unit = v2_gen_unit(&x.g);
        for (size_t i = 0; i < x.g.nall; i++) {
            const struct v2_raw_batch *b = &x.g.all[i];
            const size_t head = (size_t)(b->at - p), body = (size_t)(b->p - p), end = (size_t)(b->end - p);
            const bool clock = b->first == V2R_FREQ || b->first == V2R_SYNC;
            int64_t t = (int64_t)((double)b->time * unit) - all->src.st.first_ns;
            fill(pl, head, body, t);
            if (b->lead != V2R_EVENTS || b->first == V2R_STRINGS || b->first == V2R_STACKS ||
                b->first == V2R_SAMPLES || clock) {
                fill(pl, body, end, clock ? INT64_MIN : NEVER);
                continue;
            }
            struct v2_raw_ev ev;
            for (const uint8_t *q = b->p, *next; (next = v2_raw_ev(q, b->end, &ev)); q = next) {
                fill(pl, (size_t)(q - p), (size_t)(next - p), t);
                t += (int64_t)((double)ev.dt * unit);
            }
        }
    }
    gens_free(&x);
}

static void places_v1(struct places *pl, const struct trace *all, const uint8_t *p, size_t n)
{
    struct v1_dialect d;
    const char *why;
    uint64_t freq = 0, ticks = 0, proc = 0, base = UINT64_MAX;
    v1_dialect_init(&d, all->dialect.read_as);
    for (int pass = 0; pass < 2; pass++) { /* the clock stands at the end */
        const uint8_t *q = p + all->dialect.header;
        struct v1_raw r;
        bool footer = false;
        int64_t told[64] = {0}; /* a P's last event so far */
        for (const uint8_t *at = q; v1_read(&d, &q, p + n, &r, &why) == V1_READ_OK; at = q) {
            const struct v1_shape *s = &d.shape[r.type];
            if (r.type == V1_FREQUENCY)
                freq = r.v[0];
            int64_t t = freq && ticks > base ? (int64_t)((double)(ticks - base) * (1e9 / (double)freq)) : 0;
            footer |= r.type == V1_FREQUENCY || r.type == V1_STACK;
            if (r.type == V1_BATCH) {
                proc = r.v[0] & 63;
                ticks = r.v[r.n - 1];
                t = told[proc];
            } else {
                told[proc] = t;
            }
            if (s->timed)
                ticks += r.v[s->timed - 1];
            if (s->timed && ticks < base)
                base = ticks;
            const bool table = footer && (r.type == V1_STACK || r.type == V1_STRING);
            fill(pl, (size_t)(at - p), (size_t)(q - p),
                 table                    ? NEVER
                 : r.type == V1_FREQUENCY ? INT64_MIN
                                          : t);
        }
    }
}

static struct places places_of(const struct trace *all, const uint8_t *p, size_t n)
{
    struct places pl = {.t = malloc((n + 1) * sizeof *pl.t), .end = trace_info(all)->end};
    assert_non_null(pl.t);
    fill(&pl, 0, n + 1, INT64_MIN);
    if (all->dialect.second_family)
        places_v2(&pl, all, p, n);
    else
        places_v1(&pl, all, p, n);
    return pl;
}

/* ---- two traces of the same run ------------------------------------------------------------------------ */

struct tally {
    int64_t wrong, missing, end; /* ns before the damage; the end, if it is later than it was */
    int64_t after;               /* wrong anywhere */
    bool damage, refused;
    char where[220], after_where[220], what[200];
};

/* Who counts the bytes finds the generations that are shown. */
static void counted_alike(const uint8_t *p, size_t n, const struct trace *tr)
{
    const struct input in = {.data = p, .len = n};
    struct census c;
    struct err e = {0};
    if (census_take(&in, &c, &e) || c.ngen != trace_info(tr)->generations)
        fail_msg("%zu generations are counted, %u are shown: %s", c.ngen, trace_info(tr)->generations,
                 trace_damage(tr, 0) ? trace_damage(tr, 0)->what : "no damage");
    census_free(&c);
}

static struct tally against(const uint8_t *p, size_t n, const struct trace *all, int64_t until)
{
    static const struct trace_opts one = {.threads = 1};
    struct tally y = {0};
    struct trace *tr = NULL;
    struct err e;
    if (load_bytes_opts(p, n, &one, &tr, &e)) {
        y.refused = true;
        return y;
    }
    y.damage = trace_info(tr)->ndamages || trace_fatal(tr);
    counted_alike(p, n, tr);
    if (trace_damage(tr, 0))
        snprintf(y.what, sizeof y.what, "%s", trace_damage(tr, 0)->what);
    for (uint32_t i = 0; trace_damage(tr, i); i++) /* no time of the trace is before its beginning */
        assert_null(strstr(trace_damage(tr, i)->what, "from -"));
    for (uint32_t i = 0; trace_warning(tr, i); i++)
        assert_null(strstr(trace_warning(tr, i)->what, "from -"));
    const int64_t shift = tr->src.st.first_ns - all->src.st.first_ns;
    if (!trace_fatal(tr) && tr->info.has_clock == all->info.has_clock && until > 0) {
        const enum lane_kind kind[] = {LANE_G, LANE_P};
        for (int k = 0; k < 2; k++) {
            const int64_t a =
                differs(tr, all, kind[k], NEVER, shift, true, y.after_where, sizeof y.after_where);
            y.after = a > y.after ? a : y.after;
            /* What is wrong before the damage is part of what is wrong anywhere. */
            const int64_t w = a <= NEAR_NS ? 0
                                           : differs(tr, all, kind[k], until == NEVER ? NEVER : until - shift,
                                                     shift, true, y.where, sizeof y.where);
            y.wrong = w > y.wrong ? w : y.wrong;
            if (w > NEAR_NS)
                continue;
            const int64_t m = differs(all, tr, kind[k], until, -shift, false, y.where, sizeof y.where);
            y.missing = m > y.missing ? m : y.missing;
        }
        y.end = trace_info(tr)->end + shift - trace_info(all)->end;
    }
    if (trace_fatal(tr) && until > 1000000) {
        y.missing = until;
        snprintf(y.where, sizeof y.where, "refused: %s", trace_fatal(tr)->what);
    }
    trace_close(tr);
    return y;
}

/* NULL: as it should be. */
static const char *deviation(const struct tally *y)
{
    if (y->refused)
        return NULL;
    return y->wrong > NEAR_NS     ? "wrong before"
           : y->missing > NEAR_NS ? "missing before"
           : y->end > 1000000000  ? "stretched"
                                  : NULL;
}

/* ---- */

struct sum {
    uint64_t tried, damage, wrong, missing, stretched, after, unsaid;
};

static bool flip(struct sum *sum, const struct places *pl, const struct trace *all, uint8_t *p, size_t n,
                 size_t at, unsigned bit, const char *path, bool show)
{
    p[at] ^= (uint8_t)(1u << bit);
    struct tally y = against(p, n, all, pl->t[at]);
    p[at] ^= (uint8_t)(1u << bit);
    const char *what = deviation(&y);
    sum->tried++;
    sum->damage += y.damage;
    sum->wrong += y.wrong > NEAR_NS;
    sum->missing += y.wrong <= NEAR_NS && y.missing > NEAR_NS;
    sum->stretched += y.end > 1000000000;
    const bool after = y.after > AFTER_NS && y.wrong <= NEAR_NS;
    sum->after += after && y.damage;
    sum->unsaid += after && !y.damage;
    if (after && show)
        printf("%s byte %zu bit %u, from %.6f ms on: behind it: %s; damage: %s\n", path, at, bit,
               (double)pl->t[at] / 1e6, y.after_where, y.damage ? y.what : "NONE");
    if (what && show)
        printf("%s byte %zu bit %u, from %.6f ms on: %s (end %+.3f ms): %s; damage: %s\n", path, at, bit,
               pl->t[at] == NEVER ? -1.0 : (double)pl->t[at] / 1e6, what, (double)y.end / 1e6, y.where,
               y.damage ? y.what : "NONE");
    else if (what && strncmp(what, "missing",
                             7)) /* where nobody knows what was lost nothing is said of what may be */
        fail_msg("%s byte %zu bit %u: %s: %s", path, at, bit, what, y.where);
    return !what;
}

static void flips(const char *path, uint8_t *p, size_t n, size_t step, bool show)
{
    static const struct trace_opts opts = {.threads = 1};
    struct trace *all = NULL;
    struct err e;
    struct sum sum = {0};
    if (load_bytes_opts(p, n, &opts, &all, &e))
        fail_msg("%s: %s", path, e.what);
    uint8_t *copy = malloc(n);
    memcpy(copy, p, n);
    struct places pl = places_of(all, p, n);
    for (size_t at = all->dialect.header + (step > 1 ? step / 2 : 0); at < n; at += step)
        for (unsigned b = 0; b < 8; b += getenv("EVERY_BIT") ? 1 : 8)
            (void)flip(&sum, &pl, all, copy, n, at, getenv("EVERY_BIT") ? b : (unsigned)(at * 5 + at / 8) % 8,
                       path, show);
    if (show)
        printf("== %s: %" PRIu64 " flips, damage said %" PRIu64 ", wrong before %" PRIu64
               ", missing before %" PRIu64 ", stretched %" PRIu64 "; behind it wrong and damage said %" PRIu64
               ", not said %" PRIu64 "\n",
               path, sum.tried, sum.damage, sum.wrong, sum.missing, sum.stretched, sum.after, sum.unsaid);
    free(copy);
    free(pl.t);
    trace_close(all);
}

/* Where a flip changes the tick rate all times are others: these bytes are no test. */
static void few(const char *path, const uint8_t *p, size_t n)
{
    flips(path, (uint8_t *)(uintptr_t)p, n, n / 8 + 1, false);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 60000, few) > 20);
}

/* ---- what a generation says of itself beside its events ------------------------------------------------ */

/* From Go 1.22 on: the clock's rate, and the times of batches that are no thread's. */
static bool speaks(const struct v2_raw_batch *b, bool *clock)
{
    *clock = b->lead == V2R_EVENTS && (b->first == V2R_FREQ || b->first == V2R_SYNC);
    return *clock || !v2_raw_timed(b) || b->m == V2_NO_THREAD;
}

static bool said(const struct trace *tr)
{
    return trace_info(tr)->ndamages || trace_fatal(tr);
}

/* What is another by this bit is said, or the trace is as long as it was: to the millisecond, or where times
 * may be that of others (slack_ns). */
static void lie(const struct trace *all, uint8_t *p, size_t n, size_t at, unsigned bit, int64_t slack_ns,
                const char *path)
{
    static const struct trace_opts one = {.threads = 1};
    struct trace *tr = NULL;
    struct err e;
    p[at] ^= (uint8_t)(1u << bit);
    if (!load_bytes_opts(p, n, &one, &tr, &e)) {
        const int64_t longer = trace_info(tr)->end - trace_info(all)->end;
        const bool is = said(tr);
        if (!is && (longer > slack_ns || longer < -slack_ns))
            fail_msg("%s byte %zu bit %u: longer by %" PRId64 " ns, and nothing said", path, at, bit, longer);
        if (is && all->dialect.read_as >= GO_125 && longer > 1000000000)
            fail_msg("%s byte %zu bit %u: longer by %" PRId64 " ns", path, at, bit, longer);
        trace_close(tr);
    }
    p[at] ^= (uint8_t)(1u << bit);
}

static void lies(const char *path)
{
    static const struct trace_opts one = {.threads = 1};
    struct trace *all = NULL;
    struct err e = {0};
    size_t n, tried = 0, batches = 0;
    uint8_t *p = read_file(path, &n);
    assert_int_equal(load_bytes_opts(p, n, &one, &all, &e), ERR_OK);
    struct gens x = gens_of(p, n, all->dialect.read_as);
    while (gens_next(&x))
        for (size_t i = 0; i < x.g.nall; i++) {
            bool clock;
            const struct v2_raw_batch *b = &x.g.all[i];
            if (!speaks(b, &clock))
                continue;
            const size_t head = (size_t)(b->at - p) + 2, body = (size_t)(b->p - p);
            /* Without its size. Of later ones every third byte, each time others. */
            const size_t step = batches++ < 12 ? 1 : 3;
            for (size_t at = head + batches % step; at < body - 10; at += step, tried++)
                lie(all, p, n, at, (unsigned)(at % 7), 1100000000, path);
            /* Before Go 1.25 the rate stands there only once. */
            clock &= all->dialect.read_as >= GO_125;
            for (size_t at = body; clock && at < body + 6; at++)
                for (unsigned bit = at % 2; bit < 8; bit += 2, tried++)
                    lie(all, p, n, at, bit, trace_info(all)->end / 1000 + 1000000, path);
        }
    assert_true(tried > 30);
    gens_free(&x);
    trace_close(all);
    free(p);
}

static void test_lies(void **state)
{
    (void)state;
    lies("samples/syscall-1.22.trace");
    lies("samples/tasks-1.25.trace");
    lies("samples/lock-cpu-1.27.trace");
    lies("samples/http-long-1.23.trace");
}

/* Up to Go 1.21: of a batch the processor and the time. What is told doesn't stretch the trace: from 1.11 on
 * the tables tell when it ends. */
static void lies_v1(const char *path, bool ends)
{
    static const struct trace_opts one = {.threads = 1};
    struct v1_dialect d;
    struct v1_raw r;
    const char *why;
    struct trace *all = NULL;
    struct err e = {0};
    size_t n, tried = 0, batches = 0;
    uint8_t *p = read_file(path, &n);
    assert_int_equal(load_bytes_opts(p, n, &one, &all, &e), ERR_OK);
    v1_dialect_init(&d, all->dialect.read_as);
    const int64_t most = trace_info(all)->end / 10 + 25000000;
    const uint8_t *q = p + all->dialect.header;
    for (const uint8_t *at = q; v1_read(&d, &q, p + n, &r, &why) == V1_READ_OK; at = q) {
        batches += r.type == V1_BATCH;
        const size_t step = batches <= 12 ? 1 : 3; /* of later ones every third byte, each time others */
        for (size_t k = 1 + batches % step; r.type == V1_BATCH && k < (size_t)(q - at); k += step, tried++) {
            const size_t byte = (size_t)(at - p) + k;
            const uint8_t bit = (uint8_t)(1u << (byte % 7));
            struct trace *tr = NULL;
            p[byte] ^= bit;
            assert_int_equal(load_bytes_opts(p, n, &one, &tr, &e), ERR_OK);
            const int64_t longer = trace_info(tr)->end - trace_info(all)->end;
            const bool first = at == p + all->dialect.header; /* what says when the trace begins */
            if (!trace_fatal(tr) && longer > most && ((ends && !first) || !said(tr)))
                fail_msg("%s byte %zu bit %zu: longer by %" PRId64 " ns", path, byte, byte % 7, longer);
            p[byte] ^= bit;
            trace_close(tr);
        }
    }
    assert_true(tried > 30);
    trace_close(all);
    free(p);
}

static void test_lies_v1(void **state)
{
    (void)state;
    lies_v1("samples/http-1.21.trace", true);
    lies_v1("samples/tasks-1.19.trace", true);
    lies_v1("samples/workers-1.7.trace", false);
}

/* ---- what one header may cost -------------------------------------------------------------------------- */

/* Most of what is in a trace of `all` goroutines is shown, and what isn't is said. */
static void still_shown(const uint8_t *p, size_t n, const struct trace *all, const char *path, size_t at,
                        unsigned bit)
{
    static const struct trace_opts one = {.threads = 1};
    const uint32_t least = trace_nlanes(all, LANE_G) / 2;
    struct trace *tr = NULL;
    struct err e;
    assert_int_equal(load_bytes_opts(p, n, &one, &tr, &e), ERR_OK);
    counted_alike(p, n, tr);
    const uint32_t now = trace_nlanes(tr, LANE_G);
    if (trace_fatal(tr) || now < least || (now < trace_nlanes(all, LANE_G) && !trace_info(tr)->ndamages))
        fail_msg("%s byte %zu bit %u: %u goroutines of %u, %u damages", path, at, bit, now,
                 trace_nlanes(all, LANE_G), trace_info(tr)->ndamages);
    trace_close(tr);
}

/* The same while it comes, generation by generation: nothing of it ends it, and at least so many goroutines
 * are shown before its end. */
static void still_followed(const uint8_t *p, size_t n, uint32_t least, const char *path, size_t at,
                           unsigned bit)
{
    enum { PIECE = 8192 };
    static const struct trace_opts grows = {.threads = 1, .grows = true};
    struct stream st = {0};
    struct trace *tr = NULL;
    struct err e;
    uint8_t *held = malloc(n);
    size_t len = STREAM_HEADER;
    memcpy(held, p, len);
    for (size_t from = 0; from < n; from += PIECE) {
        assert_int_equal(stream_put(&st, p + from, n - from < PIECE ? n - from : PIECE, &e), ERR_OK);
        if (from + PIECE >= n)
            stream_end(&st);
        const size_t whole = stream_whole(&st);
        for (size_t i = 0; i < whole; i++) {
            memcpy(held + len, st.gen[i].p + STREAM_HEADER, st.gen[i].n - STREAM_HEADER);
            len += st.gen[i].n - STREAM_HEADER;
        }
        stream_drop(&st, whole);
        if (!whole)
            continue;
        if (!tr)
            assert_int_equal(trace_open_mem(held, len, &grows, &tr, &e), ERR_OK);
        trace_grow(tr, len);
        enum load rc;
        while ((rc = trace_load(tr, INT64_MAX)) == LOAD_MORE) {
        }
        if (rc != LOAD_WAIT)
            fail_msg("%s byte %zu bit %u: what came is over: %s", path, at, bit, trace_damage(tr, 0)->what);
    }
    const uint32_t now = tr ? trace_nlanes(tr, LANE_G) : 0;
    if (now < least)
        fail_msg("%s byte %zu bit %u: %u goroutines are followed, not %u", path, at, bit, now, least);
    trace_close(tr);
    stream_free(&st);
    free(held);
}

/* The header that a generation begins with, of which one bit is another: every `step`th one in the first
 * generation, some bit of each byte in later ones; and an end mark too many behind it. */
static void first_headers(const char *path, unsigned step)
{
    static const struct trace_opts one = {.threads = 1};
    struct trace *all = NULL;
    struct err e = {0};
    size_t n, tried = 0;
    uint8_t *p = read_file(path, &n);
    assert_int_equal(load_bytes_opts(p, n, &one, &all, &e), ERR_OK);
    struct gens x = gens_of(p, n, all->dialect.read_as);
    for (; gens_next(&x); step = 5) {
        const struct v2_raw_batch *b = &x.g.all[0];
        for (size_t at = (size_t)(b->at - p); at < (size_t)(b->p - p); at++)
            for (unsigned bit = (unsigned)at % step; bit < 8; bit += step, tried++) {
                p[at] ^= (uint8_t)(1u << bit);
                still_shown(p, n, all, path, at, bit);
                still_followed(p, n, p + at == b->at + 1 ? trace_nlanes(all, LANE_G) / 2 : 0, path, at, bit);
                p[at] ^= (uint8_t)(1u << bit);
            }
        if (!x.g.marked)
            continue;
        const size_t end = (size_t)(b->end - p);
        uint8_t *more = malloc(n + 1);
        memcpy(more, p, end);
        more[end] = V2R_END;
        memcpy(more + end + 1, p + end, n - end);
        still_shown(more, n + 1, all, path, end, 8);
        free(more);
    }
    assert_true(tried > 40);
    gens_free(&x);
    trace_close(all);
    free(p);
}

static void test_first_headers(void **state)
{
    (void)state;
    first_headers("samples/http-1.26.trace", 3);
    first_headers("samples/tasks-1.23.trace", 1);
    first_headers("samples/syscall-1.25.trace", 1);
    first_headers("samples/http-long-1.27.trace", 5);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_lies),
                                              cmocka_unit_test(test_lies_v1),
                                              cmocka_unit_test(test_first_headers)};
    for (int i = 1; i < argc; i++) {
        size_t n = 0;
        uint8_t *p = read_file(argv[i], &n);
        const char *step = getenv("STEP");
        if (p)
            flips(argv[i], p, n, step ? (size_t)atoi(step) : 1, true);
        free(p);
    }
    return argc > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
