/*
 * test_cut.c - a slice of a trace says the same of its range as the trace does.
 *
 * Every sample is cut at many places; trace and slice are loaded, and each goroutine's and P's time per
 * state, the ranges and the tasks within are compared. That Go's readers take the slices was tried when
 * tests/golden/slices.tsv was made; here they must be the same bytes still.
 */
#include "tests/unit/cut_help.h"

/* ---- the same sums ------------------------------------------------------------------------------------- */

static int wrong; /* in the case at hand */
static const char *at_case;

static void differs(const char *what, uint64_t id, const char *of, int64_t a, int64_t b)
{
    if (wrong++ < 6)
        print_message("%s: %s %" PRIu64 " %s: %" PRId64 ", in the slice %" PRId64 "\n", at_case, what, id, of,
                      a, b);
}

struct pair {
    struct trace *a, *b; /* the trace, its slice */
    int64_t t0, t1, lead, slack;
};

static int64_t off(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

static void same_lane(const struct pair *x, enum lane_kind k, uint32_t ia, uint32_t ib, uint64_t id)
{
    struct shares a, b = {{0}};
    static const char *const what[] = {"P", "G", "M", "band"};
    trace_shares(x->a, (struct lane){k, ia}, x->t0, x->t1, &a);
    if (ib != NO_LANE)
        trace_shares(x->b, (struct lane){k, ib}, x->lead, x->lead + (x->t1 - x->t0), &b);
    else /* a tracer of the first family that starts says nothing of an idle P */
        b.ns[k == LANE_P ? ST_IDLE : ST_NONE] = x->t1 - x->t0;
    uint64_t spans = trace_count(x->a, (struct lane){k, ia}, x->t0, x->t1);
    if (k == LANE_P &&
        !trace_info(x->a)->second_family) { /* of an assist that was interrupted its P doesn't know */
        a.ns[ST_RUNNING] += a.ns[ST_ASSIST];
        b.ns[ST_RUNNING] += b.ns[ST_ASSIST];
        a.ns[ST_ASSIST] = b.ns[ST_ASSIST] = 0;
    }
    if (k == LANE_P) { /* a worker whose start and label were before is not known as one */
        a.ns[ST_RUNNING] += a.ns[ST_GCWORK];
        b.ns[ST_RUNNING] += b.ns[ST_GCWORK];
        a.ns[ST_GCWORK] = b.ns[ST_GCWORK] = 0;
        a.ns[ST_IDLE] += a.ns[ST_NONE]; /* one that GOMAXPROCS took away is idle for Go's reader, too */
        b.ns[ST_IDLE] += b.ns[ST_NONE];
        a.ns[ST_NONE] = b.ns[ST_NONE] = 0;
    }
    for (int s = 0; s < ST_COUNT; s++) {
        int64_t d = off(a.ns[s], b.ns[s]);
        if (d > x->slack * (int64_t)(spans + 1))
            differs(what[k], id, state_name((enum state)s), a.ns[s], b.ns[s]);
    }
}

static void same_lanes(const struct pair *x, enum lane_kind k)
{
    for (uint32_t i = 0; i < trace_nlanes(x->a, k); i++) {
        struct lane_info l = trace_lane(x->a, (struct lane){k, i});
        if (l.nspans == 0 || l.first >= x->t1 || (l.last <= x->t0 && k == LANE_G))
            continue;
        same_lane(x, k, i, trace_find_lane(x->b, k, l.id), l.id);
    }
    for (uint32_t i = 0; i < trace_nlanes(x->b, k); i++) {
        struct lane_info l = trace_lane(x->b, (struct lane){k, i});
        if (trace_find_lane(x->a, k, l.id) == NO_LANE)
            differs("invented lane", l.id, "", 0, (int64_t)l.nspans);
    }
}

static int64_t within(const struct pair *x, bool slice, int64_t t0, int64_t t1)
{
    int64_t a = slice ? x->lead : x->t0, z = slice ? x->lead + (x->t1 - x->t0) : x->t1;
    t0 = t0 > a ? t0 : a;
    t1 = t1 < z ? t1 : z;
    return t1 > t0 ? t1 - t0 : 0;
}

static int64_t ranges(const struct pair *x, bool slice, enum range_kind k, int64_t *count)
{
    const struct range *r;
    size_t n = trace_ranges(slice ? x->b : x->a, k, &r);
    int64_t sum = 0;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        /* A goroutine begins and ends them in the second family, and up to Go 1.11 none may run then. */
        if ((k == RANGE_GC || k == RANGE_STW) && trace_info(x->a)->version < 1012)
            continue;
        int64_t d = within(x, slice, r[i].t0, r[i].t1);
        *count += d > 0;
        sum += d;
    }
    return sum;
}

