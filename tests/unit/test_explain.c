/*
 * test_explain.c - explanations of intervals: whole, nested and without overlap on every sample, by name on a
 * trace written by hand, and bounded on one whose goroutines claim to have woken each other.
 */
#include "triage_help.h"

#include "tests/support/tracegen.h"
#include "triage/activity/gstate.h"
#include "triage/report/report.h"
#include "triage/work/work.h"

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return n ? seed % n : 0;
}

/* The parts from i on that explain `up`, side by side from a to b; where they end. */
static size_t whole(const struct explain_list *l, size_t i, uint32_t up, int64_t a, int64_t b, int depth)
{
    while (i < l->n && l->v[i].up == up) {
        const struct explain_part *p = &l->v[i].part;
        uint32_t me = (uint32_t)i++;
        assert_true(p->t0 == a && p->t1 > p->t0 && p->t1 <= b);
        assert_int_equal(p->depth, depth);
        a = p->t1;
        if (p->followed) {
            assert_int_equal(p->cat, EX_WAIT);
            i = whole(l, i, me, p->t0, p->t1, depth + 1);
        }
    }
    assert_true(a == b);
    return i;
}

static void sums(const struct work_tree *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t ns = 0;
        for (uint32_t k = t->v[i].first; k != NO_LANE; k = t->v[k].next) {
            assert_int_equal(t->v[k].up, i);
            ns += t->v[k].ns[TREE_ALL];
        }
        if (t->v[i].first != NO_LANE)
            assert_true(ns == t->v[i].ns[TREE_ALL]);
    }
}

static int64_t assisted; /* in all traces */

/* What the goroutine ran in mark assists is told as such, but for stops of the world meanwhile, and for what
 * follows a system call without an end. */
static void assists(const struct explain_list *l, const struct trace *tr, uint32_t g, int64_t a, int64_t b)
{
    const bool old = !trace_info(tr)->second_family;
    struct gstate *s = NULL;
    struct shares sh;
    int64_t ns = 0, other = 0;
    assert_true(gstate_update(&s, tr));
    gstate_shares(s, tr, lane_g(g), a, b, &sh);
    gstate_free(s);
    for (size_t i = 0; i < l->n; i++) {
        const struct explain_part *p = &l->v[i].part;
        ns += !p->depth && p->cat == EX_ASSIST ? p->t1 - p->t0 : 0;
        other += !p->depth && (p->cat == EX_STOPPED || (old && p->cat == EX_SYSCALL)) ? p->t1 - p->t0 : 0;
    }
    assert_true(ns <= sh.ns[ST_ASSIST] && ns >= sh.ns[ST_ASSIST] - other);
    assisted += ns;
}

static void check(struct explainer *x, const struct trace *tr, uint32_t g, int64_t a, int64_t b)
{
    struct explain_list l;
    struct work_tree t;
    explain_budget(x, 200000);
    assert_true(explain_list(x, workpiece_of_g(g, a, b), &l));
    assert_int_equal(whole(&l, 0, NO_LANE, a, b, 0), l.n);
    assists(&l, tr, g, a, b);
    const struct workpiece p = workpiece_of_g(g, a, b);
    assert_true(tree_explain(&t, tr, x, &p, 1, 1, 200000));
    assert_true(t.v[0].ns[TREE_ALL] == b - a);
    sums(&t);
    tree_free(&t);
    explain_list_free(&l);
}

