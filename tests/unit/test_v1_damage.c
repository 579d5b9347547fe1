/*
 * test_v1_damage.c - the first family's reader with files that are cut, broken or made up to hurt.
 *
 * What can be read is shown, what is missing is said, nothing reads out of bounds, runs away or leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/decode_help.h"
#include "tests/unit/v1_lines.h"

#define START "batch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=2\n"
#define START_LINES "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n"
#define FILLING \
    "100 bytes: near its end a file is read with more care. 100 bytes: near its end a file is read with " \
    "more."
#define NO_TABLES "D the file ends without its tables of stacks and names\n"

/* Without its end a file has no tick rate: times are ticks, and what runs at the end of the data is unknown
 * then. */
#define NO_NAMES(n) "D " n " of stacks or strings that are not in the file: its end is missing\n"

static void test_no_clock(void **state)
{
    (void)state;
    const char *trace = "go 1.21\nnoauto\n" START "GoSysCall +100 stack=5\nHeapAlloc +100 bytes=7\n";
    const char *want = "~0 m0\n0< p0 sched m0\n0< g1 is running p0\n~0 procs 2\n100 g1 syscall p0 m0\n"
                       "101 g1 running p0 m0\n"
                       "200 heap 7\n~200 g1 unknown\n~200 p0 none\n" NO_TABLES NO_NAMES("1 use");
    reads_as(trace, want);
    reads_with(trace,
               "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n50 g1 syscall p0 m0\n"
               "51 g1 running p0 m0\n"
               "100 heap 7\n~100 g1 unknown\n~100 p0 none\n" NO_TABLES NO_NAMES("1 use"),
               2e9, NULL);
}

static void test_header_alone(void **state)
{
    (void)state;
    reads_as("go 1.11\nnoauto\n", NO_TABLES "F no events: the file holds a header and nothing else\n");
    reads_as("prototype\nnoauto\nraw ff ff\n", "D an unknown event type*\n"
                                               "F no events: nothing in the file could be read\n");
}

/* Bytes of nonsense within a batch: the next batch is found again, what was lost is marked. */
static void test_damage_in_the_middle(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START "HeapAlloc +10 bytes=1\nraw 00 ff 00 ff 00 ff 00 ff\n"
             "batch p=1 t=20\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n",
             START_LINES "10 heap 1\n~10 g1 unknown\n~10 p0 none\n~20 m3\n20 p1 sched m3\n25 heap 2\n~25 p1 "
                         "none\n~25 m0 lost since 10\n"
                         "D an unknown event type (event 0, ?); skipped 8 bytes\n");
}

/* No text of a log is as long as this one says: it is damage there, not the end of the file. */
static void test_long_text(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START "HeapAlloc +10 bytes=1\nraw f0 04 01 01 01 00 c1 84 3d 61 62\n"
             "batch p=1 t=20\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n",
             START_LINES "10 heap 1\n~10 g1 unknown\n~10 p0 none\n~20 m3\n20 p1 sched m3\n25 heap 2\n~25 p1 "
                         "none\n~25 m0 lost since 10\n"
                         "D a string of more than a million bytes (event 48, UserLog); skipped 11 bytes\n");
}

/* Behind the tick rate there are tables only, so what is broken there is no event of the batch before. */
static void test_damage_behind_the_rate(void **state)
{
    (void)state;
    reads_as(
        "go 1.11\nnoauto\n" START "HeapAlloc +10 bytes=1\nFrequency freq=1000000000\nraw e1 01 05 07 00 ff\n"
        "batch p=1 t=20\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\nString id=1 \"" FILLING "\"\n",
        START_LINES "10 heap 1\n~20 m3\n20 p1 sched m3\n25 heap 2\n"
                    "D values that do not fit the event's length (event 33, HeapAlloc); skipped 6 bytes\n");
}

/* The same with more of that P to come: between, nothing is known of it, nor of what it ran. */
static void test_gap(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START "HeapAlloc +10 bytes=1\nraw 00 ff 00 ff 00 ff 00 ff\n"
             "batch p=0 t=30\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n",
             START_LINES "10 heap 1\n~10 g1 unknown\n~10 p0 none\n~30 m3\n30 p0 sched m3\n35 heap 2\n~35 p0 "
                         "none\n~35 m0 lost since 10\n"
                         "D an unknown event type (event 0, ?); skipped 8 bytes\n");
}

/* The runtime gives each string's id once: what is called by one that has two texts may be called wrongly.
 * The same text twice is no harm. */
