/*
 * target.h - the file of -o, for all commands that have one.
 *
 * A file that was read is never overwritten, under any of its names (decode/base/origin.h). Otherwise a
 * name works as with the shell's ">": it follows links, also to a file that does not exist yet; the file
 * must be writable; its mode, owner and other names are kept.
 *
 * If all that can be kept, the bytes go to a new file in the same folder, which has no name until it is
 * complete. If not (the folder is not writable, its file system has no such files, there is no /proc, the
 * file has other names or another owner), the file itself is written: the first byte truncates it, and it
 * stays empty if the rest fails.
 */
#ifndef GOTOP_TRIAGE_TARGET_H
#define GOTOP_TRIAGE_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "decode/base/err.h"

struct out_target {
    int fd;            /* the descriptor to write to */
    char to[PATH_MAX]; /* the name that a new file will get, or has (made) */
    bool own;          /* a regular file that is written in place */
    bool made;         /* it was created for that: it goes if it stays empty */
    bool truncated;    /* what it held is gone */
    /* the clerk's number for it (triage/exports/outside.h), from 1 on; 0 = created by this process */
    int far;
};

/* target_open - opens the file; path NULL: standard output. grows: its bytes are to be there as they come,
 * so it is written in place. Returns ERR_ARG if that file was read, ERR_IO if it can't be written; then e
 * says why with its name, nothing is open and nothing has changed. */
enum err_code target_open(struct out_target *t, const char *path, bool grows, struct err *e);
/* target_begin - called before each write: truncates a file that is written in place before its first byte.
 * Returns false with errno. */
bool target_begin(struct out_target *t);
/* target_close - closes t->fd; keep: all was written, so the file takes its name. Returns false with errno
 * if it could not. */
bool target_close(struct out_target *t, bool keep);
/* target_failed - sets "can't write to PATH: " and the reason from errno. */
enum err_code target_failed(const char *path, struct err *e);
/* target_may - returns ERR_ARG, with e, if that name (NULL: standard output) is that of a file which was
 * read. */
enum err_code target_may(const char *path, struct err *e);
/* target_leads - follows the links of a name, maybe to a file that doesn't exist. Returns false if it leads
 * nowhere or is too long. */
bool target_leads(const char *path, char to[PATH_MAX]);
/* target_standard - whether the file is open as standard output or error: later output must go to it, not to
 * a new one. */
struct stat;
bool target_standard(const struct stat *st);

#endif
