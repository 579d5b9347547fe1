/*
 * term.c - the terminal is painted, given back while gotop is suspended, and given text for its clipboard.
 *
 * Curses paints, and sends only what has changed. Only grids are painted, and a grid holds no control
 * characters (layout/cells/cells.h).
 */
#include "viewer/term/term_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "decode/base/mem.h"
#include "viewer/term/signals.h"

enum { CLIPBOARD_MAX = 74 * 1024 };

/* ---- painting ------------------------------------------------------------------------------------------ */

void term_put(struct term *t, const char *s, size_t n)
{
    while (n > 0) {
        ssize_t w = write(t->out_fd, s, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return;
        s += w;
        n -= (size_t)w;
    }
}

static bool drawn(uint32_t glyph) /* lines and blocks: most of a picture */
{
    return glyph >= 0x2500 && glyph <= 0x25ff;
}

static attr_t cell_attrs(const struct ink *k, uint16_t flags)
{
    attr_t a = A_NORMAL;
    if (k->attrs & INK_BOLD)
        a |= A_BOLD;
    if (k->attrs & INK_DIM)
        a |= A_DIM;
    if (k->attrs & INK_UNDERLINE)
        a |= A_UNDERLINE;
    if (!(k->attrs & INK_REVERSE) != !(flags & CELL_REVERSE))
        a |= A_REVERSE;
    if (flags & CELL_BOLD)
        a |= A_BOLD;
    if (flags & CELL_UNDERLINE)
        a |= A_UNDERLINE;
    return a;
}

/* A blank without a ground of its own looks the same in every style. */
static bool bare(const struct term *t, const struct cell *c)
{
    if (c->glyph != ' ')
        return false;
    const struct ink *k = &t->inks[c->style < STYLE_COUNT ? c->style : STYLE_NORMAL];
    return k->bg == INK_DEFAULT && !(cell_attrs(k, c->flags) & (A_UNDERLINE | A_REVERSE));
}

/* Returns the glyph of a cell, if it is as wide in curses as in the grid; else a blank. */
static wchar_t glyph_of(const struct cell *c, bool room)
{
    const wchar_t g = (wchar_t)c->glyph;
    const int width = c->flags & CELL_WIDE ? 2 : 1;
    if (g < 0x20 || (width == 2 && !room)) /* its right half would stand outside */
        return L' ';
    return g < 0x7f || drawn(c->glyph) || wcwidth(g) == width ? g : L'?';
}

/* Make a cell for curses. Most equal the one before, and copying is cheaper than making. */
struct made {
    wchar_t glyph;
    attr_t attrs;
    short pair;
    bool grounded; /* it has a ground of its own: its style's, or a mark */
    int32_t ground;
};

static void put_cell(struct term *t, int n, struct made *last, struct made m)
{
    const wchar_t text[2] = {m.glyph, 0};
    if (n && m.glyph == last->glyph && m.attrs == last->attrs && m.pair == last->pair)
        t->row[n] = t->row[n - 1];
    else
        setcchar(&t->row[n], text, m.attrs, m.pair, NULL);
    *last = m;
}

enum { MARKED = A_UNDERLINE | A_REVERSE };

/* The look of a cell, after that of the cell to its left. Blocks and lines look the same in bold, so they are
 * bold only where that makes their colour. */
static void take_look(const struct term *t, const struct cell *c, struct made *m)
{
    const enum style s = c->style < STYLE_COUNT ? (enum style)c->style : STYLE_NORMAL;
    const int32_t ground = t->inks[s].bg;
    attr_t attrs = cell_attrs(&t->inks[s], c->flags);
    if (c->glyph == ' ' && m->grounded && ground == m->ground && !((attrs | m->attrs) & MARKED))
        return; /* a blank shows its ground and nothing else */
    if (drawn(c->glyph) && term_depth(t) > DEPTH_8)
        attrs &= ~A_BOLD;
    m->attrs = attrs;
    m->pair = term_depth(t) == DEPTH_MONO ? 0 : t->pair[s];
    m->ground = ground;
    m->grounded = ground != INK_DEFAULT || (attrs & MARKED);
}

/* N blanks without a ground look the same in every style. A short run takes that of its left neighbour, which
 * is already set; long ones are all alike, so that they are erased. */
static void blank_look(const struct term *t, int n, struct made *m)
{
    enum { SHORT = 12 };
    if (n <= SHORT && !m->grounded)
        return;
    m->attrs = A_NORMAL;
    m->pair = term_depth(t) == DEPTH_MONO ? 0 : t->pair[STYLE_NORMAL];
    m->grounded = false;
}

/* Make one row for curses. */
static int fill_row(struct term *t, const struct grid *g, int y, int w)
{
    const struct cell *row = &g->cells[(size_t)y * (size_t)g->w];
    struct made last = {0}, m = {0};
    int n = 0, blanks = 0;
    for (int x = 0; x < w; x++) {
        const struct cell *c = &row[x];
        if ((c->flags & CELL_TAIL) && n && last.glyph != L'?')
            continue;
        if (!blanks) {
            while (x + blanks < w && bare(t, &row[x + blanks]))
                blanks++;
            if (blanks)
                blank_look(t, blanks, &m);
        }
        if (!blanks)
            take_look(t, c, &m);
        m.glyph = glyph_of(c, x + 1 < w);
        blanks -= blanks > 0;
        put_cell(t, n++, &last, m);
    }
    return n;
}

/* Returns whether curses has this row already, and remembers it; without memory every row counts as new. */
static bool row_known(struct term *t, const struct grid *g, int y)
{
    const size_t len = (size_t)g->w * sizeof *g->cells, at = (size_t)y * len;
    if (t->known_w != g->w || t->known_h != g->h) {
        mem_free(t->known);
        t->known = mem_zalloc((size_t)g->h * len);
        t->known_w = t->known ? g->w : 0;
        t->known_h = g->h;
    }
    const char *row = (const char *)g->cells + at;
    if (!t->known || (!t->lost && memcmp(t->known + at, row, len) == 0))
        return t->known != NULL;
    memcpy(t->known + at, row, len);
    return false;
}

/* Curses has all of g already. */
static bool all_known(const struct term *t, const struct grid *g)
{
    return t->known && t->known_w == g->w && t->known_h == g->h &&
           memcmp(t->known, g->cells, (size_t)g->w * (size_t)g->h * sizeof *g->cells) == 0;
}

void term_paint(struct term *t, const struct grid *g, int cx, int cy)
{
    const int w = g->w < COLS ? g->w : COLS, h = g->h < LINES ? g->h : LINES;
    if (t->hung_up || !mem_room(t->row, t->row_cap, (size_t)w))
        return; /* the old picture stays */
    if (cx < 0 || cy < 0 || cx >= COLS || cy >= LINES)
        cx = cy = -1;
    const bool whole = g->w >= COLS && g->h >= LINES;
    if (whole && !t->lost && cx < 0 && !t->cursor && all_known(t, g))
        return;
    if (t->ecma)
        term_put(t, "\033[?2026h", 8);
    if (!whole)
        erase();
    else if (!t->lost)
        term_pan(t, g);
    for (int y = 0; y < h; y++)
        if (!row_known(t, g, y) || !whole)
            mvadd_wchnstr(y, 0, t->row, fill_row(t, g, y, w));
    if (t->lost)
        clearok(curscr, TRUE);
    t->lost = false;
    t->known_axis = g->axis;
    curs_set(cx >= 0 ? 1 : 0);
    t->cursor = cx >= 0;
    leaveok(stdscr, cx < 0);
    if (cx >= 0)
        move(cy, cx);
    refresh();
    if (t->ecma)
        term_put(t, "\033[?2026l", 8);
}

void term_redraw(struct term *t)
{
    t->lost = true;
}

void term_hand_over(struct term *t)
{
    term_await(t);
    term_stop_input(t);
    curs_set(1);
    t->cursor = true;
    if (!exit_ca_mode) { /* the picture stays, and the shell's next line stands below it */
        move(LINES - 1, 0);
        clrtoeol();
        refresh();
    }
    endwin();
    if (t->have_found)
        tcsetattr(t->in_fd, TCSADRAIN, &t->found);
    sig.open = false;
    t->away = true;
}

static void take_back(struct term *t)
{
    if (sig.leave)
        return; /* killed while stopped: the terminal is another program's */
    t->away = false;
    sig.open = true;
    sig.tstp = sig.cont = 0;
    reset_prog_mode();
    term_take_size(t);
    term_start_input(t);
    term_redraw(t);
}

bool term_suspend(struct term *t)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    sigset_t set, old;
    term_hand_over(t);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, &old);
    sigaction(SIGTSTP, &stop, &ours);
    sig.cont = 0;
    signals_stop(); /* the whole pipeline, as Ctrl-Z does; gotop stops here */
    sigaction(SIGTSTP, &ours, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    const bool stopped = sig.cont;
    take_back(t);
    return stopped;
}

