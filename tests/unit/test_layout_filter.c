/*
 * test_layout_filter.c - filters: what is refused and where; which goroutines show, against looking at every
 * span; stacking; that marks and steps stay on what passes. Patterns: smart case, expressions, refusals.
 */
#include "tests/unit/layout_help.h"

#include "triage/query/filter.h"
#include "triage/query/match.h"
#include "layout/move/pick.h"

/* ---- text ---- */

static void refuse(struct trace *tr, const char *text, const char *term)
{
    char why[FILTER_WHY] = "";
    struct filter *f = filter_new(tr, text, why);
    if (f || strncmp(why, term, strlen(term)) != 0)
        fail_msg("\"%s\": %s, want an error with %s", text, f ? "accepted" : why, term);
}

static void test_errors(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-1.26.trace");
    refuse(s.tr, "", "nothing");
    refuse(s.tr, "   ", "nothing");
    refuse(s.tr, "state=sleeping", "state=sleeping: no such state");
    refuse(s.tr, "state=sweep", "state=sweep: "); /* recorded of processors */
    refuse(s.tr, "state=idle", "state=idle: ");   /* as a search knows it, of processors */
    refuse(s.tr, "conn dur>", "dur>: not a duration");
    refuse(s.tr, "conn dur>3parsecs", "dur>3parsecs: ");
    refuse(s.tr, "conn dur=3ms", "dur=3ms: ");
    refuse(s.tr, "g1 \"open", "open: a quote");
    refuse(s.tr, "task:", "task:: a name");
    refuse(s.tr, "g1 colour=red", "colour=red: no such term");
    refuse(s.tr, "a -", "-: ");
    refuse(s.tr, "~(", "~(: ");
    refuse(s.tr, "~(a)\\1", "~(a)\\1: back");
    refuse(s.tr, "~(a{9}){9}", "~(a{9}){9}: ");
    refuse(s.tr, "~((((((((((a+)+)+)+)+)+)+)+)+)+)+",
           "~(((((((("); /* each writes what it stands behind twice */
    refuse(s.tr, "~((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", "~((((((((");
    refuse(s.tr, "~(abc){32767}", "~(abc){32767}: ");
    refuse(s.tr, "~((((((((((any?)+)*)+)+)+)+)+)+)+)+)+", "~((((((((");
    refuse(s.tr, "is:nice", "is:nice: ");
    char many[200] = "";
    for (int i = 0; i < 40; i++)
        strcat(many, "gc ");
    refuse(s.tr, many, "gc: too many");
    view_filter(&s.v, "state=sleeping"); /* the reader sees where */
    assert_true(s.v.msg.error && strstr(s.v.msg.text, "state=sleeping"));
    assert_int_equal(s.v.filters.n, 0);
    seen_close(&s);
}

static void accepted(struct trace *tr, const char *before, const char *word, size_t n)
{
    char why[FILTER_WHY];
    char text[80];
    (void)snprintf(text, sizeof text, "%s%.*s", before, (int)n, word);
    struct filter *f = filter_new(tr, text, why);
    if (!f)
        fail_msg("docs/FILTERS.md has %s, which is none: %s", text, why);
    filter_free(f);
}

/* Each word that docs/FILTERS.md shows is one; of the row of states each state, too. */
static void test_documented(void **state)
{
    (void)state;
    struct seen s;
    char line[1000];
    int n = 0;
    seen_open(&s, "samples/http-1.26.trace");
    FILE *doc = fopen("docs/FILTERS.md", "r");
    assert_non_null(doc);
    while (fgets(line, sizeof line, doc)) {
        const char *second = line[0] == '|' ? strstr(line, " | ") : NULL;
        const bool states = second && strstr(line, "`state=");
        for (const char *p = second ? strchr(line, '`') : NULL; p && (p < second || states);
             p = strchr(p, '`')) {
            const char *end = strchr(++p, '`');
            assert_non_null(end);
            accepted(s.tr, p < second ? "" : "state=", p, (size_t)(end - p));
            p = end + 1;
            n++;
        }
    }
    fclose(doc);
    assert_true(n > 20);
    accepted(s.tr, "state=", "GC", 2); /* case is the same, as in a search */
    seen_close(&s);
}

