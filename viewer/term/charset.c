/*
 * charset.c - the character set of the terminal, as far as the environment tells.
 *
 * Gotop writes UTF-8 and knows the widths of characters itself (layout/cells/cells.c). So it only asks
 * whether the locale is one of UTF-8, and the locale's name says that. The static program loads no locale
 * at all, since those of the host are made for the host's own C library.
 */
#include "viewer/term/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "layout/cells/cells.h"

/* Returns whether that of "de_DE.UTF-8@euro" between the dot and the @ is UTF-8. */
static bool names_utf8(const char *locale)
{
    const char *dot = strchr(locale, '.');
    if (!dot)
        return false;
    size_t n = strcspn(dot + 1, "@");
    return (n == 5 && strncasecmp(dot + 1, "UTF-8", n) == 0) ||
           (n == 4 && strncasecmp(dot + 1, "UTF8", n) == 0);
}

enum charset charset_of(const char *lc_all, const char *lc_ctype, const char *lang)
{
    const char *says = lc_all && *lc_all ? lc_all : lc_ctype && *lc_ctype ? lc_ctype : lang;
    if (!says || !*says)
        return CHARSET_UNSAID;
    return names_utf8(says) ? CHARSET_UTF8 : CHARSET_ASCII;
}

enum charset charset_start(void)
{
    enum charset said = charset_of(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"));
#ifndef GOTOP_STATIC
    if (setlocale(LC_CTYPE, "")) { /* a name without a character set may mean UTF-8, too */
        if (said != CHARSET_UNSAID)
            said = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? CHARSET_UTF8 : CHARSET_ASCII;
    } else if (said == CHARSET_UTF8) {
        charset_force();
    }
#endif
    return said;
}

#ifdef GOTOP_STATIC
/* Curses asks the C library about characters when it paints. The linker leads these calls here (--wrap),
 * and the answers are those of a UTF-8 locale. */
int __wrap_wcwidth(wchar_t c);
size_t __wrap_wcrtomb(char *out, wchar_t c, mbstate_t *state);

int __wrap_wcwidth(wchar_t c)
{
    char text[4];
    int width, n = utf8_write((uint32_t)c, text);
    uint32_t at = 0;
    if (!c)
        return 0;
    return str_next((struct str){text, (uint32_t)n}, &at, &width) == (uint32_t)c ? width : -1;
}

size_t __wrap_wcrtomb(char *out, wchar_t c, mbstate_t *state)
{
    (void)state;
    return out ? (size_t)utf8_write((uint32_t)c, out) : 1;
}
#endif

void charset_force(void)
{
#ifndef GOTOP_STATIC
    if (MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
#endif
}

bool charset_curses(void)
{
#ifdef GOTOP_STATIC
    return true;
#else
    return MB_CUR_MAX > 1;
#endif
}
