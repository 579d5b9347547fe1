/*
 * test_parts.c - a trace larger than its memory, held part by part, says the same as the whole model does: in the
 * detail span by span, beside it in sums.
 */
#include "tests/unit/decode_help.h"

#include "tests/support/tracegen.h"

static const char *now_at; /* for messages */

static struct trace *open_parts(const uint8_t *p, size_t n, size_t chunk, size_t room, int threads)
{
    struct trace_opts o = {.threads = threads, .max_memory = 1u << 30};
    struct trace *tr;
    struct err e;
    assert_int_equal(trace_open_mem(p, n, &o, &tr, &e), ERR_OK);
    tr->chunk_events = chunk;
    tr->parts.fixed = mem_live();
    tr->parts.limit = mem_live() + 2 * room + (2u << 20); /* a fold takes a megabyte at once */
    tr->parts.step = room / 8;
    tr->parts.next = mem_live() + room / 8;
    tr->parts.ov.budget = 1u << 16;
    tr->fold.past_from = 1;
    return tr;
}

static uint64_t id_of(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    return i == NO_LANE ? UINT64_MAX : trace_lane(tr, (struct lane){k, i}).id;
}

static enum lane_kind who_kind(struct lane l, const struct span *s)
{
    return l.kind == LANE_G && s->state != ST_RUNNABLE ? LANE_P : LANE_G;
}

static void same_spans(const struct trace *a, struct lane la, const struct trace *w, struct lane lw, int64_t d0,
                       int64_t d1)
{
    struct span_iter x, y;
    uint64_t id = id_of(a, la.kind, la.i);
    bool more = span_seek(&x, a, la, d0);
    if (more)
        assert_true(span_seek(&y, w, lw, span_get(&x)->t1 > d0 ? d0 : d1));
    for (bool first = true; more; first = false) {
        const struct span *s = span_get(&x), *t = span_get(&y);
        int64_t t0 = la.kind == LANE_M && t->t0 < d0 ? d0 : t->t0, t1 = t->t1 > d1 ? d1 : t->t1;
        if (s->t1 <= d0 && s->t1 > s->t0)
            break;
        if (s->t0 != t0 || s->t1 != t1 || s->state != t->state || s->reason != t->reason || s->stack != t->stack ||
            s->proc != t->proc || (la.kind != LANE_M && s->open_start != t->open_start))
            fail_msg("%s: lane %c%" PRIu64 " in %" PRId64 "..%" PRId64 ": %" PRId64 "-%" PRId64 " %s, whole %" PRId64
                     "-%" PRId64 " %s",
                     now_at, "PGMB"[la.kind], id, d0, d1, s -> t0, s -> t1, state_name(s->state), t -> t0, t -> t1,
                     state_name(t->state));
        uint64_t who = id_of(a, who_kind(la, s), s->who);
        if (who != id_of(w, who_kind(lw, t), t->who) && !(first && s->who == NO_LANE))
            fail_msg("%s: lane %c%" PRIu64 " at %" PRId64 ": another one named", now_at, "PGMB"[la.kind], id,
                     s -> t0);
        more = span_next(&x);
        if (more && !span_next(&y))
            fail_msg("%s: lane %c%" PRIu64 " has more spans than the whole", now_at, "PGMB"[la.kind], id);
    }
}

static void same_shares(const struct trace *a, struct lane la, const struct trace *w, struct lane lw, int64_t t0,
                        int64_t t1)
{
    struct shares x, y;
    trace_shares(a, la, t0, t1, &x);
    trace_shares(w, lw, t0, t1, &y);
    for (int s = 0; s < ST_COUNT; s++)
        if (x.ns[s] != y.ns[s])
            fail_msg("%s: lane %c%u %" PRId64 "..%" PRId64 " %s: %" PRId64 ", whole %" PRId64, now_at,
                     "PGMB"[la.kind], la.i, t0, t1, state_name(s), x.ns[s], y.ns[s]);
}

/* Whatever else it says of any interval: nothing below zero, and all of its length. */
static void shares_sound(const struct trace *a, struct lane l, int64_t t0, int64_t t1)
{
    struct shares x;
    int64_t sum = 0;
    trace_shares(a, l, t0, t1, &x);
    for (int s = 0; s < ST_COUNT; s++) {
        if (x.ns[s] < 0)
            fail_msg("%s: lane %c%u %" PRId64 "..%" PRId64 " %s: %" PRId64, now_at, "PGMB"[l.kind], l.i, t0, t1,
                     state_name(s), x.ns[s]);
        sum += x.ns[s];
    }
    assert_int_equal(sum, t1 - t0);
}

