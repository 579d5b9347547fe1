/*
 * test_triage_numbers.c - the tables and metrics against a slow recount, and against Go's own figures: its
 * Summarizer (S records of ../shared/traces), its profiles (triage_pprof_totals.h), its mutator utilisation
 * (tests/golden/report-*.mmu.tsv).
 */
#include "triage_help.h"
#include "triage/findings/walk.h"

#include <math.h>
#include <zlib.h>

#include "triage/tables/metrics.h"
#include "triage/tables/stackweights.h"
#include "triage/tri.h"

/* ---- recount ------------------------------------------------------------------------------------------- */

struct recount {
    int64_t state[ST_COUNT];
    uint64_t waits, syscalls, scheds;
    int64_t wait_ns, syscall_ns, sched_ns, sched_max;
    int64_t runtime_all; /* time for which the runtime's own goroutines waited for a processor */
};

static void recount(const struct loaded *l, uint32_t g, struct recount *r)
{
    struct lane lane = {LANE_G, g};
    struct lane_info li = trace_lane(l->tr, lane);
    struct span_iter it;
    int64_t at;
    if (!span_seek_index(&it, l->tr, lane, 0))
        return;
    at = span_get(&it)->t0;
    do {
        const struct span *s = span_get(&it);
        assert_int_equal(s->t0, at); /* contiguous: no unknown time */
        at = s->t1;
        r->state[s->state] += s->t1 - s->t0;
        if (li.is_system && s->state == ST_RUNNABLE) {
            const int64_t ns = s->t1 - s->t0;
            r->runtime_all += ns;
        }
        if (li.is_system)
            continue;
        if (s->state == ST_WAITING) {
            r->waits++;
            r->wait_ns += s->t1 - s->t0;
        } else if (s->state == ST_SYSCALL) {
            r->syscalls++;
            r->syscall_ns += s->t1 - s->t0;
        } else if (s->state == ST_RUNNABLE && !s->open_start) {
            r->scheds++;
            r->sched_ns += s->t1 - s->t0;
            r->sched_max = s->t1 - s->t0 > r->sched_max ? s->t1 - s->t0 : r->sched_max;
        }
    } while (span_next(&it));
}

static void adds_up(const struct loaded *l)
{
    const struct range *r;
    size_t n = trace_ranges(l->tr, RANGE_ASSIST, &r);
    int64_t assist = 0;
    bool late = false; /* an assist learnt of after it began: Ps' lanes show it only from then on */
    for (size_t i = 0; i < n; i++)
        late |= r[i].open_start;
    for (uint32_t g = 0; g < l->tg->ng; g++) {
        const struct gstat st = gstat_of(l->tg, g);
        const int64_t *ns = st.ns;
        int64_t sum = 0;
        for (int m = GM_EXEC; m <= GM_UNKNOWN; m++) {
            assert_true(ns[m] >= 0);
            sum += ns[m];
        }
        assert_int_equal(sum, ns[GM_LIFE]);
        assert_true(ns[GM_ASSIST] <= ns[GM_EXEC]);
        assist += ns[GM_ASSIST];
    }
    if (!late) {
        assert_int_equal(assist,
                         l->tg->p_sum.ns[ST_ASSIST]); /* goroutines' lanes and Ps' lanes tell the same */
    }
}

