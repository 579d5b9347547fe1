/*
 * charset.h - may more than ASCII be written? What the environment says of it.
 */
#ifndef GOTOP_VIEWER_CHARSET_H
#define GOTOP_VIEWER_CHARSET_H

#include <stdbool.h>

enum charset {
    CHARSET_ASCII, /* or one that we don't write */
    CHARSET_UTF8,
    CHARSET_UNSAID /* nothing is set: C by rule, though most terminals of today take UTF-8 */
};

/* charset_of - what LC_ALL, LC_CTYPE and LANG say, read as the C library reads them. NULL = not set. Pure. */
enum charset charset_of(const char *lc_all, const char *lc_ctype, const char *lang);
/*
 * charset_start - sets the locale of this process, once, for those functions of curses that depend on it, and
 * says what the environment asks for. A locale that this system lacks (ssh carries names to where they mean
 * nothing) counts by its name all the same: it tells of the terminal.
 */
enum charset charset_start(void);
/* charset_force - UTF-8 may be painted: a locale of that, for curses, unless it is one. */
void charset_force(void);
/* charset_curses - can curses paint more than ASCII? */
bool charset_curses(void);

#endif
