/*
 * test_segments.c - generations of the second family that are decoded by themselves: what is not told again
 * is what it was before, whoever decodes them and in whichever order; what contradicts it is said, as where
 * all is read in one go.
 */
#include "tests/unit/decode_help.h"

#define G1 \
    "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +50 1\n"
#define CALL \
    "batch m=8 t=100\nProcStatus +3 p=1 running\nGoStatus +1 g=2 m=8 running\nGoSyscallBegin " \
    "+10 p_seq=1 stack=0\n"
#define CALL2 \
    "batch m=9 t=100\nProcStatus +6 p=2 running\nGoStatus +1 g=3 m=9 running\nGoSyscallBegin " \
    "+20 p_seq=1 stack=0\n"
#define G2 "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
/* With a stack, without which a generation isn't known to be whole. */
#define END "batch m=7 t=900\nUserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n"
#define MORE "endgen\nbatch m=7 t=1000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n" END

static struct loaded load_as(const char *text, int threads, bool plain)
{
    struct loaded l = {0};
    struct trace_opts o = {.threads = threads, .grows = plain};
    struct err e;
    l.bytes = tracegen_bytes(text, &l.n);
    assert_int_equal(trace_open_mem(l.bytes, l.n, &o, &l.tr, &e), ERR_OK);
    while (trace_load(l.tr, INT64_MAX) == LOAD_MORE)
        ;
    if (plain)
        trace_grown(l.tr);
    while (trace_load(l.tr, INT64_MAX) != LOAD_DONE)
        ;
    return l;
}

/* The dump says nothing of Ps' and threads' lanes. */
static char *all_of(const struct trace *tr)
{
    struct tracegen_buf b = {0};
    size_t n;
    char *dump = dump_text(tr, &n);
    tracegen_put(&b, dump, n);
    free(dump);
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++) {
            tracegen_printf(&b, "%c%" PRIu64 "\n", "PGMB"[k], raw_id(tr, (enum lane_kind)k, i));
            lane_text(&b, tr, (struct lane){(enum lane_kind)k, i});
        }
    return (char *)b.p;
}

/*
 * A generation is decoded before the one in front of it is joined where two more come behind it, and with
 * what is known of that one where it is the last: text holds two.
 */
static void expect_same(const char *text, const char *damage, enum lane_kind k, uint64_t id, const char *want)
{
    static const char *const ends[] = {END MORE MORE, END};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct tracegen_buf b = {0};
        tracegen_put(&b, text, strlen(text));
        tracegen_put(&b, ends[i], strlen(ends[i]));
        struct loaded plain = load_as((char *)b.p, 1, true);
        char *truth = all_of(plain.tr);
        if (damage)
            expect_damage(plain.tr, ERR_ORDER, damage);
        else
            expect_whole(plain.tr);
        for (int threads = 1; threads <= 3; threads += 2) {
            struct loaded l = load_as((char *)b.p, threads, false);
            assert_true(l.tr->cost.segments > 0);
            if (damage)
                expect_damage(l.tr, ERR_ORDER, damage);
            char *is = all_of(l.tr);
            if (!damage && strcmp(is, truth) != 0)
                fail_msg("%d threads:\n%s-- read in one go:\n%s-- of\n%s", threads, is, truth, (char *)b.p);
            free(is);
            if (want && i)
                expect_lane(l.tr, k, id, want);
            unload(&l);
        }
        free(truth);
        unload(&plain);
        tracegen_free(&b);
    }
}

