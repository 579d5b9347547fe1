/*
 * origin.h - which files were read, so that none of them is written over (triage/exports/target.h).
 *
 * Whoever opens a file for reading notes it here: traces, archives, programs, rules, tokens, and standard
 * input. A file is its device and inode, whatever names it has: links, /dev/stdin, a member of an archive;
 * and the moment it was made, where its file system tells, since another file may get the inode of one that
 * is gone. What is noted stays noted until the process ends.
 */
#ifndef GOTOP_DECODE_ORIGIN_H
#define GOTOP_DECODE_ORIGIN_H

#include <stdbool.h>

/*
 * origin_note - what is open there is read; origin_note_path - what has this name, NULL: nothing. Of anything
 * but a regular file nothing is noted: a pipe that is read may be written to.
 */
void origin_note(int fd);
void origin_note_path(const char *path);
/* origin_is, origin_is_path - was it read? */
bool origin_is(int fd);
bool origin_is_path(const char *path);

#endif