static void test_string_twice(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        char text[600];
        snprintf(text, sizeof text,
                 "go 1.11\n" START "HeapAlloc +10 bytes=1\nString id=7 \"one\"\nString id=7 \"%s\"\n",
                 other ? "two" : "one");
        struct loaded l = load_text(text);
        assert_int_equal(trace_info(l.tr)->ndamages, other);
        if (other)
            assert_string_equal(trace_damage(l.tr, 0)->what,
                                "string 7 has another text before: names may be wrong");
        unload(&l);
    }
}

/* A thread without a P may have had the one whose events are missing, until it has one again. */
static void test_gap_thread(void **state)
{
    (void)state;
    reads_as(
        "go 1.11\n" START "HeapAlloc +10 bytes=1\nraw 00 ff 00 ff 00 ff 00 ff\n"
        "batch p=1 t=5\nProcStart +0 thread=3\nProcStop +2\nProcStart +23 thread=3\nHeapAlloc +5 bytes=2\n",
        START_LINES
        "~5 m3\n5 p1 sched m3\n7 p1 idle\n10 heap 1\n~10 g1 unknown\n~10 p0 none\n~30 m3 lost since 10\n"
        "30 p1 sched m3\n35 heap 2\n~35 p1 none\n~35 m0 lost since 10\n"
        "D an unknown event type (event 0, ?); skipped 8 bytes\n");
}

/*
 * A system call ends at its real time, but by its number it is another one: between them the goroutine did
 * what nobody told of, so the first wasn't as long.
 */
static void test_another_call(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START "GoSysCall +10\nGoSysBlock +5\nraw 00 ff 00 ff 00 ff 00 ff\n"
             "batch p=1 t=1000\nProcStart +0 thread=3\nGoSysExit +20 g=1 seq=9 ticks=900\n",
             START_LINES
             "10 g1 syscall p0 m0\n~15 p0 none\n~900 g1 lost since 0\n900 g1 runnable\n~1000 m3\n"
             "1000 p1 sched m3\n~1020 g1 lost since 15\n~1020 p1 none\n~1020 m0 lost since 15\n"
             "D an unknown event type (event 0, ?); skipped 8 bytes\n"
             "D no order makes all events consistent (first at GoSysExit, goroutine 1): some are missing\n");
}

/*
 * The batch behind a gap goes on when its processor's next one has begun: what is said of it has the place of
 * its first event in the file, which the gap in front of it doesn't stand in.
 */
static void test_gap_then_too_long(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.11\n" START "HeapAlloc +10 bytes=1\nraw 00 ff 00 ff 00 ff 00 ff\n"
                                "batch p=0 t=20\nProcStart +0 thread=3\nHeapAlloc +9000000 bytes=2\n"
                                "HeapAlloc +9000000 bytes=3\nbatch p=0 t=30\nProcStart +0 thread=3\n");
    const struct err *e = trace_damage(l.tr, 1);
    static const uint8_t start[] = {0x45, 0, 3}; /* ProcStart +0 thread=3 */
    assert_non_null(strstr(e->what, "behind the next one's begin: one of them is another's"));
    assert_true(e->offset < l.n - sizeof start);
    assert_memory_equal(l.bytes + e->offset, start, sizeof start);
    unload(&l);
}

/* A program has as many processors as GOMAXPROCS says. */
static void test_too_many(void **state)
{
    (void)state;
    reads_as("go 1.11\n" START
             "HeapAlloc +10 bytes=1\nbatch p=2 t=20\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n",
             START_LINES
             "10 heap 1\n~20 m3\n20 p2 sched m3\n25 heap 2\n"
             "D a batch of processor 2, where GOMAXPROCS is 2: it is another's, or there are more\n");
}

/* An event is missing on which another waits: it is let through, once, and said; what it jumps over is not
 * recorded. */
static void test_missing_event(void **state)
{
    (void)state;
    reads_as("go 1.10\n" START "GoBlockRecv +10\nGoStart +10 g=1 seq=3\nGoEnd +1\n", START_LINES
             "10 g1 waiting (chan receive)\n~20 g1 lost since 0\n20 g1 running p0 m0\n21 g1 none\n"
             "D no order makes all events consistent (first at GoStart, goroutine 1): some are missing\n");
    reads_as("go 1.10\n" START
             "GoBlockRecv +10 stack=runtime.cgocallback:1\nGoStart +10 g=1 seq=3\nGoEnd +1\n",
             START_LINES "10 g1 waiting (chan receive) at runtime.cgocallback\n~20 g1 lost since 0\n20 g1 "
                         "running p0 m0\n21 g1 none\n"
                         "D no order makes all events consistent (first at GoStart, goroutine 1): threads of "
                         "C call Go (cgo), of "
                         "which "
                         "Go before 1.22 doesn't record all\n");
}

