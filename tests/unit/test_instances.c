/*
 * test_instances.c - rows of what was done many times: counts and percentiles against triage's own tables and
 * a plain walk, the same rows in any steps, instances in order, and what the slow ones do more of.
 */
#include "triage_help.h"

#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/requests.h"

static void rows_of(const struct loaded *l, struct instances *in, int64_t budget)
{
    struct err e = {0};
    assert_int_equal(instances_new(l->tg, in, &e), ERR_OK);
    while (instances_step(in, budget, &e)) {
    }
    assert_int_equal(e.code, ERR_OK);
    assert_null(in->work);
}

/* The row of that kind and name, NULL: none. */
static const struct instance_row *find(const struct instances *in, enum instance_kind k, const char *name)
{
    for (uint32_t i = 0; i < in->n; i++)
        if (in->row[i].kind == k && str_is(trace_str(in->tg->tr, in->row[i].name), name))
            return &in->row[i];
    return NULL;
}

/* Goroutines that look after a connection: the server begins one for each request whose body is read to its
 * end. */
static uint64_t watchers(const struct triage *tg)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < tg->ngroups; i++)
        if (str_is(trace_str(tg->tr, tg->groups[i].name), "net/http.(*connReader).backgroundRead"))
            n = tg->groups[i].created;
    return n;
}

/* What holds of all rows, whatever the trace. */
static void holds(const char *path)
{
    struct loaded l;
    struct instances in, again;
    help_load(path, &l);
    rows_of(&l, &in, INT64_MAX);
    rows_of(&l, &again, 0); /* many steps */
    assert_int_equal(in.n, again.n);
    assert_int_equal(in.none, again.none);
    for (uint32_t i = 0; i < in.n; i++) {
        const struct instance_row *r = &in.row[i];
        int64_t total = 0;
        assert_memory_equal(r, &again.row[i], sizeof *r);
        assert_true(r->d.n > 0 && r->at + r->d.n <= in.none && r->looked <= r->of);
        for (uint64_t k = 0; k < r->d.n; k++) {
            const struct workpiece *one = &in.one[r->at + k];
            assert_true(one->t1 >= one->t0 && one->g < l.tg->ng);
            assert_true(k == 0 || one[-1].t1 - one[-1].t0 >= one->t1 - one->t0);
            total += one->t1 - one->t0;
        }
        assert_int_equal(total, r->d.total);
        assert_int_equal(in.one[r->at].t1 - in.one[r->at].t0, r->d.max);
        assert_true(i == 0 || in.row[i - 1].kind <= r->kind);
        assert_true(i == 0 || in.row[i - 1].kind < r->kind || in.row[i - 1].d.total >= r->d.total);
    }
    for (uint32_t i = 0; i < l.tg->ntypes; i++) { /* triage counts types as well */
        const struct span_type *y = &l.tg->types[i];
        for (uint32_t k = 0; k < in.n; k++) {
            const struct instance_row *r = &in.row[k];
            if (r->kind == (y->is_region ? IN_REGION : IN_TASK) && r->name == y->name) {
                assert_int_equal(r->d.n, y->d.n);
                assert_int_equal(r->d.p50, y->d.p50);
                assert_int_equal(r->d.p99, y->d.p99);
                assert_int_equal(r->d.max, y->d.max);
            }
        }
    }
    instances_free(&in);
    instances_free(&again);
    load_free(&l);
}

static void rows_hold_on_all_samples(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", holds) > 20);
    assert_true(help_each("tests/golden/causes", "", holds) > 5);
}

/* Waits at the place everyone queues for, by a plain walk. */
static void a_place_counts_its_waits(void **state)
{
    (void)state;
    struct loaded l;
    struct instances in;
    uint64_t n = 0;
    int64_t most = 0;
    help_load("tests/golden/causes/slots.trace", &l);
    rows_of(&l, &in, INT64_MAX);
    const struct instance_row *r = find(&in, IN_PLACE, "main.convert");
    assert_non_null(r);
    assert_int_equal(r->wait, WK_SEND);
    for (uint32_t g = 0; g < l.tg->ng; g++) {
        struct span_iter it;
        bool more = span_seek_index(&it, l.tr, (struct lane){LANE_G, g}, 0);
        for (; more; more = span_next(&it)) {
            const struct span *s = span_get(&it);
            if (s->state == ST_WAITING && !s->open_end && !s->open_start &&
                stacks_wait_kind(l.tr, s->reason, s->stack) == WK_SEND &&
                causes_place(l.tr, s->stack) == r->name) {
                n++;
                most = s->t1 - s->t0 > most ? s->t1 - s->t0 : most;
            }
        }
    }
    assert_true(n > 100);
    assert_int_equal(r->d.n, n);
    assert_int_equal(r->d.max, most);
    assert_null(find(&in, IN_TASK, "main.convert"));
    instances_free(&in);
    load_free(&l);
}

/* Orders of which some wait long: told by what, and where nothing differs nothing is told. */
static void the_slow_ones_tell_why(void **state)
{
    (void)state;
    struct loaded l;
    struct instances in;
    struct instance_diff d;
    struct text t = {0};
    help_load("tests/golden/causes/hub.trace", &l);
    rows_of(&l, &in, INT64_MAX);
    struct explainer *x = explain_new(l.tr);
    const struct instance_row *r = find(&in, IN_PIECE, "main.(*hub).loop");
    assert_non_null(r);
    assert_true(instances_differ(x, &in, r, &d));
    assert_true(d.n > 0 && d.nslow > 0 && d.slow >= 2 * d.usual);
    assert_int_equal(d.part[0].cat, EX_RUN);
    instance_diff_text(&t, l.tr, &d);
    assert_true(text_ok(&t) && strstr(t.p, "main.(*hub).compactAll"));
    text_free(&t);
    r = find(&in, IN_GROUP, "main.main.func1.2"); /* all as long as the trace */
    assert_non_null(r);
    assert_true(instances_differ(x, &in, r, &d));
    assert_int_equal(d.n, 0);
    explain_free(x);
    instances_free(&in);
    load_free(&l);
}

/* The server begins one watcher for each request of these programs: every one counts, whether the read for it
 * blocked or not. */
static void each_request_counts(const char *path)
{
    struct loaded l;
    struct instances in;
    help_load(path, &l);
    rows_of(&l, &in, INT64_MAX);
    const struct instance_row *r = find(&in, IN_PIECE, "net/http.(*conn).serve");
    assert_non_null(r);
    assert_true(watchers(l.tg) >= 48);
    assert_int_equal(r->d.n, watchers(l.tg));
    instances_free(&in);
    load_free(&l);
}

static void requests_are_parted_by_reads_that_do_not_block_too(void **state)
{
    (void)state;
    assert_true(help_each("samples", "http-", each_request_counts) > 6);
}

/* Each on a connection of its own: an answer ends it where nothing is read for behind it. */
static void a_request_on_a_connection_of_its_own_counts(void **state)
{
    (void)state;
    each_request_counts("tests/golden/causes/conns.trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_on_all_samples),
        cmocka_unit_test(a_place_counts_its_waits),
        cmocka_unit_test(the_slow_ones_tell_why),
        cmocka_unit_test(requests_are_parted_by_reads_that_do_not_block_too),
        cmocka_unit_test(a_request_on_a_connection_of_its_own_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