static void groups_hold(const struct loaded *l)
{
    struct dist *dists[GM_COUNT];
    uint32_t n = 0;
    for (int m = 0; m < GM_COUNT; m++) {
        dists[m] = triage_group_dists(l->tg, (enum gmetric)m);
        assert_non_null(dists[m]);
    }
    for (uint32_t i = 0; i < l->tg->ngroups; i++) {
        const struct group *g = &l->tg->groups[i];
        int64_t waits = 0, total[GM_COUNT] = {0}, max[GM_COUNT] = {0};
        n += g->count;
        for (uint32_t k = 0; k < l->tg->ng; k++) {
            for (int m = 0; l->tg->group_of[k] == i && m < GM_COUNT; m++) {
                total[m] += gstat_of(l->tg, k).ns[m];
                max[m] = gstat_of(l->tg, k).ns[m] > max[m] ? gstat_of(l->tg, k).ns[m] : max[m];
            }
        }
        for (int m = 0; m < GM_COUNT; m++) {
            const struct dist *d = &dists[m][i];
            assert_int_equal(d->n, g->count);
            assert_int_equal(d->total, total[m]);
            assert_int_equal(d->max, max[m]);
            assert_int_equal(g->ns[m], total[m]);
            assert_true(d->min <= d->p50 && d->p50 <= d->p90 && d->p90 <= d->p99 && d->p99 <= d->max);
        }
        for (uint32_t k = 0; k < g->nwaits; k++)
            waits += l->tg->group_waits[g->waits + k].total;
        assert_int_equal(waits, g->ns[GM_WAIT]);
        assert_true(i == 0 || l->tg->groups[i - 1].ns[GM_EXEC] >= g->ns[GM_EXEC]);
    }
    for (int m = 0; m < GM_COUNT; m++)
        mem_free(dists[m]);
    assert_int_equal(n, l->tg->ng);
}

/* ---- numbers by their names ---------------------------------------------------------------------------- */

static int64_t procs_ns(const struct loaded *l, enum state state)
{
    int64_t ns = 0;
    for (uint32_t p = 0; p < trace_nlanes(l->tr, LANE_P); p++) {
        struct span_iter it;
        each_span(s, it, l->tr, lane_p(p), INT64_MIN)
            ns += s->state == state ? s->t1 - s->t0 : 0;
    }
    return ns;
}

static void metric_is(const struct loaded *l, const char *name, double want)
{
    struct metric_value v;
    struct err e = {0};
    if (metric_get(l, name, &v, &e) != ERR_OK)
        fail_msg("%s", e.what);
    if (v.v != want)
        fail_msg("%s is %.17g, not %.17g", name, v.v, want);
}

static void goroutines_hold(const struct loaded *l)
{
    const uint32_t n = trace_nlanes(l->tr, LANE_G);
    uint32_t created = 0, ended = 0;
    for (uint32_t g = 0; g < n; g++) {
        const struct lane_info li = trace_lane(l->tr, lane_g(g));
        created += li.created;
        ended += li.ended;
    }
    metric_is(l, "goroutines", n);
    metric_is(l, "goroutines.created", created);
    metric_is(l, "goroutines.end", n - ended);
}

static void collections_hold(const struct loaded *l)
{
    const struct range *r;
    struct range stop;
    const size_t cycles = trace_ranges(l->tr, RANGE_GC, &r);
    int64_t marked = 0, stopped = 0, longest = 0;
    size_t stops = 0;
    uint64_t heap = 0;
    for (size_t i = 0; i < cycles; i++)
        marked += r[i].t1 - (r[i].t0 > 0 ? r[i].t0 : 0);
    for (size_t i = 0, n = trace_ranges(l->tr, RANGE_STW, &r); i < n; stops++) {
        i = trace_stop(r, n, i, &stop);
        const int64_t ns = stop.t1 - (stop.t0 > 0 ? stop.t0 : 0);
        stopped += ns;
        longest = ns > longest ? ns : longest;
    }
    for (size_t i = 0; i < trace_npoints(l->tr, METRIC_HEAP); i++) {
        const struct point p = trace_point(l->tr, METRIC_HEAP, i);
        heap = p.v > heap ? p.v : heap;
    }
    metric_is(l, "gc.cycles", (double)cycles);
    metric_is(l, "gc.mark", (double)marked);
    metric_is(l, "gc.assist", (double)procs_ns(l, ST_ASSIST));
    metric_is(l, "stw.count", (double)stops);
    metric_is(l, "stw.total", (double)stopped);
    metric_is(l, "stw.max", (double)longest);
    metric_is(l, "heap.max", (double)heap);
}