/*
 * P 0 wakes g2 and g3, which is lost with the rest of its batch. P 1 does not wait for it: its events come at
 * their times, g2 is not recorded from the gap to its start; nor is g3, of which nothing is told any more, to
 * the end.
 */
static void test_others_go_on(void **state)
{
    (void)state;
    const char *two =
        "batch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nGoWaiting g=2\nGoCreate g=3\nGoWaiting g=3\n"
        "ProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=2\n";
    char text[600];
    snprintf(text, sizeof text,
             "go 1.11\n%sHeapAlloc +10 bytes=1\nraw 00 ff 00 ff 00 ff 00 ff\n"
             "batch p=1 t=20\nProcStart +0 thread=3\nGoStart +3000000 g=2 seq=3\nGoBlockRecv +5\n"
             "HeapAlloc +4000000 bytes=2\n",
             two);
    reads_as(text,
             "0< g2 is waiting\n1< g3 is waiting\n~1 m0\n2< p0 sched m0\n3< g1 is running p0\n~3 procs 2\n10 "
             "heap 1\n"
             "~10 g1 unknown\n~10 p0 none\n~20 m3\n20 p1 sched m3\n"
             "~3000020 g2 lost since 10\n3000020 g2 running p1 m3\n3000025 g2 waiting (chan receive)\n"
             "7000025 heap 2\n~7000025 p1 none\n~7000025 g2 lost since 0\n~7000025 g2 lost since 10\n"
             "~7000025 g3 lost since 0\n~7000025 g3 lost since 10\n~7000025 m0 lost since 10\n"
             "D an unknown event type (event 0, ?); skipped 8 bytes\n"
             "D no order makes all events consistent (first at GoStart, goroutine 2): some are missing\n");
}

/* A bit has made a call a stop: what the P does then nobody told of. From the stop on it isn't recorded, and
 * it is said. */
static void test_runs_nothing(void **state)
{
    (void)state;
    reads_as("go 1.19\n" START "GoBlock +10\nGoSysCall +10\nGoSysCall +5\n", START_LINES
             "10 g1 waiting\n~20 p0 lost since 0\n~25 p0 lost since 0\n~25 g1 lost since 0\n"
             "D 2 events contradict what came before: what may be lost between is not recorded\n");
}

/* A goroutine that was neither there as the trace began nor made since. */
static void test_out_of_nowhere(void **state)
{
    (void)state;
    reads_as("prototype\nbatch p=0 t=0\nGoCreate g=1 pc=0\nProcStart\nGoStart g=1\nGomaxprocs procs=1\n"
             "GoUnblock +10 g=5 stack=0\n",
             "0< p0 sched\n1< g1 is running p0\n~1 procs 1\n~10 g5 is waiting\n10 g5 runnable b1\n~10 g5 "
             "lost since 0\n"
             "D 1 event contradicts what came before: what may be lost between is not recorded\n");
}

/* Who is there is listed as the trace begins, and never again: here a bit has
 * made it of a value of the heap. */
static void test_listed_later(void **state)
{
    (void)state;
    reads_as("prototype\nbatch p=0 t=0\nGoCreate g=1 pc=0\nProcStart\nGoStart g=1\nGomaxprocs procs=1\n"
             "HeapAlloc +5 bytes=7\nGoInSyscall +5 g=4416653\n",
             "0< p0 sched\n1< g1 is running p0\n~1 procs 1\n5 heap 7\n10 g4416653 is syscall\n~10 g4416653 "
             "lost since 0\n"
             "D 1 event contradicts what came before: what may be lost between is not recorded\n");
}

#define ONE_MORE "D 1 event contradicts what came before: what may be lost between is not recorded\n"

/* What begins twice, or ends without having begun, shows that an event is missing or was another: Go's reader
 * refuses each of these. */
