/*
 * places.h - where the user's own files and the installed ones are: key maps (.keys), palettes (.palette),
 * thresholds of the findings' rules (.rules), queries (.sql). The user's: $XDG_CONFIG_HOME/gotop, or
 * ~/.config/gotop. The host's: a folder gotop in each of $XDG_CONFIG_DIRS, or /etc/xdg/gotop. Only absolute
 * paths count.
 */
#ifndef GOTOP_TRIAGE_PLACES_H
#define GOTOP_TRIAGE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/base/err.h"

enum { /* in search order */
       PLACE_USER,
       PLACE_HOST, /* the most folders of $XDG_CONFIG_DIRS that are searched */
       PLACE_INSTALLED = PLACE_HOST + 8,
       PLACE_BUILTIN,
       PLACE_COUNT
};
#define PLACES_UNTRUSTED "gotop runs as root, and this is not a file of root alone: not read"
enum { PLACES_PATH = 4096, PLACES_FILE_MAX = 1 << 20 };

/* places_path - returns the path of NAME.SUFFIX in a place; a built-in file gets a name for messages.
 * Returns false if the place does not exist here. */
bool places_path(int place, const char *name, const char *suffix, char out[PLACES_PATH]);
/* places_share - returns PREFIX/share/gotop, of a program in PREFIX/bin. places_folder - returns the folder
 * of a place before PLACE_INSTALLED. Both return false if there is none. */
bool places_share(char out[PLACES_PATH]);
bool places_folder(int place, char out[PLACES_PATH]);
/* places_read - reads a whole file; free it with mem_free(). Returns ERR_IO if it doesn't exist, can't be
 * read, is not a plain file or pipe, or is larger than PLACES_FILE_MAX; ERR_ARG if it is in a place before
 * PLACE_INSTALLED, we are root, and it belongs to another user or is writable by anyone: sudo keeps HOME.
 * place PLACE_COUNT: the user gave its path. */
enum err_code places_read(int place, const char *path, char **text, size_t *len);

/* places_list - calls f for each file NAME.SUFFIX in the user's and the host's folders, by folder. */
void places_list(const char *suffix, void (*f)(void *arg, const char *name), void *arg);

#endif
