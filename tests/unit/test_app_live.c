/*
 * test_app_live.c - a program that is running shows, at any moment, what a file with the same generations
 * shows; what is dropped by --keep moves nobody to another moment; moving holds the picture, F lets it go on.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/base/mem.h"
#include "decode/input/stream.h"
#include "layout/move/move.h"
#include "layout/move/kind.h"
#include "tests/support/read_file.h"
#include "tests/unit/gap_help.h"
#include "viewer/session/app_live.h"
#include "viewer/session/follow.h"

static const char *const files[] = {"samples/http-long-1.23.trace", "samples/http-long-1.27.trace"};
static const enum action views[] = {ACT_VIEW_PROCS, ACT_VIEW_GOROUTINES, ACT_VIEW_THREADS, ACT_VIEW_TASKS,
                                    ACT_VIEW_GC,    ACT_VIEW_LOG,        ACT_VIEW_TOP};

static struct keymap *km;

/* All that the view has to do. */
static void work_off(struct app *a)
{
    while (app_has(a, DUE_VIEW))
        (void)app_work(a, INT64_MAX);
}

/* A screen without its title, which says where it is from. */
static char *screen(struct app *a)
{
    char *text = NULL, line[2048];
    size_t n = 0;
    assert_true(app_draw(a)); /* may leave work behind */
    work_off(a);
    assert_true(app_draw(a));
    FILE *f = open_memstream(&text, &n);
    for (int y = 1; y < a->grid.h; y++) {
        grid_line(&a->grid, y, line, sizeof line);
        fprintf(f, "%s\n", line);
    }
    fclose(f);
    return text;
}

static void load_all(struct app *a)
{
    while (app_load(a, INT64_MAX))
        ;
    while (app_work(a, INT64_MAX) & VR_WORK)
        ;
}

static void compare(struct app *a, struct app *b)
{
    int64_t end = trace_info(b->tr)->end;
    assert_int_equal(trace_info(a->tr)->end, end);
    assert_int_equal(trace_info(a->tr)->events, trace_info(b->tr)->events);
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        for (int z = 0; z < 4; z++) {
            struct app *both[] = {a, b};
            char *text[2];
            for (int i = 0; i < 2; i++) {
                (void)app_do(both[i], views[k], 0, NULL);
                (void)view_range(&both[i]->view, end / 7 * z, end / 7 * z + end / (1 + z * z * 30) + 1000);
                (void)view_at(&both[i]->view, end / 7 * z + end / 50);
                while (app_work(both[i], INT64_MAX) & VR_WORK)
                    ;
                text[i] = screen(both[i]);
            }
            if (!strstr(text[0], "nothing yet")) /* of a file: nothing at all */
                assert_string_equal(text[0], text[1]);
            free(text[0]);
            free(text[1]);
        }
}

static void look_back(struct app *a, int64_t t1)
{
    (void)app_do(a, ACT_VIEW_PROCS, 0, NULL);
    (void)view_range(&a->view, 0, t1);
    (void)view_at(&a->view, t1 / 3);
}

/* A range that ended before what came is not added up once more: what is shown of it is there at once, and
 * right. */
static void stands(struct app *held, struct app *file, int64_t t1)
{
    char line[2048], *text;
    look_back(file, t1);
    text = screen(file);
    assert_true(app_draw(held)); /* and no work */
    const char *at = text;
    for (int y = 1; y < held->grid.h - 3;
         y++) { /* the last lines tell of the cursor's span, which may go on beyond */
        size_t n = strcspn(at, "\n");
        grid_line(&held->grid, y, line, sizeof line);
        assert_int_equal(strlen(line), n);
        assert_memory_equal(line, at, n);
        at += n + 1;
    }
    free(text);
}

