/*
 * say.h - the program's last words: one line about what is wrong, and whether all that was printed has
 * arrived.
 */
#ifndef GOTOP_VIEWER_SAY_H
#define GOTOP_VIEWER_SAY_H

#include "decode/base/err.h"

/* say_error - "gotop: FILE: what is wrong (offset N)" on standard error. path may hold anything: it is made
 * harmless. */
void say_error(const char *path, const struct err *e);
/* finish_output - flushes standard output. Returns status, or EXIT_UNREADABLE if it could not be written; a
 * reader that went away is no error of ours. */
int finish_output(int status);

#endif
