/*
 * test_fold.c - a random scheduler's neutral events folded, and the model held against what that scheduler
 * did.
 *
 * The world below keeps, the slow and obvious way, what every P, G and M did from when on. Threads' lanes,
 * which the model derives from the Ps they held, are compared with what the world saw of the thread itself.
 */
#include "tests/unit/query_check.h"

static struct rng rng = {4711};

enum { NP = 5, NM = 7, NG = 30 };

struct world {
    struct trace tr;
    int64_t t;
    struct {
        uint8_t state;
        uint32_t p, m;
        bool assist, known;
        struct span_list list;
    } g[NG];
    struct {
        bool known, on, sweep;
        uint32_t g, m;
        struct span_list list;
    } p[NP];
    struct {
        uint32_t g, p;
        struct span_list list;
    } m[NM];
    struct ev batch[200];
    struct {
        uint32_t p, m;
    } at[200][NG]; /* where the goroutines were before each of these */
    size_t n;
    int64_t told;   /* time of the last event of the batches before */
    bool quiet;     /* the collector is: nearly all events are common ones */
    uint64_t sures; /* events that the reader vouched for */
    uint32_t same;
    int64_t sweep[NP], assist[NG]; /* open ranges */
    struct {
        int64_t t0, t1;
        uint32_t owner;
    } swept[20000], assisted[20000];
    size_t nswept, nassisted;
};

static void lane_now(struct span_list *l, int64_t t, struct span s)
{
    if (l->n) {
        struct span *last = &l->v[l->n - 1];
        if (last->state == s.state && last->who == s.who && last->proc == s.proc)
            return;
        last->t1 = t;
    }
    s.t0 = t;
    s.index = l->n;
    list_add(l, s);
}

static uint8_t busy(const struct world *w, uint32_t g, uint32_t p)
{
    return w->g[g].state == ST_SYSCALL ? ST_SYSCALL
           : w->g[g].assist            ? ST_ASSIST
           : w->p[p].sweep             ? ST_SWEEP
                                       : ST_RUNNING;
}

/* After each event: what every P and M shows now. */
static void look(struct world *w)
{
    for (uint32_t p = 0; p < NP; p++) {
        if (!w->p[p].known)
            continue;
        struct span s = {.who = NO_LANE, .proc = NO_LANE, .state = ST_IDLE};
        if (w->p[p].on) {
            s.who = w->p[p].g;
            s.state = s.who != NO_LANE ? busy(w, s.who, p) : w->p[p].sweep ? ST_SWEEP : ST_SCHED;
        }
        lane_now(&w->p[p].list, w->t, s);
    }
    for (uint32_t m = 0; m < NM; m++) {
        struct span s = {.who = NO_LANE, .proc = NO_LANE, .state = ST_IDLE};
        uint32_t p = w->m[m].p, g = w->m[m].g;
        if (p != NO_LANE) {
            s = w->p[p].list.v[w->p[p].list.n - 1];
            s.proc = p;
        } else if (g != NO_LANE) {
            s.state = ST_SYSCALL;
            s.who = g;
        }
        if (w->m[m].list.n || p != NO_LANE || g != NO_LANE)
            lane_now(&w->m[m].list, w->t, s);
    }
}

/* A reader vouches for event i of the batch, if it is of the commonest and runs, or ran, somewhere. */
static bool sure(const struct world *w, size_t i, struct ev *e)
{
    if (e->kind != EVK_G_STATE || e->flags & ~(EVF_OWN_STACK | EVF_STOPPED | EVF_WOKEN))
        return false;
    uint32_t g = e->flags & EVF_WOKEN ? e->by : e->g;
    uint32_t p = g == EV_NONE ? EV_NONE : w->at[i][g].p, m = g == EV_NONE ? EV_NONE : w->at[i][g].m;
    if (e->state == ST_RUNNING && p == EV_NONE) {
        p = e->p;
        m = e->m;
    }
    if ((e->state == ST_RUNNING || e->state == ST_SYSCALL) && (e->p != p || e->m != m))
        return false;
    if (p == EV_NONE || m == EV_NONE || (e->state == ST_RUNNABLE && !(e->flags & (EVF_STOPPED | EVF_WOKEN))))
        return false;
    e->flags |= EVF_SURE;
    e->p = p;
    e->m = m;
    if (!(e->flags & EVF_WOKEN))
        e->by = e->str;
    return true;
}

