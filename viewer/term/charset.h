/*
 * charset.h - whether more than ASCII may be written, by what the environment says.
 */
#ifndef GOTOP_VIEWER_CHARSET_H
#define GOTOP_VIEWER_CHARSET_H

#include <stdbool.h>

enum charset {
    CHARSET_ASCII, /* or another one that gotop does not write */
    CHARSET_UTF8,
    CHARSET_UNSAID /* nothing is set. By rule this is C, though most terminals take UTF-8 */
};

/* charset_of - the character set by LC_ALL, LC_CTYPE and LANG, read as the C library does. NULL: not set. */
enum charset charset_of(const char *lc_all, const char *lc_ctype, const char *lang);
/* charset_start - set the locale of this process, once, since some functions of curses depend on it, and
 * return what the environment asks for. The name of a locale counts even if this host lacks the locale: ssh
 * passes such names on, and they describe the terminal. */
enum charset charset_start(void);
/* charset_force - UTF-8 will be painted, so curses needs a UTF-8 locale: set one unless there is one. */
void charset_force(void);
/* charset_curses - curses can paint more than ASCII. */
bool charset_curses(void);

#endif
