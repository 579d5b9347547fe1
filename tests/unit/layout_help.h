/*
 * layout_help.h - what the tests of filters, search, log and sums share: the samples one by one, a view over
 * each.
 */
#ifndef GOTOP_TESTS_LAYOUT_HELP_H
#define GOTOP_TESTS_LAYOUT_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/frame/frame.h"
#include "layout/move/lanes.h"
#include "layout/move/view.h"

#define UNUSED __attribute__((unused))

static uint64_t seed = 7;
static inline UNUSED unsigned rnd(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return n ? (unsigned)(seed >> 33) % n : 0;
}

struct seen { /* a view over a file, and a grid */
    struct trace *tr;
    struct view v;
    struct grid g;
    const char *name;
};

static inline UNUSED struct trace *seen_load(const char *path)
{
    struct trace *tr;
    struct err e;
    if (trace_open(path, NULL, &tr, &e))
        fail_msg("%s: %s", path, e.what);
    trace_load(tr, INT64_MAX);
    return tr;
}

static inline UNUSED void seen_begin(struct seen *s, struct trace *tr, const char *path)
{
    *s = (struct seen){.tr = tr, .name = path};
    assert_true(view_init(&s->v, tr));
    view_resize(&s->v, 100, 30);
    s->v.scr.tier = TIER_ASCII;
}

static inline UNUSED void seen_end(struct seen *s) /* the trace stays */
{
    view_free(&s->v);
    grid_free(&s->g);
}

static inline UNUSED void seen_open(struct seen *s, const char *path)
{
    seen_begin(s, seen_load(path), path);
}

static inline UNUSED void seen_close(struct seen *s)
{
    seen_end(s);
    trace_close(s->tr);
}

static inline UNUSED void finish(struct view *v) /* all pending work */
{
    for (int i = 0; i < 100000 && (view_work(v, INT64_MAX) & VR_WORK); i++)
        ;
}

static inline UNUSED bool on_screen(struct seen *s, const char *text)
{
    char line[8192];
    assert_true(frame_draw(&s->g, &s->v, NULL));
    for (int y = 0; y < s->g.h; y++) {
        grid_line(&s->g, y, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

/* Every sample of which the name holds that. They are loaded once, and stay until the program ends. */
static inline UNUSED void for_samples(void (*f)(struct seen *), const char *with)
{
    static struct {
        char path[64];
        struct trace *tr;
    } kept[64];
    static int n;
    DIR *d = n ? NULL : opendir("samples");
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".trace")) {
            assert_in_range(n, 0, 63);
            snprintf(kept[n++].path, sizeof kept->path, "samples/%.50s", e->d_name);
        }
    if (d)
        closedir(d);
    int done = 0;
    for (int i = 0; i < n; i++) {
        if (!strstr(kept[i].path + strlen("samples/"), with))
            continue;
        if (!kept[i].tr)
            kept[i].tr = seen_load(kept[i].path);
        struct seen s;
        seen_begin(&s, kept[i].tr, kept[i].path);
        f(&s);
        seen_end(&s);
        done++;
    }
    assert_true(done > 0);
}

#endif
