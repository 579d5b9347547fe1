/*
 * test_app_tables.c - the views of triage's tables (1, 5, 6, flame) by keys, on the samples: what is shown,
 * where Enter leads, how one comes back; and that no size of screen and no half-done triage harms them.
 */
#include <unistd.h>

#include "triage/text.h"
#include "decode/base/mem.h"
#include "layout/draw/status.h"
#include "layout/views/table.h"
#include "tests/unit/app_help.h"

static const char lock[] = "samples/lock-1.26.trace", alloc[] = "samples/alloc-1.27.trace";

/* A trace without its end has lost its stacks, and of a clock before 1.22 the rate: who finds nothing is told
 * so, here and by e. */
static void test_lacking(void **state)
{
    static const struct {
        const char *path, *says[2];
        size_t fifths; /* of it */
    } row[] = {
        {"samples/workers-1.5.trace", {"nothing stands out; ", "checks are skipped: no function names"}, 5},
        {"samples/lock-1.21.trace", {"the file has no clock rate", "base clock / 64; 2.4 GHz: 37500000"}, 3},
        {"samples/lock-1.26.trace", {"1 note; ", "checks skipped: its stacks are lost"}, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        static char buf[300000];
        char cut[] = "/tmp/gotop-cut-XXXXXX";
        FILE *from = fopen(row[i].path, "rb"), *to = fdopen(mkstemp(cut), "wb");
        const size_t n = fread(buf, 1, sizeof buf, from) * row[i].fifths / 5;
        assert_int_equal(fwrite(buf, 1, n, to), n);
        fclose(from);
        fclose(to);
        struct fix f;
        fix_open(&f, cut, "default", 100, 30);
        for (int k = 0; k < 2; k++)
            expect(&f, "1", row[i].says[k]);
        if (!i)
            for (int k = 0; k < 2; k++)
                expect(&f, "2 e", row[i].says[k]);
        fix_close(&f);
        unlink(cut);
    }
}

/* The mutator's share in the worst windows: as triage has it, the way to the worst window, all of it as
 * TSV. */
static void test_mmu(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, alloc, "default", 80, 24);
    expect(&f, "8 Tab", "worst windows (MMU)"); /* round the key's views backwards */
    expect(&f, "", "Tab stops");
    expect(&f, "8", "Tab mmu");
    expect(&f, "8 8 8", "worst windows (MMU)");
    assert_int_equal(f.a.view.at.view, VIEW_MMU);
    const struct triage *tg = f.a.tri.tg;
    const struct table *t = f.a.view.table;
    assert_true(tg->nmmu > 8);
    assert_int_equal(t->nrows, tg->nmmu);
    for (uint32_t i = 0; i < t->nrows; i++) {
        char what[80], share[SHARE_MAX];
        const struct mmu_point *m = &tg->mmu[t->thing[t->row[i]].index];
        snprintf(what, sizeof what, i ? "at least %s" : "the whole trace the program had %s",
                 share_of(m->mmu, 1, share));
        expect(&f, i ? "j" : "g", what);
        assert_true(i == 0 || m->mmu <= tg->mmu[t->thing[t->row[i - 1]].index].mmu);
    }
    expect(&f, "j", "this is the last row");
    expect(&f, "g j j y", "copied: all rows");
    assert_memory_equal(f.a.yank, "took ns\tat ns\tleft ppm\tname\n", 28);
    const struct mmu_point *m = &tg->mmu[t->thing[t->row[2]].index];
    expect(&f, "Enter", "their time in the worst");
    assert_int_equal(f.a.view.at.view, VIEW_PROCS);
    assert_int_equal(f.a.view.at.cursor, m->at);
    assert_true(f.a.view.at.win.t1 >= m->at + m->window);
    expect(&f, "u", "worst windows (MMU)");
    fix_close(&f);
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, ":mmu Enter", "no garbage collection in this trace");
    expect(&f, "Enter", "nothing here");
    fix_close(&f);
}

