/*
 * test_v1_rules.c - the first family's rules, one small trace each: order, times, what has to be inferred.
 *
 * Times are nanoseconds (the notation's tick rate is 10^9). Reading a line of the expectation: see
 * v1_lines.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/v1_lines.h"

/* ---- the start of a trace ------------------------------------------------------------------------------ */

/* What stands before the first Gomaxprocs is a listing: nobody created those goroutines within the trace. */
static void test_snapshot(void **state)
{
    (void)state;
    reads_as("go 1.11\n"
             "batch p=0 t=1000\n"
             "GoCreate +0 g=1 new_stack=main.main:1 stack=runtime/trace.Start:1\n"
             "GoCreate +1 g=2 new_stack=runtime.bgsweep:1\n"
             "GoWaiting +1 g=2\n"
             "GoCreate +1 g=3 new_stack=main.read:1\n"
             "GoInSyscall +1 g=3\n"
             "GoCreate +1 g=4 new_stack=main.late:1\n"
             "ProcStart +5 thread=70\n"
             "GoStart +5 g=1 seq=1\n"
             "HeapGoal +1 bytes=4096\n"
             "Gomaxprocs +5 procs=2\n"
             "GoCreate +5 g=9 new_stack=main.work:1 stack=main.main:7\n"
             "Gomaxprocs +5 procs=3\n",
             "2< g2 is waiting in runtime.bgsweep\n"
             "4< g3 is syscall in main.read\n"
             "~10 m70\n"
             "10< p0 sched m70\n"
             "15< g1 is running p0 in main.main\n"
             "16 goal 4096\n"
             "21< g4 is runnable in main.late\n"
             "~21 procs 2\n"
             "26 g9 created runnable in main.work b1 at main.main\n"
             "31 procs 3\n");
}

/* Goroutines of which the listing says nothing more share one time: Go pushes them apart by 1 ns each. */
static void test_snapshot_runnable(void **state)
{
    (void)state;
    reads_as("go 1.21\n"
             "batch p=0 t=0\n"
             "GoCreate g=1\nGoCreate +1 g=2\nGoCreate +1 g=3\nProcStart +1 thread=0\nGoStart +1 g=1 seq=1\n"
             "Gomaxprocs +10 procs=1\nGoSched +1\n",
             "~3 m0\n3< p0 sched m0\n4< g1 is running p0\n"
             "14< g2 is runnable\n15< g3 is runnable\n~15 procs 1\n16 g1 runnable (runtime.Gosched)\n");
}

/* A trace without any Gomaxprocs (cut, or made up): the listing ends where a P starts. */
static void test_snapshot_without_mark(void **state)
{
    (void)state;
    reads_as(
        "go 1.19\nbatch p=2 t=0\nGoCreate g=5\nGoCreate +1 g=6\nGoWaiting +1 g=6\nProcStart +1 thread=8\n"
        "GoStart +1 g=5 seq=1\nGoCreate +1 g=7\n",
        "2< g6 is waiting\n3< g5 is runnable\n~3 m8\n4 p2 sched m8\n5 g5 running p2 m8\n"
        "6 g7 created runnable b5\n");
}

/* ---- order --------------------------------------------------------------------------------------------- */

/* One tick on two Ps: by the sequence numbers g2 was woken before it ran, though P 1 stands first in the
 * file. */
static void test_sequence_within_a_tick(void **state)
{
    (void)state;
    reads_as(
        "go 1.10\n"
        "batch p=1 t=100\nProcStart +0 thread=1\nGoStart +0 g=2 seq=3\n"
        "batch p=0 t=10\nGoCreate +0 g=1\nGoCreate +1 g=2\nGoWaiting +1 g=2\nProcStart +1 thread=0\n"
        "GoStart +1 g=1 seq=1\nGomaxprocs +1 procs=2\nGoUnblock +85 g=2 seq=2 stack=main.wake:3\nGoEnd +50\n",
        "2< g2 is waiting\n~3 m0\n3< p0 sched m0\n4< g1 is running p0\n~5 procs 2\n"
        "~90 m1\n90 p1 sched m1\n91 g2 runnable b1 at main.wake\n92 g2 running p1 m1\n140 g1 none\n");
}

