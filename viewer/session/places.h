/*
 * places.h - where the reader's own files and the installed ones are: key maps (.keys), palettes (.palette).
 */
#ifndef GOTOP_VIEWER_PLACES_H
#define GOTOP_VIEWER_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/base/err.h"

enum { PLACE_USER, PLACE_INSTALLED, PLACE_BUILTIN, PLACE_COUNT }; /* in the order they are asked */
#define PLACES_UNTRUSTED "gotop runs as root, and this is not a file of root alone: not read"
enum { PLACES_PATH = 4096, PLACES_FILE_MAX = 1 << 20 };

/* places_path - where NAME.SUFFIX would be; a built-in one gets a name for messages. false: no such place here. */
bool places_path(int place, const char *name, const char *suffix, char out[PLACES_PATH]);
/*
 * places_read - a file whole; mem_free() it. ERR_IO: it isn't there, can't be read, is no plain file or pipe, or is larger
 * than PLACES_FILE_MAX. ERR_ARG: it was found in PLACE_USER, but we are root and it is another user's, or anyone may write to
 * it: sudo keeps HOME. place PLACE_COUNT: it was asked for by its path.
 */
enum err_code places_read(int place, const char *path, char **text, size_t *len);

#endif