/* y of a view of rows copies them all, below the names of their columns. */
static void test_copied(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *begin;
    } rows[] = {{":waits-for Enter y", "waited ns\twaits\tof life ppm\tlongest ns\tname\n"},
                {"6 W y", "share\tns\tcount\tdepth\twhat\n"},
                {":sql Space select Space g,p Space from Space span Enter y", "g\tp\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fix f;
        fix_open(&f, lock, "default", 80, 24);
        expect(&f, rows[i].keys, "copied: all rows");
        assert_memory_equal(f.a.yank, rows[i].begin, strlen(rows[i].begin));
        uint32_t lines = 0;
        for (const char *c = f.a.yank; *c; c++)
            lines += *c == '\n';
        assert_int_equal(lines, kind_here(&f.a.view)->rows(&f.a.view) + 1);
        assert_true(lines > 2);
        fix_close(&f);
    }
}

/* A key that changes nothing says why, and a row about a goroutine is asked for its life as a lane is. */
static void test_no_silence(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "samples/http-1.26.trace", "default", 80, 24);
    expect(&f, ":mmu Enter i", "no goroutine here: Enter leads to one");
    expect(&f, "1 r", "Enter opens the lanes first");
    expect(&f, "2 0", "this is the whole trace");
    expect(&f, "c", "can't be in the middle");
    expect(&f, "g", "this is the start of the trace");
    expect(&f, "u", "1 finding"); /* none of these was a step */
    expect(&f, "2 G G", "this is the end of the trace");
    expect(&f, "M s", "this is all there is");
    expect(&f, "5 5 i", "The life of G90");
    /* What is not found says what may have been meant. */
    expect(&f, "3 / S E R V E Enter", "not found: SERVE; capitals make it case-sensitive");
    expect(&f, "/ > 1 m s Enter", "not found: >1ms; a filter takes durations, a search takes names");
    expect(&f, "\\ r u n n i n g Enter", "the filter: running; that is a name, a state is");
    expect(&f, "| : f i n d i n g s Enter", "1 finding"); /* as the footer calls it */
    expect(&f, ": G C Enter", "Tab mmu");
    fix_close(&f);
}

/* Works and their pieces, as the first page counts them; why one took its time is a key away. */
static void test_pieces(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "samples/http-long-1.27.trace", "default", 120, 30);
    expect(&f, ":work Enter", "works: 2; pieces: 595");
    expect(&f, "j Enter W", "waiting for a timer (sleep) at main.(*shop).buy");
    fix_close(&f);
}

/* Loaded and worked out, the findings come first; not if a key came before or a place was asked for. */
static void test_first_view(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "", "STW ");
    assert_int_equal(f.a.view.at.view, VIEW_TRIAGE);
    expect(&f, "u", "nothing to undo");
    fix_close(&f);
    fix_open(&f, lock, "default", 80, 24);
    f.a.open.view = VIEW_GOROUTINES;
    expect(&f, "", "main.");
    assert_int_equal(f.a.view.at.view, VIEW_GOROUTINES);
    fix_close(&f);
    fix_open(&f, lock, "default", 80, 24);
    f.a.hint = true;
    while (app_load(&f.a, INT64_MAX)) {
    }
    (void)app_do(&f.a, ACT_ZOOM_IN, 0, NULL);
    while (app_has(&f.a, DUE_TABLES))
        (void)app_triage(&f.a, 1);
    assert_int_equal(f.a.view.at.view, VIEW_PROCS);
    assert_true(f.a.fs.n > 0);
    assert_non_null(strstr(f.a.view.msg.text, " ready: press 1 "));
    fix_close(&f);
}

/* A finding asked for too early is gone to when it can be, unless the reader moved on; no message stays too
 * long. */
