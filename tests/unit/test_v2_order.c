/*
 * test_v2_order.c - the ordering rules of the second family, each as a few lines of notation.
 *
 * Times are nanoseconds unless a case sets the clock; the first event is at 0.
 */
#include "tests/unit/decode_help.h"

#define P0 "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* Thread 8 starts a goroutine "before" thread 7 unblocks it: its clock is
 * early; the sequence number decides. */
static void test_start_waits_for_unblock(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.26\n"
                                "batch m=8 t=100\n"
                                "ProcStatus +2 p=1 running\n"
                                "GoStart +2 g=2 g_seq=2\n"              /* 104: too early */
                                "GoBlock +50 reason=\"sync\" stack=0\n" /* 154 */
                                "batch m=7 t=100\n"
                                "ProcStatus +1 p=0 running\n" /* 101 */
                                "GoStatus +2 g=1 m=7 running\n"
                                "GoStatus +2 g=2 m=-1 waiting\n"     /* 105 */
                                "GoUnblock +5 g=2 g_seq=1 stack=0\n" /* 110 */
                                "HeapAlloc +60 1000\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 2,
                "<0-9 waiting\n9-10 runnable by g1\n10-53 running p1\n53-69> waiting (sync)\n");
    unload(&l);
}

static void test_seq_out_of_reach(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0 "GoStatus +1 g=2 m=-1 runnable\nGoBlock +5 reason=\"sync\" stack=0\nGoStart +5 g=2 g_seq=7\n");
    expect_damage(l.tr, ERR_ORDER, "no event can come next");
    expect_lane(l.tr, LANE_G, 2, "<0-12 not recorded\n12-12> not recorded\n");
    assert_int_equal(trace_info(l.tr)->events, 5);
    unload(&l);
}

static void test_block_and_wake(void **state)
{
    (void)state;
    struct loaded l = load_text(P0 "GoCreate +7 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
                                   "GoBlock +10 reason=\"chan receive\" stack=main.main:14\n"
                                   "GoStart +10 g=2 g_seq=1\n"
                                   "GoUnblock +10 g=1 g_seq=1 stack=main.worker:33\n"
                                   "GoStop +10 reason=\"preempted\" stack=main.worker:34\n"
                                   "GoStart +10 g=1 g_seq=2\n"
                                   "GoDestroy +10\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 1,
                "<0-18 running p0\n18-38 waiting (chan receive)\n38-58 runnable by g2\n58-68 running p0\n");
    expect_lane(l.tr, LANE_G, 2, "8-28 runnable by g1\n28-48 running p0\n48-68> runnable (preempted)\n");
    expect_lane(
        l.tr, LANE_P, 0,
        "<0-18 running g1\n18-28 looking for work\n28-48 running g2\n48-58 looking for work\n58-68 running "
        "g1\n68-68> looking for work\n");
    struct lane_info i = trace_lane(l.tr, (struct lane){LANE_G, trace_find_lane(l.tr, LANE_G, 2)});
    assert_int_equal(raw_id(l.tr, LANE_G, i.creator), 1);
    assert_memory_equal(trace_str(l.tr, i.name).p, "main.worker", 11);
    assert_true(i.created);
    assert_int_equal(trace_frame(l.tr, i.create_stack, 0).line, 12);
    unload(&l);
}

/* Another thread takes the P away during the call; the call's end is blocked until it has. */
static void test_steal(void **state)
{
    (void)state;
    struct loaded l = load_text(P0 "GoSyscallBegin +10 p_seq=1 stack=0\n" /* 112 */
                                   "GoSyscallEndBlocked +8\n"             /* 120: but the steal is at 130 */
                                   "batch m=8 t=100\n"
                                   "ProcSteal +30 p=0 p_seq=2 m=7\n" /* 130 */
                                   "ProcStart +5 p=0 p_seq=3\n"
                                   "GoStart +5 g=1 g_seq=1\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 1,
                "<0-11 running p0\n11-30 system call p0\n30-39 runnable\n39-39> running p0\n");
    expect_lane(
        l.tr, LANE_P, 0,
        "<0-11 running g1\n11-29 system call g1\n29-34 idle\n34-39 looking for work\n39-39> running g1\n");
    expect_lane(l.tr, LANE_M, 7,
                "<0-11 running g1 on p0\n11-29 system call g1 on p0\n29-30 system call g1\n30-39> idle\n");
    assert_int_equal(trace_lane(l.tr, (struct lane){LANE_G, 0}).no_p_ns, 1);
    unload(&l);
}

/* A thread steals its own P back: from the call it has begun. */
static void test_steal_own(void **state)
{
    (void)state;
    struct loaded l =
        load_text(P0 "GoSyscallBegin +10 p_seq=1 stack=0\nProcSteal +5 p=0 p_seq=2 m=7\nProcStart +5 "
                     "p=0 p_seq=3\nGoSyscallEndBlocked +5\n"
                     "GoStart +5 g=1 g_seq=1\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 1,
                "<0-11 running p0\n11-26 system call p0\n26-31 runnable\n31-31> running p0\n");
    expect_lane(
        l.tr, LANE_P, 0,
        "<0-11 running g1\n11-16 system call g1\n16-21 idle\n21-31 looking for work\n31-31> running g1\n");
    unload(&l);
}

