/*
 * outside.h - files that the clerk (decode/base/clerk.h) creates and renames, since the sandbox does not
 * let this process create, rename or remove files: it gets descriptors to write to.
 *
 * The set of files is fixed before the clerk starts: those that the command line names, and new ones in
 * certain folders. Without a clerk (--no-sandbox) target.c does it itself.
 */
#ifndef GOTOP_TRIAGE_OUTSIDE_H
#define GOTOP_TRIAGE_OUTSIDE_H

#include <stdbool.h>

#include "decode/base/err.h"
#include "triage/exports/target.h"

/* outside_file - allows writing this file, by this name only. grows: as target_open() has it, and PATH.N,
 * too. Borrows the name. */
void outside_file(const char *path, bool grows);
/* outside_folder - allows creating new files directly in this folder, with names that don't start with a
 * dot. Existing files stay untouched unless created this way. Ignores a path that is not a folder. */
void outside_folder(const char *path);

/* outside_open - does target_open() (target.h) through the clerk. outside_close - does the rest of
 * target_close() once t->fd is closed. Both return 0 or an errno. */
enum err_code outside_open(struct out_target *t, const char *path, bool grows, struct err *e);
int outside_close(struct out_target *t, bool keep);
/* outside_may - whether outside_open() would succeed. Returns 0; EEXIST: the file exists and isn't ours;
 * EACCES: the name or the folder is not allowed; or another errno. Without a clerk returns 0. */
int outside_may(const char *path);

#endif
