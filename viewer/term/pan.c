/*
 * pan.c - a picture that moved sideways is moved by the terminal. Curses compares rows column by column, and
 * would send all of them.
 *
 * Invariant. Curses is told what moved (curscr is the screen as it is): a bad guess costs bytes, and nothing
 * else.
 */
#include "viewer/term/term_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH = 8,      /* cells: a row that saves fewer is not moved */
    ROWS_ASKED = 8, /* of so many rows it is asked by how much they moved */
    PLACES = 8,     /* parts of such a row; where two of them meet, a pattern is looked for */
    PATTERN = 10,   /* cells of a pattern */
    MOST_TRIED = 3, /* of the distances that were found most often */
    FAR = 7,        /* lines: a row that is further down is shorter to address than to walk to */
    MOST_COLUMNS = 1000
};

static bool alike(const struct cell *a, const struct cell *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* A row's end, from column x on, moves to the left by k columns, or to the right by -k. */
struct pan {
    int k, x;
};

/* How many cells of a row needn't be sent then. Blanks don't count: they are erased. */
static int gain(const struct cell *old, const struct cell *now, int w, struct pan p)
{
    int sum = 0;
    for (int x = p.x; x < w; x++) {
        const int was = x + p.k;
        const bool stays = alike(&now[x], &old[x]), blank = now[x].glyph == ' ',
                   comes = was >= p.x && was < w ? alike(&now[x], &old[was]) : blank;
        if (stays != comes)
            sum += stays ? -1 : !blank;
    }
    return sum;
}

/* The best column for that, with its gain. */
static int best_gain(const struct cell *old, const struct cell *now, int w, int k, int *from)
{
    int sum = 0, best = 0;
    *from = 0;
    for (int x = w - 1; x >= 0; x--) {
        const int was = x + k;
        const bool stays = alike(&now[x], &old[x]), comes = was >= 0 && was < w && alike(&now[x], &old[was]);
        if (stays == comes)
            continue;
        sum += stays ? -1 : now[x].glyph != ' ';
        if (sum > best) {
            best = sum;
            *from = k > 0 ? x : was > 0 ? was : 0;
        }
    }
    return best;
}

static const struct cell *old_row(const struct term *t, int y)
{
    return (const struct cell *)t->known + (size_t)y * (size_t)t->known_w;
}

static const struct cell *new_row(const struct grid *g, int y)
{
    return g->cells + (size_t)y * (size_t)g->w;
}

static bool changed(const struct term *t, const struct grid *g, int y)
{
    return memcmp(old_row(t, y), new_row(g, y), (size_t)g->w * sizeof(struct cell)) != 0;
}

/* Where in the old row is what the new one has at some places? votes[w + k]: k columns further right. */
static void vote(const struct cell *old, const struct cell *now, int w, int *votes)
{
    for (int i = 1; i < PLACES; i++) {
        const struct cell *is = now + (w - PATTERN) * i / PLACES;
        if (memcmp(is, is + 1, (PATTERN - 1) * sizeof *is) == 0)
            continue; /* all alike: that is everywhere */
        for (int x = 0; x + PATTERN <= w; x++)
            if (memcmp(&old[x], is, PATTERN * sizeof *is) == 0)
                votes[w + x - (int)(is - now)]++;
    }
}

/* Rows spread over those that changed. */
static int ask_rows(const struct term *t, const struct grid *g, int rows[ROWS_ASKED])
{
    int n = 0, all = 0;
    for (int y = 0; y < g->h; y++)
        all += changed(t, g, y);
    for (int y = 0, i = 0; y < g->h && n < ROWS_ASKED; y++)
        if (changed(t, g, y) && i++ * ROWS_ASKED >= n * all)
            rows[n++] = y;
    return n;
}

/* By how many columns did most of the picture move, and from which one on in each row? 0: it did not. */
static int columns_moved(const struct term *t, const struct grid *g, int from[ROWS_ASKED])
{
    int rows[ROWS_ASKED], votes[2 * MOST_COLUMNS + 1] = {0}, most = WORTH, found = 0;
    const int n = ask_rows(t, g, rows);
    for (int i = 0; i < n; i++)
        vote(old_row(t, rows[i]), new_row(g, rows[i]), g->w, votes);
    votes[g->w] = 0;
    for (int tried = 0; n > 2 && tried < MOST_TRIED; tried++) {
        int k = -g->w, sum = 0, x[ROWS_ASKED] = {0};
        for (int i = -g->w; i <= g->w; i++)
            k = votes[g->w + i] > votes[g->w + k] ? i : k;
        for (int i = 0; i < n && votes[g->w + k]; i++)
            sum += best_gain(old_row(t, rows[i]), new_row(g, rows[i]), g->w, k, &x[i]);
        votes[g->w + k] = 0;
        if (sum > most) {
            most = sum;
            found = k;
            memcpy(from, x, sizeof x);
        }
    }
    return found;
}

/* What the picture did, as one move of all rows; k is 0 if it did not move. */
static struct pan picture_moved(const struct term *t, const struct grid *g)
{
    int from[ROWS_ASKED] = {0}, most = 0;
    struct pan best = {0, 0}, p = {columns_moved(t, g, from), 0};
    for (int i = 0; p.k && i < ROWS_ASKED; i++) {
        int sum = 0;
        p.x = from[i];
        for (int y = 0; y < g->h; y++) {
            const int row = changed(t, g, y) ? gain(old_row(t, y), new_row(g, y), g->w, p) : 0;
            sum += row >= WORTH ? row : 0;
        }
        if (sum > most) {
            most = sum;
            best = p;
        }
    }
    return best;
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

void term_pan(struct term *t, const struct grid *g)
{
    char text[64];
    int last = -1;
    if (!t->pans || !t->known || t->known_w != g->w || t->known_h != g->h || g->w < 2 * PATTERN ||
        g->w > MOST_COLUMNS)
        return;
    const struct pan p = picture_moved(t, g);
    for (int y = 0; p.k && y < g->h; y++) {
        const struct cell *old = old_row(t, y);
        int n = 0;
        if (gain(old, new_row(g, y), g->w, p) < WORTH || has_wide(old, g->w))
            continue;
        if (last < 0)
            n = snprintf(text, sizeof text, "\0337\033[m"); /* what comes in is the terminal's own ground */
        const int down = last < 0 ? FAR : y - last;         /* the cursor has stayed in column p.x */
        for (int i = 0; i < down && down < FAR; i++)
            text[n++] = '\n';
        if (down >= FAR)
            n += snprintf(text + n, sizeof text - (size_t)n, "\033[%d;%dH", y + 1, p.x + 1);
        n += snprintf(text + n, sizeof text - (size_t)n, "\033[%d%c", abs(p.k), p.k > 0 ? 'P' : '@');
        term_put(t, text, (size_t)n);
        tell_curses(y, p);
        last = y;
    }
    if (last >= 0)
        term_put(t, "\0338", 2);
}
