/*
 * test_triage_made.c - rules at their limits, in traces made for that: what half of the CPU samples lie below, of how many names slow
 * tasks are told, who asks in step and who does not, whose waits were followed by half.
 */
#include "made_help.h"

#include "triage/findings/waitfor.h"
#include "triage/report/report.h"

/* ---- CPU samples ------------------------------------------------------------------------------------------------------- */

/* The page's lines of a trace with samples of these stacks, innermost function first; the caller's to free. */
static char *samples_of(const char *const stack[10])
{
    struct tracegen_buf b = {0};
    struct made m;
    struct text t = {.ascii = true};
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                        "GoStop +100000 reason=\"preempted\" stack=main.main:1\nbatch m=-1 t=100\nCPUSamples\n");
    for (unsigned i = 0; i < 10; i++) {
        tracegen_printf(&b, "CPUSample time=%u m=7 p=0 g=1 stack=%s\n", 1000 + i, stack[i]);
    }
    make(&m, (const char *)b.p);
    report_text(&t, &m.l);
    const char *s = strstr(t.p, "\nCPU SAMPLES  10\n");
    assert_non_null(s);
    s += strlen("\nCPU SAMPLES  10\n");
    const char *end = strstr(s, "\n\n");
    char *out = strndup(s, end ? (size_t)(end + 1 - s) : strlen(s));
    text_free(&t);
    unmake(&m);
    tracegen_free(&b);
    return out;
}

static unsigned lines_of(const char *s)
{
    unsigned n = 0;
    for (; *s; s++) {
        n += *s == '\n';
    }
    return n;
}

#define SERVE "net/http.(*conn).serve:7,main.serve:8,runtime.goexit:9"
#define ORDER "sort.Sort:2,main.order:3," SERVE

/* Where no function has a fifth itself: the program's innermost and the library's outermost of those that half of all lie below. */
static void half_below(void **state)
{
    static const char *const stack[10] = {
        "main.a:1," ORDER,
        "main.b:1," ORDER,
        "main.c:1," ORDER,
        "main.d:1," ORDER,
        "main.e:1," ORDER,
        "main.f:1," SERVE,
        "main.g:1,main.serve:8,runtime.goexit:9",
        "main.h:1,main.serve:8,runtime.goexit:9",
        "runtime.mcall:1,runtime.goexit:9",
        "runtime.park_m:1,runtime.goexit:9",
    };
    (void)state;
    char *s = samples_of(stack);
    assert_int_equal(lines_of(s), 6);
    assert_non_null(strstr(s, "  0.0%    with callees 50.0%   main.order\n"
                              "  0.0%    with callees 60.0%   http.(*conn).serve\n"));
    free(s);
}

/* A function with a fifth of its own says enough; below half of all nothing is named, and nothing twice. */
static void no_more_below(void **state)
{
    static const char *const a_fifth[10] = {
        "main.a:1," ORDER, "main.a:1," ORDER, "main.b:1," ORDER, "main.c:1," ORDER, "main.d:1," ORDER,
        "main.e:1," ORDER, "main.f:1," ORDER, "main.g:1," ORDER, "main.h:1," ORDER, "main.i:1," ORDER};
    static const char *const less[10] = {"main.a:1,main.order:2", "main.b:1,main.order:2", "main.c:1,main.order:2",
                                         "main.d:1,main.order:2", "main.e:1,main.f:1",     "main.g:1,main.h:1",
                                         "main.i:1,main.j:1",     "main.k:1,main.l:1",     "main.m:1,main.n:1",
                                         "main.o:1,main.p:1"};
    static const char *const itself[10] = {"main.order:2",          "main.b:1,main.order:2",
                                           "main.c:1,main.order:2", "main.d:1,main.order:2",
                                           "main.e:1,main.order:2", "runtime.a:1",
                                           "runtime.b:1",           "runtime.c:1",
                                           "runtime.d:1",           "runtime.e:1"};
    (void)state;
    char *s = samples_of(a_fifth);
    assert_non_null(strstr(s, "  20.0%   with callees 20.0%   main.a\n"));
    assert_int_equal(lines_of(s), 4);
    free(s);
    s = samples_of(less);
    assert_int_equal(lines_of(s), 4);
    free(s);
    s = samples_of(itself);
    assert_int_equal(lines_of(s), 4);
    assert_non_null(strstr(s, "  10.0%   with callees 50.0%   main.order\n"));
    free(s);
}