static void tasks_hold(const struct loaded *l)
{
    const struct task *t;
    const struct region *r;
    const struct sample *s;
    int64_t tasks = 0, regions = 0;
    for (size_t i = 0, n = trace_tasks(l->tr, &t); i < n; i++)
        tasks += !t[i].open_start && !t[i].open_end;
    for (size_t i = 0, n = trace_regions(l->tr, &r); i < n; i++)
        regions += !r[i].open_start && !r[i].open_end;
    metric_is(l, "task.count", (double)tasks);
    metric_is(l, "region.count", (double)regions);
    metric_is(l, "samples", (double)trace_samples(l->tr, &s));
}

static void metrics_hold(const struct loaded *l, const struct recount *r)
{
    const int64_t idle = procs_ns(l, ST_IDLE);
    assert_int_equal(idle, l->tg->p_sum.ns[ST_IDLE]);
    metric_is(l, "idle.share", l->tg->capacity ? (double)idle / (double)l->tg->capacity : 0);
    metric_is(l, "duration", (double)trace_info(l->tr)->end);
    metric_is(l, "findings", l->fs.n);
    metric_is(l, "sched.count", (double)r->scheds);
    metric_is(l, "total(sched)", (double)r->sched_ns);
    metric_is(l, "sched.max", (double)r->sched_max);
    goroutines_hold(l);
    collections_hold(l);
    tasks_hold(l);
}

static void tables_of(const char *path)
{
    struct loaded l;
    struct recount r = {0};
    uint64_t waits = 0, calls = 0, pairs = 0;
    int64_t wait_ns = 0, call_ns = 0, pair_ns = 0, exec = 0;
    help_load(path, &l);
    for (uint32_t g = 0; g < l.tg->ng; g++) {
        recount(&l, g, &r);
        exec += gstat_of(l.tg, g).ns[GM_EXEC];
    }
    for (uint32_t i = 0; i < l.tg->nwaits; i++) {
        waits += l.tg->waits[i].count;
        wait_ns += l.tg->waits[i].total;
        assert_true(l.tg->waits[i].longest.t1 - l.tg->waits[i].longest.t0 <= l.tg->waits[i].total);
    }
    for (uint32_t i = 0; i < l.tg->nsyscalls; i++) {
        calls += l.tg->syscalls[i].count;
        call_ns += l.tg->syscalls[i].total;
        assert_true(l.tg->syscalls[i].blocking <= l.tg->syscalls[i].count);
    }
    for (uint32_t i = 0; i < l.tg->npairs; i++) {
        pairs += l.tg->pairs[i].count;
        pair_ns += l.tg->pairs[i].total;
        assert_true(i == 0 || l.tg->pairs[i - 1].total >= l.tg->pairs[i].total);
    }
    assert_int_equal(exec, r.state[ST_RUNNING]);
    assert_int_equal(waits, r.waits);
    assert_int_equal(wait_ns, r.wait_ns);
    assert_int_equal(calls, r.syscalls);
    assert_int_equal(call_ns, r.syscall_ns);
    assert_int_equal(l.tg->sched.n, r.scheds);
    assert_int_equal(l.tg->sched.total, r.sched_ns);
    assert_int_equal(l.tg->sched.max, r.sched_max);
    int64_t runnable[2] = {0, 0};
    for (uint32_t i = 0; i < l.tg->ngroups; i++)
        runnable[l.tg->groups[i].is_system] += l.tg->groups[i].ns[GM_RUNNABLE];
    assert_int_equal(runnable[true], r.runtime_all);
    assert_int_equal(runnable[false], r.state[ST_RUNNABLE] - r.runtime_all); /* as sums have it */
    assert_true(pairs <= waits && pair_ns <= wait_ns);
    adds_up(&l);
    groups_hold(&l);
    metrics_hold(&l, &r);
    load_free(&l);
}

static void against_a_recount(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", tables_of) >= 30);
    assert_true(help_each("tests/golden", "report-", tables_of) >= 10);
    if (help_have_shared()) {
        assert_true(help_each("../shared/traces", "go_http", tables_of) >= 4);
        assert_true(help_each("../shared/traces", "go_stress_start", tables_of) >= 3);
        assert_true(help_each("../shared/traces", "cut_leak-long-1.27-p2_g", tables_of) >= 1);
    }
}

/* ---- Go's Summarizer ----------------------------------------------------------------------------------- */