static size_t overlapping(const struct range *r, size_t n, int64_t t0, int64_t t1)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        k += r[i].t0 < t1 && r[i].t1 > t0;
    return k;
}

static void compare(const struct trace *a, const struct trace *w, struct rng *rg)
{
    const struct trace_info *i = trace_info(a);
    int64_t d0 = i->detail_t0, d1 = i->detail_t1;
    assert_true(i->bounded && d0 <= d1);
    if (d0 == d1) /* the last part ended with the file */
        return;
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t n = 0; n < trace_nlanes(a, k); n++) {
            struct lane la = {k, n}, lw = {k, trace_find_lane(w, k, id_of(a, k, n))};
            if (k == LANE_M && !trace_lane(a, la).nspans)
                continue; /* a thread that the trace hasn't told of yet */
            if (lw.i == NO_LANE)
                fail_msg("%s: %c lane with id %" PRIu64 " at %" PRId64 "..%" PRId64 " isn't in the whole", now_at,
                         "PGMB"[k], id_of(a, k, n), d0, d1);
            struct lane_info x = trace_lane(a, la), y = trace_lane(w, lw);
            assert_int_equal(x.id, y.id);
            if (k == LANE_G && x.name && !x.name_inferred)
                assert_int_equal(x.name, y.name);
            if (k == LANE_G)
                assert_true(x.created == y.created && x.seen == y.seen && x.create_stack == y.create_stack);
            same_spans(a, la, w, lw, d0, d1);
            for (int q = 0; q < 4; q++) {
                int64_t t0 = d0 + (int64_t)below(rg, (uint64_t)(d1 - d0)),
                        t1 = t0 + (int64_t)below(rg, (uint64_t)(d1 - t0)) + 1;
                same_shares(a, la, w, lw, t0, t1);
                t0 = (int64_t)below(rg, (uint64_t)i->end);
                shares_sound(a, la, t0, t0 + (int64_t)below(rg, (uint64_t)(i->end - t0)) + 1);
            }
        }
    for (uint32_t n = 0; n < trace_nlanes(w, LANE_G); n++) { /* nobody is missing */
        struct lane_info y = trace_lane(w, (struct lane){LANE_G, n});
        if (y.first < d1 && y.seen < d1 && y.last > d0 && trace_find_lane(a, LANE_G, y.id) == NO_LANE)
            fail_msg("%s: goroutine %" PRIu64 " is not in the detail", now_at, y.id);
    }
    const struct range *r, *s;
    for (int k = RANGE_SWEEP; k < RANGE_KINDS; k++) {
        size_t x = trace_ranges(a, k, &r), y = trace_ranges(w, k, &s);
        assert_int_equal(overlapping(r, x, d0, d1), overlapping(s, y, d0, d1));
    }
    const struct task *ta, *tw;
    const struct region *ra, *rw;
    size_t n = trace_tasks(a, &ta), nw = trace_tasks(w, &tw), k = 0;
    for (size_t q = 0; q < nw; q++) /* those that overlap the detail, in the order of their starts */
        if (tw[q].t0 < d1 && tw[q].t1 > d0 && !tw[q].open_start) {
            while (k < n && (ta[k].open_start || ta[k].id != tw[q].id))
                k++;
            if (k == n || ta[k].t0 != tw[q].t0 || ta[k].t1 != (tw[q].t1 > d1 ? d1 : tw[q].t1) ||
                ta[k].name != tw[q].name)
                fail_msg("%s: task %" PRIu64 " in %" PRId64 "..%" PRId64, now_at, tw[q].id, d0, d1);
            k = 0;
        }
    n = trace_regions(a, &ra), nw = trace_regions(w, &rw);
    for (size_t q = 0; q < nw; q++) {
        bool found = rw[q].t0 >= d1 || rw[q].t1 <= d0 || rw[q].open_start;
        for (k = 0; k < n && !found; k++)
            found = ra[k].t0 == rw[q].t0 && ra[k].t1 == (rw[q].t1 > d1 ? d1 : rw[q].t1) && ra[k].name == rw[q].name &&
                    ra[k].depth == rw[q].depth && id_of(a, LANE_G, ra[k].g) == id_of(w, LANE_G, rw[q].g);
        if (!found)
            fail_msg("%s: region %" PRId64 "-%" PRId64 " in %" PRId64 "..%" PRId64, now_at, rw[q].t0, rw[q].t1, d0,
                     d1);
    }
    for (int m = 0; m < METRIC_COUNT; m++) {
        uint64_t x[2], y[2];
        assert_int_equal(trace_minmax(a, m, d0, d1, &x[0], &x[1]), trace_minmax(w, m, d0, d1, &y[0], &y[1]));
        if (trace_minmax(w, m, d0, d1, &y[0], &y[1]))
            assert_true(trace_minmax(a, m, d0, d1, &x[0], &x[1]) && x[0] == y[0] && x[1] == y[1]);
    }
}

