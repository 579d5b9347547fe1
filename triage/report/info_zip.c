/* info_zip.c - see info.h: what traces an archive holds. Each is opened once more, for its length. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/input/zip.h"
#include "triage/json.h"
#include "triage/report/info.h"

#define UNOPENED (-2)

/* length - of the trace that a member is; -1: it can't be read. */
static int64_t length(const char *archive, const struct zip_member *m, const struct trace_opts *o,
                      bool *ticks)
{
    char path[4096 + 256];
    struct trace *tr;
    struct err e = {0};
    int n = snprintf(path, sizeof path, "%s:%.*s", archive, (int)(m->len < 4096 ? m->len : 4096), m->name);
    if (n < 0 || (size_t)n >= sizeof path || trace_open(path, o, &tr, &e))
        return -1;
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    int64_t end = trace_fatal(tr) ? -1 : trace_info(tr)->end;
    *ticks = !trace_info(tr)->has_clock;
    trace_close(tr);
    return end;
}

/* What the list can't have. */
static void unseen(struct text *t, const struct zip *z)
{
    struct zip_member m;
    struct err e;
    uint64_t pos = 0, n = 0;
    for (int looked = 0; looked < ZIP_LOOKED && zip_next(z, &pos, &m); looked++)
        n += !zip_bytes(z, &m, &e);
    if (n)
        text_add(t,
                 "\n  %llu more can't be looked into: encrypted, compressed in other ways than deflate, or "
                 "not there\n",
                 (unsigned long long)n);
}

static void line(struct text *t, const struct zip_member *m, const struct dialect *d, int64_t end)
{
    size_t from = t->n;
    text_lit(t, "  ");
    text_bytes(t, m->size);
    text_pad(t, from, 11);
    text_add(t, "%s", d->name);
    text_pad(t, from, 28);
    if (end < 0)
        text_add(t, "%s", end == UNOPENED ? "-" : "torn");
    else
        text_dur(t, end);
    text_pad(t, from, 38);
    text_clean(t, m->name, m->len, 0);
    text_lit(t, "\n");
}

static void object(json_t *a, const struct zip_member *m, const struct dialect *d, int64_t end, bool ticks)
{
    struct text name = {0};
    text_clean(&name, m->name, m->len, 0);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name.p ? name.p : ""));
    json_object_set_new(o, "bytes", json_integer((json_int_t)(m->size & INT64_MAX)));
    json_object_set_new(o, "dialect", json_string(d->name));
    if (end >= 0)
        json_object_set_new(o, ticks ? "duration_ticks" : "duration_ns", json_integer((json_int_t)end));
    json_array_append_new(a, o);
    text_free(&name);
}

enum {
    LISTED = 1000,
    OPENED = 64
}; /* an archive may say that it holds the same large trace a thousand times */

int info_archive(struct text *t, const char *path, const struct zip *z, bool json, const struct trace_opts *o,
                 struct err *e)
{
    struct zip_member m;
    struct dialect d;
    uint64_t pos = 0;
    int n = 0;
    json_begin();
    json_t *a = json_array(), *all = json_object();
    if (!json) {
        text_lit(t, "gotop info: ");
        text_clean(t, path, strlen(path), 0);
        text_lit(t, ": a zip archive; open a trace in it as ARCHIVE:NAME\n\n  size     dialect          "
                    "length    name\n");
    }
    for (int looked = 0; looked < ZIP_LOOKED && n < LISTED && zip_next(z, &pos, &m); looked++) {
        if (!zip_trace(z, &m, &d))
            continue;
        bool ticks = false;
        int64_t end = n < OPENED ? length(path, &m, o, &ticks) : UNOPENED;
        t->ticks = ticks;
        if (json)
            object(a, &m, &d, end, ticks);
        else
            line(t, &m, &d, end);
        n++;
    }
    if (!json)
        unseen(t, z);
    json_object_set_new(all, "schema", json_string(INFO_SCHEMA));
    json_object_set(all, "traces", a);
    char *text = json && json_whole() ? json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;
    if (text)
        text_add(t, "%s\n", text);
    else if (json)
        n = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory") ? -1 : n;
    mem_free(text);
    json_decref(a);
    json_decref(all);
    return n;
}
