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
    bool sums; /* they are sums under way, which are written anew as they grow */
};

/* lines_new - an empty one; NULL: out of memory. */
struct lines *lines_new(const char *title);
void lines_free(struct lines *t);
void lines_clear(struct lines *t);
/* lines_add - one line, printf-like; control bytes become '?'. Out of memory: the line is lost, t->oom. */
void lines_add(struct lines *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* lines_wrap - a text in lines of at most w columns, those after the first a little further in. */
void lines_wrap(struct lines *t, const char *text, int w);

#endif
