/*
 * source.h - the source file and line of what is under the cursor.
 */
#ifndef GOTOP_VIEWER_SOURCE_H
#define GOTOP_VIEWER_SOURCE_H

#include "viewer/session/app.h"

/* source_here - find the innermost frame, under the cursor or in the pop-up, that is the program's own and has
 * a file: where that is on this host, and the line. Returns false after a message: there is none. */
bool source_here(struct app *a, char *path, size_t size, uint64_t *line);

#endif