/* What is said of the whole, once all is decoded. */
static void compare_all(const struct trace *a, const struct trace *w)
{
    const struct trace_info *x = trace_info(a), *y = trace_info(w);
    assert_int_equal(x->end, y->end);
    assert_int_equal(x->events, y->events);
    assert_memory_equal(x->count, y->count, sizeof x->count);
    assert_int_equal(x->nwarnings, y->nwarnings);
    assert_int_equal(x->ndamages, y->ndamages);
    assert_int_equal(x->generations, y->generations);
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; k != LANE_G && k != LANE_M && i < trace_nlanes(w, k); i++) {
            struct lane l = {k, i};
            same_shares(a, l, w, l, 0, y->end);
            assert_int_equal(trace_count(a, l, 0, y->end), trace_count(w, l, 0, y->end));
        }
    const struct range *r, *s;
    for (int k = 0; k <= RANGE_STW; k++) {
        size_t n = trace_ranges(w, k, &s);
        assert_int_equal(trace_ranges(a, k, &r), n);
        for (size_t i = 0; i < n; i++)
            assert_true(r[i].t0 == s[i].t0 && r[i].t1 == s[i].t1 && r[i].name == s[i].name);
    }
    const struct gbucket *g, *h;
    int64_t wa, wb;
    size_t n = trace_gcounts(w, &wb, &h);
    assert_int_equal(trace_gcounts(a, &wa, &g), n);
    assert_int_equal(wa, wb);
    assert_memory_equal(g, h, n * sizeof *g);
    for (int m = 0; m < METRIC_COUNT; m++) {
        uint64_t p[2], q[2];
        assert_int_equal(trace_minmax(a, m, 0, INT64_MAX, &p[0], &p[1]),
                         trace_minmax(w, m, 0, INT64_MAX, &q[0], &q[1]));
        if (trace_minmax(w, m, 0, INT64_MAX, &q[0], &q[1]))
            assert_true(p[0] == q[0] && p[1] == q[1]);
    }
}

static int parts_of(const char *path, const uint8_t *p, size_t n, size_t chunk, size_t room, int threads)
{
    struct trace_opts o = {.threads = 1, .max_memory = 1u << 30};
    struct trace *w, *a;
    struct err e;
    struct rng rg = {n + chunk + room};
    now_at = path;
    assert_int_equal(load_bytes_opts(p, n, &o, &w, &e), ERR_OK);
    const struct range *r;
    bool late =
        false; /* what was open all along and is told of in the middle of the first generation comes too late */
    for (int k = 0; k < RANGE_KINDS; k++)
        for (size_t i = 0, m = trace_ranges(w, k, &r); i < m; i++)
            late |= r[i].open_start && r[i].seen > 0;
    if (!trace_info(w)->second_family || late) {
        trace_close(w);
        return 0;
    }
    for (int k = 0; k < LANE_KINDS; k++)
        (void)trace_find_lane(w, k, 0); /* makes its table */
    size_t live = mem_live();
    a = open_parts(p, n, chunk, room, threads);
    int parts = 0;
    while (trace_load(a, INT64_MAX) != LOAD_DONE)
        if (trace_part(a)) {
            parts++;
            compare(a, w, &rg);
        }
    if (parts) {
        compare_all(a, w);
        compare(a, w, &rg);
    }
    const struct trace_info *i = trace_info(a);
    uint32_t epoch = i->epoch;
    for (int q = 0; parts && q < 12; q++) {
        int64_t t0 = (int64_t)below(&rg, (uint64_t)i->end),
                t1 = t0 + 1 + (int64_t)below(&rg, (uint64_t)i->end / 64 + 1);
        t1 = t1 > i->end ? i->end : t1;
        if (t1 <= t0)
            continue;
        enum wanted asked = trace_held(a, t0, t1), got = trace_want(a, t0, t1);
        assert_int_equal(asked == WANT_AWAY ? WANT_COMING : asked, got);
        if (got == WANT_HELD)
            assert_true(i->detail_t0 <= t0 && t1 <= i->detail_t1);
        if (got != WANT_COMING)
            continue;
        assert_int_not_equal(i->epoch, epoch);
        while (trace_load(a, 1 + (int64_t)below(&rg, 100000)) != LOAD_DONE) {
            assert_true(i->done);
            for (size_t m = trace_ranges(a, RANGE_STW, &r), k = 0; k < m;
                 k++) /* of the old detail no index holds any more */
                assert_int_equal(r[k].owner, NO_LANE);
        }
        epoch = i->epoch;
        bool stopped = i->detail_t1 < t1 && mem_live() > a->parts.limit / 8 * 5; /* more than the estimate */
        if (i->detail_t0 > t0 || (i->detail_t1 < t1 && !stopped))
            fail_msg("%s: %" PRId64 "..%" PRId64 " wanted, held %" PRId64 "..%" PRId64, path, t0, t1, i->detail_t0,
                     i->detail_t1);
        assert_int_equal(trace_want(a, t0, t1), stopped ? WANT_WIDE : WANT_HELD);
        compare(a, w, &rg);
        compare_all(a, w);
    }
    trace_close(a);
    assert_int_equal(mem_live(), live);
    trace_close(w);
    return parts;
}