static void test_begun_or_ended_twice(void **state)
{
    (void)state;
    reads_as("go 1.19\n" START "GCSweepDone +10 swept=1 reclaimed=2\n",
             START_LINES "10 end sweep p0 1,2\n" ONE_MORE);
    reads_as("go 1.19\n" START "GCSweepStart +10\nGCSweepStart +1\nGCSweepDone +1 swept=1 reclaimed=2\n",
             START_LINES "10 begin sweep p0\n11 begin sweep p0\n12 end sweep p0 1,2\n" ONE_MORE);
    reads_as("go 1.19\n" START "GCDone +10\n", START_LINES "10 end gc\n" ONE_MORE);
    reads_as("go 1.19\n" START "GoBlock +10\nProcStop +1\nProcStop +1\n",
             START_LINES "10 g1 waiting\n11 p0 idle\n12 p0 idle\n~12 g1 lost since 0\n" ONE_MORE);
    reads_as("go 1.19\n" START
             "UserTaskCreate +1 task=1 parent=0 name=0 stack=0\nUserTaskEnd +1 task=1 stack=0\n"
             "UserTaskCreate +1 task=1 parent=0 name=0 stack=0\n",
             START_LINES "2 g1 task 1\n3 g1 endtask 1\n4 g1 task 1\n");
    reads_as("go 1.19\n" START "UserTaskCreate +1 task=1 parent=0 name=0 stack=0\n"
             "UserTaskCreate +1 task=1 parent=0 name=0 stack=0\n",
             START_LINES "2 g1 task 1\n3 g1 task 1\n" ONE_MORE);
    reads_as("go 1.19\n" START "GoBlock +10\nProcStart +1 thread=0\n",
             START_LINES "10 g1 waiting\n11 p0 sched m0\n~11 g1 lost since 0\n" ONE_MORE);
    reads_as("go 1.19\n" START "GoBlock +10\nProcStop +1\nProcStart +1 thread=0\nGCSweepStart +1\n"
             "GCSweepDone +1 swept=1 reclaimed=2\nGCStart +1 seq=0 stack=0\nGCDone +1\n",
             START_LINES "10 g1 waiting\n11 p0 idle\n12 p0 sched m0\n13 begin sweep p0\n14 end sweep p0 1,2\n"
                         "15 begin gc\n16 end gc\n");
}

/* Ids of strings and stacks that are far from each other, and given twice: the first string counts, and the
 * last stack. */
static void test_far_names(void **state)
{
    (void)state;
#define FAR_1 "900000000000"
#define FAR_2 "18000000000000000000"
    reads_as("go 1.11\nnoauto\n" START "UserTaskCreate +1 task=1 parent=0 name=" FAR_1 " stack=" FAR_2 "\n"
             "UserTaskCreate +1 task=2 parent=0 name=" FAR_2 " stack=" FAR_1 "\nGoBlock +1 stack=3\n"
             "Frequency freq=1000000000\nString id=1 \"f\"\nString id=2 \"file\"\nString id=3 \"other\"\n"
             "String id=" FAR_2 " \"two\"\nString id=" FAR_1 " \"one\"\nString id=" FAR_1 " \"again\"\n"
             "Stack id=" FAR_2 " 0x10:1:2:3\nStack id=" FAR_1 " 0x11:1:2:3\nStack id=" FAR_2 " 0x12:3:2:3\n",
             START_LINES "2 g1 task 1 one at other\n3 g1 task 2 two at f\n4 g1 waiting\n"
                         "D string 900000000000 has another text before: names may be wrong\n"
                         "D 1 use of stacks or strings that are not in the file: its end is missing\n");
}

/* What is broken within the tables takes with it what it was, not what follows: also if it is a length, or
 * the first of them. */
static void test_broken_tables(void **state)
{
    (void)state;
#define TASKS \
    "UserTaskCreate +1 task=1 parent=0 name=1 stack=1\nUserTaskCreate +1 task=2 parent=0 name=2 " \
    "stack=2\nGoBlock " \
    "+1\n"
#define BEFORE "String id=1 \"f\"\nStack id=1 0x10:1:1:2\n"
#define BEHIND \
    "Stack id=2 0x11:2:2:3\nString id=2 \"g\"\nStack id=3 0x12:2:2:3\nString id=3 \"h\"\nStack id=4 " \
    "0x13:2:2:3\n"
#define PART(n) "D " n " of stacks or strings that are not in the file: a part of its tables is missing\n"
    reads_as("go 1.11\nnoauto\n" START TASKS "Frequency freq=1000000000\n" BEFORE "raw 00 ff 41 ff\n" BEHIND,
             START_LINES "2 g1 task 1 f at f\n3 g1 task 2 g at g\n4 g1 waiting\n"
                         "D an unknown event type (event 0, ?); skipped 4 bytes\n");
    reads_as("go 1.11\nnoauto\n" START TASKS "Frequency freq=1000000000\n" BEFORE
             "raw c3 ff 7f 01 01\n" BEHIND,
             START_LINES "2 g1 task 1 f at f\n3 g1 task 2 g at g\n4 g1 waiting\n"
                         "D a length beyond what follows it (event 3, Stack); skipped 5 bytes\n");
    reads_as("go 1.11\nnoauto\n" START TASKS "Frequency freq=1000000000\nraw 00 ff 41 ff\n" BEHIND,
             START_LINES "2 g1 task 1 #1\n3 g1 task 2 g at g\n4 g1 waiting\n"
                         "D an unknown event type (event 0, ?); skipped 4 bytes\n" PART("2 uses"));
    reads_as("go 1.5\nnoauto\nbatch p=0 seq=0 t=0\nGomaxprocs procs=2\nHeapAlloc +2000 bytes=1\n"
             "Stack id=1 0x10\nraw 00 ff 41 ff\nStack id=2 0x11\nStack id=3 0x12\nFrequency freq=500000000\n",
             "~0 procs 2\n4000 heap 1\nD an unknown event type (event 0, ?); skipped 4 bytes\n");
}

