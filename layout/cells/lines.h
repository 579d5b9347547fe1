/*
 * lines.h - lines that layout makes for a pop-up or a table: owned, growing, safe UTF-8.
 */
#ifndef GOTOP_LAYOUT_LINES_H
#define GOTOP_LAYOUT_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_MOST = 20000 }; /* lines; more are dropped */

struct lines {
    char title[96];
    char **line;
    size_t n, cap;
    bool oom;
};

/* lines_new - an empty list; NULL: out of memory. */
struct lines *lines_new(const char *title);
void lines_free(struct lines *t);
void lines_clear(struct lines *t);
/* lines_add - add a line, printf-like; control bytes become '?'. Out of memory: the line is dropped and
 * t->oom set. */
void lines_add(struct lines *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* lines_wrap - add a text in lines of at most w columns; lines after the first are indented. */
void lines_wrap(struct lines *t, const char *text, int w);

#endif