static int parts_seen;
static void one_sample(const char *path, const uint8_t *p, size_t n)
{
    parts_seen += parts_of(path, p, n, 64, 1 << 16, 1);
    parts_seen += parts_of(path, p, n, 300, 1 << 18, 1);
    parts_seen += parts_of(path, p, n, CHUNK_EVENTS, 1 << 17, 2);
}

static void test_samples(void **state)
{
    (void)state;
    assert_true(each_trace("samples", 1u << 20, one_sample) > 10);
    assert_true(parts_seen > 50);
}

/* Nothing that is held is older than trace_name_since() and trace_goroutine_since() say. */
static void since(const struct trace *tr)
{
    const struct trace_info *i = trace_info(tr);
    struct span_iter it;
    for (uint32_t g = 0; g < trace_nlanes(tr, LANE_G); g++) {
        struct lane_info li = trace_lane(tr, (struct lane){LANE_G, g});
        int64_t t = trace_goroutine_since(tr, li.id);
        if (t > li.seen || (li.name && li.created && trace_name_since(tr, li.name) > li.seen && !li.name_inferred))
            fail_msg("G%" PRIu64 " is seen at %" PRId64 ", not before %" PRId64, li.id, li.seen, t);
        if (!span_seek(&it, tr, (struct lane){LANE_G, g}, i->detail_t0))
            continue;
        do {
            const struct span *s = span_get(&it);
            if (s->t0 > i->detail_t0 && trace_name_since(tr, s->reason) > s->t0)
                fail_msg("\"%.*s\" at %" PRId64 ", not before %" PRId64, (int)trace_str(tr, s->reason).len,
                         trace_str(tr, s->reason).p, s->t0, trace_name_since(tr, s->reason));
        } while (span_next(&it));
    }
    assert_int_equal(trace_goroutine_since(tr, UINT64_MAX), INT64_MAX);
}