static void same_ranges(const struct pair *x)
{
    static const char *const name[] = {"GC", "STW", "sweep", "assist"};
    for (int k = 0; k < RANGE_KINDS; k++) {
        int64_t n, m, a = ranges(x, false, (enum range_kind)k, &n),
                      b = ranges(x, true, (enum range_kind)k, &m);
        if (off(a, b) > x->slack * (n + 1))
            differs("ranges", (uint64_t)n, name[k], a, b);
    }
}

/* Of a task the slice knows if it began or ended within. */
static int64_t tasks(const struct pair *x, bool slice, uint64_t *n)
{
    const struct task *t;
    size_t all = trace_tasks(slice ? x->b : x->a, &t);
    int64_t sum = 0, a = slice ? x->lead : x->t0, z = slice ? x->lead + (x->t1 - x->t0) : x->t1;
    for (size_t i = 0; i < all; i++) {
        bool began = !t[i].open_start && t[i].t0 >= a && t[i].t0 < z,
             ended = !t[i].open_end && t[i].t1 >= a && t[i].t1 < z;
        if (began || ended) {
            sum += within(x, slice, t[i].t0, t[i].t1);
            ++*n;
        }
    }
    return sum;
}

static int64_t regions(const struct pair *x, bool slice, uint64_t *n)
{
    const struct region *t;
    size_t all = trace_regions(slice ? x->b : x->a, &t);
    int64_t sum = 0, a = slice ? x->lead : x->t0, z = slice ? x->lead + (x->t1 - x->t0) : x->t1;
    for (size_t i = 0; i < all; i++) {
        bool began = !t[i].open_start && t[i].t0 >= a && t[i].t0 < z;
        if (began) {
            sum += within(x, slice, t[i].t0, t[i].t1);
            ++*n;
        }
    }
    return sum;
}

static void same_told(const struct pair *x)
{
    uint64_t n = 0, m = 0;
    int64_t a = tasks(x, false, &n), b = tasks(x, true, &m);
    if (n != m || off(a, b) > x->slack * (int64_t)(n + 1))
        differs("tasks", n, "", a, b);
    n = m = 0;
    a = regions(x, false, &n);
    b = regions(x, true, &m);
    if (n != m || off(a, b) > x->slack * (int64_t)(n + 1))
        differs("regions", n, "", a, b);
}

static void same(struct trace *a, const struct bytes *slice, const struct cut_result *res)
{
    struct trace *b = load(slice->p, slice->n);
    if (!b || trace_fatal(b)) {
        differs("slice", 0, b ? trace_fatal(b)->what : "no trace", 0, 1);
        trace_close(b);
        return;
    }
    /* Events of one clock unit may be told in another order, a nanosecond apart. */
    struct pair x = {a, b, res->from, res->to, res->lead, trace_info(a)->second_family ? 1 : 2};
    if (trace_info(b)->ndamages)
        differs("slice", 0, trace_damage(b, 0)->what, 0, 1);
    if (res->to > trace_info(a)->end)
        x.t1 = trace_info(a)->end;
    same_lanes(&x, LANE_G);
    same_lanes(&x, LANE_P);
    same_ranges(&x);
    same_told(&x);
    trace_close(b);
}

/* ---- cases --------------------------------------------------------------------------------------------- */

struct share {
    double from, to;
};
static const struct share SHARES[] = {{0, 1},      {0, 0.5},       {0.5, 1},        {0.25, 0.75},
                                      {0.1, 0.11}, {0.9, 0.95},    {0.333, 0.6667}, {0.5, 0.5},
                                      {0.97, 1},   {0.001, 0.999}, {0.6, 0.9}};
enum { NSHARES = sizeof SHARES / sizeof *SHARES };

static char names[400][300];

static int traces(char name[][300], int max, const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    for (struct dirent *f; d && (f = readdir(d)) && n < max;) {
        size_t len = strlen(f->d_name);
        if (len > 6 && strcmp(f->d_name + len - 6, ".trace") == 0)
            snprintf(name[n++], 300, "%s/%s", dir, f->d_name);
    }
    if (d)
        closedir(d);
    return n;
}

