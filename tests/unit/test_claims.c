/*
 * test_claims.c - what `gotop diff` claims: nothing of runs of one program that differ by chance, by a burst,
 * by the pace the host gave them; a lock that is new, a collector that runs more often, with one run a side
 * and with three.
 */
#include "triage_help.h"

#include <math.h>

#include "triage/report/report.h"
#include "triage/text.h"
#include "triage/diff/claims.h"

static uint64_t seed;
static double chance(void)
{ /* 0..1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

struct model { /* of a server: what a run of it does in a second */
    double pace, lock, lock_ns, cycles, gc_share, burst;
    double piece;      /* ns that a request takes; 0: no work is known */
    double host, work; /* 0: 1; so many times as long all goroutines run, and those of main.serve alone */
};

static char *name_of(const char *s)
{
    char *p = mem_alloc(strlen(s) + 1);
    assert_non_null(p);
    return strcpy(p, s);
}

static void measure(struct profile *p, enum measure_kind k, const char *name, double per_second,
                    double ns_each, double luck)
{
    struct measure *m = &p->m[p->n++];
    *m = (struct measure){.kind = k, .name = name_of(name)};
    for (int i = 0; i < PROFILE_SLICES; i++) {
        m->count[i] = floor(per_second / PROFILE_SLICES * (0.6 + 0.8 * chance()) + chance());
        m->ns[i] = m->count[i] * ns_each * luck * (0.3 + 1.4 * chance());
        m->count[PROFILE_ALL] += m->count[i];
        m->ns[PROFILE_ALL] += m->ns[i];
    }
}

static bool of_serve(const struct measure *m)
{
    return strcmp(m->name, "main.serve") == 0;
}

/* A run of one second on four processors; each kind of time has its own luck, from 0.7 to 1.4 of what is
 * usual. */
static void run(struct profile *p, const struct model *o)
{
    double busy = 2e9 * (0.8 + 0.4 * chance()), pace = o->pace * (0.8 + 0.4 * chance());
    *p = (struct profile){.end = 1000000000, .procs = 4, .heap_live = 5e6, .heap_goal = 25e6};
    p->m = mem_zalloc(10 * sizeof *p->m);
    assert_non_null(p->m);
    if (o->piece > 0)
        measure(p, MK_WORK, "requests of main.serve", 1000 * pace, o->piece, 0.9 + 0.2 * chance());
    measure(p, MK_GC, "", o->cycles * pace, 0, 1);
    if (o->lock > 0)
        measure(p, MK_LOCK, "main.added", o->lock * pace, o->lock_ns, 0.7 + 0.7 * chance());
    measure(p, MK_LOCK, "main.cache", 40 * pace, 300000, 0.5 + chance());
    measure(p, MK_RUN, "main.ask", 0, 0, 1);
    measure(p, MK_RUN, "main.serve", 0, 0, 1);
    measure(p, MK_CALL, "main.reply", 5000 * pace, 20000, 0.7 + 0.7 * chance());
    measure(p, MK_TAKE, "main.read", 8000 * pace, 200000, 0.7 + 0.7 * chance());
    for (uint32_t i = 0; i < p->n; i++) {
        for (int k = 0; k < PROFILE_SLICES; k++) {
            double *ns = &p->m[i].ns[k];
            *ns = p->m[i].kind == MK_GC ? busy / PROFILE_SLICES * o->gc_share * (0.8 + 0.4 * chance()) : *ns;
            if (p->m[i].kind == MK_RUN) {
                double slow = (o->host > 0 ? o->host : 1) * (of_serve(&p->m[i]) && o->work > 0 ? o->work : 1);
                double own = of_serve(&p->m[i]) ? 0.6e9 : 0.15e9;
                *ns = own * slow * pace / PROFILE_SLICES * (0.8 + 0.4 * chance());
            }
            p->m[i].ns[PROFILE_ALL] += p->m[i].kind == MK_GC || p->m[i].kind == MK_RUN ? *ns : 0;
        }
    }
    for (int k = 0; k < PROFILE_SLICES; k++) {
        p->busy[k] = busy / PROFILE_SLICES;
        p->busy[PROFILE_ALL] += p->busy[k];
    }
    /* for a moment everybody stood at the cache: one burst */
    struct measure *m = &p->m[1 + (o->piece > 0) + (o->lock > 0)];
    for (int k = 20; k < 23 && o->burst > 0; k++) {
        m->count[k] += 40;
        m->ns[k] += o->burst / 3;
        m->count[PROFILE_ALL] += 40;
        m->ns[PROFILE_ALL] += o->burst / 3;
    }
}