struct summary {
    uint64_t g;
    int64_t first, last; /* of its G records */
    char state[16];      /* at `last` */
    long n;
};

static struct summary *summary_of(struct summary *s, size_t *n, uint64_t g)
{
    for (size_t i = *n; i-- > 0;)
        if (s[i].g == g)
            return &s[i];
    s[*n] = (struct summary){.g = g, .first = INT64_MAX, .last = -1};
    return &s[(*n)++];
}

/* One S record (fields f) against our sums. */
static void summary_holds(const char *path, const struct loaded *l, const struct summary *s, char f[9][256])
{
    uint32_t g = trace_find_lane(l->tr, LANE_G, s->g);
    int64_t tol = 64 * (s->n + 1);
    const int64_t *ns;
    assert_int_not_equal(g, NO_LANE);
    if (!trace_lane(l->tr, (struct lane){LANE_G, g}).created)
        return; /* Go counts from before the first event */
    const struct gstat st = gstat_of(l->tg, g);
    ns = st.ns;
    if (llabs(ns[GM_EXEC] - atoll(f[2])) > tol || llabs(ns[GM_RUNNABLE] - atoll(f[3])) > tol ||
        llabs(ns[GM_SYSCALL] + ns[GM_SYSBLOCK] - atoll(f[4]) - atoll(f[7])) > tol ||
        llabs(ns[GM_WAIT] - atoll(f[5])) > tol) {
        print_error("%s: G%s: ours %lld %lld %lld+%lld %lld, Go's %s %s %s+%s %s\n", path, f[1],
                    (long long)ns[GM_EXEC], (long long)ns[GM_RUNNABLE], (long long)ns[GM_SYSCALL],
                    (long long)ns[GM_SYSBLOCK], (long long)ns[GM_WAIT], f[2], f[3], f[4], f[7], f[5]);
        fail();
    }
}

static int split(char *line, char f[9][256])
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line, *q; n < 9 && p; p = q) {
        q = strchr(p, '\t');
        if (q)
            *q++ = 0;
        snprintf(f[n++], 256, "%.255s", p);
    }
    return n;
}

/* S records come after G's. Only goroutines that began in the trace: of others
 * Go counts more (README there). */
static void summarizer_of(const char *path)
{
    char gz[600], line[8192], f[9][256];
    struct loaded l;
    size_t n = 0, cap = 200000;
    struct summary *all = calloc(cap, sizeof *all);
    int checked = 0;
    gzFile in;
    snprintf(gz, sizeof gz, "%.*s.oracle.tsv.gz", (int)(strlen(path) - 6), path);
    in = gzopen(gz, "rb");
    assert_non_null(in);
    help_load(path, &l);
    while (gzgets(in, line, sizeof line)) {
        int k = split(line, f);
        struct summary *s = k > 4 && n < cap - 1 ? summary_of(all, &n, strtoull(f[1], NULL, 10)) : NULL;
        if (s && f[0][0] == 'G') {
            int64_t t0 = atoll(f[2]), t1 = atoll(f[3]);
            s->n++;
            s->first = t0 < s->first ? t0 : s->first;
            if (t1 >= s->last) {
                s->last = t1;
                snprintf(s->state, sizeof s->state, "%.15s", f[4]);
            }
        } else if (s && f[0][0] == 'S' && k >= 8 && s->first != 0 && s->first != INT64_MAX &&
                   !(s->last >= l.tg->end && strcmp(s->state, "syscall") == 0)) {
            summary_holds(path, &l, s, f);
            checked++;
        }
    }
    gzclose(in);
    free(all);
    load_free(&l);
    assert_true(checked > 0);
}

static void goroutines_as_go_sums_them(void **state)
{
    static const char *const which[] = {"httpserver-1.2", "leak-1.2", "latency-1.2", "chancontend-1.2",
                                        "syscalls-1.2"};
    (void)state;
    if (!help_have_shared()) {
        print_message("note: ../shared/traces is not there: Go's sums were not compared\n");
        skip();
    }
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        assert_true(help_each("../shared/traces", which[i], summarizer_of) >= 6);
}

/* ---- profiles ------------------------------------------------------------------------------------------ */

