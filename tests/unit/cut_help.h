/*
 * cut_help.h - what the tests of slices share: bytes that grow, a slice in memory, a trace from memory,
 * whether it is sound.
 */
#ifndef GOTOP_TESTS_CUT_HELP_H
#define GOTOP_TESTS_CUT_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/write/cut.h"
#include "decode/base/mem.h"
#include "decode/trace.h"
#include "decode/v2/v2_gen.h"

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

static inline bool to_bytes(void *arg, const void *p, size_t n)
{
    struct bytes *b = arg;
    assert_true(mem_room(b->p, b->cap, b->n + n));
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static inline enum err_code cut(const uint8_t *p, size_t n, int64_t from, int64_t to, struct bytes *out,
                                struct cut_result *res, struct err *e)
{
    struct input in = {.data = p, .len = n};
    struct cut_range r = {from, to, 0};
    struct outlet s = {.write = to_bytes, .arg = out};
    out->n = 0;
    return cut_trace(&in, &r, &s, res, e);
}

static inline struct trace *load(const uint8_t *p, size_t n)
{
    struct trace *tr;
    struct err e = {0};
    struct trace_opts o = {.threads = 1};
    if (trace_open_mem(p, n, &o, &tr, &e))
        return NULL;
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    return tr;
}

/* unsound - why a trace is not sound; NULL: it is. */
static inline const char *unsound(const uint8_t *p, size_t n)
{
    static char why[200];
    struct trace *t = load(p, n);
    assert_non_null(t);
    const struct err *e = trace_fatal(t) ? trace_fatal(t) : trace_damage(t, 0);
    snprintf(why, sizeof why, "%s", e ? e->what : "");
    trace_close(t);
    return e ? why : NULL;
}

static inline uint64_t hash(const uint8_t *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#endif
