/*
 * saved.h - the file of -o while a program is followed: every byte as sent, compressed if it was.
 *
 * An existing file is left alone until a trace comes, so an error page costs nobody an older trace. Bytes
 * are written as they come, so they are there however gotop ends. A full disk is reported at once; watching
 * then goes on without saving.
 */
#ifndef GOTOP_TRIAGE_SAVED_H
#define GOTOP_TRIAGE_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

struct saved;

/* saved_open - ERR_IO: it can't be written; e->what names it and says why. */
enum err_code saved_open(const char *path, struct saved **out, struct err *e);
/* saved_put - n more bytes. trace: everything so far begins as a trace does. Returns false when they can't
 * be written: *e says why. */
bool saved_put(struct saved *s, const uint8_t *p, size_t n, bool trace, struct err *e);
/* saved_close - close it, and remove a file that was created for bytes that never came. NULL is allowed. */
void saved_close(struct saved *s);

#endif