/* The model that grows, after each generation, beside one of a file that ends there. */
static void grows(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct trace_opts o = {.threads = 1, .grows = true};
        struct stream st = {0};
        struct err e = {0};
        struct app *a = mem_alloc(sizeof *a), *b = mem_alloc(sizeof *b), *held = mem_alloc(sizeof *held);
        struct trace *tr = NULL, *part;
        size_t n, at = STREAM_HEADER;
        int64_t back = 0;
        uint8_t *bytes = read_file(files[k], &n);
        assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
        stream_end(&st);
        for (size_t i = 0; i < st.ngen; i++) {
            at += st.gen[i].n - STREAM_HEADER;
            if (!tr)
                assert_int_equal(trace_open_mem(bytes, at, &o, &tr, &e), ERR_OK);
            else
                trace_grow(tr, at);
            while (trace_load(tr, 0) == LOAD_MORE)
                ;
            assert_int_equal(trace_load(tr, 0), LOAD_WAIT);
            assert_int_equal(trace_info(tr)->ndamages, 0);
            assert_int_equal(trace_open_mem(bytes, at, NULL, &part, &e), ERR_OK);
            assert_true(app_init(a, tr, km, 80, 24) && app_init(b, part, km, 80, 24));
            app_set(a, DUE_LOAD, false);
            load_all(b);
            compare(a, b);
            if (!i) {
                back = trace_info(tr)->end / 2;
                assert_true(app_init(held, tr, km, 80, 24));
                app_set(held, DUE_LOAD, false);
                look_back(held, back);
                free(screen(held));
            } else {
                stands(held, b, back);
            }
            app_free(a);
            app_free(b);
            trace_close(part);
        }
        app_free(held);
        trace_grown(tr);
        while (trace_load(tr, INT64_MAX) == LOAD_MORE)
            ;
        assert_int_equal(trace_load(tr, 0), LOAD_DONE);
        assert_true(trace_info(tr)->done);
        trace_close(tr);
        stream_free(&st);
        mem_free(a);
        mem_free(b);
        mem_free(held);
        free(bytes);
    }
}

struct grown_file {
    char path[64];
    uint8_t *bytes;
    struct stream st;
    size_t at; /* generations written */
    FILE *f;
};

static void file_begin(struct grown_file *g, const char *from)
{
    size_t n;
    struct err e = {0};
    *g = (struct grown_file){.path = "/tmp/gotop-live-XXXXXX"};
    int fd = mkstemp(g->path);
    assert_true(fd >= 0 && (g->f = fdopen(fd, "wb")) != NULL);
    g->bytes = read_file(from, &n);
    assert_int_equal(stream_put(&g->st, g->bytes, n, &e), ERR_OK);
    stream_end(&g->st);
    fwrite(g->bytes, 1, STREAM_HEADER, g->f);
}

static void file_grow(struct grown_file *g)
{
    assert_true(g->at < g->st.ngen);
    const struct stream_gen *s = &g->st.gen[g->at++];
    fwrite(s->p + STREAM_HEADER, 1, s->n - STREAM_HEADER, g->f);
    fflush(g->f);
}

static void file_end(struct grown_file *g)
{
    fclose(g->f);
    unlink(g->path);
    stream_free(&g->st);
    free(g->bytes);
}

/* When the generation that was written last ends, on the trace's clock. */
static int64_t ends(const struct grown_file *g)
{
    const struct stream_gen *s = &g->st.gen[g->at - 1];
    struct trace *tr;
    struct err e = {0};
    assert_int_equal(trace_open_mem(s->p, s->n, NULL, &tr, &e), ERR_OK);
    while (trace_load(tr, INT64_MAX) == LOAD_MORE)
        ;
    int64_t t = trace_info(tr)->first_ns + trace_info(tr)->end;
    trace_close(tr);
    return t;
}

/* Rounds of the loop, a few milliseconds each, after which what is waited for never comes: minutes, since
 * the machine may be busy. */
enum { LONG = 60000 };

/* One round of the program's loop. What it waits for comes from other threads, so it sleeps if there is
 * nothing to do. */
static bool round_of(struct app *a)
{
    bool busy;
    (void)app_live(a, INT64_MAX, &busy);
    if (!busy)
        usleep(2000);
    return busy;
}

