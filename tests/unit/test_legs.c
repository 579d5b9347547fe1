/*
 * test_legs.c - tasks that are handed from goroutine to goroutine: whose time they are told to be, against
 * what the program that made the trace measured itself (tests/golden/handed/handed.go); and legs side by
 * side in every sample.
 */
#include "triage_help.h"

#include "triage/work/work.h"

static void *opened(const char *path, struct trace **tr)
{
    struct err e = {0};
    struct trace_opts o = {0};
    assert_int_equal(trace_open(path, &o, tr, &e), ERR_OK);
    while (trace_load(*tr, INT64_MAX) == LOAD_MORE) {
    }
    assert_null(trace_fatal(*tr));
    struct explainer *x = explain_new(*tr, NULL);
    assert_non_null(x);
    return x;
}

/* ---- what the program measured ------------------------------------------------------------------------- */

struct told {
    struct trace *tr;
    struct explainer *x;
    struct work_tree t;
};

static void tell(struct told *k, const char *path)
{
    const struct task *v;
    k->x = opened(path, &k->tr);
    const size_t n = trace_tasks(k->tr, &v);
    struct workpiece *p = calloc(n + 1, sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = workpiece_of_task(k->tr, i);
    assert_true(tree_explain(&k->t, k->tr, k->x, p, n, 1, n * 4000000));
    free(p);
    assert_false(k->t.cut);
    assert_true(k->t.handed);
}

static void told_free(struct told *k)
{
    tree_free(&k->t);
    explain_free(k->x);
    trace_close(k->tr);
}

/* Time of the tasks themselves, not of what explains their waits: whose, and (EX_CATS: any) what. */
static int64_t of(const struct told *k, const char *who, unsigned cat)
{
    int64_t ns = 0;
    for (uint32_t i = k->t.v[0].first; i != NO_LANE; i = k->t.v[i].next) {
        const struct tree_node *n = &k->t.v[i];
        const bool its = !who || str_is(trace_str(k->tr, n->who), who);
        ns += its && (n->cat == cat || (cat == EX_CATS && n->cat != EX_QUEUED)) ? n->ns[TREE_ALL] : 0;
    }
    return ns;
}

static int64_t late(const struct told *k, const char *who)
{
    return of(k, who, EX_RUNNABLE) + of(k, who, EX_NOBODY);
}

#define US 1000
/* Within 2 ms, or 2 %, of so many us that the program measured. */
static void near(int64_t ns, int64_t us)
{
    const int64_t off = ns - us * US, may = us * US / 50 > 2000 * US ? us * US / 50 : 2000 * US;
    if (off > may || off < -may) {
        print_error("%lld us told, %lld measured\n", (long long)ns / US, (long long)us);
        fail();
    }
}

/* A reader hands over through a channel with room; two workers, which end the tasks. */
static void pool(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t all, handle, queued, read;
    } v[] = {{"tests/golden/handed/pool-1.25.trace", 660630, 404810, 227720, 28010},
             {"tests/golden/handed/pool-1.19.trace", 665660, 416700, 224930, 23910}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct told k;
        tell(&k, v[i].path);
        near(k.t.v[0].ns[TREE_ALL], v[i].all);
        near(of(&k, "main.worker", EX_TIMER), v[i].handle);
        near(of(&k, NULL, EX_QUEUED) + late(&k, "main.worker"), v[i].queued);
        near(of(&k, "main.main", EX_CATS), v[i].read);
        told_free(&k);
    }
}

/* Three goroutines, one after the other: all is theirs, and nobody waits to be taken up. */
static void stages(void **state)
{
    (void)state;
    struct told k;
    tell(&k, "tests/golden/handed/stages-1.25.trace");
    near(k.t.v[0].ns[TREE_ALL], 189620);
    near(of(&k, "main.stage", EX_TIMER), 62080 + 34900 + 92120);
    near(of(&k, NULL, EX_QUEUED), 0);
    told_free(&k);
}

/* Whoever reads waits for a place, and then begins a goroutine for it. */
static void sem(void **state)
{
    (void)state;
    struct told k;
    tell(&k, "tests/golden/handed/sem-1.25.trace");
    near(k.t.v[0].ns[TREE_ALL], 244850);
    near(of(&k, "main.main", EX_CATS), 62180);
    assert_true(of(&k, "main.sem.func1", EX_TIMER) > 100000 * US);
    assert_int_equal(of(&k, NULL, EX_QUEUED), 0);
    told_free(&k);
}

/* Of two that work at once the task is the one's after whose work it ends. */
static void fanout(void **state)
{
    (void)state;
    struct told k;
    tell(&k, "tests/golden/handed/fanout-1.25.trace");
    near(k.t.v[0].ns[TREE_ALL], 184710);
    near(of(&k, "main.fanout.func1", EX_TIMER), 184480);
    told_free(&k);
}

/* A queue with a lock and a condition. */
static void cond(void **state)
{
    (void)state;
    struct told k;
    tell(&k, "tests/golden/handed/cond-1.25.trace");
    near(k.t.v[0].ns[TREE_ALL], 481510);
    near(of(&k, NULL, EX_QUEUED) + late(&k, "main.cond.func1"), 175770);
    near(of(&k, "main.cond.func1", EX_TIMER) + of(&k, "main.cond.func1", EX_RUN), 305670);
    told_free(&k);
}

/*
 * One goroutine begins and ends all, eight helpers work for them at once; the trace knows of no task of
 * theirs.
 */
static void hub(void **state)
{
    (void)state;
    struct told k;
    tell(&k, "tests/golden/handed/hub-1.25.trace");
    near(k.t.v[0].ns[TREE_ALL], 312100);
    near(of(&k, "main.helper", EX_TIMER), 311450);
    told_free(&k);
}

