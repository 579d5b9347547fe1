/*
 * test_bad.c - cut and damaged traces: they end, they answer, in bounded memory, and show nothing that isn't
 * there.
 */
#include "tests/unit/query_check.h"

static struct rng rng = {0xbad};
static const struct trace_opts one_thread = {.threads = 1};

/* Of each kind, of each file: any of them, so that of thousands of files all are asked. */
enum { LANES_ASKED = 2 };

static void ask_everything(const struct trace *tr)
{
    const struct range *r;
    const struct task *ta;
    const struct region *re;
    uint64_t a, b;
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k) && i < LANES_ASKED; i++)
            check_lane(
                tr,
                (struct lane){(enum lane_kind)k, (uint32_t)below(&rng, trace_nlanes(tr, (enum lane_kind)k))},
                &rng, 2);
    for (int k = 0; k < RANGE_KINDS; k++)
        for (size_t i = 0, n = trace_ranges(tr, (enum range_kind)k, &r); i < n; i++)
            if (r[i].t1 < r[i].t0)
                fail_msg("a range ends before it begins: %" PRId64 " %" PRId64, r[i].t0, r[i].t1);
    for (size_t i = 0, n = trace_tasks(tr, &ta); i < n; i++)
        assert_true(ta[i].t0 <= ta[i].t1 && ta[i].t1 <= trace_info(tr)->end);
    for (size_t i = 0, n = trace_regions(tr, &re); i < n; i++)
        assert_true(re[i].t0 <= re[i].t1 && re[i].t1 <= trace_info(tr)->end);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (trace_minmax(tr, (enum metric)m, 0, trace_info(tr)->end, &a, &b))
            assert_true(a <= b);
    for (uint32_t i = 0; i < trace_info(tr)->ndamages; i++)
        for (const char *p = trace_damage(tr, i)->what; *p; p++)
            assert_true(*p >= 0x20 && *p < 0x7f);
}

/* A cut on a generation's border (or before batches that add nothing) may go unnoticed up to 1.25. */
static void cut_is_told(const struct trace *cut, const struct trace *whole, size_t n)
{
    if (!trace_info(cut)->ndamages && trace_info(cut)->version >= 1026 &&
        trace_info(cut)->generations == trace_info(whole)->generations)
        fail_msg("cut at %zu: no damage is told", n);
}

/*
 * One hostile file. The bytes are copied, so that a read behind their end is seen. Returns 1 if it gave
 * anything. whole: what it is cut from, where that must be told; else NULL.
 */
static int hostile_part(const uint8_t *p, size_t n, const struct trace *whole)
{
    uint8_t *copy = malloc(n ? n : 1);
    size_t live = mem_live();
    struct trace *tr;
    struct err e;
    memcpy(copy, p, n);
    enum err_code rc = load_bytes_opts(copy, n, &one_thread, &tr, &e);
    int any = 0;
    if (rc) {
        assert_null(tr);
        assert_true(e.what[0] && e.code == rc);
    } else {
        if (!trace_fatal(tr)) {
            any = 1;
            if (whole)
                cut_is_told(tr, whole, n);
            ask_everything(tr);
        } else {
            assert_true(trace_fatal(tr)->what[0]);
        }
        /* Model, tables and chunks are a few megabytes; the rest is in proportion to the file. */
        if (mem_live() - live > (16u << 20) + 400 * n)
            fail_msg("%zu bytes of trace take %zu of memory", n, mem_live() - live);
        trace_close(tr);
    }
    assert_int_equal(mem_live(), live);
    free(copy);
    return any;
}

static int hostile(const uint8_t *p, size_t n)
{
    return hostile_part(p, n, NULL);
}

/* ---- cuts ---------------------------------------------------------------------------------------------- */

static size_t step_of(size_t n)
{
    return n < 3000 ? 1 : n / 20;
}

/* Every prefix: that something is missing is said. (That what is shown agrees
 * with the whole: test_torn.c.) */
static void cut_v2(const char *path, const uint8_t *p, size_t n)
{
    struct trace *whole;
    struct err e;
    if (load_bytes_opts(p, n, &one_thread, &whole, &e) || trace_fatal(whole) ||
        !trace_info(whole)->second_family) {
        trace_close(whole);
        return;
    }
    print_message("%s\n", path);
    for (size_t k = 0; k < n; k += step_of(n))
        hostile_part(p, k, whole);
    trace_close(whole);
}

