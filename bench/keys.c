/*
 * keys.c - how long a key keeps one waiting: each key of the default keymap once in each view, on a loaded
 * trace and while it loads.
 *
 *   keys [-t THREADS] [-n ROWS] [-v VIEW] [-l] TRACE       -l: while it loads and tables are made, no more
 *
 * Without a terminal: the program's own loop, a key, a slice of what is queued, a frame to a grid of 200x60
 * (viewer/session/interactive.c). What comes while one of the three is under way waits for its end, so the
 * slowest of each counts: processor time, of the thread that takes the keys while others load, and what a
 * clock on the wall says. Once the tables are there each view is entered at the whole trace and at a 64th of
 * it, and left as it was found behind each key. While the trace loads each step is followed by one key and a
 * frame.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "viewer/session/app.h"

enum { SLICE_NS = 15000000, W = 200, H = 60, MOST = 1000, KEYS = 256 };

struct took {
    double cpu, wall; /* ms */
};

struct key_row {
    char what[120], where[40];
    struct took took;
};

struct bench {
    struct app a;
    struct keymap *km;
    struct key_row row[MOST + 1]; /* each by its slowest, in order */
    int nrow, most;
    const char *only; /* view; NULL: each */
    char where[40];
};

static double clock_ms(clockid_t c)
{
    struct timespec t;
    clock_gettime(c, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static clockid_t cpu_clock = CLOCK_THREAD_CPUTIME_ID;

static struct took took_now(void)
{
    return (struct took){clock_ms(cpu_clock), clock_ms(CLOCK_MONOTONIC)};
}

static void note(struct bench *b, struct took from, const char *what, const char *of)
{
    const struct took now = took_now();
    struct key_row r = {.took = {now.cpu - from.cpu, now.wall - from.wall}};
    snprintf(r.what, sizeof r.what, "%s%s%s", what, *of ? " of " : "", of);
    snprintf(r.where, sizeof r.where, "%s", b->where);
    int i = 0;
    while (i < b->nrow && strcmp(b->row[i].what, r.what) != 0)
        i++;
    if (i < b->nrow && b->row[i].took.cpu >= r.took.cpu) /* slower elsewhere */
        return;
    b->nrow += i == b->nrow && i < MOST;
    for (; i > 0 && b->row[i - 1].took.cpu < r.took.cpu; i--)
        b->row[i] = b->row[i - 1];
    b->row[i] = r;
}

static void show(struct bench *b, const char *heading)
{
    printf("%s\n", heading);
    for (int i = 0; i < b->nrow && i < b->most; i++)
        printf("  %7.1f ms (%7.1f)  %s: %s\n", b->row[i].took.cpu, b->row[i].took.wall, b->row[i].where,
               b->row[i].what);
    b->nrow = 0;
}

static void picture(struct bench *b, const char *of)
{
    const struct took from = took_now();
    (void)app_draw(&b->a);
    note(b, from, "frame", of);
}

static bool step(struct bench *b, const char *of)
{
    unsigned flags;
    const struct took from = took_now();
    const unsigned phase = app_step(&b->a, SLICE_NS, &flags);
    note(b, from,
         phase == DUE_LOAD     ? "step of loading"
         : phase == DUE_TABLES ? "step of tables"
                               : "step of view",
         of);
    return app_busy(&b->a);
}

static void press(struct bench *b, keycode k, const char *name)
{
    const struct key_event ev = {k, -1, -1};
    const struct took from = took_now();
    (void)app_key(&b->a, &ev);
    note(b, from, "key", name);
}

static void settle(struct bench *b, const char *of)
{
    while (app_busy(&b->a) && step(b, of)) {
    }
}

/* What is typed where a key asks for text. */
static void answer(struct bench *b, const char *name)
{
    static const char *const text[] = {
        [PROMPT_COMMAND] = "50%", [PROMPT_SEARCH] = "net", [PROMPT_FILTER] = "dur>1ms", [PROMPT_SLICE] = ""};
    char of[64];
    if (b->a.view.prompt.kind) {
        const char *t = text[b->a.view.prompt.kind];
        snprintf(of, sizeof of, "%s, %s", name, *t ? t : "given up");
        for (; *t; t++) {
            press(b, (keycode)*t, of);
            picture(b, of);
            step(b, of);
        }
        press(b, b->a.view.prompt.kind == PROMPT_SLICE ? K_ESC : K_ENTER, of);
    }
}

/* Each is left to its own devices: leaving, the shell, an editor, a file. */
static bool left_out(enum action act)
{
    return act == ACT_QUIT || act == ACT_BACK || act == ACT_SUSPEND || act == ACT_COUNT_PREFIX;
}

static void back(struct bench *b, int view, const struct place *at)
{
    for (int i = 0; i < 8; i++)
        (void)app_do(&b->a, ACT_CLOSE, 0, NULL);
    (void)app_do(&b->a, ACT_SHOW_ALL, 0, NULL);
    for (int i = 0; i < VIEW_END && b->a.view.at.view != view; i++)
        (void)view_switch(&b->a.view, view);
    b->a.view.at = *at;
    b->a.view.scr.names = true;
    (void)app_draw(&b->a);
    unsigned flags;
    while (app_busy(&b->a))
        (void)app_step(&b->a, INT64_MAX, &flags);
    (void)app_draw(&b->a);
}

/* The first key of each action in a view. */
static size_t keys_of(const struct bench *b, enum keyview view, const struct binding *out[KEYS])
{
    size_t k = 0;
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT && k < KEYS; a++) {
        size_t at = 0;
        const struct binding *first = keymap_next(b->km, view, a, &at);
        if (first && first->nkeys == 1 && !left_out(a))
            out[k++] = first;
    }
    return k;
}

static void each_key(struct bench *b, int view)
{
    const struct binding *key[KEYS];
    const struct place at = b->a.view.at;
    const size_t n = keys_of(b, (enum keyview)view, key);
    for (size_t i = 0; i < n; i++) {
        char text[64], name[120];
        snprintf(name, sizeof name, "%s %s", binding_keys(key[i], text, sizeof text),
                 action_name(key[i]->action));
        press(b, key[i]->keys[0], name);
        picture(b, name);
        answer(b, name);
        settle(b, name);
        picture(b, name);
        back(b, view, &at);
    }
}

static void each_view(struct bench *b)
{
    for (int view = VIEW_TRIAGE; view < VIEW_END; view++)
        for (int near = 0; near < 2; near++) {
            if (b->only && strcmp(b->only, keyview_name((enum keyview)view)) != 0)
                continue;
            snprintf(b->where, sizeof b->where, "%s, %s", keyview_name((enum keyview)view),
                     near ? "a 64th" : "all");
            (void)app_do(&b->a, ACT_ZOOM_ALL, 0, NULL);
            for (int i = 0; i < VIEW_END && b->a.view.at.view != view; i++)
                (void)view_switch(&b->a.view, view);
            (void)view_at(&b->a.view, trace_info(b->a.tr)->end / 2);
            for (int z = 0; near && z < 6; z++)
                (void)view_zoom(&b->a.view, 1);
            picture(b, "entering");
            settle(b, "entering");
            picture(b, "entering");
            each_key(b, view);
        }
}

/* Steps, each with a key of the views' in turn behind it. */
static void while_loading(struct bench *b)
{
    static const int views[] = {VIEW_PROCS, VIEW_GOROUTINES, VIEW_THREADS, VIEW_LOG,
                                VIEW_TASKS, VIEW_GC,         VIEW_TOP};
    const struct binding *key[KEYS];
    size_t n = 0, at = 0;
    unsigned which = 0;
    for (bool more = true; more; at++) {
        const bool loading = app_has(&b->a, DUE_LOAD);
        snprintf(b->where, sizeof b->where, "while %s, %.12s", loading ? "it loads" : "tables are made",
                 keyview_name((enum keyview)b->a.view.at.view));
        more = step(b, "");
        if (at == n) {
            const int view = views[which++ % (sizeof views / sizeof *views)];
            (void)app_do(&b->a, ACT_CLOSE, 0, NULL);
            (void)app_do(&b->a, ACT_ZOOM_ALL, 0, NULL);
            (void)view_switch(&b->a.view, view);
            n = keys_of(b, (enum keyview)b->a.view.at.view, key);
            at = 0;
        }
        char text[64], name[120];
        snprintf(name, sizeof name, "%s %s", binding_keys(key[at], text, sizeof text),
                 action_name(key[at]->action));
        press(b, key[at]->keys[0], name);
        answer(b, name);
        picture(b, name);
    }
}

static bool begin(struct bench *b, const char *path, int threads)
{
    struct trace_opts o = {.threads = threads};
    struct trace *tr;
    struct err e;
    b->km = keymap_new();
    if (!b->km || keymap_load(b->km, "default", NULL)) {
        fprintf(stderr, "keys: no keymap\n");
        return false;
    }
    if (trace_open(path, &o, &tr, &e)) {
        fprintf(stderr, "keys: %s: %s\n", path, e.what);
        keymap_free(b->km);
        return false;
    }
    if (app_init(&b->a, tr, b->km, W, H))
        return true;
    trace_close(tr);
    keymap_free(b->km);
    return false;
}

static void end(struct bench *b)
{
    struct trace *tr = b->a.tr;
    app_free(&b->a);
    trace_close(tr);
    keymap_free(b->km);
}

int main(int argc, char **argv)
{
    static struct bench b;
    int threads = 2, opt;
    bool loading = false;
    b.most = 10;
    while ((opt = getopt(argc, argv, "t:n:v:l")) != -1)
        if (opt == 't')
            threads = atoi(optarg);
        else if (opt == 'n')
            b.most = atoi(optarg);
        else if (opt == 'v')
            b.only = optarg;
        else if (opt == 'l')
            loading = true;
    if (optind + 1 != argc || b.most < 1) {
        fprintf(stderr, "usage: keys [-t THREADS] [-n ROWS] [-v VIEW] [-l] TRACE\n");
        return 2;
    }
    if (!begin(&b, argv[optind], threads))
        return 2;
    while_loading(&b);
    show(&b, "slowest while it loads, processor time (wall):");
    if (loading)
        return 0;
    settle(&b, "");
    b.nrow = 0;
    cpu_clock = CLOCK_PROCESS_CPUTIME_ID; /* nothing else is under way: what is done in slices is in threads
                                             of its own */
    each_view(&b);
    show(&b, "slowest once it is loaded:");
    end(&b);
    return 0;
}
