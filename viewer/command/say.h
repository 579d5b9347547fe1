/*
 * say.h - error messages and the exit: one line about what is wrong, and whether all output has been
 * written.
 */
#ifndef GOTOP_VIEWER_SAY_H
#define GOTOP_VIEWER_SAY_H

#include "decode/base/err.h"

/* say_error - print "gotop: FILE: what is wrong (offset N)" on standard error. Any path is safe: it is
 * escaped. */
void say_error(const char *path, const struct err *e);
/* finish_output - flush standard output. Returns status, or EXIT_UNREADABLE if writing failed; a reader
 * that has gone is no error. */
int finish_output(int status);

#endif
