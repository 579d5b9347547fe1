/*
 * editor.h - the reader's own editor on a source file.
 *
 * gotop itself can't start programs once it reads a trace (viewer/command/sandbox.h). So a small process is
 * forked before that, which knows the command from the environment (VISUAL, EDITOR) and takes but a path and
 * a line.
 *
 * What it takes may come from a viewer that a trace has taken over. So it believes nothing: it looks at the
 * path itself (decode/base/child.h), shows it on the terminal, and starts the editor once, if Enter is the
 * one key that was pressed since. The first request that gotop would not have made ends it.
 */
#ifndef GOTOP_VIEWER_EDITOR_H
#define GOTOP_VIEWER_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

enum editor_end {
    EDITOR_DONE,
    EDITOR_FAILED,  /* it ended with an error, or could not be started */
    EDITOR_DECLINED /* another key was pressed: it was not started */
};

/* editor_begin - call it before there are threads. Without an editor in the environment nothing is forked. */
void editor_begin(void);
/* editor_name - the command; NULL: there is none. */
const char *editor_name(void);
/* editor_open - it has the terminal until it ends. path: as child_name() makes it. */
enum editor_end editor_open(const char *path, uint64_t line);
void editor_end(void);

#endif