/* Whose P it is that was left in a system call, its thread's own events tell: the call ends with it. */
static void test_call_ends(void **state)
{
    (void)state;
    expect_same(G1 CALL G2
                "ProcStatus +1 p=1 abandoned\nHeapAlloc +50 1\nbatch m=8 t=220\nGoStatus +1 g=2 m=8 syscall\n"
                "GoSyscallEnd +5\nGoBlock +10 reason=\"sync\" stack=0\n",
                NULL, LANE_P, 1,
                "<0-13 running g2\n13-125 system call g2\n125-135 running g2\n135-800> looking for work\n");
    /* Of two such Ps one is its own: which, only what was before tells. */
#define TWO "ProcStatus +1 p=1 abandoned\nProcStatus +1 p=2 abandoned\nHeapAlloc +50 1\n"
    expect_same(G1 CALL CALL2 G2 TWO "batch m=9 t=220\nGoStatus +1 g=3 m=9 syscall\nGoSyscallEnd +5\nGoBlock "
                                     "+10 reason=\"sync\" stack=0\n",
                NULL, LANE_P, 2,
                "<0-26 running g3\n26-125 system call g3\n125-135 running g3\n135-800> looking for work\n");
    expect_same(
        G1 CALL CALL2 G2 TWO
        "batch m=8 t=220\nGoStatus +1 g=2 m=8 syscall\nGoSyscallEnd +5\nGoBlock +10 reason=\"sync\" stack=0\n"
        "batch m=9 t=220\nGoStatus +1 g=3 m=9 syscall\nGoSyscallEnd +15\nGoBlock +10 reason=\"sync\" "
        "stack=0\n",
        NULL, LANE_G, 2,
        "<0-13 running p1\n13-125 system call p1\n125-135 running p1\n135-800> waiting (sync)\n");
    /* One of them was left for good. */
    expect_same(G1 CALL "GoDestroySyscall +10\n" CALL2 G2 TWO "batch m=9 t=220\nGoStatus +1 g=3 m=9 syscall\n"
                        "GoSyscallEnd +5\nGoBlock +10 reason=\"sync\" stack=0\n",
                NULL, LANE_P, 1, "<0-13 running g2\n13-23 system call g2\n23-800> idle\n");
}

/* A goroutine that is suspended as its generation begins has no status there: it is whom the thread had. */
static void test_suspended(void **state)
{
#define RUNS "batch m=8 t=100\nProcStatus +3 p=1 running\nGoStatus +1 g=2 m=8 running\nHeapAlloc +9 1\n"
#define SUSPENDED "batch m=8 t=210\nProcStatus +1 p=1 running\nGoBlock +9 reason=\"preempted\" stack=0\n"
    (void)state;
    expect_same(G1 RUNS G2 SUSPENDED
                "batch m=7 t=300\nGoStatus +1 g=2 m=-1 waiting\nGoUnblock +1 g=2 g_seq=1 stack=0\n",
                NULL, LANE_G, 2, "<0-119 running p1\n119-201 waiting (preempted)\n201-800> runnable by g1\n");
    expect_same(G1 RUNS G2 SUSPENDED "ProcStop +5\n", NULL, LANE_P, 1,
                "<0-119 running g2\n119-124 looking for work\n124-800> idle\n");
    /* It had none, or the thread had another P. */
    expect_same(G1 "batch m=8 t=100\nProcStatus +3 p=1 running\nHeapAlloc +9 1\n" G2 SUSPENDED,
                "expected a goroutine, found none", LANE_G, 1, NULL);
    expect_same(G1 RUNS
                "batch m=9 t=100\nProcStatus +3 p=2 running\nHeapAlloc +9 1\n" G2
                "batch m=9 t=210\nProcStatus +1 p=2 running\nGoBlock +9 reason=\"preempted\" stack=0\n",
                "expected a goroutine, found none", LANE_G, 1, NULL);
}

