/*
 * load.h - a trace file with its tables and findings, for the commands that print.
 */
#ifndef GOTOP_TRIAGE_LOAD_H
#define GOTOP_TRIAGE_LOAD_H

#include "triage/findings/findings.h"

struct loaded {
    const char *path; /* as given; borrowed */
    struct trace *tr;
    struct triage *tg;
    struct findings fs;
    bool partial; /* part of the file is not shown */
};

/*
 * load_file - read a trace to its end and build everything. Says how far it is on standard error if that is a
 * terminal and `quiet` is false. On failure *l is all zero and *e says why. Free with load_free().
 */
enum err_code load_file(const char *path, const struct trace_opts *opts, bool quiet, struct loaded *l,
                        struct err *e);
/* load_rest - an open trace, read to its end, with the same said of it. */
enum err_code load_rest(struct trace *tr, bool quiet, struct err *e);
/* load_model - load_file() without tables: the trace alone, to be closed with trace_close(); NULL on
 * failure. */
enum err_code load_model(const char *path, const struct trace_opts *opts, bool quiet, struct trace **tr,
                         struct err *e);
/*
 * load_mem - the same for a plain trace in memory, which must outlive *l; nothing is said. opts->leave is
 * asked ten times a second, too: if it says true that is the end (ERR_IO).
 */
enum err_code load_mem(const void *data, size_t len, const struct trace_opts *opts, struct loaded *l,
                       struct err *e);
void load_free(struct loaded *l);

#endif