/* Of what cut_v2() has cut at twenty places this cuts nothing. */
enum { SMALL = 16000 };

static void cut_any(const char *path, const uint8_t *p, size_t n)
{
    if (n <= SMALL && n > 6 && memcmp(p, "go 1.2", 6) == 0 && p[6] >= '2')
        return;
    print_message("%s\n", path);
    for (size_t k = 0; k < n; k += 1 + below(&rng, n / 12 + 1))
        hostile(p, k);
}

static void flips(const char *path, const uint8_t *p, size_t n)
{
    uint8_t *q = malloc(n);
    for (int round = 0; round < 12; round++) {
        memcpy(q, p, n);
        for (uint64_t k = 1 + below(&rng, 3); k; k--) {
            size_t at = round == 0  ? below(&rng, 16)
                        : round < 5 ? below(&rng, n < 400 ? n : 400)
                                    : below(&rng, n);
            q[at] ^= (uint8_t)(1u << below(&rng, 8));
        }
        if (round % 5 == 4) { /* a run of rubbish */
            size_t at = below(&rng, n), len = below(&rng, n - at < 300 ? n - at : 300);
            for (size_t i = 0; i < len; i++)
                q[at + i] = round % 2 ? 0xff : (uint8_t)rnd(&rng);
        }
        hostile(q, n);
    }
    free(q);
    (void)path;
}

static void test_cut_everywhere(void **state)
{
    (void)state;
    enum { FIRST_FAMILY = 2 };
    static const char *const texts[] = {
        "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
        "GoCreate +7 new_g=2 new_stack=main.worker:30 stack=main.main:12\nGoBlock +10 reason=\"chan "
        "receive\" "
        "stack=main.main:14\n"
        "GoStart +10 g=2 g_seq=1\nbatch m=8 t=110\nProcStatus +5 p=1 idle\nProcStart +3 p=1 p_seq=1\nendgen\n"
        "batch m=7 t=300\nProcStatus +1 p=0 running\nGoStatus +1 g=2 m=7 running\nGoStatus +1 g=1 m=-1 "
        "waiting\nGoUnblock +10 g=1 g_seq=1 stack=main.worker:33\n"
        "batch m=8 t=300\nProcStatus +1 p=1 running\nGoStart +20 g=1 g_seq=2\nSTWBegin +5 kind=\"x\" "
        "stack=0\n",
        "go 1.22\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGoSyscallBegin +9 "
        "p_seq=1 "
        "stack=main.f:2\nGoSyscallEnd +9\n"
        "endgen\nbatch m=7 t=300\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nGCBegin +1 "
        "gc_seq=1 "
        "stack=0\nGCEnd +9 gc_seq=2\n",
        "go 1.21\nbatch p=0 t=1000\nGoCreate +7 g=1 new_stack=main.main:1 stack=0\nGoCreate +7 g=2 "
        "new_stack=main.f:1 stack=0\nGoWaiting +3 g=2\n"
        "ProcStart +3 thread=0\nGoStart +3 g=1 seq=1\nGomaxprocs +3 procs=1 stack=0\nGoUnblock +9 g=2 seq=2 "
        "stack=main.main:3\nGoBlockRecv +4 stack=main.main:4\nGoStart +4 g=2 seq=3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n;
        uint8_t *p = tracegen_bytes(texts[i], &n);
        assert_int_equal(hostile(p, n), 1);
        for (size_t k = 0; k < n && i == FIRST_FAMILY; k++)
            hostile(p, k);
        cut_v2("(text)", p, n);           /* each prefix of the others */
        for (size_t at = 0; at < n; at++) /* every byte */
            for (int bit = (int)below(&rng, 4); bit < 8; bit += 4) {
                p[at] ^= (uint8_t)(1 << bit);
                hostile(p, n);
                p[at] ^= (uint8_t)(1 << bit);
            }
        free(p);
    }
}

static void test_cut_samples(void **state)
{
    (void)state;
    if (!each_trace("samples", SMALL, cut_v2) || !each_trace("samples", 30000, cut_any))
        fail_msg("no samples");
}

static void test_flip_samples(void **state)
{
    (void)state;
    if (!each_trace("samples", 30000, flips))
        fail_msg("no samples");
}

