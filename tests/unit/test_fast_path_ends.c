/*
 * test_fast_path_ends.c - one after another the commonest events of a thread are carried out without a look
 * left or right; what ends that: an event that can't come there, whose numbers can't be read, whose time is
 * far, whose stack is none. It is said as it is anywhere.
 */
#include "tests/unit/decode_help.h"

#define P0 \
    "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGoStatus +1 g=2 " \
    "m=-1 " \
    "runnable\n"
#define FEW \
    "HeapAlloc +1 bytes=1\nHeapAlloc +1 bytes=200\nHeapAlloc +1 bytes=70000\nHeapAlloc +1 " \
    "bytes=1\nHeapAlloc +1 " \
    "bytes=2\n" \
    "HeapAlloc +1 bytes=1\nHeapAlloc +1 bytes=200\nHeapAlloc +1 bytes=70000\nHeapAlloc +1 " \
    "bytes=1\nHeapAlloc +1 " \
    "bytes=2\n" \
    "HeapAlloc +1 bytes=1\nHeapAlloc +1 bytes=200\nHeapAlloc +1 bytes=70000\nHeapAlloc +1 " \
    "bytes=1\nHeapAlloc +1 " \
    "bytes=2\n"
enum { FEW_N = 15 };
#define BLOCK "GoBlock +1 reason=\"r\" stack=main.f:1\n"
#define LONG "80 80 80 80 80 80 80 80 80 80 80 80 "

struct ends {
    const char *what; /* the events */
    const char *said; /* the damage; NULL: there is none */
    uint64_t heap;    /* events of FEW that are shown */
};

static const struct ends ENDS[] = {
    /* where nothing runs */
    {BLOCK BLOCK FEW, "event GO_BLOCK: expected a goroutine, found none (7)", FEW_N},
    {BLOCK "GoStop +1 reason=\"r\" stack=main.f:1\n" FEW,
     "event GO_STOP: expected a goroutine, found none (7)", FEW_N},
    {BLOCK "GoSyscallBegin +1 p_seq=1 stack=main.f:1\n" FEW,
     "event GO_SYSCALL_BEGIN: expected a goroutine, found none (7)", FEW_N},
    {BLOCK "GoSyscallEnd +1\n" FEW, "event GO_SYSCALL_END: expected a goroutine, found none (7)", FEW_N},
    {BLOCK "GoDestroy +1\n" FEW, "event GO_DESTROY: expected a goroutine, found none (7)", FEW_N},
    /* where something does; who was in a call, for all that was known, has come back */
    {"GoStart +1 g=2 g_seq=1\n" FEW, "event GO_START: it starts where it can't (2)", FEW_N},
    {"GoSyscallEnd +1\n" FEW, "event GO_SYSCALL_END: the goroutine isn't in a system call with its P (1)",
     FEW_N},
    {"GoSyscallBegin +1 p_seq=1 stack=0\n" BLOCK FEW, "event GO_BLOCK: the goroutine isn't running (1)",
     FEW_N},
    {"GoSyscallBegin +1 p_seq=1 stack=0\nGoSyscallBegin +1 p_seq=2 stack=0\n" FEW,
     "event GO_SYSCALL_BEGIN: the goroutine isn't running (1)", FEW_N},
    {"GoSyscallBegin +1 p_seq=3 stack=0\n" FEW,
     "event GO_SYSCALL_BEGIN: the P's sequence number doesn't follow (3)", FEW_N},
    {"GoCreate +1 new_g=2 new_stack=main.g:1 stack=0\n" FEW,
     "event GO_CREATE: the goroutine exists already (2)", FEW_N},
    {"GoSyscallBegin +1 p_seq=1 stack=0\nGoCreate +1 new_g=9 new_stack=main.g:1 stack=0\n" FEW,
     "event GO_CREATE: the creating goroutine isn't running (1)", FEW_N},
    /* numbers without an end */
    {"raw 25 " LONG "\n" FEW, "an event ends beyond its batch, of type 37", 0},
    {"raw 25 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 37", 0},
    {BLOCK "raw 10 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 16", 0},
    {BLOCK "raw 10 01 02 " LONG "\n" FEW, "an event ends beyond its batch, of type 16", 0},
    {"raw 14 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 20", 0},
    {"raw 14 01 00 " LONG "\n" FEW, "an event ends beyond its batch, of type 20", 0},
    {"raw 13 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 19", 0},
    {"raw 13 01 00 " LONG "\n" FEW, "an event ends beyond its batch, of type 19", 0},
    {"raw 15 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 21", 0},
    {"raw 15 01 02 " LONG "\n" FEW, "an event ends beyond its batch, of type 21", 0},
    {"raw 15 01 02 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 21", 0},
    {"raw 16 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 22", 0},
    {"raw 16 01 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 22", 0},
    {"raw 0e 01 " LONG "\n" FEW, "an event ends beyond its batch, of type 14", 0},
    {"raw 0e 01 09 " LONG "\n" FEW, "an event ends beyond its batch, of type 14", 0},
    {"raw 0e 01 09 00 " LONG "\n" FEW, "an event ends beyond its batch, of type 14", 0},
    /* out of the ordinary, and right */
    {"GoSyscallBegin +1 p_seq=1 stack=0\nGoSyscallEnd +1\n" FEW, NULL, FEW_N},
    {"HeapAlloc +1099511627776 bytes=1\n" FEW, NULL, FEW_N + 1},
    {"GoCreate +1 new_g=9 new_stack=0 stack=0\n" BLOCK
     "GoStart +1 g=9 g_seq=1\nGoDestroy +1\nGoStart +1 g=2 g_seq=1\n" FEW,
     NULL, FEW_N},
};

static void test_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        struct tracegen_buf b = {0};
        tracegen_put(&b, P0 FEW, strlen(P0 FEW));
        tracegen_put(&b, ENDS[i].what, strlen(ENDS[i].what));
        struct loaded l = load_text((const char *)b.p);
        if (ENDS[i].said) {
            const struct err *e = trace_damage(l.tr, 0);
            if (!e || strcmp(e->what, ENDS[i].said) != 0)
                fail_msg("%zu: damage '%s', expected '%s'", i, e ? e->what : "none", ENDS[i].said);
            assert_true(e->offset > 16 && e->offset < l.n);
        } else {
            expect_whole(l.tr);
        }
        if (trace_npoints(l.tr, METRIC_HEAP) != FEW_N + ENDS[i].heap)
            fail_msg("%zu: %zu values are shown", i, trace_npoints(l.tr, METRIC_HEAP));
        unload(&l);
        tracegen_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
