/*
 * rich.h - a text in styles, made of pieces, that is laid out when the place for it is known: the same words
 * stand in two lines of a status line, in a pop-up, and whole in what is copied.
 *
 * It consists of paragraphs; each begins a line of its own. Nothing is ever cut while it is made but names
 * beyond reason.
 */
#ifndef GOTOP_LAYOUT_RICH_H
#define GOTOP_LAYOUT_RICH_H

#include "layout/cells/cells.h"

enum { RICH_MOST = 4000, RICH_PARAS = 8 };
struct rich {
    char text[RICH_MOST];     /* safe UTF-8 */
    uint8_t style[RICH_MOST]; /* of each byte */
    uint32_t n;
    uint32_t para[RICH_PARAS]; /* where each begins */
    uint32_t
        lists; /* a bit for each that is a list whose first items say most: its end is what is left out */
    uint32_t nparas;
};

void rich_init(struct rich *r); /* one empty paragraph */
void rich_add(struct rich *r, enum style s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rich_str(struct rich *r, enum style s, struct str text);
void rich_para(struct rich *r); /* from here on a paragraph of its own; none if the one before is empty */
void rich_list(struct rich *r); /* this paragraph is a list, the most telling items first */
/*
 * rich_draw - in rows [y, y + n) of w columns from x on. The last paragraphs have the lines they need, the
 * first what is left, at least one; where there is no room the middle is left out (wrap.h). Returns the lines
 * used. g NULL: only counts.
 */
int rich_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n);
/*
 * rich_line - the part of the text that stands in the next line of w columns: from *at, len bytes; *at moves
 * on. false: there is no more. rich_put - that part, at x, y. For who lays lines out himself.
 */
bool rich_line(const struct rich *r, int w, uint32_t *at, uint32_t *from, uint32_t *len);
void rich_put(const struct rich *r, struct grid *g, int x, int y, int w, uint32_t from, uint32_t len);
/* rich_text - all of it in one line, paragraphs apart by two blanks. */
void rich_text(const struct rich *r, char *out, size_t size);

#endif
