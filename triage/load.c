/*
 * load.c - see load.h.
 */
#include "triage/load.h"

#include <stdio.h>
#include <unistd.h>

#define STEP 100000000 /* ns between two words on the terminal */

static void progress(bool on, const char *what, double share)
{
    if (on) {
        fprintf(stderr, "\r%s %3.0f%%", what, share * 100);
        fflush(stderr);
    }
}

void load_free(struct loaded *l)
{
    findings_free(&l->fs);
    triage_free(l->tg);
    trace_close(l->tr);
    *l = (struct loaded){0};
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

static enum err_code load_tables(struct loaded *l, bool talk, struct err *e)
{
    enum triage_state s;
    enum err_code c = triage_new(l->tr, &l->tg, e);
    if (c != ERR_OK) {
        return c;
    }
    while ((s = triage_step(l->tg, talk ? STEP : INT64_MAX)) == TRIAGE_MORE) {
        progress(talk, "counting", triage_progress(l->tg));
    }
    if (s == TRIAGE_NOMEM) {
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the tables of the triage");
    }
    return findings_of(l->tg, &l->fs, e);
}

enum err_code load_file(const char *path, const struct trace_opts *opts, bool quiet, struct loaded *l, struct err *e)
{
    bool talk = !quiet && isatty(STDERR_FILENO);
    enum err_code c;
    *l = (struct loaded){.path = path};
    c = trace_open(path, opts, &l->tr, e);
    if (c == ERR_OK) {
        c = load_trace(l, talk, e);
    }
    if (c == ERR_OK) {
        c = load_tables(l, talk, e);
    }
    if (talk) {
        fputs("\r             \r", stderr);
    }
    if (c != ERR_OK) {
        load_free(l);
    }
    return c;
}