static void halves_add(struct ev_half *out, size_t *n, const struct ev *e)
{
    const size_t more = e->flags & EVF_SURE ? 1 : 2;
    memcpy(out + *n, e, more * sizeof *out);
    *n += more;
}

/* As a reader hands events over: it vouches for most of the commonest. */
static void flush(struct world *w)
{
    struct ev_half *out = test_malloc((2 * 200 + 1) * sizeof(struct ev));
    size_t n = 0;
    int64_t told = w->told;
    for (size_t i = 0; i < w->n; i++) {
        struct ev e = w->batch[i];
        if (below(&rng, 20) && sure(w, i, &e)) {
            if (!below(&rng, 5)) /* what leaves the runs as they are */
                halves_add(out, &n,
                           &(struct ev){.t = told,
                                        .kind = EVK_METRIC,
                                        .flags = (uint16_t)below(&rng, 16) & ~EVF_BACKDATE,
                                        .state = METRIC_HEAP,
                                        .g = EV_NONE,
                                        .p = EV_NONE,
                                        .m = EV_NONE,
                                        .by = EV_NONE});
            w->sures++;
        }
        halves_add(out, &n, &e);
        told = e.t;
    }
    fold_stream(&w->tr.fold, out, n);
    test_free(out);
    w->told = told;
    w->n = 0;
}

static struct ev *out(struct world *w, enum ev_kind k, uint8_t state, uint32_t g, uint32_t p, uint32_t m)
{
    if (w->n == 200)
        flush(w);
    for (uint32_t i = 0; i < NG; i++) {
        w->at[w->n][i].p = w->g[i].p;
        w->at[w->n][i].m = w->g[i].m;
    }
    struct ev *e = &w->batch[w->n++];
    *e = (struct ev){.t = w->t, .kind = (uint8_t)k, .state = state, .g = g, .p = p, .m = m, .by = EV_NONE};
    return e;
}

static struct ev *g_to(struct world *w, uint32_t g, uint8_t state, uint32_t p, uint32_t m)
{
    struct ev *e = out(w, EVK_G_STATE, state, g, p, m);
    e->stack = 0;
    struct span s = {.state = state,
                     .who = state == ST_RUNNING || state == ST_SYSCALL ? p : NO_LANE,
                     .proc = NO_LANE,
                     .t0 = w->t,
                     .index = w->g[g].list.n};
    if (s.index)
        w->g[g].list.v[s.index - 1].t1 = w->t;
    list_add(&w->g[g].list, s);
    w->g[g].state = state;
    w->g[g].p = p;
    w->g[g].m = m;
    return e;
}

static void off_cpu(struct world *w, uint32_t g)
{
    if (w->g[g].p != NO_LANE)
        w->p[w->g[g].p].g = NO_LANE;
    if (w->g[g].m != NO_LANE)
        w->m[w->g[g].m].g = NO_LANE;
}

static void p_idle(struct world *w, uint32_t p)
{
    struct ev *e = out(w, EVK_P_STATE, ST_IDLE, EV_NONE, p, w->p[p].m);
    e->arg = p;
    if (w->p[p].m != NO_LANE)
        w->m[w->p[p].m].p = NO_LANE;
    if (w->p[p].g != NO_LANE)
        w->g[w->p[p].g].p = NO_LANE;
    w->p[p].on = false;
    w->p[p].g = w->p[p].m = NO_LANE;
}