/* The profiler's batches say P 0, and are none of it: they go on while P 0's do. One is the last before the
 * tick rate. */
static void test_profile(void **state)
{
    (void)state;
    reads_as("go 1.19\n" START "HeapAlloc +10 bytes=1\nHeapAlloc +90 bytes=2\n"
             "batch p=0 t=40\nCPUSample +0 ticks=20 p=0 g=1\nCPUSample +10 ticks=45 p=0 g=1\n",
             START_LINES "10 heap 1\n20 sample g1 p0\n45 sample g1 p0\n100 heap 2\n");
}

/* A P's batches: one twice, two exchanged, one that says an earlier time than the one in front of it. */
static void test_batches(void **state)
{
    (void)state;
#define ONE "batch p=0 t=100\nHeapAlloc +0 bytes=1\nHeapAlloc +10 bytes=2\n"
#define TWO "batch p=0 t=200\nHeapAlloc +0 bytes=3\nHeapAlloc +10 bytes=4\n"
#define ONE_LINES "100 heap 1\n110 heap 2\n"
#define TWO_LINES "200 heap 3\n210 heap 4\n"
#define LONG "HeapAlloc +8000000 bytes=4\nHeapAlloc +8000000 bytes=4\nHeapAlloc +8000000 bytes=4\n"
#define LONG_LINES \
    "8000210 heap 4\n16000210 heap 4\n24000210 heap 4\n~24000210 g1 unknown\n~24000210 p0 none\n"
    reads_as("go 1.21\n" START ONE TWO, START_LINES ONE_LINES TWO_LINES);
    reads_as("go 1.21\n" START ONE ONE TWO, START_LINES ONE_LINES TWO_LINES
             "D a batch of processor 0 stands there twice: the second one is left out\n");
    reads_as("go 1.21\n" START TWO ONE, START_LINES ONE_LINES TWO_LINES
             "D a batch of processor 0 stands in another order than it was written\n");
    reads_as(
        "go 1.21\n" START ONE TWO LONG "batch p=0 t=300\nHeapAlloc +0 bytes=5\nHeapAlloc +10 bytes=6\n",
        START_LINES ONE_LINES TWO_LINES LONG_LINES
        "D a batch of processor 0 goes on 0.024000 s behind the next one's begin: one of them is another's\n"
        "D a batch of processor 0 says a time before the end of the one in front of it: it is left out\n");
}

/* The clocks of two Ps disagree: order is by sequence, time is held at what it had reached. */
/* One with a time that is none of the trace's is left out, and the P is unknown where it stood. */
static void test_batch_out_of_time(void **state)
{
    (void)state;
#define LATER(t) "batch p=0 t=" t "\nHeapAlloc +0 bytes=1\nHeapAlloc +10 bytes=2\n"
#define END(t) "batch p=0 t=" t "\nFrequency freq=1000000000\n"
#define TORN "~1 g1 unknown\n~1 p0 none\n100 heap 1\n110 heap 2\n~110 m0 lost since 0\n"
    reads_as("go 1.21\nnoauto\n" START LATER("900000000000") LATER("100") END("300"), START_LINES TORN
             "D a batch of processor 0 is left out: its time is 899.990000 s behind its end\n");
    reads_as("go 1.21\nnoauto\nbatch p=0 t=1000000000\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\n"
             "Gomaxprocs procs=2\n" LATER("500000000") LATER("1000000100") END("1000000300"),
             START_LINES TORN
             "D a batch of processor 0 is left out: its time is 0.490000 s before the trace begins\n");
}