static void test_call_stolen(void **state)
{
    (void)state;
#define STEAL(from) "ProcStatus +1 p=1 abandoned\nProcSteal +10 p=1 p_seq=1 m=" from "\nHeapAlloc +50 1\n"
    expect_same(
        G1 CALL G2 STEAL("8") "batch m=8 t=220\nGoStatus +1 g=2 m=8 syscall\nGoSyscallEndBlocked +5\n", NULL,
        LANE_G, 2, "<0-13 running p1\n13-125 system call p1\n125-800> runnable\n");
    expect_same(G1 CALL G2 STEAL("8"), NULL, LANE_P, 1,
                "<0-13 running g2\n13-112 system call g2\n112-800> idle\n");
    /* The thread had left for good: it is idle up to the moment another one starts it. */
    expect_same(G1 CALL "GoDestroySyscall +10\n" G2 STEAL("-1") "batch m=9 t=250\nProcStart +1 p=1 p_seq=2\n",
                NULL, LANE_P, 1,
                "<0-13 running g2\n13-23 system call g2\n23-150 idle\n150-800> looking for work\n");
    expect_same(G1 CALL "GoDestroySyscall +10\n" G2 STEAL("8") "batch m=9 t=250\nProcStart +1 p=1 p_seq=2\n",
                NULL, LANE_P, 1,
                "<0-13 running g2\n13-23 system call g2\n23-150 idle\n150-800> looking for work\n");
    /* The call ends, and only then the steal is told of. */
    expect_same(
        G1 CALL G2 STEAL("8") "batch m=8 t=201\nGoStatus +1 g=2 m=8 syscall\nGoSyscallEndBlocked +1\n", NULL,
        LANE_P, 1, "<0-13 running g2\n13-112 system call g2\n112-800> idle\n");
    expect_same(G1 CALL CALL2 G2 TWO "batch m=9 t=200\nGoStatus +1 g=3 m=9 syscall\nHeapAlloc +900 1\n", NULL,
                LANE_G, 3, "<0-26 running p2\n26-1000> system call p2\n");
    /* Nobody says more of it: the call goes on. */
    expect_same(G1 CALL G2 "ProcStatus +1 p=1 abandoned\nHeapAlloc +50 1\n", NULL, LANE_P, 1,
                "<0-13 running g2\n13-800> system call g2\n");
    expect_same(G1 CALL CALL2 G2 TWO, NULL, LANE_G, 3, "<0-26 running p2\n26-800> system call p2\n");
}

/* Told of by another thread, and of a P or goroutine that nobody knew. */
static void test_statuses(void **state)
{
    (void)state;
    expect_same(G1 G2 "ProcStatus +1 p=1 abandoned\nHeapAlloc +50 1\n", NULL, LANE_P, 1,
                "0-102 nothing\n102-800> idle\n");
    expect_same(G1 "batch m=10 t=100\nProcStatus +8 p=1 idle\n" G2 "ProcStatus +1 p=1 abandoned\n",
                "PROC_STATUS: the P has another status than before (1)", 0, 0, NULL);
    expect_same(G1 CALL G2 "GoStatus +1 g=2 m=9 syscall\n", NULL, LANE_G, 2,
                "<0-13 running p1\n13-800> system call p1\n");
    expect_same(G1 CALL CALL2 G2 "GoStatus +1 g=2 m=9 syscall\n",
                "GO_STATUS: the thread has another goroutine (9)", 0, 0, NULL);
    expect_same(G1 G2 "batch m=8 t=200\nGoStatus +1 g=5 m=8 syscall\n",
                "GO_STATUS: status of an unknown goroutine (5)", 0, 0, NULL);
    expect_same(G1 CALL CALL2 G2 "batch m=8 t=200\nProcStatus +1 p=1 syscall\nGoStatus +1 g=3 m=8 syscall\n",
                "GO_STATUS: the thread doesn't have the goroutine (3)", 0, 0, NULL);
}

