/*
 * test_cut_claims.c - what the page says of a trace that was cut short is backed by what is left of it:
 * programs with a known fault, cut at a third, in half and at two thirds.
 */
#include "tests/support/read_file.h"
#include "triage_help.h"

#include "triage/findings/asked.h"
#include "triage/report/report.h"

static bool load_part(const uint8_t *p, size_t n, struct loaded *l)
{
    struct trace_opts o = {0};
    struct err e = {0};
    return load_mem(p, n, &o, l, &e) == ERR_OK;
}

static unsigned told, lost;

/* Processor time of which nobody knows is neither idle nor in use. */
static void parts_make_a_whole(const struct triage *tg)
{
    int64_t busy = 0;
    for (int s = ST_SCHED; s <= ST_SYSCALL; s++)
        busy += tg->p_sum.ns[s];
    assert_int_equal(busy + tg->p_sum.ns[ST_IDLE] + tg->unused, tg->capacity);
}

static void cut_at(const uint8_t *p, size_t n, const char *path)
{
    struct loaded cut;
    if (!load_part(p, n, &cut))
        return;
    parts_make_a_whole(cut.tg);
    lost += cut.tg->lost > 0;
    for (uint32_t i = 0; i < cut.fs.n; i++) {
        const struct finding *f = &cut.fs.f[i];
        told++;
        if (rule_lost(cut.tg, f->v.rule))
            fail_msg("%s, cut: %s is told, and can't be", path, rule_id(f->v.rule));
        assert_null(strstr(f->text, "slowest: ;")); /* a list of nothing */
        assert_null(strstr(f->text, "ran ? "));
        assert_null(strstr(f->text, "? ran "));
        assert_null(strstr(f->text, "of all ? "));
    }
    load_free(&cut);
}

static void cuts(const char *path)
{
    size_t n;
    uint8_t *p = read_file(path, &n);
    for (unsigned percent = 33; percent < 70; percent += 17)
        cut_at(p, n * percent / 100, path);
    free(p);
}

static void known_faults(void **state)
{
    (void)state;
    assert_true(help_each("tests/golden/causes", "", cuts) > 100);
    assert_true(help_each("tests/golden", "report-", cuts) > 5);
    assert_true(help_each("samples", "", cuts) > 20);
    assert_true(told > 100 && lost > 300);
}

/* Mark workers by what they work for, where their labels' names are lost: the numbers are those that the
 * runtime gives first. */
static void workers_by_mode(void **state)
{
    (void)state;
    size_t n;
    uint8_t *p = read_file("tests/golden/causes/reprint.trace", &n);
    struct loaded l;
    assert_true(load_part(p, n * 2 / 3, &l));
    assert_true(l.tg->gc_cycles > 4);
    assert_true(l.tg->label_ns[GC_IDLE] > l.tg->label_ns[GC_FRACTIONAL] &&
                l.tg->label_ns[GC_FRACTIONAL] > 10000000);
    assert_true(l.tg->label_ns[GC_UNLABELLED] < l.tg->label_ns[GC_IDLE] / 100);
    load_free(&l);
    free(p);
}

/* Who is told why a trace can't be read is told where, too. */
static void told_where(void **state)
{
    (void)state;
    static const char header[] = "go 1.26 trace\0\0";
    struct loaded l;
    struct err e;
    assert_int_not_equal(load_mem(header, sizeof header, NULL, &l, &e), ERR_OK);
    assert_string_equal(e.what, "a trace header, but no event after it (offset 16)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_faults), cmocka_unit_test(workers_by_mode),
                                       cmocka_unit_test(told_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