static void test_steal_from_wrong_thread(void **state)
{
    (void)state;
    struct loaded l =
        load_text(P0 "GoSyscallBegin +10 p_seq=1 stack=0\nbatch m=8 t=120\nProcSteal +5 p=0 p_seq=2 m=9\n");
    expect_damage(l.tr, ERR_ORDER, "doesn't have the P");
    unload(&l);
}

/* A C thread that leaves Go for good gives its P up; stealing it later changes nothing more. */
static void test_destroy_in_syscall(void **state)
{
    (void)state;
    struct loaded l =
        load_text(P0 "GoSyscallBegin +10 p_seq=1 stack=0\nGoDestroySyscall +10\n"
                     "batch m=8 t=150\nProcSteal +5 p=0 p_seq=2 m=7\nProcStart +5 p=0 p_seq=3\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 1, "<0-11 running p0\n11-22 system call p0\n");
    expect_lane(l.tr, LANE_P, 0,
                "<0-11 running g1\n11-21 system call g1\n21-59 idle\n59-59> looking for work\n");
    assert_true(trace_lane(l.tr, (struct lane){LANE_G, 0}).ended);
    unload(&l);
}

/* A callback from C: the goroutine begins its life in a system call. Its id comes back for another one. */
static void test_create_in_syscall(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.26\nbatch m=9 t=100\nGoCreateSyscall +1 new_g=4\nProcStatus +1 p=0 "
                                "idle\nProcStart +8 p=0 p_seq=1\n"
                                "GoSyscallEndBlocked +10\nGoStart +10 g=4 g_seq=1\nGoSyscallBegin +10 "
                                "p_seq=2 stack=0\nGoDestroySyscall +10\n"
                                "GoCreateSyscall +10 new_g=4\n");
    expect_whole(l.tr);
    assert_int_equal(trace_nlanes(l.tr, LANE_G), 2);
    struct tracegen_buf b = {0};
    lane_text(&b, l.tr, (struct lane){LANE_G, 0});
    assert_string_equal((char *)b.p,
                        "0-19 system call\n19-29 runnable\n29-39 running p0\n39-50 system call p0\n");
    tracegen_free(&b);
    expect_lane(l.tr, LANE_G, 4, "59-59> system call\n");
    expect_lane(l.tr, LANE_P, 0,
                "<0-9 idle\n9-29 looking for work\n29-39 running g4\n39-49 system call g4\n49-59> idle\n");
    unload(&l);
}

static void test_switch(void **state)
{
    (void)state;
    struct loaded l =
        load_text(P0 "GoCreateBlocked +10 new_g=2 new_stack=main.co:3 stack=main.main:4\n"
                     "GoSwitch +10 g=2 g_seq=1\nGoSwitch +10 g=1 g_seq=1\nGoSwitchDestroy +10 g=2 "
                     "g_seq=2\nGoBlock +10 reason=\"select\" stack=0\n");
    expect_whole(l.tr);
    /* Three steps at one time, made to differ by a nanosecond each. */
    expect_lane(l.tr, LANE_G, 1, "<0-22 running p0\n22-31 waiting\n31-33 runnable by g2\n33-42 running p0\n");
    expect_lane(
        l.tr, LANE_G, 2,
        "11-21 waiting\n21-23 runnable by g1\n23-32 running p0\n32-41 waiting\n41-43 runnable by g1\n43-51 "
        "running p0\n"
        "51-51> waiting (select)\n");
    unload(&l);
}

/* A goroutine in a system call on a thread that does not write: another one tells of it. */
static void test_status_syscall_elsewhere(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0 "GoStatus +5 g=3 m=9 syscall\nHeapAlloc +10 5\nbatch m=9 t=130\nGoSyscallEndBlocked +1\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 3, "<0-30 system call\n30-30> runnable\n");
    assert_int_not_equal(trace_find_lane(l.tr, LANE_M, 9), NO_LANE);
    unload(&l);
    l = load_text(P0 "GoStatus +5 g=3 m=-1 syscall\n");
    expect_damage(l.tr, ERR_ORDER, "without a thread");
    unload(&l);
    l = load_text(P0 "GoStatus +5 g=3 m=9 syscall\nGoStatus +5 g=4 m=9 syscall\n");
    expect_damage(l.tr, ERR_ORDER, "another goroutine");
    unload(&l);
}

static void test_status_contradicts(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0 "GoStatus +5 g=3 m=-1 waiting\nendgen\nbatch m=7 t=200\nGoStatus +1 g=3 m=-1 runnable\n");
    expect_damage(l.tr, ERR_ORDER, "another status");
    assert_int_equal(trace_damage(l.tr, 0)->gen, 2);
    unload(&l);
    l = load_text(P0 "endgen\nbatch m=7 t=200\nGoStatus +1 g=33 m=-1 runnable\n");
    expect_damage(l.tr, ERR_ORDER, "unknown goroutine (33)");
    unload(&l);
    l = load_text(P0 "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 idle\n");
    expect_damage(l.tr, ERR_ORDER, "the P has another status");
    unload(&l);
    l = load_text(P0 "GoCreate +1 new_g=1 new_stack=0 stack=0\n");
    expect_damage(l.tr, ERR_ORDER, "exists already (1)");
    unload(&l);
}