static void test_ranges(void **state)
{
    (void)state;
    expect_same(G1 "GCSweepBegin +1 stack=0\n" G2 "GCSweepActive +1 p=0\nGCSweepEnd +5 swept=1 reclaimed=2\n",
                NULL, LANE_BAND, BAND_SWEEP, "0-52 nothing\n52-107 sweep\n107-800> nothing\n");
    expect_same(G1 "GCMarkAssistBegin +1 stack=0\nGoStop +5 reason=\"preempted\" stack=0\n"
                   "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=-1 runnable\n"
                   "GCMarkAssistActive +1 g=1\nGoStart +5 g=1 g_seq=1\nGCMarkAssistEnd +5\n",
                NULL, LANE_G, 1, "<0-57 running p0\n57-107 runnable (preempted)\n107-800> running p0\n");
    expect_same(G1 G2 "GCSweepActive +1 p=0\n", "GC_SWEEP_ACTIVE: the range isn't open", 0, 0, NULL);
    expect_same(G1 G2 "GCSweepActive +1 p=9\n", "GC_SWEEP_ACTIVE: sweep on an unknown P (9)", 0, 0, NULL);
    expect_same(G1 G2 "GCMarkAssistActive +1 g=1\n", "GC_ASSIST_ACTIVE: the range isn't open", 0, 0, NULL);
    expect_same(G1 G2 "GCMarkAssistActive +1 g=8\n",
                "GC_ASSIST_ACTIVE: mark assist of an unknown goroutine (8)", 0, 0, NULL);
}

/* Of two Ps that sweep one is told of when the other one has ended already: they swept all along. */
static void test_told_late(void **state)
{
    (void)state;
    expect_same(
        G1
        "GCSweepBegin +1 stack=0\nbatch m=8 t=100\nProcStatus +3 p=1 running\nGoStatus +1 g=2 m=8 "
        "running\nGCSweepBegin +70 stack=0\n" G2 "GCSweepActive +1 p=0\nGCSweepEnd +5 swept=1 reclaimed=2\n"
        "batch m=8 t=300\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\nGCSweepActive +1 p=1\n"
        "GCSweepEnd +100 swept=1 reclaimed=2\nGCSweepBegin +50 stack=0\nGCSweepEnd +10 swept=1 reclaimed=2\n",
        NULL, LANE_BAND, BAND_SWEEP,
        "0-52 nothing\n52-302 sweep\n302-352 nothing\n352-362 sweep\n362-800> nothing\n");
    /* A stop of the world that begins in one and ends in the other. */
    expect_same(G1 "STWBegin +1 kind=\"GC mark termination\" stack=0\n" G2 "STWEnd +10\n", NULL, LANE_G, 1,
                "<0-800> running p0\n");
    /* Tasks and regions go on, and end in another generation than they began in. */
    expect_same(
        G1 "UserTaskBegin +1 task=5 parent=0 name=\"job\" stack=0\nUserRegionBegin +1 task=5 name=\"part\" "
           "stack=0\nUserTaskBegin +1 task=6 parent=5 name=\"open\" stack=0\n" G2
           "UserRegionEnd +5 task=5 name=\"part\" stack=0\nUserTaskEnd +5 task=5 stack=0\nUserTaskEnd +5 "
           "task=99 stack=0\n",
        NULL, LANE_G, 1, "<0-800> running p0\n");
    expect_same(G1 "UserRegionBegin +1 task=0 name=\"part\" stack=0\n" G2
                   "UserRegionEnd +5 task=0 name=\"other\" stack=0\n",
                NULL, LANE_G, 1, "<0-800> running p0\n");
    /* The number of processors changes, and with it which of them are. */
    expect_same(G1 "ProcStatus +1 p=1 idle\nProcsChange +1 procs=1 stack=0\n" G2
                   "ProcsChange +5 procs=2 stack=0\n"
                   "ProcStatus +1 p=1 idle\n",
                NULL, LANE_G, 1, "<0-800> running p0\n");
}

