/*
 * test_layout_said.c - numbers in the sentences beside the cursor, each held against a slow walk over the
 * spans: columns and ranges of lanes, GC cycles, the curve's windows, who had the processors during a
 * wait. (An idle processor's: test_layout_idle.c; a folded group's: test_layout_group.c; tables':
 * test_layout_table.c; `W`: test_layout_why.c.)
 */
#include "layout_help.h"

#include "layout/cells/fmt.h"
#include "triage/activity/gstate.h"
#include "layout/draw/status.h"
#include "decode/model/item.h"
#include "layout/views/table.h"
#include "layout/views/tri.h"
#include "triage/text.h"
#include "triage/triage.h"
#include "layout/move/record.h"

static unsigned lanes_said, longest_of, cycles_said, curves_said, waits_said, pairs_seen;

/* ---- the slow way -------------------------------------------------------------------------------------- */

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
    int64_t t0 = a0 > b0 ? a0 : b0, t1 = a1 < b1 ? a1 : b1;
    return t1 > t0 ? t1 - t0 : 0;
}

/* Every span of the lane, from its first one. Returns how many overlap [t0,t1). */
static uint64_t walk(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, int64_t ns[ST_COUNT])
{
    struct span_iter it;
    uint64_t n = 0;
    int64_t there = 0;
    memset(ns, 0, ST_COUNT * sizeof *ns);
    if (span_seek_index(&it, tr, l, 0))
        do {
            const struct span *s = span_get(&it);
            int64_t k = overlap(s->t0, s->t1, t0, t1);
            ns[s->state] += k;
            there += k;
            n += k > 0;
        } while (span_next(&it));
    ns[ST_NONE] += t1 - t0 - there;
    return n;
}

/* Of [t0,t1) what any of the ranges covers. */
static int64_t covered(const struct range *r, size_t n, int64_t t0, int64_t t1)
{
    int64_t sum = 0, at = t0;
    for (;;) { /* the next moment behind `at` that is covered, and to where */
        int64_t from = INT64_MAX, to = 0;
        for (size_t i = 0; i < n; i++)
            if (r[i].t1 > at && r[i].t0 < t1 && r[i].t1 > r[i].t0 && (r[i].t0 > at ? r[i].t0 : at) < from)
                from = r[i].t0 > at ? r[i].t0 : at;
        if (from >= t1)
            return sum;
        to = from;
        for (size_t i = 0; i < n; i++)
            if (r[i].t0 <= from && r[i].t1 > to)
                to = r[i].t1;
        to = to < t1 ? to : t1;
        sum += to - from;
        at = to;
    }
}