/* Rounds until the message has this text. */
static void until_told(struct app *a, const char *text)
{
    for (int i = 0; i < LONG && !strstr(a->view.msg.text, text); i++)
        (void)round_of(a);
    assert_non_null(strstr(a->view.msg.text, text));
}

/* Until the model has all that is in the file. What comes is read, and made ready to be dropped, by other
 * threads. */
static void catch_up(struct app *a, const struct grown_file *g)
{
    enum { QUIET = 50 };
    int64_t end = ends(g);
    for (int i = 0, quiet = 0; i < LONG && quiet < QUIET; i++) {
        const bool busy = round_of(a);
        const struct trace_info *ti = trace_info(a->tr);
        quiet = busy || ti->first_ns + ti->end < end ? 0 : quiet + 1;
    }
    assert_int_equal(trace_info(a->tr)->first_ns + trace_info(a->tr)->end, end);
}

/* A program that runs, of which one generation is known, followed by an app that keeps so much of it. */
struct followed {
    struct grown_file g;
    struct follow *f;
    struct app *a;
};
static struct app *followed_begin(struct followed *x, struct options o)
{
    struct err e = {0};
    x->a = mem_alloc(sizeof *x->a);
    file_begin(&x->g, files[1]);
    o.path = x->g.path;
    file_grow(&x->g);
    assert_int_equal(follow_open(&o, &x->f, &e), ERR_OK);
    assert_true(app_init(x->a, follow_now(x->f).trace, km, 80, 24));
    app_live_begin(x->a, x->f, "here");
    return x->a;
}

static void followed_end(struct followed *x)
{
    app_free(x->a);
    follow_close(x->f);
    mem_free(x->a);
    file_end(&x->g);
}

/* --keep drops the oldest: what is held shows what a file of it shows, and who held the picture is at the
 * same moment. */
static void keeps(void **state)
{
    (void)state;
    struct followed x;
    struct err e = {0};
    struct app *a =
        followed_begin(&x, (struct options){.keep.bytes = 2}); /* no more than must be: the newest */
    struct app *b = mem_alloc(sizeof *b);
    uint32_t exchanges = 0;
    int64_t begins = 0, moment = 0;
    while (x.g.at < x.g.st.ngen) {
        struct trace *was = a->tr;
        file_grow(&x.g);
        catch_up(a, &x.g);
        exchanges += a->tr != was;
        if (x.g.at == x.g.st.ngen - 1) { /* from here on it is held */
            (void)app_do(a, ACT_PAGE_LEFT, 1, NULL);
            assert_false(a->live.follows);
            begins = trace_info(a->tr)->first_ns;
            moment = begins + a->view.at.cursor;
        }
    }
    struct trace *last = a->tr;
    for (int i = 0; i < LONG && !exchanges; i++) { /* what takes over is made by a thread of its own */
        (void)round_of(a);
        exchanges += a->tr != last;
    }
    assert_true(exchanges > 0);
    catch_up(a, &x.g);
    assert_true(trace_info(a->tr)->bytes < x.g.st.bytes);
    int64_t now = trace_info(a->tr)->first_ns;
    assert_true(now >= begins);
    assert_int_equal(now + a->view.at.cursor, moment > now ? moment : now);

    size_t from = 0, len;
    while (from < x.g.st.ngen && trace_info(a->tr)->generations != x.g.st.ngen - from)
        from++;
    uint8_t *held = stream_join(&x.g.st, from, x.g.st.ngen - from, &len);
    struct trace *part;
    assert_int_equal(trace_open_mem(held, len, NULL, &part, &e), ERR_OK);
    assert_true(app_init(b, part, km, 80, 24));
    load_all(b);
    compare(a, b);
    app_free(b);
    trace_close(part);
    mem_free(held);
    mem_free(b);
    followed_end(&x);
}

/* How many waited for a processor is kept in steps, which get wider as a trace grows: a peak may cover a
 * column more then. */
static void without_curve(char *text)
{
    char *at = strstr(text, "\nqueue");
    assert_non_null(at);
    const char *behind = at + 1 + strcspn(at + 1, "\n");
    memmove(at, behind, strlen(behind) + 1);
}

