/*
 * lines.c - see lines.h.
 */
#include "layout/cells/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/cells.h"
#include "layout/cells/wrap.h"

struct lines *lines_new(const char *title)
{
    struct lines *t = mem_zalloc(sizeof *t);
    if (t)
        snprintf(t->title, sizeof t->title, "%s", title);
    return t;
}

void lines_clear(struct lines *t)
{
    for (size_t i = 0; i < t->n; i++)
        mem_free(t->line[i]);
    t->n = 0;
}

void lines_free(struct lines *t)
{
    if (!t)
        return;
    lines_clear(t);
    mem_free(t->line);
    mem_free(t);
}

void lines_add(struct lines *t, const char *fmt, ...)
{
    char raw[800], safe[1200];
    va_list ap;
    if (t->n >= LINES_MOST)
        return;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    size_t n = str_safe(str_of(raw), safe, sizeof safe);
    char **l = mem_grow(t->line, &t->cap, t->n + 1, sizeof *l);
    if (l)
        t->line = l;
    char *s = l ? mem_alloc(n + 1) : NULL;
    if (!s) {
        t->oom = true;
        return;
    }
    memcpy(s, safe, n);
    s[n] = 0;
    t->line[t->n++] = s;
}

void lines_wrap(struct lines *t, const char *text, int w)
{
    enum { INDENT = 4, LABEL = 8 };
    struct str rest = str_of(text);
    const bool labelled = strlen(text) > LABEL && text[LABEL - 1] == ' ' && text[LABEL] != ' ';
    for (int in = 0; rest.len; in = labelled ? LABEL : INDENT) {
        uint32_t next = 0, len = wrap_next(rest, w - in, &next);
        lines_add(t, "%*s%.*s", in, "", (int)len, rest.p);
        rest = (struct str){rest.p + next, rest.len - next};
    }
}