struct pair { /* up to three runs a side */
    struct profile p[2][3];
    struct side side[2];
    struct claim v;
};

static void judged(struct pair *x, uint32_t na, uint32_t nb)
{
    x->side[0] = (struct side){x->p[0], na};
    x->side[1] = (struct side){x->p[1], nb};
    verdict_of(&x->side[0], &x->side[1], &x->v);
}

static void compare(struct pair *x, const struct model *a, const struct model *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        run(&x->p[0][i], a);
        run(&x->p[1][i], b);
    }
    judged(x, n, n);
}

static void compared(struct pair *x)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < x->side[s].n; i++)
            profile_free(&x->p[s][i]);
}

static const struct model plain = {.pace = 1, .cycles = 6, .gc_share = 0.04};

/* How many of 40 pairs get a claim. */
static unsigned claims(const struct model *a, const struct model *b, uint32_t n)
{
    unsigned k = 0;
    for (int i = 0; i < 40; i++) {
        struct pair x;
        compare(&x, a, b, n);
        k += x.v.claimed > 0;
        compared(&x);
    }
    return k;
}

static void nothing_changed(void **state)
{
    struct model slow = plain, burst = plain;
    (void)state;
    seed = 1;
    slow.pace = 0.5; /* the host gave it half */
    burst.burst = 60e6;
    assert_true(claims(&plain, &plain, 1) <= 1);
    assert_true(claims(&plain, &plain, 3) <= 1);
    assert_true(claims(&plain, &slow, 1) <= 2);
    assert_true(claims(&plain, &burst, 1) <= 1);
}

static void expect_first(const struct model *b, uint32_t n, enum measure_kind k, const char *name,
                         const char *said)
{
    for (int i = 0; i < 40; i++) {
        struct pair x;
        struct text t = {0};
        compare(&x, &plain, b, n);
        assert_true(x.v.claimed > 0);
        assert_int_equal(x.v.c[0].kind, k);
        assert_string_equal(x.v.c[0].name, name);
        assert_true(x.v.c[0].time.low < x.v.c[0].time.factor && x.v.c[0].time.factor < x.v.c[0].time.high);
        change_text(&t, &x.v.c[0]);
        assert_non_null(strstr(t.p, said));
        text_free(&t);
        compared(&x);
    }
}

static void a_lock_is_added(void **state)
{
    struct model hot = plain, light = plain;
    (void)state;
    seed = 2;
    hot.lock = 1500;
    hot.lock_ns = 400000;
    light.lock = 150; /* 2 % of a second: little, but nobody waited there before */
    light.lock_ns = 150000;
    expect_first(&hot, 1, MK_LOCK, "main.added", "lock in main.added: goroutines wait");
    expect_first(&hot, 3, MK_LOCK, "main.added", "lock in main.added: goroutines wait");
    expect_first(&light, 1, MK_LOCK, "main.added", "lock in main.added: goroutines wait");
    expect_first(&light, 3, MK_LOCK, "main.added", "lock in main.added: goroutines wait");
}

static void the_collector_runs_more(void **state)
{
    struct model often = plain;
    (void)state;
    seed = 3;
    often.cycles = 60;
    often.gc_share = 0.25;
    expect_first(&often, 1, MK_GC, "", "collector: ");
    expect_first(&often, 3, MK_GC, "", "collector: ");
    /* what drives it: the goal over what lives */
    struct pair x;
    compare(&x, &plain, &often, 1);
    compared(&x);
    run(&x.p[0][0], &plain);
    run(&x.p[1][0], &often);
    x.p[1][0].heap_goal = 6e6;
    verdict_of(&x.side[0], &x.side[1], &x.v);
    assert_non_null(x.v.c[0].why);
    assert_non_null(strstr(x.v.c[0].why, "GOGC"));
    compared(&x);
}

/* A run with one cycle, or none, beside one with many: they come by what is allocated, so one more or less is
 * all that chance does. */