/* ---- crowds of those that ask -------------------------------------------------------------------------------------------- */

enum { ASKERS = 16, CROWDS = 6, CROWD_NS = 24000000, ANSWER_NS = 1250000 };

struct asker {
    int64_t next;    /* it goes on */
    unsigned rounds; /* until it asks again */
    unsigned seq, crowd;
    bool asks;
};

/* How many rounds it goes between two of its questions: as many as all others, or as many as come in that time. */
static unsigned rounds_of(unsigned i, unsigned crowd, bool in_step)
{
    return in_step ? 12 : 8 + (5 * i + 3 * crowd) % 9;
}

/* When it goes on, having slept for a round or asked. All ask about when a crowd begins, and are answered one after the other. */
static void asker_goes_on(struct asker *a, unsigned i, bool in_step)
{
    const int64_t begins = (int64_t)(a->crowd + 1) * CROWD_NS + 20000 * i;
    if (a->asks) {
        a->asks = false;
        a->rounds = rounds_of(i, ++a->crowd, in_step);
    } else if (a->rounds-- == 0) {
        a->asks = true;
        a->next = begins + 1000000 + ANSWER_NS * i;
        return;
    }
    const int64_t until = (int64_t)(a->crowd + 1) * CROWD_NS + 20000 * i;
    a->next += (until - a->next) / (a->rounds + 1);
}

/* Goroutines that sleep for a round again and again and ask now and then, on one processor; all ends with the last crowd. */
static void asking(struct tracegen_buf *b, bool in_step)
{
    struct asker v[ASKERS] = {0};
    int64_t now = 1000;
    tracegen_printf(b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                       "ProcsChange +0 procs=4 stack=0\n");
    for (unsigned i = 0; i < ASKERS; i++) {
        tracegen_printf(b, "GoCreate @%lld new_g=%u new_stack=main.look:20 stack=main.main:10\n", (long long)now,
                        i + 2);
        v[i] = (struct asker){.next = now, .rounds = rounds_of(i, 0, in_step)};
        now += 1000;
    }
    tracegen_printf(b, "GoBlock @%lld reason=\"sync\" stack=sync.(*WaitGroup).Wait:1,main.main:11\n", (long long)now);
    for (;;) {
        unsigned i = 0;
        for (unsigned k = 1; k < ASKERS; k++) {
            i = v[k].next < v[i].next ? k : i;
        }
        struct asker *a = &v[i];
        if (a->crowd == CROWDS) {
            break;
        }
        now = a->next > now + 1000 ? a->next : now + 1000;
        if (a->seq) {
            tracegen_printf(b, "GoUnblock @%lld g=%u g_seq=%u stack=0\n", (long long)now, i + 2, ++a->seq);
        }
        tracegen_printf(b, "GoStart +500 g=%u g_seq=%u\n", i + 2, ++a->seq);
        a->next = now + 1500;
        asker_goes_on(a, i, in_step);
        tracegen_printf(b, "GoBlock +1000 reason=\"sleep\" stack=time.Sleep:1,%smain.look:%d\n",
                        a->asks ? "main.ask:30," : "", a->asks ? 22 : 21);
        now += 1500;
    }
}

/* Most of them ask at once, again and again. If each does so after as many rounds of its own as the others, that is why. */
static void in_step(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++) {
        struct tracegen_buf b = {0};
        struct made m;
        asking(&b, step);
        make(&m, (const char *)b.p);
        const struct finding *f = help_told(&m.l, RULE_STAMPEDE);
        assert_int_equal(f != NULL, !step);
        if (f) {
            assert_non_null(strstr(f->text, "5 times a crowd of goroutines of main.look asks there"));
        }
        unmake(&m);
        tracegen_free(&b);
    }
}

/* ---- where waits end ------------------------------------------------------------------------------------------------------ */

enum { CHAIN = 30 };