/* Any move holds the picture while it goes on; F goes on with the end; zooming changes the pace alone. */
static void holds(void **state)
{
    (void)state;
    struct followed x;
    struct app *a = followed_begin(&x, (struct options){.keep.ns = 3600000000000});
    catch_up(a, &x.g);
    assert_int_equal(a->view.at.win.t1, trace_info(a->tr)->end);
    (void)app_do(a, ACT_ZOOM_IN, 4, NULL);
    int64_t len = window_len(a->view.at.win);
    assert_true(a->live.follows && len < trace_info(a->tr)->end / 4);
    bool busy;
    a->live.news_at -= 11000000000; /* as if nothing had come for so long */
    assert_int_equal(app_live(a, INT64_MAX, &busy) & VR_DRAW, VR_DRAW);
    assert_non_null(strstr(a->live.title, "LIVE, silent 10s"));
    file_grow(&x.g);
    catch_up(a, &x.g);
    assert_null(strstr(a->live.title, "silent 10s"));
    assert_int_equal(a->view.at.win.t1, trace_info(a->tr)->end);
    assert_int_equal(window_len(a->view.at.win), len);

    (void)app_do(a, ACT_PAN_LEFT, 1, NULL);
    assert_false(a->live.follows);
    (void)app_do(a, ACT_VIEW_GOROUTINES, 0, NULL);
    char *before = screen(a);
    struct window w = a->view.at.win;
    int64_t end = trace_info(a->tr)->end;
    file_grow(&x.g);
    catch_up(a, &x.g);
    assert_true(trace_info(a->tr)->end > end);
    assert_int_equal(a->view.at.win.t0, w.t0);
    assert_int_equal(a->view.at.win.t1, w.t1);
    char *after = screen(a);
    without_curve(before);
    without_curve(after);
    char *status =
        strstr(before, "\nG1 main.main w"); /* that may know more now: how long a wait was, who ended it */
    assert_non_null(status);
    assert_int_equal(strncmp(before, after, (size_t)(status - before)), 0);
    free(before);
    free(after);
    (void)app_do(a, ACT_FOLLOW, 0, NULL);
    assert_true(a->live.follows);
    assert_int_equal(a->view.at.win.t1, trace_info(a->tr)->end);
    (void)app_do(a, ACT_DETAILS, 0, NULL); /* what is read holds the picture, and goes with it */
    assert_int_equal(a->view.popup.kind, POPUP_SPAN);
    assert_true(!a->live.follows && a->live.held);
    (void)app_do(a, ACT_FOLLOW, 0, NULL);
    assert_int_equal(a->view.popup.kind, POPUP_NONE);
    assert_true(a->live.follows && !a->live.held);

    /* Tables are of a model that stands still: they come, and go on with it. */
    (void)app_do(a, ACT_VIEW_GROUPS, 0, NULL);
    for (int i = 0; i < 10 || app_has(a, DUE_TABLES); i++) {
        (void)app_live(a, INT64_MAX, &busy);
        if (app_has(a, DUE_TABLES))
            (void)app_triage(a, INT64_MAX);
    }
    assert_non_null(a->tg);
    assert_int_equal(a->tg->end, trace_info(a->tr)->end);

    unlink(x.g.path); /* the file is gone: that is the end, and is said */
    until_told(a, "gone");
    assert_true(follow_now(x.f).ended);
    assert_non_null(strstr(a->live.title, "ENDED"));
    followed_end(&x);
}

/*
 * Tables that are looked at stay on the screen until those of what has come since are there; a key shows what
 * there is. Who goes to another row of them holds them.
 */