static void one_trace(const char *path, int *cases, int *failed)
{
    struct input in;
    struct err e = {0};
    struct bytes s = {0}, ss = {0};
    struct cut_result r, r2;
    char label[400];
    if (input_open(path, 0, &in, &e))
        return;
    struct trace *tr = load(in.data, in.len);
    at_case = label;
    for (int i = 0; i < NSHARES && tr && !trace_fatal(tr) && !trace_info(tr)->ndamages; i++) {
        int64_t end = trace_info(tr)->end, from = (int64_t)(SHARES[i].from * (double)end),
                to = (int64_t)(SHARES[i].to * (double)end);
        if (SHARES[i].to >= 1)
            to = INT64_MAX;
        if (SHARES[i].from == SHARES[i].to)
            to = from + 1000;
        if (to <= from)
            continue;
        wrong = 0;
        snprintf(label, sizeof label, "%s [%" PRId64 ",%" PRId64 ")", path, from, to);
        enum err_code rc = cut(in.data, in.len, from, to, &s, &r, &e);
        if (rc)
            differs("cut", 0, e.what, 0, (int64_t)rc);
        else if (!r.whole)
            same(tr, &s, &r);
        if (!rc && SHARES[i].from == 0 && to == INT64_MAX)
            assert_true(r.whole && s.n == in.len && !memcmp(s.p, in.data, in.len));
        /* and a slice of the slice */
        if (!rc && !wrong && !r.whole && to - from > 4000) {
            int64_t len = r.to - r.from;
            struct trace *b = load(s.p, s.n);
            snprintf(label, sizeof label, "%s [%" PRId64 ",%" PRId64 ") again", path, from, to);
            if (cut(s.p, s.n, r.lead + len / 4, r.lead + len / 4 * 3, &ss, &r2, &e))
                differs("cut", 0, e.what, 0, 1);
            else
                same(b, &ss, &r2);
            trace_close(b);
        }
        ++*cases;
        *failed += wrong > 0;
    }
    trace_close(tr);
    mem_free(s.p);
    mem_free(ss.p);
    input_close(&in);
}

/* ---- what Go's readers took ---------------------------------------------------------------------------- */

/*
 * tests/golden/slices.tsv: trace, from and to in ns (-1: its end), hash of the slice, and which readers of Go
 * took it. A slice whose bytes change must be tried again: SLICES=DIR writes all of them there, DIR/N.trace
 * by line.
 */
static void slices_that_go_took(void **state)
{
    (void)state;
    char line[400], path[300], got[300];
    FILE *f = fopen("tests/golden/slices.tsv", "r");
    const char *dir = getenv("SLICES");
    int n = 0, changed = 0;
    struct bytes s = {0};
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        int64_t from, to;
        uint64_t want;
        struct input in;
        struct cut_result r;
        struct err e = {0};
        if (line[0] == '#' || sscanf(line, "%200s %" SCNd64 " %" SCNd64 " %" SCNx64 " %200s", path, &from,
                                     &to, &want, got) != 5)
            continue;
        assert_int_equal(input_open(path, 0, &in, &e), ERR_OK);
        assert_int_equal(cut(in.data, in.len, from ? from : INT64_MIN, to < 0 ? INT64_MAX : to, &s, &r, &e),
                         ERR_OK);
        n++;
        if (hash(s.p, s.n) != want && ++changed <= 10)
            print_message("%s [%" PRId64 ",%" PRId64 "): %016" PRIx64 " now\n", path, from, to,
                          hash(s.p, s.n));
        if (dir) {
            snprintf(got, sizeof got, "%s/%d.trace", dir, n);
            FILE *o = fopen(got, "w");
            assert_non_null(o);
            assert_int_equal(fwrite(s.p, 1, s.n, o), s.n);
            fclose(o);
            printf("row\t%s\t%" PRId64 "\t%" PRId64 "\t%016" PRIx64 "\n", path, from, to, hash(s.p, s.n));
        }
        input_close(&in);
    }
    fclose(f);
    mem_free(s.p);
    assert_true(n > 100);
    if (!dir)
        assert_int_equal(changed, 0);
}

static void slices_say_the_same(void **state)
{
    (void)state;
    int cases = 0, failed = 0;
    const char *dir = getenv("CUT_DIR");
    int n = traces(names, 400, dir ? dir : "samples");
    for (int i = 0; i < n; i++)
        if (!getenv("CUT_ONLY") || strstr(names[i], getenv("CUT_ONLY")))
            one_trace(names[i], &cases, &failed);
    print_message("%d cases, %d differ\n", cases, failed);
    assert_true(cases > 100 || getenv("CUT_ONLY"));
    assert_int_equal(failed, 0);
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
    static const char *const path[] = {"samples/http-1.27.trace", "samples/http-long-1.23.trace",
                                       "samples/tasks-1.21.trace", "samples/workers-1.5.trace"};
    for (size_t k = 0; k < 4; k++) {
        struct input in;
        struct err e = {0};
        assert_int_equal(input_open(path[k], 0, &in, &e), ERR_OK);
        size_t live = mem_live();
        enum err_code rc = ERR_NOMEM;
        for (long n = 0; rc; n += n < 40 ? 1 : 7) {
            struct cut_range r = {3000000, k == 1 ? INT64_MAX : 9000000, 0};
            struct outlet out = {.write = to_nowhere};
            struct cut_result res;
            mem_fail_after(n);
            rc = cut_trace(&in, &r, &out, &res, &e);
            mem_fail_after(-1);
            assert_true(rc == ERR_OK || rc == ERR_NOMEM || rc == ERR_ARG);
            rc = rc == ERR_ARG ? ERR_OK : rc;
            assert_int_equal(mem_live(), live);
            assert_true(n < 20000);
        }
        input_close(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_say_the_same),
        cmocka_unit_test(slices_that_go_took),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