static void test_wish(void **state)
{
    (void)state;
    static const struct {
        enum action first, then;
        int view; /* where one is at the end, 0 = at the first finding */
        const char *says;
    } t[] = {
        {ACT_FINDING_NEXT, ACT_NONE, 0, "1/"},
        {ACT_VIEW_TRIAGE, ACT_FINDING_NEXT, 0, "1/"},
        {ACT_FINDING_NEXT, ACT_ZOOM_IN, VIEW_PROCS, " ready: press 1 "},
        {ACT_FINDING_NEXT, ACT_VIEW_TRIAGE, VIEW_TRIAGE, ""},
        {ACT_FINDING_NEXT, ACT_CLOSE, VIEW_PROCS, " ready: press 1 "},
        {ACT_VIEW_TRIAGE, ACT_LANE_DOWN, VIEW_TRIAGE, ""},
    };
    for (int early = 0; early < 2; early++)
        for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
            struct fix f;
            if (early && t[i].then == ACT_ZOOM_IN)
                continue; /* nothing is decoded: no place to move to */
            fix_open(&f, lock, "default", 80, 24);
            f.a.hint = true;
            while (!early && app_load(&f.a, INT64_MAX)) {
            }
            (void)app_do(&f.a, t[i].first, 0, NULL);
            if (t[i].then != ACT_NONE)
                (void)app_do(&f.a, t[i].then, 0, NULL);
            while (app_load(&f.a, INT64_MAX)) {
            }
            while (app_has(&f.a, DUE_TABLES))
                (void)app_triage(&f.a, 1);
            const char *m = f.a.view.msg.text;
            if (t[i].says[0] ? !strstr(m, t[i].says) : m[0] != 0)
                fail_msg("case %zu, early %d says '%s'", i, early, m);
            if (t[i].view)
                assert_int_equal(f.a.view.at.view, t[i].view);
            else
                assert_true(f.a.view.at.view != VIEW_TRIAGE);
            if (!t[i].view)
                assert_true(f.a.view.at.cursor == f.a.fs.f[0].v.t0);
            assert_int_equal(f.a.finding_wish, 0);
            fix_close(&f);
        }
}

static char *printed(struct fix *f)
{
    char *s = NULL;
    size_t n;
    FILE *o = open_memstream(&s, &n);
    assert_true(headless_print(&f->a, false, o));
    fclose(o);
    return s;
}

/* Before triage is done its views say so, and no key does harm. */
static void test_half_done(void **state)
{
    (void)state;
    static const enum action views[] = {ACT_VIEW_TRIAGE, ACT_VIEW_GROUPS, ACT_VIEW_WAITS, ACT_VIEW_FLAME};
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    for (size_t i = 0; i < 4; i++) {
        (void)app_do(&f.a, views[i], 0, NULL);
        for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
            if (a == ACT_QUIT || a == ACT_SUSPEND)
                continue;
            (void)app_do(&f.a, a, 0, NULL);
            f.a.view.prompt.kind = PROMPT_NONE;
            f.a.view.popup.kind = POPUP_NONE;
            assert_true(app_draw(&f.a));
            (void)app_do(&f.a, views[i], 0, NULL);
        }
        char *s = printed(&f);
        assert_non_null(strstr(s, "still reads the trace"));
        free(s);
    }
    f.a.tri.so_far = true; /* of a program that runs there is no end to wait for */
    assert_true(app_draw(&f.a));
    char *s = printed(&f);
    assert_null(strstr(s, "still reads the trace"));
    assert_non_null(strstr(s, "Working on the tables"));
    free(s);
    fix_close(&f);
}

/* That a table isn't done yet is said until it is. */
static void test_not_yet(void **state)
{
    (void)state;
    static const int views[] = {VIEW_CYCLES, VIEW_GROUPS, VIEW_FLAME};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct fix f;
        fix_open(&f, "samples/alloc-1.27.trace", "default", 80, 24);
        (void)view_switch(&f.a.view, views[i]);
        if (views[i] == VIEW_CYCLES)
            (void)table_find(&f.a.view, "x");
        else
            (void)app_do(&f.a, ACT_LANE_DOWN, 0, NULL);
        assert_non_null(strstr(f.a.view.msg.text, "not done yet"));
        while (app_load(&f.a, INT64_MAX)) {
        }
        while (app_has(&f.a, DUE_TABLES))
            (void)app_triage(&f.a, 1);
        assert_true(app_draw(&f.a));
        while (view_work(&f.a.view, INT64_MAX) & VR_WORK) {
        }
        if (f.a.view.msg.text[0])
            fail_msg("view %d still says '%s'", views[i], f.a.view.msg.text);
        fix_close(&f);
    }
}