static void few_cycles_are_no_burst(void **state)
{
    struct model few = plain, many = plain;
    (void)state;
    seed = 6;
    few.cycles = 1;
    many.cycles = 18;
    many.gc_share = 0.25;
    for (int i = 0; i < 40; i++) { /* all that the collector does is in one slice, with the one cycle */
        struct pair x;
        compare(&x, &few, &many, 1);
        struct profile *p = &x.p[0][0];
        x.p[0][0].end = x.p[1][0].end = 200000000;
        for (uint32_t k = 0; k < p->n; k++) {
            struct measure *m = &p->m[k];
            for (int s = 0; m->kind == MK_GC && s < PROFILE_SLICES; s++) {
                m->count[s] = s == 20;
                m->ns[s] = s == 20 ? m->ns[PROFILE_ALL] : 0;
            }
            m->count[PROFILE_ALL] = m->kind == MK_GC ? 1 : m->count[PROFILE_ALL];
        }
        verdict_of(&x.side[0], &x.side[1], &x.v);
        assert_true(x.v.claimed > 0 && x.v.c[0].kind == MK_GC);
        compared(&x);
    }
    many.cycles = 2;
    many.gc_share = few.gc_share;
    assert_true(claims(&few, &many, 1) <= 1);
}

/* Four waits that one burst made long don't hide a hundred of a lock that is asked for all along. */
static void a_burst_hides_no_lock(void **state)
{
    struct model hot = plain;
    (void)state;
    seed = 7;
    hot.lock = 110;
    hot.lock_ns = 4000000;
    for (int i = 0; i < 40; i++) {
        struct pair x;
        struct model once = plain;
        once.lock = 0.001;
        compare(&x, &once, &hot, 1);
        struct measure *m = &x.p[0][0].m[1];
        assert_string_equal(m->name, "main.added");
        for (int k = 0; k < PROFILE_SLICES; k++) {
            m->count[k] = k == 30 ? 4 : 0;
            m->ns[k] = k == 30 ? 200e6 : 0;
        }
        m->count[PROFILE_ALL] = 4;
        m->ns[PROFILE_ALL] = 200e6;
        verdict_of(&x.side[0], &x.side[1], &x.v);
        assert_true(x.v.claimed > 0);
        assert_string_equal(x.v.c[0].name, "main.added");
        compared(&x);
    }
}

/* A host that is busy makes all goroutines run longer; where one function does more, the others don't. */
static void the_host_or_the_program(void **state)
{
    struct model host = plain, work = plain, both = plain;
    (void)state;
    seed = 5;
    host.host = both.host = 4;
    work.work = 8;
    both.work = 8;
    assert_true(claims(&plain, &host, 1) <= 1);
    assert_true(claims(&host, &plain, 3) <= 1);
    expect_first(&work, 1, MK_RUN, "main.serve", "goroutines of main.serve: run ");
    expect_first(&work, 3, MK_RUN, "main.serve", "goroutines of main.serve: run ");
    expect_first(&both, 3, MK_RUN, "main.serve", "goroutines of main.serve: run ");
}

/* Requests that take a tenth of the time are the first thing said. The call that most of them waited in is
 * gone, and is no yardstick: what is left is told for as many requests. */
static void the_work_is_the_yardstick(void **state)
{
    struct model slow = plain, fast = plain, more = plain;
    (void)state;
    seed = 8;
    slow.piece = more.piece = 80e6;
    fast.piece = 8e6;
    more.pace = 2;
    for (int i = 0; i < 40; i++) {
        struct pair x;
        struct text t = {0};
        compare(&x, &slow, &fast, 1);
        assert_true(x.v.by_work && x.v.claimed > 0 && x.v.c[0].kind == MK_WORK);
        assert_true(x.v.c[0].time.high < 0.5);
        change_text(&t, &x.v.c[0]);
        assert_int_equal(strncmp(t.p, "requests of main.serve: one takes ", 34), 0);
        text_free(&t);
        compared(&x);
    }
    assert_true(claims(&slow, &slow, 1) <= 1);
    assert_true(claims(&slow, &more, 3) <= 1);
    for (int i = 0; i < 40; i++) {
        struct pair x;
        compare(&x, &slow, &slow, 1);
        struct profile *p = &x.p[0][0];
        struct measure *m = &p->m[p->n - 1];
        assert_string_equal(m->name, "main.read");
        for (int k = 0; k < PROFILE_SLICES; k++)
            m->count[k] *= 10;
        m->count[PROFILE_ALL] *= 10;
        judged(&x, 1, 1);
        assert_true(x.v.claimed == 1 && strcmp(x.v.c[0].name, "main.read") == 0);
        compared(&x);
    }
}

