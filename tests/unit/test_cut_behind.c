/*
 * test_cut_behind.c - slices of traces that are damaged in one place: what is behind it, and what the damage
 * makes of names.
 */
#include "decode/model/trace_priv.h"
#include "decode/v2/v2_events.h"
#include "decode/v2/v2_gen.h"
#include "tests/unit/cut_help.h"

/* sample - a copy of one. */
static void sample(const char *path, struct bytes *to)
{
    struct input in;
    struct err e;
    assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
    to->n = 0;
    to_bytes(to, in.data, in.len);
    input_close(&in);
}

/* A broken table takes names away, and nothing else: what everybody did is known, and no event is said to be
 * missing. */
static void table_is_broken(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct v2_raw_batch x;
    struct err e = {0};
    sample("samples/http-long-1.27.trace", &b);
    struct trace *whole = load(b.p, b.n);
    for (const uint8_t *p = b.p + 16; (p = v2_raw_batch(b.p, b.n, p, &x, &e));)
        if (x.lead == V2R_EVENTS && x.first == V2R_STACKS) {
            memset(b.p + (x.end - b.p) - 20, 0xff, 20);
            break;
        }
    struct trace *t = load(b.p, b.n);
    assert_true(trace_info(t)->ndamages > 0);
    for (uint32_t i = 0; trace_damage(t, i); i++)
        assert_null(strstr(trace_damage(t, i)->what, "lost"));
    for (uint32_t i = 0; trace_warning(t, i); i++)
        assert_null(strstr(trace_warning(t, i)->what, "missing"));
    assert_int_equal(trace_info(t)->events, trace_info(whole)->events);
    for (uint32_t i = 0; i < trace_nlanes(t, LANE_G); i++) {
        struct shares a, c;
        trace_shares(t, (struct lane){LANE_G, i}, 0, INT64_MAX, &a);
        trace_shares(whole, (struct lane){LANE_G, i}, 0, INT64_MAX, &c);
        assert_int_equal(a.ns[ST_UNKNOWN], 0);
        assert_int_equal(a.ns[ST_WAITING], c.ns[ST_WAITING]);
    }
    trace_close(t);
    trace_close(whole);
    mem_free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
