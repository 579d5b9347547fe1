/*
 * app_keys.h - keys for an app without a terminal, and what the screen shows behind them; the builtin maps of
 * keys. run(f, keys), expect(f, keys, shows) and expect_not(f, keys, hides) take any fixture whose app is its
 * member `a`.
 */
#ifndef GOTOP_TEST_APP_KEYS_H
#define GOTOP_TEST_APP_KEYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "viewer/command/headless.h"
#include "viewer/keys/keymap_builtin.h"
#include "viewer/session/app.h"

/* A builtin map; the caller's. */
static struct keymap *keys_map(const char *name)
{
    struct keymap *km = keymap_new();
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        if (strcmp(b->name, name) == 0)
            assert_int_equal(keymap_parse(km, b->text, strlen(b->text), name, NULL), ERR_OK);
    return km;
}

/* The screen behind these keys, to be freed. */
static char *keys_run(struct app *a, const char *keys)
{
    char *out = NULL;
    size_t n;
    FILE *o = open_memstream(&out, &n);
    if (!headless_run(a, keys, false, o, stderr))
        fail_msg("script '%s' failed", keys);
    fclose(o);
    return out;
}

/* Does the screen show that, has it or lacks it? */
static void keys_expect(struct app *a, const char *keys, const char *words, bool shows)
{
    char *s = keys_run(a, keys);
    if ((strstr(s, words) != NULL) != shows)
        fail_msg("after '%s' the screen %s '%s':\n%s", keys, shows ? "lacks" : "has", words, s);
    free(s);
}

#define run(f, keys) keys_run(&(f)->a, keys)
#define expect(f, keys, words) keys_expect(&(f)->a, keys, words, true)
#define expect_not(f, keys, words) keys_expect(&(f)->a, keys, words, false)

#endif
