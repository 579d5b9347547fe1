/*
 * test_times.c - no time goes back, whatever is wrong with a trace: bits, stretches that are missing, stand
 * there twice or elsewhere, in both families. What a reader tells comes in order; spans of a lane stand side
 * by side; lists are in order and within the trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/decode_help.h"
#include "tests/unit/sched_sim.h"
#include "tests/unit/v1_lines.h"

static struct rng rng = {0x7135};

/* ---- harm ---------------------------------------------------------------------------------------------- */

/* Bytes of a second-family trace's batches, or of anything, moved about. */
static uint8_t *harmed(const uint8_t *p, size_t n, size_t *len)
{
    struct tracegen_buf b = {0};
    const size_t head = 16, room = n - head, a = head + (size_t)below(&rng, room),
                 size = 1 + (size_t)below(&rng, below(&rng, 2) ? 40 : room / 3 + 1),
                 z = a + size < n ? a + size : n, c = z + (size_t)below(&rng, n - z + 1);
    const uint64_t how = below(&rng, 5);
    if (how == 0) { /* some bits are others */
        tracegen_put(&b, p, n);
        for (uint64_t k = 1 + below(&rng, 4); k > 0; k--)
            b.p[head + below(&rng, room)] ^= (uint8_t)(1u << below(&rng, 8));
    } else {
        tracegen_put(&b, p, a);
        if (how == 2) /* twice */
            tracegen_put(&b, p + a, z - a);
        if (how == 3) /* behind what is behind it */
            tracegen_put(&b, p + z, c - z);
        if (how >= 2)
            tracegen_put(&b, p + a, z - a);
        if (how == 4) /* and once more elsewhere */
            tracegen_put(&b, p + z, c - z), tracegen_put(&b, p + a, z - a);
        tracegen_put(&b, how >= 3 ? p + c : p + z, how >= 3 ? n - c : n - z);
    }
    *len = b.n;
    return b.p;
}

/* ---- what holds ---------------------------------------------------------------------------------------- */

static void lanes_hold(const struct trace *tr, const char *label)
{
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++) {
            const struct lane l = {(enum lane_kind)k, i};
            const struct lane_info li = trace_lane(tr, l);
            struct span_iter it;
            uint64_t index = 0;
            int64_t at = li.first;
            for (bool more = span_seek_index(&it, tr, l, 0); more; more = span_next(&it), index++) {
                const struct span *s = span_get(&it);
                if (s->t0 != at || s->t1 < s->t0 || s->index != index)
                    fail_msg("%s: %c%" PRIu64 ": span %" PRIu64 " from %" PRId64 " to %" PRId64
                             " behind %" PRId64,
                             label, "PGMB"[k], li.id, index, s->t0, s->t1, at);
                at = s->t1;
            }
            if (index && (at != li.last || (k != LANE_M && index != li.nspans) || at > trace_info(tr)->end ||
                          li.first < 0))
                fail_msg("%s: %c%" PRIu64 " ends at %" PRId64 ", not %" PRId64 " (%" PRId64 ")", label,
                         "PGMB"[k], li.id, at, li.last, trace_info(tr)->end);
        }
}

#define HOLD(n, v, what, t0, t1, sorted) \
    do { \
        const size_t n_ = (n); \
        for (size_t i = 0; i < n_; i++) \
            if ((v)[i].t0 > (v)[i].t1 || (v)[i].t0 < 0 || (v)[i].t1 > end || \
                ((sorted) && i && (v)[i].t0 < (v)[i - 1].t0)) \
                fail_msg("%s: %s %zu: from %" PRId64 " to %" PRId64, label, what, i, (int64_t)(v)[i].t0, \
                         (int64_t)(v)[i].t1); \
    } while (0)

static void lists_hold(const struct trace *tr, const char *label)
{
    const int64_t end = trace_info(tr)->end;
    const struct range *r;
    const struct task *ta;
    const struct region *re;
    const struct logmsg *lo;
    for (int k = 0; k < RANGE_KINDS; k++)
        HOLD(trace_ranges(tr, (enum range_kind)k, &r), r, "range", t0, t1, true);
    HOLD(trace_tasks(tr, &ta), ta, "task", t0, t1, true);
    HOLD(trace_regions(tr, &re), re, "region", t0, t1, true);
    for (size_t i = 0, n = trace_logs(tr, &lo); i < n; i++)
        if (lo[i].t < (i ? lo[i - 1].t : 0) || lo[i].t > end)
            fail_msg("%s: a message at %" PRId64, label, lo[i].t);
    for (int m = 0; m < METRIC_COUNT; m++)
        for (size_t i = 0; i < trace_npoints(tr, (enum metric)m); i++) {
            const int64_t t = trace_point(tr, (enum metric)m, i).t,
                          was = i ? trace_point(tr, (enum metric)m, i - 1).t : 0;
            if (t < was || t > end)
                fail_msg("%s: a value at %" PRId64 " behind %" PRId64, label, t, was);
        }
}

static uint64_t tried, shown, damaged;

static void holds(const uint8_t *p, size_t n, const char *label)
{
    for (int threads = 1; threads <= 2; threads++) {
        const struct trace_opts o = {.threads = threads};
        struct trace *tr;
        struct err e;
        tried++;
        if (load_bytes_opts(p, n, &o, &tr, &e))
            continue;
        shown += !trace_fatal(tr);
        damaged += trace_info(tr)->ndamages > 0;
        lanes_hold(tr, label);
        lists_hold(tr, label);
        trace_close(tr);
    }
    if (memcmp(p, "go 1.2", 6) == 0 && p[6] > '1')
        return;
    struct lines l = {.no_text = true};
    lines_bytes(&l, p, n, lines_version(p));
    if (l.backward)
        fail_msg("%s: the reader goes back in time %" PRIu64 " times", label, l.backward);
    lines_free(&l);
}

static int rounds = 8;

static void of_file(const char *path, const uint8_t *p, size_t n)
{
    holds(p, n, path);
    for (int i = 0; i < rounds; i++) {
        size_t len;
        char label[200];
        snprintf(label, sizeof label, "%s, harm %d of %#" PRIx64, path, i, rng.s);
        uint8_t *q = harmed(p, n, &len);
        holds(q, len, label);
        free(q);
    }
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 46000, of_file) > 20);
    print_message("%" PRIu64 " tried, %" PRIu64 " shown, %" PRIu64 " damaged\n", tried, shown, damaged);
    assert_true(shown * 10 > tried * 8 && damaged * 2 > tried);
}

/* Batches exchanged so that a system call blocks, and a gap begins, behind what is shown later: both are told
 * of, but not counted. */
static void test_told_ahead(void **state)
{
    (void)state;
    size_t n, len;
    uint8_t *p = read_file("samples/workers-1.8.trace", &n);
    assert_non_null(p);
    rng.s = 0xd6f12eef3e99c689;
    uint8_t *q = harmed(p, n, &len);
    holds(q, len, "workers-1.8");
    free(q);
    free(p);
}

static void test_made(void **state)
{
    (void)state;
    for (uint64_t seed = 500; seed < 540; seed++) {
        char *text = sim_trace(seed, 1 + (int)(seed % 4), 150),
             *less = sim_harmed(text, seed, 2 + (unsigned)(seed % 9));
        size_t n;
        uint8_t *p = tracegen_bytes(less, &n);
        of_file("made", p, n);
        free(p);
        free(less);
        free(text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_told_ahead),
                                       cmocka_unit_test(test_made)};
    if (argc > 1) {
        rounds = atoi(argv[1]);
        rng.s = argc > 2 ? strtoull(argv[2], NULL, 0) : rng.s;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
