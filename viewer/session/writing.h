/*
 * writing.h - is the file that is shown still being written?
 *
 * Such a file ends within something, which looks like damage. Nothing tells that somebody writes it but that
 * it grows; so one that was changed in the last seconds is looked at for some seconds more. Any other file
 * costs one look.
 */
#ifndef GOTOP_VIEWER_WRITING_H
#define GOTOP_VIEWER_WRITING_H

#include <stdbool.h>
#include <stdint.h>

struct writing {
    const char *path; /* borrowed */
    int64_t size;     /* bytes, when it was opened */
    int looks;        /* that are still to be made, WRITING_MS apart */
    int64_t next_ms;  /* by the caller's clock */
};

enum { WRITING_MS = 1000 };

/* writing_begin - the file at `path` was opened just now. */
void writing_begin(struct writing *w, const char *path, int64_t now_ms);
/* writing_waits - more looks are to be made. */
bool writing_waits(const struct writing *w);
/* writing_seen - a look, if it is time for one. true: it has grown; once. */
bool writing_seen(struct writing *w, int64_t now_ms);

#endif
