/*
 * load.c - see load.h.
 */
#include "triage/load.h"

#include <stdio.h>
#include <unistd.h>

#include "decode/base/door.h"

#define STEP 100000000 /* ns between two words on the terminal */

static void progress(bool on, const char *what, double share)
{
    if (on) {
        door_progress(what, share);
    }
}

void load_free(struct loaded *l)
{
    findings_free(&l->fs);
    triage_free(l->tg);
    trace_close(l->tr);
    *l = (struct loaded){0};
}

static enum err_code tables(struct trace *tr, const char *what, bool talk, struct triage **tg, struct findings *fs,
                            struct err *e)
{
    enum triage_state s;
    enum err_code c = triage_new(tr, tg, e);
    if (c != ERR_OK) {
        return c;
    }
    while ((s = triage_step(*tg, talk ? STEP : INT64_MAX)) == TRIAGE_MORE) {
        progress(talk, what, triage_progress(*tg));
    }
    if (s == TRIAGE_NOMEM) {
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the tables of the triage");
    }
    return findings_of(*tg, fs, e);
}

static enum err_code load_trace(struct loaded *l, bool talk, struct err *e)
{
    while (trace_load(l->tr, talk ? STEP : INT64_MAX) == LOAD_MORE) {
        const struct trace_info *i = trace_info(l->tr);
        progress(talk, "reading", i->bytes ? (double)i->bytes_done / (double)i->bytes : 0);
    }
    if (trace_fatal(l->tr)) {
        *e = *trace_fatal(l->tr);
        return e->code == ERR_OK ? ERR_EMPTY : e->code;
    }
    l->partial = trace_info(l->tr)->ndamages > 0;
    return ERR_OK;
}

static enum err_code load_opened(struct loaded *l, bool talk, enum err_code c, struct err *e)
{
    if (c == ERR_OK) {
        c = load_trace(l, talk, e);
    }
    if (c == ERR_OK) {
        c = tables(l->tr, "counting", talk, &l->tg, &l->fs, e);
    }
    if (talk) {
        door_wipe();
    }
    if (c != ERR_OK) {
        load_free(l);
    }
    return c;
}

enum err_code load_file(const char *path, const struct trace_opts *opts, bool quiet, struct loaded *l, struct err *e)
{
    bool talk = !quiet && isatty(STDERR_FILENO);
    *l = (struct loaded){.path = path};
    return load_opened(l, talk, trace_open(path, opts, &l->tr, e), e);
}

enum err_code load_mem(const void *data, size_t len, const struct trace_opts *opts, struct loaded *l, struct err *e)
{
    *l = (struct loaded){.path = "(memory)"};
    return load_opened(l, false, trace_open_mem(data, len, opts, &l->tr, e), e);
}