/* The Local forms carry no number: they stand on the P of their cause. */
static void test_local_forms(void **state)
{
    (void)state;
    reads_as(
        "go 1.9\n"
        "batch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nGoWaiting g=2\nProcStart +1 thread=0\nGoStartLocal +1 "
        "g=1\n"
        "Gomaxprocs +1 procs=1\nGoUnblockLocal +1 g=2\nGoBlockRecv +1 stack=main.f:1\nGoStartLocal +1 g=2\n"
        "GoUnblock +1 g=1 seq=2\nGoBlockGC +1 stack=main.f:2\n",
        "0< g2 is waiting\n~1 m0\n1< p0 sched m0\n2< g1 is running p0\n~3 procs 1\n4 g2 runnable b1\n"
        "5 g1 waiting (chan receive) at main.f\n6 g2 running p0 m0\n7 g1 runnable b2\n"
        "8 g2 waiting (GC mark assist wait for work) at main.f\n");
}

/* 1.5 has one sequence for all: it decides, even between Ps and with equal times. */
static void test_global_sequence(void **state)
{
    (void)state;
    reads_as(
        "go 1.5\n"
        "batch p=1 seq=6 t=110\nProcStart dseq=0 +0 thread=4\nGoStart dseq=2 +0 g=2\n"
        "batch p=0 seq=1 t=100\nGoCreate dseq=0 +0 g=1 pc=0\nGoCreate dseq=1 +0 g=2 pc=0\n"
        "ProcStart dseq=1 +1 thread=3\n"
        "GoStart dseq=1 +1 g=1\nGomaxprocs dseq=1 +1 procs=2\nGoSched dseq=2 +7\n",
        "~1 m3\n1< p0 sched m3\n2< g1 is running p0\n3< g2 is runnable\n~3 procs 2\n~10 m4\n10 p1 sched m4\n"
        "11 g1 runnable (runtime.Gosched)\n12 g2 running p1 m4\n");
}

/* The prototype has only a coarse clock: within one tick what makes sense
 * comes first. It knows no threads. */
static void test_prototype_ties(void **state)
{
    (void)state;
    reads_as("prototype\n"
             "batch p=1 t=10\nProcStart +0\nGoStart +10 g=2\nGoUnblock +5 g=1\nGoStop +1\n"
             "batch p=0 t=0\nGoCreate +0 g=1 pc=0\nGoCreate +1 g=2 pc=0\nGoWaiting +1 g=2\nProcStart +1\n"
             "GoStart +1 g=1\n"
             "Gomaxprocs +1 procs=2\nHeapAlloc +10 bytes=1\nGoUnblock +5 g=2\nGoBlockSelect +5\n",
             "2< g2 is waiting\n3< p0 sched\n4< g1 is running p0\n~5 procs 2\n10 p1 sched\n15 heap 1\n20 g2 "
             "runnable b1\n"
             "21 g2 running p1\n25 g1 waiting (select)\n26 g1 runnable b2\n27 g2 waiting (forever)\n");
}

/* Batches of several Ps alternate in the file; who runs on a P is known across them. */
static void test_running_across_batches(void **state)
{
    (void)state;
    reads_as(
        "go 1.7\n"
        "batch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs "
        "procs=2\n"
        "batch p=1 t=10\nProcStart thread=1\nGoStart g=2 seq=1\n"
        "batch p=0 t=20\nGoBlockSync\n"
        "batch p=1 t=30\nGoBlockCond\n"
        "batch p=0 t=40\nProcStop\n",
        "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n2< g2 is runnable\n~2 procs 2\n~10 m1\n10 p1 sched m1\n"
        "11 g2 running p1 m1\n20 g1 waiting (sync)\n30 g2 waiting (sync.(*Cond).Wait)\n40 p0 idle\n");
}

/* ---- system calls -------------------------------------------------------------------------------------- */

#define ONE_G(dialect) \
    dialect "\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\n" \
            "Gomaxprocs procs=2\n"
#define ONE_G_LINES "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 2\n"