/* Sequence numbers begin anew with each generation, from its status events on; states, regions and tasks go
 * on. */
static void test_generations(void **state)
{
    (void)state;
    for (int v = 22; v <= 26; v += v == 23 ? 2 : 1) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "go 1.%d\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
            "UserTaskBegin +3 task=5 parent=0 name=\"job\" stack=main.f:1\nUserRegionBegin +2 task=5 "
            "name=\"part\" "
            "stack=0\n"
            "GoCreate +3 new_g=2 new_stack=main.g:1 stack=0\nGoBlock +10 reason=\"sleep\" stack=0\nGoStart "
            "+10 g=2 "
            "g_seq=1\n"
            "endgen\n"
            "batch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=2 m=7 running\nGoStatus +1 g=1 m=-1 "
            "waiting\n"
            "GoUnblock +7 g=1 g_seq=1 stack=0\nGoBlock +10 reason=\"sync\" stack=0\nGoStart +10 g=1 g_seq=2\n"
            "UserRegionEnd +5 task=5 name=\"part\" stack=0\nUserTaskEnd +5 task=5 stack=0\n",
            v);
        struct loaded l = load_text(text);
        expect_whole(l.tr);
        assert_int_equal(trace_info(l.tr)->generations, 2);
        expect_lane(
            l.tr, LANE_G, 1,
            "<0-19 running p0\n19-109 waiting (sleep)\n109-129 runnable by g2\n129-139> running p0\n");
        expect_lane(l.tr, LANE_G, 2, "9-29 runnable by g1\n29-119 running p0\n119-139> waiting (sync)\n");
        const struct region *r;
        const struct task *t;
        assert_int_equal(trace_regions(l.tr, &r), 1);
        assert_int_equal(r->t0, 6);
        assert_int_equal(r->t1, 134);
        assert_false(r->open_end);
        assert_int_equal(trace_tasks(l.tr, &t), 1);
        assert_int_equal(t->t0, 4);
        assert_int_equal(t->t1, 139);
        assert_int_equal(raw_id(l.tr, LANE_G, t->g_end), 1);
        unload(&l);
    }
}

/* A P that only the second generation knows is not back-dated: it came to be there. */
static void test_p_comes_later(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0
        "HeapAlloc +10 1\nendgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "ProcsChange +5 procs=2 stack=0\nProcStatus +5 p=1 idle\nHeapAlloc +5 1\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_P, 1, "0-111 nothing\n111-116> idle\n");
    assert_int_equal(trace_info(l.tr)->gomaxprocs, 2);
    unload(&l);
}

static const struct range *only_range(const struct trace *tr, enum range_kind k)
{
    const struct range *r;
    assert_int_equal(trace_ranges(tr, k, &r), 1);
    return r;
}

static void test_gc(void **state)
{
    (void)state;
    struct loaded l = load_text(P0 "GCActive +5 gc_seq=3\nGCEnd +20 gc_seq=4\nGCBegin +10 gc_seq=5 "
                                   "stack=main.f:1\nHeapAlloc +10 1\nendgen\n"
                                   "batch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                                   "running\nGCActive +1 gc_seq=6\nGCEnd +10 "
                                   "gc_seq=7\n");
    expect_whole(l.tr);
    const struct range *r;
    assert_int_equal(trace_ranges(l.tr, RANGE_GC, &r), 2);
    assert_int_equal(r[0].t0, 0);
    assert_true(r[0].open_start);
    assert_int_equal(r[0].seen, 6);
    assert_int_equal(r[0].t1, 26);
    assert_int_equal(r[1].t0, 36);
    assert_int_equal(r[1].t1, 112);
    assert_false(r[1].open_start || r[1].open_end);
    assert_int_equal(trace_info(l.tr)->count[EC_RANGE_ACTIVE], 2);
    expect_lane(l.tr, LANE_BAND, BAND_GC,
                "0-26 GC mark phase\n26-36 nothing\n36-112 GC mark phase\n112-112> nothing\n");
    unload(&l);
    l = load_text(P0 "GCEnd +20 gc_seq=4\n");
    expect_damage(l.tr, ERR_ORDER, "GC ends that did not begin");
    unload(&l);
    l = load_text(P0 "GCBegin +5 gc_seq=1 stack=0\nGCBegin +5 gc_seq=2 stack=0\n");
    expect_damage(l.tr, ERR_ORDER, "GC begins while it runs");
    unload(&l);
}

/* Thread 8's GC events come first by their clock; the sequence number puts them behind. */
static void test_gc_order(void **state)
{
    (void)state;
    struct loaded l = load_text(P0 "GCBegin +3 gc_seq=1 stack=0\nGCEnd +37 gc_seq=2\nHeapAlloc +80 1\n"
                                   "batch m=8 t=100\nProcStatus +3 p=1 running\nGoStatus +1 g=2 m=8 "
                                   "running\nGCBegin +10 gc_seq=3 stack=0\n");
    expect_whole(l.tr);
    const struct range *r;
    assert_int_equal(trace_ranges(l.tr, RANGE_GC, &r), 2);
    assert_int_equal(r[1].t0, 42);
    assert_true(r[1].open_end);
    assert_int_equal(r[1].t1, trace_info(l.tr)->end);
    unload(&l);
}

