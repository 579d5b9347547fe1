/*
 * test_numbers.c - a trace's numbers written with more bytes than they need are the same numbers: every sample rewritten so, in
 * both families, is the same model. Of more than ten bytes, or of more than 64 bits, none is a number.
 */
#include "tests/unit/model_text.h"

#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_raw.h"

static struct rng rng = {0x5eed};

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
static void v2_events(struct tracegen_buf *out, const struct v2_raw_batch *b)
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
            put_wide(&body, e.arg[i]);
    }
    assert_non_null(p);
    v2_batch_begin(out, b, began, body.n);
    tracegen_put(out, body.p, body.n);
    tracegen_free(&body);
}

static void v2_wide(struct tracegen_buf *out, const uint8_t *p, size_t n)
{
    struct v2_raw_batch b;
    struct err e = {0};
    tracegen_put(out, p, 16);
    for (const uint8_t *at = p + 16, *next; (next = v2_raw_batch(p, n, at, &b, &e)); at = next) {
        const bool table = b.first == V2R_STACKS || b.first == V2R_STRINGS || b.first == V2R_SAMPLES ||
                           b.first == V2R_FREQ || b.first == V2R_SYNC || !b.first;
        if (b.lead != V2R_EVENTS || table)
            tracegen_put(out, at, (size_t)(next - at));
        else
            v2_events(out, &b);
    }
    assert_int_equal(e.code, ERR_OK);
}

static void v1_wide(struct tracegen_buf *out, const uint8_t *p, size_t n, int version, size_t header)
{
    struct v1_dialect d;
    struct v1_raw r;
    const char *why;
    assert_true(v1_dialect_init(&d, version));
    tracegen_put(out, p, header);
    for (const uint8_t *q = p + header, *at = q; v1_read(&d, &q, p + n, &r, &why) == V1_READ_OK; at = q) {
        if (r.type == V1_STRING || r.type == V1_STACK || r.type == V1_LOG) {
            tracegen_put(out, at, (size_t)(q - at));
            continue;
        }
        struct tracegen_buf v = {0};
        for (unsigned i = 0; i < r.n; i++)
            put_wide(&v, r.v[i]);
        tracegen_put(out, at, 1);
        if (*at >> 6 == 3)
            put_wide(out, v.n);
        tracegen_put(out, v.p, v.n);
        tracegen_free(&v);
    }
}

static void one(const char *path, const uint8_t *p, size_t n)
{
    const struct trace_opts o = {.threads = 1};
    struct tracegen_buf wide = {0};
    struct trace *as_is, *other;
    struct err e;
    assert_int_equal(load_bytes_opts(p, n, &o, &as_is, &e), ERR_OK);
    if (as_is->dialect.second_family)
        v2_wide(&wide, p, n);
    else
        v1_wide(&wide, p, n, as_is->dialect.read_as, as_is->dialect.header);
    assert_true(wide.n > n + n / 8);
    assert_int_equal(load_bytes_opts(wide.p, wide.n, &o, &other, &e), ERR_OK);
    as_is->info.batches = other->info.batches; /* there are more */
    char *a = model_text(as_is), *b = model_text(other);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