static void tables_stay(void **state)
{
    (void)state;
    struct followed x;
    struct app *a = followed_begin(&x, (struct options){.keep.ns = 3600000000000});
    bool busy;
    catch_up(a, &x.g);
    (void)app_do(a, ACT_VIEW_GROUPS, 0, NULL);
    assert_false(app_still(a)); /* there are none yet, which is to be said */
    for (int key = 0; key < 2; key++) {
        while (!a->tri.tg) {
            (void)app_live(a, INT64_MAX, &busy);
            (void)app_triage(a, INT64_MAX);
        }
        work_off(a); /* of them the view makes its rows */
        assert_false(app_still(a));
        free(screen(a));
        int64_t end = trace_info(a->tr)->end;
        a->live.tables_next = INT64_MAX; /* as if they took long */
        file_grow(&x.g);
        while (trace_info(a->tr)->end == end) {
            assert_non_null(a->tri.tg); /* what stands is of what is there */
            a->live.tables_until = 0;
            (void)app_live(a, INT64_MAX, &busy);
        }
        assert_null(a->tri.tg);
        assert_true(app_still(a));
        if (key)
            (void)app_key(a, &(struct key_event){'/', -1, -1});
        assert_true(app_still(a) == !key);
        a->live.tables_next = 0;
    }
    (void)app_key(a, &(struct key_event){K_ESC, -1, -1});
    while (!a->tri.tg) {
        (void)app_live(a, INT64_MAX, &busy);
        (void)app_triage(a, INT64_MAX);
    }
    work_off(a);
    assert_true(a->live.follows);
    (void)app_do(a, ACT_LANE_DOWN, 1, NULL);
    assert_true(!a->live.follows && a->live.held);
    assert_null(strstr(a->live.title, "behind")); /* how far is not known: what comes is not looked at */
    followed_end(&x);
}

/* What the program's loop does until there is nothing to do; false: there always is. */
static bool settles(struct app *a)
{
    bool busy = true;
    unsigned f;
    for (int i = 0; i < 20 * LONG; i++) {
        (void)app_live(a, 1000000, &busy);
        (void)app_step(a, 1000000, &f);
        if (!app_still(a))
            assert_true(app_draw(a));
        if (!busy && !app_busy(a))
            return true;
        if (!busy)
            usleep(100);
    }
    return false;
}

/* What a view shows of all there is, at its end. */
static char *view_text(struct app *a, int view, bool runs)
{
    if (a->view.at.view != view) /* else its key leads on */
        (void)view_switch(&a->view, view);
    (void)view_range(&a->view, 0, trace_info(a->tr)->end);
    (void)view_at(&a->view, trace_info(a->tr)->end - 1);
    if (runs)
        assert_true(settles(a));
    char *text = screen(a);
    assert_null(strstr(text, "Looking through"));
    assert_null(strstr(text, "Working on"));
    text[strlen(text) - 81] = 0; /* keys: F is one of a program's */
    return text;
}

/*
 * Every view of a program that runs shows what the file of what came shows, while more may come, and again
 * when more has come; none says for ever that it goes on looking.
 */
static void all_views(void **state)
{
    (void)state;
    for (int view = VIEW_NONE + 1; view < VIEW_END; view++) {
        struct followed x;
        struct app *a = followed_begin(&x, (struct options){.keep.ns = 3600000000000});
        struct app *b = mem_alloc(sizeof *b);
        for (int more = 0; more < 2; more++) {
            struct trace *part;
            struct err e = {0};
            size_t len;
            if (more)
                file_grow(&x.g);
            catch_up(a, &x.g);
            uint8_t *held = stream_join(&x.g.st, 0, x.g.at, &len);
            assert_int_equal(trace_open_mem(held, len, NULL, &part, &e), ERR_OK);
            assert_true(app_init(b, part, km, 80, 24));
            load_all(b);
            while (app_has(b, DUE_TABLES))
                (void)app_triage(b, INT64_MAX);
            char *live = view_text(a, view, true), *file = view_text(b, view, false);
            if (kind_of(view)->table && !strstr(live, "so far")) /* lanes: compare() */
                assert_string_equal(live, file);
            free(live);
            free(file);
            app_free(b);
            trace_close(part);
            mem_free(held);
        }
        mem_free(b);
        followed_end(&x);
    }
}

