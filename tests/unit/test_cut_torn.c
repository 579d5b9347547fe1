/*
 * test_cut_torn.c - slices of damaged traces: what is broken is left out whole, what is sound is cut as it
 * would be without the damage.
 *
 * Samples are cut short, robbed of batches and generations, overwritten in places. What is cut out of them
 * must be a sound trace, and say of no goroutine what the whole sample denies; or it is said that nothing is
 * sound, and nothing is written. Go's readers were asked when tests/golden/slices-torn.tsv was made.
 */
#include "decode/model/trace_priv.h"
#include "tests/support/tracegen.h"
#include "tests/unit/cut_help.h"
#include "tests/unit/follow_help.h"
#include "tests/unit/gens_help.h"

enum { NEAR_NS = 20000 }; /* what a slice begins with is told a little before */

static const char *const SAMPLES[] = {"samples/http-1.22.trace",      "samples/http-1.23.trace",
                                      "samples/http-1.25.trace",      "samples/http-1.26.trace",
                                      "samples/http-1.27.trace",      "samples/http-long-1.23.trace",
                                      "samples/http-long-1.27.trace", "samples/tasks-1.23.trace",
                                      "samples/lock-1.26.trace",      "samples/syscall-1.25.trace"};
enum { NSAMPLES = sizeof SAMPLES / sizeof *SAMPLES };

/* How a sample is damaged: cut to `permille` of its bytes, or without its batch number `batch`, or with zeros
 * or a wrong size in it. */
struct harm {
    int permille, batch;
    int zeros; /* permille of its bytes before 300 that are overwritten; 0: none are */
    int size;  /* batch, + 1, whose size is another; 0: none's is */
};
#define CUT(permille, batch) \
    { \
        permille, batch, 0, 0 \
    }
static const struct harm HARMS[] = {
    CUT(300, -1),       CUT(600, -1),     CUT(850, -1),       CUT(995, -1),
    CUT(1000, 0),       CUT(1000, 2),     CUT(1000, 5),       CUT(1000, 9),
    CUT(900, 3),        CUT(1000, 13),    {1000, -1, 200, 0}, {1000, -1, 500, 0},
    {1000, -1, 800, 0}, {1000, -1, 0, 2}, {1000, -1, 0, 5},   {1000, -1, 0, 9}};
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

/* ---- what it says -------------------------------------------------------------------------------------- */

struct tally {
    int cases, refused;
    uint64_t spans;
};

/* What is sound is as it was. */
static void compare(const struct trace *b, const struct trace *all, struct tally *y, const char *label)
{
    const int64_t shift = b->src.st.first_ns - all->src.st.first_ns;
    for (uint32_t i = 0; i < trace_nlanes(b, LANE_G); i++) {
        const struct lane l = {LANE_G, i};
        const struct lane other = {LANE_G, trace_find_lane(all, LANE_G, trace_lane(b, l).id)};
        struct span_iter it;
        if (other.i == NO_LANE)
            fail_msg("%s: there is no G%" PRIu64, label, trace_lane(b, l).id);
        struct follow whole = follow_lane(all, other);
        for (bool more = span_seek_index(&it, b, l, 0); more; more = span_next(&it)) {
            const struct span *s = span_get(&it);
            const int64_t there = follow_ns(&whole, s->t0 + shift, s->t1 + shift, s->state);
            y->spans++;
            assert_int_not_equal(s->state, ST_UNKNOWN);
            if (s->t1 - s->t0 - there > NEAR_NS)
                fail_msg("%s: G%" PRIu64 " %s %.6f - %.6f ms, %.6f ms of it", label, trace_lane(b, l).id,
                         state_name(s->state), (double)s->t0 / 1e6, (double)s->t1 / 1e6, (double)there / 1e6);
        }
    }
}

/*
 * A slice is sound, and says what it isn't; or there is none, and it is said why. all: what it must agree
 * with, NULL: nothing.
 */