/* More runs tell smaller changes. */
static void runs_help(void **state)
{
    struct model a = plain, b = plain;
    (void)state;
    seed = 4;
    a.lock = b.lock = 600;
    a.lock_ns = 200000;
    b.lock_ns = 200000;
    b.lock *= 2.2;
    unsigned one = claims(&a, &b, 1), three = claims(&a, &b, 3);
    assert_true(three > one);
}

/* The claim of one measure; NULL: there is none. */
static const struct change *claimed_of(const struct pair *x, enum measure_kind kind, const char *name)
{
    for (uint32_t i = 0; i < x->v.claimed; i++)
        if (x->v.c[i].kind == kind && strcmp(x->v.c[i].name, name) == 0)
            return &x->v.c[i];
    return NULL;
}

/*
 * Three old runs that hardly wait for a lock, two new ones that do: one seldom and long, one often and not
 * long. Each pair tells it alone, for a reason of its own, so all five do: none of the reasons holds for
 * both.
 */
static void what_each_pair_tells(void **state)
{
    struct model was = plain, often = plain, seldom = plain;
    unsigned pairs = 0, all = 0;
    (void)state;
    seed = 9;
    was.lock = 0.01;
    was.lock_ns = 5000;
    seldom.lock = 25;
    seldom.lock_ns = 32000000;
    often.lock = 60;
    often.lock_ns = 200000;
    for (int n = 0; n < 40; n++) {
        struct pair x;
        bool each = true;
        for (uint32_t i = 0; i < 3; i++)
            run(&x.p[0][i], &was);
        run(&x.p[1][0], &often);
        run(&x.p[1][1], &seldom);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t k = 0; k < 2; k++) {
                struct pair one = {.p = {{x.p[0][i]}, {x.p[1][k]}}};
                judged(&one, 1, 1);
                each &= claimed_of(&one, MK_LOCK, "main.added") != NULL;
            }
        judged(&x, 3, 2);
        const struct change *c = claimed_of(&x, MK_LOCK, "main.added");
        pairs += each;
        all += c != NULL;
        assert_true(!each || (c && c->time.new > c->time.old && c->count.new > c->count.old));
        compared(&x);
    }
    assert_true(pairs >= 10 && all >= pairs);
}

/* Three runs beside two of the same program, some with a burst: silent. */
static void unequal_sides_stay_silent(void **state)
{
    struct model burst = plain, slow = plain;
    unsigned k = 0;
    (void)state;
    seed = 10;
    burst.burst = 60e6;
    slow.pace = 0.7;
    for (int n = 0; n < 40; n++) {
        struct pair x;
        for (uint32_t i = 0; i < 3; i++)
            run(&x.p[0][i], i ? &plain : &slow);
        for (uint32_t i = 0; i < 2; i++)
            run(&x.p[1][i], i ? &plain : &burst);
        judged(&x, 3, 2);
        k += x.v.claimed > 0;
        compared(&x);
    }
    assert_true(k <= 1);
}

/* Profiles of traces: sums over slices are what the tables say; a trace beside itself differs in nothing. */
static void profiles_of_traces(void **state)
{
    static const char *const path[] = {"samples/lock-1.26.trace", "samples/http-1.22.trace",
                                       "samples/alloc-1.19.trace", "samples/workers-1.5.trace"};
    (void)state;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        struct loaded l;
        struct profile p;
        struct err e;
        double lock = 0, want = 0;
        help_load(path[i], &l);
        assert_int_equal(profile_of(&l, &p, &e), ERR_OK);
        for (uint32_t k = 0; k < l.tg->nwaits; k++)
            want += l.tg->waits[k].kind == WK_LOCK ? (double)l.tg->waits[k].total : 0;
        for (uint32_t k = 0; k < p.n; k++) {
            lock += p.m[k].kind == MK_LOCK ? p.m[k].ns[PROFILE_ALL] : 0;
            assert_ptr_equal(profile_find(&p, p.m[k].kind, p.m[k].name), &p.m[k]);
        }
        assert_true(lock == want);
        assert_null(profile_find(&p, MK_LOCK, "main.nowhere"));
        struct side side = {&p, 1};
        struct claim v;
        verdict_of(&side, &side, &v);
        assert_int_equal(v.claimed, 0);
        assert_true(v.pace == 1);
        profile_free(&p);
        load_free(&l);
    }
}