/* However long a table is read, once the program has ended it is of all that came, as the file's is. */
static void tables_end(void **state)
{
    (void)state;
    for (int reads = 0; reads < 2; reads++) {
        struct grown_file g;
        struct follow *f;
        struct err e = {0};
        struct app *a = mem_alloc(sizeof *a), *b = mem_alloc(sizeof *b);
        struct trace *whole;
        bool busy = true;
        file_begin(&g, files[1]);
        struct options o = {.keep.ns = 3600000000000};
        o.path = g.path;
        file_grow(&g);
        assert_int_equal(follow_open(&o, &f, &e), ERR_OK);
        assert_true(app_init(a, follow_now(f).trace, km, 80, 24));
        app_live_begin(a, f, "here");
        catch_up(a, &g);
        (void)app_do(a, ACT_VIEW_GROUPS, 0, NULL);
        while (!a->tri.tg) {
            (void)app_live(a, INT64_MAX, &busy);
            (void)app_triage(a, INT64_MAX);
        }
        if (reads)
            (void)app_do(a, ACT_LANE_DOWN, 1, NULL);
        a->live.tables_until = INT64_MAX;
        const int64_t end = trace_info(a->tr)->end;
        while (g.at < g.st.ngen)
            file_grow(&g);
        assert_int_equal(unlink(g.path), 0); /* which it notices at the end of what it read */
        for (int i = 0; i < LONG && !follow_now(f).ended; i++) {
            assert_int_equal(trace_info(a->tr)->end, end);
            busy = round_of(a);
        }
        for (int i = 0; i < LONG && (busy || app_live_waits(a) || app_has(a, DUE_TABLES)); i++) {
            busy = round_of(a);
            (void)app_triage(a, INT64_MAX);
        }
        assert_int_equal(trace_open(files[1], NULL, &whole, &e), ERR_OK);
        assert_true(app_init(b, whole, km, 80, 24));
        load_all(b);
        (void)app_triage(b, INT64_MAX);
        (void)app_do(b, ACT_VIEW_GROUPS, 0, NULL);
        if (reads)
            (void)app_do(a, ACT_LANE_UP, 1, NULL);
        a->view.msg.text[0] = '\0'; /* that it ended */
        char *of_a = screen(a), *of_b = screen(b);
        assert_string_equal(of_a, of_b);
        free(of_a);
        free(of_b);
        app_free(a);
        app_free(b);
        trace_close(whole);
        follow_close(f);
        mem_free(a);
        mem_free(b);
        file_end(&g);
    }
}

/* A stream of which nothing can be decoded ends, too: reading what is held once more doesn't wait for what
 * never comes. */
static void ends_empty(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "go 1.22 trace\0\0\0\1\1"
                                   "00\205\0\0310000\1\1"
                                   "00\210\0\0100000000";
    char path[] = "/tmp/gotop-empty-XXXXXX";
    struct follow *f;
    struct err e = {0};
    struct app *a = mem_alloc(sizeof *a);
    struct options o = {.path = "-"}; /* which ends */
    bool busy = true;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, sizeof bytes - 1), sizeof bytes - 1);
    close(fd);
    fd = open(path, O_RDONLY);
    unlink(path);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(follow_open(&o, &f, &e), ERR_OK);
    assert_true(app_init(a, follow_now(f).trace, km, 80, 24));
    app_live_begin(a, f, "here");
    for (int i = 0; i < LONG && (busy || app_live_waits(a)); i++)
        busy = round_of(a);
    assert_true(follow_now(f).ended && !app_live_waits(a));
    assert_non_null(trace_fatal(a->tr));
    app_free(a);
    follow_close(f);
    mem_free(a);
    close(fd);
}

/* Who moves while all that there is is shown is at that moment, too. */
static void holds_all(void **state)
{
    (void)state;
    struct followed x;
    struct app *a = followed_begin(&x, (struct options){.keep.ns = 3600000000000});
    catch_up(a, &x.g);
    (void)app_do(a, ACT_CURSOR_LEFT, 3, NULL);
    struct window w = a->view.at.win;
    assert_false(a->live.follows);
    assert_int_equal(w.t1, trace_info(a->tr)->end);
    file_grow(&x.g);
    catch_up(a, &x.g);
    assert_true(trace_info(a->tr)->end > w.t1);
    assert_int_equal(a->view.at.win.t0, w.t0);
    assert_int_equal(a->view.at.win.t1, w.t1);
    followed_end(&x);
}

