/*
 * export_out.h - where an export goes: standard output or a file, plain or gzip, always as a stream.
 *
 * Errors stick: write on without looking, out_close() tells. What becomes of the file with that name:
 * triage/exports/target.h. A broken export never stands where a good one is expected.
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
    FILE *f;              /* plain */
    struct gzFile_s *z;   /* gzip */
    const char *path;     /* borrowed, NULL = standard output */
    struct out_target to; /* what is behind f or z */
    int error;            /* the first errno, 0 = none */
};

/*
 * out_may - ERR_ARG, as out_open() would say it: to be asked when the input is open, before it is worked
 * through.
 */
enum err_code out_may(const char *path, struct err *e);
/*
 * out_open - path NULL or "-" = standard output. Any other gets its name at out_close(). ERR_ARG: that file
 * was read. ERR_IO, ERR_NOMEM. Nothing is open then, e says why.
 *
 * out_write, out_text - a failure is kept (o->error): see out_broken().
 */
enum err_code out_open(struct out *o, const char *path, bool gzip, struct err *e);
void out_write(struct out *o, const void *p, size_t n);
void out_text(struct out *o, const struct text *t); /* a failed text is an ENOMEM */
/* out_broken - it makes no sense to go on. */
bool out_broken(const struct out *o);
/*
 * out_close - flush and close; keep = false, or an error: the file of `path` is not touched. ERR_OK also when
 * the reader of a pipe went away.
 */
enum err_code out_close(struct out *o, bool keep, struct err *e);

/*
 * out_name - add a name from a trace to *t so that any tool may read it: valid UTF-8, no control characters,
 * none that reorder text. What is not that is escaped: a byte as \xNN, a character from U+0080 on as \u{N}.
 * `also` are further bytes (below 0x80) to be replaced by '_', NULL = none.
 */
void out_name(struct text *t, struct str s, const char *also);

#endif