static void test_sweep_and_assist(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0 "GCSweepActive +1 p=0\nGCMarkAssistActive +1 g=1\nGCSweepEnd +10 swept=8192 "
           "reclaimed=4096\nGCMarkAssistEnd "
           "+5\n"
           "STWBegin +5 kind=\"GC sweep termination\" stack=main.f:3\nSTWEnd +5\nGCMarkAssistBegin +5 "
           "stack=0\nendgen\n"
           "batch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGCMarkAssistActive +1 "
           "g=1\nGCMarkAssistEnd +5\n");
    expect_whole(l.tr);
    const struct range *r = only_range(l.tr, RANGE_SWEEP);
    assert_true(r->open_start && r->t0 == 0 && r->t1 == 13 && r->a == 8192 && r->b == 4096);
    r = only_range(l.tr, RANGE_STW);
    assert_true(r->t0 == 23 && r->t1 == 28 && raw_id(l.tr, LANE_G, r->owner) == 1);
    assert_memory_equal(trace_str(l.tr, r->name).p, "GC sweep termination", 20);
    assert_int_equal(trace_ranges(l.tr, RANGE_ASSIST, &r), 2);
    assert_true(r[0].t0 == 0 && r[0].t1 == 18 && r[1].t0 == 33 && r[1].t1 == 107);
    unload(&l);
    l = load_text(P0 "GCSweepEnd +10 swept=0 reclaimed=0\n");
    expect_damage(l.tr, ERR_ORDER, "the range isn't open");
    unload(&l);
    l = load_text(P0 "STWBegin +1 kind=\"a\" stack=0\nSTWBegin +1 kind=\"b\" stack=0\n");
    expect_damage(l.tr, ERR_ORDER, "open already");
    unload(&l);
}

static void test_regions(void **state)
{
    (void)state;
    struct loaded l = load_text(P0 "UserRegionBegin +3 task=0 name=\"a\" stack=0\nUserRegionBegin +5 task=0 "
                                   "name=\"b\" stack=0\nUserRegionEnd +5 task=0 name=\"a\" stack=0\n");
    expect_whole(l.tr);
    assert_non_null(
        strstr(trace_warning(l.tr, 0)->what, "G1 ends region \"a\", at 0.000000 s, before \"b\" within it"));
    unload(&l);
    l = load_text(P0 "UserRegionEnd +3 task=9 name=\"early\" stack=0\nUserRegionBegin +5 task=9 name=\"a\" "
                     "stack=0\nUserRegionBegin +5 task=9 name=\"b\" stack=0\n"
                     "UserTaskEnd +5 task=77 stack=0\nGoDestroy +5\n");
    expect_whole(l.tr);
    const struct region *r;
    const struct task *t;
    assert_int_equal(trace_regions(l.tr, &r), 3);
    assert_true(r[0].open_start && r[0].t0 == 0 && r[0].t1 == 4);
    assert_true(r[1].t0 == 9 && r[1].t1 == 24 && r[1].depth == 0);
    assert_true(r[2].t0 == 14 && r[2].t1 == 24 && r[2].depth == 1);
    assert_int_equal(trace_tasks(l.tr, &t), 1);
    assert_true(t->open_start && t->id == 77 && t->t0 == 0 && t->t1 == 19);
    unload(&l);
}

static void test_logs_and_metrics(void **state)
{
    (void)state;
    struct loaded l =
        load_text(P0 "UserLog +3 task=4 key=\"k\" value=\"hello \\x1b world\" stack=main.f:1\nHeapAlloc +5 "
                     "123\nHeapGoal +5 456\nGoLabel +1 label=\"GC (idle)\"\n");
    expect_whole(l.tr);
    const struct logmsg *m;
    assert_int_equal(trace_logs(l.tr, &m), 1);
    assert_true(m->t == 4 && m->task == 4 && trace_str(l.tr, m->message).len == 13);
    assert_int_equal(trace_npoints(l.tr, METRIC_HEAP), 1);
    struct point p = trace_point(l.tr, METRIC_HEAP, 0);
    assert_true(p.t == 9 && p.v == 123);
    assert_int_equal(trace_npoints(l.tr, METRIC_GOAL), 1);
    p = trace_point(l.tr, METRIC_GOAL, 0);
    assert_true(p.t == 14 && p.v == 456);
    expect_lane(l.tr, LANE_G, 1, "<0-15> running [GC (idle)] p0\n");
    assert_int_equal(trace_info(l.tr)->events, 6);
    unload(&l);
}

/*
 * A preempted mark worker may leave its P's worker mode behind; then the runtime labels whoever starts there.
 * That makes no worker of a goroutine known by its name. One that the label came to first stops being a
 * worker by its name.
 */
