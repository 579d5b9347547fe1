/*
 * export_run.h - the commands of one trace that write a file of their own: `gotop pprof`; slice and anonymize
 * (rewrite.h); and info. What their command lines share.
 */
#ifndef GOTOP_TRIAGE_EXPORT_RUN_H
#define GOTOP_TRIAGE_EXPORT_RUN_H

#include "triage/options.h"

struct export_command {
    struct command command;
    bool binary; /* its output is not written to a terminal */
    /* Whether the options make sense; if not, it writes a message to standard error. NULL = always. */
    bool (*check)(const struct options *o);
};

/* export_options - parses the command line and checks that the output may be written. Returns -1 to go on,
 * else the exit status. All strings point into argv. */
int export_options(const struct export_command *c, int argc, char **argv, struct options *o);
/* export_name - what is read, for messages: a path, "standard input", "these traces". */
const char *export_name(const struct options *o);

/* pprof_main - argv[0] is the command's name. Returns the exit status (docs/EXPORTS.md): 0 done; 2 wrong
 * usage, unreadable trace or failed write; 3 written, but only part of the trace could be read. A closed pipe
 * (EPIPE) is no error. The caller ignores SIGPIPE. */
int pprof_main(int argc, char **argv);

#endif