static void must_say(const struct seen *s, const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("%s: '%s' is not in '%s'", s->name, what, text);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

/* Behind the shares is the longest span of all that they are of. */
static void longest_said(struct seen *s, const char *text, int64_t t0, int64_t t1)
{
    const struct lane l = s->v.at.focus;
    const char *const at =
        strstr(text, "longest busy: ") ? strstr(text, "longest busy: ") : strstr(text, "longest: ");
    struct span_iter it;
    int64_t most = 0, known = record_until(&s->v, l);
    char len[FMT_MAX];
    bool waits = true;
    for (bool more = at && span_seek_index(&it, s->tr, l, 0); more && span_get(&it)->t0 < t1;
         more = span_next(&it)) {
        const struct span *p = span_get(&it);
        const bool rests = l.kind != LANE_G && (p->state == ST_IDLE || p->state == ST_SCHED);
        const int64_t end = p->t1 > known && p->t0 < known ? known : p->t1;
        if (p->t1 <= t0 || p->state == ST_NONE || (rests && !waits))
            continue;
        most = (waits && !rests) || end - p->t0 > most ? end - p->t0 : most;
        waits &= rests;
    }
    if (at && !strstr(at, when_exact(NULL, most, len)))
        fail_msg("%s: not %s: '%s'", s->name, len, text);
    longest_of += at != NULL;
}

static void lane_said(struct seen *s, int64_t t0, int64_t t1)
{
    char text[STATUS_MOST], what[100], p[FMT_MAX];
    int64_t ns[ST_COUNT];
    struct lane l = s->v.at.focus;
    status_text(&s->v, text, sizeof text);
    if (!strstr(text, " span")) /* of one span alone */
        return;
    uint64_t n = walk(s->tr, l, t0, t1, ns);
    bool assists = l.kind == LANE_G && gstate_any(s->v.cache.gstate, s->tr, l.i, t0, t1);
    lanes_said++;
    longest_said(s, text, t0, t1);
    for (int k = 0; k < ST_COUNT; k++) {
        const char *none = l.kind == LANE_P ? "not recorded" : "not alive";
        const char *name = k == ST_NONE ? none : state_name((enum state)k);
        if (l.kind == LANE_G && (k == ST_RUNNING || k == ST_ASSIST || k == ST_GCWORK) &&
            (assists || ns[ST_GCWORK] || strstr(text, "GC worker"))) /* told apart: test_layout_gstate.c */
            continue;
        snprintf(what, sizeof what, "%s %s", fmt_percent(ns[k], t1 - t0, p), name);
        if (ns[k] > 0)
            must_say(s, text, what);
        snprintf(what, sizeof what, "%% %s", name);
        if (!ns[k] && strstr(text, what))
            fail_msg("%s: nothing was '%s' in '%s'", s->name, name, text);
    }
    if (n < 1000) {
        snprintf(what, sizeof what, "  %llu span%s", (unsigned long long)n, n == 1 ? "" : "s");
        must_say(s, text, what);
    }
}

static void lanes(struct seen *s)
{
    static const int view_of[] = {VIEW_PROCS, VIEW_GOROUTINES, VIEW_THREADS};
    static const enum lane_kind kind_in[] = {LANE_P, LANE_G, LANE_M};
    int64_t end = trace_info(s->tr)->end;
    for (int i = 0; i < 60 && end > 1000; i++) {
        const int k = (int)rnd(3);
        const uint32_t n = trace_nlanes(s->tr, kind_in[k]);
        if (!n)
            continue;
        int64_t len = end >> rnd(6), t0 = (int64_t)rnd((unsigned)((end - len) / 1000 + 1)) * 1000, c0, c1;
        (void)view_switch(&s->v, view_of[k]);
        (void)view_range(&s->v, t0, t0 + len);
        (void)view_focus(&s->v, (struct lane){kind_in[k], rnd(n)});
        (void)view_at(&s->v, s->v.at.win.t0 + window_len(s->v.at.win) / 100 * rnd(100));
        s->v.at.exact = false;
        s->v.sel.stands = rnd(2);
        s->v.sel.t0 = t0 + len / 5;
        s->v.sel.t1 = t0 + len / 5 * 4;
        finish(&s->v);
        assert_true(frame_draw(&s->g, &s->v, NULL));
        view_column(&s->v, &c0, &c1);
        if (s->v.sel.stands && s->v.sel.t1 > s->v.sel.t0)
            c0 = s->v.sel.t0, c1 = s->v.sel.t1;
        if (s->v.at.focus.kind == kind_in[k])
            lane_said(s, c0, c1);
    }
    s->v.sel.stands = false;
}

/* ---- GC cycles ----------------------------------------------------------------------------------------- */

static void cycle_said(struct seen *s, const struct range *gc)
{
    const struct range *stw, *assist;
    size_t nstw = trace_ranges(s->tr, RANGE_STW, &stw), nassist = trace_ranges(s->tr, RANGE_ASSIST, &assist);
    char text[STATUS_MOST], what[200], d[FMT_MAX], e[FMT_MAX];
    status_text(&s->v, text, sizeof text);
    if (gc->t1 <= gc->t0)
        return;
    int64_t from = gc->t0,
            to = gc->t1; /* a stop is the cycle's whole: the last one outlives its mark phase */
    for (size_t i = 0; i < nstw; i++)
        if (stw[i].t0 < gc->t1 && stw[i].t1 > gc->t0) {
            from = stw[i].t0 < from ? stw[i].t0 : from;
            to = stw[i].t1 > to ? stw[i].t1 : to;
        }
    const int64_t stopped = covered(stw, nstw, from, to),
                  assisting = covered(assist, nassist, gc->t0, gc->t1);
    snprintf(what, sizeof what, "in it: stopped %s  some goroutine assisting %s", when_dur(s->tr, stopped, d),
             when_dur(s->tr, assisting, e));
    must_say(s, text, what);
    cycles_said++;
}

static void cycles(struct seen *s)
{
    const struct range *gc;
    size_t n = trace_ranges(s->tr, RANGE_GC, &gc);
    (void)view_switch(&s->v, VIEW_GC);
    assert_true(frame_draw(&s->g, &s->v, NULL));
    for (uint32_t i = 0; i < s->v.items.n && i < 40; i++) {
        const struct item *it = &s->v.items.row[i];
        s->v.at.row = i;
        if (it->kind == ITEM_GC && it->index < n)
            cycle_said(s, &gc[it->index]);
    }
}

/* ---- what triage's tables say -------------------------------------------------------------------------- */

static void curve_said(struct seen *s, const struct mmu_point *m)
{
    int64_t sum[ST_COUNT] = {0}, ns[ST_COUNT], all = 0;
    char text[STATUS_MOST];
    status_text(&s->v, text, sizeof text);
    for (uint32_t p = 0; p < trace_nlanes(s->tr, LANE_P); p++) {
        (void)walk(s->tr, (struct lane){LANE_P, p}, m->at, m->at + m->window, ns);
        for (int k = ST_NONE + 1; k < ST_COUNT; k++)
            sum[k] += ns[k], all += ns[k];
    }
    curves_said++;
    for (int k = ST_NONE + 1; k < ST_COUNT; k++) {
        struct text t = {0};
        if (!sum[k])
            continue;
        text_add(&t, "%s ", state_name((enum state)k));
        text_share(&t, (double)sum[k], (double)all);
        must_say(s, text, t.p);
        text_free(&t);
    }
}

/* Who had the processors: the parts are all of the time there was. */
static void wait_said(struct seen *s, const struct sched_wait *w)
{
    int64_t ns[ST_COUNT], all = 0, idle = 0, calls = 0;
    const struct range *stw;
    size_t n = trace_ranges(s->tr, RANGE_STW, &stw);
    char text[STATUS_MOST];
    struct text t = {0};
    if (w->t1 <= w->t0)
        return;
    for (uint32_t p = 0; p < trace_nlanes(s->tr, LANE_P); p++) {
        struct span_iter it;
        (void)walk(s->tr, (struct lane){LANE_P, p}, w->t0, w->t1, ns);
        all += w->t1 - w->t0 - ns[ST_NONE];
        calls += ns[ST_SYSCALL];
        if (span_seek_index(&it, s->tr, (struct lane){LANE_P, p}, 0))
            do { /* idle, and the world did not stand */
                const struct span *x = span_get(&it);
                int64_t t0 = x->t0 > w->t0 ? x->t0 : w->t0, t1 = x->t1 < w->t1 ? x->t1 : w->t1;
                if (x->state == ST_IDLE && t1 > t0)
                    idle += t1 - t0 - covered(stw, n, t0, t1);
            } while (span_next(&it));
    }
    status_text(&s->v, text, sizeof text);
    waits_said++;
    if (idle > 0) {
        text_lit(&t, "idle ");
        text_share(&t, (double)idle, (double)all);
        must_say(s, text, t.p);
        text_free(&t);
    }
    if (calls > 0) {
        text_lit(&t, "system calls ");
        text_share(&t, (double)calls, (double)all);
        must_say(s, text, t.p);
        text_free(&t);
    }
    const char *from = strstr(text, "processors meanwhile: ");
    double sum = 0;
    for (const char *at = from; at && *at && *at != ';'; at++) { /* they add up to all of it */
        if (*at == '%') {
            const char *a = at;
            while (a > text && (a[-1] == '.' || (a[-1] >= '0' && a[-1] <= '9')))
                a--;
            sum += a > text && a[-1] == '<' ? 0.025 : strtod(a, NULL);
        }
    }
    if (!from || sum < 99.5 || sum > 100.5)
        fail_msg("%s: parts of %g%% in '%s'", s->name, sum, text);
}

/* Rows of who waited for whom: no two read alike, and together they are all of triage's. */
static void pairs_said(struct seen *s, const struct triage *tg)
{
    int64_t all = 0;
    char row[200][400], line[4000];
    int n = 0;
    struct grid g = {0};
    (void)kind_of(VIEW_WAITS)->open(&s->v, VIEW_WAITS);
    finish(&s->v);
    view_resize(&s->v, 300, 300);
    assert_true(frame_draw(&g, &s->v, NULL));
    for (int y = 0; y < g.h && n < 200; y++) {
        grid_line(&g, y, line, sizeof line);
        if (strstr(line, " <- ") && line[0] == ' ' && !strstr(line, "total"))
            snprintf(row[n++], sizeof *row, "%.399s", line + 45);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (!strstr(row[i], "?") && strcmp(row[i], row[k]) == 0)
                fail_msg("%s: twice '%s'", s->name, row[i]);
    for (uint32_t i = 0; i < tg->npairs; i++) {
        enum wait_kind k = tg->pairs[i].kind;
        if (!tg->pairs[i].from_scheduler &&
            (k == WK_LOCK || k == WK_SEND || k == WK_COND || k == WK_WAITGROUP || k == WK_OTHER))
            all += (int64_t)tg->pairs[i].count;
    }
    for (uint32_t i = 0; i < s->v.table->nrows; i++) {
        char text[STATUS_MOST];
        s->v.at.row = i;
        status_text(&s->v, text, sizeof text);
        assert_non_null(strstr(text, "waited at "));
        pairs_seen++;
    }
    for (uint32_t i = 0; i < s->v.table->n;
         i++) { /* those that nobody is known to have ended are in no pair */
        const struct thing *x = &s->v.table->thing[i];
        struct span by;
        all -= trace_span_at(s->tr, lane_g(x->g), x->t1, &by) && by.state == ST_RUNNABLE && by.who != NO_LANE;
    }
    if (all)
        fail_msg("%s: %lld waits that are in no row", s->name, (long long)all);
    grid_free(&g);
    view_resize(&s->v, 100, 30);
}

static void with_tables(struct seen *s)
{
    struct triage *tg;
    struct tri tri;
    struct err e;
    assert_int_equal(triage_new(s->tr, &tg, &e), ERR_OK);
    assert_int_equal(triage_step(tg, INT64_MAX), TRIAGE_DONE);
    tri_init(&tri, s->tr);
    s->v.tri = &tri;
    tri_ready(&tri, tg, NULL);
    (void)kind_of(VIEW_MMU)->open(&s->v, VIEW_MMU);
    finish(&s->v);
    for (uint32_t i = 0; i < tg->nmmu; i++) {
        s->v.at.row = i;
        curve_said(s, &tg->mmu[s->v.table->thing[s->v.table->row[i]].index]);
    }
    (void)kind_of(VIEW_RUNNABLE)->open(&s->v, VIEW_RUNNABLE);
    finish(&s->v);
    const struct table *t = s->v.table;
    if (tg->longest_runnable.n) { /* those of the program's goroutines */
        s->v.at.row = t->type[t->row[0]].a ? 1 : 0;
        (void)view_do(&s->v, REQ_DETAILS, 0);
        finish(&s->v);
    }
    for (uint32_t i = 0; tg->longest_runnable.n && i < t->nrows; i++)
        each_of(w, tg->longest_runnable.v, tg->longest_runnable.n) {
            s->v.at.row = i;
            if (t->thing[t->row[i]].g == w->g && t->thing[t->row[i]].t0 == w->t0)
                wait_said(s, w);
        }
    pairs_said(s, tg);
    struct shares stw; /* stops that several processors tell of are one each */
    trace_shares(s->tr, (struct lane){LANE_BAND, BAND_STW}, 0, trace_info(s->tr)->end + 1, &stw);
    assert_int_equal(tg->stw_all.total, stw.ns[ST_STW]);
    s->v.tri = NULL;
    tri_free(&tri);
    triage_free(tg);
}

static void of_sample(struct seen *s)
{
    assert_true(frame_draw(&s->g, &s->v, NULL));
    lanes(s);
    cycles(s);
    with_tables(s);
}

static void test_said(void **state)
{
    (void)state;
    for_samples(of_sample, "");
    assert_true(lanes_said > 500 && longest_of > 200);
    assert_true(cycles_said > 20);
    assert_true(curves_said > 100);
    assert_true(waits_said > 100);
    assert_true(pairs_seen > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_said)};
    return cmocka_run_group_tests_name("layout said", tests, NULL, NULL);
}
