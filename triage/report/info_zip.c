/*
 * info_zip.c - see info.h: lists the traces in an archive. It opens each once more for its length.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/input/zip.h"
#include "triage/json.h"
#include "triage/load.h"
#include "triage/report/info.h"
#include "triage/sentence.h"

#define UNOPENED (-2)

/* length - returns the length of the trace in a member; -1 if it can't be read. */
static int64_t length(const char *archive, const struct zip_member *m, const struct trace_opts *o,
                      bool *ticks)
{
    char path[4096 + 256];
    struct trace *tr;
    struct err e = {0};
    int n = snprintf(path, sizeof path, "%s:%.*s", archive, (int)(m->len < 4096 ? m->len : 4096), m->name);
    if (n < 0 || (size_t)n >= sizeof path || load_model(path, o, true, &tr, &e))
        return -1;
    const int64_t end = trace_info(tr)->end;
    *ticks = !trace_info(tr)->has_clock;
    trace_close(tr);
    return end;
}

/* Says how many members the list can't have. */
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
    text_say(t, NULL, "  ", t_bytes(m->size));
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
    json_row(a, NULL, "name", name.p ? name.p : "", "bytes", m->size, "dialect", d->name,
             ticks ? "duration_ticks" : "duration_ns", j_if(end >= 0, end));
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
    json_t *all = json_begin(), *a = json_list(json_put(all, NULL, "schema", INFO_SCHEMA), "traces");
    if (!json) {
        text_say(t, NULL, "gotop info: ", t_clean(path),
                 ": a zip archive; open a trace in it as ARCHIVE:NAME\n\n  size     dialect          "
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
    char *text = json_end(all, JSON_INDENT(1));
    if (text && json)
        text_add(t, "%s\n", text);
    else if (json)
        n = err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory") ? -1 : n;
    mem_free(text);
    return n;
}
