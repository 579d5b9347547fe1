/*
 * test_cut_torn.c - slices of traces of which events are missing: a program was killed, or a part of the file was lost.
 *
 * Samples are cut short, robbed of batches, overwritten in places; what is cut out of them must be a trace without damage, have
 * nearly all events that are left, also those behind the damage, and say of no goroutine what the whole sample denies. Go's readers were asked when
 * tests/golden/slices-torn.tsv was made.
 */
#include "decode/model/trace_priv.h"
#include "decode/v2/v2_gen.h"
#include "tests/unit/cut_help.h"
#include "tests/unit/follow_help.h"

enum { NEAR_NS = 20000 };

static const char *const SAMPLES[] = {"samples/http-1.22.trace",      "samples/http-1.23.trace",
                                      "samples/http-1.25.trace",      "samples/http-1.26.trace",
                                      "samples/http-1.27.trace",      "samples/http-long-1.23.trace",
                                      "samples/http-long-1.27.trace", "samples/tasks-1.23.trace",
                                      "samples/lock-1.26.trace",      "samples/syscall-1.25.trace"};
enum { NSAMPLES = sizeof SAMPLES / sizeof *SAMPLES };

/* How a sample is damaged: cut to `permille` of its bytes, or without its batch number `batch`, or with zeros or a wrong size in it. */
struct harm {
    int permille, batch;
    int zeros; /* permille of its bytes before 300 that are overwritten; 0: none are */
    int size;  /* batch, + 1, whose size is another; 0: none's is */
};
#define CUT(permille, batch) \
    { \
        permille, batch, 0, 0 \
    }
static const struct harm HARMS[] = {CUT(300, -1), CUT(600, -1), CUT(850, -1), CUT(970, -1),
                                    CUT(995, -1), CUT(1000, 0), CUT(1000, 2), CUT(1000, 5),
                                    CUT(1000, 9), CUT(900, 3),  CUT(1000, 13)};
enum { NHARMS = sizeof HARMS / sizeof *HARMS };

/* batch_at - the n-th batch of a thread's events. */
static bool batch_at(const struct input *in, int n, struct v2_raw_batch *b, const uint8_t **end)
{
    struct err e = {0};
    for (const uint8_t *p = in->data + 16; (p = v2_raw_batch(in->data, in->len, p, b, &e));) {
        *end = p;
        if (b->lead == V2R_EVENTS && b->m != V2_NO_THREAD && n-- == 0)
            return true;
    }
    return false;
}

/* harmed - false: it has no such batch. */
static bool harmed(const struct input *in, struct harm h, struct bytes *out)
{
    struct v2_raw_batch b;
    const uint8_t *end = in->data, *stop = in->data + in->len * (size_t)h.permille / 1000;
    out->n = 0;
    if (h.batch >= 0 && (!batch_at(in, h.batch, &b, &end) || end > stop))
        return false;
    if (h.batch >= 0)
        to_bytes(out, in->data, (size_t)(b.at - in->data));
    to_bytes(out, end, (size_t)(stop - end));
    const size_t at = out->n * (size_t)h.zeros / 1000;
    if (h.zeros)
        memset(out->p + at, 0, out->n - at < 300 ? out->n - at : 300);
    if (h.size && !batch_at(in, h.size - 1, &b, &end))
        return false;
    if (h.size) /* it has ten bytes */
        out->p[b.p - 10 - in->data] ^= 0x15;
    return true;
}

/* ---- what it says ------------------------------------------------------------------------------------------ */

struct tally {
    int cases, no_slice, damaged, unnamed;
    uint64_t spans, wrong, events, left;
};

static void compare(const struct trace *b, const struct trace *all, int64_t shift, struct tally *y, const char *label)
{
    for (uint32_t i = 0; i < trace_nlanes(b, LANE_G); i++) {
        const struct lane l = {LANE_G, i};
        const struct lane other = {LANE_G, trace_find_lane(all, LANE_G, trace_lane(b, l).id)};
        struct span_iter it;
        if (other.i == NO_LANE && trace_info(all)->ndamages) /* too little is told of it to be shown there */
            continue;
        if (other.i == NO_LANE)
            fail_msg("%s: there is no G%" PRIu64, label, trace_lane(b, l).id);
        struct follow whole = follow_lane(all, other);
        if (!span_seek_index(&it, b, l, 0))
            continue;
        do {
            const struct span *s = span_get(&it);
            if (s->state == ST_UNKNOWN)
                continue;
            const int64_t there = follow_ns(&whole, s->t0 + shift, s->t1 + shift, s->state);
            y->spans++;
            if (s->t1 - s->t0 - there <= NEAR_NS)
                continue;
            y->wrong++;
            if (getenv("TORN_SHOW"))
                print_message("%s: G%" PRIu64 " %s %.6f - %.6f ms, %.6f ms of it\n", label, trace_lane(b, l).id,
                              state_name(s->state), (double)s->t0 / 1e6, (double)s->t1 / 1e6, (double)there / 1e6);
        } while (span_next(&it));
    }
}

