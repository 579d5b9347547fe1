/*
 * fuzz_beside.c - libFuzzer entry for what stands beside a trace: the first byte chooses. A program given
 * with --exe, a zip archive, numbers of rules, a script of keys, whose time is asked for, a place to fetch
 * from. What is said of a mistake holds no control byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "decode/input/feed.h"
#include "decode/input/zip.h"
#include "decode/v1/symbols.h"
#include "tests/support/tracegen.h"
#include "triage/exports/rewrite.h"
#include "triage/findings/thresholds.h"
#include "triage/report/report.h"
#include "viewer/command/headless.h"
#include "viewer/keys/keymap_builtin.h"
#include "viewer/session/app.h"

enum { SCRIPT = 160 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const program =
    "go 1.26\nbatch m=7 t=100\nProcsChange +1 procs=2 stack=main.main:1\nProcStatus +1 p=0 running\n"
    "GoStatus +1 g=1 m=7 running\nUserTaskBegin +1 task=1 parent=0 name=\"GET\" stack=main.main:2\n"
    "GoCreate +5 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
    "GoBlock +5 reason=\"chan receive\" stack=main.main:14\nGoStart +1 g=2 g_seq=1\n";

static void said(const char *what)
{
    if (!what[0] || !utf8_plain(what, strlen(what)) || strchr(what, '\n'))
        abort();
}

static volatile int sum; /* of bytes that must be there */

static void try_symbols(const uint8_t *p, size_t n)
{
    struct symbols *s = NULL;
    struct symbol sym;
    struct err e = {0};
    if (symbols_open_mem(p, n, &s, &e) != ERR_OK) {
        said(e.what);
        return;
    }
    for (uint64_t pc = 0x400f00; pc < 0x401200; pc += 7)
        if (symbols_find(s, pc, &sym)) {
            for (uint32_t i = 0; i < sym.func_len; i++)
                sum += sym.func[i];
            for (uint32_t i = 0; sym.file && i < sym.file_len; i++)
                sum += sym.file[i];
        }
    (void)symbols_find(s, UINT64_MAX, &sym);
    symbols_close(s);
}

static void try_zip(const uint8_t *p, size_t n)
{
    struct zip z;
    struct zip_member m;
    struct dialect d;
    struct err e = {0};
    uint64_t pos = 0;
    if (!zip_is(p, n) || zip_open(p, n, &z, &e) != ERR_OK) {
        if (e.code)
            said(e.what);
        return;
    }
    for (int i = 0; i < 100 && zip_next(&z, &pos, &m); i++) {
        const uint8_t *b = zip_bytes(&z, &m, &e);
        sum += b && m.packed ? b[m.packed - 1] : 0;
        if (!b)
            said(e.what);
        (void)zip_trace(&z, &m, &d);
    }
    if (zip_find(&z, NULL, &m, &e) != ERR_OK)
        said(e.what);
}

static void try_rules(const char *text, size_t n)
{
    struct err e = {0};
    if (thresholds_parse("fuzz", text, n, &e) != ERR_OK)
        said(e.what);
    (void)thresholds_parse("shipped", "", 0, &e);
}

/* ---- asked of a trace ---------------------------------------------------------------------------------- */

static const uint8_t *small(size_t *n)
{
    static uint8_t *bytes;
    static size_t len;
    if (!bytes)
        bytes = tracegen_bytes(program, &len);
    *n = len;
    return bytes;
}

static const struct keymap *map(void)
{
    static struct keymap *km;
    if (!km && (km = keymap_new()))
        (void)keymap_parse(km, builtin_keymaps[0].text, strlen(builtin_keymaps[0].text), "builtin", NULL);
    return km;
}

static void try_script(const char *text)
{
    const struct trace_opts o = {.threads = 1};
    char *out = NULL;
    size_t n = 0, len;
    const uint8_t *p = small(&len);
    struct trace *tr;
    struct err e;
    struct app a;
    FILE *f = open_memstream(&out, &n);
    if (strlen(text) > SCRIPT || strstr(text, "slice")) /* which would write a file */
        text = "j";
    if (!f || trace_open_mem(p, len, &o, &tr, &e) || !app_init(&a, tr, map(), 40, 12))
        abort();
    if (!headless_run(&a, text, HEADLESS_TEXT, f, f))
        fputc(' ', f);
    fclose(f);
    for (size_t i = 0; i < n; i++)
        if (out[i] == '\n')
            out[i] = ' ';
    if (!utf8_plain(out, n))
        abort();
    free(out);
    app_free(&a);
    trace_close(tr);
}

/* Whose time, from when on, by which condition: each is a word of a command. */
static void try_subject(char *text, bool json)
{
    static char path[] = "/proc/self/fd/000000", name[] = "explain", as[] = "--json", o[] = "-o",
                null[] = "/dev/null";
    static FILE *file, *nowhere;
    if (!file) {
        size_t n;
        const uint8_t *p = small(&n);
        file = tmpfile();
        nowhere = fopen("/dev/null", "w");
        if (!file || !nowhere || fwrite(p, 1, n, file) != n || fflush(file))
            abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    }
    if (text[0] == '-')
        return; /* an option */
    char *argv[] = {name, o, null, path, text, json ? as : NULL, NULL};
    FILE *out = stdout, *err = stderr;
    stdout = stderr = nowhere;
    const int status = explain_main(json ? 6 : 5, argv);
    stdout = out;
    stderr = err;
    if (status < 0 || status > 3)
        abort();
}

static void try_where(const char *text)
{
    const struct feed_opts o = {.seconds = 5};
    struct err e = {0};
    char url[512];
    (void)feed_is_url(text);
    if (feed_url(text, &o, url, sizeof url, &e) != ERR_OK)
        said(e.what);
    else
        for (const char *c = url; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n)
        return 0;
    char *text = malloc(n);
    if (!text)
        return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = '\0';
    (void)map();
    const size_t live = mem_live();
    switch (data[0] % 6) {
    case 0: try_symbols((const uint8_t *)text, n - 1); break;
    case 1: try_zip((const uint8_t *)text, n - 1); break;
    case 2: try_rules(text, n - 1); break;
    case 3: try_script(text); break;
    case 4: try_subject(text, data[0] & 128); break;
    default: try_where(text); break;
    }
    if (mem_live() != live)
        abort();
    free(text);
    return 0;
}