static void parts_of(const char *path)
{
    struct err e = {0};
    struct trace_opts o = {0};
    struct trace *tr;
    assert_int_equal(trace_open(path, &o, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    struct explainer *x = explain_new(tr, NULL);
    uint32_t n = trace_nlanes(tr, LANE_G);
    int64_t end = trace_info(tr)->end;
    assert_non_null(x);
    for (int i = 0; i < 60 && n && end > 1; i++) {
        int64_t a = (int64_t)rnd((uint64_t)end), b = a + 1 + (int64_t)rnd((uint64_t)(end - a));
        uint32_t g = (uint32_t)rnd(n);
        if (i % 3) { /* where it lives */
            struct lane_info li = trace_lane(tr, (struct lane){LANE_G, g});
            a = li.first + (int64_t)rnd((uint64_t)(li.last - li.first));
            b = a + 1 + (int64_t)rnd((uint64_t)(li.last - a));
        }
        check(x, tr, g, a, b);
    }
    explain_free(x);
    trace_close(tr);
}

static void every_sample(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", parts_of) > 20);
    help_each("samples/old", "", parts_of);
    assert_true(assisted > 10000000); /* ns: there were some */
}

/* G1 holds a lock through a system call of 3 ms; G2 waits for it; G3 waits for G2 on a channel. One P; ns. */
static const char held[] = "go 1.26\n"
                           "batch m=7 t=0\n"
                           "ProcStatus +0 p=0 running\n"
                           "GoStatus +0 g=1 m=7 running\n"
                           "ProcsChange +0 procs=1 stack=0\n"
                           "GoCreate +1000 new_g=2 new_stack=main.second:20 stack=main.first:10\n"
                           "GoCreate +1000 new_g=3 new_stack=main.third:30 stack=main.first:11\n"
                           "GoStop +1000 reason=\"preempted\" stack=main.first:12\n"
                           "GoStart +1000 g=3 g_seq=1\n"
                           "GoBlock +1000 reason=\"chan receive\" stack=runtime.chanrecv1:1,main.third:31\n"
                           "GoStart +1000 g=2 g_seq=1\n"
                           "GoBlock +1000 reason=\"sync\" stack=sync.(*Mutex).Lock:90,main.second:21\n"
                           "GoStart +1000 g=1 g_seq=1\n"
                           "GoSyscallBegin +2000 p_seq=1 stack=syscall.write:5,main.store:6,main.first:13\n"
                           "GoSyscallEnd +3000000\n"
                           "GoUnblock +10000 g=2 g_seq=2 stack=sync.(*Mutex).Unlock:120,main.first:14\n"
                           "GoBlock +10000 reason=\"sleep\" stack=time.Sleep:1,main.first:15\n"
                           "GoStart +5000 g=2 g_seq=3\n"
                           "GoUnblock +10000 g=3 g_seq=2 stack=runtime.chansend1:1,main.second:22\n"
                           "GoDestroy +10000\n"
                           "GoStart +5000 g=3 g_seq=3\n"
                           "GoDestroy +10000\n";

struct made {
    uint8_t *bytes;
    struct trace *tr;
    struct explainer *x;
};

static void make(struct made *m, const char *text)
{
    struct err e = {0};
    struct trace_opts o = {0};
    size_t n;
    m->bytes = tracegen_bytes(text, &n);
    assert_int_equal(trace_open_mem(m->bytes, n, &o, &m->tr, &e), ERR_OK);
    while (trace_load(m->tr, INT64_MAX) == LOAD_MORE) {
    }
    m->x = explain_new(m->tr, NULL);
    assert_non_null(m->x);
}

static void unmake(struct made *m)
{
    explain_free(m->x);
    trace_close(m->tr);
    free(m->bytes);
}

static bool func_is(const struct trace *tr, const struct explain_part *p, const char *name)
{
    uint32_t stack, frame;
    return str_is(trace_str(tr, explain_place(tr, p, &stack, &frame, &(struct ran){0})), name);
}

static void a_wait_is_what_its_waker_did(void **state)
{
    struct made m;
    struct explain_list l;
    int64_t call = 0;
    unsigned deep = 0;
    (void)state;
    make(&m, held);
    uint32_t g = trace_find_lane(m.tr, LANE_G, 3);
    struct lane_info li = trace_lane(m.tr, (struct lane){LANE_G, g});
    assert_true(explain_list(m.x, workpiece_of_g(g, li.first, li.last), &l));
    whole(&l, 0, NO_LANE, li.first, li.last, 0);
    for (size_t i = 0; i < l.n; i++) {
        const struct explain_part *p = &l.v[i].part;
        deep = p->depth > deep ? p->depth : deep;
        if (p->cat == EX_SYSCALL) { /* G3 <- G2 on the channel <- G1 with the lock */
            call += p->t1 - p->t0;
            assert_int_equal(p->depth, 2);
            assert_true(func_is(m.tr, p, "main.store"));
            assert_true(func_is(m.tr, &l.v[l.v[i].up].part, "main.second"));
        }
    }
    assert_int_equal(deep, 2);
    assert_int_equal(call, 3000000);
    explain_list_free(&l);
    unmake(&m);
}

/* Of a wait that had begun before the trace no reason is told: the stack tells it, or nothing does. No
 * goroutine woke these. */
static void a_wait_without_a_reason(void **state)
{
    static const struct {
        uint64_t g;
        enum explain_cat cat;
    } want[] = {{2, EX_NET}, {3, EX_TIMER}, {4, EX_UNKNOWN}};
    struct made m;
    (void)state;
    make(&m, "go 1.26\n"
             "batch m=7 t=0\n"
             "ProcStatus +0 p=0 running\n"
             "GoStatusStack +0 g=2 m=-1 gstatus=waiting "
             "stack=runtime.gopark:1,runtime.netpollblock:1,internal/poll.runtime_pollWait:2,main.serve:3\n"
             "GoStatusStack +0 g=3 m=-1 gstatus=waiting stack=time.Sleep:1,main.tick:2\n"
             "GoStatus +0 g=4 m=-1 gstatus=waiting\n"
             "GoUnblock +1000 g=2 g_seq=1 stack=0\n"
             "GoUnblock +0 g=3 g_seq=1 stack=0\n"
             "GoUnblock +0 g=4 g_seq=1 stack=0\n"
             "GoStart +1000 g=2 g_seq=2\n"
             "GoDestroy +1000\n");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct explain_list l;
        const uint32_t g = trace_find_lane(m.tr, LANE_G, want[i].g);
        assert_true(explain_list(m.x, workpiece_of_g(g, 0, 500), &l));
        assert_int_equal(l.n, 1);
        assert_int_equal(l.v[0].part.cat, want[i].cat);
        explain_list_free(&l);
    }
    unmake(&m);
}

/* A finalizer of the program's gives G1 what it waits for: that is what any goroutine gives. What the runtime
 * wakes on its own is the collector's. */
static void a_finalizer_works_for_the_program(void **state)
{
    static const char *const wakers[] = {
        "runtime.chansend1:1,main.(*plate).release:7,runtime.runFinalizers:3",
        "runtime.ready:1,runtime.runFinalizers:3"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1024];
        struct made m;
        struct explain_list l;
        snprintf(
            text, sizeof text,
            "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
            "GoCreate +1000 new_g=2 new_stack=runtime.runFinalizers:1 stack=main.take:8\n"
            "GoBlock +1000 reason=\"chan receive\" stack=runtime.chanrecv1:1,main.take:9\n"
            "GoStart +1000 g=2 g_seq=1\nGoUnblock +5000 g=1 g_seq=1 stack=%s\n"
            "GoBlock +1000 reason=\"system goroutine wait\" stack=runtime.gopark:1,runtime.runFinalizers:2\n"
            "GoStart +1000 g=1 g_seq=2\nGoDestroy +1000\n",
            wakers[i]);
        make(&m, text);
        const uint32_t g = trace_find_lane(m.tr, LANE_G, 1);
        assert_true(explain_list(m.x, workpiece_of_g(g, 2500, 7000), &l));
        assert_int_equal(l.v[0].part.cat, i ? EX_GC : EX_WAIT);
        explain_list_free(&l);
        unmake(&m);
    }
}

