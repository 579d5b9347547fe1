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

/* origin_note - Note that the open file is read. origin_note_path - Note the file with this name; NULL:
 * none. Only regular files are noted: a pipe that is read may be written to. */
void origin_note(int fd);
void origin_note_path(const char *path);
/* origin_is, origin_is_path - Whether the file was read. */
bool origin_is(int fd);
bool origin_is_path(const char *path);

#endif
