/*
 * source.h - the source file and line of what is under the cursor.
 */
#ifndef GOTOP_VIEWER_SOURCE_H
#define GOTOP_VIEWER_SOURCE_H

#include "viewer/session/app.h"

/* source_here - find the innermost frame, under the cursor or in the pop-up, that is the program's own and
 * has a file: where that is on this host, and the line. Returns false after a message: there is none. */
bool source_here(struct app *a, char *path, size_t size, uint64_t *line);
/* source_path - where a recorded path is on this host. The first of roots ("A=B") whose A is the path's
 * beginning, up to a '/', is applied: B replaces A. The result begins with '/' or "./". Returns false if it
 * does not fit or holds control bytes. */
bool source_path(const char *const *roots, int n, struct str recorded, char *out, size_t size);

#endif
