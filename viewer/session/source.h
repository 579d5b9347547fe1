/*
 * source.h - from a stack to the source file on this host.
 */
#ifndef GOTOP_VIEWER_SOURCE_H
#define GOTOP_VIEWER_SOURCE_H

#include "viewer/session/app.h"

/*
 * source_open - the innermost frame under the cursor (or of the pop-up) that is the program's own and whose
 * file is here: into a->source.path and a->source.line, AR_SOURCE. If there is none a message says what was
 * looked for.
 */
unsigned source_open(struct app *a);
/*
 * source_path - where a recorded path is on this host: the first of the maps "A=B" whose A is its beginning
 * at a folder's border, with B in its place; without one the path itself; from the root, or with "./" before
 * it. false: it does not fit, or holds control bytes.
 */
bool source_path(const char *const *roots, int n, struct str recorded, char *out, size_t size);

#endif
