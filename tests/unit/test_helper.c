/*
 * test_helper.c - goroutines that begin in WaitGroup.Go and its like are named by what they run, in every
 * generation, with any number of threads; `dump` says, as Go's reader does, where they begin.
 */
#include "decode/events/helper.h"
#include "tests/unit/decode_help.h"

static struct str str_of(const char *s)
{
    return (struct str){s, (uint32_t)strlen(s)};
}

static void test_which(void **state)
{
    (void)state;
    static const char *const helpers[] = {"runtime.main",
                                          "runtime.corostart",
                                          "testing.tRunner",
                                          "testing.(*B).run1.func1",
                                          "sync.(*WaitGroup).Go.func1",
                                          "golang.org/x/sync/errgroup.(*Group).Go.func1",
                                          "golang.org/x/sync/errgroup.(*Group).TryGo.func1",
                                          "github.com/sourcegraph/conc.(*WaitGroup).Go.func1",
                                          "main.(*taskGroup).Go.func1",
                                          "app/safe.Go.func1"};
    static const char *const others[] = {"",
                                         "runtime.main.func2",
                                         "runtime.bgsweep",
                                         "testing.tRunner.func1",
                                         "net/http.(*conn).serve",
                                         "main.(*server).Go.func1", /* may run a loop of its own */
                                         "main.worker",
                                         ".Go.func1",
                                         "golang.org/x/sync/semaphore.(*Weighted).Acquire"};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (!helper_is(str_of(helpers[i])))
            fail_msg("%s is one", helpers[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (helper_is(str_of(others[i])))
            fail_msg("%s is none", others[i]);
}

static void test_whose_frame(void **state)
{
    (void)state;
    static const struct {
        const char *helper, *frame;
        bool own;
    } c[] = {
        {"sync.(*WaitGroup).Go.func1", "sync.(*WaitGroup).Go.func1", true},
        {"sync.(*WaitGroup).Go.func1", "sync.(*Mutex).Lock", false}, /* wg.Go(mu.Lock) */
        {"main.(*group).Go.func1", "main.work", false},
        {"app/safe.Go.func1", "app/safe.Go.func1.1", true},
        {"app/safe.Go.func1", "app/safe.Goal", false},
        {"testing.tRunner", "testing.tRunner", true},
        {"testing.tRunner", "app_test.TestA", false},
        {"testing.(*B).run1.func1", "runtime.GC", true},
        {"golang.org/x/sync/errgroup.(*Group).Go.func1", "runtime.Gosched", true},
        {"testing.(*B).run1.func1", "runtimes.Bench", false},
        {"runtime.corostart", "iter.Pull[...].func1", true},
        {"github.com/sourcegraph/conc.(*WaitGroup).Go.func1",
         "github.com/sourcegraph/conc/panics.(*Catcher).Try", true},
        {"github.com/sourcegraph/conc.(*WaitGroup).Go.func1",
         "github.com/sourcegraph/conc/pool.(*Pool).worker", false},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        if (helper_own(str_of(c[i].helper), str_of(c[i].frame)) != c[i].own)
            fail_msg("%s in %s", c[i].frame, c[i].helper);
}

#define WG "sync.(*WaitGroup).Go.func1:238"
/* Four that WaitGroup.Go begins: one blocks in its first generation, one in the next, two never; and one that
 * main begins. */
#define TRACE \
    "go 1.26\nbatch gen=1 m=7 t=100\n" \
    "ProcStatus +1 p=0 running\n" \
    "GoStatus +1 g=1 m=7 running\n" \
    "GoCreate +5 new_g=2 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:12\n" \
    "GoCreate +5 new_g=3 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:13\n" \
    "GoCreate +5 new_g=4 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:14\n" \
    "GoCreate +5 new_g=7 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:13\n" /* as g3 */ \
    "GoCreate +5 new_g=5 new_stack=main.deep:3 stack=main.main:15\n" \
    "GoBlock +5 reason=\"sync\" stack=sync.(*WaitGroup).Wait:118,main.main:16\n" \
    "GoStart +5 g=2 g_seq=1\n" \
    "GoBlock +5 reason=\"chan receive\" stack=main.take:40,main.worker:33," WG "\n" \
    "GoStart +5 g=4 g_seq=1\n" \
    "GoStop +5 reason=\"preempted\" stack=main.cut:7,main.off:8\n" /* does not reach down to where it begins \
                                                                    */ \
    "GoStart +5 g=3 g_seq=1\n" \
    "GoBlock +5 reason=\"sleep\" stack=" WG "\n" /* nothing but the helper */ \
    "GoStart +5 g=7 g_seq=1\nGoDestroy +5\n" \
    "endgen\n" \
    "batch m=7 t=1000\n" \
    "ProcStatus +1 p=0 running\n" \
    "GoStatus +1 g=3 m=-1 waiting\n" \
    "GoUnblock +5 g=3 g_seq=1 stack=0\n" \
    "GoStart +5 g=3 g_seq=2\n" \
    "GoCreate +5 new_g=6 new_stack=main.late:3 stack=main.feeder:20," WG "\n" \
    "GoBlock +5 reason=\"sleep\" stack=time.Sleep:300,main.feed:9,main.feeder:21," WG "\n" \
    "endgen\n"

static void expect_name(const struct trace *tr, uint64_t id, const char *want, bool inferred)
{
    struct lane_info i = trace_lane(tr, (struct lane){LANE_G, trace_find_lane(tr, LANE_G, id)});
    struct str s = trace_str(tr, i.name);
    if (s.len != strlen(want) || memcmp(s.p, want, s.len))
        fail_msg("g%u is %.*s, not %s", (unsigned)id, (int)s.len, s.p, want);
    assert_int_equal(i.name_inferred, i.created && inferred);
    assert_int_equal(trace_g_name(tr, trace_find_lane(tr, LANE_G, id)), i.name);
}

static void test_names(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        struct trace_opts o = {.threads = threads};
        struct err e;
        struct loaded l = {0};
        l.bytes = tracegen_bytes(TRACE, &l.n);
        assert_int_equal(load_bytes_opts(l.bytes, l.n, &o, &l.tr, &e), ERR_OK);
        assert_int_equal(trace_info(l.tr)->ndamages, 0);
        expect_name(l.tr, 2, "main.worker", false);
        expect_name(l.tr, 3, "main.feeder", false);
        expect_name(l.tr, 7, "main.feeder", true); /* what g3 runs is known from the next generation on */
        expect_name(l.tr, 4, "sync.(*WaitGroup).Go.func1", false);
        expect_name(l.tr, 5, "main.deep", false);
        expect_name(l.tr, 6, "main.late", false); /* the first of its generation, not of the trace */
        unload(&l);
    }
}

/* Who leaves no stack is named by those that the same stack began, where they all run the same. */
static void test_siblings(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                  "GoCreate +5 new_g=2 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:12\n"
                  "GoCreate +5 new_g=3 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.main:12\n"
                  "GoCreate +5 new_g=4 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.each:30\n"
                  "GoCreate +5 new_g=5 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.each:30\n"
                  "GoCreate +5 new_g=6 new_stack=" WG " stack=sync.(*WaitGroup).Go:238,main.each:30\n"
                  "GoBlock +5 reason=\"sync\" stack=sync.(*WaitGroup).Wait:118,main.main:16\n"
                  "GoStart +5 g=3 g_seq=1\nGoDestroy +5\n"
                  "GoStart +5 g=2 g_seq=1\nGoBlock +5 reason=\"sleep\" stack=main.worker:33," WG "\n"
                  "GoStart +5 g=4 g_seq=1\nGoBlock +5 reason=\"sleep\" stack=main.one:3," WG "\n"
                  "GoStart +5 g=5 g_seq=1\nGoBlock +5 reason=\"sleep\" stack=main.other:3," WG "\n"
                  "GoStart +5 g=6 g_seq=1\nGoDestroy +5\n");
    expect_name(l.tr, 2, "main.worker", false);
    expect_name(l.tr, 3, "main.worker", true);
    expect_name(l.tr, 5, "main.other", false);
    expect_name(l.tr, 6, "sync.(*WaitGroup).Go.func1", false);
    struct lane g = {LANE_G, trace_find_lane(l.tr, LANE_G, 3)};
    assert_int_equal(trace_g_name(l.tr, g.i), trace_lane(l.tr, g).name);
    unload(&l);
}

static void test_dump(void **state)
{
    (void)state;
    struct loaded l = load_text(TRACE);
    size_t n;
    char *text = dump_text(l.tr, &n);
    int helpers = 0;
    for (const char *p = text; (p = strstr(p, "\nS\t")); p++) {
        const char *end = strchr(p + 1, '\n');
        helpers += memmem(p, (size_t)(end - p), "WaitGroup).Go.func1", 19) != NULL;
        assert_null(memmem(p, (size_t)(end - p), "main.worker", 11));
    }
    assert_int_equal(helpers, 4);
    free(text);
    unload(&l);
}

/* Nobody told of its creation: the root of its stack is the helper, what that runs is its name. */
static void test_there_before(void **state)
{
    (void)state;
    struct loaded l =
        load_text("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\n"
                  "GoStatusStack +1 g=9 m=-1 gstatus=waiting stack=main.take:40,main.worker:33," WG "\n"
                  "GoStatusStack +1 g=8 m=-1 gstatus=waiting "
                  "stack=runtime.coroswitch_m:9,iter.Pull[...].func1:5,runtime.corostart:3\n"
                  "HeapAlloc +60 1000\n");
    struct lane_info i = trace_lane(l.tr, (struct lane){LANE_G, trace_find_lane(l.tr, LANE_G, 9)});
    struct str s = trace_str(l.tr, i.name);
    assert_int_equal(s.len, strlen("main.worker"));
    assert_memory_equal(s.p, "main.worker", s.len);
    assert_true(i.name_inferred);
    i = trace_lane(l.tr, (struct lane){LANE_G, trace_find_lane(l.tr, LANE_G, 8)});
    s = trace_str(l.tr, i.name); /* nothing but the helper's own frames: where it begins */
    assert_memory_equal(s.p, "runtime.corostart", s.len);
    unload(&l);
}

/* One that begins nobody knows where is still named by a stack of its own when the trace's first stacks are
 * past. */
static void test_without_start(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=0\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
    for (unsigned g = 2, seq = 0; g < 320; g++) {
        tracegen_printf(&b, "GoCreate +9 new_g=%u new_stack=%s stack=main.main:8\n", g,
                        g < 310 ? "main.work:1" : "0");
        tracegen_printf(&b, "GoStop +9 reason=\"preempted\" stack=main.main:9\n");
        if (g == 290) /* after what isn't folded as most are, what is known of the first stacks is looked at
                         anew */
            tracegen_printf(&b, "ProcStop +9\nProcStart +9 p=0 p_seq=1\n");
        tracegen_printf(
            &b,
            "GoStart +9 g=%u g_seq=1\nGoBlock +9 reason=\"sleep\" stack=time.Sleep:1,main.rest:7\n"
            "GoStart +9 g=1 g_seq=%u\n",
            g, ++seq);
    }
    struct loaded l = load_text((const char *)b.p);
    const struct first_stack *first;
    assert_int_equal(trace_first_stacks(l.tr, &first), 256);
    expect_name(l.tr, 309, "main.work", false);
    for (unsigned g = 310; g < 320; g++)
        expect_name(l.tr, g, "main.rest", true);
    unload(&l);
    tracegen_free(&b);
}

/* ---- the program's own helpers (decode/model/callback.h) ----------------------------------------------- */

static int goroutines_named(const struct trace *tr, const char *name)
{
    int n = 0;
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        const struct str s = names_get(&tr->names, trace_g_name(tr, g));
        n += s.len == strlen(name) && !memcmp(s.p, name, s.len);
    }
    return n;
}

