/*
 * rewrite.h - the commands that write a trace as a trace: `gotop slice` and `gotop anonymize`.
 *
 * argv[0] is the command's name. Exit status: 0 done, 2 wrong usage, unreadable trace or failed write, 3
 * written, but the trace is there in part only. What they write, and what it can't say: docs/SLICES.md.
 */
#ifndef GOTOP_TRIAGE_REWRITE_H
#define GOTOP_TRIAGE_REWRITE_H

#include <stdint.h>

#include "decode/input/joint.h"
#include "decode/write/cut.h"

int slice_main(int argc, char **argv);
int anonymize_main(int argc, char **argv);

/*
 * slice_file - what `gotop slice` does: the part of a trace as a file of its own, which takes its name only
 * once it's whole. over: it may take the place of another file (never of the trace itself).
 */
enum err_code slice_file(const char *from, const struct joint_paths *more, const char *to,
                         const struct cut_range *r, bool over, struct cut_result *res, struct err *e);

#endif