/* G1 waits three times for something to read: it reads it, a deadline ends the
 * wait, G2 does (it closes it). */
#define READ "internal/poll.(*FD).Read:3,main.ask:9"
#define POLL "runtime.gopark:1,internal/poll.runtime_pollWait:2," READ
static const char *const reads = "go 1.26\n"
                                 "batch m=7 t=0\n"
                                 "ProcStatus +0 p=0 running\n"
                                 "GoStatus +0 g=1 m=7 running\n"
                                 "GoStatus +0 g=2 m=18446744073709551615 waiting\n"
                                 "GoBlock +1000 reason=\"network\" stack=" POLL "\n"
                                 "GoUnblock +1000 g=1 g_seq=1 stack=0\n"
                                 "GoStart +1000 g=1 g_seq=2\n"
                                 "%s"
                                 "GoBlock +1000 reason=\"network\" stack=" POLL "\n"
                                 "GoUnblock +5000 g=1 g_seq=3 stack=0\n"
                                 "GoStart +1000 g=1 g_seq=4\n"
                                 "GoBlock +1000 reason=\"network\" stack=" POLL "\n"
                                 "GoUnblock +1000 g=2 g_seq=1 stack=0\n"
                                 "GoStart +1000 g=2 g_seq=2\n"
                                 "GoUnblock +1000 g=1 g_seq=5 stack=main.close:4\n"
                                 "GoDestroy +1000\n"
                                 "GoStart +1000 g=1 g_seq=6\n"
                                 "GoBlock +1000 reason=\"sleep\" stack=time.Sleep:1,main.ask:11\n"
                                 "GoUnblock +1000 g=1 g_seq=7 stack=0\n"
                                 "GoStart +1000 g=1 g_seq=8\n"
                                 "GoDestroy +1000\n";