static bool sliced(const struct bytes *torn, int64_t from, int64_t to, const struct trace *all,
                   struct tally *y, const char *label)
{
    struct bytes s = {0};
    struct cut_result r;
    struct err e = {0};
    y->cases++;
    const enum err_code rc = cut(torn->p, torn->n, from, to, &s, &r, &e);
    if (rc) {
        y->refused++;
        assert_int_equal(s.n, 0);
        if (!strstr(e.what, "no generation in this range is sound") &&
            !strstr(e.what, "behind the trace's last") && rc != ERR_EMPTY)
            fail_msg("%s: %s", label, e.what);
        mem_free(s.p);
        return false;
    }
    const char *why = unsound(s.p, s.n);
    if (why)
        fail_msg("%s: it is not sound: %s", label, why);
    struct trace *b = load(s.p, s.n);
    assert_non_null(b);
    assert_int_equal(trace_info(b)->ndamages, 0);
    if (all)
        compare(b, all, y, label);
    trace_close(b);
    mem_free(s.p);
    return true;
}

static void slices_say_what_was(void **state)
{
    (void)state;
    struct tally y = {0};
    for (int i = 0; i < NSAMPLES; i++) {
        struct input in;
        struct err e = {0};
        struct bytes torn = {0};
        assert_int_equal(input_open(SAMPLES[i], 0, &in, &e), ERR_OK);
        struct trace *all = load(in.data, in.len);
        const int64_t end = trace_info(all)->end;
        for (size_t k = 0; k < NHARMS; k++) {
            char label[200];
            const struct harm *h = &HARMS[k];
            snprintf(label, sizeof label, "%s %d %d, zeros %d, size %d", SAMPLES[i], h->permille, h->batch,
                     h->zeros, h->size);
            if (!harmed(&in, *h, &torn))
                continue;
            sliced(&torn, INT64_MIN, INT64_MAX, all, &y, label);
            sliced(&torn, end / 10 * 3, end / 10 * 8, all, &y, label);
        }
        trace_close(all);
        mem_free(torn.p);
        input_close(&in);
    }
    print_message("%d slices, %d refused, %" PRIu64 " spans\n", y.cases, y.refused, y.spans);
    assert_true(y.cases > 200 && y.cases - y.refused > 40 && y.spans > 10000);
}

/* ---- anything ------------------------------------------------------------------------------------------ */

static uint64_t any_state;

static size_t any(size_t n)
{
    any_state ^= any_state << 13;
    any_state ^= any_state >> 7;
    any_state ^= any_state << 17;
    return n ? (size_t)((any_state * 0x9E3779B97F4A7C15u >> 20) % n) : 0;
}

/* piece - a batch of any kind, or an end mark, anywhere. */
static struct v2_raw_batch any_batch(const struct bytes *b, size_t *end)
{
    struct v2_raw_batch x[400];
    size_t ends[400], n = 0;
    struct err e = {0};
    for (const uint8_t *p = b->p + 16; n < 400 && (p = v2_raw_batch(b->p, b->n, p, &x[n], &e)); n++)
        ends[n] = (size_t)(p - b->p);
    if (!n) {
        *end = 16;
        return (struct v2_raw_batch){.at = b->p + 16};
    }
    const size_t k = any(n);
    *end = ends[k];
    return x[k];
}

static void put_in(struct bytes *b, size_t at, const struct bytes *what)
{
    struct bytes c = {0};
    to_bytes(&c, b->p, at);
    to_bytes(&c, what->p, what->n);
    to_bytes(&c, b->p + at, b->n - at);
    mem_free(b->p);
    *b = c;
}