/*
 * Each of a chain waits for the next one, the last works: so round after round. To follow the waits of the k-th takes all spans of all
 * behind it; together they pass WAITFOR_SPANS.
 */
static void chained(struct tracegen_buf *b, unsigned rounds)
{
    unsigned seq[CHAIN] = {0};
    int64_t now = 100000;
    tracegen_printf(b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                       "ProcsChange +0 procs=1 stack=0\n");
    for (unsigned i = 0; i < CHAIN; i++) {
        tracegen_printf(b, "GoCreate +1000 new_g=%u new_stack=main.f%02u:1 stack=main.main:10\n", i + 2, i);
    }
    tracegen_printf(b, "GoBlock +1000 reason=\"sync\" stack=sync.(*WaitGroup).Wait:1,main.main:11\n");
    for (unsigned i = 0; i < CHAIN; i++) {
        tracegen_printf(b, "GoStart @%lld g=%u g_seq=1\n", (long long)(now += 1000), i + 2);
        if (i < CHAIN - 1) {
            tracegen_printf(b, "GoBlock +500 reason=\"chan receive\" stack=runtime.chanrecv1:1,main.f%02u:2\n", i);
        }
        seq[i] = 1;
    }
    for (unsigned i = 0; i < rounds * CHAIN;
         i++) { /* one hands on to the one before it; the longer one waits the less it does */
        const unsigned k = CHAIN - 1 - i % CHAIN, to = k ? k - 1 : CHAIN - 1;
        if (k == CHAIN - 1 && i / CHAIN % 8 == 0) {
            tracegen_printf(b, "batch m=7 t=%lld\n", (long long)now);
        }
        tracegen_printf(b, "GoUnblock @%lld g=%u g_seq=%u stack=runtime.chansend1:1,main.f%02u:3\n",
                        (long long)(now += k < CHAIN - 1 ? 1000 + 100 * k : 200000), to + 2, ++seq[to], k);
        tracegen_printf(b, "GoBlock @%lld reason=\"chan receive\" stack=runtime.chanrecv1:1,main.f%02u:2\n",
                        (long long)(now += 500), k);
        tracegen_printf(b, "GoStart @%lld g=%u g_seq=%u\n", (long long)(now += 100), to + 2, ++seq[to]);
    }
}

/* Is it told where the waits of main.fNN end? */
static bool end_told(const struct made *m, const struct waitfor *w, unsigned nn)
{
    char name[16];
    uint32_t i = 0;
    snprintf(name, sizeof name, "main.f%02u", nn);
    while (i < w->nends && !str_is(trace_str(m->l.tr, w->end[i].from), name)) {
        i++;
    }
    assert_true(i < w->nends);
    assert_true(w->end[i].n == 0 || (w->end[i].n == 1 && w->end[i].of[0].share > 0.5));
    assert_true(w->end[i].n == 0 || str_is(trace_str(m->l.tr, w->end[i].of[0].who), "main.f29"));
    return w->end[i].n;
}

/*
 * Each has its share of what following may cost, and of long lives windows are followed: so it is told of all. Where not half of the time
 * that was looked at can be followed, though all of it is waited at one place, nothing is.
 */
static void followed_by_half(void **state)
{
    static const struct {
        uint64_t spans;
        bool told;
    } row[] = {{WAITFOR_SPANS, true}, {20000, true}, {800, false}};
    struct tracegen_buf b = {0};
    struct made m;
    (void)state;
    chained(&b, 400);
    make(&m, (const char *)b.p);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct waitfor *w = waitfor_within(m.l.tg, row[i].spans);
        assert_non_null(w);
        for (unsigned k = 0; k < 12; k++) {
            if (end_told(&m, w, k) != row[i].told) {
                fail_msg("main.f%02u, within %u spans", k, (unsigned)row[i].spans);
            }
        }
        waitfor_free(w);
    }
    unmake(&m);
    tracegen_free(&b);
}

/* ---- slow tasks -------------------------------------------------------------------------------------------------------- */