/* all: what to compare with; NULL: with what is shown of the damaged one, t. */
static void one(const struct trace *all, const struct trace *t, const struct bytes *torn, double from, double to,
                struct tally *y, const char *label)
{
    struct bytes s = {0};
    struct cut_result r;
    struct err e = {0};
    y->cases++;
    const int64_t end = trace_info(t)->end, t0 = (int64_t)((double)end * from) + 1,
                  t1 = to < 1 ? (int64_t)((double)end * to) : INT64_MAX;
    if (cut(torn->p, torn->n, t0, t1, &s, &r, &e)) {
        print_message("%s: %s\n", label, e.what);
        y->no_slice++;
    } else {
        struct trace *b = load(s.p, s.n);
        assert_non_null(b);
        y->unnamed += r.unnamed.code && !r.lost.code;
        if (trace_fatal(b) || trace_info(b)->ndamages || r.damage.code) {
            print_message("%s: %s\n", label,
                          trace_fatal(b)  ? trace_fatal(b)->what
                          : r.damage.code ? r.damage.what
                                          : trace_damage(b, 0)->what);
            y->damaged++;
        }
        if (!trace_fatal(b)) {
            const struct trace *with = all ? all : t;
            compare(b, with, b->src.st.first_ns - with->src.st.first_ns, y, label);
            if (from == 0 && to == 1) {
                y->events += trace_info(t)->count[EC_TRANSITION];
                y->left += trace_info(b)->count[EC_TRANSITION];
            }
        }
        trace_close(b);
    }
    mem_free(s.p);
}

/* Slices of each sample with each harm, whole and from `from` to `to` (shares). whole: compare with the sample that isn't harmed. */
static struct tally each_harm(const struct harm *harms, size_t n, bool whole, double from, double to)
{
    struct tally y = {0};
    for (int i = 0; i < NSAMPLES; i++) {
        struct input in;
        struct err e = {0};
        struct bytes torn = {0};
        assert_int_equal(input_open(SAMPLES[i], 0, &in, &e), ERR_OK);
        struct trace *all = whole ? load(in.data, in.len) : NULL;
        for (const struct harm *h = harms; h < harms + n; h++) {
            char label[200];
            snprintf(label, sizeof label, "%s %d %d, zeros %d, size %d", SAMPLES[i], h->permille, h->batch, h->zeros,
                     h->size);
            if (!harmed(&in, *h, &torn))
                continue;
            struct trace *t = load(torn.p, torn.n);
            if (t && !trace_fatal(t)) {
                one(all, t, &torn, 0, 1, &y, label);
                one(all, t, &torn, from, to, &y, label);
            }
            trace_close(t);
        }
        trace_close(all);
        mem_free(torn.p);
        input_close(&in);
    }
    print_message("%d slices, %d none, %d damaged, %d lack names; %" PRIu64 " spans, %" PRIu64 " not so; %" PRIu64
                  " of %" PRIu64 " transitions\n",
                  y.cases, y.no_slice, y.damaged, y.unnamed, y.spans, y.wrong, y.left, y.events);
    assert_int_equal(y.no_slice + y.damaged, 0);
    assert_true(y.left * 100 >= y.events * 99);
    return y;
}

static void slices_say_what_was(void **state)
{
    (void)state;
    const struct tally y = each_harm(HARMS, NHARMS, true, 0.3, 0.8);
    assert_true(y.cases > 150);
    assert_true(y.wrong * 400 <= y.spans);
}

/*
 * What stands behind the damage is in the slice as well, be it that of the whole trace or one that begins there. If all that is broken is a
 * table, no event is said to be lost.
 */
static void slices_go_on(void **state)
{
    (void)state;
    static const struct harm harms[] = {{1000, -1, 200, 0}, {1000, -1, 500, 0}, {1000, -1, 800, 0},
                                        {1000, -1, 0, 2},   {1000, -1, 0, 5},   {1000, -1, 0, 9}};
    const struct tally y = each_harm(harms, sizeof harms / sizeof *harms, false, 0.6, 0.9);
    assert_true(y.cases > 90);
    assert_true(y.wrong * 300 <= y.spans);
    assert_true(y.unnamed > 0);
}

/* Before Go 1.22 a slice ends at the damage, and what lies behind it is refused for that reason. */
static void old_ones_say_why(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-1.19.trace", "samples/http-1.21.trace"};
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        struct input in;
        struct err e = {0};
        struct bytes torn = {0}, s = {0};
        struct cut_result r;
        assert_int_equal(input_open(path[k], 0, &in, &e), ERR_OK);
        assert_true(harmed(&in, (struct harm){1000, -1, 400, 0}, &torn));
        struct trace *t = load(torn.p, torn.n);
        const int64_t end = trace_info(t)->end;
        assert_int_equal(cut(torn.p, torn.n, end / 100 * 95, INT64_MAX, &s, &r, &e), ERR_ARG);
        assert_non_null(strstr(e.what, "it is damaged before this range"));
        trace_close(t);
        mem_free(torn.p);
        mem_free(s.p);
        input_close(&in);
    }
}