/* spoil - flip bits, cut, lose, double or move a batch, of events or of a table, or an end mark. */
static void spoil(struct bytes *b)
{
    struct bytes piece = {0};
    size_t end, other;
    const size_t how = any(5);
    const struct v2_raw_batch x = any_batch(b, &end);
    const size_t at = (size_t)(x.at - b->p);
    to_bytes(&piece, b->p + at, end - at);
    (void)any_batch(b, &other);
    if (how == 0) {
        for (size_t i = 1 + any(3); i--;)
            b->p[16 + any(b->n - 16)] ^= (uint8_t)(1u << any(8));
    } else if (how == 1) {
        b->n = 16 + any(b->n - 16);
    } else if (how == 2) {
        put_in(b, other, &piece);
    } else {
        memmove(b->p + at, b->p + end, b->n - end);
        b->n -= piece.n;
        if (how == 3)
            put_in(b, other > at ? other - piece.n : other, &piece);
    }
    mem_free(piece.p);
}

static void slices_of_anything(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace"};
    struct tally y = {0};
    for (int i = 0; i < 300; i++) {
        struct input in;
        struct err e = {0};
        struct bytes b = {0};
        char label[60];
        any_state = 0x2545F4914F6CDD1Du + (uint64_t)i;
        (void)any(2);
        assert_int_equal(input_open(path[any(2)], 0, &in, &e), ERR_OK);
        to_bytes(&b, in.data, in.len);
        for (size_t n = 1 + any(2); n--;)
            spoil(&b);
        const int64_t from = any(2) ? (int64_t)any(2700000000) : INT64_MIN,
                      to = any(2) ? (from < 0 ? 0 : from) + 1 + (int64_t)any(2000000000) : INT64_MAX;
        snprintf(label, sizeof label, "number %d", i);
        sliced(&b, from, to, NULL, &y, label);
        mem_free(b.p);
        input_close(&in);
    }
    print_message("%d slices, %d refused\n", y.cases, y.refused);
    assert_true(y.refused < y.cases / 2);
}

/* ---- generation by generation -------------------------------------------------------------------------- */

/* Where the generations of a trace begin; the last one is where it ends. */
static size_t generations(const struct bytes *b, int version, size_t at[8])
{
    struct gens x = gens_of(b->p, b->n, version);
    size_t n = 0;
    for (at[0] = x.pos; n < 7 && gens_next(&x);)
        at[++n] = x.pos;
    gens_free(&x);
    return n;
}

/* Whether a slice is of the time of these generations, which last a second each. */
static bool is_of(const struct cut_result *r, int first, int last)
{
    const int64_t s = 1000000000, near = 100000000;
    return (r->from + near) / s == first - 1 && r->from < (first - 1) * s + near &&
           (last == 3 ? r->to > 2 * s + near : (r->to + near) / s == last && r->to < last * s + near);
}

struct stretch { /* of three generations one is harmed: which the slice of the whole consists of, and what it
                    says */
    int gen, first, last;
    bool late;
    const char *why;
};

static void expect_stretch(const char *path, int version, int how, const struct stretch *want)
{
    struct bytes b = {0}, whole = {0}, s = {0};
    struct input in;
    struct err e = {0};
    struct cut_result r;
    size_t at[8];
    assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
    to_bytes(&whole, in.data, in.len);
    to_bytes(&b, in.data, in.len);
    assert_int_equal(generations(&whole, version, at), 3);
    struct bytes gen = {.p = whole.p + at[want->gen - 1], .n = at[want->gen] - at[want->gen - 1]};
    if (how == 'x') /* a byte that is no event */
        b.p[at[want->gen - 1] + gen.n / 3] = 0xff;
    else if (how == '2') /* it stands there twice */
        put_in(&b, at[want->gen], &gen);
    else { /* it is missing */
        memmove(b.p + at[want->gen - 1], b.p + at[want->gen], b.n - at[want->gen]);
        b.n -= gen.n;
    }
    assert_int_equal(cut(b.p, b.n, INT64_MIN, INT64_MAX, &s, &r, &e), ERR_OK);
    if (!is_of(&r, want->first, want->last) || unsound(s.p, s.n))
        fail_msg("%s, %c %d: not generations %d to %d", path, how, want->gen, want->first, want->last);
    if (r.damage.code == ERR_OK || r.late != want->late || (want->why && !strstr(r.damage.what, want->why)))
        fail_msg("%s, %c %d: late %d, %s", path, how, want->gen, r.late, r.damage.what);
    mem_free(b.p);
    mem_free(whole.p);
    mem_free(s.p);
    input_close(&in);
}