/* "5 S" typed at once, before there are tables: what leaks is on top when they come, here and of a program
 * that runs. */
static void test_sorts_early(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, "samples/alloc-1.27.trace", "default", 80, 24);
    (void)app_do(&f.a, ACT_VIEW_GROUPS, 0, NULL);
    (void)app_do(&f.a, ACT_SORT, 0, NULL);
    assert_non_null(strstr(f.a.view.msg.text, "may leak"));
    while (app_load(&f.a, INT64_MAX)) {
    }
    while (app_has(&f.a, DUE_TABLES))
        (void)app_triage(&f.a, 1);
    free(run(&f, ""));
    assert_string_equal(table_col(f.a.view.table, &f.a.view.table->have, f.a.view.table->have.sort).head,
                        "may leak");
    fix_close(&f);
}

/* The pop-up's lines without blanks, and whether they hold a text, its blanks away, too. */
static bool read_holds(const struct view *v, const char *text)
{
    static char all[40000], want[8000];
    size_t n = 0, k = 0;
    for (size_t i = 0; v->popup.kind == POPUP_LINES && i < v->popup.text->n && n + 1 < sizeof all; i++)
        if (v->popup.text->text[i] != ' ')
            all[n++] = v->popup.text->text[i];
    for (; *text && k + 1 < sizeof want; text++)
        if (*text != ' ')
            want[k++] = *text;
    all[n] = want[k] = '\0';
    return v->popup.kind == POPUP_LINES && n && strstr(all, want);
}

/* What a small screen leaves out a key shows: of a finding, of the message that leads to its evidence, of any
 * status. */
static void test_read(void **state)
{
    static const int size[][2] = {{60, 12}, {40, 12}, {20, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        struct fix f;
        fix_open(&f, lock, "default", size[i][0], size[i][1]);
        expect(&f, "1", size[i][0] < 60 ? "\" all" : "\" read all");
        const struct finding *found = &f.a.fs.f[0];
        free(run(&f, "\""));
        assert_true(read_holds(&f.a.view, found->text) && read_holds(&f.a.view, found->next) &&
                    read_holds(&f.a.view, found->won) &&
                    read_holds(&f.a.view, "4processors;18goroutines:13created"));
        expect(&f, "Esc Enter", size[i][0] < 60 ? "\" all" : "\" read all");
        free(run(&f, "\""));
        assert_true(read_holds(&f.a.view, found->text) && read_holds(&f.a.view, found->won));
        for (int view = VIEW_PROCS; view <= VIEW_LOG; view++) {
            char keys[] = "Esc 0 \"", text[8000];
            keys[4] = (char)('0' + view);
            f.a.view.msg.text[0] = '\0';
            free(run(&f, keys));
            status_text(&f.a.view, text, sizeof text);
            assert_true(!text[0] || read_holds(&f.a.view, text));
        }
        fix_close(&f);
    }
    struct fix f;
    fix_open(&f, lock, "default", 200, 60);
    char *s = run(&f, "1");
    assert_null(strstr(s, "read all"));
    free(s);
    fix_close(&f);
    fix_open(&f, "samples/http-1.27.trace", "default", 80, 24);
    free(run(&f, "1 j \""));
    const struct finding *last = &f.a.fs.f[1]; /* nothing is to be won by it: what it says stands once */
    assert_true(!last->won && read_holds(&f.a.view, last->next));
    for (size_t i = 0, n = 0; i < rich_paras(f.a.view.popup.text); i++) {
        n += !strncmp(rich_at(f.a.view.popup.text, i).p, last->next, 20);
        assert_true(n < 2);
    }
    fix_close(&f);
}

/* e leads to the evidence from anywhere, u back; Enter in view 1 does the same for the row. */
static void test_findings(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    free(run(&f, ""));
    const struct findings *fs = &f.a.fs;
    if (!fs->n)
        fail_msg("%s has no finding: the test needs one", lock);
    free(run(&f, "e"));
    assert_true(f.a.view.at.view != VIEW_TRIAGE);
    assert_true(f.a.view.at.win.t0 <= fs->f[0].v.t0 && f.a.view.at.cursor == fs->f[0].v.t0);
    if (fs->f[0].lane.i != NO_LANE) {
        assert_int_equal(f.a.view.at.focus.kind, fs->f[0].lane.kind);
        assert_int_equal(f.a.view.at.focus.i, fs->f[0].lane.i);
    }
    expect(&f, "", fs->f[0].title);
    free(run(&f, "u"));
    assert_int_equal(f.a.view.at.view, VIEW_TRIAGE);
    free(run(&f, "Enter"));
    assert_true(f.a.view.at.cursor == fs->f[0].v.t0);
    expect(&f, "E", "first finding");
    for (uint32_t i = 0; i < fs->n; i++)
        free(run(&f, "e"));
    expect(&f, "e", "last finding");
    fix_close(&f);
}

/* The rows of a table stand in the order of a column, as numbers say. */
static void in_order(const struct table *t, bool falling)
{
    assert_true(t->nrows > 1);
    for (uint32_t i = 1; i < t->nrows; i++) {
        const int64_t a = table_value(t, &t->have, t->row[i - 1], t->have.sort),
                      b = table_value(t, &t->have, t->row[i], t->have.sort);
        assert_true(falling ? a >= b : a <= b);
    }
}

static void test_groups(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "5", "start function");
    const struct table *t = f.a.view.table;
    assert_int_equal(t->nrows, f.a.tg->ngroups);
    in_order(t, true); /* by running, the most first */
    for (uint32_t i = 0; i < t->nrows; i++) {
        const int64_t ns = f.a.tg->groups[t->type[t->row[i]].b].ns[GM_EXEC];
        assert_int_equal(table_value(t, &t->have, t->row[i], t->have.sort), ns ? ns : -1);
    }
    expect(&f, "S", "may leak");
    free(run(&f, "S"));
    in_order(t, true);
    free(run(&f, "I"));
    in_order(t, false);
    fix_close(&f);
}

