/*
 * test_torn.c - traces of programs that were killed, and such that were cut: what is shown of them is what
 * the whole trace says, but for what is marked as not recorded.
 */
#include "tests/unit/decode_help.h"
#include "tests/unit/follow_help.h"

struct tally {
    uint64_t events, spans, wrong, unknown, ns, wrong_ns, unknown_ns, reasons;
    int64_t worst;
};

static struct trace *open_bytes(const uint8_t *p, size_t n)
{
    static const struct trace_opts one = {.threads = 1};
    struct trace *tr = NULL;
    struct err e;
    return load_bytes_opts(p, n, &one, &tr, &e) ? NULL : tr;
}

/* A time may differ by what order gives events of one moment. */
enum { NEAR_NS = 20000 };

static bool lane_known(enum lane_kind k, uint8_t state)
{
    return state != ST_UNKNOWN && !(k != LANE_G && state == ST_NONE);
}

/* A wait that both have has one reason: where a cut took the table of strings, the numbers stand for the same
 * ones. */
static void compare_reason(const struct trace *cut, const struct span *s, const struct trace *all,
                           struct lane l, int64_t shift, struct tally *y, const char *what)
{
    struct span_iter it;
    const struct str a = trace_str(cut, s->reason);
    const bool made =
        what && !strcmp(what, "(text)"); /* its strings have numbers of its own, too low for reasons */
    if (!what || s->state != ST_WAITING || !a.len || (made && a.p[0] == '#') ||
        !span_seek(&it, all, l, s->t0 + shift))
        return;
    const struct span *whole = span_get(&it);
    const struct str b = trace_str(all, whole->reason);
    if (whole->t0 != s->t0 + shift || whole->state != ST_WAITING || !b.len)
        return;
    y->reasons++;
    if (a.len != b.len || memcmp(a.p, b.p, a.len) != 0)
        fail_msg("%s: G%" PRIu64 " waits at %" PRId64 ": %.*s, not %.*s", what, raw_id(all, LANE_G, l.i),
                 s->t0, (int)b.len, b.p, (int)a.len, a.p);
}

static void compare_lane(const struct trace *cut, const struct trace *all, enum lane_kind k, uint32_t i,
                         int64_t shift, struct tally *y, const char *what)
{
    struct lane l = {k, i}, other = {k, trace_find_lane(all, k, raw_id(cut, k, i))};
    struct span_iter it;
    if (other.i == NO_LANE)
        fail_msg("%s: a lane %c%" PRIu64 " that isn't there", what, "PGMB"[k], raw_id(cut, k, i));
    struct follow whole = follow_lane(all, other);
    if (!span_seek_index(&it, cut, l, 0))
        return;
    do {
        const struct span *s = span_get(&it);
        const int64_t ns = s->t1 - s->t0;
        y->spans++;
        y->ns += (uint64_t)ns;
        compare_reason(cut, s, all, other, shift, y, what);
        if (!lane_known(k, s->state)) {
            y->unknown++;
            y->unknown_ns += (uint64_t)ns;
            continue;
        }
        int64_t wrong = ns - follow_ns(&whole, s->t0 + shift, s->t1 + shift, s->state);
        if (wrong <= NEAR_NS)
            continue;
        if (getenv("TORN_SHOW"))
            print_message("%s: %c%" PRIu64 " %s %.6f - %.6f ms, %.6f ms not so\n", what, "PGMB"[k],
                          raw_id(cut, k, i), state_name(s->state), (double)s -> t0 / 1e6,
                          (double)s -> t1 / 1e6, (double)wrong / 1e6);
        y->wrong++;
        y->wrong_ns += (uint64_t)wrong;
        y->worst = wrong > y->worst ? wrong : y->worst;
    } while (span_next(&it));
}

static uint64_t owner_of(const struct trace *tr, enum range_kind k, const struct range *r)
{
    const enum lane_kind l = k == RANGE_SWEEP || r->scope_p ? LANE_P : LANE_G;
    return k == RANGE_GC || r->owner == NO_LANE ? 0 : raw_id(tr, l, r->owner);
}

