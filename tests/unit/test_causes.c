/*
 * test_causes.c - the verdicts on small programs with one planted fault each (tests/golden/causes/NAME.go):
 * the right family, and the function to change, stand where tests/golden/causes/expected.tsv says. Healthy
 * programs raise nothing.
 *
 * A row of expected.tsv: name, family, functions (a regular expression; empty: any), where they stand:
 * `first`, `three` (among the first three), `not` (known to be missed: who mends it changes the row), or
 * `nothing` (a healthy one: no finding warns).
 */
#include "triage_help.h"

#include <regex.h>

#define EXPECTED "tests/golden/causes/expected.tsv"

struct row {
    char name[64], family[32], func[256], where[16];
};

static bool read_row(FILE *f, struct row *r)
{
    char line[512];
    while (fgets(line, sizeof line, f)) {
        char *field[4] = {r->name, r->family, r->func, r->where}, *p = line;
        const size_t room[4] = {sizeof r->name, sizeof r->family, sizeof r->func, sizeof r->where};
        if (*line == '#' || *line == '\n')
            continue;
        for (int i = 0; i < 4; i++) {
            const size_t n = strcspn(p, "\t\n");
            assert_true(n < room[i]);
            memcpy(field[i], p, n);
            field[i][n] = 0;
            p += n + (p[n] == '\t');
        }
        return true;
    }
    return false;
}

static bool names(const struct loaded *l, const struct finding *f, const regex_t *re)
{
    const char *const said[] = {f->text, f->next, f->title};
    bool is = false;
    for (size_t i = 0; i < sizeof said / sizeof *said && !is; i++)
        is = regexec(re, said[i], 0, NULL, 0) == 0;
    for (uint32_t k = 0; k < trace_stack(l->tr, f->v.where.stack) && !is; k++) {
        const struct str s = trace_str(l->tr, trace_frame(l->tr, f->v.where.stack, k).func);
        char func[256];
        snprintf(func, sizeof func, "%.*s", (int)s.len, s.p);
        is = regexec(re, func, 0, NULL, 0) == 0;
    }
    return is;
}

/* Up to which finding both were told; 0: not. */
static uint32_t told_by(const struct loaded *l, const struct row *r)
{
    regex_t re;
    uint32_t family = 0, func = 0;
    assert_int_equal(regcomp(&re, *r->func ? r->func : ".", REG_EXTENDED | REG_NOSUB), 0);
    for (uint32_t i = l->fs.n; i-- > 0;) {
        const struct finding *f = &l->fs.f[i];
        family = strcmp(family_id(rule_row(f->v.rule)->family), r->family) == 0 ? i + 1 : family;
        func = names(l, f, &re) ? i + 1 : func;
    }
    regfree(&re);
    return family == 0 || func == 0 ? 0 : family > func ? family : func;
}

static void planted_ones(void **state)
{
    FILE *f = fopen(EXPECTED, "r");
    struct row r;
    unsigned n = 0, missed = 0, gains = 0, wide = 0;
    (void)state;
    assert_non_null(f);
    while (read_row(f, &r)) {
        const uint32_t most = strcmp(r.where, "three") == 0 ? 3 : 1;
        const bool known = strcmp(r.where, "not") == 0; /* to be missed */
        struct loaded l;
        if (strcmp(r.where, "nothing") == 0)
            continue;
        help_cause(r.name, &l);
        const uint32_t at = told_by(&l, &r);
        const bool told = at > 0 && at <= most;
        if (told == known) {
            print_error("%s: %s %s stands at %u, which is not `%s`: %s\n", r.name, r.family, r.func, at,
                        r.where, l.fs.n ? l.fs.f[0].text : "nothing");
            missed++;
        }
        for (uint32_t k = 0; k < l.fs.n; k++) {
            const struct gain *g = &l.fs.f[k].v.gain;
            gains += g->known;
            wide += g->known && g->piece_hi - g->piece_lo > 0.35;
        }
        n++;
        load_free(&l);
    }
    fclose(f);
    assert_true(n > 100);
    assert_int_equal(missed, 0);
    assert_true(gains > 50 && wide * 2 < gains); /* a gain of 10 to 90% says nothing */
}

static void healthy_ones(void **state)
{
    FILE *f = fopen(EXPECTED, "r");
    struct row r;
    unsigned n = 0, alarms = 0;
    (void)state;
    assert_non_null(f);
    while (read_row(f, &r)) {
        struct loaded l;
        if (strcmp(r.where, "nothing") != 0)
            continue;
        help_cause(r.name, &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            if (!l.fs.f[k].note) {
                print_error("%s: %s: %s\n", r.name, rule_id(l.fs.f[k].v.rule), l.fs.f[k].text);
                alarms++;
            }
        }
        n++;
        load_free(&l);
    }
    fclose(f);
    assert_true(n > 50);
    assert_int_equal(alarms, 0);
}

/* Each verdict of each of these is one that can be read: words, a place to
 * look at, shares that are shares. */
static void fields_are_sound(void **state)
{
    static const char *const name[] = {"clerks", "slots",  "crawl",   "skew",
                                       "annals", "gauger", "rubbish", "diary"};
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct loaded l;
        help_cause(name[i], &l);
        for (uint32_t k = 0; k < l.fs.n; k++) {
            const struct finding *f = &l.fs.f[k];
            assert_true(*f->text && *f->title && *f->key && *f->amount);
            assert_true(f->v.harm.share >= 0 && f->v.harm.share <= 1.0001);
            assert_true(f->v.t0 >= 0 && f->v.t1 >= f->v.t0 && f->v.t1 <= l.tg->end);
            assert_true(f->severity_ns >= 0 && f->severity_ns <= l.tg->end);
            assert_null(strpbrk(f->text, "{}[]"));
            assert_true(f->v.gain.piece_lo <= f->v.gain.piece_hi && f->v.gain.piece_hi <= 1.0001);
        }
        load_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_ones),
        cmocka_unit_test(healthy_ones),
        cmocka_unit_test(fields_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
