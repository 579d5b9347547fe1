/*
 * test_waitfor.c - who waits for whom: edges add up to the waits there are; and the view of it.
 */
#include "decode/base/mem.h"
#include "triage_help.h"

#include "layout/views/table.h"
#include "triage/tables/waitfor.h"

static bool is(const struct loaded *l, uint32_t str, const char *name)
{
    return str_is(trace_str(l->tr, str), name);
}

static const struct waitfor_edge *edge(const struct loaded *l, const struct waitfor *w, const char *from,
                                       const char *to)
{
    for (uint32_t i = 0; i < w->nedges; i++)
        if (w->edge[i].what == WF_GROUP && is(l, w->edge[i].from, from) && is(l, w->edge[i].to, to))
            return &w->edge[i];
    return NULL;
}

static void sums(const char *path)
{
    struct loaded l;
    int64_t pairs = 0, edges = 0;
    help_load(path, &l);
    struct waitfor *w = waitfor_new(l.tg);
    assert_non_null(w);
    for (uint32_t i = 0; i < l.tg->npairs; i++)
        pairs += l.tg->pairs[i].total;
    for (uint32_t i = 0; i < w->nedges; i++) {
        const struct waitfor_edge *e = &w->edge[i];
        edges += e->what == WF_NOBODY ? 0 : e->ns;
        assert_true(i == 0 || w->edge[i - 1].ns >= e->ns);
    }
    assert_true(w->nedges == WAITFOR_EDGES ? edges <= pairs : edges == pairs);
    mem_free(w);
    load_free(&l);
}

static void edges_add_up(void **state)
{
    (void)state;
    assert_true(help_each("tests/golden/causes", "", sums) > 5);
    assert_true(help_each("samples", "", sums) > 5);
}

/* Who waits once, for all of another's work, does not wait again and again. */
static void waits_once(void **state)
{
    struct loaded l;
    (void)state;
    help_load("tests/golden/causes/scrivener.trace", &l);
    struct waitfor *w = waitfor_new(l.tg);
    const struct waitfor_edge *once = edge(&l, w, "main.main", "main.scrivener"),
                              *back = edge(&l, w, "main.scrivener", "main.main");
    assert_true(once && back && once->count == 1 && back->count > 1);
    assert_true(!once->again && back->again);
    mem_free(w);
    load_free(&l);
}

/* The view works it out in slices, between which keys are obeyed, and shows the same. */
static void in_slices(void **state)
{
    (void)state;
    struct loaded l;
    struct view v;
    struct tri tri;
    help_load("samples/http-long-1.27.trace", &l);
    struct waitfor *w = waitfor_new(l.tg);
    assert_true(w && view_init(&v, l.tr));
    tri_init(&tri, l.tr);
    v.tri = &tri;
    (void)kind_waitfor.open(&v, VIEW_WAITFOR);
    assert_true(!kind_waitfor.pending(&v));
    tri_ready(&tri, l.tg, NULL);
    assert_true(kind_waitfor.pending(&v));
    (void)kind_waitfor.work(&v, 1); /* begins it, and does what takes no time */
    while (kind_waitfor.work(&v, 1) & VR_WORK)
        assert_true(kind_waitfor.pending(&v) && tri_rows(&v) == 0);
    assert_false(kind_waitfor.pending(&v));
    assert_int_equal(tri_rows(&v), w->nedges);
    const struct table *t = v.table;
    for (uint32_t i = 0; i < w->nedges; i++)
        assert_int_equal(table_value(t, &t->have, t->row[i], t->have.sort), w->edge[i].ns);
    view_free(&v); /* given up within it */
    assert_true(view_init(&v, l.tr));
    v.tri = &tri;
    (void)kind_waitfor.open(&v, VIEW_WAITFOR);
    tri_free(&tri);
    view_free(&v);
    mem_free(w);
    load_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_add_up),
        cmocka_unit_test(waits_once),
        cmocka_unit_test(in_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