/* Each range of the cut trace lies within one of the whole trace's of the same owner. */
static void compare_ranges(const struct trace *cut, const struct trace *all, int64_t shift, const char *what)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *a, *b;
        const size_t na = trace_ranges(cut, (enum range_kind)k, &a),
                     nb = trace_ranges(all, (enum range_kind)k, &b);
        for (size_t i = 0; i < na; i++) {
            const uint64_t owner = owner_of(cut, (enum range_kind)k, &a[i]);
            bool found = a[i].t1 - a[i].t0 <= NEAR_NS;
            for (size_t j = 0; j < nb && !found; j++)
                found = owner_of(all, (enum range_kind)k, &b[j]) == owner &&
                        b[j].t0 <= a[i].t0 + shift + NEAR_NS && a[i].t1 + shift <= b[j].t1 + NEAR_NS;
            if (!found)
                fail_msg("%s: range of kind %d of %" PRIu64 ", %.6f - %.6f ms, was not so", what, k, owner,
                         (double)a[i].t0 / 1e6, (double)a[i].t1 / 1e6);
        }
    }
}

/* A region of which both ends are known has those that it has in the whole trace. */
static void compare_regions(const struct trace *cut, const struct trace *all, int64_t shift, const char *what)
{
    const struct region *a, *b;
    const size_t na = trace_regions(cut, &a), nb = trace_regions(all, &b);
    for (size_t i = 0; i < na; i++) {
        bool found = a[i].open_start || a[i].open_end;
        const int64_t t0 = a[i].t0 + shift, t1 = a[i].t1 + shift;
        for (size_t j = 0; j < nb && !found; j++)
            found = raw_id(all, LANE_G, b[j].g) == raw_id(cut, LANE_G, a[i].g) && b[j].t0 - NEAR_NS <= t0 &&
                    t0 <= b[j].t0 + NEAR_NS && b[j].t1 - NEAR_NS <= t1 && t1 <= b[j].t1 + NEAR_NS;
        if (!found)
            fail_msg("%s: a region of G%" PRIu64 ", %.6f - %.6f ms, was not so", what,
                     raw_id(cut, LANE_G, a[i].g), (double)a[i].t0 / 1e6, (double)a[i].t1 / 1e6);
    }
}

static struct tally compare(const uint8_t *p, size_t n, const struct trace *all, const char *what)
{
    struct tally y = {0};
    struct trace *cut = open_bytes(p, n);
    if (!cut)
        return y;
    if (!trace_fatal(cut)) {
        const int64_t shift = cut->src.st.first_ns - all->src.st.first_ns;
        for (uint32_t i = 0; i < trace_nlanes(cut, LANE_G); i++)
            compare_lane(cut, all, LANE_G, i, shift, &y, what);
        for (uint32_t i = 0; i < trace_nlanes(cut, LANE_P); i++)
            compare_lane(cut, all, LANE_P, i, shift, &y, what);
        compare_ranges(cut, all, shift, what);
        compare_regions(cut, all, shift, what);
        y.events = trace_info(cut)->count[EC_TRANSITION];
    }
    trace_close(cut);
    return y;
}

static void print(const char *what, size_t bytes, const struct tally *y)
{
    print_message("%s, %zu bytes: %" PRIu64 " events, %" PRIu64 " spans, not recorded %" PRIu64
                  " (%.1f %%), wrong %" PRIu64 " (%.3f %%), worst %.3f ms\n",
                  what, bytes, y->events, y->spans, y->unknown,
                  100.0 * (double)y->unknown_ns / (double)(y->ns + 1), y->wrong,
                  100.0 * (double)y->wrong_ns / (double)(y->ns + 1), (double)y->worst / 1e6);
}

/* How many events for lanes stand in whole lines of notation: what the batches hold. */
static uint64_t events_of(const uint8_t *p, size_t n)
{
    struct tracegen_buf b = {0};
    uint64_t events = 0;
    tracegen_decode(p, n, &b);
    for (const char *at = (char *)b.p; (at = strchr(at, '\n')); at++)
        events += (!strncmp(at + 1, "Go", 2) && strncmp(at + 1, "GoLabel", 7)) ||
                  (!strncmp(at + 1, "Proc", 4) && strncmp(at + 1, "ProcsChange", 11));
    tracegen_free(&b);
    return events;
}