static void test_collector(void **state)
{
    (void)state;
#define ON "GCBegin +1 gc_seq=1 stack=0\n"
#define OFF "GCBegin +1 gc_seq=1 stack=0\nGCEnd +2 gc_seq=2\n"
    expect_same(G1 ON G2 "GCActive +1 gc_seq=2\nGCEnd +5 gc_seq=3\n", NULL, LANE_BAND, BAND_GC,
                "0-52 nothing\n52-107 GC mark phase\n107-800> nothing\n");
    expect_same(G1 OFF G2 "GCActive +1 gc_seq=3\n", "GC_ACTIVE: GC active that did not begin (3)", 0, 0,
                NULL);
    expect_same(G1 G2 "GCActive +1 gc_seq=2\n", "no event can come next; the earliest is: GC_ACTIVE", 0, 0,
                NULL);
    expect_same(G1 ON G2 "GCActive +1 gc_seq=5\n", "no event can come next; the earliest is: GC_ACTIVE", 0, 0,
                NULL);
    expect_same(G1 G2 "GCBegin +1 gc_seq=1 stack=0\nGCActive +1 gc_seq=2\nGCActive +1 gc_seq=9\n",
                "no event can come next; the earliest is: GC_ACTIVE", 0, 0, NULL);
    /* Whoever tells of it runs a goroutine. */
    expect_same(G1 ON G2 "batch m=9 t=210\nGCActive +1 gc_seq=2\n", "GC_ACTIVE: expected a P, found none (9)",
                0, 0, NULL);
    expect_same(G1 OFF G2 "batch m=9 t=210\nGCBegin +1 gc_seq=3 stack=0\n",
                "GC_BEGIN: expected a P, found none (9)", 0, 0, NULL);
    expect_same(G1 OFF G2 "batch m=-1 t=210\nGCBegin +1 gc_seq=3 stack=0\n",
                "GC_BEGIN: expected a thread, found none (-1)", 0, 0, NULL);
}

/* Each generation says what is wrong with it; more than are kept are counted. What all have in common is said
 * once. */
static void test_notes(void **state)
{
    (void)state;
    enum { GENS = SOURCE_NOTES + 5 };
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nnoauto\n");
    for (int i = 1; i <= GENS; i++) {
        const int t = 1000 * i;
        tracegen_printf(
            &b,
            "batch gen=%d m=-1 t=%d\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n",
            i, t);
        tracegen_printf(
            &b,
            "batch gen=%d m=7 t=%d\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nUserLog +1 "
            "task=0 key=4 value=4 stack=1\n",
            i, t);
        tracegen_printf(&b, "batch gen=%d m=-1 t=%d\nStrings\nString id=4 \"a\"\nString id=4 \"b\"\n", i, t);
        tracegen_printf(&b, "batch gen=%d m=-1 t=%d\nStacks\nStack id=1 16:4:4:1\nend\nraw 34\n", i, t + 900);
    }
    for (int threads = 0; threads <= 3; threads++) {
        struct loaded l = load_as((char *)b.p, threads ? threads : 1, !threads);
        assert_int_equal(l.tr->cost.segments, threads ? GENS : 0);
        assert_int_equal(trace_info(l.tr)->ndamages, SOURCE_NOTES);
        assert_int_equal(l.tr->src.st.ndamages, GENS);
        assert_null(trace_damage(l.tr, SOURCE_NOTES));
        for (uint32_t i = 0; i < SOURCE_NOTES; i++) {
            assert_int_equal(trace_damage(l.tr, i)->gen, i + 1);
            assert_string_equal(trace_damage(l.tr, i)->what, "string 4 is defined twice");
        }
        unload(&l);
    }
    tracegen_free(&b);
    static const char newer[] = "go 1.22\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                                "running\nraw 2f 01 09 00 00\n" END G2 "raw 2f 01 0a 00 00\n" END MORE;
    for (int threads = 0; threads <= 3; threads++) {
        struct loaded l = load_as(newer, threads ? threads : 1, !threads);
        expect_whole(l.tr);
        assert_int_equal(trace_info(l.tr)->nwarnings, 1);
        assert_non_null(strstr(trace_warning(l.tr, 0)->what, "GO_CREATE_BLOCKED, in a trace of go 1.22"));
        unload(&l);
    }
}

/* Any number of threads decodes what is read plainly; each trace is asked that. */
static void as_plain(const char *text, void (*ask)(struct trace *tr))
{
    struct loaded plain = load_as(text, 1, true);
    char *truth = all_of(plain.tr);
    for (int threads = 1; threads <= 4; threads++) {
        struct loaded l = load_as(text, threads, false);
        char *is = all_of(l.tr);
        assert_string_equal(is, truth);
        if (ask)
            ask(l.tr);
        free(is);
        unload(&l);
    }
    free(truth);
    unload(&plain);
}

