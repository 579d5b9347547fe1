/*
 * cells.h - a screen as data: a grid of cells, text put into it safely, the grid as text.
 *
 * A cell is one column of one row. Every glyph in a grid is printable and as wide as its flags say, since
 * text from a trace is made harmless when it is put in. So a painter may copy cells to a terminal without
 * looking at them. Overwriting half of a double-width character blanks the other half.
 */
#ifndef GOTOP_LAYOUT_CELLS_H
#define GOTOP_LAYOUT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/utf8.h"
#include "decode/trace.h"

enum style {
#define X(id, name, letter) STYLE_##id,
#include "layout/cells/styles.def"
#undef X
    STYLE_COUNT
};
#define STYLE_STATE STYLE_NONE /* STYLE_STATE + s is the style of state s */
const char *style_name(enum style s);
char style_letter(enum style s);

enum {
    CELL_REVERSE = 1, /* foreground and background swapped: the cursor, a name within its span */
    CELL_BOLD = 2,
    CELL_UNDERLINE = 4,
    CELL_WIDE = 8, /* the left half of a double-width character */
    CELL_TAIL = 16 /* its right half: glyph 0, nothing to paint */
};

struct cell {
    uint32_t glyph; /* Unicode code point */
    uint16_t style; /* enum style */
    uint16_t flags;
};

/* The columns from x on show [t0,t1); t1 <= t0: they show no time. */
struct axis {
    int x;
    int64_t t0, t1;
};

struct grid {
    int w, h;
    struct cell *cells; /* row by row */
    size_t cap;
    struct axis axis;
    bool ascii; /* text beyond ASCII is put as '?', for terminals that can't show it */
};

/* grid_resize - make it w x h (from 1 x 1 to 2000 x 1000) and clear it; memory is used again. A zeroed grid
 * may be resized. Returns false when out of memory; the grid is then unchanged. */
bool grid_resize(struct grid *g, int w, int h);
void grid_free(struct grid *g);
/* grid_clear - make every cell a blank of STYLE_NORMAL. */
void grid_clear(struct grid *g);

/* All writers clip at the grid's edges: any x, y and width are allowed. */
/* for a glyph that is known to be one column wide */
void grid_put(struct grid *g, int x, int y, uint32_t glyph, enum style s);
void grid_fill(struct grid *g, int x, int y, int w, int h, uint32_t glyph, enum style s);
void grid_flags(struct grid *g, int x, int y, int w, int h, uint16_t set); /* or flags into cells */
void grid_toggle(struct grid *g, int x, int y, uint16_t flags);            /* xor: reversed twice is plain */
/* grid_text - put bytes as text into at most w columns from x on; the rest is cut. Control bytes, bad
 * UTF-8, combining and right-to-left characters are put as str_shown() shows them. Returns the column after
 * the text. */
int grid_text(struct grid *g, int x, int y, int w, struct str text, enum style s);
int grid_str(struct grid *g, int x, int y, int w, const char *text,
             enum style s); /* the same for a C string */
/* grid_right - the same, ending before column x + w. Returns the column where it begins. */
int grid_right(struct grid *g, int x, int y, int w, const char *text, enum style s);

/* grid_cut - the mark of a text that is cut: an ellipsis, or two dots where that can't be shown. */
const char *grid_cut(const struct grid *g);

const struct cell *grid_at(const struct grid *g, int x, int y); /* NULL: outside */

/* grid_line - row y as UTF-8 (or as style letters), without trailing blanks, with a NUL. Returns the number
 * of bytes that it needs without the NUL; writes at most size bytes. 4 * w + 1 is always enough. */
size_t grid_line(const struct grid *g, int y, char *out, size_t size);
size_t grid_line_styles(const struct grid *g, int y, char *out, size_t size);

/* ---- text helpers ---- */

/* str_next - the next character of a hostile string; *at moves by at least 1 byte. Returns a code point
 * that is safe to show; *width is 1 or 2. Bad bytes give U+FFFD, control bytes '?'. */
uint32_t str_next(struct str s, uint32_t *at, int *width);
/* str_shown - the same, as the screen shows it: characters that a terminal may move or draw over others
 * (right-to-left, combining, without a shape, of unknown width) become their code points in `code`,
 * "<5D0>"; for others `code` is "". Returns columns, up to 8. */
enum { STR_CODE = 12 };
int str_shown(struct str s, uint32_t *at, uint32_t *cp, char code[STR_CODE]);
/* str_width - the columns that grid_text() would use, at most max. */
int str_width(struct str s, int max);
/* str_safe - write a hostile string as safe UTF-8 with a NUL, cut at a character. Returns bytes. */
size_t str_safe(struct str s, char *out, size_t size);
struct str str_of(const char *s); /* a C string as struct str */

/* str_shorten - a Go function's name in at most w columns, shortened from the left while its package is
 * readable: "net/http.(*conn).serve", "http.(*conn).serve", "(*conn).serve", then an ellipsis and the end.
 * out is safe UTF-8 with a NUL. Returns columns. ascii: the ellipsis is "..". */
int str_shorten(struct str name, int w, bool ascii, char *out, size_t size);
/* str_tail - the end of a text (a path, a line being typed) in at most w columns, after an ellipsis if it
 * is cut. */
int str_tail(struct str text, int w, bool ascii, char *out, size_t size);
/* str_middle - its beginning and its end, with an ellipsis between them if it is too long. */
int str_middle(struct str text, int w, bool ascii, char *out, size_t size);
/* str_where - shorten a text with functions' names: "lock at sync.(*Mutex).Lock in net/http.(*Server).Serve".
 * Names lose their paths, then their packages, the last one after the others; between the two what is called
 * goes: "lock in http.(*Server).Serve". What is still too long loses the beginning of its longest word. */
int str_where(struct str text, int w, bool ascii, char *out, size_t size);
/* str_head - its beginning, cut without a mark. */
int str_head(struct str text, int w, char *out, size_t size);

#endif