/* Enter lists the goroutines of a start function, all of them; what is typed behind / leaves those that pass;
 * Enter again leads to the lane. */
static void test_instances(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    free(run(&f, "5 Enter"));
    const struct table *t = f.a.view.table;
    const uint32_t all = f.a.tg->groups[t->type[t->have.open].b].count;
    assert_int_equal(t->nrows, all);
    in_order(t, true);
    const uint32_t g = t->thing[t->row[0]].g;
    const int64_t most = gstat_of(f.a.tg, g).ns[GM_EXEC],
                  least = table_value(t, &t->have, t->row[all - 1], t->have.sort);
    assert_true(least < most);
    free(run(&f, "/ > 1 n s Enter")); /* of the column they are sorted by */
    assert_true(t->nrows > 0 && t->nrows <= all);
    free(run(&f, "Esc"));
    assert_int_equal(t->nrows, all);
    free(run(&f, "Enter"));
    assert_int_equal(f.a.view.at.view, VIEW_GOROUTINES);
    assert_int_equal(f.a.view.at.focus.i, g);
    fix_close(&f);
}

/* 6, Enter, Enter: the longest wait of the first contention; cause: who ended it. */
static void test_waits(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, lock, "default", 80, 24);
    expect(&f, "6", "who waited");
    struct pair_row p = {0}; /* of those that read like the first row, the longest */
    for (uint32_t i = 0; i < f.a.tg->npairs; i++)
        if (f.a.tg->pairs[i].kind == WK_LOCK &&
            f.a.tg->pairs[i].longest.t1 - f.a.tg->pairs[i].longest.t0 > p.longest.t1 - p.longest.t0)
            p = f.a.tg->pairs[i];
    free(run(&f, "Enter Enter"));
    assert_int_equal(f.a.view.at.focus.kind, LANE_G);
    assert_int_equal(f.a.view.at.focus.i, p.longest.g);
    assert_true(f.a.view.at.cursor == p.longest.t0);
    free(run(&f, "["));
    assert_int_equal(f.a.view.at.focus.i, p.longest_waker);
    expect(&f, ":runnable Enter", "processors meanwhile: ");
    const struct table *t = f.a.view.table;
    assert_int_equal(t->type[0].n + t->type[1].n, 2016);
    expect(&f, "Enter Enter", "runnable");
    assert_int_equal(f.a.view.at.focus.i, f.a.tg->longest_runnable.v[0].g);
    assert_true(f.a.view.at.cursor == f.a.tg->longest_runnable.v[0].t0);
    fix_close(&f);
}

