/*
 * load.c - see load.h.
 */
#include "triage/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"

#define STEP 100000000 /* ns between two progress messages, two calls of opts->leave */

/* Between two steps of loading, progress is shown and the caller asked whether to leave. Without either, all
 * is one step. */
struct between {
    bool talk;
    bool (*leave)(void);
};

static int64_t budget(const struct between *b)
{
    return b->talk || b->leave ? STEP : INT64_MAX;
}

/* Shows the progress. Returns false to stop; then *e says so. */
static bool show_progress(const struct between *b, const char *what, double share, struct err *e)
{
    if (b->talk) {
        char line[80];
        snprintf(line, sizeof line, "%s %3.0f%%", what, share * 100);
        door_status(line);
    }
    const bool left = b->leave && b->leave();
    if (left)
        err_set(e, ERR_IO, ERR_NO_OFFSET, "it was left before it was read to its end");
    return !left;
}

void load_free(struct loaded *l)
{
    findings_free(&l->fs);
    triage_free(l->tg);
    trace_close(l->tr);
    mem_free(l->mem);
    *l = (struct loaded){0};
}

static enum err_code tables(struct loaded *l, const struct between *b, struct err *e)
{
    enum triage_state s;
    enum err_code c = triage_new(l->tr, &l->tg, e);
    if (c != ERR_OK)
        return c;
    while ((s = triage_step(l->tg, budget(b))) == TRIAGE_MORE)
        if (!show_progress(b, "counting", triage_progress(l->tg), e))
            return e->code;
    if (s == TRIAGE_NOMEM)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the tables of the triage");
    struct findings_job *j = findings_begin(l->tg);
    if (!j)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the findings");
    while (!findings_step(j, budget(b)))
        if (!show_progress(b, NULL, 0, e)) {
            findings_drop(j);
            return e->code;
        }
    return findings_end(j, &l->fs, e);
}

static enum err_code read_trace(struct trace *tr, const struct between *b, struct err *e)
{
    while (trace_load(tr, budget(b)) == LOAD_MORE) {
        const struct trace_info *i = trace_info(tr);
        if (!show_progress(b, "reading", i->bytes ? (double)i->bytes_done / (double)i->bytes : 0, e))
            return e->code;
    }
    if (!trace_fatal(tr))
        return ERR_OK;
    *e = *trace_fatal(tr);
    const size_t n = strlen(e->what);
    if (e->offset != ERR_NO_OFFSET)
        snprintf(e->what + n, sizeof e->what - n, " (offset %" PRIu64 ")", e->offset);
    return e->code == ERR_OK ? ERR_EMPTY : e->code;
}

static enum err_code load_opened(struct loaded *l, const struct between *b, enum err_code c, struct err *e)
{
    if (c == ERR_OK)
        c = read_trace(l->tr, b, e);
    if (c == ERR_OK)
        c = tables(l, b, e);
    l->partial = c == ERR_OK && trace_info(l->tr)->ndamages > 0;
    door_wipe();
    if (c != ERR_OK)
        load_free(l);
    return c;
}

enum err_code load_file(const char *path, const struct trace_opts *opts, bool quiet, struct loaded *l,
                        struct err *e)
{
    const struct between b = {.talk = !quiet && isatty(STDERR_FILENO)};
    *l = (struct loaded){.path = path};
    return load_opened(l, &b, trace_open(path, opts, &l->tr, e), e);
}

enum err_code load_rest(struct trace *tr, bool quiet, struct err *e)
{
    const struct between b = {.talk = !quiet && isatty(STDERR_FILENO)};
    const enum err_code c = read_trace(tr, &b, e);
    door_wipe();
    return c;
}

enum err_code load_model(const char *path, const struct trace_opts *opts, bool quiet, struct trace **tr,
                         struct err *e)
{
    enum err_code c = trace_open(path, opts, tr, e);
    if (c == ERR_OK)
        c = load_rest(*tr, quiet, e);
    if (c != ERR_OK) {
        trace_close(*tr);
        *tr = NULL;
    }
    return c;
}

enum err_code load_mem(const void *data, size_t len, const struct trace_opts *opts, struct loaded *l,
                       struct err *e)
{
    const struct between b = {.leave = opts ? opts->leave : NULL};
    *l = (struct loaded){.path = "(memory)"};
    return load_opened(l, &b, trace_open_mem(data, len, opts, &l->tr, e), e);
}
