/*
 * test_numbers.c - a trace's numbers written with more bytes than they need are the same numbers: every
 * sample rewritten so, in both families, is the same model. More than ten bytes are none. Nor does it matter
 * which ids goroutines have.
 */
#include "tests/unit/model_text.h"
#include "tests/unit/sched_sim.h"

#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_gen.h"

static struct rng rng = {0x5eed};

/* What goroutines' ids are multiplied by. */
static uint64_t times = 1;

static uint64_t id_of(const struct tracegen_event *e, unsigned i, uint64_t v)
{
    char name[TRACEGEN_ARGS][16], kind[TRACEGEN_ARGS];
    const unsigned n = e ? tracegen_args(e, name, kind) : 0;
    return i < n && (!strcmp(name[i], "g") || !strcmp(name[i], "new_g")) ? v * times : v;
}

/* By chance as short as can be, a byte or more longer, or all of ten. */
static void put_wide(struct tracegen_buf *b, uint64_t v)
{
    static const uint8_t pad[] = {0, 0, 1, 2, 2, 3, 3, 4, 5, 10};
    tracegen_varint(b, v, pad[below(&rng, sizeof pad)]);
}

static void v2_batch_begin(struct tracegen_buf *out, const struct v2_raw_batch *b, uint64_t time, size_t body)
{
    const uint8_t lead = V2R_EVENTS;
    tracegen_put(out, &lead, 1);
    tracegen_varint(out, b->gen, 1 + (unsigned)below(&rng, 3));
    tracegen_varint(out, b->m, 10);
    tracegen_varint(out, time, 10);
    tracegen_varint(out, body, 3 + (unsigned)below(&rng, 3));
}

/* A batch's events, in as many batches as they take now. */
static void v2_events(struct tracegen_buf *out, const struct v2_raw_batch *b, int version)
{
    struct tracegen_buf body = {0};
    struct v2_raw_ev e;
    uint64_t began = b->time, now = b->time;
    const uint8_t *p = b->p;
    while (p < b->end && (p = v2_raw_ev(p, b->end, &e))) {
        if (body.n > V2_RAW_BATCH - 200) {
            v2_batch_begin(out, b, began, body.n);
            tracegen_put(out, body.p, body.n);
            body.n = 0;
            began = now;
        }
        now += e.dt;
        tracegen_put(&body, &e.type, 1);
        put_wide(&body, e.dt);
        for (unsigned i = 0; i < e.nargs; i++)
            put_wide(&body, id_of(tracegen_by_num(version, e.type), i, e.arg[i]));
    }
    assert_non_null(p);
    v2_batch_begin(out, b, began, body.n);
    tracegen_put(out, body.p, body.n);
    tracegen_free(&body);
}

static void v2_samples(struct tracegen_buf *out, const struct v2_raw_batch *b)
{
    struct tracegen_buf body = {0};
    uint64_t v[5];
    tracegen_put(&body, b->p, 1);
    for (const uint8_t *p = b->p + 1; p < b->end && (p = v2_raw_sample(p, b->end, v));) {
        tracegen_put(&body, (const uint8_t[]){V2R_SAMPLE}, 1);
        for (int i = 0; i < 5; i++)
            put_wide(&body, i == 3 ? v[i] * times : v[i]);
    }
    v2_batch_begin(out, b, b->time, body.n);
    tracegen_put(out, body.p, body.n);
    tracegen_free(&body);
}

static void v2_wide(struct tracegen_buf *out, const uint8_t *p, size_t n, int version)
{
    struct v2_raw_batch b;
    struct err e = {0};
    tracegen_put(out, p, 16);
    for (const uint8_t *at = p + 16, *next; (next = v2_raw_batch(p, n, at, &b, &e)); at = next) {
        const bool table = b.first == V2R_STACKS || b.first == V2R_STRINGS || b.first == V2R_FREQ ||
                           b.first == V2R_SYNC || !b.first;
        if (b.lead != V2R_EVENTS || table)
            tracegen_put(out, at, (size_t)(next - at));
        else if (b.first == V2R_SAMPLES)
            v2_samples(out, &b);
        else
            v2_events(out, &b, version);
    }
    assert_int_equal(e.code, ERR_OK);
}

