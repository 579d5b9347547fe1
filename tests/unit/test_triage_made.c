/*
 * test_triage_made.c - limits that only a trace made for them reaches: so many waits that not all of them can
 * be followed.
 */
#include "made_help.h"

#include "triage/findings/waitfor.h"
#include "triage/report/report.h"

/* ---- where waits end ----------------------------------------------------------------------------------- */

enum { CHAIN = 30 };

/*
 * Each of a chain waits for the next one, the last works: so round after round. To follow the waits of the
 * k-th takes all spans of all behind it; together they pass WAITFOR_SPANS.
 */
static void chained(struct tracegen_buf *b, unsigned rounds)
{
    unsigned seq[CHAIN] = {0};
    int64_t now = 100000;
    tracegen_printf(b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                       "ProcsChange +0 procs=1 stack=0\n");
    for (unsigned i = 0; i < CHAIN; i++)
        tracegen_printf(b, "GoCreate +1000 new_g=%u new_stack=main.f%02u:1 stack=main.main:10\n", i + 2, i);
    tracegen_printf(b, "GoBlock +1000 reason=\"sync\" stack=sync.(*WaitGroup).Wait:1,main.main:11\n");
    for (unsigned i = 0; i < CHAIN; i++) {
        tracegen_printf(b, "GoStart @%lld g=%u g_seq=1\n", (long long)(now += 1000), i + 2);
        if (i < CHAIN - 1) {
            tracegen_printf(
                b, "GoBlock +500 reason=\"chan receive\" stack=runtime.chanrecv1:1,main.f%02u:2\n", i);
        }
        seq[i] = 1;
    }
    for (unsigned i = 0; i < rounds * CHAIN;
         i++) { /* one hands on to the one before it; the longer one waits the less it does */
        const unsigned k = CHAIN - 1 - i % CHAIN, to = k ? k - 1 : CHAIN - 1;
        if (k == CHAIN - 1 && i / CHAIN % 8 == 0)
            tracegen_printf(b, "batch m=7 t=%lld\n", (long long)now);
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
    while (i < w->nends && !str_is(trace_str(m->l.tr, w->end[i].from), name))
        i++;
    assert_true(i < w->nends);
    assert_true(w->end[i].n == 0 || (w->end[i].n == 1 && w->end[i].of[0].share > 0.5));
    assert_true(w->end[i].n == 0 || str_is(trace_str(m->l.tr, w->end[i].of[0].who), "main.f29"));
    return w->end[i].n;
}

/*
 * Each has its share of what following may cost, and of long lives windows are followed: so it is told of
 * all. Where not half of the time that was looked at can be followed, though all of it is waited at one
 * place, nothing is.
 */
static void followed_by_half(void **state)
{
    static const struct {
        uint64_t spans;
        bool told;
    } row[] = {{WAITFOR_SPANS, true}, {1600, true}, {60, false}};
    struct tracegen_buf b = {0};
    struct made m;
    (void)state;
    chained(&b, 400);
    make(&m, (const char *)b.p);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct waitfor *w = waitfor_within(m.l.tg, row[i].spans, 16);
        assert_non_null(w);
        for (unsigned k = 0; k < 12; k++)
            if (end_told(&m, w, k) != row[i].told)
                fail_msg("main.f%02u, within %u spans", k, (unsigned)row[i].spans);
        waitfor_free(w);
    }
    unmake(&m);
    tracegen_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(followed_by_half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
