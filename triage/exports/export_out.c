/*
 * export_out.c - see export_out.h. Everything goes through zlib's buffer; nothing else is held. The gzip
 * header has no time and no name: the same trace gives the same bytes.
 */
#include "triage/exports/export_out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "decode/base/utf8.h"

#define OUT_BUFFER (1 << 16)

/* ---- the file ------------------------------------------------------------------------------------------ */

enum err_code out_open(struct out *o, const char *path, bool gzip, struct err *e)
{
    *o = (struct out){.path = path && strcmp(path, "-") != 0 ? path : NULL};
    const enum err_code rc = target_open(&o->to, o->path, false, e);
    if (rc)
        return rc;
    const int fd = fcntl(o->to.fd, F_DUPFD_CLOEXEC, 0);
    o->z = gzdopen(fd, gzip ? "wb" : "wbT"); /* T: as it is */
    if (o->z) {
        gzbuffer(o->z, OUT_BUFFER);
        return ERR_OK;
    }
    if (fd >= 0)
        close(fd);
    (void)out_close(o, ERR_NOMEM, NULL);
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the output");
}

static void broke(struct out *o)
{
    int why = errno, z = Z_OK;
    (void)gzerror(o->z, &z);
    if (z == Z_MEM_ERROR)
        why = ENOMEM;
    if (!o->error)
        o->error = why ? why : EIO;
}

void out_write(struct out *o, const void *p, size_t n)
{
    const char *at = p;
    if (!o->error && !target_begin(&o->to))
        broke(o);
    while (n && !o->error) {
        size_t part = n < (1u << 30) ? n : 1u << 30;
        errno = 0;
        if (gzwrite(o->z, at, (unsigned)part) != (int)part)
            broke(o);
        at += part;
        n -= part;
    }
}

void out_text(struct out *o, const struct text *t)
{
    if (!text_ok(t) && !o->error)
        o->error = ENOMEM;
    out_write(o, t->p, t->n);
}

enum err_code out_close(struct out *o, enum err_code rc, struct err *e)
{
    rc = rc ? rc : target_may(o->path, e);
    errno = 0;
    if (o->z && gzclose(o->z) != Z_OK && !o->error)
        o->error = errno ? errno : EIO;
    o->z = NULL;
    if (!target_close(&o->to, !rc && !o->error) && !o->error)
        o->error = errno;
    if (!o->error || o->error == EPIPE)
        return o->error ? ERR_OK : rc;
    /* No fault is raised where the kernel reads pages of a mapped file that are gone. */
    if (o->error == EFAULT)
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "the trace became shorter while it was read: nothing is written");
    errno = o->error;
    return target_failed(o->path, e);
}

/* ---- names --------------------------------------------------------------------------------------------- */

void out_name(struct text *t, struct str s)
{
    for (size_t i = 0, len; i < s.len; i += len ? len : 1) {
        uint32_t c = 0;
        len = utf8_read(s.p + i, s.len - i, &c);
        if (len && !utf8_hidden(c))
            text_raw(t, s.p + i, len);
        else if (len <= 1)
            text_add(t, "\\x%02x", (unsigned char)s.p[i]);
        else
            text_add(t, "\\u{%x}", c);
    }
}