/* Stretch after stretch, from the start to the end and back: all of it is held once. With many marks, and with few. */
static void test_stretches(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/http-long-1.27.trace", &n);
    assert_non_null(p);
    for (int marks = 1; marks >= 0; marks--) {
        struct trace *tr = open_parts(p, n, 300, 1 << 17, 1);
        if (!marks)
            tr->parts.step = 1 << 17;
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        const struct trace_info *i = trace_info(tr);
        int64_t t = 0, t0, t1;
        int parts = 0;
        for (; trace_stretch(tr, t, 1, &t0, &t1); parts++, t = i->detail_t1 + 1) {
            assert_true(t0 == t && t1 > t0 && t1 <= i->end && parts < 1000);
            if (trace_held(tr, t0, t1) == WANT_WIDE)
                t1 = t0 + 1;
            if (trace_want(tr, t0, t1) == WANT_WIDE)
                fail_msg("%" PRId64 " can't be held", t0);
            while (trace_load(tr, INT64_MAX) != LOAD_DONE)
                ;
            assert_true((i->detail_t0 < t || !t) && i->detail_t1 > t);
            since(tr);
        }
        assert_true(parts > 3 && i->detail_t1 == i->end);
        for (t = i->detail_t0, parts = 0; trace_stretch(tr, t, -1, &t0, &t1); parts++, t = i->detail_t0) {
            assert_true(t1 == t && t0 < t1 && t0 >= 0 && parts < 1000);
            if (trace_held(tr, t0, t1) == WANT_WIDE)
                t0 = t1 - 1;
            assert_true(trace_want(tr, t0, t1) != WANT_WIDE);
            while (trace_load(tr, INT64_MAX) != LOAD_DONE)
                ;
            assert_true(i->detail_t0 < t);
        }
        assert_true(parts > 3 && i->detail_t0 == 0);
        trace_close(tr);
    }
    free(p);
}

/* So many goroutines are alive that no mark can be kept: a moment can be held, all is too wide, and is not tried for ever. */
static void test_no_marks(void **state)
{
    (void)state;
    enum { GS = 8000, ROUNDS = 250000 };
    struct tracegen_buf text = {0}, bytes = {0};
    char err[200];
    tracegen_printf(&text, "go 1.26\n");
    for (int k = 0; k < GS + ROUNDS; k++) {
        if (k % 1000 == 0)
            tracegen_printf(&text, "%sbatch m=7 t=%d\n%s", k ? "end\n" : "", k * 100 + 1,
                            k ? "" : "ProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
        if (k < GS)
            tracegen_printf(&text, "GoCreate +5 new_g=%d new_stack=main.worker:30 stack=main.main:12\n", k + 2);
        else
            tracegen_printf(&text, "GoStop +%d reason=\"preempted\" stack=main.main:9\nGoStart +2 g=1 g_seq=%d\n",
                            3 + k * 7 % 60, k - GS + 1);
    }
    if (tracegen_encode((char *)text.p, &bytes, err, sizeof err))
        fail_msg("%s", err);
    tracegen_free(&text);
    struct trace_opts o = {.threads = 1, .max_memory = mem_live() + (7u << 20)};
    struct trace *tr;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes.p, bytes.n, &o, &tr, &e), ERR_OK);
    const struct trace_info *i = trace_info(tr);
    assert_int_equal(i->ndamages, 0);
    if (!i->bounded || tr->parts.n != 1)
        fail_msg("%zu marks, %zu bytes in use", tr->parts.n, mem_live());
    int tries = 0;
    for (; tries < 4 && trace_want(tr, 0, i->end) == WANT_COMING; tries++)
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
    assert_true(tries < 4 && trace_held(tr, 0, i->end) == WANT_WIDE);
    for (int q = 9; q >= 1; q -= 4) {
        int64_t t = i->end / 10 * q;
        assert_int_equal(trace_want(tr, t, t + 1000), WANT_COMING);
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        assert_int_equal(trace_held(tr, t, t + 1000), WANT_HELD);
    }
    trace_close(tr);
    tracegen_free(&bytes);
}

/* Damaged files: the same damage is found, and the same is shown of what stands. */
static void test_damaged(void **state)
{
    (void)state;
    static const char *const paths[] = {"samples/http-long-1.27.trace", "samples/tasks-1.25.trace",
                                        "samples/syscall-1.22.trace"};
    struct rng rg = {77};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t n = 0;
        uint8_t *p = read_file(paths[i], &n);
        assert_non_null(p);
        for (int k = 0; k < 30; k++) {
            size_t cut = k % 3 ? n : n / 2 + below(&rg, n / 2);
            uint8_t *q = malloc(n);
            memcpy(q, p, n);
            for (int b = 0; b < k % 4; b++)
                q[16 + below(&rg, n - 16)] ^= (uint8_t)(1u << below(&rg, 8));
            struct trace *tr;
            struct err e;
            if (!load_bytes_opts(q, cut, NULL, &tr, &e)) {
                /* Whole it is read again where a generation's order was tried in vain, and a gap may reach back into a part
                   that is left behind. */
                bool gaps = tr->src.bad != 0;
                for (uint32_t d = 0; k % 4 && d < trace_info(tr)->ndamages; d++)
                    gaps |= strstr(trace_damage(tr, d)->what, " gaps, ") != NULL;
                trace_close(tr);
                if (gaps)
                    free(q);
                if (gaps)
                    continue;
                (void)parts_of(paths[i], q, cut, 128, 1 << 15, 1);
            }
            free(q);
        }
        free(p);
    }
}

