/*
 * test_load_steps.c - a trace loaded in steps, by one thread or several, is the trace; what is damaged ends
 * it where that is asked for (strict); what grows may be told that it is damaged (trace_doubt), or that
 * something is missing (trace_gap).
 */
#include "tests/unit/model_text.h"
#include "tests/unit/sched_sim.h"

static struct trace *opened(const uint8_t *p, size_t n, const struct trace_opts *o)
{
    struct trace *tr;
    struct err e = {0};
    if (trace_open_mem(p, n, o, &tr, &e))
        fail_msg("not opened: %s", e.what);
    return tr;
}

static int steps_most;

static void in_steps(const char *path, const uint8_t *p, size_t n)
{
    const struct trace_opts one = {.threads = 1};
    struct trace *tr = opened(p, n, &one);
    char label[200];
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        continue;
    char *whole = model_text(tr);
    trace_close(tr);
    for (int threads = 1; threads <= 3; threads++)
        for (int64_t budget = 0; budget <= 400000; budget = budget * 9 + 5000) {
            const struct trace_opts o = {.threads = threads};
            int64_t done = 0, end = 0;
            int steps = 0;
            uint32_t epoch = 0;
            tr = opened(p, n, &o);
            for (enum load l = LOAD_MORE; l != LOAD_DONE; steps++) {
                l = trace_load(tr, budget);
                const struct trace_info *in = trace_info(tr);
                assert_true(l != LOAD_WAIT);
                assert_true(in->done == (l == LOAD_DONE));
                if (in->epoch == epoch) /* it goes on */
                    assert_true((int64_t)in->bytes_done >= done && in->end >= end);
                epoch = in->epoch;
                done = (int64_t)in->bytes_done;
                end = in->end;
                if (steps % 5 == 1) /* what there is can be asked for */
                    free(model_text(tr));
            }
            steps_most = steps > steps_most ? steps : steps_most;
            assert_int_equal(trace_load(tr, 0), LOAD_DONE);
            char *text = model_text(tr);
            snprintf(label, sizeof label, "%s, %d threads, steps of %d ns", path, threads, (int)budget);
            same_text(label, whole, text);
            free(text);
            trace_close(tr);
        }
    free(whole);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 14500, in_steps) > 8);
    assert_true(steps_most > 3);
}

static void test_made(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        size_t n;
        char *text = sim_trace(seed, 5, 300), *less = sim_harmed(text, seed, 40);
        uint8_t *p = tracegen_bytes(seed & 1 ? less : text, &n);
        in_steps("made", p, n);
        free(p);
        free(less);
        free(text);
    }
}

/* ---- strict -------------------------------------------------------------------------------------------- */

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
#define NEXT "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

static void test_strict(void **state)
{
    (void)state;
    static const char *const texts[] = {
        P0 "HeapAlloc +1 bytes=1\nraw 7f\n" NEXT
           "HeapAlloc +1 bytes=2\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n",
        P0 "HeapAlloc +1 bytes=1\n" NEXT
           "HeapAlloc +1 bytes=2\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\nraw 7f\n",
        "go 1.21\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nHeapAlloc +10 "
        "bytes=1\nraw 00 "
        "ff 00 ff\n"
        "batch p=0 t=30\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n",
    };
    for (int i = 0; i < 3; i++)
        for (int threads = 1; threads <= 2; threads++)
            for (int grows = 0; grows <= (i < 2); grows++) {
                size_t n;
                uint8_t *p = tracegen_bytes(texts[i], &n);
                const struct trace_opts o = {.threads = threads, .strict = true, .grows = grows};
                struct trace *tr = opened(p, n, &o);
                enum load l;
                while ((l = trace_load(tr, 1000)) == LOAD_MORE)
                    continue;
                assert_int_equal(l, LOAD_DONE);
                const struct err *e = trace_fatal(tr);
                if (!e)
                    fail_msg("trace %d, %d threads: damage is no error", i, threads);
                assert_non_null(strstr(e->what, "unknown event type"));
                assert_true(e->offset != ERR_NO_OFFSET && e->offset < n);
                trace_close(tr);
                free(p);
            }
}

/* ---- one that grows ------------------------------------------------------------------------------------ */

/* It is said beforehand that the second generation contradicts itself: that is told, and what is unsure there
 * is not recorded. */