/* No end is recorded for one that does not block: an instant. */
static void test_syscall_instant(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.19") "GoSysCall +10 stack=os.Write:1\nGoBlockNet +10\n",
             ONE_G_LINES "10 g1 syscall p0 m0 at os.Write\n11 g1 running p0 m0\n20 g1 waiting (network)\n");
}

/* One that blocks lasts from its entry, also when other things stand between on that P; its end moves to its
 * real time, before what P 1 did meanwhile, though it is written behind that. */
static void test_syscall_exit_moves(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.11") "GoSysCall +10 stack=os.Read:1\nGCStart +1 seq=0\nGoSysBlock +1\nProcStop +1\n"
                              "batch p=1 t=50\nProcStart +0 thread=5\nHeapAlloc +10 bytes=1\nGoSysExit +10 "
                              "g=1 seq=2 "
                              "ticks=55\n"
                              "GoStart +10 g=1 seq=3\n",
             ONE_G_LINES "10 g1 syscall p0 m0 at os.Read\n11 begin gc\n13 p0 idle\n~50 m5\n50 p1 sched m5\n"
                         "55 g1 runnable\n60 heap 1\n80 g1 running p1 m5\n");
}

/* A real time of 0 was from before the trace: the end stays where it was written. */
static void test_syscall_exit_stays(void **state)
{
    (void)state;
    reads_as("go 1.7\nbatch p=0 t=0\nGoCreate g=1\nGoInSyscall g=1\nProcStart thread=0\nGomaxprocs procs=1\n"
             "GoSysExit +9 g=1 seq=2 ticks=0\nGoStart +1 g=1 seq=3\n",
             "0< g1 is syscall\n~0 m0\n1< p0 sched m0\n~1 procs 1\n9 g1 runnable\n10 g1 running p0 m0\n");
}

/* The buffer of threads without a P has number -1 and no lane. Time in one tick: the exit goes before the
 * start. */
static void test_syscall_exit_without_p(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.21") "GoSysCall +10\nGoSysBlock +1\nProcStop +1\n"
                              "batch p=-1 t=30\nGoSysExit +0 g=1 seq=2 ticks=30\n"
                              "batch p=0 t=30\nProcStart +0 thread=9\nGoStart +0 g=1 seq=3\n",
             ONE_G_LINES "10 g1 syscall p0 m0\n12 p0 idle\n30 g1 runnable\n"
                         "~30 m9\n31 p0 sched m9\n32 g1 running p0 m9\n");
}

static void test_syscall_exit_local(void **state)
{
    (void)state;
    reads_as(
        ONE_G("go 1.8") "GoSysCall +10\nGoSysBlock +1\nGoSysExitLocal +9 g=1 ticks=15\nGoStartLocal +1 g=1\n",
        ONE_G_LINES "10 g1 syscall p0 m0\n15 g1 runnable\n21 g1 running p0 m0\n");
}

/* 1.5: sequence number and time of the end are arguments. */
static void test_syscall_exit_in_1_5(void **state)
{
    (void)state;
    reads_as("go 1.5\nbatch p=0 seq=1 t=0\nGoCreate dseq=0 g=1 pc=0\nProcStart dseq=1 thread=0\nGoStart "
             "dseq=1 g=1\n"
             "Gomaxprocs dseq=1 procs=1\nGoSysCall dseq=1 +10\nGoSysBlock dseq=1 +10\nHeapAlloc dseq=2 +10 "
             "bytes=5\n"
             "GoSysExit dseq=1 +10 g=1 seq=7 ticks=25\n",
             "~0 m0\n0< p0 sched m0\n1< g1 is running p0\n~1 procs 1\n10 g1 syscall p0 m0\n25 g1 runnable\n"
             "30 heap 5\n");
}

/* A call that began before the trace: nothing says more than that it lost its P. */
static void test_syscall_from_before(void **state)
{
    (void)state;
    reads_as("prototype\nbatch p=0 t=0\nGoCreate g=1 pc=0\nProcStart\nGoStart g=1\nGomaxprocs procs=1\n"
             "GoSysBlock +5\n"
             "GoSysExit +5 g=1\n",
             "0< p0 sched\n1< g1 is running p0\n~1 procs 1\n~5 g1 syscall\n10 g1 runnable\n");
}

