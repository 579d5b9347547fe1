/*
 * fuzz_text.c - libFuzzer entry for what people write: keymaps, palettes, filters, places to go to,
 * conditions, command lines. The first byte chooses which. What a mistake is said with holds no control byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/utf8.h"
#include "triage/query/filter.h"
#include "triage/query/goto.h"
#include "tests/support/tracegen.h"
#include "triage/tables/metrics.h"
#include "viewer/keys/keymap.h"
#include "viewer/command/cmdline.h"
#include "viewer/term/theme.h"

static void said(const char *what)
{
    if (!what[0] || !utf8_plain(what, strlen(what)) || strchr(what, '\n'))
        abort();
}

static void heard(void *arg, bool error, const char *file, int line, const char *what)
{
    (void)arg, (void)error, (void)file, (void)line;
    if (!what[0])
        abort();
}

/* A map that was read is printed, and what is printed is read to the same again. */
static void try_keymap(const char *text, size_t n)
{
    struct file_say say = {heard, NULL};
    struct keymap *km = keymap_new(), *again = keymap_new();
    char *one = NULL, *two = NULL;
    size_t n1 = 0, n2 = 0;
    if (!km || !again)
        abort();
    (void)keymap_parse(km, text, n, "fuzz", &say);
    (void)keymap_check(km, "fuzz", &say);
    FILE *f = open_memstream(&one, &n1);
    keymap_dump(km, f);
    fclose(f);
    if (!utf8_plain(one, 0) || keymap_parse(again, one, n1, "dump", &say) != ERR_OK)
        abort();
    f = open_memstream(&two, &n2);
    keymap_dump(again, f);
    fclose(f);
    if (n1 != n2 || memcmp(one, two, n1))
        abort();
    free(one);
    free(two);
    keymap_free(km);
    keymap_free(again);
}

static struct trace *small(void)
{
    static struct trace *tr;
    static uint8_t *bytes;
    size_t n;
    struct err e;
    struct trace_opts o = {.threads = 1};
    if (tr)
        return tr;
    bytes =
        tracegen_bytes("go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
                       "GoCreate +5 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
                       "GoBlock +5 reason=\"chan receive\" stack=main.main:14\nGoStart +1 g=2 g_seq=1\n",
                       &n);
    if (trace_open_mem(bytes, n, &o, &tr, &e))
        abort();
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    return tr;
}

static void try_filter(const char *text)
{
    char why[FILTER_WHY];
    struct filter *f = filter_new(small(), text, why);
    if (!f)
        said(why);
    while (f && !filter_step(f, INT64_MAX))
        ;
    filter_free(f);
    char *word = strdup(text), place[LINK_PLACE];
    if (word && link_split(word, place) && !strchr(place, '@'))
        abort();
    free(word);
}

static void try_words(char *text, size_t n)
{
    char *argv[40] = {"gotop"};
    int argc = 1;
    struct cmdline o;
    for (size_t i = 0; i < n && argc < 39; i += strlen(text + i) + 1)
        argv[argc++] = text + i;
    (void)cmdline_parse(argc, argv, &o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct file_say say = {heard, NULL};
    struct condition c;
    struct target t;
    struct err e = {0};
    if (!n)
        return 0;
    char *text = malloc(n);
    if (!text)
        return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = '\0';
    switch (data[0] % 6) {
    case 0: try_keymap(text, n - 1); break;
    case 1: (void)palette_read(text, n - 1, "fuzz", &say); break;
    case 2: try_filter(text); break;
    case 3: (void)goto_parse(NULL, text, &t, NULL); break;
    case 4:
        if (condition_parse(text, data[0] & 128, &c, &e))
            said(e.what);
        break;
    default: try_words(text, n); break;
    }
    free(text);
    return 0;
}