/* Interrupted in a function without a frame, whose caller the stack leaves out; watchers and workers were
 * given nothing to be. */
static void test_given(void **state)
{
    (void)state;
    struct trace *tr;
    struct err e;
    size_t n;
    uint8_t *p = read_file("tests/golden/causes/ropewalk.trace", &n);
    assert_int_equal(load_bytes_opts(p, n, NULL, &tr, &e), ERR_OK);
    assert_int_equal(goroutines_named(tr, "main.twist"), 2);
    assert_int_equal(goroutines_named(tr, "main.lay"), 2);
    assert_int_equal(goroutines_named(tr, "main.watch.func1"), 2);
    assert_int_equal(goroutines_named(tr, "main.serve"), 2);
    trace_close(tr);
    free(p);
}

/* Two goroutines that begin in `in`, at one line of which one calls main.one and the other main.two, `times`
 * after a select. */
static void two_given(struct tracegen_buf *b, unsigned *g, const char *in, unsigned times)
{
    static const char *const given[] = {"main.one", "main.two"};
    for (unsigned k = 0; k < 2; k++) {
        const unsigned id = ++*g;
        unsigned seq = 1;
        tracegen_printf(b, "GoCreate +9 new_g=%u new_stack=%s:1 stack=main.start:%u,main.main:8\n", id, in,
                        k);
        tracegen_printf(b, "GoStop +9 reason=\"preempted\" stack=main.main:9\nGoStart +9 g=%u g_seq=%u\n", id,
                        seq);
        for (unsigned i = 0; i < times; i++) {
            tracegen_printf(b, "GoBlock +9 reason=\"select\" stack=runtime.selectgo:1,%s:5\n", in);
            tracegen_printf(b, "GoUnblock +99999 g=%u g_seq=%u stack=0\n", id, seq + 1);
            tracegen_printf(b, "GoStart +9 g=%u g_seq=%u\n", id, seq + 2);
            tracegen_printf(b, "GoBlock +9 reason=\"sleep\" stack=time.Sleep:1,%s:3,%s:7\n", given[k], in);
            tracegen_printf(b, "GoUnblock +9 g=%u g_seq=%u stack=0\n", id, seq + 3);
            tracegen_printf(b, "GoStart +9 g=%u g_seq=%u\n", id, seq += 4);
        }
        if (times)
            tracegen_printf(b, "GoBlock +9 reason=\"sleep\" stack=time.Sleep:1,main.end:3,%s:9\n", in);
        else
            tracegen_printf(b, "GoBlock +9 reason=\"sleep\" stack=time.Sleep:1,%s:3,%s:7\n", given[k], in);
        tracegen_printf(b, "GoStart +9 g=1 g_seq=%u\n", *g - 1);
    }
}

