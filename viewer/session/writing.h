/*
 * writing.h - finds out whether the file that is shown is still being written.
 *
 * Such a file ends in the middle of something, which looks like damage. Only its growth tells that it is
 * being written. So a file that changed in the last seconds is looked at for some seconds more; any other
 * file only once.
 */
#ifndef GOTOP_VIEWER_WRITING_H
#define GOTOP_VIEWER_WRITING_H

#include <stdbool.h>
#include <stdint.h>

struct writing {
    const char *path; /* borrowed */
    int64_t size;     /* bytes when it was opened */
    int looks;        /* looks still to make, WRITING_MS apart */
    int64_t next_ms;  /* on the caller's clock */
};

enum { WRITING_MS = 1000 };

/* writing_begin - the file at `path` has just been opened. */
void writing_begin(struct writing *w, const char *path, int64_t now_ms);
/* writing_waits - more looks are to be made. */
bool writing_waits(const struct writing *w);
/* writing_seen - look, if it is time. Returns true, once, if the file has grown. */
bool writing_seen(struct writing *w, int64_t now_ms);

#endif
