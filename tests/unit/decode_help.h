/*
 * decode_help.h - what the decoder's tests share: a generator of numbers, traces from notation, and a lane as
 * text.
 */
#ifndef GOTOP_TESTS_DECODE_HELP_H
#define GOTOP_TESTS_DECODE_HELP_H

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

#include "decode/dump.h"
#include "decode/base/mem.h"
#include "decode/trace.h"
#include "decode/model/trace_priv.h"
#include "tests/support/read_file.h"
#include "tests/support/tracegen.h"

#define UNUSED __attribute__((unused))

struct rng {
    uint64_t s;
};

static inline uint64_t rnd(struct rng *r)
{
    r->s ^= r->s << 13;
    r->s ^= r->s >> 7;
    r->s ^= r->s << 17;
    return r->s;
}

static inline uint64_t below(struct rng *r, uint64_t n) /* 0 .. n-1 */
{
    return n ? rnd(r) % n : 0;
}

/* ---- traces -------------------------------------------------------------------------------------------- */

struct loaded { /* a trace with the bytes it lies in */
    struct trace *tr;
    uint8_t *bytes;
    size_t n;
};

static inline enum err_code load_bytes_opts(const uint8_t *p, size_t n, const struct trace_opts *o,
                                            struct trace **tr, struct err *e)
{
    enum err_code rc = trace_open_mem(p, n, o, tr, e);
    while (!rc && trace_load(*tr, INT64_MAX) != LOAD_DONE)
        ;
    return rc;
}

static inline UNUSED struct loaded load_text(const char *text)
{
    struct loaded l = {0};
    struct trace_opts o = {.threads = 1};
    struct err e;
    l.bytes = tracegen_bytes(text, &l.n);
    if (load_bytes_opts(l.bytes, l.n, &o, &l.tr, &e))
        fail_msg("not opened: %s", e.what);
    return l;
}

static inline UNUSED void unload(struct loaded *l)
{
    trace_close(l->tr);
    free(l->bytes);
}

/* each_trace - call f with every *.trace of a folder of at most max bytes, sorted. Returns how many there
 * were. */
static inline UNUSED int each_trace(const char *dir, size_t max,
                                    void (*f)(const char *path, const uint8_t *p, size_t n))
{
    struct dirent **list;
    int n = scandir(dir, &list, NULL, alphasort), seen = 0;
    for (int i = 0; i < n; i++) {
        size_t len = strlen(list[i]->d_name), bytes = 0;
        if (len > 6 && !strcmp(list[i]->d_name + len - 6, ".trace")) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
            uint8_t *p = read_file(path, &bytes);
            if (p && bytes <= max) {
                f(path, p, bytes);
                seen++;
            }
            free(p);
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return seen;
}

/* ---- a lane as text ------------------------------------------------------------------------------------ */

static inline void put_name(struct tracegen_buf *b, const struct trace *tr, uint32_t id)
{
    struct str s = trace_str(tr, id);
    tracegen_printf(b, "%.*s", (int)s.len, s.p);
}

static inline uint64_t raw_id(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    return trace_lane(tr, (struct lane){k, i}).id;
}

/* Each span a line: start-end, state, (reason), pN / gN / by gN, where it is open. */
static inline void lane_text(struct tracegen_buf *b, const struct trace *tr, struct lane l)
{
    struct span_iter it;
    if (!span_seek_index(&it, tr, l, 0))
        return;
    do {
        const struct span *s = span_get(&it);
        tracegen_printf(b, "%s%" PRId64 "-%" PRId64 "%s %s", s->open_start ? "<" : "", s->t0, s->t1,
                        s->open_end ? ">" : "", state_name((enum state)s->state));
        if (s->reason) {
            tracegen_printf(b, " (");
            put_name(b, tr, s->reason);
            tracegen_printf(b, ")");
        }
        if (s->label) {
            tracegen_printf(b, " [");
            put_name(b, tr, s->label);
            tracegen_printf(b, "]");
        }
        if (s->who != NO_LANE) {
            enum lane_kind k = l.kind == LANE_G && s->state != ST_RUNNABLE ? LANE_P : LANE_G;
            tracegen_printf(b, " %s%c%" PRIu64, l.kind == LANE_G && s->state == ST_RUNNABLE ? "by " : "",
                            k == LANE_P ? 'p' : 'g', raw_id(tr, k, s->who));
        }
        if (s->proc != NO_LANE)
            tracegen_printf(b, " on p%" PRIu64, raw_id(tr, LANE_P, s->proc));
        tracegen_printf(b, "\n");
    } while (span_next(&it));
}

static inline UNUSED void expect_lane(const struct trace *tr, enum lane_kind k, uint64_t id, const char *want)
{
    struct tracegen_buf b = {0};
    tracegen_put(&b, "", 0);
    uint32_t i = trace_find_lane(tr, k, id);
    if (i == NO_LANE)
        fail_msg("no lane with id %" PRIu64, id);
    lane_text(&b, tr, (struct lane){k, i});
    if (strcmp((char *)b.p, want) != 0)
        fail_msg("lane %c%" PRIu64 "\n-- want\n%s-- got\n%s", "PGMB"[k], id, want, (char *)b.p);
    tracegen_free(&b);
}

static inline UNUSED void expect_whole(const struct trace *tr)
{
    if (trace_info(tr)->ndamages)
        fail_msg("damage: %s", trace_damage(tr, 0)->what);
}

/* expect_damage - the first damage's text holds this. */
static inline UNUSED void expect_damage(const struct trace *tr, enum err_code code, const char *part)
{
    const struct err *e = trace_damage(tr, 0);
    if (!e)
        fail_msg("no damage where '%s' was expected", part);
    if (!strstr(e->what, part) || e->code != code)
        fail_msg("damage %d '%s', expected %d '%s'", (int)e->code, e->what, (int)code, part);
}

/* dump_text - the whole dump; free() it. */
static inline UNUSED char *dump_text(const struct trace *tr, size_t *n)
{
    struct {
        char *p;
    } text = {0};
    FILE *f = open_memstream(&text.p, n);
    if (!f || dump_trace(tr, f))
        fail_msg("dump failed");
    fclose(f);
    return text.p;
}

#endif
