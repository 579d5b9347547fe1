/*
 * sandbox.h - gotop gives up rights before it reads a trace, so that a trace which exploits a mistake in
 * gotop gains little.
 *
 * On Linux two lists say what is still allowed, as far as the kernel has them: Landlock, which files can be
 * opened; seccomp, which system calls can be made. Each command's needs stand in
 * commands.def. A process that is forked here, the clerk (decode/base/clerk.h), creates and names the files
 * that are written; it also starts curl. A kernel that lacks one of the two is not reported; `gotop
 * --version` shows it, and --no-sandbox keeps all rights.
 */
#ifndef GOTOP_VIEWER_SANDBOX_H
#define GOTOP_VIEWER_SANDBOX_H

#include <stddef.h>

enum {
    SANDBOX_FILES = 1,    /* reads the files that the command line names */
    SANDBOX_OUTPUT = 2,   /* writes the files of -o, --map and --save */
    SANDBOX_TERMINAL = 4, /* controls the terminal, reads terminfo, and writes copies into a file */
    SANDBOX_SLICES =
        8, /* writes new files, slices and pictures: in the current folder, beside the trace, or in TMPDIR */
    SANDBOX_LIVE = 16,   /* reads what the clerk fetches; the viewer's -o saves it */
    SANDBOX_FOLDERS = 32 /* reads the files in folders that the command line names */
};
/* sandbox_needs - the needs of a subcommand; NULL: of the viewer. */
unsigned sandbox_needs(const char *command);
/* sandbox_enter - give up rights for this thread and those it starts later, for good. Files that argv names
 * stay accessible. Call it before threads are started, after the clerk has been told what it may do. */
void sandbox_enter(unsigned needs, int argc, char *const *argv);
/* sandbox_text - what this kernel and this build have: "Landlock 4, seccomp", or "none". */
const char *sandbox_text(char *buf, size_t size);

#endif
