/*
 * test_v2_rules.c - who can do what in the second family: an event that can't be is said to be damage, the
 * first one with its reason; the bytes of generations alone.
 */
#include "tests/unit/decode_help.h"

#include "tests/unit/gens_help.h"

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* damage: NULL: none is said. */
static void expect(const char *text, const char *damage)
{
    struct loaded l = load_text(text);
    const struct err *e = trace_damage(l.tr, 0);
    if (damage ? !e || !strstr(e->what, damage) : e != NULL)
        fail_msg("%s: %s; wanted %s", text, e ? e->what : "no damage", damage ? damage : "none");
    unload(&l);
}

static void test_who_can(void **state)
{
    (void)state;
    expect(P0 "ProcStatus +1 p=5 pstatus=0\n", "PROC_STATUS: invalid status for the P");
    expect(P0 "ProcStatus +1 p=5 pstatus=5\n", "PROC_STATUS: invalid status for the P");
    expect(P0 "GoStatus +1 g=5 m=-1 gstatus=0\n", "GO_STATUS: invalid status for the goroutine");
    expect(P0 "GoStatus +1 g=5 m=-1 gstatus=9\n", "GO_STATUS: invalid status for the goroutine");
    expect(P0 "GoStatus +1 g=5 m=-1 syscall\n", "GO_STATUS: in a system call without a thread");
    expect(P0 "batch m=8 t=200\nGoStatus +1 g=5 m=7 syscall\n",
           "GO_STATUS: the thread has another goroutine");
    expect(P0 "GoStatus +1 g=1 m=-1 waiting\n", "GO_STATUS: the goroutine has another status than before");
    expect(P0 "endgen\nbatch m=7 t=200\nGoStatus +1 g=9 m=-1 waiting\n",
           "GO_STATUS: status of an unknown goroutine");
    expect(P0 "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 idle\n",
           "PROC_STATUS: the P has another status than before");
    expect(P0 "ProcStatus +1 p=2 idle\nbatch m=-1 t=200\nProcStart +1 p=2 p_seq=1\n",
           "PROC_START: a P starts without");
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nbatch m=8 t=200\nProcSteal +1 p=0 p_seq=2 m=9\n",
           "PROC_STEAL: the thread it is stolen from doesn't have the P");
    expect(P0 "GoCreate +1 new_g=1 new_stack=0 stack=0\n", "GO_CREATE: the goroutine exists already");
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nGoCreate +1 new_g=4 new_stack=0 stack=0\n",
           "GO_CREATE: the creating goroutine isn't running");
    expect(P0 "GoStatus +1 g=2 m=-1 runnable\nGoStart +1 g=2 g_seq=1\n",
           "GO_START: it starts where it can't");
    expect(P0 "GoStatus +1 g=2 m=-1 runnable\nbatch m=8 t=200\nGoStart +1 g=2 g_seq=1\n",
           "GO_START: it starts where");
    expect(P0 "GoStatus +1 g=2 m=-1 runnable\nbatch m=-1 t=200\nGoStart +1 g=2 g_seq=1\n",
           "GO_START: it starts where");
    expect(
        P0
        "GoCreateBlocked +1 new_g=9 new_stack=0 stack=0\nGoSyscallBegin +1 p_seq=1 stack=0\nGoSwitch +1 g=9 "
        "g_seq=1\n",
        "GO_SWITCH: the goroutine isn't running");
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nGoBlock +1 reason=\"sync\" stack=0\n",
           "GO_BLOCK: the goroutine isn't");
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nGoSyscallBegin +1 p_seq=2 stack=0\n",
           "BEGIN: the goroutine isn't");
    expect(P0 "GoSyscallBegin +1 p_seq=5 stack=0\n",
           "GO_SYSCALL_BEGIN: the P's sequence number doesn't follow");
    expect(P0 "GoSyscallEnd +1\n", "GO_SYSCALL_END: the goroutine isn't in a system call");
    expect(P0 "HeapAlloc +1 1\nbatch m=8 t=200\nHeapAlloc +1 1\n", "HEAP_ALLOC: expected a P, found none");
    expect(P0 "GoCreateSyscall +1 new_g=4\n", "GO_CREATE_SYSCALL: expected no goroutine, found one");
    expect(P0 "ClockSnapshot +1 mono=1 sec=1 nsec=1\n", "CLOCK_SNAPSHOT: a clock snapshot outside its batch");
    expect(P0 "HeapAlloc +1 1\nraw 7f 01\n", "unknown event type 127");
}