static void cut_everywhere(const char *path, const uint8_t *p, size_t n, size_t step, bool show)
{
    struct trace *all = open_bytes(p, n);
    assert_non_null(all);
    uint64_t reasons = 0;
    for (size_t at = step; trace_info(all)->second_family && at < n; at += step) {
        struct tally y = compare(p, at, all, path);
        reasons += y.reasons;
        uint64_t there = events_of(p, at);
        if (show)
            print(path, at, &y);
        if (y.wrong && !show)
            fail_msg("%s cut at byte %zu: %" PRIu64 " spans that are not so (TORN_SHOW=1 shows them)", path,
                     at, y.wrong);
        if (y.spans && (double)y.events < 0.95 * (double)there)
            fail_msg("%s cut at byte %zu: %" PRIu64 " events shown, %" PRIu64 " are there", path, at,
                     y.events, there);
    }
    assert_true(reasons || !trace_info(all)->second_family);
    trace_close(all);
}

static void few_cuts(const char *path, const uint8_t *p, size_t n)
{
    cut_everywhere(path, p, n, n / 20 + 1, false);
}

/* Whatever is left of a sample, what is shown agrees with the whole, and
 * nearly all that is there is shown. */
static void test_cut_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 60000, few_cuts) > 20);
}

/* A small one at every byte. */
static void test_cut_each_byte(void **state)
{
    (void)state;
    static const char text[] =
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoCreate +7000 new_g=2 new_stack=main.worker:30 stack=main.main:12\nGoBlock +90000 reason=\"chan "
        "receive\" "
        "stack=main.main:14\n"
        "GoStart +90000 g=2 g_seq=1\nbatch m=8 t=110\nProcStatus +5 p=1 idle\nProcStart +30000 p=1 "
        "p_seq=1\nendgen\n"
        "batch m=7 t=300000\nProcStatus +1 p=0 running\nGoStatus +1 g=2 m=7 running\nGoStatus +1 g=1 m=-1 "
        "waiting\n"
        "GoUnblock +90000 g=1 g_seq=1 stack=main.worker:33\n"
        "batch m=8 t=300000\nProcStatus +1 p=1 running\nGoStart +190000 g=1 g_seq=2\nSTWBegin +90000 "
        "kind=\"x\" "
        "stack=0\n";
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    cut_everywhere("(text)", p, n, 1, false);
    free(p);
}

/* Without its end mark and tables: nothing says that more was written. */
#define KILLED \
    "go 1.26\nnoauto\nbatch m=-1 t=1\nSync\nFrequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 " \
    "nsec=1\n"
#define ONE "batch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"

/* What woke a goroutine was lost with its thread: from its block to its start nothing is known of it. */
static void test_lost_unblock(void **state)
{
    (void)state;
    struct loaded l = load_text(
        KILLED ONE "GoBlock +10 reason=0 stack=0\nGoStart +100 g=1 g_seq=2\nGoBlock +50 reason=0 stack=0\n");
    expect_lane(l.tr, LANE_G, 1,
                "<0-11 running p0\n11-111 not recorded\n111-161 running p0\n161-161> not recorded\n");
    assert_int_equal(trace_info(l.tr)->events, 5);
    unload(&l);
}

/* Nothing is lost between two numbers that follow each other, on whatever thread they are. */
static void test_sure(void **state)
{
    (void)state;
    struct loaded l =
        load_text(KILLED ONE "GoBlock +10 reason=0 stack=0\nGoStart +100 g=1 g_seq=2\nHeapAlloc +500 1\n"
                             "batch m=8 t=110\nGoUnblock +40 g=1 g_seq=1 stack=0\n");
    expect_lane(
        l.tr, LANE_G, 1,
        "<0-11 running p0\n11-49 waiting\n49-111 runnable\n111-611 running p0\n611-611> not recorded\n");
    unload(&l);
}