static void v1_wide(struct tracegen_buf *out, const uint8_t *p, size_t n, int version, size_t header)
{
    struct v1_dialect d;
    struct v1_raw r;
    const char *why;
    v1_dialect_init(&d, version);
    tracegen_put(out, p, header);
    for (const uint8_t *q = p + header, *at = q; v1_read(&d, &q, p + n, &r, &why) == V1_READ_OK; at = q) {
        if (r.type == V1_STRING || r.type == V1_STACK || r.type == V1_LOG) {
            tracegen_put(out, at, (size_t)(q - at));
            continue;
        }
        struct tracegen_buf v = {0};
        for (unsigned i = 0; i < r.n; i++)
            put_wide(&v, i < d.shape[r.type].timed
                             ? r.v[i]
                             : id_of(tracegen_by_num(version, r.type), i - d.shape[r.type].timed, r.v[i]));
        tracegen_put(out, at, 1);
        if (*at >> 6 == 3)
            put_wide(out, v.n);
        tracegen_put(out, v.p, v.n);
        tracegen_free(&v);
    }
}

/* The ids that a text names, as they were. */
static void ids_back(char *text)
{
    char *to = text;
    for (char *p = text; *p;) {
        const bool g = (*p == 'g' || *p == 'G') && p[1] >= '1' && p[1] <= '9';
        *to++ = *p++;
        if (!g)
            continue;
        char *end;
        const uint64_t id = strtoull(p, &end, 10);
        char number[24];
        const int len = snprintf(number, sizeof number, "%" PRIu64, id % times ? id : id / times);
        memcpy(to, number, (size_t)len); /* at most as long */
        to += len;
        p = end;
    }
    *to = '\0';
}

static void one(const char *path, const uint8_t *p, size_t n)
{
    const struct trace_opts o = {.threads = 1};
    struct tracegen_buf wide = {0};
    struct trace *as_is, *other;
    struct err e;
    assert_int_equal(load_bytes_opts(p, n, &o, &as_is, &e), ERR_OK);
    if (as_is->dialect.second_family)
        v2_wide(&wide, p, n, as_is->dialect.read_as);
    else
        v1_wide(&wide, p, n, as_is->dialect.read_as, as_is->dialect.header);
    assert_true(wide.n > n + n / 8);
    assert_int_equal(load_bytes_opts(wide.p, wide.n, &o, &other, &e), ERR_OK);
    as_is->info.batches = other->info.batches; /* there are more */
    char *a = model_text(as_is), *b = model_text(other);
    if (times > 1)
        ids_back(a), ids_back(b);
    same_text(path, a, b);
    free(a);
    free(b);
    trace_close(as_is);
    trace_close(other);
    tracegen_free(&wide);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 60000, one) > 20);
}

static void test_made(void **state)
{
    (void)state;
    for (uint64_t seed = 40; seed < 60; seed++) {
        size_t n;
        char *text = sim_trace(seed, 3, 200);
        uint8_t *p = tracegen_bytes(text, &n);
        one("made", p, n);
        free(p);
        free(text);
    }
}

/* Ids that nothing can be found by as an index: not of one page, all the same in their low bits, next to the
 * greatest. */
static void test_ids(void **state)
{
    (void)state;
    static const uint64_t by[] = {4097, (uint64_t)1 << 33, (uint64_t)1 << 40, 0x100000001u};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        times = by[i];
        test_made(NULL);
        assert_true(each_trace("samples", 20000, one) > 10);
    }
    times = 1;
}

static void test_too_long(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nHeapAlloc +1 bytes=1\n"
                                "raw 25 01 80 80 80 80 80 80 80 80 80 80 01\n");
    expect_damage(l.tr, trace_damage(l.tr, 0)->code, "an event ends beyond its batch, of type 37");
    assert_int_equal(trace_info(l.tr)->count[EC_METRIC], 1);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_made),
                                       cmocka_unit_test(test_ids), cmocka_unit_test(test_too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
