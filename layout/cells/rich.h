/*
 * rich.h - a text with styles that is laid out when its place is known. The same words fit two lines of a
 * status line or a pop-up, and are copied whole.
 *
 * It consists of paragraphs, each of which begins a line. Nothing is cut while it is made, except absurdly
 * long names. A zeroed one is empty; out of memory, what is added is dropped and r->oom set.
 */
#ifndef GOTOP_LAYOUT_RICH_H
#define GOTOP_LAYOUT_RICH_H

#include "layout/cells/cells.h"
#include "triage/text.h"

enum { RICH_MOST = 4 << 20 }; /* bytes; what is added behind them is dropped */
struct rich {
    char *text;     /* safe UTF-8, no NUL at its end */
    uint8_t *style; /* of each byte */
    size_t n, cap, cap_style;
    size_t *para; /* where each paragraph ends, but for the last one */
    size_t nparas, cap_paras;
    bool oom;
};

void rich_clear(struct rich *r); /* empties it and keeps its memory */
void rich_free(struct rich *r);
void rich_add(struct rich *r, enum style s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rich_str(struct rich *r, enum style s, struct str text);
void rich_para(struct rich *r); /* begin a paragraph; nothing happens if the last one is empty */
/* rich_say - a paragraph of its own. rich_blank - an empty line. */
void rich_say(struct rich *r, enum style s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rich_blank(struct rich *r);

/* rich_paras - the number of paragraphs. rich_at - one of them, without the blanks at its end. */
size_t rich_paras(const struct rich *r);
struct str rich_at(const struct rich *r, size_t i);
struct str rich_last(const struct rich *r); /* the one that is added to */
/* rich_width - the columns of the widest, at most `most`. */
int rich_width(const struct rich *r, int most);

/* rich_draw - draw it into rows [y, y + n) of w columns from x on. The last paragraphs get the lines that
 * they need, the first what remains, at least one; what has no room is cut (wrap.h). Returns the lines
 * used. g NULL: it only counts. */
int rich_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n);

/* rich_row - the next line of the whole text in w columns; a zeroed row stands before the first one. A
 * paragraph goes on below its second column, or a little further right than it begins. Returns false at the
 * end. rich_put - draws it, in style s unless that is STYLE_COUNT. rich_copy - adds it to another text;
 * returns its columns. */
struct rich_row {
    size_t para, at, next; /* para: from 1. [at,at + len) is its part of the text */
    uint32_t len;
    int in; /* columns that it is indented by */
};
bool rich_row(const struct rich *r, int w, struct rich_row *row);
void rich_put(const struct rich *r, const struct rich_row *row, struct grid *g, int x, int y, int w,
              enum style s);
int rich_copy(struct rich *r, const struct rich *from, const struct rich_row *row);

/* rich_print - a line for each paragraph. */
void rich_print(const struct rich *r, struct text *t);

#endif
