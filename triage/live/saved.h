/*
 * saved.h - the file of -o while a program is followed: every byte as sent, compressed if it was.
 *
 * A file that is there already is left alone until a trace comes, so an error page instead of one costs
 * nobody an older trace. Bytes are written as they come: whatever ends us, they are there, and a full disk is
 * told at once (what comes then is shown, and saved no more).
 */
#ifndef GOTOP_TRIAGE_SAVED_H
#define GOTOP_TRIAGE_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

struct saved;

/* saved_open - ERR_IO: it can't be written, e->what says so and names it. */
enum err_code saved_open(const char *path, struct saved **out, struct err *e);
/* saved_put - n more bytes; trace: all that came begins as a trace does. false: *e says why they can't be
 * written. */
bool saved_put(struct saved *s, const uint8_t *p, size_t n, bool trace, struct err *e);
/* saved_close - a file that was made for bytes that never came is removed. NULL is allowed. */
void saved_close(struct saved *s);

#endif