/* ---- futile wake-ups ----------------------------------------------------------------------------------- */

/* g2 is woken, runs, is preempted, finds nothing and blocks again: it appears to stay blocked. */
static void test_futile(void **state)
{
    (void)state;
    reads_as(
        "go 1.7\n"
        "batch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nGoWaiting g=2\nProcStart thread=0\nGoStart g=1 seq=1\n"
        "Gomaxprocs procs=1\n"
        "GoUnblockLocal +10 g=2\nGoSched +1\nGoStartLocal +1 g=2\nGoPreempt +1\nGoStart +1 g=2 seq=4\n"
        "FutileWakeup +1\nGoBlockSync +1\n"
        "GoStart +4 g=1 seq=2\nGoUnblockLocal +10 g=2\nGoSched +1\nGoStartLocal +1 g=2\nGoBlockSync +1\n",
        "0< g2 is waiting\n~0 m0\n1< p0 sched m0\n2< g1 is running p0\n~2 procs 1\n"
        "11 g1 runnable (runtime.Gosched)\n20 g1 running p0 m0\n30 g2 runnable b1\n"
        "31 g1 runnable (runtime.Gosched)\n"
        "32 g2 running p0 m0\n33 g2 waiting (sync)\n");
}

/* One after the other: all of them go, and what comes behind stays. */
static void test_futile_again(void **state)
{
    (void)state;
    reads_as(
        "go 1.7\n"
        "batch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nGoWaiting g=2\nProcStart thread=0\nGoStart g=1 seq=1\n"
        "Gomaxprocs procs=1\n"
        "GoUnblockLocal +10 g=2\nGoSched +1\nGoStartLocal +1 g=2\nFutileWakeup +1\nGoBlockSync +1\n"
        "GoStart +4 g=1 seq=2\nGoUnblockLocal +10 g=2\nGoSched +1\nGoStartLocal +1 g=2\nFutileWakeup "
        "+1\nGoBlockSync +1\n"
        "GoStart +4 g=1 seq=3\nGoUnblockLocal +10 g=2\nGoSched +1\nGoStartLocal +1 g=2\nGoBlockSync +1\n",
        "0< g2 is waiting\n~0 m0\n1< p0 sched m0\n2< g1 is running p0\n~2 procs 1\n"
        "11 g1 runnable (runtime.Gosched)\n18 g1 running p0 m0\n29 g1 runnable (runtime.Gosched)\n36 g1 "
        "running "
        "p0 m0\n"
        "46 g2 runnable b1\n47 g1 runnable (runtime.Gosched)\n48 g2 running p0 m0\n49 g2 waiting (sync)\n");
}

/* Only what led to the futile run goes: an earlier wake-up, after which g2 slept, stays. */
static void test_futile_after_sleep(void **state)
{
    (void)state;
    reads_as("go 1.9\nbatch p=0 t=0\nGoCreate g=2\nGoWaiting g=2\nProcStart thread=0\nGomaxprocs procs=1\n"
             "GoUnblockLocal +10 g=2\nGoStartLocal +1 g=2\nGoSleep +1\nGoUnblockLocal +8 g=2\nGoStartLocal "
             "+1 g=2\n"
             "FutileWakeup +1\nGoBlockRecv +1\nHeapAlloc +7 bytes=1\n",
             "0< g2 is waiting\n~0 m0\n1< p0 sched m0\n~1 procs 1\n10 g2 runnable\n11 g2 running p0 m0\n"
             "12 g2 waiting (sleep)\n30 heap 1\n");
}

/* ---- stops of the world, labels, annotations ----------------------------------------------------------- */

static void test_stw_kinds(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.9") "STWStart +10\nSTWDone +1\n",
             ONE_G_LINES "10 begin stw g1 p0 (GC mark termination)\n11 end stw g1 p0\n");
    reads_as(ONE_G("go 1.10") "STWStart +10 kind=1\nSTWDone +1\nSTWStart +1 kind=0\nSTWDone +1\nSTWStart +1 "
                              "kind=7\n",
             ONE_G_LINES "10 begin stw g1 (GC sweep termination)\n11 end stw g1\n"
                         "12 begin stw g1 (GC mark termination)\n"
                         "13 end stw g1\n14 begin stw g1\n");
    reads_as(ONE_G("go 1.21") "STWStart +10 kind=9\nGoBlock +1\nSTWDone +1\nSTWStart +1 kind=99\n",
             ONE_G_LINES "10 begin stw g1 (GOMAXPROCS)\n11 g1 waiting\n12 end stw g1\n13 begin stw\n");
}