/* So are ends of system calls, and samples, that say such times. */
static void test_moved_out_of_time(void **state)
{
    (void)state;
    reads_as(
        "go 1.21\nnoauto\n" START
        "GoSysCall +10\nGoSysBlock +10\nGoSysExit +50 g=1 seq=2 ticks=900000000000\n"
        "batch p=0 t=60\nCPUSample +0 ticks=20 p=0 g=1\nCPUSample +1 ticks=900000000000 p=0 g=1\n" END("300"),
        START_LINES
        "10 g1 syscall p0 m0\n20 sample g1 p0\n70 g1 runnable\n"
        "D 1 end of system calls and 1 CPU sample say times before the trace or behind it: left out\n");
}

/* Where as much is missing as a buffer holds, it may have been a batch of any P: nothing is known of those
 * either. */
static void test_much_garbage(void **state)
{
    (void)state;
    enum { MUCH = 66000, LESS = 60000 };
    static char text[3 * MUCH + 1000];
    for (int much = 0; much < 2; much++) {
        int n = snprintf(text, sizeof text,
                         "go 1.11\n" START "batch p=1 t=5\nProcStart +0 thread=3\nProcStop +1\n"
                         "batch p=0 t=10\nHeapAlloc +0 bytes=1");
        for (int i = 0; i < (much ? MUCH : LESS); i++) {
            memcpy(text + n, i % 500 ? " 00" : "\nraw 00", i % 500 ? 3 : 7);
            n += i % 500 ? 3 : 7;
        }
        snprintf(text + n, sizeof text - (size_t)n,
                 "\nbatch p=1 t=100\nProcStart +0 thread=3\nHeapAlloc +5 bytes=2\n");
#define FIRST START_LINES "~5 m3\n5 p1 sched m3\n6 p1 idle\n"
#define AFTER "10 heap 1\n~10 g1 unknown\n~10 p0 none\n~100 m3 lost since "
#define END_OF_P1 "100 p1 sched m3\n105 heap 2\n~105 p1 none\n~105 m0 lost since 10\n"
        reads_as(text, much ? FIRST "~6 p1 none\n" AFTER "6\n" END_OF_P1
                                    "D an unknown event type (event 0, ?); skipped 66000 bytes\n"
                            : FIRST AFTER "10\n" END_OF_P1
                                          "D an unknown event type (event 0, ?); skipped 60000 bytes\n");
    }
}

static void test_clock_skew(void **state)
{
    (void)state;
    reads_as("go 1.10\n" START "GoSched +50\nbatch p=1 t=10\nProcStart +0 thread=1\nGoStart +10 g=1 seq=2\n"
             "GoEnd +100\n",
             "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n~10 m1\n10 p1 sched m1\n"
             "50 g1 runnable (runtime.Gosched)\n51 g1 running p1 m1\n120 g1 none\n"
             "D time stamps out of order: GoStart is 30 ticks before what it follows; shown at that time\n");
}

static void test_1_5_out_of_order(void **state)
{
    (void)state;
    reads_as("go 1.5\nbatch p=0 seq=1 t=100\nGoCreate dseq=0 g=1 pc=0\nProcStart dseq=1 thread=0\n"
             "GoStart dseq=1 g=1\n"
             "Gomaxprocs dseq=1 procs=2\nHeapAlloc dseq=1 +10 bytes=1\n"
             "batch p=1 seq=9 t=105\nHeapAlloc dseq=0 +0 bytes=2\n",
             "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n10 heap 1\n11 heap 2\n"
             "D time stamps out of order: HeapAlloc is 5 ticks before what it follows; shown at that time\n");
}

static void test_exit_before_entry(void **state)
{
    (void)state;
    reads_as("go 1.9\n" START "GoSysCall +50\nGoSysBlock +1\nProcStop +1\nProcStart +8 thread=1\n"
             "GoSysExit +1 g=1 seq=2 ticks=20\n",
             START_LINES "50 g1 syscall p0 m0\n52 p0 idle\n~60 m1\n60 p0 sched m1\n61 g1 runnable\n"
                         "D goroutine 1 left a system call before it entered it: the clocks disagree\n");
}

/* In a cut file a name that is referred to but not there is its number; in a whole one nothing. */
static void test_missing_names(void **state)
{
    (void)state;
    reads_as("go 1.11\nnoauto\n" START "UserTaskCreate +1 task=1 parent=0 name=9 stack=4\n",
             "~0 m0\n0< p0 sched m0\n0< g1 is running p0\n~0 procs 2\n1 g1 task 1 #9\n~1 g1 unknown\n"
             "~1 p0 none\n" NO_TABLES NO_NAMES("2 uses"));
}