/* One thing that happens, if it can. */
static bool step(struct world *w)
{
    uint32_t p = below(&rng, 3) ? w->same : (uint32_t)below(&rng, NP), m = (uint32_t)below(&rng, NM),
             g = (uint32_t)below(&rng, NG);
    w->same = p; /* runs on one P */
    if (w->p[p].g != NO_LANE && below(&rng, 2))
        g = w->p[p].g;
    struct ev *e;
    switch (below(&rng, 10)) {
    case 0: /* a thread takes a P */
        if (!w->p[p].known || w->p[p].on || w->m[m].p != NO_LANE || w->m[m].g != NO_LANE)
            return false;
        e = out(w, EVK_P_STATE, ST_SCHED, EV_NONE, p, m);
        e->arg = p;
        w->p[p].on = true;
        w->p[p].m = m;
        w->m[m].p = p;
        return true;
    case 1: /* and gives it back */
        if (!w->p[p].on || w->p[p].g != NO_LANE || below(&rng, 3))
            return false;
        p_idle(w, p);
        return true;
    case 2:
    case 3: /* a goroutine runs */
        if (!w->p[p].on || w->p[p].g != NO_LANE || w->g[g].state != ST_RUNNABLE)
            return false;
        w->p[p].g = g;
        w->m[w->p[p].m].g = g;
        g_to(w, g, ST_RUNNING, p, w->p[p].m);
        return true;
    case 4: /* blocks, or yields */
        if (w->g[g].state != ST_RUNNING || w->g[g].assist)
            return false;
        off_cpu(w, g);
        e = g_to(w, g, below(&rng, 2) ? ST_WAITING : ST_RUNNABLE, NO_LANE, NO_LANE);
        e->flags = e->state == ST_RUNNABLE ? EVF_OWN_STACK | EVF_STOPPED : EVF_OWN_STACK;
        w->g[g].p = w->g[g].m = NO_LANE;
        return true;
    case 5: /* is woken */
        if (w->g[g].state != ST_WAITING)
            return false;
        e = g_to(w, g, ST_RUNNABLE, NO_LANE, NO_LANE);
        e->flags = EVF_WOKEN;
        if (w->p[p].g != NO_LANE) {
            e->by = w->p[p].g;
            w->g[g].list.v[w->g[g].list.n - 1].who = e->by;
        }
        return true;
    case 6: /* a system call begins, goes well, or loses its P */
        if (w->g[g].state == ST_RUNNING && !w->g[g].assist) {
            e = g_to(w, g, ST_SYSCALL, w->g[g].p, w->g[g].m);
            e->flags = EVF_OWN_STACK;
        } else if (w->g[g].state == ST_SYSCALL && w->g[g].p != NO_LANE) {
            if (below(&rng, 2))
                g_to(w, g, ST_RUNNING, w->g[g].p, w->g[g].m);
            else
                p_idle(w, w->g[g].p);
        } else if (w->g[g].state == ST_SYSCALL) {
            off_cpu(w, g);
            g_to(w, g, ST_RUNNABLE, NO_LANE, NO_LANE);
        } else {
            return false;
        }
        return true;
    case 7: /* sweep */
        if (!w->p[p].on || (w->p[p].g != NO_LANE && w->g[w->p[p].g].state != ST_RUNNING) ||
            (w->quiet && !w->p[p].sweep))
            return false;
        e = out(w, w->p[p].sweep ? EVK_RANGE_END : EVK_RANGE_BEGIN, RANGE_SWEEP, EV_NONE, p, EV_NONE);
        if (w->p[p].sweep && w->nswept < 20000) {
            w->swept[w->nswept].t0 = w->sweep[p];
            w->swept[w->nswept].t1 = w->t;
            w->swept[w->nswept++].owner = p;
        }
        w->sweep[p] = w->t;
        w->p[p].sweep = !w->p[p].sweep;
        return true;
    case 8: /* mark assist */
        if (w->g[g].state != ST_RUNNING || (w->quiet && !w->g[g].assist))
            return false;
        e = out(w, w->g[g].assist ? EVK_RANGE_END : EVK_RANGE_BEGIN, RANGE_ASSIST, g, EV_NONE, EV_NONE);
        if (w->g[g].assist && w->nassisted < 20000) {
            w->assisted[w->nassisted].t0 = w->assist[g];
            w->assisted[w->nassisted].t1 = w->t;
            w->assisted[w->nassisted++].owner = g;
        }
        w->assist[g] = w->t;
        w->g[g].assist = !w->g[g].assist;
        return true;
    default: /* what is new */
        if (!w->p[p].known) {
            e = out(w, EVK_P_STATE, ST_IDLE, EV_NONE, p, EV_NONE);
            e->arg = p;
            w->p[p].known = true;
            if (w->t)
                lane_now(&w->p[p].list, 0, (struct span){.who = NO_LANE, .proc = NO_LANE, .state = ST_NONE});
            return true;
        }
        if (w->g[g].known)
            return false;
        w->g[g].known = true;
        e = out(w, EVK_G_CREATE, ST_RUNNABLE, g, EV_NONE, EV_NONE);
        e->arg = g;
        list_add(&w->g[g].list,
                 (struct span){.state = ST_RUNNABLE, .who = NO_LANE, .proc = NO_LANE, .t0 = w->t});
        w->g[g].state = ST_RUNNABLE;
        return true;
    }
}

