/*
 * saved.c - see saved.h.
 */
#include "triage/live/saved.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/exports/outside.h"
#include "triage/exports/target.h"

struct saved {
    int fd;
    bool made, begun; /* gotop has created it; it has bytes of a trace */
    uint8_t *head;    /* bytes that came before it was known what they are */
    size_t nhead, caphead;
    char path[4096];
};

enum err_code saved_open(const char *path, struct saved **out, struct err *e)
{
    struct saved *s = *out = mem_zalloc(sizeof *s);
    if (!s)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    s->fd = -1;
    int n = snprintf(s->path, sizeof s->path, "%s", path);
    if (n < 0 || (size_t)n >= sizeof s->path)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the file's name is too long");
    const enum err_code rc = target_may(path, e);
    if (rc)
        return rc;
    s->fd = outside_saves(path, &s->made);
    return s->fd < 0 ? err_set(e, ERR_IO, ERR_NO_OFFSET, "%s: %s", path, strerror(errno)) : ERR_OK;
}

/* It is a trace: the old file is overwritten. */
static bool begin(struct saved *s)
{
    struct stat st;
    s->begun = true;
    if (!s->made && fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(s->fd, 0))
        return false;
    return host_write_all(s->fd, s->head, s->nhead);
}

/* It isn't known yet whether it is a trace: less than a header has come, perhaps compressed. */
static bool keep(struct saved *s, const uint8_t *p, size_t n, struct err *e)
{
    enum { MOST = 1 << 20 };
    const bool fits = s->nhead + n <= MOST;
    if (!fits || !mem_room(s->head, s->caphead, s->nhead + n)) {
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "%.80s is not written: %s", s->path,
                fits ? "out of memory" : "what came first isn't a trace");
        return false;
    }
    memcpy(s->head + s->nhead, p, n);
    s->nhead += n;
    return true;
}

bool saved_put(struct saved *s, const uint8_t *p, size_t n, bool trace, struct err *e)
{
    if (!s->begun && !trace)
        return keep(s, p, n, e);
    if ((s->begun || begin(s)) && host_write_all(s->fd, p, n))
        return true;
    err_set(e, ERR_IO, ERR_NO_OFFSET, "%.80s can't be written any further: %s", s->path, strerror(errno));
    return false;
}

void saved_close(struct saved *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    if (s->made && !s->begun)
        (void)unlink(s->path); /* the clerk removes an empty file when it ends */
    mem_free(s->head);
    mem_free(s);
}