static void test_bad_frequency(void **state)
{
    (void)state;
    reads_as("go 1.11\nnoauto\n" START "Frequency freq=-5\n",
             "~0 m0\n0< p0 sched m0\n0< g1 is running p0\n~0 procs 2\n"
             "D the tick rate is -5: the clocks of the processors disagree\n");
}

/* Later dialects reserve the futile wake-up; Go's own reader refuses it. */
static void test_futile_where_there_is_none(void **state)
{
    (void)state;
    reads_as("go 1.19\n" START "FutileWakeup +1\n",
             START_LINES "D event 36 (FutileWakeup), which no writer of this dialect makes\n");
}

/* ---- everything, broken in every way ------------------------------------------------------------------- */

static const char *const MIXED[] = {
    "prototype\nbatch p=1 t=20\nProcStart\nGoStart g=2\nGoSysCall +5 stack=!0x10\nGoSysBlock +1 stack=!0x11\n"
    "ProcStop\n"
    "batch p=0 t=0\nGoCreate g=1 pc=0x40\nGoCreate g=2 pc=0x50\nGoWaiting g=2\nProcStart\nGoStart g=1\n"
    "Gomaxprocs procs=2\nGoUnblock +9 g=2 stack=!0x33,!0x34\nGoSysExit +30 g=2\nGCStart\nGCDone\nGoEnd +5\n",
    "go 1.5\nbatch p=0 seq=1 t=0\nGoCreate g=1 pc=1\nGoCreate g=2 pc=2\nGoWaiting g=2\nProcStart thread=0\n"
    "GoStart g=1\n"
    "Gomaxprocs procs=1\nGoUnblock +9 g=2 stack=!0x5\nGoSched\nGoStart g=2\nFutileWakeup\nGoBlockSync\n"
    "GoStart +3 g=1\n"
    "GoSysCall +1\nGoSysBlock +1\nGoSysExit +9 g=1 seq=17 ticks=18\n",
    "go 1.19\nbatch p=1 t=60\nProcStart thread=7\nGoSysExit +5 g=1 seq=2 ticks=50\nGoStart g=1 seq=3\n"
    "UserLog task=3 key=\"k\" value=\"v\"\nUserRegion task=3 mode=0 name=\"r\"\n"
    "GoStartLabel +9 g=2 seq=2 label=\"GC (idle)\"\n"
    "batch p=0 t=0\nGoCreate g=1 new_stack=main.m:1\nGoCreate g=2\nGoWaiting g=2\nProcStart thread=0\n"
    "GoStart g=1 seq=1\n"
    "Gomaxprocs procs=2 stack=a.b:1,c.d:2\nCPUSample +1 ticks=9 p=0 g=1 stack=x.y:3\nSTWStart +1 "
    "kind=1\nSTWDone\n"
    "GoSysCall +9 stack=os.r:1\nGoSysBlock +4\nProcStop\nGCStart seq=0\nGCSweepStart\n"
    "GCSweepDone swept=3 reclaimed=1\n"
    "GCDone +50\nGCMarkAssistStart\nUserTaskCreate task=3 parent=0 name=\"t\"\n",
};
#define NMIXED (sizeof MIXED / sizeof *MIXED)

/* survives - read bytes that may be anything; time must not run backwards, memory must come back. */
static uint64_t survives(const uint8_t *data, size_t n, int version)
{
    size_t before = mem_live();
    struct lines l = {.no_text = true};
    uint8_t *exact = malloc(n); /* so that a sanitizer sees a read behind the end */
    memcpy(exact, data, n);
    lines_bytes(&l, exact, n, version);
    assert_int_equal(l.backward, 0);
    uint64_t events = l.events;
    lines_free(&l);
    free(exact);
    assert_int_equal(mem_live(), before);
    return events;
}

static void test_every_prefix(void **state)
{
    (void)state;
    for (size_t i = 0; i < NMIXED; i++) {
        size_t n;
        uint8_t *data = tracegen_bytes(MIXED[i], &n);
        int version = lines_version(data);
        uint64_t last = 0;
        for (size_t k = version ? 16 : 8; k <= n; k++)
            last = survives(data, k, version);
        if (last <= 8)
            fail_msg("%zu: only %llu events", i, (unsigned long long)last);
        free(data);
    }
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    uint32_t x = 12345;
    for (size_t i = 0; i < NMIXED; i++) {
        size_t n;
        uint8_t *data = tracegen_bytes(MIXED[i], &n);
        int version = lines_version(data);
        size_t head = version ? 16 : 8;
        for (int round = 0; round < 3000; round++) {
            uint8_t *copy = malloc(n);
            memcpy(copy, data, n);
            for (unsigned k = 0; k < 1 + x % 4; k++) {
                x = x * 1664525 + 1013904223;
                copy[head + (x >> 8) % (n - head)] = (uint8_t)(x >> 3);
            }
            survives(copy, n, version);
            free(copy);
        }
        free(data);
    }
}

