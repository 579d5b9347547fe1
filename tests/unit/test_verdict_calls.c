/*
 * test_verdict_calls.c - system calls: many tiny ones in a piece of work warn, as many that do much each are
 * what the work is.
 */
#include "made_help.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_tiny_ones_warn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
