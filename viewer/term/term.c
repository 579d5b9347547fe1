/*
 * term.c - a terminal is painted, lent to another program, given text for its clipboard.
 *
 * Invariants. Only changes are sent: paint.c knows how in fewer bytes than curses, where the terminal takes the usual
 * sequences; elsewhere curses does it. With paint.c curses has an empty screen that it is asked to show when what is
 * there isn't known, and reads keys. Only grids are painted, and a grid holds no control characters (layout/draw/cells.h).
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
#include "triage/exports/outside.h"
#include "viewer/term/base64.h"
#include "viewer/term/paint.h"
#include "viewer/term/signals.h"

enum { CLIPBOARD_MAX = 74 * 1024 };

/* ---- painting -------------------------------------------------------------------------------------------- */

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

static int fill_row(struct term *t, const struct grid *g, int y, int w)
{
    bool mono = term_depth(t) == DEPTH_MONO;
    int n = 0;
    for (int x = 0; x < w; x++) {
        const struct cell *c = &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
        if (c->flags & CELL_TAIL)
            continue;
        uint32_t glyph = c->glyph;
        if ((c->flags & CELL_WIDE) && x + 1 >= w)
            glyph = ' '; /* its right half would stand outside */
        enum style s = c->style < STYLE_COUNT ? (enum style)c->style : STYLE_NORMAL;
        wchar_t text[2] = {glyph >= 0x20 ? (wchar_t)glyph : L' ', 0};
        setcchar(&t->row[n++], text, cell_attrs(&t->inks[s], c->flags), (short)(mono ? 0 : s + 1), NULL);
    }
    return n;
}

static void ask(struct term *t)
{
    char text[48];
    int n = snprintf(text, sizeof text, ASK_REPEAT, t->utf8 || t->unsaid ? "\xc3\xa9" : "-");
    if (!t->asked)
        term_put(t, text, (size_t)n);
    t->asked = true;
}

static void paint_by_curses(struct term *t, const struct grid *g, int cx, int cy)
{
    if (t->unsaid)
        ask(t);
    int w = g->w < COLS ? g->w : COLS, h = g->h < LINES ? g->h : LINES;
    if (t->row_cap < w) {
        cchar_t *row = mem_resize(t->row, (size_t)w * sizeof *row);
        if (!row)
            return; /* the old picture stays */
        t->row = row;
        t->row_cap = w;
    }
    if (g->w < COLS || g->h < LINES)
        erase();
    for (int y = 0; y < h; y++)
        mvadd_wchnstr(y, 0, t->row, fill_row(t, g, y, w));
    if (t->lost)
        clearok(curscr, TRUE);
    t->lost = false;
    if (cx >= 0)
        move(cy, cx);
    if (t->sync)
        term_put(t, "\033[?2026h", 8);
    refresh();
    if (t->sync)
        term_put(t, "\033[?2026l", 8);
}

/* Clear the terminal, and know that it is clear. */
static bool start_blank(struct term *t)
{
    if (t->sync)
        term_put(t, "\033[?2026h", 8);
    clearok(curscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
    t->paint.depth = term_depth(t);
    ask(t);
    return paint_blank(&t->paint, COLS, LINES);
}

void term_paint(struct term *t, const struct grid *g, int cx, int cy)
{
    if (t->hung_up)
        return;
    if (cx < 0 || cy < 0 || cx >= COLS || cy >= LINES)
        cx = cy = -1;
    curs_set(cx >= 0 ? 1 : 0);
    if (!t->own) {
        paint_by_curses(t, g, cx, cy);
        return;
    }
    if ((t->lost || t->paint.w != COLS || t->paint.h != LINES) && !start_blank(t))
        return;
    t->lost = !paint_grid(&t->paint, g, t->inks, cx, cy);
    if (!t->lost)
        term_put(t, t->paint.out, t->paint.n);
}

void term_redraw(struct term *t)
{
    t->lost = true;
}

void term_hand_over(struct term *t)
{
    term_stop_input(t);
    curs_set(1);
    endwin();
    if (t->have_found)
        tcsetattr(t->in_fd, TCSADRAIN, &t->found);
    sig.open = false;
    t->away = true;
}

static void take_back(struct term *t)
{
    if (sig.leave)
        return; /* killed while we were stopped: the terminal is someone else's */
    t->away = false;
    sig.open = true;
    sig.tstp = sig.cont = 0;
    reset_prog_mode();
    term_take_size(t);
    term_start_input(t);
    term_redraw(t);
}

void term_suspend(struct term *t)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    sigset_t set, old;
    term_hand_over(t);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, &old);
    sigaction(SIGTSTP, &stop, &ours);
    if (!outside_stop()) /* the whole pipeline, as Ctrl-Z would; we stop here */
        kill(0, SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    take_back(t);
}

bool term_lend(struct term *t, bool (*run)(void *arg), void *arg)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    term_hand_over(t);
    sigaction(SIGINT, &ignore, &old_int); /* Ctrl-C in the other program is for the other program */
    sigaction(SIGQUIT, &ignore, &old_quit);
    bool ok = run(arg);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    take_back(t);
    return ok;
}

/* ---- clipboard ------------------------------------------------------------------------------------------- */

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
    if (t->in_tmux) { /* tmux takes the one form or passes on the other, as its configuration says */
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