static void close_list(struct span_list *l, int64_t end)
{
    if (l->n)
        l->v[l->n - 1].t1 = end;
}

/* Integrals and maxima of goroutines by state, bucket by bucket, from the goroutines' own spans. */
static void check_gcounts(struct world *w)
{
    static const uint8_t state[GC_COUNT] = {[GC_RUNNABLE] = ST_RUNNABLE,
                                            [GC_RUNNING] = ST_RUNNING,
                                            [GC_SYSCALL] = ST_SYSCALL,
                                            [GC_WAITING] = ST_WAITING};
    const struct gbucket *b;
    int64_t width;
    size_t n = trace_gcounts(&w->tr, &width, &b);
    for (size_t i = 0; i < n; i += 1 + below(&rng, n / 20 + 1)) {
        int64_t t0 = (int64_t)i * width, t1 = t0 + width;
        for (int k = 0; k < GC_COUNT; k++) {
            uint64_t sum = 0, max = 0,
                     before = 0; /* those that go on right up to the bucket count in it, for no time */
            for (int g = 0; g < NG; g++)
                for (size_t j = 0; j < w->g[g].list.n; j++)
                    if (w->g[g].list.v[j].state == state[k])
                        sum += (uint64_t)overlap(&w->g[g].list.v[j], t0, t1);
            for (int g = 0; g < NG; g++) /* the most at one time is at somebody's start, or at the bucket's */
                for (size_t j = 0; j <= w->g[g].list.n; j++) {
                    int64_t t = j < w->g[g].list.n ? w->g[g].list.v[j].t0 : t0;
                    uint64_t now = 0;
                    if (t < t0 || t >= t1 || t >= w->tr.fold.end)
                        continue;
                    for (int h = 0; h < NG; h++)
                        for (size_t x = 0; x < w->g[h].list.n; x++)
                            now += w->g[h].list.v[x].state == state[k] && w->g[h].list.v[x].t0 <= t &&
                                   w->g[h].list.v[x].t1 > t;
                    max = now > max ? now : max;
                }
            for (int g = 0; g < NG; g++)
                for (size_t j = 0; j < w->g[g].list.n; j++)
                    before += w->g[g].list.v[j].state == state[k] && w->g[g].list.v[j].t0 < t0 &&
                              w->g[g].list.v[j].t1 >= t0;
            if (b[i].ns[k] != sum || (b[i].max[k] != max && (b[i].max[k] < max || b[i].max[k] > before)))
                fail_msg("bucket %zu of width %" PRId64 ", state %d: %" PRIu64
                         " ns, at most %u; want %" PRIu64 ", %" PRIu64,
                         i, width, k, b[i].ns[k], b[i].max[k], sum, max);
        }
    }
}