/* Widths are shares: callees never weigh more than their caller, and the whole is what triage counted. */
static void test_flame(void **state)
{
    (void)state;
    struct fix f;
    fix_open(&f, alloc, "default", 120, 40);
    expect(&f, "C", "running: where");
    int64_t on = 0;
    for (uint32_t g = 0; g < f.a.tg->ng; g++)
        on += gstat_of(f.a.tg, g).ns[GM_EXEC];
    struct sw_table tab;
    struct sw_filter all = {0};
    assert_true(stackweights_build(f.tr, SW_ONCPU, &all, &tab));
    int64_t told = 0;
    for (uint32_t i = 0; i < tab.n; i++)
        told += tab.row[i].ns;
    if (on < told)
        fail_msg("on CPU: %lld in the table, %lld ran", (long long)told, (long long)on);
    char want[64];
    stackweights_free(&tab);
    expect(&f, "j", "of all");
    expect(&f, "Enter", "below ");
    assert_true(f.a.tri.flame.root != 0);
    free(run(&f, "q"));
    assert_int_equal(f.a.tri.flame.root, 0);
    for (int i = 0; i < SW_KINDS; i++)
        free(run(&f, "S j j l h w w s 0"));
    snprintf(want, sizeof want, "%s", "running: where");
    expect(&f, "", want);
    fix_close(&f);
}

/* Every size, every view, the cursor at the top and at the end. */
static void test_sizes(void **state)
{
    (void)state;
    static const char *const keys[] = {"1", "5", "5 Enter l", "6", "F j j"};
    static const int sizes[][2] = {{1, 1}, {3, 2}, {10, 4}, {40, 10}, {79, 23}, {200, 60}, {500, 200}};
    struct fix f;
    for (int no_clock = 0; no_clock < 2; no_clock++) {
        fix_open(&f, no_clock ? "samples/workers-prototype.trace" : "samples/tasks-1.27.trace", "default", 80,
                 24);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                char script[96];
                snprintf(script, sizeof script, "@size=%dx%d %s ) j k ( J K", sizes[i][0], sizes[i][1],
                         keys[k]);
                free(run(&f, script));
            }
        fix_close(&f);
    }
}

/* Out of memory at every point: it says so, and goes on without the tables. */
static void test_oom(void **state)
{
    (void)state;
    struct fix f;
    for (long n = 0; n < 400; n += n < 40 ? 1 : 17) {
        fix_open(&f, lock, "default", 80, 24);
        while (app_load(&f.a, INT64_MAX)) {
        }
        mem_fail_after(n);
        while (app_has(&f.a, DUE_TABLES))
            (void)app_triage(&f.a, INT64_MAX);
        (void)app_do(&f.a, ACT_VIEW_GROUPS, 0, NULL);
        (void)app_do(&f.a, ACT_DETAILS, 0, NULL);
        (void)app_do(&f.a, ACT_VIEW_FLAME, 0, NULL);
        (void)app_draw(&f.a);
        mem_fail_after(-1);
        assert_true(app_draw(&f.a));
        fix_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_view), cmocka_unit_test(test_mmu),     cmocka_unit_test(test_no_silence),
        cmocka_unit_test(test_lacking),    cmocka_unit_test(test_pieces),  cmocka_unit_test(test_wish),
        cmocka_unit_test(test_half_done),  cmocka_unit_test(test_not_yet), cmocka_unit_test(test_sorts_early),
        cmocka_unit_test(test_findings),   cmocka_unit_test(test_groups),  cmocka_unit_test(test_instances),
        cmocka_unit_test(test_waits),      cmocka_unit_test(test_flame),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_oom),        cmocka_unit_test(test_read),    cmocka_unit_test(test_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
