/*
 * v1_lines.h - for the tests of the first family: a trace in the notation of tracegen.h, read by source_v1(),
 * and its neutral events as lines of text.
 *
 *   TIME WHO WHAT   "35 g2 waiting (chan send) at main.f", "40 g2 runnable by g1", "41 p0 idle", "7 begin stw
 *                   ..";
 *   '~' in front: bookkeeping that Go's reader does not count; '<' behind the time: back-dated to the trace's
 *   start.
 */
#ifndef GOTOP_TESTS_V1_LINES_H
#define GOTOP_TESTS_V1_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/events/source.h"
#include "tests/support/tracegen.h"

struct lines {
    struct tracegen_buf text;
    struct source s;
    struct names names;
    struct trace_opts opts;
    uint64_t g[64], p[64], m[64]; /* ids by lane */
    uint64_t events, backward;
    bool no_text;
    size_t cap; /* events that are asked for at a time; 0: 64 */
    int64_t last;
};

static void lines_who(struct lines *l, char kind, uint32_t i, const uint64_t *ids)
{
    if (i != EV_NONE && i < 64)
        tracegen_printf(&l->text, " %c%" PRIu64, kind, ids[i]);
    else if (i != EV_NONE)
        tracegen_printf(&l->text, " %c[%u]", kind, i);
}

static void lines_str(struct lines *l, const char *before, uint32_t id, const char *after)
{
    struct str s = names_get(&l->names, id);
    if (s.len)
        tracegen_printf(&l->text, "%s%.*s%s", before, (int)s.len, s.p, after);
}

static void lines_at(struct lines *l, const char *before, uint32_t stack)
{
    struct frame f = names_frame(&l->names, stack, 0);
    if (!names_depth(&l->names, stack))
        return;
    if (f.func)
        lines_str(l, before, f.func, "");
    else
        tracegen_printf(&l->text, "%s0x%" PRIx64, before, f.pc);
}

static void lines_state(struct lines *l, const struct ev *e)
{
    static const char *const name[ST_COUNT] = {
#define X(id, ...) [ST_##id] = #id,
#include "decode/model/states.def"
#undef X
    };
    char low[16] = "";
    for (int i = 0; name[e->state][i] && i < 15; i++)
        low[i] = (char)(name[e->state][i] | 0x20);
    tracegen_printf(&l->text, " %s", e->state == ST_NONE ? "none" : low);
}

static void lines_event(struct lines *l, const struct ev *e)
{
    static const char *const range[] = {"gc", "stw", "sweep", "assist"}, *const metric[] = {"heap", "goal",
                                                                                            "procs"};
    struct tracegen_buf *b = &l->text;
    if (e->kind == EVK_TICK)
        return;
    tracegen_printf(b, "%s%" PRId64 "%s", e->flags & EVF_QUIET ? "~" : "", e->t,
                    e->flags & EVF_BACKDATE ? "<" : "");
    switch (e->kind) {
    case EVK_G_CREATE:
    case EVK_G_STATUS:
        if (e->g < 64)
            l->g[e->g] = e->arg;
        lines_who(l, 'g', e->g, l->g);
        tracegen_printf(b, e->kind == EVK_G_CREATE ? " created" : " is");
        lines_state(l, e);
        lines_who(l, 'p', e->p, l->p);
        lines_at(l, " in ", e->stack2);
        break;
    case EVK_G_STATE:
        lines_who(l, 'g', e->g, l->g);
        lines_state(l, e);
        lines_who(l, 'p', e->p, l->p);
        lines_who(l, 'm', e->m, l->m);
        lines_str(l, " (", e->str, ")");
        break;
    case EVK_G_LABEL:
        lines_who(l, 'g', e->g, l->g);
        lines_str(l, " label ", e->str, "");
        break;
    case EVK_P_STATE:
        if (e->p < 64 && e->arg)
            l->p[e->p] = e->arg;
        lines_who(l, 'p', e->p, l->p);
        lines_state(l, e);
        lines_who(l, 'm', e->m, l->m);
        break;
    case EVK_M_NEW:
        if (e->m < 64)
            l->m[e->m] = e->arg;
        lines_who(l, 'm', e->m, l->m);
        break;
    case EVK_RANGE_BEGIN:
    case EVK_RANGE_END:
        tracegen_printf(b, e->kind == EVK_RANGE_BEGIN ? " begin %s" : " end %s", range[e->state]);
        lines_who(l, 'g', e->g, l->g);
        lines_who(l, 'p', e->p, l->p);
        lines_str(l, " (", e->str, ")");
        if (e->arg || e->arg2)
            tracegen_printf(b, " %" PRIu64 ",%" PRIu64, e->arg, e->arg2);
        break;
    case EVK_METRIC: tracegen_printf(b, " %s %" PRIu64, metric[e->state], e->arg); break;
    case EVK_TASK_BEGIN:
    case EVK_TASK_END:
    case EVK_REGION_BEGIN:
    case EVK_REGION_END:
    case EVK_LOG:
        lines_who(l, 'g', e->g, l->g);
        tracegen_printf(b, " %s %" PRIu64,
                        e->kind == EVK_TASK_BEGIN     ? "task"
                        : e->kind == EVK_TASK_END     ? "endtask"
                        : e->kind == EVK_REGION_BEGIN ? "region"
                        : e->kind == EVK_REGION_END   ? "endregion"
                                                      : "log",
                        e->arg);
        if (e->arg2)
            tracegen_printf(b, " of %" PRIu64, e->arg2);
        lines_str(l, " ", e->str, "");
        if (e->kind == EVK_LOG)
            lines_str(l, ": ", e->stack2, "");
        break;
    case EVK_SAMPLE:
        tracegen_printf(b, " sample");
        lines_who(l, 'g', e->g, l->g);
        lines_who(l, 'p', e->p, l->p);
        break;
    case EVK_LOST:
        lines_who(l, 'g', e->g, l->g);
        lines_who(l, 'p', e->p, l->p);
        lines_who(l, 'm', e->m, l->m);
        tracegen_printf(b, " lost since %" PRIu64, e->arg);
        break;
    default: tracegen_printf(b, " kind %d", e->kind);
    }
    lines_who(l, 'b', e->by, l->g);
    lines_at(l, " at ", e->stack);
    tracegen_put(b, "\n", 1);
}

