/*
 * folder.h - the traces that a command line names, for commands that go through many: a folder stands for the
 * files in it, a zip archive of several traces for each of these (ARCHIVE:MEMBER).
 */
#ifndef GOTOP_TRIAGE_FOLDER_H
#define GOTOP_TRIAGE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/base/err.h"

struct folder_file {
    char *path;
    bool listed; /* found in a folder or archive: if it is no trace, nobody said that it is one */
};
struct folder {
    struct folder_file *file;
    size_t n, cap;
};
/* folder_of - words in their order, files of a folder by name; hidden ones, folders in it, and what standard
 * output and errors go to are left out. false: no memory. */
bool folder_of(const char *const *words, int n, struct folder *out);
void folder_free(struct folder *f);
/* folder_skips - was that file found in a folder, and is it no trace at all? Then nothing is said of it. */
bool folder_skips(const struct folder_file *f, enum err_code why);

#endif