static uint64_t passing(struct trace *tr, const char *text)
{
    char why[FILTER_WHY];
    struct filter *f = filter_new(tr, text, why);
    assert_non_null(f);
    while (!filter_step(f, INT64_MAX)) {
    }
    const uint64_t n = filter_known(f).count;
    filter_free(f);
    return n;
}

/* What the eye reads elsewhere can be typed: view 6's word for a wait, a length as in tables, a lane's
 * number. */
static void test_words(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/lock-1.26.trace");
    const uint64_t locks = passing(s.tr, "reason=lock"), sync = passing(s.tr, "reason=sync");
    assert_true(locks > 0 && locks < sync);             /* who waits for a WaitGroup has "sync", too */
    assert_int_equal(passing(s.tr, "reason=Mutex"), 0); /* a capital counts */
    assert_int_equal(passing(s.tr, "reason=mutex"), locks);
    assert_int_equal(passing(s.tr, "reason=sync -reason=lock"), sync - locks);
    assert_int_equal(passing(s.tr, ">1ms"), passing(s.tr, "dur>1ms"));
    assert_int_equal(passing(s.tr, "<=20us state=waiting"), passing(s.tr, "dur<=20us state=waiting"));
    assert_int_equal(passing(s.tr, "g=1"), 1);
    assert_int_equal(passing(s.tr, "p=0"), passing(s.tr, "p0"));
    assert_true(passing(s.tr, "state=ready") > 0);
    assert_int_equal(passing(s.tr, "state=ready dur>1ms"), passing(s.tr, "state=runnable dur>1ms"));
    seen_close(&s);
}

static bool matches(const char *pattern, bool re, const char *text)
{
    struct match m;
    char why[100];
    assert_true(match_init(&m, pattern, re, why, sizeof why));
    bool yes = match_str(&m, (struct str){text, (uint32_t)strlen(text)});
    match_free(&m);
    return yes;
}

static void test_match(void **state)
{
    (void)state;
    assert_true(matches("conn", false, "net/http.(*Conn).serve"));
    assert_false(matches("Conn", false, "net/http.(*conn).serve"));
    assert_true(matches("(*", false, "a.(*b)"));
    assert_true(matches("^main\\.", true, "main.work"));
    assert_false(matches("^main\\.", true, "xmain.work"));
    assert_true(matches("a\\S", true, "AB")); /* \S is no capital */
    assert_false(matches("aB", true, "ab"));
    assert_false(matches("", false, "x"));
    for (int re = 0; re < 2; re++) { /* in any locale */
        assert_true(matches("größe", re, "main.GRÖßE"));
        assert_true(matches("größe", re, "main.größe"));
        assert_false(matches("GRÖßE", re, "main.größe"));
        assert_false(matches("Größe", re, "main.größe"));
        assert_true(matches("εργο.ячейка", re, "main.ΕΡΓΟ.ЯЧЕЙКА"));
        assert_true(matches("ÿ", re, "xŸ"));
        assert_true(matches("ưu ệ ｇｏ", re, "ƯU Ệ ＧＯ"));
        assert_true(matches("例é", re, "例É"));
        assert_false(matches("é", re, "\xc3")); /* half a character */
        assert_false(matches("×", re, "÷"));    /* no letters */
    }
    char *big = calloc(1, 1 << 20);
    memset(big, 'a', (1 << 20) - 1);
    assert_true(matches("a*b*c*a", true, big));
    free(big);
}

