/*
 * outside.h - the files that are written, made and named by the clerk (decode/base/clerk.h), since the
 * sandbox lets this process neither make, rename nor remove any: it gets descriptors to write to.
 *
 * Which files these can be is said before the clerk begins: those that the command line names, and new ones
 * in certain folders. Without a clerk (--no-sandbox) export_out.c and saved.c do it themselves.
 */
#ifndef GOTOP_TRIAGE_OUTSIDE_H
#define GOTOP_TRIAGE_OUTSIDE_H

#include <stdbool.h>

#include "decode/base/err.h"
#include "triage/exports/target.h"

/* outside_file - this one may be written, by this name and by no other; borrowed. */
void outside_file(const char *path);
/* outside_folder - new files may be made right in it, whose names begin with no dot; none that is there is
 * touched, but for those that were made so. What is no folder is left out. */
void outside_folder(const char *path);

/* outside_save - this one, and PATH.N, may be made and written by outside_saves(); borrowed. */
void outside_save(const char *path);
/* outside_terminal - outside_copy() and outside_stop() will be wanted. */
void outside_terminal(void);

/* outside_open - as target_open() (target.h), by the clerk. outside_close - what is left of target_close():
 * t->fd is closed. 0, or an errno. */
enum err_code outside_open(struct out_target *t, const char *path, struct err *e);
int outside_close(struct out_target *t, bool keep);
/* outside_may - would it be opened? 0; EEXIST: a file is there that isn't ours; EACCES: not by that name or
 * in that folder; or another errno. Without a clerk 0. */
int outside_may(const char *path);
/* outside_saves - for saved.c: a file that grows, or its successor PATH.N. *made: it was not there; then it
 * goes at the end if it is empty. A descriptor, or -1, errno. */
int outside_saves(const char *path, bool *made);
/* outside_copy - a new file of the user's alone in TMPDIR that goes at the end; its name into path. A
 * descriptor, or -1, errno. */
int outside_copy(char *path, unsigned long size);
/* outside_stop - SIGTSTP to all programs of the pipeline, this one included. false: nobody did it. */
bool outside_stop(void);
/* outside_made - in the clerk: was this file made there, and given its name? */
bool outside_made(const char *path);

#endif