static void test_stale_worker_label(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0
        "GoCreate +9 new_g=2 new_stack=main.serve:3 stack=0\nGoCreate +10 new_g=3 "
        "new_stack=runtime.gcBgMarkWorker:9 "
        "stack=0\nGoBlock +10 reason=\"sync\" stack=0\nGoStart +10 g=2 g_seq=1\n"
        "GoLabel +1 label=\"GC (dedicated)\"\nGoBlock +19 reason=\"sync\" stack=0\nGoStart +10 g=3 g_seq=1\n"
        "GoLabel +1 label=\"GC (dedicated)\"\nGoBlock +19 reason=\"sync\" stack=0\n");
    expect_whole(l.tr);
    assert_false(trace_lane(l.tr, (struct lane){LANE_G, 1}).is_worker);
    assert_true(trace_lane(l.tr, (struct lane){LANE_G, 2}).is_worker);
    expect_lane(l.tr, LANE_G, 2, "10-40 runnable by g1\n40-60 running p0\n60-90> waiting (sync)\n");
    expect_lane(l.tr, LANE_P, 0,
                "<0-30 running g1\n30-40 looking for work\n40-60 running g2\n60-70 looking for work\n70-90 "
                "GC worker g3\n90-90> "
                "looking for work\n");
    unload(&l);
    l = load_text(
        P0 "GoLabel +9 label=\"GC (idle)\"\nGoBlock +10 reason=\"sync\" stack=main.serve:4\nGoStatus +1 "
           "g=2 m=-1 runnable\n"
           "GoStart +9 g=2 g_seq=1\nGoLabel +10 label=\"GC (idle)\"\nGoBlock +10 reason=\"sync\" "
           "stack=runtime.gcBgMarkWorker:4\n");
    expect_whole(l.tr);
    assert_false(trace_lane(l.tr, (struct lane){LANE_G, 0}).is_worker);
    assert_true(trace_lane(l.tr, (struct lane){LANE_G, 1}).is_worker);
    unload(&l);
}

/* Samples come out before an event only if strictly earlier, and behind all others; they change nothing. */
static void test_samples(void **state)
{
    (void)state;
    struct loaded l = load_text(
        P0 "HeapAlloc +28 1\n"
           "batch m=-1 t=100\nCPUSamples\nCPUSample time=500 m=7 p=0 g=1 stack=main.f:1\nCPUSample time=90 "
           "m=7 p=0 g=1 stack=0\n"
           "CPUSample time=130 m=7 p=0 g=1 stack=0\nCPUSample time=110 m=-1 p=-1 g=0 stack=0\n");
    expect_whole(l.tr);
    const struct sample *s;
    assert_int_equal(trace_samples(l.tr, &s), 4);
    assert_int_equal(s[0].g, NO_LANE); /* nobody is known yet */
    assert_int_equal(s[1].m, NO_LANE);
    assert_int_equal(s[1].p, NO_LANE);
    assert_int_equal(raw_id(l.tr, LANE_G, s[2].g), 1);
    assert_int_equal(raw_id(l.tr, LANE_P, s[3].p), 0);
    /* The first sample is the first event, so the others count from it. */
    assert_int_equal(s[2].t - s[1].t, 21); /* 130 is the event's, 1 ns later is the sample's */
    assert_int_equal(s[3].t - s[1].t, 390);
    assert_int_equal(trace_frame(l.tr, s[3].stack, 0).line, 1);
    assert_int_equal(trace_info(l.tr)->count[EC_SAMPLE], 4);
    unload(&l);
}

/* Equal times are pushed apart by 1 ns each, and so are the next ones as long as they are not later. */
static void test_equal_times(void **state)
{
    (void)state;
    struct loaded l = load_text("go 1.26\nbatch m=7 t=100\nProcStatus +0 p=0 running\nGoStatus +0 g=1 m=7 "
                                "running\nHeapAlloc +0 1\nHeapAlloc +1 2\n"
                                "HeapAlloc +1 3\nHeapAlloc +10 4\n");
    expect_whole(l.tr);
    assert_int_equal(trace_npoints(l.tr, METRIC_HEAP), 4);
    /* Go's Sync event before the generation has 100 already: the events are at
     * 101, 102, 103, 104, 105, 112. */
    static const int64_t at[4] = {2, 3, 4, 11};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(trace_point(l.tr, METRIC_HEAP, i).t, at[i]);
    assert_int_equal(trace_info(l.tr)->first_ns, 101);
    unload(&l);
}

