/*
 * test_misuse.c - what a program annotates in another way than runtime/trace asks for, and single references
 * that no table has: the trace is whole, and one warning of each kind names who and where. In both families,
 * and for any number of threads.
 */
#include "decode_help.h"

#define MAIN "runtime/trace.(*Region).End:9,main.load:15,main.main:3"

/* Both families tell the same of a goroutine that exists as the trace begins (G1) and one that is created
 * (G2). */
static const struct family {
    const char *header, *begin, *task, *task_end, *open, *close, *second, *log;
} family[] = {
    {"go 1.11\n",
     "batch p=0 t=100\nGoCreate +1 g=1 new_stack=main.main:1 stack=0\nProcStart +1 thread=7\nGoStart +1 g=1 "
     "seq=1\n",
     "UserTaskCreate +5 task=%d parent=0 name=\"%s\" stack=main.main:2\n",
     "UserTaskEnd +5 task=%d stack=%s\n", "UserRegion +5 task=%d mode=0 name=\"%s\" stack=main.load:11\n",
     "UserRegion +5 task=%d mode=1 name=\"%s\" stack=%s\n",
     "GoCreate +1 g=2 new_stack=main.worker:1 stack=main.main:4\nGoBlock +1 stack=0\nGoStart +1 g=2 seq=1\n",
     "UserLog +5 task=%d key=\"k\" value=\"v\" stack=0\n"},
    {"go 1.26\n", "batch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n",
     "UserTaskBegin +5 task=%d parent=0 name=\"%s\" stack=main.main:2\n", "UserTaskEnd +5 task=%d stack=%s\n",
     "UserRegionBegin +5 task=%d name=\"%s\" stack=main.load:11\n",
     "UserRegionEnd +5 task=%d name=\"%s\" stack=%s\n",
     "GoCreate +1 new_g=2 new_stack=main.worker:1 stack=main.main:4\nGoBlock +1 reason=\"sleep\" "
     "stack=0\nGoStart +1 "
     "g=2 "
     "g_seq=1\n",
     "UserLog +5 task=%d key=\"k\" value=\"v\" stack=0\n"},
};
enum { FAMILIES = sizeof family / sizeof *family };

struct story { /* what happens, in one family's words */
    const struct family *f;
    char text[8192];
    size_t n;
};

static struct story begin(const struct family *f)
{
    struct story s = {.f = f};
    s.n = (size_t)snprintf(s.text, sizeof s.text, "%s%s", f->header, f->begin);
    return s;
}

#define TELL(s, what, ...) \
    ((s)->n += (size_t)snprintf((s)->text + (s)->n, sizeof(s)->text - (s)->n, (s)->f->what, __VA_ARGS__))

static void second(struct story *s)
{
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "%s", s->f->second);
}

/* It is whole, and has just these warnings. */
static struct loaded warned(const char *text, const char *const *want, uint32_t n)
{
    struct loaded l = load_text(text);
    expect_whole(l.tr);
    for (uint32_t i = 0; i < n; i++) {
        const struct err *w = trace_warning(l.tr, i);
        if (!w || !strstr(w->what, want[i]))
            fail_msg("warning %u is '%s', expected '%s', of\n%s", i, w ? w->what : "none", want[i], text);
    }
    assert_int_equal(trace_info(l.tr)->nwarnings, n);
    assert_null(trace_warning(l.tr, n));
    return l;
}

static void a_region_ended_twice(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        struct story s = begin(&family[i]);
        TELL(&s, task, 3, "request");
        for (int k = 0; k < 3; k++) {
            TELL(&s, open, 3, "outer");
            TELL(&s, open, 3, "loadMatches");
            TELL(&s, close, 3, "loadMatches", "main.load:14");
            TELL(&s, close, 3, "loadMatches", MAIN);
            TELL(&s, close, 3, "outer", "main.main:5");
        }
        TELL(&s, task_end, 3, "main.main:6");
        static const char *const want[] = {"G1 ends region \"loadMatches\" in main.load "};
        struct loaded l = warned(s.text, want, 1);
        assert_non_null(strstr(trace_warning(l.tr, 0)->what, ":15, at 0.0000"));
        assert_non_null(
            strstr(trace_warning(l.tr, 0)->what, "where it is not open (the first of 3): left out"));
        const struct region *r;
        assert_int_equal(trace_regions(l.tr, &r), 6);
        for (int k = 0; k < 6; k++)
            assert_true(!r[k].open_start && !r[k].open_end && r[k].t1 - r[k].t0 == (k % 2 ? 5 : 20) &&
                        r[k].depth == k % 2);
        unload(&l);
    }
}