/* A file of the generations from..to; the header may be another's. */
static void write_gens(const char *path, const struct stream *st, size_t from, size_t to)
{
    size_t n;
    uint8_t *p = stream_join(st, from, to - from, &n);
    FILE *f = fopen(path, "wb");
    assert_true(p && f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    mem_free(p);
}

static void until_ended(struct app *a)
{
    for (int i = 0; i < LONG && !follow_now(a->follow).ended; i++)
        (void)round_of(a);
    assert_true(follow_now(a->follow).ended);
    while (round_of(a)) {
    }
}

/* R: what one process wrote goes on behind a gap; another one's trace takes the place of what was there. */
static void again(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        char path[] = "/tmp/gotop-again-XXXXXX";
        size_t n, m;
        struct stream st = {0}, st2 = {0};
        struct follow *f;
        struct err e = {0};
        struct app *a = mem_alloc(sizeof *a);
        uint8_t *bytes = read_file(files[1], &n), *bytes2 = read_file("samples/lock-cpu-1.27.trace", &m);
        assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
        assert_int_equal(stream_put(&st2, bytes2, m, &e), ERR_OK);
        close(mkstemp(path));
        write_gens(path, &st, 0, 1);
        struct options o = {.keep.ns = 3600000000000};
        o.path = path;
        assert_int_equal(follow_open(&o, &f, &e), ERR_OK);
        assert_true(app_init(a, follow_now(f).trace, km, 80, 24));
        app_live_begin(a, f, path);
        (void)app_do(a, ACT_RECONNECT, 1, NULL);
        assert_non_null(strstr(a->view.msg.text, "still followed")); /* nobody connects to a file */
        unlink(path);
        until_ended(a);
        assert_non_null(strstr(a->view.msg.text, "has ended"));
        int64_t end = trace_info(a->tr)->end;
        (void)app_do(a, ACT_RECONNECT, 1, NULL); /* there is nothing */
        assert_non_null(strstr(a->view.msg.text, "no connection"));
        assert_int_equal(trace_info(a->tr)->end, end);

        if (other)
            write_gens(path, &st2, 0, stream_whole(&st2));
        else
            write_gens(path, &st, 2, 3); /* the second one nobody saw */
        (void)app_do(a, ACT_RECONNECT, 1, NULL);
        assert_non_null(strstr(a->live.title, "connecting"));
        until_told(a, "connected again");
        assert_false(follow_now(a->follow).connecting);
        struct gap gaps[4];
        if (other) {
            assert_non_null(strstr(a->view.msg.text, "another process"));
            assert_int_equal(gaps_of(a->tr, gaps, 4), 0);
        } else {
            assert_non_null(strstr(a->view.msg.text, "the same program goes on"));
            assert_int_equal(gaps_of(a->tr, gaps, 4), 1);
            assert_true(gaps[0].t0 >= end && gaps[0].t1 > gaps[0].t0);
            assert_true(trace_info(a->tr)->end > gaps[0].t1);
        }
        assert_true(a->live.follows);
        free(screen(a));
        assert_int_equal(follow_now(a->follow).left_out, 0);
        free(screen(a));
        unlink(path);
        app_free(a);
        follow_close(a->follow);
        stream_free(&st);
        stream_free(&st2);
        free(bytes);
        free(bytes2);
        mem_free(a);
    }
}

/* A file that is cut and written anew, or moved away with another one in its
 * place, is followed on by itself. */
