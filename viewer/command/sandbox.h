/*
 * sandbox.h - what gotop gives up before it reads a trace, so that a trace which finds a mistake in it gains little.
 *
 * On Linux two doors are shut, each where the kernel has it: Landlock leaves what the command line names to be read, the
 * folders of -o to be written, and what the system's libraries read; seccomp refuses sockets, other programs, and system
 * calls that a reader of files has no use for. What a command still needs is one row of the table in sandbox.c. Nothing is
 * said where a kernel lacks them; `gotop --version` tells, and --no-sandbox leaves all open.
 */
#ifndef GOTOP_VIEWER_SANDBOX_H
#define GOTOP_VIEWER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SANDBOX_NET = 1,      /* makes connections */
    SANDBOX_EXEC = 2,     /* starts other programs, which read what they like */
    SANDBOX_TERMINAL = 4, /* a terminal's descriptions, and a file for what was copied (TMPDIR) */
    SANDBOX_SLICES = 16,  /* writes a part of the trace where the reader says: beside it or in the current folder */
    SANDBOX_ALL = 8       /* nothing can be given up: a command of the reader's own is run */
};
/* sandbox_needs - of a subcommand; NULL: the viewer. argv as main() has it: an address among its words needs the net. */
unsigned sandbox_needs(const char *command, int argc, char *const *argv);
/*
 * sandbox_enter - for this thread and those it starts later; there is no way back. What argv names stays within reach:
 * files that are there, to be read; what stands behind -o, to be made and written. Call it before threads are started.
 */
void sandbox_enter(unsigned needs, int argc, char *const *argv);
/* sandbox_text - "Landlock 4, seccomp" or "none": what this kernel and this build have. */
const char *sandbox_text(char *buf, size_t size);

#endif
