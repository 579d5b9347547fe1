/*
 * app_help.h - one trace in the program's session, driven by keys without a terminal: what the screen shows
 * behind them.
 */
#ifndef GOTOP_TEST_APP_HELP_H
#define GOTOP_TEST_APP_HELP_H

#include "decode/trace.h"
#include "tests/unit/app_keys.h"

struct fix {
    struct keymap *km;
    struct trace *tr;
    struct app a;
};

/* map: a builtin key map; w, h: columns and rows. */
static void fix_open(struct fix *f, const char *path, const char *map, int w, int h)
{
    struct trace_opts o = {.threads = 1};
    struct err e = {0};
    memset(f, 0, sizeof *f);
    f->km = keys_map(map);
    if (trace_open(path, &o, &f->tr, &e))
        fail_msg("%s: %s (run from the top of the tree)", path, e.what);
    assert_true(app_init(&f->a, f->tr, f->km, w, h));
    f->a.view.scr.tier = TIER_ASCII;
}

static void fix_close(struct fix *f)
{
    app_free(&f->a);
    trace_close(f->tr);
    keymap_free(f->km);
}

#endif
