/*
 * layout2_help.h - what the tests of filters, search, log and sums share: the samples one by one, a view over each.
 */
#ifndef GOTOP_TESTS_LAYOUT2_HELP_H
#define GOTOP_TESTS_LAYOUT2_HELP_H

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
#include "layout/draw/frame.h"
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

static inline UNUSED void seen_open(struct seen *s, const char *path)
{
    struct err e;
    memset(s, 0, sizeof *s);
    s->name = path;
    if (trace_open(path, NULL, &s->tr, &e))
        fail_msg("%s: %s", path, e.what);
    trace_load(s->tr, INT64_MAX);
    assert_true(view_init(&s->v, s->tr));
    view_resize(&s->v, 100, 30);
    s->v.tier = TIER_ASCII;
}

static inline UNUSED void seen_close(struct seen *s)
{
    view_free(&s->v);
    grid_free(&s->g);
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

static inline UNUSED void for_samples(void (*f)(struct seen *), const char *with)
{
    DIR *d = opendir("samples");
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[600];
        if (!strstr(e->d_name, ".trace") || !strstr(e->d_name, with))
            continue;
        snprintf(path, sizeof path, "samples/%s", e->d_name);
        struct seen s;
        seen_open(&s, path);
        f(&s);
        seen_close(&s);
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

#endif
