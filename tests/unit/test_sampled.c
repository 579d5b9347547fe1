/*
 * test_sampled.c - CPU samples tell the tree of a work what ran: cumulatively by the user's function, for as
 * long as they speak for, and nothing of the rest.
 */
#include "script_help.h"

#include "triage/work/work.h"

#define OUT ",main.handle:2,main.main:1"

static void sample(int64_t at, const char *stack)
{
    struct script *s = &script;
    s->n += (size_t)snprintf(s->p + s->n, sizeof s->p - s->n,
                             "CPUSample time=%lld m=7 p=0 g=1 stack=%s" OUT "\n", (long long)at, stack);
    assert_true(s->n < sizeof s->p - 1);
}

static void samples_begin(void)
{
    struct script *s = &script;
    s->n += (size_t)snprintf(s->p + s->n, sizeof s->p - s->n, "batch m=-1 t=0\nCPUSamples\n");
}

/* How long main ran there, as its tree says. */
static int64_t ran_in(const struct works *w, const char *func)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const struct work_tree *t = &w->v[i].tree;
        for (uint32_t k = 1; k < t->n && w->v[i].kind == WORK_MAIN; k++)
            if (t->v[k].cat == EX_RUN && str_is(trace_str(w->tr, t->v[k].user), func))
                ns += t->v[k].ns[TREE_ALL];
    }
    return ns;
}

static void works_of(struct made *m, struct causes *c, struct works *w)
{
    made_of(m);
    assert_true(causes_init(c, m->l.tg) && works_new(c, w));
}

static void works_over(struct made *m, struct causes *c, struct works *w)
{
    works_free(w);
    causes_free(c);
    unmade(m);
}

/* compact's own work is mostly its: what sort calls back is, too. parse leaves its own to functions of which
 * none has a tenth. Of what is further from any sample than it speaks for, nothing is said. */
static void by_the_users_function(void **state)
{
    static const char *const tiny[] = {"main.a:1,main.parse:3", "main.b:1,main.parse:3",
                                       "main.c:1,main.parse:3", "main.d:1,main.parse:3"};
    struct made m;
    struct causes c;
    struct works w;
    (void)state;
    begin(1);
    block(200 * MS, "sleep", "time.Sleep:1,main.rest:4,main.main:1");
    samples_begin();
    for (int i = 0; i < 12; i++)
        sample((5 + 10 * i) * MS,
               i % 3 ? "sort.Slice:4,main.compact:6" : "main.less:9,sort.Slice:4,main.compact:6");
    for (int i = 0; i < 4; i++)
        sample((125 + 10 * i) * MS, tiny[i]);
    works_of(&m, &c, &w);
    assert_near_ns(ran_in(&w, "main.compact"), 120 * MS);
    assert_near_ns(ran_in(&w, "main.parse"), 45 * MS);
    assert_int_equal(ran_in(&w, "main.less"), 0);
    assert_int_equal(ran_in(&w, "main.a"), 0);
    assert_near_ns(ran_in(&w, "main.rest"), 35 * MS);
    works_over(&m, &c, &w);
}

/* A function that only hands on is no answer where those it hands to have a part each. */
static void by_those_that_do_it(void **state)
{
    struct made m;
    struct causes c;
    struct works w;
    (void)state;
    begin(1);
    block(100 * MS, "sleep", "time.Sleep:1,main.main:1");
    samples_begin();
    for (int i = 0; i < 10; i++)
        sample((5 + 10 * i) * MS, i < 3   ? "main.left:1,main.both:2"
                                  : i < 7 ? "runtime.mallocgc:1,main.right:1,main.both:2"
                                          : "main.own:3");
    works_of(&m, &c, &w);
    assert_near_ns(ran_in(&w, "main.left"), 30 * MS);
    assert_near_ns(ran_in(&w, "main.right"), 40 * MS);
    assert_near_ns(ran_in(&w, "main.own"), 30 * MS);
    assert_int_equal(ran_in(&w, "main.both") + ran_in(&w, "main.handle"), 0);
    works_over(&m, &c, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_users_function),
        cmocka_unit_test(by_those_that_do_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
