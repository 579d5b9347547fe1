/*
 * source.h - the source file on this host of a frame in a stack.
 */
#ifndef GOTOP_VIEWER_SOURCE_H
#define GOTOP_VIEWER_SOURCE_H

#include "viewer/session/app.h"

/* source_open - find the innermost frame, under the cursor or in the pop-up, that is the program's own and
 * whose file exists here. Sets a->source.path and a->source.line and returns AR_SOURCE. If there is none, a
 * message says where it looked. */
unsigned source_open(struct app *a);
/* source_path - where a recorded path is on this host. The first of roots ("A=B") whose A is the path's
 * beginning, up to a '/', is applied: B replaces A. The result begins with '/' or "./". Returns false if it
 * does not fit or holds control bytes. */
bool source_path(const char *const *roots, int n, struct str recorded, char *out, size_t size);

#endif