/* ---- clipboard ----------------------------------------------------------------------------------------- */

/* Writes n bytes as terminals take them in control sequences. Returns (n + 2) / 3 * 4. */
static size_t base64_write(const char *in, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v = (uint32_t)(unsigned char)in[i] << 16;
        if (left > 1)
            v |= (uint32_t)(unsigned char)in[i + 1] << 8;
        if (left > 2)
            v |= (unsigned char)in[i + 2];
        out[at++] = digits[v >> 18];
        out[at++] = digits[v >> 12 & 63];
        out[at++] = left > 1 ? digits[v >> 6 & 63] : '=';
        out[at++] = left > 2 ? digits[v & 63] : '=';
    }
    return at;
}

bool term_clipboard(struct term *t, const char *text, size_t len)
{
    size_t need = (len + 2) / 3 * 4;
    const char *name = getenv("TERM");
    if (need > CLIPBOARD_MAX || !name || strncmp(name, "linux", 5) == 0 || strncmp(name, "vt", 2) == 0)
        return false;
    char *buf = mem_alloc(need + 32);
    if (!buf)
        return false;
    size_t n = base64_write(text, len, buf);
    term_put(t, "\033]52;c;", 7);
    term_put(t, buf, n);
    term_put(t, "\a", 1);
    if (t->in_tmux) { /* tmux takes one form and passes the other on, as it is configured */
        term_put(t, "\033Ptmux;\033\033]52;c;", 15);
        term_put(t, buf, n);
        term_put(t, "\a\033\\", 3);
    }
    mem_free(buf);
    return true;
}

uint64_t term_written(const struct term *t)
{
    char buf[256];
    ssize_t n = t->io_fd < 0 ? -1 : pread(t->io_fd, buf, sizeof buf - 1, 0);
    if (n <= 0)
        return 0;
    buf[n] = '\0';
    const char *at = strstr(buf, "wchar:");
    return at ? strtoull(at + 6, NULL, 10) : 0;
}