/* What takes the C library minutes to compile is refused; what people type is not. */
static void test_repeats(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *yes, *no;
    } is[] = {{"^ab+c$", "abbc", "ac"},         {"^\\++$", "+++", "a"},    {"^[]+*]+b$", "*+]b", "*+?b"},
              {"^[[:alpha:]*+]+$", "a*+", "?"}, {"^(a+)+b$", "aab", "ac"}, {"^a\\.+$", "a...", "aa"},
              {"^[a\\]+$", "a\\a", "b"},        {"^a{2}$", "aa", "a"},     {"^(a?){120}b$", "aaab", "c"},
              {"^a{2,3}$", "aaa", "aaaa"}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        if (!matches(is[i].pattern, true, is[i].yes) || matches(is[i].pattern, true, is[i].no))
            fail_msg("%s", is[i].pattern);
    static const char *const dear[] = {"(a?){330}b",
                                       "[a-z]{900}",
                                       "(.?){200}",
                                       "((a+)+)+{99}",
                                       "x{401}",
                                       "x{2,900}",
                                       "ab++c",
                                       "x????????",
                                       "a{2}b{2}",
                                       "(a)\\1",
                                       "((((((((((((x+)+)+)+)+)+)+)+)+)+)+)+)+"};
    char why[100], long_one[6001];
    struct match m;
    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++)
        if (match_init(&m, dear[i], true, why, sizeof why))
            fail_msg("%s is taken", dear[i]);
    for (size_t i = 0; i + 1 < sizeof long_one; i++)
        long_one[i] = "a?"[i % 2];
    long_one[sizeof long_one - 1] = 0;
    assert_false(match_init(&m, long_one, true, why, sizeof why));
}

/* ---- which goroutines ---- */

static bool slow(struct seen *s, const struct filter *f, uint32_t g)
{
    struct span_iter it;
    if (!span_seek_index(&it, s->tr, (struct lane){LANE_G, g}, 0))
        return false;
    do
        if (filter_span(f, g, span_get(&it)))
            return true;
    while (span_next(&it));
    return false;
}

static void same_lanes(struct seen *s)
{
    static const char *const texts[] = {"state=waiting",
                                        "state=waiting reason=s",
                                        "dur>100us",
                                        "dur>100us state=runnable",
                                        "dur<1us",
                                        "gc state=running",
                                        "-gc dur>50us",
                                        "state=gc",
                                        "state=assist dur>1us",
                                        "-state=assist state=running",
                                        "main. -state=waiting",
                                        "is:system",
                                        "-is:system state=syscall",
                                        "wokenby:main",
                                        "p0",
                                        "~^main\\.[a-z]+$",
                                        "-~^runtime",
                                        "task:o",
                                        "region:e dur>1us",
                                        "g1",
                                        "-g1",
                                        "state=running p1 dur>10us"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char why[FILTER_WHY];
        struct filter *f = filter_new(s->tr, texts[i], why);
        if (!f)
            fail_msg("%s: %s", texts[i], why);
        while (!filter_step(f, 0))
            ;
        uint64_t n = 0;
        for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
            bool want = slow(s, f, g);
            n += want;
            if (filter_shows(f, g) != want)
                fail_msg("%s, %s: lane %u is %s", s->name, texts[i], g, want ? "missing" : "too many");
        }
        assert_int_equal(filter_known(f).count, n);
        filter_free(f);
    }
}

static void test_lanes(void **state)
{
    (void)state;
    for_samples(same_lanes, "1.2");
}

/* Who works for the collector: the model says so of ranges and of workers, a goroutine's lane only that it
 * runs. */
static void collectors_of(struct seen *s)
{
    char why[FILTER_WHY];
    struct filter *gc = filter_new(s->tr, "state=gc", why), *assist = filter_new(s->tr, "state=assist", why);
    const struct range *a;
    const size_t na = trace_ranges(s->tr, RANGE_ASSIST, &a);
    uint64_t workers = 0;
    assert_true(gc && assist);
    while (!filter_step(gc, INT64_MAX) || !filter_step(assist, INT64_MAX)) {
    }
    for (size_t i = 0; i < na; i++) {
        struct span p;
        if (a[i].owner != NO_LANE && trace_span_at(s->tr, (struct lane){LANE_G, a[i].owner}, a[i].t0, &p) &&
            p.state == ST_RUNNING) {
            assert_true(filter_shows(assist, a[i].owner) && filter_shows(gc, a[i].owner));
            assert_true(filter_span(assist, a[i].owner, &p) && filter_span(gc, a[i].owner, &p));
        }
    }
    for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
        const struct lane_info li = trace_lane(s->tr, (struct lane){LANE_G, g});
        assert_false(li.is_worker && filter_shows(assist, g));
        workers += li.is_worker && filter_shows(gc, g);
    }
    assert_int_equal(filter_known(gc).count, filter_known(assist).count + workers);
    if (strstr(s->name, "alloc-1.2"))
        assert_true(filter_known(assist).count > 0 && workers > 0);
    filter_free(gc);
    filter_free(assist);
}