static void test_doubt(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p = tracegen_bytes(
        P0 "GoCreate +5 new_g=2 new_stack=main.f:1 stack=0\n" NEXT
           "GoStatus +1 g=2 m=-1 runnable\nGoBlock +5 reason=\"sync\" stack=0\nGoStart +5 g=2 g_seq=1\n"
           "GoUnblock +5 g=1 g_seq=2 stack=main.f:2\n",
        &n);
    const struct trace_opts o = {.threads = 1, .grows = true};
    struct trace *tr = opened(p, n, &o);
    struct err why = {0};
    (void)err_set(&why, ERR_ORDER, 321, "it was found to contradict itself");
    why.gen = 2;
    trace_doubt(tr, &why);
    assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT);
    trace_grown(tr);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        continue;
    expect_damage(tr, ERR_ORDER, "it was found to contradict itself");
    assert_int_equal(trace_damage(tr, 0)->offset, 321);
    struct shares s;
    trace_shares(tr, (struct lane){LANE_G, trace_find_lane(tr, LANE_G, 1)}, 0, trace_info(tr)->end, &s);
    assert_true(s.ns[ST_UNKNOWN] > 0 &&
                s.ns[ST_RUNNING] >= 100); /* GoUnblock's number says that something was lost */
    trace_close(tr);
    free(p);
}

/* The id of a string; 0: there is none. */
static uint32_t id_of(const struct trace *tr, const char *name)
{
    for (uint32_t i = 1; i < 1000; i++)
        if (trace_str(tr, i).len == strlen(name) && !memcmp(trace_str(tr, i).p, name, strlen(name)))
            return i;
    return 0;
}

/* What is known of its names is kept as it grows: else each look at its tables
 * would read every name again. */
static void test_asides(void **state)
{
    (void)state;
    size_t n, first;
    free(tracegen_bytes(P0 "GoCreate +5 new_g=2 new_stack=main.f:1 stack=0\n", &first));
    uint8_t *p = tracegen_bytes(P0 "GoCreate +5 new_g=2 new_stack=main.f:1 stack=0\n" NEXT
                                   "GoCreate +5 new_g=3 new_stack=main.late:1 stack=main.later:2\n",
                                &n);
    const struct trace_opts o = {.threads = 1, .grows = true};
    struct trace *tr = opened(p, first, &o);
    assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT);
    for (int m = 0; m < MEMOS; m++) {
        trace_memo_set(tr, (enum memo)m, 0, 4u << m);
        assert_int_equal(trace_memo(tr, (enum memo)m, 0), 4u << m);
    }
    assert_int_equal(id_of(tr, "main.late"), 0);
    trace_grow(tr, n);
    assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT);
    const uint32_t late = id_of(tr, "main.late");
    assert_true(late > 1);
    for (int m = 0; m < MEMOS; m++)
        assert_int_equal(trace_memo(tr, (enum memo)m, 0), 4u << m);
    assert_int_equal(trace_memo(tr, MEMO_STRING, late), 0);
    trace_memo_set(tr, MEMO_STRING, late, 1);
    assert_int_equal(trace_memo(tr, MEMO_STRING, late), 1);
    trace_close(tr);
    free(p);
}

static void test_apart_without_memory(void **state)
{
    (void)state;
    size_t n, live = mem_live();
    uint8_t *p = tracegen_bytes(P0 "HeapAlloc +1 bytes=1\n", &n);
    bool ok = false;
    long k = 0;
    for (; !ok; k++) {
        const struct trace_opts o = {.threads = 1, .grows = true};
        struct trace *tr = opened(p, n, &o);
        while (trace_load(tr, INT64_MAX) == LOAD_MORE)
            continue;
        mem_fail_after(k);
        ok = trace_gap(tr);
        mem_fail_after(-1);
        trace_close(tr);
        assert_int_equal(mem_live(), live);
    }
    assert_true(k > 2);
    free(p);
}

static void expect_name(const struct trace *tr, uint64_t id, const char *name)
{
    const uint32_t g = trace_find_lane(tr, LANE_G, id);
    const struct str s = trace_str(tr, trace_g_name(tr, g));
    assert_int_equal(trace_lane(tr, (struct lane){LANE_G, g}).name, trace_g_name(tr, g));
    if (s.len != strlen(name) || memcmp(s.p, name, s.len))
        fail_msg("G%" PRIu64 " is %.*s instead of %s", id, (int)s.len, s.p, name);
}

