/*
 * export_out.h - the output of an export: standard output or a file, plain or gzip, always as a stream.
 *
 * Errors are kept: the caller writes on without a check, and out_close() returns the error. target.h says
 * how the file is replaced; a broken export never replaces a good one.
 */
#ifndef GOTOP_TRIAGE_EXPORT_OUT_H
#define GOTOP_TRIAGE_EXPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "decode/base/err.h"
#include "decode/trace.h"
#include "triage/exports/target.h"
#include "triage/text.h"

struct out {
    struct gzFile_s *z;   /* gzip, or plain */
    const char *path;     /* borrowed, NULL = standard output */
    struct out_target to; /* the file or descriptor under z */
    int error;            /* the first errno, 0 = none */
};

/*
 * out_open - opens the output; path NULL or "-" = standard output. A file gets its name in out_close().
 * Returns ERR_ARG if that file was read as input, ERR_IO or ERR_NOMEM; then nothing is open and e says why.
 *
 * out_write, out_text - keep a failure in o->error: then further writing is useless.
 */
enum err_code out_open(struct out *o, const char *path, bool gzip, struct err *e);
void out_write(struct out *o, const void *p, size_t n);
void out_text(struct out *o, const struct text *t); /* a text that ran out of memory sets ENOMEM */
/* out_close - flushes and closes. rc, with *e: what came of the writing. Unless that is ERR_OK, or if the
 * file was read meanwhile (ERR_ARG), or is not written whole, `path` stays untouched. Returns why: an output
 * that broke says so itself; ERR_OK also when the reader of a pipe has closed it. */
enum err_code out_close(struct out *o, enum err_code rc, struct err *e);

/* out_name - adds a name from a trace to *t so that any tool can read it: valid UTF-8 without control
 * characters or characters that reorder text. It escapes a bad byte as \xNN and a bad character from U+0080
 * on as \u{N}. */
void out_name(struct text *t, struct str s);

#endif
