/*
 * rich.h - a text with styles that is laid out when its place is known. The same words fit two lines of a
 * status line or a pop-up, and are copied whole.
 *
 * It consists of paragraphs, each of which begins a line. Nothing is cut while it is made, except absurdly
 * long names.
 */
#ifndef GOTOP_LAYOUT_RICH_H
#define GOTOP_LAYOUT_RICH_H

#include "layout/cells/cells.h"

enum { RICH_MOST = 4000, RICH_PARAS = 8 };
struct rich {
    char text[RICH_MOST];     /* safe UTF-8 */
    uint8_t style[RICH_MOST]; /* of each byte */
    uint32_t n;
    uint32_t para[RICH_PARAS]; /* the offset where each begins */
    uint32_t nparas;
};

void rich_init(struct rich *r); /* one empty paragraph */
void rich_add(struct rich *r, enum style s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rich_str(struct rich *r, enum style s, struct str text);
void rich_para(struct rich *r); /* begin a paragraph; nothing happens if the last one is empty */
/* rich_draw - draw it into rows [y, y + n) of w columns from x on. The last paragraphs get the lines that
 * they need, the first what remains, at least one; what has no room is cut (wrap.h). Returns the lines
 * used. g NULL: it only counts. */
int rich_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n);
/* rich_line - the part of the text in the next line of w columns: len bytes from *at, which moves on.
 * Returns false at the end. rich_put - draw that part at x, y. For callers that lay lines out themselves. */
bool rich_line(const struct rich *r, int w, uint32_t *at, uint32_t *from, uint32_t *len);
void rich_put(const struct rich *r, struct grid *g, int x, int y, int w, uint32_t from, uint32_t len);
/* rich_text - all of it in one line, with two blanks between paragraphs. */
void rich_text(const struct rich *r, char *out, size_t size);

#endif
