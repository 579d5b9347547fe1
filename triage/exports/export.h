/*
 * export.h - the commands that write a trace for other tools: `gotop pprof`, `perfetto` and `folded`.
 *
 * Formats, columns and definitions: docs/EXPORTS.md.
 */
#ifndef GOTOP_TRIAGE_EXPORT_H
#define GOTOP_TRIAGE_EXPORT_H

/* argv[0] is the command's name. They write to standard output or to the file of -o, report an error in one
 * line on standard error, and return the exit status: 0 done; 2 wrong usage, unreadable trace or failed
 * write; 3 written, but only part of the trace could be read. A closed pipe (EPIPE) is no error. The caller
 * ignores SIGPIPE. */
int pprof_main(int argc, char **argv);
/* The commands; they return the exit status (docs/EXPORTS.md). */
int perfetto_main(int argc, char **argv);
int folded_main(int argc, char **argv);

#endif