/* Tasks of so many names, eight of each, the last of which takes 2 ms, and of each further name 10 us more; the report's findings. */
static void slow_names(struct made *m, uint32_t names)
{
    struct tracegen_buf b = {0};
    uint32_t id = 0;
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
    for (uint32_t i = 0; i < names; i++) {
        for (uint32_t k = 0; k < 8; k++) {
            id++;
            tracegen_printf(&b, "UserTaskBegin +10 task=%u parent=0 name=\"task%u\" stack=main.work:1\n", id, i);
            tracegen_printf(&b, "UserTaskEnd +%u task=%u stack=main.work:2\n", k < 7 ? 1000 : 2000000 + i * 10000,
                            id);
        }
    }
    make(m, (const char *)b.p);
    tracegen_free(&b);
}

static uint32_t tells_of(const struct made *m, uint32_t *limits)
{
    uint32_t n = 0;
    *limits = 0;
    for (uint32_t i = 0; i < m->l.fs.n; i++) {
        if (m->l.fs.f[i].rule == RULE_SLOW_TASK) {
            n++;
            *limits += strstr(m->l.fs.f[i].text,
                              "names of tasks with slow ones, only the 16 costliest are reported") != NULL;
        }
    }
    return n;
}

/* The names are the program's, one for each request at worst: the costliest are told, and in the first of them of how many. */
static void of_many_names_the_costliest(void **state)
{
    struct made m;
    uint32_t limits;
    (void)state;
    slow_names(&m, 16);
    assert_int_equal(tells_of(&m, &limits), 16);
    assert_int_equal(limits, 0);
    unmake(&m);
    slow_names(&m, 40);
    assert_int_equal(tells_of(&m, &limits), 16);
    for (uint32_t i = 0; i < m.l.fs.n; i++) {
        const char *s = m.l.fs.f[i].text;
        if (m.l.fs.f[i].rule == RULE_SLOW_TASK) {
            const bool first = strstr(s, "\"task39\"") != NULL; /* the costliest */
            assert_int_equal(
                first,
                strstr(s, " Of the 40 names of tasks with slow ones, only the 16 costliest are reported") != NULL);
            assert_true(atoi(strstr(s, "\"task") + 5) >= 24);
        }
    }
    unmake(&m);
}

/* ---- work shared out -------------------------------------------------------------------------------------------------- */

#define LOT 4
#define MILLI 1000000LL

/* G1 begins a lot of four, each of which runs on a processor of its own for so many ms, and waits for all; so often. */
static void lots(struct tracegen_buf *b, unsigned n, const unsigned ms[LOT])
{
    unsigned most = 0;
    for (unsigned k = 0; k < LOT; k++) {
        most = ms[k] > most ? ms[k] : most;
    }
    tracegen_printf(b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                       "ProcsChange +0 procs=5 stack=0\n");
    for (unsigned i = 0; i < n; i++) { /* each a ms, and as long as the longest */
        for (unsigned k = 0; k < LOT; k++) {
            tracegen_printf(b, "GoCreate +1000 new_g=%u new_stack=main.share:1 stack=main.split:10,main.main:2\n",
                            10 + i * LOT + k);
        }
        tracegen_printf(b,
                        "GoBlock +1000 reason=\"sync\" stack=sync.(*WaitGroup).Wait:1,main.split:12,main.main:2\n"
                        "ProcStop +1000\nProcStart +%lld p=0 p_seq=%u\nGoStart +1000 g=1 g_seq=%u\n",
                        (most + 1) * MILLI - 7000, i + 1, 2 * i + 2);
    }
    for (unsigned k = 0; k < LOT; k++) {
        const bool last = ms[k] == most;
        tracegen_printf(b, "batch m=%u t=0\nProcStatus +0 p=%u idle\n", 8 + k, 1 + k);
        for (unsigned i = 0; i < n; i++) {
            tracegen_printf(b, "ProcStart +%lld p=%u p_seq=%u\nGoStart +1000 g=%u g_seq=1\n",
                            (i ? (most + 1 - ms[k]) * MILLI - 4000 : 20000), 1 + k, i + 1, 10 + i * LOT + k);
            if (last) {
                tracegen_printf(b, "GoUnblock +%lld g=1 g_seq=%u stack=sync.(*WaitGroup).Done:1,main.share:3\n",
                                ms[k] * MILLI, 2 * i + 1);
            }
            tracegen_printf(b, "GoDestroy +%lld\nProcStop +1000\n", last ? 1000 : ms[k] * MILLI + 1000);
        }
    }
}

