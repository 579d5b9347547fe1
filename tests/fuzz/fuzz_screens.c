/*
 * fuzz_screens.c - libFuzzer entry for a session without a terminal: the first byte chooses the dialect, the
 * next twelve the keys (actions, and lines typed behind prompts), the rest is the trace. What is printed
 * holds no control byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "tests/fuzz/walk.h"
#include "tests/support/tracegen.h"
#include "viewer/command/headless.h"
#include "viewer/keys/keymap_builtin.h"
#include "viewer/session/app.h"

enum { KEYS = 12 };

static const char *const typed[] = {"/main",         "/~a.*",        ":g1",         ":1us",    ":50%",
                                    ":p0",           "\\main",       "\\gc",        "dur>1us", "is:system",
                                    "state=waiting", "wokenby:main", "@print",      "Enter",   "Esc",
                                    "@size=9x4",     "@size=200x60", "@size=80x24", "3",       "4294967295",
                                    "\"a\\\"",       "Tab",          "Up",          "Down"};
#define NTYPED (sizeof typed / sizeof *typed)

int fuzz_skips(void);
int fuzz_skips(void)
{
    return 1 + KEYS;
}

int fuzz_version(const uint8_t *data);
int fuzz_version(const uint8_t *data)
{
    static const int dialect[] = {1022, 1023, 1025, 1026, 1027, 0, 1005, 1007, 1011, 1019, 1021};
    return dialect[data[0] % 11];
}

/* The keys as a script; what would write a file or take a letter that follows is left out. */
static void script_of(const uint8_t *keys, char *text, size_t size)
{
    size_t n = 0;
    for (int i = 0; i < KEYS; i++) {
        enum action act = (enum action)(keys[i] % ACT_COUNT);
        const char *word = keys[i] >= 256 - (int)NTYPED ? typed[255 - keys[i]] : action_name(act);
        if (word && word != action_name(ACT_SLICE) && act != ACT_NONE)
            n += (size_t)snprintf(text + n, size - n, "%s ", word);
    }
}

static const struct keymap *map(void)
{
    static struct keymap *km;
    if (!km && (km = keymap_new()))
        (void)keymap_parse(km, builtin_keymaps[0].text, strlen(builtin_keymaps[0].text), "builtin", NULL);
    return km;
}

static void session(struct trace *tr, const uint8_t *keys)
{
    static const enum headless_as as[] = {HEADLESS_TEXT, HEADLESS_SVG};
    char text[KEYS * 40], *out = NULL;
    size_t n = 0;
    struct app a;
    FILE *f = open_memstream(&out, &n), *nowhere = fopen("/dev/null", "w");
    if (!f || !nowhere || !app_init(&a, tr, map(), 80, 24))
        abort();
    a.utf8 = true;
    script_of(keys, text, sizeof text);
    (void)headless_run(&a, text, as[keys[0] % 2], f, nowhere);
    fclose(f);
    fclose(nowhere);
    for (size_t i = 0; i < n; i++)
        if (out[i] == '\n')
            out[i] = ' ';
    if (!utf8_plain(out, n))
        abort();
    free(out);
    app_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct trace_opts o = {.threads = 1, .max_memory = 512u << 20};
    struct trace *tr;
    struct err e = {0};
    if (n < 1 + KEYS || !map())
        return 0;
    const size_t live = mem_live();
    uint8_t *copy = malloc(n + 16);
    if (!copy)
        return 0;
    size_t len = tracegen_header(fuzz_version(data), copy);
    memcpy(copy + len, data + 1 + KEYS, n - 1 - KEYS);
    if (trace_open_mem(copy, len + n - 1 - KEYS, &o, &tr, &e) == ERR_OK) {
        while (trace_load(tr, INT64_MAX) != LOAD_DONE)
            ;
        if (!trace_fatal(tr))
            session(tr, data + 1);
        trace_close(tr);
    }
    free(copy);
    if (mem_live() != live)
        abort();
    return 0;
}