/* What the waits of G1 were, explained to t, the last one first. */
static void assert_waits(const struct made *m, int64_t t, const uint8_t *want, unsigned n)
{
    struct explain_list l;
    unsigned k = 0;
    assert_true(explain_list(m->x, workpiece_of_g(trace_find_lane(m->tr, LANE_G, 1), 0, t), &l));
    for (size_t i = l.n; i-- > 0;) {
        const struct explain_part *p = &l.v[i].part;
        if (p->kind == WK_NET && p->depth == 0) {
            assert_true(k < n);
            assert_int_equal(p->cat, want[k]);
            k++;
        }
    }
    assert_int_equal(k, n);
    explain_list_free(&l);
}

static void a_deadline_ends_a_read(void **state)
{
    static const uint8_t want[] = {EX_NET, EX_DEADLINE, EX_NET}, unread[] = {EX_NET, EX_NET, EX_NET};
    char text[4096];
    struct made m;
    (void)state;
    (void)snprintf(text, sizeof text, reads,
                   "GoSyscallBegin +100 p_seq=1 stack=syscall.read:1," READ "\nGoSyscallEnd +100\n");
    make(&m, text);
    assert_waits(&m, trace_info(m.tr)->end, want, 3);
    assert_waits(&m, 10200, want + 1, 2); /* what follows lies behind what is asked for */
    unmake(&m);
    (void)snprintf(text, sizeof text, reads, ""); /* reads are not recorded at all: nothing is told by that */
    make(&m, text);
    assert_waits(&m, trace_info(m.tr)->end, unread, 3);
    unmake(&m);
}

/* Each of two says that the other woke it, of a wait that ends when the trace does. */
static void nobody_turns_in_circles(void **state)
{
    struct made m;
    (void)state;
    make(&m, "go 1.26\n"
             "batch m=7 t=0\n"
             "ProcStatus +0 p=0 running\n"
             "GoStatus +0 g=1 m=7 running\n"
             "GoStatus +0 g=2 m=18446744073709551615 waiting\n"
             "GoUnblock +1000 g=2 g_seq=1 stack=main.a:1\n"
             "GoBlock +1000 reason=\"sync\" stack=sync.(*Mutex).Lock:90,main.f:21\n"
             "GoStart +1000 g=2 g_seq=2\n"
             "GoUnblock +1000 g=1 g_seq=1 stack=main.b:1\n"
             "GoBlock +1000 reason=\"sync\" stack=sync.(*Mutex).Lock:90,main.f:21\n"
             "GoStart +1000 g=1 g_seq=2\n"
             "GoUnblock +1000 g=2 g_seq=3 stack=main.a:1\n"
             "GoDestroy +1000\n");
    for (uint64_t id = 1; id <= 2; id++) {
        uint32_t g = trace_find_lane(m.tr, LANE_G, id);
        check(m.x, m.tr, g, 0, trace_info(m.tr)->end);
    }
    unmake(&m);
}

/* No budget: all is still there, waits whole. */
static void a_budget_cuts_but_never_loses(void **state)
{
    struct loaded l;
    struct explain_list e;
    (void)state;
    help_load("samples/lock-1.26.trace", &l);
    struct explainer *x = explain_new(l.tr, NULL);
    uint32_t n = trace_nlanes(l.tr, LANE_G);
    bool cut = false;
    for (uint32_t g = 0; g < n; g++) {
        struct lane_info li = trace_lane(l.tr, (struct lane){LANE_G, g});
        explain_budget(x, 3);
        assert_true(explain_list(x, workpiece_of_g(g, li.first, li.last), &e));
        assert_int_equal(whole(&e, 0, NO_LANE, li.first, li.last, 0), e.n);
        cut |= e.cut;
        explain_list_free(&e);
    }
    assert_true(cut);
    explain_free(x);
    load_free(&l);
}

