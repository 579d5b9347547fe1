/*
 * test_lost_threads.c - second-family traces of which all batches of one thread in one generation are lost,
 * and nothing in the file shows where they stood: what is said of the rest is what the whole trace says, and
 * what is unsure is not recorded.
 *
 * With files as arguments it tries every thread of every generation and prints what deviates.
 */
#include "tests/unit/agree_help.h"

#include "tests/unit/gens_help.h"

enum { NEAR_NS = 20000, MS = 64 };

struct lost { /* whose batches, of which generation */
    uint64_t gen, m;
};

/* The file without them. */
static size_t without(const uint8_t *p, size_t n, int read_as, struct lost x, uint8_t *to)
{
    struct gens all = gens_of(p, n, read_as);
    size_t len = 0, at = 0;
    while (gens_next(&all))
        for (size_t i = 0; i < all.g.nall; i++) {
            const struct v2_raw_batch *b = &all.g.all[i];
            if (all.g.number != x.gen || b->m != x.m || !v2_raw_timed(b))
                continue;
            memcpy(to + len, p + at, (size_t)(b->at - p) - at);
            len += (size_t)(b->at - p) - at;
            at = (size_t)(b->end - p);
        }
    memcpy(to + len, p + at, n - at);
    gens_free(&all);
    return len + n - at;
}

struct sum {
    uint64_t tried, wrong, silent;
};

static void one_lost(const uint8_t *p, size_t n, const struct trace *all, struct lost x, uint8_t *room,
                     struct sum *sum, const char *path, bool show)
{
    static const struct trace_opts one = {.threads = 1};
    static const enum lane_kind kind[] = {LANE_G, LANE_P};
    struct trace *tr = NULL;
    struct err e;
    char where[220] = "";
    const size_t len = without(p, n, all->dialect.read_as, x, room);
    assert_int_equal(load_bytes_opts(room, len, &one, &tr, &e), ERR_OK);
    sum->tried++;
    const int64_t shift = tr->src.st.first_ns - all->src.st.first_ns;
    for (int k = 0; k < 2 && !trace_fatal(tr); k++) {
        const int64_t ns = differs(tr, all, kind[k], NEVER, shift, true, where, sizeof where);
        if (ns <= NEAR_NS)
            continue;
        sum->wrong++;
        if (!show)
            fail_msg("%s without thread %" PRIu64 " in generation %" PRIu64 ": %s", path, x.m, x.gen, where);
        printf("%s without thread %" PRIu64 " in generation %" PRIu64 ": %s; damage: %s\n", path, x.m, x.gen,
               where, trace_damage(tr, 0) ? trace_damage(tr, 0)->what : "NONE");
        break;
    }
    sum->silent += !trace_info(tr)->ndamages;
    trace_close(tr);
}

static size_t threads_of(const struct v2_gen *g, uint64_t m[MS])
{
    size_t n = 0;
    for (size_t i = 0; i < g->nall; i++) {
        const struct v2_raw_batch *b = &g->all[i];
        size_t k = 0;
        while (k < n && m[k] != b->m)
            k++;
        if (k == n && n < MS && v2_raw_timed(b) && b->m != V2_NO_THREAD)
            m[n++] = b->m;
    }
    return n;
}

static void each_lost(const char *path, uint64_t step, bool show)
{
    static const struct trace_opts one = {.threads = 1};
    struct trace *all = NULL;
    struct err e = {0};
    struct sum sum = {0};
    size_t n;
    uint64_t m[MS], turn = 0;
    uint8_t *p = read_file(path, &n), *room = malloc(n);
    assert_int_equal(load_bytes_opts(p, n, &one, &all, &e), ERR_OK);
    struct gens x = gens_of(p, n, all->dialect.read_as);
    while (gens_next(&x)) {
        const size_t nm = threads_of(&x.g, m);
        for (size_t i = 0; i < nm; i++)
            if (turn++ % step == 0)
                one_lost(p, n, all, (struct lost){x.g.number, m[i]}, room, &sum, path, show);
    }
    if (show)
        printf("== %s: %" PRIu64 " tried, wrong %" PRIu64 ", nothing said %" PRIu64 "\n", path, sum.tried,
               sum.wrong, sum.silent);
    gens_free(&x);
    trace_close(all);
    free(room);
    free(p);
}

static void test_samples(void **state)
{
    (void)state;
    each_lost("samples/http-1.27.trace", 1, false);
    each_lost("samples/http-long-1.27.trace", 3, false);
    each_lost("samples/http-long-1.23.trace", 3, false);
    each_lost("samples/syscall-1.22.trace", 1, false);
    each_lost("samples/tasks-1.25.trace", 1, false);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    for (int i = 1; i < argc; i++)
        each_lost(argv[i], 1, true);
    return argc > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