static void test_who_waits(void **state)
{
    (void)state;
    expect(P0 "GoStatus +1 g=2 m=-1 waiting\nGoUnblock +1 g=2 g_seq=3 stack=0\n",
           "no event can come next; the earliest is: GO_U");
    expect(P0 "batch m=8 t=200\nProcStart +1 p=3 p_seq=1\n",
           "no event can come next; the earliest is: PROC_START");
    expect(P0 "batch m=8 t=200\nProcSteal +1 p=0 p_seq=1 m=7\n",
           "no event can come next; the earliest is: PROC_STEAL");
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nGoSyscallEndBlocked +1\n",
           "the earliest is: GO_SYSCALL_END_BLOCKED");
    /* A P that is left in a system call keeps it until somebody takes it; a C
     * thread that leaves gives it up. */
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nGoDestroySyscall +5\nbatch m=8 t=200\nProcSteal +1 p=0 "
              "p_seq=2 m=7\n"
              "ProcStart +1 p=0 p_seq=3\n",
           NULL);
    expect(
        P0
        "GoSyscallBegin +1 p_seq=1 stack=0\nbatch m=8 t=200\nProcStatus +1 p=0 abandoned\nProcSteal +1 p=0 "
        "p_seq=1 m=7\n",
        NULL);
    expect(P0 "GoSyscallBegin +1 p_seq=1 stack=0\nProcStop +5\nGoSyscallEndBlocked +5\n", NULL);
    expect(P0 "ProcStop +5\nProcStatus +1 p=3 idle\nProcStart +1 p=3 p_seq=1\nProcStop +1\n", NULL);
    expect(P0 "GoCreateBlocked +1 new_g=2 new_stack=0 stack=0\nGoSwitch +1 g=2 g_seq=1\nGoSwitchDestroy +1 "
              "g=1 g_seq=1\n",
           NULL);
}

static void test_ranges(void **state)
{
    (void)state;
    expect(P0 "GCEnd +1 gc_seq=2\n", "GC_END: GC ends that did not begin");
    expect(P0 "GCBegin +1 gc_seq=1 stack=0\nGCEnd +1 gc_seq=5\n",
           "no event can come next; the earliest is: GC_END");
    expect(P0 "GCBegin +1 gc_seq=1 stack=0\nGCActive +1 gc_seq=2\n",
           "GC_ACTIVE: GC active after other GC events");
    expect(P0 "GCBegin +1 gc_seq=1 stack=0\nGCBegin +1 gc_seq=2 stack=0\n",
           "GC_BEGIN: GC begins while it runs");
    expect(P0 "GCBegin +1 gc_seq=1 stack=0\nGCEnd +1 gc_seq=2\nGCEnd +1 gc_seq=3\n",
           "GC_END: GC ends that did not begin");
    expect(P0
           "GCBegin +1 gc_seq=1 stack=0\nGCEnd +1 gc_seq=2\nbatch m=8 t=200\nGCBegin +1 gc_seq=3 stack=0\n",
           "GC_BEGIN: expected a P, found none");
    expect(P0 "GCBegin +1 gc_seq=1 stack=0\nendgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 "
              "g=1 m=7 "
              "running\nGCActive +1 gc_seq=2\nGCEnd +1 gc_seq=3\n",
           NULL);
    expect(P0 "GCSweepActive +1 p=9\n", "GC_SWEEP_ACTIVE: sweep on an unknown P");
    expect(P0 "GCSweepActive +1 p=0\nGCSweepActive +1 p=0\n", "GC_SWEEP_ACTIVE: the range is open already");
    expect(P0 "GCSweepEnd +1 swept=0 reclaimed=0\n", "GC_SWEEP_END: the range isn't open");
    expect(P0 "GCMarkAssistActive +1 g=9\n", "GC_ASSIST_ACTIVE: mark assist of an unknown goroutine");
    expect(
        P0
        "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGCMarkAssistActive "
        "+1 g=1\n",
        "GC_ASSIST_ACTIVE: the range isn't open");
    expect(P0 "STWEnd +1\n", "STW_END: the range isn't open");
}