static void worker_9(struct trace *tr)
{
    assert_true(trace_lane(tr, (struct lane){LANE_G, trace_find_lane(tr, LANE_G, 9)}).is_worker);
    assert_int_equal(tr->cost.segments, 8);
    assert_int_equal(tr->cost.redone, 0); /* what the first one says is known when another is begun */
}

/* A mark worker that no event creates is known by its stack, in segments that are decoded before
 * the one in front of them is joined, too. */
static void test_worker(void **state)
{
    (void)state;
#define WORK \
    "GoStart +5 g=9 g_seq=%s\nGoLabel +1 label=\"GC (idle)\"\nGoBlock +10 reason=\"sync\" " \
    "stack=main.x:1,runtime.gcBgMarkWorker:4\n"
#define ALONE "GoBlock +1 reason=\"sync\" stack=0\n"
#define AGAIN \
    "endgen\nbatch m=7 t=%s\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=-1 waiting\nGoStatus +1 g=9 m=-1 " \
    "waiting\nGoUnblock +5 g=9 g_seq=1 stack=0\n"
    struct tracegen_buf b = {0};
    tracegen_printf(&b, G1 "GoStatus +1 g=9 m=-1 runnable\n" ALONE WORK, "1");
    for (int i = 2; i < 9; i++) {
        char t[20];
        snprintf(t, sizeof t, "%d", 1000 * i);
        tracegen_printf(&b, AGAIN, t);
        tracegen_printf(&b, WORK, "2");
    }
    as_plain((char *)b.p, worker_9);
    tracegen_free(&b);
}

/* One that nothing tells of in the first segment is labelled before its stack tells what it is: another
 * segment can't pass over the label. */
static void test_worker_late(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, G1 "GoStatus +1 g=9 m=-1 runnable\nGoStatus +1 g=10 m=-1 waiting\n" ALONE WORK, "1");
    for (int i = 2; i < 5; i++) {
        char t[20];
        snprintf(t, sizeof t, "%d", 1000 * i);
        tracegen_printf(&b, AGAIN, t);
        tracegen_printf(&b, WORK, "2");
        tracegen_printf(
            &b, "GoStatus +1 g=10 m=-1 waiting\nGoUnblock +5 g=10 g_seq=1 stack=0\nGoStart +5 g=10 g_seq=2\n"
                "GoLabel +1 label=\"GC (idle)\"\nGoBlock +10 reason=\"sync\" "
                "stack=main.x:1,runtime.gcBgMarkWorker:4\n");
    }
    as_plain((char *)b.p, NULL);
    tracegen_free(&b);
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* More frames than have short numbers; the last two stacks: a frame of many bytes, one whose function is
 * nowhere. */
enum { FULL = 520, DEEP = 128, STACKS = FULL + 2 };

/* A generation with these stacks. Ids differ: f is string `f`, g the other of 1 and 2, stack k has id k +
 * from. */
static void stacks_gen(struct tracegen_buf *b, int gen, int f, int from)
{
    const int t = 1000 * gen, g = 3 - f;
    tracegen_printf(
        b,
        "batch gen=%d m=-1 t=%d\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n"
        "batch gen=%d m=7 t=%d\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGoStop +8 reason=%d "
        "stack=%d\nGoStart +5 g=1 g_seq=1\nbatch gen=%d m=-1 t=%d\nStrings\nString id=%d \"f\"\n"
        "String id=%d \"g\"\n",
        gen, t, gen, t, f, FULL - 1 + from, gen, t, f, g);
    for (int k = 0; k < STACKS; k++) {
        if (k % 50 == 0)
            tracegen_printf(b, "batch gen=%d m=-1 t=%d\nStacks\n", gen, t);
        tracegen_printf(b, "Stack id=%d", k + from);
        for (int i = 0; i < DEEP && k < FULL; i++)
            tracegen_printf(b, " %d:%d:%d:%d", 1000 + k * DEEP + i, i % 2 ? f : g, f, i);
        if (k == FULL)
            tracegen_printf(b, " 0xfffffffffffffff0:%d:%d:0xffffffffffffff", f, f);
        if (k > FULL)
            tracegen_printf(b, " 7:99:%d:1", f);
        tracegen_printf(b, "\n");
    }
    tracegen_printf(b, "Stack id=%d 1:1:1:1\nend\nraw 34\n", from); /* a second one of that id */
}