static void totals_of_profiles(void **state)
{
    static const struct {
        const char *path;
        struct {
            uint64_t count;
            int64_t ns;
        } of[4]; /* sync, net, syscall, sched: sums over `go tool trace -pprof=KIND`, Go 1.27 */
    } want[] = {
#include "triage_pprof_totals.h"
    };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct loaded l;
        help_load(want[i].path, &l);
        for (int k = 0; k < 4; k++) {
            struct sw_table t;
            struct sw_filter as_go = {.like_go = true};
            assert_true(stackweights_build(l.tr, (enum sw_kind)(SW_SYNC + k), &as_go, &t));
            uint64_t count = 0;
            int64_t ns = 0;
            for (uint32_t r = 0; r < t.n; r++) {
                count += t.row[r].count;
                ns += t.row[r].ns;
            }
            if (count != want[i].of[k].count || ns != want[i].of[k].ns) {
                print_error("%s kind %d: %llu x %lld ns\n", want[i].path, SW_SYNC + k,
                            (unsigned long long)count, (long long)ns);
                fail();
            }
            stackweights_free(&t);
        }
        load_free(&l);
    }
}

/* ---- mutator utilisation ------------------------------------------------------------------------------- */

static void mmu_of(const char *name)
{
    char path[200], line[300];
    struct loaded l;
    FILE *f;
    int n = 0;
    snprintf(path, sizeof path, "tests/golden/report-%s.trace", name);
    help_load(path, &l);
    snprintf(path, sizeof path, "tests/golden/report-%s.mmu.tsv", name);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct mmu_point p;
        struct err e;
        long long w;
        double want;
        if (sscanf(line, "default %lld %lf", &w, &want) != 2)
            continue;
        const int64_t window = w;
        assert_int_equal(triage_mmu(l.tg, &window, 1, &p, &e), ERR_OK);
        n++;
        if (fabs(p.mmu - want) > 0.002) {
            print_error("%s: window %lld: %.6f, Go's %.6f\n", path, w, p.mmu, want);
            fail();
        }
    }
    fclose(f);
    load_free(&l);
    assert_true(n > 10);
}

static void utilisation_as_go_has_it(void **state)
{
    (void)state;
    mmu_of("starve");
    mmu_of("grow");
}

/* ---- steps, memory ------------------------------------------------------------------------------------- */

static void steps_give_the_same(void **state)
{
    struct loaded l;
    struct triage *tg;
    struct err e;
    double last = 0;
    int steps = 0;
    (void)state;
    help_load("samples/lock-1.26.trace", &l);
    assert_int_equal(triage_new(l.tr, &tg, &e), ERR_OK);
    for (;;) {
        enum triage_state s = triage_step(tg, 0);
        assert_true(triage_progress(tg) >= last);
        last = triage_progress(tg);
        steps++;
        if (s == TRIAGE_DONE)
            break;
        assert_int_equal(s, TRIAGE_MORE);
    }
    assert_true(steps > 1); /* how many depends on the load: threads go on between two steps */
    assert_true(last == 1);
    assert_int_equal(tg->ngroups, l.tg->ngroups);
    for (uint32_t g = 0; g < tg->ng; g++) {
        const struct gstat a = gstat_of(tg, g), b = gstat_of(l.tg, g);
        assert_memory_equal(a.ns, b.ns, sizeof a.ns);
        assert_int_equal(tg->group_of[g], l.tg->group_of[g]);
    }
    assert_memory_equal(tg->groups, l.tg->groups, tg->ngroups * sizeof *tg->groups);
    assert_memory_equal(tg->waits, l.tg->waits, tg->nwaits * sizeof *tg->waits);
    triage_free(tg);
    load_free(&l);
}