/* Read under another dialect's header everything is a surprise. */
static void test_wrong_dialect(void **state)
{
    (void)state;
    static const int versions[] = {0, 1005, 1007, 1008, 1009, 1010, 1011, 1019, 1021};
    for (size_t i = 0; i < NMIXED; i++) {
        size_t n;
        uint8_t *data = tracegen_bytes(MIXED[i], &n);
        for (size_t k = 0; k < sizeof versions / sizeof *versions; k++)
            survives(data, n, versions[k]);
        free(data);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < NMIXED; i++) {
        size_t n;
        uint8_t *data = tracegen_bytes(MIXED[i], &n);
        bool refused = true;
        for (long k = 1; refused; k += k < 200 ? 1 : k / 20) {
            struct lines l = {.no_text = true};
            struct ev_half evs[64];
            struct err e;
            size_t before = mem_live();
            assert_int_equal(names_init(&l.names), ERR_OK);
            l.s = (struct source){.data = data,
                                  .len = n,
                                  .version = lines_version(data),
                                  .header = lines_version(data) ? 16 : 8,
                                  .opts = &l.opts,
                                  .names = &l.names};
            mem_fail_after(k);
            if (source_v1(&l.s, &e) == ERR_OK) {
                while (l.s.ops->stream(&l.s, evs, 64))
                    continue;
                l.s.ops->close(&l.s);
            } else {
                assert_int_equal(e.code, ERR_NOMEM);
            }
            void *next = mem_alloc(1);
            refused = !next;
            mem_free(next);
            source_notes_free(&l.s);
            mem_fail_after(-1);
            lines_free(&l);
            assert_int_equal(mem_live(), before);
            assert_true(k < 100000);
        }
        free(data);
    }
}

/* Sixty thousand processors that all wait for one goroutine, which changes all
 * the time: no quadratic time. */
static void test_many_processors(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.10 trace");
    tracegen_put(&b, "\0\0", 3);
    uint64_t id[2] = {1, 2};
    for (unsigned p = 0; p < 60000; p++) {
        tracegen_put(&b, "\x41", 1);
        tracegen_varint(&b, p + 1, 0);
        tracegen_varint(&b, 100, 0);
        tracegen_put(&b, "\x8e", 1); /* GoStart of goroutine 1 with a number that never comes */
        tracegen_varint(&b, 1, 0);
        tracegen_varint(&b, id[0], 0);
        tracegen_varint(&b, 1000000 + p, 0);
    }
    tracegen_put(&b, "\x41\x00\x00", 3);
    tracegen_put(&b, "\xcd\x04\x01\x01\x00\x00", 6); /* GoCreate 1 */
    for (unsigned i = 0; i < 200000; i++)
        tracegen_put(&b, "\x66\x01\x01\x51\x01\x00", 6); /* GoStartLocal 1, GoSched */
    struct lines l = {.no_text = true};
    lines_bytes(&l, b.p, b.n, 1010);
    assert_true(l.events > 400000);
    assert_true(l.s.st.ndamages > 0);
    lines_free(&l);
    tracegen_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_begun_or_ended_twice),
        cmocka_unit_test(test_header_alone),
        cmocka_unit_test(test_damage_in_the_middle),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_damage_behind_the_rate),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_gap_thread),
        cmocka_unit_test(test_string_twice),
        cmocka_unit_test(test_another_call),
        cmocka_unit_test(test_gap_then_too_long),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_missing_event),
        cmocka_unit_test(test_others_go_on),
        cmocka_unit_test(test_runs_nothing),
        cmocka_unit_test(test_out_of_nowhere),
        cmocka_unit_test(test_listed_later),
        cmocka_unit_test(test_far_names),
        cmocka_unit_test(test_broken_tables),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_batch_out_of_time),
        cmocka_unit_test(test_moved_out_of_time),
        cmocka_unit_test(test_much_garbage),
        cmocka_unit_test(test_clock_skew),
        cmocka_unit_test(test_1_5_out_of_order),
        cmocka_unit_test(test_exit_before_entry),
        cmocka_unit_test(test_missing_names),
        cmocka_unit_test(test_bad_frequency),
        cmocka_unit_test(test_futile_where_there_is_none),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_wrong_dialect),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_many_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