static void expect_stacks(const struct trace *tr)
{
    assert_int_equal(trace_nstacks(tr), 1 + STACKS + 2); /* 1:1:1:1 is f in the first, g in the second */
    for (uint32_t k = 0; k < FULL; k++) {
        assert_int_equal(trace_stack(tr, k + 1), DEEP);
        for (uint32_t i = 0; i < DEEP; i++) {
            const struct frame f = trace_frame(tr, k + 1, i);
            assert_true(f.pc == 1000 + k * DEEP + i && f.line == i && trace_str(tr, f.file).p[0] == 'f');
            assert_int_equal(trace_str(tr, f.func).p[0], i % 2 ? 'f' : 'g');
        }
    }
    assert_true(trace_frame(tr, FULL + 1, 0).pc == 0xfffffffffffffff0u);
    assert_true(trace_frame(tr, FULL + 1, 0).line == 0xffffffffffffffu);
    const struct str lost = trace_str(tr, trace_frame(tr, FULL + 2, 0).func);
    assert_true(lost.len == 3 && !memcmp(lost.p, "#99", 3));
}

/* Each generation has numbers of its own for the same stacks: in the trace they are the same, whoever read
 * them and when. */
static void test_stacks(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\nnoauto\n");
    for (int gen = 1; gen < 6; gen++)
        stacks_gen(&b, gen, gen % 2 ? 1 : 2, gen * 5);
    struct loaded plain = load_as((char *)b.p, 1, true);
    char *truth = all_of(plain.tr);
    expect_stacks(plain.tr);
    for (int threads = 1; threads <= 4; threads++) {
        struct loaded l = load_as((char *)b.p, threads, false);
        char *is = all_of(l.tr);
        assert_int_equal(l.tr->cost.segments, 5);
        assert_string_equal(is, truth);
        expect_stacks(l.tr);
        free(is);
        unload(&l);
    }
    free(truth);
    unload(&plain);
    tracegen_free(&b);
}

/* What isn't in the first generation's tables has a name of its own, though others are named beside it. */
static void test_nameless(void **state)
{
    (void)state;
    const char *text = G1 "GoStop +8 reason=70 stack=0\nGoStart +5 g=1 g_seq=1\n" END MORE MORE;
    struct loaded plain = load_as(text, 1, true);
    char *truth = all_of(plain.tr);
    assert_non_null(strstr(truth, "(#70)"));
    for (int threads = 1; threads <= 4; threads++) {
        struct loaded l = load_as(text, threads, false);
        char *is = all_of(l.tr);
        assert_string_equal(is, truth);
        free(is);
        unload(&l);
    }
    free(truth);
    unload(&plain);
}

/*
 * The second generation contradicts the first one, and itself: which of both is said must not depend on who
 * knew it first. What the first one's tables lack makes the trace be read in one go, with one thread, too.
 */
static void test_nameless_then_torn(void **state)
{
    static const char text[] =
        G1 "GoStop +8 reason=70 stack=0\nGoStart +5 g=1 g_seq=1\nProcStatus +1 p=1 idle\n"
           "endgen\nbatch m=7 t=200\nProcStatus +1 p=1 running\nGoStatus +1 g=1 m=7 "
           "running\nGoStart +9 g=1 g_seq=9\n" END;
    (void)state;
    struct loaded one = load_as(text, 1, false);
    char *want = all_of(one.tr);
    assert_non_null(strstr(want, "events of threads were lost"));
    for (int threads = 2; threads <= 4; threads++) {
        struct loaded l = load_as(text, threads, false);
        char *is = all_of(l.tr);
        assert_string_equal(is, want);
        free(is);
        unload(&l);
    }
    free(want);
    unload(&one);
}