#define HIRED \
    P0 "GoStatus +1 g=9 m=-1 runnable\n" \
       "GoCreate +5 new_g=2 new_stack=main.hire.func1:8 stack=main.hire:7,main.main:1\n" \
       "GoCreate +5 new_g=3 new_stack=main.hire.func1:8 stack=main.hire:7,main.main:2\n" \
       "GoStop +5 reason=\"preempted\" stack=0\nGoStart +5 g=2 g_seq=1\n" \
       "GoBlock +5 reason=\"sync\" stack=main.saw:5,main.hire.func1:9\nGoStart +5 g=3 g_seq=1\n" \
       "GoBlock +5 reason=\"sync\" stack=main.hoop:6,main.hire.func1:9\nGoStart +5 g=9 g_seq=1\n" \
       "GoBlock +5 reason=\"sync\" stack=main.bend:4,main.hire.func1:9\nGoStart +5 g=1 g_seq=1\n" \
       "GoUnblock +5 g=2 g_seq=2 stack=main.main:3\n"

/* Goroutines of a program's own helper (given.h) are named as it grows, and not any longer once it proves to
 * be none. */
static void test_given_grows(void **state)
{
    (void)state;
    size_t n, first, live = mem_live();
    free(tracegen_bytes(HIRED, &first));
    uint8_t *p =
        tracegen_bytes(HIRED NEXT "GoStatus +1 g=2 m=-1 runnable\nGoStop +5 reason=\"preempted\" stack=0\n"
                                  "GoStart +5 g=2 g_seq=1\n"
                                  "GoBlock +5 reason=\"sync\" stack=main.hoop:6,main.hire.func1:9\n",
                       &n);
    for (int late = 0; late < 2; late++) {
        const struct trace_opts o = {.threads = 1, .grows = true};
        struct trace *tr = opened(p, late ? n : first, &o);
        assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT);
        for (int again = 0; again < 2; again++) {
            expect_name(tr, 2, late ? "main.hire.func1" : "main.saw");
            expect_name(tr, 3, late ? "main.hire.func1" : "main.hoop");
            expect_name(tr, 9, late ? "main.hire.func1" : "main.bend");
            if (!late && !again)
                assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT); /* nothing came */
        }
        if (!late) {
            trace_grow(tr, n);
            assert_int_equal(trace_load(tr, INT64_MAX), LOAD_WAIT);
            expect_name(tr, 3, "main.hire.func1");
        }
        trace_grown(tr);
        assert_int_equal(trace_load(tr, INT64_MAX), LOAD_DONE);
        expect_name(tr, 3, "main.hire.func1");
        trace_close(tr);
    }
    free(p);
    assert_int_equal(mem_live(), live);
}

/* A step of loading is a generation's tables at most, also where no event comes of them; and whoever leaves
 * doesn't wait for those. */
static int small_steps(const uint8_t *p, size_t n, bool (*leave)(void))
{
    const struct trace_opts o = {.threads = 1, .grows = true, .leave = leave};
    struct trace *tr = opened(p, 16, &o);
    int steps = 0;
    trace_grow(tr, n);
    while (trace_load(tr, 0) == LOAD_MORE)
        steps++;
    trace_close(tr);
    return steps;
}

static int asked;

static bool at_last(void)
{
    return ++asked > 20;
}

static void test_small_steps(void **state)
{
    (void)state;
    enum { MANY = 300, A_TABLE = 1000 };
    size_t n;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nnoauto\n");
    for (int i = 1; i <= MANY; i++)
        tracegen_printf(&b, "batch gen=%d m=7 t=%d\nend\nraw 34\n", i, 100 + i);
    uint8_t *p = tracegen_bytes((char *)b.p, &n);
    assert_true(small_steps(p, n, NULL) >= MANY); /* a generation each */
    free(p);
    tracegen_free(&b);
    tracegen_printf(&b, "go 1.26\nnoauto\n");
    for (int i = 0; i < MANY; i++) {
        tracegen_printf(&b, "batch gen=1 m=-1 t=100\nStrings\n");
        for (int k = 1; k <= A_TABLE; k++)
            tracegen_printf(&b, "String id=%d \"s%d\"\n", i * A_TABLE + k, i * A_TABLE + k);
    }
    tracegen_printf(&b, "end\nraw 34\n");
    p = tracegen_bytes((char *)b.p, &n);
    asked = 0;
    (void)small_steps(p, n, at_last);
    assert_in_range(asked, 20, 25); /* nobody wants the rest */
    free(p);
    tracegen_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_apart_without_memory),
        cmocka_unit_test(test_asides),
        cmocka_unit_test(test_given_grows),
        cmocka_unit_test(test_small_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