/* As many threads as are no longer kept sorted: the reader's order and times, each event's when it says. */
static void test_many_threads(void **state)
{
    (void)state;
    enum { N = 150, BUSY = 20, EACH = 100, ALL = BUSY * EACH + N - BUSY };
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\n");
    tracegen_printf(
        &b, "batch m=500 t=100000\nGoStatusStack @100000 g=500 m=-1 gstatus=waiting stack=main.wait:1\n");
    for (int i = 0; i < N; i++) { /* a microsecond or more apart, or at the same time */
        const int status = 1000 * (1 + i * 37 % N), on = 1000 * (1 + i * 53 % N);
        int clock = 100000 + status + on;
        tracegen_printf(&b,
                        "batch m=%d t=100000\nProcStatus +%d p=%d running\nGoStatus +%d g=%d m=%d running\n",
                        i, status, i, on, i + 1, i);
        for (int k = 0; k < (i < BUSY ? EACH : 1); k++) {
            const int step = 1000 * (i < BUSY ? 1 + (i * 31 + k * 7) % 200 : 50000 + i);
            clock += step;
            tracegen_printf(&b, "HeapAlloc +%d %d\n", step, clock);
        }
    }
    tracegen_printf(&b,
                    "batch m=-1 t=100000\nCPUSamples\nCPUSample time=400000 m=3 p=3 g=4 stack=0\nCPUSample "
                    "time=1500000 m=1 p=1 g=2 stack=0\n");
    struct loaded l = load_text((char *)b.p);
    expect_whole(l.tr);
    assert_int_equal(trace_npoints(l.tr, METRIC_HEAP), ALL);
    for (size_t i = 0; i < ALL; i++) {
        const struct point p = trace_point(l.tr, METRIC_HEAP, i);
        assert_int_equal((p.t + trace_info(l.tr)->first_ns) / 1000, p.v / 1000); /* less makes times differ */
    }
    unload(&l);
    tracegen_free(&b);
}

/* Generations as batches alone: where one ends, and what it lacks. */
static void test_raw(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int version;
        size_t batches; /* of the first generation */
        enum err_code code;
        const char *what;
    } cases[] = {
        {P0, 1026, 2, ERR_OK, ""},
        {"go 1.26\nnoauto\nraw 34 34\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 34\n", 1026, 1, ERR_TRUNCATED,
         "no clock frequency"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\n", 1026, 1, ERR_TRUNCATED, "has no end mark"},
        {"go 1.26\nnoauto\nbatch gen=0 m=7 t=1\nHeapAlloc +1 1\n", 1026, 0, ERR_FORMAT,
         "generation 0 where 1 was expected"},
        {"go 1.22\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 34\n", 1022, 1, ERR_FORMAT,
         "found byte 52"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nbatch gen=2 m=7 t=1\nHeapAlloc +1 1\n", 1026, 1,
         ERR_FORMAT, "generation 1 has no end mark before generation 2"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 31\n", 1026, 1, ERR_TRUNCATED,
         "the file ends inside a batch header"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 31 01\n", 1026, 1, ERR_TRUNCATED,
         "the file ends inside a batch header"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 01 ff ff ff ff ff ff ff ff ff ff ff 01 "
         "01\n",
         1026, 1, ERR_FORMAT, "a varint of a batch header is longer than 10 bytes"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 01 01 01 01 ff ff 7f\n", 1026, 1,
         ERR_FORMAT, "at most 65536 are"},
        {"go 1.26\nnoauto\nbatch m=7 t=1\nHeapAlloc +1 1\nend\nraw 01 01 01 01 05 09\n", 1026, 2,
         ERR_TRUNCATED, "the file ends 1 bytes into a batch of 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n;
        uint8_t *p = tracegen_bytes(cases[i].text, &n);
        struct gens x = gens_of(p, n, cases[i].version);
        const bool is = gens_next(&x);
        if (is)
            v2_clock_notes(&x.s, &x.g);
        const struct err none = {0}, *said = x.s.st.ndamages ? source_note(&x.s.damage, 0) : &none;
        if (is != (cases[i].batches > 0) || x.g.nall != cases[i].batches || said->code != cases[i].code ||
            !strstr(said->what, cases[i].what))
            fail_msg("case %zu: %zu batches, %d '%s'", i, x.g.nall, (int)said->code, said->what);
        if (!said->code)
            assert_int_equal(x.pos, n);
        gens_free(&x);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_can),      cmocka_unit_test(test_who_waits), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_many_threads), cmocka_unit_test(test_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