/* Shares of the same number, not of the same work: told if it is so again and again, or once by number. */
static void shared_out_unevenly(void **state)
{
    static const struct {
        unsigned n, ms[LOT];
        const char *told;
    } row[] = {{6, {8, 2, 6, 4}, "in 6 of 6 such rounds the longest ran 1.3 times the mean"},
               {6, {5, 5, 6, 5}, NULL},
               {1, {8, 2, 6, 4}, NULL}, /* so many different things */
               {1, {2, 4, 6, 8}, "8.00ms the longest, the mean is 5.00ms, the shortest 2.00ms. The later one"}};
    (void)state;
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct tracegen_buf b = {0};
        struct made m;
        const struct finding *f = NULL;
        lots(&b, row[i].n, row[i].ms);
        make(&m, (const char *)b.p);
        for (uint32_t k = 0; k < m.l.fs.n; k++) {
            f = m.l.fs.f[k].rule == RULE_UNBALANCED ? &m.l.fs.f[k] : f;
        }
        assert_int_equal(f != NULL, row[i].told != NULL);
        if (f) {
            assert_non_null(
                strstr(f->text, "main.split, called by main.main starts 4 goroutines of main.share at once"));
            assert_non_null(strstr(f->text, row[i].told));
            assert_in_range(f->severity_ns, row[i].n * 29 * MILLI / 10, row[i].n * 32 * MILLI / 10); /* 8 - 20/4 */
        }
        unmake(&m);
        tracegen_free(&b);
    }
}

/* ---- what is done many times ---------------------------------------------------------------------------------------------- */

/*
 * A worker takes 1400 pieces that it only works at, then 3000 in each of which it sleeps. More spans than are looked at: those that are
 * tell of all of its life, not of how it began.
 */
static void pieces_all_along(void **state)
{
    struct tracegen_buf b = {0};
    struct made m;
    unsigned seq = 1, now = 122;
    (void)state;
    tracegen_printf(
        &b,
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoCreate +10 new_g=2 new_stack=main.worker:3 stack=main.main:1\n"
        "GoBlock +10 reason=\"network\" stack=internal/poll.(*FD).Accept:7,main.main:2\nGoStart +1 g=2 g_seq=1\n");
    for (unsigned i = 0; i < 4400; i++) {
        if (i % 500 == 0) { /* a batch has its limits */
            tracegen_printf(&b, "batch m=7 t=%u\n", now);
        }
        now += i >= 1400 ? 51200 : 10100;
        if (i >= 1400) {
            tracegen_printf(&b,
                            "GoBlock +1000 reason=\"sleep\" stack=time.Sleep:3,main.nap:9,main.worker:5\n"
                            "GoUnblock +40000 g=2 g_seq=%u stack=0\nGoStart +100 g=2 g_seq=%u\n",
                            seq + 1, seq + 2);
            seq += 2;
        }
        tracegen_printf(&b,
                        "GoBlock +9000 reason=\"chan receive\" stack=runtime.chanrecv2:9,main.worker:4\n"
                        "GoUnblock +1000 g=2 g_seq=%u stack=0\nGoStart +100 g=2 g_seq=%u\n",
                        seq + 1, seq + 2);
        seq += 2;
    }
    make(&m, (const char *)b.p);
    const struct finding *f = help_tells(&m.l, RULE_TIME);
    const char *at = strstr(f->text, "pieces of work of main.worker, ");
    assert_non_null(at);
    assert_non_null(strstr(at, "at a time: waiting for a timer in main.nap"));
    unmake(&m);
    tracegen_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_below),          cmocka_unit_test(of_many_names_the_costliest),
        cmocka_unit_test(no_more_below),       cmocka_unit_test(in_step),
        cmocka_unit_test(followed_by_half),    cmocka_unit_test(pieces_all_along),
        cmocka_unit_test(shared_out_unevenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