/* ---- what Go's readers took ------------------------------------------------------------------------------- */

/*
 * tests/golden/slices-torn.tsv: sample, permille and batch (struct harm), from and to in ns (-1: its end), hash of the slice, and
 * which readers of Go took it. SLICES=DIR writes all of them there, DIR/N.trace by line, to be tried again.
 */
static void slices_that_go_took(void **state)
{
    (void)state;
    char line[400], path[300], got[300];
    FILE *f = fopen("tests/golden/slices-torn.tsv", "r");
    const char *dir = getenv("SLICES");
    int n = 0, changed = 0;
    struct bytes s = {0}, torn = {0};
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        int64_t from, to;
        uint64_t want;
        struct harm h = {0};
        struct input in;
        struct cut_result r;
        struct err e = {0};
        if (line[0] == '#' || sscanf(line, "%200s %d %d %" SCNd64 " %" SCNd64 " %" SCNx64 " %200s", path, &h.permille,
                                     &h.batch, &from, &to, &want, got) != 7)
            continue;
        assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
        assert_true(harmed(&in, h, &torn));
        assert_int_equal(cut(torn.p, torn.n, from, to < 0 ? INT64_MAX : to, &s, &r, &e), ERR_OK);
        n++;
        if (hash(s.p, s.n) != want && ++changed <= 10)
            print_message("%s %d %d: %016" PRIx64 " now\n", path, h.permille, h.batch, hash(s.p, s.n));
        if (dir) {
            snprintf(got, sizeof got, "%s/%d.trace", dir, n);
            FILE *o = fopen(got, "w");
            assert_non_null(o);
            assert_int_equal(fwrite(s.p, 1, s.n, o), s.n);
            fclose(o);
            printf("row\t%s\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%016" PRIx64 "\n", path, h.permille, h.batch, from, to,
                   hash(s.p, s.n));
        }
        input_close(&in);
    }
    fclose(f);
    mem_free(s.p);
    mem_free(torn.p);
    assert_true(n > 100);
    if (!dir)
        assert_int_equal(changed, 0);
}

/* ---- without memory --------------------------------------------------------------------------------------- */

static bool to_nowhere(void *arg, const void *p, size_t n)
{
    (void)arg, (void)p, (void)n;
    return true;
}

static void out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct input in;
        struct err e = {0};
        struct bytes torn = {0};
        enum err_code rc = ERR_NOMEM;
        assert_int_equal(input_open(SAMPLES[k ? 4 : 1], 0, &in, &e), ERR_OK);
        assert_true(harmed(&in, k ? (struct harm)CUT(1000, 5) : (struct harm)CUT(600, -1), &torn));
        const size_t live = mem_live();
        for (long n = 0; rc; n += n < 60 ? 1 : 7) {
            struct input t = {.data = torn.p, .len = torn.n};
            struct cut_range r = {3000000, INT64_MAX, 0};
            struct outlet out = {.write = to_nowhere};
            struct cut_result res;
            mem_fail_after(n);
            rc = cut_trace(&t, &r, &out, &res, &e);
            mem_fail_after(-1);
            assert_true(rc == ERR_OK || rc == ERR_NOMEM);
            assert_int_equal(mem_live(), live);
            assert_true(n < 20000);
        }
        mem_free(torn.p);
        input_close(&in);
    }
}

/* A clock's rate of which one bit is another is read as it was, where something says so: a slice is that of the sound trace. */
static void rate_put_right(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace"};
    static const uint8_t rate[] = {8, 0xa8, 0xd6, 0xb9, 0x07};
    for (size_t i = 0; i < 2; i++) {
        struct input in;
        struct err e;
        struct cut_result res;
        struct bytes was = {0}, is = {0}, harmed = {0};
        assert_int_equal(input_open(path[i], 0, &in, &e), ERR_OK);
        assert_int_equal(cut(in.data, in.len, 100000000, 300000000, &was, &res, &e), ERR_OK);
        to_bytes(&harmed, in.data, in.len);
        uint8_t *at = memmem(harmed.p, harmed.n, rate, sizeof rate);
        for (int bit = 0; at && bit < 7; bit++) {
            at[3] ^= (uint8_t)(1u << bit);
            assert_int_equal(cut(harmed.p, harmed.n, 100000000, 300000000, &is, &res, &e), ERR_OK);
            assert_int_equal(is.n, was.n);
            assert_memory_equal(is.p, was.p, is.n);
            at[3] ^= (uint8_t)(1u << bit);
        }
        assert_non_null(at);
        mem_free(was.p);
        mem_free(is.p);
        mem_free(harmed.p);
        input_close(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_say_what_was), cmocka_unit_test(slices_go_on),  cmocka_unit_test(old_ones_say_why),
        cmocka_unit_test(slices_that_go_took), cmocka_unit_test(out_of_memory), cmocka_unit_test(rate_put_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