static void test_labels(void **state)
{
    (void)state;
    reads_as("go 1.8\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGomaxprocs procs=1\n"
             "GoStartLabel +5 g=1 seq=1 label=\"GC (dedicated)\"\n",
             "~0 m0\n0< p0 sched m0\n1< g1 is runnable\n~1 procs 1\n5 g1 running p0 m0\n6 g1 label GC "
             "(dedicated)\n");
}

static void test_ranges(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.11") "GCStart +10 seq=0 stack=runtime.gcStart:1\nGCMarkAssistStart "
                              "+1\nGCMarkAssistDone +1\n"
                              "GCSweepStart +1\nGCSweepDone +1 swept=8192 reclaimed=4096\nGCDone +1\n",
             ONE_G_LINES
             "10 begin gc at runtime.gcStart\n11 begin assist g1\n12 end assist g1\n13 begin sweep p0\n"
             "14 end sweep p0 8192,4096\n15 end gc\n");
    reads_as(ONE_G("go 1.8") "GCSweepStart +10\nGCSweepDone +1\n", ONE_G_LINES "10 begin sweep p0\n"
                                                                               "11 end sweep p0\n");
}

static void test_annotations(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.11") "UserTaskCreate +10 task=4 parent=1 name=\"load\" stack=main.f:3\n"
                              "UserRegion +1 task=4 mode=0 name=\"read\"\n"
                              "UserLog +1 task=4 key=\"n\" value=\"17 rows\"\n"
                              "UserRegion +1 task=4 mode=1 name=\"read\"\n"
                              "UserTaskEnd +1 task=4\n",
             ONE_G_LINES "10 g1 task 4 of 1 load at main.f\n11 g1 region 4 read\n12 g1 log 4 n: 17 rows\n"
                         "13 g1 endregion 4 read\n14 g1 endtask 4\n");
}

/* CPU samples carry their own time, P and goroutine, and come late and out of order. */
static void test_samples(void **state)
{
    (void)state;
    reads_as(ONE_G("go 1.19") "HeapAlloc +20 bytes=1\nCPUSample +5 ticks=15 p=0 g=1 stack=main.f:1\n"
                              "CPUSample +1 ticks=12 p=-1 g=0 stack=main.g:1\nHeapAlloc +4 bytes=2\n",
             ONE_G_LINES "12 sample at main.g\n15 sample g1 p0 at main.f\n20 heap 1\n30 heap 2\n");
    /* Those of one moment come as they stand in the file. */
    reads_as(ONE_G("go 1.19") "CPUSample +5 ticks=15 p=0 g=1 stack=main.f:1\nCPUSample +1 ticks=15 p=-1 g=0 "
                              "stack=main.g:1\n"
                              "CPUSample +1 ticks=15 p=-1 g=0 stack=main.h:1\nCPUSample +1 ticks=14 p=-1 g=0 "
                              "stack=main.i:1\nHeapAlloc +14 bytes=1\n",
             ONE_G_LINES "14 sample at main.i\n15 sample g1 p0 at main.f\n16 sample at main.g\n17 sample at "
                         "main.h\n22 heap 1\n");
}

/* Bare program counters: the start function is an address, no stack has names. */
static void test_bare_addresses(void **state)
{
    (void)state;
    reads_as("go 1.5\nbatch p=0 seq=1 t=0\nGoCreate g=1 pc=0x401000\nProcStart thread=0\nGoStart g=1\n"
             "Gomaxprocs procs=1\nGoCreate +5 g=2 pc=0x402000 stack=!0x401020,!0x400100\n",
             "~0 m0\n0< p0 sched m0\n1< g1 is running p0 in 0x401001\n~1 procs 1\n"
             "5 g2 created runnable in 0x402001 b1 at 0x401020\n");
}

