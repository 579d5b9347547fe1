/*
 * cells.h - a screen as data: a grid of cells, text put into it safely, the grid as text.
 *
 * A cell is one column of one row. Every glyph in a grid is printable and has the width its flags tell, so a
 * painter may copy cells to a terminal without looking at them: text of a trace is made harmless on its way
 * in. Whoever writes half of a double-width character gets the other half blanked.
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
#define STYLE_STATE STYLE_NONE /* the style of state s is STYLE_STATE + s */
const char *style_name(enum style s);
char style_letter(enum style s);

enum {
    CELL_REVERSE = 1, /* foreground and background swapped: the cursor, a name within its span */
    CELL_BOLD = 2,
    CELL_UNDERLINE = 4,
    CELL_WIDE = 8, /* a double-width character starts here */
    CELL_TAIL = 16 /* its right half: glyph 0, paint nothing */
};

struct cell {
    uint32_t glyph; /* Unicode code point */
    uint16_t style; /* enum style */
    uint16_t flags;
};

struct grid {
    int w, h;
    struct cell *cells; /* row by row */
    size_t cap;
    bool ascii; /* text beyond ASCII is put as '?': for terminals that can't show it */
};

/*
 * grid_resize - make it w x h (at least 1 x 1, at most 2000 x 1000) and clear it; memory is reused. A zeroed
 * grid may be resized. false: out of memory, the grid is unchanged.
 */
bool grid_resize(struct grid *g, int w, int h);
void grid_free(struct grid *g);
/* grid_clear - every cell a blank of STYLE_NORMAL. */
void grid_clear(struct grid *g);

/* All writers clip silently at the grid's edges: any x, y and width are allowed. */
void grid_put(struct grid *g, int x, int y, uint32_t glyph, enum style s); /* glyph: ours, known width 1 */
void grid_fill(struct grid *g, int x, int y, int w, int h, uint32_t glyph, enum style s);
void grid_flags(struct grid *g, int x, int y, int w, int h, uint16_t set); /* or flags into cells */
void grid_toggle(struct grid *g, int x, int y, uint16_t flags); /* xor: reverse of reverse is plain */
/*
 * grid_text - put bytes as text in at most w columns from x on; what doesn't fit is cut. Control bytes, bad
 * UTF-8, combining and right-to-left characters stand as str_shown() has them. Returns the column after the
 * last one used.
 */
int grid_text(struct grid *g, int x, int y, int w, struct str text, enum style s);
int grid_str(struct grid *g, int x, int y, int w, const char *text,
             enum style s); /* the same, NUL-terminated */
/* grid_right - the same, ending before column x + w. Returns the column where it starts. */
int grid_right(struct grid *g, int x, int y, int w, const char *text, enum style s);

/* grid_cut - the mark of a text that is cut: an ellipsis, or two dots where that can't be shown; one for the
 * whole screen. */
const char *grid_cut(const struct grid *g);

const struct cell *grid_at(const struct grid *g, int x, int y); /* NULL outside */

/*
 * grid_line - row y as UTF-8 (or as style letters), without trailing blanks, NUL-terminated.
 * Returns the number of bytes needed without the NUL; writes at most size bytes. 4 * w + 1 always suffices.
 */
size_t grid_line(const struct grid *g, int y, char *out, size_t size);
size_t grid_line_styles(const struct grid *g, int y, char *out, size_t size);

/* ---- text helpers ---- */

/*
 * str_next - the next character of a hostile string. *at advances (at least 1 byte). Returns a code point
 * that is safe to show; *width is 1 or 2. Bad bytes give U+FFFD, control bytes '?'.
 */
uint32_t str_next(struct str s, uint32_t *at, int *width);
/*
 * str_shown - the same as it stands on the screen: characters that a terminal may put elsewhere or draw over
 * another (right-to-left, combining, without a shape, or of a width that isn't known) as their code points in
 * code, "<5D0>", else "". Returns columns, up to 8.
 */
enum { STR_CODE = 12 };
int str_shown(struct str s, uint32_t *at, uint32_t *cp, char code[STR_CODE]);
/* str_width - columns that grid_text would use, at most max. */
int str_width(struct str s, int max);
/* str_safe - a hostile string as safe UTF-8 into out (NUL-terminated, cut at a character). Returns bytes. */
size_t str_safe(struct str s, char *out, size_t size);
struct str str_of(const char *s); /* a C string as struct str */

/*
 * str_shorten - a Go function's name in at most w columns, shortened from the left with its package readable:
 * "net/http.(*conn).serve", "http.(*conn).serve", "(*conn).serve", then an ellipsis and the end.
 * out is safe UTF-8, NUL-terminated. Returns columns. ascii: the ellipsis is "..".
 */
int str_shorten(struct str name, int w, bool ascii, char *out, size_t size);
/* str_tail - the end of a text (a path, a line being typed) in at most w columns, an ellipsis before it if
 * cut. */
int str_tail(struct str text, int w, bool ascii, char *out, size_t size);
/* str_middle - its beginning and its end, an ellipsis between them if it is too long: names tell by both. */
int str_middle(struct str text, int w, bool ascii, char *out, size_t size);
/*
 * str_where - "lock at sync.(*Mutex).Lock in net/http.(*Server).Serve": what is called gives way before
 * where, its package first, "lock in (*Server).Serve". Of "lock main.serve <- main.refresh" and "main.serve
 * waits for main.refresh" each end has half of the room, and what the other leaves. A text of another form as
 * str_middle().
 */
int str_where(struct str text, int w, bool ascii, char *out, size_t size);
/* str_head - its beginning, cut without a mark. */
int str_head(struct str text, int w, char *out, size_t size);

#endif