/* An odd frequency: the base and every step are cut to whole nanoseconds, one by one. */
static void test_odd_clock(void **state)
{
    (void)state;
    const uint64_t freq = 3000000019u;
    double unit = 1.0 / ((double)freq / 1e9);
    struct loaded l =
        load_text("go 1.22\nbatch m=7 t=1000003\nProcStatus +7 p=0 running\nGoStatus +8 g=1 m=7 "
                  "running\nHeapAlloc +11 1\nHeapAlloc +17 2\n"
                  "HeapAlloc +100000 3\nbatch m=-1 t=1000003\nFrequency freq=3000000019\n");
    expect_whole(l.tr);
    assert_int_equal(trace_npoints(l.tr, METRIC_HEAP), 3);
    int64_t base = (int64_t)(1000003 * unit), t0 = base + (int64_t)(7 * unit);
    assert_int_equal(trace_info(l.tr)->first_ns, t0);
    int64_t t = (int64_t)(8 * unit) + (int64_t)(11 * unit);
    assert_int_equal(trace_point(l.tr, METRIC_HEAP, 0).t, t);
    assert_int_equal(trace_point(l.tr, METRIC_HEAP, 1).t, t + (int64_t)(17 * unit));
    assert_int_equal(trace_point(l.tr, METRIC_HEAP, 2).t,
                     t + (int64_t)(17 * unit) + (int64_t)(100000 * unit));
    unload(&l);
    l = load_text(
        "go 1.22\nbatch m=7 t=1000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +10 "
        "1\nbatch m=-1 t=1000\nFrequency freq=15625000\n");
    assert_int_equal(trace_npoints(l.tr, METRIC_HEAP), 1);
    assert_int_equal(trace_point(l.tr, METRIC_HEAP, 0).t, 11 * 64);
    assert_int_equal(trace_info(l.tr)->first_ns, 1001 * 64);
    unload(&l);
}

static void test_context(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"batch m=8 t=120\nHeapAlloc +1 1\n", "expected a P"},
        {"batch m=-1 t=120\nHeapAlloc +1 1\n", "expected a thread"},
        {"GoBlock +1 reason=\"a\" stack=0\nGoStop +1 reason=\"a\" stack=0\n", "expected a goroutine"},
        {"GoCreateSyscall +1 new_g=9\n", "expected no goroutine"},
        {"GoSyscallEnd +1\n", "isn't in a system call"},
        {"GoSyscallBegin +1 p_seq=4 stack=0\n", "sequence number"},
        {"GoStatus +1 g=5 m=-1 gstatus=9\n", "invalid status"},
        {"ProcStatus +1 p=5 pstatus=0\n", "invalid status"},
        {"UserTaskBegin +1 task=3 parent=0 name=\"a\" stack=0\nUserTaskBegin +1 task=3 parent=0 name=\"a\" "
         "stack=0\n",
         "open already"},
        {"raw 7f 01\n", "unknown event type 127"},
        {"raw 14\n", "ends beyond its batch"},
        {"ClockSnapshot +1 mono=1 sec=1 nsec=1\n", "clock snapshot outside"},
        {"GoSyscallBegin +1 p_seq=1 stack=0\nGoCreateBlocked +1 new_g=9 new_stack=0 stack=0\n",
         "the creating goroutine isn't running (1)"},
        {"GoCreateBlocked +1 new_g=9 new_stack=0 stack=0\nGoSyscallBegin +1 p_seq=1 stack=0\nGoSwitch +1 g=9 "
         "g_seq=1\n",
         "GO_SWITCH: the goroutine isn't running (1)"},
        {"GoCreateBlocked +1 new_g=9 new_stack=0 stack=0\nGoSwitch +1 g=9 g_seq=4\n",
         "the earliest is: GO_SWITCH"},
        {"GoStatus +1 g=9 m=-1 runnable\nGoSwitch +1 g=9 g_seq=1\n", "the earliest is: GO_SWITCH"},
        {"GoStatus +1 g=4 m=8 syscall\nbatch m=9 t=200\nGoCreateSyscall +1 new_g=4\n", "exists already (4)"},
        /* Another thread tells that it has the P, and stops it. */
        {"batch m=8 t=120\nProcStatus +1 p=0 running\nProcStop +1\nbatch m=7 t=130\nProcStop +1\n",
         "PROC_STOP: the P isn't running (0)"},
        /* A thread that has two. */
        {"GoSyscallBegin +1 p_seq=1 stack=0\nProcStatus +1 p=2 running\nGoDestroySyscall +1\n",
         "the P isn't in a system call (2)"},
        {"ProcStatus +1 p=2 idle\nbatch m=-1 t=120\nProcStart +1 p=2 p_seq=1\n",
         "a P starts without a thread (2)"},
        {"batch m=-1 t=120\nProcStatus +1 p=3 syscall\nendgen\nbatch m=7 t=200\nProcStatus +1 p=3 "
         "abandoned\n",
         "no thread holds the P in a system call (3)"},
        {"GoSyscallBegin +1 p_seq=1 stack=0\nProcStatus +1 p=2 running\nendgen\nbatch m=7 t=200\nProcStatus "
         "+1 p=0 "
         "abandoned\n",
         "no thread holds the P in a system call (0)"},
        {"GoSyscallBegin +1 p_seq=1 stack=0\nbatch m=9 t=120\nProcStatus +1 p=3 idle\nProcStart +1 p=3 "
         "p_seq=1\n"
         "endgen\nbatch m=7 t=200\nGoStatus +1 g=1 m=9 syscall\n",
         "the thread doesn't have the goroutine (1)"},
        {"GCBegin +1 gc_seq=1 stack=0\nGCEnd +1 gc_seq=2\nGCEnd +1 gc_seq=3\n",
         "GC ends that did not begin (3)"},
        {"GCBegin +1 gc_seq=1 stack=0\nGCActive +1 gc_seq=2\n", "GC active after other GC events (2)"},
        {"GCSweepActive +1 p=9\n", "sweep on an unknown P (9)"},
        {"GCMarkAssistEnd +1\n", "the range isn't open"},
        {"GCSweepBegin +1 stack=0\nGCSweepBegin +1 stack=0\n", "the range is open already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, P0 "%s", cases[i][0]);
        struct loaded l = load_text(text);
        if (!trace_info(l.tr)->ndamages || !strstr(trace_damage(l.tr, 0)->what, cases[i][1]))
            fail_msg("%s: %s, expected '%s'", cases[i][0],
                     trace_info(l.tr)->ndamages ? trace_damage(l.tr, 0)->what : "no damage", cases[i][1]);
        assert_null(trace_fatal(l.tr)); /* what stands before it is shown */
        assert_true(trace_info(l.tr)->events >= 2);
        unload(&l);
    }
}