static void test_collectors(void **state)
{
    (void)state;
    for_samples(collectors_of, "1.2");
}

/* The terms themselves, against the model. */
static void terms_of(struct seen *s)
{
    static const struct {
        const char *text;
        uint32_t states;
        int64_t min;
    } is[] = {{"state=waiting dur>=5us", 1u << ST_WAITING, 5000},
              {"state=runnable dur>1us", 1u << ST_RUNNABLE, 1001},
              {"state=syscall", 1u << ST_SYSCALL, 0}};
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        char why[FILTER_WHY];
        struct filter *f = filter_new(s->tr, is[k].text, why);
        assert_non_null(f);
        for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
            struct span_iter it;
            if (!span_seek_index(&it, s->tr, (struct lane){LANE_G, g}, 0))
                continue;
            do {
                const struct span *p = span_get(&it);
                bool want = (is[k].states >> p->state & 1) && p->t1 - p->t0 >= is[k].min;
                assert_int_equal(filter_span(f, g, p), want);
            } while (span_next(&it));
        }
        filter_free(f);
    }
}

static bool has(struct trace *tr, uint32_t str, const char *what)
{
    struct str s = trace_str(tr, str);
    return memmem(s.p, s.len, what, strlen(what)) != NULL;
}

static bool overlaps(int64_t a0, int64_t a1, const struct span *p)
{
    int64_t p1 = p->t1 > p->t0 ? p->t1 : p->t0 + 1;
    return a0 < p1 && (a1 > a0 ? a1 : a0 + 1) > p->t0;
}

/* What each word means, said again without the filter's own code. */
static bool means(struct trace *tr, int word, uint32_t g, const struct span *p)
{
    struct lane_info li = trace_lane(tr, (struct lane){LANE_G, g});
    const struct range *r;
    const struct region *e;
    switch (word) {
    case 0: return li.id == 1;
    case 1:
        return p->state != ST_RUNNABLE && p->state != ST_WAITING && p->who != NO_LANE &&
               trace_lane(tr, (struct lane){LANE_P, p->who}).id == 0;
    case 2: return li.is_system;
    case 3: return has(tr, p->reason, "sync") || has(tr, p->label, "sync");
    case 4:
        return p->state == ST_RUNNABLE && p->who != NO_LANE &&
               has(tr, trace_lane(tr, (struct lane){LANE_G, p->who}).name, "main");
    case 5:
        for (size_t i = 0, n = trace_ranges(tr, RANGE_GC, &r); i < n; i++)
            if (overlaps(r[i].t0, r[i].t1, p))
                return true;
        return false;
    case 6:
        for (size_t i = 0, n = trace_regions(tr, &e); i < n; i++)
            if (e[i].g == g && has(tr, e[i].name, "e") && overlaps(e[i].t0, e[i].t1, p))
                return true;
        return false;
    case 7:
        if (p->state == ST_RUNNABLE && p->who != NO_LANE)
            return has(tr, li.name, "main."); /* the stack is the waker's */
        for (uint32_t i = 0, n = trace_stack(tr, p->stack); i < n; i++)
            if (has(tr, trace_frame(tr, p->stack, i).func, "main."))
                return true;
        return has(tr, li.name, "main.");
    }
    return false;
}

static size_t found[8];