static uint32_t count(void *arg, uint32_t up, const struct explain_part *p)
{
    *(int64_t *)arg += p->depth ? 0 : p->t1 - p->t0;
    return up;
}

/* Of what costs more than it may, stretches all over it cost about that; else it is explained in one. */
static void long_lives_in_stretches(void **state)
{
    struct loaded l;
    unsigned in_parts = 0;
    bool cut = false;
    (void)state;
    help_load("samples/http-long-1.27.trace", &l);
    struct explainer *x = explain_new(l.tr, NULL);
    for (uint32_t g = 0; g < trace_nlanes(l.tr, LANE_G); g++) {
        const struct lane_info li = trace_lane(l.tr, (struct lane){LANE_G, g});
        const int64_t life = li.last - li.first;
        const struct workpiece p = workpiece_of_g(g, li.first, li.last);
        enum { MOST = 400 };
        struct stretches s;
        explain_budget(x, 1000000);
        assert_true(explain_stretches(x, p, 1u << 30, &s));
        assert_true(s.n == 1 && s.each == life);
        assert_true(explain_stretches(x, p, MOST, &s));
        const uint64_t left = explain_left(x);
        int64_t seen = 0;
        for (int i = 0; i < s.n; i++) {
            const int64_t t0 = li.first + i * s.step;
            assert_true(s.each <= s.step && t0 + s.each <= li.last);
            assert_true(explain_walk(x, workpiece_of_g(g, t0, t0 + s.each), count, &seen, &cut));
        }
        assert_true(seen == s.n * s.each && seen * s.times <= life);
        assert_true(left - explain_left(x) < 4 * MOST);
        in_parts += s.n > 1;
    }
    assert_true(in_parts > 3);
    explain_free(x);
    load_free(&l);
}

/* What is said of where goroutine 1 ran, of the part `nth` of its running. */
static void assert_ran(const struct made *m, unsigned nth, const char *want)
{
    struct explain_list l;
    struct text t = {0};
    uint32_t g = trace_find_lane(m->tr, LANE_G, 1), stack, frame;
    struct lane_info li = trace_lane(m->tr, (struct lane){LANE_G, g});
    assert_true(explain_list(m->x, workpiece_of_g(g, li.first, li.last), &l));
    for (size_t i = 0; i < l.n; i++) {
        struct ran ran;
        if (l.v[i].part.depth == 0 && l.v[i].part.cat == EX_RUN && nth-- == 0) {
            (void)explain_place(m->tr, &l.v[i].part, &stack, &frame, &ran);
            ran_text(&t, m->tr, &ran, stack, frame, 1);
        }
    }
    assert_non_null(t.p);
    assert_string_equal(t.p, want);
    text_free(&t);
    explain_list_free(&l);
}

/* at[]: G1's stacks where it stops, one after the other; between them it runs. */
static void running_is_told_by_the_places_around_it(void **state)
{
    static const char *const at[] = {
        "main.query:8,main.handle:20,main.serve:5", /* 0: before it */
        "main.reply:9,main.handle:30,main.serve:5", /* 1: both in handle, further on */
        "main.query:8,main.handle:20,main.serve:5", /* 2: in a loop of handle, or of serve */
        "main.query:8,main.handle:20,main.serve:5", /* 3: there again */
        "main.query:8,main.handle:40,main.serve:5", /* 4: asked from another line */
        "main.handle:50,main.serve:5",              /* 5: there itself */
        "main.flush:3,main.serve:6",                /* 6: handle had returned */
        "main.serve:7",                             /* 7: the outermost: it is there in any case */
        "main.serve:9"                              /* 8: there, or in what it called meanwhile */
    };
    static const char *const want[] = {" in or before main.query",
                                       " in main.handle, from main.query to main.reply",
                                       " in or around main.handle, from main.reply to main.query",
                                       " between waits in main.query",
                                       " in main.handle, between waits in main.query",
                                       " in main.handle, in or after main.query",
                                       " in main.serve, from main.handle to main.flush",
                                       " in main.serve, in or after main.flush",
                                       " in or below main.serve"};
    enum { STOPS = sizeof at / sizeof *at };
    struct text t = {0};
    struct made m;
    (void)state;
    text_add(&t, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                 "GoStatus +0 g=2 m=18446744073709551615 runnable\n");
    for (unsigned i = 0; i < STOPS; i++) {
        text_add(&t, "GoBlock +1000 reason=\"chan receive\" stack=runtime.chanrecv1:1,%s\n", at[i]);
        text_add(&t, "GoStart +1000 g=2 g_seq=%u\nGoUnblock +1000 g=1 g_seq=%u stack=main.other:1\n",
                 2 * i + 1, 2 * i + 1);
        text_add(&t, "GoStop +1000 reason=\"preempted\" stack=main.other:2\nGoStart +1000 g=1 g_seq=%u\n",
                 2 * i + 2);
    }
    text_add(
        &t, "GoStop +1000 reason=\"preempted\" stack=main.count:2,main.serve:11\nGoStart +1000 g=1 g_seq=19\n"
            "GoDestroy +1000\n");
    make(&m, t.p);
    for (unsigned i = 0; i < STOPS; i++)
        assert_ran(&m, i, want[i]);
    assert_ran(&m, STOPS, " in main.count"); /* it was stopped there */
    assert_ran(&m, STOPS + 1, " in or after main.count");
    unmake(&m);
    text_free(&t);
}

