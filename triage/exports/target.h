/*
 * target.h - the file of -o, for every command that has one.
 *
 * What was read is never written over, by whatever name (decode/base/origin.h). Otherwise a name is taken as
 * the shell's ">" takes it: through links, also to a file that isn't there yet; only if the file may be
 * written; its mode, owner and other names stay.
 *
 * Where all that can be kept, the bytes go to a new file beside it, which takes the name only once all is
 * written. Where it can't (no file may be made there, it has other names, or another owner) the file itself
 * is written: it is emptied at the first byte, and left empty if the rest fails.
 */
#ifndef GOTOP_TRIAGE_TARGET_H
#define GOTOP_TRIAGE_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "decode/base/err.h"

struct target {
    int fd;     /* to write to */
    char *tmp;  /* the new file beside it; NULL: the file itself is written */
    char *to;   /* whose name that one gets */
    bool own;   /* a regular file that is written itself, */
    bool begun; /* and emptied by now */
    int far;    /* the clerk's number of it (triage/exports/outside.h), from 1 on; 0 = it is made here */
};

/*
 * target_open - path NULL: standard output. ERR_ARG: it was read. ERR_IO, ERR_NOMEM: it can't be written. e
 * says so and names it; then nothing is open and nothing has changed. At a signal that ends the process a
 * file that isn't whole is removed.
 */
enum err_code target_open(struct target *t, const char *path, struct err *e);
/*
 * target_begin - before each write: the first one empties a file that is written itself. false: errno says
 * why not.
 */
bool target_begin(struct target *t);
/* target_close - keep: all was written. It closes t->fd. false: errno says why it hasn't its name. */
bool target_close(struct target *t, bool keep);
/* target_failed - "can't write to PATH: " and why, from errno. */
enum err_code target_failed(const char *path, struct err *e);
/* target_may - ERR_ARG, and e says it: this name (NULL: standard output) is that of a file which was read. */
enum err_code target_may(const char *path, struct err *e);
/*
 * target_leads - where a name leads through links, which may be to a file that isn't there. false: nowhere,
 * or it is too long.
 */
bool target_leads(const char *path, char to[PATH_MAX]);

#endif