static void out_of_memory(void **state)
{
    static const char *const path[] = {"samples/tasks-1.27.trace", "samples/lock-cpu-1.27.trace",
                                       "tests/golden/report-herd.trace"};
    (void)state;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        struct loaded l;
        bool done = false;
        long n = 0;
        help_load(path[i], &l);
        for (; !done; n++) {
            size_t before = mem_live();
            struct triage *tg = NULL;
            struct findings fs = {0};
            struct sw_table sw = {0};
            struct err e;
            mem_fail_after(n);
            if (triage_new(l.tr, &tg, &e) == ERR_OK && triage_step(tg, INT64_MAX) == TRIAGE_DONE &&
                findings_of(tg, &fs, &e) == ERR_OK && stackweights_build(l.tr, SW_SCHED, NULL, &sw))
                done = true;
            mem_fail_after(-1);
            stackweights_free(&sw);
            findings_free(&fs);
            triage_free(tg);
            assert_int_equal(mem_live(), before);
            assert_true(n < 100000);
        }
        assert_true(n > 50);
        load_free(&l);
    }
}

/* Left behind at any moment: whatever was allocated is given back (the
 * sanitizer says so), nothing goes on. */
static void steps_can_be_left(void **state)
{
    struct loaded l;
    struct triage *tg;
    struct err e;
    (void)state;
    help_load("samples/lock-1.26.trace", &l);
    for (int steps = 0; steps < 400; steps += 1 + steps / 4) {
        assert_int_equal(triage_new(l.tr, &tg, &e), ERR_OK);
        for (int i = 0; i < steps && triage_step(tg, 0) == TRIAGE_MORE; i++) {
        }
        triage_free(tg);
    }
    load_free(&l);
}

/* Rules walk over one goroutine after another: now and then it is the viewer's turn, and when it wants no
 * more there is none. */
static bool walks(void *arg)
{
    for (int i = 0; i < 800; i++) {
        struct walk w;
        walk_at(&w, arg, 0, 0, 10);
        while (walk_next(&w)) {
        }
    }
    return slices_tick();
}

static void walks_take_turns(void **state)
{
    struct loaded l;
    int turns = 0;
    (void)state;
    help_load("samples/lock-1.26.trace", &l);
    struct slices *s = slices_new(walks, l.tr);
    assert_non_null(s);
    while (slices_run(s, 0) == SLICES_MORE)
        turns++;
    assert_true(turns >= 50);
    slices_free(s);
    s = slices_new(walks, l.tr);
    assert_int_equal(slices_run(s, 0), SLICES_MORE);
    slices_free(s);
    load_free(&l);
}

/* rows_sort and the many numbers of dist_of against qsort. */
static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void many_numbers(void **state)
{
    enum { N = 20000 };
    static int64_t v[N], w[N];
    struct dist d;
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v[i] = w[i] = i % 5 ? (int64_t)(x >> (x & 63)) : -(int64_t)(x & 1023);
    }
    qsort(w, N, sizeof *w, by_value);
    dist_of(&d, v, N);
    assert_int_equal(d.min, w[0]);
    assert_int_equal(d.max, w[N - 1]);
    assert_int_equal(d.p50, w[N / 2 - 1]);
    assert_int_equal(d.p90, w[N / 10 * 9 - 1]);
    assert_int_equal(d.p95, w[N / 100 * 95 - 1]);
    assert_int_equal(d.p99, w[N / 100 * 99 - 1]);
    assert_int_equal(d.p999, w[N / 1000 * 999 - 1]);
    for (int i = 0; i < N; i++) /* one is much larger than all others */
        v[i] = w[i] = i ? i % 3000 * 7 : INT64_MAX / 2;
    qsort(w, N, sizeof *w, by_value);
    dist_of(&d, v, N);
    assert_int_equal(d.p50, w[N / 2 - 1]);
    assert_int_equal(d.p90, w[N / 10 * 9 - 1]);
    assert_int_equal(d.p95, w[N / 100 * 95 - 1]);
    assert_int_equal(d.p99, w[N / 100 * 99 - 1]);
    assert_int_equal(d.p999, w[N / 1000 * 999 - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_recount),   cmocka_unit_test(goroutines_as_go_sums_them),
        cmocka_unit_test(totals_of_profiles),  cmocka_unit_test(utilisation_as_go_has_it),

        cmocka_unit_test(steps_give_the_same), cmocka_unit_test(steps_can_be_left),
        cmocka_unit_test(walks_take_turns),    cmocka_unit_test(many_numbers),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
