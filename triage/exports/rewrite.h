/*
 * rewrite.h - the commands that make a file of one trace: `gotop slice` and `gotop anonymize` a trace, `gotop
 * pprof` (pprof.c) a profile.
 *
 * docs/SLICES.md and docs/EXPORTS.md say what they write and what is lost. A closed pipe (EPIPE) is no error;
 * the caller ignores SIGPIPE.
 */
#ifndef GOTOP_TRIAGE_REWRITE_H
#define GOTOP_TRIAGE_REWRITE_H

#include "decode/input/joint.h"
#include "decode/write/cut.h"

int slice_main(int argc, char **argv);
int anonymize_main(int argc, char **argv);
int pprof_main(int argc, char **argv);

/* slice_file - does the work of `gotop slice`: writes part of a trace to a file (never the trace itself),
 * which gets its name once it is complete. */
enum err_code slice_file(const char *from, const struct joint_paths *more, const char *to,
                         const struct cut_range *r, struct cut_result *res, struct err *e);

#endif
