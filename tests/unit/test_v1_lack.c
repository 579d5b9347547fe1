/*
 * test_v1_lack.c - first family: a batch that isn't in the file, where only the file as a whole tells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/cut_help.h"
#include "tests/unit/decode_help.h"
#include "tests/unit/v1_lines.h"

#define START "batch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=2\n"
#define START_LINES "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n"
#define ROW "Stack id=70 0x10:0:0:0\n"
#define NO_EVENT "D 1 stack in its table belongs to no event: events are missing, and nothing tells when\n"

/* Of what runs nowhere nothing is known then since it was last told of: the lost batch may tell of it. */
static void test_stack_of_nothing(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START "GoCreate +5 g=2 new_stack=70\nHeapAlloc +5 bytes=1\n" ROW,
             START_LINES "5 g2 created runnable in 0x10 b1\n10 heap 1\n");
    reads_as("go 1.11\n" START "GoCreate +5 g=2\nHeapAlloc +5 bytes=1\n" ROW,
             START_LINES "5 g2 created runnable b1\n10 heap 1\n~10 g2 lost since 0\n" NO_EVENT);
    /* Ids far apart are looked up in another way. */
    reads_as("go 1.11\n" START "HeapAlloc +5 bytes=1\n" ROW "Stack id=7000000 0x10:0:0:0\n", START_LINES
             "5 heap 1\n"
             "D 2 stacks in its table belong to no event: events are missing, and nothing tells when\n");
    reads_as("go 1.11\n" START "GoSched +5 stack=7000000\n" ROW "Stack id=7000000 0x10:0:0:0\n",
             START_LINES "5 g1 runnable (runtime.Gosched) at 0x10\n~5 g1 lost since 0\n" NO_EVENT);
}

#define OLD(calls, then) \
    "go 1.5\nbatch p=0 seq=1 t=100\nGoCreate dseq=0 g=1 pc=0\nProcStart dseq=1 thread=0\nGoStart dseq=1 " \
    "g=1\n" \
    "Gomaxprocs dseq=1 procs=2\n" calls "HeapAlloc dseq=" then " +10 bytes=1\n"
#define OLD_LINES "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n"

/* Go 1.5 counts its events. A call that has returned took a number, too, which is written when its goroutine
 * runs: or never. */
static void test_numbers(void **state)
{
    (void)state;
    reads_as(OLD("", "1"), OLD_LINES "10 heap 1\n");
    reads_as(OLD("", "4"),
             OLD_LINES "10 heap 1\n"
                       "D the numbers of its events have gaps, 3 in all: events are missing, or have "
                       "wrong numbers\n");
    reads_as(OLD("GoSysCall dseq=1 +1\nGoSysBlock dseq=1 +1\n", "2"),
             OLD_LINES "2 g1 syscall p0 m0\n12 heap 1\n");
}

static void slice_says(const char *trace, int64_t from, bool lost)
{
    size_t n;
    uint8_t *data = tracegen_bytes(trace, &n);
    struct bytes out = {0};
    struct cut_result res = {0};
    struct err e;
    assert_int_equal(cut(data, n, from, INT64_MAX, &out, &res, &e), ERR_OK);
    assert_int_equal(res.lost.code != ERR_OK, lost);
    assert_int_equal(res.damage.code, ERR_OK);
    mem_free(out.p);
    free(data);
}

/* A slice has what is there, all of it, and says that something is missing. */
static void test_slices(void **state)
{
    (void)state;
    for (int64_t from = 0; from < 8; from += 7) {
        slice_says("go 1.11\n" START "GoCreate +5 g=2\nHeapAlloc +5 bytes=1\n" ROW, from, true);
        slice_says("go 1.11\n" START "GoCreate +5 g=2 new_stack=70\nHeapAlloc +5 bytes=1\n" ROW, from, false);
        slice_says(OLD("", "4"), from, true);
        slice_says(OLD("", "1"), from, false);
    }
}

/* The profiler's stacks are events' stacks. */
static void test_profile_has_stacks(void **state)
{
    (void)state;
    reads_as("go 1.19\n" START
             "HeapAlloc +100 bytes=2\nbatch p=0 t=40\nCPUSample +0 ticks=20 p=0 g=1 stack=70\n" ROW,
             START_LINES "20 sample g1 p0 at 0x10\n100 heap 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_of_nothing),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_profile_has_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
