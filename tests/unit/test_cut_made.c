/*
 * test_cut_made.c - slices of made-up traces, in which anything happens at the moments where they are cut: a
 * slice has no damage, and says of each goroutine what the whole said. Of a trace that lost batches its
 * slices are sound, or there are none.
 */
#include "tests/unit/cut_help.h"
#include "tests/unit/sched_sim.h"

struct tally {
    uint64_t slices, spans, known;
};

/* What a says is so, where it says anything, to a few ns: times that are equal are made to differ. */
static void says_what(const struct trace *a, const struct trace *whole, const char *label, struct tally *y)
{
    enum { NEAR = 200 };
    const int64_t shift = a->src.st.first_ns - whole->src.st.first_ns;
    for (uint32_t i = 0; i < trace_nlanes(a, LANE_G); i++) {
        const struct lane l = {LANE_G, i},
                          other = {LANE_G, trace_find_lane(whole, LANE_G, raw_id(a, LANE_G, i))};
        struct span_iter it;
        if (other.i == NO_LANE)
            fail_msg("%s: there is no goroutine %" PRIu64, label, raw_id(a, LANE_G, i));
        for (bool more = span_seek_index(&it, a, l, 0); more; more = span_next(&it)) {
            const struct span *s = span_get(&it);
            struct shares x;
            y->spans++;
            if (s->state == ST_UNKNOWN)
                continue;
            y->known++;
            trace_shares(whole, other, s->t0 + shift, s->t1 + shift, &x);
            if (s->t1 - s->t0 - x.ns[s->state] > NEAR)
                fail_msg("%s: G%" PRIu64 " %s %" PRId64 "-%" PRId64 ", %" PRId64 " ns of it", label,
                         raw_id(a, LANE_G, i), state_name((enum state)s->state), s->t0 + shift, s->t1 + shift,
                         x.ns[s->state]);
        }
    }
}

static struct trace *cut_out(const uint8_t *p, size_t n, int64_t from, int64_t to, const char *label,
                             struct bytes *out)
{
    struct cut_result r;
    struct err e = {0};
    if (cut(p, n, from, to, out, &r, &e))
        fail_msg("%s: %s", label, e.what);
    struct trace *tr = load(out->p, out->n);
    if (!tr || trace_fatal(tr) || trace_info(tr)->ndamages)
        fail_msg("%s: %s", label,
                 !tr               ? "it can't be opened"
                 : trace_fatal(tr) ? trace_fatal(tr)->what
                                   : trace_damage(tr, 0)->what);
    return tr;
}

static void test_slices(void **state)
{
    (void)state;
    struct tally y = {0};
    struct bytes out = {0};
    for (uint64_t seed = 100; seed < 160; seed++) {
        char *text = sim_trace(seed, 1 + (int)(seed % 5), 40 + (int)(seed % 7) * 30), label[80];
        struct loaded all = load_text(text);
        struct rng r = {seed};
        expect_whole(all.tr);
        for (int i = 0; i < 8; i++) {
            const int64_t end = trace_info(all.tr)->end,
                          from = i == 0 ? 0 : (int64_t)below(&r, (uint64_t)end);
            const int64_t to =
                i == 1 ? INT64_MAX : from + 1 + (int64_t)below(&r, (uint64_t)(end - from) + 50);
            snprintf(label, sizeof label, "seed %d, %" PRId64 " to %" PRId64, (int)seed, from, to);
            struct trace *tr = cut_out(all.bytes, all.n, from, to, label, &out);
            says_what(tr, all.tr, label, &y);
            trace_close(tr);
            y.slices++;
        }
        unload(&all);
        free(text);
    }
    mem_free(out.p);
    print_message("%" PRIu64 " slices, %" PRIu64 " spans, %" PRIu64 " known\n", y.slices, y.spans, y.known);
    assert_true(y.known > 1000 && y.known * 10 > y.spans * 9);
}

static void test_slices_of_harmed(void **state)
{
    (void)state;
    struct bytes out = {0};
    int harmed = 0, cuts = 0;
    for (uint64_t seed = 200; seed < 300; seed++) {
        char *text = sim_trace(seed, 1 + (int)(seed % 4), 60 + (int)(seed % 7) * 40);
        char *less = sim_harmed(text, seed, 3 + (unsigned)seed % 30);
        struct loaded l = load_text(less);
        struct rng r = {seed};
        harmed += trace_info(l.tr)->ndamages > 0;
        for (int i = 0; i < 4 && !trace_fatal(l.tr); i++) {
            const int64_t end = trace_info(l.tr)->end, from = i < 2 ? 0 : (int64_t)below(&r, (uint64_t)end);
            const int64_t to = i % 2 ? INT64_MAX : from + 1 + (int64_t)below(&r, (uint64_t)(end - from) + 50);
            struct cut_result res;
            struct err e = {0};
            if (cut(l.bytes, l.n, from, to, &out, &res, &e)) {
                assert_int_equal(out.n, 0);
                continue;
            }
            const char *why = unsound(out.p, out.n);
            if (why)
                fail_msg("seed %d, %" PRId64 " to %" PRId64 ": %s", (int)seed, from, to, why);
            cuts++;
        }
        unload(&l);
        free(less);
        free(text);
    }
    mem_free(out.p);
    assert_true(harmed > 50 && cuts > 20);
}

/* A time that no number holds at the rate that the user gives. */
static void test_no_such_time(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p = tracegen_bytes("go 1.21\nnoauto\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\n"
                                "GoStart g=1 seq=1\nGomaxprocs procs=1\nHeapAlloc +5 bytes=1\n"
                                "HeapAlloc +32052685930625968 bytes=2\n",
                                &n);
    struct bytes out = {0};
    struct input in = {.data = p, .len = n};
    const struct cut_range begin = {INT64_MIN, 50000, 1e6};
    struct outlet to = {.write = to_bytes, .arg = &out};
    struct cut_result res;
    struct err e = {0};
    assert_int_equal(cut_trace(&in, &begin, &to, &res, &e), ERR_OK);
    mem_free(out.p);
    free(p);
}

/* A goroutine that is suspended as its generation begins has no status there; wherever such a trace is cut,
 * that is no loss. */
static void test_suspended(void **state)
{
    static const char text[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +50 1\n"
        "batch m=8 t=100\nProcStatus +3 p=1 running\nGoStatus +1 g=2 m=8 running\nHeapAlloc +9 1\nendgen\n"
        "batch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +300 1\n"
        "batch m=8 t=210\nProcStatus +1 p=1 running\nGoBlock +90 reason=\"preempted\" stack=0\n"
        "batch m=7 t=400\nGoStatus +1 g=2 m=-1 waiting\nGoUnblock +1 g=2 g_seq=1 stack=0\nHeapAlloc +50 2\n";
    (void)state;
    struct tally y = {0};
    struct bytes out = {0};
    struct loaded all = load_text(text);
    expect_whole(all.tr);
    for (int64_t from = 0; from < 340; from += 5) {
        struct cut_result r;
        struct err e = {0};
        assert_int_equal(cut(all.bytes, all.n, from, 350, &out, &r, &e), ERR_OK);
        assert_int_equal(r.damage.code, ERR_OK);
        struct trace *tr = cut_out(all.bytes, all.n, from, 350, "suspended", &out);
        says_what(tr, all.tr, "suspended", &y);
        trace_close(tr);
    }
    unload(&all);
    mem_free(out.p);
    assert_int_equal(y.known, y.spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slices), cmocka_unit_test(test_slices_of_harmed),
                                       cmocka_unit_test(test_suspended), cmocka_unit_test(test_no_such_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
