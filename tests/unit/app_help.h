/*
 * app_help.h - one trace in the program's session, driven by keys without a terminal: what the screen shows behind them.
 */
#ifndef GOTOP_TEST_APP_HELP_H
#define GOTOP_TEST_APP_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/trace.h"
#include "viewer/command/headless.h"
#include "viewer/keys/keymap_builtin.h"
#include "viewer/session/app.h"

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
    f->km = keymap_new();
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        if (strcmp(b->name, map) == 0)
            assert_int_equal(keymap_parse(f->km, b->text, strlen(b->text), b->name, NULL), ERR_OK);
    if (trace_open(path, &o, &f->tr, &e))
        fail_msg("%s: %s (run from the top of the tree)", path, e.what);
    assert_true(app_init(&f->a, f->tr, f->km, w, h));
    f->a.view.tier = TIER_ASCII;
}

static void fix_close(struct fix *f)
{
    app_free(&f->a);
    trace_close(f->tr);
    keymap_free(f->km);
}

static char *run(struct fix *f, const char *keys)
{
    char *out = NULL;
    size_t n;
    FILE *o = open_memstream(&out, &n);
    if (!headless_run(&f->a, keys, false, o, stderr))
        fail_msg("script '%s' failed", keys);
    fclose(o);
    return out;
}

static void expect(struct fix *f, const char *keys, const char *shows)
{
    char *s = run(f, keys);
    if (!strstr(s, shows))
        fail_msg("after '%s' the screen lacks '%s':\n%s", keys, shows, s);
    free(s);
}

static __attribute__((unused)) void expect_not(struct fix *f, const char *keys, const char *hides)
{
    char *s = run(f, keys);
    if (strstr(s, hides))
        fail_msg("after '%s' the screen has '%s':\n%s", keys, hides, s);
    free(s);
}

#endif