/* A CPU sample behind events that wait, and before the one that they wait for, comes where its time is among
 * those that come. */
static void test_sample_while_many_wait(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    const struct sample *s;
    tracegen_printf(&b, P0);
    for (int i = 0; i < 20; i++)
        tracegen_printf(&b, "GoStatus +1 g=%d m=-1 waiting\n", 400 + i);
    tracegen_printf(&b, "HeapAlloc @4000 1\n");
    for (int i = 0; i < 20; i++)
        tracegen_printf(&b, "GoUnblock @%d g=%d g_seq=1 stack=0\n", 5000 + i, 400 + i);
    for (int i = 0; i < 20; i++)
        tracegen_printf(&b, "batch m=%d t=1000\nProcStatus +1 p=%d running\nGoStart @%d g=%d g_seq=2\n",
                        400 + i, 400 + i, 2000 + i, 400 + i);
    tracegen_printf(&b, "batch m=-1 t=100\nCPUSamples\nCPUSample time=3000 m=7 p=0 g=1 stack=0\n");
    struct loaded l = load_text((char *)b.p);
    expect_whole(l.tr);
    assert_int_equal(trace_samples(l.tr, &s), 1);
    assert_int_equal(trace_info(l.tr)->count[EC_SAMPLE], 1);
    tracegen_free(&b);
    unload(&l);
}

/*
 * Threads whose clocks are early wait for each kind of thing there is to wait for; with many others that wait
 * it comes to the same as with few.
 */