static void check_ranges(struct world *w)
{
    const struct range *r;
    size_t n = trace_ranges(&w->tr, RANGE_SWEEP, &r), closed = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i].open_end) {
            assert_true(r[i].t1 == w->tr.fold.end && w->p[r[i].owner].sweep &&
                        w->sweep[r[i].owner] == r[i].t0);
            continue;
        }
        closed++;
        bool found = false;
        for (size_t k = 0; k < w->nswept && !found; k++)
            found = w->swept[k].t0 == r[i].t0 && w->swept[k].t1 == r[i].t1 && w->swept[k].owner == r[i].owner;
        assert_true(found);
    }
    assert_int_equal(closed, w->nswept);
    n = trace_ranges(&w->tr, RANGE_ASSIST, &r);
    size_t open = 0;
    for (int g = 0; g < NG; g++)
        open += w->g[g].assist;
    assert_int_equal(n, w->nassisted + open);
}

static void check_world(struct world *w, int windows)
{
    int64_t end = w->tr.fold.end;
    for (uint32_t i = 0; i < NP; i++) {
        close_list(&w->p[i].list, end);
        if (i < w->tr.fold.nlane[LANE_P])
            check_spans(&w->tr, (struct lane){LANE_P, i}, &w->p[i].list, &rng, windows);
    }
    for (uint32_t i = 0; i < NG; i++) {
        close_list(&w->g[i].list, end);
        if (i < w->tr.fold.nlane[LANE_G])
            check_spans(&w->tr, (struct lane){LANE_G, i}, &w->g[i].list, &rng, windows);
    }
    for (uint32_t i = 0; i < NM; i++) {
        close_list(&w->m[i].list, end);
        if (i < w->tr.fold.nlane[LANE_M])
            check_spans(&w->tr, (struct lane){LANE_M, i}, &w->m[i].list, &rng, windows);
    }
}

static void run(int steps, int64_t pace)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    assert_int_equal(names_init(&w->tr.names), ERR_OK);
    assert_int_equal(fold_init(&w->tr.fold, &w->tr.names), ERR_OK);
    for (int i = 0; i < NG; i++)
        w->g[i].p = w->g[i].m = NO_LANE;
    for (int i = 0; i < NP; i++)
        w->p[i].g = w->p[i].m = NO_LANE;
    for (int i = 0; i < NM; i++)
        w->m[i].g = w->m[i].p = NO_LANE;
    for (int k = 0; k < steps;) {
        w->quiet = k / 500 % 2;
        if (!step(w))
            continue;
        look(w);
        w->t += 1 + (int64_t)below(&rng, (uint64_t)pace);
        if (++k % (steps / 3 + 1) == 0) { /* while it loads */
            out(w, EVK_TICK, 0, EV_NONE, EV_NONE, EV_NONE);
            flush(w);
            check_world(w, 3);
        }
    }
    out(w, EVK_TICK, 0, EV_NONE, EV_NONE, EV_NONE);
    flush(w);
    fold_finish(&w->tr.fold, (&w->tr.fold)->end);
    w->tr.done = true;
    assert_true(steps < 1000 || w->sures > (uint64_t)steps / 4);
    check_world(w, 20);
    check_gcounts(w);
    check_ranges(w);
    for (int i = 0; i < NG; i++)
        free(w->g[i].list.v);
    for (int i = 0; i < NP; i++)
        free(w->p[i].list.v);
    for (int i = 0; i < NM; i++)
        free(w->m[i].list.v);
    fold_free(&w->tr.fold);
    names_free(&w->tr.names);
    free(w);
}

static void test_few(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++)
        run(5 + i * 7, 300);
}

