/*
 * sandbox.h - what gotop keeps of its rights before it reads a trace, so that a trace which finds a mistake
 * in it gains little.
 *
 * On Linux two lists say what may be done, each where the kernel has it: Landlock, which files can be opened;
 * seccomp, which system calls there are. What a command needs is a row of the table in sandbox.c. Files that
 * are written are made and named by a process of its own (decode/base/clerk.h), which this one forks here; it
 * also starts curl. Nothing is said where a kernel lacks the rest; `gotop --version` tells, and --no-sandbox
 * leaves all open.
 */
#ifndef GOTOP_VIEWER_SANDBOX_H
#define GOTOP_VIEWER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SANDBOX_FILES = 1,    /* reads files that the command line names */
    SANDBOX_OUTPUT = 2,   /* writes those of -o, --map and --save */
    SANDBOX_TERMINAL = 4, /* sets the terminal, and reads the descriptions of its kind; copies into a file */
    SANDBOX_SLICES =
        8, /* writes a part of the trace into a new file in the current folder, beside the trace, in TMPDIR */
    SANDBOX_LIVE = 16,   /* reads what the clerk fetches; -o of the viewer saves that */
    SANDBOX_FOLDERS = 32 /* reads what is in folders that the command line names */
};
/* sandbox_needs - of a subcommand; NULL: the viewer. */
unsigned sandbox_needs(const char *command);
/*
 * sandbox_enter - for this thread and those it starts later; there is no way back. What argv names stays
 * within reach. Call it before threads are started, and when all is said that the clerk may do.
 */
void sandbox_enter(unsigned needs, int argc, char *const *argv);
/* sandbox_text - "Landlock 4, seccomp" or "none": what this kernel and this build have. */
const char *sandbox_text(char *buf, size_t size);

#endif