static void ends_at_damage(void **state)
{
    (void)state;
    static const struct stretch broken[] = {{1, 2, 3, true, NULL},
                                            {2, 1, 1, false, NULL},
                                            {3, 1, 2, false, NULL}},
                                missing = {2, 1, 1, false, "where 2 was expected"};
    for (size_t i = 0; i < 3; i++) {
        expect_stretch("samples/http-long-1.23.trace", 1023, 'x', &broken[i]);
        expect_stretch("samples/http-long-1.27.trace", 1026, 'x', &broken[i]);
    }
    expect_stretch("samples/http-long-1.23.trace", 1023, '-', &missing);
    expect_stretch("samples/http-long-1.27.trace", 1026, '-', &missing);
    expect_stretch("samples/http-long-1.27.trace", 1026, '2',
                   &(struct stretch){1, 1, 1, false, "where 2 was"});
}

/*
 * A range in which nothing is sound is refused. One that touches what is broken
 * begins or ends there.
 */
static void says_where_to_cut(void **state)
{
    (void)state;
    struct bytes b = {0}, s = {0};
    struct input in;
    struct err e = {0};
    struct cut_result r;
    size_t at[8];
    assert_int_equal(input_open("samples/http-long-1.27.trace", 0, &in, &e), ERR_OK);
    to_bytes(&b, in.data, in.len);
    assert_int_equal(generations(&b, 1026, at), 3);
    b.p[(at[1] + at[2]) / 2] = 0xff;
    assert_int_equal(cut(b.p, b.n, 1200000000, 1800000000, &s, &r, &e), ERR_ARG);
    assert_int_equal(s.n, 0);
    assert_non_null(strstr(e.what, "no generation in this range is sound: "));
    assert_int_equal(cut(b.p, b.n, 500000000, 1800000000, &s, &r, &e), ERR_OK);
    assert_int_equal(r.from / 1000000, 500);
    assert_in_range(r.to, 1000000000, 1100000000);
    assert_true(r.damage.code && !r.late);
    assert_int_equal(cut(b.p, b.n, 1200000000, INT64_MAX, &s, &r, &e), ERR_OK);
    assert_true(r.damage.code && r.late);
    assert_in_range(r.from, 1900000000, 2100000000);
    assert_null(unsound(s.p, s.n));
    mem_free(b.p);
    mem_free(s.p);
    input_close(&in);
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

/* ... or where no order is left. */
static void old_ones_end_where_order_does(void **state)
{
    (void)state;
    size_t n;
    struct bytes s = {0};
    struct cut_result r;
    struct err e = {0};
    uint8_t *p = tracegen_bytes(
        "go 1.19\nbatch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=2\n"
        "HeapAlloc +5 bytes=1\nGoCreate +1 g=1\nHeapAlloc +5 bytes=2\n",
        &n);
    assert_int_equal(cut(p, n, INT64_MIN, INT64_MAX, &s, &r, &e), ERR_OK);
    assert_non_null(strstr(r.damage.what, "no order makes all events consistent"));
    struct trace *t = load(s.p, s.n);
    assert_int_equal(trace_info(t)->ndamages, 0);
    assert_int_equal(trace_npoints(t, METRIC_HEAP), 1);
    trace_close(t);
    mem_free(s.p);
    free(p);
}

/* ---- what Go's readers took ---------------------------------------------------------------------------- */

/*
 * tests/golden/slices-torn.tsv: sample, struct harm, from and to in ns (-1: all before, behind), 1 if the
 * trace is damaged in that, the hash of the slice (0: there is none), and which readers of Go took it.
 * SLICES=DIR prints the rows and writes all slices there, DIR/N.trace by line, to be tried again.
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
        uint32_t left;
        struct harm h = {0};
        struct input in;
        struct cut_result r;
        struct err e = {0};
        if (line[0] == '#' ||
            sscanf(line, "%200s %d %d %d %d %" SCNd64 " %" SCNd64 " %" SCNu32 " %" SCNx64 " %200s", path,
                   &h.permille, &h.batch, &h.zeros, &h.size, &from, &to, &left, &want, got) != 10)
            continue;
        assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
        assert_true(harmed(&in, h, &torn));
        const bool none = cut(torn.p, torn.n, from, to < 0 ? INT64_MAX : to, &s, &r, &e);
        const uint64_t is = none ? 0 : hash(s.p, s.n);
        n++;
        if ((is != want || (!none && (uint32_t)(r.damage.code != ERR_OK) != left)) && ++changed <= 10)
            print_message("%s %d %d %d %d: %016" PRIx64 " now\n", path, h.permille, h.batch, h.zeros, h.size,
                          is);
        if (dir && !none) {
            snprintf(got, sizeof got, "%s/%d.trace", dir, n);
            FILE *o = fopen(got, "w");
            assert_non_null(o);
            assert_int_equal(fwrite(s.p, 1, s.n, o), s.n);
            fclose(o);
        }
        if (dir)
            printf("row\t%s\t%d\t%d\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRIu32 "\t%016" PRIx64 "\n", path,
                   h.permille, h.batch, h.zeros, h.size, from, to,
                   none ? 0 : (uint32_t)(r.damage.code != ERR_OK), is);
        input_close(&in);
    }
    fclose(f);
    mem_free(s.p);
    mem_free(torn.p);
    assert_true(n > 50);
    if (!dir)
        assert_int_equal(changed, 0);
}

/* ---- without memory ------------------------------------------------------------------------------------ */

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
        assert_int_equal(input_open(SAMPLES[k ? 6 : 5], 0, &in, &e), ERR_OK);
        assert_true(harmed(&in, (struct harm){1000, -1, k ? 400 : 600, 0}, &torn));
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

/* A clock's rate that can't be makes all times of its generation wrong: it is left out. */
static void rate_is_wrong(void **state)
{
    (void)state;
    static const char *const path[] = {"samples/http-long-1.27.trace"};
    static const uint8_t rate[] = {8, 0xa8, 0xd6, 0xb9, 0x07};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        struct input in;
        struct err e;
        struct cut_result res;
        struct bytes is = {0}, harmed = {0};
        assert_int_equal(input_open(path[i], 0, &in, &e), ERR_OK);
        to_bytes(&harmed, in.data, in.len);
        uint8_t *at = memmem(harmed.p, harmed.n, rate, sizeof rate);
        for (int bit = 0; at && bit < 7; bit++) {
            at[3] ^= (uint8_t)(1u << bit);
            assert_int_equal(cut(harmed.p, harmed.n, INT64_MIN, INT64_MAX, &is, &res, &e), ERR_OK);
            assert_non_null(strstr(res.damage.what, "clock units a second"));
            assert_null(unsound(is.p, is.n));
            at[3] ^= (uint8_t)(1u << bit);
        }
        assert_non_null(at);
        mem_free(is.p);
        mem_free(harmed.p);
        input_close(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_say_what_was),
        cmocka_unit_test(slices_of_anything),
        cmocka_unit_test(ends_at_damage),
        cmocka_unit_test(says_where_to_cut),
        cmocka_unit_test(old_ones_end_where_order_does),
        cmocka_unit_test(old_ones_say_why),
        cmocka_unit_test(slices_that_go_took),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(rate_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