/* The end of a region may be among what was lost: the next end is no one's that began before, and known only
 * from there on. */
static void test_lost_region(void **state)
{
    (void)state;
    struct loaded l = load_text(
        KILLED ONE "UserRegionBegin +10 task=0 name=\"a\" stack=0\nGoBlock +20 reason=0 stack=0\n"
                   "GoStart +100 g=1 g_seq=5\nUserRegionBegin +10 task=0 name=\"a\" stack=0\n"
                   "UserRegionEnd +5 task=0 name=\"a\" stack=0\nUserRegionEnd +10 task=0 name=\"b\" stack=0\n"
                   "GoBlock +50 reason=0 stack=0\n");
    const struct region *r;
    assert_int_equal(trace_regions(l.tr, &r), 3);
    assert_true(r[0].open_end && !r[0].open_start && r[0].t1 - r[0].t0 == 20); /* until it was last told of */
    assert_true(r[1].open_start && !r[1].open_end && r[1].t1 - r[1].t0 == 25); /* since it is told of again */
    assert_true(!r[2].open_start && !r[2].open_end && r[2].t1 - r[2].t0 == 5);
    unload(&l);
}

/* A generation that had only begun: what was so at the end of the one before it is so at the trace's end. */
static void test_only_begun(void **state)
{
    (void)state;
    struct loaded l = load_text(
        KILLED ONE "GoBlock +10 reason=0 stack=0\nHeapAlloc +90 5\nendgen\nbatch gen=2 m=-1 t=1000\nSync\n"
                   "Frequency freq=1000000000\nClockSnapshot +1 mono=1 sec=1 nsec=1\n");
    assert_string_equal(trace_damage(l.tr, 0)->what, "generation 2 has no end mark: the trace was cut short");
    assert_null(trace_damage(l.tr, 1));
    assert_int_equal(trace_info(l.tr)->generations, 1);
    expect_lane(l.tr, LANE_G, 1, "<0-11 running p0\n11-101> waiting\n");
    unload(&l);
}

/* A P is taken from a thread by one that was lost; the thread finds itself without it. */
static void test_lost_steal(void **state)
{
    (void)state;
    struct loaded l = load_text(
        KILLED ONE "GoSyscallBegin +10 p_seq=1 stack=0\nGoSyscallEndBlocked +100\nProcStart +50 p=0 p_seq=5\n"
                   "GoStart +5 g=1 g_seq=1\nHeapAlloc +7 1\n");
    expect_lane(
        l.tr, LANE_P, 0,
        "<0-11 running g1\n11-161 nothing\n161-166 looking for work\n166-173 running g1\n173-173> nothing\n");
    expect_lane(l.tr, LANE_G, 1,
                "<0-11 running p0\n11-111 system call p0\n111-166 runnable\n166-173 running p0\n173-173> not "
                "recorded\n");
    unload(&l);
}

/* A thread that ran something and of which nothing more is told: nobody says that it ran on. */
static void test_silent_thread(void **state)
{
    (void)state;
    struct loaded l = load_text(
        "go 1.26\n" ONE "batch m=8 t=105\nProcStatus +1 p=1 running\nGoStatus +1 g=2 m=8 running\nHeapAlloc "
        "+300 1\nendgen\nnoauto\n"
        "batch m=7 t=1000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nHeapAlloc +100 1\n");
    assert_non_null(trace_damage(l.tr, 0));
    expect_lane(l.tr, LANE_G, 2, "<0-306 running p1\n306-1001> not recorded\n");
    unload(&l);
}

/* What was lost with all the others is told of again: it is looked at again, too, and lost with the next
 * hole. */