/* Not within another one: that its task has begun since tells that it has, too. Of another it may have begun
 * before the trace. */
static void an_end_without_a_beginning(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        struct story s = begin(&family[i]);
        TELL(&s, close, 0, "early", "main.main:1");
        TELL(&s, close, 9, "earlier", "main.main:1");
        TELL(&s, task, 3, "request");
        TELL(&s, close, 3, "twice", "main.main:7");
        static const char *const want[] = {"G1 ends region \"twice\" in main.main "};
        struct loaded l = warned(s.text, want, 1);
        const struct region *r;
        assert_int_equal(trace_regions(l.tr, &r), 2);
        assert_true(r[0].open_start && r[1].open_start);
        unload(&l);
    }
}

static void regions_that_cross(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        struct story s = begin(&family[i]);
        TELL(&s, open, 0, "first");
        TELL(&s, open, 0, "second");
        TELL(&s, close, 0, "first", "main.load:15");
        TELL(&s, open, 0, "third");
        TELL(&s, close, 0, "third", "main.load:16");
        TELL(&s, close, 0, "second", "main.load:17");
        static const char *const want[] = {"G1 ends region \"first\" in main.load "};
        struct loaded l = warned(s.text, want, 1);
        assert_non_null(strstr(trace_warning(l.tr, 0)->what, "before \"second\" within it"));
        const struct region *r;
        assert_int_equal(trace_regions(l.tr, &r), 3);
        assert_true(r[0].t1 - r[0].t0 == 10 && r[1].t1 - r[1].t0 == 20 && r[2].t1 - r[2].t0 == 5);
        assert_true(r[0].depth == 0 && r[1].depth == 1 && r[2].depth == 2); /* none in another's row */
        unload(&l);
    }
}

static void a_region_ended_on_another_goroutine(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        struct story s = begin(&family[i]);
        TELL(&s, open, 0, "handed");
        second(&s);
        TELL(&s, close, 0, "handed", "main.worker:8");
        static const char *const want[] = {"G2 ends region \"handed\" in main.worker "};
        struct loaded l = warned(s.text, want, 1);
        const struct region *r;
        assert_int_equal(trace_regions(l.tr, &r), 1);
        assert_true(r->open_end && !r->open_start); /* nobody knows that it was this one */
        unload(&l);
    }
}

static void tasks(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        struct story s = begin(&family[i]);
        for (int k = 1; k <= 5; k++) {
            TELL(&s, task, k, "request");
            TELL(&s, task_end, k, "main.serve:17");
            TELL(&s, task_end, k, "main.serve:18");
        }
        static const char *const want[] = {"G1 ends task 1 \"request\" again in main.serve "};
        struct loaded l = warned(s.text, want, 1);
        assert_non_null(strstr(trace_warning(l.tr, 0)->what, ":18, at 0.0000"));
        assert_non_null(strstr(trace_warning(l.tr, 0)->what, "(the first of 5): its first end counts"));
        const struct task *t;
        assert_int_equal(trace_tasks(l.tr, &t), 5);
        for (int k = 0; k < 5; k++)
            assert_true(!t[k].open_start && !t[k].open_end && t[k].t1 - t[k].t0 == 5);
        unload(&l);
        /* One that began before the trace ends once, too; a log of another one is no misuse. */
        s = begin(&family[i]);
        TELL(&s, log, 8);
        TELL(&s, task_end, 9, "main.serve:17");
        TELL(&s, task_end, 9, "main.serve:18");
        static const char *const again[] = {"G1 ends task 9 \"\" again in main.serve "};
        l = warned(s.text, again, 1);
        assert_int_equal(trace_tasks(l.tr, &t), 1);
        assert_true(t->open_start && t->t1 < trace_info(l.tr)->end);
        unload(&l);
    }
}