static void test_many(void **state)
{
    (void)state;
    run(3000, 64);
    run(20000, 300);
    run(8000, 50000); /* the buckets of the counts are merged some times */
}

static struct loaded fold_case(const char *text)
{
    return load_text(text);
}

/* A goroutine that waited since before the trace is back-dated to its start, its thread's lane is not. */
static void test_backdated(void **state)
{
    (void)state;
    struct loaded l =
        fold_case("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 "
                  "running\nGoBlock +40 reason=\"sync\" stack=0\n"
                  "ProcStop +2\nbatch m=8 t=150\nProcStart +50 p=0 p_seq=1\nGoStatus +10 g=2 m=-1 "
                  "runnable\nGoStart +10 g=2 g_seq=1\n");
    expect_whole(l.tr);
    expect_lane(l.tr, LANE_G, 2, "<0-119 runnable\n119-119> running p0\n");
    struct lane_info i = trace_lane(l.tr, (struct lane){LANE_G, trace_find_lane(l.tr, LANE_G, 2)});
    assert_int_equal(i.seen, 109);
    assert_int_equal(i.first, 0);
    assert_false(i.created);
    unload(&l);
}

/* Any sequence of events is survived: indices jump, ranges end that never began, dead goroutines run. */
static void test_nonsense(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct trace tr = {0};
        assert_int_equal(names_init(&tr.names), ERR_OK);
        assert_int_equal(fold_init(&tr.fold, &tr.names), ERR_OK);
        int64_t t = 0;
        for (int i = 0; i < 400; i++) {
            struct ev e = {.kind = (uint8_t)below(&rng, EVK_KINDS),
                           .flags = (uint16_t)(below(&rng, 4) ? 0 : rnd(&rng) & 63),
                           .g = below(&rng, 8) ? (uint32_t)below(&rng, 20) : EV_NONE,
                           .p = below(&rng, 3) ? (uint32_t)below(&rng, 5) : EV_NONE,
                           .m = below(&rng, 3) ? (uint32_t)below(&rng, 5) : EV_NONE,
                           .by = below(&rng, 3) ? EV_NONE : (uint32_t)below(&rng, 30),
                           .arg = below(&rng, 9),
                           .arg2 = below(&rng, 9)};
            static const uint8_t gs[] = {ST_NONE,    ST_RUNNING, ST_RUNNABLE,
                                         ST_WAITING, ST_SYSCALL, ST_UNKNOWN},
                                 ps[] = {ST_IDLE, ST_SCHED, ST_NONE, ST_SYSCALL};
            e.state = e.kind == EVK_P_STATE   ? ps[below(&rng, 4)]
                      : e.kind <= EVK_G_STATE ? gs[below(&rng, 6)]
                                              : (uint8_t)below(&rng, 5);
            if (e.kind == EVK_RANGE_BEGIN || e.kind == EVK_RANGE_ACTIVE || e.kind == EVK_RANGE_END)
                e.state %= RANGE_KINDS;
            t += (int64_t)below(&rng, 50);
            e.t = t;
            fold_events(&tr.fold, &e, 1);
        }
        fold_finish(&tr.fold, (&tr.fold)->end);
        tr.done = true;
        tr.info.end = tr.fold.end;
        for (int k = 0; k < LANE_KINDS; k++)
            for (uint32_t i = 0; i < trace_nlanes(&tr, (enum lane_kind)k); i++) {
                struct lane l = {(enum lane_kind)k, i};
                struct span s;
                if (l.kind != LANE_M) {
                    check_lane(&tr, l, &rng, 5);
                    continue;
                }
                struct tracegen_buf b = {
                    0}; /* threads that run what no P runs need not make sense, but answer */
                lane_text(&b, &tr, l);
                tracegen_free(&b);
                trace_longest(&tr, l, 0, tr.fold.end, &s);
                check_columns(&tr, l, &rng, 0, tr.fold.end);
            }
        fold_free(&tr.fold);
        names_free(&tr.names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_backdated),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