static void test_told_again(void **state)
{
    (void)state;
    enum { MANY = 300 };
    char text[MANY * 60 + 2000];
    size_t n = (size_t)snprintf(text, sizeof text, "go 1.26\n" ONE);
    for (int i = 2; i < MANY; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "GoStatus +1 g=%d m=-1 waiting\nProcStatus +1 p=%d idle\n", i, i);
    for (int gen = 2; gen <= 5; gen++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "endgen\nbatch m=7 t=%d000000\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
            "HeapAlloc +10 1\nend\nraw 77 77 77 77 77\nbatch m=7 t=%d500000\n%sHeapAlloc +1000 2\n",
            gen, gen, gen == 3 ? "GoStatus +1 g=5 m=-1 waiting\nProcStatus +1 p=5 idle\n" : "");
    struct loaded l = load_text(text);
    expect_lane(l.tr, LANE_G, 5, "<0-597 waiting\n597-3499900 not recorded\n3499900-4999911> not recorded\n");
    expect_lane(l.tr, LANE_G, 6, "<0-597 waiting\n597-4999911> not recorded\n");
    expect_lane(l.tr, LANE_P, 5, "<0-597 idle\n597-4999911> nothing\n");
    unload(&l);
}

/*
 * A few bytes of a sample are zeroed, or missing, or stand there twice: what is shown agrees with the whole
 * but for what bytes that look like events say, which is little. (Before it was known when events may be
 * missing it was 350 times as much.)
 */
static struct {
    uint64_t ns, wrong_ns, events, whole;
    int64_t worst;
} hurt;

static void hurt_sample(const char *path, const uint8_t *p, size_t n)
{
    enum { PLACES = 6, BYTES = 40, KINDS = 3 };
    struct trace *all = open_bytes(p, n);
    uint8_t *q = malloc(n + BYTES);
    assert_true(all && q);
    for (size_t i = 0; trace_info(all)->second_family && i < PLACES * KINDS; i++) {
        const size_t at = 200 + (n - 400) / PLACES * (i / KINDS);
        size_t len = n;
        memcpy(q, p, n);
        if (i % KINDS == 0) {
            memset(q + at, 0, BYTES);
        } else if (i % KINDS == 1) {
            memcpy(q + at, p + at + BYTES, n - at - BYTES);
            len = n - BYTES;
        } else {
            memcpy(q + at + BYTES, p + at, n - at);
            len = n + BYTES;
        }
        struct trace *cut = open_bytes(q, len);
        const int64_t shift = cut && !trace_fatal(cut) ? cut->src.st.first_ns - all->src.st.first_ns : 0;
        struct tally y = {0};
        for (uint32_t g = 0; cut && !trace_fatal(cut) && g < trace_nlanes(cut, LANE_G); g++)
            if (trace_find_lane(all, LANE_G, raw_id(cut, LANE_G, g)) != NO_LANE)
                compare_lane(cut, all, LANE_G, g, shift, &y, NULL);
        hurt.ns += y.ns;
        hurt.wrong_ns += y.wrong_ns;
        hurt.worst = y.worst > hurt.worst ? y.worst : hurt.worst;
        hurt.events += cut ? trace_info(cut)->events : 0;
        hurt.whole += trace_info(all)->events;
        trace_close(cut);
    }
    free(q);
    trace_close(all);
    (void)path;
}

static void test_hurt_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 120000, hurt_sample) > 20);
    /* one millisecond in ten seconds */
    assert_true(hurt.wrong_ns < hurt.ns / 10000 && hurt.events > hurt.whole / 10 * 9);
    print_message("%.1f s shown, %.6f s not so, worst %.3f ms; %" PRIu64 " of %" PRIu64 " events\n",
                  (double)hurt.ns * 1e-9, (double)hurt.wrong_ns * 1e-9, (double)hurt.worst * 1e-6,
                  hurt.events, hurt.whole);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_unblock), cmocka_unit_test(test_sure),
        cmocka_unit_test(test_lost_region),  cmocka_unit_test(test_only_begun),
        cmocka_unit_test(test_lost_steal),   cmocka_unit_test(test_silent_thread),
        cmocka_unit_test(test_told_again),   cmocka_unit_test(test_cut_each_byte),
        cmocka_unit_test(test_cut_samples),  cmocka_unit_test(test_hurt_samples),
    };
    for (int i = 1; i < argc; i++) { /* figures of other traces */
        size_t n = 0;
        uint8_t *p = read_file(argv[i], &n);
        if (p)
            cut_everywhere(argv[i], p, n, n / 12, true);
        free(p);
    }
    return argc > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