/* Events that take a while. */
static void many(struct tracegen_buf *b, int n)
{
    while (n--)
        tracegen_printf(b, "HeapAlloc +0 1\n");
}

/* Who is at which segment, and when, differs from time to time: what is said doesn't. */
static void expect_always(const struct tracegen_buf *text, const char *damage)
{
    enum { TIMES = 40 };
    struct loaded l = {.bytes = NULL};
    struct err e;
    char *want = NULL;
    l.bytes = tracegen_bytes((char *)text->p, &l.n);
    for (int i = 0; i < TIMES; i++) {
        const struct trace_opts o = {.threads = i ? 4 : 1};
        assert_int_equal(load_bytes_opts(l.bytes, l.n, &o, &l.tr, &e), ERR_OK);
        char *is = all_of(l.tr);
        if (want) {
            assert_string_equal(is, want);
            free(is);
        } else if (damage) {
            expect_damage(l.tr, ERR_FORMAT, damage);
        } else {
            expect_whole(l.tr);
        }
        want = want ? want : is;
        trace_close(l.tr);
    }
    free(want);
    free(l.bytes);
}

/* A trace that begins a millisecond after the clock did, and another millisecond. */
#define FIRST "batch m=7 t=1000000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
#define NEXT \
    "endgen\nbatch m=7 t=2000000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n" \
    "UserLog +1 task=0 key=\"k\" value=\"v\" stack=main.f:1\n"

/* What is foretold of the first generation's end is earlier than its beginning: its last batch says so. */
static void test_end_before_beginning(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\n" FIRST);
    many(&b, 10000);
    tracegen_printf(&b, "batch m=7 t=9\nHeapAlloc +1 2\n" NEXT NEXT NEXT);
    expect_always(&b, NULL);
    tracegen_free(&b);
}

/* Of the second one's end nothing is known while somebody looks for it: of what its damaged table belongs to
 * nothing is decoded. */
static void test_end_unknown(void **state)
{
    (void)state;
    struct tracegen_buf b = {0};
    tracegen_printf(&b, "go 1.26\n" FIRST);
    many(&b, 10000);
    tracegen_printf(&b, NEXT);
    for (int m = 8; m < 40; m++) {
        tracegen_printf(&b, "batch m=%d t=2000000\n", m);
        many(&b, 4000);
    }
    tracegen_printf(&b, "batch m=-1 t=2000000\nStrings\nraw 00\n" NEXT NEXT);
    expect_always(&b, "string");
    tracegen_free(&b);
}

/*
 * Nothing of the only generation can be placed in time, and what stands behind it is none: what is said of
 * that must not depend on whether somebody has looked there by then.
 */
static void test_no_beginning(void **state)
{
    static const char text[] =
        "go 1.26\nnoauto\nbatch gen=1 m=7 t=45\nProcStop +15\nendgen\nraw 00 01 01 07\n";
    (void)state;
    struct loaded one = load_as(text, 1, false);
    char *want = all_of(one.tr);
    expect_damage(one.tr, ERR_TRUNCATED, "has no clock frequency");
    assert_string_equal(trace_damage(one.tr, 1)->what, "event PROC_STOP: expected a P, found none (7)");
    for (int threads = 2; threads <= 4; threads++) {
        struct loaded l = load_as(text, threads, false);
        char *is = all_of(l.tr);
        assert_string_equal(is, want);
        free(is);
        unload(&l);
    }
    free(want);
    unload(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call_ends),
        cmocka_unit_test(test_call_stolen),
        cmocka_unit_test(test_suspended),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_collector),
        cmocka_unit_test(test_told_late),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_worker),
        cmocka_unit_test(test_worker_late),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_nameless),
        cmocka_unit_test(test_no_beginning),
        cmocka_unit_test(test_nameless_then_torn),
        cmocka_unit_test(test_end_before_beginning),
        cmocka_unit_test(test_end_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