static void what_is_put_together_says_less(void **state)
{
    struct ran in = {.how = RAN_IN, .from = 3, .to = 4}, other = {.how = RAN_IN, .from = 3, .to = 5},
               below = {.how = RAN_WITHIN}, after = {.how = RAN_AFTER}, round = {.how = RAN_BETWEEN}, r;
    (void)state;
    ran_lasts(&in, 20);
    ran_lasts(&other, 20);
    ran_lasts(&below, 20);
    ran_lasts(&after, 1);
    ran_lasts(&round, 100);
    r = round;
    ran_join(&r, &after);
    assert_int_equal(ran_how(&r), RAN_BETWEEN); /* nine tenths of it, though not in it */
    ran_join(&r, &in);
    assert_int_equal(ran_how(&r), RAN_ABOUT);
    r = below;
    ran_join(&r, &in);
    assert_true(r.how == RAN_WITHIN && ran_how(&r) == RAN_WITHIN);
    in.ns = in.by[RAN_IN] = 400;
    ran_join(&r, &in);
    assert_int_equal(ran_how(&r), RAN_IN); /* nearly all of it is recorded there */
    ran_lasts(&in, 20);
    r = in;
    ran_join(&r, &in);
    assert_true(r.how == RAN_IN && r.from == 3 && r.to == 4);
    ran_join(&r, &other);
    assert_true(r.how == RAN_IN && !r.from && !r.to);
    ran_join(&r, &after);
    assert_int_equal(r.how, RAN_ABOUT);
    assert_int_equal(ran_how(&r), RAN_IN); /* but for a fortieth */
    after.ns = 10;
    ran_join(&r, &after);
    assert_int_equal(ran_how(&r), RAN_ABOUT);
}

#define RUN(...) \
    explain_main((int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)), (char *[]){__VA_ARGS__})

static void the_command(void **state)
{
    (void)state;
    assert_int_equal(RUN("explain", "--quiet", "-o", "/dev/null", "samples/tasks-1.27.trace", "g1"), 0);
    assert_int_equal(RUN("explain", "--json", "-o", "/dev/null", "samples/tasks-1.27.trace", "g1@10%..20%"),
                     0);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "g1@20%..20%"), 2);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "g1@x"), 2);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "g999999"), 2);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "task:nowhere"), 2);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "slowest:"), 2);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "G1"), 0);
    assert_int_equal(RUN("explain", "-o", "/dev/null", "samples/tasks-1.27.trace", "1@10%..20%"), 0);
    assert_int_equal(RUN("explain", "samples/tasks-1.27.trace"), 2);
    assert_int_equal(RUN("explain", "Makefile", "g1"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample),
        cmocka_unit_test(a_wait_is_what_its_waker_did),
        cmocka_unit_test(a_wait_without_a_reason),
        cmocka_unit_test(a_finalizer_works_for_the_program),
        cmocka_unit_test(a_deadline_ends_a_read),
        cmocka_unit_test(running_is_told_by_the_places_around_it),
        cmocka_unit_test(what_is_put_together_says_less),
        cmocka_unit_test(nobody_turns_in_circles),
        cmocka_unit_test(a_budget_cuts_but_never_loses),
        cmocka_unit_test(long_lives_in_stretches),
        cmocka_unit_test(the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