/* ---- side by side -------------------------------------------------------------------------------------- */

static size_t whole(const struct explain_list *l, size_t i, uint32_t up, int64_t a, int64_t b)
{
    while (i < l->n && l->v[i].up == up) {
        const struct explain_part *p = &l->v[i].part;
        const uint32_t me = (uint32_t)i++;
        assert_true(p->t0 == a && p->t1 > p->t0 && p->t1 <= b);
        a = p->t1;
        if (p->followed) {
            assert_true(p->cat == EX_WAIT || p->cat == EX_QUEUED);
            i = whole(l, i, me, p->t0, p->t1);
        }
    }
    assert_true(a == b);
    return i;
}

static void legs_of_tasks(const char *path)
{
    struct trace *tr;
    struct explainer *x = opened(path, &tr);
    struct legs l = {0};
    const struct task *v;
    const size_t n = trace_tasks(tr, &v);
    for (size_t i = 0; i < n && i < 200; i++) {
        const struct workpiece p = workpiece_of_task(tr, i);
        explain_budget(x, i % 3 ? 100000 : i); /* also where it ends early */
        assert_true(explain_legs(x, p, &l));
        for (size_t k = 0; k < l.n; k++) {
            assert_true(l.v[k].t0 < l.v[k].t1);
            assert_true(l.v[k].t0 == (k ? l.v[k - 1].t1 : p.t0));
            assert_true(l.v[k].g < trace_nlanes(tr, LANE_G));
        }
        assert_true(l.n ? l.v[l.n - 1].t1 == p.t1 : p.t1 <= p.t0 || p.g == NO_LANE);
        if (l.n) {
            struct explain_list e;
            explain_budget(x, 100000);
            assert_true(explain_list(x, p, &e));
            assert_int_equal(whole(&e, 0, NO_LANE, p.t0, p.t1), e.n);
            explain_list_free(&e);
        }
    }
    legs_free(&l);
    explain_free(x);
    trace_close(tr);
}

static void side_by_side(void **state)
{
    (void)state;
    assert_true(help_each("samples", "tasks-", legs_of_tasks) >= 5);
    assert_true(help_each("tests/golden/handed", "", legs_of_tasks) >= 7);
}

/* An interval is a task if it is exactly one's; else it is one leg, the goroutine's. */
static void at(void **state)
{
    (void)state;
    struct trace *tr;
    struct explainer *x = opened("tests/golden/handed/pool-1.25.trace", &tr);
    struct legs l = {0};
    const struct task *v;
    const size_t n = trace_tasks(tr, &v);
    assert_int_equal(n, 20);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(workpiece_at(tr, v[i].g, v[i].t0, v[i].t1).task, i);
        const struct workpiece p = workpiece_at(tr, v[i].g, v[i].t0, v[i].t1 - 1);
        assert_int_equal(p.task, NO_TASK);
        assert_true(explain_legs(x, p, &l));
        assert_int_equal(l.n, 1);
        assert_int_equal(l.v[0].g, v[i].g);
    }
    legs_free(&l);
    explain_free(x);
    trace_close(tr);
}

/* How long goroutines ran within their legs, and how many CPU samples there are of that. */
struct legs_cpu {
    int64_t ran;
    uint64_t samples;
};

static void legs_cpu(const struct trace *tr, const struct legs *l, struct legs_cpu *out)
{
    const struct sample *m;
    const size_t n = trace_samples(tr, &m);
    for (size_t k = 0; k < l->n; k++) {
        struct shares sh;
        trace_shares(tr, (struct lane){LANE_G, l->v[k].g}, l->v[k].t0, l->v[k].t1, &sh);
        out->ran = ns_add(out->ran, l->v[k].queued ? 0 : sh.ns[ST_RUNNING]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < l->n; k++) {
            const struct leg *v = &l->v[k];
            out->samples += !v->queued && m[i].g == v->g && m[i].t >= v->t0 && m[i].t < v->t1;
        }
    }
}

/*
 * Tasks that run longer: CPU samples tell whether they had more to do or the process was stopped
 * (tests/golden/longer/longer.go).
 */
static void longer(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        double least, most; /* of the samples that are usual for so much running */
    } v[] = {{"tests/golden/longer/work-1.25.trace", 0.6, 2},
             {"tests/golden/longer/host-1.25.trace", 0, 0.3},
             {"tests/golden/longer/plain-1.25.trace", 0, 0}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct loaded l;
        struct legs legs = {0};
        struct legs_cpu all = {0}, slow = {0};
        const struct task *k;
        help_load(v[i].path, &l);
        struct explainer *x = explain_new(l.tr, NULL);
        for (size_t n = 0; n < trace_tasks(l.tr, &k); n++) {
            const struct workpiece p = workpiece_of_task(l.tr, n);
            assert_true(explain_legs(x, p, &legs));
            assert_int_equal(legs.n, 1);
            legs_cpu(l.tr, &legs, &all);
            if (p.t1 - p.t0 > 40000 * US)
                legs_cpu(l.tr, &legs, &slow);
        }
        assert_true(slow.ran > 200000 * US && slow.ran < all.ran);
        const double usual = (double)all.samples / (double)all.ran * (double)slow.ran;
        assert_true((double)slow.samples >= v[i].least * usual && (double)slow.samples <= v[i].most * usual);
        legs_free(&legs);
        explain_free(x);
        load_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool),         cmocka_unit_test(stages), cmocka_unit_test(sem),
        cmocka_unit_test(fanout),       cmocka_unit_test(cond),   cmocka_unit_test(hub),
        cmocka_unit_test(side_by_side), cmocka_unit_test(at),     cmocka_unit_test(longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