static void replaced(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        char path[] = "/tmp/gotop-anew-XXXXXX", away[sizeof path + 2];
        size_t n, m;
        struct stream st = {0}, st2 = {0};
        struct follow *f;
        struct err e = {0};
        struct app *a = mem_alloc(sizeof *a);
        uint8_t *bytes = read_file(files[1], &n), *bytes2 = read_file("samples/lock-cpu-1.27.trace", &m);
        assert_int_equal(stream_put(&st, bytes, n, &e), ERR_OK);
        assert_int_equal(stream_put(&st2, bytes2, m, &e), ERR_OK);
        close(mkstemp(path));
        snprintf(away, sizeof away, "%s.1", path);
        write_gens(path, &st, 0, 1);
        struct options o = {.keep.ns = 3600000000000};
        o.path = path;
        assert_int_equal(follow_open(&o, &f, &e), ERR_OK);
        assert_true(app_init(a, follow_now(f).trace, km, 80, 24));
        app_live_begin(a, f, path);
        for (int i = 0; i < 5; i++)
            (void)round_of(a);
        if (moved) {
            assert_int_equal(rename(path, away), 0);
            for (int i = 0; i < 20; i++) /* none has its name: one may come, within seconds */
                (void)round_of(a);
            assert_false(follow_now(f).ended);
            write_gens(path, &st, 2, 3);
        } else {
            write_gens(path, &st2, 0, stream_whole(&st2));
        }
        until_told(a, moved ? "the same program goes on" : "another process");
        assert_true(a->live.follows && !follow_now(f).ended);
        free(screen(a));
        unlink(path);
        unlink(away);
        app_free(a);
        follow_close(a->follow);
        stream_free(&st);
        stream_free(&st2);
        free(bytes);
        free(bytes2);
        mem_free(a);
    }
}

/* Suspended it lets the program go, and says so when it comes back; once more changes nothing. */
static void lets_go(void **state)
{
    (void)state;
    struct followed x;
    struct app *a = followed_begin(&x, (struct options){0});
    a->view.msg.text[0] = '\0';
    app_live_pause(a);
    assert_true(follow_now(x.f).ended);
    assert_non_null(strstr(a->live.title, "ENDED"));
    assert_non_null(strstr(a->view.msg.text, "has ended: gotop let the program go"));
    assert_false(a->tri.so_far);
    a->view.msg.text[0] = '\0';
    app_live_pause(a);
    assert_string_equal(a->view.msg.text, "");
    followed_end(&x);
}

/* Late is what came later than what came most promptly, whatever the two clocks say. */
static void late(void **state)
{
    (void)state;
    static const int at[][3] = {/* heard, of, late */ {700, 100, 0},
                                {1700, 1100, 0},
                                {4700, 2100, 2000},
                                {9700, 3100, 6000},
                                {3000, 4100, 0},
                                {4100, 4200, 1000}};
    struct live_pace p = {0};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_int_equal(live_late(&p, at[i][0], at[i][1]), at[i][2]);
}

/* What was typed while the first second was waited for is done when nothing is decoded yet: there is no
 * picture to be held. */
static void typed_early(void **state)
{
    (void)state;
    struct followed x;
    struct app *a = followed_begin(&x, (struct options){.keep.ns = 3600000000000});
    (void)app_do(a, ACT_VIEW_TRIAGE, 0, NULL);
    (void)app_do(a, ACT_VIEW_PROCS, 0, NULL);
    assert_true(a->live.follows && !a->live.held);
    catch_up(a, &x.g);
    assert_int_equal(a->view.at.win.t1, trace_info(a->tr)->end);
    (void)app_do(a, ACT_PAN_LEFT, 1, NULL);
    assert_true(!a->live.follows && a->live.held);
    followed_end(&x);
}

static int setup(void **state)
{
    (void)state;
    return (km = keymap_new()) ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    keymap_free(km);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),      cmocka_unit_test(keeps),       cmocka_unit_test(holds),
        cmocka_unit_test(holds_all),  cmocka_unit_test(tables_stay), cmocka_unit_test(tables_end),
        cmocka_unit_test(ends_empty), cmocka_unit_test(again),       cmocka_unit_test(replaced),
        cmocka_unit_test(lets_go),    cmocka_unit_test(late),        cmocka_unit_test(typed_early),
        cmocka_unit_test(all_views)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