/* A ticker is named by what it calls again and again, one that reports what came by itself. */
static void test_given_ticks(void **state)
{
    (void)state;
    for (unsigned times = 0; times < 3; times++) {
        struct tracegen_buf b = {0};
        unsigned g = 1;
        tracegen_printf(&b,
                        "go 1.26\nbatch m=7 t=0\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
        two_given(&b, &g, "main.tick", times);
        struct loaded l = load_text((const char *)b.p);
        assert_int_equal(goroutines_named(l.tr, "main.one"), times != 1);
        assert_int_equal(goroutines_named(l.tr, "main.tick"), times == 1 ? 2 : 0);
        unload(&l);
        tracegen_free(&b);
    }
}

/* Methods of package testing, which count as helpers too, leave room for them. */
static void test_given_by_many(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    unsigned g = 1;
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=0\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
    for (unsigned i = 0; i < 20; i++)
        tracegen_printf(&b, "UserLog +1 task=0 key=\"k\" value=\"v\" stack=testing.(*B).m%u:1,main.main:8\n",
                        i);
    for (unsigned i = 0; i < 20; i++) {
        char in[32];
        (void)snprintf(in, sizeof in, "main.begin%u.func1", i);
        two_given(&b, &g, in, 0);
    }
    struct loaded l = load_text((const char *)b.p);
    assert_int_equal(goroutines_named(l.tr, "main.one"), 20);
    assert_int_equal(goroutines_named(l.tr, "main.two"), 20);
    unload(&l);
    tracegen_free(&b);
}

static int several; /* traces of more than one segment */

static void one_sample(const char *path, const uint8_t *p, size_t n)
{
    struct trace_opts o = {.threads = 2};
    struct trace *tr;
    struct err e;
    if (load_bytes_opts(p, n, &o, &tr, &e))
        return;
    several += tr->join.n > 1;
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++)
        if (trace_g_name(tr, g) != trace_lane(tr, (struct lane){LANE_G, g}).name)
            fail_msg("%s: two names of goroutine %u", path, g);
    trace_close(tr);
}

static void test_one_name(void **state)
{
    (void)state;
    assert_true(each_trace("samples", SIZE_MAX, one_sample) > 20);
    assert_true(several > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),         cmocka_unit_test(test_whose_frame),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_dump),
        cmocka_unit_test(test_there_before),  cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_one_name),      cmocka_unit_test(test_without_start),
        cmocka_unit_test(test_given),         cmocka_unit_test(test_given_ticks),
        cmocka_unit_test(test_given_by_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