/* lines_bytes - read a trace's bytes (header included). The damages follow the events as "D text". */
static void lines_bytes(struct lines *l, const uint8_t *data, size_t n, int version)
{
    struct ev_half evs[64];
    struct err e;
    names_init(&l->names);
    l->s = (struct source){.data = data,
                           .len = n,
                           .version = version,
                           .header = version ? 16 : 8,
                           .opts = &l->opts,
                           .names = &l->names};
    l->last = INT64_MIN;
    if (source_v1(&l->s, &e) == ERR_OK) {
        for (size_t got;
             (got = l->s.ops->stream(&l->s, evs, l->cap ? l->cap : sizeof evs / sizeof *evs)) > 0;)
            for (size_t i = 0; i < got; i += ev_halves(&evs[i])) {
                struct ev room;
                l->events++;
                l->backward += evs[i].t < l->last;
                l->last = evs[i].t;
                if (!l->no_text)
                    lines_event(l, ev_whole(&evs[i], &room));
            }
        l->s.ops->close(&l->s);
    } else {
        l->s.fatal = e;
    }
    for (uint32_t i = 0; i < l->s.st.ndamages && i < SOURCE_NOTES; i++)
        tracegen_printf(&l->text, "D %s\n", source_note(&l->s.damage, i)->what);
    source_notes_free(&l->s);
    if (l->s.fatal.code != ERR_OK)
        tracegen_printf(&l->text, "F %s\n", l->s.fatal.what);
    if (!l->text.p)
        tracegen_put(&l->text, "", 0);
}

static void lines_free(struct lines *l)
{
    names_free(&l->names);
    tracegen_free(&l->text);
}

static int lines_version(const uint8_t *data)
{
    return memcmp(data, "gotrace", 8) ? 1000 + atoi((const char *)data + 5) : 0;
}

/* reads_as - the notation's events are these lines. Lines of `want` that end in "*" stand for any ending. */
static __attribute__((unused)) void reads_with(const char *trace, const char *want, double ticks_per_second,
                                               const char *exe)
{
    size_t n, before = mem_live();
    uint8_t *data = tracegen_bytes(trace, &n);
    struct lines l = {.opts = {.ticks_per_second = ticks_per_second, .exe = exe}};
    lines_bytes(&l, data, n, lines_version(data));
    const char *a = (const char *)l.text.p, *b = want;
    while (*a || *b) {
        size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
        bool any = nb && b[nb - 1] == '*';
        if (any ? na < nb - 1 || strncmp(a, b, nb - 1) : na != nb || strncmp(a, b, na)) {
            printf("---- read:\n%s---- wanted, from the line that differs:\n%s----\n", (const char *)l.text.p,
                   b);
            fail_msg("line '%.*s' instead of '%.*s'", (int)na, a, (int)nb, b);
        }
        a += na + (a[na] == '\n');
        b += nb + (b[nb] == '\n');
    }
    lines_free(&l);
    free(data);
    assert_int_equal(mem_live(), before);
}

#define reads_as(trace, want) reads_with(trace, want, 0, NULL)

#endif
