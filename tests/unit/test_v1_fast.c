/*
 * test_v1_fast.c - the first family's quick way and its slow one are the same: every sample is read with room
 * for many events at a time, and with room for no more than what one event turns into, where v1_fast() never
 * gets a turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/v1/v1_emit.h"
#include "tests/unit/decode_help.h"
#include "tests/unit/v1_lines.h"

#define MANY 2048

struct reader {
    struct source s;
    struct names names;
    struct trace_opts opts;
    struct ev_half evs[MANY];
    size_t cap, at, n, sure;
};

static void reader_open(struct reader *r, const uint8_t *data, size_t n, int version, size_t cap)
{
    struct err e;
    *r = (struct reader){.cap = cap};
    names_init(&r->names);
    r->s = (struct source){
        .data = data, .len = n, .version = version, .header = 16, .opts = &r->opts, .names = &r->names};
    assert_int_equal(source_v1(&r->s, &e), ERR_OK);
}

static bool reader_next(struct reader *r, struct ev *e)
{
    if (r->at == r->n) {
        r->at = 0;
        if (!(r->n = r->s.ops->stream(&r->s, r->evs, r->cap)))
            return false;
    }
    const struct ev_half *h = &r->evs[r->at];
    r->at += ev_halves(h);
    r->sure += ev_halves(h) == 1;
    *e = *ev_whole(h, e);
    return true;
}

static void reader_close(struct reader *r)
{
    r->s.ops->close(&r->s);
    source_notes_free(&r->s);
    names_free(&r->names);
}

static void test_quick_and_slow(void **state)
{
    static const struct {
        const char *path;
        int version;
    } samples[] = {
        {"samples/http-1.21.trace", 1021},    {"samples/lock-1.21.trace", 1021},
        {"samples/tasks-1.21.trace", 1021},   {"samples/alloc-1.21.trace", 1021},
        {"samples/syscall-1.19.trace", 1019}, {"samples/lock-cpu-1.19.trace", 1019},
        {"samples/workers-1.11.trace", 1011}, {"samples/workers-1.9.trace", 1009},
        {"samples/workers-1.7.trace", 1007},
    };
    struct reader *quick = malloc(sizeof *quick), *slow = malloc(sizeof *slow);
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t n;
        uint8_t *data = read_file(samples[i].path, &n);
        struct ev a, b;
        bool more;
        reader_open(quick, data, n, samples[i].version, MANY);
        reader_open(slow, data, n, samples[i].version, V1_EMIT_ROOM);
        do {
            more = reader_next(quick, &a);
            assert_int_equal(reader_next(slow, &b), more);
            if (more)
                assert_memory_equal(&a, &b, sizeof a);
        } while (more);
        assert_true(quick->sure > 100);
        assert_int_equal(slow->sure, 0);
        assert_int_equal(quick->s.st.ndamages, slow->s.st.ndamages);
        reader_close(quick);
        reader_close(slow);
        free(data);
    }
    free(quick);
    free(slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick_and_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
