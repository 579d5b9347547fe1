/*
 * pan.c - a picture that moved along its time axis, or a line of text that has got or lost some words in its
 * middle, is moved by the terminal. Curses compares rows column by column, and would send all of them.
 *
 * Invariant. Curses is told what moved (curscr is the screen as it is): a bad guess costs bytes, and nothing
 * else.
 */
#include "viewer/term/term_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH = 3, /* cells; a row that saves fewer is not moved */
    FAR = 7    /* rows; the cursor is addressed to reach a row that is further down */
};

static bool cells_alike(const struct cell *a, const struct cell *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* A move of one row: everything from column x on moves left by k columns, or right by -k. */
struct pan {
    int k, x;
};

/* What painting this cell costs, where the one before it is painted, too, or not. Erasing costs little. */
static int cell_cost(const struct cell *c, bool goes_on)
{
    enum { ADDRESS = 2 }; /* the cursor is sent there: as much as that many cells */
    return (c->glyph != ' ') + (goes_on ? 0 : ADDRESS);
}

/* Returns what a move saves of painting a row, in cells. */
static int gain(const struct cell *old, const struct cell *now, int w, struct pan p)
{
    int sum = 0;
    bool stayed = true, came = true;
    for (int x = p.x; x < w; x++) {
        const int was = x + p.k;
        const bool stays = cells_alike(&now[x], &old[x]), blank = now[x].glyph == ' ',
                   comes = was >= p.x && was < w ? cells_alike(&now[x], &old[was]) : blank;
        sum += stays ? 0 : cell_cost(&now[x], !stayed);
        sum -= comes ? 0 : cell_cost(&now[x], !came);
        stayed = stays;
        came = comes;
    }
    return sum;
}

static const struct cell *old_row(const struct term *t, int y)
{
    return (const struct cell *)t->known + (size_t)y * (size_t)t->known_w;
}

static const struct cell *new_row(const struct grid *g, int y)
{
    return g->cells + (size_t)y * (size_t)g->w;
}

/* Returns the move of what stands on a time axis. Its columns are as wide as before; k is 0 if they show
 * other times, or the same. */
static struct pan picture_moved(const struct term *t, const struct grid *g)
{
    const struct axis *was = &t->known_axis, *now = &g->axis;
    const int w = g->w - now->x;
    if (now->x != was->x || now->t1 - now->t0 != was->t1 - was->t0 || now->t1 <= now->t0)
        return (struct pan){0, 0};
    const double k = (double)(now->t0 - was->t0) * w / (double)(now->t1 - now->t0);
    return (struct pan){k > -w && k < w ? (int)(k < 0 ? k - 0.5 : k + 0.5) : 0, now->x};
}

/* Returns where the text in a row ends. */
static int text_end(const struct cell *row, int w)
{
    while (w > 0 && row[w - 1].glyph == ' ')
        w--;
    return w;
}

/* Returns the move of a row that got or lost some words: all behind them moves by as much as its end. */
static struct pan words_moved(const struct cell *old, const struct cell *now, int w)
{
    enum { WORTH_WORDS = 16 }; /* the cursor goes there for this row alone */
    struct pan p = {text_end(old, w) - text_end(now, w), 0};
    while (p.x < w && cells_alike(&old[p.x], &now[p.x]))
        p.x++;
    if (p.k && gain(old, now, w, p) < WORTH_WORDS)
        p.k = 0;
    return p;
}

static bool has_wide(const struct cell *row, int w)
{
    for (int x = 0; x < w; x++)
        if (row[x].flags & (CELL_WIDE | CELL_TAIL))
            return true;
    return false;
}

static void tell_curses(int y, struct pan p)
{
    wmove(curscr, y, p.x);
    for (int i = 0; i < abs(p.k); i++)
        if (p.k > 0)
            wdelch(curscr);
        else
            winsch(curscr, ' ');
}

/* Where more cells are inserted than are behind them, tmux (3.3a) leaves old cells between them. */
static bool wide_insert(struct pan p, int w)
{
    return p.k < 0 && -p.k > w - p.x + p.k;
}

/* Returns the move of row Y: that of the picture, or its own. */
static struct pan row_moved(const struct term *t, const struct grid *g, int y, struct pan picture)
{
    const struct pan none = {0, 0};
    const struct cell *old = old_row(t, y), *now = new_row(g, y);
    if (memcmp(old, now, (size_t)g->w * sizeof *now) == 0 || has_wide(old, g->w))
        return none;
    if (picture.k && gain(old, now, g->w, picture) >= WORTH)
        return wide_insert(picture, g->w) ? none : picture;
    const struct pan own = words_moved(old, now, g->w);
    return wide_insert(own, g->w) ? none : own;
}

void term_pan(struct term *t, const struct grid *g)
{
    char text[64];
    int last = -1, column = 0;
    if (!t->pans || !t->known || t->known_w != g->w || t->known_h != g->h)
        return;
    const struct pan picture = picture_moved(t, g);
    for (int y = 0; y < g->h; y++) {
        const struct pan p = row_moved(t, g, y, picture);
        int n = 0;
        if (!p.k)
            continue;
        if (last < 0)
            /* Cells that come in have the terminal's own ground. */
            n = snprintf(text, sizeof text, "\0337\033[m");
        const int down = last < 0 || p.x != column ? FAR : y - last; /* the cursor is still in that column */
        for (int i = 0; i < down && down < FAR; i++)
            text[n++] = '\n';
        if (down >= FAR)
            n += snprintf(text + n, sizeof text - (size_t)n, "\033[%d;%dH", y + 1, p.x + 1);
        n += snprintf(text + n, sizeof text - (size_t)n, "\033[%d%c", abs(p.k), p.k > 0 ? 'P' : '@');
        term_put(t, text, (size_t)n);
        tell_curses(y, p);
        last = y;
        column = p.x;
    }
    if (last >= 0)
        term_put(t, "\0338", 2);
}
