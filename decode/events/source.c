/* source.c - see source.h. */
#include "decode/events/source.h"

#include <stdarg.h>
#include <stdio.h>

static void note(struct err *list, uint32_t *n, enum err_code code, uint32_t gen, uint64_t off, const char *fmt,
                 va_list ap)
{
    if (*n < SOURCE_NOTES) {
        char text[sizeof list->what];
        vsnprintf(text, sizeof text, fmt, ap);
        err_set(&list[*n], code, off, "%s", text);
        list[*n].gen = gen;
    }
    if (*n < UINT32_MAX)
        ++*n;
}

void source_damage(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note(s->damage, &s->st.ndamages, code, gen, off, fmt, ap);
    va_end(ap);
}

void source_warn(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note(s->warning, &s->st.nwarnings, code, gen, off, fmt, ap);
    va_end(ap);
}
