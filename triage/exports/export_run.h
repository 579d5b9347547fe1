/*
 * export_run.h - what the export commands share: command line, loading, progress, exit status.
 */
#ifndef GOTOP_TRIAGE_EXPORT_RUN_H
#define GOTOP_TRIAGE_EXPORT_RUN_H

#include "triage/exports/export_out.h"
#include "triage/exports/export_scope.h"
#include "triage/options.h"
#include "triage/tables/stackweights.h"

struct export
{
    const struct trace *tr;
    const struct options *o;
    struct scope scope;
    struct out *out;
    bool talk;    /* show the progress on the terminal */
    int64_t said; /* time of the last progress message */
};

#define EXPORT_TAIL \
    "Exit status: 0 done, 2 an error, 3 done, but only part of the trace could be read. See " \
    "docs/EXPORTS.md.\n"
struct export_command {
    struct command command;
    bool gzip, binary; /* binary output is not written to a terminal */
    /* Whether the options make sense; if not, it writes a message to standard error. NULL = always. */
    bool (*check)(const struct options *o);
    /* Writes everything to x->out; stops early once out_broken(). */
    enum err_code (*write)(struct export *x, struct err *e);
};

int export_main(const struct export_command *c, int argc, char **argv);
/* export_name - what is read, for messages: a path, "standard input", "these traces". */
const char *export_name(const struct options *o);
/* export_options - parses the command line and checks that the output may be written. Returns -1 to go on,
 * else the exit status. All strings point into argv. */
int export_options(const struct export_command *c, int argc, char **argv, struct options *o);
/* export_progress - shows the progress on the terminal now and then. Cheap. */
void export_progress(struct export *x, double share);
/* export_filter - returns the filter for stackweights: the selected goroutines and time, with progress. */
struct sw_filter export_filter(struct export *x);

#endif
