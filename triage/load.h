/*
 * load.h - loads a trace file with its tables and findings, for the commands that print.
 */
#ifndef GOTOP_TRIAGE_LOAD_H
#define GOTOP_TRIAGE_LOAD_H

#include "triage/findings/findings.h"

struct loaded {
    const char *path; /* as on the command line; borrowed */
    struct trace *tr;
    struct triage *tg;
    struct findings fs;
    bool partial; /* part of the file is not shown */
    uint8_t *mem; /* its bytes, if they go with it; NULL: they are somebody else's */
};

/* load_file - reads a trace to its end and builds all tables. Shows progress on standard error if that is a
 * terminal and `quiet` is false. On failure *l is all zero and *e says why. Free with load_free(). */
enum err_code load_file(const char *path, const struct trace_opts *opts, bool quiet, struct loaded *l,
                        struct err *e);
/* load_rest - reads an open trace to its end, with the same progress. */
enum err_code load_rest(struct trace *tr, bool quiet, struct err *e);
/* load_model - load_file() without tables: returns the trace, to be closed with trace_close(); NULL on
 * failure. */
enum err_code load_model(const char *path, const struct trace_opts *opts, bool quiet, struct trace **tr,
                         struct err *e);
/* load_mem - the same for a plain trace in memory, which must outlive *l; shows no progress. Calls
 * opts->leave ten times a second; if it returns true, loading ends with ERR_IO. */
enum err_code load_mem(const void *data, size_t len, const struct trace_opts *opts, struct loaded *l,
                       struct err *e);
void load_free(struct loaded *l);

#endif