static void words_of(struct seen *s)
{
    static const char *const words[] = {"g1",           "p0", "is:system", "reason=sync",
                                        "wokenby:main", "gc", "region:~e", "~main\\."};
    for (int k = 0; k < 8; k++) {
        char why[FILTER_WHY];
        struct filter *f = filter_new(s->tr, words[k], why);
        assert_non_null(f);
        for (uint32_t g = 0; g < trace_nlanes(s->tr, LANE_G); g++) {
            struct span_iter it;
            if (!span_seek_index(&it, s->tr, (struct lane){LANE_G, g}, 0))
                continue;
            int left = 3000;
            do {
                bool want = means(s->tr, k, g, span_get(&it));
                found[k] += want;
                if (filter_span(f, g, span_get(&it)) != want)
                    fail_msg("%s, %s: lane %u span %d: want %d", s->name, words[k], g,
                             (int)span_get(&it)->index, want);
            } while (--left && span_next(&it));
        }
        filter_free(f);
    }
}

static void test_terms(void **state)
{
    (void)state;
    for_samples(words_of, "http-1.26");
    for_samples(words_of, "tasks");
    for_samples(words_of, "lock-1");
    for (int k = 0; k < 8; k++)
        assert_true(found[k] > 0); /* each was there to be found */
    for_samples(terms_of, "http");
    for_samples(terms_of, "lock");
}

static void test_view(void **state)
{
    (void)state;
    struct seen s;
    seen_open(&s, "samples/http-1.26.trace");
    struct lanes *l = &s.v.lanes[LANE_G];
    view_switch(&s.v, 3);
    uint32_t all = l->n;
    assert_true(view_filter(&s.v, "conn).serve") & VR_DRAW);
    finish(&s.v);
    assert_true(l->n > 0 && l->n < all);
    uint32_t one = l->n;
    assert_true(on_screen(&s, "filter: conn).serve"));
    view_filter(&s.v, "dur>1ms state=waiting");
    finish(&s.v);
    assert_true(l->n > 0 && l->n <= one);
    assert_string_equal(s.v.filters.text, "conn).serve dur>1ms state=waiting");
    for (uint32_t r = 0; r < l->n; r++)
        assert_true(filter_shows(s.v.filters.all, lanes_at(l, r)) || lanes_at(l, r) == s.v.at.focus.i);
    int steps = 0; /* steps stop at what passes */
    while (steps < 50 && !(view_do(&s.v, REQ_SPAN, 1) & VR_BELL)) {
        struct span sp;
        assert_true(trace_span_at(s.tr, s.v.at.focus, s.v.at.cursor, &sp));
        assert_true(pick_span(&s.v, s.v.at.focus, &sp));
        assert_true(sp.state == ST_WAITING && sp.t1 - sp.t0 > 1000000);
        steps++;
    }
    assert_true(steps > 0);
    view_filter_pop(&s.v);
    finish(&s.v);
    assert_int_equal(l->n, one);
    view_filter_pop(&s.v);
    assert_int_equal(l->n, all);
    assert_true(view_filter_pop(&s.v) & VR_BELL);
    view_filter(&s.v, "nosuchfunction");
    finish(&s.v);
    assert_true(s.v.msg.error); /* nothing passes, and it says so */
    view_show_all(&s.v);
    assert_int_equal(l->n, all);
    for (int i = 0; i < VIEW_FILTERS; i++) {
        char text[16];
        snprintf(text, sizeof text, "dur>%dns", i + 1);
        assert_false(view_filter(&s.v, text) & VR_BELL);
        assert_int_equal(s.v.filters.n, i + 1);
        assert_true(view_filter(&s.v, " dur>1ns ") & VR_BELL); /* the same twice hides nothing more */
        assert_int_equal(s.v.filters.n, i + 1);
    }
    assert_true(view_filter(&s.v, "gc") & VR_BELL);
    seen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_documented), cmocka_unit_test(test_words),
        cmocka_unit_test(test_match),      cmocka_unit_test(test_repeats),    cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_collectors), cmocka_unit_test(test_terms),      cmocka_unit_test(test_view)};
    return cmocka_run_group_tests_name("filters", tests, NULL, NULL);
}
