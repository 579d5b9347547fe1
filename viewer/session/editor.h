/*
 * editor.h - the reader's editor, opened on a source file.
 *
 * gotop can't start programs once it reads a trace (viewer/command/sandbox.h). So it forks a small helper
 * before that, which knows the command from the environment (VISUAL, EDITOR) and accepts only a path and a
 * line.
 *
 * A trace may have taken over the viewer that sends the request, so the helper trusts nothing. It checks
 * the path itself (decode/base/child.h), shows it on the terminal, and starts the editor once, if the only
 * key pressed since is Enter. A request that gotop would not make ends the helper.
 */
#ifndef GOTOP_VIEWER_EDITOR_H
#define GOTOP_VIEWER_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

enum editor_end {
    EDITOR_DONE,
    EDITOR_FAILED,  /* it ended with an error, or did not start */
    EDITOR_DECLINED /* another key than Enter was pressed */
};

/* editor_begin - fork the helper; call it before there are threads. Without an editor in the environment
 * none is forked. */
void editor_begin(void);
/* editor_name - the editor's command; NULL: there is none. */
const char *editor_name(void);
/* editor_open - open path (made by child_name()) at a line. The editor has the terminal until it ends. */
enum editor_end editor_open(const char *path, uint64_t line);
void editor_end(void);

#endif