/* Beyond the seams between generations, by any number of threads the same as plainly. */
static void in_another_generation(void **state)
{
    (void)state;
    static const char text[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nUserTaskBegin +1 "
        "task=1 "
        "parent=0 "
        "name=\"job\" stack=0\nUserRegionBegin +1 task=1 name=\"a\" stack=0\nUserRegionBegin +1 task=1 "
        "name=\"b\" "
        "stack=0\n"
        "endgen\nbatch m=7 t=200\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nUserRegionEnd +1 "
        "task=1 "
        "name=\"a\" "
        "stack=0\nUserTaskEnd +1 task=1 stack=0\nendgen\nbatch m=7 t=300\nProcStatus +1 p=0 "
        "running\nGoStatus +1 g=1 "
        "m=7 "
        "running\nUserRegionEnd +1 task=1 name=\"b\" stack=0\nUserRegionEnd +1 task=1 name=\"b\" stack=0\n"
        "UserTaskEnd +1 task=1 stack=0\nendgen\nbatch m=7 t=400\nProcStatus +1 p=0 running\nGoStatus +1 g=1 "
        "m=7 "
        "running\n";
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    for (int threads = 1; threads <= 3; threads++) {
        struct trace *tr;
        struct err e;
        struct trace_opts o = {.threads = threads};
        const struct region *r;
        const struct task *t;
        assert_int_equal(load_bytes_opts(p, n, &o, &tr, &e), ERR_OK);
        expect_whole(tr);
        assert_int_equal(trace_info(tr)->nwarnings, MISUSE_KINDS);
        assert_non_null(strstr(trace_warning(tr, MISUSE_REGION)->what,
                               "\"b\", at 0.000000 s, where it is not open: left out"));
        assert_non_null(strstr(trace_warning(tr, MISUSE_NESTING)->what, "\"a\""));
        assert_non_null(strstr(trace_warning(tr, MISUSE_TASK)->what, "task 1 \"job\" again"));
        assert_int_equal(trace_regions(tr, &r), 2);
        assert_int_equal(trace_tasks(tr, &t), 1);
        assert_true(r[0].t0 == 3 && r[0].t1 == 102 && r[1].t0 == 4 && r[1].t1 == 202 && t->t0 == 2 &&
                    t->t1 == 103);
        trace_close(tr);
    }
    free(p);
}

/* Thousands of open regions, and as many ends that are none of theirs: each looks at a few. */
static void deep(void **state)
{
    enum { N = 5000 };
    (void)state;
    struct tracegen_buf b = {0};
    char line[80];
    tracegen_put(&b, family[1].header, strlen(family[1].header));
    tracegen_put(&b, family[1].begin, strlen(family[1].begin));
    for (int i = 0; i < 2 * N; i++) {
        const int k = snprintf(line, sizeof line, "UserRegion%s +1 task=0 name=\"%s\" stack=0\n",
                               i < N ? "Begin" : "End", i < N ? "in" : "out");
        tracegen_put(&b, line, (size_t)k);
    }
    tracegen_put(&b, "", 1);
    static const char *const want[] = {"(the first of 5000): left out"};
    struct loaded l = warned((char *)b.p, want, 1);
    const struct region *r;
    assert_int_equal(trace_regions(l.tr, &r), N);
    unload(&l);
    tracegen_free(&b);
}

/* ---- references that no table has ---------------------------------------------------------------------- */

/* The tables are there, and the last batch is one of strings, as the runtime has it. %s: events of G1. */
#define KNOWN \
    "go 1.%d\nnoauto\nbatch m=-1 t=1\n%sFrequency freq=1000000000\n%sbatch m=7 t=100\nProcStatus +1 p=0 " \
    "running\nGoStatus +1 " \
    "g=1 m=7 running\n%sbatch m=-1 t=1\nStacks\nStack id=1 1000:1:2:7\nbatch m=-1 t=1\n" \
    "Strings\nString id=1 \"main.main\"\nString id=2 \"main.go\"\n%s"

static void single_references(void **state)
{
    static const struct {
        const char *event, *say;
    } cases[] = {
        {"ProcsChange +1 procs=2 stack=125\n",
         "1 use of stacks or strings that are in no table: a stack is shown as not recorded"},
        {"HeapAlloc +1 4\nUserRegionBegin +1 task=0 name=77 stack=1\n",
         "1 use of stacks or strings that are in no table: a stack is shown as not recorded, a string as its "
         "number"},
        {"GoStop +1 reason=1 stack=9\nGoStart +1 g=1 g_seq=1\nGoStop +1 reason=1 stack=9\nGoStart +1 g=1 "
         "g_seq=2\nGoStop +1 "
         "reason=1 stack=8\n",
         "3 uses of stacks or strings that are in no table"},
    };
    static const int version[] = {22, 23, 25, 26};
    (void)state;
    for (size_t v = 0; v < sizeof version / sizeof *version; v++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char *text;
            const bool sync = version[v] >= 25;
            assert_true(asprintf(&text, KNOWN, version[v], sync ? "Sync\n" : "",
                                 sync ? "ClockSnapshot +1 mono=1 sec=1 nsec=1\n" : "", cases[i].event,
                                 version[v] >= 26 ? "end\nraw 34\n" : "") > 0);
            struct loaded l = warned(text, &cases[i].say, 1);
            assert_true(trace_warning(l.tr, 0)->offset < l.n && trace_warning(l.tr, 0)->gen == 1);
            unload(&l);
            free(text);
        }
}

/* The same before Go 1.22, where a table that was cut short has gaps or lacks
 * the stack behind its last one. */
static void single_references_before(void **state)
{
    static const struct {
        int version, stack;
        const char *say; /* NULL: it was cut short */
    } cases[] = {{1011, 125, "1 use of stacks or strings that are in no table"},
                 {1021, 125, "1 use of stacks or strings that are in no table"},
                 {1021, 3, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        assert_true(
            asprintf(
                &text,
                "go 1.%d\nbatch p=0 t=100\nGoCreate +1 g=1 new_stack=main.main:1 stack=0\nProcStart +1 "
                "thread=7\nGoStart +1 g=1 seq=1\nGoSched +1 stack=main.f:1\nGoStart +1 g=1 seq=2\nGoSched +1 "
                "stack=%d\n",
                cases[i].version - 1000, cases[i].stack) > 0);
        if (cases[i].say) {
            struct loaded l = warned(text, &cases[i].say, 1);
            unload(&l);
        } else {
            struct loaded l = load_text(text);
            expect_damage(l.tr, ERR_TRUNCATED, "1 use of stacks or strings that are not in the file");
            unload(&l);
        }
        free(text);
    }
}

/* ---- how many units a second has ----------------------------------------------------------------------- */

static void a_rate_that_is_given(void **state)
{
    static const char *const text[] = {
        "go 1.11\nbatch p=0 t=100\nGoCreate +1 g=1 new_stack=main.main:1 stack=0\nProcStart +1 "
        "thread=7\nGoStart +1 "
        "g=1 "
        "seq=1\nHeapAlloc +1000 bytes=1\nHeapAlloc +1000 bytes=1\n",
        "go 1.22\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +1001 "
        "4\nendgen\nbatch "
        "m=7 t=1102\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +999 4\n",
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +1001 "
        "4\nendgen\nbatch "
        "m=7 t=1102\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +999 4\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        size_t n;
        uint8_t *p = tracegen_bytes(text[i], &n);
        int64_t end[3];
        for (int k = 0; k < 3; k++) {
            struct trace_opts o = {.threads = 2, .ticks_per_second = k == 2 ? 1e8 : k ? 1e9 : 0};
            struct trace *tr;
            struct err e;
            assert_int_equal(load_bytes_opts(p, n, &o, &tr, &e), ERR_OK);
            expect_whole(tr);
            assert_int_equal(trace_info(tr)->clock_assumed, k > 0);
            end[k] = trace_info(tr)->end;
            trace_close(tr);
        }
        assert_int_equal(end[0], end[1]); /* the file says the same */
        assert_int_equal(end[2] / 10, end[0]);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_ended_twice),
        cmocka_unit_test(an_end_without_a_beginning),
        cmocka_unit_test(regions_that_cross),
        cmocka_unit_test(a_region_ended_on_another_goroutine),
        cmocka_unit_test(tasks),
        cmocka_unit_test(in_another_generation),
        cmocka_unit_test(deep),
        cmocka_unit_test(single_references),
        cmocka_unit_test(single_references_before),
        cmocka_unit_test(a_rate_that_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