static void early_threads(struct tracegen_buf *b, int others)
{
    tracegen_printf(b, "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                       "running\nGCActive +1 gc_seq=1\n");
    for (int i = 0; i < others; i++)
        tracegen_printf(b, "GoStatus +1 g=%d m=-1 waiting\n", 400 + i);
    tracegen_printf(
        b, "GCEnd @10000 gc_seq=2\nGoCreateBlocked @10100 new_g=301 new_stack=0 stack=0\n"
           "GoCreateBlocked @10200 new_g=303 new_stack=0 stack=0\nProcSteal @10300 p=8 p_seq=1 m=54\n");
    for (int i = 0; i < others; i++)
        tracegen_printf(b, "GoUnblock @%d g=%d g_seq=1 stack=0\n", 20000 + 10 * i, 400 + i);
    tracegen_printf(b, "batch m=50 t=1000\nProcStart +1 p=5 p_seq=1\nHeapAlloc @30000 1\n"
                       "batch m=51 t=200\nProcStatus +1 p=5 running\nProcStop @10400\n"
                       "batch m=52 t=1000\nProcSteal +5 p=6 p_seq=2 m=53\n"
                       "batch m=53 t=200\nProcStatus +10 p=6 running\nGoStatus +1 g=310 m=53 "
                       "running\nGoSyscallBegin @10500 p_seq=1 "
                       "stack=0\n"
                       "GoSyscallEndBlocked @10501\n"
                       "batch m=54 t=200\nProcStatus +20 p=8 syscall\nGoStatus +1 g=300 m=54 "
                       "syscall\nGoSyscallEndBlocked @1010\n");
    tracegen_printf(
        b, "batch m=55 t=200\nProcStatus +30 p=9 running\nGoStatus +1 g=311 m=55 running\nGCBegin @1015 "
           "gc_seq=3 stack=0\n"
           "batch m=56 t=200\nProcStatus +40 p=10 running\nGoStatus +1 g=302 m=56 running\nGoSwitch "
           "@1020 g=301 g_seq=1\n"
           "batch m=58 t=1025\nGoUnblock +0 g=303 g_seq=1 stack=0\n"
           "batch m=59 t=200\nProcStatus +50 p=11 syscall\nProcStart @1030 p=12 p_seq=1\n"
           "batch m=60 t=200\nProcStatus +60 p=12 idle\nProcSteal @10600 p=11 p_seq=1 m=59\n");
    tracegen_printf(b, "batch m=61 t=50000\nProcStatus +1 p=13 idle\n"); /* both end there */
    tracegen_printf(b, "batch m=-1 t=100\nCPUSamples\n");
    for (int i = 0; i < 9; i++)
        tracegen_printf(b, "CPUSample time=%d m=7 p=0 g=1 stack=0\n",
                        i < 3 ? 1001 + 10 * i : 10050 + 100 * i);
    for (int i = 0; i < others; i++)
        tracegen_printf(b, "batch m=%d t=%d\nProcStatus +1 p=%d running\nGoStart @%d g=%d g_seq=2\n", 400 + i,
                        300 + 3 * i, 400 + i, 1002 + i % 30, 400 + i);
}

static void test_many_wait(void **state)
{
    (void)state;
    static const uint64_t gs[] = {300, 301, 302, 303, 310, 311}, ps[] = {5, 6, 8, 9, 10, 12};
    struct tracegen_buf b[2] = {{0}};
    static const int others[] = {1, 200};
    for (int k = 0; k < 2; k++) {
        struct tracegen_buf text = {0};
        early_threads(&text, others[k]);
        struct loaded l = load_text((char *)text.p);
        expect_whole(l.tr);
        for (size_t i = 0; i < sizeof gs / sizeof *gs; i++) {
            lane_text(&b[k], l.tr, (struct lane){LANE_G, trace_find_lane(l.tr, LANE_G, gs[i])});
            lane_text(&b[k], l.tr, (struct lane){LANE_P, trace_find_lane(l.tr, LANE_P, ps[i])});
        }
        const struct sample *s;
        const size_t ns = trace_samples(l.tr, &s);
        assert_int_equal(ns, 9);
        /* Each stands behind all that is earlier than it by its own clock, whenever that could come. */
        static const int64_t came[2][9] = {{10301, 19901, 19902, 19903, 19904, 19905, 19906, 19907, 19908},
                                           {10301, 21791, 21891, 21892, 21893, 21894, 21895, 21896, 21897}};
        for (size_t i = 0; i < ns; i++)
            assert_int_equal(s[i].t, came[k][i]);
        size_t n1, n2;
        char *one = dump_text(l.tr, &n1);
        struct trace_opts two = {.threads = 2};
        struct trace *tr;
        struct err e;
        assert_int_equal(load_bytes_opts(l.bytes, l.n, &two, &tr, &e), ERR_OK);
        char *other = dump_text(tr, &n2);
        assert_string_equal(one, other);
        trace_close(tr);
        free(one);
        free(other);
        tracegen_free(&text);
        unload(&l);
    }
    assert_string_equal((char *)b[0].p, (char *)b[1].p);
    for (int k = 0; k < 2; k++)
        tracegen_free(&b[k]);
}

/* Threads that wait for what the file doesn't have: it is said of the earliest, each is shown from its event
 * on, many like few. */
static void test_many_stuck(void **state)
{
    (void)state;
    static const int others[] = {2, 60};
    for (int k = 0; k < 2; k++) {
        struct tracegen_buf b = {0};
        tracegen_printf(&b, P0);
        for (int i = 0; i < others[k]; i++)
            tracegen_printf(&b, "GoStatus +1 g=%d m=-1 waiting\n", 400 + i);
        for (int i = 0; i < others[k]; i++)
            tracegen_printf(
                &b,
                "batch m=%d t=200\nProcStatus +%d p=%d running\nGoStart @%d g=%d g_seq=2\nGoBlock +100 "
                "reason=\"sync\" stack=0\n",
                400 + i, 3 + i, 10 + i, 1000 + i, 400 + i);
        tracegen_printf(&b, "batch m=-1 t=100\nCPUSamples\nCPUSample time=990 m=7 p=0 g=1 stack=0\nCPUSample "
                            "time=1500 m=7 p=0 g=1 stack=0\n");
        struct loaded l = load_text((char *)b.p);
        expect_damage(l.tr, ERR_ORDER, "no event can come next; the earliest is: GO_START");
        assert_int_equal(trace_info(l.tr)->events, 4 + 4 * others[k]);
        char want[200];
        for (int i = 0; i < 2; i++) {
            snprintf(want, sizeof want, "<0-%d not recorded\n%d-%d running p%d\n%d-1399> not recorded\n",
                     899 + i, 899 + i, 999 + i, 10 + i, 999 + i);
            expect_lane(l.tr, LANE_G, 400 + (uint64_t)i, want);
        }
        unload(&l);
        tracegen_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_waits_for_unblock),
        cmocka_unit_test(test_seq_out_of_reach),
        cmocka_unit_test(test_block_and_wake),
        cmocka_unit_test(test_steal),
        cmocka_unit_test(test_steal_own),
        cmocka_unit_test(test_steal_from_wrong_thread),
        cmocka_unit_test(test_destroy_in_syscall),
        cmocka_unit_test(test_create_in_syscall),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_status_syscall_elsewhere),
        cmocka_unit_test(test_status_contradicts),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_p_comes_later),
        cmocka_unit_test(test_gc),
        cmocka_unit_test(test_gc_order),
        cmocka_unit_test(test_sweep_and_assist),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_logs_and_metrics),
        cmocka_unit_test(test_stale_worker_label),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_equal_times),
        cmocka_unit_test(test_odd_clock),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_many_wait),
        cmocka_unit_test(test_sample_while_many_wait),
        cmocka_unit_test(test_many_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
