/*
 * places.h - where the reader's own files and the installed ones are: key maps (.keys), palettes (.palette),
 * numbers of the findings' rules (.rules), queries (.sql). The reader's: $XDG_CONFIG_HOME/gotop, or
 * ~/.config/gotop. The host's: a folder gotop in each of $XDG_CONFIG_DIRS, or /etc/xdg/gotop. Only paths from
 * the root count.
 */
#ifndef GOTOP_TRIAGE_PLACES_H
#define GOTOP_TRIAGE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/base/err.h"

enum { /* in the order they are asked */
       PLACE_USER,
       PLACE_HOST, /* so many folders of $XDG_CONFIG_DIRS are looked at */
       PLACE_INSTALLED = PLACE_HOST + 8,
       PLACE_BUILTIN,
       PLACE_COUNT
};
#define PLACES_UNTRUSTED "gotop runs as root, and this is not a file of root alone: not read"
enum { PLACES_PATH = 4096, PLACES_FILE_MAX = 1 << 20 };

/* places_path - where NAME.SUFFIX would be; a built-in one gets a name for messages. false: no such place
 * here. */
bool places_path(int place, const char *name, const char *suffix, char out[PLACES_PATH]);
/* places_folder - where a place before PLACE_INSTALLED is. false: there is no such folder to look at. */
bool places_folder(int place, char out[PLACES_PATH]);
/*
 * places_read - a file whole; mem_free() it. ERR_IO: it isn't there, can't be read, is no plain file or pipe,
 * or is larger than PLACES_FILE_MAX. ERR_ARG: it was found before PLACE_INSTALLED, but we are root and it is
 * another user's, or anyone may write to it: sudo keeps HOME. place PLACE_COUNT: it was asked for by its
 * path.
 */
enum err_code places_read(int place, const char *path, char **text, size_t *len);

/* places_list - f for each file NAME.SUFFIX in the reader's and the host's folders, by folder. */
void places_list(const char *suffix, void (*f)(void *arg, const char *name), void *arg);

#endif
