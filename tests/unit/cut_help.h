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
#include "decode/v2/v2_sim.h"

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

static inline bool to_bytes(void *arg, const void *p, size_t n)
{
    struct bytes *b = arg;
    uint8_t *q = mem_grow(b->p, &b->cap, b->n + n, 1);
    assert_non_null(q);
    b->p = q;
    memcpy(q + b->n, p, n);
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

/* unsound - why a trace of the second family is not sound, by the rules that slices are cut by; NULL: it
 * is. */
static inline const char *unsound(const uint8_t *p, size_t n)
{
    static char why[200];
    struct v2_sim s = {0};
    struct v2_raw_gen g = {0};
    struct dialect d;
    const struct input in = {.data = p, .len = n};
    struct err e = {0};
    assert_int_equal(dialect_tell(in.data, in.len, &d, &e), ERR_OK);
    const struct v2_file f = {p, n, d.read_as};
    size_t pos = d.header, at = pos;
    while (!s.damage.code && v2_raw_gen(&f, &pos, &g, &e)) {
        assert_true(v2_sim_begin(&s, &f, &g));
        v2_sim_run(&s, INT64_MAX);
        if (!s.damage.code && (size_t)(g.batch[0].at - p) != at)
            err_set(&s.damage, ERR_FORMAT, at, "bytes before a generation");
        at = pos;
    }
    snprintf(why, sizeof why, "%s", s.damage.code ? s.damage.what : e.what);
    const bool bad = s.damage.code || e.code || !s.ordinal;
    v2_raw_gen_free(&g);
    v2_sim_free(&s);
    return bad ? why : NULL;
}

static inline uint64_t hash(const uint8_t *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#endif
