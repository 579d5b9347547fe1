/* door.c - see door.h. */
#include "decode/base/door.h"

#include <stdarg.h>
#include <string.h>

#include "decode/base/utf8.h"

enum { MOST = 8192 };

static bool utf8;
static size_t wide; /* length of the longest line since the last was wiped */

void door_utf8(bool takes)
{
    utf8 = takes;
}

/* Make p safe in place. Returns what remains of its n bytes. */
static size_t clean(char *p, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = utf8_read(p + i, n - i, &c);
        if (!len || utf8_hidden(c) || (c > 0x7e && !utf8))
            p[to++] = '?';
        else
            for (size_t k = 0; k < len; k++)
                p[to++] = p[i + k];
        i += len ? len : 1;
    }
    return to;
}

void door_printf(FILE *f, const char *fmt, ...)
{
    char line[MOST];
    va_list ap;
    va_start(ap, fmt);
    int made = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    size_t n = made < 0 ? 0 : (size_t)made < sizeof line ? (size_t)made : sizeof line - 1;
    if (f == stderr)
        door_wipe();
    bool ends = n > 0 && fmt[strlen(fmt) - 1] == '\n';
    if (ends && line[n - 1] == '\n')
        n--;
    n = clean(line, n);
    if (ends)
        line[n++] = '\n'; /* in place, or where clean() or the cut made room */
    fwrite(line, 1, n, f);
}

void door_status(const char *text)
{
    char line[80];
    size_t len = strlen(text) < sizeof line ? strlen(text) : sizeof line;
    memcpy(line, text, len);
    len = clean(line, len);
    wide = len > wide ? len : wide;
    fputc('\r', stderr);
    fwrite(line, 1, len, stderr);
    fflush(stderr);
}

void door_wipe(void)
{
    if (wide) {
        fprintf(stderr, "\r%*s\r", (int)wide, "");
        fflush(stderr);
    }
    wide = 0;
}
