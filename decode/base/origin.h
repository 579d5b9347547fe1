/*
 * origin.h - which files were read, so that none of them is overwritten (triage/exports/target.h).
 *
 * Code that opens a file for reading notes it here: traces, archives, programs, rules, tokens, and standard
 * input. A file is identified by its device and inode, whatever names it has (links, /dev/stdin, a member
 * of an archive), and by its creation time where the file system has it, since another file may get the
 * inode of a deleted one. Notes last until the process ends.
 */
#ifndef GOTOP_DECODE_ORIGIN_H
#define GOTOP_DECODE_ORIGIN_H

#include <stdbool.h>

/* origin_note - Note that the file with this name is read; path NULL: the one open as fd, if any. Only
 * regular files are noted: a pipe that is read may be written to. */
void origin_note(int fd, const char *path);
/* origin_is - Whether this file was read. */
bool origin_is(int fd, const char *path);

#endif
