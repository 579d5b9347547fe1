/*
 * err.c - see err.h. Messages quote bytes of hostile files, so control bytes are replaced here, in one
 * place.
 */
#include "decode/base/err.h"

#include <stdarg.h>
#include <stdio.h>

enum err_code err_set(struct err *e, enum err_code code, uint64_t offset, const char *fmt, ...)
{
    if (!e)
        return code;
    e->code = code;
    e->offset = offset;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->what, sizeof e->what, fmt, ap);
    va_end(ap);
    for (char *p = e->what; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
            *p = '?';
    return code;
}

enum err_code err_nomem(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
}
