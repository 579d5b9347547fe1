/*
 * editor.h - the reader's own editor on a source file.
 *
 * gotop itself can't start programs once it reads a trace (viewer/command/sandbox.h). So a small process is forked before that, which
 * knows the command from the environment (VISUAL, EDITOR) and takes but a path and a line.
 */
#ifndef GOTOP_VIEWER_EDITOR_H
#define GOTOP_VIEWER_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

/* editor_begin - call it before there are threads. Without an editor in the environment nothing is forked. */
void editor_begin(void);
/* editor_name - the command; NULL: there is none. */
const char *editor_name(void);
/* editor_open - it has the terminal until it ends. false: it could not be started or failed. */
bool editor_open(const char *path, uint64_t line);
void editor_end(void);

#endif