/* Any event may say its length, though writers do so only for those of many values. */
static void test_lengths(void **state)
{
    (void)state;
    reads_as(
        ONE_G("go 1.11") "raw dc 02 05 00\nraw d7 02 0a 00\nraw e7 03 05 01 00\nraw e6 02 05 01\nHeapAlloc "
                         "+5 bytes=1\n"
                         "String id=1 \"100 bytes, since near its end a file is read another way: 0123456789 "
                         "0123456789 0123456789 0\"\n",
        ONE_G_LINES "5 g1 syscall p0 m0\n6 g1 running p0 m0\n15 g1 waiting (chan receive)\n20 g1 runnable\n"
                    "25 g1 running p0 m0\n30 heap 1\n");
}

/* A goroutine's state is forgotten some time after its end; those that live keep theirs, and memory is for
 * those. */
static void test_short_lives(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct tracegen_buf b = {0};
    tracegen_printf(&b,
                    "go 1.21\nbatch p=0 t=0\nGoCreate g=1\nGoCreate g=2\nGoWaiting g=2\nProcStart thread=0\n"
                    "GoStart g=1 seq=1\nGomaxprocs procs=1\n");
    for (int g = 3; g < N; g++)
        tracegen_printf(
            &b, "GoCreate +1 g=%d\nGoSched +1\nGoStartLocal +1 g=%d\nGoEnd +1\nGoStartLocal +1 g=1\n", g, g);
    tracegen_printf(&b, "GoUnblock +1 g=2 seq=2\n");
    tracegen_put(&b, "", 1);
    size_t n, before = mem_live(), most = 0;
    uint8_t *data = tracegen_bytes((const char *)b.p, &n);
    struct names names;
    struct trace_opts opts = {0};
    names_init(&names);
    struct source s = {.data = data, .len = n, .version = 1021, .header = 16, .opts = &opts, .names = &names};
    struct ev_half evs[64];
    struct ev room;
    struct err e;
    uint32_t created = 2, ended = 0;
    assert_int_equal(source_v1(&s, &e), ERR_OK);
    for (size_t got; (got = s.ops->stream(&s, evs, 64)) > 0;) {
        for (size_t i = 0; i < got; i += ev_halves(&evs[i])) {
            const struct ev ev = *ev_whole(&evs[i], &room);
            if (ev.kind == EVK_G_CREATE) {
                assert_int_equal(ev.g, created++);
                assert_int_equal(ev.arg, created);
            } else if (ev.kind == EVK_G_STATE && ev.state == ST_NONE) {
                assert_int_equal(ev.g, 2 + ended++);
            } else if (ev.kind == EVK_G_STATE && ev.flags & EVF_WOKEN) {
                assert_true(ev.g < 2);
                assert_int_equal(created, N - 1);
            }
        }
        most = mem_live() - before > most ? mem_live() - before : most;
    }
    s.ops->close(&s);
    source_notes_free(&s);
    assert_int_equal(ended, N - 3);
    assert_int_equal(s.st.ndamages, 0);
    assert_true(most < N * 25); /* a state of each takes at least 36 bytes */
    names_free(&names);
    free(data);
    tracegen_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_snapshot_runnable),
        cmocka_unit_test(test_snapshot_without_mark),
        cmocka_unit_test(test_sequence_within_a_tick),
        cmocka_unit_test(test_local_forms),
        cmocka_unit_test(test_global_sequence),
        cmocka_unit_test(test_prototype_ties),
        cmocka_unit_test(test_running_across_batches),
        cmocka_unit_test(test_syscall_instant),
        cmocka_unit_test(test_syscall_exit_moves),
        cmocka_unit_test(test_syscall_exit_stays),
        cmocka_unit_test(test_syscall_exit_without_p),
        cmocka_unit_test(test_syscall_exit_local),
        cmocka_unit_test(test_syscall_exit_in_1_5),
        cmocka_unit_test(test_syscall_from_before),
        cmocka_unit_test(test_futile),
        cmocka_unit_test(test_futile_again),
        cmocka_unit_test(test_futile_after_sleep),
        cmocka_unit_test(test_stw_kinds),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_bare_addresses),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_short_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
