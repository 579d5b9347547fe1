/*
 * test_verdict_calls.c - calls that leave the program. Many tiny system calls in a piece of work warn; calls
 * that do much each are what the work is. A backend that becomes slow at some moment warns; one that is slow
 * now and then is what the work is.
 */
#include "play_help.h"

/* Main makes `n` system calls of `ns` each, one after the other. */
static void calls(struct made *m, unsigned n, unsigned ns)
{
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                        "ProcsChange +0 procs=1 stack=0\n");
    for (unsigned i = 0; i < n; i++) {
        if (i % 300 == 299)
            tracegen_printf(&b, "batch m=7 t=%llu\n", (unsigned long long)(i * (ns + 400ull)));
        tracegen_printf(&b,
                        "GoSyscallBegin +400 p_seq=%u "
                        "stack=syscall.write:1,os.(*File).Write:5,main.store:6,main.main:13\n"
                        "GoSyscallEnd +%u\n",
                        i + 1, ns);
    }
    tracegen_printf(&b, "GoBlock +100 reason=\"sleep\" stack=time.Sleep:1,main.main:14\n");
    make(m, (const char *)b.p);
    tracegen_free(&b);
}

static void many_tiny_ones_warn(void **state)
{
    struct made m;
    (void)state;
    calls(&m, 4000, 1500);
    const struct finding *f = help_told(&m.l, RULE_CALLS);
    assert_non_null(f);
    assert_false(f->note);
    unmake(&m);
    calls(&m, 400, 15000); /* the same time, each does more */
    f = help_told(&m.l, RULE_CALLS);
    assert_true(!f || f->note);
    unmake(&m);
}

/* Two goroutines take things, and make 9000 calls for each: more spans than one stretch has. */
static void a_piece_is_longer_than_a_stretch(void **state)
{
    enum { THINGS = 12, CALLS = 9000 };
    struct tracegen_buf b = {0};
    struct made m;
    unsigned n = 0, seq[4] = {0};
    (void)state;
    tracegen_printf(&b, "go 1.26\nbatch m=7 t=0\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 running\n"
                        "ProcsChange +0 procs=1 stack=0\n"
                        "GoCreate +10 new_g=2 new_stack=main.taker:1 stack=main.main:2\n"
                        "GoCreate +10 new_g=3 new_stack=main.taker:1 stack=main.main:3\n"
                        "GoBlock +10 reason=\"select\" stack=runtime.block:1,main.main:4\n");
    for (unsigned i = 0; i < THINGS * 2; i++) {
        const unsigned g = 2 + i % 2;
        if (i >= 2)
            tracegen_printf(&b, "GoUnblock +10 g=%u g_seq=%u stack=0\n", g, ++seq[g]);
        tracegen_printf(&b, "GoStart +10 g=%u g_seq=%u\n", g, ++seq[g]);
        for (unsigned k = 0; k < CALLS; k++) {
            if (k % 300 == 0)
                tracegen_printf(&b, "batch m=7 t=%llu\n", (unsigned long long)(i * 200 + n * 2000ull));
            tracegen_printf(&b,
                            "GoSyscallBegin +500 p_seq=%u stack=syscall.write:1,main.put:5,main.taker:6\n"
                            "GoSyscallEnd +1000\n",
                            ++n);
        }
        tracegen_printf(&b, "GoBlock +10 reason=\"chan receive\" stack=runtime.chanrecv2:1,main.taker:5\n");
    }
    make(&m, (const char *)b.p);
    tracegen_free(&b);
    assert_int_equal(m.l.fs.works.v[0].kind, WORK_ITEMS);
    const struct finding *f = help_told(&m.l, RULE_CALLS);
    assert_true(f && m.l.fs.works.v[f->v.harm.work].kind == WORK_ITEMS);
    unmake(&m);
}

/* Each task asks and is answered after 2 ms. From 700 ms on the answer takes 40 ms; for the twin each ninth
 * does. */
static void client(struct play *p, unsigned g)
{
    const unsigned n = (unsigned)p->phase[g] / 2;
    const bool slow = p->fault ? p->now > 700 * MS : (g + n) % 9 == 0;
    if (p->phase[g]++ % 2 == 0) {
        task(p, g * 1000 + n, true);
        waits(p, g, "network", "internal/poll.(*FD).Read:1,main.ask:20,main.client:6", (slow ? 40 : 2) * MS);
    } else {
        task(p, g * 1000 + n, false);
        waits(p, g, "chan receive", "runtime.chanrecv2:1,main.client:5", 3 * MS);
    }
}

static void clients(struct play *p)
{
    for (int i = 0; i < 4; i++)
        (void)born(p, "main.client:1", "main.main:2", client);
    waits(p, 1, "select", "runtime.block:1,main.main:3", NEVER);
}

static void turns_slow(void **state)
{
    (void)state;
    expect(clients, 1500 * MS, RULE_BACKEND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_tiny_ones_warn), cmocka_unit_test(turns_slow),
                                       cmocka_unit_test(a_piece_is_longer_than_a_stretch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