/* Before Go 1.22 a trace is held whole: it ends where the memory does, and says so. */
static void test_old(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/alloc-1.19.trace", &n);
    struct trace_opts o = {.threads = 1, .max_memory = 1};
    struct trace *tr;
    struct err e;
    assert_non_null(p);
    assert_int_equal(load_bytes_opts(p, n, &o, &tr, &e), ERR_OK);
    expect_damage(tr, ERR_NOMEM, "before Go 1.22");
    assert_false(trace_info(tr)->bounded);
    assert_true(trace_info(tr)->events > 0);
    assert_int_equal(trace_want(tr, 0, 1), WANT_HELD);
    trace_close(tr);
    free(p);
}

/* Files made to break decoders, in as many parts as can be: whatever is asked, there is an answer. */
static void test_hostile(void **state)
{
    (void)state;
    static const uint8_t heads[][17] = {"go 1.22 trace\0\0\0", "go 1.25 trace\0\0\0", "go 1.26 trace\0\0\0"};
    struct dirent **list;
    int n = scandir("tests/fuzz/corpus/fuzz_v2", &list, NULL, alphasort), opened = 0;
    assert_true(n > 10);
    for (int i = 0; i < n; i++) {
        char path[512];
        size_t len = 0;
        snprintf(path, sizeof path, "tests/fuzz/corpus/fuzz_v2/%s", list[i]->d_name);
        uint8_t *p = list[i]->d_name[0] == '.' ? NULL : read_file(path, &len);
        free(list[i]);
        len -= len > 0; /* the first byte is the fuzzer's: it chooses the header */
        for (size_t h = 0; p && h < sizeof heads / sizeof *heads; h++) {
            uint8_t *q = malloc(len + 16);
            memcpy(q, heads[h], 16);
            memcpy(q + 16, p + 1, len);
            struct trace_opts o = {.threads = 1};
            struct trace *tr;
            struct err e;
            if (!trace_open_mem(q, len + 16, &o, &tr, &e)) {
                trace_close(tr);
                tr = open_parts(q, len + 16, 64, 1 << 14, 1);
                while (trace_load(tr, INT64_MAX) != LOAD_DONE)
                    ;
                int64_t end = trace_info(tr)->end;
                for (int k = 0; k < 4; k++) {
                    (void)trace_want(tr, end / 4 * k, end / 4 * k + end / 50 + 1);
                    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
                        ;
                    for (uint32_t l = 0; l < trace_nlanes(tr, LANE_P) && l < 20; l++)
                        shares_sound(tr, (struct lane){LANE_P, l}, end / 3, end);
                }
                trace_close(tr);
                opened++;
            }
            free(q);
        }
        free(p);
    }
    free(list);
    assert_true(opened > 10);
}

/* Memory runs out at every point in turn, of which there are more here: what stands can be asked, nothing leaks. */
static void test_oom(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *p = read_file("samples/tasks-1.27.trace", &n);
    assert_non_null(p);
    bool end = false;
    for (long at = 0; !end && at < 100000; at += at < 50 ? 1 : 1 + at / 30) {
        size_t live = mem_live();
        struct trace *tr = open_parts(p, n, 64, 1 << 15, 1);
        struct shares sh;
        const struct range *r;
        mem_fail_after(at);
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        (void)trace_want(tr, trace_info(tr)->end / 3, trace_info(tr)->end / 3 + 1000);
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        for (int k = 0; k < LANE_KINDS; k++)
            for (uint32_t i = 0; i < trace_nlanes(tr, k); i++) {
                struct span_iter it;
                trace_shares(tr, (struct lane){k, i}, 0, trace_info(tr)->end, &sh);
                if (span_seek_index(&it, tr, (struct lane){k, i}, 0))
                    while (span_next(&it))
                        ;
            }
        trace_ranges(tr, RANGE_STW, &r);
        void *q = mem_alloc(1);
        end = q != NULL;
        mem_free(q);
        mem_fail_after(-1);
        trace_close(tr);
        assert_int_equal(mem_live(), live);
    }
    assert_true(end);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_stretches), cmocka_unit_test(test_no_marks),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_old),       cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_oom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