/* Who runs on for longer than the runtime lets it did not run all that time: the host had its processor. */
static void what_the_host_took_did_not_run(void **state)
{
    struct loaded l;
    struct profile p;
    struct err e;
    double ran = 0, told = 0;
    (void)state;
    help_load("tests/golden/causes/cleanstalled.trace", &l);
    assert_int_equal(profile_of(&l, &p, &e), ERR_OK);
    for (uint32_t i = 0; i < l.tg->ngroups; i++)
        told += l.tg->groups[i].is_system ? 0 : (double)l.tg->groups[i].ns[GM_EXEC];
    for (uint32_t i = 0; i < p.n; i++)
        ran += p.m[i].kind == MK_RUN ? p.m[i].ns[PROFILE_ALL] : 0;
    assert_true(ran > 0 && ran < 0.9 * told);
    profile_free(&p);
    load_free(&l);
}

struct seen {
    unsigned works, parts, running;
};

static void work_row(void *arg, const struct diff_work *d)
{
    struct seen *k = arg;
    const int64_t was = dist_avg(&d->w[0]->d), is = dist_avg(&d->w[1]->d);
    int64_t last = INT64_MAX;
    k->works++;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct diff_part *p = &d->v[i];
        const int64_t far = p->ns[1] > p->ns[0] ? p->ns[1] - p->ns[0] : p->ns[0] - p->ns[1];
        assert_true(far <= last && (double)far >= 0.1 * (double)(was > is ? was : is) - 1);
        k->running += strcmp(p->what, "running") == 0 && strcmp(p->func, "main.(*bank).clerk") == 0;
        k->parts++;
        last = far;
    }
}

/* Where the pieces of two runs' works differ; those of a run beside itself differ nowhere. */
static void works_that_differ(void **state)
{
    struct loaded a, b;
    struct seen k = {0};
    (void)state;
    help_load("samples/lock-1.21.trace", &a);
    help_load("samples/lock-1.26.trace", &b);
    assert_true(diff_works_each(&a, &b, work_row, &k));
    assert_true(k.works >= 3 && k.running >= 2);
    k = (struct seen){0};
    assert_true(diff_works_each(&a, &a, work_row, &k));
    assert_true(k.works >= 3);
    assert_int_equal(k.parts, 0);
    struct text t = {0};
    diff_tables(&t, &a, &b);
    assert_true(text_ok(&t));
    assert_non_null(strstr(t.p, "  6 goroutines of main.(*bank).clerk (6 before): p50 "));
    assert_non_null(strstr(t.p, " running in main.(*bank).clerk: "));
    text_free(&t);
    load_free(&a);
    load_free(&b);
}

/* Digits, however many there are. */
static void many_a_second(void **state)
{
    const struct change c = {.kind = MK_CALL, .name = "main.read", .count = {.new = 44650.4, .old = 4.25}};
    const struct change few = {.kind = MK_TAKE, .name = "main.read", .count = {.new = 0.00004, .old = 250}};
    struct text t = {0};
    (void)state;
    change_text(&t, &c);
    assert_string_equal(t.p,
                        "system calls in main.read: 44650 a second, for the same amount of work 4.25 before");
    text_free(&t);
    change_text(&t, &few);
    assert_non_null(strstr(t.p, ": <0.001 a second, for the same amount of work 250 before"));
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_cycles_are_no_burst),
        cmocka_unit_test(a_burst_hides_no_lock),
        cmocka_unit_test(what_the_host_took_did_not_run),
        cmocka_unit_test(works_that_differ),
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(a_lock_is_added),
        cmocka_unit_test(the_collector_runs_more),
        cmocka_unit_test(the_host_or_the_program),
        cmocka_unit_test(the_work_is_the_yardstick),
        cmocka_unit_test(runs_help),
        cmocka_unit_test(what_each_pair_tells),
        cmocka_unit_test(unequal_sides_stay_silent),
        cmocka_unit_test(profiles_of_traces),
        cmocka_unit_test(many_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