/* Sizes and counts of the file are not believed: each of these claims far more than it has. */
static void test_claims(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "go 1.26\nbatch m=7 t=100 size=65536\nProcStatus +1 p=0 running\n",
        "go 1.26\nbatch m=7 t=100 size=65537\nProcStatus +1 p=0 running\n",
        "go 1.26\nbatch m=7 t=100 size=18446744073709551615\nProcStatus +1 p=0 running\n",
        "go 1.26\nnoauto\nbatch m=-1 t=1\nraw 04 05 01 ff ff ff ff ff ff ff ff ff 01 41\n",
        "go 1.26\nnoauto\nbatch m=-1 t=1\nraw 04 05 01 80 09 41\n",
        "go 1.26\nnoauto\nbatch m=-1 t=1\nraw 02 03 01 80 01 01 00 00 01\n",
        "go 1.26\nnoauto\nbatch m=-1 t=1\nraw 02 03 01 ff ff ff ff ff ff ff ff ff 01\n",
        "go 1.26\nbatch m=18446744073709551614 t=18446744073709551615\nProcStatus +1 p=18446744073709551615 "
        "running\n"
        "GoStatus +9223372036854775807 g=18446744073709551615 m=7 running\nHeapAlloc +18446744073709551615 "
        "18446744073709551615\n",
        "go 1.26\nbatch m=7 t=9223372036854775807\nProcStatus +9223372036854775807 p=0 running\nHeapAlloc "
        "+9223372036854775807 1\nHeapAlloc +1 1\n",
        "go 1.22\nbatch m=7 t=9223372036854775807\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
        "running\nbatch "
        "m=-1 t=0\nFrequency freq=1\n",
        "go 1.22\nbatch m=7 t=5\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\nbatch m=-1 "
        "t=0\nFrequency "
        "freq=18446744073709551615\n",
        "go 1.26\nbatch m=7 t=0\nProcStatus +1 p=0 running\nbatch m=-1 "
        "t=18446744073709551615\nCPUSamples\nCPUSample "
        "time=18446744073709551615 m=7 p=0 g=1 stack=9\n",
        "go 1.21\nbatch p=0 t=18446744073709551615\nProcStart +18446744073709551615 "
        "thread=18446744073709551615\nGoCreate +9223372036854775807 g=1 new_stack=0 stack=0\n",
        "go 1.5\nbatch p=4000000000 seq=18446744073709551615 t=1\nProcStart +1 thread=1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n;
        uint8_t *p = tracegen_bytes(texts[i], &n);
        hostile(p, n);
        free(p);
    }
}

/* Cut anywhere between its last event and its end: what lacks names says so. */
static void footer_cut(const char *path, const uint8_t *p, size_t n)
{
    struct trace_opts o = {.threads = 1};
    struct tracegen_buf text = {0};
    tracegen_decode(p, n, &text);
    size_t len = strlen((char *)text.p), stacks = 0;
    const char *at = strstr((char *)text.p, "\nStack ");
    for (; at && at + 1 < (char *)text.p + len; at = strchr(at + 1, '\n'), stacks++) {
        if (stacks % 16)
            continue;
        char *part = strndup((char *)text.p, (size_t)(at + 1 - (char *)text.p)), *whole = NULL;
        size_t bytes;
        assert_true(asprintf(&whole, "%.*snoauto\n%s", (int)strcspn(part, "\n") + 1, part,
                             part + strcspn(part, "\n") + 1) > 0);
        uint8_t *cut = tracegen_bytes(whole, &bytes);
        struct trace *tr;
        struct err e;
        if (bytes < n) {
            if (trace_open_mem(cut, bytes, &o, &tr, &e) != ERR_OK)
                fail_msg("%s cut at %zu: not opened", path, bytes);
            while (trace_load(tr, INT64_MAX) != LOAD_DONE)
                ;
            if (!trace_info(tr)->ndamages)
                fail_msg("%s cut at byte %zu of %zu: taken as whole", path, bytes, n);
            trace_close(tr);
        }
        free(cut);
        free(part);
        free(whole);
    }
    tracegen_free(&text);
}

static void test_footer_cut(void **state)
{
    (void)state;
    static const char *const sample[] = {"samples/http-1.19.trace", "samples/lock-1.21.trace",
                                         "samples/workers-1.9.trace", "samples/tasks-1.21.trace"};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        size_t n = 0;
        uint8_t *p = read_file(sample[i], &n);
        assert_non_null(p);
        footer_cut(sample[i], p, n);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_cut_samples),
        cmocka_unit_test(test_flip_samples),   cmocka_unit_test(test_claims),
        cmocka_unit_test(test_footer_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
