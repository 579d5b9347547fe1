/*
 * saved.c - see saved.h.
 */
#include "triage/live/saved.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/exports/target.h"
#include "triage/text.h"

struct saved {
    struct out_target to;
    struct text head; /* bytes that came before it was known what they are */
    char path[PATH_MAX];
};

enum err_code saved_open(const char *path, struct saved **out, struct err *e)
{
    struct saved *s = *out = mem_zalloc(sizeof *s);
    if (!s)
        return err_nomem(e);
    snprintf(s->path, sizeof s->path, "%s", path);
    return target_open(&s->to, s->path, true, e);
}

/* Keeps the bytes while less than a header has come, so that it isn't known yet whether it is a trace. */
static bool keep_head(struct saved *s, const uint8_t *p, size_t n, struct err *e)
{
    enum { MOST = 1 << 20 };
    const bool fits = s->head.n + n <= MOST;
    text_raw(&s->head, (const char *)p, fits ? n : 0);
    if (fits && text_ok(&s->head))
        return true;
    err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "%.80s is not written: %s", s->path,
            fits ? "out of memory" : "what came first isn't a trace");
    return false;
}

bool saved_put(struct saved *s, const uint8_t *p, size_t n, bool trace, struct err *e)
{
    const bool first = !s->to.truncated;
    if (first && !trace)
        return keep_head(s, p, n, e);
    if (target_begin(&s->to) && (!first || host_write_all(s->to.fd, s->head.p, s->head.n)) &&
        host_write_all(s->to.fd, p, n))
        return true;
    err_set(e, ERR_IO, ERR_NO_OFFSET, "%.80s can't be written any further: %s", s->path, strerror(errno));
    return false;
}

void saved_close(struct saved *s)
{
    if (!s)
        return;
    (void)target_close(&s->to, s->to.truncated);
    text_free(&s->head);
    mem_free(s);
}
