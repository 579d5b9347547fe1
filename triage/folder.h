/*
 * folder.h - expands the traces that a command line names, for commands that read many: a folder becomes
 * its files, a zip archive of several traces each of them (ARCHIVE:MEMBER).
 */
#ifndef GOTOP_TRIAGE_FOLDER_H
#define GOTOP_TRIAGE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/base/err.h"

struct folder_file {
    char *path;
    bool listed; /* found in a folder or archive, so it need not be a trace */
};
struct folder {
    struct folder_file *file;
    size_t n, cap;
};
/* folder_of - expands the words in their order, the files of a folder by name. Leaves out hidden files,
 * subfolders, and the files that standard output and error go to. Returns false when out of memory. */
bool folder_of(const char *const *words, int n, struct folder *out);
void folder_free(struct folder *f);
/* folder_skips - whether that file was found in a folder and is not a trace. Then it is ignored silently. */
bool folder_skips(const struct folder_file *f, enum err_code why);

#endif
